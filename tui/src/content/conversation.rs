//! What user and agent said. What comes after the cursor is there, too, below a line that says where we are.
//!
//! A line's number is the position of its message; line 0 stands in front of the first one.

use std::rc::Rc;

use replay_store::event::{Event, EventKind, Position, Tag};
use replay_store::replay::Session;
use replay_store::replay::outline::Mark;
use replay_store::replay::turns::MODEL_CALL_ERROR;
use replay_store::value::Value;
use replay_store::visible;

use crate::app::Debugger;
use crate::fold::{FOLDED, beginning, size_words};
use crate::line::Line;
use crate::rows::{Place, Rows};
use crate::theme::Tone;

/// The lines of the conversation.
pub(crate) struct Conversation<'a> {
    pub(crate) debugger: &'a Debugger,
}

/// Returns the last message at or before a position.
pub(crate) fn place_at(session: &Session, at: Position) -> Place {
    Place { line: last_message(session, at).0 as usize, row: 0 }
}

/// Returns the last message at or before a position; position 0 where there is none.
fn last_message(session: &Session, at: Position) -> Position {
    session.marked_before(Position(at.0 + 1), is_message_mark).unwrap_or_default()
}

fn is_message_mark(mark: Mark) -> bool {
    matches!(mark.tag(), Tag::UserMessage | Tag::AgentMessage)
}

pub(crate) fn is_message(event: &Event) -> bool {
    matches!(event.kind, EventKind::UserMessage { .. } | EventKind::AgentMessage { .. })
}

impl Rows for Conversation<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        let before = Position(line.checked_sub(1)? as u64);
        Some(last_message(&self.debugger.session, before).0 as usize)
    }

    fn next(&self, line: usize) -> Option<usize> {
        let next = self.debugger.session.marked_after(Position(line as u64), is_message_mark)?;
        Some(next.0 as usize)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let cursor = self.debugger.cursor.0 as usize;
        let event = self.debugger.session.event(Position(line as u64));
        let mut rows = match event {
            Some(event) => {
                let taken_back = self.debugger.session.taken_back(Position(line as u64));
                message(&event, (line > cursor, taken_back), columns)
            }
            None if self.next(0).is_none() => vec![Line::new().own(Tone::Quiet, "nobody said anything")],
            None => Vec::new(),
        };
        let is_here = line <= cursor && self.next(line).is_none_or(|next| next > cursor);
        if is_here {
            rows.push(Line::new().own(Tone::Title, "──── ").number(Tone::Strong, cursor).own(Tone::Title, " ────"));
        } else if rows.is_empty() {
            rows.push(Line::new());
        }
        Rc::from(rows)
    }
}

/// Bytes that are shown of a message which is too long to be shown.
const BEGUN: usize = 500;

/// Returns the words in front of a message that was taken back.
pub(crate) fn taken_back_words(at: Position) -> Line {
    Line::new().own(Tone::Quiet, "taken back at ").number(Tone::Quiet, at).own(Tone::Quiet, " ")
}

fn message(event: &Event, (is_later, taken_back): (bool, Option<Position>), columns: usize) -> Vec<Line> {
    let (speaker, tone, text) = match &event.kind {
        EventKind::UserMessage { text, .. } => ("» user: ", Tone::User, text),
        EventKind::AgentMessage { text, response: Some(response), .. } if *response == MODEL_CALL_ERROR => {
            ("« model call failed: ", Tone::Bad, text)
        }
        EventKind::AgentMessage { text, .. } => ("« agent: ", Tone::Agent, text),
        _ => return Vec::new(),
    };
    let is_quiet = is_later || taken_back.is_some();
    let tone = if is_quiet { Tone::Quiet } else { tone };
    let mut rows = Vec::new();
    let shown = if text.len() > FOLDED { beginning(text, BEGUN) } else { text };
    let mut lines = visible::lines(shown);
    let first = match taken_back {
        Some(at) => taken_back_words(at),
        None => Line::new(),
    };
    let first = first.own(if is_quiet { Tone::Quiet } else { Tone::Strong }, speaker);
    rows.extend(first.foreign_whole(tone, lines.next().unwrap_or_default()).wrap_under(columns, "  "));
    for line in lines {
        rows.extend(Line::new().own(tone, "  ").foreign_whole(tone, line).wrap_under(columns, "  "));
    }
    if text.len() > FOLDED {
        let size = size_words(text.len());
        let row = Line::new().own(Tone::Waiting, "  ▸ the beginning of ").number(Tone::Waiting, size);
        rows.extend(row.own(Tone::Waiting, "; Enter goes there, 6 shows all of it").wrap_under(columns, "  "));
    }
    if let EventKind::AgentMessage { data, .. } = &event.kind
        && let Some(Value::List(buttons)) = data.get("buttons")
        && !buttons.is_empty()
    {
        let titles = buttons.iter().filter_map(|button| button.get("title").and_then(Value::as_text));
        let row = titles.fold(Line::new().own(Tone::Quiet, "  buttons:"), |row, title| {
            row.own(Tone::Quiet, " [").foreign(tone, title).own(Tone::Quiet, "]")
        });
        rows.extend(row.wrap_under(columns, "  "));
    }
    rows
}
