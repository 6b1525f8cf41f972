//! What authors wrote wrong, with file, line and caret.
//!
//! Parsing returns what it could read together with its diagnostics and goes on.

pub mod catalogue;
pub mod code;
mod nearest;
pub mod render;

use serde::Serialize;

pub use nearest::nearest;

use crate::name::Name;

/// A stretch of a file of the agent folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// Path below the agent folder, with `/`; `engine:<id>` for what the engine brings along.
    pub file: Name,
    /// The line of its first byte, from 1.
    pub line: u32,
    /// The column of its first byte, in characters from 1.
    pub column: u32,
    /// First byte, counted from 0.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

/// Something read from a file, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What was read.
    pub value: T,
    /// Where.
    pub at: Place,
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The engine refuses the folder, or we can't read it.
    Error,
    /// It loads, and will hurt.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// Returns the word that people read.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Something wrong in an agent folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A stable code: the engine's own where one is known, ours otherwise.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub at: Place,
    /// One sentence.
    pub message: String,
    /// The way out, if there is one.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes an error.
    pub fn error(code: &'static str, at: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, severity: Severity::Error, at, message: sentence(message), help: None }
    }

    /// Makes a warning.
    pub fn warning(code: &'static str, at: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, severity: Severity::Warning, at, message: sentence(message), help: None }
    }

    /// Makes a note.
    pub fn note(code: &'static str, at: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, severity: Severity::Note, at, message: sentence(message), help: None }
    }

    /// Adds the way out.
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(sentence(help)), ..self }
    }

    /// Adds the way out, if there is one.
    pub fn help_if(self, help: Option<impl Into<String>>) -> Diagnostic {
        Diagnostic { help: help.map(sentence), ..self }
    }
}

/// A sentence that quotes what authors wrote is cut behind this many bytes: a name may be as long as its file, and be
/// quoted for each of its thousand faults.
const SENTENCE_MAX: usize = 800;

fn sentence(text: impl Into<String>) -> String {
    let mut text = text.into();
    if text.len() > SENTENCE_MAX {
        let end = (0..=SENTENCE_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.shrink_to_fit();
        text.push('…');
    }
    text
}
