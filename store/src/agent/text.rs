//! The text of a file, and where a byte of it stands.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Place, code};
use crate::name::Name;

/// A file as text, with its lines. A line ends with `\n`, `\r\n` or a lone `\r`.
pub(super) struct FileText<'a> {
    /// Path below the agent folder.
    pub(super) file: Name,
    /// All of it. Bytes that aren't UTF-8 are replaced, and places count in what is here.
    pub(super) text: Cow<'a, str>,
    line_starts: Vec<usize>,
    /// A byte and its column, from which the next column is counted: places are mostly asked for in order, and a
    /// line may be as long as the file.
    counted: Cell<(usize, usize)>,
}

/// The mark that some editors put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl<'a> FileText<'a> {
    /// Takes in a file; says so if it isn't UTF-8.
    pub(super) fn new(file: Name, bytes: &'a [u8], diagnostics: &mut Vec<Diagnostic>) -> FileText<'a> {
        let text = String::from_utf8_lossy(bytes);
        let mut line_starts = vec![0];
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]) {
            let is_pair = text.as_bytes()[at + found..].starts_with(b"\r\n");
            at += found + 1 + usize::from(is_pair);
            line_starts.push(at);
        }
        let text = FileText { file, text, line_starts, counted: Cell::new((0, 1)) };
        if let Err(error) = std::str::from_utf8(bytes) {
            // Everything before the first bad byte is the same in both.
            let at = text.place(error.valid_up_to()..error.valid_up_to());
            let message = "the file isn't UTF-8; the bytes that don't fit are replaced";
            diagnostics.push(Diagnostic::error(code::NOT_UTF8, at, message).help("save it as UTF-8"));
        }
        text
    }

    /// Returns the text without a byte order mark, as a range of [`FileText::text`].
    pub(super) fn content(&self) -> Range<usize> {
        let start = if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        start..self.text.len()
    }

    /// Returns where a range of bytes stands.
    pub(super) fn place(&self, range: Range<usize>) -> Place {
        let line = self.line_of(range.start);
        let line_start = self.line_starts[line].max(if line == 0 { self.content().start } else { 0 });
        let (byte, column) = self.counted.get();
        let (from, column) = if line_start <= byte && byte <= range.start { (byte, column) } else { (line_start, 1) };
        let column = column + self.text.get(from..range.start).unwrap_or("").chars().count();
        self.counted.set((range.start.max(from), column));
        Place {
            file: self.file.clone(),
            line: number(line + 1),
            column: number(column),
            start: number(range.start),
            end: number(range.end),
        }
    }

    /// Returns the index of the line that holds a byte, from 0.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// Returns the bytes of a line with its end; lines count from 0.
    pub(super) fn line(&self, index: usize) -> Range<usize> {
        let end = self.line_starts.get(index + 1).copied().unwrap_or(self.text.len());
        self.line_starts[index]..end
    }

    /// Returns the number of lines, at least 1; the last one may be empty.
    pub(super) fn line_count(&self) -> usize {
        self.line_starts.len()
    }
}

/// Returns where a text stands in what is written for it: mostly at the beginning, or behind a quote.
pub(super) fn offset_in(written: &str, text: &str) -> Option<usize> {
    let is_at = |at: &usize| written.get(*at..).is_some_and(|rest| rest.starts_with(text));
    (0..=1).find(is_at).or_else(|| memchr::memmem::find(written.as_bytes(), text.as_bytes()))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
