//! `replay prompt --holes`: what a rule or a closed condition keeps out of a prompt, where it would stand.

use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::prompt::history::UTTERANCE_COUNT;
use replay_store::prompt::holes::{HistoryCut, Hole, rows};
use replay_store::prompt::{Prompt, Role};
use replay_store::visible::lines;
use serde::Serialize;

use super::prompt::{MessageAnswer, message};
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// Something that is withheld, as JSON has it.
#[derive(Serialize)]
pub(super) struct HoleAnswer {
    key: Option<Name>,
    file: Name,
    line: u32,
    rule: Option<&'static str>,
    why: String,
    would: Option<String>,
}

/// What a history leaves out, as JSON has it. Of what is left out, the last part is told.
#[derive(Serialize)]
pub(super) struct HistoryCutAnswer<'a> {
    position: Position,
    count: u64,
    rule: &'static str,
    why: String,
    would: Vec<MessageAnswer<'a>>,
}

/// Returns what a history leaves out as JSON has it.
pub(super) fn history_answer(cut: &HistoryCut) -> HistoryCutAnswer<'_> {
    HistoryCutAnswer {
        position: cut.at,
        count: cut.count,
        rule: HISTORY_RULE,
        why: history_words(cut),
        would: cut.would.iter().map(message).collect(),
    }
}

/// The rule that cuts histories.
const HISTORY_RULE: &str = "M266";

fn history_words(cut: &HistoryCut) -> String {
    format!(
        "the model gets the last {UTTERANCE_COUNT} messages of user and agent; {} before them, up to position {}, are cut",
        cut.count, cut.at
    )
}

/// Writes what would stand in front of the history if it weren't cut, as far as it is told.
pub(super) fn history(cut: &HistoryCut, out: &mut Output<'_>) -> Result<(), Failure> {
    out.line(&[(Tone::Bad, &format!("  [withheld by {HISTORY_RULE}] {}", history_words(cut)))])?;
    let said = cut
        .would
        .iter()
        .filter(|message| matches!(message.role, Role::User | Role::Assistant) && message.tool.is_none());
    let more = cut.count.saturating_sub(said.count() as u64);
    if more > 0 {
        let more = format!("{more} earlier messages");
        out.line(&[(Tone::Bad, "  [would stand here] "), (Tone::Faint, &more)])?;
    }
    for message in &cut.would {
        let tool = message.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let lead = format!("{}{tool}: ", message.role.word());
        for (row, line) in lines(&message.text).enumerate() {
            let lead = if row == 0 { lead.as_str() } else { "  " };
            out.line(&[(Tone::Bad, "  [would stand here] "), (Tone::Faint, lead), (Tone::Faint, line)])?;
        }
    }
    Ok(())
}

/// Returns a hole as JSON has it.
pub(super) fn answer(hole: &Hole) -> HoleAnswer {
    HoleAnswer {
        key: hole.key.clone(),
        file: hole.at.file.clone(),
        line: hole.at.line,
        rule: hole.rule.map(|rule| rule.number()),
        why: hole.why.clone(),
        would: hole.would.clone(),
    }
}

/// Writes the system prompt, and behind the line of the same file that stands nearest above it each thing that is
/// withheld. What comes from no file that shows stands at the end.
pub(super) fn text(prompt: &Prompt, holes: &[Hole], out: &mut Output<'_>) -> Result<(), Failure> {
    let rows = rows(prompt);
    let places: Vec<Option<usize>> = holes.iter().map(|hole| hole.behind(&rows)).collect();
    for (index, row) in rows.iter().enumerate() {
        out.text(&row.text)?;
        for (hole, _) in holes.iter().zip(&places).filter(|(_, place)| **place == Some(index)) {
            write(hole, out)?;
        }
    }
    for (hole, _) in holes.iter().zip(&places).filter(|(_, place)| place.is_none()) {
        write(hole, out)?;
    }
    if holes.is_empty() {
        out.line(&[(Tone::Faint, "[withheld: nothing]")])?;
    }
    Ok(())
}

fn write(hole: &Hole, out: &mut Output<'_>) -> Result<(), Failure> {
    let rule = hole.rule.map(|rule| format!(" by {}", rule.number())).unwrap_or_default();
    let key = hole.key.as_ref().map(|key| format!("{key}, ")).unwrap_or_default();
    let place = format!("{}:{}", hole.at.file, hole.at.line);
    out.line(&[(Tone::Bad, &format!("[withheld{rule}: {key}{place}] {}", hole.why))])?;
    match &hole.would {
        Some(would) => {
            lines(would).try_for_each(|line| out.line(&[(Tone::Bad, "[would stand here] "), (Tone::Faint, line)]))?
        }
        None => out.line(&[(Tone::Bad, "[would stand here] "), (Tone::Faint, "nothing: the entry holds no value")])?,
    }
    Ok(())
}
