//! Notes on positions of a session. They are no events and change nothing: they are kept beside a record, in a file of
//! JSON Lines to which lines are added, and go along with it when it is exported as such lines.

use std::collections::BTreeMap;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::Position;
use crate::name::Name;
use crate::visible;

const SCHEMA: &str = "replay.note/1";

/// The notes on a session, by position.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Notes {
    texts: BTreeMap<Position, String>,
}

/// A note, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    schema: String,
    /// The session.
    pub session: Name,
    /// The position.
    pub position: Position,
    /// The words; none take the note away.
    pub text: String,
}

impl Note {
    /// Returns a note.
    pub fn new(session: Name, position: Position, text: String) -> Note {
        Note { schema: SCHEMA.to_owned(), session, position, text }
    }

    /// Reads a line; `None` where it is no note, as one that was cut while it was written. It may be an element of an
    /// array, with the comma behind it.
    pub fn of_line(line: &[u8]) -> Option<Note> {
        memmem::find(line, SCHEMA.as_bytes())?;
        let line = line.trim_ascii_end();
        let line = line.strip_suffix(b",").unwrap_or(line);
        serde_json::from_slice::<Note>(line).ok().filter(|note| note.schema == SCHEMA)
    }

    /// Returns the line to add to the file, in which nothing is invisible.
    pub fn line(&self) -> String {
        let json = serde_json::to_string(self).expect("a note has no key that isn't text");
        format!("{}\n", visible::json(&json))
    }
}

impl Notes {
    /// Takes a line in that may be a note on the session. A later one about a position takes the place of an earlier one;
    /// a line that is no note counts for nothing.
    pub fn take(&mut self, line: &[u8], session: &Name) {
        if let Some(note) = Note::of_line(line).filter(|note| note.session == *session) {
            self.put(note.position, note.text);
        }
    }

    /// Puts a note to a position, in place of the one there. No words take it away.
    pub fn put(&mut self, at: Position, text: String) {
        match text.trim().is_empty() {
            true => self.texts.remove(&at),
            false => self.texts.insert(at, text),
        };
    }

    /// Returns the note on a position.
    pub fn at(&self, at: Position) -> Option<&str> {
        self.texts.get(&at).map(String::as_str)
    }

    /// Returns the words whose place a note takes, where they are others than its own.
    pub fn replaced_by(&self, note: &Note) -> Option<&str> {
        self.at(note.position).filter(|before| *before != note.text)
    }

    /// Returns all notes in the order of their positions.
    pub fn iter(&self) -> impl Iterator<Item = (Position, &str)> {
        self.texts.iter().map(|(at, text)| (*at, text.as_str()))
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_about_a_position_counts_and_others_are_left_alone() {
        let line = |session: &str, at, text: &str| Note::new(session.into(), Position(at), text.to_owned()).line();
        let file = [
            line("s", 3, "first"),
            line("t", 3, "another session"),
            line("s", 3, "second \u{1b}[2J"),
            line("s", 4, "gone"),
            line("s", 4, ""),
            "{\"schema\":\"replay.no".to_owned(),
        ];
        assert!(!file.concat().contains('\u{1b}'));
        let mut notes = Notes::default();
        file.iter().for_each(|line| notes.take(line.as_bytes(), &"s".into()));
        assert_eq!(notes.iter().collect::<Vec<_>>(), [(Position(3), "second \u{1b}[2J")]);
    }
}
