//! The row on top, the rows about the event at the cursor, and the row at the bottom.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use replay_store::diagnostic::Severity;
use replay_store::profile::ProfileBasis;
use replay_store::replay::DefinitionSource;
use replay_store::replay::headline::Weight;

use crate::app::{App, Debugger, Naming};
use crate::content::{memory, stack};
use crate::copy::short_path;
use crate::findings::{Findings, Looking};
use crate::line::Line;
use crate::theme::Tone;
use crate::typing::TypingKind;

/// Paints which session it is, and where in it we are.
pub(super) fn title(debugger: &Debugger, app: &App, area: Rect, buffer: &mut Buffer) {
    let session = &debugger.session;
    let apart = |line: Line| line.own(Tone::Quiet, "  ");
    let line =
        Line::new().number(Tone::Strong, debugger.cursor).own(Tone::Quiet, "/").number(Tone::Strong, session.end());
    let line = match debugger.state.turn {
        Some(turn) => apart(line)
            .own(Tone::Plain, "turn ")
            .number(Tone::Strong, turn)
            .own(Tone::Quiet, "/")
            .number(Tone::Plain, session.turns.len()),
        None if debugger.cursor.0 == 0 => {
            apart(line).number(Tone::Plain, session.turns.len()).own(Tone::Plain, " turns")
        }
        None => apart(line).own(Tone::Plain, "between turns"),
    };
    let line = apart(line).then(findings(&debugger.findings));
    let line = match session.damage() {
        Some(_) => apart(line).own(Tone::Bad, "damaged log: run replay verify"),
        None => line,
    };
    let unknown: u64 = debugger.state.unknown_kinds.values().sum();
    let line = match unknown {
        0 => line,
        count => apart(line).number(Tone::Waiting, count).own(Tone::Waiting, " of unknown kind"),
    };
    let line = match debugger.way.step {
        Some(step) => apart(line).own(Tone::Waiting, "steps by ").own(Tone::Waiting, step.word()),
        None => line,
    };
    let agent = match (session.definition, session.differs) {
        (DefinitionSource::Embedded, _) => "agent embedded",
        (DefinitionSource::Folder, Some(true)) => "agent folder (differs from the recorded one)",
        (DefinitionSource::Folder, Some(false) | None) => "agent folder",
        (DefinitionSource::None, _) => "agent none",
    };
    let line = apart(apart(line).own(Tone::Plain, agent))
        .own(Tone::Plain, "profile ")
        .number(Tone::Plain, session.profile.profile);
    let line = line.own(
        Tone::Quiet,
        match session.profile.basis {
            ProfileBasis::Flag => " (asked for)",
            ProfileBasis::Record => " (recorded)",
            ProfileBasis::Guess => " (guessed)",
            ProfileBasis::Default => " (default)",
        },
    );
    let line = apart(line).foreign(Tone::Quiet, &session.id);
    line.paint_over(area, buffer, app.theme, Tone::Cursor);
}

/// Returns how much looks wrong. What nobody looked for is never said not to be there.
fn findings(findings: &Findings) -> Line {
    let is_bad = findings.found.iter().any(|found| found.severity != Severity::Note);
    let tone = if is_bad { Tone::Bad } else { Tone::Waiting };
    let line = match (findings.found.len(), findings.looking()) {
        (0, Looking::Done) => return Line::new().own(Tone::Quiet, "no findings"),
        (0, Looking::NotYet | Looking::Stopped) => return Line::new().own(Tone::Waiting, "! looks for findings"),
        (0, Looking::Going) => return Line::new().own(Tone::Waiting, "looking for findings"),
        (1, _) => Line::new().own(tone, "1 finding"),
        (count, _) => Line::new().number(tone, count).own(tone, " findings"),
    };
    match findings.looking() {
        Looking::Done => line,
        Looking::Going => line.own(Tone::Waiting, " so far"),
        Looking::NotYet | Looking::Stopped => line.own(Tone::Waiting, ", ! looks for more"),
    }
}

/// Paints what the event at the cursor did, and the stack.
pub(super) fn summary(debugger: &Debugger, app: &App, area: Rect, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let row = |y| Rect { y: area.y + y, height: 1, ..area };
    event_line(debugger).paint(row(0), buffer, app.theme);
    if area.height == 1 {
        return;
    }
    let stack = Line::new().own(Tone::Quiet, "stack: ").then(stack::short(&debugger.state));
    stack.paint(row(1), buffer, app.theme);
}

