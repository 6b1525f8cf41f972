//! What is written to a tail comes back, and nothing else does.

use std::io;
use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::log::blocks::Blocks;
use crate::log::session::{Details, Status};
use crate::timestamp::Timestamp;

const ID: LogId = *b"0123456789abcdef";

/// A tail in memory.
struct Memory(Mutex<Vec<u8>>);

impl Memory {
    fn new(region_len: u64) -> Memory {
        Memory(Mutex::new(vec![0; 2 * region_len as usize]))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<u8>)) {
        change(&mut self.0.lock().expect("nobody panics"));
    }

    /// Writes what is staged, with the mark behind it if it was acknowledged.
    fn write(&self, stager: &mut Stager, is_acknowledged: bool) {
        let Some(group) = stager.take() else { return };
        self.write_at(group.at, &group.bytes).expect("it fits");
        if is_acknowledged {
            self.write_at(group.at + group.bytes.len() as u64, &group.mark).expect("it fits");
        }
    }

    fn entries(&self, reader: Reader) -> Vec<Entry> {
        scan(self, reader).expect("it can be read").map(|scan| scan.entries).unwrap_or_default()
    }
}

impl Blocks for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("nobody panics").len() as u64)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.lock().expect("nobody panics");
        let there = &bytes[(offset as usize).min(bytes.len())..];
        let len = there.len().min(out.len());
        out[..len].copy_from_slice(&there[..len]);
        Ok(len)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.change(|there| there[offset as usize..offset as usize + bytes.len()].copy_from_slice(bytes));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

fn body() -> impl Strategy<Value = Body> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..120);
    let time = || proptest::option::of(any::<i64>().prop_map(Timestamp));
    let details = (time(), time(), any::<bool>(), bytes()).prop_map(|(first_time, last_time, is_open, metadata)| {
        let status = if is_open { Status::Open } else { Status::Closed };
        Details { first_time, last_time, status, metadata }
    });
    prop_oneof![
        "\\PC{0,9}".prop_map(|id| Body::Opened(id.into())),
        bytes().prop_map(Body::Blob),
        bytes().prop_map(Body::Event),
        bytes().prop_map(Body::RawRecord),
        details.prop_map(Body::Noted),
        any::<u64>().prop_map(Body::SealedUpTo),
        Just(Body::Closed),
    ]
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let record =
        (any::<u64>(), any::<u64>(), body()).prop_map(|(ordinal, position, body)| Record { ordinal, position, body });
    proptest::collection::vec(record, 1..5)
}

/// Stages an append, in the other region if this one is full, and returns its entries.
fn append(tail: &Memory, stager: &mut Stager, records: &[Record]) -> Vec<Entry> {
    if !stager.fits(records.iter().map(Record::len).sum()) {
        tail.write(stager, true);
        stager.enter();
    }
    let numbers = stager.next()..;
    stager.stage(records);
    numbers.zip(records.to_vec()).map(|(number, record)| Entry { number, record }).collect()
}

