//! The one function that changes an [`App`].

use std::sync::Arc;

use ratatui::layout::{Position as Point, Rect};
use replay_store::event::{Event, EventKind, Position};
use replay_store::prompt::Source;
use replay_store::replay::Session;
use replay_store::session::State;

use crate::action::{Action, Stop};
use crate::app::{App, Debugger, EventView, Help, List, MemoryItem, Message, Prefix, Typing, TypingKind, Wish, inside};
use crate::content::{self, conversation, timeline};
use crate::key::{Key, Meaning, is_prefix, meaning};
use crate::panel::Panel;
use crate::prompt::PromptView;
use crate::rows::{Direction, Place, walk};
use crate::search::{Pattern, Search};
use crate::theme::Tone;
use crate::{command, label};

/// Fulfils a wish.
pub fn update(app: &mut App, action: Action) {
    match action {
        Action::Press(key) => press(app, key),
        Action::Pause => pause(app),
        Action::Resize(width, height) => app.area = Rect::new(0, 0, width, height),
        Action::Click(x, y) => click(app, Point { x, y }),
        Action::Wheel(x, y, direction) => wheel(app, Point { x, y }, direction),
        Action::Help => app.help = Some(Help::default()),
        Action::Search => app.typing = Some(Typing { kind: TypingKind::Search, text: String::new() }),
        Action::Command => app.typing = Some(Typing { kind: TypingKind::Command, text: String::new() }),
        Action::Redraw => app.wish = Some(Wish::Redraw),
        Action::Suspend => app.wish = Some(Wish::Suspend),
        Action::Quit => app.wish = Some(Wish::Quit),
        Action::Sessions => match app.list {
            Some(_) => app.debugger = None,
            None => app.say("the file holds this one session"),
        },
        Action::Step(_)
        | Action::To(_, _)
        | Action::Line(_)
        | Action::HalfPage(_)
        | Action::Page(_)
        | Action::Start
        | Action::End
        | Action::Writer
        | Action::Focus(_)
        | Action::FocusNext(_)
        | Action::Open
        | Action::Zoom
        | Action::Close
        | Action::Hypothetical
        | Action::SearchAgain(_) => match (&mut app.debugger, &mut app.list) {
            (Some(_), _) => debug(app, action),
            (None, Some(_)) => choose(app, action),
            (None, None) => {}
        },
    }
    settle(app);
}

/// Opens a session at a position.
pub fn open(app: &mut App, session: Session, at: Position) {
    let cursor = at.min(session.end());
    app.debugger = Some(Debugger {
        state: session.state(cursor),
        session: Arc::new(session),
        cursor,
        memory: Vec::new(),
        focus: Panel::Timeline,
        recent: vec![Panel::Memory, Panel::Conversation, Panel::Event, Panel::Prompt, Panel::Findings, Panel::Stack],
        zoomed: false,
        places: [Place::default(); Panel::ALL.len()],
        prompt: PromptView::default(),
        event: EventView::default(),
        story: None,
        search: None,
    });
    arrive(app);
    settle(app);
}

impl App {
    fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: Tone::Strong });
    }
}

fn press(app: &mut App, key: Key) {
    app.message = None;
    if key.0 == "Ctrl-c" {
        return update(app, Action::Quit);
    }
    if app.typing.is_some() {
        return type_key(app, &key.0);
    }
    if app.help.is_some() {
        return help_key(app, &key.0);
    }
    if app.prefix.is_none()
        && let Some(digit) = digit(app, &key.0)
    {
        app.count = Some(app.count.unwrap_or(0).saturating_mul(10).saturating_add(digit).min(1_000_000_000));
        return;
    }
    if key.0 == "Enter" && app.count.is_some() {
        return pause(app);
    }
    let before = app.debugger.as_ref().map(|debugger| debugger.cursor);
    let prefix = app.prefix.take();
    let sequence = prefix.as_ref().map_or_else(|| key.0.clone(), |prefix| format!("{}{}", prefix.key, key.0));
    match (meaning(&sequence), prefix) {
        (Meaning::Action(action), prefix) => {
            if let (Some(Prefix { before: Some(before), .. }), Some(debugger)) = (prefix, &mut app.debugger) {
                // The first key moved the cursor, because it means something alone, too.
                if debugger.cursor != before {
                    go(app, before);
                }
            }
            if is_prefix(&sequence) {
                app.prefix = Some(Prefix { key: sequence, before });
            }
            update(app, action);
            app.count = None;
        }
        (Meaning::Prefix, _) => app.prefix = Some(Prefix { key: sequence, before: None }),
        // A key that continues nothing is taken for itself; a second `g` of `gg` is where `g` is already.
        (Meaning::Nothing, Some(prefix)) if prefix.key != key.0 => press(app, key),
        (Meaning::Nothing, _) => app.count = None,
    }
}

