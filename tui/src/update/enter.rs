//! Enter, and the sections of the prompt: to what the row under the cursor leads to.

use replay_store::event::Position;
use replay_store::prompt::Source;

use super::define::select_entry;
use super::{answer, focus, go, make_memory, set_place};
use crate::app::{App, Debugger, MemoryItem};
use crate::content;
use crate::document::Document;
use crate::fold::Form;
use crate::panel::Panel;
use crate::rows::{Direction, Place};

/// Enter.
pub(super) fn open_row(app: &mut App) {
    let area = app.area;
    let Some(debugger) = &mut app.debugger else { return };
    let line = debugger.place(debugger.focus).line;
    if toggle(debugger) {
        return;
    }
    match debugger.focus {
        Panel::Timeline => {
            focus(debugger, Panel::Event);
            debugger.zoomed = true;
        }
        Panel::Conversation => {
            if line > 0 {
                go(app, Position(line as u64));
            }
        }
        Panel::Memory => match &debugger.story {
            Some(story) => {
                if let Some(at) = story.document.origins(story.place.line).first() {
                    let (at, key) = (Position(*at as u64), story.key.clone());
                    go(app, at);
                    select_entry(app, &key);
                }
            }
            None => match debugger.memory.get(line) {
                Some(MemoryItem::Header(heading)) => fold(debugger, heading.name.clone()),
                Some(MemoryItem::Entry(..) | MemoryItem::Watched(..)) | None => {
                    debugger.story = content::memory::story(debugger);
                }
            },
        },
        Panel::Findings => answer::to_finding(app, line),
        Panel::Prompt => {
            let origin = debugger.prompt.shown.as_ref().and_then(|shown| {
                shown.origins(line).into_iter().find_map(|origin| match &origin.source {
                    Source::Event { position, .. } => Some(*position),
                    Source::Builtin | Source::File { .. } => None,
                })
            });
            match origin {
                Some(at) => {
                    focus(debugger, Panel::Event);
                    debugger.zoomed = false;
                    go(app, at);
                    app.say(format!("event {at} put text on that row; Ctrl-o goes back to the prompt"));
                }
                None => app.say("no event put text on this row"),
            }
        }
        panel @ (Panel::Answer | Panel::Decisions) => answer::follow(app, panel),
        Panel::Stack | Panel::Event => debugger.zoomed = !debugger.zoomed,
    }
    if let Some(debugger) = &mut app.debugger
        && !debugger.shows(debugger.focus, area)
    {
        debugger.zoomed = false;
    }
}

/// Folds the large text under the cursor away, or unfolds it. Returns whether there is one.
fn toggle(debugger: &mut Debugger) -> bool {
    let panel = debugger.focus;
    let here = content::cursor(debugger, panel);
    let Some(line) = document_mut(debugger, panel).and_then(|document| document.toggle(here.line)) else {
        return false;
    };
    if line != here.line {
        set_place(debugger, panel, Place { line, row: 0 });
    }
    true
}

/// Returns the text of a panel in which large ones can be folded away.
pub(super) fn document_mut(debugger: &mut Debugger, panel: Panel) -> Option<&mut Document> {
    match panel {
        Panel::Memory => debugger.story.as_mut().map(|story| &mut story.document),
        Panel::Event => Some(&mut debugger.event.document),
        Panel::Answer => debugger.answer.as_mut().map(|sheet| &mut sheet.document),
        Panel::Decisions => debugger.decisions.as_mut().map(|decisions| &mut decisions.sheet.document),
        Panel::Prompt => {
            let shown = debugger.prompt.shown.as_mut().filter(|shown| shown.difference.is_none());
            shown.map(|shown| &mut shown.document)
        }
        Panel::Timeline | Panel::Conversation | Panel::Stack | Panel::Findings => None,
    }
}

/// Shows JSON in the other form. Its lines are others then, so that a cursor in it goes to its label.
pub(super) fn other_form(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let form = debugger.form.next();
    debugger.form = form;
    for panel in [Panel::Memory, Panel::Prompt, Panel::Event, Panel::Answer, Panel::Decisions] {
        let here = content::cursor(debugger, panel);
        let Some(document) = document_mut(debugger, panel) else { continue };
        let line = document.set_form(form, here.line);
        if line != here.line {
            set_place(debugger, panel, Place { line, row: 0 });
        }
    }
    app.say(match form {
        Form::Hex => "raw records are shown in hex; J breaks JSON into lines",
        Form::Broken => "JSON is broken into lines; J shows it as it is",
        Form::Raw => "JSON is shown as it is; J shows the bytes of raw records in hex",
    });
}

/// Folds the entries below a heading of memory away, or unfolds them.
fn fold(debugger: &mut Debugger, name: String) {
    let place = debugger.place(Panel::Memory);
    if !debugger.folded.remove(&name) {
        debugger.folded.insert(name);
    }
    debugger.memory_at = None;
    make_memory(debugger);
    debugger.places[Panel::Memory as usize] = place;
}

/// To the beginning of a section of the prompt.
pub(super) fn section(app: &mut App, direction: Direction, count: usize) {
    let Some(debugger) = &mut app.debugger else { return };
    let line = debugger.place(Panel::Prompt).line;
    let heads = debugger.prompt.shown.iter().flat_map(|shown| shown.heads());
    let head = match direction {
        Direction::Forward => heads.filter(|at| *at > line).nth(count - 1),
        Direction::Back => heads.rev().filter(|at| *at < line).nth(count - 1),
    };
    match head {
        Some(line) => {
            focus(debugger, Panel::Prompt);
            debugger.places[Panel::Prompt as usize] = Place { line, row: 0 };
        }
        None => app.say("no further section of the prompt that way; p shows it"),
    }
}
