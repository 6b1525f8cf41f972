//! The panels with their titles and the lines between them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use replay_store::prompt::Source;

use crate::app::{App, Debugger, inside};
use crate::content;
use crate::filter::Filter;
use crate::line::{Line, at_most};
use crate::panel::{Layout, Panel};
use crate::prompt::Shown;
use crate::theme::{Theme, Tone};

/// Paints all panels.
pub(super) fn draw(debugger: &Debugger, app: &App, layout: &Layout, buffer: &mut Buffer) {
    for (panel, area) in &layout.panels {
        frame(debugger, *panel, *area, (buffer, app.theme));
        let foot = footnotes(debugger, *panel, inside(*area));
        let inside = rows_area(debugger, *panel, *area);
        rows(debugger, *panel, inside, (buffer, app.theme));
        for (row, line) in (inside.bottom()..).zip(&foot) {
            line.paint(Rect { y: row, height: 1, ..inside }, buffer, app.theme);
        }
    }
}

/// Returns the part of a panel where its rows stand: between its title and what is told about the row under its cursor.
pub(crate) fn rows_area(debugger: &Debugger, panel: Panel, area: Rect) -> Rect {
    let inside = inside(area);
    let foot = footnotes(debugger, panel, inside).len() as u16;
    Rect { height: inside.height.saturating_sub(foot), ..inside }
}

fn frame(debugger: &Debugger, panel: Panel, area: Rect, (buffer, theme): (&mut Buffer, Theme)) {
    let focused = debugger.focus == panel;
    if area.x > 0 {
        let style = theme.style(Tone::Title);
        for y in area.top()..area.bottom() {
            buffer[(area.x, y)].set_symbol("│").set_style(style);
        }
    }
    let (tone, rule) = if focused { (Tone::FocusedTitle, "━") } else { (Tone::Title, "─") };
    let title = Line::new().own(tone, if focused { "▶" } else { rule }).number(tone, panel.number()).own(tone, " ");
    let title = title.own(tone, panel.title()).then(note(debugger, panel));
    let title = title.own(tone, " ");
    let left = u16::from(area.x > 0);
    let row = Rect { x: area.x + left, width: area.width - left, height: 1, ..area };
    let rest = usize::from(row.width).saturating_sub(title.width());
    let title = (0..rest).fold(title, |title, _| title.own(tone, rule));
    title.paint(row, buffer, theme);
}

/// Returns what stands behind the title of a panel.
fn note(debugger: &Debugger, panel: Panel) -> Line {
    match panel {
        Panel::Prompt => match &debugger.prompt.shown {
            Some(shown) => Line::new().own(Tone::Quiet, " ").foreign(Tone::Strong, &shown.headline),
            None => Line::new(),
        },
        Panel::Memory => match &debugger.story {
            Some(story) => Line::new().own(Tone::Quiet, ": story of ").foreign(Tone::Strong, &story.key),
            None => Line::new(),
        },
        Panel::Answer | Panel::Decisions => match debugger.sheet(panel) {
            Some(sheet) => Line::new().own(Tone::Quiet, ": ").foreign(Tone::Strong, &sheet.title),
            None => Line::new(),
        },
        Panel::Findings => Line::new().own(Tone::Quiet, " ").then(content::findings::counts(&debugger.findings)),
        Panel::Stack => Line::new().own(Tone::Quiet, " ").number(Tone::Strong, debugger.state.stack.len()),
        Panel::Timeline => match &debugger.filter {
            Some(filter) => filter_note(debugger, filter),
            None => Line::new(),
        },
        Panel::Conversation | Panel::Event => Line::new(),
    }
}

/// What the filter hides, so that nobody takes the timeline for all there is.
fn filter_note(debugger: &Debugger, filter: &Filter) -> Line {
    let line = Line::new().own(Tone::Quiet, " ");
    if !filter.is_on {
        return line.own(Tone::Quiet, "filter off");
    }
    let line = line.number(Tone::Waiting, filter.hidden(&debugger.session)).own(Tone::Waiting, " hidden");
    match filter.index.is_complete(&debugger.session) {
        true => line.own(Tone::Quiet, " by ").foreign(Tone::Quiet, &filter.text),
        false => line
            .own(Tone::Quiet, ", ")
            .number(Tone::Quiet, filter.index.percent(&debugger.session))
            .own(Tone::Quiet, " % filtered"),
    }
}

