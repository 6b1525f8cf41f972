//! The events of an opened session, in chunks: one is at hand through a handle that keeps its chunk alive.

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Bound, Deref, RangeBounds};
use std::sync::Arc;

use super::Session;
use crate::event::{Event, Position};

/// An event of an opened session. Cloning it is cheap.
#[derive(Clone)]
pub struct EventRef {
    chunk: Arc<Vec<Event>>,
    index: usize,
}

impl Deref for EventRef {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.chunk[self.index]
    }
}

impl Borrow<Event> for EventRef {
    fn borrow(&self) -> &Event {
        self
    }
}

impl fmt::Debug for EventRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Consecutive events.
#[derive(Clone)]
struct Chunk {
    /// How many events of the session stand before them.
    first: u64,
    events: Arc<Vec<Event>>,
}

impl Chunk {
    /// Returns the event that `index` others stand before, if it is one of these.
    fn event(&self, index: u64) -> Option<EventRef> {
        let index = usize::try_from(index.checked_sub(self.first)?).ok()?;
        (index < self.events.len()).then(|| EventRef { chunk: Arc::clone(&self.events), index })
    }
}

/// The events of a session.
pub(super) struct Events {
    whole: Chunk,
}

impl Events {
    /// Takes events that are in memory.
    pub(super) fn in_memory(events: Vec<Event>) -> Events {
        Events { whole: Chunk { first: 0, events: Arc::new(events) } }
    }

    pub(super) fn count(&self) -> u64 {
        self.whole.events.len() as u64
    }

    /// Returns the chunk with the event that `index` others stand before; there must be one.
    fn chunk(&self, _index: u64) -> Chunk {
        self.whole.clone()
    }

    fn get(&self, index: u64) -> Option<EventRef> {
        if self.count() <= index {
            return None;
        }
        self.chunk(index).event(index)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} events", self.count())
    }
}

impl Session {
    /// Returns the last position, which is the number of events.
    pub fn end(&self) -> Position {
        Position(self.events.count())
    }

    /// Returns the event at `at`, the last one applied there; `None` at position 0 and past the end.
    pub fn event(&self, at: Position) -> Option<EventRef> {
        self.events.get(at.0.checked_sub(1)?)
    }

    /// Returns the events at the positions of a range, each with its position, from both ends. What lies outside of the
    /// session is left out. Only the chunks that are walked through are held, one at each end.
    ///
    /// `events_in(..=at)` are the events that were applied at `at`, `events_in((Excluded(at), Unbounded))` the later ones.
    pub fn events_in(&self, range: impl RangeBounds<Position>) -> EventsIn<'_> {
        let next = match range.start_bound() {
            Bound::Included(at) => at.0.saturating_sub(1),
            Bound::Excluded(at) => at.0,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(at) => at.0,
            Bound::Excluded(at) => at.0.saturating_sub(1),
            Bound::Unbounded => u64::MAX,
        };
        let end = end.min(self.events.count());
        EventsIn { events: &self.events, next: next.min(end), end, front: None, back: None }
    }

    /// Returns the events after `at`, each with its position.
    pub fn events_after(&self, at: Position) -> EventsIn<'_> {
        self.events_in((Bound::Excluded(at), Bound::Unbounded))
    }
}

/// The events of a range of positions.
pub struct EventsIn<'a> {
    events: &'a Events,
    next: u64,
    end: u64,
    front: Option<Chunk>,
    back: Option<Chunk>,
}

impl Iterator for EventsIn<'_> {
    type Item = (Position, EventRef);

    fn next(&mut self) -> Option<(Position, EventRef)> {
        if self.next == self.end {
            return None;
        }
        let event = at_hand(self.events, &mut self.front, self.next)?;
        self.next += 1;
        Some((Position(self.next), event))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = (self.end - self.next) as usize;
        (count, Some(count))
    }
}

impl DoubleEndedIterator for EventsIn<'_> {
    fn next_back(&mut self) -> Option<(Position, EventRef)> {
        if self.next == self.end {
            return None;
        }
        let event = at_hand(self.events, &mut self.back, self.end - 1)?;
        self.end -= 1;
        Some((Position(self.end + 1), event))
    }
}

impl ExactSizeIterator for EventsIn<'_> {}

/// Returns an event, from the chunk that is at hand if it stands there.
fn at_hand(events: &Events, held: &mut Option<Chunk>, index: u64) -> Option<EventRef> {
    if let Some(event) = held.as_ref().and_then(|chunk| chunk.event(index)) {
        return Some(event);
    }
    held.insert(events.chunk(index)).event(index)
}
