//! Typed lines: commands and searches.

use std::sync::Arc;

use replay_store::event::Position;

use super::go;
use crate::app::{App, Help, Message, Wish};
use crate::command;
use crate::panel::Panel;
use crate::rows::{Direction, Place};
use crate::search::{Pattern, Search};
use crate::theme::Tone;

pub(super) fn run_command(app: &mut App, text: &str) {
    let Some(debugger) = &app.debugger else {
        if let Ok(command::Command::Quit) = command::parse(text) {
            app.wish = Some(Wish::Quit);
        }
        return;
    };
    let session = Arc::clone(&debugger.session);
    match command::parse(text) {
        Ok(command::Command::Nothing) => {}
        Ok(command::Command::Quit) => app.wish = Some(Wish::Quit),
        Ok(command::Command::Help) => app.help = Some(Help::default()),
        Ok(command::Command::Position(at)) if Position(at) <= session.end() => go(app, Position(at)),
        Ok(command::Command::Position(at)) => {
            app.say(format!("there is no position {at}: the session has 0 to {}", session.end()));
        }
        Ok(command::Command::Raw(index)) => match session.position_of_raw(index) {
            Some(at) => go(app, at),
            None => app.say(format!("there is no raw record {index}: the session has {}", session.raw.count())),
        },
        Ok(command::Command::Turn(number)) => match session.turn(number) {
            Some(turn) => go(app, turn.last),
            None => app.say(format!("there is no turn {number}: the session has {}", session.turns.len())),
        },
        Err(words) => app.message = Some(Message { text: words, tone: Tone::Bad }),
    }
}

pub(super) fn search(app: &mut App, text: &str) {
    let Some(debugger) = &mut app.debugger else { return };
    // Nothing typed brings the last search back.
    let pattern = Pattern::parse(text).or_else(|| debugger.search.as_ref().map(|search| search.pattern.clone()));
    let Some(pattern) = pattern else { return };
    debugger.search = Some(Search::run(pattern, &debugger.session));
    search_again(app, Direction::Forward, 1);
}

pub(super) fn search_again(app: &mut App, direction: Direction, count: usize) {
    let Some(debugger) = &mut app.debugger else { return };
    if debugger.focus == Panel::Prompt {
        return search_prompt(app, direction, count);
    }
    let Some(search) = &debugger.search else { return app.say("nothing was searched for yet: / begins") };
    let mut at = debugger.cursor;
    for _ in 0..count.min(search.hits.len()) {
        let next = match direction {
            Direction::Forward => search.after(at),
            Direction::Back => search.before(at),
        };
        at = next.unwrap_or(at);
    }
    let total = search.hits.len();
    let words = match search.number_at(at) {
        Some(number) => format!("/{}: {number} of {total}", search.pattern.text()),
        None => format!("/{}: not found", search.pattern.text()),
    };
    if total > 0 {
        go(app, at);
    }
    app.say(words);
}

/// To a row of the prompt.
fn search_prompt(app: &mut App, direction: Direction, count: usize) {
    let Some(debugger) = &mut app.debugger else { return };
    let (Some(search), Some(shown)) = (&debugger.search, &debugger.prompt.shown) else {
        return app.say("nothing was searched for yet: / begins");
    };
    let pattern = &search.pattern;
    let hits = shown.document.lines_where(|text| pattern.find(text).is_some());
    let line = debugger.place(Panel::Prompt).line;
    let total = hits.len();
    let words = if total == 0 {
        format!("/{} in the prompt: not found", pattern.text())
    } else {
        let steps = count.max(1) - 1;
        let hit = match direction {
            Direction::Forward => (hits.partition_point(|hit| *hit <= line) + steps) % total,
            Direction::Back => (hits.partition_point(|hit| *hit < line) + total - 1 + total - steps % total) % total,
        };
        debugger.places[Panel::Prompt as usize] = Place { line: hits[hit], row: 0 };
        format!("/{} in the prompt: {} of {total}", pattern.text(), hit + 1)
    };
    app.say(words);
}
