//! Jumps and the way back: where the user was before each of them.

use super::{focus, go};
use crate::action::Action;
use crate::app::{App, Jumps, Spot};
use crate::rows::Direction;

/// How many places are remembered.
const REMEMBERED: usize = 200;

/// Returns whether an action may lead far away, so that the way back is wanted.
pub(super) fn is_jump(action: &Action) -> bool {
    matches!(
        action,
        Action::To(_, _)
            | Action::Continue(_)
            | Action::Start
            | Action::End
            | Action::Follow
            | Action::Writer
            | Action::NextWrite
            | Action::Reads
            | Action::Compare
            | Action::Explain
            | Action::Access
            | Action::Changes
            | Action::Holes
            | Action::Open
            | Action::SearchAgain(_)
    )
}

/// Does something that may lead far away, and remembers where it began.
pub(super) fn remember(app: &mut App, leap: impl FnOnce(&mut App)) {
    let begun = app.debugger.as_ref().map(|debugger| debugger.spot());
    leap(app);
    let (Some(spot), Some(debugger)) = (begun, &mut app.debugger) else { return };
    if (spot.cursor, spot.focus) == (debugger.cursor, debugger.focus) {
        return;
    }
    let Jumps { back, ahead } = &mut debugger.jumps;
    ahead.clear();
    if back.len() == REMEMBERED {
        back.remove(0);
    }
    back.push(spot);
}

/// Goes to where the last jump began, or to where the user came back from.
pub(super) fn jump(app: &mut App, direction: Direction) {
    let Some(debugger) = &mut app.debugger else { return };
    let here = debugger.spot();
    let Jumps { back, ahead } = &mut debugger.jumps;
    let (from, to) = match direction {
        Direction::Back => (back, ahead),
        Direction::Forward => (ahead, back),
    };
    let Some(spot) = from.pop() else {
        return app.say(match direction {
            Direction::Back => "no jump to go back from",
            Direction::Forward => "nothing was gone back from",
        });
    };
    to.push(here);
    return_to(app, spot);
}

/// Lets everything be as it was at a spot.
pub(super) fn return_to(app: &mut App, spot: Spot) {
    go(app, spot.cursor);
    let area = app.area;
    let Some(debugger) = &mut app.debugger else { return };
    focus(debugger, spot.focus);
    debugger.zoomed = spot.zoomed;
    debugger.prompt.hypothetical = spot.hypothetical;
    // What the panels show is made first, because it puts their cursors to the beginning.
    super::settle_panels(debugger, area);
    debugger.places[spot.focus as usize] = spot.place;
}
