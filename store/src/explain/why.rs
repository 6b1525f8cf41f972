//! The answer to a question "why", of one shape for values, reads, skills and tools.
//!
//! It holds everything that its JSON (`replay.why/1`) has, and the place of the line that decided, so that people get
//! to see the line with a caret under it.

use std::sync::Arc;

use serde::Serialize;

use super::Evidence;
use super::condition::Condition;
use crate::agent::Agent;
use crate::diagnostic::render::{Style, render};
use crate::diagnostic::{Diagnostic, Place};
use crate::event::Position;
use crate::name::Name;
use crate::replay::Session;
use crate::rule::Rule;
use crate::session::State;
use crate::value::Value;

/// The schema of the JSON.
pub const SCHEMA: &str = "replay.why/1";

/// Why it is so.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// What was asked.
    pub question: Question,
    /// The memory entry, by its qualified name where it means one.
    pub key: Option<Name>,
    /// The skill.
    pub skill: Option<Name>,
    /// The tool.
    pub tool: Option<Name>,
    /// The line of the agent folder, as `file:line`.
    pub line: Option<Name>,
    /// The moment.
    pub position: Position,
    /// The agent turn of the moment; `None` between turns.
    pub turn: Option<u32>,
    /// The answer in a word.
    pub answer: Answer,
    /// The answer in one sentence.
    pub text: String,
    /// The value, `null` where there is none.
    pub value: Arc<Value>,
    /// Whether the active skill may read the entry; `None` where no folder tells, and for other questions.
    pub visible_to_active: Option<Visible>,
    /// The rule that decided, with the line that an author wrote.
    pub rule: Option<RuleLine>,
    /// The rules that were applied before, in order.
    pub tried: Vec<Tried>,
    /// The condition that decided, with the value of each part.
    pub condition: Option<Condition>,
    /// The smallest change that would turn the answer round.
    pub change: Option<String>,
    /// Where in the agent folder that change would be made, as `file:line`.
    pub change_at: Option<String>,
    /// What the answer rests on: the chain of causes back to the user's message, then what else is known.
    pub evidence: Vec<Evidence>,
}

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Why an entry holds what it holds.
    Value,
    /// Whether a skill may read an entry.
    Read,
    /// Whether a skill is active or offered.
    Skill,
    /// Whether a tool is offered.
    Tool,
    /// Whether a line of the agent folder is in the prompt.
    Line,
}

/// The answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each says what its word says")]
pub enum Answer {
    Set,
    Initial,
    NeverWritten,
    Cleared,
    Reset,
    Undeclared,
    Unknown,
    Allowed,
    Denied,
    Private,
    Active,
    Parked,
    Offered,
    Gated,
    Hidden,
    Disabled,
    EngineManaged,
    Withheld,
    Shown,
}

impl Answer {
    /// Every answer.
    pub const ALL: [Answer; 19] = [
        Answer::Set,
        Answer::Initial,
        Answer::NeverWritten,
        Answer::Cleared,
        Answer::Reset,
        Answer::Undeclared,
        Answer::Unknown,
        Answer::Allowed,
        Answer::Denied,
        Answer::Private,
        Answer::Active,
        Answer::Parked,
        Answer::Offered,
        Answer::Gated,
        Answer::Hidden,
        Answer::Disabled,
        Answer::EngineManaged,
        Answer::Withheld,
        Answer::Shown,
    ];

    /// Returns the word that JSON has.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Set => "set",
            Answer::Initial => "initial",
            Answer::NeverWritten => "never_written",
            Answer::Cleared => "cleared",
            Answer::Reset => "reset",
            Answer::Undeclared => "undeclared",
            Answer::Unknown => "unknown",
            Answer::Allowed => "allowed",
            Answer::Denied => "denied",
            Answer::Private => "private",
            Answer::Active => "active",
            Answer::Parked => "parked",
            Answer::Offered => "offered",
            Answer::Gated => "gated",
            Answer::Hidden => "hidden",
            Answer::Disabled => "disabled",
            Answer::EngineManaged => "engine_managed",
            Answer::Withheld => "withheld",
            Answer::Shown => "shown",
        }
    }

    /// Returns whether what was asked for is there: a value, a right, a skill that runs or is offered, a
    /// tool, a line of a prompt.
    pub fn is_there(self) -> bool {
        match self {
            Answer::Set
            | Answer::Initial
            | Answer::Allowed
            | Answer::Active
            | Answer::Parked
            | Answer::Offered
            | Answer::EngineManaged
            | Answer::Shown => true,
            Answer::NeverWritten
            | Answer::Cleared
            | Answer::Reset
            | Answer::Undeclared
            | Answer::Unknown
            | Answer::Denied
            | Answer::Private
            | Answer::Gated
            | Answer::Hidden
            | Answer::Disabled
            | Answer::Withheld => false,
        }
    }
}