/// A sequence that was begun is given up; a digit that stands alone gives its panel the keys.
fn pause(app: &mut App) {
    app.prefix = None;
    if let Some(count) = app.count.take()
        && let Meaning::Action(action) = meaning(&count.to_string())
    {
        update(app, action);
    }
}

/// Digits count. One that nothing follows for a moment names a panel.
fn digit(app: &App, key: &str) -> Option<usize> {
    let digit: usize = key.parse().ok().filter(|digit| *digit < 10)?;
    (digit > 0 || app.count.is_some()).then_some(digit)
}

fn type_key(app: &mut App, key: &str) {
    let Some(typing) = &mut app.typing else { return };
    match key {
        "Esc" => app.typing = None,
        "Backspace" if typing.text.is_empty() => app.typing = None,
        "Backspace" => {
            typing.text.pop();
        }
        "Ctrl-u" => typing.text.clear(),
        "Space" => typing.text.push(' '),
        "Enter" => {
            let Typing { kind, text } = typing.clone();
            app.typing = None;
            match kind {
                TypingKind::Search => search(app, &text),
                TypingKind::Command => run_command(app, &text),
            }
        }
        _ => typing.text.extend(only_character(key)),
    }
}

fn help_key(app: &mut App, key: &str) {
    let Some(help) = &mut app.help else { return };
    let page = usize::from(app.area.height).saturating_sub(4).max(1);
    let last = crate::view::help_row_count(&help.filter).saturating_sub(page);
    match key {
        "Esc" if !help.filter.is_empty() => *help = Help::default(),
        "Esc" | "F1" | "Enter" => app.help = None,
        "Down" => help.top = (help.top + 1).min(last),
        "Up" => help.top = help.top.saturating_sub(1),
        "PageDown" | "Ctrl-d" | "Ctrl-f" => help.top = (help.top + page).min(last),
        "PageUp" | "Ctrl-u" | "Ctrl-b" => help.top = help.top.saturating_sub(page),
        "Home" => help.top = 0,
        "End" => help.top = last,
        "Backspace" => {
            help.filter.pop();
            help.top = 0;
        }
        "q" | "?" if help.filter.is_empty() => app.help = None,
        "Space" => help.filter.push(' '),
        _ => {
            help.filter.extend(only_character(key));
            help.top = 0;
        }
    }
}

fn only_character(key: &str) -> Option<char> {
    let mut characters = key.chars();
    characters.next().filter(|_| characters.next().is_none())
}

