//! How memory changes: session start, writes, clears, and the reset at a fresh start of a skill.

use std::ops::Bound;
use std::sync::Arc;

use super::{Cell, CellState, State};
use crate::name::{Name, PROJECT, split_key};
use crate::value::Value;

/// Fills memory with the initial values of a new session (M22a).
pub(super) fn start(state: &mut State) {
    let locks = state.profile.unwrap_or_default().initial_value_locks();
    state.memory = state
        .initial
        .iter()
        .map(|(key, value)| {
            let cell = Cell {
                value: Arc::clone(value),
                state: CellState::Initial,
                set_at: None,
                previous: None,
                locked: locks && is_project(key) && !value.is_null(),
            };
            (key.clone(), cell)
        })
        .collect();
}

/// Stores a value. A project entry locks with its first value (M43); `None` leaves it open (M45).
pub(super) fn write(state: &mut State, key: &Name, value: &Arc<Value>) {
    let kind = if value.is_null() { CellState::Cleared } else { CellState::Set };
    let locks = is_project(key) && !value.is_null();
    change(state, key, Arc::clone(value), kind, locks);
}

/// Stores `None`.
pub(super) fn clear(state: &mut State, key: &Name) {
    change(state, key, Arc::new(Value::Null), CellState::Cleared, false);
}

/// Returns the entries of a skill to their initial values (M54). Entries that were never written stay as they are.
pub(super) fn reset(state: &mut State, skill: &Name) {
    let keys: Vec<Name> = state
        .memory
        .range::<str, _>((Bound::Included(skill.as_str()), Bound::Unbounded))
        .take_while(|(key, _)| key.starts_with(skill.as_str()))
        .filter(|(key, cell)| cell.set_at.is_some() && split_key(key).is_some_and(|(space, _)| *skill == space))
        .filter(|(_, cell)| cell.state != CellState::Reset)
        .map(|(key, _)| key.clone())
        .collect();
    for key in keys {
        let value = state.initial.get(&key).cloned().unwrap_or_default();
        change(state, &key, value, CellState::Reset, false);
    }
}

/// Returns one entry to its initial value (M54). One that has returned already stays as it is.
pub(super) fn reset_entry(state: &mut State, key: &Name, value: &Arc<Value>) {
    if state.memory.get(key).is_none_or(|cell| cell.state != CellState::Reset) {
        change(state, key, Arc::clone(value), CellState::Reset, false);
    }
}

/// Locks an entry that holds something (M43).
pub(super) fn lock(state: &mut State, key: &Name) {
    if let Some(cell) = state.memory.get_mut(key) {
        cell.locked = true;
    }
}

fn change(state: &mut State, key: &Name, value: Arc<Value>, kind: CellState, locks: bool) {
    let at = state.position;
    match state.memory.get_mut(key) {
        Some(cell) => {
            *cell = Cell { value, state: kind, set_at: Some(at), previous: cell.set_at, locked: cell.locked || locks };
        }
        None => {
            let cell = Cell { value, state: kind, set_at: Some(at), previous: None, locked: locks };
            state.memory.insert(key.clone(), cell);
        }
    }
}

fn is_project(key: &str) -> bool {
    split_key(key).is_some_and(|(space, _)| space == PROJECT)
}
