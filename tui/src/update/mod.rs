//! The one function that changes an [`App`].

mod answer;
mod choose;
mod define;
mod edit;
mod enter;
mod find;
mod jump;
mod keyboard;
mod listing;
mod live;
mod mouse;
mod note;
mod picker;
mod pin;
mod seek;
mod typed;
mod way;

use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::layout::{Position as Point, Rect};
use replay_store::event::Position;
use replay_store::replay::{EventRef, Session};
use replay_store::session::{State, evolve};

use self::choose::choose;
pub use self::live::tell;
use crate::action::Action;
use crate::app::{App, Debugger, EventView, Help, Jumps, MemoryItem, Message, Naming, Way, Wish};
use crate::content::{self, conversation};
use crate::copy::{Part, clipping};
use crate::findings::{Findings, Looking};
use crate::fold;
use crate::overview::Overview;
use crate::panel::Panel;
use crate::prompt::{Form, PromptView};
use crate::rows::{Direction, Place, walk};
use crate::theme::Tone;
use crate::typing::{Typing, TypingKind};
use crate::view::rows_area;

/// Fulfils a wish.
pub fn update(app: &mut App, action: Action) {
    match action {
        Action::Press(key) => keyboard::press(app, key),
        Action::Pause => keyboard::pause(app),
        Action::Tick => seek::tick(app),
        Action::Resize(width, height) => app.area = Rect::new(0, 0, width, height),
        Action::Click(x, y) => mouse::click(app, Point { x, y }),
        Action::DoubleClick(x, y) => mouse::double_click(app, Point { x, y }),
        Action::Wheel(x, y, direction) => mouse::wheel(app, Point { x, y }, direction),
        Action::Picker => picker::open(app),
        Action::Help => app.help = Some(Help::default()),
        Action::Search => app.typing = Some(Typing::new(TypingKind::Search)),
        Action::Filter => app.typing = Some(Typing::new(TypingKind::Filter)),
        Action::Command => app.typing = Some(Typing::new(TypingKind::Command)),
        Action::Copy(Part::Report) => answer::copy_report(app),
        Action::Copy(part) => copy(app, part),
        Action::Edit => edit::edit(app),
        Action::Note => note::begin(app),
        Action::Theme(theme) => app.theme = theme,
        Action::Say(message) => app.message = Some(message),
        Action::Redraw => app.wish = Some(Wish::Redraw),
        Action::Suspend => app.wish = Some(Wish::Suspend),
        Action::Quit => app.wish = Some(Wish::Quit),
        Action::Sessions => match app.list {
            Some(_) => {
                leave(app);
                app.debugger = None;
            }
            None => app.say("the file holds this one session"),
        },
        Action::Step(_)
        | Action::To(_, _)
        | Action::Line(_)
        | Action::HalfPage(_)
        | Action::Page(_)
        | Action::Start
        | Action::End
        | Action::Follow
        | Action::StepSize
        | Action::Writer
        | Action::NextWrite
        | Action::Reads
        | Action::Pin
        | Action::Compare
        | Action::Explain
        | Action::Access
        | Action::Breakpoint
        | Action::BreakpointKind
        | Action::Continue(_)
        | Action::Mark
        | Action::ToMark
        | Action::Jump(_)
        | Action::Focus(_)
        | Action::FocusNext(_)
        | Action::Open
        | Action::Zoom
        | Action::Close
        | Action::Hypothetical
        | Action::Changes
        | Action::Holes
        | Action::Form
        | Action::Section(_)
        | Action::FilterSwitch
        | Action::Context(_)
        | Action::SearchAgain(_) => match (&mut app.debugger, &mut app.list) {
            (Some(_), _) if jump::is_jump(&action) => jump::remember(app, |app| debug(app, action)),
            (Some(_), _) => debug(app, action),
            (None, Some(_)) => choose(app, action),
            (None, None) => {}
        },
    }
    settle(app);
}

