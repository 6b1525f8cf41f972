//! Where a turn begins and ends, and what its bounds give away about lost records. A message that starts the session may
//! have a turn of its own, or be answered by two (M290).

use super::evidence::{Clue, Evidence};
use crate::event::EventKind;
use crate::event::finding::FindingKind;
use crate::name::MESSAGE_REJECTED;

/// The turn that records come in for.
#[derive(Default)]
pub(super) struct Turn {
    /// Its number, from 1; 0 before the first.
    pub(super) number: u32,
    pub(super) is_open: bool,
    /// Whether the user spoke since the last turn ended.
    pub(super) user_spoke: bool,
    /// The first record behind the last turn's end.
    pub(super) since: u32,
    /// From where on an end must come before the user speaks again.
    unended: Option<u32>,
    is_empty: bool,
}

impl Turn {
    /// Begins the next turn.
    pub(super) fn begin(&mut self, raw: u32) {
        self.number += 1;
        self.is_open = true;
        self.is_empty = true;
        self.unended = Some(raw);
    }

    /// Takes in a record that isn't a write between turns.
    pub(super) fn take(&mut self, kind: Option<&EventKind>, raw: u32, evidence: &mut Evidence) {
        let mut lost = |low: u32, text: String| {
            evidence.add(Clue { low: low.min(raw), high: raw, count: 0, kind: FindingKind::Gap, text });
        };
        match kind {
            Some(EventKind::UserMessage { .. }) => {
                if let Some(since) = self.unended.filter(|_| !self.is_empty) {
                    lost(since + 1, format!("the user speaks in raw {raw} before the agent's turn is over"));
                }
                self.unended = Some(raw);
                self.user_spoke = true;
            }
            Some(EventKind::TurnEnded) => {
                if self.is_empty {
                    lost(self.since, format!("raw {raw} ends a turn that has nothing in it"));
                }
                self.is_open = false;
                self.user_spoke = false;
                self.unended = None;
                self.since = raw + 1;
            }
            // Words that a hook rejected start no turn (M363).
            Some(EventKind::AgentMessage { response: Some(response), .. }) if *response == MESSAGE_REJECTED => {
                self.unended = None;
            }
            // What a session starts with comes before the user's first words; a message may be dropped, or spoken into
            // the agent's own words, and its turn then has no end of its own.
            Some(EventKind::SessionStarted { .. } | EventKind::Foreign { .. }) => self.unended = None,
            Some(_) | None => {}
        }
        self.is_empty = false;
    }
}
