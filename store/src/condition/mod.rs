//! Guard expressions: parsing by the closed list of operators (M66 to M77) and evaluation (M78 to M88).
//!
//! It is one grammar wherever a condition may stand, and names memory alone: no result of a tool, no words of the user, no
//! time (M91). Where values come from is the caller's business: `evaluate` asks a function for each reference. What can't be
//! evaluated withholds (M85).

mod evaluate;
mod lex;
mod parse;

use std::ops::Range;

use crate::name::Name;
use crate::value::Value;

pub use evaluate::{Evaluation, Outcome, Part, Reading, evaluate};
pub use parse::parse;

/// A condition that parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The text that it was read from.
    pub text: String,
    /// What it says.
    pub root: Expression,
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Bytes of the condition's text that it covers.
    pub span: Range<usize>,
    /// What it is.
    pub kind: ExpressionKind,
}

/// What a part of a condition is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `session.<namespace>.<entry>` (M69).
    Reference(Reference),
    /// A string, number, `True`, `False` or `None`.
    Literal(Value),
    /// `not x`.
    Not(Box<Expression>),
    /// `x and y and …`, two operands or more.
    And(Vec<Expression>),
    /// `x or y or …`, two operands or more.
    Or(Vec<Expression>),
    /// `a < b <= c …`: one operand more than operators (M73).
    Comparison {
        /// The operands, two or more.
        operands: Vec<Expression>,
        /// The operators between them.
        operators: Vec<Operator>,
    },
}

/// A memory entry that a condition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `project` or a skill id.
    pub namespace: Name,
    /// The entry.
    pub entry: Name,
    /// Both: `<namespace>.<entry>` (M27).
    pub key: Name,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Operator {
    /// Every operator of the list (M71).
    pub const ALL: [Operator; 6] = [
        Operator::Equal,
        Operator::Unequal,
        Operator::Less,
        Operator::LessOrEqual,
        Operator::Greater,
        Operator::GreaterOrEqual,
    ];

    /// Returns how it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Equal => "==",
            Operator::Unequal => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
        }
    }
}

impl Condition {
    /// Returns the entries that the condition names, in the order of its text, as often as it names them.
    pub fn references(&self) -> Vec<(&Reference, Range<usize>)> {
        let mut found = Vec::new();
        collect_references(&self.root, &mut found);
        found
    }

    /// Returns whether the condition names an entry that is wanted, by the name that stands in it.
    pub fn names(&self, wanted: &dyn Fn(&Name) -> bool) -> bool {
        names(&self.root, wanted)
    }
}

fn names(expression: &Expression, wanted: &dyn Fn(&Name) -> bool) -> bool {
    match &expression.kind {
        ExpressionKind::Reference(reference) => wanted(&reference.key),
        ExpressionKind::Literal(_) => false,
        ExpressionKind::Not(negated) => names(negated, wanted),
        ExpressionKind::And(operands)
        | ExpressionKind::Or(operands)
        | ExpressionKind::Comparison { operands, operators: _ } => {
            operands.iter().any(|operand| names(operand, wanted))
        }
    }
}

fn collect_references<'a>(expression: &'a Expression, found: &mut Vec<(&'a Reference, Range<usize>)>) {
    match &expression.kind {
        ExpressionKind::Reference(reference) => found.push((reference, expression.span.clone())),
        ExpressionKind::Literal(_) => {}
        ExpressionKind::Not(negated) => collect_references(negated, found),
        ExpressionKind::And(operands)
        | ExpressionKind::Or(operands)
        | ExpressionKind::Comparison { operands, operators: _ } => {
            operands.iter().for_each(|operand| collect_references(operand, found));
        }
    }
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError {
    /// Bytes of the text where it goes wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// The way out, if there is one.
    pub help: Option<String>,
}

impl ConditionError {
    fn new(span: Range<usize>, message: impl Into<String>) -> ConditionError {
        ConditionError { span, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> ConditionError {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_wherever_it_stands() {
        let text = "not session.a.x or (session.a.y == 'a.z' and 2 < session.b.x < 3)";
        let condition = parse(text).expect("the condition parses");
        let keys: Vec<&Name> = condition.references().into_iter().map(|(reference, _)| &reference.key).collect();
        assert_eq!(keys, ["a.x", "a.y", "b.x"]);
        for (key, expected) in [("a.x", true), ("a.y", true), ("b.x", true), ("a.z", false)] {
            assert_eq!(condition.names(&|name| *name == key), expected, "{key}");
        }
    }
}
