//! Why it is so: one question a file, each answered with its evidence.
//!
//! An answer rests on events of the record and on lines of the agent folder. Each piece of evidence says which, and
//! whether the record itself holds it or we made it again from the folder; what neither tells stays unknown.

pub mod access;
pub mod again;
pub mod condition;
pub mod decisions;
pub mod findings;
pub mod from_call;
pub mod last;
pub mod line;
pub mod mask;
pub mod query;
pub mod read;
pub mod readers;
pub mod reads;
pub mod report;
pub mod resolve;
pub mod skill;
pub mod tool;
pub mod value;
pub mod why;

mod cause;
mod opening;
mod story;
mod uses;
mod words;
mod writers;

use serde::Serialize;

use crate::event::Position;
use crate::replay::Session;
use crate::replay::headline::headline;

/// Something that an answer rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The event that says it; `None` where a line of the agent folder or the absence of an event does.
    pub position: Option<Position>,
    /// The raw records of that event, counted from 0.
    pub raw: Vec<u32>,
    /// What says it: the kind of the event, or `definition` for a line of the agent folder.
    pub kind: String,
    /// Whether the record holds it.
    pub basis: Basis,
    /// One sentence.
    pub text: String,
}

/// Whether a piece of evidence stands in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The record says it.
    Recorded,
    /// It was made again from the agent folder and the events before.
    Recomputed,
}

impl Basis {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Basis::Recorded => "recorded",
            Basis::Recomputed => "recomputed",
        }
    }
}

impl Evidence {
    /// Returns what the event at `at` says; `None` at position 0 and past the end.
    pub fn of_event(session: &Session, at: Position) -> Option<Evidence> {
        let event = session.event(at)?;
        let said = session.headline(at).unwrap_or_else(|| headline(&event));
        let text = [said.kind, &said.text].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        let (raw, kind) = (event.origin.raw_indexes(), event.kind.tag().to_owned());
        Some(Evidence { position: Some(at), raw, kind, basis: Basis::Recorded, text })
    }

    /// Returns what a line of the agent folder says.
    pub fn of_definition(text: impl Into<String>) -> Evidence {
        Evidence {
            position: None,
            raw: Vec::new(),
            kind: "definition".to_owned(),
            basis: Basis::Recomputed,
            text: text.into(),
        }
    }

    /// Returns that the record holds no such event.
    pub fn of_absence(text: impl Into<String>) -> Evidence {
        Evidence {
            position: None,
            raw: Vec::new(),
            kind: "absence".to_owned(),
            basis: Basis::Recorded,
            text: text.into(),
        }
    }

    /// Returns the same with other words.
    pub fn saying(self, text: impl Into<String>) -> Evidence {
        Evidence { text: text.into(), ..self }
    }
}
