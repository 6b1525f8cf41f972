//! The model: the prompt that it gets, its reply, and the calls of the framework's own tools.

use std::ops::Range;

use super::{Conversation, RecordError};
use crate::agent::prose::TokenKind;
use crate::event::{
    Event, EventKind, MessageSource, Position, RequestedCall, ToolCall, ToolCaller, ToolOutcome, ToolSource,
};
use crate::name::Name;
use crate::prompt::tools::{ACTIVATE, CANNOT_HELP, CORRECT, LISTEN, RESOLVE_CONFIRMATION, SET_FIELDS};
use crate::prompt::{Prompt, render};
use crate::session::access::WriteBy;
use crate::session::decide::{Answer, Command, Delegate, Write, decide};
use crate::timestamp::Timestamp;
use crate::value::Value;

/// What a call of a tool came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CallAnswer {
    /// The position before its events: [`Conversation::events_after`] gives them.
    pub before: Position,
    /// What the model gets at once: of a framework tool its result, of a refused call the reason. `None` where a tool
    /// of the host runs now: [`Conversation::running`] has it, and its return gives the result.
    pub result: Option<String>,
    /// Whether the call was refused or failed.
    pub is_refused: bool,
}

/// What a framework tool does.
enum Framework {
    /// A command of the engine.
    Do(Command),
    /// Writes of the model.
    Write(Vec<Write>),
    /// Nothing: the arguments don't fit.
    Wrong(String),
}

