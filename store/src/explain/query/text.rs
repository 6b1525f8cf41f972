//! A text to look for in events: any text in an event counts, shown in its row or not.

use std::fmt;

use crate::event::{Event, EventKind};
use crate::replay::headline::headline;
use crate::value::Value;

/// A text to look for. Small letters match capitals too, unless there is a capital among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    text: String,
    same_case: bool,
}

impl Text {
    /// Takes what was typed; nothing is no pattern.
    pub fn parse(text: &str) -> Option<Text> {
        let same_case = text.chars().any(char::is_uppercase);
        (!text.is_empty()).then(|| Text { text: text.to_owned(), same_case })
    }

    /// Returns what was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns where the pattern stands first in a text: the bytes where it begins and ends.
    pub fn find(&self, text: &str) -> Option<(usize, usize)> {
        if self.same_case {
            return text.find(&self.text).map(|start| (start, start + self.text.len()));
        }
        text.char_indices().find_map(|(start, _)| self.length_at(&text[start..]).map(|length| (start, start + length)))
    }

    /// Returns how many bytes at the beginning of `text` are the pattern in any case.
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut rest = text.chars();
        for wanted in self.text.chars() {
            let found = rest.next()?;
            if found != wanted && !found.to_lowercase().eq(wanted.to_lowercase()) {
                return None;
            }
        }
        Some(text.len() - rest.as_str().len())
    }

    fn stands_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    fn stands_in_value(&self, value: &Value) -> bool {
        match value {
            Value::Text(text) => self.stands_in(text),
            Value::List(items) => items.iter().any(|item| self.stands_in_value(item)),
            Value::Map(pairs) => pairs.iter().any(|(key, item)| self.stands_in(key) || self.stands_in_value(item)),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => self.stands_in(&value.to_json()),
        }
    }

    /// Returns whether the pattern stands in any text of an event.
    pub fn matches(&self, event: &Event) -> bool {
        let is = |text: &str| self.stands_in(text);
        let may_be = |text: Option<&str>| text.is_some_and(is);
        match &event.kind {
            EventKind::SessionStarted { .. } | EventKind::SessionEnded | EventKind::TurnEnded => {
                is(headline(event).kind)
            }
            EventKind::UserMessage { text, .. } => is(text),
            EventKind::AgentMessage { text, response, data, .. } => {
                is(text) || may_be(response.as_deref()) || self.stands_in_value(data)
            }
            EventKind::SkillActivated { skill, .. } | EventKind::SkillCompleted { skill } => is(skill),
            EventKind::SkillCancelled { skill, step }
            | EventKind::SkillInterrupted { skill, step }
            | EventKind::SkillResumed { skill, step } => is(skill) || may_be(step.as_deref()),
            EventKind::BlockEntered { skill, block } => is(skill) || is(block),
            EventKind::BlockCompleted { skill, block, step }
            | EventKind::BlockCancelled { skill, block, step }
            | EventKind::BlockInterrupted { skill, block, step }
            | EventKind::BlockResumed { skill, block, step } => is(skill) || is(block) || may_be(step.as_deref()),
            EventKind::MemoryWritten { key, value, writer } => {
                is(key) || self.stands_in_value(value) || may_be(writer.tool.as_deref())
            }
            EventKind::MemoryCleared { key, writer } => is(key) || may_be(writer.tool.as_deref()),
            EventKind::ToolReturned { tool, arguments, result, error, .. } => {
                is(tool) || is(arguments) || is(result) || may_be(error.as_deref())
            }
            EventKind::StackPatched { patch, .. } => is(patch),
            EventKind::ActionTaken { action, policy, .. } => is(action) || may_be(policy.as_deref()),
            EventKind::HistoryRewound { cells, .. } => {
                cells.iter().any(|(key, value, _)| is(key) || self.stands_in_value(value))
            }
            EventKind::Foreign { name } => is(name),
            EventKind::ModelReplied { text, calls, .. } => {
                is(text) || calls.iter().any(|call| is(&call.tool) || is(&call.arguments))
            }
            EventKind::SkillRefused { .. }
            | EventKind::SkillPending { .. }
            | EventKind::SkillDeferred { .. }
            | EventKind::MemoryWriteRefused { .. }
            | EventKind::MemoryReset { .. }
            | EventKind::ProjectEntryLocked { .. }
            | EventKind::StepEntered { .. }
            | EventKind::ToolCalled { .. }
            | EventKind::ToolRefused { .. }
            | EventKind::ConfirmationAsked { .. }
            | EventKind::ConfirmationAnswered { .. }
            | EventKind::ResponseUttered { .. }
            | EventKind::PromptRendered { .. }
            | EventKind::ReadDecided { .. } => {
                let words = headline(event);
                is(words.kind) || is(&words.text)
            }
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, within: &str, expected: Option<(usize, usize)>) {
        assert_eq!(Text::parse(text).expect("it isn't empty").find(within), expected, "{text} in {within}");
    }

    #[test]
    fn small_letters_match_capitals_and_capitals_only_themselves() {
        check("offer", "the OFFER", Some((4, 9)));
        check("Offer", "the OFFER, the Offer", Some((15, 20)));
        check("łÓ", "łó ŁÓ łÓ", Some((10, 14)));
        check("ó", "żÓłw", Some((2, 4)));
        check("x", "", None);
    }
}
