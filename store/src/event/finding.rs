//! What looks wrong in a record itself: gaps, cuts, doubled keys, clocks that run backwards.
//!
//! Findings are made while a record is read and stay with its session, because the bytes that were lost can't be
//! asked again. Those that rest on the agent folder are made again each time, with the folder that is at hand.

use serde::{Deserialize, Serialize};

/// Something about the record that a reader of the session should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The raw records concerned: first and last, counted from 0.
    pub raw: Option<(u32, u32)>,
    /// One sentence.
    pub text: String,
}

/// The kinds of findings, most serious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The file ends in the middle of a record.
    Cut,
    /// A record can't be read.
    Damaged,
    /// Records are missing or were added: the index that a record claims for itself isn't its own (M369).
    Gap,
    /// The recorded stack differs from what the named events give.
    StackConflict,
    /// What the record says at its end differs from what its events give.
    EndConflict,
    /// A key stands twice in one object; the last value counts.
    DuplicateKey,
    /// A time is earlier than the one before it.
    TimeBackwards,
    /// A value or text was replaced after the run, for privacy (M344).
    Anonymised,
    /// A kind or field that this version doesn't know.
    Unknown,
    /// The agent folder lacks something that the record names.
    Missing,
    /// The model called a tool that was not offered by the rules of the agent folder.
    NotOffered,
    /// A skill started that might not by the rules of the agent folder.
    NotStartable,
    /// A response was said in other words than the agent folder gives.
    OtherWords,
    /// A project entry was written though it was locked by the rules of the agent folder (M43).
    NotWritable,
    /// The user tapped a button that could no longer write, so the engine passed over it (M234).
    SkippedTap,
}

impl FindingKind {
    /// Every kind, most serious first.
    pub const ALL: [FindingKind; 15] = [
        FindingKind::Cut,
        FindingKind::Damaged,
        FindingKind::Gap,
        FindingKind::StackConflict,
        FindingKind::EndConflict,
        FindingKind::DuplicateKey,
        FindingKind::TimeBackwards,
        FindingKind::Anonymised,
        FindingKind::Unknown,
        FindingKind::Missing,
        FindingKind::NotOffered,
        FindingKind::NotStartable,
        FindingKind::OtherWords,
        FindingKind::NotWritable,
        FindingKind::SkippedTap,
    ];

    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Cut => "cut",
            FindingKind::Damaged => "damaged",
            FindingKind::Gap => "gap",
            FindingKind::StackConflict => "stack conflict",
            FindingKind::EndConflict => "end conflict",
            FindingKind::DuplicateKey => "duplicate key",
            FindingKind::TimeBackwards => "time backwards",
            FindingKind::Anonymised => "anonymised",
            FindingKind::Unknown => "unknown",
            FindingKind::Missing => "missing",
            FindingKind::NotOffered => "not offered",
            FindingKind::NotStartable => "not startable",
            FindingKind::OtherWords => "other words",
            FindingKind::NotWritable => "not writable",
            FindingKind::SkippedTap => "skipped tap",
        }
    }
}
