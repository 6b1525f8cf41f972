//! The raw records of a list or of one line, one after the other, whatever state the bytes are in.

use std::ops::Range;

use serde::Deserialize;

use super::draft::{self, Record};
use super::fields::Fields;
use super::names::Names;
use super::scan;

/// How many places of a list or of a line are tried when the next readable record is looked for.
const MOST_TRIES: usize = 256;

/// The bytes of a record file.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    /// The same as text, where all of it is: texts in it need no further check.
    text: Option<&'a str>,
}

/// How reading a list came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The list is over; the index is the one behind its bracket.
    Whole(usize),
    /// The place where another reader began was reached.
    Reached(usize),
    /// The bytes end, or can't be read any further, in the record that begins at the index.
    Cut(usize),
}

impl<'a> Input<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, text: std::str::from_utf8(bytes).ok() }
    }

    /// Reads the fields of the record at `at`, and returns them with the index behind it.
    pub(super) fn fields(&self, at: usize) -> Result<(Fields<'a>, usize), serde_json::Error> {
        match self.text.and_then(|text| text.get(at..)) {
            Some(text) => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let fields = Fields::deserialize(&mut reader)?;
                Ok((fields, at + reader.into_iter::<Fields<'_>>().byte_offset()))
            }
            None => {
                let mut reader = serde_json::Deserializer::from_slice(self.bytes.get(at..).unwrap_or_default());
                let fields = Fields::deserialize(&mut reader)?;
                Ok((fields, at + reader.into_iter::<Fields<'_>>().byte_offset()))
            }
        }
    }
}

/// Reads the records of the list whose first element is looked for at `at`, until the list ends, `stop` is reached
/// or the bytes give out.
pub(super) fn read_list(
    input: Input<'_>,
    at: usize,
    stop: Option<usize>,
    names: &mut Names,
    take: &mut dyn FnMut(Range<usize>, Record),
) -> Ending {
    let bytes = input.bytes;
    let mut at = at;
    let mut tries = MOST_TRIES;
    loop {
        at = scan::skip_blank(bytes, at);
        if stop == Some(at) {
            return Ending::Reached(at);
        }
        match bytes.get(at) {
            None => return Ending::Cut(at),
            Some(b']') => return Ending::Whole(at + 1),
            Some(b',') => at += 1,
            Some(_) => match input.fields(at) {
                Ok((fields, end)) => {
                    take(at..end, read_or_mend(fields, &bytes[at..end], names));
                    at = end;
                }
                Err(error) => {
                    let Some(end) = damage_end(input, at, &error, &mut tries) else { return Ending::Cut(at) };
                    let mended = draft::read_mended(&bytes[at..end], names);
                    take(at..end, mended.unwrap_or_else(|| damaged(&error, names)));
                    at = end;
                }
            },
        }
    }
}

/// Reads the records of one line, which is `range`; mostly there is one.
///
/// Returns the place of a last one that breaks off or can't be read; where the line isn't the last of its file, that
/// one is given as damaged, too.
pub(super) fn read_line(
    input: Input<'_>,
    range: Range<usize>,
    names: &mut Names,
    take: &mut dyn FnMut(Range<usize>, Record),
) -> Option<usize> {
    let bytes = &input.bytes[..range.end];
    let is_last = range.end == input.bytes.len() && bytes.last() != Some(&b'\n');
    // A record never goes beyond its line, and nobody looks there: that would be once a line.
    let input = Input { bytes, text: input.text.and_then(|text| text.get(..range.end)) };
    let mut tries = MOST_TRIES;
    let mut at = range.start;
    loop {
        at = scan::skip_blank(bytes, at);
        if at >= bytes.len() {
            return None;
        }
        let error = match input.fields(at) {
            Ok((fields, end)) => {
                take(at..end, read_or_mend(fields, &bytes[at..end], names));
                at = end;
                continue;
            }
            Err(error) => error,
        };
        let closed = scan::value_end(bytes, at).filter(|end| *end > at);
        if let Some(end) = closed
            && let Some(record) = draft::read_mended(&bytes[at..end], names)
        {
            take(at..end, record);
            at = end;
            continue;
        }
        let next = next_readable(input, at, &mut tries);
        if next.is_none() && is_last {
            return Some(at);
        }
        let end = next.map_or(at + bytes[at..].trim_ascii_end().len(), |next| trim_end(bytes, at, next));
        take(at..end, damaged(&error, names));
        at = next.unwrap_or(end);
    }
}

/// Returns where, behind `at`, the next record begins that can be read. Each place that is tried is one of `tries`.
fn next_readable(input: Input<'_>, at: usize, tries: &mut usize) -> Option<usize> {
    let beginning = scan::beginning(input.bytes, at).unwrap_or(b"{\"event\"");
    let mut next = at + 1;
    while *tries > 0 {
        *tries -= 1;
        next = scan::find(input.bytes, next, beginning)?;
        if input.fields(next).is_ok_and(|(fields, _)| fields.event.is_some() || fields.payload.is_some()) {
            return Some(next);
        }
        next += 1;
    }
    None
}

fn read_or_mend(fields: Fields<'_>, bytes: &[u8], names: &mut Names) -> Record {
    let record = draft::read(fields, names);
    if record.is_damaged() { draft::read_mended(bytes, names).unwrap_or(record) } else { record }
}

fn damaged(error: &serde_json::Error, names: &mut Names) -> Record {
    Record { draft: draft::damaged(error.to_string(), names), session: None }
}

/// Returns the index behind a record that can't be read: where it is closed, else where the next one begins that can
/// be. `None` where nothing follows that can.
fn damage_end(input: Input<'_>, at: usize, error: &serde_json::Error, tries: &mut usize) -> Option<usize> {
    let bytes = input.bytes;
    if !error.is_eof()
        && let Some(end) = scan::value_end(bytes, at).filter(|end| *end > at)
        && matches!(bytes.get(scan::skip_blank(bytes, end)), Some(b',' | b']'))
    {
        return Some(end);
    }
    next_readable(input, at, tries).map(|next| trim_end(bytes, at, next))
}

/// Returns where the bytes before `next` end, without the blanks and the comma in front of it.
fn trim_end(bytes: &[u8], at: usize, next: usize) -> usize {
    let last = bytes[at..next].iter().rposition(|byte| !byte.is_ascii_whitespace() && *byte != b',');
    last.map_or(next, |last| at + last + 1)
}

/// Returns where a record begins near the middle of a list that begins at `at`, if it looks as the first one does.
///
/// It may lie inside a text that looks like a record: only the reader that comes from the front can tell.
pub(super) fn middle(bytes: &[u8], at: usize) -> Option<usize> {
    let first = scan::skip_blank(bytes, at);
    let beginning = scan::beginning(bytes, first)?;
    scan::find(bytes, first + (bytes.len() - first) / 2, beginning)
}
