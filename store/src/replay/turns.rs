//! The turns of a session and the model calls in them.
//!
//! A turn ends where the engine waits for the user; a model call is known by what it left behind: the number of a
//! batch of tool calls, a message with the model's time, or the engine's words for a failed call. The position of a
//! call lies before the first event that it led to, which may stand well before the event that proves it: effects
//! are recorded ahead of the tool that caused them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::event::{Activation, Event, EventKind, MessageSource, Position, ToolCaller, Writer};
use crate::name::Name;

/// The response that the engine utters when the model can't be reached (M273).
pub const MODEL_CALL_ERROR: &str = "utter_model_call_error";

/// An agent turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 1.
    pub number: u32,
    /// The event it begins with.
    pub first: Position,
    /// Its last event.
    pub last: Position,
    /// The user message in it, the last one if there are several; `None` where an earlier message is handled again.
    pub user: Option<Position>,
    /// The model calls in order.
    pub calls: Vec<Call>,
}

impl Turn {
    /// Returns the model calls that count: rephrasing a response is a call of another kind.
    pub fn counted_calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| call.kind != CallKind::Rephrase)
    }

    /// Returns the calls that reworded a response.
    pub fn rephrases(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| call.kind == CallKind::Rephrase)
    }

    /// Returns how many responses were reworded in it.
    pub fn rephrase_count(&self) -> usize {
        self.rephrases().count()
    }

    /// Returns what people call a call of this turn: `call 2 of turn 5`, `rephrase of turn 5`.
    pub fn call_name(&self, call: &Call) -> String {
        match call.kind {
            CallKind::Answer => format!("call {} of turn {}", call.number, self.number),
            CallKind::Failed => format!("call {} of turn {} (failed)", call.number, self.number),
            CallKind::Rephrase if self.rephrase_count() > 1 => {
                format!("rephrase {} of turn {}", call.number, self.number)
            }
            CallKind::Rephrase => format!("rephrase of turn {}", self.number),
        }
    }

    /// Returns which call the event at `at` followed, in words: `model call 2`, `a rephrase in turn 5`; `None` where
    /// it isn't the first event that a call led to.
    pub fn followed(&self, at: Position) -> Option<String> {
        let call = self.calls.iter().find(|call| call.before.0 + 1 == at.0)?;
        Some(match call.kind {
            CallKind::Answer => format!("model call {} of turn {}", call.number, self.number),
            CallKind::Failed => format!("model call {} of turn {}, which failed", call.number, self.number),
            CallKind::Rephrase => format!("a rephrase in turn {}", self.number),
        })
    }
}

/// A model call, recognised by its traces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Which call of its turn, from 1; rephrases are counted on their own.
    pub number: u32,
    /// What kind of call.
    pub kind: CallKind,
    /// The position before the first event that it led to: what held when the prompt was built.
    pub before: Position,
    /// The event that proves it.
    pub evidence: Position,
}

/// The kinds of model calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// The orchestrator's call that answered with text or tool calls.
    Answer,
    /// A call that failed.
    Failed,
    /// A response was reworded, by a call without tools and with a prompt of its own.
    Rephrase,
}

/// Returns the turns of a session, in order.
pub fn turns(events: &[Event]) -> Vec<Turn> {
    let mut scan = TurnScan::default();
    let mut turns: Vec<Turn> = events.iter().filter_map(|event| scan.push(event)).collect();
    turns.extend(scan.into_turn());
    turns
}

/// Finds the turns while events go by, one after the other.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct TurnScan {
    /// How many events went by.
    pub(super) seen: Position,
    /// The turn that is going on, with its last event so far.
    pub(super) open: Option<Turn>,
    /// How many calls of it were found up to that event; the others count if it goes on.
    pub(super) settled: usize,
    /// The last batch of tool calls.
    pub(super) batch: Option<Name>,
    /// The first event since the last call that a call led to.
    pub(super) effect: Option<Position>,
    /// The skills that the engine activated since the last call.
    pub(super) by_engine: BTreeSet<Name>,
}

impl TurnScan {
    /// Takes the next event. Returns the turn that it shows to be over.
    pub(super) fn push(&mut self, event: &Event) -> Option<Turn> {
        self.seen.0 += 1;
        let at = self.seen;
        let is_new = event.turn.is_some_and(|number| self.open.as_ref().is_none_or(|turn| turn.number != number));
        let over = if is_new { self.begin(event.turn.unwrap_or_default()) } else { None };
        self.look_for_a_call(event);
        let turn = self.open.as_mut().filter(|_| event.turn.is_some())?;
        turn.last = at;
        if matches!(event.kind, EventKind::UserMessage { .. }) {
            turn.user = Some(at);
        }
        self.settled = turn.calls.len();
        over
    }

