//! `replay prompt --holes`: what a rule or a closed condition keeps out of a prompt, where it would stand.

use replay_store::name::Name;
use replay_store::prompt::Prompt;
use replay_store::prompt::holes::{Hole, rows};
use replay_store::visible::lines;
use serde::Serialize;

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