fn rows(debugger: &Debugger, panel: Panel, inside: Rect, (buffer, theme): (&mut Buffer, Theme)) {
    let (rows, cursor) = content::window(debugger, panel, inside);
    let focused = debugger.focus == panel;
    for (y, (place, line)) in (inside.y..inside.bottom()).zip(&rows) {
        let under = match (*place == cursor, focused, panel) {
            (true, true, _) => Tone::Cursor,
            (true, false, Panel::Timeline) => Tone::Place,
            (true, false, _) | (false, _, _) => Tone::Plain,
        };
        let row = Rect { y, height: 1, ..inside };
        match &debugger.search {
            Some(search) if panel != Panel::Timeline => {
                let line = line.clone().highlight(|text| search.pattern.find(text));
                line.paint_over(row, buffer, theme, under);
            }
            Some(_) | None => line.paint_over(row, buffer, theme, under),
        }
    }
}

/// Returns the rows at the bottom of a panel that tell about the row under its cursor.
fn footnotes(debugger: &Debugger, panel: Panel, inside: Rect) -> Vec<Line> {
    let is_low = inside.height < 8;
    match panel {
        Panel::Memory if is_low => Vec::new(),
        Panel::Memory if debugger.story.is_none() => match debugger.selected_entry() {
            Some(row) => {
                let rule = Line::new().own(Tone::Title, "── ").foreign(Tone::Strong, &row.key);
                let rule = rule.then(content::memory::flags(row));
                std::iter::once(rule).chain(content::memory::footnote(debugger, row)).collect()
            }
            None => Vec::new(),
        },
        Panel::Prompt => {
            let Some(shown) = &debugger.prompt.shown else { return Vec::new() };
            if shown.difference.is_some() {
                return Vec::new();
            }
            let rows = from_line(shown, debugger.place(Panel::Prompt).line);
            match (inside.height, is_low) {
                (0..3, _) => Vec::new(),
                (_, true) => vec![rows],
                (_, false) => at_most(FROM_ROWS, rows.wrap_under(usize::from(inside.width), "   ")),
            }
        }
        Panel::Findings if is_low => Vec::new(),
        Panel::Findings => match debugger.selected_finding() {
            Some(found) => {
                let height = usize::from(inside.height);
                let most = height.saturating_sub(debugger.findings.found.len() + 2).max(height / 2);
                content::findings::footnote(found, usize::from(inside.width), most)
            }
            None => Vec::new(),
        },
        Panel::Timeline
        | Panel::Conversation
        | Panel::Memory
        | Panel::Stack
        | Panel::Event
        | Panel::Answer
        | Panel::Decisions => Vec::new(),
    }
}

/// Rows that tell where a row of the prompt comes from, at most.
const FROM_ROWS: usize = 3;

fn from_line(shown: &Shown, line: usize) -> Line {
    let origins = shown.origins(line);
    let begin = Line::new().own(Tone::Title, "── from: ");
    if origins.is_empty() {
        return begin.own(Tone::Quiet, "built in");
    }
    origins.into_iter().enumerate().fold(begin, |line, (index, origin)| {
        let line = if index > 0 { line.own(Tone::Quiet, ", ") } else { line };
        let line = line.then(origin_words(&origin.source));
        match origin.cut.is_empty() {
            true => line,
            false => line.own(Tone::Waiting, ", ").foreign(Tone::Waiting, &origin.cut),
        }
    })
}

fn origin_words(origin: &Source) -> Line {
    match origin {
        Source::Builtin => Line::new().own(Tone::Quiet, "built in"),
        Source::File { file, line } => {
            Line::new().foreign(Tone::Plain, file).own(Tone::Quiet, ":").number(Tone::Plain, line)
        }
        Source::Event { position, key: Some(key) } => {
            Line::new().foreign(Tone::Plain, key).own(Tone::Quiet, " set at ").number(Tone::Plain, position)
        }
        Source::Event { position, key: None } => Line::new().own(Tone::Quiet, "event ").number(Tone::Plain, position),
    }
}
