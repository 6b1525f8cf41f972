//! The memory entries, grouped by whose they are, and the story of one of them.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use replay_store::event::{Event, EventKind, Position};
use replay_store::explain::query::Text;
use replay_store::name::split_key;
use replay_store::replay::Session;
use replay_store::replay::headline::{headline, who};
use replay_store::replay::rows::{MemoryRow, RowState, Scope};
use replay_store::session::{Cell, CellState, State, evolve};
use replay_store::value::Value;

use crate::app::{Debugger, Heading, MemoryChange, MemoryItem, Story};
use crate::document::Document;
use crate::fold::{is_large, short, short_text};
use crate::line::Line;
use crate::rows::{Place, Rows};
use crate::theme::Tone;
use crate::update::step_before;

/// The lines of the memory panel.
pub(crate) struct Memory<'a> {
    pub(crate) debugger: &'a Debugger,
}

/// Returns the panel's lines at a position.
pub(crate) fn items(debugger: &Debugger) -> Vec<MemoryItem> {
    let (state, before) = (&debugger.state, &debugger.before);
    let mut items = Vec::new();
    let change = |row: &MemoryRow| changed(before.memory.get(&row.key), state.memory.get(&row.key));
    let watched = debugger.way.watched().map(|key| debugger.session.memory_row(key.clone(), state));
    for row in watched {
        let change = change(&row);
        add(debugger, &mut items, (WATCHED.to_owned(), false), MemoryItem::Watched(Box::new(row), change));
    }
    for row in debugger.session.memory_rows(state) {
        let change = change(&row);
        add(debugger, &mut items, header(&row, state), MemoryItem::Entry(Box::new(row), change));
    }
    items
}

/// The heading of the entries that are watched.
const WATCHED: &str = "watched";

/// Adds an entry below its heading; where that is folded, the heading counts it.
fn add(debugger: &Debugger, items: &mut Vec<MemoryItem>, (name, is_active): (String, bool), item: MemoryItem) {
    let above = items.iter().rev().find_map(|item| match item {
        MemoryItem::Header(heading) => Some(heading),
        MemoryItem::Entry(..) | MemoryItem::Watched(..) => None,
    });
    if above.is_none_or(|heading| heading.name != name) {
        let folded = debugger.folded.contains(&name).then_some((0, 0));
        items.push(MemoryItem::Header(Heading { name, is_active, folded }));
    }
    match items.last_mut() {
        Some(MemoryItem::Header(Heading { folded: Some((entries, changes)), .. })) => {
            *entries += 1;
            *changes += usize::from(item.is_changed());
        }
        Some(_) | None => items.push(item),
    }
}

/// Returns whether a text stands in the name of an entry or in its whole value.
pub(crate) fn has(row: &MemoryRow, pattern: &Text) -> bool {
    pattern.find(&row.key).is_some() || pattern.find(&row.value.to_display()).is_some()
}

/// Returns the headings below which entries with a text are folded away.
pub(crate) fn folded_with(debugger: &Debugger, pattern: &Text) -> BTreeSet<String> {
    let state = &debugger.state;
    let watched =
        debugger.way.watched().map(|key| (WATCHED.to_owned(), debugger.session.memory_row(key.clone(), state)));
    let rows = debugger.session.memory_rows(state).into_iter().map(|row| (header(&row, state).0, row));
    let hidden = watched.chain(rows).filter(|(heading, row)| debugger.folded.contains(heading) && has(row, pattern));
    hidden.map(|(heading, _)| heading).collect()
}

/// Returns the name of the heading that an entry stands below.
pub(crate) fn heading_of(debugger: &Debugger, key: &str) -> String {
    header(&debugger.session.memory_row(key.into(), &debugger.state), &debugger.state).0
}

/// Returns the row above entries.
fn heading(heading: &Heading) -> Line {
    let Heading { name, is_active, folded } = heading;
    let line = match folded {
        Some((_, 1..)) => Line::new().own(Tone::Changed, "*▸ "),
        Some((_, 0)) => Line::new().own(Tone::Quiet, "▸ "),
        None => Line::new(),
    };
    let line = line.foreign(Tone::Strong, name).own(Tone::Strong, if *is_active { " (active)" } else { "" });
    match folded {
        Some((1, _)) => line.own(Tone::Quiet, "  1 entry; Enter unfolds"),
        Some((entries, _)) => {
            line.own(Tone::Quiet, "  ").number(Tone::Quiet, entries).own(Tone::Quiet, " entries; Enter unfolds")
        }
        None => line,
    }
}

