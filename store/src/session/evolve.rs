//! The one function that changes a state: an event is applied.

use std::sync::Arc;

use super::{Cell, CellState, Replaced, State, memory, stack};
use crate::event::{Activation, Actor, Event, EventKind, Position, ToolCaller, UtterCause};
use crate::name::Name;
use crate::value::Value;

/// Applies the event that follows `state`.
///
/// Total: no event fails, whatever came before it.
pub fn evolve(state: &mut State, event: &Event) {
    state.position = Position(state.position.0 + 1);
    state.turn = event.turn;
    let at = state.position;
    match &event.kind {
        EventKind::SessionStarted { definition, profile, initial } => {
            *state = State {
                position: at,
                turn: event.turn,
                definition: *definition,
                profile: *profile,
                unknown_kinds: std::mem::take(&mut state.unknown_kinds),
                stack_conflicts: std::mem::take(&mut state.stack_conflicts),
                initial: initial.iter().cloned().collect(),
                ..State::default()
            };
            memory::start(state);
        }
        EventKind::SessionEnded => state.ended = true,
        EventKind::SkillActivated { skill, by } => {
            if !stack::has_started(state, skill) {
                memory::reset(state, skill);
                state.uttered.retain(|(of, _)| of != skill);
            }
            stack::activate(state, skill);
            state.tool_starts += u32::from(*by == Activation::Tool);
        }
        EventKind::SkillRefused { skill, .. } => stack::drop_pending(state, skill),
        EventKind::SkillPending { skill, resolver } => stack::pend(state, skill, resolver),
        EventKind::SkillDeferred { skill } => state.deferred.push(skill.clone()),
        EventKind::SkillCompleted { skill } => stack::complete(state, skill),
        EventKind::SkillCancelled { skill, step } => stack::cancel(state, skill, step.as_ref()),
        EventKind::SkillInterrupted { skill, step } => stack::interrupt(state, skill, step.as_ref()),
        EventKind::SkillResumed { skill, step } => stack::resume(state, skill, step.as_ref()),
        EventKind::BlockEntered { skill, block } => stack::enter_block(state, skill, block),
        EventKind::BlockCompleted { skill, block, .. } | EventKind::BlockCancelled { skill, block, .. } => {
            stack::leave_block(state, skill, block);
        }
        EventKind::BlockInterrupted { skill, block, step } => stack::stand_at(state, skill, block, step.as_ref()),
        EventKind::BlockResumed { skill, block, step } => stack::stand_at(state, skill, block, step.as_ref()),
        EventKind::MemoryWritten { key, value, writer } => {
            keep_replaced(state, key, writer.actor);
            memory::write(state, key, value);
        }
        EventKind::MemoryCleared { key, writer } => {
            keep_replaced(state, key, writer.actor);
            memory::clear(state, key);
        }
        EventKind::MemoryReset { key, value } => memory::reset_entry(state, key, value),
        EventKind::ProjectEntryLocked { key } => memory::lock(state, key),
        EventKind::StepEntered { skill, block, step } => stack::stand_at(state, skill, block, Some(step)),
        EventKind::UserMessage { .. } => {
            state.resolved.clear();
            state.is_asked = false;
            state.tool_starts = 0;
            state.replaced = None;
        }
        EventKind::AgentMessage { data, .. } => state.tappable = payloads(data),
        EventKind::TurnEnded => state.replaced = None,
        EventKind::ConfirmationAsked { .. } => state.is_asked = true,
        EventKind::ConfirmationAnswered { tool, .. } => {
            state.resolved.insert(tool.clone());
        }
        EventKind::ToolReturned { tool, caller: ToolCaller::Confirmation, .. } => {
            state.resolved.insert(tool.clone());
            state.deferred.clear();
        }
        EventKind::ToolRefused { call, .. } if call.caller == ToolCaller::Confirmation => state.deferred.clear(),
        EventKind::ResponseUttered { response, why: UtterCause::Condition, skill: Some(skill) } => {
            state.uttered.insert((skill.clone(), response.clone()));
        }
        EventKind::StackPatched { frames, .. } => match frames {
            Some(frames) => stack::reconcile(state, frames),
            None => state.stack_conflicts.push(at),
        },
        EventKind::HistoryRewound { cells, .. } => {
            state.stack.clear();
            state.memory = cells
                .iter()
                .map(|(key, value, set_at)| {
                    let cell = Cell {
                        value: Arc::clone(value),
                        state: CellState::Set,
                        set_at: *set_at,
                        previous: None,
                        locked: false,
                    };
                    (key.clone(), cell)
                })
                .collect();
        }
        EventKind::Foreign { name } => *state.unknown_kinds.entry(name.clone()).or_default() += 1,
        EventKind::ToolReturned { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ToolRefused { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ReadDecided { .. }
        | EventKind::MemoryWriteRefused { .. }
        | EventKind::ActionTaken { .. } => {}
    }
}

/// Keeps what a write of the model or of a button replaces, for the validation tool that may take it back (M210).
fn keep_replaced(state: &mut State, key: &Name, by: Actor) {
    match by {
        Actor::Model | Actor::Button => {
            let cell = state.memory.get(key);
            let value = cell.map(|cell| Arc::clone(&cell.value)).unwrap_or_default();
            let is_written = cell.is_some_and(|cell| cell.state == CellState::Set);
            state.replaced = Some(Replaced { key: key.clone(), value, is_written });
        }
        Actor::Tool | Actor::Step | Actor::Hook | Actor::Seed | Actor::Engine | Actor::Unknown => {}
    }
}

/// Returns the `set:` payloads of a message's buttons, as messages carry them.
fn payloads(data: &Value) -> Vec<Name> {
    let Some(Value::List(buttons)) = data.get("buttons") else { return Vec::new() };
    let payloads = buttons.iter().filter_map(|button| button.get("payload")?.as_text());
    payloads.filter(|payload| payload.starts_with("set:")).map(Name::from).collect()
}
