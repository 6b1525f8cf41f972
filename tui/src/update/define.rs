//! To the events that wrote the value under the cursor: the one that set it, the ones before, the ones after.

use replay_store::event::{Event, EventKind, Position};
use replay_store::name::Name;
use replay_store::prompt::Source;

use super::{focus, go, make_memory, seek};
use crate::app::{App, Debugger};
use crate::breakpoint::changes;
use crate::content::memory;
use crate::panel::Panel;
use crate::rows::{Direction, Place};
use crate::scan::Goal;
use crate::sheet::Link;
use crate::subject::{Subject, subject};

/// To the event that set the entry under the cursor; where we are there already, to the one before it.
pub(super) fn to_writer(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    make_memory(debugger);
    if let Some((position, None)) = prompt_event(debugger) {
        focus(debugger, Panel::Event);
        go(app, position);
        return app.say(format!("event {position} put that text there; Ctrl-o goes back to the prompt"));
    }
    let Some(key) = entry(debugger) else {
        return app
            .say("gd goes to the event that set a value: in memory, on a write, a row of the prompt or an answer");
    };
    let at = match written_at(debugger, &key) {
        Some(at) if at == debugger.cursor => debugger.session.previous_write(&key, at),
        other => other,
    };
    let Some(at) = at else { return app.say(format!("{key} has no earlier write")) };
    // The prompt of another position is another one, so that its cursor can't stay.
    if debugger.focus == Panel::Prompt {
        focus(debugger, Panel::Memory);
    }
    go(app, at);
    select_entry(app, &key);
    app.say(format!("{key} was set here; gd again: the write before, gD: the next one"));
}

/// To the next write, clear or reset of the entry under the cursor.
pub(super) fn to_next_write(app: &mut App, count: usize) {
    let Some(debugger) = &mut app.debugger else { return };
    make_memory(debugger);
    let Some(key) = entry(debugger) else {
        return app
            .say("gD goes to the next write of a value: in memory, on a write, a row of the prompt or an answer");
    };
    let goal = Goal::Query(changes(&key), format!("change of {key}"));
    seek::start(app, goal, Direction::Forward, count);
    select_entry(app, &key);
}

/// Lets memory's cursor stand at an entry.
pub(super) fn select_entry(app: &mut App, key: &str) {
    let Some(debugger) = &mut app.debugger else { return };
    make_memory(debugger);
    if line_of(debugger, key).is_none() && debugger.folded.remove(&memory::heading_of(debugger, key)) {
        debugger.memory_at = None;
        make_memory(debugger);
    }
    if let Some(line) = line_of(debugger, key) {
        debugger.places[Panel::Memory as usize] = Place { line, row: 0 };
    }
}

/// Returns the line of memory where an entry stands: the one next to the cursor, where it is watched as well.
pub(super) fn line_of(debugger: &Debugger, key: &str) -> Option<usize> {
    let here = debugger.place(Panel::Memory).line;
    let is = |line: &usize| debugger.memory[*line].entry().is_some_and(|row| row.key == key);
    (0..debugger.memory.len()).filter(is).min_by_key(|line| line.abs_diff(here))
}

/// Returns the entry that the row under the cursor is about.
pub(super) fn entry(debugger: &Debugger) -> Option<Name> {
    if let Some((_, key)) = prompt_event(debugger) {
        return key;
    }
    match subject(debugger) {
        Subject::Entry(key) | Subject::Link(Link::Entry(key) | Link::Read(key, _)) => Some(key),
        Subject::Event(at) => debugger.session.event(at).and_then(|event| written(&event).cloned()),
        Subject::Finding(index) => debugger.findings.found.get(index).and_then(|found| found.key.clone()),
        Subject::Prompt { key, .. } => key,
        Subject::Frame { .. }
        | Subject::Link(Link::Event(_) | Link::File(_, _) | Link::Skill(_) | Link::Tool(_) | Link::Decision(_))
        | Subject::Words => None,
    }
}

/// Returns the event that put text on the row of the prompt under the cursor: one that set an entry, if there is one.
fn prompt_event(debugger: &Debugger) -> Option<(Position, Option<Name>)> {
    let shown = debugger.prompt.shown.as_ref().filter(|_| debugger.focus == Panel::Prompt)?;
    let origins = shown.origins(debugger.place(Panel::Prompt).line);
    let events = origins.iter().filter_map(|origin| match &origin.source {
        Source::Event { position, key } => Some((*position, key.clone())),
        Source::Builtin | Source::File { .. } => None,
    });
    let events: Vec<_> = events.collect();
    events.iter().find(|(_, key)| key.is_some()).or(events.first()).cloned()
}

/// Returns the event that set what the row under the cursor shows of an entry.
fn written_at(debugger: &Debugger, key: &Name) -> Option<Position> {
    if let Some((at, _)) = prompt_event(debugger) {
        return Some(at);
    }
    match subject(debugger) {
        Subject::Event(at) if debugger.session.event(at).is_some_and(|event| written(&event) == Some(key)) => Some(at),
        _ => debugger.state.memory.get(key).and_then(|cell| cell.set_at),
    }
}

fn written(event: &Event) -> Option<&Name> {
    let (EventKind::MemoryWritten { key, .. }
    | EventKind::MemoryCleared { key, .. }
    | EventKind::MemoryReset { key, .. }
    | EventKind::ProjectEntryLocked { key }) = &event.kind
    else {
        return None;
    };
    Some(key)
}
