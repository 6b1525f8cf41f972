//! Conditions of the agent folder, evaluated in a session.

use super::State;
use super::access::{Active, ReadDecision, Site, read_as};
use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::condition::{Evaluation, Reading, evaluate};
use crate::profile::Profile;
use crate::value::Value;

/// What a gate came to; each reference in it with the decision of its read.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "nearly every gate is evaluated")]
pub enum GateDecision {
    /// The condition was evaluated.
    Evaluated(Evaluation<ReadDecision>),
    /// The text doesn't parse, so the gate is closed (M85).
    Unreadable,
}

impl GateDecision {
    /// Returns whether the gate is open.
    pub fn is_open(&self) -> bool {
        match self {
            GateDecision::Evaluated(evaluation) => evaluation.holds(),
            GateDecision::Unreadable => false,
        }
    }
}

/// Evaluates a gate with the rights of the skill whose file states it (M326); `None` for `agent.yml`. No answer is kept:
/// each site asks whenever it needs one (M66, M362).
pub fn gate(agent: &Agent, profile: Profile, state: &State, skill: Option<&str>, gate: &Gate) -> GateDecision {
    let Some(condition) = &gate.condition else { return GateDecision::Unreadable };
    let active = Active::of(agent, skill);
    GateDecision::Evaluated(evaluate(condition, |reference| {
        let why = read_as(agent, profile, state, active, Site::Condition, &reference.key);
        Reading { value: why.value().map_or(Value::Null, |value| Value::clone(value)), why }
    }))
}
