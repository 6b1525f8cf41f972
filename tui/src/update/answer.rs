//! K: what is under the cursor is explained in the answer panel; Enter follows what a line of it leads to.

use replay_store::event::{Event, EventKind, Position};
use replay_store::explain::findings::Found;
use replay_store::explain::line::why_line;
use replay_store::explain::read::why_read;
use replay_store::explain::report::{Pii, findings_report, report};
use replay_store::explain::resolve::{Resolved, resolve};
use replay_store::explain::skill::why_skill;
use replay_store::explain::tool::why_tool;
use replay_store::explain::value::why_value;
use replay_store::prompt::Source;
use replay_store::replay::Session;

use super::define::select_entry;
use super::{focus, go};
use crate::app::{App, Debugger, Wish};
use crate::content;
use crate::content::decisions::detail;
use crate::content::why::{event_sheet, place_link, sheet};
use crate::copy::{Clipping, line};
use crate::findings::Looking;
use crate::panel::Panel;
use crate::rows::Place;
use crate::sheet::{Link, Sheet};
use crate::subject::{Subject, subject};

/// Explains what the row under the cursor is about.
pub(super) fn explain(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    match answer(debugger, &subject(debugger)) {
        Ok(sheet) => show(app, sheet),
        Err(words) => app.say(words),
    }
}

/// Asks the terminal's loop to copy the answer about the row under the cursor, or the one that is shown, as a report.
pub(super) fn copy_report(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let made;
    let shown = debugger.answer.as_ref().filter(|_| debugger.focus == Panel::Answer);
    let sheet = match shown {
        Some(sheet) => sheet,
        None => match answer(debugger, &subject(debugger)) {
            Ok(sheet) => {
                made = sheet;
                &made
            }
            Err(words) => return app.say(words),
        },
    };
    let Some(why) = &sheet.why else {
        if let Subject::Finding(index) = subject(debugger)
            && let Some(found) = debugger.findings.found.get(index)
        {
            let again =
                line([sheet.command.clone(), vec!["--format".to_owned(), "md".to_owned()]].concat(), &app.opened);
            let text = findings_report(&debugger.session, std::slice::from_ref(found), &again, Pii::Masked);
            app.wish = Some(Wish::Copy(Clipping { what: "the report".to_owned(), text }));
            return;
        }
        return app.say("a report is made of a why: of an entry, a read, a skill or a tool; yy copies the row");
    };
    let again = [sheet.command.clone(), vec!["--format".to_owned(), "md".to_owned()]].concat();
    let text = report(&debugger.session, why, &line(again, &app.opened), Pii::Masked);
    app.wish = Some(Wish::Copy(Clipping { what: "the report".to_owned(), text }));
}

/// Shows who may read and write what at the cursor.
pub(super) fn access(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    match content::access::sheet(&debugger.session, debugger.cursor) {
        Some(sheet) => show(app, sheet),
        None => app.say("no agent folder, so who may read what is unknown: name it with --agent DIR"),
    }
}

/// Explains what is named: an entry, qualified or bare, whether a skill may read it, a skill, a tool, a line of the folder.
pub(super) fn why(app: &mut App, asked: &str) {
    let Some(debugger) = &app.debugger else { return };
    let (session, at) = (&debugger.session, debugger.cursor);
    let words: Vec<&str> = asked.split_whitespace().collect();
    let why = match words[..] {
        ["skill", skill] => Some(why_skill(session, skill, at)),
        ["tool", tool] => Some(why_tool(session, tool, at)),
        [key, skill] | [key, "as", skill] => Some(why_read(session, key, skill, at)),
        [line] => match place_link(line) {
            Some(Link::File(file, line)) => Some(why_line(session, &file, line, at)),
            _ => None,
        },
        _ => None,
    };
    if let Some(why) = why {
        return show(app, sheet(&why));
    }
    match resolve(session, &debugger.state, asked) {
        Resolved::One(key) => {
            let sheet = sheet(&why_value(session, &key, at));
            show(app, sheet);
        }
        Resolved::Several(keys) => {
            let keys: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
            let words = format!("{asked} may be {}", keys.join(", "));
            app.say(words);
        }
        Resolved::Unknown(_) => {
            let sheet = sheet(&why_value(session, asked, at));
            show(app, sheet);
        }
    }
}

