//! What came of a button that was tapped to write (M233, M234).
//!
//! A record holds the payload as the user's words, and the write if there was one; why there was none it doesn't say.

use super::Session;
use crate::event::{Event, EventKind, Position};
use crate::name::Name;
use crate::rule::Rule;
use crate::session::access::{WriteBy, WriteRequest, write};
use crate::session::{State, button};
use crate::value::Value;

/// A tap on a button that writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tap {
    /// The payload.
    pub payload: String,
    /// The entry that it names; `None` where it is malformed.
    pub key: Option<Name>,
    /// What came of it.
    pub outcome: TapOutcome,
}

/// What came of a tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapOutcome {
    /// It was written, by the event at that position.
    Stored(Position),
    /// It was passed over.
    Skipped {
        /// The rule that explains it.
        rule: Rule,
        /// The reason, recomputed, as part of a sentence.
        why: String,
    },
    /// It was not written, and nothing that is at hand says why.
    Unknown,
}

impl Tap {
    /// Returns what came of it, in words.
    pub fn words(&self) -> String {
        match &self.outcome {
            TapOutcome::Stored(at) => format!("wrote its entry at position {at}"),
            TapOutcome::Skipped { rule, why } => format!("wrote nothing: {why} ({rule})"),
            TapOutcome::Unknown => "wrote nothing; the record does not say why".to_owned(),
        }
    }
}

impl Session {
    /// Returns what came of the tap at `at`; `None` where the event there is none.
    pub fn tap(&self, at: Position) -> Option<Tap> {
        let event = self.event(at)?;
        let before = Position(at.0.checked_sub(1)?);
        payload(&event)?;
        self.tap_in(&self.state(before), at, &event)
    }

    /// Returns what came of the tap that an event is, given the state before it.
    pub(super) fn tap_in(&self, state: &State, at: Position, event: &Event) -> Option<Tap> {
        let payload = payload(event)?;
        let skipped = |rule: Rule, why: String| TapOutcome::Skipped { rule, why };
        let Some((key, value)) = button::target(payload) else {
            let why = "its payload is not of the form `set:session.<skill>.<entry>=<value>`".to_owned();
            return Some(Tap { payload: payload.to_owned(), key: None, outcome: skipped(Rule::StaleButton, why) });
        };
        let outcome = if let Some(at) = self.write_after(at, key) {
            TapOutcome::Stored(at)
        } else if !state.tappable.iter().any(|tappable| **tappable == *payload) {
            let why = match state.tappable.as_slice() {
                [] => "the latest agent message has no such button in the record".to_owned(),
                others => format!("it is not on the latest agent message, whose buttons send {}", list(others)),
            };
            skipped(Rule::StaleButton, why)
        } else if state.active_skill().is_none() {
            skipped(Rule::StaleButton, "no skill was active".to_owned())
        } else {
            self.refused(state, key, value).map_or(TapOutcome::Unknown, |(rule, why)| skipped(rule, why))
        };
        Some(Tap { payload: payload.to_owned(), key: Some(Name::from(key)), outcome })
    }

    /// Returns the write of the entry that follows a tap in its turn.
    fn write_after(&self, at: Position, key: &str) -> Option<Position> {
        for (at, event) in self.events_in(Position(at.0 + 1)..) {
            match &event.kind {
                EventKind::MemoryWritten { key: written, .. } if **written == *key => return Some(at),
                EventKind::UserMessage { .. } | EventKind::TurnEnded | EventKind::SessionStarted { .. } => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the rule by which the active skill couldn't write, with its words; `None` where it could or no folder tells.
    fn refused(&self, state: &State, key: &str, value: &str) -> Option<(Rule, String)> {
        let agent = self.agent.as_deref()?;
        let skill = state.active_skill().map(Name::as_str);
        let value = Value::Text(value.to_owned());
        let request = WriteRequest { skill, by: WriteBy::Button, name: key, value: &value };
        let decision = write(agent, self.profile.profile, state, request);
        decision.refusal()?;
        let place = decision.because(agent).map(|at| format!(", see {}:{}", at.file, at.line)).unwrap_or_default();
        Some((decision.rule, format!("{}{place}", decision.rule.text().trim_end_matches('.'))))
    }
}

/// Returns the payload of a button that writes, if the event is a tap on one.
fn payload(event: &Event) -> Option<&str> {
    match &event.kind {
        EventKind::UserMessage { text, .. } if text.starts_with(button::WRITES) => Some(text),
        _ => None,
    }
}

fn list(payloads: &[Name]) -> String {
    payloads.iter().map(|payload| format!("`{payload}`")).collect::<Vec<_>>().join(", ")
}