impl Conversation<'_> {
    /// Begins a model call: returns the prompt that the model gets, with each tool that was offered or withheld and why.
    ///
    /// # Errors
    ///
    /// Fails where a call waits for its reply, while a tool runs, and as the log does.
    pub fn begin_call(&mut self, time: Timestamp) -> Result<Prompt, RecordError> {
        if self.is_called {
            return Err(RecordError::CallOpen);
        }
        self.check_idle()?;
        let prompt = self.prompt();
        let (digest, tools) = (prompt.digest(), prompt.offered());
        self.append(vec![EventKind::PromptRendered { digest, tools }], time)?;
        self.tools = prompt.tools.clone();
        Ok(prompt)
    }

    /// Returns the prompt that the model would get now.
    pub fn prompt(&self) -> Prompt {
        render(&self.agent, self.profile, &self.state, &self.moment())
    }

    /// Returns what a call came to that was carried out between two positions.
    pub fn call_answer(&self, call: &RequestedCall, between: Range<Position>) -> CallAnswer {
        let before = between.start;
        let count = (between.end.0 - before.0) as usize;
        let events = &self.events_after(before)[..count];
        if !self.is_framework(&call.tool) {
            return answer_of_local(before, events);
        }
        let returned = events.iter().find_map(|event| match &event.kind {
            EventKind::ToolReturned { tool, call_id, result, outcome, error, caller: ToolCaller::Model, .. }
                if *tool == call.tool && *call_id == call.call_id =>
            {
                Some((error.as_ref().unwrap_or(result).clone(), *outcome == ToolOutcome::Failed))
            }
            _ => None,
        });
        let is_refused = returned.as_ref().is_some_and(|(_, is_failed)| *is_failed);
        CallAnswer { before, result: returned.map(|(result, _)| result), is_refused }
    }

    /// Takes the model's reply: its words go to the user, and the calls that it asks for are brought one by one to
    /// [`Conversation::call`].
    ///
    /// # Errors
    ///
    /// Fails where no call was begun, and as the log does.
    pub fn reply(
        &mut self,
        text: &str,
        calls: Vec<RequestedCall>,
        millis: Option<f64>,
        time: Timestamp,
    ) -> Result<&[Event], RecordError> {
        if !self.is_called {
            return Err(RecordError::NoCall);
        }
        // Words beside a call are sent as an acknowledgement (M219).
        let source = if calls.is_empty() { MessageSource::Model } else { MessageSource::Filler };
        let text = text.to_owned();
        let mut kinds = vec![EventKind::ModelReplied { text: text.clone(), calls, millis }];
        if !text.is_empty() {
            let data = std::sync::Arc::new(Value::Null);
            kinds.push(EventKind::AgentMessage { text, source, response: None, model_millis: None, data });
        }
        self.append(kinds, time)
    }

    /// Carries out a call that the model asks for. One of the framework's own tools is done at once; one of the host is
    /// checked, and runs, waits for the user's yes, or is refused.
    ///
    /// # Errors
    ///
    /// Fails where it makes no sense now, and as the log does. A refusal is no error.
    pub fn call(&mut self, call: RequestedCall, time: Timestamp) -> Result<CallAnswer, RecordError> {
        let before = self.state.position;
        let withheld = self.tools.iter().find(|tool| tool.name == call.tool && !tool.offered);
        if let Some(tool) = withheld.filter(|_| self.is_framework(&call.tool)) {
            let why = format!("{} is not offered: {}", call.tool, tool.why);
            return self.failed(before, &call, why, time);
        }
        match self.framework(&call) {
            Some(Framework::Wrong(why)) => self.failed(before, &call, why, time),
            Some(Framework::Do(command)) => self.framework_command(before, &call, command, time),
            Some(Framework::Write(writes)) => self.framework_writes(before, &call, writes, time),
            None => self.local(before, call, time),
        }
    }

    fn is_framework(&self, tool: &str) -> bool {
        let (complete, cancel) = self.profile.lifecycle_tools();
        [ACTIVATE, SET_FIELDS, CORRECT, CANNOT_HELP, LISTEN, RESOLVE_CONFIRMATION, complete, cancel].contains(&tool)
    }

    /// Returns what a tool of the framework does; `None` for any other tool.
    fn framework(&self, call: &RequestedCall) -> Option<Framework> {
        if !self.is_framework(&call.tool) {
            return None;
        }
        let arguments = Value::from_json(&call.arguments).unwrap_or_default();
        let flag = |name: &str| match arguments.get(name) {
            Some(Value::Bool(flag)) => Ok(*flag),
            _ => Err(format!("{} needs `{name}`, true or false", call.tool)),
        };
        let (complete, cancel) = self.profile.lifecycle_tools();
        Some(match call.tool.as_str() {
            ACTIVATE => match arguments.get("target_id").and_then(Value::as_text) {
                Some(target) => Framework::Do(self.activation(target)),
                None => Framework::Wrong("activate needs `target_id`, the id of a skill or block".to_owned()),
            },
            SET_FIELDS => match &arguments {
                Value::Map(fields) if !fields.is_empty() => {
                    let write = |(name, value): &(String, Value)| self.write_of(call, WriteBy::SetFields, name, value);
                    Framework::Write(fields.iter().map(write).collect())
                }
                _ => Framework::Wrong("No fields provided to set_fields.".to_owned()),
            },
            CORRECT => match (arguments.get("memory_key").and_then(Value::as_text), arguments.get("value")) {
                (Some(name), Some(value)) => Framework::Write(vec![self.write_of(call, WriteBy::Correct, name, value)]),
                _ => Framework::Wrong("correct needs `memory_key` and `value`".to_owned()),
            },
            LISTEN => Framework::Do(Command::EndTurn),
            CANNOT_HELP => match flag("in_domain") {
                Ok(in_domain) => Framework::Do(Command::Decline { in_domain }),
                Err(wrong) => Framework::Wrong(wrong),
            },
            RESOLVE_CONFIRMATION => match flag("confirmed") {
                Ok(yes) => Framework::Do(Command::AnswerConfirmation(if yes { Answer::Yes } else { Answer::No })),
                Err(wrong) => Framework::Wrong(wrong),
            },
            name if name == complete => Framework::Do(Command::Complete),
            name if name == cancel => Framework::Do(Command::Cancel),
            _ => return None,
        })
    }

    /// Returns what starts a target: a block of the running prose is entered, a skill that it names is handed over to,
    /// any other one is switched to.
    fn activation(&self, target: &str) -> Command {
        let active = self.state.active_skill();
        if let Some((skill, block)) = target.split_once("__") {
            let is_entered = active.is_some_and(|active| *active == *skill);
            return match is_entered {
                true => Command::EnterBlock { block: Name::from(block) },
                false => Command::Activate { skill: Name::from(skill) },
            };
        }
        let named = |kind: &TokenKind| matches!(kind, TokenKind::Skill(id) if *id == *target);
        let prose = active.and_then(|active| self.agent.skills.get(active)).map(|skill| &skill.paragraphs);
        let mut tokens = prose.into_iter().flatten().flat_map(|paragraph| &paragraph.prose.tokens);
        let is_named = tokens.any(|token| named(&token.kind));
        let waits = self.state.stack.iter().any(|frame| frame.skill == *target);
        let skill = Name::from(target);
        match is_named && !waits {
            true => Command::Delegate { skill, by: Delegate::Reference },
            false => Command::Activate { skill },
        }
    }

    fn write_of(&self, call: &RequestedCall, by: WriteBy, name: &str, value: &Value) -> Write {
        Write {
            by,
            name: Name::from(name),
            value: value.clone(),
            tool: Some(call.tool.clone()),
            call_id: call.call_id.clone(),
        }
    }

    fn framework_command(
        &mut self,
        before: Position,
        call: &RequestedCall,
        command: Command,
        time: Timestamp,
    ) -> Result<CallAnswer, RecordError> {
        let ends_turn = command == Command::EndTurn;
        let kinds = decide(&self.agent, self.profile, &self.state, command)?;
        let refused = kinds.iter().find_map(refusal);
        let done = format!("{}: done", call.tool);
        let (outcome, result) = match refused {
            Some(why) => (ToolOutcome::Failed, why),
            None => (ToolOutcome::Done, done),
        };
        let mut kinds = kinds;
        // What follows the end of a turn belongs to the next one.
        let place = if ends_turn { 0 } else { kinds.len() };
        let is_over = matches!(kinds.last(), Some(EventKind::TurnEnded));
        let place = if is_over { kinds.len() - 1 } else { place };
        kinds.insert(place, self.returned(call, outcome, &result));
        self.append(kinds, time)?;
        Ok(CallAnswer { before, result: Some(result), is_refused: outcome == ToolOutcome::Failed })
    }

    /// Writes what the model sets, one after the other: each sees what the one before it did.
    fn framework_writes(
        &mut self,
        before: Position,
        call: &RequestedCall,
        writes: Vec<Write>,
        time: Timestamp,
    ) -> Result<CallAnswer, RecordError> {
        let (mut state, mut kinds, mut said) = (self.state.clone(), Vec::new(), Vec::new());
        let mut is_refused = false;
        for write in writes {
            let (name, value) = (write.name.clone(), write.value.to_display());
            let decided = decide(&self.agent, self.profile, &state, Command::Write(write))?;
            match decided.iter().find_map(refusal) {
                Some(why) => {
                    is_refused = true;
                    said.push(format!("{name}: {why}"));
                }
                None => said.push(format!("{name}: set to {value}")),
            }
            self.foresee(&mut state, &decided, time);
            kinds.extend(decided);
        }
        let result = said.join("\n");
        let outcome = if is_refused { ToolOutcome::Failed } else { ToolOutcome::Done };
        kinds.push(self.returned(call, outcome, &result));
        self.append(kinds, time)?;
        Ok(CallAnswer { before, result: Some(result), is_refused })
    }

    fn failed(
        &mut self,
        before: Position,
        call: &RequestedCall,
        why: String,
        time: Timestamp,
    ) -> Result<CallAnswer, RecordError> {
        let returned = self.returned(call, ToolOutcome::Failed, &why);
        self.append(vec![returned], time)?;
        Ok(CallAnswer { before, result: Some(why), is_refused: true })
    }

    /// A tool of the host.
    fn local(&mut self, before: Position, call: RequestedCall, time: Timestamp) -> Result<CallAnswer, RecordError> {
        let call = ToolCall {
            tool: call.tool,
            arguments: call.arguments,
            caller: ToolCaller::Model,
            skill: self.state.active_skill().cloned(),
            step: None,
            call_id: call.call_id,
        };
        let events = self.apply(Command::CallTool(call), time)?;
        Ok(answer_of_local(before, events))
    }

    fn returned(&self, call: &RequestedCall, outcome: ToolOutcome, result: &str) -> EventKind {
        let error = (outcome == ToolOutcome::Failed).then(|| result.to_owned());
        EventKind::ToolReturned {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            result: if error.is_some() { String::new() } else { result.to_owned() },
            outcome,
            error,
            caller: ToolCaller::Model,
            skill: self.state.active_skill().cloned(),
            call_id: call.call_id.clone(),
            batch_id: None,
            source: ToolSource::Unknown,
        }
    }
}

/// Returns what a call of a tool of the host came to.
fn answer_of_local(before: Position, events: &[Event]) -> CallAnswer {
    let refused = events.iter().find_map(|event| refusal(&event.kind));
    let waits = events.iter().find_map(|event| match &event.kind {
        EventKind::ToolReturned { outcome: ToolOutcome::AwaitingConfirmation, result, .. } => Some(result.clone()),
        _ => None,
    });
    let is_refused = refused.is_some();
    CallAnswer { before, result: refused.or(waits), is_refused }
}

/// Returns why an event refuses something, in the words that the model or a tool gets.
pub fn refusal(kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::SkillRefused { skill, rule, .. } => {
            Some(format!("{skill} can't be started: {} ({rule})", rule.text()))
        }
        EventKind::ToolRefused { call, rule } => Some(format!("{} was refused: {} ({rule})", call.tool, rule.text())),
        EventKind::MemoryWriteRefused { asked, refusal, rule, .. } => {
            Some(format!("{}: {asked} is not written: {} ({rule})", refusal.word(), rule.text()))
        }
        _ => None,
    }
}
