//! `replay prompt --diff`: which words of two prompts differ, and what led to each changed line.

use std::collections::BTreeSet;

use replay_store::compare::cause::{Cause, How};
use replay_store::compare::prompts::{ExplainedLine, PartDifference, PromptDifference, Side, Size};
use replay_store::compare::words::{Change, Line, Word};
use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::report::Wording;
use super::{ProfileAnswer, definition_words, profile};
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// Whether large texts are written in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// Cut, with their size, and what shows them whole.
    Folded(&'static str),
    /// As they are.
    Full,
}

impl Length {
    /// Returns the length that a flag of the command line gives.
    pub(crate) fn of_flag(full: bool) -> Length {
        if full { Length::Full } else { Length::Folded("--full") }
    }
}

/// What `replay prompt --diff` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    from: SideAnswer,
    to: SideAnswer,
    recorded: bool,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    equal: bool,
    removed: usize,
    added: usize,
    parts: Vec<PartAnswer<'a>>,
}

/// One of the two prompts as JSON has it.
#[derive(Serialize)]
struct SideAnswer {
    position: Position,
    turn: Option<u32>,
    call: Option<u32>,
    rephrase: Option<u32>,
    situation: &'static str,
}

/// A part as JSON has it: its changed lines only.
#[derive(Serialize)]
pub(crate) struct PartAnswer<'a> {
    name: &'static str,
    from: Size,
    to: Size,
    lines: Vec<LineAnswer<'a>>,
}

/// A changed line as JSON has it.
#[derive(Serialize)]
struct LineAnswer<'a> {
    change: Change,
    /// Its index on the side where it stands, from 0.
    index: Option<usize>,
    text: String,
    words: Vec<WordAnswer<'a>>,
    causes: &'a [Cause],
}

/// A stretch of a line as JSON has it.
#[derive(Serialize)]
struct WordAnswer<'a> {
    text: &'a str,
    differs: bool,
}

/// Writes the difference as JSON.
pub(crate) fn json(session: &Session, difference: &PromptDifference, out: &mut Output<'_>) -> Result<(), Failure> {
    let (removed, added) = difference.counts();
    let answer = Answer {
        schema: "replay.prompt-diff/1",
        session: &session.id,
        from: side(&difference.from),
        to: side(&difference.to),
        recorded: false,
        profile: profile(session),
        definition: session.definition,
        differs: session.differs,
        equal: difference.is_empty(),
        removed,
        added,
        parts: difference.parts.iter().map(part).collect(),
    };
    Ok(out.json(&answer)?)
}

fn side(side: &Side) -> SideAnswer {
    SideAnswer {
        position: side.position,
        turn: side.turn,
        call: side.call,
        rephrase: side.rephrase,
        situation: side.situation.word(),
    }
}

/// Returns a part as JSON has it.
pub(crate) fn part(part: &PartDifference) -> PartAnswer<'_> {
    let changed = part.lines.iter().filter(|each| each.line.change != Change::Same);
    PartAnswer { name: part.name.word(), from: part.from, to: part.to, lines: changed.map(line).collect() }
}

fn line(each: &ExplainedLine) -> LineAnswer<'_> {
    let words = each.line.words.iter().map(|word| WordAnswer { text: &word.text, differs: word.differs });
    LineAnswer {
        change: each.line.change,
        index: each.line.old.or(each.line.new),
        text: each.line.text(),
        words: words.collect(),
        causes: &each.causes,
    }
}

/// Writes the difference for people.
pub(crate) fn text(
    session: &Session,
    difference: &PromptDifference,
    wording: &Wording,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let (removed, added) = difference.counts();
    out.fact("session", &session.id)?;
    out.fact("compared", format!("{} -> {}", difference.from.name(), difference.to.name()))?;
    out.fact("situation", situations(difference))?;
    out.fact(
        "changed",
        match difference.is_empty() {
            true => "nothing: the two prompts are the same".to_owned(),
            false => format!("{} removed, {} added", lines_words(removed), added),
        },
    )?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    parts_text(difference, wording, out)
}

