//! What is painted. Nothing here changes anything.

mod bars;
mod foot;
mod help;
mod list;
mod listing;
mod overview;
mod panels;
mod picker;
mod typing;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::App;
use crate::line::Line;
use crate::panel::is_large_enough;
use crate::theme::Tone;

pub(crate) use help::row_count as help_row_count;
pub(crate) use list::row_at as list_row_at;
pub(crate) use listing::row_at as listing_row_at;
pub(crate) use panels::rows_area;
pub(crate) use picker::row_at as picker_row_at;

/// Paints the whole screen.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    if !is_large_enough(area) {
        let words = Line::new().own(Tone::Plain, "replay needs 40x10");
        return words.paint(area, buffer, app.theme);
    }
    if let Some(picker) = &app.picker {
        return picker::draw(picker, app, area, buffer);
    }
    if let (Some(listing), Some(debugger)) = (app.listing, &app.debugger) {
        return listing::draw(listing, (debugger, app), area, buffer);
    }
    match (&app.help, &app.debugger, &app.list) {
        (Some(help), _, _) => help::draw(help, app, area, buffer),
        (None, Some(debugger), _) => {
            let layout = debugger.layout(area);
            bars::title(debugger, app, layout.title, buffer);
            overview::draw(debugger, app, layout.overview, buffer);
            panels::draw(debugger, app, &layout, buffer);
            bars::summary(debugger, app, layout.summary, buffer);
            foot::foot(app, layout.foot, buffer);
            typing::hint(app, layout.foot, buffer);
        }
        (None, None, Some(list)) => list::draw(list, app, area, buffer),
        (None, None, None) => Line::new().own(Tone::Quiet, "no session").paint(area, buffer, app.theme),
    }
}
