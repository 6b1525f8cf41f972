//! A search: a text, and the events that it stands in.

use replay_store::explain::query::Text;

use crate::index::{Index, text_query};

/// A search with the events that it found.
#[derive(Clone, Debug)]
pub struct Search {
    /// What was looked for.
    pub pattern: Text,
    /// The events, as far as they were looked at.
    pub index: Index,
}

impl Search {
    /// Begins a search.
    pub fn new(pattern: Text) -> Search {
        Search { index: Index::new(text_query(pattern.clone())), pattern }
    }
}
