//! A search through the events for the place to go to, done in slices so that keys are heard in between.
//!
//! A slice costs as much as its events: where a goal needs the state, each event of the slice is folded once, also on
//! the way back.

use replay_store::event::Position;
use replay_store::explain::decisions::Verdict;
use replay_store::explain::query::{Expression, Filter, Needs, Query};
use replay_store::replay::Session;
use replay_store::timestamp::Timestamp;

use crate::breakpoint::{Breakpoint, matches_in};
use crate::rows::Direction;
use crate::stop::{Stop, stops};

/// A search that goes on.
#[derive(Clone, Debug)]
pub struct Scan {
    /// What is looked for.
    pub goal: Goal,
    /// Which way.
    pub direction: Direction,
    /// Where it began.
    pub from: Position,
    /// Everything between the beginning and here was looked at.
    pub at: Position,
    /// The last match, of several that were wanted.
    pub found: Option<Position>,
    /// How many matches are wanted yet.
    wanted: usize,
}

/// What a scan looks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// A stop of a kind.
    Stop(Stop),
    /// A breakpoint or watchpoint that is switched on.
    Breakpoint,
    /// A match of a query, with what it is called in `no later …`.
    Query(Query, String),
    /// An event at this moment or later.
    Time(Timestamp),
}

impl Goal {
    /// Returns the stops of a kind that no event tells, where there is a folder to work them out from: reads that a rule
    /// denied.
    fn recomputed(&self, session: &Session) -> Option<Query> {
        let wants_them = matches!(self, Goal::Stop(Stop::Trouble)) && session.agent.is_some();
        wants_them.then(|| verdicts(&[Verdict::Denied]))
    }

    fn slice(&self, session: &Session, breakpoints: &[Breakpoint]) -> u64 {
        match self {
            Goal::Query(query, _) => slice(query),
            Goal::Stop(_) => self.recomputed(session).as_ref().map_or(SLICE, slice),
            Goal::Breakpoint => {
                let queries = breakpoints.iter().filter(|breakpoint| breakpoint.is_on).filter_map(Breakpoint::query);
                queries.map(slice).min().unwrap_or(SLICE)
            }
            Goal::Time(_) => SLICE,
        }
    }
}

/// Returns the query for steps in which something was decided so.
pub(crate) fn verdicts(verdicts: &[Verdict]) -> Query {
    Query { root: Expression::Filter(Filter::Verdict(verdicts.to_vec())), needs: Needs::Decisions }
}

/// How far a scan came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to look at.
    Going,
    /// It is over, with what was found in [`Scan::found`].
    Over,
}

/// How many events a slice has.
pub const SLICE: u64 = 8192;

/// How many it has where decisions are worked out for each of them.
const DECIDED_SLICE: u64 = 2048;

/// Returns how many events of a query are looked at between two keys.
pub(crate) fn slice(query: &Query) -> u64 {
    match query.needs {
        Needs::Event | Needs::State => SLICE,
        Needs::Decisions | Needs::Offers => DECIDED_SLICE,
    }
}

impl Scan {
    /// Begins a scan for the match number `wanted` on one side of `from`, which doesn't count itself.
    pub fn new(goal: Goal, direction: Direction, from: Position, wanted: usize) -> Scan {
        Scan { goal, direction, from, at: from, found: None, wanted: wanted.max(1) }
    }

    /// Looks at the next slice.
    pub fn advance(&mut self, session: &Session, breakpoints: &[Breakpoint]) -> Progress {
        let end = session.end().0;
        let slice = self.goal.slice(session, breakpoints);
        let (first, last) = match self.direction {
            Direction::Forward => (self.at.0 + 1, self.at.0.saturating_add(slice).min(end)),
            Direction::Back => (self.at.0.saturating_sub(slice).max(1), self.at.0.saturating_sub(1)),
        };
        if first > last {
            return Progress::Over;
        }
        let mut matches = matches(session, &self.goal, breakpoints, (first, last));
        if self.direction == Direction::Back {
            matches.reverse();
        }
        for at in matches {
            self.found = Some(at);
            self.wanted -= 1;
            if self.wanted == 0 {
                return Progress::Over;
            }
        }
        let is_over = match self.direction {
            Direction::Forward => last == end,
            Direction::Back => first == 1,
        };
        self.at = Position(if self.direction == Direction::Forward { last } else { first });
        if is_over { Progress::Over } else { Progress::Going }
    }

    /// Returns how much of what lies ahead was looked at, from 0 to 100.
    pub fn percent(&self, end: Position) -> u64 {
        let (done, all) = match self.direction {
            Direction::Forward => (self.at.0 - self.from.0, end.0.saturating_sub(self.from.0)),
            Direction::Back => (self.from.0 - self.at.0, self.from.0),
        };
        done * 100 / all.max(1)
    }
}

/// Returns the matches from the position `first` to `last`, in order.
fn matches(session: &Session, goal: &Goal, breakpoints: &[Breakpoint], (first, last): (u64, u64)) -> Vec<Position> {
    let events = session.events_in(Position(first)..=Position(last));
    let positions = (first..=last).map(Position);
    match goal {
        Goal::Stop(stop) => {
            let is_stop = |at: &Position| session.mark(*at).is_some_and(|mark| stops(session, *at, mark, *stop));
            let mut found: Vec<Position> = positions.filter(is_stop).collect();
            if let Some(query) = goal.recomputed(session) {
                found.extend(matches_in(&query, session, (first, last)));
                found.sort_unstable();
                found.dedup();
            }
            found
        }
        Goal::Time(time) => events.filter(|(_, event)| event.time >= *time).map(|(at, _)| at).collect(),
        Goal::Query(query, _) => matches_in(query, session, (first, last)),
        Goal::Breakpoint => {
            let on = breakpoints.iter().filter(|breakpoint| breakpoint.is_on);
            let mut found: Vec<Position> =
                on.flat_map(|breakpoint| breakpoint.stops_in(session, (first, last))).collect();
            found.sort_unstable();
            found.dedup();
            found
        }
    }
}

/// Returns words about the breakpoints that stop at a position.
pub(crate) fn who_stops(session: &Session, breakpoints: &[Breakpoint], at: Position) -> String {
    let here = |breakpoint: &&Breakpoint| breakpoint.is_on && !breakpoint.stops_in(session, (at.0, at.0)).is_empty();
    breakpoints.iter().filter(here).map(Breakpoint::words).collect::<Vec<_>>().join(", and ")
}
