//! Prose as the model gets it: paragraphs scoped by their markers, tokens replaced by values (M118 to M138).
//!
//! Each piece keeps its origin: a stretch of the skill's file, or the read that gave a value.

use super::State;
use super::access::{ReadDecision, Reader, Site, read};
use super::gate::{GateDecision, gate};
use crate::agent::Agent;
use crate::agent::prose::{Paragraph, Prose, Token, TokenKind};
use crate::agent::skill::Skill;
use crate::profile::Profile;
use crate::value::Value;

/// How many characters of a value the model sees (M262).
pub const SHOWN_CHARACTERS: usize = 100;
/// What follows a value that was cut (M262).
pub const CUT_MARK: &str = "... [truncated]";
/// What stands for a value that is `pii` (M134, M258, M344).
pub const PII_MARK: &str = "[set]";

/// A paragraph at a moment of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct ScopedParagraph<'a> {
    /// The paragraph.
    pub paragraph: &'a Paragraph,
    /// What its marker came to; `None` for a paragraph without one.
    pub gate: Option<GateDecision>,
    /// Whether the model gets it. A marker with nothing beneath it never shows (M128).
    pub is_visible: bool,
}

/// Scopes the paragraphs of a skill, all of them, in order.
pub fn scope<'a>(agent: &'a Agent, profile: Profile, state: &State, skill: &'a Skill) -> Vec<ScopedParagraph<'a>> {
    skill.paragraphs.iter().map(|paragraph| scope_of(agent, profile, state, skill, paragraph)).collect()
}

/// Scopes a paragraph of a skill.
pub fn scope_of<'a>(
    agent: &Agent,
    profile: Profile,
    state: &State,
    skill: &Skill,
    paragraph: &'a Paragraph,
) -> ScopedParagraph<'a> {
    let decision = paragraph.gate.as_ref().map(|marker| gate(agent, profile, state, Some(&skill.id), marker));
    let is_open = decision.as_ref().is_none_or(GateDecision::is_open);
    ScopedParagraph { paragraph, gate: decision, is_visible: is_open && !paragraph.prose.text.is_empty() }
}

/// A piece of rendered prose.
#[derive(Clone, Debug, PartialEq)]
pub enum ProsePiece<'a> {
    /// Text as it is written.
    Written {
        /// The text.
        text: &'a str,
        /// Its line in the file of the prose, from 1.
        line: u32,
    },
    /// A value in place of a token.
    Value {
        /// What the model gets: cut, or the mark of a `pii` entry.
        text: String,
        /// The token.
        token: &'a Token,
        /// The read.
        decision: ReadDecision,
    },
    /// A memory token that gave nothing and stays as it is written (M133).
    Left {
        /// The token as it is written.
        text: &'a str,
        /// The token.
        token: &'a Token,
        /// The read.
        decision: ReadDecision,
    },
}

impl ProsePiece<'_> {
    /// Returns what the model gets.
    pub fn text(&self) -> &str {
        match self {
            ProsePiece::Written { text, .. } | ProsePiece::Left { text, .. } => text,
            ProsePiece::Value { text, .. } => text,
        }
    }
}

/// Replaces the memory tokens of a text. Other tokens stay as they are written (M147), and a value isn't scanned
/// again (M138).
pub fn substitute<'a>(
    agent: &Agent,
    profile: Profile,
    state: &State,
    skill: Option<&str>,
    prose: &'a Prose,
) -> Vec<ProsePiece<'a>> {
    let reader = Reader { skill, site: Site::Prompt };
    let mut pieces = Vec::new();
    let mut done = 0;
    let mut line = prose.at.line;
    for token in &prose.tokens {
        let TokenKind::Memory(key) = &token.kind else { continue };
        write_lines(&prose.text[done..token.start], &mut line, &mut pieces);
        let decision = read(agent, profile, state, reader, key);
        let pii = decision.key.as_deref().and_then(|key| agent.entry(key)).is_some_and(|entry| entry.pii);
        pieces.push(match decision.value().map(|value| if pii { PII_MARK.to_owned() } else { shown(value) }) {
            Some(text) => ProsePiece::Value { text, token, decision },
            None => ProsePiece::Left { text: &prose.text[token.start..token.end], token, decision },
        });
        done = token.end;
    }
    write_lines(&prose.text[done..], &mut line, &mut pieces);
    pieces
}

/// Returns what the model sees of a value: its text (M261), cut after [`SHOWN_CHARACTERS`] code points (M263).
pub fn shown(value: &Value) -> String {
    let mut text = value.to_display();
    if let Some((cut, _)) = text.char_indices().nth(SHOWN_CHARACTERS) {
        text.truncate(cut);
        text.push_str(CUT_MARK);
    }
    text
}

/// Adds written text, a piece a line, so that each piece has one line of the file as its origin.
fn write_lines<'a>(text: &'a str, line: &mut u32, pieces: &mut Vec<ProsePiece<'a>>) {
    for part in text.split_inclusive('\n') {
        pieces.push(ProsePiece::Written { text: part, line: *line });
        *line += u32::from(part.ends_with('\n'));
    }
}
