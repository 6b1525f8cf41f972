//! A row of the screen: stretches of text, each with a tone.
//!
//! Text that somebody else wrote gets in through [`Line::foreign`] only, which shows it with
//! [`replay_store::visible`]; so no panel can send it to the terminal raw.

use std::borrow::Cow;
use std::fmt::Display;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use replay_store::visible;

use crate::fold::beginning;
use crate::theme::{Theme, Tone};

/// A row, ready to be painted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    spans: Vec<(Tone, Cow<'static, str>)>,
}

impl Line {
    /// Returns an empty row.
    pub fn new() -> Line {
        Line::default()
    }

    /// Adds words of our own.
    pub fn own(mut self, tone: Tone, text: &'static str) -> Line {
        self.spans.push((tone, Cow::Borrowed(text)));
        self
    }

    /// Adds a number, or what else prints plain characters only.
    pub fn number(mut self, tone: Tone, number: impl Display) -> Line {
        self.spans.push((tone, Cow::Owned(visible::visible(&number.to_string()).into_owned())));
        self
    }

    /// Adds text that somebody else wrote. Only its beginning is taken where it is longer than any row.
    pub fn foreign(self, tone: Tone, text: &str) -> Line {
        let begun = beginning(text, ROW_BYTES);
        let line = self.foreign_whole(tone, begun);
        if begun.len() == text.len() { line } else { line.own(Tone::Quiet, "…") }
    }

    /// Adds text that somebody else wrote, however long it is, to be wrapped.
    pub fn foreign_whole(mut self, tone: Tone, text: &str) -> Line {
        self.spans.push((tone, Cow::Owned(visible::visible(text).into_owned())));
        self
    }

    /// Adds another row behind this one.
    pub fn then(mut self, more: Line) -> Line {
        self.spans.extend(more.spans);
        self
    }

    /// Adds blanks, so that what follows begins at `column` or right here.
    pub fn pad_to(mut self, column: usize) -> Line {
        let blanks = column.saturating_sub(self.width());
        self.spans.push((Tone::Plain, Cow::Owned(" ".repeat(blanks))));
        self
    }

    /// Gives the whole row one tone.
    pub fn toned(mut self, tone: Tone) -> Line {
        self.spans.iter_mut().for_each(|span| span.0 = tone);
        self
    }

    /// Cuts the row to `columns` columns; what doesn't fit ends in `…`.
    pub fn clip(self, columns: usize) -> Line {
        if self.width() <= columns {
            return self;
        }
        let mut room = columns.saturating_sub(1);
        let mut line = Line::new();
        for (tone, text) in self.spans {
            let width = visible::width(&text);
            if width > room {
                let clipped = visible::clip(&text, room + 1).into_owned();
                line.spans.push((tone, Cow::Owned(clipped)));
                return line;
            }
            room -= width;
            line.spans.push((tone, text));
        }
        line
    }

    /// Returns how many columns it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| visible::width(text)).sum()
    }

    /// Returns the text without its tones.
    pub fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| &**text).collect()
    }

    /// Marks each place that `find` finds: the bytes where it begins and ends.
    pub fn highlight(self, find: impl Fn(&str) -> Option<(usize, usize)>) -> Line {
        let mut spans = Vec::with_capacity(self.spans.len());
        for (tone, text) in self.spans {
            let mut rest: &str = &text;
            while let Some((start, end)) = find(rest).filter(|(start, end)| start < end) {
                spans.push((tone, Cow::Owned(rest[..start].to_owned())));
                spans.push((Tone::Match, Cow::Owned(rest[start..end].to_owned())));
                rest = &rest[end..];
            }
            spans.push((tone, Cow::Owned(rest.to_owned())));
        }
        Line { spans }
    }

    /// Cuts the row into rows of at most `columns` columns, with `lead` in front of each row but the first.
    pub fn wrap_under(self, columns: usize, lead: &'static str) -> Vec<Line> {
        if self.width() <= columns {
            return vec![self];
        }
        let mut rows = self.wrap(columns.saturating_sub(visible::width(lead))).into_iter();
        let first = rows.next().unwrap_or_default();
        let others = rows.map(|row| Line::new().own(Tone::Quiet, lead).then(row));
        std::iter::once(first).chain(others).collect()
    }

    /// Cuts the row into rows of at most `columns` columns.
    pub fn wrap(self, columns: usize) -> Vec<Line> {
        if self.width() <= columns {
            return vec![self];
        }
        let text = self.text();
        let mut spans = self.spans.into_iter();
        let mut current = spans.next();
        // How much of the current span stands in rows already.
        let mut taken = 0;
        let mut rows = Vec::new();
        for row in visible::wrap_shown(&text, columns) {
            let mut line = Line::new();
            let mut wanted = row.len();
            while wanted > 0 {
                let Some((tone, text)) = &current else { break };
                let end = text.len().min(taken + wanted);
                line.spans.push((*tone, Cow::Owned(text[taken..end].to_owned())));
                wanted -= end - taken;
                taken = end;
                if taken == text.len() {
                    (current, taken) = (spans.next(), 0);
                }
            }
            rows.push(line);
        }
        rows
    }

    /// Paints the row into the first row of `area`; what doesn't fit ends in `…`.
    pub fn paint(&self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        self.paint_over(area, buffer, theme, Tone::Plain);
    }

    /// Paints the row with the look of `under` beneath every tone, over the whole width of `area`.
    pub fn paint_over(&self, area: Rect, buffer: &mut Buffer, theme: Theme, under: Tone) {
        if area.is_empty() {
            return;
        }
        for x in area.left()..area.right() {
            buffer[(x, area.y)].set_symbol(" ").set_style(theme.style(under));
        }
        let too_long = self.width() > usize::from(area.width);
        let room = area.width - u16::from(too_long);
        let (mut x, end) = (area.x, area.x + room);
        for (tone, text) in &self.spans {
            let style = theme.style_on(*tone, under);
            (x, _) = buffer.set_stringn(x, area.y, text, usize::from(end - x), style);
        }
        if too_long {
            buffer.set_string(x, area.y, "…", theme.style(under));
        }
    }
}

/// Returns the first rows; where some are left out, the last one ends in `…`.
pub(crate) fn at_most(count: usize, mut rows: Vec<Line>) -> Vec<Line> {
    let is_cut = rows.len() > count;
    rows.truncate(count);
    if is_cut && let Some(last) = rows.last_mut() {
        *last = std::mem::take(last).own(Tone::Quiet, "…");
    }
    rows
}

/// No row is wider than this many bytes of text, so that a value of a megabyte costs no more than a long one.
const ROW_BYTES: usize = 2048;