fn run_command(app: &mut App, text: &str) {
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

fn search(app: &mut App, text: &str) {
    let Some(debugger) = &mut app.debugger else { return };
    // Nothing typed brings the last search back.
    let pattern = Pattern::parse(text).or_else(|| debugger.search.as_ref().map(|search| search.pattern.clone()));
    let Some(pattern) = pattern else { return };
    debugger.search = Some(Search::run(pattern, &debugger.session.events));
    search_again(app, Direction::Forward, 1);
}

fn search_again(app: &mut App, direction: Direction, count: usize) {
    let Some(debugger) = &app.debugger else { return };
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

/// The list of sessions.
fn choose(app: &mut App, action: Action) {
    let count = app.count.unwrap_or(1);
    let page = usize::from(app.area.height).saturating_sub(4).max(1);
    let Some(List { rows, cursor, open: opener }) = &mut app.list else { return };
    let last = rows.len().saturating_sub(1);
    let (direction, distance) = match action {
        Action::Line(direction) | Action::Step(direction) => (direction, count),
        Action::HalfPage(direction) => (direction, page / 2),
        Action::Page(direction) => (direction, page),
        Action::Start => (Direction::Back, last),
        Action::End => (Direction::Forward, last),
        Action::Open if !rows.is_empty() => {
            match opener(*cursor) {
                Ok(session) => open(app, session, Position(0)),
                Err(words) => app.message = Some(Message { text: words, tone: Tone::Bad }),
            }
            return;
        }
        _ => return,
    };
    *cursor = match direction {
        Direction::Forward => cursor.saturating_add(distance).min(last),
        Direction::Back => cursor.saturating_sub(distance),
    };
}

/// The session that is open.
fn debug(app: &mut App, action: Action) {
    let area = app.area;
    let given = app.count;
    let count = given.unwrap_or(1);
    let Some(debugger) = &mut app.debugger else { return };
    let cursor = debugger.cursor;
    let end = debugger.session.end();
    let on_timeline = debugger.focus == Panel::Timeline && debugger.story.is_none();
    let page = usize::from(panel_area(debugger, debugger.focus, area).height).max(2);
    match action {
        Action::Step(direction) => go(app, moved(cursor, direction, count, end)),
        Action::To(stop, direction) => to(app, stop, direction, count),
        Action::Line(direction) if on_timeline => go(app, moved(cursor, direction, count, end)),
        Action::HalfPage(direction) if on_timeline => go(app, moved(cursor, direction, page / 2, end)),
        Action::Page(direction) if on_timeline => go(app, moved(cursor, direction, page - 1, end)),
        Action::Line(direction) => scroll(debugger, debugger.focus, area, direction, count),
        Action::HalfPage(direction) => scroll(debugger, debugger.focus, area, direction, page / 2),
        Action::Page(direction) => scroll(debugger, debugger.focus, area, direction, page - 1),
        Action::End if given.is_some() => match Position(count as u64) {
            at if at <= end => go(app, at),
            at => app.say(format!("there is no position {at}: the session has 0 to {end}")),
        },
        Action::Start if on_timeline => go(app, Position(0)),
        Action::End if on_timeline => go(app, end),
        Action::Start => set_place(debugger, debugger.focus, Place::default()),
        Action::End => {
            let last = content::last_place(debugger, debugger.focus, panel_area(debugger, debugger.focus, area));
            set_place(debugger, debugger.focus, last);
        }
        Action::Focus(panel) => focus(debugger, panel),
        Action::FocusNext(direction) => {
            let step = match direction {
                Direction::Forward => 1,
                Direction::Back => Panel::ALL.len() - 1,
            };
            focus(debugger, Panel::ALL[(debugger.focus as usize + step) % Panel::ALL.len()]);
        }
        Action::Zoom => debugger.zoomed = !debugger.zoomed,
        Action::Close if debugger.story.is_some() => debugger.story = None,
        Action::Close if debugger.zoomed => debugger.zoomed = false,
        Action::Close => focus(debugger, Panel::Timeline),
        Action::Hypothetical => {
            debugger.prompt.hypothetical = !debugger.prompt.hypothetical;
            if !debugger.shows(Panel::Prompt, area) {
                focus(debugger, Panel::Prompt);
            }
        }
        Action::SearchAgain(direction) => search_again(app, direction, count),
        Action::Writer => to_writer(app),
        Action::Open => open_row(app),
        Action::Press(_)
        | Action::Pause
        | Action::Resize(_, _)
        | Action::Click(_, _)
        | Action::Wheel(_, _, _)
        | Action::Search
        | Action::Command
        | Action::Help
        | Action::Sessions
        | Action::Redraw
        | Action::Suspend
        | Action::Quit => {}
    }
}

fn moved(from: Position, direction: Direction, count: usize, end: Position) -> Position {
    match direction {
        Direction::Forward => Position(from.0.saturating_add(count as u64)).min(end),
        Direction::Back => Position(from.0.saturating_sub(count as u64)),
    }
}

fn to(app: &mut App, stop: Stop, direction: Direction, count: usize) {
    let Some(debugger) = &app.debugger else { return };
    let session = &debugger.session;
    let mut at = debugger.cursor;
    for _ in 0..count {
        match next_stop(session, at, stop, direction) {
            Some(next) => at = next,
            None => break,
        }
    }
    if at == debugger.cursor {
        let words = match direction {
            Direction::Forward => format!("no later {}", stop.word()),
            Direction::Back => format!("no earlier {}", stop.word()),
        };
        return app.say(words);
    }
    go(app, at);
    if stop == Stop::ModelCall
        && let Some(debugger) = &mut app.debugger
    {
        debugger.prompt.hypothetical = false;
    }
}

/// Returns the nearest stop of a kind, not counting where we are.
fn next_stop(session: &Session, from: Position, stop: Stop, direction: Direction) -> Option<Position> {
    if stop == Stop::ModelCall {
        let mut calls = session.turns.iter().flat_map(|turn| &turn.calls).map(|call| call.before);
        return match direction {
            Direction::Forward => calls.find(|at| *at > from),
            Direction::Back => {
                let begun = session.turns.partition_point(|turn| turn.first <= from);
                let calls = session.turns[..begun].iter().rev().flat_map(|turn| turn.calls.iter().rev());
                calls.map(|call| call.before).find(|at| *at < from)
            }
        };
    }
    if stop == Stop::TurnEnd {
        let turns = &session.turns;
        return match direction {
            Direction::Forward => turns.get(turns.partition_point(|turn| turn.last <= from)),
            Direction::Back => turns.partition_point(|turn| turn.last < from).checked_sub(1).map(|place| &turns[place]),
        }
        .map(|turn| turn.last);
    }
    let from = from.0 as usize;
    let place = match direction {
        Direction::Forward => {
            session.events[from..].iter().position(|event| stops(event, stop)).map(|place| from + place)
        }
        Direction::Back => session.events[..from.saturating_sub(1)].iter().rposition(|event| stops(event, stop)),
    };
    place.map(|place| Position(place as u64 + 1))
}

fn stops(event: &Event, stop: Stop) -> bool {
    match stop {
        Stop::ToolCall => matches!(event.kind, EventKind::ToolReturned { .. }),
        Stop::UserMessage => matches!(event.kind, EventKind::UserMessage { .. }),
        Stop::Write => matches!(event.kind, EventKind::MemoryWritten { .. } | EventKind::MemoryCleared { .. }),
        Stop::SkillChange => matches!(
            event.kind,
            EventKind::SkillActivated { .. }
                | EventKind::SkillCompleted { .. }
                | EventKind::SkillCancelled { .. }
                | EventKind::SkillInterrupted { .. }
                | EventKind::SkillResumed { .. }
                | EventKind::BlockEntered { .. }
                | EventKind::BlockCompleted { .. }
                | EventKind::BlockCancelled { .. }
                | EventKind::BlockInterrupted { .. }
                | EventKind::BlockResumed { .. }
        ),
        Stop::Trouble => label::is_trouble(event),
        // These two are looked up in the index of turns.
        Stop::TurnEnd | Stop::ModelCall => false,
    }
}

/// Moves the cursor.
fn go(app: &mut App, at: Position) {
    let Some(debugger) = &mut app.debugger else { return };
    if debugger.cursor == at {
        return;
    }
    debugger.cursor = at;
    debugger.state = debugger.session.state(at);
    debugger.story = None;
    arrive(app);
}

/// Lets the panels follow the cursor.
fn arrive(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let selected = debugger.selected_entry().map(|row| row.key.clone());
    debugger.memory = content::memory::items(&debugger.session, debugger.cursor, &debugger.state);
    let changed = debugger.memory.iter().position(|item| matches!(item, MemoryItem::Entry(_, Some(_))));
    let same = |key| {
        let is = |item: &MemoryItem| matches!(item, MemoryItem::Entry(row, _) if row.key == key);
        debugger.memory.iter().position(is)
    };
    let kept = selected.and_then(same);
    let line = if debugger.focus == Panel::Memory { kept.or(changed) } else { changed.or(kept) };
    debugger.places[Panel::Memory as usize] = Place { line: line.unwrap_or(0), row: 0 };
    debugger.places[Panel::Conversation as usize] = conversation::place_at(&debugger.session, debugger.cursor);
    debugger.places[Panel::Stack as usize] = Place::default();
    debugger.places[Panel::Event as usize] = Place::default();
}

/// Makes what the shown panels need, and no more.
fn settle(app: &mut App) {
    let area = app.area;
    let Some(debugger) = &mut app.debugger else { return };
    if debugger.shows(Panel::Prompt, area) && debugger.prompt.follow(&debugger.session, debugger.cursor) {
        debugger.places[Panel::Prompt as usize] = Place::default();
    }
    if debugger.shows(Panel::Event, area) && debugger.event.at != Some(debugger.cursor) {
        debugger.event = content::event::view(debugger);
    }
}

fn focus(debugger: &mut Debugger, panel: Panel) {
    debugger.story = None;
    if debugger.focus == panel {
        return;
    }
    let left = std::mem::replace(&mut debugger.focus, panel);
    debugger.recent.retain(|other| *other != left && *other != panel);
    debugger.recent.insert(0, left);
}

fn panel_area(debugger: &Debugger, panel: Panel, area: Rect) -> Rect {
    let layout = debugger.layout(area);
    layout.panels.iter().find(|(shown, _)| *shown == panel).map(|(_, area)| inside(*area)).unwrap_or_default()
}

fn scroll(debugger: &mut Debugger, panel: Panel, area: Rect, direction: Direction, count: usize) {
    let columns = usize::from(panel_area(debugger, panel, area).width);
    if let Some(story) = debugger.story.as_mut().filter(|_| panel == Panel::Memory) {
        story.place = walk(&story.document, story.place, columns, direction, count);
        return;
    }
    let place = content::walk(debugger, panel, columns, (direction, count));
    set_place(debugger, panel, place);
}

fn set_place(debugger: &mut Debugger, panel: Panel, place: Place) {
    match &mut debugger.story {
        Some(story) if panel == Panel::Memory => story.place = place,
        Some(_) | None => debugger.places[panel as usize] = place,
    }
}

/// To the event that set the entry under the cursor; where we are there already, to the one before it.
fn to_writer(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let Some(row) = debugger.selected_entry() else {
        return app.say("gd goes to the event that set the entry under memory's cursor");
    };
    let key = row.key.clone();
    let at = match row.set_at {
        Some(at) if at == debugger.cursor => row.previous,
        other => other,
    };
    match at {
        Some(at) => {
            go(app, at);
            select_entry(app, &key);
            app.say(format!("{key} was set here; gd again: the write before"));
        }
        None => app.say(format!("{key} has no earlier write")),
    }
}

fn select_entry(app: &mut App, key: &str) {
    let Some(debugger) = &mut app.debugger else { return };
    let is = |item: &MemoryItem| matches!(item, MemoryItem::Entry(row, _) if row.key == key);
    if let Some(line) = debugger.memory.iter().position(is) {
        debugger.places[Panel::Memory as usize] = Place { line, row: 0 };
    }
}

/// Enter.
fn open_row(app: &mut App) {
    let area = app.area;
    let Some(debugger) = &mut app.debugger else { return };
    let line = debugger.place(debugger.focus).line;
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
            None => debugger.story = content::memory::story(debugger),
        },
        Panel::Findings => {
            let finding = debugger.session.findings.get(line);
            let raw = finding.and_then(|finding| finding.raw);
            match raw.and_then(|(first, _)| debugger.session.position_of_raw(first)) {
                Some(at) => go(app, at),
                None => app.say("this finding is about the record as a whole"),
            }
        }
        Panel::Prompt => {
            let origin = debugger.prompt.shown.as_ref().and_then(|shown| {
                shown.origins(line).into_iter().find_map(|origin| match origin {
                    Source::Event { position, .. } => Some(*position),
                    Source::Builtin | Source::File { .. } => None,
                })
            });
            match origin {
                Some(at) => go(app, at),
                None => app.say("no event put text on this line"),
            }
        }
        Panel::Stack | Panel::Event => debugger.zoomed = !debugger.zoomed,
    }
    if let Some(debugger) = &mut app.debugger
        && !debugger.shows(debugger.focus, area)
    {
        debugger.zoomed = false;
    }
}

