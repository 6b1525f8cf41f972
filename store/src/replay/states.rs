//! The state at any position: from a kept one, and the events since.

use std::ops::Bound;
use std::sync::Mutex;

use super::Session;
use super::events::Stored;
use super::outline::Outline;
use crate::event::codec::Names;
use crate::event::{Event, Position};
use crate::log::LogError;
use crate::session::{State, checkpoint, evolve};

/// States that are at hand.
#[derive(Debug)]
pub(super) enum Kept {
    /// All that were kept when the events were folded, in order.
    InMemory(Vec<State>),
    /// Those that were made last, the latest first; the log has others.
    OfLog(Mutex<Vec<State>>),
}

/// The fewest events between two kept states. More are left between large ones, so that they never cost more memory
/// than a few times the events.
const KEEP_EVERY: u64 = 256;

/// How many states of a log are kept.
const RECENT: usize = 6;

/// A state that is at most so far back is better than one from the log.
const NEAR: u64 = 256;

/// Folding so many events costs more than keeping the state.
const WORTH_KEEPING: u64 = 16;

impl Session {
    /// Returns the state at `at`, or at the end where `at` lies past it.
    pub fn state(&self, at: Position) -> State {
        let at = at.min(self.end());
        let mut state = match &self.kept {
            Kept::InMemory(kept) => {
                let place = kept.partition_point(|state| state.position <= at);
                place.checked_sub(1).map(|place| kept[place].clone()).unwrap_or_default()
            }
            Kept::OfLog(recent) => self.near_state(recent, at),
        };
        let from = state.position;
        for (_, event) in self.events_in((Bound::Excluded(from), Bound::Included(at))) {
            evolve(&mut state, &event);
        }
        if let Kept::OfLog(recent) = &self.kept
            && at.0 - from.0 >= WORTH_KEEPING
        {
            keep(recent, &state);
        }
        state
    }

    /// Returns a state at or before `at`.
    fn near_state(&self, recent: &Mutex<Vec<State>>, at: Position) -> State {
        if let Ok(mut recent) = recent.lock() {
            let near =
                recent.iter().enumerate().filter(|(_, state)| state.position <= at && at.0 - state.position.0 < NEAR);
            if let Some((place, _)) = near.max_by_key(|(_, state)| state.position) {
                let state = recent.remove(place);
                recent.insert(0, state.clone());
                return state;
            }
        }
        let Some(stored) = self.events.stored() else { return State::default() };
        match checkpoint(stored, at) {
            Ok(Some(mut state)) => {
                self.begin.rebase(&mut state, &self.outline, &self.events);
                keep(recent, &state);
                state
            }
            Ok(None) => State::default(),
            Err(error) => {
                stored.note_damage(&error);
                State::default()
            }
        }
    }
}

fn keep(recent: &Mutex<Vec<State>>, state: &State) {
    if let Ok(mut recent) = recent.lock() {
        recent.retain(|other| other.position != state.position);
        recent.truncate(RECENT - 1);
        recent.insert(0, state.clone());
    }
}

/// Returns the last checkpoint at or before `at` that is one, as it was recorded.
pub(super) fn checkpoint(stored: &Stored, at: Position) -> Result<Option<State>, LogError> {
    let mut at = at.0;
    let mut names = Names::default();
    while let Some((first, bytes)) = stored.log.checkpoint(&stored.session, at)? {
        // One that makes no sense is passed over: it is a cache.
        match checkpoint::restore(&bytes, &mut names) {
            Ok(state) if state.position.0 == first => return Ok(Some(state)),
            Ok(_) | Err(_) => match first.checked_sub(1) {
                Some(before) => at = before,
                None => return Ok(None),
            },
        }
    }
    Ok(None)
}

/// Folds events once, keeps a state now and then, and makes the outline.
pub(super) fn fold(events: &[Event]) -> (Vec<State>, Outline) {
    let mut kept = Vec::new();
    let mut state = State::default();
    let (mut outline, mut builder) = (Outline::default(), super::outline::Builder::default());
    let mut due = KEEP_EVERY;
    for event in events {
        evolve(&mut state, event);
        outline.push(&mut builder, event, &state);
        if state.position.0 >= due {
            due = state.position.0 + KEEP_EVERY.max(4 * size(&state) as u64);
            kept.push(state.clone());
        }
    }
    outline.finish(builder);
    if kept.last().is_none_or(|last: &State| last.position < state.position) {
        kept.push(state);
    }
    (kept, outline)
}

/// Returns of how many parts a state is made.
fn size(state: &State) -> usize {
    let State { memory, stack, unknown_kinds, stack_conflicts, uttered, resolved, tappable, initial, .. } = state;
    let names = unknown_kinds.len() + uttered.len() + resolved.len() + tappable.len();
    memory.len() + initial.len() + stack.len() + stack_conflicts.len() + names
}
