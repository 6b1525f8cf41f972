//! Clicks and the wheel.

use ratatui::layout::Position as Point;

use super::jump::remember;
use super::{choose, focus, go, keyboard, listing, moved, picker, scroll, set_place};
use crate::action::Action;
use crate::app::App;
use crate::content::{self, timeline};
use crate::panel::Panel;
use crate::rows::Direction;
use crate::view::rows_area;

pub(super) fn click(app: &mut App, at: Point) {
    let area = app.area;
    if app.help.is_some() || app.listing.is_some() || app.picker.is_some() || app.typing.is_some() {
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
            let row = crate::view::list_row_at(list, area, at);
            list.cursor = row.unwrap_or(list.cursor);
        }
        (None, None) => {}
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
