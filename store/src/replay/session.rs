//! The opened session: events, state at any position, and the definition that explains them.

use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::emptied::Stretch;
use super::events::Events;
use super::missing;
use super::turns::{Call, CallKind, Turn, turns};
use crate::agent::Agent;
use crate::agent::definition::Definition;
use crate::digest::Digest;
use crate::event::finding::{Finding, FindingKind};
use crate::event::raw::RawRecords;
use crate::event::{Event, EventKind, Origin, Position};
use crate::import::Recording;
use crate::name::Name;
use crate::profile::{Profile, ProfileBasis, ProfileChoice};
use crate::prompt::moment::SeenTools;
use crate::session::{State, evolve};
use crate::value::Value;

/// A session opened for reading.
#[derive(Debug)]
pub struct Session {
    /// The id of the conversation.
    pub id: Name,
    pub(super) events: Events,
    /// The records that the events were read from.
    pub raw: RawRecords,
    /// What looks wrong in the record, and what the definition lacks.
    pub findings: Vec<Finding>,
    /// The agent turns in order.
    pub turns: Vec<Turn>,
    /// The agent that everything recomputed rests on; `None` where no folder is at hand.
    pub agent: Option<Arc<Agent>>,
    /// Where the agent comes from.
    pub definition: DefinitionSource,
    /// Whether the folder in use is another one than the session was recorded with; `None` where that can't be told.
    pub differs: Option<bool>,
    /// The engine generation and how it was chosen.
    pub profile: ProfileChoice,
    kept: Vec<State>,
    /// What was taken back, in order.
    pub(super) taken_back: OnceLock<Vec<Stretch>>,
    /// The tools that the record names, collected when the first prompt is wanted.
    pub(super) seen: OnceLock<Arc<SeenTools>>,
}

/// Where the definition of an opened session comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DefinitionSource {
    /// It is stored with the session.
    Embedded,
    /// A folder was named.
    Folder,
    /// There is none: prompt, offers and refusals are unknown.
    None,
}

impl DefinitionSource {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            DefinitionSource::Embedded => "embedded",
            DefinitionSource::Folder => "folder",
            DefinitionSource::None => "none",
        }
    }
}

/// The fewest events between two kept states. More are left between large ones, so that they never cost more memory
/// than a few times the events.
const KEEP_EVERY: u64 = 256;

/// Fewer events are folded and indexed on one thread: starting another costs as much.
const SHARED_FROM: usize = 4000;

impl Session {
    /// Opens a recording. A `folder` wins over the definition that the recording brings along; `profile` wins over the
    /// recording's own.
    pub fn open(recording: Recording, folder: Option<Arc<Definition>>, profile: Option<Profile>) -> Session {
        let Recording { id, mut events, raw, mut findings, profile: recorded_profile, definition: embedded, .. } =
            recording;
        let recorded_with = embedded.as_ref().map(|definition| definition.digest());
        let (source, definition) = match (folder, embedded) {
            (Some(folder), _) => (DefinitionSource::Folder, Some(folder)),
            (None, Some(embedded)) => (DefinitionSource::Embedded, Some(Arc::new(embedded))),
            (None, None) => (DefinitionSource::None, None),
        };
        let differs = match (&definition, recorded_with) {
            (Some(definition), Some(recorded)) => Some(definition.digest() != recorded),
            (_, _) => None,
        };
        let asked = profile.or(recorded_profile);
        let agent = definition.map(|definition| Arc::new(Agent::load(definition, asked)));
        let profile = choose_profile(profile, recorded_profile, agent.as_deref());
        let digest = agent.as_ref().map(|agent| agent.definition.digest());
        begin_with(&mut events, agent.as_deref(), digest, profile.profile);
        let (kept, turns) = if events.len() < SHARED_FROM {
            (keep_states(&events), turns(&events))
        } else {
            std::thread::scope(|scope| {
                let folded = scope.spawn(|| keep_states(&events));
                let turns = turns(&events);
                (folded.join().expect("folding is total"), turns)
            })
        };
        if let Some(agent) = &agent {
            findings.extend(missing::findings(agent, &events));
        }
        let mut session = Session {
            id,
            turns,
            taken_back: OnceLock::new(),
            events: Events::in_memory(events),
            raw,
            findings,
            agent,
            definition: source,
            differs,
            profile,
            kept,
            seen: OnceLock::new(),
        };
        session.note_stack_conflicts();
        session
    }

    /// Returns the state at `at`, or at the end where `at` lies past it.
    pub fn state(&self, at: Position) -> State {
        let at = at.min(self.end());
        let place = self.kept.partition_point(|state| state.position <= at);
        let mut state = place.checked_sub(1).map(|place| self.kept[place].clone()).unwrap_or_default();
        for (_, event) in self.events_in((Bound::Excluded(state.position), Bound::Included(at))) {
            evolve(&mut state, &event);
        }
        state
    }

