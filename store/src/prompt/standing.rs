//! Where in a prompt the prose of a skill stands, if it does.

use super::Situation;
use super::moment::Moment;
use super::view::View;
use crate::agent::Agent;
use crate::agent::block::Step;
use crate::name::Name;
use crate::profile::Profile;
use crate::session::State;

/// Where the paragraphs of a skill stand in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The skill is active and its prose is in charge.
    Instructions,
    /// The skill or block in charge returns to it when it is done: they stand there as context.
    Parent,
    /// The skill is active and this ordered block is in charge: what its step says stands there instead.
    Block(Name),
    /// A search ran in this turn: what it found stands there instead of any prose (M245).
    Searched,
    /// Another skill is active, or none.
    Nowhere,
}

/// Returns where the paragraphs of `skill` stand in the prompt of a moment.
pub fn standing(agent: &Agent, profile: Profile, state: &State, moment: &Moment, skill: &str) -> Standing {
    let view = View::new(agent, profile, state, moment);
    let Some(active) = view.active else { return Standing::Nowhere };
    let is_active = *active.id == *skill;
    if view.situation == Situation::Knowledge {
        return if is_active { Standing::Searched } else { Standing::Nowhere };
    }
    if view.parent().is_some_and(|below| below.skill == *skill) {
        return Standing::Parent;
    }
    match active.block_id.filter(|_| is_active) {
        Some(block) => Standing::Block(block.clone()),
        None if is_active => Standing::Instructions,
        None => Standing::Nowhere,
    }
}

/// Returns whether the words of a step, which is one of `agent`, stand in the prompt of a moment.
pub fn is_current(agent: &Agent, profile: Profile, state: &State, moment: &Moment, step: &Step) -> bool {
    let view = View::new(agent, profile, state, moment);
    let current = view.active.and_then(|active| active.step);
    view.situation != Situation::Knowledge && current.is_some_and(|current| std::ptr::eq(current, step))
}
