//! Rows of the blob table: a byte that says how the bytes are packed, their length (u64), and they.

use super::row::Fields;
use super::segment::{pack, unpack};
use super::{BLOB, row};
use crate::digest::Digest;
use redb::TableHandle;

const PLAIN: u8 = 0;
const PACKED: u8 = 1;

/// Returns the row of `bytes`, which have that digest.
pub(super) fn seal(digest: &Digest, bytes: &[u8]) -> Vec<u8> {
    let packed = pack(bytes);
    let (how, body) = if packed.len() < bytes.len() { (PACKED, &packed[..]) } else { (PLAIN, bytes) };
    let mut content = Vec::with_capacity(9 + body.len());
    content.push(how);
    content.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    content.extend_from_slice(body);
    row::seal(BLOB.name(), &digest.0, &content)
}

/// Returns the bytes of a row, `None` where it isn't what was written under that digest.
pub(super) fn open(digest: &Digest, row: &[u8]) -> Option<Vec<u8>> {
    let mut fields = Fields(row::open(BLOB.name(), &digest.0, row)?);
    let how = fields.u8()?;
    let len = usize::try_from(fields.u64()?).ok()?;
    match how {
        PLAIN => (fields.0.len() == len).then(|| fields.0.to_vec()),
        PACKED => {
            let mut bytes = Vec::new();
            unpack(fields.0, len, &mut bytes)?;
            Some(bytes)
        }
        _ => None,
    }
}
