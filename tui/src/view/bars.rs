//! The row on top, and the rows about the event at the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use replay_store::diagnostic::Severity;
use replay_store::profile::ProfileBasis;
use replay_store::replay::DefinitionSource;
use replay_store::replay::headline::Weight;

use crate::app::{App, Debugger};
use crate::content::{memory, stack};
use crate::findings::{Findings, Looking};
use crate::line::{Line, at_most};
use crate::theme::Tone;

/// Paints which session it is, and where in it we are.
pub(super) fn title(debugger: &Debugger, app: &App, area: Rect, buffer: &mut Buffer) {
    let session = &debugger.session;
    let apart = |line: Line| line.own(Tone::Quiet, "  ");
    let line =
        Line::new().number(Tone::Strong, debugger.cursor).own(Tone::Quiet, "/").number(Tone::Strong, session.end());
    let line = match &app.live {
        Some(live) => {
            let (tone, words) = live.words(session.end());
            apart(line).foreign(tone, &words)
        }
        None => line,
    };
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
    let basis = match session.profile.basis {
        ProfileBasis::Flag => " (asked for)",
        ProfileBasis::Record => " (recorded)",
        ProfileBasis::Guess => " (guessed)",
        ProfileBasis::Default => " (default)",
    };
    let line = apart(apart(line).own(Tone::Plain, agent));
    let behind = |lead: &'static str| {
        let line = line.clone().own(Tone::Plain, lead).number(Tone::Plain, session.profile.profile);
        apart(line.own(Tone::Quiet, basis)).foreign(Tone::Quiet, &session.id)
    };
    // Where the row is narrow, the name of the session is worth more than the word.
    let line = Some(behind("profile ")).filter(|line| line.width() <= usize::from(area.width));
    let line = line.unwrap_or_else(|| behind(""));
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
    let columns = usize::from(area.width);
    let line = event_line(debugger, columns);
    // What went wrong is worth more than the stack, which has a panel of its own.
    let words = debugger.session.headline(debugger.cursor);
    if words.is_some_and(|words| words.weight == Weight::Refused) && line.width() > columns {
        let rows = at_most(usize::from(area.height), line.wrap_under(columns, "   "));
        for (y, line) in (0..).zip(&rows) {
            line.paint(row(y), buffer, app.theme);
        }
        return;
    }
    line.paint(row(0), buffer, app.theme);
    if area.height == 1 {
        return;
    }
    let stack = Line::new().own(Tone::Quiet, "stack: ").then(stack::short(&debugger.state));
    stack.paint(row(1), buffer, app.theme);
}

fn event_line(debugger: &Debugger, columns: usize) -> Line {
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
        Some((row, change)) => {
            let room = columns.saturating_sub(line.width());
            line.then(memory::change(&row, &change, &event, room))
        }
        None => line.foreign(Tone::Plain, &words.text),
    }
}
