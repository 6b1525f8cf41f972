//! What a record names and the agent folder lacks.
//!
//! A folder that isn't the whole agent is common: people send a part of it. What is missing makes answers unknown,
//! so it is said once for each kind of thing, and the session opens all the same.

use std::collections::BTreeSet;

use super::outline::{Outline, Touch, What};
use crate::agent::Agent;
use crate::event::finding::{Finding, FindingKind};
use crate::name::{PROJECT, split_key};

/// Returns a finding for each kind of thing that the events name and the folder lacks.
pub(super) fn findings(agent: &Agent, outline: &Outline) -> Vec<Finding> {
    let named = &outline.named;
    let is_written = |touches: &[Touch]| touches.iter().any(|it| matches!(it.what(), What::Written | What::Nulled));
    let skills: BTreeSet<&str> =
        named.skills.iter().filter(|skill| !agent.skills.contains_key(*skill)).map(|name| &**name).collect();
    let lacking = outline.fields().filter(|(key, touches)| lacks_entry(agent, key) && is_written(touches));
    let entries: BTreeSet<&str> = lacking.map(|(key, _)| &**key).collect();
    let responses = named.responses.iter().filter(|response| !agent.responses.contains_key(*response));
    let responses: BTreeSet<&str> = responses.map(|name| &**name).collect();
    let kinds = [
        ("a skill", "skills", skills),
        ("a memory entry", "memory entries", entries),
        ("a response", "responses", responses),
    ];
    kinds
        .into_iter()
        .filter(|(_, _, names)| !names.is_empty())
        .map(|(one, many, names)| finding(one, many, names))
        .collect()
}

fn finding(one: &str, many: &str, names: BTreeSet<&str>) -> Finding {
    let what = if names.len() == 1 { one.to_owned() } else { format!("{} {many}", names.len()) };
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    Finding {
        kind: FindingKind::Missing,
        raw: None,
        text: format!("{what} that the record names and the agent folder lacks: {names}"),
    }
}

/// Entries of a skill that is itself missing aren't counted again; names without a namespace belong to the engine.
fn lacks_entry(agent: &Agent, key: &str) -> bool {
    match split_key(key) {
        Some((space, _)) if space == PROJECT || agent.skills.contains_key(space) => agent.entry(key).is_none(),
        Some(_) | None => false,
    }
}
