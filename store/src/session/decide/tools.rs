//! Tool calls: gates, confirmation as a state table, and what follows when a tool comes back (M187 to M195,
//! M328).
//!
//! ```text
//! call ── requires closed ──────────────> refused
//!   │
//!   ├── no confirmation ────────────────> called ──> returned: on_success / on_failure, the block goes on
//!   │
//!   └── confirmation ──> asked, pending ─┬─ yes ──> requires again ──> called
//!                           │            └─ no ───> declined: the denial is said and the turn ends
//!                           └─ called again: refused, also once more in the turn of the answer
//! ```

use std::sync::Arc;

use super::draft::Draft;
use super::steps::Wake;
use super::{Answer, CommandError, ToolReturn};
use crate::agent::skill::{Confirmation, ToolConstraint};
use crate::agent::tools::{Callable, callable};
use crate::event::{Actor, EventKind, ToolCall, ToolCaller, ToolOutcome, ToolSource, UtterCause};
use crate::name::Name;
use crate::rule::Rule;
use crate::session::PENDING_CONFIRMATION;
use crate::session::arguments::misfit;
use crate::session::gate::gate;
use crate::session::response::speak;
use crate::value::Value;

impl<'a> Draft<'a> {
    /// A tool is called: it runs, waits for the user's yes, or is refused.
    pub(super) fn call_tool(&mut self, call: ToolCall) {
        if let Some(rule) = self.refusal(&call) {
            let is_misfit_of_step = rule == Rule::ModelCallsFitTheSchema && call.caller == ToolCaller::Step;
            self.emit(EventKind::ToolRefused { call, rule });
            if is_misfit_of_step {
                // The step stays, and a later turn tries again (M178).
                self.emit(EventKind::TurnEnded);
            }
            return;
        }
        let confirmation = self.constraint(&call).and_then(|constraint| constraint.confirmation.as_ref());
        match confirmation.filter(|confirmation| confirmation.enabled) {
            Some(confirmation) => self.ask(call, confirmation),
            None => self.emit(EventKind::ToolCalled { call }),
        }
    }

    /// A tool came back: its constraint speaks, then the block and the skill go on. The turn doesn't end with that (M190).
    pub(super) fn return_tool(&mut self, returned: ToolReturn) {
        if returned.call.caller == ToolCaller::Validation {
            return self.return_validation(returned);
        }
        let ToolReturn { call, outcome, result, error, source } = returned;
        let spoken = self.constraint(&call).and_then(|constraint| match outcome {
            ToolOutcome::Done => Some((constraint.on_success.as_ref()?, UtterCause::ToolSucceeded)),
            ToolOutcome::Failed => Some((constraint.on_failure.as_ref()?, UtterCause::ToolFailed)),
            ToolOutcome::AwaitingConfirmation | ToolOutcome::Declined => None,
        });
        let deferred = self.deferred(&call);
        self.emit(returned_event(&call, outcome, result, error, source));
        if let Some((response, why)) = spoken {
            self.say(&response.value, why, call.skill.as_ref());
        }
        let is_of_this_step = call.step.is_some()
            && self.running().is_some_and(|frame| frame.step == call.step && Some(&frame.skill) == call.skill.as_ref());
        match (is_of_this_step, call.caller) {
            (true, ToolCaller::Step | ToolCaller::Confirmation) => self.run_steps(Wake::ToolDone),
            (
                _,
                ToolCaller::Model
                | ToolCaller::Step
                | ToolCaller::Confirmation
                | ToolCaller::Unknown
                | ToolCaller::Validation,
            ) => {
                self.run_steps(Wake::Written(call.tool));
            }
        }
        self.complete_if_done();
        self.start_deferred(&deferred);
    }

    /// The user answers whether the pending call runs.
    pub(super) fn answer_confirmation(&mut self, answer: Answer) -> Result<(), CommandError> {
        let pending = self.state.pending_confirmation().cloned().ok_or(CommandError::NothingToConfirm)?;
        let name = |key: &str| pending.get(key).and_then(Value::as_text).map(Name::from);
        let call = ToolCall {
            tool: name("tool_name").unwrap_or_default(),
            arguments: pending.get("tool_args").map_or_else(|| "{}".to_owned(), Value::to_json),
            caller: ToolCaller::Confirmation,
            skill: name("skill_id"),
            step: name("execute_step_id"),
            call_id: None,
        };
        let writer = self.writer(Actor::Engine, None, None);
        self.emit(EventKind::MemoryCleared { key: Name::from(PENDING_CONFIRMATION), writer });
        let confirmed = answer == Answer::Yes;
        self.emit(EventKind::ConfirmationAnswered { tool: call.tool.clone(), confirmed });
        let deferred = self.deferred(&call);
        if confirmed {
            if self.is_open(&call) {
                self.emit(EventKind::ToolCalled { call });
            } else {
                self.emit(EventKind::ToolRefused { call, rule: Rule::ConfirmationChecksAgain });
                self.start_deferred(&deferred);
            }
            return Ok(());
        }
        let denial = name("utter_on_user_denial");
        let result = Value::Map(vec![("status".to_owned(), Value::Text("declined".to_owned()))]).to_json();
        self.emit(returned_event(&call, ToolOutcome::Declined, result, None, ToolSource::Unknown));
        let is_denied = denial.is_some();
        if let Some(denial) = denial {
            self.say(&denial, UtterCause::ConfirmationDenied, call.skill.as_ref());
        }
        self.start_deferred(&deferred);
        if is_denied {
            self.emit(EventKind::TurnEnded);
        }
        Ok(())
    }

