//! The value of fields at the end of every turn: a print statement put in afterwards.

use std::ops::Bound;

use serde::Serialize;

use super::evaluate::{cell, evaluation, value};
use super::print;
use crate::condition::{Condition, ExpressionKind};
use crate::event::Position;
use crate::name::Name;
use crate::replay::Session;
use crate::session::{CellState, State, evolve};
use crate::value::Value;

/// Fields at every turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// The fields, as they were asked for.
    pub fields: Vec<String>,
    /// A row for each turn, in order.
    pub rows: Vec<Row>,
}

/// The fields at the end of a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The turn, from 1.
    pub turn: u32,
    /// Its last event.
    pub position: Position,
    /// The skill on top of the stack then.
    pub active_skill: Option<Name>,
    /// The fields, in order.
    pub values: Vec<Cell>,
}

/// A field at the end of a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The value; `null` where there is none.
    pub value: Value,
    /// For an entry that holds nothing: which kind of nothing; for a comparison that can't be made: why.
    pub nothing: Option<String>,
    /// For an entry: the event that put it into this state.
    pub set_at: Option<Position>,
    /// Whether prompts and reports withhold the value.
    pub pii: bool,
}

/// Returns the fields at the end of every turn, with the values that memory holds, whoever may see them.
pub fn at_every_turn(session: &Session, fields: &[Condition]) -> Table {
    let mut rows = Vec::with_capacity(session.turns.len());
    let mut state = State::default();
    for turn in &session.turns {
        for (_, event) in session.events_in((Bound::Excluded(state.position), Bound::Included(turn.last))) {
            evolve(&mut state, &event);
        }
        rows.push(Row {
            turn: turn.number,
            position: turn.last,
            active_skill: state.active_skill().cloned(),
            values: fields.iter().map(|field| field_at(session, field, &state)).collect(),
        });
    }
    Table { fields: fields.iter().map(|field| print::state(&field.root)).collect(), rows }
}

fn field_at(session: &Session, field: &Condition, state: &State) -> Cell {
    let (value, impossible) = match value(evaluation(field, state)) {
        Ok(value) => (value, None),
        Err(why) => (Value::Null, Some(why)),
    };
    let ExpressionKind::Reference(reference) = &field.root.kind else {
        return Cell { value, nothing: impossible, set_at: None, pii: false };
    };
    let cell = cell(reference, state);
    let set_at = cell.and_then(|cell| cell.set_at);
    let nothing = value.is_null().then(|| match cell.map(|cell| cell.state) {
        None | Some(CellState::Initial) => "never written",
        Some(CellState::Set | CellState::Cleared) => "cleared",
        Some(CellState::Reset) => "reset",
    });
    let is_pii = |entry: &crate::agent::entry::Entry| {
        entry.pii && (entry.key == reference.key || (reference.namespace.is_empty() && entry.name == reference.entry))
    };
    let pii = session.agent.as_deref().is_some_and(|agent| agent.entries().any(is_pii));
    Cell { value, nothing: nothing.map(str::to_owned), set_at, pii }
}
