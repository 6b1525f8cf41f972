//! What the database says about the tail: whose it is, whether there is one, and how much of it the database holds.
//!
//! ```text
//!  0  log id                                          16
//! 16  1: a writer has the log open, or died; else 0   1
//! 17  number of the first record that isn't sealed    8
//! ```

use redb::{TableHandle, WriteTransaction};

use super::error::{Doing, LogError, Place};
use super::guard::call;
use super::row::Fields;
use super::tail::LogId;
use super::view::View;
use super::{META, row};

const KEY: &[u8] = b"tail";

/// What the database says about the tail. A log that was never written event by event has no such row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TailRow {
    pub(super) id: LogId,
    pub(super) is_open: bool,
    pub(super) sealed: u64,
}

impl TailRow {
    /// Puts the row into a transaction.
    pub(super) fn put(&self, transaction: &WriteTransaction) -> Result<(), redb::Error> {
        let content = [&self.id[..], &[u8::from(self.is_open)], &self.sealed.to_le_bytes()].concat();
        transaction.open_table(META)?.insert(KEY, &row::seal(META.name(), KEY, &content)[..])?;
        Ok(())
    }

    fn read(row: &[u8]) -> Option<TailRow> {
        let mut fields = Fields(row::open(META.name(), KEY, row)?);
        Some(TailRow { id: fields.array()?, is_open: fields.u8()? == 1, sealed: fields.u64()? })
    }
}

impl View<'_> {
    /// Returns what the database says about the tail, if it says something.
    pub(super) fn tail_row(&self) -> Result<Option<TailRow>, LogError> {
        let place = &Place::File;
        let table = self.table(META, place)?;
        let row = call(self.path, Doing::Read, place, || Ok(table.get(KEY)?.map(|row| row.value().to_vec())))?;
        let read = |row: Vec<u8>| TailRow::read(&row).ok_or_else(|| place.damaged(self.path, DAMAGED));
        row.map(read).transpose()
    }
}

const DAMAGED: &str = "what it says about its tail isn't what was written";
