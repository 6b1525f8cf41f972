//! Breakpoints and watchpoints: where continuing stops, forwards and backwards.

use replay_store::event::{Event, EventKind, Position};
use replay_store::explain::query::{self, Direction, Expression, Filter, Needs, Pattern, Query, Search, Step, tool_of};
use replay_store::name::Name;
use replay_store::replay::Session;

/// A place to stop at.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// Where.
    pub when: When,
    /// Whether continuing stops there now.
    pub is_on: bool,
}

/// Where a breakpoint stops.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// At one event.
    At(Position),
    /// At each event of a kind, by the name that queries use.
    Kind(&'static str),
    /// Where an entry gets another value, or another kind of nothing: a watchpoint.
    Changes(Name),
    /// Where a query matches; one that only says what memory holds stops where it begins to hold, and one that names a tool
    /// but no kind of event stops where a call of it begins.
    Query(Query),
}

impl Breakpoint {
    /// Returns a breakpoint that is switched on.
    pub fn new(when: When) -> Breakpoint {
        Breakpoint { when, is_on: true }
    }

    /// Returns the query that it rests on, if it is one that the user typed.
    pub(crate) fn query(&self) -> Option<&Query> {
        match &self.when {
            When::Query(query) => Some(query),
            When::At(_) | When::Kind(_) | When::Changes(_) => None,
        }
    }

    /// Returns the positions from `first` to `last` where it stops, in order.
    pub(crate) fn stops_in(&self, session: &Session, (first, last): (u64, u64)) -> Vec<Position> {
        match &self.when {
            When::At(at) => [*at].into_iter().filter(|at| (first..=last).contains(&at.0)).collect(),
            When::Kind(tag) => {
                let events = session.events_in(Position(first)..=Position(last));
                events.filter(|(_, event)| event.kind.tag() == *tag).map(|(at, _)| at).collect()
            }
            When::Changes(key) => matches_in(&changes(key), session, (first, last)),
            When::Query(query) => {
                let mut found = matches_in(query, session, (first, last));
                if is_of_calls(&query.root) {
                    found.retain(|at| begins_call(session, *at));
                    return found;
                }
                if !stands(&query.root) {
                    return found;
                }
                let held_before = first > 1 && query::matches(query, session, Position(first - 1));
                let is_first = |(index, at): (usize, &Position)| match index {
                    0 => (at.0 > first || !held_before).then_some(*at),
                    _ => (found[index - 1].0 + 1 < at.0).then_some(*at),
                };
                found.iter().enumerate().filter_map(is_first).collect()
            }
        }
    }

    /// Returns whether a screen marks the event, as far as the event alone tells.
    pub(crate) fn is_shown_at(&self, session: &Session, at: Position, event: &Event) -> bool {
        match &self.when {
            When::At(place) => *place == at,
            When::Kind(tag) => event.kind.tag() == *tag,
            When::Changes(key) => matches!(
                &event.kind,
                EventKind::MemoryWritten { key: changed, .. }
                    | EventKind::MemoryCleared { key: changed, .. }
                    | EventKind::MemoryReset { key: changed, .. } if changed == key
            ),
            When::Query(query) => {
                query.needs == Needs::Event
                    && query::matches(query, session, at)
                    && (!is_of_calls(&query.root) || begins_call(session, at))
            }
        }
    }

    /// Returns what it is called in lists and messages.
    pub fn words(&self) -> String {
        match &self.when {
            When::At(at) => format!("at {at}"),
            When::Kind(tag) => format!("each {}", tag.replace('_', " ")),
            When::Changes(key) => format!("{key} changes"),
            When::Query(query) if stands(&query.root) => format!("where {query} begins to hold"),
            When::Query(query) if is_of_calls(&query.root) => format!("where a call begins, {query}"),
            When::Query(query) => format!("where {query}"),
        }
    }
}

/// Returns the positions from `first` to `last` that a query matches, in order.
pub(crate) fn matches_in(query: &Query, session: &Session, (first, last): (u64, u64)) -> Vec<Position> {
    let mut search = Search::new(query.clone(), session, Position(first - 1), Direction::Forward);
    let mut found = Vec::new();
    let mut left = (last + 1).saturating_sub(first);
    while left > 0
        && let Step::Found(at) = search.step(session, left)
    {
        found.push(at);
        left = last.saturating_sub(at.0);
    }
    found
}

/// Returns the query for the changes of an entry.
pub(crate) fn changes(key: &str) -> Query {
    Query { root: Expression::Changed(Pattern::new(key)), needs: Needs::State }
}

/// Returns whether a query names a tool, and nothing that tells one event of its call from another.
fn is_of_calls(root: &Expression) -> bool {
    let mut names_tool = false;
    asks_for_calls_only(root, &mut names_tool) && names_tool
}

fn asks_for_calls_only(part: &Expression, names_tool: &mut bool) -> bool {
    match part {
        Expression::Not(part) => asks_for_calls_only(part, &mut false),
        Expression::And(parts) | Expression::Or(parts) => {
            parts.iter().all(|part| asks_for_calls_only(part, names_tool))
        }
        Expression::Filter(Filter::Tool(_)) => {
            *names_tool = true;
            true
        }
        Expression::Filter(
            Filter::Skill(_) | Filter::Active(_) | Filter::Actor(_) | Filter::Turn(_) | Filter::At(_),
        ) => true,
        Expression::Filter(Filter::Kind(_) | Filter::Key(_) | Filter::Verdict(_) | Filter::Text(_))
        | Expression::State(_)
        | Expression::Changed(_)
        | Expression::Read(_)
        | Expression::Denied(_) => false,
    }
}

/// So many events before one are looked at for the begin of its call.
const CALL_EVENTS: u64 = 256;

/// Returns whether an event is the first of a tool call: no event of the same tool stands before it in the turn, or the
/// last one ended a call.
fn begins_call(session: &Session, at: Position) -> bool {
    let Some(event) = session.event(at) else { return false };
    let tool = tool_of(&event.kind);
    let before = (at.0.saturating_sub(CALL_EVENTS).max(1)..at.0).rev();
    let before = before.map_while(|at| session.event(Position(at)).filter(|before| before.turn == event.turn));
    match before.into_iter().find(|before| tool_of(&before.kind) == tool) {
        Some(last) => matches!(last.kind, EventKind::ToolReturned { .. } | EventKind::ToolRefused { .. }),
        None => true,
    }
}

/// Returns whether a query only says what memory holds, so that it may match at one event after the other.
fn stands(root: &Expression) -> bool {
    match root {
        Expression::State(_) => true,
        Expression::Not(part) => stands(part),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().all(stands),
        Expression::Filter(_) | Expression::Changed(_) | Expression::Read(_) | Expression::Denied(_) => false,
    }
}
