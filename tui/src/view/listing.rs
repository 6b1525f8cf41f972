//! The lists of marks, breakpoints and filters.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position as Point, Rect};

use crate::app::{App, Debugger};
use crate::line::Line;
use crate::listing::Listing;
use crate::rows::{Place, window};
use crate::theme::Tone;

/// Paints a list over the whole screen.
pub(super) fn draw(listing: Listing, (debugger, app): (&Debugger, &App), area: Rect, buffer: &mut Buffer) {
    let row = |y| Rect { y, height: 1, ..area };
    let title = Line::new().own(Tone::Strong, listing.of.title());
    title.paint_over(row(area.y), buffer, app.theme, Tone::Cursor);
    let inside = rows_area(area);
    let cursor = Place { line: listing.cursor, row: 0 };
    let rows = listing.of.rows(app, debugger);
    let rows = window(&rows, cursor, usize::from(inside.width), usize::from(inside.height));
    for (y, (place, line)) in (inside.y..inside.bottom()).zip(rows) {
        let is_cursor = place == cursor;
        let under = if is_cursor { Tone::Cursor } else { Tone::Plain };
        let lead = Line::new().own(Tone::Strong, if is_cursor { "▸ " } else { "  " });
        lead.then(line).paint_over(row(y), buffer, app.theme, under);
    }
    let foot = Line::new().own(Tone::Quiet, listing.of.keys());
    foot.paint(row(area.bottom() - 1), buffer, app.theme);
}

/// Returns the row of a list of `count` rows at a point of the screen.
pub(crate) fn row_at(cursor: usize, count: usize, area: Rect, at: Point) -> Option<usize> {
    let inside = rows_area(area);
    let rows = vec![Line::new(); count];
    let cursor = Place { line: cursor, row: 0 };
    let seen = window(&rows, cursor, usize::from(inside.width), usize::from(inside.height));
    let (place, _) = seen.get(usize::from(at.y.checked_sub(inside.y)?))?;
    Some(place.line)
}

fn rows_area(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(4), ..area }
}