/// Shows a sheet in the answer panel.
pub(super) fn show(app: &mut App, mut sheet: Sheet) {
    let Some(debugger) = &mut app.debugger else { return };
    sheet.document.set_form(debugger.form, 0);
    debugger.answer = Some(sheet);
    debugger.places[Panel::Answer as usize] = Place::default();
    focus(debugger, Panel::Answer);
}

/// Looks at the next slice of events for what looks wrong. The finding under the cursor stays there.
pub(super) fn look_on(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    if debugger.findings.looking() != Looking::Going {
        return;
    }
    let same = |one: &Found, other: &Found| (one.kind, &one.text) == (other.kind, &other.text);
    let selected = debugger.selected_finding().cloned();
    if debugger.findings.advance(&debugger.session)
        && let Some(selected) = selected
        && let Some(line) = debugger.findings.found.iter().position(|found| same(found, &selected))
    {
        debugger.places[Panel::Findings as usize] = Place { line, row: 0 };
    }
}

/// Stops looking for what looks wrong, where its panel has the keys. Returns whether there was something to stop.
pub(super) fn stop_looking(app: &mut App) -> bool {
    let Some(debugger) = &mut app.debugger else { return false };
    if debugger.focus != Panel::Findings || debugger.findings.looking() != Looking::Going {
        return false;
    }
    debugger.findings.stop(&debugger.session);
    let count = match debugger.findings.found.len() {
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    let progress = debugger.findings.progress();
    app.say(format!("stopped at {} of {}: {count} so far; ! goes on", progress.done, progress.of));
    true
}

/// Goes to where the finding under the cursor is; from there to the next place of it.
pub(super) fn to_finding(app: &mut App, line: usize) {
    let Some(debugger) = &app.debugger else { return };
    let Some(found) = debugger.findings.found.get(line) else {
        let words = match debugger.findings.looking() {
            Looking::NotYet | Looking::Going | Looking::Stopped if line == debugger.findings.found.len() => {
                "! looks at the events, Esc stops"
            }
            Looking::NotYet | Looking::Going | Looking::Stopped | Looking::Done if debugger.folder.is_some() => {
                "replay check DIR tells what is wrong in the agent folder, with file and line"
            }
            Looking::NotYet | Looking::Going | Looking::Stopped | Looking::Done => "this row leads nowhere",
        };
        return app.say(words);
    };
    let here = found.positions.iter().position(|at| *at == debugger.cursor);
    let total = found.positions.len();
    let next = here.map_or(0, |here| (here + 1) % total);
    let Some(at) = found.positions.get(next).copied() else {
        return app.say("this finding is about the session as a whole; K tells all about it");
    };
    go(app, at);
    app.say(match total {
        1 => format!("{at} is its one place; K tells all about it, Ctrl-o goes back"),
        _ => format!("{at} is place {} of {total}: Enter goes to the next, K tells all about it", next + 1),
    });
}

/// Goes where the row under the cursor of an answer leads.
pub(super) fn follow(app: &mut App, panel: Panel) {
    let Some(debugger) = &app.debugger else { return };
    let line = debugger.place(panel).line;
    let links: Vec<Link> = debugger.sheet(panel).iter().flat_map(|sheet| sheet.links(line)).cloned().collect();
    let Some(link) = links.first() else { return app.say("this row leads nowhere") };
    match link {
        Link::Event(at) => {
            let at = *at;
            go(app, at);
            app.say(format!("event {at}; Ctrl-o goes back"));
        }
        Link::File(file, line) => {
            let words = format!("{file}:{line} decides it; e opens it");
            app.say(words);
        }
        Link::Entry(key) | Link::Read(key, _) => {
            let key = key.clone();
            if let Some(debugger) = &mut app.debugger {
                focus(debugger, Panel::Memory);
            }
            select_entry(app, &key);
        }
        Link::Skill(_) | Link::Tool(_) | Link::Decision(_) => explain(app),
    }
}

fn answer(debugger: &Debugger, subject: &Subject) -> Result<Sheet, String> {
    let session = &*debugger.session;
    // A row of the prompt is about what held when it was built.
    let built = debugger.prompt.shown.as_ref().and_then(|shown| shown.built_at());
    let at = built.filter(|_| debugger.focus == Panel::Prompt).unwrap_or(debugger.cursor);
    match subject {
        Subject::Event(Position(0)) => Err("nothing is applied yet, so there is nothing to explain".to_owned()),
        Subject::Event(at) => of_event(session, *at).ok_or_else(|| format!("there is no event {at}")),
        Subject::Entry(key) => Ok(sheet(&why_value(session, key, at))),
        Subject::Frame { skill, .. } => Ok(sheet(&why_skill(session, skill, at))),
        Subject::Prompt { source, tool, key: _ } => match (tool, source) {
            (Some(tool), _) => Ok(sheet(&why_tool(session, tool, at))),
            (None, Source::Event { key: Some(key), .. }) => Ok(sheet(&why_value(session, key, at))),
            (None, Source::Event { position, key: None }) => {
                of_event(session, *position).ok_or_else(|| format!("there is no event {position}"))
            }
            (None, Source::File { file, line }) => Ok(sheet(&why_line(session, file, *line, at))),
            (None, Source::Builtin) => Err("these are the engine's own words".to_owned()),
        },
        Subject::Link(link) => match link {
            Link::Event(at) => of_event(session, *at).ok_or_else(|| format!("there is no event {at}")),
            Link::Entry(key) => Ok(sheet(&why_value(session, key, at))),
            Link::Skill(skill) => Ok(sheet(&why_skill(session, skill, at))),
            Link::Tool(tool) => Ok(sheet(&why_tool(session, tool, at))),
            Link::Read(key, skill) => Ok(sheet(&why_read(session, key, skill, at))),
            Link::Decision(index) => {
                let decision = debugger.decisions.as_ref().and_then(|made| made.list.get(*index));
                decision.map(|decision| detail(decision, at)).ok_or_else(|| "the decision is gone".to_owned())
            }
            Link::File(file, line) => Err(format!("written at {file}:{line}; e opens it")),
        },
        Subject::Finding(index) => {
            let found = debugger.findings.found.get(*index);
            found
                .map(|found| content::findings::sheet(session, found, at))
                .ok_or_else(|| "the finding is gone".to_owned())
        }
        Subject::Words => Err("there is nothing to explain on this row".to_owned()),
    }
}

/// Explains an event by what it is about.
fn of_event(session: &Session, at: Position) -> Option<Sheet> {
    let event = session.event(at)?;
    if let Some(key) = written(&event) {
        return Some(sheet(&why_value(session, key, at)));
    }
    if let EventKind::ToolRefused { call, .. } = &event.kind {
        return Some(sheet(&why_tool(session, &call.tool, Position(at.0 - 1))));
    }
    if let EventKind::SkillRefused { skill, .. }
    | EventKind::SkillPending { skill, .. }
    | EventKind::SkillDeferred { skill }
    | EventKind::SkillInterrupted { skill, .. }
    | EventKind::SkillResumed { skill, .. }
    | EventKind::SkillActivated { skill, .. } = &event.kind
    {
        return Some(sheet(&why_skill(session, skill, at)));
    }
    event_sheet(session, at)
}

fn written(event: &Event) -> Option<&str> {
    if let EventKind::MemoryWriteRefused { asked, key, .. } = &event.kind {
        return Some(key.as_ref().unwrap_or(asked));
    }
    if let EventKind::MemoryWritten { key, .. }
    | EventKind::MemoryCleared { key, .. }
    | EventKind::MemoryReset { key, .. }
    | EventKind::ProjectEntryLocked { key } = &event.kind
    {
        return Some(key);
    }
    None
}