    /// Returns what waits for the answer that this call brings.
    fn deferred(&self, call: &ToolCall) -> Vec<Name> {
        if call.caller == ToolCaller::Confirmation { self.state.deferred.clone() } else { Vec::new() }
    }

    /// Says which rule refuses a call before the tool runs: it isn't the skill's (M185), it was called already (M192), it
    /// is gated (M187), or its arguments don't fit (M350, M178).
    fn refusal(&self, call: &ToolCall) -> Option<Rule> {
        let skill = call.skill.as_deref().and_then(|skill| self.skill(skill));
        let callable = skill.map_or(Callable::Unseen, |skill| callable(self.agent, skill, &call.tool));
        if callable == Callable::Missing {
            return Some(Rule::ToolOfTheSkill);
        }
        if let Some(rule) = self.recall(call) {
            return Some(rule);
        }
        if !self.is_open(call) {
            return Some(Rule::ToolRequires);
        }
        match callable {
            Callable::Declared(tool) => misfit(tool, &call.arguments).map(|_| Rule::ModelCallsFitTheSchema),
            Callable::Unseen | Callable::Missing => None,
        }
    }

    /// Says which rule refuses a call because one waits already, or was answered in this turn (M192).
    fn recall(&self, call: &ToolCall) -> Option<Rule> {
        let confirms = self.constraint(call)?.confirmation.as_ref().is_some_and(|confirmation| confirmation.enabled);
        let waits = self.state.pending_confirmation().is_some();
        let was_answered = call.caller == ToolCaller::Model && self.state.resolved.contains(&call.tool);
        (confirms && (waits || was_answered)).then_some(Rule::ConfirmationState)
    }

    /// Returns whether the tool's `requires` holds.
    fn is_open(&self, call: &ToolCall) -> bool {
        let requires = self.constraint(call).and_then(|constraint| constraint.requires.as_ref());
        requires.is_none_or(|requires| {
            gate(self.agent, self.profile, &self.state, call.skill.as_deref(), requires).is_open()
        })
    }

    /// Asks the user. A question without words is no question: the call fails closed (M192).
    fn ask(&mut self, call: ToolCall, confirmation: &Confirmation) {
        let ask = confirmation.ask.as_ref().map(|ask| ask.value.clone());
        let words = ask.as_ref().map(|ask| speak(self.agent, self.profile, &self.state, ask).text);
        if words.as_ref().is_some_and(|words| words.trim().is_empty()) {
            return self.emit(EventKind::ToolRefused { call, rule: Rule::ConfirmationState });
        }
        let text = |name: Option<&Name>| name.map_or(Value::Null, |name| Value::Text(name.to_string()));
        let frame = self.running().and_then(|frame| frame.frame.clone());
        let pending = Value::Map(vec![
            ("tool_name".to_owned(), text(Some(&call.tool))),
            ("tool_args".to_owned(), Value::from_json(&call.arguments).unwrap_or_default()),
            ("confirmation_ask".to_owned(), words.clone().map_or(Value::Null, Value::Text)),
            ("utter_on_user_denial".to_owned(), text(confirmation.denial.as_ref().map(|denial| &denial.value))),
            ("skill_id".to_owned(), text(call.skill.as_ref())),
            ("frame_id".to_owned(), text(frame.as_ref())),
            ("execute_step_id".to_owned(), text(call.step.as_ref())),
        ]);
        let writer = self.writer(Actor::Engine, None, None);
        self.emit(EventKind::ConfirmationAsked { call: call.clone() });
        let (key, value) = (Name::from(PENDING_CONFIRMATION), Arc::new(pending));
        self.emit(EventKind::MemoryWritten { key, value, writer });
        let result = Value::Map(vec![
            ("status".to_owned(), Value::Text("awaiting_confirmation".to_owned())),
            ("message".to_owned(), words.map_or(Value::Null, Value::Text)),
        ]);
        let outcome = ToolOutcome::AwaitingConfirmation;
        self.emit(returned_event(&call, outcome, result.to_json(), None, ToolSource::Unknown));
        if let Some(ask) = ask {
            self.say(&ask, UtterCause::ConfirmationAsk, call.skill.as_ref());
            self.emit(EventKind::TurnEnded);
        }
    }

    fn constraint(&self, call: &ToolCall) -> Option<&'a ToolConstraint> {
        self.skill(call.skill.as_deref()?)?.constraint(&call.tool)
    }
}

pub(super) fn returned_event(
    call: &ToolCall,
    outcome: ToolOutcome,
    result: String,
    error: Option<String>,
    source: ToolSource,
) -> EventKind {
    EventKind::ToolReturned {
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        result,
        outcome,
        error,
        caller: call.caller,
        skill: call.skill.clone(),
        call_id: call.call_id.clone(),
        batch_id: None,
        source,
    }
}
