//! The end of a session that is being written: its open segments, its digest in the making, its fold.

use super::NewFold;
use super::chain::{BLOCK_LEN, Chain};
use super::error::{LogError, Place};
use super::folding::{Cuts, Folding};
use super::packer::{Cut, Packer};
use super::read::Log;
use super::segment::{Items, Kind, Segment};
use super::session::{Checkpoints, Session};
use super::view::place_of;
use crate::digest::Digest;

/// A checkpoint is due when the events since the last one take this many times its length.
const CHECKPOINT_SHARE: u64 = 4;

pub(super) struct End {
    pub(super) chain: Chain,
    pub(super) events: Packer,
    pub(super) records: Packer,
    /// Stands at the first position of the open segment, once one was cut off before it.
    pub(super) folding: Option<Folding>,
}

impl End {
    /// Returns the end of a session that holds nothing.
    pub(super) fn start(session: &Session) -> End {
        let chain = Chain::start(&session.id);
        End {
            events: Packer::new(Kind::Events, session.ordinal, 0, chain.key()),
            records: Packer::new(Kind::RawRecords, session.ordinal, 0, Digest([0; 32])),
            chain,
            folding: None,
        }
    }

    /// Reads the end of a session, and checks that it fits to the session's digest.
    pub(super) fn load(log: &Log, session: &Session) -> Result<End, LogError> {
        let mut end = End::start(session);
        if let Some(last) = session.event_count.checked_sub(1) {
            let mut key = end.chain.key();
            end.events = reopen(log, session, Kind::Events, last, |segment| {
                key = segment.blocks().last().unwrap_or(segment.start);
            })?;
            let block = session.event_count / BLOCK_LEN * BLOCK_LEN;
            end.chain = Chain::resume(block, key);
            log.read(session, block..session.event_count, |_, payload| {
                end.chain.push(payload);
                Ok(())
            })?;
            if end.chain.digest() != session.digest {
                let place = Place::Events(session.id.clone(), block..session.event_count);
                return Err(place.damaged(log.path(), "the digest isn't that of the session"));
            }
        }
        if let Some(last) = session.raw_count.checked_sub(1) {
            end.records = reopen(log, session, Kind::RawRecords, last, |_| ())?;
        }
        Ok(end)
    }

    /// Folds a segment that was cut off, and gives the one that now begins a checkpoint if one is due.
    pub(super) fn fold(&mut self, cut: &Cut, new_fold: NewFold, cuts: &Cuts<'_>) -> Result<Checkpoints, LogError> {
        let mut checkpoints = cuts.session.checkpoints;
        if cut.first < checkpoints.last {
            // That one was noted and never stored.
            checkpoints = Checkpoints::default();
        }
        checkpoints.bytes_since += Items::of(&cut.items).map(|item| item.len() as u64).sum::<u64>();
        let folding = match self.folding.take() {
            Some(folding) => folding,
            None => cuts.folded(cut.first, new_fold)?,
        };
        let folding = self.folding.insert(folding);
        folding.apply(&cut.items, cuts)?;
        if checkpoints.bytes_since < CHECKPOINT_SHARE * checkpoints.last_len {
            return Ok(checkpoints);
        }
        let checkpoint = folding.checkpoint();
        checkpoints.last_len = checkpoint.len() as u64;
        if CHECKPOINT_SHARE * checkpoints.last_len <= checkpoints.bytes_since && !checkpoint.is_empty() {
            checkpoints.last = self.events.first();
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
