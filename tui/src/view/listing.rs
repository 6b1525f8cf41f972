//! The lists of marks and breakpoints.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

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
    let (top, bottom) = (area.y + 2, area.bottom() - 2);
    let cursor = Place { line: listing.cursor, row: 0 };
    let rows = window(&listing.of.rows(app, debugger), cursor, usize::from(area.width), usize::from(bottom - top));
    for (y, (place, line)) in (top..bottom).zip(rows) {
        let is_cursor = place == cursor;
        let under = if is_cursor { Tone::Cursor } else { Tone::Plain };
        let lead = Line::new().own(Tone::Strong, if is_cursor { "▸ " } else { "  " });
        lead.then(line).paint_over(row(y), buffer, app.theme, under);
    }
    let foot = Line::new().own(Tone::Quiet, listing.of.keys());
    foot.paint(row(area.bottom() - 1), buffer, app.theme);
}
