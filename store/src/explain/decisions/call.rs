//! The prompt of a model call: what was read for it, which paragraphs were shown, what was offered.

use std::ops::ControlFlow;

use super::event::evaluated;
use super::interest::{Enough, Interest};
use super::made::{GateOf, Made, Via};
use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::agent::skill::Skill;
use crate::profile::Profile;
use crate::prompt::decided::{Marker, Offer, PromptDecision, Wanted, offered, offers, reads};
use crate::replay::Session;
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::{KnownReader, Reader, Site};
use crate::session::gate::gate;
use crate::session::start::{Route, may_start};

/// Hands each read and gate of a model call that saw `state` to `found`, as far as it is asked for, until that is enough.
pub(super) fn visit(
    session: &Session,
    state: &State,
    interest: &Interest<'_>,
    enough: &Enough,
    found: &mut dyn FnMut(Made<'_>),
) {
    let Some(agent) = session.agent.as_deref() else { return };
    let profile = session.profile.profile;
    let moment = session.moment_of_decisions(state.position);
    let wanted = Wanted {
        key: &|key| interest.may_be_read(key),
        outcome: &|key, outcome, value| interest.is_read(key, outcome, value),
        gates: interest.has_gates(),
        enough,
    };
    let mut markers = Vec::new();
    reads(agent, profile, state, &moment, wanted, &mut |decided| match decided {
        PromptDecision::Read(decision, token) => {
            found(Made::Read { decision, via: token.map_or(Via::Listing, Via::Prose) });
        }
        PromptDecision::Marker(marker) => markers.push(marker),
    });
    for Marker { gate, skill, decision } in &markers {
        evaluated(gate, Some(skill), decision, GateOf::Paragraph, found);
    }
    let active = state.active_skill().and_then(|id| agent.skills.get(id));
    requirements(agent, profile, state, active, wanted, found);
}

/// Hands everything that a model call which saw `state` was offered, and what was withheld, to `found`.
pub(super) fn visit_offers(session: &Session, state: &State, found: &mut dyn FnMut(Made<'_>)) {
    let Some(agent) = session.agent.as_deref() else { return };
    let profile = session.profile.profile;
    let active = state.active_skill().and_then(|id| agent.skills.get(id));
    let offered = offered(agent, profile, state, &session.moment_of_decisions(state.position));
    for target in offered.targets {
        found(Made::SkillOffer { skill: target, withheld: None, decision: None });
    }
    for (skill, why) in offered.withheld {
        let decision = Some(may_start(agent, profile, state, &skill, Route::Model));
        found(Made::SkillOffer { skill, withheld: Some(why), decision });
    }
    for tool in offered.tools {
        let constraint = active.and_then(|skill| skill.constraint(&tool.name));
        let requires = constraint.and_then(|constraint| constraint.requires.as_ref());
        let requires = requires.map(|requires| (Rule::ToolRequires, &requires.text.at));
        let switch = agent.settings.levers.get(&tool.name).and_then(|lever| lever.enabled.as_ref());
        let reason = switch.map(|switch| (Rule::LeverOff, &switch.at)).filter(|_| !tool.offered).or(requires);
        found(Made::ToolOffer { tool, reason });
    }
}

/// Hands the first offer with each verdict that is asked for to `found`, until that is enough: who looks through a session
/// asks whether there is one.
pub(super) fn visit_first_offers(
    session: &Session,
    state: &State,
    interest: &Interest<'_>,
    enough: &Enough,
    found: &mut dyn FnMut(Made<'_>),
) {
    let Some(agent) = session.agent.as_deref().filter(|_| interest.has_offers() && !enough.get()) else { return };
    let moment = session.moment_of_decisions(state.position);
    let mut asked = interest.offers();
    let _ = offers(agent, session.profile.profile, state, &moment, &mut |offer| {
        let made = match offer {
            Offer::Tool(tool) => Made::ToolOffer { tool, reason: None },
            Offer::Target(skill) => Made::SkillOffer { skill, withheld: None, decision: None },
            Offer::Withheld(skill, why) => Made::SkillOffer { skill, withheld: Some(why), decision: None },
        };
        if asked.take(made.verdict()) {
            found(made);
        }
        if asked.is_empty() || enough.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

/// The conditions on which other skills and the tools of the active one are offered.
fn requirements(
    agent: &Agent,
    profile: Profile,
    state: &State,
    active: Option<&Skill>,
    wanted: Wanted<'_>,
    found: &mut dyn FnMut(Made<'_>),
) {
    let is_wanted = |skill: &Skill, gate: &&Gate| {
        let reader = Reader { skill: Some(&skill.id), site: Site::Condition };
        wanted.is_asked(&KnownReader::of(agent, profile, reader), state, gate)
    };
    let is_asked = |skill: &&Skill| {
        let is_active = active.is_some_and(|active| active.id == skill.id);
        !is_active && !skill.disabled && !skill.hidden && !skill.engine_managed
    };
    for skill in agent.skills.values().filter(is_asked).filter(|_| profile.has_skill_requires()) {
        if let Some(requires) = skill.requires.as_ref().filter(|gate| is_wanted(skill, gate)) {
            let decision = gate(agent, profile, state, Some(&skill.id), requires);
            evaluated(requires, Some(&skill.id), &decision, GateOf::Skill(&skill.id), found);
        }
    }
    let Some(skill) = active else { return };
    for constraint in &skill.tool_constraints {
        if let Some(requires) = constraint.requires.as_ref().filter(|gate| is_wanted(skill, gate)) {
            let decision = gate(agent, profile, state, Some(&skill.id), requires);
            evaluated(requires, Some(&skill.id), &decision, GateOf::Tool(&constraint.tool.value), found);
        }
    }
}
