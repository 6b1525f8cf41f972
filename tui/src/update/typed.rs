//! Typed lines: commands and searches.

use std::sync::Arc;

use replay_store::event::Position;

use super::jump::remember;
use super::keyboard::only_character;
use super::{answer, find, go, listing, note, seek, way};
use crate::app::{App, Help, Message, Wish};
use crate::command::{self, Command};
use crate::complete::{completions, query_words};
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
                TypingKind::Search => remember(app, |app| find::search(app, &typing.text)),
                TypingKind::Filter => find::filter(app, &typing.text),
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
        TypingKind::Command => typing.complete(|text| completions(debugger, &app.filters, text), steps),
        TypingKind::Filter => typing.complete(|text| query_words(debugger, text), steps),
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
        Command::Unwatch(name) => way::unwatch(app, &name),
        Command::Breakpoints(change, which) => way::change_breakpoints(app, change, which),
        Command::List(of) => listing::open(app, of),
        Command::Mark(name) => way::mark(app, name),
        Command::Unmark(name) => way::unmark(app, name),
        Command::Step(step) => way::step_by(app, step),
        Command::Find(text) => find::search(app, &text),
        Command::Filter(text) => {
            // A name stands for the filter that is kept under it.
            let kept = app.filters.get(&text).cloned();
            find::filter(app, kept.as_deref().unwrap_or(&text));
        }
        Command::SaveFilter(name) => find::save_filter(app, &name),
        Command::Context(count) => find::set_context(app, count),
        Command::Why(name) => answer::why(app, &name),
        Command::Access => answer::access(app),
        Command::Note(text) => note::keep(app, text),
        Command::Export(path) => note::export(app, &path, false),
        Command::ExportOver(path) => note::export(app, &path, true),
    }
}
