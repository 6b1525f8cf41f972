//! Why a gate is closed, in one sentence.

use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::condition::{Evaluation, Outcome, Part};
use crate::session::access::{Found, ReadDecision};
use crate::session::prose::{PII_MARK, shown};

/// Returns why an evaluated gate is closed: its text, and what each reference in it gave.
///
/// Values are quoted as a prompt would show them: a reason is read beside one.
pub(super) fn closed(agent: &Agent, gate: &Gate, evaluation: &Evaluation<ReadDecision>) -> String {
    let mut reads = Vec::new();
    collect(&evaluation.root, &mut reads);
    let found = match reads.as_slice() {
        [] => "is false".to_owned(),
        [only] if gate.text.value.trim() == format!("session.{}", only.asked) => given(agent, only),
        reads => {
            let each: Vec<String> = reads.iter().map(|read| format!("{} {}", read.asked, given(agent, read))).collect();
            each.join(", ")
        }
    };
    match evaluation.impossible() {
        Some(why) => format!("requires {}: {found}; {why}", gate.text.value.trim()),
        None => format!("requires {}: {found}", gate.text.value.trim()),
    }
}

/// Returns that a gate is closed because its text doesn't parse (M85).
pub(super) fn unreadable(gate: &Gate) -> String {
    format!("requires {}: no condition", gate.text.value.trim())
}

fn collect<'a>(part: &'a Part<ReadDecision>, reads: &mut Vec<&'a ReadDecision>) {
    if let (Some(read), Outcome::Value(_)) = (&part.why, &part.outcome)
        && reads.iter().all(|known| known.asked != read.asked)
    {
        reads.push(read);
    }
    part.parts.iter().for_each(|part| collect(part, reads));
}

fn given(agent: &Agent, read: &ReadDecision) -> String {
    let is_pii = agent.entry(&read.asked).is_some_and(|entry| entry.pii);
    match &read.found {
        Found::Value { .. } if is_pii => format!("is {PII_MARK}"),
        Found::Value { value, .. } => format!("is {}", shown(value)),
        Found::Nothing(nothing) => nothing.to_string(),
    }
}
