//! Sessions and skills begin: seeding, topic changes, delegation, preconditions (M59, M275, M280, M335).

use std::sync::Arc;

use super::draft::Draft;
use super::steps::Wake;
use super::{CommandError, Delegate, Write};
use crate::digest::Digest;
use crate::event::{Activation, Actor, EventKind, UtterCause};
use crate::name::{Name, split_key};
use crate::session::access::WriteBy;
use crate::session::start::{Route, Start, may_start};
use crate::session::{CellState, Parked};
use crate::value::Value;

/// The skill that the engine runs when a session starts.
const SESSION_START: &str = "default_session_start";
/// The entry that holds the metadata of the session (M63a).
const SESSION_METADATA: &str = "session_started_metadata";

/// Tools start at most this many skills in a turn (M351).
const MOST_TOOL_STARTS: u32 = 10;

impl Draft<'_> {
    /// A session begins with empty memory and stack; marked entries are seeded, then the start skill runs (M287, M292).
    pub(super) fn start_session(&mut self, definition: Option<Digest>, metadata: Vec<(Name, Value)>) {
        let with_initial = self.agent.entries().filter(|entry| !entry.initial.is_null());
        let initial = with_initial.map(|entry| (entry.key.clone(), Arc::clone(&entry.initial))).collect();
        self.emit(EventKind::SessionStarted { definition, profile: Some(self.profile), initial });
        if self.profile.records_metadata() && !metadata.is_empty() {
            let whole = metadata.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
            let (key, value) = (Name::from(SESSION_METADATA), Arc::new(Value::Map(whole)));
            let writer = self.writer(Actor::Engine, None, None);
            self.emit(EventKind::MemoryWritten { key, value, writer });
        }
        for (name, value) in metadata {
            // A name that nothing declares is the channel's own and no refused wish.
            if self.agent.project.iter().any(|entry| entry.name == name) {
                self.store(Write { by: WriteBy::Seed, name, value, tool: None, call_id: None });
            }
        }
        if may_start(self.agent, self.profile, &self.state, SESSION_START, Route::Engine).outcome == Start::Fresh {
            self.begin(&Name::from(SESSION_START), Activation::Engine);
        }
    }

    /// The model starts a skill: the running one is parked as a digression (M275), a parked one goes on (M280).
    pub(super) fn activate(&mut self, skill: &Name) {
        let decision = may_start(self.agent, self.profile, &self.state, skill, Route::Model);
        match decision.outcome {
            Start::Fresh => {
                self.leave_running(None);
                self.begin(skill, Activation::Model);
            }
            Start::Resumed => {
                self.leave_running(Some(skill));
                self.resume(skill);
            }
            Start::Pending { resolver } => {
                self.leave_running(Some(&resolver));
                self.pend(skill, &resolver, Activation::Model);
            }
            Start::Refused => {
                let (by, rule) = (Activation::Model, decision.rule);
                self.emit(EventKind::SkillRefused { skill: skill.clone(), by, rule });
            }
            Start::Ignored => {}
        }
    }

    /// The running prose or a tool runs another skill and goes on when that is done.
    ///
    /// What a tool hands over to waits while a tool of the same turn waits for a yes: they were called together (M351).
    pub(super) fn delegate(&mut self, skill: &Name, by: Delegate) -> Result<(), CommandError> {
        self.running().ok_or(CommandError::NothingActive)?;
        let waits = self.state.is_asked && self.state.pending_confirmation().is_some();
        if by == Delegate::Tool && waits {
            self.emit(EventKind::SkillDeferred { skill: skill.clone() });
            return Ok(());
        }
        self.hand_over(
            skill,
            match by {
                Delegate::Reference => Route::Reference,
                Delegate::Tool => Route::Tool,
            },
        );
        Ok(())
    }

    /// Starts what waited for the user's answer, in the order in which it was asked for (M351).
    pub(super) fn start_deferred(&mut self, skills: &[Name]) {
        for skill in skills {
            self.hand_over(skill, Route::Tool);
        }
    }

    /// A step of the running block runs another skill.
    pub(super) fn call(&mut self, skill: &Name) -> Result<(), CommandError> {
        self.running().filter(|frame| frame.block.is_some()).ok_or(CommandError::NotInBlock)?;
        self.hand_over(skill, Route::Step);
        Ok(())
    }

    /// Runs another skill above the running one. Returns whether one runs now.
    pub(super) fn hand_over(&mut self, skill: &Name, route: Route) -> bool {
        if route == Route::Tool && self.state.tool_starts >= MOST_TOOL_STARTS {
            let (by, rule) = (route.activation(), crate::rule::Rule::HandOver);
            self.emit(EventKind::SkillRefused { skill: skill.clone(), by, rule });
            return false;
        }
        let decision = may_start(self.agent, self.profile, &self.state, skill, route);
        match decision.outcome {
            Start::Fresh => self.begin(skill, route.activation()),
            Start::Pending { resolver } => self.pend(skill, &resolver, route.activation()),
            Start::Refused => {
                let (by, rule) = (route.activation(), decision.rule);
                self.emit(EventKind::SkillRefused { skill: skill.clone(), by, rule });
                return false;
            }
            Start::Ignored | Start::Resumed => return false,
        }
        true
    }

    /// Starts a skill from nothing: its entries return to their initial values before anything else (M54).
    pub(super) fn begin(&mut self, id: &Name, by: Activation) {
        self.begin_with(id, by, None);
    }

    /// Starts a skill with a write of the engine before its first step.
    pub(super) fn begin_with(&mut self, id: &Name, by: Activation, first: Option<Write>) {
        if !self.may_move() {
            return;
        }
        let written = self.state.memory.iter().filter(|(key, cell)| {
            let is_own = split_key(key).is_some_and(|(space, _)| *id == space);
            is_own && cell.set_at.is_some() && cell.state != CellState::Reset
        });
        let keys: Vec<Name> = written.map(|(key, _)| key.clone()).collect();
        for key in keys {
            let value = self.state.initial.get(&key).cloned().unwrap_or_default();
            self.emit(EventKind::MemoryReset { key, value });
        }
        self.emit(EventKind::SkillActivated { skill: id.clone(), by });
        if let Some(first) = first {
            self.store(first);
        }
        let Some(skill) = self.skill(id) else { return };
        for trigger in skill.utter.iter().filter(|trigger| trigger.on_activate) {
            self.say(&trigger.response.value, UtterCause::Activation, Some(id));
        }
        if skill.paragraphs.is_empty()
            && let Some(block) = skill.entry_block(self.profile)
        {
            self.emit(EventKind::BlockEntered { skill: id.clone(), block: block.id.clone() });
            self.run_steps(Wake::Arrived);
        }
    }

    /// A parked skill goes on where it was left.
    pub(super) fn resume(&mut self, skill: &Name) {
        let step = self.step_of(skill);
        self.emit(EventKind::SkillResumed { skill: skill.clone(), step: step.clone() });
        let block = self.running().filter(|frame| frame.skill == *skill).and_then(|frame| frame.block.clone());
        if let Some(block) = block {
            self.emit(EventKind::BlockResumed { skill: skill.clone(), block, step });
        }
    }

    /// A skill waits until `resolver` has made its precondition hold (M335).
    fn pend(&mut self, skill: &Name, resolver: &Name, by: Activation) {
        let runs_already = self.running().is_some_and(|frame| frame.skill == *resolver);
        self.emit(EventKind::SkillPending { skill: skill.clone(), resolver: resolver.clone() });
        if runs_already {
            return;
        }
        match may_start(self.agent, self.profile, &self.state, resolver, Route::Resolver).outcome {
            Start::Fresh => self.begin(resolver, Activation::Engine),
            Start::Ignored | Start::Resumed => self.resume(resolver),
            Start::Refused | Start::Pending { .. } => {
                let rule = crate::rule::Rule::Precondition;
                self.emit(EventKind::SkillRefused { skill: skill.clone(), by, rule });
                self.release();
            }
        }
    }

    /// Parks what runs because the user changes the topic, unless it is `to` itself. The engine's own skills are given
    /// up: nobody is asked to go on with a question of the engine.
    fn leave_running(&mut self, to: Option<&Name>) {
        let Some(frame) = self.running().filter(|frame| to != Some(&frame.skill)) else { return };
        let (skill, block) = (frame.skill.clone(), frame.block.clone());
        let step = self.step_of(&skill);
        if self.skill(&skill).is_some_and(|skill| skill.engine_managed) {
            return self.give_up(&skill);
        }
        if let Some(block) = block {
            self.emit(EventKind::BlockInterrupted { skill: skill.clone(), block, step: step.clone() });
        }
        self.emit(EventKind::SkillInterrupted { skill, step });
    }

    /// Lets what waited for a skill that never came go on.
    fn release(&mut self) {
        let waits = self.state.top().is_some_and(|top| top.parked == Some(Parked::Delegation));
        if waits && let Some(skill) = self.state.active_skill().cloned() {
            self.resume(&skill);
        }
    }
}
