//! The opened session: events, state at any position, and the definition that explains them.

use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::begin::Begin;
use super::emptied::Stretch;
use super::events::Events;
use super::outline::Outline;
use super::records::Records;
use super::states::Kept;
use super::turns::{Call, CallKind, Turn};
use crate::agent::Agent;
use crate::event::finding::{Finding, FindingKind};
use crate::event::{Event, Origin, Position};
use crate::name::Name;
use crate::profile::ProfileChoice;
use crate::prompt::moment::SeenTools;

/// A session opened for reading.
#[derive(Debug)]
pub struct Session {
    /// The id of the conversation.
    pub id: Name,
    pub(super) events: Events,
    /// The records that the events were read from.
    pub raw: Records,
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
    pub(super) begin: Begin,
    pub(super) kept: Kept,
    pub(super) outline: Outline,
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

impl Session {
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
        let (from, to) = self.outline.after_raw(index);
        let among = self.events_in((Bound::Excluded(from), Bound::Included(to)));
        let after = among.into_iter().find(|(_, event)| is_after(event));
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

    /// Returns whether the session was decided and recorded by us, rather than imported.
    pub fn is_ours(&self) -> bool {
        self.event(Position(1)).is_some_and(|event| event.origin == Origin::Recorded)
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
}
