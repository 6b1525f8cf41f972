//! The model call that an event comes from, and what its prompt read: what the model knew when it said that.

use serde::Serialize;

use super::decisions::{Decision, DecisionKind, decisions};
use crate::event::{EventKind, MessageSource, Position};
use crate::replay::Session;
use crate::replay::turns::{Call, CallKind, Turn};

/// The model call that an event comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FromCall {
    /// The turn of the call.
    pub turn: u32,
    /// The call.
    #[serde(flatten)]
    pub call: Call,
    /// What people call it: `call 2 of turn 3`.
    #[serde(skip)]
    pub name: String,
    /// What its prompt read of the memory, each entry once for each outcome. Empty without an agent folder: it is unknown
    /// then.
    pub reads: Vec<Decision>,
}

/// Returns the model call that the event at `at` comes from, if it comes from one.
pub fn from_call(session: &Session, at: Position) -> Option<FromCall> {
    let (turn, call) = caller(session, at)?;
    let mut reads: Vec<Decision> = Vec::new();
    if call.kind != CallKind::Rephrase {
        let made = decisions(session, call.before).into_iter();
        for read in made.filter(|made| made.kind == DecisionKind::Read && made.via != "event") {
            if reads.iter().all(|known| (&known.subject, known.verdict) != (&read.subject, read.verdict)) {
                reads.push(read);
            }
        }
    }
    Some(FromCall { turn: turn.number, call: call.clone(), name: turn.call_name(call), reads })
}

/// Returns the call that the event at `at` comes from: as the first thing that it led to, as what proves it, or as words
/// of the model that come later.
pub fn caller(session: &Session, at: Position) -> Option<(&Turn, &Call)> {
    let turn = session.turn_at(at)?;
    let event = session.event(at)?;
    let is_first = |call: &&Call| call.before.0 + 1 == at.0 || call.evidence == at;
    let said =
        matches!(&event.kind, EventKind::AgentMessage { source: MessageSource::Model | MessageSource::Filler, .. });
    let answered = |call: &&Call| said && call.kind == CallKind::Answer && call.before < at;
    let call = turn.calls.iter().find(is_first).or_else(|| turn.calls.iter().rev().find(answered))?;
    Some((turn, call))
}