/// Whether the active skill may read an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Visible {
    /// What a read of it would come to.
    pub answer: Answer,
    /// The rule that decides that.
    pub rule: RuleLine,
}

impl Visible {
    /// Returns one sentence about what the active skill would get; `who` names it: `the active skill`.
    pub fn words(&self, who: &str) -> String {
        let got = match self.answer {
            Answer::Private => return format!("{who} may not read it: it is private to its own skill"),
            Answer::Denied => return format!("{who} may not read it: its access rules deny it"),
            Answer::Unknown => return format!("whether {who} may read it is unknown"),
            Answer::Undeclared => return format!("{who} finds no entry of that name"),
            Answer::Set | Answer::Initial | Answer::Allowed => return format!("{who} may read it"),
            other => other.word().replace('_', " "),
        };
        format!("{who} may read it and gets nothing: {got}")
    }
}

/// A rule that decided, and the line of the agent folder that is the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleLine {
    /// Its number.
    pub id: Rule,
    /// What it says.
    pub text: &'static str,
    /// The file, below the agent folder; `None` where no line decides.
    pub file: Option<Name>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, in characters from 1.
    pub column: Option<u32>,
    /// The text of the line, as it is written.
    pub source: Option<String>,
    /// The whole place.
    #[serde(skip)]
    pub at: Option<Place>,
}

impl RuleLine {
    /// Returns a rule with the line that is the reason, if one is.
    pub fn new(agent: Option<&Agent>, id: Rule, at: Option<&Place>) -> RuleLine {
        let source = at.and_then(|at| {
            let text = agent?.text_of(&at.file)?;
            text.lines().nth(at.line.checked_sub(1)? as usize).map(str::to_owned)
        });
        RuleLine {
            id,
            text: id.text(),
            file: at.map(|at| at.file.clone()),
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
            source,
            at: at.cloned(),
        }
    }

    /// Returns the rule as people read it: what it says, and the line with a caret. Foreign text in it is visible.
    pub fn render(&self, agent: Option<&Agent>, style: Style) -> String {
        match &self.at {
            Some(at) => {
                let source = agent.and_then(|agent| agent.text_of(&at.file));
                render(&Diagnostic::note(self.id.number(), at.clone(), self.text), source.as_deref(), style)
            }
            None => format!("note[{}]: {}", self.id, self.text),
        }
    }

    /// Returns the place as `file:line:column`, if there is one.
    pub fn place(&self) -> Option<String> {
        self.at.as_ref().map(|at| format!("{}:{}:{}", at.file, at.line, at.column))
    }
}

/// A rule that was applied before another one decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Its number.
    pub id: Rule,
    /// What it says.
    pub text: &'static str,
}

impl Tried {
    /// Returns the rules with their texts.
    pub fn all(rules: &[Rule]) -> Vec<Tried> {
        rules.iter().map(|rule| Tried { id: *rule, text: rule.text() }).collect()
    }
}

impl Why {
    /// Returns an answer without anything beside it.
    pub(super) fn new(session: &Session, state: &State, question: Question, answer: Answer, text: String) -> Why {
        let position = state.position;
        Why {
            question,
            key: None,
            skill: None,
            tool: None,
            line: None,
            position,
            turn: session.event(position).and_then(|event| event.turn),
            answer,
            text,
            value: Arc::default(),
            visible_to_active: None,
            rule: None,
            tried: Vec::new(),
            condition: None,
            change: None,
            change_at: None,
            evidence: Vec::new(),
        }
    }

    /// Adds a change, and where it would be made.
    pub(super) fn with_change(mut self, change: Option<crate::session::access::Change>) -> Why {
        if let Some(change) = change {
            self.change_at = change.at().map(|at| format!("{}:{}", at.file, at.line));
            self.change = Some(change.to_string());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_the_word_that_people_are_told() {
        for answer in Answer::ALL {
            let json = serde_json::to_string(&answer).expect("a word is JSON");
            assert_eq!(json, format!("\"{}\"", answer.word()));
        }
    }
}
