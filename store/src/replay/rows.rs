//! The rows of memory and stack that people see at a position, the same for every screen and command.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::Session;
use crate::agent::{self, Agent};
use crate::event::{Event, EventKind, Position, Writer};
use crate::name::{Name, PROJECT, SYSTEM, split_key};
use crate::session::{Cell, CellState, State};
use crate::value::Value;

/// A memory entry as people see it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryRow {
    /// The qualified name.
    pub key: Name,
    /// Where it is declared.
    pub scope: Scope,
    /// The value, `null` where there is none.
    pub value: Arc<Value>,
    /// Which kind of value, or of nothing.
    pub state: RowState,
    /// The event that put it into this state; `None` for an initial value and for one that was never written.
    pub set_at: Option<Position>,
    /// Who did.
    pub set_by: Option<SetBy>,
    /// The write, clear or reset before that.
    pub previous: Option<Position>,
    /// What the entry held since then, `null` where that was nothing; `None` where `previous` is.
    pub previous_value: Option<Arc<Value>>,
    /// Whether it can't be written again.
    pub locked: bool,
    /// Whether the prompt withholds the value; `None` where no folder tells.
    pub pii: Option<bool>,
}

/// Where an entry is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Project memory.
    Project,
    /// Public memory of a skill.
    Public,
    /// Private memory of a skill.
    Private,
    /// Memory of a skill; no folder tells whether it is public.
    Skill,
    /// Memory of a skill that the engine brings along.
    Engine,
    /// The engine's own keys.
    System,
    /// A slot of the classic engine.
    Slot,
}

impl Scope {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Project => "project",
            Scope::Public => "public",
            Scope::Private => "private",
            Scope::Skill => "skill",
            Scope::Engine => "engine",
            Scope::System => "system",
            Scope::Slot => "slot",
        }
    }
}

/// Which kind of value a row has, or of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// Written.
    Set,
    /// The declared initial value; nothing was written yet.
    Initial,
    /// Declared, and never written.
    NeverWritten,
    /// Written and later cleared.
    Cleared,
    /// Returned to its initial value because its skill started again.
    Reset,
}

impl RowState {
    /// Returns the words that people read.
    pub fn words(self) -> &'static str {
        match self {
            RowState::Set => "set",
            RowState::Initial => "initial",
            RowState::NeverWritten => "never written",
            RowState::Cleared => "cleared",
            RowState::Reset => "reset",
        }
    }
}

/// Who put an entry into its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetBy {
    /// The kind of writer, one of [`crate::event::Actor`]'s words.
    pub actor: &'static str,
    /// The tool.
    pub tool: Option<Name>,
    /// The skill that was active.
    pub skill: Option<Name>,
    /// The block step, or `autonomous`.
    pub step: Option<Name>,
}

impl Session {
    /// Returns all memory entries at a state of this session: those that have a story, and those that the definition
    /// declares. Project first, then skill by skill, then the engine's.
    pub fn memory_rows(&self, state: &State) -> Vec<MemoryRow> {
        let agent = self.agent.as_deref();
        let mut keys: Vec<Name> =
            agent.map(|agent| agent.entries().map(|entry| entry.key.clone()).collect()).unwrap_or_default();
        let declared: BTreeSet<Name> = keys.iter().cloned().collect();
        keys.extend(state.memory.keys().filter(|key| !declared.contains(*key)).cloned());
        let mut rows: Vec<MemoryRow> = keys
            .into_iter()
            .map(|key| self.row(agent, key, state))
            .filter(|row| row.scope != Scope::Engine || row.set_at.is_some())
            .collect();
        rows.sort_by(|left, right| group(left).cmp(&group(right)));
        rows
    }

    /// Returns one memory entry at a state of this session.
    pub fn memory_row(&self, key: Name, state: &State) -> MemoryRow {
        self.row(self.agent.as_deref(), key, state)
    }

    fn row(&self, agent: Option<&Agent>, key: Name, state: &State) -> MemoryRow {
        let entry = agent.and_then(|agent| agent.entry(&key));
        let cell = state.memory.get(&key);
        let set_at = cell.and_then(|cell| cell.set_at);
        let previous = cell.and_then(|cell| cell.previous);
        MemoryRow {
            scope: scope(agent, &key),
            value: cell.map(|cell| Arc::clone(&cell.value)).unwrap_or_default(),
            state: cell.map_or(RowState::NeverWritten, row_state),
            set_at,
            set_by: set_at.and_then(|at| self.event(at)).map(|event| set_by(&event)),
            previous,
            previous_value: previous.map(|at| self.value_set_at(&key, at)),
            locked: cell.is_some_and(|cell| cell.locked),
            pii: entry.map(|entry| entry.pii),
            key,
        }
    }

