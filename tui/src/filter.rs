//! The timeline's filter: which events it shows. It is apart from the search, and can be switched off without losing it.

use replay_store::event::Position;
use replay_store::replay::Session;

use crate::index::Index;

/// A filter of the timeline.
#[derive(Clone, Debug)]
pub struct Filter {
    /// What was typed.
    pub text: String,
    /// The events that it wants.
    pub index: Index,
    /// Whether the timeline hides the others.
    pub is_on: bool,
    /// How many events around each wanted one are shown, too.
    pub context: u64,
}

impl Filter {
    /// Returns whether an event is shown. What wasn't looked at yet is.
    pub fn shows(&self, at: Position) -> bool {
        self.next_shown(Position(at.0.saturating_sub(1))) == Some(at) || at.0 == 0
    }

    /// Returns the first shown event after a position. One behind everything that was looked at is shown; it may lie
    /// past the end of the session.
    pub fn next_shown(&self, at: Position) -> Option<Position> {
        let next = Position(at.0 + 1);
        if next > self.index.seen {
            return Some(next);
        }
        let after = |hit: Position| Position(hit.0.saturating_sub(self.context)).max(next);
        let behind = self.index.before(next).filter(|hit| hit.0.saturating_add(self.context) >= next.0);
        let wanted = behind.map(|_| next).or_else(|| self.index.after(at).map(after));
        Some(wanted.unwrap_or(Position(self.index.seen.0 + 1)))
    }

    /// Returns the last shown event before a position; `None` where there is none but the start.
    pub fn previous_shown(&self, at: Position) -> Option<Position> {
        let previous = Position(at.0.checked_sub(1).filter(|before| *before > 0)?);
        if previous > self.index.seen {
            return Some(previous);
        }
        let ahead = self.index.after(previous).filter(|hit| hit.0.saturating_sub(self.context) <= previous.0);
        let before = |hit: Position| Position(hit.0.saturating_add(self.context)).min(previous);
        ahead.map(|_| previous).or_else(|| self.index.before(at).map(before))
    }

    /// Returns how many of the events that were looked at are hidden.
    pub fn hidden(&self, session: &Session) -> u64 {
        let mut shown = 0;
        let mut last = 0;
        for hit in &self.index.hits {
            let from = hit.0.saturating_sub(self.context).max(last + 1);
            let to = hit.0.saturating_add(self.context).min(session.end().0);
            shown += (to + 1).saturating_sub(from);
            last = last.max(to);
        }
        self.index.seen.0.saturating_sub(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breakpoint::changes;

    fn filter(hits: &[u64], seen: u64, context: u64) -> Filter {
        let hits = hits.iter().copied().map(Position).collect();
        let index = Index { query: changes("a.b"), hits, seen: Position(seen) };
        Filter { text: String::new(), index, is_on: true, context }
    }

    /// Walks over the shown events of twelve, both ways.
    fn check(hits: &[u64], seen: u64, context: u64, expected: &[u64]) {
        let filter = filter(hits, seen, context);
        let mut forward = Vec::new();
        let mut at = Position(0);
        while let Some(next) = filter.next_shown(at).filter(|next| next.0 <= 12) {
            forward.push(next.0);
            at = next;
        }
        assert_eq!(forward, expected, "forward, {hits:?} of {seen}, context {context}");
        let mut back = Vec::new();
        let mut at = Position(13);
        while let Some(previous) = filter.previous_shown(at) {
            back.insert(0, previous.0);
            at = previous;
        }
        assert_eq!(back, expected, "back, {hits:?} of {seen}, context {context}");
        let shown: Vec<u64> = (1..=12).filter(|at| filter.shows(Position(*at))).collect();
        assert_eq!(shown, expected, "one by one");
    }

    #[test]
    fn wanted_events_are_shown_with_their_neighbours() {
        check(&[3, 7], 12, 0, &[3, 7]);
        check(&[3, 7], 12, 1, &[2, 3, 4, 6, 7, 8]);
        check(&[1, 12], 12, 1, &[1, 2, 11, 12]);
        check(&[5, 6], 12, 2, &[3, 4, 5, 6, 7, 8]);
        check(&[], 12, 3, &[]);
        check(&[3], 9, 0, &[3, 10, 11, 12]);
    }
}
