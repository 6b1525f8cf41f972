//! Whether a skill may start now, and how: the one place for it (M98 to M100, M141, M280, M281, M334, M335, M338).

use super::gate::{GateDecision, gate};
use super::{Parked, State};
use crate::agent::Agent;
use crate::agent::skill::Skill;
use crate::diagnostic::Place;
use crate::event::Activation;
use crate::name::Name;
use crate::profile::Profile;
use crate::rule::Rule;

/// Who wants a skill to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    /// The model, through `activate`.
    Model,
    /// An `@skill.` reference of the active prose.
    Reference,
    /// A tool that hands over.
    Tool,
    /// A `call:` or `link:` step.
    Step,
    /// A precondition that this skill resolves.
    Resolver,
    /// The engine.
    Engine,
}

impl Route {
    /// Returns what an event names as the cause of the start.
    pub fn activation(self) -> Activation {
        match self {
            Route::Model => Activation::Model,
            Route::Reference => Activation::Reference,
            Route::Tool => Activation::Tool,
            Route::Step => Activation::Step,
            Route::Resolver | Route::Engine => Activation::Engine,
        }
    }
}

/// Whether a skill may start, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct StartDecision {
    /// What happens.
    pub outcome: Start,
    /// The rule that decided.
    pub rule: Rule,
    /// The rules that were applied before, in order.
    pub tried: Vec<Rule>,
    /// The condition that decided, evaluated.
    pub gate: Option<GateDecision>,
    /// The authored line that is the reason.
    pub because: Option<Place>,
}

/// What happens to a skill that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// It starts from nothing.
    Fresh,
    /// It is on the stack and goes on (M280).
    Resumed,
    /// It waits while another skill makes its precondition hold (M335).
    Pending {
        /// That skill.
        resolver: Name,
    },
    /// It is on the stack already and nothing changes (M351).
    Ignored,
    /// It doesn't start.
    Refused,
}

impl StartDecision {
    /// Returns whether the skill starts or goes on, at once or behind its precondition.
    pub fn is_allowed(&self) -> bool {
        match self.outcome {
            Start::Fresh | Start::Resumed | Start::Pending { .. } => true,
            Start::Ignored | Start::Refused => false,
        }
    }
}

/// Decides whether `id` may start now.
pub fn may_start(agent: &Agent, profile: Profile, state: &State, id: &str, route: Route) -> StartDecision {
    let mut tried = Vec::new();
    let end = |outcome, rule, tried, because| StartDecision { outcome, rule, tried, gate: None, because };
    let Some(skill) = agent.skills.get(id) else { return end(Start::Refused, Rule::Startable, tried, None) };
    if !skill.has_entry() {
        return end(Start::Refused, Rule::Startable, tried, Some(skill.at.clone()));
    }
    tried.push(Rule::Startable);
    if let Some(decided) = on_the_stack(state, skill, route) {
        let (outcome, rule) = decided;
        return end(outcome, rule, tried, None);
    }
    if let Some(rule) = off_the_menu(skill, route, &mut tried) {
        return end(Start::Refused, rule, tried, Some(skill.at.clone()));
    }
    if let Some(requires) = skill.requires.as_ref().filter(|_| profile.has_skill_requires() && route != Route::Engine) {
        let decision = gate(agent, profile, state, Some(id), requires);
        let rule = if route == Route::Reference { Rule::ReferenceNeedsRequires } else { Rule::SkillRequires };
        if !decision.is_open() {
            let because = Some(requires.text.at.clone());
            return StartDecision { outcome: Start::Refused, rule, tried, gate: Some(decision), because };
        }
        tried.push(rule);
    }
    if let Some(pending) = behind_a_precondition(agent, profile, state, skill, route, &mut tried) {
        return pending;
    }
    let rule = tried.pop().expect("a skill that may start exists");
    end(Start::Fresh, rule, tried, None)
}

/// Returns whether what the skill's precondition asks for holds; true where it has none. A name that nothing binds never
/// holds.
pub fn precondition_holds(agent: &Agent, profile: Profile, state: &State, skill: &Skill) -> bool {
    let Some(name) = &skill.precondition else { return true };
    let bound = agent.settings.preconditions.get(&name.value);
    let condition = bound.and_then(|bound| bound.satisfied_when.as_ref());
    condition.is_some_and(|condition| gate(agent, profile, state, None, condition).is_open())
}

fn on_the_stack(state: &State, skill: &Skill, route: Route) -> Option<(Start, Rule)> {
    let frame = state.stack.iter().rev().find(|frame| frame.skill == skill.id)?;
    let is_running = state.top().is_some_and(|top| top.skill == skill.id && top.parked.is_none());
    Some(match (frame.parked, route) {
        (Some(Parked::Pending), _) => (Start::Refused, Rule::Precondition),
        (_, Route::Model) if is_running => (Start::Refused, Rule::TopIsNoTarget),
        (_, Route::Model) => (Start::Resumed, Rule::ParkedIsResumed),
        (_, Route::Reference | Route::Tool | Route::Step | Route::Resolver | Route::Engine) => {
            (Start::Ignored, Rule::HandOver)
        }
    })
}

/// Says which rule keeps the skill from being started on this route, whatever memory holds.
fn off_the_menu(skill: &Skill, route: Route, tried: &mut Vec<Rule>) -> Option<Rule> {
    if route == Route::Engine {
        return None;
    }
    if skill.disabled {
        return Some(Rule::Disabled);
    }
    tried.push(Rule::Disabled);
    match route {
        Route::Model if skill.engine_managed => Some(Rule::EngineManaged),
        Route::Model | Route::Reference if skill.hidden => Some(Rule::Hidden),
        Route::Model | Route::Reference | Route::Tool | Route::Step | Route::Resolver | Route::Engine => None,
    }
}

fn behind_a_precondition(
    agent: &Agent,
    profile: Profile,
    state: &State,
    skill: &Skill,
    route: Route,
    tried: &mut Vec<Rule>,
) -> Option<StartDecision> {
    let name = skill.precondition.as_ref().filter(|_| route != Route::Resolver && route != Route::Engine)?;
    let bound = agent.settings.preconditions.get(&name.value);
    let condition = bound.and_then(|bound| bound.satisfied_when.as_ref());
    let decision = condition.map(|condition| gate(agent, profile, state, None, condition));
    if decision.as_ref().is_some_and(GateDecision::is_open) {
        tried.push(Rule::Precondition);
        return None;
    }
    let resolver = bound.and_then(|bound| bound.resolve_with.as_ref()).map(|resolver| resolver.value.clone());
    let outcome = resolver.map_or(Start::Refused, |resolver| Start::Pending { resolver });
    let because = Some(condition.map_or(&name.at, |condition| &condition.text.at).clone());
    Some(StartDecision { outcome, rule: Rule::Precondition, tried: tried.clone(), gate: decision, because })
}
