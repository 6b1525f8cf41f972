//! Which skills can ever start (M338, M141, M180, M335, M351).
//!
//! Grown from nothing: a skill joins when a route from what runs already leads to it and its gate can open with what
//! those skills can have written.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Facts;
use super::outcomes::outcomes;
use super::values::{Values, values};
use crate::agent::block::StepKind;
use crate::agent::gate::Gate;
use crate::agent::prose::TokenKind;
use crate::agent::settings::Precondition;
use crate::agent::skill::{Skill, SkillOrigin};
use crate::condition::Reference;
use crate::name::Name;

/// A chain of skills that open each other is followed this far; then all are taken as reached.
const ROUNDS: usize = 64;

/// What can ever run, and what memory can hold then.
pub(super) struct Reach {
    /// The skills that can start.
    pub(super) started: BTreeSet<Name>,
    /// The skills that some route leads to, whether or not their gate can open.
    pub(super) routed: BTreeSet<Name>,
    /// What each entry can hold before a skill starts, as far as those that can start write it.
    pub(super) before: BTreeMap<Name, Values>,
    /// What each entry can hold if every skill starts. A skill that doesn't is one finding, not one for each entry.
    pub(super) values: BTreeMap<Name, Values>,
}

pub(super) fn reach(facts: &Facts<'_>) -> Reach {
    let all: BTreeSet<Name> = facts.agent.skills.keys().cloned().collect();
    let everything = values(facts, &all);
    let mut started = BTreeSet::new();
    for _ in 0..ROUNDS {
        let before = values(facts, &started);
        let routed = routed(facts, &started);
        let mut grown: BTreeSet<Name> = routed.iter().filter(|id| can_open(facts, &before, id)).cloned().collect();
        grown.extend(started.iter().cloned());
        if grown == started {
            return Reach { started, routed, before, values: everything };
        }
        started = grown;
    }
    Reach { routed: all.clone(), started: all, before: everything.clone(), values: everything }
}

/// Returns the skills that some route leads to.
fn routed(facts: &Facts<'_>, started: &BTreeSet<Name>) -> BTreeSet<Name> {
    let mut routed = BTreeSet::new();
    let mut may_start_any = false;
    for skill in facts.agent.skills.values() {
        let is_on_menu = !skill.disabled && !skill.hidden && !skill.engine_managed && skill.has_entry();
        if is_on_menu || is_default(skill) {
            routed.insert(skill.id.clone());
        }
        if started.contains(&skill.id) {
            leads_to(facts, skill, &mut routed);
            may_start_any |= leads_anywhere(facts, skill);
        }
    }
    if may_start_any {
        let enabled = facts.agent.skills.values().filter(|skill| !skill.disabled);
        routed.extend(enabled.map(|skill| skill.id.clone()));
    }
    // The resolver of a precondition runs before the skill that waits for it.
    let waiting: Vec<&Skill> = routed.iter().filter_map(|id| facts.agent.skills.get(id)).collect();
    let preconditions = waiting.iter().filter_map(|skill| precondition(facts, skill));
    let resolvers: Vec<&Name> = preconditions
        .filter_map(|precondition| precondition.resolve_with.as_ref())
        .map(|resolver| &resolver.value)
        .collect();
    routed.extend(resolvers.into_iter().filter(|id| facts.agent.skills.contains_key(*id)).cloned().collect::<Vec<_>>());
    routed
}

/// Returns the precondition that a skill names, where it is bound (M335).
fn precondition<'a>(facts: &Facts<'a>, skill: &Skill) -> Option<&'a Precondition> {
    facts.agent.settings.preconditions.get(&skill.precondition.as_ref()?.value)
}

fn leads_to(facts: &Facts<'_>, skill: &Skill, routed: &mut BTreeSet<Name>) {
    let mut add = |id: &Name| {
        if facts.agent.skills.get(id).is_some_and(|target| !target.disabled) {
            routed.insert(id.clone());
        }
    };
    for token in skill.paragraphs.iter().flat_map(|paragraph| &paragraph.prose.tokens) {
        if let TokenKind::Skill(id) = &token.kind {
            add(id);
        }
    }
    for step in skill.blocks.iter().flat_map(|block| &block.steps) {
        if let StepKind::Call(target) | StepKind::Link(target) = &step.kind {
            add(&target.value);
        }
    }
    if facts.profile.tools_start_skills() {
        let files = facts.local(&skill.id).iter().chain(facts.imported(skill));
        files.flat_map(|file| &file.starts).for_each(&mut add);
    }
}

/// Returns whether a skill has a tool that may start any skill; one that isn't in view may.
fn leads_anywhere(facts: &Facts<'_>, skill: &Skill) -> bool {
    let mut files = facts.local(&skill.id).iter().chain(facts.imported(skill));
    facts.profile.tools_start_skills() && (!facts.has_tools || files.any(|file| file.has_unknown_starts))
}

/// Returns whether nothing keeps the gate of a skill shut for good.
fn can_open(facts: &Facts<'_>, values: &BTreeMap<Name, Values>, id: &Name) -> bool {
    let Some(skill) = facts.agent.skills.get(id) else { return false };
    let requires = skill.requires.as_ref().filter(|_| facts.profile.has_skill_requires());
    let satisfied = precondition(facts, skill).and_then(|precondition| precondition.satisfied_when.as_ref());
    requires.is_none_or(|gate| can_hold(facts, values, Some(skill), gate))
        && satisfied.is_none_or(|gate| can_hold(facts, values, None, gate))
}

/// Returns whether a gate can ever be true. One that doesn't parse can, for all that is known: it was reported.
pub(super) fn can_hold(facts: &Facts<'_>, values: &BTreeMap<Name, Values>, skill: Option<&Skill>, gate: &Gate) -> bool {
    let Some(condition) = &gate.condition else { return true };
    outcomes(&condition.root, &mut |reference| read(facts, values, skill, reference)).truth
}

/// Returns the values that a condition of a skill can see (M39, M326).
pub(super) fn read(
    facts: &Facts<'_>,
    values: &BTreeMap<Name, Values>,
    skill: Option<&Skill>,
    reference: &Reference,
) -> Values {
    let is_denied = skill.is_some_and(|skill| is_denied(facts, skill, &reference.key));
    match values.get(&reference.key) {
        Some(values) if !is_denied => values.clone(),
        // What is not declared is reported; what it might be is unknown.
        None if !is_denied => Values {
            known: vec![crate::value::Value::Null],
            any_of: Some(crate::agent::entry::EntryKind::Any),
            is_written: true,
        },
        Some(_) | None => Values::unset(),
    }
}

/// Returns whether the skill's access list withholds an entry from it (M37).
pub(super) fn is_denied(facts: &Facts<'_>, skill: &Skill, key: &str) -> bool {
    facts.profile.enforces_access_lists() && skill.deny_read.item(key).is_some()
}

/// Returns whether the engine starts a skill by its id (section 9.5).
pub(super) fn is_default(skill: &Skill) -> bool {
    skill.origin == SkillOrigin::Engine || skill.id.starts_with("default_")
}