    /// Returns what the event at `at` put into an entry.
    fn value_set_at(&self, key: &Name, at: Position) -> Arc<Value> {
        match self.event(at).as_ref().map(|event| &event.kind) {
            Some(EventKind::MemoryWritten { value, .. } | EventKind::MemoryReset { value, .. }) => Arc::clone(value),
            Some(EventKind::MemoryCleared { .. }) => Arc::default(),
            Some(_) | None => self.state(at).memory.get(key).map(|cell| Arc::clone(&cell.value)).unwrap_or_default(),
        }
    }

    /// Returns the rows that the event at `at` changed, each with the cell before it.
    pub fn changes(&self, at: Position) -> Vec<Change> {
        let Some(before) = at.0.checked_sub(1) else { return Vec::new() };
        let before = self.state(Position(before));
        let after = self.state(at);
        after
            .memory
            .iter()
            .filter(|(_, cell)| cell.set_at == Some(at))
            .map(|(key, cell)| Change {
                key: key.clone(),
                before: before.memory.get(key).cloned(),
                after: cell.clone(),
            })
            .collect()
    }
}

/// What an event did to an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The qualified name.
    pub key: Name,
    /// What was there; `None` where the entry had no story.
    pub before: Option<Cell>,
    /// What is there now.
    pub after: Cell,
}

fn row_state(cell: &Cell) -> RowState {
    match cell.state {
        CellState::Set => RowState::Set,
        CellState::Initial => RowState::Initial,
        CellState::Cleared => RowState::Cleared,
        CellState::Reset => RowState::Reset,
    }
}

/// A reset is the engine's own deed; its event is the start of the skill.
fn set_by(event: &Event) -> SetBy {
    let of = |writer: &Writer| SetBy {
        actor: writer.actor.word(),
        tool: writer.tool.clone(),
        skill: writer.skill.clone(),
        step: writer.step.clone(),
    };
    match &event.kind {
        EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. } => of(writer),
        EventKind::SkillActivated { skill, .. } => {
            SetBy { actor: "engine", tool: None, skill: Some(skill.clone()), step: None }
        }
        _ => SetBy { actor: "engine", tool: None, skill: None, step: None },
    }
}

/// Returns where an entry is declared, as far as the folder or the name tells.
pub fn scope(agent: Option<&Agent>, key: &str) -> Scope {
    let Some((space, _)) = split_key(key) else {
        return if ENGINE_KEYS.contains(&key) { Scope::System } else { Scope::Slot };
    };
    match agent.and_then(|agent| agent.scope(key)) {
        Some(agent::Scope::Project) => Scope::Project,
        Some(agent::Scope::Public) => Scope::Public,
        Some(agent::Scope::Private) => Scope::Private,
        Some(agent::Scope::Engine) => Scope::Engine,
        Some(agent::Scope::System) => Scope::System,
        None if space == PROJECT => Scope::Project,
        None if space == SYSTEM => Scope::System,
        None if ENGINE_SKILLS.contains(&space) => Scope::Engine,
        None => Scope::Skill,
    }
}

/// The engine's keys that have no namespace (M31).
const ENGINE_KEYS: [&str; 2] = ["consecutive_silence_timeouts", "session_started_metadata"];

/// The skills that the engine brings along (section 9.5 of the rules), for records without a folder.
const ENGINE_SKILLS: [&str; 7] = [
    "default_session_start",
    "default_completed",
    "default_continue_interrupted",
    "default_customer_satisfaction",
    "default_unsupported_request_handler",
    "default_silence_timeout",
    "default_silence_timeout_hangup",
];

/// Project first, then skills by name, then the engine's skills, then its own keys.
fn group(row: &MemoryRow) -> (u8, &str) {
    let space = split_key(&row.key).map_or("", |(space, _)| space);
    match row.scope {
        Scope::Project => (0, space),
        Scope::Public | Scope::Private | Scope::Skill => (1, space),
        Scope::Slot => (2, space),
        Scope::Engine => (3, space),
        Scope::System => (4, space),
    }
}
