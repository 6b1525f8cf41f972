//! What stands in each panel, by rows.

pub(crate) mod access;
pub(crate) mod conversation;
pub(crate) mod decisions;
pub(crate) mod difference;
pub(crate) mod event;
pub(crate) mod findings;
pub(crate) mod memory;
pub(crate) mod moments;
pub(crate) mod stack;
pub(crate) mod timeline;
pub(crate) mod why;

use std::rc::Rc;

use ratatui::layout::Rect;
use replay_store::explain::query::Text;

use crate::app::{Debugger, MemoryItem};
use crate::document::Document;
use crate::line::Line;
use crate::panel::Panel;
use crate::rows::{self, Direction, Place, Rows};
use crate::theme::Tone;

/// Returns the lines of a panel.
fn source(debugger: &Debugger, panel: Panel) -> Box<dyn Rows + '_> {
    match panel {
        Panel::Timeline => Box::new(timeline::Timeline { debugger }),
        Panel::Conversation => Box::new(conversation::Conversation { debugger }),
        Panel::Memory => match &debugger.story {
            Some(story) => Box::new(Borrowed(&story.document)),
            None => Box::new(memory::Memory { debugger }),
        },
        Panel::Stack => Box::new(stack::Stack { state: &debugger.state }),
        Panel::Prompt => match &debugger.prompt.shown {
            Some(shown) => match &shown.difference {
                Some(difference) => Box::new(Borrowed(difference)),
                None => Box::new(Borrowed(&shown.document)),
            },
            None => Box::new(Vec::new()),
        },
        Panel::Event => Box::new(Borrowed(&debugger.event.document)),
        Panel::Decisions => match &debugger.decisions {
            Some(decisions) => Box::new(Borrowed(&decisions.sheet.document)),
            None => Box::new(Vec::new()),
        },
        Panel::Answer => match &debugger.answer {
            Some(sheet) => Box::new(Borrowed(&sheet.document)),
            None => Box::new(vec![Line::new().own(Tone::Quiet, NO_ANSWER)]),
        },
        Panel::Findings => Box::new(findings::Listed { findings: &debugger.findings, folder: debugger.folder }),
    }
}

const NO_ANSWER: &str = "K explains what is under the cursor: an entry, a frame, an event, a row of the prompt.";

/// Returns the row under the cursor of a panel.
pub(crate) fn cursor(debugger: &Debugger, panel: Panel) -> Place {
    match (panel, &debugger.story) {
        (Panel::Timeline, _) => Place { line: timeline::row_of(&debugger.session, debugger.cursor), row: 0 },
        (Panel::Memory, Some(story)) => story.place,
        (other, _) => debugger.place(other),
    }
}

/// Returns the rows of a panel that fit in `inside`, and the one under its cursor.
pub(crate) fn window(debugger: &Debugger, panel: Panel, inside: Rect) -> (Vec<(Place, Line)>, Place) {
    let cursor = cursor(debugger, panel);
    let rows = rows::window(&*source(debugger, panel), cursor, usize::from(inside.width), usize::from(inside.height));
    (rows, cursor)
}

/// Returns the place some rows away from the cursor of a panel.
pub(crate) fn walk(debugger: &Debugger, panel: Panel, columns: usize, way: (Direction, usize)) -> Place {
    rows::walk(&*source(debugger, panel), cursor(debugger, panel), columns, way.0, way.1)
}

/// Returns the lines of a panel that a text stands in. Memory is searched with its whole values.
pub(crate) fn lines_with(debugger: &Debugger, panel: Panel, pattern: &Text) -> Vec<usize> {
    if panel == Panel::Memory && debugger.story.is_none() {
        let is_in = |item: &MemoryItem| match item {
            MemoryItem::Header(heading) => pattern.find(&heading.name).is_some(),
            MemoryItem::Entry(row, _) | MemoryItem::Watched(row, _) => memory::has(row, pattern),
        };
        return (0..debugger.memory.len()).filter(|line| is_in(&debugger.memory[*line])).collect();
    }
    if let Some(document) = document(debugger, panel) {
        return document.lines_where(|text| pattern.find(text).is_some());
    }
    let source = source(debugger, panel);
    let mut found = Vec::new();
    let mut line = Some(0);
    while let Some(at) = line {
        let rows = source.rows(at, usize::from(u16::MAX));
        if rows.iter().any(|row| pattern.find(&row.text()).is_some()) {
            found.push(at);
        }
        line = source.next(at);
    }
    found
}

/// Returns the text that a panel shows, where it shows one.
pub(crate) fn document(debugger: &Debugger, panel: Panel) -> Option<&Document> {
    match (panel, &debugger.story) {
        (Panel::Memory, Some(story)) => Some(&story.document),
        (Panel::Prompt, _) => {
            debugger.prompt.shown.as_ref().filter(|shown| shown.difference.is_none()).map(|shown| &shown.document)
        }
        (Panel::Event, _) => Some(&debugger.event.document),
        (Panel::Answer | Panel::Decisions, _) => debugger.sheet(panel).map(|sheet| &sheet.document),
        (Panel::Timeline | Panel::Conversation | Panel::Memory | Panel::Stack | Panel::Findings, _) => None,
    }
}

/// Returns the last row of a panel.
pub(crate) fn last_place(debugger: &Debugger, panel: Panel, inside: Rect) -> Place {
    if let Some(document) = document(debugger, panel) {
        let line = document.line_count().saturating_sub(1);
        let row = document.rows(line, usize::from(inside.width)).len().saturating_sub(1);
        return Place { line, row };
    }
    if panel == Panel::Conversation {
        return conversation::place_at(&debugger.session, debugger.session.end());
    }
    walk(debugger, panel, usize::from(inside.width), (Direction::Forward, usize::MAX))
}

/// Returns the text of all rows of the panel with the keys, each in full.
pub(crate) fn all_rows(debugger: &Debugger) -> Vec<String> {
    let source = source(debugger, debugger.focus);
    let mut rows = Vec::new();
    let mut line = Some(0);
    while let Some(at) = line {
        if !source.is_part(at) {
            rows.extend(source.text(at).split('\n').map(|row| row.trim_end().to_owned()));
        }
        line = source.next(at);
    }
    rows
}

/// Returns the text of the line under the cursor of the panel with the keys, however many rows it takes.
pub(crate) fn text_at_cursor(debugger: &Debugger) -> String {
    let panel = debugger.focus;
    source(debugger, panel).text(cursor(debugger, panel).line)
}

/// Returns what stands in a row of the screen.
pub(crate) fn place_at(debugger: &Debugger, panel: Panel, inside: Rect, row: usize) -> Option<Place> {
    window(debugger, panel, inside).0.get(row).map(|(place, _)| *place)
}

/// Lines that somebody else keeps.
struct Borrowed<'a, R: Rows>(&'a R);

impl<R: Rows> Rows for Borrowed<'_, R> {
    fn previous(&self, line: usize) -> Option<usize> {
        self.0.previous(line)
    }

    fn next(&self, line: usize) -> Option<usize> {
        self.0.next(line)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        self.0.rows(line, columns)
    }

    fn is_part(&self, line: usize) -> bool {
        self.0.is_part(line)
    }

    fn text(&self, line: usize) -> String {
        self.0.text(line)
    }
}
