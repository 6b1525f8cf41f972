//! States as bytes, of which the log keeps some as checkpoints.
//!
//! A checkpoint is a cache of what folding gives. Like stored events, the stored types are apart from the live ones.

use std::sync::Arc;

use bincode::{BorrowDecode, Encode};

use super::{Cell, CellState, Frame, Parked, Replaced, State};
use crate::digest::Digest;
use crate::event::Position;
use crate::event::codec::{CONFIG, Names, StoredProfile, StoredValue, stored_enum};
use crate::name::Name;

/// Returns the bytes of a state.
pub fn save(state: &State) -> Vec<u8> {
    bincode::encode_to_vec(StoredState::of(state), CONFIG).expect("a state holds no value that an event couldn't hold")
}

/// Returns the state of some bytes.
///
/// # Errors
///
/// Fails where the bytes aren't a state of this version, in a few words.
pub fn restore(bytes: &[u8], names: &mut Names) -> Result<State, String> {
    match bincode::borrow_decode_from_slice::<StoredState<'_>, _>(bytes, CONFIG) {
        Ok((stored, len)) if len == bytes.len() => Ok(stored.into_state(names)),
        Ok((_, len)) => Err(format!("a checkpoint has {} bytes too many", bytes.len() - len)),
        Err(error) => Err(format!("the bytes aren't a checkpoint: {error}")),
    }
}

#[derive(Encode, BorrowDecode)]
struct StoredState<'a> {
    position: u64,
    turn: Option<u32>,
    memory: Vec<(&'a str, StoredCell<'a>)>,
    stack: Vec<StoredFrame<'a>>,
    definition: Option<[u8; 32]>,
    profile: Option<StoredProfile>,
    unknown_kinds: Vec<(&'a str, u64)>,
    stack_conflicts: Vec<u64>,
    ended: bool,
    uttered: Vec<(&'a str, &'a str)>,
    resolved: Vec<&'a str>,
    tool_starts: u32,
    is_asked: bool,
    deferred: Vec<&'a str>,
    tappable: Vec<&'a str>,
    replaced: Option<StoredReplaced<'a>>,
    initial: Vec<(&'a str, StoredValue<'a>)>,
}

#[derive(Encode, BorrowDecode)]
struct StoredReplaced<'a> {
    key: &'a str,
    value: StoredValue<'a>,
    is_written: bool,
}

#[derive(Encode, BorrowDecode)]
struct StoredCell<'a> {
    value: StoredValue<'a>,
    state: StoredCellState,
    set_at: Option<u64>,
    previous: Option<u64>,
    locked: bool,
}

#[derive(Encode, BorrowDecode)]
struct StoredFrame<'a> {
    frame: Option<&'a str>,
    skill: &'a str,
    block: Option<&'a str>,
    step: Option<&'a str>,
    parked: Option<StoredParked>,
}

stored_enum!(StoredCellState, CellState, Set Initial Cleared Reset);
stored_enum!(StoredParked, Parked, Delegation Digression Reference Pending);

impl<'a> StoredState<'a> {
    fn of(state: &'a State) -> StoredState<'a> {
        let State {
            position,
            turn,
            memory,
            stack,
            definition,
            profile,
            unknown_kinds,
            stack_conflicts,
            ended,
            uttered,
            resolved,
            tool_starts,
            is_asked,
            deferred,
            tappable,
            replaced,
            initial,
        } = state;
        StoredState {
            position: position.0,
            turn: *turn,
            memory: memory.iter().map(|(key, cell)| (key.as_str(), stored_cell(cell))).collect(),
            stack: stack.iter().map(stored_frame).collect(),
            definition: definition.map(|digest| digest.0),
            profile: profile.map(Into::into),
            unknown_kinds: unknown_kinds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect(),
            stack_conflicts: stack_conflicts.iter().map(|at| at.0).collect(),
            ended: *ended,
            uttered: uttered.iter().map(|(skill, response)| (skill.as_str(), response.as_str())).collect(),
            resolved: resolved.iter().map(Name::as_str).collect(),
            tool_starts: *tool_starts,
            is_asked: *is_asked,
            deferred: deferred.iter().map(Name::as_str).collect(),
            tappable: tappable.iter().map(Name::as_str).collect(),
            replaced: replaced.as_ref().map(|Replaced { key, value, is_written }| StoredReplaced {
                key,
                value: StoredValue::of(value),
                is_written: *is_written,
            }),
            initial: initial.iter().map(|(key, value)| (key.as_str(), StoredValue::of(value))).collect(),
        }
    }

    fn into_state(self, names: &mut Names) -> State {
        State {
            position: Position(self.position),
            turn: self.turn,
            memory: self.memory.into_iter().map(|(key, cell)| (names.get(key), live_cell(cell))).collect(),
            stack: self.stack.into_iter().map(|frame| live_frame(frame, names)).collect(),
            definition: self.definition.map(Digest),
            profile: self.profile.map(Into::into),
            unknown_kinds: self.unknown_kinds.into_iter().map(|(kind, count)| (names.get(kind), count)).collect(),
            stack_conflicts: self.stack_conflicts.into_iter().map(Position).collect(),
            ended: self.ended,
            uttered: self.uttered.into_iter().map(|(skill, said)| (names.get(skill), names.get(said))).collect(),
            resolved: self.resolved.into_iter().map(|tool| names.get(tool)).collect(),
            tool_starts: self.tool_starts,
            is_asked: self.is_asked,
            deferred: self.deferred.into_iter().map(|skill| names.get(skill)).collect(),
            tappable: self.tappable.into_iter().map(|payload| names.get(payload)).collect(),
            replaced: self.replaced.map(|StoredReplaced { key, value, is_written }| Replaced {
                key: names.get(key),
                value: Arc::new(value.into_value()),
                is_written,
            }),
            initial: self
                .initial
                .into_iter()
                .map(|(key, value)| (names.get(key), Arc::new(value.into_value())))
                .collect(),
        }
    }
}

fn stored_cell(cell: &Cell) -> StoredCell<'_> {
    StoredCell {
        value: StoredValue::of(&cell.value),
        state: cell.state.into(),
        set_at: cell.set_at.map(|at| at.0),
        previous: cell.previous.map(|at| at.0),
        locked: cell.locked,
    }
}

fn live_cell(cell: StoredCell<'_>) -> Cell {
    Cell {
        value: Arc::new(cell.value.into_value()),
        state: cell.state.into(),
        set_at: cell.set_at.map(Position),
        previous: cell.previous.map(Position),
        locked: cell.locked,
    }
}

fn stored_frame(frame: &Frame) -> StoredFrame<'_> {
    StoredFrame {
        frame: frame.frame.as_deref(),
        skill: &frame.skill,
        block: frame.block.as_deref(),
        step: frame.step.as_deref(),
        parked: frame.parked.map(Into::into),
    }
}

fn live_frame(frame: StoredFrame<'_>, names: &mut Names) -> Frame {
    Frame {
        frame: names.get_if_any(frame.frame),
        skill: names.get(frame.skill),
        block: names.get_if_any(frame.block),
        step: names.get_if_any(frame.step),
        parked: frame.parked.map(Into::into),
    }
}