/// Opens a session where it was left, or at its start; one that is followed at its end.
pub fn resume(app: &mut App, session: Session) {
    let end = session.end();
    if app.live.is_some() {
        return open(app, session, end);
    }
    let left = app.visits.get(session.id.as_str()).copied().filter(|at| Position(0) < *at && *at <= end);
    open(app, session, left.unwrap_or_default());
    if let Some(at) = left {
        app.say(format!("resumed at {at} of {end}; g goes to the start"));
    }
}

/// Remembers where the user is in the session that is open.
pub fn leave(app: &mut App) {
    if let Some(debugger) = &app.debugger {
        app.visits.insert(debugger.session.id.to_string(), debugger.cursor);
    }
}

/// Opens a session at a position.
pub fn open(app: &mut App, session: Session, at: Position) {
    let cursor = at.min(session.end());
    app.debugger = Some(Debugger {
        state: State::default(),
        before: State::default(),
        cursor,
        memory: Vec::new(),
        folded: BTreeSet::new(),
        memory_at: None,
        focus: Panel::Timeline,
        recent: vec![
            Panel::Memory,
            Panel::Conversation,
            Panel::Event,
            Panel::Prompt,
            Panel::Findings,
            Panel::Decisions,
            Panel::Answer,
            Panel::Stack,
        ],
        zoomed: false,
        places: [Place::default(); Panel::ALL.len()],
        prompt: PromptView::default(),
        event: EventView::default(),
        notes: app.notebook.as_ref().map(|notebook| (notebook.read)(&session.id)).unwrap_or_default(),
        findings: Findings::new(&session),
        overview: None,
        session: Arc::new(session),
        decisions: None,
        answer: None,
        form: fold::Form::default(),
        story: None,
        search: None,
        filter: None,
        reading: None,
        jumps: Jumps::default(),
        folder: None,
        way: Way::default(),
    });
    if let Some(debugger) = &mut app.debugger {
        hold(debugger, cursor);
    }
    live::begin(app);
    arrive(app);
    settle(app);
}

impl App {
    fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: Tone::Strong });
    }
}