fn changed(before: Option<&Cell>, after: Option<&Cell>) -> Option<MemoryChange> {
    differs(before, after).then(|| MemoryChange(before.cloned()))
}

/// Returns the entry that the event at the cursor set, with what was there before.
pub(crate) fn changed_row(debugger: &Debugger) -> Option<(MemoryRow, MemoryChange)> {
    let (state, before) = (&debugger.state, &debugger.before);
    state.memory.iter().filter(|(_, cell)| cell.set_at == Some(debugger.cursor)).find_map(|(key, cell)| {
        let change = changed(before.memory.get(key), Some(cell))?;
        Some((debugger.session.memory_row(key.clone(), state), change))
    })
}

/// Values are shared between states, so that nothing large is compared.
fn differs(before: Option<&Cell>, after: Option<&Cell>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            let same_value =
                Arc::ptr_eq(&before.value, &after.value) || (before.value.is_null() && after.value.is_null());
            (before.set_at, before.state) != (after.set_at, after.state) || !same_value
        }
        (None, None) => false,
        (Some(_), None) | (None, Some(_)) => true,
    }
}

/// Returns the name of the heading of an entry, and whether it is that of the active skill.
fn header(row: &MemoryRow, state: &State) -> (String, bool) {
    let space = split_key(&row.key).map_or("", |(space, _)| space);
    match row.scope {
        Scope::Project => ("project".to_owned(), false),
        Scope::Public | Scope::Private | Scope::Skill => {
            let is_active = state.active_skill().is_some_and(|skill| *skill == space);
            (format!("skill {space}"), is_active)
        }
        Scope::Engine => (format!("engine skill {space}"), false),
        Scope::System => ("system".to_owned(), false),
        Scope::Slot => ("slots".to_owned(), false),
    }
}

impl Rows for Memory<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.debugger.memory.len()).then_some(line + 1)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        match self.debugger.memory.get(line) {
            Some(MemoryItem::Header(above)) => Rc::from([heading(above)]),
            Some(MemoryItem::Entry(row, change)) => {
                let name = split_key(&row.key).map_or(&*row.key, |(_, name)| name);
                entry((name, row), change.as_ref(), columns)
            }
            Some(MemoryItem::Watched(row, change)) => entry((&row.key, row), change.as_ref(), columns),
            None => Rc::from([match self.debugger.session.emptied(self.debugger.cursor) {
                Some(emptied) => Line::new().foreign(Tone::Quiet, &emptied.words()),
                None => Line::new().own(Tone::Quiet, "no memory entry yet"),
            }]),
        }
    }
}

/// A change takes a second row where both values don't fit into one.
fn entry((name, row): (&str, &MemoryRow), change: Option<&MemoryChange>, columns: usize) -> Rc<[Line]> {
    let tone = if change.is_some() { Tone::Changed } else { Tone::Memory };
    let line = Line::new().own(Tone::Changed, if change.is_some() { "*" } else { " " }).foreign(tone, name);
    let line = line.then(flags(row)).own(Tone::Quiet, " = ");
    let Some(MemoryChange(before)) = change else { return Rc::from([line.then(value(row))]) };
    let (old, new) = (line.then(cell(before.as_ref())), Line::new().own(Tone::Changed, " → ").then(value(row)));
    if old.width() + new.width() <= columns {
        return Rc::from([old.then(new)]);
    }
    Rc::from([old, Line::new().own(Tone::Changed, "*").then(new)])
}

/// Columns for the old value where the new one stands on the same row.
const OLD_WIDTH: usize = 24;

