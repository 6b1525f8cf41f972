//! How the skill stack changes (M275 to M284), and how the record's own view of it is taken in.
//!
//! A skill has a frame of its own, and a block frame above it for each ordered block it is in. The frame on top
//! runs; every other one is parked.

use super::{Frame, Parked, State};
use crate::event::RecordedFrame;
use crate::name::Name;

/// A stack holds at most this many frames, so that no record makes every step slow; an engine's own is a few frames
/// high. Of more, those on top are kept, and the position is noted as a conflict.
pub const FRAMES_MAX: usize = 256;

/// Returns whether the skill has a frame on the stack.
pub(super) fn holds(state: &State, skill: &Name) -> bool {
    state.stack.iter().any(|frame| frame.skill == *skill)
}

/// Returns whether the skill has a frame and started: one that is pending did not (M335).
pub(super) fn has_started(state: &State, skill: &Name) -> bool {
    state.stack.iter().any(|frame| frame.skill == *skill && frame.parked != Some(Parked::Pending))
}

/// A skill starts, or comes to the top if it was parked (M280).
pub(super) fn activate(state: &mut State, skill: &Name) {
    drop_pending(state, skill);
    if holds(state, skill) {
        if state.active_skill() != Some(skill) {
            bring_up(state, skill);
        }
        return;
    }
    // A skill that the user left was marked by the event before; any other one waits for the new skill (M275).
    if let Some(below) = state.stack.last_mut() {
        below.parked.get_or_insert(Parked::Delegation);
    }
    push(state, frame(skill, None));
}

/// A skill waits for its precondition, beneath the skill that makes it hold (M335).
pub(super) fn pend(state: &mut State, skill: &Name, resolver: &Name) {
    if holds(state, skill) {
        return;
    }
    let running = state.stack.iter().rev().take_while(|frame| frame.skill == *resolver).count();
    let place = state.stack.len() - running;
    if let Some(below) = place.checked_sub(1).and_then(|below| state.stack.get_mut(below)) {
        below.parked.get_or_insert(Parked::Delegation);
    }
    let pending = Frame { parked: Some(Parked::Pending), ..frame(skill, None) };
    state.stack.insert(place, pending);
    bound(state);
}

/// Takes away the frame of a skill that waits for its precondition, if it does.
pub(super) fn drop_pending(state: &mut State, skill: &Name) {
    state.stack.retain(|frame| frame.skill != *skill || frame.parked != Some(Parked::Pending));
}

/// A skill ends: its frames go, and what lies beneath goes on unless the user must be asked (M276, M278).
pub(super) fn complete(state: &mut State, skill: &Name) {
    state.stack.retain(|frame| frame.skill != *skill);
    go_on_beneath(state);
}

/// A skill is given up. What called it is given up too, by an event of its own (M282).
pub(super) fn cancel(state: &mut State, skill: &Name, step: Option<&Name>) {
    let _ = step;
    state.stack.retain(|frame| frame.skill != *skill);
}

/// The user changes the topic: the frames of the skill are parked as a digression (M275).
pub(super) fn interrupt(state: &mut State, skill: &Name, step: Option<&Name>) {
    let Some(top) = state.stack.iter_mut().rev().find(|frame| frame.skill == *skill) else { return };
    top.parked = Some(Parked::Digression);
    if let (Some(step), Some(_)) = (step, &top.block) {
        top.step = Some(step.clone());
    }
}

/// A parked skill goes on: it moves to the top without a reset (M280).
pub(super) fn resume(state: &mut State, skill: &Name, step: Option<&Name>) {
    bring_up(state, skill);
    if let (Some(step), Some(top)) = (step, state.stack.last_mut().filter(|frame| frame.block.is_some())) {
        top.step = Some(step.clone());
    }
}

/// A block is entered above its skill's own frame.
pub(super) fn enter_block(state: &mut State, skill: &Name, block: &Name) {
    if !holds(state, skill) {
        activate(state, skill);
    }
    if let Some(below) = state.stack.last_mut() {
        below.parked.get_or_insert(Parked::Reference);
    }
    push(state, frame(skill, Some(block)));
}

