//! Conditions that never held because of an entry that was never written, and those that no longer hold because of one
//! that was cleared or reset.
//!
//! A condition that waits for its entry is the normal course, so what never held is told at the end of the walk only.

use std::collections::{BTreeMap, BTreeSet};

use super::{Found, FoundKind};
use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::condition::{Outcome, Part};
use crate::diagnostic::{Place, Severity};
use crate::event::Position;
use crate::explain::Basis;
use crate::explain::decisions::GateOf;
use crate::explain::why::RuleLine;
use crate::name::Name;
use crate::rule::Rule;
use crate::session::access::{Found as Gave, Nothing, ReadDecision};
use crate::session::gate::GateDecision;

/// How many positions of a condition are kept.
const POSITIONS: usize = 1000;

/// All conditions that were evaluated, by the line that states them.
#[derive(Default)]
pub(super) struct Gates {
    gates: BTreeMap<Place, Story>,
}

#[derive(Default)]
struct Story {
    opened: bool,
    text: String,
    decides: String,
    closed: u64,
    positions: Vec<Position>,
    /// The entries that were read and had never been written.
    never_written: BTreeSet<Name>,
    /// Whether the condition compares with `False`, which `None` isn't.
    asks_for_false: bool,
}

/// A condition that doesn't hold because an entry lost its value: the entry and the kind of nothing.
pub(super) type Lost = (Name, Nothing);

impl Gates {
    /// Notes a condition that was evaluated. Returns the entry whose loss closes it, if one does.
    pub(super) fn note(&mut self, gate: &Gate, decision: &GateDecision, of: GateOf<'_>, at: Position) -> Option<Lost> {
        let story = self.gates.entry(gate.text.at.clone()).or_default();
        if decision.is_open() {
            story.opened = true;
            return None;
        }
        let GateDecision::Evaluated(evaluation) = decision else { return None };
        if story.text.is_empty() {
            story.text = gate.text.value.trim().to_owned();
            story.decides = what_it_decides(of);
            story.asks_for_false = story.text.contains("== False");
        }
        if story.positions.last() != Some(&at) {
            story.closed += 1;
            if story.positions.len() < POSITIONS {
                story.positions.push(at);
            }
        }
        let mut empty = Vec::new();
        collect(&evaluation.root, &mut empty);
        let mut lost = None;
        for (key, nothing) in empty {
            match nothing {
                Nothing::NeverWritten => {
                    story.never_written.insert(key);
                }
                Nothing::Cleared { .. } | Nothing::Reset { .. } => lost = lost.or(Some((key, nothing))),
                Nothing::Undeclared | Nothing::Private { .. } | Nothing::Denied { .. } | Nothing::Reserved => {}
            }
        }
        lost
    }

    /// Returns the conditions that never held and that rest on an entry which nothing wrote. `written` are all entries
    /// that something wrote.
    pub(super) fn never_opened(&self, agent: Option<&Agent>, written: &BTreeSet<Name>) -> Vec<Found> {
        let stories = self.gates.iter().filter(|(_, story)| !story.opened && story.closed > 0);
        let found = stories.filter_map(|(at, story)| {
            let key = story.never_written.iter().find(|key| !written.contains(*key))?;
            let advice = match story.asks_for_false {
                true => format!(
                    "write `{key}` before, or write `not session.{key}`: what was never written is None, and None is not \
                     False"
                ),
                false => format!("find out what should have written `{key}`: no event of this session does"),
            };
            Some(Found {
                kind: FoundKind::GateNeverOpened,
                severity: Severity::Warning,
                text: format!(
                    "`{}` at {}:{} never held, so {}: `{key}` was never written",
                    story.text, at.file, at.line, story.decides
                ),
                advice,
                count: story.closed,
                positions: story.positions.clone(),
                raw: None,
                key: Some(key.clone()),
                skill: None,
                tool: None,
                asked_at: Some(at.clone()),
                rule: Some(RuleLine::new(agent, Rule::NothingReadsAsNone, Some(at))),
                basis: Basis::Recomputed,
            })
        });
        found.collect()
    }
}

/// Returns what doesn't happen while a condition is closed.
pub(super) fn what_it_decides(of: GateOf<'_>) -> String {
    match of {
        GateOf::Paragraph => "the paragraph under it was left out of the prompt".to_owned(),
        GateOf::Skill(skill) => format!("{skill} was not offered"),
        GateOf::Tool(tool) => format!("{tool} was hidden and blocked"),
        GateOf::Branch => "its branch was not taken".to_owned(),
        GateOf::Completion(skill) => format!("{skill} was not complete by it"),
        GateOf::Variant(response) => format!("{response} had another wording"),
    }
}

/// Collects the reads of a condition that gave nothing, each with its kind.
fn collect(part: &Part<ReadDecision>, empty: &mut Vec<Lost>) {
    if let (Some(read), Outcome::Value(_)) = (&part.why, &part.outcome)
        && let Gave::Nothing(nothing) = &read.found
    {
        empty.push((read.key.as_ref().unwrap_or(&read.asked).clone(), nothing.clone()));
    }
    part.parts.iter().for_each(|part| collect(part, empty));
}