/// Asks the terminal's loop to copy a part of the row under the cursor.
fn copy(app: &mut App, part: Part) {
    let Some(debugger) = &app.debugger else { return };
    match clipping(debugger, &app.opened, part) {
        Ok(clipping) => app.wish = Some(Wish::Copy(clipping)),
        Err(words) => app.say(words),
    }
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
        Action::Step(direction) => match debugger.way.step {
            Some(stop) => seek::to(app, stop, direction, count),
            None => go(app, moved(cursor, direction, count, end)),
        },
        Action::To(stop, direction) => seek::to(app, stop, direction, count),
        Action::StepSize => way::choose_step(app),
        Action::Breakpoint => way::toggle_breakpoint(app),
        Action::BreakpointKind => way::toggle_kind(app),
        Action::Continue(direction) => seek::proceed(app, direction, count),
        Action::Mark => app.naming = Some(Naming::Mark),
        Action::ToMark => app.naming = Some(Naming::ToMark),
        Action::Line(direction) if on_timeline => {
            let at = find::shown(debugger, direction, count);
            go(app, at);
        }
        Action::HalfPage(direction) if on_timeline => {
            let at = find::shown(debugger, direction, page / 2);
            go(app, at);
        }
        Action::Page(direction) if on_timeline => {
            let at = find::shown(debugger, direction, page - 1);
            go(app, at);
        }
        Action::Line(direction) => scroll(debugger, debugger.focus, area, direction, count),
        Action::HalfPage(direction) => scroll(debugger, debugger.focus, area, direction, page / 2),
        Action::Page(direction) => scroll(debugger, debugger.focus, area, direction, page - 1),
        Action::Start | Action::End if given.is_some() => match Position(count as u64) {
            at if at <= end => go(app, at),
            at => app.say(format!("there is no position {at}: the session has 0 to {end}")),
        },
        Action::Start if on_timeline => go(app, Position(0)),
        Action::End if on_timeline => go(app, end),
        Action::Follow => live::follow(app),
        Action::Start => set_place(debugger, debugger.focus, Place::default()),
        Action::End => {
            let last = content::last_place(debugger, debugger.focus, panel_area(debugger, debugger.focus, area));
            set_place(debugger, debugger.focus, last);
        }
        Action::Focus(panel) => {
            // What was stopped goes on when it is asked for again.
            if panel == Panel::Findings {
                debugger.findings.look();
            }
            // From the difference, the way to the prompt itself.
            if panel == Panel::Prompt && debugger.focus == panel {
                debugger.prompt.form = Form::Whole;
            }
            focus(debugger, panel);
        }
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
        Action::Hypothetical if debugger.session.agent.is_none() => {
            app.say("a prompt is recomputed from the agent folder, and there is none: name it with --agent DIR");
        }
        Action::Hypothetical => {
            debugger.prompt.hypothetical = !debugger.prompt.hypothetical;
            if !debugger.shows(Panel::Prompt, area) {
                focus(debugger, Panel::Prompt);
            }
        }
        Action::Changes => prompt_form(debugger, Form::Changes),
        Action::Holes if debugger.session.agent.is_none() => {
            app.say(
                "what is withheld is recomputed from the agent folder, and there is none: name it with --agent DIR",
            );
        }
        Action::Holes => {
            prompt_form(debugger, Form::Holes);
            settle_panels(debugger, area);
            if let Some(line) = debugger.prompt.shown.as_ref().and_then(|shown| shown.first_hole()) {
                debugger.places[Panel::Prompt as usize] = Place { line, row: 0 };
            }
        }
        Action::Form => enter::other_form(app),
        Action::Section(direction) => enter::section(app, direction, count),
        Action::SearchAgain(direction) => find::again(app, direction, count),
        Action::FilterSwitch => find::switch_filter(app),
        Action::Context(direction) => find::context(app, direction, count),
        Action::Writer => define::to_writer(app),
        Action::Reads => pin::reads(app),
        Action::Pin => pin::pin(app),
        Action::Compare => pin::compare(app),
        Action::NextWrite => define::to_next_write(app, count),
        Action::Explain => answer::explain(app),
        Action::Access => answer::access(app),
        Action::Jump(direction) => jump::jump(app, direction),
        Action::Open => enter::open_row(app),
        Action::Press(_)
        | Action::Pause
        | Action::Tick
        | Action::Resize(_, _)
        | Action::Click(_, _)
        | Action::DoubleClick(_, _)
        | Action::Wheel(_, _, _)
        | Action::Search
        | Action::Filter
        | Action::Command
        | Action::Picker
        | Action::Help
        | Action::Copy(_)
        | Action::Edit
        | Action::Note
        | Action::Say(_)
        | Action::Theme(_)
        | Action::Sessions
        | Action::Redraw
        | Action::Suspend
        | Action::Quit => {}
    }
}

/// Shows the prompt in a form; where it is in that form, whole again.
fn prompt_form(debugger: &mut Debugger, form: Form) {
    let is_seen = debugger.focus == Panel::Prompt;
    debugger.prompt.form = match debugger.prompt.form == form {
        true if is_seen => Form::Whole,
        true | false => form,
    };
    focus(debugger, Panel::Prompt);
}

fn moved(from: Position, direction: Direction, count: usize, end: Position) -> Position {
    match direction {
        Direction::Forward => Position(from.0.saturating_add(count as u64)).min(end),
        Direction::Back => Position(from.0.saturating_sub(count as u64)),
    }
}

/// Moves the cursor.
fn go(app: &mut App, at: Position) {
    let Some(debugger) = &app.debugger else { return };
    if debugger.cursor == at {
        return;
    }
    live::hold_still(app, at);
    let Some(debugger) = &mut app.debugger else { return };
    hold(debugger, at);
    debugger.story = None;
    arrive(app);
}

