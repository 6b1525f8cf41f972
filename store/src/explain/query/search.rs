//! A search for the next match, in slices that a screen or a signal can come between.

use std::collections::VecDeque;

use super::Query;
use super::evaluate::Sight;
use super::marked::by_mark;
use crate::event::Position;
use crate::replay::Session;

/// Looking backwards, states are folded forwards through this many events at a time.
const CHUNK: u64 = 256;

/// Which way a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To later events.
    Forward,
    /// To earlier events.
    Back,
}

/// What a slice of a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next match; going on finds the one behind it.
    Found(Position),
    /// Nothing yet.
    Going {
        /// How many events were looked at.
        done: u64,
        /// How many there are to look at.
        of: u64,
    },
    /// There is no further match.
    End,
}

/// A search from a position on, which isn't itself looked at. It may be dropped at any time.
pub struct Search {
    query: Query,
    direction: Direction,
    /// Forwards the next event to look at; backwards the one behind it.
    next: u64,
    of: u64,
    done: u64,
    sight: Option<Sight>,
    /// Backwards: the matches of the chunk that was looked through last, the nearest last.
    found: VecDeque<Position>,
}

impl Search {
    /// Begins a search behind or in front of `from`.
    pub fn new(query: Query, session: &Session, from: Position, direction: Direction) -> Search {
        let from = from.0.min(session.end().0 + 1);
        let (next, of) = match direction {
            Direction::Forward => (from + 1, session.end().0.saturating_sub(from)),
            Direction::Back => (from.max(1), from.saturating_sub(1)),
        };
        Search { query, direction, next, of, done: 0, sight: None, found: VecDeque::new() }
    }

    /// Returns how many events were looked at, of how many.
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.of)
    }

    /// Looks at about `budget` more events, at least at one, and stops at the first match.
    pub fn step(&mut self, session: &Session, budget: u64) -> Step {
        match self.direction {
            Direction::Forward => self.forward(session, budget.max(1)),
            Direction::Back => self.back(session, budget.max(1)),
        }
    }

    fn forward(&mut self, session: &Session, budget: u64) -> Step {
        let next = Position(self.next);
        let sight = self.sight.get_or_insert_with(|| Sight::before(&self.query, session, next));
        let last = Position(self.next.saturating_add(budget - 1)).min(session.end());
        let mut events = session.events_in(next..=last);
        let mut passed = 0;
        for at in (self.next..=last.0).map(Position) {
            self.next = at.0 + 1;
            self.done += 1;
            // What the event's mark tells costs no reading of it.
            if by_mark(&self.query, session, at) == Some(false) {
                passed += 1;
                continue;
            }
            let Some((_, event)) = events.nth(std::mem::take(&mut passed)) else { break };
            if sight.look(&self.query, session, at, &event) {
                return Step::Found(at);
            }
        }
        match self.next > session.end().0 {
            true => Step::End,
            false => Step::Going { done: self.done, of: self.of },
        }
    }

    fn back(&mut self, session: &Session, budget: u64) -> Step {
        let mut left = budget;
        loop {
            if let Some(at) = self.found.pop_back() {
                return Step::Found(at);
            }
            if self.next <= 1 {
                return Step::End;
            }
            if left == 0 {
                return Step::Going { done: self.done, of: self.of };
            }
            let first = self.next.saturating_sub(CHUNK.min(left.max(CHUNK / 4))).max(1);
            let mut sight = Sight::before(&self.query, session, Position(first));
            let mut events = session.events_in(Position(first)..Position(self.next));
            let mut passed = 0;
            for at in (first..self.next).map(Position) {
                if by_mark(&self.query, session, at) == Some(false) {
                    passed += 1;
                } else if let Some((_, event)) = events.nth(std::mem::take(&mut passed))
                    && sight.look(&self.query, session, at, &event)
                {
                    self.found.push_back(at);
                }
            }
            self.done += self.next - first;
            left = left.saturating_sub(self.next - first);
            self.next = first;
        }
    }
}

/// Returns all positions that match, in order.
pub fn positions(query: &Query, session: &Session) -> Vec<Position> {
    let mut search = Search::new(query.clone(), session, Position(0), Direction::Forward);
    let mut found = Vec::new();
    loop {
        match search.step(session, u64::MAX) {
            Step::Found(at) => found.push(at),
            Step::Going { .. } => {}
            Step::End => return found,
        }
    }
}
