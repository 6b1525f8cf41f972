//! The row above a line that is being typed: what it does, what it can end in, what is wrong with it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::App;
use crate::command::{COMMANDS, parse, spec_of};
use crate::index::query_or_text;
use crate::line::{Line, at_most};
use crate::theme::Tone;
use crate::typing::{Completions, Typing, TypingKind};

/// Paints the row above the one at the bottom while a line is typed.
pub(super) fn hint(app: &App, foot: Rect, buffer: &mut Buffer) {
    let Some(typing) = &app.typing else { return };
    let row = Rect { y: foot.y.saturating_sub(1), ..foot };
    // What completes a line shows its beginning; what explains one is never cut.
    let line = match (&typing.completions, typing.kind) {
        (Some(completions), _) => completed(completions, usize::from(foot.width)).clip(usize::from(foot.width)),
        (None, TypingKind::Command) => command(typing),
        (None, TypingKind::Search) => search(),
        (None, TypingKind::Filter) => filter(&typing.text),
    };
    // A filter that isn't complete yet is wrong at every letter: that hides no more than it must.
    let most = if typing.kind == TypingKind::Filter { 2 } else { usize::from(foot.y / 2).max(1) };
    let rows = at_most(most, line.wrap(usize::from(foot.width)));
    for (up, line) in rows.iter().rev().enumerate() {
        line.paint_over(Rect { y: row.y.saturating_sub(up as u16), ..row }, buffer, app.theme, Tone::Cursor);
    }
}

/// The words that complete the line, from the one that is shown on where they don't fit.
fn completed(completions: &Completions, columns: usize) -> Line {
    let widths = completions.words.iter().take(completions.shown + 1).map(|word| word.chars().count() + 2);
    let first = if widths.sum::<usize>() < columns { 0 } else { completions.shown };
    let words = completions.words.iter().enumerate().skip(first);
    words.fold(Line::new(), |line, (index, word)| {
        let tone = if index == completions.shown { Tone::Match } else { Tone::Plain };
        line.foreign(tone, word).own(Tone::Quiet, "  ")
    })
}

fn command(typing: &Typing) -> Line {
    if let Some(spec) = spec_of(&typing.text) {
        let line = Line::new().own(Tone::Strong, ":").own(Tone::Strong, spec.names[0]);
        let line = line.own(Tone::Plain, " ").own(Tone::Plain, spec.takes);
        return line.own(Tone::Quiet, "  ").own(Tone::Quiet, spec.help);
    }
    let begun = typing.text.trim();
    let names: Vec<&str> = COMMANDS.iter().map(|spec| spec.names[0]).filter(|name| name.starts_with(begun)).collect();
    if begun.is_empty() || (!names.is_empty() && !begun.contains(' ')) {
        let line = Line::new().own(Tone::Strong, ":N");
        let line = line.own(Tone::Quiet, " position  ").own(Tone::Strong, ":@12:30:05");
        let line = line.own(Tone::Quiet, " ").own(Tone::Strong, ":@+5m").own(Tone::Quiet, " time  ");
        let line = if begun.is_empty() { line } else { Line::new() };
        return names
            .iter()
            .fold(line, |line, name| line.own(Tone::Quiet, ":").number(Tone::Plain, name).own(Tone::Plain, " "));
    }
    match parse(&typing.text) {
        Ok(_) => Line::new().own(Tone::Quiet, "Enter goes there"),
        Err(words) => Line::new().foreign(Tone::Bad, &words),
    }
}

fn search() -> Line {
    Line::new().own(
        Tone::Quiet,
        "Enter searches; small letters match capitals too; Up brings back what was searched for before",
    )
}

fn filter(text: &str) -> Line {
    match query_or_text(text) {
        Err(words) if !text.trim().is_empty() => Line::new().foreign(Tone::Bad, &words),
        Ok(_) | Err(_) => Line::new().own(
            Tone::Quiet,
            "a text, or kind: key: skill: tool: actor: turn: at: verdict: text:  a.key == 1  and or not; Tab",
        ),
    }
}
