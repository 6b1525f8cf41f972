//! What the reader of the record found, with what to do about it.

use super::{Found, FoundKind};
use crate::diagnostic::Severity;
use crate::event::finding::{Finding, FindingKind};
use crate::explain::Basis;
use crate::replay::Session;
use crate::replay::agreement::Agreement;

/// Returns the session's own findings.
pub(super) fn findings(session: &Session) -> impl Iterator<Item = Found> {
    session.findings.iter().map(|finding| found(session, finding))
}

fn found(session: &Session, finding: &Finding) -> Found {
    let at = session.position_of_finding(finding);
    Found {
        kind: FoundKind::Record(finding.kind),
        severity: severity(finding.kind),
        text: finding.text.clone(),
        advice: advice(finding.kind).to_owned(),
        count: 1,
        positions: at.into_iter().collect(),
        raw: finding.raw,
        key: None,
        skill: None,
        tool: None,
        asked_at: None,
        rule: None,
        basis: match finding.kind {
            FindingKind::Missing
            | FindingKind::StackConflict
            | FindingKind::EndConflict
            | FindingKind::NotOffered
            | FindingKind::NotStartable
            | FindingKind::OtherWords
            | FindingKind::NotWritable
            | FindingKind::SkippedTap => Basis::Recomputed,
            FindingKind::Cut
            | FindingKind::Damaged
            | FindingKind::Gap
            | FindingKind::DuplicateKey
            | FindingKind::TimeBackwards
            | FindingKind::Anonymised
            | FindingKind::Unknown => Basis::Recorded,
        },
    }
}

/// Returns where the record and the rules of the agent folder disagree.
pub(super) fn contradictions(agreement: &Agreement) -> impl Iterator<Item = Found> {
    agreement.contradictions.iter().map(|one| Found {
        kind: FoundKind::Record(one.kind),
        severity: severity(one.kind),
        text: one.text.clone(),
        advice: advice(one.kind).to_owned(),
        count: one.count,
        positions: vec![one.first],
        raw: one.raw.first().copied().zip(one.raw.last().copied()),
        key: Some(one.name.clone()).filter(|_| one.kind == FindingKind::NotWritable),
        skill: Some(one.name.clone()).filter(|_| one.kind == FindingKind::NotStartable),
        tool: Some(one.name.clone()).filter(|_| one.kind == FindingKind::NotOffered),
        asked_at: None,
        rule: None,
        basis: Basis::Recomputed,
    })
}

fn severity(kind: FindingKind) -> Severity {
    match kind {
        FindingKind::Cut
        | FindingKind::Damaged
        | FindingKind::Gap
        | FindingKind::StackConflict
        | FindingKind::EndConflict => Severity::Error,
        FindingKind::DuplicateKey
        | FindingKind::Anonymised
        | FindingKind::Missing
        | FindingKind::NotOffered
        | FindingKind::NotStartable
        | FindingKind::OtherWords
        | FindingKind::NotWritable
        | FindingKind::SkippedTap => Severity::Warning,
        FindingKind::TimeBackwards | FindingKind::Unknown => Severity::Note,
    }
}

fn advice(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Cut => "ask for the whole file: what came after the cut is not shown",
        FindingKind::Damaged => "ask for the record again: what stood there is not shown",
        FindingKind::Gap => "ask for the whole record: what is shown after the gap may rest on events that are missing",
        FindingKind::StackConflict => {
            "trust the stack patches of the record there, and ask for the whole record if events are missing"
        }
        FindingKind::EndConflict => "look at the writes of that entry: an event is missing, or was changed",
        FindingKind::DuplicateKey => "look at the raw record: the last of the values counts here",
        FindingKind::TimeBackwards => "trust the order of the events, not their times",
        FindingKind::Anonymised => {
            "expect what is recomputed from it to differ from the run: the value that the agent saw is gone"
        }
        FindingKind::Unknown => "look at the raw record: it is kept as it is and changes nothing here",
        FindingKind::NotOffered | FindingKind::NotStartable => {
            "name the folder that the session ran with (--agent DIR): by the rules of this one it could not have happened"
        }
        FindingKind::OtherWords => {
            "name the folder that the session ran with (--agent DIR), or take it that the folder's words were changed since"
        }
        FindingKind::NotWritable => {
            "name the generation that the session ran with (--profile), or take it that the record was changed: an engine \
             that locks would have refused the write"
        }
        FindingKind::SkippedTap => {
            "tell the user to choose again, or offer the buttons anew: what was tapped was written nowhere"
        }
        FindingKind::Missing => "name the whole agent folder with --agent DIR, the one that the session ran with",
    }
}
