//! The prompt of a model call: what was read for it, which paragraphs were shown, what was offered.

use super::event::evaluated;
use super::made::{GateOf, Made, Via};
use crate::agent::Agent;
use crate::agent::skill::Skill;
use crate::agent::tools::Tools;
use crate::diagnostic::Place;
use crate::name::Name;
use crate::prompt::decided::{offered, reads};
use crate::replay::Session;
use crate::session::State;
use crate::session::gate::gate;
use crate::session::start::{Route, may_start};

/// How much of a call is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Reads and markers.
    Reads,
    /// The skills and tools on offer, too.
    Offers,
}

/// Hands each decision of a model call that saw `state` to `found`.
pub(super) fn visit(session: &Session, state: &State, depth: Depth, found: &mut dyn FnMut(Made<'_>)) {
    let Some(agent) = session.agent.as_deref() else { return };
    let profile = session.profile.profile;
    let moment = session.moment(agent, state.position);
    let prompt = reads(agent, profile, state, &moment);
    for read in prompt.reads {
        let via = read.token.map_or(Via::Listing, Via::Prose);
        found(Made::Read { decision: read.decision, via });
    }
    for marker in prompt.markers {
        evaluated(marker.gate, Some(marker.skill), marker.decision, GateOf::Paragraph, found);
    }
    if depth == Depth::Reads {
        return;
    }
    let offered = offered(agent, profile, state, &moment);
    for target in offered.targets {
        found(Made::SkillOffer { skill: target, withheld: None, decision: None });
    }
    for (skill, why) in offered.withheld {
        let declared = agent.skills.get(&skill);
        if let Some(requires) = declared.and_then(|skill| skill.requires.as_ref()) {
            let decision = gate(agent, profile, state, Some(&skill), requires);
            evaluated(requires, Some(&skill), decision, GateOf::Skill(&skill), found);
        }
        let decision = Some(may_start(agent, profile, state, &skill, Route::Model));
        found(Made::SkillOffer { skill, withheld: Some(why), decision });
    }
    let active = state.active_skill().and_then(|id| agent.skills.get(id));
    for tool in offered.tools {
        let constraint = active.and_then(|skill| skill.constraint(&tool.name));
        let requires = constraint.and_then(|constraint| constraint.requires.as_ref());
        if let (Some(skill), Some(requires)) = (active, requires) {
            let decision = gate(agent, profile, state, Some(&skill.id), requires);
            evaluated(requires, Some(&skill.id), decision, GateOf::Tool(&tool.name), found);
        }
        let at = requires.map(|requires| &requires.text.at).or_else(|| declared(agent, active, &tool.name));
        found(Made::ToolOffer { at, tool });
    }
}

/// Returns the line that declares a tool, or switches a built-in one off.
fn declared<'a>(agent: &'a Agent, skill: Option<&'a Skill>, name: &Name) -> Option<&'a Place> {
    let lever = agent.settings.levers.get(name).and_then(|lever| lever.enabled.as_ref());
    if let Some(enabled) = lever {
        return Some(&enabled.at);
    }
    let skill = skill?;
    let of = |tools: &'a Tools| tools.get(name).map(|tool| &tool.name.at);
    let import = skill.import_tools.iter().find(|import| import.value.tool == *name).map(|import| &import.at);
    of(&skill.tools).or(import).or_else(|| of(&agent.tools))
}
