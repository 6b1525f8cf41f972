//! A condition as a tree: what each part of it came to, and what each read in it found.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::read::answer_of;
use super::why::{Answer, RuleLine};
use super::words::and_behind;
use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::condition::{Outcome, Part};
use crate::event::Position;
use crate::name::Name;
use crate::session::State;
use crate::session::access::{Found, Nothing, ReadDecision};
use crate::session::gate::GateDecision;
use crate::value::Value;

/// A condition, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Condition {
    /// The part as it is written.
    pub text: String,
    /// Whether it holds; `None` where it was not reached.
    pub holds: Option<bool>,
    /// What it came to; `null` also where it can't be evaluated or was not reached.
    pub value: Value,
    /// Why it can't be evaluated, if it can't.
    pub impossible: Option<String>,
    /// For a memory entry, what the read of it found.
    pub read: Option<ConditionRead>,
    /// Its operands, in order.
    pub parts: Vec<Condition>,
}

/// What a read in a condition found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionRead {
    /// The entry, as it was asked for.
    pub key: Name,
    /// What the read came to: `allowed`, or which kind of nothing.
    pub answer: Answer,
    /// The event that put the entry into this state.
    pub set_at: Option<Position>,
    /// The rule that decided the read.
    pub rule: RuleLine,
    /// Which kind of nothing a rule withholds, where what it withholds is none.
    #[serde(skip)]
    pub behind: Option<Nothing>,
    /// The decision itself.
    #[serde(skip)]
    pub decision: Arc<ReadDecision>,
}

impl Condition {
    /// Returns the tree of a gate that was evaluated on `state`.
    pub fn of(agent: &Agent, state: &State, gate: &Gate, decision: &GateDecision) -> Condition {
        match (decision, &gate.condition) {
            (GateDecision::Evaluated(evaluation), Some(condition)) => {
                tree(agent, state, &condition.text, &evaluation.root)
            }
            (GateDecision::Evaluated(_) | GateDecision::Unreadable, _) => Condition {
                text: gate.text.value.clone(),
                holds: Some(false),
                value: Value::Null,
                impossible: Some("the text is no condition, so it never holds".to_owned()),
                read: None,
                parts: Vec::new(),
            },
        }
    }

    /// Returns the reads in it, each entry once, in the order of the text.
    pub fn reads(&self) -> Vec<&ConditionRead> {
        let mut found: Vec<&ConditionRead> = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a ConditionRead>) {
        if let Some(read) = self.read.as_ref().filter(|read| found.iter().all(|known| known.key != read.key)) {
            found.push(read);
        }
        self.parts.iter().for_each(|part| part.collect(found));
    }

    /// Returns the tree in lines, each with how deep it lies and what it says: the part, and what it came to.
    pub fn lines(&self) -> Vec<(usize, String)> {
        let mut lines = Vec::new();
        self.add_lines(0, &mut lines);
        lines
    }

    fn add_lines(&self, depth: usize, lines: &mut Vec<(usize, String)>) {
        let came_to = match (&self.impossible, self.holds) {
            (Some(why), _) => why.clone(),
            (None, None) => "not reached".to_owned(),
            (None, Some(_)) => self.value.to_json(),
        };
        let is_literal = self.parts.is_empty() && self.read.is_none() && self.impossible.is_none();
        if !is_literal || depth == 0 || self.holds.is_none() {
            let read = self.read.as_ref().map(ConditionRead::words).unwrap_or_default();
            lines.push((depth, format!("{}: {came_to}{read}", self.text)));
        }
        self.parts.iter().for_each(|part| part.add_lines(depth + 1, lines));
    }
}

impl ConditionRead {
    /// Returns what the read found, as it stands behind its value.
    fn words(&self) -> String {
        let place = self.rule.place().map(|place| format!(" at {place}")).unwrap_or_default();
        match (self.answer, self.set_at) {
            (Answer::Allowed, Some(at)) => format!(" (set at {at})"),
            (Answer::Allowed, None) => " (initial)".to_owned(),
            (Answer::NeverWritten, _) => " (never written)".to_owned(),
            (Answer::Cleared | Answer::Reset, Some(at)) => format!(" ({} at {at})", self.answer.word()),
            (Answer::Denied | Answer::Private, _) => {
                let behind = and_behind(self.behind.as_ref());
                format!(" ({} by {}{place}{behind})", self.answer.word(), self.rule.id)
            }
            (answer, _) => format!(" ({})", answer.word().replace('_', " ")),
        }
    }
}

fn tree(agent: &Agent, state: &State, text: &str, part: &Part<ReadDecision>) -> Condition {
    let (holds, value, impossible) = match &part.outcome {
        Outcome::Value(value) => (Some(value.is_truthy()), value.clone(), None),
        Outcome::Impossible(why) => (Some(false), Value::Null, Some(why.clone())),
        Outcome::NotReached => (None, Value::Null, None),
    };
    Condition {
        text: slice(text, &part.span),
        holds,
        value,
        impossible,
        read: part.why.as_ref().map(|decision| condition_read(agent, state, decision)),
        parts: part.parts.iter().map(|part| tree(agent, state, text, part)).collect(),
    }
}

fn condition_read(agent: &Agent, state: &State, decision: &ReadDecision) -> ConditionRead {
    ConditionRead {
        key: decision.asked.clone(),
        answer: answer_of(decision),
        set_at: set_at(decision),
        rule: RuleLine::new(Some(agent), decision.rule, decision.because()),
        behind: decision.behind(agent, state),
        decision: Arc::new(decision.clone()),
    }
}

fn set_at(decision: &ReadDecision) -> Option<Position> {
    match &decision.found {
        Found::Value { set_at, .. } => *set_at,
        Found::Nothing(Nothing::Cleared { at } | Nothing::Reset { at }) => *at,
        Found::Nothing(
            Nothing::NeverWritten
            | Nothing::Undeclared
            | Nothing::Private { .. }
            | Nothing::Denied { .. }
            | Nothing::Reserved,
        ) => None,
    }
}

fn slice(text: &str, span: &Range<usize>) -> String {
    text.get(span.clone()).unwrap_or(text).trim().to_owned()
}
