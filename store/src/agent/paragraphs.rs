//! Reads paragraphs and the tokens in prose (M120 to M147).

use std::ops::Range;

use super::field::{Context, is_identifier};
use super::gate::Gate;
use super::markdown::{Lines, content_of};
use super::prose::{Paragraph, Prose, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Place, Spanned, code};
use crate::name::Name;

/// What a conditional paragraph begins with, at column 0 (M120, M124).
const MARKER: &str = "if:";

/// Reads a paragraph of the prose.
pub(super) fn paragraph(context: &mut Context<'_>, lines: &Lines) -> Paragraph {
    let file = context.file;
    let first = content_of(file, lines.first);
    let gate = file.text[first.clone()].starts_with(MARKER).then(|| marker(context, first.clone()));
    let start = lines.first + usize::from(gate.is_some());
    if gate.is_some() && start == lines.end {
        let found =
            Diagnostic::warning(code::PROSE_EMPTY_SCOPE, file.place(first), "nothing stands beneath this `if:`");
        context.diagnostics.push(found.help("put the text on the next line, without a blank line between"));
    }
    let contents: Vec<Range<usize>> = (start..lines.end).map(|line| content_of(file, line)).collect();
    for (index, content) in contents.iter().enumerate() {
        check_line(context, content.clone(), index == 0 && gate.is_none());
    }
    let text = contents.iter().map(|content| &file.text[content.clone()]).collect::<Vec<_>>().join("\n");
    let range = match (contents.first(), contents.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        (_, _) => content_of(file, lines.first),
    };
    let line_starts: Vec<(usize, usize)> = contents
        .iter()
        .scan(0, |offset, content| {
            let start = *offset;
            *offset += content.len() + 1;
            Some((start, content.start))
        })
        .collect();
    let place = |part: Range<usize>| {
        let line = line_starts.partition_point(|(offset, _)| *offset <= part.start).saturating_sub(1);
        let (offset, byte) = line_starts[line];
        file.place(byte + part.start - offset..byte + part.end - offset)
    };
    let tokens = tokens(&text, place, context.diagnostics);
    session_references(&text, &tokens, place, context.diagnostics);
    Paragraph { gate, prose: Prose { text, at: file.place(range), tokens } }
}

/// Reads text for the model that stands in a YAML scalar: no markers (M124), and memory tokens only count (M346).
pub(super) fn instructions(context: &mut Context<'_>, text: &Spanned<String>) -> Prose {
    let (start, end) = (text.at.start as usize, text.at.end as usize);
    let written = context.file.text.get(start..end).unwrap_or("").to_owned();
    let file = context.file;
    let mut searched = 0;
    let tokens_in_text = tokens(
        &text.value,
        |part| {
            // Folding changes line breaks, never a token, so the tokens stand in the file in the same order.
            let found = written[searched..].find(&text.value[part.clone()]).map(|offset| searched + offset);
            let place = found.map(|offset| file.place(start + offset..start + offset + part.len()));
            searched = found.map_or(searched, |offset| offset + part.len());
            place.unwrap_or_else(|| text.at.clone())
        },
        context.diagnostics,
    );
    if let Some(line) = text.value.lines().find(|line| line.trim_start().starts_with(MARKER)) {
        let line = line.trim();
        let place = written.find(line).map(|offset| file.place(start + offset..start + offset + line.len()));
        plain_marker(context, &place.unwrap_or_else(|| text.at.clone()));
    }
    Prose { text: text.value.clone(), at: text.at.clone(), tokens: tokens_in_text }
}

fn marker(context: &mut Context<'_>, line: Range<usize>) -> Gate {
    let file = context.file;
    let written = &file.text[line.start + MARKER.len()..line.end];
    let condition = written.trim();
    let start = line.start + MARKER.len() + (written.len() - written.trim_start().len());
    if condition.is_empty() {
        let at = file.place(line);
        let found = Diagnostic::error(code::PROSE_EMPTY_IF, at.clone(), "this `if:` has no condition");
        context.diagnostics.push(found);
        return Gate { text: Spanned { value: String::new(), at }, condition: None };
    }
    let at = file.place(start..start + condition.len());
    context.gate_from(condition, &at, code::PROSE_INVALID_IF)
}