    /// Returns the position after raw record `index`, counted from 0: all events are applied whose own record is that
    /// one or an earlier one. `None` where the session has no such record.
    pub fn position_of_raw(&self, index: u32) -> Option<Position> {
        if index as usize >= self.raw.count() {
            return None;
        }
        let is_after = |event: &Event| match event.origin {
            Origin::Imported { raw, .. } => raw > index,
            Origin::Added | Origin::Recorded => false,
        };
        let after = self.events_in(..).find(|(_, event)| is_after(event));
        Some(after.map_or(self.end(), |(at, _)| Position(at.0 - 1)))
    }

    /// Returns where to look for a finding: at the event of its first raw record or the one before it, and at the end
    /// for a record that is cut. `None` where it is about the record as a whole.
    pub fn position_of_finding(&self, finding: &Finding) -> Option<Position> {
        match finding.raw {
            _ if finding.kind == FindingKind::Cut => Some(self.end()),
            Some((first, _)) => Some(self.position_of_raw(first).unwrap_or_else(|| self.end())),
            None => None,
        }
    }

    /// Returns the turn of that number.
    pub fn turn(&self, number: u32) -> Option<&Turn> {
        self.turns.iter().find(|turn| turn.number == number)
    }

    /// Returns the turn in which the event at `at` lies, or the last one that began before it.
    pub fn turn_at(&self, at: Position) -> Option<&Turn> {
        let place = self.turns.partition_point(|turn| turn.first <= at);
        place.checked_sub(1).map(|place| &self.turns[place])
    }

    /// Returns the last model call whose prompt was built at or before `at`, with its turn.
    pub fn call_at(&self, at: Position) -> Option<(&Turn, &Call)> {
        // The prompt of a call that a turn begins with was built one position before that turn.
        let begun = self.turns.partition_point(|turn| turn.first.0 <= at.0 + 1);
        self.turns[..begun]
            .iter()
            .rev()
            .find_map(|turn| turn.calls.iter().rev().find(|call| call.before <= at).map(|call| (turn, call)))
    }

    /// Returns the counted model call `number`, from 1, of the turn `turn`.
    pub fn call(&self, turn: u32, number: u32) -> Option<&Call> {
        self.turn(turn)?.calls.iter().find(|call| call.number == number && call.kind != CallKind::Rephrase)
    }

    /// A conflict between the recorded stack and the named events is a finding, unless the reader already knows of a
    /// gap that explains it.
    fn note_stack_conflicts(&mut self) {
        let explained = |finding: &Finding| {
            matches!(
                finding.kind,
                FindingKind::Gap | FindingKind::StackConflict | FindingKind::EndConflict | FindingKind::Cut
            )
        };
        if self.findings.iter().any(explained) {
            return;
        }
        let conflicts = self.state(self.end()).stack_conflicts;
        let (Some(&first), Some(&last)) = (conflicts.first(), conflicts.last()) else { return };
        let raw = |at| self.event(at).and_then(|event| event.origin.raw_indexes().first().copied());
        self.findings.push(Finding {
            kind: FindingKind::StackConflict,
            raw: raw(first).zip(raw(last)),
            text: format!(
                "the recorded stack differs from what the named events give, {} times, first at position {first}",
                conflicts.len()
            ),
        });
    }
}

fn choose_profile(flag: Option<Profile>, recorded: Option<Profile>, agent: Option<&Agent>) -> ProfileChoice {
    match (flag, recorded, agent) {
        (Some(profile), _, _) => ProfileChoice { profile, basis: ProfileBasis::Flag },
        (None, Some(profile), _) => ProfileChoice { profile, basis: ProfileBasis::Record },
        (None, None, Some(agent)) => agent.profile,
        (None, None, None) => ProfileChoice { profile: Profile::default(), basis: ProfileBasis::Default },
    }
}

/// Lets each session start carry what the definition in use declares. Without a definition the record's own words
/// stay.
fn begin_with(events: &mut [Event], agent: Option<&Agent>, used: Option<Digest>, generation: Profile) {
    for event in events {
        if let EventKind::SessionStarted { definition, profile, initial } = &mut event.kind {
            *profile = Some(generation);
            if let Some(agent) = agent {
                *definition = used;
                *initial = initial_values(agent);
            }
        }
    }
}

/// Returns the initial values that are more than nothing, by qualified name (M22a).
fn initial_values(agent: &Agent) -> Vec<(Name, Arc<Value>)> {
    let declared = agent.entries().filter(|entry| !entry.initial.is_null());
    declared.map(|entry| (entry.key.clone(), Arc::clone(&entry.initial))).collect()
}

/// Folds all events once and keeps a state now and then.
fn keep_states(events: &[Event]) -> Vec<State> {
    let mut kept = Vec::new();
    let mut state = State::default();
    let mut due = KEEP_EVERY;
    for event in events {
        evolve(&mut state, event);
        if state.position.0 >= due {
            due = state.position.0 + KEEP_EVERY.max(4 * state.memory.len() as u64);
            kept.push(state.clone());
        }
    }
    if kept.last().is_none_or(|last| last.position < state.position) {
        kept.push(state);
    }
    kept
}
