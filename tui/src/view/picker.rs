//! The picker: what is typed, the rows that it may mean, and what Enter does.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position as Point, Rect};

use crate::app::App;
use crate::line::Line;
use crate::picker::{Item, Picker};
use crate::theme::Tone;

/// Columns for the kind of an item.
const KIND_WIDTH: usize = 10;

/// Paints the picker.
pub(super) fn draw(picker: &Picker, app: &App, area: Rect, buffer: &mut Buffer) {
    let row = |y| Rect { y, height: 1, ..area };
    let title = Line::new().own(Tone::Strong, "go to  ").foreign(Tone::Strong, &picker.typed).own(Tone::Match, " ");
    let title = title.own(Tone::Quiet, "  ").number(Tone::Quiet, picker.hits.len());
    let title = title.own(Tone::Quiet, " of ").number(Tone::Quiet, picker.items.len());
    title.paint(row(area.y), buffer, app.theme);
    let inside = rows_area(area);
    for (y, (place, hit)) in (inside.y..inside.bottom()).zip(picker.hits.iter().enumerate().skip(first(picker, inside)))
    {
        let is_cursor = place == picker.cursor;
        let under = if is_cursor { Tone::Cursor } else { Tone::Plain };
        let line = Line::new().own(Tone::Strong, if is_cursor { "▸ " } else { "  " });
        line.then(item(&picker.items[*hit], usize::from(area.width))).paint_over(row(y), buffer, app.theme, under);
    }
    let foot = match picker.picked() {
        Some(item) => Line::new().own(Tone::Strong, item.pick.does()),
        None => Line::new().own(Tone::Quiet, "nothing has these letters; Backspace takes one away"),
    };
    foot.own(Tone::Quiet, "  Esc closes").paint(row(area.bottom() - 1), buffer, app.theme);
}

/// Returns the hit at a point of the screen, by its place.
pub(crate) fn row_at(picker: &Picker, area: Rect, at: Point) -> Option<usize> {
    let inside = rows_area(area);
    let row = first(picker, inside) + usize::from(at.y.checked_sub(inside.y)?);
    (inside.contains(at) && row < picker.hits.len()).then_some(row)
}

fn rows_area(area: Rect) -> Rect {
    Rect { y: area.y + 2, height: area.height.saturating_sub(4), ..area }
}

/// Returns the first hit that is seen.
fn first(picker: &Picker, inside: Rect) -> usize {
    let height = usize::from(inside.height);
    picker.cursor.saturating_sub(height / 2).min(picker.hits.len().saturating_sub(height))
}

fn item(item: &Item, columns: usize) -> Line {
    let names = columns * 2 / 5;
    let name = Line::new().foreign(Tone::Plain, &item.name).clip(names);
    let line = Line::new().own(Tone::Quiet, item.pick.kind()).pad_to(KIND_WIDTH).then(name);
    line.pad_to(KIND_WIDTH + names + 1).foreign(Tone::Quiet, &item.words)
}
