//! What a condition comes to (M78 to M88), with the value of every part of it.

use std::cmp::Ordering;
use std::ops::Range;

use super::{Condition, Expression, ExpressionKind, Operator, Reference};
use crate::value::Value;

/// What a reference gave: a value, `null` for nothing, and the reader's account of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<W> {
    /// The value (M78).
    pub value: Value,
    /// Why it is this value.
    pub why: W,
}

/// What a condition came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation<W> {
    /// The whole condition; its parts beneath it.
    pub root: Part<W>,
}

impl<W> Evaluation<W> {
    /// Returns whether the condition holds. One that can't be evaluated doesn't (M85).
    pub fn holds(&self) -> bool {
        match &self.root.outcome {
            Outcome::Value(value) => value.is_truthy(),
            Outcome::Impossible(_) | Outcome::NotReached => false,
        }
    }

    /// Returns why the condition can't be evaluated, if it can't.
    pub fn impossible(&self) -> Option<&str> {
        match &self.root.outcome {
            Outcome::Impossible(why) => Some(why),
            Outcome::Value(_) | Outcome::NotReached => None,
        }
    }
}

/// A part of a condition and what it came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<W> {
    /// Bytes of the condition's text that it covers.
    pub span: Range<usize>,
    /// What it came to.
    pub outcome: Outcome,
    /// For a reference that was read: the reader's account of it.
    pub why: Option<W>,
    /// The operands, in order; none for a literal or a reference.
    pub parts: Vec<Part<W>>,
}

/// What a part of a condition came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A value.
    Value(Value),
    /// It can't be evaluated (M84); why, in words.
    Impossible(String),
    /// What stands before it decided (M73, M88).
    NotReached,
}

/// Evaluates a condition. `read` answers each reference that is reached, in order, once each time it is written.
pub fn evaluate<W>(condition: &Condition, mut read: impl FnMut(&Reference) -> Reading<W>) -> Evaluation<W> {
    Evaluation { root: part(&condition.root, &mut read) }
}

fn part<W>(expression: &Expression, read: &mut impl FnMut(&Reference) -> Reading<W>) -> Part<W> {
    let span = expression.span.clone();
    match &expression.kind {
        ExpressionKind::Reference(reference) => {
            let Reading { value, why } = read(reference);
            Part { span, outcome: Outcome::Value(value), why: Some(why), parts: Vec::new() }
        }
        ExpressionKind::Literal(value) => {
            Part { span, outcome: Outcome::Value(value.clone()), why: None, parts: Vec::new() }
        }
        ExpressionKind::Not(negated) => {
            let negated = part(negated, read);
            let outcome = match &negated.outcome {
                Outcome::Value(value) => Outcome::Value(Value::Bool(!value.is_truthy())),
                other => other.clone(),
            };
            Part { span, outcome, why: None, parts: vec![negated] }
        }
        ExpressionKind::And(operands) => joined(span, operands, false, read),
        ExpressionKind::Or(operands) => joined(span, operands, true, read),
        ExpressionKind::Comparison { operands, operators } => compared(span, operands, operators, read),
    }
}

/// Evaluates `and` and `or` as Python does: the value is that of the operand that decides. `decisive` is the truth
/// that stops the reading: true for `or`, false for `and`.
fn joined<W>(
    span: Range<usize>,
    operands: &[Expression],
    decisive: bool,
    read: &mut impl FnMut(&Reference) -> Reading<W>,
) -> Part<W> {
    let mut parts: Vec<Part<W>> = Vec::with_capacity(operands.len());
    let mut reached = 0;
    let mut decided = false;
    for operand in operands {
        if decided {
            parts.push(not_reached(operand));
            continue;
        }
        let evaluated = part(operand, read);
        decided = match &evaluated.outcome {
            Outcome::Value(value) => value.is_truthy() == decisive,
            Outcome::Impossible(_) | Outcome::NotReached => true,
        };
        parts.push(evaluated);
        reached = parts.len();
    }
    let outcome = reached.checked_sub(1).map_or(Outcome::NotReached, |last| parts[last].outcome.clone());
    Part { span, outcome, why: None, parts }
}

