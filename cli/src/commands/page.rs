//! `replay export --format md|html`: sessions as pages to be read.

use replay_store::explain::report::Pii;
use replay_store::page::{Page, html, markdown};
use replay_store::replay::Session;
use replay_store::replay::annotation::Notes;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::output::Output;

/// What a page is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Markdown.
    Markdown,
    /// One HTML file without scripts.
    Html,
}

/// Returns the page of a session with the notes on it.
pub(crate) fn page(session: &Session, shelf: Option<&Shelf>, pii: Pii) -> Page {
    let notes = shelf.map_or_else(Notes::default, |shelf| shelf.read(&session.id));
    replay_store::page::session(session, &notes, pii)
}

/// Writes pages.
pub(crate) fn write(pages: &[Page], form: Form, out: &mut Output<'_>) -> Result<Exit, Failure> {
    // Everything on a page is made visible as it is written.
    let text = match form {
        Form::Markdown => markdown(pages),
        Form::Html => html(pages),
    };
    out.writer.write_all(text.as_bytes())?;
    Ok(Exit::Fine)
}
