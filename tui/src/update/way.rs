//! Marks, breakpoints and the size of a step: what the user sets to find the way.

use replay_store::event::Position;
use replay_store::explain::query::Query;
use replay_store::name::Name;

use super::go;
use super::jump::{self, remember};
use super::keyboard::only_character;
use crate::app::{App, Debugger, Naming};
use crate::breakpoint::{Breakpoint, When};
use crate::command::{Change, STEPS, Which};
use crate::complete::entries;
use crate::index::query_or_text;
use crate::marks;
use crate::panel::Panel;
use crate::rows::Direction;
use crate::stop::Stop;

/// Chooses the next size of a step.
pub(super) fn choose_step(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let place = STEPS.iter().position(|(_, step)| *step == debugger.way.step).unwrap_or(0);
    step_by(app, STEPS[(place + 1) % STEPS.len()].1);
}

/// Chooses what a step is.
pub(super) fn step_by(app: &mut App, step: Option<Stop>) {
    let Some(debugger) = &mut app.debugger else { return };
    debugger.way.step = step;
    app.say(format!("l and h step by {}; s chooses another", step.map_or("event", Stop::word)));
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

/// A breakpoint as it was typed: a position, a query, or nothing for the cursor.
pub(super) fn break_at(app: &mut App, text: &str) {
    let Some(debugger) = &app.debugger else { return };
    if text.is_empty() {
        return toggle_breakpoint(app);
    }
    let end = debugger.session.end();
    if let Ok(at) = text.parse().map(Position) {
        return match Position(1) <= at && at <= end {
            true => toggle(app, When::At(at)),
            false => app.say(format!("there is no event at {at}: the session has 1 to {end}")),
        };
    }
    match query_or_text(text) {
        Ok(query) => match unknown_entry(debugger, &query) {
            Some(words) => app.say(words),
            None => toggle(app, When::Query(query)),
        },
        Err(words) => app.say(words),
    }
}

/// Returns words about an entry that a query names and nothing is called.
pub(super) fn unknown_entry(debugger: &Debugger, query: &Query) -> Option<String> {
    let (name, near) = query.unknown_entries(&debugger.session).into_iter().next()?;
    Some(match near {
        Some(near) => format!("nothing is called {name}: did you mean {near}?"),
        None => format!("nothing is called {name}: Tab shows the entries that there are"),
    })
}

/// A watchpoint on an entry, by its name or by what stands behind the dot of it.
pub(super) fn watch(app: &mut App, name: &str) {
    let Some(debugger) = &app.debugger else { return };
    match entry_named(debugger, name) {
        Ok(key) => toggle(app, When::Changes(key)),
        Err(words) => app.say(words),
    }
}

/// Takes the watchpoint of an entry away.
pub(super) fn unwatch(app: &mut App, name: &str) {
    let Some(debugger) = &app.debugger else { return };
    let short = |key: &&Name| key.rsplit('.').next() == Some(name);
    let whole = debugger.way.watched().find(|key| key.as_str() == name);
    let found = whole.or_else(|| debugger.way.watched().find(short)).cloned();
    match found {
        Some(key) => toggle(app, When::Changes(key)),
        None => app.say(format!("{name} is not watched: :breaks shows what is")),
    }
}

/// Returns the entry that a name means, or one sentence.
pub(super) fn entry_named(debugger: &Debugger, name: &str) -> Result<Name, String> {
    let known = entries(debugger);
    if known.contains(name) {
        return Ok(name.into());
    }
    let short = |key: &&String| key.rsplit('.').next() == Some(name);
    match known.iter().filter(short).collect::<Vec<_>>()[..] {
        [key] => Ok(key.as_str().into()),
        [] => Err(format!("nothing is called {name}: Tab shows the entries that there are")),
        [first, second, ..] => Err(format!("{name} may be {first} or {second}: type the whole name")),
    }
}

/// Takes breakpoints away, or switches them on or off.
pub(super) fn change_breakpoints(app: &mut App, change: Change, which: Which) {
    let Some(debugger) = &mut app.debugger else { return };
    debugger.memory_at = None;
    let breakpoints = &mut debugger.way.breakpoints;
    let chosen = match which {
        Which::All => 0..breakpoints.len(),
        Which::Number(number) if (1..=breakpoints.len()).contains(&number) => number - 1..number,
        Which::Number(number) => {
            let count = breakpoints.len();
            return app.say(format!("there is no breakpoint {number}: there are {count}"));
        }
    };
    let count = chosen.len();
    let word = match change {
        Change::Delete => {
            breakpoints.drain(chosen);
            "taken away"
        }
        Change::Enable => {
            breakpoints[chosen].iter_mut().for_each(|breakpoint| breakpoint.is_on = true);
            "switched on"
        }
        Change::Disable => {
            breakpoints[chosen].iter_mut().for_each(|breakpoint| breakpoint.is_on = false);
            "switched off"
        }
    };
    app.say(match count {
        1 => format!("1 breakpoint {word}"),
        _ => format!("{count} breakpoints {word}"),
    });
}

/// Marks the event at the cursor.
pub(super) fn mark(app: &mut App, name: char) {
    let Some(debugger) = &mut app.debugger else { return };
    debugger.way.marks.set(name, debugger.cursor);
    let words = format!("mark {name} is at {}; ' {name} goes there", debugger.cursor);
    app.say(words);
}

/// Takes a mark away.
pub(super) fn unmark(app: &mut App, name: char) {
    let Some(debugger) = &mut app.debugger else { return };
    match debugger.way.marks.remove(name) {
        true => app.say(format!("mark {name} taken away")),
        false => app.say(format!("there is no mark {name}")),
    }
}

/// Sets a breakpoint, or takes away the one that is there.
pub(super) fn toggle(app: &mut App, when: When) {
    let Some(debugger) = &mut app.debugger else { return };
    // What is watched stands on top of memory.
    debugger.memory_at = None;
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
    let Some(debugger) = &app.debugger else { return };
    match naming {
        Naming::Mark => mark(app, name),
        Naming::ToMark => match debugger.way.marks.get(name) {
            Some(at) => remember(app, |app| go(app, at)),
            None => app.say(format!("there is no mark {name}: m {name} sets it")),
        },
    }
}
