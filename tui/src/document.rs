//! A long text with the origin of every stretch of it: prompts and raw records.
//!
//! Finding the line breaks is all the work that grows with the size; lines are shown and wrapped when they are seen.

use std::cell::RefCell;
use std::rc::Rc;

use crate::line::Line;
use crate::rows::Rows;
use crate::theme::Tone;

/// A text in lines. `origin` numbers mean what its owner says; 0 is nothing.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    line_starts: Vec<usize>,
    spans: Vec<Span>,
    wrapped: RefCell<Option<Wrapped>>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    end: usize,
    tone: Tone,
    origin: usize,
}

/// The rows of the long line that was asked for last.
#[derive(Debug)]
struct Wrapped {
    line: usize,
    columns: usize,
    rows: Rc<[Line]>,
}

/// Stands in front of a row that continues the one above, so that it isn't taken for a line of the text.
pub(crate) const CONTINUED: &str = "↪ ";

/// Lines of fewer bytes are wrapped anew each time.
const WORTH_KEEPING: usize = 2048;

impl Document {
    /// Adds a stretch of text. A line break in it begins a new line.
    pub fn push(&mut self, text: &str, tone: Tone, origin: usize) {
        if text.is_empty() {
            return;
        }
        if self.line_starts.is_empty() {
            self.line_starts.push(0);
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.line_starts.extend(text.match_indices('\n').map(|(index, _)| start + index + 1));
        self.spans.push(Span { end: self.text.len(), tone, origin });
    }

    /// Adds a stretch that begins on a line of its own.
    pub fn push_line(&mut self, text: &str, tone: Tone, origin: usize) {
        if self.line_starts.last().is_some_and(|start| *start < self.text.len()) {
            self.push("\n", Tone::Plain, 0);
        }
        self.push(text, tone, origin);
    }

    /// Returns how many lines there are. A break at the end begins no further line.
    pub fn line_count(&self) -> usize {
        let empty_last = self.line_starts.last().is_some_and(|start| *start == self.text.len());
        self.line_starts.len() - usize::from(empty_last)
    }

    /// Returns the origins of the stretches on a line, without repetition.
    pub fn origins(&self, line: usize) -> Vec<usize> {
        let mut origins: Vec<usize> =
            self.parts(line).map(|(_, span)| span.origin).filter(|origin| *origin > 0).collect();
        origins.dedup();
        origins
    }

    /// Returns the first line that holds `origin`.
    pub fn line_of(&self, origin: usize) -> Option<usize> {
        let place = self.spans.iter().position(|span| span.origin == origin)?;
        let start = place.checked_sub(1).map_or(0, |before| self.spans[before].end);
        Some(self.line_starts.partition_point(|line| *line <= start).saturating_sub(1))
    }

    /// Returns the lines whose text is wanted.
    pub fn lines_where(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let text = |line| {
            let (start, end) = self.bounds(line);
            &self.text[start..end]
        };
        (0..self.line_count()).filter(|line| wanted(text(*line))).collect()
    }

    fn bounds(&self, line: usize) -> (usize, usize) {
        let start = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        (start, end.max(start))
    }

    fn parts(&self, line: usize) -> impl Iterator<Item = (&str, Span)> {
        let (mut start, end) = self.bounds(line);
        let first = self.spans.partition_point(|span| span.end <= start);
        self.spans[first..].iter().map_while(move |span| {
            let stop = span.end.min(end);
            (start < stop).then(|| {
                let part = &self.text[start..stop];
                start = stop;
                (part, *span)
            })
        })
    }

    fn wrap(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let whole = self.parts(line).fold(Line::new(), |whole, (part, span)| whole.foreign_whole(span.tone, part));
        Rc::from(whole.wrap_under(columns, CONTINUED))
    }
}

impl Rows for Document {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.line_count()).then_some(line + 1)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let (start, end) = self.bounds(line);
        if end - start < WORTH_KEEPING {
            return self.wrap(line, columns);
        }
        let mut wrapped = self.wrapped.borrow_mut();
        if let Some(known) = &*wrapped
            && (known.line, known.columns) == (line, columns)
        {
            return Rc::clone(&known.rows);
        }
        let rows = self.wrap(line, columns);
        *wrapped = Some(Wrapped { line, columns, rows: Rc::clone(&rows) });
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Direction, Place, walk, window};

    #[test]
    fn each_line_knows_its_origins() {
        let mut document = Document::default();
        document.push("Hello ", Tone::Plain, 1);
        document.push("Ann", Tone::Inserted, 2);
        document.push("!\nBye\n", Tone::Plain, 3);
        assert_eq!(document.line_count(), 2);
        assert_eq!(document.origins(0), [1, 2, 3]);
        assert_eq!(document.origins(1), [3]);
        assert_eq!(document.rows(0, 80)[0].text(), "Hello Ann!");
        assert_eq!(document.rows(1, 80)[0].text(), "Bye");
        assert_eq!(document.line_of(2), Some(0));
    }

    #[test]
    fn a_line_of_a_megabyte_is_all_there() {
        let mut document = Document::default();
        document.push(&"x".repeat(1_000_000), Tone::Plain, 0);
        let end = walk(&document, Place::default(), 100, Direction::Forward, usize::MAX);
        assert_eq!(end, Place { line: 0, row: 10_204 });
    }

    #[test]
    fn a_window_into_many_lines_touches_few() {
        let mut document = Document::default();
        document.push(&"line\n".repeat(200_000), Tone::Plain, 0);
        assert_eq!(document.line_count(), 200_000);
        assert_eq!(window(&document, Place { line: 150_000, row: 0 }, 80, 20).len(), 20);
    }
}
