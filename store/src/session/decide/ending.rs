//! Skills end: completion, cancellation and what it takes with it, and what goes on beneath (M276 to M284).

use super::draft::Draft;
use super::steps::Wake;
use super::{Answer, CommandError, Write};
use crate::event::{Activation, Actor, EventKind, ToolCall, ToolCaller, UtterCause};
use crate::name::Name;
use crate::rule::Rule;
use crate::session::access::WriteBy;
use crate::session::gate::gate;
use crate::session::start::{Route, Start, may_start, precondition_holds};
use crate::session::{PENDING_CONFIRMATION, Parked};
use crate::value::Value;

/// The engine's skill that asks whether a parked task goes on (M278).
pub(super) const CONTINUE_INTERRUPTED: &str = "default_continue_interrupted";
/// The engine's skill that wraps up when nothing is left (M283).
const COMPLETED: &str = "default_completed";
/// The engine's skill that declines what the agent can't do.
const DECLINES: &str = "default_unsupported_request_handler";
/// What it declines (M366).
const REQUEST_TYPE: &str = "default_unsupported_request_handler.request_type";
/// What the user answered to the resume question.
const WANTS_TO_RESUME: &str = "default_continue_interrupted.wants_to_resume";
/// The task that the resume question is about (M366).
const TASK_NAME: &str = "default_continue_interrupted.interrupted_task_name";
/// What is said when a precondition was not met (M335).
const UNMET: &str = "utter_precondition_unmet";

