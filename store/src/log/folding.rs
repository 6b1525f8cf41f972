//! The fold of a session that is being written: it stands where the open segment begins, and keeps the outline.

use std::path::Path;

use redb::{ReadableTable, WriteTransaction};

use super::error::{Doing, LogError, Place};
use super::guard::call;
use super::outline::{self, OUTLINE_LEN, OutlineRow};
use super::segment::{Item, Items, Kind, Segment};
use super::session::Session;
use super::view::walk;
use super::{BLOB, Fold, NewFold, OUTLINE, Part, SEGMENT, blob};
use crate::digest::Digest;

/// A fold, and how far it has come.
pub(super) struct Folding {
    fold: Box<dyn Fold + Send>,
    /// How many payloads it was given.
    at: u64,
    /// Where the open part of the outline begins.
    part: u64,
}

/// The segments that were cut so far, as the open transaction has them.
pub(super) struct Cuts<'a> {
    path: &'a Path,
    transaction: &'a WriteTransaction,
    pub(super) session: &'a Session,
}

impl Folding {
    fn start(new_fold: NewFold) -> Folding {
        Folding { fold: new_fold(), at: 0, part: 0 }
    }

    /// Applies items. Parts of the outline that are full are kept.
    pub(super) fn apply(&mut self, items: &[u8], cuts: &Cuts<'_>) -> Result<(), LogError> {
        for item in Items::of(items) {
            self.apply_one(item, cuts)?;
            if self.at.is_multiple_of(OUTLINE_LEN) {
                cuts.keep(self.row(Part::Full))?;
                self.fold.begin_part();
                self.part = self.at;
            }
        }
        Ok(())
    }

    /// Keeps the open part of the outline.
    pub(super) fn close(&mut self, cuts: &Cuts<'_>) -> Result<(), LogError> {
        cuts.keep(self.row(Part::Open))
    }

    /// Returns the checkpoint of the state.
    pub(super) fn checkpoint(&self) -> Vec<u8> {
        self.fold.save()
    }

    fn row(&self, part: Part) -> OutlineRow {
        OutlineRow { first: self.part, count: (self.at - self.part) as u32, bytes: self.fold.outline(part) }
    }

    fn apply_one(&mut self, item: Item<'_>, cuts: &Cuts<'_>) -> Result<(), LogError> {
        let applied = match item {
            Item::Inline(payload) => self.fold.apply(payload),
            Item::Blob(digest, _) => self.fold.apply(&cuts.blob(&digest)?),
        };
        self.at += 1;
        applied.map_err(|what| Place::Events(cuts.session.id.clone(), self.at - 1..self.at).damaged(cuts.path, what))
    }
}

impl<'a> Cuts<'a> {
    /// Returns the segments of a session in a transaction.
    pub(super) fn of(path: &'a Path, transaction: &'a WriteTransaction, session: &'a Session) -> Cuts<'a> {
        Cuts { path, transaction, session }
    }

    /// Returns the fold at `position`, where a segment begins: from the last checkpoint and the outline. Where the outline
    /// can't be used, from the start, and the outline is written anew.
    pub(super) fn folded(&self, position: u64, new_fold: NewFold) -> Result<Folding, LogError> {
        if let Some(folding) = self.resumed(position, new_fold)? {
            return Ok(folding);
        }
        let mut folding = Folding::start(new_fold);
        self.segments(0..position, |_, items| folding.apply(items, self))?;
        Ok(folding)
    }

    fn resumed(&self, position: u64, new_fold: NewFold) -> Result<Option<Folding>, LogError> {
        let place = Place::Session(self.session.id.clone());
        let table = call(self.path, Doing::Read, &place, || Ok(self.transaction.open_table(OUTLINE)?))?;
        let rows = match outline::rows(self.path, &table, self.session) {
            Ok(rows) => rows,
            Err(LogError::Damaged { .. }) => return Ok(None),
            Err(other) => return Err(other),
        };
        drop(table);
        let (Some(last), from) = (rows.last(), self.session.checkpoints.last) else { return Ok(None) };
        if last.end() != position || position < from {
            return Ok(None);
        }
        let mut folding = Folding { at: from, part: last.first, ..Folding::start(new_fold) };
        if from > 0 {
            let mut is_there = false;
            // The segment that begins at `position` may be the one with the checkpoint.
            self.segments(from..from + 1, |segment, _| {
                // A session that once ended with a full segment has a note of a checkpoint that was never stored.
                is_there = segment.first == from && segment.has_checkpoint();
                if !is_there {
                    return Ok(());
                }
                let place = Place::Events(self.session.id.clone(), segment.first..segment.end());
                let damaged = |what: String| place.damaged(self.path, what);
                let checkpoint =
                    segment.checkpoint().ok_or_else(|| damaged("its checkpoint can't be unpacked".into()))?;
                folding.fold.restore(&checkpoint).map_err(damaged)
            })?;
            if !is_there {
                return Ok(None);
            }
        }
        self.segments(from..position, |_, items| Items::of(items).try_for_each(|item| folding.apply_one(item, self)))?;
        Ok(folding.fold.resume(&rows).is_ok().then_some(folding))
    }

    /// Hands the segments of a range to `take`, with their items.
    fn segments(
        &self,
        range: std::ops::Range<u64>,
        mut take: impl FnMut(&Segment<'_>, &[u8]) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        let place = Place::Events(self.session.id.clone(), range.clone());
        let table = call(self.path, Doing::Read, &place, || Ok(self.transaction.open_table(SEGMENT)?))?;
        let mut buffer = Vec::new();
        walk(self.path, &table, (Kind::Events, self.session), range, |segment| {
            let unpacked = segment.items(&mut buffer).is_some();
            if !unpacked {
                return Err(place.damaged(self.path, "it can't be unpacked"));
            }
            take(segment, &buffer)
        })
    }

    fn keep(&self, row: OutlineRow) -> Result<(), LogError> {
        if row.bytes.is_empty() {
            return Ok(());
        }
        let place = Place::Session(self.session.id.clone());
        call(self.path, Doing::Write, &place, || {
            let key = (self.session.ordinal, row.first);
            self.transaction.open_table(OUTLINE)?.insert(key, &row.seal(key.0)[..])?;
            Ok(())
        })
    }

    fn blob(&self, digest: &Digest) -> Result<Vec<u8>, LogError> {
        let place = &Place::Blob(*digest);
        let row = call(self.path, Doing::Read, place, || {
            let table = self.transaction.open_table(BLOB)?;
            let row = table.get(&digest.0[..])?;
            Ok(row.map(|row| row.value().to_vec()))
        })?;
        row.and_then(|row| blob::open(digest, &row))
            .ok_or_else(|| place.damaged(self.path, "it isn't what was written"))
    }
}
