//! The log reader: no damage of the file makes it panic, and what it still reads was written.

#![no_main]

use std::panic;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use replay_store::log::verify::{Claim, Witness};
use replay_store::log::{Details, Log, Status, Writer, is_panic_expected};
use replay_store::timestamp::Timestamp;

const COUNT: u64 = 200;

/// A whole log.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("session.log");
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    let mut append = writer.append("one", 0).expect("the position fits");
    let blob: Vec<u8> = (0..20_000u32).flat_map(|at| (at * at).to_le_bytes()).collect();
    for index in 0..COUNT {
        append.push(&payload(index)).expect("there is room");
        append.push_raw(&payload(index)).expect("there is room");
    }
    append.put_blob(&blob).expect("there is room");
    let (first_time, last_time) = (Some(Timestamp(5)), Some(Timestamp(6)));
    let details = Details { first_time, last_time, status: Status::Closed, metadata: Vec::new() };
    append.commit(details).expect("there is room");
    writer.close().expect("there is room");
    std::fs::read(&path).expect("it is there")
});

fn payload(index: u64) -> Vec<u8> {
    format!("{{\"event\": \"user\", \"text\": \"number {index}\"}}").into_bytes()
}

/// The payloads here say nothing about raw records.
struct Silent;

impl Witness for Silent {
    fn of_payload(&self, _: &[u8]) -> Result<Option<Claim>, String> {
        Ok(None)
    }

    fn of_metadata(&self, _: &[u8]) -> Result<Vec<Claim>, String> {
        Ok(Vec::new())
    }
}

fuzz_target!(
    init: {
        // The database panics over damaged pages; the log catches that, and only that.
        let abort = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_panic_expected() {
                abort(info);
            }
        }));
    },
    |patches: Vec<(u32, u8)>| {
        let mut bytes = BYTES.clone();
        for (at, byte) in patches {
            let at = at as usize % bytes.len();
            bytes[at] = byte;
        }
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("session.log");
        std::fs::write(&path, &bytes).expect("there is room");
        let Ok(log) = Log::open(&path) else { return };
        let report = log.verify(&Silent, None);
        for session in log.sessions().unwrap_or_default() {
            let _ = log.checkpoint(&session, session.event_count);
            let written = |at: u64, bytes: &[u8]| {
                assert!(bytes == payload(at), "item {at} is another one");
                Ok(())
            };
            let is_read = log.read(&session, 0..session.event_count, written).is_ok();
            let is_raw_read = log.read_raw(&session, 0..session.raw_count, written).is_ok();
            let is_whole = report.as_ref().is_ok_and(|report| report.damage.is_empty());
            assert!(!is_whole || (is_read && is_raw_read), "damage that verify doesn't see");
        }
    }
);