impl Draft<'_> {
    /// The model completes the running skill, unless something has to be done first.
    ///
    /// Criteria are a model's to judge: `met` says what it found. It fails closed (M112).
    pub(super) fn complete(&mut self, met: Option<&[bool]>) -> Result<(), CommandError> {
        let frame = self.running().ok_or(CommandError::NothingActive)?;
        let (skill, in_block) = (frame.skill.clone(), frame.block.is_some());
        let tool = self.profile.lifecycle_tools().0;
        let unfinished = || {
            let condition = self.skill(&skill)?.complete_when.as_ref()?.condition.as_ref()?;
            Some(gate(self.agent, self.profile, &self.state, Some(&skill), condition)).filter(|gate| !gate.is_open())
        };
        let refusal = if self.is_off(tool) {
            Some(Rule::LeverOff)
        } else if in_block {
            Some(Rule::BlockEndsByItself)
        } else if self.state.pending_confirmation().is_some() {
            Some(Rule::ConfirmationFirst)
        } else if self.profile.completes_by_condition_only() && unfinished().is_some() {
            Some(Rule::ConditionCompletes)
        } else {
            let criteria =
                self.skill(&skill).and_then(|skill| skill.complete_when.as_ref()).map_or(0, |when| when.criteria.len());
            match met {
                None if criteria > 0 => return Err(CommandError::NotJudged),
                Some(met) if met.len() != criteria || met.contains(&false) => Some(Rule::CriteriaJudged),
                None | Some(_) => None,
            }
        };
        match refusal {
            Some(rule) => self.refuse_lifecycle(tool, rule),
            None => self.finish(&skill),
        }
        Ok(())
    }

    /// The model cancels the running skill; on the resume question the parked task is dropped (M282).
    pub(super) fn cancel(&mut self) -> Result<(), CommandError> {
        let tool = self.profile.lifecycle_tools().1;
        if self.is_off(tool) {
            self.refuse_lifecycle(tool, Rule::LeverOff);
            return Ok(());
        }
        if self.offered().is_some() {
            return self.answer_resume(Answer::No);
        }
        let mut skill = self.running_skill().ok_or(CommandError::NothingActive)?;
        let first = skill.clone();
        // What called it, and what called that, is given up with it.
        loop {
            self.give_up(&skill);
            match self.state.top() {
                Some(caller) if caller.parked == Some(Parked::Delegation) => skill = caller.skill.clone(),
                Some(_) | None => break,
            }
        }
        self.settle(&first);
        Ok(())
    }

    /// The model declines a request: the engine's skill says so, and what ran goes on afterwards.
    pub(super) fn decline(&mut self, in_domain: bool) {
        let word = if in_domain { "in_domain_out_of_scope" } else { "out_of_domain_out_of_scope" };
        let (name, value) = (Name::from(REQUEST_TYPE), Value::Text(word.to_owned()));
        let write = Write { by: WriteBy::Engine, name, value, tool: None, call_id: None };
        self.begin_with(&Name::from(DECLINES), Activation::Engine, Some(write));
    }

    /// The user answers whether the parked task goes on (M278).
    pub(super) fn answer_resume(&mut self, answer: Answer) -> Result<(), CommandError> {
        let offered = self.offered().ok_or(CommandError::NothingOffered)?;
        if self.running().is_some() {
            // The engine's question is on the stack: its own entry takes the answer, then the question is over.
            let value = Value::Bool(answer == Answer::Yes);
            let by = WriteBy::Engine;
            self.store(Write { by, name: Name::from(WANTS_TO_RESUME), value, tool: None, call_id: None });
            let question = Name::from(CONTINUE_INTERRUPTED);
            let block = self.running().and_then(|frame| frame.block.clone());
            if let Some(block) = block {
                let step = self.step_of(&question);
                self.emit(EventKind::BlockCompleted { skill: question.clone(), block, step });
            }
            self.emit(EventKind::SkillCompleted { skill: question });
        }
        match answer {
            Answer::Yes => self.resume(&offered),
            Answer::No => {
                self.give_up(&offered);
                self.settle(&offered);
            }
        }
        Ok(())
    }

    /// A skill reaches its end.
    pub(super) fn finish(&mut self, skill: &Name) {
        self.emit(EventKind::SkillCompleted { skill: skill.clone() });
        self.settle(skill);
    }

    /// Completes the skill in charge if its prose runs and its `complete_when` holds (M109, M113, M116). Criteria are a
    /// model's business (M112).
    pub(super) fn complete_if_done(&mut self) {
        let Some(frame) = self.running().filter(|frame| frame.block.is_none()) else { return };
        let id = frame.skill.clone();
        let complete_when = self.skill(&id).and_then(|skill| skill.complete_when.as_ref());
        let Some(complete_when) = complete_when.filter(|complete_when| complete_when.criteria.is_empty()) else {
            return;
        };
        let holds = complete_when
            .condition
            .as_ref()
            .is_some_and(|condition| gate(self.agent, self.profile, &self.state, Some(&id), condition).is_open());
        if holds && self.state.pending_confirmation().is_none() && self.may_move() {
            self.finish(&id);
        }
    }

    /// Gives a skill up: its blocks from the top down, then the skill, and the question about a tool call of its (M364).
    pub(super) fn give_up(&mut self, skill: &Name) {
        let step = self.step_of(skill);
        let frames: Vec<(Name, Option<Name>)> = self
            .state
            .stack
            .iter()
            .rev()
            .filter(|frame| frame.skill == *skill)
            .filter_map(|frame| Some((frame.block.clone()?, frame.step.clone())))
            .collect();
        for (block, step) in frames {
            self.emit(EventKind::BlockCancelled { skill: skill.clone(), block, step });
        }
        self.emit(EventKind::SkillCancelled { skill: skill.clone(), step });
        let pending = self.state.pending_confirmation().and_then(|pending| pending.get("skill_id"));
        if pending.and_then(Value::as_text).is_some_and(|owner| *skill == owner) {
            let writer = self.writer(Actor::Engine, None, None);
            self.emit(EventKind::MemoryCleared { key: Name::from(PENDING_CONFIRMATION), writer });
        }
    }

    /// Goes on beneath a skill that has ended.
    pub(super) fn settle(&mut self, ended: &Name) {
        while let Some(top) = self.state.top() {
            let below = top.skill.clone();
            match top.parked {
                Some(Parked::Pending) => {
                    let is_met = self
                        .skill(&below)
                        .is_some_and(|skill| precondition_holds(self.agent, self.profile, &self.state, skill));
                    if is_met {
                        return self.begin(&below, Activation::Engine);
                    }
                    self.abandon(&below);
                }
                Some(Parked::Digression) => return self.after_the_question(ended, &below),
                Some(Parked::Delegation | Parked::Reference) => return self.resume(&below),
                None => {
                    self.run_steps(Wake::Returned);
                    return self.complete_if_done();
                }
            }
        }
        let is_engine = self.skill(ended).is_some_and(|skill| skill.engine_managed);
        if !is_engine && self.may_begin(COMPLETED) {
            self.begin(&Name::from(COMPLETED), Activation::Engine);
        }
    }

    /// A parked task lies on top: the user is asked about it, or has just answered.
    fn after_the_question(&mut self, ended: &Name, parked: &Name) {
        if *ended == CONTINUE_INTERRUPTED {
            match self.state.value(WANTS_TO_RESUME) {
                Some(Value::Bool(true)) => return self.resume(parked),
                Some(Value::Bool(false)) => {
                    self.give_up(parked);
                    return self.settle(parked);
                }
                Some(_) | None => return,
            }
        }
        if !self.may_begin(CONTINUE_INTERRUPTED) {
            return;
        }
        let label = self.skill(parked).map_or_else(|| parked.to_string(), |skill| skill.name.value.clone());
        self.begin_question(label);
    }

    /// Starts the resume question; it names the task before it asks (M366).
    fn begin_question(&mut self, label: String) {
        let question = Name::from(CONTINUE_INTERRUPTED);
        let Some(skill) = self.skill(&question) else { return };
        let names_task = skill.entries.iter().any(|entry| entry.key == TASK_NAME);
        let write = Write {
            by: WriteBy::Engine,
            name: Name::from(TASK_NAME),
            value: Value::Text(label),
            tool: None,
            call_id: None,
        };
        self.begin_with(&question, Activation::Engine, names_task.then_some(write));
    }

    /// Drops a skill whose precondition its resolver has not met (M335).
    fn abandon(&mut self, skill: &Name) {
        let (by, rule) = (Activation::Engine, Rule::Precondition);
        self.emit(EventKind::SkillRefused { skill: skill.clone(), by, rule });
        let named = self.skill(skill).and_then(|skill| skill.precondition.as_ref());
        let bound = named.and_then(|name| self.agent.settings.preconditions.get(&name.value));
        if bound.is_none_or(|bound| bound.unmet_utterance) {
            self.say_packaged(UNMET, UtterCause::PreconditionUnmet, Some(skill));
        }
        // What waited for it goes on.
        if let Some(waiting) = self.state.top().filter(|top| top.parked == Some(Parked::Delegation)) {
            let waiting = waiting.skill.clone();
            self.resume(&waiting);
        }
    }

    fn may_begin(&self, skill: &str) -> bool {
        may_start(self.agent, self.profile, &self.state, skill, Route::Engine).outcome == Start::Fresh
    }

    fn is_off(&self, tool: &str) -> bool {
        let enabled = self.agent.settings.levers.get(tool).and_then(|lever| lever.enabled.as_ref());
        enabled.is_some_and(|enabled| !enabled.value)
    }

    fn refuse_lifecycle(&mut self, tool: &str, rule: Rule) {
        let call = ToolCall {
            tool: Name::from(tool),
            arguments: "{}".to_owned(),
            caller: ToolCaller::Model,
            skill: self.running_skill(),
            step: None,
            call_id: None,
        };
        self.emit(EventKind::ToolRefused { call, rule });
    }
}
