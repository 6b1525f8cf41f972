//! The list of the sessions of a file.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position as Point, Rect};

use super::foot;
use crate::app::App;
use crate::line::Line;
use crate::rows::{Place, window};
use crate::sessions::{List, SessionRow};
use crate::theme::Tone;

/// Paints the list.
pub(super) fn draw(list: &List, app: &App, area: Rect, buffer: &mut Buffer) {
    let row = |y| Rect { y, height: 1, ..area };
    let title = Line::new()
        .own(Tone::Strong, "replay  ")
        .number(Tone::Strong, list.rows.len())
        .own(Tone::Plain, " sessions in this file");
    title.paint_over(row(area.y), buffer, app.theme, Tone::Cursor);
    let inside = rows_area(area);
    for (y, index) in (inside.y..inside.bottom()).zip(visible(list, inside)) {
        let under = if index == list.cursor { Tone::Cursor } else { Tone::Plain };
        let line = Line::new().own(Tone::Strong, if index == list.cursor { "▸ " } else { "  " });
        line.then(session(&list.rows[index])).paint_over(row(y), buffer, app.theme, under);
    }
    foot::foot(app, row(area.bottom() - 1), buffer);
}

/// Returns the row of the list at a point of the screen.
pub(crate) fn row_at(list: &List, area: Rect, at: Point) -> Option<usize> {
    let inside = rows_area(area);
    visible(list, inside).nth(usize::from(at.y.checked_sub(inside.y)?))
}

fn rows_area(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(4), ..area }
}

fn visible(list: &List, inside: Rect) -> impl Iterator<Item = usize> {
    let lines = vec![Line::new(); list.rows.len()];
    let cursor = Place { line: list.cursor, row: 0 };
    window(&lines, cursor, usize::from(inside.width), usize::from(inside.height))
        .into_iter()
        .map(|(place, _)| place.line)
}

fn session(row: &SessionRow) -> Line {
    let started = row.started_at.map_or_else(|| "unknown time".to_owned(), |time| time.minute());
    let line = Line::new().foreign(Tone::Quiet, &started).pad_to(18).number(Tone::Plain, row.events);
    let line = line.own(Tone::Quiet, " events").pad_to(34);
    let line = match row.turns {
        Some(turns) => line.number(Tone::Plain, turns).own(Tone::Quiet, " turns").pad_to(46),
        None => line,
    };
    let line = line.foreign(Tone::Strong, &row.id);
    match &row.said_first {
        Some(text) => line.own(Tone::Quiet, "  » ").foreign(Tone::Quiet, text),
        None => line,
    }
}
