//! What reaches stdout: the one place where text is made visible and JSON is made safe.

use std::fmt;
use std::io::{self, Write};

use replay_store::visible::{json, visible, wrap_shown};
use serde::Serialize;

/// Where answers go.
pub(crate) struct Output<'a> {
    /// The writer behind it.
    pub(crate) writer: &'a mut dyn Write,
    /// Whether people look at it as it is written.
    pub(crate) terminal: bool,
    /// Whether colours are wanted.
    pub(crate) color: bool,
    /// Whether columns are unwanted.
    pub(crate) plain: bool,
    /// Columns at which lines are broken between words; `None`: nowhere.
    pub(crate) columns: Option<usize>,
}

/// How a stretch of text is meant. Colours come from the terminal's own palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it is.
    Normal,
    /// A heading.
    Strong,
    /// Beside the point.
    Faint,
    /// Something was refused, declined or is wrong.
    Bad,
    /// Was there and is gone.
    Removed,
    /// Is there and was not.
    Added,
}

impl Output<'_> {
    /// Writes one line of stretches of text, each made visible.
    pub(crate) fn line(&mut self, stretches: &[(Tone, &str)]) -> io::Result<()> {
        if let Some(columns) = self.columns {
            let text: String = stretches.iter().map(|(_, text)| visible(text)).collect();
            return self.broken(&text, columns);
        }
        for (tone, text) in stretches {
            let code = match tone {
                Tone::Normal => None,
                Tone::Strong => Some("1"),
                Tone::Faint => Some("2"),
                Tone::Bad | Tone::Removed => Some("31"),
                Tone::Added => Some("32"),
            };
            match code.filter(|_| self.color) {
                Some(code) => write!(self.writer, "\x1b[{code}m{}\x1b[0m", visible(text))?,
                None => self.writer.write_all(visible(text).as_bytes())?,
            }
        }
        self.writer.write_all(b"\n")
    }

    /// Writes a line that was made visible, broken between words; each row begins where the first one does.
    fn broken(&mut self, text: &str, columns: usize) -> io::Result<()> {
        let words = text.trim_start_matches(' ');
        let indent = &text[..text.len() - words.len()];
        let room = columns.saturating_sub(indent.len()).max(columns / 2);
        for row in wrap_shown(words, room) {
            writeln!(self.writer, "{indent}{}", row.trim_end())?;
        }
        Ok(())
    }

    /// Writes a diagnostic that was rendered, and so was made visible. Where lines are broken, those of the excerpt are not:
    /// its carets would stand elsewhere.
    pub(crate) fn rendered(&mut self, text: &str) -> io::Result<()> {
        let is_excerpt = |line: &str| {
            let behind = line.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit());
            behind.trim_start().starts_with('|')
        };
        for line in text.lines() {
            match self.columns.filter(|_| !is_excerpt(line)) {
                Some(columns) => self.broken(line, columns)?,
                None => writeln!(self.writer, "{line}")?,
            }
        }
        Ok(())
    }

    /// Writes one line of plain text.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.line(&[(Tone::Normal, text)])
    }

    /// Writes a line that names something and says what it is, in two columns unless those are unwanted.
    pub(crate) fn fact(&mut self, name: &str, value: impl fmt::Display) -> io::Result<()> {
        let name = if self.plain { format!("{name}: ") } else { format!("{name:<10}") };
        self.line(&[(Tone::Strong, &name), (Tone::Normal, &value.to_string())])
    }

    /// Writes an answer as one line of JSON, in which nothing is invisible.
    pub(crate) fn json(&mut self, answer: &impl Serialize) -> io::Result<()> {
        let document = serde_json::to_string(answer).map_err(io::Error::other)?;
        self.writer.write_all(json(&document).as_bytes())?;
        self.writer.write_all(b"\n")
    }
}
