//! The end of a session that is being written: its open segments, its digest in the making, its fold.

use std::path::Path;

use redb::{ReadableTable, WriteTransaction};

use super::chain::{BLOCK_LEN, Chain};
use super::error::{Doing, LogError, Place};
use super::guard::call;
use super::packer::Packer;
use super::read::{Log, place_of, walk};
use super::segment::{Item, Items, Kind, Segment};
use super::session::{Checkpoints, Session};
use super::{BLOB, Fold, NewFold, SEGMENT, blob};
use crate::digest::Digest;

/// A checkpoint is due when the events since the last one take this many times its length.
const CHECKPOINT_SHARE: u64 = 4;

pub(super) struct Tail {
    pub(super) chain: Chain,
    pub(super) events: Packer,
    pub(super) records: Packer,
    /// Stands at the first position of the open segment, once a checkpoint was due.
    fold: Option<Box<dyn Fold + Send>>,
}

/// The segments that were cut so far, as the open transaction has them.
pub(super) struct Cuts<'a> {
    pub(super) path: &'a Path,
    pub(super) transaction: &'a WriteTransaction,
    pub(super) session: &'a Session,
}

impl Tail {
    /// Returns the end of a session that holds nothing.
    pub(super) fn start(session: &Session) -> Tail {
        let chain = Chain::start(&session.id);
        Tail {
            events: Packer::new(Kind::Events, session.ordinal, 0, chain.key()),
            records: Packer::new(Kind::RawRecords, session.ordinal, 0, Digest([0; 32])),
            chain,
            fold: None,
        }
    }

    /// Reads the end of a session, and checks that it fits to the session's digest.
    pub(super) fn load(log: &Log, session: &Session) -> Result<Tail, LogError> {
        let mut tail = Tail::start(session);
        if let Some(last) = session.event_count.checked_sub(1) {
            let mut key = tail.chain.key();
            tail.events = reopen(log, session, Kind::Events, last, |segment| {
                key = segment.blocks().last().unwrap_or(segment.start);
            })?;
            let block = session.event_count / BLOCK_LEN * BLOCK_LEN;
            tail.chain = Chain::resume(block, key);
            log.read(session, block..session.event_count, |_, payload| {
                tail.chain.push(payload);
                Ok(())
            })?;
            if tail.chain.digest() != session.digest {
                let place = Place::Events(session.id.clone(), block..session.event_count);
                return Err(place.damaged(log.path(), "the digest isn't that of the session"));
            }
        }
        if let Some(last) = session.raw_count.checked_sub(1) {
            tail.records = reopen(log, session, Kind::RawRecords, last, |_| ())?;
        }
        Ok(tail)
    }

    /// Goes on behind the items that were cut off, and gives the segment that now begins a checkpoint if one is due.
    pub(super) fn keep_checkpoint(
        &mut self,
        items: &[u8],
        new_fold: NewFold,
        cuts: &Cuts<'_>,
    ) -> Result<Checkpoints, LogError> {
        let mut checkpoints = cuts.session.checkpoints;
        let first = self.events.first();
        checkpoints.bytes_since += Items::of(items).map(|item| item.len() as u64).sum::<u64>();
        if let Some(fold) = &mut self.fold {
            cuts.apply(fold, items, &Place::Events(cuts.session.id.clone(), 0..first))?;
        }
        if checkpoints.bytes_since < CHECKPOINT_SHARE * checkpoints.last_len {
            return Ok(checkpoints);
        }
        let fold = match self.fold.take() {
            Some(fold) => fold,
            None => cuts.fold_to(first, new_fold)?,
        };
        let checkpoint = self.fold.insert(fold).save();
        checkpoints.last_len = checkpoint.len() as u64;
        if CHECKPOINT_SHARE * checkpoints.last_len <= checkpoints.bytes_since && !checkpoint.is_empty() {
            checkpoints.last = first;
            checkpoints.bytes_since = 0;
            self.events.set_checkpoint(checkpoint);
        }
        Ok(checkpoints)
    }
}

/// Reads the segment that holds the last item, so that it can grow.
fn reopen(
    log: &Log,
    session: &Session,
    kind: Kind,
    last: u64,
    mut look: impl FnMut(&Segment<'_>),
) -> Result<Packer, LogError> {
    let place = place_of(kind, session, last..last + 1);
    let mut packer = None;
    let mut buffer = Vec::new();
    log.view(&place)?.segments(kind, session, last..last + 1, |segment| {
        let damaged = || place.damaged(log.path(), "a segment isn't what was written");
        let mut open = Packer::new(kind, session.ordinal, segment.first, segment.start);
        let mut blocks = segment.blocks();
        let mut at = segment.first;
        for item in segment.items(&mut buffer).ok_or_else(damaged)? {
            at += 1;
            let fills_block = kind.blocks_ending(at - 1, 1) == 1;
            open.push(item, if fills_block { blocks.next() } else { None });
        }
        if segment.has_checkpoint() {
            open.set_checkpoint(segment.checkpoint().ok_or_else(damaged)?);
        }
        if at != last + 1 || segment.end() != at {
            return Err(damaged());
        }
        look(segment);
        packer = Some(open);
        Ok(())
    })?;
    Ok(packer.expect("a range that isn't empty has a segment"))
}

impl Cuts<'_> {
    /// Returns the fold at `position`, from the last checkpoint on.
    fn fold_to(&self, position: u64, new_fold: NewFold) -> Result<Box<dyn Fold + Send>, LogError> {
        let from = self.session.checkpoints.last;
        let place = Place::Events(self.session.id.clone(), from..position);
        let table = call(self.path, Doing::Read, &place, || Ok(self.transaction.open_table(SEGMENT)?))?;
        let mut fold = new_fold();
        let mut buffer = Vec::new();
        walk(self.path, &table, (Kind::Events, self.session), from..position, |segment| {
            let damaged = |what: String| place.damaged(self.path, what);
            if segment.first == from && segment.has_checkpoint() {
                let checkpoint =
                    segment.checkpoint().ok_or_else(|| damaged("its checkpoint can't be unpacked".into()))?;
                fold.restore(&checkpoint).map_err(damaged)?;
            }
            segment.items(&mut buffer).ok_or_else(|| damaged("it can't be unpacked".into()))?;
            self.apply(&mut fold, &buffer, &place)
        })?;
        Ok(fold)
    }

    fn apply(&self, fold: &mut Box<dyn Fold + Send>, items: &[u8], place: &Place) -> Result<(), LogError> {
        for item in Items::of(items) {
            let applied = match item {
                Item::Inline(payload) => fold.apply(payload),
                Item::Blob(digest, _) => fold.apply(&self.blob(&digest)?),
            };
            applied.map_err(|what| place.damaged(self.path, what))?;
        }
        Ok(())
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