fn event_line(debugger: &Debugger) -> Line {
    let line = Line::new().number(Tone::Strong, debugger.cursor).own(Tone::Plain, " ");
    let Some(event) = debugger.session.event(debugger.cursor) else {
        return line.own(Tone::Quiet, "the start: nothing is applied");
    };
    let Some(words) = debugger.session.headline(debugger.cursor) else { return line };
    let tone = match words.weight {
        Weight::Light => Tone::Quiet,
        Weight::Normal => Tone::Strong,
        Weight::Refused => Tone::Bad,
    };
    let line = line.own(tone, words.kind).own(Tone::Plain, " ");
    match memory::changed_row(debugger) {
        Some((row, change)) => line.then(memory::change(&row, &change, &event)),
        None => line.foreign(Tone::Plain, &words.text),
    }
}

/// Paints what is being typed, or what the last action has to say, or the most useful keys.
pub(super) fn foot(app: &App, area: Rect, buffer: &mut Buffer) {
    if let Some(words) = underway(app) {
        return words.paint(area, buffer, app.theme);
    }
    let line = match (&app.typing, &app.message) {
        (Some(typing), _) => {
            let mark = match typing.kind {
                TypingKind::Command => ":",
                TypingKind::Search => "/",
                TypingKind::Filter => "filter ",
            };
            Line::new().own(Tone::Strong, mark).foreign(Tone::Plain, &typing.text).own(Tone::Cursor, " ")
        }
        (None, Some(message)) => Line::new().foreign(message.tone, &message.text),
        (None, None) => pending(app).unwrap_or_else(|| status(app, usize::from(area.width))),
    };
    line.paint(area, buffer, app.theme);
}

/// Returns how far a search for the place to go to came, or which name is waited for.
fn underway(app: &App) -> Option<Line> {
    if let (Some(scan), Some(debugger)) = (&app.scan, &app.debugger) {
        let line = Line::new().own(Tone::Strong, "looking at ").number(Tone::Strong, scan.at);
        let line = line.own(Tone::Quiet, ", ").number(Tone::Plain, scan.percent(debugger.session.end()));
        return Some(line.own(Tone::Quiet, " % done; Esc stops and stays here"));
    }
    let words = match app.naming? {
        Naming::Mark => "m … the letter or digit that names the mark",
        Naming::ToMark => "' … the letter or digit of a mark; ' again goes back from the last jump",
    };
    Some(Line::new().own(Tone::Quiet, words))
}

/// Returns what was begun: a count, or the first key of a sequence.
fn pending(app: &App) -> Option<Line> {
    match (app.count, &app.prefix) {
        (Some(count), _) if app.prefix.is_none() => Some(
            Line::new()
                .number(Tone::Strong, count)
                .own(Tone::Quiet, " … and a key that is repeated, or wait for the panel"),
        ),
        (_, Some(prefix)) if prefix.before.is_none() => {
            let words = match prefix.key.as_str() {
                "y" => " … copies: y row, v value, k name, p path, c command, r report",
                _ => " … c tool, t turn, u user, w write, s skill, p prompt, d denial, l lock, o None, v verdict",
            };
            Some(Line::new().foreign(Tone::Strong, &prefix.key).own(Tone::Quiet, words))
        }
        (Some(_) | None, _) => None,
    }
}

/// The most useful keys of a session.
const HINTS: [(&str, &str); 9] = [
    ("j k", "step"),
    ("]t", "turn"),
    ("]w", "write"),
    ("!", "findings"),
    ("K", "why"),
    ("p", "prompt"),
    ("/", "find"),
    ("?", "help"),
    ("q", "quit"),
];

/// The keys of the list of sessions.
const LIST_HINTS: [(&str, &str); 4] = [("j k", "choose"), ("Enter", "open"), ("?", "help"), ("q", "quit")];

/// Where the row under the cursor stands, and as many of the most useful keys as there is room for.
fn status(app: &App, columns: usize) -> Line {
    let Some(debugger) = &app.debugger else { return LIST_HINTS.iter().fold(Line::new(), hint) };
    let all = || HINTS.iter().fold(Line::new(), hint);
    let Some(path) = short_path(debugger) else { return all() };
    let last = HINTS[HINTS.len() - 2..].iter().fold(Line::new(), hint);
    let room = columns.saturating_sub(last.width() + 2);
    let mut line = Line::new().foreign(Tone::Strong, &path).clip(room);
    for next in &HINTS[..HINTS.len() - 2] {
        let longer = hint(line.clone(), next);
        if longer.width() > room {
            break;
        }
        line = longer;
    }
    line.own(Tone::Quiet, "  ").then(last)
}

fn hint(line: Line, (keys, words): &(&'static str, &'static str)) -> Line {
    let line = if line.width() > 0 { line.own(Tone::Quiet, "  ") } else { line };
    line.own(Tone::Strong, keys).own(Tone::Quiet, " ").own(Tone::Quiet, words)
}
