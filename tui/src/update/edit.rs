//! `e`: which line of the agent folder the row under the cursor comes from.

use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::diagnostic::Place;
use replay_store::name::Name;
use replay_store::prompt::Source;

use crate::app::{App, Debugger, Edit, Wish};
use crate::panel::Panel;
use crate::sheet::Link;
use crate::subject::{Subject, key_of, subject};

/// Asks the terminal's loop to open the line behind the row under the cursor.
pub(super) fn edit(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let Some(agent) = debugger.session.agent.clone() else {
        return app.say("no agent folder, so no line of one to open: name it with --agent DIR");
    };
    let Some((file, line)) = line_of(debugger, &agent).or_else(|| line_of_answer(debugger)) else {
        return app.say("no line of the agent folder stands behind this row");
    };
    match agent.definition.files.get(&file) {
        Some(bytes) => app.wish = Some(Wish::Edit(Edit { file, line, bytes: Arc::clone(bytes) })),
        None => app.say(format!("the engine brings {file} along; there is no file to open")),
    }
}

fn line_of(debugger: &Debugger, agent: &Agent) -> Option<(Name, u32)> {
    let of = |at: &Place| (at.file.clone(), at.line);
    let entry = |key: &str| agent.entry(key).map(|entry| of(&entry.at));
    let skill = |id: &str| agent.skills.get(id).map(|skill| of(&skill.at));
    match subject(debugger) {
        Subject::Prompt { source: Source::File { file, line }, .. } | Subject::Link(Link::File(file, line)) => {
            Some((file, line))
        }
        Subject::Prompt { source: Source::Event { key, .. }, .. } => entry(&key?),
        Subject::Entry(key) | Subject::Link(Link::Entry(key) | Link::Read(key, _)) => entry(&key),
        Subject::Frame { skill: id, .. } | Subject::Link(Link::Skill(id)) => skill(&id),
        Subject::Link(Link::Decision(index)) => {
            let decision = debugger.decisions.as_ref()?.list.get(index)?;
            decision.rule.as_ref().and_then(|rule| rule.at.as_ref()).map(of)
        }
        Subject::Event(at) | Subject::Link(Link::Event(at)) => {
            let event = debugger.session.event(at)?;
            let key = key_of(&event)?;
            let space = key.split("__").next().unwrap_or_default().to_owned();
            entry(&key).or_else(|| skill(&space)).or_else(|| response(agent, &key))
        }
        Subject::Prompt { source: Source::Builtin, .. } | Subject::Link(Link::Tool(_)) | Subject::Words => None,
        Subject::Finding(index) => {
            let rule = debugger.findings.found.get(index)?.rule.as_ref()?;
            rule.at.as_ref().map(of)
        }
    }
}

/// Of an answer whose row names no line, the next row that does counts: the line of the rule, most of the time.
fn line_of_answer(debugger: &Debugger) -> Option<(Name, u32)> {
    let sheet = debugger.sheet(Panel::Answer).filter(|_| debugger.focus == Panel::Answer)?;
    let line = debugger.place(Panel::Answer).line;
    let rows = (line..sheet.document.line_count()).chain(0..line);
    rows.flat_map(|row| sheet.links(row)).find_map(|link| match link {
        Link::File(file, line) => Some((file.clone(), *line)),
        Link::Event(_) | Link::Entry(_) | Link::Skill(_) | Link::Tool(_) | Link::Read(..) | Link::Decision(_) => None,
    })
}

fn response(agent: &Agent, name: &str) -> Option<(Name, u32)> {
    agent.responses.get(name).map(|response| (response.at.file.clone(), response.at.line))
}