fn click(app: &mut App, at: Point) {
    let area = app.area;
    if app.help.is_some() || app.typing.is_some() {
        return;
    }
    match (&mut app.debugger, &mut app.list) {
        (Some(debugger), _) => {
            let layout = debugger.layout(area);
            let Some((panel, place)) = layout.panels.iter().find(|(_, place)| place.contains(at)) else { return };
            focus(debugger, *panel);
            let inside = inside(*place);
            if *panel == Panel::Timeline
                && let Some(position) = timeline::position_at(debugger, inside, at)
            {
                go(app, position);
            } else if *panel != Panel::Timeline
                && inside.contains(at)
                && let Some(place) = content::place_at(debugger, *panel, inside, usize::from(at.y - inside.y))
            {
                set_place(debugger, *panel, place);
            }
        }
        (None, Some(list)) => {
            let row = crate::view::list_row_at(list, area, at);
            list.cursor = row.unwrap_or(list.cursor);
        }
        (None, None) => {}
    }
}

fn wheel(app: &mut App, at: Point, direction: Direction) {
    const ROWS: usize = 3;
    let area = app.area;
    if app.help.is_some() {
        let key = match direction {
            Direction::Forward => "Down",
            Direction::Back => "Up",
        };
        return (0..ROWS).for_each(|_| help_key(app, key));
    }
    let Some(debugger) = &mut app.debugger else {
        return choose(app, Action::Line(direction));
    };
    let layout = debugger.layout(area);
    let Some((panel, _)) = layout.panels.iter().find(|(_, place)| place.contains(at)) else { return };
    match panel {
        Panel::Timeline => {
            let to = moved(debugger.cursor, direction, ROWS, debugger.session.end());
            go(app, to);
        }
        other => scroll(debugger, *other, area, direction, ROWS),
    }
}

/// Returns the state before the event at `at`, and that event.
pub(crate) fn step_before(session: &Session, at: Position) -> Option<(State, &Event)> {
    let before = Position(at.0.checked_sub(1)?);
    Some((session.state(before), session.event(at)?))
}
