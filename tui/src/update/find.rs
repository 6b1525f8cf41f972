//! The search, in events or in the rows of a panel, and the filter of the timeline.

use replay_store::event::Position;
use replay_store::explain::query::Text;

use super::enter::document_mut;
use super::{go, make_memory, moved, seek, set_place, way};
use crate::app::{App, Debugger, Message};
use crate::content;
use crate::filter::Filter;
use crate::index::{Index, query_or_text};
use crate::panel::Panel;
use crate::rows::{Direction, Place};
use crate::scan::{Goal, SLICE};
use crate::search::Search;
use crate::theme::Tone;

/// Slices that are looked at before another key is waited for.
const AT_ONCE: u64 = 2;

/// A search as it was typed. Nothing typed brings the last one back.
pub(super) fn search(app: &mut App, text: &str) {
    let Some(debugger) = &mut app.debugger else { return };
    let pattern = Text::parse(text).or_else(|| debugger.search.as_ref().map(|search| search.pattern.clone()));
    let Some(pattern) = pattern else { return };
    let mut search = Search::new(pattern);
    for _ in 0..AT_ONCE {
        search.index.advance(&debugger.session);
    }
    debugger.search = Some(search);
    again(app, Direction::Forward, 1);
}

/// To the next or previous place that was found: an event, or a row of a panel that shows something else.
pub(super) fn again(app: &mut App, direction: Direction, count: usize) {
    let Some(debugger) = &mut app.debugger else { return };
    let Some(search) = &debugger.search else { return app.say("nothing was searched for yet: / begins") };
    match debugger.focus {
        Panel::Timeline | Panel::Conversation => {}
        panel => return in_panel(app, panel, direction, count),
    }
    let pattern = search.pattern.text().to_owned();
    if !search.index.is_complete(&debugger.session) {
        let goal = Goal::Query(search.index.query.clone(), format!("event with /{pattern}"));
        return seek::start(app, goal, direction, count);
    }
    let hits = &search.index.hits;
    let shown: Vec<Position> = match debugger.filtered() {
        Some(filter) => hits.iter().copied().filter(|hit| filter.shows(*hit)).collect(),
        None => hits.clone(),
    };
    let hidden = match hits.len() - shown.len() {
        0 => String::new(),
        count => format!(", {count} more hidden by the filter: & switches it off"),
    };
    let total = shown.len();
    if total == 0 {
        return app.say(format!("/{pattern}: not found{hidden}"));
    }
    let steps = count.max(1) - 1;
    let place = match direction {
        Direction::Forward => (shown.partition_point(|hit| *hit <= debugger.cursor) + steps) % total,
        Direction::Back => {
            (shown.partition_point(|hit| *hit < debugger.cursor) + total - 1 + total - steps % total) % total
        }
    };
    go(app, shown[place]);
    app.say(format!("/{pattern}: {} of {total}{hidden}", place + 1));
}

/// To a row of a panel.
fn in_panel(app: &mut App, panel: Panel, direction: Direction, count: usize) {
    let Some(debugger) = &mut app.debugger else { return };
    let Some(search) = &debugger.search else { return };
    let pattern = &search.pattern.clone();
    unfold(debugger, panel, pattern);
    let hits = content::lines_with(debugger, panel, pattern);
    let line = content::cursor(debugger, panel).line;
    let total = hits.len();
    let words = if total == 0 {
        format!("/{} in the {}: not found; 1 and n search the events", pattern.text(), panel.title())
    } else {
        let steps = count.max(1) - 1;
        let hit = match direction {
            Direction::Forward => (hits.partition_point(|hit| *hit <= line) + steps) % total,
            Direction::Back => (hits.partition_point(|hit| *hit < line) + total - 1 + total - steps % total) % total,
        };
        let words = format!("/{} in the {}: {} of {total}", pattern.text(), panel.title(), hit + 1);
        set_place(debugger, panel, Place { line: hits[hit], row: 0 });
        words
    };
    app.say(words);
}

/// Unfolds what a panel has folded away and a text stands in.
fn unfold(debugger: &mut Debugger, panel: Panel, pattern: &Text) {
    if panel == Panel::Memory && debugger.story.is_none() {
        let hidden = content::memory::folded_with(debugger, pattern);
        if !hidden.is_empty() {
            debugger.folded.retain(|name| !hidden.contains(name));
            debugger.memory_at = None;
            make_memory(debugger);
        }
        return;
    }
    let here = content::cursor(debugger, panel);
    let Some(document) = document_mut(debugger, panel) else { return };
    let line = document.unfold_where(|text| pattern.find(text).is_some(), here.line);
    set_place(debugger, panel, Place { line, ..here });
}