proptest! {
    /// The last records are there in order, as they were written; both regions are used.
    #[test]
    fn what_was_written_comes_back(
        appends in proptest::collection::vec((records(), any::<bool>()), 1..40),
        first in 0u64..1 << 40,
    ) {
        let tail = Memory::new(4096);
        let mut stager = Stager::start(ID, 7, 4096, first);
        let mut written = Vec::new();
        for (records, ends_group) in &appends {
            written.extend(append(&tail, &mut stager, records));
            if *ends_group {
                tail.write(&mut stager, true);
            }
        }
        tail.write(&mut stager, true);
        for reader in [Reader::AfterWriter, Reader::BesideWriter] {
            let scan = scan(&tail, reader).expect("it can be read").expect("it was begun");
            prop_assert_eq!((scan.id, scan.process, scan.next()), (ID, 7, stager.next()));
            prop_assert!(!scan.entries.is_empty());
            prop_assert_eq!(&written[written.len() - scan.entries.len()..], &scan.entries[..]);
        }
    }

    /// Whatever is changed, what comes out is a beginning of what was written.
    #[test]
    fn a_changed_byte_ends_the_tail(
        appends in proptest::collection::vec(records(), 1..12),
        at in any::<proptest::sample::Index>(),
        change in 1u8..,
    ) {
        let tail = Memory::new(1 << 14);
        let mut stager = Stager::start(ID, 7, 1 << 14, 0);
        let mut written = Vec::new();
        for records in &appends {
            written.extend(append(&tail, &mut stager, records));
        }
        let group = stager.take().expect("something was staged");
        tail.write_at(0, &group.bytes).expect("it fits");
        tail.change(|bytes| bytes[at.index(group.bytes.len())] ^= change);
        let found = tail.entries(Reader::AfterWriter);
        prop_assert!(found.len() < written.len());
        prop_assert_eq!(&written[..found.len()], &found[..]);
    }

    /// An append is there as a whole or not at all, wherever the bytes end.
    #[test]
    fn a_torn_append_is_not_there(appends in proptest::collection::vec(records(), 1..8), cut in any::<proptest::sample::Index>()) {
        let tail = Memory::new(1 << 14);
        let mut stager = Stager::start(ID, 7, 1 << 14, 0);
        let mut ends = vec![0];
        for records in &appends {
            append(&tail, &mut stager, records);
            ends.push(stager.next() as usize);
        }
        let group = stager.take().expect("something was staged");
        tail.write_at(0, &group.bytes[..cut.index(group.bytes.len())]).expect("it fits");
        prop_assert!(ends.contains(&tail.entries(Reader::AfterWriter).len()));
    }

    #[test]
    fn no_bytes_make_a_scan_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), with_header in any::<bool>()) {
        let tail = Memory::new(4096);
        let mut stager = Stager::start(ID, 7, 4096, 0);
        let group = stager.take().expect("a header is staged");
        let at = if with_header { group.bytes.len() as u64 } else { 0 };
        tail.write_at(0, &group.bytes).expect("it fits");
        tail.write_at(at, &bytes).expect("it fits");
        tail.entries(Reader::BesideWriter);
    }
}

fn event(text: &str) -> Record {
    Record { ordinal: 0, position: 0, body: Body::Event(text.as_bytes().to_vec()) }
}

#[test]
fn beside_a_writer_only_what_it_acknowledged_is_there() {
    let tail = Memory::new(4096);
    let mut stager = Stager::start(ID, 7, 4096, 0);
    append(&tail, &mut stager, &[event("a")]);
    tail.write(&mut stager, true);
    append(&tail, &mut stager, &[event("b")]);
    append(&tail, &mut stager, &[event("c")]);
    tail.write(&mut stager, false);
    assert_eq!(tail.entries(Reader::BesideWriter).len(), 1);
    assert_eq!(tail.entries(Reader::AfterWriter).len(), 3);
    append(&tail, &mut stager, &[event("d")]);
    tail.write(&mut stager, false);
    assert_eq!(tail.entries(Reader::BesideWriter).len(), 3, "the next group says that the one before is durable");
}

#[test]
fn what_stood_in_a_region_before_is_not_read_again() {
    let tail = Memory::new(1024);
    let mut stager = Stager::start(ID, 7, 1024, 0);
    for round in 0..200 {
        append(&tail, &mut stager, &[event("of the same length each time")]);
        tail.write(&mut stager, true);
        let entries = tail.entries(Reader::AfterWriter);
        assert_eq!(entries.last().map(|entry| entry.number), Some(round));
        assert!(entries.windows(2).all(|two| two[0].number + 1 == two[1].number));
    }
}

#[test]
fn a_follower_gets_each_record_once() {
    let tail = Memory::new(8192);
    let mut stager = Stager::start(ID, 7, 8192, 0);
    tail.write(&mut stager, true);
    let mut cursor = scan(&tail, Reader::BesideWriter).expect("it can be read").expect("it was begun").cursor;
    let mut followed = Vec::new();
    for len in [1, 5000, 3, 900] {
        append(&tail, &mut stager, &[event(&"x".repeat(len)), event("y")]);
        tail.write(&mut stager, false);
        cursor.follow(&tail, &mut followed).expect("it can be read");
        let before = followed.len();
        append(&tail, &mut stager, &[event("z")]);
        tail.write(&mut stager, true);
        cursor.follow(&tail, &mut followed).expect("it can be read");
        assert!(before < followed.len());
        assert!(!cursor.is_left_behind(&tail).expect("it can be read"));
    }
    assert_eq!(followed.iter().map(|entry| entry.number).collect::<Vec<_>>(), (0..stager.next()).collect::<Vec<_>>());
    tail.write(&mut stager, true);
    stager.enter();
    tail.write(&mut stager, true);
    assert!(cursor.is_left_behind(&tail).expect("it can be read"));
}