/// Warns of lines that look like markers and are plain text (M123, M124).
fn check_line(context: &mut Context<'_>, line: Range<usize>, is_first: bool) {
    let text = &context.file.text[line.clone()];
    let trimmed = text.trim_start_matches(['-', '*', ' ', '\t']);
    if trimmed.starts_with(MARKER) && !(is_first && text.starts_with(MARKER)) {
        let at = context.file.place(line);
        plain_marker(context, &at);
    } else if is_first && (text.starts_with("else:") || text.starts_with("elif ")) {
        let at = context.file.place(line);
        let found = Diagnostic::error(code::PROSE_ELSE, at, "prose has no `else:`; this line is plain text");
        context.diagnostics.push(found.help("write one `if:` paragraph for each case"));
    }
}

fn plain_marker(context: &mut Context<'_>, at: &Place) {
    let message = "this `if:` is plain text and reaches the model";
    let found = Diagnostic::warning(code::PROSE_PLAIN_IF, at.clone(), message);
    context.diagnostics.push(found.help("a marker is the first line of a paragraph of prose, at its first column"));
}

/// Finds the tokens of a text, and reports lookalikes (M136, M137, M142a). `place` is asked for each in order.
fn tokens(text: &str, mut place: impl FnMut(Range<usize>) -> Place, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find('@') {
        let start = from + found;
        from = start + 1;
        let word = identifier(&text[from..]);
        let segments_wanted = match word {
            "memory" => 2,
            "skill" | "block" | "tool" => 1,
            _ => continue,
        };
        if text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let mut end = from + word.len();
        let mut segments = Vec::new();
        while let Some(rest) = text[end..].strip_prefix('.') {
            let segment = identifier(rest);
            if segment.is_empty() {
                break;
            }
            segments.push(segment);
            end += 1 + segment.len();
        }
        from = end;
        let at = place(start..end);
        let kind = match (word, &segments[..]) {
            ("memory", [space, entry]) => TokenKind::Memory(Name::from(format!("{space}.{entry}"))),
            ("skill", [id]) => TokenKind::Skill(Name::from(*id)),
            ("block", [id]) => TokenKind::Block(Name::from(*id)),
            ("tool", [name]) => TokenKind::Tool(Name::from(*name)),
            (_, _) => {
                diagnostics.push(lookalike(&text[start..end], segments_wanted, at));
                continue;
            }
        };
        tokens.push(Token { kind, start, end, at });
    }
    tokens
}

fn lookalike(written: &str, segments_wanted: usize, at: Place) -> Diagnostic {
    if segments_wanted == 2 {
        let message = format!("`{written}` is not a memory reference and stays as it is");
        return Diagnostic::error(code::PROSE_INCOMPLETE_MEMORY, at, message)
            .help("write @memory.<skill>.<entry> or @memory.project.<entry>");
    }
    let message = format!("`{written}` takes exactly one name after the first dot");
    // The older profile tolerates it; the load raises it to an error for the newer one.
    Diagnostic::warning(code::PROSE_INCOMPLETE_AT, at, message)
}

/// Reports `session.…` paths in free prose (M29).
fn session_references(
    text: &str,
    tokens: &[Token],
    place: impl Fn(Range<usize>) -> Place,
    diagnostics: &mut Vec<Diagnostic>,
) {
    const PREFIX: &str = "session.";
    let mut from = 0;
    while let Some(found) = text[from..].find(PREFIX) {
        let start = from + found;
        from = start + PREFIX.len();
        let is_inside = text[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '@'));
        let space = identifier(&text[from..]);
        let rest = &text[from + space.len()..];
        let entry = rest.strip_prefix('.').map_or("", identifier);
        let next = tokens.partition_point(|token| token.end <= start);
        let in_token = tokens.get(next).is_some_and(|token| token.start <= start);
        if is_inside || in_token || space.is_empty() || entry.is_empty() {
            continue;
        }
        let end = from + space.len() + 1 + entry.len();
        let message = format!("`{}` is not replaced by its value in prose", &text[start..end]);
        let found = Diagnostic::error(code::PROSE_SESSION_REFERENCE, place(start..end), message);
        diagnostics.push(found.help(format!("write @memory.{space}.{entry}")));
        from = end;
    }
}

/// Returns the identifier that a text begins with; empty where it begins with none.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let word = &text[..end];
    if is_identifier(word) { word } else { "" }
}
