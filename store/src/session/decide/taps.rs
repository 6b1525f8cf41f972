//! Input that writes without the model, buttons and keys, and the validation tools that look at what was written
//! (M208 to M211, M232 to M234, M348).

use super::draft::Draft;
use super::steps::Wake;
use super::tools::returned_event;
use super::writing::BUTTON_SKIPPED;
use super::{ToolReturn, Write};
use crate::agent::block::{KeypadEnd, StepKind};
use crate::event::{Actor, EventKind, ToolCall, ToolCaller, ToolOutcome, UtterCause, WriteRefusal};
use crate::name::{Name, split_key};
use crate::rule::Rule;
use crate::session::Replaced;
use crate::session::access::WriteBy;
use crate::session::button;
use crate::value::Value;

/// The first letters of the name of a validation tool (M208).
const VALIDATES: &str = "run_after_setting_";

impl Draft<'_> {
    /// The user taps a button. A payload with `set:` writes, if it stands on the latest message; any other is words.
    pub(super) fn tap(&mut self, payload: &str, title: Option<String>) {
        if !payload.starts_with(button::WRITES) {
            return self.hear(payload);
        }
        let Some((key, value)) = button::target(payload) else {
            return match title {
                Some(title) => self.hear(&title),
                None => {
                    self.user_says(payload);
                    self.skip_tap();
                }
            };
        };
        let is_latest = self.state.tappable.iter().any(|tappable| **tappable == *payload);
        self.user_says(payload);
        let (name, value) = (Name::from(key), Value::Text(value.to_owned()));
        if !is_latest {
            let key = self.agent.entry(key).map(|entry| entry.key.clone());
            let writer = self.writer(Actor::Button, None, None);
            let (refusal, rule) = (WriteRefusal::Skipped, Rule::StaleButton);
            let value = value.into();
            self.emit(EventKind::MemoryWriteRefused { asked: name, key, value, writer, refusal, rule });
            return self.skip_tap();
        }
        let events = self.events.len();
        self.write(Write { by: WriteBy::Button, name, value, tool: None, call_id: None });
        let is_refused = |event: &EventKind| matches!(event, EventKind::MemoryWriteRefused { .. });
        if self.events[events..].first().is_some_and(is_refused) {
            self.emit(EventKind::TurnEnded);
        }
    }

    /// The user presses keys. Where a collect waits for them they are its answer; what doesn't fit is words (M348).
    pub(super) fn press(&mut self, keys: &str) {
        self.user_says(keys);
        if let Some(write) = self.keyed_answer(keys)
            && let Some(key) = self.store(write)
        {
            if !self.validate(&key) {
                self.run_steps(Wake::Written(key));
                self.complete_if_done();
            }
            return;
        }
        // What a button couldn't write, keys couldn't either; the turn goes on with the words.
        if let Some(EventKind::MemoryWriteRefused { rule, .. }) = self.events.last_mut() {
            *rule = Rule::KeyedAnswer;
        }
        self.run_steps(Wake::Turn);
    }

    /// Returns the write that keys are for the collect that waits, if one takes keys.
    fn keyed_answer(&self, keys: &str) -> Option<Write> {
        let (skill, block) = self.running_block()?;
        let step = block.step(self.running()?.step.as_ref()?)?;
        let StepKind::Collect(collect) = &step.kind else { return None };
        let digits = match &collect.keypad.as_ref()?.end {
            KeypadEnd::Digits(count) => Some(keys).filter(|keys| keys.chars().count() as u64 == *count),
            KeypadEnd::Key(key) => keys.strip_suffix(key.as_str()),
        };
        let name = Name::from(format!("{skill}.{}", collect.entry.value));
        let value = Value::Text(digits?.to_owned());
        Some(Write { by: WriteBy::Button, name, value, tool: None, call_id: None })
    }

    /// Calls the validation tool of an entry, if the running skill has one. Steps wait until it is back (M209).
    pub(super) fn validate(&mut self, key: &Name) -> bool {
        let Some((space, entry)) = split_key(key) else { return false };
        let has_tool = self.skill(space).is_some_and(|skill| skill.validated.iter().any(|name| *name == entry));
        if has_tool {
            self.emit(EventKind::ToolCalled {
                call: ToolCall {
                    tool: Name::from(format!("{VALIDATES}{entry}")),
                    arguments: "{}".to_owned(),
                    caller: ToolCaller::Validation,
                    skill: Some(Name::from(space)),
                    step: None,
                    call_id: None,
                },
            });
        }
        has_tool
    }

    /// A validation tool is back: with an error it takes the write back (M210). What else it wrote stays (M211).
    pub(super) fn return_validation(&mut self, returned: ToolReturn) {
        let ToolReturn { call, outcome, result, error, source } = returned;
        let says_error =
            Value::from_json(&result).is_ok_and(|result| result.get("error").is_some_and(|error| !error.is_null()));
        let is_rejected = says_error || error.is_some() || outcome == ToolOutcome::Failed;
        let outcome = if is_rejected { ToolOutcome::Failed } else { outcome };
        self.emit(returned_event(&call, outcome, result, error, source));
        let entry = call.tool.strip_prefix(VALIDATES).unwrap_or_default();
        let key = Name::from(format!("{}.{entry}", call.skill.as_deref().unwrap_or_default()));
        let replaced = self.state.replaced.clone().filter(|replaced| replaced.key == key);
        match replaced.filter(|_| is_rejected) {
            Some(replaced) => self.take_back(replaced, &call.tool),
            None => {
                self.run_steps(Wake::Written(key));
                self.complete_if_done();
            }
        }
    }

    fn take_back(&mut self, replaced: Replaced, tool: &Name) {
        let Replaced { key, value: before, is_written } = replaced;
        let rejected = self.state.memory.get(&key).map(|cell| std::sync::Arc::clone(&cell.value)).unwrap_or_default();
        let writer = self.writer(Actor::Hook, Some(tool.clone()), None);
        self.emit(EventKind::MemoryWriteRefused {
            asked: key.clone(),
            key: Some(key.clone()),
            value: rejected,
            writer: writer.clone(),
            refusal: WriteRefusal::ToolError,
            rule: Rule::ValidationRejects,
        });
        self.emit(match (before.is_null(), is_written) {
            (true, _) => EventKind::MemoryCleared { key, writer },
            (false, true) => EventKind::MemoryWritten { key, value: before, writer },
            (false, false) => EventKind::MemoryReset { key, value: before },
        });
    }

    fn hear(&mut self, text: &str) {
        self.user_says(text);
        self.run_steps(Wake::Turn);
    }

    fn user_says(&mut self, text: &str) {
        self.emit(EventKind::UserMessage { text: text.to_owned(), channel: None, message_id: None });
    }

    /// A tap that can't write any more: the engine says so, and the turn is over (M234).
    fn skip_tap(&mut self) {
        let skill = self.running_skill();
        self.say_packaged(BUTTON_SKIPPED, UtterCause::StaleButton, skill.as_ref());
        self.emit(EventKind::TurnEnded);
    }
}
