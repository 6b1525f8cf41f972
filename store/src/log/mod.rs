//! The log: streams of bytes in order, one a session, in one database file.
//!
//! It knows nothing about events. A payload is some bytes at a position; a raw record is some bytes that payloads
//! were made from; a blob is some bytes under their digest; what is noted about a session is its own. [`Fold`] and
//! [`verify::Witness`] are all that the log asks of those who know more.
//!
//! ```text
//! table    key                              row
//! meta     "format"                         format number
//!          "sessions"                       how many there are
//!          "tail"                           whose tail it is, and how much of it is in the database
//! session  id                               counts, digest, times, status, metadata
//! segment  (ordinal, first position)        payloads, packed; larger ones are blobs
//! record   (ordinal, first raw record)      raw records, packed
//! blob     blake3 of the bytes              the bytes, packed where that helps
//! outline  (ordinal, first position)        what a fold says of 4096 payloads, packed
//! ```
//!
//! While it is written event by event, what was appended last stands in a second file ([`EventLog`]); a reader sees both
//! as one.
//!
//! Every row is checked on every read, because the database itself doesn't. Damage is an error that says where. The
//! database asks for memory before it sees that a page can't be there: over a damaged file up to 4 GiB, for a moment.

mod adding;
mod addition;
mod appending;
mod blob;
mod blocks;
mod caches;
mod chain;
mod end;
mod error;
mod event_log;
mod folding;
mod follow;
mod guard;
mod open;
mod outline;
mod overlay;
mod packer;
mod pending;
mod planted;
mod read;
mod row;
mod segment;
mod session;
#[cfg(test)]
mod simulation;
mod stamp;
mod tail;
mod tail_row;
pub mod verify;
mod view;
mod wake;
mod write;

use redb::TableDefinition;

pub use addition::{Addition, Appended, Durability};
pub use chain::{BLOCK_LEN, digest_of_records};
pub use error::{Damage, Doing, LogError, Place, Stop};
pub use event_log::{EventLog, Options};
pub use follow::{Arrived, Arriving, Followed, Follower};
pub use guard::is_panic_expected;
pub use open::{Writing, is_log};
pub use outline::{OUTLINE_LEN, OutlineRow};
pub use read::Log;
pub use session::{Details, Session, Status};
pub use write::{Append, Writer};

/// The number of the format that this version writes, and the only one that it reads.
pub const FORMAT: u32 = 4;

/// Payloads longer than this are blobs, so that equal ones are stored once.
pub const INLINE_LEN: usize = 4096;

/// No single payload, raw record or blob is longer.
pub const ITEM_LEN_MAX: usize = 1 << 30;

/// A fold over the payloads of a session, of which the log keeps checkpoints and an outline.
///
/// Both are caches: the same bytes come out of folding from the start. The outline has a part for each
/// [`OUTLINE_LEN`] payloads, and it reaches to the beginning of the last segment.
pub trait Fold {
    /// Takes the state from a checkpoint. Before the first payload this isn't called.
    ///
    /// # Errors
    ///
    /// Fails where the bytes aren't a checkpoint, in a few words.
    fn restore(&mut self, checkpoint: &[u8]) -> Result<(), String>;

    /// Applies the next payload.
    ///
    /// # Errors
    ///
    /// Fails where the bytes aren't a payload, in a few words.
    fn apply(&mut self, payload: &[u8]) -> Result<(), String>;

    /// Says whether bytes are a payload, whatever came before.
    ///
    /// # Errors
    ///
    /// Fails where [`Fold::apply`] would fail in any state, in a few words.
    fn check(&self, payload: &[u8]) -> Result<(), String> {
        let _ = payload;
        Ok(())
    }

    /// Returns the checkpoint of the state as it is.
    fn save(&self) -> Vec<u8>;

    /// Returns what the outline says of the payloads since the part began; nothing where there is no outline. An open
    /// part also holds what is needed to go on from it.
    fn outline(&self, part: Part) -> Vec<u8> {
        let _ = part;
        Vec::new()
    }

    /// Begins the next part of the outline.
    fn begin_part(&mut self) {}

    /// Takes the outline of the payloads so far, in place of what came from folding the last of them.
    ///
    /// # Errors
    ///
    /// Fails where the rows aren't an outline, in a few words.
    fn resume(&mut self, outline: &[OutlineRow]) -> Result<(), String> {
        let _ = outline;
        Ok(())
    }
}

/// A part of an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is complete.
    Full,
    /// More payloads may come.
    Open,
}

/// Makes the fold of a session at its start.
pub type NewFold = fn() -> Box<dyn Fold + Send>;

const META: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("meta");
const SESSION: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("session");
const SEGMENT: TableDefinition<'static, (u64, u64), &[u8]> = TableDefinition::new("segment");
const RECORD: TableDefinition<'static, (u64, u64), &[u8]> = TableDefinition::new("record");
const BLOB: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("blob");
const OUTLINE: TableDefinition<'static, (u64, u64), &[u8]> = TableDefinition::new("outline");

const FORMAT_KEY: &[u8] = b"format";
const SESSIONS_KEY: &[u8] = b"sessions";

/// Marks the row of the format number, so that another database isn't taken for a log.
const FORMAT_MARK: &[u8; 10] = b"replay log";

/// What the database may keep of the file in memory, for a writer and for a reader.
const WRITER_CACHE_LEN: usize = 64 << 20;
const READER_CACHE_LEN: usize = 16 << 20;
