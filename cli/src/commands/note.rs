//! `replay note`: the notes on a session, and a new one.

use replay_store::event::Position;
use replay_store::event::note::Note;
use replay_store::replay::Session;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::output::{Output, Tone};

/// What `replay note` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a str,
    notes: Vec<NoteAnswer<'a>>,
}

/// A note as JSON has it.
#[derive(Serialize)]
struct NoteAnswer<'a> {
    position: Position,
    text: &'a str,
}

/// Keeps a note; no words take the one that is there away. Then lists all.
pub(crate) fn keep(
    session: &Session,
    (shelf, at, text): (&Shelf, Position, String),
    json: bool,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let note = Note::new(session.id.clone(), at, text);
    let notes = shelf.read(&session.id);
    shelf.keep(&note).map_err(|source| Failure::Note { source })?;
    if let Some(before) = notes.replaced_by(&note).filter(|_| !json) {
        out.line(&[(Tone::Faint, "in place of: "), (Tone::Faint, before)])?;
    }
    list(session, shelf, json, out)
}

/// Lists the notes on a session.
pub(crate) fn list(session: &Session, shelf: &Shelf, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let notes = shelf.read(&session.id);
    if json {
        let rows = notes.iter().map(|(position, text)| NoteAnswer { position, text }).collect();
        out.json(&Answer { schema: "replay.notes/1", session: &session.id, notes: rows })?;
        return Ok(Exit::Fine);
    }
    if notes.is_empty() {
        out.text("no notes yet; replay note SESSION --at N TEXT writes one")?;
    }
    for (at, text) in notes.iter() {
        let place = if out.plain { format!("{at}: ") } else { format!("{:>5} ", at.0) };
        let words = session.headline(at).map(|line| format!("  ({} {})", line.kind, line.text)).unwrap_or_default();
        out.line(&[(Tone::Strong, &place), (Tone::Normal, text), (Tone::Faint, &words)])?;
    }
    Ok(Exit::Fine)
}