/// Returns a row about a change: the entry, what was there, what is there now, and who wrote it. Where `columns` are too
/// few for all of it, who wrote is said in short, and of the values there is as much as fits.
pub(crate) fn change(row: &MemoryRow, change: &MemoryChange, event: &Event, columns: usize) -> Line {
    let writer = match &event.kind {
        EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. } => who(writer),
        _ => String::new(),
    };
    let by = |words: &str| match words {
        "" => Line::new(),
        words => Line::new().own(Tone::Quiet, " by ").foreign(Tone::Plain, words),
    };
    let key = Line::new().foreign(Tone::Memory, &row.key).own(Tone::Quiet, ": ");
    let (old, new) = (cell(change.0.as_ref()).clip(OLD_WIDTH), value(row));
    let put = |old: Line, new: Line, by: Line| key.clone().then(old).own(Tone::Changed, " → ").then(new).then(by);
    let whole = put(old.clone(), new.clone(), by(&writer));
    if whole.width() <= columns {
        return whole;
    }
    let by = by(writer.split(" in ").next().unwrap_or_default());
    let room = columns.saturating_sub(put(Line::new(), Line::new(), by.clone()).width()).max(LEAST_ROOM);
    let old = old.clip((room / 3).max(room.saturating_sub(new.width())));
    let new = new.clip(room - old.width());
    put(old, new, by)
}

/// Columns for two values at least.
const LEAST_ROOM: usize = 10;

/// Returns what is special about an entry, in words.
pub(crate) fn flags(row: &MemoryRow) -> Line {
    let mut words = Vec::new();
    match row.scope {
        Scope::Private => words.push("private"),
        Scope::Public => words.push("public"),
        Scope::Project | Scope::Skill | Scope::Engine | Scope::System | Scope::Slot => {}
    }
    if row.locked {
        words.push("locked");
    }
    if row.pii == Some(true) {
        words.push("pii");
    }
    match words.is_empty() {
        true => Line::new(),
        false => Line::new().foreign(Tone::Quiet, &format!(" ({})", words.join(", "))),
    }
}

/// Returns what an entry holds, or which kind of nothing.
pub(crate) fn value(row: &MemoryRow) -> Line {
    let text = short(&row.value);
    match row.state {
        RowState::Set => Line::new().foreign(Tone::Plain, &text),
        RowState::NeverWritten => Line::new().own(Tone::Quiet, "never written"),
        RowState::Cleared => Line::new().own(Tone::Quiet, "cleared"),
        RowState::Reset if row.value.is_null() => Line::new().own(Tone::Quiet, "reset"),
        RowState::Initial => Line::new().foreign(Tone::Plain, &text).own(Tone::Quiet, " (initial)"),
        RowState::Reset => Line::new().foreign(Tone::Plain, &text).own(Tone::Quiet, " (reset)"),
    }
}

fn cell(cell: Option<&Cell>) -> Line {
    let Some(cell) = cell else { return Line::new().own(Tone::Quiet, "never written") };
    match cell.state {
        CellState::Cleared => Line::new().own(Tone::Quiet, "cleared"),
        CellState::Reset if cell.value.is_null() => Line::new().own(Tone::Quiet, "reset"),
        CellState::Set | CellState::Initial | CellState::Reset => Line::new().foreign(Tone::Quiet, &short(&cell.value)),
    }
}

/// Returns two rows about an entry: who set it, and what was there before.
pub(crate) fn footnote(debugger: &Debugger, row: &MemoryRow) -> [Line; 2] {
    let session = &debugger.session;
    let set = match row.set_at {
        Some(at) => {
            Line::new().own(Tone::Quiet, "at ").number(Tone::Strong, at).then(written_by(session, &row.key, at))
        }
        None => match row.state {
            RowState::Initial => Line::new().own(Tone::Quiet, "the initial value of the agent folder"),
            _ => match session.emptied(debugger.cursor) {
                Some(emptied) => Line::new().foreign(Tone::Quiet, &emptied.words()),
                None => Line::new().own(Tone::Quiet, "never written"),
            },
        },
    };
    let before = match row.previous {
        Some(at) => Line::new()
            .own(Tone::Quiet, "before: ")
            .then(left_by(session, &row.key, at))
            .own(Tone::Quiet, " at ")
            .number(Tone::Strong, at)
            .then(written_by(session, &row.key, at)),
        None => Line::new().own(Tone::Quiet, "no write before that"),
    };
    [set, before]
}

