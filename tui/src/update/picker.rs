//! The picker: what its keys do, and where what was picked leads.

use replay_store::explain::skill::why_skill;

use super::define::select_entry;
use super::jump::remember;
use super::keyboard::only_character;
use super::{answer, choose, find, focus, go, update};
use crate::action::Action;
use crate::app::App;
use crate::command::COMMANDS;
use crate::content::why::sheet;
use crate::key::BINDINGS;
use crate::panel::Panel;
use crate::picker::{Pick, Picker, wants_more};
use crate::typing::{Typing, TypingKind};

/// Opens the picker.
pub(super) fn open(app: &mut App) {
    app.picker = Some(Picker::open(app));
}

/// A key while the picker is open.
pub(super) fn key(app: &mut App, key: &str) {
    let page = usize::from(app.area.height).saturating_sub(4).max(1);
    let Some(picker) = &mut app.picker else { return };
    let last = picker.hits.len().saturating_sub(1);
    match key {
        "Esc" => app.picker = None,
        "Backspace" if picker.typed.is_empty() => app.picker = None,
        "Backspace" => picker.edit(|text| {
            text.pop();
        }),
        "Ctrl-u" => picker.edit(String::clear),
        "Ctrl-w" => picker.edit(|text| text.truncate(text.trim_end().rfind(' ').map_or(0, |blank| blank + 1))),
        "Space" => picker.edit(|text| text.push(' ')),
        "Down" | "Ctrl-n" => picker.cursor = (picker.cursor + 1).min(last),
        "Up" | "Ctrl-p" => picker.cursor = picker.cursor.saturating_sub(1),
        "PageDown" => picker.cursor = (picker.cursor + page).min(last),
        "PageUp" => picker.cursor = picker.cursor.saturating_sub(page),
        "Home" => picker.cursor = 0,
        "End" => picker.cursor = last,
        "Enter" => {
            if let Some(pick) = picker.picked().map(|item| item.pick.clone()) {
                app.picker = None;
                take(app, pick);
            }
        }
        _ => {
            if let Some(letter) = only_character(key) {
                picker.edit(|text| text.push(letter));
            }
        }
    }
}

/// Does what a row leads to.
fn take(app: &mut App, pick: Pick) {
    match pick {
        Pick::Entry(key) => remember(app, |app| {
            if let Some(debugger) = &mut app.debugger {
                focus(debugger, Panel::Memory);
            }
            select_entry(app, &key);
        }),
        Pick::Skill(skill) => remember(app, |app| {
            if let Some(debugger) = &app.debugger {
                let answer = sheet(&why_skill(&debugger.session, &skill, debugger.cursor));
                answer::show(app, answer);
            }
        }),
        Pick::Turn(number) => remember(app, |app| {
            let last = app.debugger.as_ref().and_then(|debugger| debugger.session.turn(number)).map(|turn| turn.last);
            if let Some(last) = last {
                go(app, last);
                app.say(format!("the end of turn {number}; Ctrl-o goes back"));
            }
        }),
        Pick::Filter(name) => {
            if let Some(text) = app.filters.get(&name).cloned() {
                find::filter(app, &text);
            }
        }
        Pick::Session(row) => {
            if let Some(list) = &mut app.list {
                list.cursor = row;
                choose(app, Action::Open);
            }
        }
        Pick::Command(row) if wants_more(row) => {
            let mut typing = Typing::new(TypingKind::Command);
            typing.edit(|text| text.push_str(&format!("{} ", COMMANDS[row].names[0])));
            app.typing = Some(typing);
        }
        Pick::Command(row) => remember(app, |app| super::typed::run_command(app, COMMANDS[row].names[0])),
        Pick::Key(row) => update(app, BINDINGS[row].action.clone()),
    }
}
