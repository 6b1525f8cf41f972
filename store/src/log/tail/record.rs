//! A record of the tail.
//!
//! ```text
//!  0  length of the record                      4
//!  4  crc32 over all that follows               4
//!  8  generation of the region                  8
//! 16  number of the record                      8
//! 24  ordinal of the session                    8
//! 32  position: see [`Body`]                    8
//! 40  hash                                      16
//! 56  kind, and the two bits below              1
//! 57  body
//! ```
//!
//! The hash is blake3 keyed with that of the record before, over number, ordinal, position, kind and body; its first half
//! is stored. Numbers are little-endian.

use memchr::memmem;

use crate::log::planted::{Fault, is_planted};
use crate::log::row::Fields;
use crate::log::session::Details;
use crate::name::Name;

/// Length of a record without its body.
const HEAD_LEN: usize = 57;

/// The next record belongs to the same append; without it this one is nothing.
const HAS_MORE: u8 = 0x80;
/// The record is the first of those that are made durable together.
const BEGINS_GROUP: u8 = 0x40;

/// Length of the mark behind a group that is durable.
pub(super) const MARK_LEN: usize = 24;
/// What stands in place of a length in a mark; no record is as long.
const MARK: u32 = u32::MAX;

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::log) enum Body {
    /// The session of that ordinal has this id. Each region says so in front of the first record of a session.
    Opened(Name),
    /// Some bytes that later records name by their digest.
    Blob(Vec<u8>),
    /// The payload of the event at `position`: so many stand before it.
    Event(Vec<u8>),
    /// The raw record at `position`: so many stand before it.
    RawRecord(Vec<u8>),
    /// What the caller says about the session from here on.
    Noted(Details),
    /// The database holds the session up to `position` events, and so many raw records, for good.
    SealedUpTo(u64),
    /// The writer has put everything into the database, and goes.
    Closed,
}

/// A record before it has its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::log) struct Record {
    pub(in crate::log) ordinal: u64,
    pub(in crate::log) position: u64,
    pub(in crate::log) body: Body,
}

/// A record in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::log) struct Entry {
    pub(in crate::log) number: u64,
    pub(in crate::log) record: Record,
}

/// Where a record stands: what the one in front of it leaves for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) generation: u64,
    pub(super) number: u64,
    pub(super) before: [u8; 32],
}

/// How a record hangs together with those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ties {
    pub(super) has_more: bool,
    pub(super) begins_group: bool,
}

/// A record that was read.
pub(super) struct Found {
    pub(super) entry: Entry,
    pub(super) ties: Ties,
    pub(super) len: usize,
    pub(super) hash: [u8; 32],
}

impl Body {
    fn kind(&self) -> u8 {
        match self {
            Body::Opened(_) => 1,
            Body::Blob(_) => 2,
            Body::Event(_) => 3,
            Body::RawRecord(_) => 4,
            Body::Noted(_) => 5,
            Body::SealedUpTo(_) => 6,
            Body::Closed => 7,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Body::Opened(id) => out.extend_from_slice(id.as_bytes()),
            Body::Blob(bytes) | Body::Event(bytes) | Body::RawRecord(bytes) => out.extend_from_slice(bytes),
            Body::Noted(details) => details.write(out),
            Body::SealedUpTo(raw_count) => out.extend_from_slice(&raw_count.to_le_bytes()),
            Body::Closed => {}
        }
    }

    fn read(kind: u8, bytes: &[u8]) -> Option<Body> {
        Some(match kind {
            1 => Body::Opened(Name::from(std::str::from_utf8(bytes).ok()?)),
            2 => Body::Blob(bytes.to_vec()),
            3 => Body::Event(bytes.to_vec()),
            4 => Body::RawRecord(bytes.to_vec()),
            5 => Body::Noted(Details::read(bytes)?),
            6 => Body::SealedUpTo(u64::from_le_bytes(bytes.try_into().ok()?)),
            7 if bytes.is_empty() => Body::Closed,
            _ => return None,
        })
    }

    fn len(&self) -> usize {
        match self {
            Body::Opened(id) => id.len(),
            Body::Blob(bytes) | Body::Event(bytes) | Body::RawRecord(bytes) => bytes.len(),
            Body::Noted(details) => details.len(),
            Body::SealedUpTo(_) => 8,
            Body::Closed => 0,
        }
    }
}

impl Record {
    /// Returns how long the record will be.
    pub(in crate::log) fn len(&self) -> u64 {
        (HEAD_LEN + self.body.len()) as u64
    }

