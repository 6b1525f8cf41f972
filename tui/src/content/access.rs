//! The access matrix as a sheet: who may read and write what at the cursor, and the line behind each no.

use replay_store::event::Position;
use replay_store::explain::access::{Matrix, Rights, access};
use replay_store::name::Name;
use replay_store::replay::Session;
use replay_store::replay::rows::Scope;
use replay_store::visible::{visible, width};

use crate::sheet::{Link, Sheet};
use crate::theme::Tone;

/// Returns the matrix; `None` without an agent folder.
pub(crate) fn sheet(session: &Session, at: Position) -> Option<Sheet> {
    let matrix = access(session, at)?;
    let place = at.to_string();
    let mut sheet = Sheet::new(format!("access at {at}"), &["access", "{}", "--at", &place]);
    let active = session.state(at).active_skill().cloned();
    sheet.line(Tone::Quiet, "r reads, w is written by tools, m by the model, b by buttons, - not", None);
    for (number, skill) in matrix.skills.iter().enumerate() {
        let mark = if skill.is_some() && *skill == active { " (active)" } else { "" };
        let words = format!("column {number}: {}{mark}", words(skill.as_ref()));
        sheet.line(Tone::Skill, &words, skill.clone().map(Link::Skill));
    }
    sheet.line(Tone::Plain, "", None);
    let key_width = matrix.entries.iter().map(|row| width(&visible(&row.key))).max().unwrap_or(0).max(5);
    let numbers: Vec<String> = (0..matrix.skills.len()).map(|number| format!("{number:<4}")).collect();
    sheet.line(Tone::Strong, &format!("{:<key_width$}  {}", "entry", numbers.join("  ").trim_end()), None);
    rows(&matrix, key_width, &mut sheet);
    reasons(&matrix, &mut sheet);
    Some(sheet)
}

fn rows(matrix: &Matrix, key_width: usize, sheet: &mut Sheet) {
    for row in &matrix.entries {
        let blanks = " ".repeat(key_width - width(&visible(&row.key)));
        let cells: Vec<String> = row.rights.iter().map(Rights::signs).collect();
        let cells = format!("{blanks}  {}", cells.join("  "));
        let lock = if row.lock.is_some() { "  locked" } else { "" };
        let parts = [(Tone::Memory, row.key.as_str()), (Tone::Plain, &cells), (Tone::Quiet, lock)];
        sheet.parts(&parts, Some(Link::Entry(row.key.clone())));
    }
}

/// Adds what locks entries, and each read that a line denies. Private entries of other skills are the rule and need no
/// word each.
fn reasons(matrix: &Matrix, sheet: &mut Sheet) {
    let mut is_first = true;
    for row in &matrix.entries {
        if let Some(lock) = &row.lock {
            begin(&mut is_first, sheet);
            let words = format!("{} is locked since {} ({})", row.key, lock.since, lock.rule.id);
            sheet.line(Tone::Plain, &words, Some(Link::Event(lock.since)));
        }
        for rights in row.rights.iter().filter(|rights| !rights.read.allowed && row.scope != Scope::Private) {
            begin(&mut is_first, sheet);
            let rule = &rights.read.rule;
            let place = rule.place().map(|place| format!(" at {place}")).unwrap_or_default();
            let text = format!("{} may not read {}: {}{place}", words(rights.skill.as_ref()), row.key, rule.id);
            let skill = rights.skill.clone();
            sheet.line(Tone::Bad, &text, skill.map(|skill| Link::Read(row.key.clone(), skill)));
        }
    }
}

fn begin(is_first: &mut bool, sheet: &mut Sheet) {
    if std::mem::take(is_first) {
        sheet.heading("why not");
    }
}

fn words(skill: Option<&Name>) -> &str {
    skill.map_or("while no skill is active", |skill| skill.as_str())
}
