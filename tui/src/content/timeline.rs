//! All events in order, with a heading in front of each turn.
//!
//! Row 0 is the start, where nothing is applied. Where a heading stands follows from the index of turns, so that no
//! row costs more than a look into it.

use std::rc::Rc;

use ratatui::layout::{Position as Point, Rect};
use replay_store::event::Position;
use replay_store::replay::Session;
use replay_store::replay::turns::{CallKind, Turn};

use crate::app::Debugger;
use crate::content::conversation::{is_message, taken_back_words};
use crate::label::label;
use crate::line::Line;
use crate::rows::{Place, Rows, window};
use crate::theme::Tone;

/// The lines of the timeline.
pub(crate) struct Timeline<'a> {
    pub(crate) debugger: &'a Debugger,
}

enum Item<'a> {
    Event(Position),
    Heading(&'a Turn),
}

/// Returns the row of a position.
pub(crate) fn row_of(session: &Session, at: Position) -> usize {
    at.0 as usize + session.turns.partition_point(|turn| turn.first <= at)
}

/// Returns the position that stands at a point of the screen; for a heading the event beneath it.
pub(crate) fn position_at(debugger: &Debugger, inside: Rect, at: Point) -> Option<Position> {
    let cursor = Place { line: row_of(&debugger.session, debugger.cursor), row: 0 };
    let rows = window(&Timeline { debugger }, cursor, usize::from(inside.width), usize::from(inside.height));
    let (place, _) = rows.get(usize::from(at.y.checked_sub(inside.y)?))?;
    Some(match item(&debugger.session, place.line) {
        Item::Event(position) => position,
        Item::Heading(turn) => turn.first,
    })
}

fn item(session: &Session, row: usize) -> Item<'_> {
    let turns = &session.turns;
    // The heading of the turn at `index` stands in front of its first event and behind `index` other headings.
    let heading = |index: usize| turns[index].first.0 as usize + index;
    let (mut low, mut high) = (0, turns.len());
    while low < high {
        let middle = low.midpoint(high);
        if heading(middle) <= row { low = middle + 1 } else { high = middle }
    }
    match low.checked_sub(1) {
        Some(last) if heading(last) == row => Item::Heading(&turns[last]),
        Some(_) | None => Item::Event(Position((row - low) as u64)),
    }
}

impl Timeline<'_> {
    /// What the user set at an event: a mark by its letter, or a breakpoint.
    fn set_here(&self, at: Position) -> Line {
        let way = &self.debugger.way;
        if let Some(name) = way.marks.at(at) {
            return Line::new().number(Tone::Strong, name);
        }
        if way.pin == Some(at) {
            return Line::new().own(Tone::Strong, "=");
        }
        let event = self.debugger.session.event(at);
        let stops = event.is_some_and(|event| {
            way.breakpoints.iter().any(|one| one.is_on && one.is_shown_at(&self.debugger.session, at, &event))
        });
        if stops { Line::new().own(Tone::Bad, "◉") } else { Line::new().own(Tone::Strong, " ") }
    }

    fn event(&self, at: Position) -> Line {
        let debugger = self.debugger;
        let session = &debugger.session;
        let here = at == debugger.cursor;
        let digits = session.end().0.max(10).to_string().len();
        let hit = debugger.search.as_ref().is_some_and(|search| search.index.number_at(at).is_some());
        let number = if hit { Tone::Match } else { Tone::Quiet };
        let line = if here { Line::new().own(Tone::Strong, "▸") } else { self.set_here(at) };
        let line = line.pad_to(1 + digits - at.0.to_string().len()).number(number, at.0).then(call_mark(session, at));
        let Some(event) = session.event(at) else {
            return line.own(Tone::Quiet, "the start: nothing is applied");
        };
        let label = match session.taken_back(at) {
            Some(by) if is_message(&event) => taken_back_words(by).then(label(&event).toned(Tone::Quiet)),
            Some(_) | None if session.starts_again(at) => label(&event).own(Tone::Waiting, ": memory is emptied"),
            Some(_) | None => label(&event),
        };
        let label = match debugger.notes.at(at) {
            Some(note) => {
                // The words come last, so that they never push out what the event is.
                Line::new().own(Tone::Waiting, "✎ ").then(label).own(Tone::Quiet, "  ").foreign(Tone::Waiting, note)
            }
            None => label,
        };
        match &debugger.search {
            Some(search) if hit => line.then(label.highlight(|text| search.pattern.find(text))),
            Some(_) | None => line.then(label),
        }
    }
}