    /// Appends the bytes of the record, and returns its hash.
    ///
    /// # Panics
    ///
    /// Panics where the body doesn't fit into a region; such ones aren't put into the tail.
    pub(super) fn write(&self, place: &Place, ties: Ties, out: &mut Vec<u8>) -> [u8; 32] {
        let start = out.len();
        let kind = self.body.kind()
            | if ties.has_more { HAS_MORE } else { 0 }
            | if ties.begins_group { BEGINS_GROUP } else { 0 };
        let len = u32::try_from(self.len()).expect("a record fits into a region");
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&place.generation.to_le_bytes());
        out.extend_from_slice(&place.number.to_le_bytes());
        out.extend_from_slice(&self.ordinal.to_le_bytes());
        out.extend_from_slice(&self.position.to_le_bytes());
        out.extend_from_slice(&[0; 16]);
        out.push(kind);
        self.body.write(out);
        let hash = hash(&place.before, &out[start..]);
        out[start + 40..start + 56].copy_from_slice(&hash[..16]);
        let sum = crc32fast::hash(&out[start + 8..]);
        out[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
        hash
    }
}

impl Found {
    /// Reads the record that `bytes` begin with. `None` where it isn't the one that belongs there.
    pub(super) fn read(bytes: &[u8], place: &Place) -> Option<Found> {
        let len = Fields(bytes).u32()? as usize;
        let bytes = bytes.get(..len)?;
        let mut fields = Fields(bytes.get(4..)?);
        if fields.u32()? != crc32fast::hash(bytes.get(8..)?) && !is_planted(Fault::NoChecksum) {
            return None;
        }
        let is_here = (fields.u64()?, fields.u64()?) == (place.generation, place.number);
        if !is_here && !is_planted(Fault::StaleRecord) {
            return None;
        }
        let (ordinal, position) = (fields.u64()?, fields.u64()?);
        let stored: [u8; 16] = fields.array()?;
        let kind = fields.u8()?;
        let hash = hash(&place.before, bytes);
        // Each of the faults alone would be found by the hash.
        let is_blind = is_planted(Fault::NoChecksum) || is_planted(Fault::StaleRecord);
        if stored[..] != hash[..16] && !is_blind {
            return None;
        }
        let body = Body::read(kind & !(HAS_MORE | BEGINS_GROUP), fields.0)?;
        Some(Found {
            entry: Entry { number: place.number, record: Record { ordinal, position, body } },
            ties: Ties { has_more: kind & HAS_MORE != 0, begins_group: kind & BEGINS_GROUP != 0 },
            len,
            hash,
        })
    }
}

/// Hashes a record whose bytes are all there, but for checksum and hash.
fn hash(before: &[u8; 32], record: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(before);
    hasher.update(&record[16..40]);
    hasher.update(&record[56..]);
    *hasher.finalize().as_bytes()
}

/// Returns whether bytes show that the record that belongs at `place` was durable once, though it isn't what was written:
/// a later group stands there, or the mark behind its own.
pub(super) fn show_later(bytes: &[u8], place: &Place) -> bool {
    memmem::find_iter(bytes, &place.generation.to_le_bytes()).any(|at| {
        let Some(bytes) = at.checked_sub(8).map(|start| &bytes[start..]) else { return false };
        later_at(bytes, place).unwrap_or(false)
    })
}

fn later_at(bytes: &[u8], place: &Place) -> Option<bool> {
    let mut fields = Fields(bytes);
    let (len, sum, _, number) = (fields.u32()?, fields.u32()?, fields.u64()?, fields.u64()?);
    let is_mark = len == MARK;
    let all = bytes.get(8..if is_mark { MARK_LEN } else { len as usize })?;
    let tells = is_mark || bytes.get(HEAD_LEN - 1)? & BEGINS_GROUP != 0;
    Some(tells && place.number < number && sum == crc32fast::hash(all))
}

/// Returns the mark behind a group, in the place of the next record: all before it is durable.
pub(super) fn mark(place: &Place) -> [u8; MARK_LEN] {
    let mut bytes = [0; MARK_LEN];
    bytes[..4].copy_from_slice(&MARK.to_le_bytes());
    bytes[8..16].copy_from_slice(&place.generation.to_le_bytes());
    bytes[16..].copy_from_slice(&place.number.to_le_bytes());
    let sum = crc32fast::hash(&bytes[8..]);
    bytes[4..8].copy_from_slice(&sum.to_le_bytes());
    bytes
}
