//! The list of sessions that a file holds.

use std::fmt;

use replay_store::replay::Session;
use replay_store::timestamp::Timestamp;

/// The sessions of a file, of which one is opened at a time.
pub struct List {
    /// One row a session.
    pub rows: Vec<SessionRow>,
    /// The row under the cursor.
    pub cursor: usize,
    /// Opens the session of a row.
    pub open: Box<OpenRow>,
}

/// Opens the session of a row; the error is one sentence.
pub type OpenRow = dyn Fn(&SessionRow) -> Result<Session, String>;

/// A session of a file that holds several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// The id of the conversation.
    pub id: String,
    /// How many events it has.
    pub events: u64,
    /// How many agent turns, where that is known without opening it.
    pub turns: Option<u64>,
    /// The time of its first event.
    pub started_at: Option<Timestamp>,
    /// What the user said first, where that is known without opening it.
    pub said_first: Option<String>,
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").field("rows", &self.rows).field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
