//! A search through the events for the place to go to, done in slices so that keys are heard in between.
//!
//! A slice costs as much as its events: where a goal needs the state, each event of the slice is folded once, also on
//! the way back.

use replay_store::event::Position;
use replay_store::explain::query::Query;
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

impl Scan {
    /// Begins a scan for the match number `wanted` on one side of `from`, which doesn't count itself.
    pub fn new(goal: Goal, direction: Direction, from: Position, wanted: usize) -> Scan {
        Scan { goal, direction, from, at: from, found: None, wanted: wanted.max(1) }
    }

    /// Looks at the next slice.
    pub fn advance(&mut self, session: &Session, breakpoints: &[Breakpoint]) -> Progress {
        let end = session.end().0;
        let (first, last) = match self.direction {
            Direction::Forward => (self.at.0 + 1, self.at.0.saturating_add(SLICE).min(end)),
            Direction::Back => (self.at.0.saturating_sub(SLICE).max(1), self.at.0.saturating_sub(1)),
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
            positions.filter(is_stop).collect()
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