/// Evaluates a chain of comparisons: it stops at the first false link, and reads the operand in the middle once (M73).
fn compared<W>(
    span: Range<usize>,
    operands: &[Expression],
    operators: &[Operator],
    read: &mut impl FnMut(&Reference) -> Reading<W>,
) -> Part<W> {
    let mut parts: Vec<Part<W>> = Vec::with_capacity(operands.len());
    let mut outcome = Outcome::Value(Value::Bool(true));
    for (index, operand) in operands.iter().enumerate() {
        if outcome != Outcome::Value(Value::Bool(true)) {
            parts.push(not_reached(operand));
            continue;
        }
        let evaluated = part(operand, read);
        outcome = match (parts.last().map(|left| &left.outcome), &evaluated.outcome) {
            (Some(Outcome::Value(left)), Outcome::Value(right)) => link(left, operators[index - 1], right),
            (_, Outcome::Value(_)) => outcome,
            (_, other) => other.clone(),
        };
        parts.push(evaluated);
    }
    Part { span, outcome, why: None, parts }
}

fn link(left: &Value, operator: Operator, right: &Value) -> Outcome {
    let holds = match operator {
        Operator::Equal => Some(left.equals(right)),
        Operator::Unequal => Some(!left.equals(right)),
        Operator::Less => left.order(right).map(Ordering::is_lt),
        Operator::LessOrEqual => left.order(right).map(Ordering::is_le),
        Operator::Greater => left.order(right).map(Ordering::is_gt),
        Operator::GreaterOrEqual => left.order(right).map(Ordering::is_ge),
    };
    match holds {
        Some(holds) => Outcome::Value(Value::Bool(holds)),
        None => {
            let (left, right) = (kind_word(left), kind_word(right));
            Outcome::Impossible(format!("`{}` can't order {left} and {right}", operator.sign()))
        }
    }
}

fn kind_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "None",
        Value::Bool(_) => "a bool",
        Value::Int(_) | Value::Float(_) => "a number",
        Value::Text(_) => "a text",
        Value::List(_) => "a list",
        Value::Map(_) => "an object",
    }
}

fn not_reached<W>(expression: &Expression) -> Part<W> {
    Part { span: expression.span.clone(), outcome: Outcome::NotReached, why: None, parts: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// Evaluates with every entry that `memory` names; returns what was read and whether the condition holds.
    fn check(text: &str, memory: &[(&str, i128)], expected: bool, expected_reads: &[&str]) {
        let mut reads = Vec::new();
        let evaluation = evaluate(&parse(text).expect("the condition parses"), |reference| {
            reads.push(reference.key.to_string());
            let found = memory.iter().find(|(key, _)| reference.key == *key);
            Reading { value: found.map_or(Value::Null, |(_, number)| Value::Int(*number)), why: () }
        });
        assert_eq!(evaluation.holds(), expected, "{text}");
        assert_eq!(reads, expected_reads, "{text}");
    }

    #[test]
    fn only_what_decides_is_read() {
        check("session.a.x and session.a.y", &[], false, &["a.x"]);
        check("session.a.x or session.a.y", &[("a.y", 1)], true, &["a.x", "a.y"]);
        check("5 < session.a.x < session.a.y", &[("a.x", 1)], false, &["a.x"]);
        check("0 < session.a.x < 9", &[("a.x", 1)], true, &["a.x"]);
    }

    #[test]
    fn what_cannot_be_evaluated_says_why() {
        let condition = parse("not session.a.x < 3").expect("the condition parses");
        let evaluation = evaluate(&condition, |_| Reading { value: Value::Null, why: "never written" });
        assert!(!evaluation.holds());
        assert_eq!(evaluation.impossible(), Some("`<` can't order None and a number"));
        assert_eq!(evaluation.root.parts[0].parts[0].why, Some("never written"));
    }

    #[test]
    fn and_and_or_give_the_operand_that_decides() {
        check("(session.a.x or 7) == 7", &[], true, &["a.x"]);
    }
}
