//! The digest of a stream: keyed blake3 over blocks of 64 payloads, each keyed with the digest of the block before.
//!
//! ```text
//! K(0) = blake3(session id)
//! K(b) = blake3 keyed with K(b-1) over: length (u32), payload, length, payload, …   of payloads 64(b-1) to 64b-1
//! digest after n payloads = K of the last block; where that one isn't full, over those that are there
//! ```
//!
//! It says nothing about how payloads were grouped into appends and segments, or how they are compressed.

use crate::digest::Digest;

/// Payloads of a block.
pub const BLOCK_LEN: u64 = 64;

/// Bytes that are gathered before they are hashed in one go.
const GATHERED_LEN: usize = 64 << 10;

/// A stream's digest in the making.
#[derive(Clone)]
pub(super) struct Chain {
    count: u64,
    /// The digest of the block before the current one.
    key: Digest,
    /// The current block, as far as it was hashed.
    hasher: blake3::Hasher,
    gathered: Vec<u8>,
}

impl Chain {
    /// Returns the chain of the session before its first payload.
    pub(super) fn start(session: &str) -> Chain {
        Chain::resume(0, Digest::of(session.as_bytes()))
    }

    /// Returns the chain at the beginning of a block: `count` payloads, a multiple of [`BLOCK_LEN`], gave `key`.
    pub(super) fn resume(count: u64, key: Digest) -> Chain {
        Chain { count, key, hasher: blake3::Hasher::new_keyed(&key.0), gathered: Vec::new() }
    }

    /// Adds a payload. Returns the digest of the block that it fills.
    pub(super) fn push(&mut self, payload: &[u8]) -> Option<Digest> {
        self.gathered.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.gathered.extend_from_slice(payload);
        if self.gathered.len() >= GATHERED_LEN {
            self.hasher.update(&self.gathered);
            self.gathered.clear();
        }
        self.count += 1;
        if !self.count.is_multiple_of(BLOCK_LEN) {
            return None;
        }
        self.key = self.finish_block();
        self.hasher = blake3::Hasher::new_keyed(&self.key.0);
        self.gathered.clear();
        Some(self.key)
    }

    /// Returns how many payloads were added.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the digest of the block before the current one.
    pub(super) fn key(&self) -> Digest {
        self.key
    }

    /// Returns the digest of all payloads so far.
    pub(super) fn digest(&self) -> Digest {
        if self.count.is_multiple_of(BLOCK_LEN) { self.key } else { self.finish_block() }
    }

    fn finish_block(&self) -> Digest {
        let mut hasher = self.hasher.clone();
        hasher.update(&self.gathered);
        Digest(*hasher.finalize().as_bytes())
    }
}

/// Returns the head of a log: blake3 over id, count and digest of all streams in the order of their ids.
pub(super) fn head<'a>(streams: impl Iterator<Item = (&'a str, u64, Digest)>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for (id, count, digest) in streams {
        hasher.update(&(id.len() as u32).to_le_bytes());
        hasher.update(id.as_bytes());
        hasher.update(&count.to_le_bytes());
        hasher.update(&digest.0);
    }
    Digest(*hasher.finalize().as_bytes())
}

/// The digest that vouches for raw records, in the making: over length (u32) and bytes of each.
#[derive(Default)]
pub(super) struct RawDigest(blake3::Hasher);

impl RawDigest {
    pub(super) fn push(&mut self, record: &[u8]) {
        self.0.update(&(record.len() as u32).to_le_bytes());
        self.0.update(record);
    }

    pub(super) fn finish(self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

/// Returns the digest that vouches for raw records.
pub fn digest_of_records<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut digest = RawDigest::default();
    records.into_iter().for_each(|record| digest.push(record));
    digest.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, written down a second time.
    fn expected(session: &str, payloads: &[Vec<u8>]) -> Digest {
        payloads.chunks(64).fold(Digest::of(session.as_bytes()), |key, block| {
            let bytes: Vec<u8> = block
                .iter()
                .flat_map(|payload| [&(payload.len() as u32).to_le_bytes()[..], payload].concat())
                .collect();
            Digest(*blake3::keyed_hash(&key.0, &bytes).as_bytes())
        })
    }

    #[test]
    fn the_digest_is_what_its_definition_says() {
        for (count, len) in [(0, 0), (1, 0), (63, 5), (64, 80), (65, 80), (200, 3000), (70, 70_000)] {
            let payloads: Vec<Vec<u8>> = (0..count).map(|index| vec![index as u8; len]).collect();
            let mut chain = Chain::start("s");
            for payload in &payloads {
                chain.push(payload);
            }
            assert_eq!(chain.digest(), expected("s", &payloads));
        }
    }
}
