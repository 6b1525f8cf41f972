//! Clicks and the wheel.

use ratatui::layout::Position as Point;

use super::jump::remember;
use super::{choose, focus, go, keyboard, listing, moved, picker, scroll, set_place, update};
use crate::action::Action;
use crate::app::App;
use crate::content::{self, timeline};
use crate::listing::Listing;
use crate::panel::Panel;
use crate::rows::Direction;
use crate::view::{list_row_at, listing_row_at, picker_row_at, rows_area};

pub(super) fn click(app: &mut App, at: Point) {
    let area = app.area;
    // Who takes the mouse gives up what the keys began.
    (app.prefix, app.naming, app.count) = (None, None, None);
    if app.help.is_some() || app.typing.is_some() {
        return;
    }
    if let Some(picker) = &mut app.picker {
        picker.cursor = picker_row_at(picker, area, at).unwrap_or(picker.cursor);
        return;
    }
    if let Some(Listing { of, cursor }) = app.listing {
        let row = listing_row_at(cursor, listing::count(app, of), area, at);
        app.listing = Some(Listing { of, cursor: row.unwrap_or(cursor) });
        return;
    }
    match (&mut app.debugger, &mut app.list) {
        (Some(debugger), _) => {
            let layout = debugger.layout(area);
            if layout.overview.contains(at) {
                let column = usize::from(at.x - layout.overview.x);
                let position = debugger.overview.as_ref().and_then(|overview| overview.position_of(column));
                return position.into_iter().for_each(|position| remember(app, |app| go(app, position)));
            }
            let Some((panel, place)) = layout.panels.iter().find(|(_, place)| place.contains(at)) else { return };
            focus(debugger, *panel);
            let inside = rows_area(debugger, *panel, *place);
            if *panel == Panel::Timeline
                && let Some(position) = timeline::position_at(debugger, inside, at)
            {
                go(app, position);
            } else if *panel != Panel::Timeline
                && inside.contains(at)
                && let Some(place) = content::place_at(debugger, *panel, inside, usize::from(at.y - inside.y))
            {
                set_place(debugger, *panel, place);
            }
        }
        (None, Some(list)) => {
            let row = list_row_at(list, area, at);
            list.cursor = row.unwrap_or(list.cursor);
        }
        (None, None) => {}
    }
}

/// The second click goes where Enter would go from the row that the first one chose.
pub(super) fn double_click(app: &mut App, at: Point) {
    if app.help.is_some() || app.typing.is_some() {
        return;
    }
    let area = app.area;
    if let Some(picker) = &app.picker {
        if picker_row_at(picker, area, at).is_some() {
            picker::key(app, "Enter");
        }
    } else if let Some(Listing { of, cursor }) = app.listing {
        if listing_row_at(cursor, listing::count(app, of), area, at).is_some() {
            listing::key(app, "Enter");
        }
    } else if let Some(debugger) = &app.debugger {
        let layout = debugger.layout(area);
        let panel = layout.panels.iter().find(|(_, place)| place.contains(at));
        if panel.is_some_and(|(panel, place)| rows_area(debugger, *panel, *place).contains(at)) {
            update(app, Action::Open);
        }
    } else if app.list.as_ref().is_some_and(|list| list_row_at(list, area, at).is_some()) {
        choose(app, Action::Open);
    }
}

pub(super) fn wheel(app: &mut App, at: Point, direction: Direction) {
    const ROWS: usize = 3;
    let area = app.area;
    let key = match direction {
        Direction::Forward => "Down",
        Direction::Back => "Up",
    };
    if app.picker.is_some() {
        return (0..ROWS).for_each(|_| picker::key(app, key));
    }
    if app.listing.is_some() {
        return (0..ROWS).for_each(|_| listing::key(app, key));
    }
    if app.help.is_some() {
        return (0..ROWS).for_each(|_| keyboard::help_key(app, key));
    }
    let Some(debugger) = &mut app.debugger else {
        return choose(app, Action::Line(direction));
    };
    let layout = debugger.layout(area);
    let Some((panel, _)) = layout.panels.iter().find(|(_, place)| place.contains(at)) else { return };
    match panel {
        Panel::Timeline => {
            let to = moved(debugger.cursor, direction, ROWS, debugger.session.end());
            go(app, to);
        }
        other => scroll(debugger, *other, area, direction, ROWS),
    }
}