    /// Returns the turn that is going on.
    pub(super) fn into_turn(self) -> Option<Turn> {
        let mut turn = self.open?;
        turn.calls.truncate(self.settled);
        Some(turn)
    }

    /// Begins the turn `number` and returns the one before.
    fn begin(&mut self, number: u32) -> Option<Turn> {
        let at = self.seen;
        let open = Turn { number, first: at, last: at, user: None, calls: Vec::new() };
        let before = std::mem::replace(self, TurnScan { seen: at, open: Some(open), ..TurnScan::default() });
        before.into_turn()
    }

    fn look_for_a_call(&mut self, event: &Event) {
        let Some(turn) = &mut self.open else { return };
        let kind = match &event.kind {
            EventKind::UserMessage { .. } => return self.look_from_here(),
            EventKind::ToolReturned { batch_id: Some(id), caller: ToolCaller::Model, .. } => {
                let number = id.split_once('-').map_or(&**id, |(number, _)| number);
                if self.batch.as_deref() == Some(number) {
                    return self.look_from_here();
                }
                self.batch = Some(Name::from(number));
                CallKind::Answer
            }
            EventKind::AgentMessage { response: Some(response), .. } if *response == MODEL_CALL_ERROR => {
                CallKind::Failed
            }
            EventKind::AgentMessage { source: MessageSource::Rephrased, .. } => CallKind::Rephrase,
            EventKind::PromptRendered { .. } => {
                self.effect = Some(self.seen);
                return;
            }
            EventKind::ModelReplied { .. } => CallKind::Answer,
            EventKind::AgentMessage { source: MessageSource::Model, model_millis: Some(_), .. } => CallKind::Answer,
            _ => {
                if self.effect.is_none() && is_effect(event, &mut self.by_engine) {
                    self.effect = Some(self.seen);
                }
                return;
            }
        };
        let first = match kind {
            CallKind::Rephrase => self.seen,
            CallKind::Answer | CallKind::Failed => self.effect.unwrap_or(self.seen),
        };
        let is_alike = |call: &&Call| (call.kind == CallKind::Rephrase) == (kind == CallKind::Rephrase);
        let number = turn.calls.iter().rev().find(is_alike).map_or(1, |call| call.number + 1);
        turn.calls.push(Call { number, kind, before: Position(first.0 - 1), evidence: self.seen });
        self.look_from_here();
    }

    /// What led to a later call comes after this event.
    fn look_from_here(&mut self) {
        self.effect = None;
        self.by_engine.clear();
    }
}

/// Returns whether a model call led to an event: what the engine did by itself before the call is passed over.
fn is_effect(event: &Event, by_engine: &mut BTreeSet<Name>) -> bool {
    match &event.kind {
        EventKind::SkillActivated { skill, by: Activation::Engine } => {
            by_engine.insert(skill.clone());
            false
        }
        EventKind::SkillActivated { by: Activation::Step, .. } => false,
        EventKind::SkillActivated {
            by: Activation::Model | Activation::Reference | Activation::Tool | Activation::Unknown,
            ..
        }
        | EventKind::SkillInterrupted { .. }
        | EventKind::SkillResumed { .. } => true,
        EventKind::SkillCompleted { skill } | EventKind::SkillCancelled { skill, .. } => !by_engine.contains(skill),
        EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. } => is_of_a_call(writer),
        EventKind::ToolReturned { caller, .. } => matches!(caller, ToolCaller::Model | ToolCaller::Confirmation),
        EventKind::AgentMessage { source, .. } => {
            matches!(source, MessageSource::Model | MessageSource::Filler)
        }
        EventKind::BlockCancelled { skill, .. } => !by_engine.contains(skill),
        EventKind::SkillRefused { by, .. } => *by == Activation::Model,
        EventKind::MemoryWriteRefused { writer, .. } => is_of_a_call(writer),
        EventKind::ToolCalled { call } | EventKind::ToolRefused { call, .. } => call.caller == ToolCaller::Model,
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::UserMessage { .. }
        | EventKind::TurnEnded
        | EventKind::BlockEntered { .. }
        | EventKind::BlockCompleted { .. }
        | EventKind::BlockInterrupted { .. }
        | EventKind::BlockResumed { .. }
        | EventKind::StackPatched { .. }
        | EventKind::ActionTaken { .. }
        | EventKind::HistoryRewound { .. }
        | EventKind::SkillPending { .. }
        | EventKind::SkillDeferred { .. }
        | EventKind::MemoryReset { .. }
        | EventKind::ProjectEntryLocked { .. }
        | EventKind::StepEntered { .. }
        | EventKind::ConfirmationAsked { .. }
        | EventKind::ConfirmationAnswered { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ReadDecided { .. }
        | EventKind::Foreign { .. } => false,
    }
}

fn is_of_a_call(writer: &Writer) -> bool {
    writer.call_id.is_some()
}
