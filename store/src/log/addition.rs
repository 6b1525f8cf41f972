//! What is to be appended to one session in one piece, and what comes of it.

use std::ops::Range;

use super::session::Details;
use crate::digest::Digest;
use crate::name::Name;

/// What is to be appended to one session: all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    pub(super) session: Name,
    pub(super) expected: Option<u64>,
    pub(super) payloads: Vec<Vec<u8>>,
    pub(super) raw_records: Vec<Vec<u8>>,
    pub(super) blobs: Vec<Vec<u8>>,
    pub(super) details: Option<Details>,
}

impl Addition {
    /// Returns an addition to the session of that id, which is made if there is none: nothing so far, and wherever the
    /// session ends.
    pub fn to(session: &str) -> Addition {
        Addition {
            session: Name::from(session),
            expected: None,
            payloads: Vec::new(),
            raw_records: Vec::new(),
            blobs: Vec::new(),
            details: None,
        }
    }

    /// Says how many events the session must hold; 0 also for one that isn't there.
    #[must_use]
    pub fn at(self, expected: u64) -> Addition {
        Addition { expected: Some(expected), ..self }
    }

    /// Adds a payload.
    pub fn push(&mut self, payload: &[u8]) {
        self.payloads.push(payload.to_vec());
    }

    /// Adds a raw record.
    pub fn push_raw(&mut self, record: &[u8]) {
        self.raw_records.push(record.to_vec());
    }

    /// Adds some bytes that are kept under their digest, and returns that.
    pub fn put_blob(&mut self, bytes: &[u8]) -> Digest {
        self.blobs.push(bytes.to_vec());
        Digest::of(bytes)
    }

    /// Says what is noted about the session from here on. Without it, that stays as it is.
    pub fn note(&mut self, details: Details) {
        self.details = Some(details);
    }
}

/// When an append returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once it is durable.
    Durable,
    /// At once. It is durable with the next durable append of any session, after a pause, and when the log is closed;
    /// until then it can be lost, and nobody else sees it. What is there afterwards is a beginning of what was appended.
    Batched,
}

/// What an append added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The events, as counted from 0: so many stood before each.
    pub events: Range<u64>,
    /// The raw records, counted the same way.
    pub raw_records: Range<u64>,
}