/// A mark in front of the first event that a model call led to.
fn call_mark(session: &Session, at: Position) -> Line {
    let calls = session.turn_at(at).map_or(&[][..], |turn| &turn.calls);
    let call = calls.iter().find(|call| call.before.0 + 1 == at.0);
    match call.map(|call| call.kind) {
        None => Line::new().own(Tone::Plain, " "),
        Some(CallKind::Answer) => Line::new().own(Tone::Strong, "●"),
        Some(CallKind::Failed) => Line::new().own(Tone::Bad, "!"),
        Some(CallKind::Rephrase) => Line::new().own(Tone::Strong, "○"),
    }
}

fn heading(turn: &Turn) -> Line {
    let count = turn.counted_calls().count();
    let failed = turn.calls.iter().filter(|call| call.kind == CallKind::Failed).count();
    let line = Line::new().own(Tone::Title, "─ ").own(Tone::Strong, "turn ").number(Tone::Strong, turn.number);
    let line = match count {
        0 => line.own(Tone::Quiet, " ─ no model call"),
        1 => line.own(Tone::Quiet, " ─ 1 model call"),
        _ => line.own(Tone::Quiet, " ─ ").number(Tone::Quiet, count).own(Tone::Quiet, " model calls"),
    };
    let line = match turn.rephrase_count() {
        0 => line,
        1 => line.own(Tone::Quiet, ", 1 rephrase"),
        count => line.own(Tone::Quiet, ", ").number(Tone::Quiet, count).own(Tone::Quiet, " rephrases"),
    };
    if failed == 0 {
        return line;
    }
    line.own(Tone::Bad, ", ").number(Tone::Bad, failed).own(Tone::Bad, " failed")
}

impl Timeline<'_> {
    /// Returns the first shown event after a position: one that the filter shows, or the one at the cursor.
    fn shown_after(&self, at: Position) -> Option<Position> {
        let debugger = self.debugger;
        let next = match debugger.filtered() {
            Some(filter) => filter.next_shown(at),
            None => Some(Position(at.0 + 1)),
        };
        let cursor = Some(debugger.cursor).filter(|cursor| *cursor > at);
        let next = next.into_iter().chain(cursor).min()?;
        (next <= debugger.session.end()).then_some(next)
    }

    /// Returns the last shown event before a position, which in the end is the start.
    fn shown_before(&self, at: Position) -> Option<Position> {
        let debugger = self.debugger;
        let start = at.0.checked_sub(1)?;
        let previous = match debugger.filtered() {
            Some(filter) => filter.previous_shown(at),
            None => Some(Position(start)),
        };
        let cursor = Some(debugger.cursor).filter(|cursor| *cursor < at);
        previous.into_iter().chain(cursor).max().or(Some(Position(0)))
    }
}

fn heading_row(session: &Session, turn: &Turn) -> usize {
    row_of(session, turn.first) - 1
}

/// Turns without a shown event have no heading.
impl Rows for Timeline<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        let session = &self.debugger.session;
        let (at, heading) = match item(session, line) {
            Item::Event(at) => (at, session.turn_at(at)),
            Item::Heading(turn) => (turn.first, None),
        };
        let previous = self.shown_before(at)?;
        Some(match heading.filter(|turn| previous < turn.first) {
            Some(turn) => heading_row(session, turn),
            None => row_of(session, previous),
        })
    }

    fn next(&self, line: usize) -> Option<usize> {
        let session = &self.debugger.session;
        let at = match item(session, line) {
            Item::Event(at) => at,
            Item::Heading(turn) => Position(turn.first.0 - 1),
        };
        let next = self.shown_after(at)?;
        let heading = session.turn_at(next).map(|turn| heading_row(session, turn)).filter(|row| *row > line);
        Some(heading.unwrap_or_else(|| row_of(session, next)))
    }

    fn rows(&self, line: usize, _columns: usize) -> Rc<[Line]> {
        Rc::from([match item(&self.debugger.session, line) {
            Item::Event(at) => self.event(at),
            Item::Heading(turn) => heading(turn),
        }])
    }
}
