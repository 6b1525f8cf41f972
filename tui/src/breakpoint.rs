//! Breakpoints and watchpoints: where continuing stops, forwards and backwards.

use replay_store::event::{Event, EventKind, Position};
use replay_store::name::Name;
use replay_store::session::{Cell, CellState, State};

/// A place to stop at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Where.
    pub when: When,
    /// Whether continuing stops there now.
    pub is_on: bool,
}

/// Where a breakpoint stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// At one event.
    At(Position),
    /// At each event of a kind, by the name that queries use.
    Kind(&'static str),
    /// Where an entry is written, cleared or reset: a watchpoint.
    Changes(Name),
}

/// What held before an event, for breakpoints that stop where something changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Watcher {
    /// Nothing needs to be known.
    Nothing,
    /// What set the entry, and what it holds since.
    Cell(Option<(Option<Position>, CellState)>),
}

impl Breakpoint {
    /// Returns a breakpoint that is switched on.
    pub fn new(when: When) -> Breakpoint {
        Breakpoint { when, is_on: true }
    }

    /// Returns a watchpoint on an entry.
    pub fn on_change(key: Name) -> Breakpoint {
        Breakpoint::new(When::Changes(key))
    }

    /// Returns whether a screen marks the event, as far as the event alone tells.
    pub(crate) fn is_shown_at(&self, at: Position, event: &Event) -> bool {
        match &self.when {
            When::At(place) => *place == at,
            When::Kind(tag) => event.kind.tag() == *tag,
            When::Changes(key) => matches!(
                &event.kind,
                EventKind::MemoryWritten { key: changed, .. }
                    | EventKind::MemoryCleared { key: changed, .. }
                    | EventKind::MemoryReset { key: changed, .. } if changed == key
            ),
        }
    }

    /// Returns whether it can't be told from an event alone.
    pub(crate) fn needs_state(&self) -> bool {
        match self.when {
            When::At(_) | When::Kind(_) => false,
            When::Changes(_) => true,
        }
    }

    /// Returns what holds in a state.
    pub(crate) fn watcher(&self, state: &State) -> Watcher {
        match &self.when {
            When::At(_) | When::Kind(_) => Watcher::Nothing,
            When::Changes(key) => Watcher::Cell(state.memory.get(key).map(signature)),
        }
    }

    /// Returns whether it stops at an event. `state` is that after the event, `watcher` that before it, which is brought
    /// up to date.
    pub(crate) fn stops_at(&self, at: Position, event: &Event, state: &State, watcher: &mut Watcher) -> bool {
        match &self.when {
            When::At(place) => *place == at,
            When::Kind(tag) => event.kind.tag() == *tag,
            When::Changes(_) => {
                let after = self.watcher(state);
                let before = std::mem::replace(watcher, after.clone());
                before != after
            }
        }
    }

    /// Returns what it is called in lists and messages.
    pub fn words(&self) -> String {
        match &self.when {
            When::At(at) => format!("at {at}"),
            When::Kind(tag) => format!("each {}", tag.replace('_', " ")),
            When::Changes(key) => format!("{key} changes"),
        }
    }
}

fn signature(cell: &Cell) -> (Option<Position>, CellState) {
    (cell.set_at, cell.state)
}
