//! A diagnostic as people read it: file, line, caret and help. JSON comes from `Serialize`.

use std::borrow::Cow;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use memchr::{memchr2, memrchr2};

use super::{Diagnostic, Severity};
use crate::visible::visible;

/// Of a long line this many bytes are shown before and after the place.
const CONTEXT_BYTES: usize = 200;

/// Columns that an excerpt takes at most: one that a terminal broke would have its carets elsewhere.
const COLUMNS: usize = 80;

/// Whether a diagnostic is rendered with colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    Plain,
    /// With the colours of the terminal.
    Colored,
}

/// Renders a diagnostic without a break at its end. `source` is the text of its file, where it is
/// at hand; without it the place is named and no line is shown.
///
/// Everything that authors wrote goes through [`visible`].
pub fn render(diagnostic: &Diagnostic, source: Option<&str>, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let message = visible(&diagnostic.message);
    let file = visible(&diagnostic.at.file);
    let title = level.primary_title(&*message).id(diagnostic.code);
    let excerpt = source.and_then(|source| Excerpt::of(diagnostic, source));
    let mut report = Group::with_title(title);
    report = match &excerpt {
        Some(excerpt) => {
            let mark = AnnotationKind::Primary.span(excerpt.start..excerpt.end);
            let line = Snippet::source(&*excerpt.line).line_start(diagnostic.at.line as usize).path(&*file);
            report.element(line.annotation(mark))
        }
        None => report.element(Origin::path(&*file)),
    };
    let help = diagnostic.help.as_deref().map(visible);
    if let Some(help) = &help {
        report = report.element(Level::HELP.message(&**help));
    }
    let (renderer, reset) = match style {
        Style::Plain => (Renderer::plain().term_width(COLUMNS), ""),
        Style::Colored => (Renderer::styled().term_width(COLUMNS), "\x1b[0m"),
    };
    let rendered = renderer.decor_style(DecorStyle::Ascii).render(&[report]);
    let place = format!("-->{reset} {file}:{}:{}", diagnostic.at.line, diagnostic.at.column);
    with_place(&rendered, &place)
}

/// Puts the place into its line, the second one: it counts in the file, and the renderer in what is shown of it.
fn with_place(rendered: &str, place: &str) -> String {
    let mut lines: Vec<Cow<'_, str>> = rendered.lines().map(Cow::Borrowed).collect();
    if let Some(line) = lines.get_mut(1)
        && let Some(arrow) = line.find("-->")
    {
        *line = Cow::Owned(format!("{}{place}", &line[..arrow]));
    }
    lines.join("\n")
}

/// The line of a place, as it is shown.
struct Excerpt {
    line: String,
    start: usize,
    end: usize,
}

impl Excerpt {
    /// Cuts out the first line of a place. `None` where the source isn't the text that the place counts in.
    fn of(diagnostic: &Diagnostic, source: &str) -> Option<Excerpt> {
        let (start, end) = (diagnostic.at.start as usize, diagnostic.at.end as usize);
        let (before, rest) = (source.get(..start)?, source.get(start..)?);
        let line_start = memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |at| at + 1);
        let line_end = start + memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let marked_end = source.get(..end).map_or(start, str::len).clamp(start, line_end);
        let from = boundary(source, line_start.max(start.saturating_sub(CONTEXT_BYTES)));
        let to = boundary(source, line_end.min(marked_end.min(start + CONTEXT_BYTES) + CONTEXT_BYTES));
        let marked_end = marked_end.min(to);
        // A byte order mark in front of the file is no part of its first line.
        let before = visible(source[from..start].trim_start_matches('\u{feff}'));
        let marked: Cow<'_, str> = visible(&source[start..marked_end]);
        let after = visible(&source[marked_end..to]);
        let line = format!("{before}{marked}{after}");
        Some(Excerpt { start: before.len(), end: before.len() + marked.len(), line })
    }
}

/// Returns the nearest place at or before `byte` where a character begins.
fn boundary(source: &str, byte: usize) -> usize {
    (0..=byte.min(source.len())).rev().find(|byte| source.is_char_boundary(*byte)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::{Place, code};
    use super::*;
    use crate::name::Name;

    fn check(source: &str, part: &str, expected: &str) {
        let start = source.find(part).expect("the part stands in the source");
        let line = source[..start].matches('\n').count() + 1;
        let column = source[..start].rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        let at = Place {
            file: Name::from("memory.yml"),
            line: line as u32,
            column: column as u32,
            start: start as u32,
            end: (start + part.len()) as u32,
        };
        let found = Diagnostic::warning(code::MEMORY_TYPE, at, "`sting` is no type").help("write `text`");
        assert_eq!(render(&found, Some(source), Style::Plain), expected.trim_matches('\n'));
    }

    #[test]
    fn the_line_and_the_place_in_it_are_shown() {
        check(
            "ok:\n  type: bool\nday: {type: sting}\n",
            "sting",
            r"
warning[replay.memory.type]: `sting` is no type
 --> memory.yml:3:13
  |
3 | day: {type: sting}
  |             ^^^^^
  |
  = help: write `text`
",
        );
    }

    #[test]
    fn the_excerpt_of_a_long_line_fits_a_terminal_of_eighty_columns() {
        let source = format!("day: {{{} type: sting, {}}}", "a: one, ".repeat(12), "b: two, ".repeat(12));
        let start = source.find("sting").expect("it stands there") as u32;
        let at = Place { file: Name::from("memory.yml"), line: 1, column: start + 1, start, end: start + 5 };
        let found = Diagnostic::warning(code::MEMORY_TYPE, at, "`sting` is no type");
        let rendered = render(&found, Some(&source), Style::Plain);
        let rows: Vec<&str> = rendered.lines().collect();
        assert!(rows.iter().all(|row| row.chars().count() <= 80), "{rendered}");
        let carets = rows.iter().position(|row| row.ends_with("^^^^^")).expect("there are carets");
        let column = rows[carets].find('^').expect("it has carets");
        assert_eq!(rows[carets - 1].get(column..column + 5), Some("sting"), "{rendered}");
    }

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        check(
            "a\u{1b}[2J: {type: sting}",
            "sting",
            r"
warning[replay.memory.type]: `sting` is no type
 --> memory.yml:1:15
  |
1 | a␛[2J: {type: sting}
  |               ^^^^^
  |
  = help: write `text`
",
        );
    }

    #[test]
    fn without_the_source_the_place_is_named() {
        let at = Place { file: Name::from("memory.yml"), line: 3, column: 2, start: 40, end: 44 };
        let found = Diagnostic::error(code::MEMORY_SHAPE, at, "wrong");
        assert_eq!(render(&found, Some("short"), Style::Plain), render(&found, None, Style::Plain));
        assert_eq!(render(&found, None, Style::Plain), "error[replay.memory.shape]: wrong\n--> memory.yml:3:2");
    }
}
