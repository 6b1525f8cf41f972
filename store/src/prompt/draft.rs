//! Collects the pieces of a section, with the blank lines between its blocks.
//!
//! Exact whitespace isn't documented (M357). Ours: a section ends with one line end, blocks are parted by one blank
//! line, and so are sections.

use super::{Piece, Section, SectionName, Source};
use crate::diagnostic::Place;

/// A section in the making.
#[derive(Default)]
pub(super) struct Draft {
    pieces: Vec<Piece>,
    blank_due: bool,
}

impl Draft {
    /// Begins a block: a paragraph, a heading, a list. Blocks are parted by a blank line.
    pub(super) fn block(&mut self) -> &mut Draft {
        self.blank_due = !self.pieces.is_empty();
        self
    }

    /// Adds a line of the renderer's own.
    pub(super) fn line(&mut self, text: &str) -> &mut Draft {
        self.start_line().push(text, Source::Builtin)
    }

    /// Makes sure that what follows begins on a line of its own.
    pub(super) fn start_line(&mut self) -> &mut Draft {
        self.end_line();
        self
    }

    /// Adds words of the renderer's own to the line.
    pub(super) fn own(&mut self, text: &str) -> &mut Draft {
        self.push(text, Source::Builtin)
    }

    /// Adds text that an author wrote, without the line ends behind it. It is a value, never a template (M250).
    pub(super) fn written(&mut self, text: &str, at: &Place) -> &mut Draft {
        self.push(text.trim_end_matches(['\n', '\r']), Source::file(at))
    }

    /// Adds pieces that are made already.
    pub(super) fn pieces(&mut self, pieces: Vec<Piece>) -> &mut Draft {
        for piece in pieces {
            self.push(&piece.text, piece.origin);
        }
        self
    }

    /// Adds text. It joins the piece before it if both have the same origin.
    pub(super) fn push(&mut self, text: &str, origin: Source) -> &mut Draft {
        if text.is_empty() {
            return self;
        }
        if std::mem::take(&mut self.blank_due) {
            self.end_line();
            self.append("\n", Source::Builtin);
        }
        self.append(text, origin);
        self
    }

    /// Whether nothing was added.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Ends the section.
    pub(super) fn finish(mut self, name: SectionName) -> Option<Section> {
        if self.is_empty() {
            return None;
        }
        self.end_line();
        Some(Section { name, pieces: self.pieces })
    }

    fn end_line(&mut self) {
        if self.pieces.last().is_some_and(|last| !last.text.ends_with('\n')) {
            self.append("\n", Source::Builtin);
        }
    }

    fn append(&mut self, text: &str, origin: Source) {
        match self.pieces.last_mut() {
            Some(last) if last.origin == origin => last.text.push_str(text),
            Some(_) | None => self.pieces.push(Piece { text: text.to_owned(), origin }),
        }
    }
}

/// Puts a blank line in front of every section but the first.
pub(super) fn part(sections: &mut [Section]) {
    for section in sections.iter_mut().skip(1) {
        match section.pieces.first_mut() {
            Some(first) if first.origin == Source::Builtin => first.text.insert(0, '\n'),
            _ => section.pieces.insert(0, Piece { text: "\n".to_owned(), origin: Source::Builtin }),
        }
    }
}
