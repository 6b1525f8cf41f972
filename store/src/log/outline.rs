//! The outline of a session: what a fold says of its payloads, in parts, so that nobody has to read them all.
//!
//! ```text
//!  0  crc32 over table name, key and content   4
//!  4  count of payloads                        4
//!  8  length, not packed                       4
//! 12  what the fold says                       lz4
//! ```
//!
//! Each part is about [`OUTLINE_LEN`] payloads; the last one is open. It ends where the last segment begins.

use redb::{ReadableTable, TableHandle};

use super::OUTLINE;
use super::error::{Doing, LogError, Place};
use super::guard::call;
use super::read::Log;
use super::row::{self, Fields};
use super::segment::{pack, unpack};
use super::session::Session;
use std::path::Path;

/// How many payloads a part of an outline is about.
pub const OUTLINE_LEN: u64 = 4096;

/// A part of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    /// Position of its first payload.
    pub first: u64,
    /// How many payloads it is about; fewer than [`OUTLINE_LEN`], and maybe none, in the last part.
    pub count: u32,
    /// What the fold says of them.
    pub bytes: Vec<u8>,
}

impl OutlineRow {
    /// Returns the position behind the last payload.
    pub fn end(&self) -> u64 {
        self.first + u64::from(self.count)
    }

    /// Returns the row under the key `(ordinal, first)`.
    pub(super) fn seal(&self, ordinal: u64) -> Vec<u8> {
        let packed = pack(&self.bytes);
        let len = u32::try_from(self.bytes.len()).expect("a part of an outline is far below 4 GiB");
        let content = [&self.count.to_le_bytes()[..], &len.to_le_bytes(), &packed].concat();
        row::seal(OUTLINE.name(), &key_bytes((ordinal, self.first)), &content)
    }

    /// Reads the row under a key. `None` where it isn't what was written there.
    pub(super) fn open(key: (u64, u64), row: &[u8]) -> Option<OutlineRow> {
        let mut fields = Fields(row::open(OUTLINE.name(), &key_bytes(key), row)?);
        let (count, len) = (fields.u32()?, fields.u32()?);
        let mut bytes = Vec::new();
        unpack(fields.0, len as usize, &mut bytes)?;
        Some(OutlineRow { first: key.1, count, bytes })
    }
}

fn key_bytes((ordinal, first): (u64, u64)) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&ordinal.to_le_bytes());
    bytes[8..].copy_from_slice(&first.to_le_bytes());
    bytes
}

impl Log {
    /// Returns the outline of a session, which is a cache: all of it, up to where the last segment begins. There is none
    /// for a session of one segment.
    ///
    /// # Errors
    ///
    /// Fails where a part is damaged or missing; folding the payloads gives the same.
    pub fn outline(&self, session: &Session) -> Result<Vec<OutlineRow>, LogError> {
        let place = Place::Session(session.id.clone());
        let read = || rows(self.path(), &self.view(&place)?.table(OUTLINE, &place)?, session);
        let rows = self.told(read())?;
        // A writer may have added to the session since it was looked up; then folding is the way.
        let is_ahead = rows.last().is_some_and(|last| session.event_count < last.end());
        Ok(if is_ahead { Vec::new() } else { rows })
    }
}

/// Reads all parts of an outline, each behind the one before.
pub(super) fn rows(
    path: &Path,
    table: &impl ReadableTable<(u64, u64), &'static [u8]>,
    session: &Session,
) -> Result<Vec<OutlineRow>, LogError> {
    let place = Place::Session(session.id.clone());
    let keys = (session.ordinal, 0)..=(session.ordinal, u64::MAX);
    let mut found: Vec<OutlineRow> = Vec::new();
    let mut rows = call(path, Doing::Read, &place, || Ok(table.range(keys)?))?;
    while let Some((key, value)) = call(path, Doing::Read, &place, || Ok(rows.next().transpose()?))? {
        let (key, bytes) = call(path, Doing::Read, &place, || Ok((key.value(), value.value())))?;
        let follows = |row: &OutlineRow| {
            let full = |before: &OutlineRow| u64::from(before.count) == OUTLINE_LEN && before.end() == row.first;
            u64::from(row.count) <= OUTLINE_LEN && found.last().map_or(row.first == 0, full)
        };
        let row = OutlineRow::open(key, bytes).filter(follows);
        found.push(row.ok_or_else(|| place.damaged(path, "its outline isn't what was written"))?);
    }
    Ok(found)
}
