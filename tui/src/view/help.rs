//! The help screen: the table of keys, filtered by what was typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use replay_store::explain::query::Text;

use crate::app::{App, Help};
use crate::command::COMMANDS;
use crate::key::BINDINGS;
use crate::label::LEGEND;
use crate::line::Line;
use crate::theme::Tone;

const KEYS_WIDTH: usize = 25;

/// Returns how many rows the help has with a filter.
pub(crate) fn row_count(app: &App, filter: &str) -> usize {
    rows(app, filter, usize::from(app.area.width)).len()
}

/// Paints the help screen.
pub(super) fn draw(help: &Help, app: &App, area: Rect, buffer: &mut Buffer) {
    let row = |y| Rect { y, height: 1, ..area };
    let title = Line::new().own(Tone::Strong, "help").own(Tone::Quiet, "  type to filter: ");
    let title = title.foreign(Tone::Strong, &help.filter).own(Tone::Match, " ");
    title.paint(row(area.y), buffer, app.theme);
    let rows = rows(app, &help.filter, usize::from(area.width));
    let (top, bottom) = (area.y + 2, area.bottom().saturating_sub(2).max(area.y + 2));
    for (y, line) in (top..bottom).zip(rows.iter().skip(help.top)) {
        line.paint(row(y), buffer, app.theme);
    }
    let seen = usize::from(bottom - top);
    let words = Line::new().own(
        Tone::Quiet,
        match help.filter.is_empty() {
            true => "arrows scroll, Esc closes  ",
            false => "arrows scroll, Esc clears  ",
        },
    );
    let words = match rows.len().saturating_sub(help.top + seen) {
        0 if rows.is_empty() => words.own(Tone::Quiet, "nothing has these words"),
        0 => words,
        more => words.number(Tone::Strong, more).own(Tone::Quiet, " more rows below"),
    };
    words.paint(row(area.bottom() - 1), buffer, app.theme);
}

fn rows(app: &App, filter: &str, columns: usize) -> Vec<Line> {
    let keys_width = KEYS_WIDTH.min(columns * 2 / 5);
    let bindings = BINDINGS.iter().enumerate().map(|(row, binding)| (app.keymap.keys(row).join("  "), binding.help));
    let commands = COMMANDS.iter().map(|spec| (format!(":{} {}", spec.names[0], spec.takes), spec.help));
    let legend = LEGEND.iter().map(|(glyph, words)| ((*glyph).to_owned(), *words));
    let pattern = Text::parse(filter);
    let wanted = |keys: &str, words: &str| {
        pattern.as_ref().is_none_or(|pattern| pattern.find(keys).is_some() || pattern.find(words).is_some())
    };
    let mouse = (
        "mouse".to_owned(),
        "wheel scrolls; a click goes to an event, or in the row on top to a part of the session, or chooses a row; a double click does what Enter does; Shift and drag selects text",
    );
    bindings
        .chain(commands)
        .chain([mouse])
        .chain(legend)
        .filter(|(keys, words)| wanted(keys, words))
        .flat_map(|(keys, words)| {
            let words = Line::new().own(Tone::Plain, words).wrap(columns.saturating_sub(keys_width));
            let keys = Line::new().foreign(Tone::Strong, &keys).clip(keys_width.saturating_sub(1));
            let begin = std::iter::once(keys).chain(std::iter::repeat(Line::new()));
            words.into_iter().zip(begin).map(move |(words, begin)| begin.pad_to(keys_width).then(words))
        })
        .collect()
}
