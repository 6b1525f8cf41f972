//! What a skill says in its frontmatter: routes to it, completion, preconditions (M98 to M117, M286 to M289, M334, M335).

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, beginning_of, meant};
use super::reach::{Reach, is_default};
use crate::agent::block::StepKind;
use crate::agent::skill::Skill;
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::name::Name;

/// The skill that declines what no task covers; the engine alone starts it (M289).
const SCOPE_HANDLER: &str = "default_unsupported_request_handler";
/// The skill that asks whether the user is still there.
const SILENCE: &str = "default_silence_timeout";

/// Checks every skill.
pub(super) fn check(facts: &Facts<'_>, reach: &Reach, found: &mut Vec<Diagnostic>) {
    if facts.skills().next().is_none() {
        let message = "the folder has no skill, so it is no agent";
        let diagnostic = Diagnostic::error(code::AGENT_NO_SKILL, beginning_of("skills"), message);
        found.push(diagnostic.help("add skills/<id>/skill.md"));
    }
    let mut by_case: BTreeMap<String, &Skill> = BTreeMap::new();
    for skill in facts.skills() {
        if let Some(other) = by_case.insert(skill.id.to_lowercase(), skill) {
            let message =
                format!("`{}` and `{}` differ in capitals alone, and some file systems can't tell", other.id, skill.id);
            found.push(Diagnostic::warning(code::SKILL_DOUBLE_ID, skill.at.clone(), message));
        }
        check_routes(reach, skill, found);
        check_completion(facts, skill, found);
        check_precondition(facts, skill, found);
        check_default(facts, skill, found);
    }
    for id in &facts.agent.settings.before_end {
        if !facts.agent.skills.contains_key(&id.value) {
            let message = format!("there is no skill `{}`", id.value);
            let diagnostic = Diagnostic::warning(code::AGENT_UNKNOWN_SKILL, id.at.clone(), message);
            found.push(diagnostic.help_if(meant(&id.value, facts.agent.skills.keys().map(Name::as_str))));
        }
    }
}

fn check_routes(reach: &Reach, skill: &Skill, found: &mut Vec<Diagnostic>) {
    if reach.routed.contains(&skill.id) || skill.disabled || !skill.has_entry() {
        return;
    }
    let why = if skill.hidden { "is hidden" } else { "leaves its start to the engine" };
    let message = format!("the skill `{}` {why}, and nothing calls, links or names it", skill.id);
    let help = match skill.hidden {
        true => "call it from a block, or remove `hidden`",
        false => "call it from a block, name it as @skill, or remove `engine_managed`",
    };
    found.push(Diagnostic::warning(code::SKILL_UNREACHED, skill.at.clone(), message).help(help));
}

fn check_completion(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let Some(complete) = &skill.complete_when else { return };
    let at = match (&complete.condition, complete.criteria.first()) {
        (Some(gate), _) => &gate.text.at,
        (None, Some(first)) => &first.at,
        (None, None) => &skill.at,
    };
    if skill.paragraphs.is_empty() && !skill.blocks.is_empty() {
        let message = "`complete_when` ends prose, and this skill has blocks alone";
        let severity = match facts.profile.has_complete_when_mapping() {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let diagnostic = Diagnostic::warning(code::SKILL_COMPLETE_WHEN_BLOCKS, at.clone(), message);
        found.push(Diagnostic { severity, ..diagnostic }.help("end the block with a step `END`"));
    }
    if complete.condition.is_none() && complete.criteria.is_empty() && facts.profile.has_complete_when_mapping() {
        let message = "`complete_when` needs `condition` or `criteria`";
        found.push(Diagnostic::error(code::SKILL_COMPLETE_WHEN_EMPTY, at.clone(), message));
    }
    let mut seen = BTreeSet::new();
    for criterion in &complete.criteria {
        if !seen.insert(criterion.value.trim()) {
            let message = "this criterion stands here twice";
            found.push(Diagnostic::error(code::SKILL_DOUBLE_CRITERION, criterion.at.clone(), message));
        }
    }
}

fn check_precondition(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let Some(name) = &skill.precondition else { return };
    let bound = &facts.agent.settings.preconditions;
    let Some(precondition) = bound.get(&name.value) else {
        let message = format!("agent.yml binds no precondition `{}`", name.value);
        let diagnostic = Diagnostic::error(code::SKILL_UNBOUND_PRECONDITION, name.at.clone(), message);
        let help = meant(&name.value, bound.keys().map(Name::as_str));
        let help = help.unwrap_or_else(|| "bind it under `orchestrator.preconditions`".to_owned());
        found.push(diagnostic.help(help));
        return;
    };
    let Some(resolver) = &precondition.resolve_with else { return };
    let problem = match facts.agent.skills.get(&resolver.value) {
        None => format!("there is no skill `{}` to resolve `{}`", resolver.value, name.value),
        Some(target) if target.precondition.is_some() => {
            format!("`{}` resolves `{}` and must not have a precondition itself", resolver.value, name.value)
        }
        Some(_) => return,
    };
    if !found.iter().any(|other| other.at == resolver.at) {
        let diagnostic = Diagnostic::error(code::AGENT_RESOLVER, resolver.at.clone(), problem);
        found.push(diagnostic.help_if(meant(&resolver.value, facts.agent.skills.keys().map(Name::as_str))));
    }
}

/// Checks a replacement of a bundled skill (M289).
fn check_default(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    if !is_default(skill) {
        return;
    }
    if skill.id == SCOPE_HANDLER && !skill.engine_managed {
        let message = "the engine alone starts this skill, so it can't be on the menu";
        let diagnostic = Diagnostic::error(code::SKILL_ENGINE_MANAGED, skill.at.clone(), message);
        found.push(diagnostic.help("remove `engine_managed: false`"));
    }
    let steps = skill.blocks.iter().flat_map(|block| &block.steps);
    let mut actions = steps.filter_map(|step| match &step.kind {
        StepKind::Action(action) => Some(action),
        _ => None,
    });
    let is_silence = skill.id == SILENCE && facts.profile.has_hangup_skill();
    if let Some(hangup) = actions.find(|action| is_silence && action.value == "hangup") {
        let message = "hanging up belongs to `default_silence_timeout_hangup`";
        found.push(Diagnostic::error(code::SKILL_SILENCE_HANGUP, hangup.at.clone(), message));
    }
}
