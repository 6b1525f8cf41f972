//! A whole session as a page: what was said, what happened, what memory held at the end, and the notes on it.

use std::io;

use super::{Block, Writer};
use crate::event::EventKind;
use crate::event::note::Notes;
use crate::explain::mask::Mask;
use crate::explain::report::Pii;
use crate::replay::Session;
use crate::session::prose::PII_MARK;

/// Writes the page of a session. The values of `pii` entries are masked unless they are to be revealed, which the page
/// says.
///
/// # Errors
///
/// Fails as the writer does.
pub fn session(session: &Session, notes: &Notes, pii: Pii, page: &mut Writer<'_>) -> io::Result<()> {
    let mask = match pii {
        Pii::Masked => Mask::of(session),
        Pii::Revealed => Mask::default(),
    };
    page.title(&format!("Session {}", session.id))?;
    page.block(&Block::Facts(facts(session, pii)))?;
    if !notes.is_empty() {
        page.block(&Block::Heading("Notes".to_owned()))?;
        let rows = notes.iter().map(|(at, text)| vec![at.to_string(), mask.text(text)]);
        page.block(&Block::Table(vec!["position", "note"], rows.collect()))?;
    }
    if !session.findings.is_empty() {
        page.block(&Block::Heading("Findings".to_owned()))?;
        let words = session.findings.iter().map(|one| mask.text(&format!("{}: {}", one.kind.word(), one.text)));
        page.block(&Block::Lines(words.collect()))?;
    }
    events(session, notes, &mask, page)?;
    memory(session, &mask, page)
}

fn facts(session: &Session, pii: Pii) -> Vec<(String, String)> {
    let fact = |name: &str, text: String| (name.to_owned(), text);
    let agent = match &session.agent {
        Some(agent) => format!("{}, {}", session.definition.word(), agent.definition.digest().short()),
        None => "none: which entries are pii is unknown, look through the texts before you pass them on".to_owned(),
    };
    let values = match pii {
        Pii::Masked => "hidden, as [set]",
        Pii::Revealed => "SHOWN",
    };
    vec![
        fact("session", session.id.to_string()),
        fact("events", session.end().to_string()),
        fact("turns", session.turns.len().to_string()),
        fact("profile", session.profile.to_string()),
        fact("agent", agent),
        fact("values of pii entries", values.to_owned()),
    ]
}

/// So many lines stand in one block at most.
const LINES: usize = 10_000;

/// Writes the events, turn by turn: messages as they were said, all else a line each.
fn events(session: &Session, notes: &Notes, mask: &Mask, page: &mut Writer<'_>) -> io::Result<()> {
    let mut turn = 0;
    let mut lines = Vec::new();
    for (at, event) in session.events_in(..) {
        if let Some(number) = event.turn.filter(|number| *number != turn) {
            flush(&mut lines, page)?;
            page.block(&Block::Heading(format!("Turn {number}")))?;
            turn = number;
        }
        let Some(words) = session.headline(at) else { continue };
        let note = notes.at(at).map(|text| format!("  [note: {}]", mask.text(text))).unwrap_or_default();
        match &event.kind {
            EventKind::UserMessage { text, .. } | EventKind::AgentMessage { text, .. } => {
                flush(&mut lines, page)?;
                let who = format!("{at} {}{note}", words.kind);
                page.block(&Block::Said { who, text: mask.text(text) })?;
            }
            _ => lines
                .push(format!("{:>5} {}  {}{note}", at.0, words.kind, mask.text(&words.text)).trim_end().to_owned()),
        }
        if lines.len() >= LINES {
            flush(&mut lines, page)?;
        }
    }
    flush(&mut lines, page)
}

fn flush(lines: &mut Vec<String>, page: &mut Writer<'_>) -> io::Result<()> {
    match lines.is_empty() {
        true => Ok(()),
        false => page.block(&Block::Lines(std::mem::take(lines))),
    }
}

fn memory(session: &Session, mask: &Mask, page: &mut Writer<'_>) -> io::Result<()> {
    let rows = session.memory_rows(&session.state(session.end()));
    if rows.is_empty() {
        return Ok(());
    }
    page.block(&Block::Heading("Memory at the end".to_owned()))?;
    let rows = rows.into_iter().map(|row| {
        let value = match (row.value.is_null(), mask.hides(&row.key)) {
            (true, _) => String::new(),
            (false, true) => PII_MARK.to_owned(),
            (false, false) => mask.text(&row.value.to_json()),
        };
        let set_at = row.set_at.map(|at| at.to_string()).unwrap_or_default();
        let lock = if row.locked { "locked" } else { "" };
        vec![row.key.to_string(), row.state.words().to_owned(), value, set_at, lock.to_owned()]
    });
    let head = vec!["entry", "state", "value", "set at", "lock"];
    page.block(&Block::Table(head, rows.collect()))
}
