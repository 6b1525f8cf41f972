//! The whole session in two rows: marks by time, and below them which skill was active.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Debugger};
use crate::line::Line;
use crate::overview::{Cell, STEPS};
use crate::theme::Tone;

/// How much of a part wrote, from little to all of it.
const WRITES: [&str; STEPS as usize] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];

/// Paints the rows.
pub(super) fn draw(debugger: &Debugger, app: &App, area: Rect, buffer: &mut Buffer) {
    let Some(overview) = debugger.overview.as_ref().filter(|_| area.height > 0) else { return };
    let here = overview.column_of(debugger.cursor);
    let row = |y| Rect { y: area.y + y, height: 1, ..area };
    let cells = overview.cells.iter().enumerate();
    let marks = cells.fold(Line::new(), |line, (column, cell)| {
        let (tone, sign) = sign(*cell);
        match column == here {
            true => line.own(Tone::Cursor, if cell.has_trouble { sign } else { "▼" }),
            false => line.own(tone, sign),
        }
    });
    marks.paint(row(0), buffer, app.theme);
    if area.height < 2 {
        return;
    }
    let skills = overview.stretches().into_iter().fold(Line::new(), |line, (begin, count, skill)| {
        let line = line.pad_to(begin);
        let is_here = (begin..begin + count).contains(&here);
        let tone = if is_here { Tone::FocusedTitle } else { Tone::Skill };
        let Some(skill) = skill else { return line };
        let name = Line::new().own(Tone::Quiet, "├").foreign(tone, skill).clip(count);
        let rest = count - name.width();
        (0..rest).fold(line.then(name), |line, _| line.own(Tone::Quiet, "─"))
    });
    skills.paint(row(1), buffer, app.theme);
}

fn sign(cell: Cell) -> (Tone, &'static str) {
    match cell {
        Cell { has_trouble: true, .. } => (Tone::Bad, "×"),
        Cell { writes: 0, begins_turn: true, .. } => (Tone::Quiet, "┬"),
        Cell { writes: 0, .. } => (Tone::Quiet, "─"),
        Cell { writes, .. } => (Tone::Memory, WRITES[usize::from(writes.min(STEPS)) - 1]),
    }
}
