//! `replay access`: who may read and write what, at a moment.

use replay_store::event::Position;
use replay_store::explain::access::{self, Lock, Matrix, Rights};
use replay_store::explain::why::RuleLine;
use replay_store::name::Name;
use replay_store::replay::Session;
use replay_store::replay::rows::Scope;
use replay_store::visible::visible;
use serde::Serialize;

use super::{ProfileAnswer, definition_words, position_words, profile};
use crate::arguments::Place;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::place;

/// What `replay access` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    position: Position,
    active_skill: Option<Name>,
    profile: ProfileAnswer,
    #[serde(flatten)]
    matrix: Matrix,
}

/// What each sign of a cell means.
const LEGEND: &str = "r reads it, w writes it by tools and steps, m by the model, b by buttons; - not";

/// Writes the rights on every entry at the moment.
pub(crate) fn access(session: &Session, moment: &Place, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let at = place::position(session, moment)?;
    let matrix = access::access(session, at).ok_or_else(|| Failure::NoAccess { session: session.id.to_string() })?;
    let active_skill = session.state(at).active_skill().cloned();
    if json {
        let (schema, profile) = ("replay.access/1", profile(session));
        out.json(&Answer { schema, session: &session.id, position: at, active_skill, profile, matrix })?;
        return Ok(Exit::Fine);
    }
    out.fact("session", &session.id)?;
    out.fact("position", position_words(session, at))?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    out.fact("active", active_skill.as_ref().map_or("no skill", |skill| skill.as_str()))?;
    if out.plain {
        plain(&matrix, out)?;
    } else {
        table(&matrix, active_skill.as_ref(), out)?;
    }
    reasons(&matrix, out)?;
    Ok(Exit::Fine)
}

/// A column for each skill, by number: names are long.
fn table(matrix: &Matrix, active: Option<&Name>, out: &mut Output<'_>) -> Result<(), Failure> {
    out.line(&[(Tone::Strong, "columns")])?;
    for (number, skill) in matrix.skills.iter().enumerate() {
        let mark = if skill.is_some() && skill.as_ref() == active { "  (active)" } else { "" };
        out.text(&format!("  {number}  {}{mark}", skill_words(skill.as_ref())))?;
    }
    let width = matrix.entries.iter().map(|row| visible(&row.key).chars().count()).max().unwrap_or(0).max(5);
    let numbers: Vec<String> = (0..matrix.skills.len()).map(|number| format!("{number:<4}")).collect();
    out.line(&[(Tone::Strong, &format!("{:<width$}  {}", "entry", numbers.join("  ").trim_end()))])?;
    for row in &matrix.entries {
        let key = visible(&row.key);
        let blanks = " ".repeat(width - key.chars().count());
        let cells: Vec<String> = row.rights.iter().map(Rights::signs).collect();
        let lock = row.lock.as_ref().map(|_| "  locked").unwrap_or_default();
        out.line(&[
            (Tone::Normal, &format!("{key}{blanks}  {}", cells.join("  "))),
            (Tone::Faint, &format!("  {}", row.scope.word())),
            (Tone::Faint, lock),
        ])?;
    }
    out.line(&[(Tone::Faint, LEGEND)])?;
    Ok(())
}

fn plain(matrix: &Matrix, out: &mut Output<'_>) -> Result<(), Failure> {
    for row in &matrix.entries {
        for rights in &row.rights {
            let skill = skill_words(rights.skill.as_ref());
            out.text(&format!("{}, {}, {skill}: {}", row.key, row.scope.word(), rights_words(rights)))?;
        }
    }
    Ok(())
}

/// The rights in words, for those who listen to them.
fn rights_words(rights: &Rights) -> String {
    let words = ["read", "written by tools", "set by the model", "set by buttons"];
    let signs = rights.signs();
    let has: Vec<&str> = signs.chars().zip(words).filter(|(sign, _)| *sign != '-').map(|(_, words)| words).collect();
    if has.is_empty() { "no rights".to_owned() } else { has.join(", ") }
}

/// Says what locks entries, and which lines deny a right that the skill would have otherwise.
fn reasons(matrix: &Matrix, out: &mut Output<'_>) -> Result<(), Failure> {
    for row in &matrix.entries {
        if let Some(lock) = &row.lock {
            let text = format!("locked since {}", lock_words(lock));
            out.line(&[(Tone::Strong, &row.key), (Tone::Normal, ": "), (Tone::Normal, &text)])?;
        }
        for rights in &row.rights {
            let right = &rights.read;
            // Private entries of other skills are the rule and need no word each.
            if !right.allowed && row.scope != Scope::Private {
                let skill = skill_words(rights.skill.as_ref());
                let change = right.change.as_ref().map(|change| format!("; to allow it, {change}"));
                let text =
                    format!("{skill} may not read it: {}{}", line_words(&right.rule), change.unwrap_or_default());
                out.line(&[(Tone::Strong, &row.key), (Tone::Normal, ": "), (Tone::Normal, &text)])?;
            }
        }
    }
    Ok(())
}

fn lock_words(lock: &Lock) -> String {
    match &lock.by {
        Some(evidence) => format!("{}: {} ({})", lock.since, evidence.text, lock.rule.id),
        None => format!("the start, by its initial value: {}", line_words(&lock.rule)),
    }
}

/// A rule, and the line that made it apply.
fn line_words(rule: &RuleLine) -> String {
    match (rule.place(), &rule.source) {
        (Some(place), Some(source)) => format!("{place} `{}` ({})", source.trim(), rule.id),
        (Some(place), None) => format!("{place} ({})", rule.id),
        (None, _) => rule.id.to_string(),
    }
}

fn skill_words(skill: Option<&Name>) -> &str {
    skill.map_or("while no skill is active", |skill| skill.as_str())
}
