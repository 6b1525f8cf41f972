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
    let mut turns: Vec<Turn> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let at = Position(index as u64 + 1);
        let Some(number) = event.turn else { continue };
        if turns.last().is_none_or(|turn| turn.number != number) {
            turns.push(Turn { number, first: at, last: at, user: None, calls: Vec::new() });
        }
        let turn = turns.last_mut().expect("a turn was pushed if there was none");
        turn.last = at;
        if matches!(event.kind, EventKind::UserMessage { .. }) {
            turn.user = Some(at);
        }
    }
    for turn in &mut turns {
        turn.calls = calls(events, turn.first, turn.last);
    }
    turns
}

/// Finds the model calls among the events from `first` to `last`.
fn calls(events: &[Event], first: Position, last: Position) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let (mut counted, mut rephrases) = (0, 0);
    let mut batch: Option<&str> = None;
    let begin = first.0 as usize - 1;
    let mut from = begin;
    for index in begin..last.0 as usize {
        let kind = match &events[index].kind {
            EventKind::UserMessage { .. } => {
                from = index + 1;
                continue;
            }
            EventKind::ToolReturned { batch_id: Some(id), caller: ToolCaller::Model, .. } => {
                let number = id.split_once('-').map_or(&**id, |(number, _)| number);
                let known = batch.replace(number) == Some(number);
                if known {
                    from = index + 1;
                    continue;
                }
                CallKind::Answer
            }
            EventKind::AgentMessage { response: Some(response), .. } if *response == MODEL_CALL_ERROR => {
                CallKind::Failed
            }
            EventKind::AgentMessage { source: MessageSource::Rephrased, .. } => CallKind::Rephrase,
            EventKind::AgentMessage { source: MessageSource::Model, model_millis: Some(_), .. } => CallKind::Answer,
            _ => continue,
        };
        let effect = match kind {
            CallKind::Rephrase => index,
            CallKind::Answer | CallKind::Failed => first_effect(events, from, index),
        };
        let of_its_kind = if kind == CallKind::Rephrase { &mut rephrases } else { &mut counted };
        *of_its_kind += 1;
        calls.push(Call {
            number: *of_its_kind,
            kind,
            before: Position(effect as u64),
            evidence: Position(index as u64 + 1),
        });
        from = index + 1;
    }
    calls
}

/// Returns the index of the first event from `from` on that a model call led to: what the engine did by itself
/// before the call is passed over. `evidence` is one for certain.
fn first_effect(events: &[Event], from: usize, evidence: usize) -> usize {
    let mut by_engine: BTreeSet<&Name> = BTreeSet::new();
    (from..evidence)
        .find(|&index| match &events[index].kind {
            EventKind::SkillActivated { skill, by: Activation::Engine } => {
                by_engine.insert(skill);
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
            | EventKind::MemoryReset { .. }
            | EventKind::ProjectEntryLocked { .. }
            | EventKind::StepEntered { .. }
            | EventKind::ConfirmationAsked { .. }
            | EventKind::ConfirmationAnswered { .. }
            | EventKind::ResponseUttered { .. }
            | EventKind::Foreign { .. } => false,
        })
        .unwrap_or(evidence)
}

fn is_of_a_call(writer: &Writer) -> bool {
    writer.call_id.is_some()
}
