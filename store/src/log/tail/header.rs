//! The header of a region: whose it is, which records stand in it, and what they are chained to.
//!
//! ```text
//!  0  magic                                     8
//!  8  crc32 over all that follows               4
//! 12  process that writes                       4
//! 16  log id                                    16
//! 32  generation                                8     one more each time that a region is entered
//! 40  number of the first record                8
//! 48  hash of the record before                 32
//! 80  zeros                                     48
//! ```

use super::LogId;
use crate::log::row::Fields;

/// Length of a header; the first record stands behind it.
pub(in crate::log) const HEADER_LEN: u64 = 128;

const MAGIC: &[u8; 8] = b"LOGTAIL\xf1";
const CRC_AT: usize = 8;
const CHECKED_FROM: usize = 12;

/// What a region begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct Header {
    pub(in crate::log) process: u32,
    pub(in crate::log) id: LogId,
    pub(in crate::log) generation: u64,
    pub(in crate::log) first: u64,
    pub(in crate::log) before: [u8; 32],
}

impl Header {
    /// Appends the bytes of the header.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.process.to_le_bytes());
        out.extend_from_slice(&self.id);
        out.extend_from_slice(&self.generation.to_le_bytes());
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&self.before);
        out.resize(start + HEADER_LEN as usize, 0);
        let sum = crc32fast::hash(&out[start + CHECKED_FROM..]);
        out[start + CRC_AT..start + CHECKED_FROM].copy_from_slice(&sum.to_le_bytes());
    }

    /// Reads the header that a region begins with. `None` where none was written.
    pub(in crate::log) fn read(region: &[u8]) -> Option<Header> {
        let bytes = region.get(..HEADER_LEN as usize)?;
        let mut fields = Fields(bytes);
        if fields.array::<8>()? != *MAGIC || fields.u32()? != crc32fast::hash(&bytes[CHECKED_FROM..]) {
            return None;
        }
        Some(Header {
            process: fields.u32()?,
            id: fields.array()?,
            generation: fields.u64()?,
            first: fields.u64()?,
            before: fields.array()?,
        })
    }
}
