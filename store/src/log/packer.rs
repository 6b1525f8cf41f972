//! Cuts a stream of items into segments: each as full as fits into its page.
//!
//! Segments of events end at a multiple of 64, so that blocks stay in one piece, unless 64 items don't fit.

use super::chain::BLOCK_LEN;
use super::segment::{Item, Kind, Parts, SEGMENT_LEN, pack};
use crate::digest::Digest;

/// The items of the last segment of a session, which is still open.
#[derive(Clone)]
pub(super) struct Packer {
    kind: Kind,
    ordinal: u64,
    first: u64,
    items: Vec<u8>,
    /// Where each item ends in `items`.
    ends: Vec<usize>,
    start: Digest,
    blocks: Vec<Digest>,
    checkpoint: Vec<u8>,
    checkpoint_packed: Vec<u8>,
    /// Packed length of an item byte, as the last segments had it.
    ratio: f64,
}

/// A segment that was cut off.
pub(super) struct Cut {
    /// Position of its first item.
    pub(super) first: u64,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Its items, not packed.
    pub(super) items: Vec<u8>,
}

impl Packer {
    /// Returns a packer of which the first item will stand at `first`, in or behind the block that `start` precedes.
    pub(super) fn new(kind: Kind, ordinal: u64, first: u64, start: Digest) -> Packer {
        Packer {
            kind,
            ordinal,
            first,
            items: Vec::new(),
            ends: Vec::new(),
            start,
            blocks: Vec::new(),
            checkpoint: Vec::new(),
            checkpoint_packed: Vec::new(),
            ratio: 0.5,
        }
    }

    /// Returns the position of the first item.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Adds an item and, where it fills a block, the digest of that.
    pub(super) fn push(&mut self, item: Item<'_>, block: Option<Digest>) {
        item.write(&mut self.items);
        self.ends.push(self.items.len());
        self.blocks.extend(block);
    }

    /// Sets the checkpoint of the state before the first item.
    pub(super) fn set_checkpoint(&mut self, checkpoint: Vec<u8>) {
        self.checkpoint_packed = pack(&checkpoint);
        self.checkpoint = checkpoint;
    }

    /// Cuts off a segment if there are more items than one holds, or just as many.
    pub(super) fn cut_full(&mut self) -> Option<Cut> {
        let room = self.room() as f64;
        let estimate = self.items.len() as f64 * self.ratio;
        let worth_trying =
            if self.is_boundary(self.ends.len()) { estimate >= room * 0.9 } else { estimate >= room * 2.0 };
        if !worth_trying {
            return None;
        }
        let packed = pack(&self.items);
        self.ratio = packed.len() as f64 / self.items.len() as f64;
        let fill = packed.len() as f64 / room;
        if fill > 1.0 {
            return Some(self.cut_part(fill));
        }
        (fill >= 0.87 && self.is_boundary(self.ends.len())).then(|| self.cut(self.ends.len(), &packed))
    }

    /// Cuts off a segment if the items don't fit into one; else returns the segment that they make, as it is now.
    ///
    /// # Panics
    ///
    /// Panics where there is no item.
    pub(super) fn close(&mut self) -> Result<Vec<u8>, Cut> {
        assert!(!self.ends.is_empty(), "a segment holds an item");
        let packed = pack(&self.items);
        let fill = packed.len() as f64 / self.room() as f64;
        if fill > 1.0 && self.ends.len() > 1 {
            Err(self.cut_part(fill))
        } else {
            Ok(self.segment(self.ends.len(), &packed))
        }
    }

    /// Returns whether there is no item.
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Cuts off as many of the first items as fit, and at least one. All of them fill a segment `fill` times.
    fn cut_part(&mut self, fill: f64) -> Cut {
        let room = self.room();
        let mut count = ((self.ends.len() as f64 / fill) as usize).clamp(1, self.ends.len());
        loop {
            count = self.boundary_below(count);
            let packed = pack(&self.items[..self.ends[count - 1]]);
            if packed.len() <= room || count == 1 {
                return self.cut(count, &packed);
            }
            count = (count - 1).min(count * 15 / 16);
        }
    }

    /// Returns the largest count up to `count` after which a segment may end; `count` itself where there is none.
    fn boundary_below(&self, count: usize) -> usize {
        (1..=count).rev().take(BLOCK_LEN as usize).find(|count| self.is_boundary(*count)).unwrap_or(count)
    }

    fn is_boundary(&self, count: usize) -> bool {
        match self.kind {
            Kind::Events => (self.first + count as u64).is_multiple_of(BLOCK_LEN),
            Kind::RawRecords => true,
        }
    }

    /// Returns how many bytes of packed items fit. A large checkpoint goes beyond the page instead of taking all of it.
    fn room(&self) -> usize {
        let overhead = Parts { blocks: &[], ..self.parts(0, &[]) }.len() - self.checkpoint_packed.len();
        let digests = 32 * self.blocks.len();
        let used = overhead + digests + self.checkpoint_packed.len().min(SEGMENT_LEN / 2);
        SEGMENT_LEN.saturating_sub(used).max(SEGMENT_LEN / 4)
    }

    fn cut(&mut self, count: usize, packed: &[u8]) -> Cut {
        let bytes = self.segment(count, packed);
        let first = self.first;
        let len = self.ends[count - 1];
        let items = self.items.drain(..len).collect();
        self.ends.drain(..count);
        self.ends.iter_mut().for_each(|end| *end -= len);
        self.first += count as u64;
        if let Some(last) = self.blocks.drain(..self.blocks_ending(first, count)).next_back() {
            self.start = last;
        }
        self.checkpoint.clear();
        self.checkpoint_packed.clear();
        Cut { first, bytes, items }
    }

    fn segment(&self, count: usize, packed: &[u8]) -> Vec<u8> {
        self.parts(count, packed).write()
    }

    fn parts<'a>(&'a self, count: usize, packed: &'a [u8]) -> Parts<'a> {
        Parts {
            kind: self.kind,
            ordinal: self.ordinal,
            first: self.first,
            count: count as u32,
            start: self.start,
            blocks: &self.blocks[..self.blocks_ending(self.first, count)],
            checkpoint: &self.checkpoint_packed,
            checkpoint_len: self.checkpoint.len(),
            items: packed,
            items_len: if count == 0 { 0 } else { self.ends[count - 1] },
        }
    }

    fn blocks_ending(&self, first: u64, count: usize) -> usize {
        self.kind.blocks_ending(first, count as u32)
    }
}
