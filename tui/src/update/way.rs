//! Marks, breakpoints and the size of a step: what the user sets to find the way.

use super::go;
use super::jump::{self, remember};
use super::keyboard::only_character;
use crate::app::{App, Naming};
use crate::breakpoint::{Breakpoint, When};
use crate::marks;
use crate::panel::Panel;
use crate::rows::Direction;
use crate::stop::Stop;

/// What a step can be, in the order in which the key goes through them. The first one follows the last.
const STEPS: [Option<Stop>; 6] = [
    None,
    Some(Stop::Decision),
    Some(Stop::ToolCall),
    Some(Stop::ModelCall),
    Some(Stop::TurnEnd),
    Some(Stop::SkillChange),
];

/// Chooses the next size of a step.
pub(super) fn choose_step(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let place = STEPS.iter().position(|step| *step == debugger.way.step).unwrap_or(0);
    debugger.way.step = STEPS[(place + 1) % STEPS.len()];
    let word = debugger.way.step.map_or("event", Stop::word);
    app.say(format!("l and h step by {word}; s chooses another"));
}

/// A breakpoint at the cursor, or none again; in memory a watchpoint on the entry.
pub(super) fn toggle_breakpoint(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let when = match (debugger.focus, debugger.selected_entry()) {
        (Panel::Memory, Some(row)) => When::Changes(row.key.clone()),
        (Panel::Memory, None) => return app.say("b in memory watches the entry under the cursor"),
        _ if debugger.cursor.0 == 0 => return app.say("nothing is applied here to stop at: step to an event first"),
        _ => When::At(debugger.cursor),
    };
    toggle(app, when);
}

/// A breakpoint at each event of the kind at the cursor, or none again.
pub(super) fn toggle_kind(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    match debugger.session.event(debugger.cursor).map(|event| event.kind.tag()) {
        Some(tag) => toggle(app, When::Kind(tag)),
        None => app.say("nothing is applied here to stop at: step to an event first"),
    }
}

/// Sets a breakpoint, or takes away the one that is there.
pub(super) fn toggle(app: &mut App, when: When) {
    let Some(debugger) = &mut app.debugger else { return };
    let breakpoints = &mut debugger.way.breakpoints;
    let words = match breakpoints.iter().position(|known| known.when == when) {
        Some(place) => format!("breakpoint taken away: {}", breakpoints.remove(place).words()),
        None => {
            let breakpoint = Breakpoint::new(when);
            let words =
                format!("breakpoint {}: {}; c goes on to it, C back", breakpoints.len() + 1, breakpoint.words());
            breakpoints.push(breakpoint);
            words
        }
    };
    app.say(words);
}

/// A key names the mark to set or to go to.
pub(super) fn named(app: &mut App, naming: Naming, key: &str) {
    if key == "Esc" {
        return;
    }
    if (naming, key) == (Naming::ToMark, "'") {
        return jump::jump(app, Direction::Back);
    }
    let Some(name) = only_character(key).filter(|name| marks::is_name(*name)) else {
        return app.say("a mark is named by a letter or a digit");
    };
    let Some(debugger) = &mut app.debugger else { return };
    match naming {
        Naming::Mark => {
            debugger.way.marks.set(name, debugger.cursor);
            let words = format!("mark {name} is at {}; ' {name} goes there", debugger.cursor);
            app.say(words);
        }
        Naming::ToMark => match debugger.way.marks.get(name) {
            Some(at) => remember(app, |app| go(app, at)),
            None => app.say(format!("there is no mark {name}: m {name} sets it")),
        },
    }
}
