//! The lists of marks, breakpoints and filters: what their keys do.

use super::find::{filter, keep_filter};
use super::go;
use super::jump::remember;
use super::way::{change_breakpoints, unmark};
use crate::app::App;
use crate::command::{Change, Which};
use crate::listing::{Listed, Listing};

/// Opens a list, or says how to set what it would show.
pub(super) fn open(app: &mut App, of: Listed) {
    match count(app, of) {
        0 => app.say(of.nothing()),
        _ => app.listing = Some(Listing { of, cursor: 0 }),
    }
}

/// A key while a list is open.
pub(super) fn key(app: &mut App, key: &str) {
    let Some(Listing { of, cursor }) = app.listing else { return };
    let last = count(app, of).saturating_sub(1);
    let next = match key {
        "Esc" | "q" => return app.listing = None,
        "Enter" => return enter(app, of, cursor),
        "x" => {
            take_away(app, of, cursor);
            match count(app, of) {
                0 => return app.listing = None,
                left => cursor.min(left - 1),
            }
        }
        "j" | "Down" | "Ctrl-n" => (cursor + 1).min(last),
        "k" | "Up" | "Ctrl-p" => cursor.saturating_sub(1),
        "g" | "Home" => 0,
        "G" | "End" => last,
        _ => cursor,
    };
    app.listing = Some(Listing { of, cursor: next });
}

pub(super) fn count(app: &App, of: Listed) -> usize {
    let way = app.debugger.as_ref().map(|debugger| &debugger.way);
    way.map_or(0, |way| match of {
        Listed::Marks => way.marks.iter().count(),
        Listed::Breakpoints => way.breakpoints.len(),
        Listed::Filters => app.filters.len(),
    })
}

fn enter(app: &mut App, of: Listed, cursor: usize) {
    let Some(debugger) = &app.debugger else { return };
    match of {
        Listed::Marks => {
            let at = debugger.way.marks.iter().nth(cursor).map(|(_, at)| at);
            app.listing = None;
            if let Some(at) = at {
                remember(app, |app| go(app, at));
            }
        }
        Listed::Breakpoints => {
            let is_on = debugger.way.breakpoints.get(cursor).is_some_and(|breakpoint| breakpoint.is_on);
            let change = if is_on { Change::Disable } else { Change::Enable };
            change_breakpoints(app, change, Which::Number(cursor + 1));
        }
        Listed::Filters => {
            let text = app.filters.values().nth(cursor).cloned();
            app.listing = None;
            if let Some(text) = text {
                filter(app, &text);
            }
        }
    }
}

fn take_away(app: &mut App, of: Listed, cursor: usize) {
    let Some(debugger) = &app.debugger else { return };
    match of {
        Listed::Marks => {
            let mark = debugger.way.marks.iter().nth(cursor);
            if let Some((name, _)) = mark {
                unmark(app, name);
            }
        }
        Listed::Breakpoints => change_breakpoints(app, Change::Delete, Which::Number(cursor + 1)),
        Listed::Filters => {
            if let Some(name) = app.filters.keys().nth(cursor).cloned() {
                keep_filter(app, &name, None);
            }
        }
    }
}
