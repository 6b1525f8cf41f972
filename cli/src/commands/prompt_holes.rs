//! `replay prompt --holes`: what a rule or a closed condition keeps out of a prompt, where it would stand.

use replay_store::name::Name;
use replay_store::prompt::holes::Hole;
use replay_store::prompt::{Prompt, Source};
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
    let place = |hole: &Hole| {
        let is_above = |(_, origins): &(String, Vec<(Name, u32)>)| {
            origins.iter().any(|(file, line)| *file == hole.at.file && *line <= hole.at.line)
        };
        rows.iter().rposition(is_above)
    };
    let places: Vec<Option<usize>> = holes.iter().map(place).collect();
    for (index, (line, _)) in rows.iter().enumerate() {
        out.text(line)?;
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

/// Returns the lines of the system prompt, each with the lines of the folder that it comes from.
fn rows(prompt: &Prompt) -> Vec<(String, Vec<(Name, u32)>)> {
    let mut rows: Vec<(String, Vec<(Name, u32)>)> = Vec::new();
    let mut continues = false;
    for piece in prompt.sections.iter().flat_map(|section| &section.pieces) {
        for part in piece.text.split_inclusive('\n') {
            if !continues {
                rows.push((String::new(), Vec::new()));
            }
            let Some((text, origins)) = rows.last_mut() else { continue };
            text.push_str(part.strip_suffix('\n').unwrap_or(part));
            if let Source::File { file, line } = &piece.origin {
                origins.push((file.clone(), *line));
            }
            continues = !part.ends_with('\n');
        }
    }
    rows
}