/// A filter as it was typed. Nothing typed takes it away.
pub(super) fn filter(app: &mut App, text: &str) {
    let Some(debugger) = &mut app.debugger else { return };
    if text.trim().is_empty() {
        let words = if debugger.filter.take().is_some() { "no filter any more" } else { "there is no filter" };
        return app.say(words);
    }
    let query = match query_or_text(text) {
        Ok(query) => query,
        Err(words) => return app.message = Some(Message { text: words, tone: Tone::Bad }),
    };
    if let Some(words) = way::unknown_entry(debugger, &query) {
        return app.say(words);
    }
    let context = debugger.filter.as_ref().map_or(0, |filter| filter.context);
    let mut index = Index::new(query);
    for _ in 0..AT_ONCE {
        index.advance(&debugger.session);
    }
    debugger.filter = Some(Filter { text: text.trim().to_owned(), index, is_on: true, context });
    say_filter(app);
}

/// Keeps the filter under a name.
pub(super) fn save_filter(app: &mut App, name: &str) {
    let filter = app.debugger.as_ref().and_then(|debugger| debugger.filter.as_ref());
    let Some(text) = filter.map(|filter| filter.text.clone()) else {
        return app.say("there is no filter yet: f begins one");
    };
    keep_filter(app, name, Some(&text));
}

/// Keeps a filter under a name, or forgets the one of that name.
pub(super) fn keep_filter(app: &mut App, name: &str, text: Option<&str>) {
    let kept = app.filter_shelf.as_ref().map(|shelf| (shelf.keep)(name, text));
    let until = match kept {
        Some(Err(words)) => return app.message = Some(Message { text: words, tone: Tone::Bad }),
        Some(Ok(filters)) => {
            app.filters = filters;
            ""
        }
        None => {
            match text {
                Some(text) => app.filters.insert(name.to_owned(), text.to_owned()),
                None => app.filters.remove(name),
            };
            " until you quit: there is no place for it"
        }
    };
    app.say(match text {
        Some(text) => format!("{text} is kept as {name}{until}; :filters and Ctrl-p list what is kept"),
        None => format!("{name} is forgotten{until}"),
    });
}

/// The filter off, or on again.
pub(super) fn switch_filter(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    match &mut debugger.filter {
        Some(filter) if filter.is_on => {
            filter.is_on = false;
            let words = format!("the filter is off: {}; & switches it on again", filter.text);
            app.say(words);
        }
        Some(filter) => {
            filter.is_on = true;
            say_filter(app);
        }
        None => app.say("there is no filter yet: f begins one"),
    }
}

/// More or fewer events around those that are wanted.
pub(super) fn context(app: &mut App, direction: Direction, count: usize) {
    let Some(filter) = app.debugger.as_ref().and_then(|debugger| debugger.filter.as_ref()) else {
        return app.say("there is no filter yet: f begins one");
    };
    let count = count as u64;
    set_context(
        app,
        match direction {
            Direction::Forward => filter.context.saturating_add(count),
            Direction::Back => filter.context.saturating_sub(count),
        },
    );
}

/// So many events around those that are wanted.
pub(super) fn set_context(app: &mut App, count: u64) {
    match app.debugger.as_mut().and_then(|debugger| debugger.filter.as_mut()) {
        Some(filter) => {
            filter.context = count.min(SLICE);
            filter.is_on = true;
            say_filter(app);
        }
        None => app.say("there is no filter yet: f begins one"),
    }
}

fn say_filter(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let Some(filter) = debugger.filtered() else { return };
    let (wanted, hidden) = (filter.index.hits.len(), filter.hidden(&debugger.session));
    let context = match filter.context {
        0 => String::new(),
        count => format!(" with {count} around each"),
    };
    let words = match filter.index.is_complete(&debugger.session) {
        true => format!("{wanted} events{context}, {hidden} hidden; & switches the filter off, + shows more around"),
        false => format!("{wanted} events so far{context}; the others are looked at meanwhile"),
    };
    app.say(words);
}

/// Returns the position some shown events away.
pub(super) fn shown(debugger: &Debugger, direction: Direction, count: usize) -> Position {
    let end = debugger.session.end();
    let Some(filter) = debugger.filtered() else { return moved(debugger.cursor, direction, count, end) };
    let mut at = debugger.cursor;
    for _ in 0..count {
        let next = match direction {
            Direction::Forward => filter.next_shown(at).filter(|next| *next <= end),
            Direction::Back => filter.previous_shown(at).or((at.0 > 0).then_some(Position(0))),
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}
