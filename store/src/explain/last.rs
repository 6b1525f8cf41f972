//! Everything that wrote an entry, took its value away or was refused, the newest first. The record keeps what a reset took
//! away (M57).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::story::{may_refuse, refusal};
use super::{Basis, Evidence};
use crate::event::{Event, EventKind, Position, Tag};
use crate::name::{Name, PROJECT, split_key};
use crate::replay::Session;
use crate::replay::headline::who;
use crate::replay::outline::Mark;
use crate::session::CellState;
use crate::value::Value;

/// The schema of the JSON.
pub const SCHEMA: &str = "replay.last/1";

/// The story of an entry up to a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Last {
    /// The qualified name.
    pub key: Name,
    /// The moment.
    pub position: Position,
    /// What happened to it, the newest first.
    pub changes: Vec<Change>,
}

/// Something that happened to an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The event.
    pub position: Position,
    /// Its raw records, counted from 0.
    pub raw: Vec<u32>,
    /// The agent turn; `None` between turns.
    pub turn: Option<u32>,
    /// What it did.
    pub what: What,
    /// What the entry holds afterwards; for a refused write the value that was not stored.
    pub value: Arc<Value>,
    /// Whether a write stored what was there already (M343).
    pub equal: bool,
    /// Whether it locked a project entry (M43).
    pub locks: bool,
    /// Who did it, in words.
    pub by: Option<String>,
    /// Whether the record holds it.
    pub basis: Basis,
    /// One sentence.
    pub text: String,
    /// Where it was taken back by a rewind, if it was.
    pub taken_back: Option<Position>,
}

/// What an event did to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A value was stored.
    Written,
    /// `None` was stored.
    Cleared,
    /// The entry returned to its initial value because its skill started again.
    Reset,
    /// A session start emptied memory.
    Emptied,
    /// A rewind brought back an earlier value, or none.
    Restored,
    /// A write was not stored.
    Refused,
    /// A project entry was locked.
    Locked,
}

impl What {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            What::Written => "written",
            What::Cleared => "cleared",
            What::Reset => "reset",
            What::Emptied => "emptied",
            What::Restored => "restored",
            What::Refused => "refused",
            What::Locked => "locked",
        }
    }
}

/// Returns everything that happened to the entry of that qualified name up to `at`, the newest first.
pub fn last(session: &Session, key: &Name, at: Position) -> Last {
    let at = at.min(session.end());
    let for_all = |mark: Mark| {
        may_refuse(mark) || matches!(mark.tag(), Tag::SessionStarted | Tag::HistoryRewound | Tag::SkillActivated)
    };
    let touched = session.touches(key).iter().map(|touch| touch.at()).filter(|touched| *touched <= at);
    let positions: BTreeSet<Position> = session.marked_back(at, for_all).chain(touched).collect();
    let told = positions.into_iter().rev().filter_map(|at| change(session, key, at, &*session.event(at)?));
    let mut changes: Vec<Change> = told.collect();
    compare(key, &mut changes);
    Last { key: key.clone(), position: at, changes }
}

/// Returns what an event did to the entry, if it did anything.
fn change(session: &Session, key: &Name, at: Position, event: &Event) -> Option<Change> {
    let (what, value, by) = match &event.kind {
        EventKind::MemoryWritten { key: written, value, writer } if written == key => {
            let what = if value.is_null() { What::Cleared } else { What::Written };
            (what, Arc::clone(value), Some(who(writer)))
        }
        EventKind::MemoryCleared { key: cleared, writer } if cleared == key => {
            (What::Cleared, Arc::default(), Some(who(writer)))
        }
        EventKind::MemoryReset { key: reset, value } if reset == key => (What::Reset, Arc::clone(value), None),
        EventKind::SkillActivated { skill, .. } if split_key(key).is_some_and(|(space, _)| *skill == space) => {
            let cell = session.state(at).memory.remove(key)?;
            (cell.set_at == Some(at) && cell.state == CellState::Reset).then_some((What::Reset, cell.value, None))?
        }
        EventKind::SessionStarted { .. } => {
            let (before, after) = around(session, key, at)?;
            (before.is_some() && before != after).then_some((What::Emptied, after.unwrap_or_default(), None))?
        }
        EventKind::HistoryRewound { .. } => {
            let (before, after) = around(session, key, at)?;
            (before != after).then_some((What::Restored, after.unwrap_or_default(), None))?
        }
        EventKind::MemoryWriteRefused { value, writer, .. } => {
            refusal(event, key)?;
            (What::Refused, Arc::clone(value), Some(who(writer)))
        }
        EventKind::ToolReturned { tool, .. } => {
            refusal(event, key)?;
            (What::Refused, Arc::default(), Some(format!("tool {tool}")))
        }
        EventKind::ProjectEntryLocked { key: locked } if locked == key => {
            (What::Locked, session.state(at).memory.remove(key)?.value, None)
        }
        _ => return None,
    };
    let evidence = Evidence::of_event(session, at)?;
    let text = refusal(event, key).unwrap_or(evidence.text);
    Some(Change {
        position: at,
        raw: evidence.raw,
        turn: event.turn,
        what,
        value,
        equal: false,
        locks: what == What::Locked,
        by,
        basis: evidence.basis,
        text,
        taken_back: session.taken_back(at),
    })
}

type Held = Option<Arc<Value>>;

/// What the entry held before and after an event; `None` for nothing.
fn around(session: &Session, key: &Name, at: Position) -> Option<(Held, Held)> {
    let held = |at: Position| {
        let cell = session.state(at).memory.remove(key);
        cell.map(|cell| cell.value).filter(|value| !value.is_null())
    };
    Some((held(Position(at.0.checked_sub(1)?)), held(at)))
}

/// Finds the writes that stored what was there already, and the one that locked a project entry. A record that tells
/// of the lock itself is believed.
fn compare(key: &Name, changes: &mut [Change]) {
    let is_project = split_key(key).is_some_and(|(space, _)| space == PROJECT);
    let derives = is_project && changes.iter().all(|change| change.what != What::Locked);
    let mut held: Arc<Value> = Arc::default();
    let mut locked = false;
    for change in changes.iter_mut().rev() {
        match change.what {
            What::Written => {
                change.equal = held == change.value;
                change.locks = derives && !locked;
                locked = true;
            }
            What::Emptied | What::Restored => locked = !change.value.is_null(),
            What::Cleared | What::Reset | What::Locked => {}
            What::Refused => continue,
        }
        held = Arc::clone(&change.value);
    }
}
