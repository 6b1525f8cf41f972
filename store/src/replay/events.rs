//! The events of an opened session, in chunks: one is at hand through a handle that keeps its chunk alive.

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Bound, Deref, RangeBounds};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Session;
use super::begin::Begin;
use crate::event::codec::{self, Names};
use crate::event::{Event, EventKind, Origin, Position};
use crate::log::{self, Log, LogError};
use crate::name::Name;
use crate::timestamp::Timestamp;

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
pub(super) struct Chunk {
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
pub(super) enum Events {
    /// All of them.
    InMemory(Chunk),
    /// Those of a log are read where they are wanted.
    Stored(Box<Stored>),
}

/// The events of a session of a log. Those that were wanted last are at hand.
pub(super) struct Stored {
    pub(super) log: Arc<Log>,
    pub(super) session: log::Session,
    begin: Begin,
    recent: Mutex<Recent>,
    /// What went wrong first.
    damage: OnceLock<String>,
}

/// Chunks that were wanted last, the latest first.
#[derive(Default)]
struct Recent {
    chunks: Vec<(Chunk, usize)>,
    names: Names,
}

/// What chunks that are at hand may take in memory, in bytes, apart from the last two.
const RECENT_LEN: usize = 12 << 20;

/// What an event takes beside its payload.
const EVENT_LEN: usize = 320;

impl Events {
    /// Takes events that are in memory.
    pub(super) fn in_memory(events: Vec<Event>) -> Events {
        Events::InMemory(Chunk { first: 0, events: Arc::new(events) })
    }

    pub(super) fn count(&self) -> u64 {
        match self {
            Events::InMemory(whole) => whole.events.len() as u64,
            Events::Stored(stored) => stored.session.event_count,
        }
    }

    /// Returns the log behind the events, if there is one.
    pub(super) fn stored(&self) -> Option<&Stored> {
        match self {
            Events::InMemory(_) => None,
            Events::Stored(stored) => Some(stored),
        }
    }

    /// Returns the chunk with the event that `index` others stand before; there must be one.
    fn chunk(&self, index: u64) -> Chunk {
        match self {
            Events::InMemory(whole) => whole.clone(),
            Events::Stored(stored) => stored.chunk(index),
        }
    }

    /// Returns the event that `index` others stand before.
    pub(super) fn get(&self, index: u64) -> Option<EventRef> {
        if self.count() <= index {
            return None;
        }
        self.chunk(index).event(index)
    }
}

impl Stored {
    /// Takes the events of a session of a log, as they are in use.
    pub(super) fn new(log: Arc<Log>, session: log::Session, begin: Begin) -> Stored {
        Stored { log, session, begin, recent: Mutex::default(), damage: OnceLock::new() }
    }

    fn chunk(&self, index: u64) -> Chunk {
        // What another thread left behind when it panicked is whole: chunks are put in when they are made.
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = recent.chunks.iter().position(|(chunk, _)| chunk.event(index).is_some()) {
            let found = recent.chunks.remove(place);
            recent.chunks.insert(0, found);
        } else {
            let made = self.read(index, &mut recent.names);
            recent.chunks.insert(0, made);
            let mut used = 0;
            let kept = recent.chunks.iter().take_while(|(_, len)| {
                used += len;
                used <= RECENT_LEN
            });
            let count = kept.count().max(2);
            recent.chunks.truncate(count);
        }
        recent.chunks[0].0.clone()
    }

    /// Reads the chunk that holds an event, and returns what it takes in memory. Where that can't be read, one event that
    /// says so stands for it.
    fn read(&self, index: u64, names: &mut Names) -> (Chunk, usize) {
        let mut events = Vec::new();
        let mut len = 0;
        let read = self.log.read_around(&self.session, index, |_, payload| {
            let mut event = codec::decode(payload, names).map_err(|error| error.to_string())?;
            self.begin.apply(&mut event);
            events.push(event);
            len += payload.len() + EVENT_LEN;
            Ok(())
        });
        match read {
            Ok(stands) => (Chunk { first: stands.start, events: Arc::new(events) }, len),
            Err(error) => {
                self.note_damage(&error);
                (Chunk { first: index, events: Arc::new(vec![unreadable()]) }, EVENT_LEN)
            }
        }
    }

    /// Notes that something couldn't be read.
    pub(super) fn note_damage(&self, error: &LogError) {
        self.damage.get_or_init(|| error.to_string());
    }
}

/// The event that stands for one that can't be read.
fn unreadable() -> Event {
    let kind = EventKind::Foreign { name: Name::from("unreadable: the log is damaged here") };
    Event { time: Timestamp(0), turn: None, cause: None, origin: Origin::Added, kind }
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

    /// Returns what of the log couldn't be read so far, if anything: an event that isn't there is shown as unreadable, and
    /// the states behind it may be wrong up to the next checkpoint.
    pub fn damage(&self) -> Option<&str> {
        self.events.stored()?.damage.get().map(String::as_str)
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

    /// Events that are passed over aren't read.
    fn nth(&mut self, count: usize) -> Option<(Position, EventRef)> {
        self.next = self.next.saturating_add(count as u64).min(self.end);
        self.next()
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
