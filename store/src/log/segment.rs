//! A segment: consecutive items of one session, compressed, with what is needed to check them.
//!
//! ```text
//!  0  magic: SEGMENT of events or RECORDS        8
//!  8  crc32 over all that follows                4
//! 12  length of the segment                      4
//! 16  session ordinal                            8
//! 24  first position, or first raw record        8
//! 32  count of items                             4
//! 36  length of the items, packed and unpacked   4 + 4
//! 44  length of the checkpoint, the same way     4 + 4     both 0: none
//! 52  digest of the block before the one that `first` lies in   32
//! 84  digest of each block of 64 that ends here  32 each
//!     checkpoint of the state at `first`         lz4
//!     items                                      lz4
//! ```
//!
//! An item is its length (u32) and its bytes. The highest bit of the length says that the bytes are a blob, and its
//! digest stands in their place. Segments of raw records have no digests and no checkpoint.

use super::chain::BLOCK_LEN;
use super::row::Fields;
use crate::digest::Digest;

/// Length that a segment stays under, if its items let it: it shares a page of 16 KiB with its key.
pub(super) const SEGMENT_LEN: usize = 16_320;

/// Marks the length of an item whose bytes are a blob.
const IS_BLOB: u32 = 1 << 31;

const CRC_AT: usize = 8;
const LENGTH_AT: usize = 12;
const HEADER_LEN: usize = 84;

/// The items that a segment holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Events,
    RawRecords,
}

impl Kind {
    fn magic(self) -> &'static [u8; 8] {
        match self {
            Kind::Events => b"SEGMENT\xf1",
            Kind::RawRecords => b"RECORDS\xf1",
        }
    }

    /// Returns how many blocks end in `count` items from `first` on.
    pub(super) fn blocks_ending(self, first: u64, count: u32) -> usize {
        match self {
            Kind::Events => (first.saturating_add(u64::from(count)) / BLOCK_LEN - first / BLOCK_LEN) as usize,
            Kind::RawRecords => 0,
        }
    }
}

/// What a segment is made of. `items` and `checkpoint` are packed.
pub(super) struct Parts<'a> {
    pub(super) kind: Kind,
    pub(super) ordinal: u64,
    pub(super) first: u64,
    pub(super) count: u32,
    pub(super) start: Digest,
    pub(super) blocks: &'a [Digest],
    pub(super) checkpoint: &'a [u8],
    pub(super) checkpoint_len: usize,
    pub(super) items: &'a [u8],
    pub(super) items_len: usize,
}

impl Parts<'_> {
    /// Returns the length that the segment will have.
    pub(super) fn len(&self) -> usize {
        HEADER_LEN + self.blocks.len() * 32 + self.checkpoint.len() + self.items.len()
    }

    /// Returns the bytes of the segment.
    ///
    /// # Panics
    ///
    /// Panics where a length doesn't fit into 32 bits; items are refused long before.
    pub(super) fn write(&self) -> Vec<u8> {
        let small = |len: usize| u32::try_from(len).expect("items are refused long before 4 GiB").to_le_bytes();
        let mut out = Vec::with_capacity(self.len());
        out.extend_from_slice(self.kind.magic());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&small(self.len()));
        out.extend_from_slice(&self.ordinal.to_le_bytes());
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&small(self.items.len()));
        out.extend_from_slice(&small(self.items_len));
        out.extend_from_slice(&small(self.checkpoint.len()));
        out.extend_from_slice(&small(self.checkpoint_len));
        out.extend_from_slice(&self.start.0);
        self.blocks.iter().for_each(|block| out.extend_from_slice(&block.0));
        out.extend_from_slice(self.checkpoint);
        out.extend_from_slice(self.items);
        let sum = crc32fast::hash(&out[LENGTH_AT..]);
        out[CRC_AT..LENGTH_AT].copy_from_slice(&sum.to_le_bytes());
        out
    }
}

/// A segment that was read and checked; its items are still packed.
pub(super) struct Segment<'a> {
    pub(super) first: u64,
    pub(super) count: u32,
    pub(super) start: Digest,
    blocks: &'a [u8],
    checkpoint: &'a [u8],
    checkpoint_len: usize,
    items: &'a [u8],
    items_len: usize,
}

