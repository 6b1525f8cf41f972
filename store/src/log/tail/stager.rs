//! Where the next records of a tail go. It does no work on the file: a group is staged, and its owner writes it.

use super::LogId;
use super::header::{HEADER_LEN, Header};
use super::record::{MARK_LEN, Place, Record, Ties, mark};

/// Puts records into their places.
#[derive(Debug)]
pub(in crate::log) struct Stager {
    process: u32,
    id: LogId,
    region_len: u64,
    region: u64,
    /// Offset in the region behind what is staged.
    at: u64,
    place: Place,
    staged: Vec<u8>,
}

/// Bytes that are made durable together, at an offset of the tail.
#[derive(Debug)]
pub(in crate::log) struct Group {
    pub(in crate::log) at: u64,
    pub(in crate::log) bytes: Vec<u8>,
    /// The number behind the last record.
    pub(in crate::log) next: u64,
    /// The mark that goes behind it, once it is durable.
    pub(in crate::log) mark: [u8; MARK_LEN],
}

impl Stager {
    /// Returns the stager of a new tail of two regions, whose first record has the number `first`. A header is staged.
    pub(in crate::log) fn start(id: LogId, process: u32, region_len: u64, first: u64) -> Stager {
        let before = *blake3::keyed_hash(blake3::hash(&id).as_bytes(), &first.to_le_bytes()).as_bytes();
        let place = Place { generation: 0, number: first, before };
        let mut stager = Stager { process, id, region_len, region: 1, at: 0, place, staged: Vec::new() };
        stager.enter();
        stager
    }

    /// Returns the number of the next record.
    pub(in crate::log) fn next(&self) -> u64 {
        self.place.number
    }

    /// Returns how many bytes of records fit into an empty region.
    pub(in crate::log) fn capacity(&self) -> u64 {
        self.region_len - HEADER_LEN - MARK_LEN as u64
    }

    /// Returns whether records of so many bytes fit behind those in the region.
    pub(in crate::log) fn fits(&self, len: u64) -> bool {
        self.at + len + MARK_LEN as u64 <= self.region_len
    }

    /// Stages the records of an append.
    pub(in crate::log) fn stage(&mut self, records: &[Record]) {
        for (left, record) in (0..records.len()).rev().zip(records) {
            let begins_group =
                self.staged.is_empty() || self.staged.len() as u64 == HEADER_LEN && self.at == HEADER_LEN;
            let len = self.staged.len();
            let ties = Ties { has_more: left > 0, begins_group };
            self.place.before = record.write(&self.place, ties, &mut self.staged);
            self.place.number += 1;
            self.at += (self.staged.len() - len) as u64;
        }
    }

    /// Takes what is staged, if something is.
    pub(in crate::log) fn take(&mut self) -> Option<Group> {
        let bytes = std::mem::take(&mut self.staged);
        let at = self.region * self.region_len + self.at - bytes.len() as u64;
        (!bytes.is_empty()).then(|| Group { at, bytes, next: self.place.number, mark: mark(&self.place) })
    }

    /// Goes on in the other region, over what stands there. A header is staged.
    ///
    /// # Panics
    ///
    /// Panics where something is staged.
    pub(in crate::log) fn enter(&mut self) {
        assert!(self.staged.is_empty(), "a region is left once it is written");
        self.region = 1 - self.region;
        self.place.generation += 1;
        let Place { generation, number: first, before } = self.place;
        Header { process: self.process, id: self.id, generation, first, before }.write(&mut self.staged);
        self.at = HEADER_LEN;
    }
}