/// Returns the value that the event at `at` left in an entry.
fn left_by(session: &Session, key: &str, at: Position) -> Line {
    match session.event(at).as_ref().map(|event| &event.kind) {
        Some(EventKind::MemoryWritten { key: written, value, .. }) if *written == key => {
            Line::new().foreign(Tone::Plain, &short(value))
        }
        Some(EventKind::MemoryCleared { .. }) => Line::new().own(Tone::Plain, "cleared"),
        Some(_) => {
            let Some((mut state, event)) = step_before(session, at) else { return Line::new() };
            evolve(&mut state, &event);
            cell(state.memory.get(key))
        }
        None => Line::new(),
    }
}

fn written_by(session: &Session, key: &str, at: Position) -> Line {
    match session.event(at).as_ref().map(|event| &event.kind) {
        Some(EventKind::MemoryWritten { key: written, writer, .. }) if *written == key => {
            Line::new().own(Tone::Quiet, " by ").foreign(Tone::Plain, &who(writer))
        }
        Some(EventKind::MemoryCleared { key: cleared, writer }) if *cleared == key => {
            Line::new().own(Tone::Quiet, ", cleared by ").foreign(Tone::Plain, &who(writer))
        }
        Some(EventKind::SkillActivated { skill, .. }) => Line::new()
            .own(Tone::Quiet, ", reset because ")
            .foreign(Tone::Plain, skill)
            .own(Tone::Quiet, " started again"),
        Some(EventKind::HistoryRewound { .. }) => Line::new().own(Tone::Quiet, ", restored by a rewind"),
        Some(_) | None => Line::new(),
    }
}

/// Writes of an entry that a story tells; older ones are one `gd` away.
const STORY_LENGTH: usize = 100;

/// Returns the story of the entry under the cursor.
pub(crate) fn story(debugger: &Debugger) -> Option<Story> {
    let row = debugger.selected_entry()?;
    let session = &debugger.session;
    let mut document = Document::default();
    let flags = flags(row).text();
    document.push(&format!("{}{flags}, now:\n", row.key), Tone::Strong, 0);
    document.set_form(debugger.form, 0);
    match row.state {
        RowState::Set => push_value(&mut document, row),
        RowState::Initial | RowState::NeverWritten | RowState::Cleared | RowState::Reset => {
            document.push_line(&value(row).text(), Tone::Plain, 0);
        }
    }
    if row.set_at.is_none()
        && let Some(later) = session.next_write(&row.key, debugger.cursor)
    {
        let number = usize::try_from(later.0).unwrap_or(0);
        document.push_line(&format!("written later, at {later}\n"), Tone::Strong, number);
    }
    let mut at = row.set_at;
    for _ in 0..STORY_LENGTH {
        let Some(position) = at else { break };
        let Some(event) = session.event(position) else { break };
        let number = usize::try_from(position.0).unwrap_or(0);
        let turn = event.turn.map_or_else(|| "between turns".to_owned(), |turn| format!("turn {turn}"));
        let (kind, text) = match &event.kind {
            EventKind::MemoryWritten { value, writer, .. } if is_large(value) => {
                ("memory written", format!("{} by {}", short(value), who(writer)))
            }
            _ => {
                let line = headline(&event);
                (line.kind, short_text(&line.text))
            }
        };
        document.push_line("\n", Tone::Plain, 0);
        document.push_line(&format!("{position} {kind} ({turn}, {})\n", event.time.clock()), Tone::Strong, number);
        document.push_line(&format!("  {text}\n"), Tone::Plain, number);
        if let EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. } = &event.kind
            && !writer.arguments.is_empty()
        {
            document.push_line(&format!("  called with {}\n", short_text(&writer.arguments)), Tone::Quiet, number);
        }
        at = session.previous_write(&row.key, position);
    }
    document.push_line("\n", Tone::Plain, 0);
    document.push_line("Enter goes to the event of a line, or unfolds it (▸); Esc closes.", Tone::Quiet, 0);
    Some(Story { key: row.key.to_string(), document, place: Place::default() })
}

/// Adds a whole value; a large one is folded away.
fn push_value(document: &mut Document, row: &MemoryRow) {
    match &*row.value {
        Value::Text(text) => document.push_named(&row.key, text, Tone::Plain, 0),
        other => document.push_named(&row.key, &other.to_json(), Tone::Plain, 0),
    }
}
