//! All events that a query matches, collected in slices while the user goes on.

use replay_store::event::Position;
use replay_store::explain::query::{Expression, Filter, Needs, Query, Text, parse};
use replay_store::replay::Session;

use crate::breakpoint::matches_in;
use crate::scan::slice;

/// The events that a query matches, as far as they were looked at.
#[derive(Clone, Debug)]
pub struct Index {
    /// The query.
    pub query: Query,
    /// The events that match, in order.
    pub hits: Vec<Position>,
    /// The events up to here were looked at.
    pub seen: Position,
}

impl Index {
    /// Begins an index that holds nothing yet.
    pub fn new(query: Query) -> Index {
        Index { query, hits: Vec::new(), seen: Position(0) }
    }

    /// Looks at the next slice.
    pub fn advance(&mut self, session: &Session) {
        if self.is_complete(session) {
            return;
        }
        let last = self.seen.0.saturating_add(slice(&self.query)).min(session.end().0);
        self.hits.extend(matches_in(&self.query, session, (self.seen.0 + 1, last)));
        self.seen = Position(last);
    }

    /// Returns whether all events were looked at.
    pub fn is_complete(&self, session: &Session) -> bool {
        self.seen >= session.end()
    }

    /// Returns how much was looked at, from 0 to 100.
    pub fn percent(&self, session: &Session) -> u64 {
        self.seen.0 * 100 / session.end().0.max(1)
    }

    /// Returns the number of the hit at a position, from 1.
    pub fn number_at(&self, at: Position) -> Option<usize> {
        self.hits.binary_search(&at).ok().map(|index| index + 1)
    }

    /// Returns the hit after a position.
    pub fn after(&self, at: Position) -> Option<Position> {
        self.hits.get(self.hits.partition_point(|hit| *hit <= at)).copied()
    }

    /// Returns the hit before a position.
    pub fn before(&self, at: Position) -> Option<Position> {
        self.hits.partition_point(|hit| *hit < at).checked_sub(1).map(|place| self.hits[place])
    }
}

/// Returns the query that finds a text.
pub fn text_query(text: Text) -> Query {
    Query { root: Expression::Filter(Filter::Text(vec![text])), needs: Needs::Event }
}

/// Reads what is typed for a filter: a query where it looks like one, else a text.
///
/// # Errors
///
/// Fails, in one sentence, where it looks like a query and is none.
pub fn query_or_text(text: &str) -> Result<Query, String> {
    let text = text.trim();
    let looks_like_one = text.contains([':', '(', '=', '<', '>', '"', '\'']) || text.starts_with("not ");
    match Text::parse(text) {
        Some(plain) if !looks_like_one => Ok(text_query(plain)),
        Some(_) | None => parse(text).map_err(|error| match error.help {
            Some(help) => format!("{}: {help}", error.message),
            None => error.message,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_word_is_a_text_and_a_query_is_one() {
        for text in ["refund", "two words", "a.key"] {
            let query = query_or_text(text).expect("it is a text");
            assert!(matches!(query.root, Expression::Filter(Filter::Text(_))), "{text}");
        }
        assert!(matches!(query_or_text("kind:tool_returned").expect("it is one").root, Expression::Filter(_)));
        assert!(matches!(query_or_text("a.key == 1").expect("it is one").root, Expression::State(_)));
        assert!(query_or_text("knd:tool").is_err());
        assert!(query_or_text("").is_err());
    }
}
