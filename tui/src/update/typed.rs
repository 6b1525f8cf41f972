//! Typed lines: commands and searches.

use std::sync::Arc;

use replay_store::event::Position;

use super::jump::remember;
use super::keyboard::only_character;
use super::{answer, go, seek, way};
use crate::app::{App, Help, Message, Wish};
use crate::command::{self, Command};
use crate::complete::completions;
use crate::panel::Panel;
use crate::rows::{Direction, Place};
use crate::search::{Pattern, Search};
use crate::theme::Tone;
use crate::typing::TypingKind;

/// A key while a line is typed.
pub(super) fn key(app: &mut App, key: &str) {
    let Some(typing) = &mut app.typing else { return };
    match key {
        "Esc" => app.typing = None,
        "Backspace" if typing.text.is_empty() => app.typing = None,
        "Backspace" => typing.edit(|text| {
            text.pop();
        }),
        "Ctrl-u" => typing.edit(String::clear),
        "Ctrl-w" => typing.edit(|text| text.truncate(text.trim_end().rfind(' ').map_or(0, |blank| blank + 1))),
        "Space" => typing.edit(|text| text.push(' ')),
        "Up" => typing.earlier(&app.history),
        "Down" => typing.later(&app.history),
        "Tab" => complete(app, 1),
        "Shift-Tab" => complete(app, usize::MAX),
        "Enter" => {
            let Some(typing) = app.typing.take() else { return };
            app.history.add(typing.kind, &typing.text);
            match typing.kind {
                TypingKind::Search => remember(app, |app| search(app, &typing.text)),
                TypingKind::Command => remember(app, |app| run_command(app, &typing.text)),
            }
        }
        _ => {
            if let Some(letter) = only_character(key) {
                typing.edit(|text| text.push(letter));
            }
        }
    }
}

/// Shows the next or, all round, the previous word that completes a command.
fn complete(app: &mut App, steps: usize) {
    let (Some(typing), Some(debugger)) = (&mut app.typing, &app.debugger) else { return };
    let count = typing.completions.as_ref().map_or(1, |completions| completions.words.len());
    let steps = if steps == 1 { 1 } else { count - 1 };
    match typing.kind {
        TypingKind::Command => typing.complete(|text| completions(debugger, text), steps),
        TypingKind::Search => {}
    }
}

pub(super) fn run_command(app: &mut App, text: &str) {
    let command = match command::parse(text) {
        Ok(command) => command,
        Err(words) => return app.message = Some(Message { text: words, tone: Tone::Bad }),
    };
    let Some(debugger) = &app.debugger else {
        match command {
            Command::Quit => app.wish = Some(Wish::Quit),
            Command::Help => app.help = Some(Help::default()),
            _ => app.say("open a session first: Enter opens the one under the cursor"),
        }
        return;
    };
    let session = Arc::clone(&debugger.session);
    match command {
        Command::Nothing => {}
        Command::Quit => app.wish = Some(Wish::Quit),
        Command::Help => app.help = Some(Help::default()),
        Command::Position(at) if Position(at) <= session.end() => go(app, Position(at)),
        Command::Position(at) => {
            app.say(format!("there is no position {at}: the session has 0 to {}", session.end()));
        }
        Command::Moment(moment) => seek::to_moment(app, moment),
        Command::Raw(index) => match session.position_of_raw(index) {
            Some(at) => go(app, at),
            None => app.say(format!("there is no raw record {index}: the session has {}", session.raw.count())),
        },
        Command::Turn(number) => match session.turn(number) {
            Some(turn) => go(app, turn.last),
            None => app.say(format!("there is no turn {number}: the session has {}", session.turns.len())),
        },
        Command::Break(text) => way::break_at(app, &text),
        Command::Watch(name) => way::watch(app, &name),
        Command::Breakpoints(change, which) => way::change_breakpoints(app, change, which),
        Command::Mark(name) => way::mark(app, name),
        Command::Unmark(name) => way::unmark(app, name),
        Command::Step(step) => way::step_by(app, step),
        Command::Find(text) => search(app, &text),
        Command::Why(name) => answer::why(app, &name),
        Command::Access => answer::access(app),
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
