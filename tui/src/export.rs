//! What the panel with the keys shows, as a page to be written to a file.

use replay_store::explain::mask::Mask;
use replay_store::page::{Block, Form, Page, text};

use crate::app::Debugger;
use crate::content;
use crate::copy::{Opened, command_line};

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Where.
    pub path: String,
    /// What.
    pub text: String,
    /// Whether a file that is there already is written over.
    pub replaces: bool,
}

/// Returns the panel with the keys as a file; what it is follows from the end of its name.
///
/// # Errors
///
/// Fails in one sentence where the name ends in neither `.md` nor `.html`.
pub(crate) fn export(debugger: &Debugger, opened: &Opened, path: &str) -> Result<Export, String> {
    let form = match path.rsplit_once('.').map(|(_, end)| end) {
        Some("md") => Form::Markdown,
        Some("html") => Form::Html,
        Some(_) | None => return Err(format!("{path} ends in neither .md nor .html, so what to write is unknown")),
    };
    Ok(Export { path: path.to_owned(), text: text(&page(debugger, opened), form), replaces: false })
}

fn page(debugger: &Debugger, opened: &Opened) -> Page {
    let session = &debugger.session;
    let mask = Mask::of(session);
    let at = debugger.cursor;
    let pii = match session.agent {
        Some(_) => "hidden, as [set]",
        None => "unknown without an agent folder: look through the texts before you pass them on",
    };
    let turn = debugger.state.turn.map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
    let mut facts = vec![
        ("session".to_owned(), session.id.to_string()),
        ("position".to_owned(), format!("{at} of {}, {turn}", session.end())),
        ("values of pii entries".to_owned(), pii.to_owned()),
        ("the same again".to_owned(), mask.text(&command_line(debugger, opened))),
    ];
    facts.extend(debugger.notes.at(at).map(|note| ("note".to_owned(), mask.text(note))));
    let rows = content::all_rows(debugger).into_iter().map(|row| mask.text(&row)).collect();
    let title = match debugger.sheet(debugger.focus) {
        Some(sheet) => format!("{}: {}", debugger.focus.title(), mask.text(&sheet.title)),
        None => format!("{} at {at}", debugger.focus.title()),
    };
    Page { title, blocks: vec![Block::Facts(facts), Block::Lines(rows)] }
}
