//! What is being added to one session in a transaction of the database: segments, blobs, outline, and its row at the end.

use std::path::{Path, PathBuf};

use redb::{ReadableTable, TableHandle, WriteTransaction};

use super::end::End;
use super::error::{Doing, LogError, Place};
use super::folding::Cuts;
use super::guard::call;
use super::packer::Cut;
use super::segment::{Item, Kind};
use super::session::{Checkpoints, Details, Session};
use super::view::table_of;
use super::{BLOB, INLINE_LEN, ITEM_LEN_MAX, NewFold, SESSION, blob, row};
use crate::digest::Digest;
use crate::name::Name;

/// What is being added to one session.
pub(super) struct Adding {
    path: PathBuf,
    new_fold: Option<NewFold>,
    pub(super) end: End,
    pub(super) session: Session,
    pub(super) place: Place,
}

impl Adding {
    /// Begins to add to a session, of which `end` was read.
    pub(super) fn start(path: &Path, new_fold: Option<NewFold>, session: Session, end: End) -> Adding {
        let place = Place::Session(session.id.clone());
        Adding { path: path.to_owned(), new_fold, end, session, place }
    }

    pub(super) fn push(&mut self, transaction: &WriteTransaction, payload: &[u8]) -> Result<(), LogError> {
        check_len(&self.path, payload)?;
        // A segment is cut off once something follows it, so that the last one that is stored is always the open one.
        self.cut_full(transaction)?;
        let block = self.end.chain.push(payload);
        if payload.len() > INLINE_LEN {
            let digest = self.put_blob(transaction, payload)?;
            self.end.events.push(Item::Blob(digest, payload.len() as u32), block);
        } else {
            self.end.events.push(Item::Inline(payload), block);
        }
        self.session.event_count += 1;
        Ok(())
    }

    /// Cuts off the segments that are full.
    pub(super) fn cut_full(&mut self, transaction: &WriteTransaction) -> Result<(), LogError> {
        while let Some(cut) = self.end.events.cut_full() {
            self.store(transaction, Kind::Events, (cut.first, &cut.bytes))?;
            self.fold(transaction, &cut)?;
        }
        Ok(())
    }

    pub(super) fn push_raw(&mut self, transaction: &WriteTransaction, record: &[u8]) -> Result<(), LogError> {
        check_len(&self.path, record)?;
        while let Some(cut) = self.end.records.cut_full() {
            self.store(transaction, Kind::RawRecords, (cut.first, &cut.bytes))?;
        }
        self.end.records.push(Item::Inline(record), None);
        self.session.raw_count += 1;
        Ok(())
    }

    pub(super) fn put_blob(&self, transaction: &WriteTransaction, bytes: &[u8]) -> Result<Digest, LogError> {
        check_len(&self.path, bytes)?;
        put_blob(&self.path, &self.place, transaction, bytes)
    }

    /// Closes the last segments, and writes the row of the session.
    pub(super) fn finish(&mut self, transaction: &WriteTransaction, details: Details) -> Result<(), LogError> {
        self.close_events(transaction)?;
        self.close_records(transaction)?;
        if let Some(folding) = &mut self.end.folding {
            folding.close(&Cuts::of(&self.path, transaction, &self.session))?;
        }
        self.session.details = details;
        self.session.digest = self.end.chain.digest();
        call(&self.path, Doing::Write, &self.place, || {
            let key = self.session.id.as_bytes();
            let row = row::seal(SESSION.name(), key, &self.session.write());
            transaction.open_table(SESSION)?.insert(key, &row[..])?;
            Ok(())
        })
    }

    fn close_events(&mut self, transaction: &WriteTransaction) -> Result<(), LogError> {
        while !self.end.events.is_empty() {
            match self.end.events.close() {
                Ok(bytes) => return self.store(transaction, Kind::Events, (self.end.events.first(), &bytes)),
                Err(cut) => {
                    self.store(transaction, Kind::Events, (cut.first, &cut.bytes))?;
                    self.fold(transaction, &cut)?;
                }
            }
        }
        Ok(())
    }

    fn close_records(&mut self, transaction: &WriteTransaction) -> Result<(), LogError> {
        while !self.end.records.is_empty() {
            match self.end.records.close() {
                Ok(bytes) => return self.store(transaction, Kind::RawRecords, (self.end.records.first(), &bytes)),
                Err(cut) => self.store(transaction, Kind::RawRecords, (cut.first, &cut.bytes))?,
            }
        }
        Ok(())
    }

    fn store(&self, transaction: &WriteTransaction, kind: Kind, (first, bytes): (u64, &[u8])) -> Result<(), LogError> {
        let key = (self.session.ordinal, first);
        call(&self.path, Doing::Write, &self.place, || {
            transaction.open_table(table_of(kind))?.insert(key, bytes)?;
            Ok(())
        })
    }

    /// Folds a segment that was cut off: its outline is kept, and the segment that now begins gets a checkpoint if one
    /// is due.
    fn fold(&mut self, transaction: &WriteTransaction, cut: &Cut) -> Result<(), LogError> {
        let Some(new_fold) = self.new_fold else { return Ok(()) };
        let cuts = Cuts::of(&self.path, transaction, &self.session);
        let checkpoints = self.end.fold(cut, new_fold, &cuts)?;
        self.session.checkpoints = checkpoints;
        Ok(())
    }
}

/// Keeps some bytes under their digest, once.
pub(super) fn put_blob(
    path: &Path,
    place: &Place,
    transaction: &WriteTransaction,
    bytes: &[u8],
) -> Result<Digest, LogError> {
    let digest = Digest::of(bytes);
    call(path, Doing::Write, place, || {
        let mut table = transaction.open_table(BLOB)?;
        if table.get(&digest.0[..])?.is_none() {
            table.insert(&digest.0[..], &blob::seal(&digest, bytes)[..])?;
        }
        Ok(())
    })?;
    Ok(digest)
}

/// Returns what is noted about a session that isn't there yet.
pub(super) fn new_session(id: &str, ordinal: u64) -> Session {
    Session {
        id: Name::from(id),
        ordinal,
        event_count: 0,
        raw_count: 0,
        digest: Digest::of(id.as_bytes()),
        details: Details::default(),
        checkpoints: Checkpoints::default(),
    }
}

/// Refuses an item that the database doesn't take.
pub(super) fn check_len(path: &Path, bytes: &[u8]) -> Result<(), LogError> {
    if bytes.len() <= ITEM_LEN_MAX {
        return Ok(());
    }
    Err(LogError::TooLarge { path: path.to_owned(), len: bytes.len() })
}
