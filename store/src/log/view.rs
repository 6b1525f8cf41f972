//! A log as it was at one moment, and what is read from it: rows, blobs, segments in order.

use std::ops::Range;
use std::path::Path;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, TableHandle};

use super::error::{Doing, LogError, Place};
use super::guard::call;
use super::row::Fields;
use super::segment::{Item, Kind, Segment};
use super::session::Session;
use super::{BLOB, META, RECORD, SEGMENT, SESSION, SESSIONS_KEY, blob, row};
use crate::digest::Digest;

/// A log as it was at one moment.
pub(super) struct View<'a> {
    pub(super) path: &'a Path,
    pub(super) transaction: ReadTransaction,
}

impl View<'_> {
    pub(super) fn table<K: redb::Key + 'static>(
        &self,
        definition: TableDefinition<'static, K, &'static [u8]>,
        place: &Place,
    ) -> Result<ReadOnlyTable<K, &'static [u8]>, LogError> {
        call(self.path, Doing::Read, place, || Ok(self.transaction.open_table(definition)?))
    }

    pub(super) fn session_count(&self) -> Result<u64, LogError> {
        let place = &Place::Sessions;
        let table = self.table(META, place)?;
        let row = call(self.path, Doing::Read, place, || Ok(table.get(SESSIONS_KEY)?.map(|row| row.value().to_vec())))?;
        row.and_then(|row| Fields(row::open(META.name(), SESSIONS_KEY, &row)?).u64())
            .ok_or_else(|| place.damaged(self.path, "its length isn't what was written"))
    }

    /// Returns the row of a session, if it has one.
    pub(super) fn session_row(&self, id: &str, place: &Place) -> Result<Option<Vec<u8>>, LogError> {
        let table = self.table(SESSION, place)?;
        call(self.path, Doing::Read, place, || Ok(table.get(id.as_bytes())?.map(|row| row.value().to_vec())))
    }

    pub(super) fn blob(&self, digest: &Digest) -> Result<Vec<u8>, LogError> {
        let place = &Place::Blob(*digest);
        let table = self.table(BLOB, place)?;
        let row = call(self.path, Doing::Read, place, || Ok(table.get(&digest.0[..])?))?;
        let row = row.ok_or_else(|| place.damaged(self.path, "it isn't there"))?;
        let bytes = call(self.path, Doing::Read, place, || Ok(row.value()))?;
        blob::open(digest, bytes).ok_or_else(|| place.damaged(self.path, "it isn't what was written"))
    }

    /// Hands the segments that hold `range` to `take`, in order. Each was checked, and none is missing.
    pub(super) fn segments(
        &self,
        kind: Kind,
        session: &Session,
        range: Range<u64>,
        take: impl FnMut(&Segment<'_>) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        let table = self.table(table_of(kind), &place_of(kind, session, range.clone()))?;
        walk(self.path, &table, (kind, session), range, take)
    }

    /// Hands the items of a segment that lie in `range` to `take`, each with its position; those that are blobs are read.
    pub(super) fn items(
        &self,
        (kind, session): (Kind, &Session),
        (segment, range): (&Segment<'_>, &Range<u64>),
        buffer: &mut Vec<u8>,
        take: &mut impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(), LogError> {
        let place = |range| place_of(kind, session, range);
        let damaged = || place(segment.first..segment.end()).damaged(self.path, "it can't be unpacked");
        let mut at = segment.first;
        for item in segment.items(buffer).ok_or_else(damaged)? {
            let taken = match item {
                _ if !range.contains(&at) => Ok(()),
                Item::Inline(bytes) => take(at, bytes),
                Item::Blob(digest, _) => take(at, &self.blob(&digest)?),
            };
            taken.map_err(|what| place(at..at + 1).damaged(self.path, what))?;
            at += 1;
        }
        if at == segment.end() { Ok(()) } else { Err(damaged()) }
    }
}

/// Hands the segments that hold `range` to `take`, in order. Each was checked, and none is missing.
pub(super) fn walk(
    path: &Path,
    table: &impl ReadableTable<(u64, u64), &'static [u8]>,
    (kind, session): (Kind, &Session),
    range: Range<u64>,
    mut take: impl FnMut(&Segment<'_>) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let place = |from: u64| place_of(kind, session, from..range.end);
    let ordinal = session.ordinal;
    let mut next = range.start;
    if range.is_empty() {
        return Ok(());
    }
    let mut rows = call(path, Doing::Read, &place(next), || {
        let holder = table.range((ordinal, 0)..=(ordinal, range.start))?.next_back().transpose()?;
        let first = holder.map_or((ordinal, range.start), |(key, _)| key.value());
        // A damaged key may lie behind the end; it is found out below.
        Ok(table.range(first..=(ordinal, range.end - 1).max(first))?)
    })?;
    while next < range.end {
        let row = call(path, Doing::Read, &place(next), || Ok(rows.next().transpose()?))?;
        let (key, value) = row.ok_or_else(|| place(next).damaged(path, "a segment isn't there"))?;
        let (key, bytes) = call(path, Doing::Read, &place(next), || Ok((key.value(), value.value())))?;
        let segment = Segment::open(kind, key, bytes)
            .filter(|_| key.0 == ordinal)
            .ok_or_else(|| place(next).damaged(path, "a segment isn't what was written"))?;
        let follows = if next == range.start { segment.first <= next } else { segment.first == next };
        if !follows || segment.end() <= next {
            return Err(place(next).damaged(path, "a segment isn't there"));
        }
        take(&segment)?;
        next = segment.end();
    }
    Ok(())
}

/// The table of segments of either kind.
pub(super) fn table_of(kind: Kind) -> TableDefinition<'static, (u64, u64), &'static [u8]> {
    match kind {
        Kind::Events => SEGMENT,
        Kind::RawRecords => RECORD,
    }
}

pub(super) fn place_of(kind: Kind, session: &Session, range: Range<u64>) -> Place {
    match kind {
        Kind::Events => Place::Events(session.id.clone(), range),
        Kind::RawRecords => Place::RawRecords(session.id.clone(), range),
    }
}