/// Writes the parts that differ.
pub(crate) fn parts_text(
    difference: &PromptDifference,
    wording: &Wording,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    for part in difference.parts.iter().filter(|part| !part.is_empty()) {
        out.text("")?;
        let name = format!("@@ {} @@", part.name.word());
        out.line(&[(Tone::Strong, &name), (Tone::Faint, &format!(" {}", sizes(part)))])?;
        lines(part, wording, out)?;
    }
    Ok(())
}

fn situations(difference: &PromptDifference) -> String {
    let (from, to) = (difference.from.situation.word(), difference.to.situation.word());
    if from == to { from.to_owned() } else { format!("{from} -> {to}") }
}

fn sizes(part: &PartDifference) -> String {
    let words = |size: Size| format!("{}, {} characters", lines_words(size.lines), size.characters);
    match (part.from, part.to) {
        (from, to) if from == to => words(to),
        (Size { lines: 0, .. }, to) => format!("new, {}", words(to)),
        (from, Size { lines: 0, .. }) => format!("gone, {}", words(from)),
        (from, to) => format!("{} -> {}", words(from), words(to)),
    }
}

fn lines_words(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

/// So many lines that are the same stand around changed ones.
const CONTEXT: usize = 2;

/// Writes the changed lines of a part with a few around them. Lines that one thing led to share its words.
fn lines(part: &PartDifference, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    let is_changed = |index: usize| part.lines.get(index).is_some_and(|each| each.line.change != Change::Same);
    let is_near = |index: usize| (index.saturating_sub(CONTEXT)..=index + CONTEXT).any(is_changed);
    let mut hidden = 0;
    let mut told = BTreeSet::new();
    for (index, each) in part.lines.iter().enumerate() {
        if !is_near(index) {
            hidden += 1;
            continue;
        }
        hidden_words(std::mem::take(&mut hidden), out)?;
        write_line(&each.line, wording, out)?;
        let next = part.lines.get(index + 1);
        if is_changed(index) && next.is_none_or(|next| next.causes != each.causes) {
            let words: Vec<String> = each.causes.iter().map(|cause| cause_words(cause, wording, &mut told)).collect();
            let words = words.join("; ");
            out.line(&[(Tone::Faint, &format!("    = {words}"))])?;
        }
    }
    hidden_words(hidden, out)
}

fn hidden_words(count: usize, out: &mut Output<'_>) -> Result<(), Failure> {
    if count > 0 {
        out.line(&[(Tone::Faint, &format!("  … {} the same", lines_words(count)))])?;
    }
    Ok(())
}

fn write_line(line: &Line, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    let (tone, lead, marks) = match line.change {
        Change::Same => (Tone::Normal, "  ", ("", "")),
        Change::Removed => (Tone::Removed, "- ", ("[-", "-]")),
        Change::Added => (Tone::Added, "+ ", ("{+", "+}")),
    };
    let text = |word: &Word| {
        let shown = wording.text(&word.text);
        if word.differs { format!("{}{shown}{}", marks.0, marks.1) } else { shown }
    };
    let words: String =
        if wording.is_report() { wording.text(&line.text()) } else { line.words.iter().map(text).collect() };
    Ok(out.line(&[(tone, lead), (tone, &words)])?)
}

/// Returns the words for a cause; those of an event that was told already are its position.
fn cause_words(cause: &Cause, wording: &Wording, told: &mut BTreeSet<Position>) -> String {
    let is_told = cause.position.is_some_and(|at| !told.insert(at));
    let text = if is_told { String::new() } else { format!(", {}", wording.text(&cause.text)) };
    let at = cause.position.map(|at| at.to_string()).unwrap_or_default();
    match cause.how {
        How::Since => format!("since {at}{text}"),
        How::Value => format!("its value from {at}{text}"),
        How::Written => format!("written at {}", cause.text),
        How::Call | How::Unknown => cause.text.clone(),
    }
}
