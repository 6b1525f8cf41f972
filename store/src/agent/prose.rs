//! Prose of a skill: paragraphs, their `if:` markers and the tokens in them (M118 to M147).

use super::gate::Gate;
use crate::diagnostic::Place;
use crate::name::Name;

/// A paragraph: one scoping unit (M118).
#[derive(Clone, Debug, PartialEq)]
pub struct Paragraph {
    /// The `if:` marker on its first line (M122).
    pub gate: Option<Gate>,
    /// The text without the marker line; empty when nothing stands beneath the marker.
    pub prose: Prose,
}

/// Text for the model with the tokens in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Prose {
    /// The text as written; lines are joined by `\n`.
    pub text: String,
    /// Where it stands. A line of a paragraph stands at `at.line` plus its index.
    pub at: Place,
    /// The tokens, in order.
    pub tokens: Vec<Token>,
}

/// A reference in prose.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it refers to.
    pub kind: TokenKind,
    /// Its first byte in [`Prose::text`].
    pub start: usize,
    /// The byte behind its last in [`Prose::text`].
    pub end: usize,
    /// Where it stands in the file.
    pub at: Place,
}

/// What a token refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `@memory.<namespace>.<entry>`, with the qualified name (M129).
    Memory(Name),
    /// `@skill.<id>` (M140).
    Skill(Name),
    /// `@block.<id>` of the same skill (M139).
    Block(Name),
    /// `@tool.<name>` (M146).
    Tool(Name),
}
