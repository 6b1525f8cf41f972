//! The state of a session after some of its events.
//!
//! [`evolve`] applies one event; nothing else changes a [`State`]. It is total: any sequence of events gives a state.
//! It needs no agent, because an event carries what it needs.

pub mod access;
pub mod arguments;
pub mod button;
pub mod checkpoint;
pub mod decide;
mod evolve;
mod fit;
pub mod gate;
mod memory;
pub mod prose;
pub mod response;
mod stack;
pub mod start;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::digest::Digest;
use crate::event::Position;
use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

pub use evolve::evolve;
pub use stack::FRAMES_MAX;

/// What holds after the events up to [`State::position`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    /// How many events were applied.
    pub position: Position,
    /// The agent turn of the last event applied; `None` before the first and between turns.
    pub turn: Option<u32>,
    /// The memory entries that have a story, by qualified name. An entry that was never written and has no initial
    /// value isn't here.
    pub memory: BTreeMap<Name, Cell>,
    /// The skill stack, bottom first.
    pub stack: Vec<Frame>,
    /// The definition that the session started with.
    pub definition: Option<Digest>,
    /// The engine generation that the session started with.
    pub profile: Option<Profile>,
    /// How often each unknown kind was met.
    pub unknown_kinds: BTreeMap<Name, u64>,
    /// Positions of stack patches that didn't agree with the named events.
    pub stack_conflicts: Vec<Position>,
    /// Whether the session ended.
    pub ended: bool,
    /// The `when` responses that were said since their skill started, as skill and response (M239).
    pub uttered: BTreeSet<(Name, Name)>,
    /// The tools whose confirmation was answered since the last user message (M192).
    pub resolved: BTreeSet<Name>,
    /// How many skills tools have started since the last user message (M351).
    pub tool_starts: u32,
    /// Whether a tool call began to wait for a yes since the last user message (M351).
    pub is_asked: bool,
    /// The skills that tools hand over to once the user has answered that question, in order (M351).
    pub deferred: Vec<Name>,
    /// The `set:` payloads on the buttons of the latest agent message (M234).
    pub tappable: Vec<Name>,
    /// What the last write of the model or of a button replaced, until its turn is over (M210).
    pub replaced: Option<Replaced>,
    /// Initial values, to which a skill's entries return at a fresh start (M54).
    pub(crate) initial: BTreeMap<Name, Arc<Value>>,
}

/// A memory entry at a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The value; [`Value::Null`] where [`CellState`] says so.
    pub value: Arc<Value>,
    /// Which kind of value, or of nothing.
    pub state: CellState,
    /// The event that put it into this state; `None` for an initial value.
    pub set_at: Option<Position>,
    /// The write, clear or reset before that one.
    pub previous: Option<Position>,
    /// Whether it can never be written again in this session (M43, M44).
    pub locked: bool,
}

/// What a write replaced, so that a validation tool can take it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Replaced {
    /// The entry.
    pub key: Name,
    /// What it held; null for nothing.
    pub value: Arc<Value>,
    /// Whether that was written, rather than initial or nothing.
    pub is_written: bool,
}

/// Which kind of value a memory entry has, or of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CellState {
    /// Written.
    Set,
    /// Not written yet; holds the declared initial value.
    Initial,
    /// Written and later cleared: `None` was stored.
    Cleared,
    /// Returned to its initial value because its skill started again (M54).
    Reset,
}

/// An entry of the skill stack: a skill, or an ordered block of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The engine's id, where the record gives it.
    pub frame: Option<Name>,
    /// The skill.
    pub skill: Name,
    /// The ordered block, for a block frame.
    pub block: Option<Name>,
    /// The step where it stands.
    pub step: Option<Name>,
    /// Why it isn't running, if it isn't.
    pub parked: Option<Parked>,
}

/// Why a frame isn't running (M275).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parked {
    /// It called or referenced the skill above and goes on by itself when that is done.
    Delegation,
    /// The user changed the topic; the engine offers to go on.
    Digression,
    /// It waits for its own block.
    Reference,
    /// It waits for a precondition and has not started.
    Pending,
}

impl Parked {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Parked::Delegation => "delegation",
            Parked::Digression => "digression",
            Parked::Reference => "reference",
            Parked::Pending => "pending",
        }
    }
}

impl State {
    /// Returns the skill on top of the stack, which is the active one (M276).
    pub fn active_skill(&self) -> Option<&Name> {
        self.stack.last().map(|frame| &frame.skill)
    }

    /// Returns the frame on top of the stack.
    pub fn top(&self) -> Option<&Frame> {
        self.stack.last()
    }

    /// Returns the value of an entry, `None` where nothing or `null` is stored.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.memory.get(key).map(|cell| &*cell.value).filter(|value| !value.is_null())
    }

    /// Returns the tool call that waits for the user's yes (M192), as the engine stored it.
    pub fn pending_confirmation(&self) -> Option<&Value> {
        self.value(PENDING_CONFIRMATION)
    }
}

/// The engine's entry that holds a tool call which waits for the user's yes (M193a).
pub const PENDING_CONFIRMATION: &str = "system.pending_tool_confirmation";
