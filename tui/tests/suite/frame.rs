//! Prints a screen with its styles: the text, then for each row which columns look how.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// Returns the text of a screen, without blanks at the ends of rows.
pub(crate) fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut row = String::new();
        let mut skip = 0;
        for x in buffer.area.left()..buffer.area.right() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = replay_store::visible::width(symbol).saturating_sub(1);
            row.push_str(symbol);
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// Returns text and styles. `3-8 bold cyan` is columns 3 to 8, counted from 0; plain ones are left out.
pub(crate) fn print(buffer: &Buffer) -> String {
    let mut out = text(buffer);
    out.push_str("--- styles, columns from 0 ---\n");
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut runs: Vec<(u16, u16, String)> = Vec::new();
        for x in buffer.area.left()..buffer.area.right() {
            let look = look(&buffer[(x, y)]);
            match runs.last_mut() {
                Some((_, end, last)) if *last == look => *end = x,
                Some(_) | None => runs.push((x, x, look)),
            }
        }
        let runs = runs.into_iter().filter(|(_, _, look)| !look.is_empty());
        let runs: Vec<String> = runs.map(|(start, end, look)| format!("{start}-{end} {look}")).collect();
        if !runs.is_empty() {
            writeln!(out, "{y}: {}", runs.join(", ")).expect("a string takes all that is written");
        }
    }
    out
}

fn look(cell: &Cell) -> String {
    let mut words = Vec::new();
    for (modifier, word) in [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::UNDERLINED, "underlined"),
        (Modifier::REVERSED, "reversed"),
    ] {
        if cell.modifier.contains(modifier) {
            words.push(word.to_owned());
        }
    }
    for (colour, place) in [(cell.fg, ""), (cell.bg, "on ")] {
        if colour != Color::Reset {
            words.push(format!("{place}{}", colour.to_string().to_lowercase()));
        }
    }
    words.join(" ")
}
