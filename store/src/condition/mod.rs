//! Guard expressions: parsing by the closed list of operators (M66 to M77) and evaluation (M78 to M88).
//!
//! Where values come from is the caller's business: `evaluate` asks a function for each reference. What can't be
//! evaluated withholds (M85).

use std::ops::Range;

use crate::name::Name;
use crate::value::Value;

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