/// Lets the state be that of `at`, and the one before it. A step on folds one event.
fn hold(debugger: &mut Debugger, at: Position) {
    let session = &debugger.session;
    if at.0 > 0 && at.0 != debugger.cursor.0 + 1 {
        debugger.state = session.state(Position(at.0 - 1));
    }
    match session.event(at) {
        Some(event) => {
            debugger.before = debugger.state.clone();
            evolve(&mut debugger.state, &event);
        }
        None => {
            debugger.before = session.state(at);
            debugger.state = debugger.before.clone();
        }
    }
    debugger.cursor = at;
}

/// Lets the panels follow the cursor.
fn arrive(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    debugger.places[Panel::Conversation as usize] = conversation::place_at(&debugger.session, debugger.cursor);
    debugger.places[Panel::Stack as usize] = Place::default();
    debugger.places[Panel::Event as usize] = Place::default();
}

/// Makes the memory panel's lines for the cursor, unless they are made. The entry under the panel's cursor stays
/// there; else the one that changed comes there.
fn make_memory(debugger: &mut Debugger) {
    if debugger.memory_at == Some(debugger.cursor) {
        return;
    }
    debugger.memory_at = Some(debugger.cursor);
    let selected = debugger.selected_entry().map(|row| row.key.clone());
    debugger.memory = content::memory::items(debugger);
    let changed = debugger.memory.iter().position(MemoryItem::is_changed);
    let kept = selected.and_then(|key| define::line_of(debugger, &key));
    let line = if debugger.focus == Panel::Memory { kept.or(changed) } else { changed.or(kept) };
    debugger.places[Panel::Memory as usize] = Place { line: line.unwrap_or(0), row: 0 };
}

/// Makes what the shown panels need, and no more.
fn settle(app: &mut App) {
    let area = app.area;
    if let Some(debugger) = &mut app.debugger {
        settle_panels(debugger, area);
    }
}

fn settle_panels(debugger: &mut Debugger, area: Rect) {
    let form = debugger.form;
    let rows = debugger.layout(area).overview;
    let columns = if rows.height > 0 { rows.width } else { 0 };
    if columns > 0 && debugger.overview.as_ref().is_none_or(|overview| overview.columns != columns) {
        debugger.overview = Some(Overview::new(&debugger.session, columns));
    }
    if debugger.shows(Panel::Memory, area) {
        make_memory(debugger);
    }
    if debugger.shows(Panel::Findings, area) {
        if debugger.findings.looking() == Looking::NotYet {
            debugger.findings.look();
        }
        if debugger.folder.is_none() {
            debugger.folder = debugger.session.agent.as_deref().map(content::findings::count);
        }
    }
    if debugger.shows(Panel::Prompt, area) && debugger.prompt.follow(&debugger.session, debugger.cursor) {
        debugger.places[Panel::Prompt as usize] = Place::default();
        // One that was kept may be in the form of then.
        if let Some(document) = enter::document_mut(debugger, Panel::Prompt) {
            document.set_form(form, 0);
        }
    }
    if debugger.shows(Panel::Decisions, area)
        && debugger.decisions.as_ref().is_none_or(|made| made.at != debugger.cursor)
    {
        let mut made = content::decisions::view(debugger);
        made.sheet.document.set_form(debugger.form, 0);
        debugger.decisions = Some(made);
        debugger.places[Panel::Decisions as usize] = Place::default();
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
    layout
        .panels
        .iter()
        .find(|(shown, _)| *shown == panel)
        .map(|(_, area)| rows_area(debugger, panel, *area))
        .unwrap_or_default()
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

/// Returns the state before the event at `at`, and that event.
///
/// For the event at the cursor [`Debugger::before`] has it already.
pub(crate) fn step_before(session: &Session, at: Position) -> Option<(State, EventRef)> {
    let before = Position(at.0.checked_sub(1)?);
    Some((session.state(before), session.event(at)?))
}
