//! The row at the bottom: what is typed, what the last action has to say, what may follow the keys that were pressed, or
//! the most useful keys. What is longer than the row takes rows above it, so that no message is cut.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Naming, Prefix};
use crate::copy::short_path;
use crate::line::{Line, at_most};
use crate::theme::Tone;
use crate::typing::{Typing, TypingKind};

/// Paints the row at the bottom, and rows above it where one is not enough.
pub(super) fn foot(app: &App, area: Rect, buffer: &mut Buffer) {
    let columns = usize::from(area.width);
    let rows = match (underway(app, columns), &app.typing, &app.message) {
        (Some(rows), _, _) => rows,
        (None, Some(typing), _) => vec![typed(typing, columns)],
        (None, None, Some(message)) => Line::new().foreign_whole(message.tone, &message.text).wrap(columns),
        (None, None, None) => pending(app, columns).unwrap_or_else(|| vec![status(app, columns)]),
    };
    upwards(rows, area, (app, buffer));
}

/// Paints rows so that the last one stands at the place of `last`; never over more than the lower half of the screen.
pub(super) fn upwards(rows: Vec<Line>, last: Rect, (app, buffer): (&App, &mut Buffer)) {
    let rows = at_most(usize::from(last.y / 2).max(1), rows);
    for (up, line) in rows.iter().rev().enumerate() {
        line.paint(Rect { y: last.y.saturating_sub(up as u16), ..last }, buffer, app.theme);
    }
}

/// Returns the line that is being typed: its end, where not all of it has room.
fn typed(typing: &Typing, columns: usize) -> Line {
    let mark = match typing.kind {
        TypingKind::Command => ":",
        TypingKind::Search => "/",
        TypingKind::Filter => "filter ",
    };
    let line = |text: &str| Line::new().own(Tone::Strong, mark).foreign_whole(Tone::Plain, text).own(Tone::Cursor, " ");
    if line(&typing.text).width() <= columns {
        return line(&typing.text);
    }
    let room = columns.saturating_sub(line("…").width());
    let mut taken = 0;
    let tail = typing.text.char_indices().rev().take_while(|(at, _)| {
        taken = line(&typing.text[*at..]).width();
        taken <= room + mark.len() + 1
    });
    let start = tail.last().map_or(typing.text.len(), |(at, _)| at);
    line(&format!("…{}", &typing.text[start..]))
}

/// Returns how far a search for the place to go to came, or which name is waited for.
fn underway(app: &App, columns: usize) -> Option<Vec<Line>> {
    if let (Some(scan), Some(debugger)) = (&app.scan, &app.debugger) {
        let line = Line::new().own(Tone::Strong, "looking at ").number(Tone::Strong, scan.at);
        let line = line.own(Tone::Quiet, ", ").number(Tone::Plain, scan.percent(debugger.session.end()));
        return Some(vec![line.own(Tone::Quiet, " % done; Esc stops and stays here")]);
    }
    let marks = app.debugger.iter().flat_map(|debugger| debugger.way.marks.iter());
    let set = marks.map(|(name, at)| (name.to_string(), format!("at {at}")));
    let (key, mut follow) = match app.naming? {
        Naming::Mark => ("m", vec![("a-z 0-9".to_owned(), "marks the event by that name".to_owned())]),
        Naming::ToMark => ("'", Vec::new()),
    };
    follow.extend(set);
    if app.naming == Some(Naming::ToMark) {
        if follow.is_empty() {
            follow.push(("a-z 0-9".to_owned(), "goes to that mark; none is set yet".to_owned()));
        }
        follow.push(("'".to_owned(), "back from the last jump".to_owned()));
    }
    Some(choices(key, &follow, columns))
}

/// Returns what was begun: a count, or the first key of a sequence with the keys that may follow it.
fn pending(app: &App, columns: usize) -> Option<Vec<Line>> {
    match (app.count, &app.prefix) {
        (Some(count), None) => Some(
            Line::new()
                .number(Tone::Strong, count)
                .own(Tone::Quiet, " … and a key that is repeated, or wait for the panel")
                .wrap(columns),
        ),
        (_, Some(prefix)) => Some(following(app, prefix, columns)),
        (None, None) => None,
    }
}

/// Returns the keys that may follow the first one of a sequence.
pub(crate) fn following(app: &App, prefix: &Prefix, columns: usize) -> Vec<Line> {
    let follow: Vec<(String, String)> = app.keymap.continuations(&prefix.key).collect();
    choices(&prefix.key, &follow, columns)
}

/// Returns keys with what they do, in as many rows as it takes. None is parted from its words.
fn choices(key: &str, follow: &[(String, String)], columns: usize) -> Vec<Line> {
    let mut rows = Vec::new();
    let mut row = Line::new().foreign(Tone::Strong, key).own(Tone::Quiet, " …");
    for (next, words) in follow {
        let choice = Line::new().foreign(Tone::Strong, next).own(Tone::Quiet, " ").foreign(Tone::Quiet, words);
        let apart = if row.width() <= 3 { " " } else { "  " };
        if row.width() + apart.len() + choice.width() > columns {
            rows.push(std::mem::replace(&mut row, Line::new().own(Tone::Quiet, "  ")));
        }
        row = row.own(Tone::Quiet, apart).then(choice);
    }
    rows.push(row);
    rows
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

/// Where the row under the cursor stands, and as many of the most useful keys as there is room for: help and the way out
/// always.
fn status(app: &App, columns: usize) -> Line {
    let Some(debugger) = &app.debugger else { return LIST_HINTS.iter().fold(Line::new(), hint) };
    let last = HINTS[HINTS.len() - 2..].iter().fold(Line::new(), hint);
    let room = columns.saturating_sub(last.width() + 2);
    let path = short_path(debugger).map(|path| Line::new().foreign(Tone::Strong, &path).clip(room));
    let mut line = path.unwrap_or_default();
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
