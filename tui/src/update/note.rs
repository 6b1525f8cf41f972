//! Notes on positions, and panels as files.

use replay_store::event::note::Note;

use crate::app::{App, Message, Wish};
use crate::export::{self, Export};
use crate::theme::Tone;
use crate::typing::{Typing, TypingKind};

/// Begins to type a note, with the words of the one that is there.
pub(super) fn begin(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let before = debugger.notes.at(debugger.cursor).unwrap_or_default();
    let mut typing = Typing::new(TypingKind::Command);
    typing.text = format!("note {before}");
    app.typing = Some(typing);
}

/// Keeps a note on the event at the cursor.
pub(super) fn keep(app: &mut App, text: String) {
    let (Some(debugger), notebook) = (&mut app.debugger, &app.notebook) else { return };
    let Some(notebook) = notebook else {
        return app.say("there is no place for notes: the session came through a pipe");
    };
    let note = Note::new(debugger.session.id.clone(), debugger.cursor, text);
    app.message = Some(match (notebook.keep)(&note) {
        Ok(kept) => {
            let before = debugger.notes.replaced_by(&note);
            let words = before.map(|before| format!("{kept}, in place of: {before}")).unwrap_or(kept);
            debugger.notes.put(note.position, note.text);
            // The event panel shows the note of its event.
            debugger.event.at = None;
            Message { text: words, tone: Tone::Strong }
        }
        Err(words) => Message { text: words, tone: Tone::Bad },
    });
}

/// Asks the terminal's loop to write the panel with the keys to a file; over one that is there only where that was said.
pub(super) fn export(app: &mut App, path: &str, replaces: bool) {
    let Some(debugger) = &app.debugger else { return };
    match export::export(debugger, &app.opened, path) {
        Ok(export) => app.wish = Some(Wish::Export(Export { replaces, ..export })),
        Err(text) => app.message = Some(Message { text, tone: Tone::Bad }),
    }
}