impl<'a> Segment<'a> {
    /// Reads the segment that stands under the key `(ordinal, first)`. `None` where it isn't what was written there.
    pub(super) fn open(kind: Kind, key: (u64, u64), bytes: &'a [u8]) -> Option<Segment<'a>> {
        let mut fields = Fields(bytes);
        if fields.array::<8>()? != *kind.magic() || fields.u32()? != crc32fast::hash(bytes.get(LENGTH_AT..)?) {
            return None;
        }
        if fields.u32()? as usize != bytes.len() || (fields.u64()?, fields.u64()?) != key {
            return None;
        }
        let count = fields.u32()?;
        let (items, items_len) = (fields.u32()? as usize, fields.u32()? as usize);
        let (checkpoint, checkpoint_len) = (fields.u32()? as usize, fields.u32()? as usize);
        let start = Digest(fields.array()?);
        let segment = Segment {
            first: key.1,
            count,
            start,
            blocks: fields.bytes(kind.blocks_ending(key.1, count).checked_mul(32)?)?,
            checkpoint: fields.bytes(checkpoint)?,
            checkpoint_len,
            items: fields.bytes(items)?,
            items_len,
        };
        (fields.0.is_empty() && key.1.checked_add(u64::from(count)).is_some()).then_some(segment)
    }

    /// Returns the position behind the last item.
    pub(super) fn end(&self) -> u64 {
        self.first + u64::from(self.count)
    }

    /// Returns the digest of each block that ends here.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Digest> {
        self.blocks.chunks_exact(32).map(|bytes| Digest(bytes.try_into().expect("a chunk has 32 bytes")))
    }

    /// Returns whether the segment has a checkpoint.
    pub(super) fn has_checkpoint(&self) -> bool {
        self.checkpoint_len > 0
    }

    /// Unpacks the checkpoint.
    pub(super) fn checkpoint(&self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        unpack(self.checkpoint, self.checkpoint_len, &mut out)?;
        Some(out)
    }

    /// Unpacks the items into `buffer`, in place of what it held.
    pub(super) fn items<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<Items<'b>> {
        unpack(self.items, self.items_len, buffer)?;
        Some(Items(Fields(buffer)))
    }
}

/// Packs bytes.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(bytes)
}

/// Unpacks `len` bytes. `None` where there aren't that many, or can't be.
pub(super) fn unpack(packed: &[u8], len: usize, out: &mut Vec<u8>) -> Option<()> {
    // No byte of lz4 stands for more than 255 others, so that a wrong length can't ask for all memory.
    if len > packed.len().saturating_mul(256) {
        return None;
    }
    out.resize(len, 0);
    (lz4_flex::block::decompress_into(packed, out).ok()? == len).then_some(())
}

/// One item of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'a> {
    /// The bytes.
    Inline(&'a [u8]),
    /// The digest of the bytes, and how many they are.
    Blob(Digest, u32),
}

impl Item<'_> {
    /// Appends the item to the items of a segment.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Item::Inline(bytes) => {
                out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                out.extend_from_slice(bytes);
            }
            Item::Blob(digest, len) => {
                out.extend_from_slice(&(len | IS_BLOB).to_le_bytes());
                out.extend_from_slice(&digest.0);
            }
        }
    }

    /// Returns the length of the item's bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Item::Inline(bytes) => bytes.len(),
            Item::Blob(_, len) => *len as usize,
        }
    }
}

/// The items of a segment, in order. Ends early where the bytes make no sense.
pub(super) struct Items<'a>(Fields<'a>);

impl<'a> Items<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Items<'a> {
        Items(Fields(bytes))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let len = self.0.u32()?;
        if len & IS_BLOB != 0 {
            return Some(Item::Blob(Digest(self.0.array()?), len & !IS_BLOB));
        }
        self.0.bytes(len as usize).map(Item::Inline)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A checksum keeps out what was damaged, not what was written wrongly.
        #[test]
        fn no_bytes_with_a_right_checksum_make_a_segment_panic(
            first in prop_oneof![0u64..200, any::<u64>()],
            lengths in proptest::collection::vec(prop_oneof![0u32..200, any::<u32>()], 5),
            rest in proptest::collection::vec(any::<u8>(), 0..300),
            raw in any::<bool>(),
        ) {
            let kind = if raw { Kind::RawRecords } else { Kind::Events };
            let mut bytes = [&kind.magic()[..], &[0; 8]].concat();
            bytes.extend([7u64.to_le_bytes(), first.to_le_bytes()].concat());
            bytes.extend(lengths.iter().flat_map(|length| length.to_le_bytes()));
            bytes.extend(rest);
            let len = bytes.len() as u32;
            bytes[LENGTH_AT..LENGTH_AT + 4].copy_from_slice(&len.to_le_bytes());
            let sum = crc32fast::hash(&bytes[LENGTH_AT..]);
            bytes[CRC_AT..LENGTH_AT].copy_from_slice(&sum.to_le_bytes());
            if let Some(segment) = Segment::open(kind, (7, first), &bytes) {
                prop_assert!(segment.end() >= first);
                segment.blocks().for_each(drop);
                segment.checkpoint();
                let mut buffer = Vec::new();
                if let Some(items) = segment.items(&mut buffer) {
                    items.for_each(drop);
                }
            }
        }

        #[test]
        fn no_bytes_make_the_items_of_a_segment_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            Items::of(&bytes).for_each(drop);
        }
    }
}
