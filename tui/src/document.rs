//! A long text with the origin of every stretch of it: prompts, records, answers. Large texts in it can be folded away.
//!
//! Finding the line breaks is all the work that grows with the size; lines are shown and wrapped when they are seen. A
//! line that is far longer than any screen counts as several, so that no line costs more than others do.

mod breaks;
mod carets;

use std::cell::RefCell;
use std::rc::Rc;

use replay_store::hex;
use replay_store::value::Value;
use replay_store::visible::{visible, width};

use self::breaks::breaks;
use self::carets::with_carets;
use crate::fold::{self, CLOSED, FOLDED, Form, OPEN};
use crate::json_path::JsonPath;
use crate::line::Line;
use crate::rows::Rows;
use crate::theme::Tone;

/// A text in lines. `origin` numbers mean what its owner says; 0 is nothing.
#[derive(Debug, Default)]
pub struct Document {
    text: String,
    /// Where lines begin, those that go on with the one before, too.
    line_starts: Vec<usize>,
    spans: Vec<Span>,
    /// Texts that can be folded away, in order.
    folds: Vec<Fold>,
    /// Short texts that have a name in paths, in order.
    named: Vec<Named>,
    /// Stretches with carets below them: where they begin and end, in order.
    carets: Vec<(usize, usize)>,
    /// Places that their owner asks for by number: where their lines begin.
    anchors: Vec<usize>,
    form: Form,
    wrapped: RefCell<Option<Wrapped>>,
}

/// A short text that has a name in paths: where it begins and ends.
#[derive(Debug)]
struct Named {
    name: String,
    start: usize,
    end: usize,
}

/// The line behind which a text is folded away.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// Its text, which begins with the sign for what is folded away.
    pub text: &'a str,
    /// How it looks.
    pub tone: Tone,
    /// What the text is called in paths.
    pub name: &'a str,
}

