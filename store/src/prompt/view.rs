//! What the sections ask: who is active and where it stands, what it may read, which gates hold.

use crate::agent::Agent;
use crate::agent::block::{Block, Collect, Step, StepKind};
use crate::agent::gate::Gate;
use crate::agent::skill::Skill;
use crate::name::Name;
use crate::profile::Profile;
use crate::session::access::{self, Found, ReadDecision, Reader, Site};
use crate::session::gate::{GateDecision, gate};
use crate::session::prose::{PII_MARK, shown};
use crate::session::{CellState, Frame, Parked, State};

use super::moment::{Channel, Moment};
use super::{Piece, Situation, Source, reason};

/// Everything that a prompt is rendered from.
pub(super) struct View<'a> {
    pub(super) agent: &'a Agent,
    pub(super) profile: Profile,
    pub(super) state: &'a State,
    pub(super) moment: &'a Moment,
    pub(super) situation: Situation,
    /// The skill on top of the stack.
    pub(super) active: Option<Active<'a>>,
}

/// The skill on top of the stack, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Active<'a> {
    pub(super) id: &'a Name,
    /// `None` where the folder has no such skill.
    pub(super) skill: Option<&'a Skill>,
    /// The block in charge, by id; `None` in prose.
    pub(super) block_id: Option<&'a Name>,
    /// The block in charge, where the folder has it.
    pub(super) block: Option<&'a Block>,
    /// The step of the block.
    pub(super) step: Option<&'a Step>,
}

/// The engine's skill that declines what the agent can't do.
const SCOPE_HANDLER: &str = "default_unsupported_request_handler";

impl<'a> View<'a> {
    /// Looks at a moment.
    pub(super) fn new(agent: &'a Agent, profile: Profile, state: &'a State, moment: &'a Moment) -> View<'a> {
        let active = state.top().map(|frame| Active::of(agent, profile, frame));
        let situation = match &active {
            _ if moment.searched.is_some() => Situation::Knowledge,
            None => Situation::Routing,
            Some(active) if *active.id == SCOPE_HANDLER => Situation::ScopeHandler,
            Some(active) if active.block_id.is_some() => Situation::Block,
            Some(_) => Situation::Prose,
        };
        View { agent, profile, state, moment, situation, active }
    }

    /// Returns the active skill, where the folder has it.
    pub(super) fn skill(&self) -> Option<&'a Skill> {
        self.active.and_then(|active| active.skill)
    }

    /// Returns what the prompt shows of an entry that is set and that the active skill may read (M257).
    pub(super) fn shown(&self, key: &str) -> Option<Piece> {
        let reader = Reader { skill: self.active.map(|active| active.id.as_str()), site: Site::Prompt };
        let decision = access::read(self.agent, self.profile, self.state, reader, key);
        let is_pii = self.agent.entry(key).is_some_and(|entry| entry.pii);
        let value = decision.value()?;
        let text = if is_pii { PII_MARK.to_owned() } else { shown(value) };
        Some(Piece { text, origin: self.origin(&decision) })
    }

    /// Returns where the value of a read comes from: its event, or for an initial value the line that declares it.
    pub(super) fn origin(&self, decision: &ReadDecision) -> Source {
        let Found::Value { state, set_at, declared_at, .. } = &decision.found else { return Source::Builtin };
        let entry = decision.key.as_ref().and_then(|key| self.agent.entry(key));
        let declared = declared_at.as_ref().or(entry.map(|entry| &entry.at)).map(Source::file);
        let event = set_at.map(|position| Source::Event { position, key: decision.key.clone() });
        let origin = match state {
            CellState::Set | CellState::Cleared => event.or(declared),
            CellState::Initial | CellState::Reset => declared.or(event),
        };
        origin.unwrap_or(Source::Builtin)
    }

    /// Returns why a gate is closed for the skill whose file states it (M326); `None` where it is open.
    pub(super) fn refusal(&self, written: &Gate, owner: &Skill) -> Option<String> {
        let decision = gate(self.agent, self.profile, self.state, Some(&owner.id), written);
        match &decision {
            decision if decision.is_open() => None,
            GateDecision::Evaluated(evaluation) => Some(reason::closed(self.agent, written, evaluation)),
            GateDecision::Unreadable => Some(reason::unreadable(written)),
        }
    }

    /// Returns the frame that goes on when the top one is done: the prose around a block, or the skill that called.
    pub(super) fn parent(&self) -> Option<&'a Frame> {
        let active = self.active?;
        let has_prose = active.skill.is_some_and(|skill| !skill.paragraphs.is_empty());
        // Beneath a digression nothing waits for this task.
        let below = self.state.stack.iter().rev().skip(1);
        let mut waiting = below.take_while(|frame| frame.parked != Some(Parked::Digression));
        waiting.find(|frame| match frame.parked {
            Some(Parked::Delegation) => true,
            Some(Parked::Reference) => has_prose,
            Some(Parked::Digression | Parked::Pending) | None => false,
        })
    }

    /// Returns the unfilled collect that the active block waits at, if it does.
    pub(super) fn collect(&self) -> Option<&'a Collect> {
        let active = self.active?;
        let StepKind::Collect(collect) = &active.step?.kind else { return None };
        let key = format!("{}.{}", active.id, collect.entry.value);
        (collect.ask_before_filling || self.state.value(&key).is_none()).then_some(collect)
    }

    /// Returns whether tool calls are acknowledged in words (M332).
    pub(super) fn has_fillers(&self) -> bool {
        match &self.agent.settings.fillers.enabled {
            Some(enabled) => enabled.value,
            None => self.moment.channel == Channel::Voice,
        }
    }
}

impl<'a> Active<'a> {
    fn of(agent: &'a Agent, profile: Profile, frame: &'a Frame) -> Active<'a> {
        let skill = agent.skills.get(&frame.skill);
        // A skill of blocks only is never without a block, though its own frame comes first.
        let entry = skill.filter(|skill| skill.paragraphs.is_empty()).and_then(|skill| skill.entry_block(profile));
        let block_id = frame.block.as_ref().or(entry.map(|block| &block.id));
        let block = skill.zip(block_id).and_then(|(skill, id)| skill.block(id));
        let step = block.and_then(|block| match &frame.step {
            Some(step) => block.step(step),
            None => block.steps.first(),
        });
        Active { id: &frame.skill, skill, block_id, block, step }
    }
}
