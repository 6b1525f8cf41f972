//! The picker: what is typed, the rows that it may mean, and what Enter does.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

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
    let (top, bottom) = (area.y + 2, area.bottom() - 2);
    let height = usize::from(bottom - top);
    let first = picker.cursor.saturating_sub(height / 2).min(picker.hits.len().saturating_sub(height));
    for (y, (place, hit)) in (top..bottom).zip(picker.hits.iter().enumerate().skip(first)) {
        let is_cursor = place == picker.cursor;
        let under = if is_cursor { Tone::Cursor } else { Tone::Plain };
        let line = Line::new().own(Tone::Strong, if is_cursor { "▸ " } else { "  " });
        line.then(item(&picker.items[*hit], usize::from(area.width))).paint_over(row(y), buffer, app.theme, under);
    }
    let foot = match picker.picked() {
        Some(item) => Line::new().own(Tone::Strong, item.pick.does()),
        None => Line::new().own(Tone::Quiet, "nothing has these letters; Backspace takes one away"),
    };
    foot.own(Tone::Quiet, "  arrows choose, Esc closes").paint(row(area.bottom() - 1), buffer, app.theme);
}

fn item(item: &Item, columns: usize) -> Line {
    let names = columns * 2 / 5;
    let name = Line::new().foreign(Tone::Plain, &item.name).clip(names);
    let line = Line::new().own(Tone::Quiet, item.pick.kind()).pad_to(KIND_WIDTH).then(name);
    line.pad_to(KIND_WIDTH + names + 1).foreign(Tone::Quiet, &item.words)
}