/// A block ends, or is given up: the frame beneath goes on where it was left.
pub(super) fn leave_block(state: &mut State, skill: &Name, block: &Name) {
    let place = state.stack.iter().rposition(|frame| frame.skill == *skill && frame.block.as_ref() == Some(block));
    let Some(place) = place else { return };
    state.stack.remove(place);
    go_on_beneath(state);
}

/// A block is parked or goes on at a step.
pub(super) fn stand_at(state: &mut State, skill: &Name, block: &Name, step: Option<&Name>) {
    let place = state.stack.iter_mut().rfind(|frame| frame.skill == *skill && frame.block.as_ref() == Some(block));
    if let (Some(frame), Some(step)) = (place, step) {
        frame.step = Some(step.clone());
    }
}

/// Takes in the record's own view. It knows ids and steps; where its skills and blocks are others than the named
/// events gave, the record holds and the position is noted as a conflict.
pub(super) fn reconcile(state: &mut State, recorded: &[RecordedFrame]) {
    let agree = state.stack.len() == recorded.len()
        && state
            .stack
            .iter()
            .zip(recorded)
            .all(|(ours, theirs)| ours.skill == theirs.skill && ours.block == theirs.block);
    if !agree {
        state.stack_conflicts.push(state.position);
    }
    let mut before = std::mem::take(&mut state.stack);
    let recorded = &recorded[recorded.len().saturating_sub(FRAMES_MAX)..];
    let last = recorded.len().saturating_sub(1);
    for (index, theirs) in recorded.iter().enumerate() {
        let known = before.iter().position(|ours| ours.skill == theirs.skill && ours.block == theirs.block);
        let parked = known.and_then(|place| before.remove(place).parked);
        state.stack.push(Frame {
            frame: Some(theirs.frame.clone()),
            skill: theirs.skill.clone(),
            block: theirs.block.clone(),
            step: theirs.step.clone(),
            parked: match (index == last, theirs.interrupted) {
                (true, _) => None,
                (false, true) => Some(Parked::Digression),
                (false, false) => parked.or_else(|| Some(parked_beneath(theirs, recorded.get(index + 1)))),
            },
        });
    }
}

fn parked_beneath(frame: &RecordedFrame, above: Option<&RecordedFrame>) -> Parked {
    match above {
        Some(above) if above.skill == frame.skill => Parked::Reference,
        _ => Parked::Delegation,
    }
}

/// Moves the frames of a parked skill to the top and lets the topmost of them run; what ran before is parked as a
/// digression (M280).
fn bring_up(state: &mut State, skill: &Name) {
    if let Some(running) = state.stack.last_mut().filter(|frame| frame.skill != *skill) {
        running.parked.get_or_insert(Parked::Digression);
    }
    let (mut moved, rest) = std::mem::take(&mut state.stack).into_iter().partition(|frame| frame.skill == *skill);
    state.stack = rest;
    state.stack.append(&mut moved);
    if let Some(top) = state.stack.last_mut() {
        top.parked = None;
    }
}

/// Lets the frame on top go on, unless it waits for the user's answer (M275).
fn go_on_beneath(state: &mut State) {
    if let Some(top) = state.stack.last_mut() {
        match top.parked {
            Some(Parked::Delegation | Parked::Reference) => top.parked = None,
            Some(Parked::Digression | Parked::Pending) | None => {}
        }
    }
}

fn push(state: &mut State, frame: Frame) {
    state.stack.push(frame);
    bound(state);
}

fn bound(state: &mut State) {
    if state.stack.len() > FRAMES_MAX {
        state.stack.remove(0);
        state.stack_conflicts.push(state.position);
    }
}

fn frame(skill: &Name, block: Option<&Name>) -> Frame {
    Frame { frame: None, skill: skill.clone(), block: block.cloned(), step: None, parked: None }
}
