//! Queries: which events are meant, by what they are, by what holds after them, and by what was decided.
//!
//! ```text
//! query      = and { "or" and }
//! and        = not { ["and"] not }                    two terms side by side: both hold
//! not        = "not" not | "(" query ")" | filter | call | comparison
//! filter     = WORD ":" pattern { "|" pattern }       kind:memory_written  key:project.*  text:"two words"
//! call       = ("changed" | "read" | "denied") "(" pattern ")"
//! comparison = operand { ("==" | "!=" | "<" | "<=" | ">" | ">=") operand }
//! operand    = entry | string | number | True | False | None
//! ```
//!
//! Comparisons are those of the agent folder's conditions (M66 to M88) on what memory holds after the event, whoever may
//! see it. What a query needs to know decides what it costs: some need the event alone, some the state, some all that
//! was decided ([`Needs`]).

mod asked;
mod evaluate;
mod lex;
mod marked;
mod parse;
mod pattern;
mod print;
mod said;
mod search;
mod table;
mod text;

use std::ops::Range;

use crate::condition::Condition;
use crate::diagnostic::{Diagnostic, Place};
use crate::explain::decisions::{Decision, Verdict};
use crate::name::Name;
use crate::replay::Session;

pub use evaluate::matches;
pub use parse::{fields, parse};
pub use pattern::Pattern;
pub use said::tool_of;
pub use search::{Direction, Search, Step, positions};
pub use table::{Cell, Row, Table, at_every_turn};
pub use text::Text;

/// A query that parsed. Its `Display` is the query as text, which parses to the same query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What it says.
    pub root: Expression,
    /// What has to be known to answer it.
    pub needs: Needs,
}

/// A part of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `not x`.
    Not(Box<Expression>),
    /// `x and y …`, two or more.
    And(Vec<Expression>),
    /// `x or y …`, two or more.
    Or(Vec<Expression>),
    /// `word:pattern`.
    Filter(Filter),
    /// A comparison, or an entry alone, on what memory holds after the event.
    State(Condition),
    /// `changed(entry)`: the event gave it another value, or another kind of nothing.
    Changed(Pattern),
    /// `read(entry)`: the step read it.
    Read(Pattern),
    /// `denied(entry)`: a rule withheld it from a read, or refused its write.
    Denied(Pattern),
}

/// What an event is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Its kind, as JSON names it; `model_call` is each position that a model call saw.
    Kind(Vec<Pattern>),
    /// The memory entry that it is about; a pattern without a dot is the bare name, of whichever skill.
    Key(Vec<Pattern>),
    /// The skill that it is about or that it happened in.
    Skill(Vec<Pattern>),
    /// The skill on top of the stack after it.
    Active(Vec<Pattern>),
    /// The tool.
    Tool(Vec<Pattern>),
    /// Who did it: a word of [`crate::event::Actor`], or `user`.
    Actor(Vec<Pattern>),
    /// Its agent turn.
    Turn(Vec<Span>),
    /// Its position.
    At(Vec<Span>),
    /// How something in its step was decided.
    Verdict(Vec<Verdict>),
    /// A text in it.
    Text(Vec<Text>),
}

/// Numbers from one to another, both included; open where one isn't given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub from: Option<u64>,
    /// The last.
    pub to: Option<u64>,
}

impl Span {
    /// Returns whether a number lies in it.
    pub fn contains(self, number: u64) -> bool {
        self.from.is_none_or(|from| from <= number) && self.to.is_none_or(|to| number <= to)
    }
}

/// What has to be known to answer a query; each includes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// The event alone.
    Event,
    /// What held before and after it.
    State,
    /// What was decided in its step.
    Decisions,
    /// Which skills and tools a model call was offered, too.
    Offers,
}

/// Why a text is no query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Bytes of the text where it goes wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// The way out, if there is one.
    pub help: Option<String>,
}

impl QueryError {
    fn new(span: Range<usize>, message: impl Into<String>) -> QueryError {
        QueryError { span, message: message.into(), help: None }
    }

    fn help(self, help: impl Into<String>) -> QueryError {
        QueryError { help: Some(help.into()), ..self }
    }

    /// Returns the error as a diagnostic on the query, which shows it with a caret.
    pub fn diagnostic(&self, text: &str) -> Diagnostic {
        let before = text.get(..self.span.start).unwrap_or(text);
        let at = Place {
            file: Name::from("query"),
            line: 1 + before.matches('\n').count() as u32,
            column: before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u32 + 1,
            start: self.span.start as u32,
            end: self.span.end as u32,
        };
        Diagnostic::error("query", at, self.message.clone()).help_if(self.help.as_ref())
    }
}

impl Query {
    /// Returns the entries that the query names in full and that nothing in the session is called, each with the name
    /// that is nearest, if one is near.
    pub fn unknown_entries(&self, session: &Session) -> Vec<(Name, Option<Name>)> {
        evaluate::unknown_entries(self, session)
    }

    /// Returns whether a decision of a step that matches is one that the query asks for.
    pub fn asks_for(&self, decision: &Decision) -> bool {
        evaluate::asks_for(&self.root, decision)
    }
}