/// A text that can be folded away.
#[derive(Debug)]
struct Fold {
    /// Where in the document the sign in front of its label stands.
    sign: usize,
    /// What it is called in paths; empty where it has no name of its own.
    name: String,
    /// The text.
    whole: String,
    /// The bytes that it was made of, where they are looked at in hex.
    bytes: Option<Box<[u8]>>,
    tone: Tone,
    origin: usize,
    /// How many lines of it stand below the line of its label; none while it is folded away.
    lines: usize,
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
const WORTH_KEEPING: usize = 1024;

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
        let first = self.line_starts.last().copied().unwrap_or(0);
        self.text.push_str(text);
        self.line_starts.extend(breaks(&self.text, first, (start, self.text.len())));
        self.spans.push(Span { end: self.text.len(), tone, origin });
    }

    /// Adds a text: as it is where it is short, else folded away.
    pub fn push_text(&mut self, text: &str, tone: Tone, origin: usize) {
        self.push_named("", text, tone, origin);
    }

    /// Adds a text that has a name in paths, as [`Document::push_text`] does.
    pub fn push_named(&mut self, name: &str, text: &str, tone: Tone, origin: usize) {
        if text.len() <= FOLDED {
            let start = self.text.len();
            self.push(text, tone, origin);
            if !name.is_empty() {
                self.named.push(Named { name: name.to_owned(), start, end: self.text.len() });
            }
            return;
        }
        let label = fold::label(fold::kind(text), text.len(), text);
        self.push_folded(Label { text: &label, tone: Tone::Waiting, name }, text.to_owned(), tone, origin);
    }

    /// Adds a text of which a stretch has carets below it: in the row where it stands, however that is wrapped. `marked` is
    /// where it begins and ends in the text, in bytes.
    pub fn push_marked(&mut self, text: &str, (start, end): (usize, usize), tone: Tone, origin: usize) {
        let at = self.text.len();
        self.push(text, tone, origin);
        self.carets.push((at + start, at + end));
    }

    /// Begins a line, and remembers where it stands however much is unfolded above it. Returns the number to ask with.
    pub fn anchor(&mut self) -> usize {
        self.push_line("", Tone::Plain, 0);
        self.anchors.push(self.text.len());
        self.anchors.len() - 1
    }

    /// Returns the line of an anchor.
    pub fn anchored(&self, anchor: usize) -> usize {
        self.anchors.get(anchor).map_or(0, |start| self.line_of_byte(*start))
    }

    /// Adds a text that is folded away. Returns its label's line.
    pub fn push_folded(&mut self, label: Label<'_>, text: String, tone: Tone, origin: usize) -> usize {
        let name = label.name.to_owned();
        self.folds.push(Fold { sign: self.text.len(), name, whole: text, bytes: None, tone, origin, lines: 0 });
        self.push(label.text, label.tone, origin);
        self.push("\n", Tone::Plain, origin);
        self.line_count() - 1
    }

    /// Adds bytes that are folded away, and are looked at as a text or in hex. Returns their label's line.
    pub fn push_bytes(&mut self, label: Label<'_>, bytes: &[u8], tone: Tone, origin: usize) -> usize {
        let line = self.push_folded(label, String::from_utf8_lossy(bytes).into_owned(), tone, origin);
        if let Some(fold) = self.folds.last_mut() {
            fold.bytes = Some(bytes.into());
        }
        line
    }

    /// Returns where a line stands: the name of its text, and for JSON that is broken into lines the path in it.
    pub fn path(&self, line: usize) -> Option<String> {
        let Some(place) = self.fold_at(line) else { return Some(self.named_at(line)?.name.clone()) };
        let path = self.json_path(place, line).map(|path| path.to_string()).unwrap_or_default();
        Some(format!("{}{path}", self.folds[place].name))
    }

    /// Returns what stands there: a part of JSON, or the whole text.
    pub fn value(&self, line: usize) -> Option<Value> {
        let Some(place) = self.fold_at(line) else {
            let Named { start, end, .. } = *self.named_at(line)?;
            return Some(Value::Text(self.text[start..end].to_owned()));
        };
        let whole = &self.folds[place].whole;
        let part = self.json_path(place, line).and_then(|path| path.of_value(&Value::from_json(whole).ok()?).cloned());
        Some(part.unwrap_or_else(|| Value::Text(whole.clone())))
    }

    fn named_at(&self, line: usize) -> Option<&Named> {
        let (start, end) = self.bounds(line);
        let place = self.named.partition_point(|named| named.end <= start);
        self.named.get(place).filter(|named| named.start < end)
    }

    /// Returns the stretch of a line that has carets below it, in bytes of the line as it is shown.
    fn marked(&self, line: usize) -> Option<(usize, usize)> {
        let (start, end) = self.bounds(line);
        let place = self.carets.partition_point(|caret| caret.1 <= start);
        let (from, to) = self.carets.get(place).copied().filter(|caret| start <= caret.0 && caret.0 < end)?;
        let shown = |to: usize| visible(&self.text[start..to.min(end)]).len();
        Some((shown(from), shown(to)))
    }

    fn json_path(&self, place: usize, line: usize) -> Option<JsonPath> {
        let fold = &self.folds[place];
        let first = self.line_of_byte(fold.sign) + 1;
        if self.form != Form::Broken || line < first || !fold::is_json(&fold.whole) {
            return None;
        }
        let (start, end) = (self.line_starts[first], self.bounds(line).1);
        Some(JsonPath::of_lines(self.text[start..end].split('\n')))
    }

    /// Folds the text at a line away, or unfolds it. Returns the line of its label.
    pub fn toggle(&mut self, line: usize) -> Option<usize> {
        let place = self.fold_at(line)?;
        match self.folds[place].lines {
            0 => self.unfold(place),
            _ => self.close(place),
        }
        Some(self.line_of_byte(self.folds[place].sign))
    }

    /// Unfolds each text that is wanted. Returns where a line is afterwards.
    pub fn unfold_where(&mut self, wanted: impl Fn(&str) -> bool, line: usize) -> usize {
        let mut here = line;
        for place in 0..self.folds.len() {
            let Fold { sign, ref whole, lines, .. } = self.folds[place];
            if lines == 0 && wanted(whole) {
                let label = self.line_of_byte(sign);
                self.unfold(place);
                here += if here > label { self.folds[place].lines } else { 0 };
            }
        }
        here
    }

    /// Shows JSON in another form. What is unfolded stays so. Returns where a line is afterwards; for one in a text whose
    /// form is another one, where its label is.
    pub fn set_form(&mut self, form: Form, line: usize) -> usize {
        if self.form == form {
            return line;
        }
        self.form = form;
        let mut here = line;
        for place in 0..self.folds.len() {
            let Fold { sign, ref whole, ref bytes, lines, .. } = self.folds[place];
            if lines == 0 || (!fold::is_json(whole) && bytes.is_none()) {
                continue;
            }
            let label = self.line_of_byte(sign);
            self.close(place);
            self.unfold(place);
            here = match here {
                _ if here <= label => here,
                _ if here <= label + lines => label,
                _ => here - lines + self.folds[place].lines,
            };
        }
        here
    }

    fn fold_at(&self, line: usize) -> Option<usize> {
        let (_, end) = self.bounds(line);
        let place = self.folds.partition_point(|fold| fold.sign < end).checked_sub(1)?;
        let fold = &self.folds[place];
        let first = self.line_of_byte(fold.sign);
        (line <= first + fold.lines).then_some(place)
    }

    fn line_of_byte(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// Puts the text of a fold below its label.
    fn unfold(&mut self, place: usize) {
        let fold = &self.folds[place];
        let shown = match (self.form, &fold.bytes) {
            (Form::Broken, _) if fold::is_json(&fold.whole) => &fold::broken(&fold.whole),
            (Form::Hex, Some(bytes)) => &hex::rows(bytes).collect::<Vec<_>>().join("\n"),
            (Form::Broken | Form::Raw | Form::Hex, _) => &fold.whole,
        };
        let line = self.line_of_byte(fold.sign);
        let at = self.bounds(line).1 + 1;
        let (tone, origin) = (fold.tone, fold.origin);
        let end = if shown.ends_with('\n') { "" } else { "\n" };
        let body = format!("{shown}{end}");
        self.text.insert_str(at, &body);
        let mut starts: Vec<usize> = breaks(&self.text, at, (at, at + body.len())).collect();
        // The last one is that of the line behind.
        starts.pop();
        self.line_starts[line + 1..].iter_mut().for_each(|start| *start += body.len());
        self.line_starts.splice(line + 1..line + 1, std::iter::once(at).chain(starts.iter().copied()));
        let span = self.spans.partition_point(|span| span.end < at);
        self.spans[span + 1..].iter_mut().for_each(|span| span.end += body.len());
        self.spans.insert(span + 1, Span { end: at + body.len(), tone, origin });
        self.folds[place].lines = starts.len() + 1;
        self.folds[place + 1..].iter_mut().for_each(|fold| fold.sign += body.len());
        for named in self.named.iter_mut().filter(|named| named.start >= at) {
            (named.start, named.end) = (named.start + body.len(), named.end + body.len());
        }
        self.anchors.iter_mut().filter(|start| **start >= at).for_each(|start| *start += body.len());
        for caret in self.carets.iter_mut().filter(|caret| caret.0 >= at) {
            *caret = (caret.0 + body.len(), caret.1 + body.len());
        }
        self.sign(place, OPEN);
    }

    /// Takes the text of a fold away again.
    fn close(&mut self, place: usize) {
        let line = self.line_of_byte(self.folds[place].sign);
        let last = line + self.folds[place].lines;
        let at = self.line_starts[line + 1];
        let end = self.line_starts.get(last + 1).copied().unwrap_or(self.text.len());
        let length = end - at;
        self.text.replace_range(at..end, "");
        self.line_starts.drain(line + 1..=last);
        self.line_starts[line + 1..].iter_mut().for_each(|start| *start -= length);
        let span = self.spans.partition_point(|span| span.end < end);
        self.spans.remove(span);
        self.spans[span..].iter_mut().for_each(|span| span.end -= length);
        self.folds[place].lines = 0;
        self.folds[place + 1..].iter_mut().for_each(|fold| fold.sign -= length);
        for named in self.named.iter_mut().filter(|named| named.start >= end) {
            (named.start, named.end) = (named.start - length, named.end - length);
        }
        self.anchors.iter_mut().filter(|start| **start >= end).for_each(|start| *start -= length);
        for caret in self.carets.iter_mut().filter(|caret| caret.0 >= end) {
            *caret = (caret.0 - length, caret.1 - length);
        }
        self.sign(place, CLOSED);
    }

    /// Puts the sign in front of a label; all signs have as many bytes.
    fn sign(&mut self, place: usize, sign: &str) {
        let at = self.folds[place].sign;
        self.text.replace_range(at..at + sign.len(), sign);
        self.wrapped.take();
    }

    /// Adds a stretch that begins on a line of its own.
    pub fn push_line(&mut self, text: &str, tone: Tone, origin: usize) {
        if self.line_starts.last().is_some_and(|start| *start < self.text.len()) {
            self.push("\n", Tone::Plain, 0);
        }
        self.push(text, tone, origin);
    }

    /// Returns whether what is added next begins a line.
    pub(crate) fn is_at_start(&self) -> bool {
        self.line_starts.last().is_none_or(|start| *start == self.text.len())
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

    /// Returns the lines whose text, as it is shown, is wanted. A line that counts as several is looked at with the beginning
    /// of the next one, so that nothing is lost between them.
    pub fn lines_where(&self, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
        let text = |line| {
            let (start, end) = self.bounds(line);
            match self.is_continued(line + 1) {
                true => &self.text[start..end + fold::beginning(&self.text[end..], OVERLAP).len()],
                false => &self.text[start..end],
            }
        };
        (0..self.line_count()).filter(|line| wanted(&visible(text(*line)))).collect()
    }

    /// Returns whether a line goes on with the one before.
    fn is_continued(&self, line: usize) -> bool {
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        start > 0 && start < self.text.len() && self.text.as_bytes()[start - 1] != b'\n'
    }

    fn bounds(&self, line: usize) -> (usize, usize) {
        let start = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        let end = match self.line_starts.get(line + 1).copied() {
            Some(next) if self.text.as_bytes()[next - 1] == b'\n' => next - 1,
            Some(next) => next,
            None => self.text.len(),
        };
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
        if let Some(marked) = self.marked(line) {
            return Rc::from(with_carets(whole.wrap_under(columns, CONTINUED), marked));
        }
        if !self.is_continued(line) {
            return Rc::from(whole.wrap_under(columns, CONTINUED));
        }
        let rows = whole.wrap(columns.saturating_sub(width(CONTINUED))).into_iter();
        rows.map(|row| Line::new().own(Tone::Quiet, CONTINUED).then(row)).collect()
    }
}

/// Bytes of the next part of a line that are looked at for a text that goes over its end.
const OVERLAP: usize = 256;

impl Rows for Document {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.line_count()).then_some(line + 1)
    }

    fn is_part(&self, line: usize) -> bool {
        self.is_continued(line)
    }

    fn text(&self, line: usize) -> String {
        let first = (0..=line).rev().find(|line| !self.is_continued(*line)).unwrap_or(line);
        let behind = (first + 1..self.line_count()).find(|line| !self.is_continued(*line));
        let (start, end) = (self.bounds(first).0, self.bounds(behind.unwrap_or(self.line_count()) - 1).1);
        let shown = visible(&self.text[start..end]).into_owned();
        match self.marked(first) {
            Some(marked) => {
                let rows = with_carets(vec![Line::new().foreign_whole(Tone::Plain, &self.text[start..end])], marked);
                rows.iter().map(Line::text).collect::<Vec<_>>().join("\n")
            }
            None => shown,
        }
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
mod tests;
