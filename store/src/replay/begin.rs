//! What session starts carry for whoever opens a session: the definition and the engine generation in use.
//!
//! Events and states of a log are as they were recorded; both are brought to what is in use when they are read.

use std::sync::Arc;

use super::events::Events;
use super::outline::{Outline, Touch, What};
use crate::agent::Agent;
use crate::digest::Digest;
use crate::event::{Actor, Event, EventKind, Position, Tag};
use crate::name::{Name, PROJECT, split_key};
use crate::profile::Profile;
use crate::session::{Cell, CellState, State};
use crate::value::Value;

/// Initial values, by qualified name.
type Initial = Vec<(Name, Arc<Value>)>;

/// What each session start carries, in place of what was recorded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Begin {
    generation: Profile,
    /// The definition in use and its initial values; the record's own stay where there is none.
    with: Option<(Digest, Initial)>,
}

impl Begin {
    /// Returns what a session begins with.
    pub(super) fn of(agent: Option<&Agent>, generation: Profile) -> Begin {
        Begin { generation, with: agent.map(|agent| (agent.definition.digest(), initial_values(agent))) }
    }

    /// Lets an event be as it is in use.
    pub(super) fn apply(&self, event: &mut Event) {
        if let EventKind::SessionStarted { definition, profile, initial } = &mut event.kind {
            *profile = Some(self.generation);
            if let Some((digest, values)) = &self.with {
                *definition = Some(*digest);
                initial.clone_from(values);
            }
        }
    }

    /// Lets a state be as it is in use. `state` is what came of the events as they were recorded, and they are `events`.
    pub(super) fn rebase(&self, state: &mut State, outline: &Outline, events: &Events) {
        let at = state.position;
        let Some(start) = outline.last(at, Tag::SessionStarted) else { return };
        let recorded_locks = state.profile.unwrap_or_default().initial_value_locks();
        let locks = self.generation.initial_value_locks();
        state.profile = Some(self.generation);
        let recorded = state.initial.clone();
        if let Some((digest, values)) = &self.with {
            state.definition = Some(*digest);
            state.initial = values.iter().cloned().collect();
        } else if recorded_locks == locks {
            return;
        }
        for (key, cell) in &mut state.memory {
            let by_start = cell.set_at.is_some_and(|at| outline.tag(at) == Some(Tag::SkillActivated));
            if cell.state == CellState::Reset && by_start {
                cell.value = state.initial.get(key).cloned().unwrap_or_default();
            }
        }
        if let Some(replaced) = state.replaced.as_mut().filter(|replaced| !replaced.is_written)
            && was_initial(outline, events, &replaced.key, (start, at))
        {
            replaced.value = state.initial.get(&replaced.key).cloned().unwrap_or_default();
        }
        if outline.last(at, Tag::HistoryRewound).is_some_and(|rewound| start < rewound) {
            // What held before it is gone, initial values too.
            return;
        }
        state.memory.retain(|_, cell| cell.state != CellState::Initial);
        let is_locked = |locks: bool, key: &Name, value: Option<&Arc<Value>>| {
            locks && is_project(key) && value.is_some_and(|value| !value.is_null())
        };
        for (key, cell) in &mut state.memory {
            let (before, now) = (recorded.get(key), state.initial.get(key));
            let was_locked = is_locked(recorded_locks, key, before);
            let locks_first = is_locked(locks, key, now);
            if was_locked != locks_first || before.is_some() != now.is_some() {
                cell.locked = locks_first || locked_since(outline, key, now.is_some(), (start, at));
            }
        }
        for (key, value) in &state.initial {
            state.memory.entry(key.clone()).or_insert_with(|| Cell {
                value: Arc::clone(value),
                state: CellState::Initial,
                set_at: None,
                previous: None,
                locked: is_locked(locks, key, Some(value)) || locked_since(outline, key, true, (start, at)),
            });
        }
    }
}

/// Returns whether the last write of an entry by the model or a button replaced its initial value, which it had since the
/// session's start or because its skill started again.
fn was_initial(outline: &Outline, events: &Events, key: &str, (start, at): (Position, Position)) -> bool {
    let touches = outline.touches(key);
    let until = &touches[..touches.partition_point(|touch| touch.at() <= at)];
    let by_model = |touch: &Touch| {
        let event = events.get(touch.at().0 - 1);
        matches!(
            event.as_ref().map(|event| &event.kind),
            Some(EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. })
                if matches!(writer.actor, Actor::Model | Actor::Button)
        )
    };
    let Some(place) = until.iter().rposition(by_model) else { return false };
    let before = until[..place].iter().rfind(|touch| touch.what().is_change());
    let since = before.map_or(start, |touch| touch.at()).max(start);
    if outline.last(until[place].at(), Tag::HistoryRewound).is_some_and(|rewound| since < rewound) {
        return false;
    }
    before.is_none_or(|touch| touch.at() < start || outline.tag(touch.at()) == Some(Tag::SkillActivated))
}

/// Returns whether an event between two positions locked an entry, which was there before them or not.
fn locked_since(outline: &Outline, key: &Name, mut is_there: bool, (after, to): (Position, Position)) -> bool {
    let touches = outline.touches(key);
    let from = touches.partition_point(|touch| touch.at() <= after);
    for touch in touches[from..].iter().take_while(|touch| touch.at() <= to) {
        match touch.what() {
            What::Written if is_project(key) => return true,
            What::Locked if is_there => return true,
            What::Written | What::Nulled | What::Cleared | What::Reset | What::ResetAgain => is_there = true,
            What::Refused | What::Locked => {}
        }
    }
    false
}

fn is_project(key: &str) -> bool {
    split_key(key).is_some_and(|(space, _)| space == PROJECT)
}

/// Returns the initial values that are more than nothing, by qualified name (M22a).
fn initial_values(agent: &Agent) -> Initial {
    let declared = agent.entries().filter(|entry| !entry.initial.is_null());
    declared.map(|entry| (entry.key.clone(), Arc::clone(&entry.initial))).collect()
}
