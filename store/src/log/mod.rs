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
//! session  id                               counts, digest, times, status, metadata
//! segment  (ordinal, first position)        payloads, packed; larger ones are blobs
//! record   (ordinal, first raw record)      raw records, packed
//! blob     blake3 of the bytes              the bytes, packed where that helps
//! ```
//!
//! Every row is checked on every read, because the database itself doesn't. Damage is an error that says where.

mod blob;
mod chain;
mod error;
mod guard;
mod packer;
mod read;
mod row;
mod segment;
mod session;
mod tail;
pub mod verify;
mod write;

use redb::TableDefinition;

pub use chain::{BLOCK_LEN, digest_of_records};
pub use error::{Damage, Doing, LogError, Place};
pub use guard::is_panic_expected;
pub use read::{Log, is_log};
pub use session::{Details, Session, Status};
pub use write::{Append, Writer};

/// The number of the format that this version writes, and the only one that it reads.
pub const FORMAT: u32 = 2;

/// Payloads longer than this are blobs, so that equal ones are stored once.
pub const INLINE_LEN: usize = 4096;

/// No single payload, raw record or blob is longer.
pub const ITEM_LEN_MAX: usize = 1 << 30;

/// A fold over the payloads of a session, of which the log keeps checkpoints.
///
/// A checkpoint is a cache: the same bytes come out of folding from the start.
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

    /// Returns the checkpoint of the state as it is.
    fn save(&self) -> Vec<u8>;
}

/// Makes the fold of a session at its start.
pub type NewFold = fn() -> Box<dyn Fold + Send>;

const META: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("meta");
const SESSION: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("session");
const SEGMENT: TableDefinition<'static, (u64, u64), &[u8]> = TableDefinition::new("segment");
const RECORD: TableDefinition<'static, (u64, u64), &[u8]> = TableDefinition::new("record");
const BLOB: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("blob");

const FORMAT_KEY: &[u8] = b"format";
const SESSIONS_KEY: &[u8] = b"sessions";

/// Marks the row of the format number, so that another database isn't taken for a log.
const FORMAT_MARK: &[u8; 10] = b"replay log";

/// What the database may keep of the file in memory.
const CACHE_LEN: usize = 64 << 20;
