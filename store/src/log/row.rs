//! Rows of the tables, encoded by hand: a checksum over table, key and content, then the content.
//!
//! ```text
//! 0  crc32 over table name, key and content   4
//! 4  content
//! ```
//!
//! The key is part of the checksum, so that a row that turns up in a wrong place is found out.

/// Length of the checksum in front of a row.
const CHECKSUM_LEN: usize = 4;

/// Returns the row of `content`.
pub(super) fn seal(table: &str, key: &[u8], content: &[u8]) -> Vec<u8> {
    let mut row = Vec::with_capacity(CHECKSUM_LEN + content.len());
    row.extend_from_slice(&checksum(table, key, content).to_le_bytes());
    row.extend_from_slice(content);
    row
}

/// Returns the content of a row, `None` where it isn't what was written.
pub(super) fn open<'a>(table: &str, key: &[u8], row: &'a [u8]) -> Option<&'a [u8]> {
    let (sum, content) = row.split_first_chunk::<CHECKSUM_LEN>()?;
    (u32::from_le_bytes(*sum) == checksum(table, key, content)).then_some(content)
}

fn checksum(table: &str, key: &[u8], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(table.as_bytes());
    hasher.update(key);
    hasher.update(content);
    hasher.finalize()
}

/// Reads fields from the front of some bytes. Every method returns `None` at the end of them.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_row_is_not_opened() {
        let row = seal("session", b"a", b"content");
        assert_eq!(open("session", b"a", &row), Some(&b"content"[..]));
        assert_eq!(open("session", b"b", &row), None);
        assert_eq!(open("blob", b"a", &row), None);
        for bit in 0..row.len() * 8 {
            let mut changed = row.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open("session", b"a", &changed), None);
        }
    }
}
