//! The frame of a `skill.md`: frontmatter, paragraphs and block fences, by lines (M92, M118 to M122, M153).

use std::ops::Range;

use super::field::Context;
use super::text::FileText;
use crate::diagnostic::{Diagnostic, Spanned, code};
use crate::name::Name;

/// The parts of a `skill.md`, as bytes of the file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Frame {
    /// The YAML between the two `---`; `None` where the frame is broken.
    pub(super) frontmatter: Option<Range<usize>>,
    /// The paragraphs of the prose.
    pub(super) paragraphs: Vec<Lines>,
    /// The ordered blocks.
    pub(super) fences: Vec<Fence>,
}

/// Some whole lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lines {
    /// Index of the first line, from 0.
    pub(super) first: usize,
    /// Index behind the last line.
    pub(super) end: usize,
}

/// An ordered block.
#[derive(Debug, PartialEq)]
pub(super) struct Fence {
    /// Its id; empty where the fence has none.
    pub(super) id: Spanned<Name>,
    /// The YAML between the fences.
    pub(super) body: Range<usize>,
}

const OPEN: &str = ":::ordered_block";
const CLOSE: &str = ":::";

/// Cuts a `skill.md` into its parts.
pub(super) fn frame(context: &mut Context<'_>) -> Frame {
    let file = context.file;
    let (frontmatter, body) = match delimiters(file) {
        Ok((frontmatter, body)) => (Some(frontmatter), body),
        Err((message, body)) => {
            let at = file.place(file.line(0).start..content_of(file, 0).end);
            let found = Diagnostic::error(code::SKILL_FRONTMATTER_DELIMITER, at, message);
            context
                .diagnostics
                .push(found.help("begin the file with `---`, and close the frontmatter with a second `---`"));
            (None, body)
        }
    };
    let mut frame = Frame { frontmatter, ..Frame::default() };
    let mut line = body;
    let mut paragraph: Option<usize> = None;
    while line < file.line_count() {
        let text = &file.text[content_of(file, line)];
        let is_fence = text.trim_start().starts_with(OPEN);
        if is_fence || text.trim().is_empty() {
            frame.paragraphs.extend(paragraph.take().map(|first| Lines { first, end: line }));
        } else {
            paragraph.get_or_insert(line);
        }
        line = if is_fence { fence(context, line, &mut frame) } else { line + 1 };
    }
    frame.paragraphs.extend(paragraph.map(|first| Lines { first, end: file.line_count() }));
    frame
}

/// Finds the two `---`. Returns the YAML between them and the index of the first line after them; of a broken frame,
/// what is wrong and where the body may begin.
fn delimiters(file: &FileText<'_>) -> Result<(Range<usize>, usize), (&'static str, usize)> {
    let is_delimiter = |line: usize| file.text[content_of(file, line)].trim_end() == "---";
    if file.content().start > 0 {
        return Err(("a byte order mark stands before the first `---`", first_body_line(file, is_delimiter)));
    }
    if !is_delimiter(0) {
        return Err(("the first line isn't `---`", first_body_line(file, is_delimiter)));
    }
    match (1..file.line_count()).find(|line| is_delimiter(*line)) {
        Some(close) => Ok((file.line(1).start..file.line(close).start, close + 1)),
        None => Err(("the frontmatter isn't closed", file.line_count())),
    }
}

/// Of a file whose frame is broken in front: the line after a frame that begins a little late, else the first.
fn first_body_line(file: &FileText<'_>, is_delimiter: impl Fn(usize) -> bool) -> usize {
    let is_blank = |line: usize| file.text[content_of(file, line)].trim_matches(['\u{feff}', ' ', '\t']).is_empty();
    let has_mark = file.content().start > 0
        && file.text[file.content()].lines().next().is_some_and(|line| line.trim_end() == "---");
    let open = (0..file.line_count())
        .find(|line| !is_blank(*line))
        .filter(|line| is_delimiter(*line) || (*line == 0 && has_mark));
    let close = open.and_then(|open| (open + 1..file.line_count()).find(|line| is_delimiter(*line)));
    close.map_or(0, |close| close + 1)
}

/// Reads a fence that opens in `line` and returns the index of the first line after it.
fn fence(context: &mut Context<'_>, line: usize, frame: &mut Frame) -> usize {
    let file = context.file;
    let opening = content_of(file, line);
    let at = file.place(opening.clone());
    let attributes = file.text[opening.clone()].trim_start().strip_prefix(OPEN).unwrap_or("");
    let id = attributes.split_whitespace().find_map(|attribute| attribute.strip_prefix("id="));
    let id = id.map(|id| id.trim_matches(['"', '\''])).unwrap_or("");
    if id.is_empty() {
        let found = Diagnostic::error(code::BLOCK_FENCE, at.clone(), "the block has no id");
        context.diagnostics.push(found.help("write `:::ordered_block id=<id>`"));
    }
    let close = (line + 1..file.line_count()).find(|line| file.text[content_of(file, *line)].trim() == CLOSE);
    let last = close.unwrap_or(file.line_count());
    if close.is_none() {
        let found = Diagnostic::error(code::BLOCK_FENCE, at.clone(), "the block isn't closed");
        context.diagnostics.push(found.help("end it with a line `:::`"));
    }
    let body_end = if close.is_some() { file.line(last).start } else { file.text.len() };
    let body = file.line(line).end.min(body_end)..body_end;
    frame.fences.push(Fence { id: Spanned { value: Name::from(id), at }, body });
    last + 1
}

/// Returns the bytes of a line without its end.
pub(super) fn content_of(file: &FileText<'_>, line: usize) -> Range<usize> {
    let range = file.line(line);
    let text = file.text[range.clone()].trim_end_matches(['\n', '\r']);
    range.start..range.start + text.len()
}
