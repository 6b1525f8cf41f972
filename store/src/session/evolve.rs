//! The one function that changes a state: an event is applied.

use std::sync::Arc;

use super::{Cell, CellState, State, memory, stack};
use crate::event::{Event, EventKind, Position, ToolCaller, UtterCause};

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
        EventKind::SkillActivated { skill, .. } => {
            if !stack::has_started(state, skill) {
                memory::reset(state, skill);
                state.uttered.retain(|(of, _)| of != skill);
            }
            stack::activate(state, skill);
        }
        EventKind::SkillRefused { skill, .. } => stack::drop_pending(state, skill),
        EventKind::SkillPending { skill, resolver } => stack::pend(state, skill, resolver),
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
        EventKind::MemoryWritten { key, value, .. } => memory::write(state, key, value),
        EventKind::MemoryCleared { key, .. } => memory::clear(state, key),
        EventKind::MemoryReset { key, value } => memory::reset_entry(state, key, value),
        EventKind::ProjectEntryLocked { key } => memory::lock(state, key),
        EventKind::StepEntered { skill, block, step } => stack::stand_at(state, skill, block, Some(step)),
        EventKind::UserMessage { .. } => state.resolved.clear(),
        EventKind::ConfirmationAnswered { tool, .. }
        | EventKind::ToolReturned { tool, caller: ToolCaller::Confirmation, .. } => {
            state.resolved.insert(tool.clone());
        }
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
        EventKind::AgentMessage { .. }
        | EventKind::TurnEnded
        | EventKind::ToolReturned { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ToolRefused { .. }
        | EventKind::ConfirmationAsked { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::MemoryWriteRefused { .. }
        | EventKind::ActionTaken { .. } => {}
    }
}
