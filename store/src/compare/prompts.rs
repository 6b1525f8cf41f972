//! Two prompts of one session: which lines differ, which words in them, and what led to it.

use std::collections::BTreeSet;

use super::cause::{self, Cause};
use super::rows::{Row, parts};
use super::words::{Change, Line, compare};
use crate::event::Position;
use crate::prompt::{Prompt, Situation};
use crate::replay::Session;
use crate::replay::turns::{Call, CallKind};

pub use super::rows::PartName;

/// Which prompt of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// What a model call got.
    Call(&'a Call),
    /// What a call at a position would have got.
    At(Position),
}

impl Which<'_> {
    /// Returns the position whose state the prompt shows.
    pub fn position(self) -> Position {
        match self {
            Which::Call(call) => call.before,
            Which::At(at) => at,
        }
    }

    fn is_rephrase(self) -> bool {
        matches!(self, Which::Call(call) if call.kind == CallKind::Rephrase)
    }

    fn prompt(self, session: &Session) -> Option<Prompt> {
        match self {
            Which::Call(call) => session.prompt_of(call),
            Which::At(at) => session.prompt(at),
        }
    }

    fn side(self, session: &Session, prompt: &Prompt) -> Side {
        let at = self.position();
        let turn = match self {
            Which::Call(call) => session.turn_at(call.evidence),
            Which::At(_) => None,
        };
        let (call, rephrase) = match self {
            Which::Call(call) if call.kind == CallKind::Rephrase => (None, Some(call.number)),
            Which::Call(call) => (Some(call.number), None),
            Which::At(_) => (None, None),
        };
        Side { position: at, turn: turn.map(|turn| turn.number), call, rephrase, situation: prompt.situation }
    }
}

/// One of the two prompts that were compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The position whose state it shows.
    pub position: Position,
    /// The agent turn of the call; `None` where no call was made.
    pub turn: Option<u32>,
    /// The number of the model call in its turn.
    pub call: Option<u32>,
    /// The number of the rephrase in its turn.
    pub rephrase: Option<u32>,
    /// Which of the engine's situations it is.
    pub situation: Situation,
}

impl Side {
    /// Returns what people call it: `turn 3 call 2 (position 40)`.
    pub fn name(&self) -> String {
        let at = self.position;
        match (self.turn, self.call, self.rephrase) {
            (Some(turn), Some(call), _) => format!("turn {turn} call {call} (position {at})"),
            (Some(turn), None, Some(number)) => format!("turn {turn} rephrase {number} (position {at})"),
            (_, _, _) => format!("position {at}"),
        }
    }
}

/// How two prompts differ.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptDifference {
    /// The one that is compared with.
    pub from: Side,
    /// The one whose lines are explained.
    pub to: Side,
    /// The parts that either has, in the order of a prompt, those without a difference, too.
    pub parts: Vec<PartDifference>,
}

/// How a part of two prompts differs.
#[derive(Clone, Debug, PartialEq)]
pub struct PartDifference {
    /// Which part.
    pub name: PartName,
    /// All its lines in order; of lines that take the place of others the old ones come first.
    pub lines: Vec<ExplainedLine>,
    /// How large it was.
    pub from: Size,
    /// How large it is.
    pub to: Size,
}

/// A line with what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedLine {
    /// The line.
    pub line: Line,
    /// What led to the change, the nearest first; empty for a line that is the same, else never.
    pub causes: Vec<Cause>,
}

/// How large a part is. Tokens aren't counted: the model's own count isn't recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize)]
pub struct Size {
    /// Unicode code points, without line ends.
    pub characters: usize,
    /// Lines.
    pub lines: usize,
}

impl PartDifference {
    /// Returns whether no line differs.
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|each| each.line.change == Change::Same)
    }
}

impl PromptDifference {
    /// Returns whether no line differs.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(PartDifference::is_empty)
    }

    /// Returns how many lines were removed, and how many added.
    pub fn counts(&self) -> (usize, usize) {
        let lines = || self.parts.iter().flat_map(|part| &part.lines);
        let count = |change| lines().filter(|each| each.line.change == change).count();
        (count(Change::Removed), count(Change::Added))
    }
}

/// Compares two prompts of a session. `None` without a definition.
pub fn prompts(session: &Session, from: Which<'_>, to: Which<'_>) -> Option<PromptDifference> {
    let (old_prompt, new_prompt) = (from.prompt(session)?, to.prompt(session)?);
    let (old, new) = (parts(&old_prompt), parts(&new_prompt));
    let names: BTreeSet<PartName> = old.keys().chain(new.keys()).copied().collect();
    let nothing: Vec<Row> = Vec::new();
    let mut found: Vec<PartDifference> = Vec::new();
    for name in names {
        let old_rows = old.get(&name).unwrap_or(&nothing);
        let new_rows = new.get(&name).unwrap_or(&nothing);
        let lines = compare(&texts(old_rows), &texts(new_rows));
        found.push(PartDifference {
            name,
            lines: lines.into_iter().map(|line| ExplainedLine { line, causes: Vec::new() }).collect(),
            from: size(old_rows),
            to: size(new_rows),
        });
    }
    let mut difference =
        PromptDifference { from: from.side(session, &old_prompt), to: to.side(session, &new_prompt), parts: found };
    cause::explain(session, &mut difference, &old, &new, from.is_rephrase() || to.is_rephrase());
    Some(difference)
}

/// Returns the last model call before `which` that can be compared with it: of the same kind where it is a call,
/// the last one that counts where it is none.
pub fn previous<'a>(session: &'a Session, which: Which<'_>) -> Option<&'a Call> {
    let calls = session.turns.iter().rev().flat_map(|turn| turn.calls.iter().rev());
    let wants_rephrase = which.is_rephrase();
    calls.filter(|call| (call.kind == CallKind::Rephrase) == wants_rephrase).find(|call| match which {
        Which::Call(of) => call.evidence < of.evidence,
        Which::At(at) => call.before < at,
    })
}

fn texts(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.text.as_str()).collect()
}

fn size(rows: &[Row]) -> Size {
    Size { characters: rows.iter().map(|row| row.text.chars().count()).sum(), lines: rows.len() }
}
