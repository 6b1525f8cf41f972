//! A whole session as a page: what was said, what happened, what memory held at the end, and the notes on it.

use super::{Block, Page};
use crate::event::EventKind;
use crate::explain::mask::Mask;
use crate::explain::report::Pii;
use crate::replay::Session;
use crate::replay::annotation::Notes;
use crate::session::prose::PII_MARK;

/// Returns the page of a session. The values of `pii` entries are masked unless they are to be revealed, which the page
/// says.
pub fn session(session: &Session, notes: &Notes, pii: Pii) -> Page {
    let mask = match pii {
        Pii::Masked => Mask::of(session),
        Pii::Revealed => Mask::default(),
    };
    let mut blocks = vec![Block::Facts(facts(session, pii))];
    if !notes.is_empty() {
        blocks.push(Block::Heading("Notes".to_owned()));
        let rows = notes.iter().map(|(at, text)| vec![at.to_string(), mask.text(text)]);
        blocks.push(Block::Table(vec!["position", "note"], rows.collect()));
    }
    if !session.findings.is_empty() {
        blocks.push(Block::Heading("Findings".to_owned()));
        let words = session.findings.iter().map(|one| mask.text(&format!("{}: {}", one.kind.word(), one.text)));
        blocks.push(Block::Lines(words.collect()));
    }
    events(session, notes, &mask, &mut blocks);
    memory(session, &mask, &mut blocks);
    Page { title: format!("Session {}", session.id), blocks }
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

/// Adds the events, turn by turn: messages as they were said, all else a line each.
fn events(session: &Session, notes: &Notes, mask: &Mask, blocks: &mut Vec<Block>) {
    let mut turn = 0;
    let mut lines = Vec::new();
    for (at, event) in session.events_in(..) {
        if let Some(number) = event.turn.filter(|number| *number != turn) {
            flush(&mut lines, blocks);
            blocks.push(Block::Heading(format!("Turn {number}")));
            turn = number;
        }
        let Some(words) = session.headline(at) else { continue };
        let note = notes.at(at).map(|text| format!("  [note: {}]", mask.text(text))).unwrap_or_default();
        match &event.kind {
            EventKind::UserMessage { text, .. } | EventKind::AgentMessage { text, .. } => {
                flush(&mut lines, blocks);
                let who = format!("{at} {}{note}", words.kind);
                blocks.push(Block::Said { who, text: mask.text(text) });
            }
            _ => lines
                .push(format!("{:>5} {}  {}{note}", at.0, words.kind, mask.text(&words.text)).trim_end().to_owned()),
        }
    }
    flush(&mut lines, blocks);
}

fn flush(lines: &mut Vec<String>, blocks: &mut Vec<Block>) {
    if !lines.is_empty() {
        blocks.push(Block::Lines(std::mem::take(lines)));
    }
}

fn memory(session: &Session, mask: &Mask, blocks: &mut Vec<Block>) {
    let rows = session.memory_rows(&session.state(session.end()));
    if rows.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Memory at the end".to_owned()));
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
    blocks.push(Block::Table(head, rows.collect()));
}
