//! What looks wrong in a session: in its record, in what was decided, and in what the model got.
//!
//! The same thing many times is one finding with a count and its positions. Each says what is so and what to do. What
//! the record says by itself comes with it when it is opened; the rest takes a walk through all events ([`Scan`]),
//! which is done in slices.
//!
//! ```text
//! scan    one walk: events, and what was decided on the way
//! group   the same thing many times
//! gates   conditions that never held, or no longer
//! record  what the reader of the record found
//! ```

mod gates;
mod group;
mod record;
mod scan;

use serde::Serialize;

use super::Basis;
use super::why::RuleLine;
use crate::diagnostic::{Place, Severity};
use crate::event::Position;
use crate::event::finding::FindingKind;
use crate::name::Name;
use crate::replay::Session;

pub use scan::Scan;

/// Something that looks wrong. Its texts still have to go through [`crate::visible`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// What it is.
    pub kind: FoundKind,
    /// How bad it is.
    pub severity: Severity,
    /// What is so, in one sentence.
    pub text: String,
    /// What to do, in one sentence.
    pub advice: String,
    /// How often.
    pub count: u64,
    /// Where, in order; the first thousand. A call is at the position that its prompt saw.
    pub positions: Vec<Position>,
    /// The raw records concerned: first and last, counted from 0; for what the record says by itself.
    pub raw: Option<(u32, u32)>,
    /// The rule behind it, with the line that made it apply.
    pub rule: Option<RuleLine>,
    /// The memory entry that it is about; `None` where it is about none.
    pub key: Option<Name>,
    /// The skill that read it, or that was refused.
    pub skill: Option<Name>,
    /// The tool that it is about.
    pub tool: Option<Name>,
    /// The line of the agent folder that asks for what it is about: a condition, a token, a placeholder.
    pub asked_at: Option<Place>,
    /// Whether the record says so.
    pub basis: Basis,
}

impl Found {
    fn of_key(self, key: &Name) -> Found {
        Found { key: Some(key.clone()), ..self }
    }

    fn of_skill(self, skill: Option<&Name>) -> Found {
        Found { skill: skill.cloned(), ..self }
    }

    fn of_tool(self, tool: &Name) -> Found {
        Found { tool: Some(tool.clone()), ..self }
    }

    fn asked_at(self, place: Option<&Place>) -> Found {
        Found { asked_at: place.cloned(), ..self }
    }

    /// Returns what tells it from others of its kind, for the beginning of a row: the file and line that ask
    /// for it, and the entry, tool or skill; where no line asks, the skill that reads it. Empty where the kind says all.
    pub fn about(&self) -> String {
        let name = [&self.key, &self.tool, &self.skill].into_iter().flatten().next().map(ToString::to_string);
        let line = self.asked_at.as_ref().map(|at| {
            let file = at.file.rsplit('/').next().unwrap_or_default();
            format!("{file}:{}", at.line)
        });
        // Where no line asks, the reader tells more than the kind does.
        let reader = self.skill.as_ref().filter(|_| self.key.is_some() && line.is_none());
        let reader = reader.map(|skill| format!("by {skill}"));
        [line, name, reader].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// The kinds of findings, in the order in which they are told among those that are equally bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoundKind {
    /// What the reader of the record found.
    Record(FindingKind),
    /// A model call failed.
    FailedCall,
    /// A tool failed.
    FailedTool,
    /// A write was refused or passed over.
    RefusedWrite,
    /// A tool call was refused before the tool ran.
    RefusedTool,
    /// A skill was not started.
    RefusedSkill,
    /// A rule withheld what was read.
    DeniedRead,
    /// A condition never held, because of an entry that was never written.
    GateNeverOpened,
    /// A condition doesn't hold, because of an entry that was cleared or reset.
    GateClosed,
    /// A token, a placeholder or an argument read nothing.
    EmptyRead,
    /// A value is none of its entry's `enum_values`.
    OutsideEnum,
    /// The user said no to a tool.
    DeclinedTool,
    /// A prompt is over its budget, by estimate.
    OverBudget,
    /// The model gets a part of a value.
    CutValue,
    /// The record doesn't tell who wrote.
    UnknownWriter,
}

impl FoundKind {
    /// Every kind but those of the record.
    pub const OWN: [FoundKind; 14] = [
        FoundKind::FailedCall,
        FoundKind::FailedTool,
        FoundKind::RefusedWrite,
        FoundKind::RefusedTool,
        FoundKind::RefusedSkill,
        FoundKind::DeniedRead,
        FoundKind::GateNeverOpened,
        FoundKind::GateClosed,
        FoundKind::EmptyRead,
        FoundKind::OutsideEnum,
        FoundKind::DeclinedTool,
        FoundKind::OverBudget,
        FoundKind::CutValue,
        FoundKind::UnknownWriter,
    ];

    /// Returns the word that people read; JSON has `_` for its blanks.
    pub fn word(self) -> &'static str {
        match self {
            FoundKind::Record(kind) => kind.word(),
            FoundKind::FailedCall => "failed model call",
            FoundKind::FailedTool => "failed tool",
            FoundKind::RefusedWrite => "refused write",
            FoundKind::RefusedTool => "refused tool",
            FoundKind::RefusedSkill => "refused skill",
            FoundKind::DeniedRead => "denied read",
            FoundKind::GateNeverOpened => "gate never opened",
            FoundKind::GateClosed => "closed gate",
            FoundKind::EmptyRead => "empty read",
            FoundKind::OutsideEnum => "outside enum",
            FoundKind::DeclinedTool => "declined tool",
            FoundKind::OverBudget => "prompt over budget",
            FoundKind::CutValue => "cut value",
            FoundKind::UnknownWriter => "unknown writer",
        }
    }

    /// Returns the name that JSON and the command line have.
    pub fn name(self) -> String {
        self.word().replace(' ', "_")
    }
}

impl Serialize for FoundKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

/// Returns everything that looks wrong, the worst first. It walks through all events; [`Scan`] does so in slices.
pub fn findings(session: &Session) -> Vec<Found> {
    let mut scan = Scan::new(session);
    while !scan.step(session, u64::MAX).is_done() {}
    scan.found(session)
}
