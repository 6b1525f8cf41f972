//! The log: what was appended is there, in order, in one piece, and nothing else ever comes out of it.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use replay_store::digest::Digest;
use replay_store::log::verify::{Claim, Witness};
use replay_store::log::{Details, Fold, Log, LogError, Session, Status, Writer, digest_of_records};
use replay_store::timestamp::Timestamp;
use tempfile::TempDir;

/// A payload says nothing about raw records, and metadata vouches for all of them with one digest.
pub(crate) struct OneClaim;

impl Witness for OneClaim {
    fn of_payload(&self, _: &[u8]) -> Result<Option<Claim>, String> {
        Ok(None)
    }

    fn of_metadata(&self, metadata: &[u8]) -> Result<Vec<Claim>, String> {
        let Some((count, digest)) = metadata.split_first_chunk::<4>() else { return Ok(Vec::new()) };
        let digest = Digest(digest.try_into().map_err(|_| "no digest".to_owned())?);
        Ok(vec![Claim { records: (0..u32::from_le_bytes(*count)).collect(), digest }])
    }
}

pub(crate) fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("session.log");
    (folder, path)
}

/// Payload `index` of a session, of many lengths, now and then a large one.
pub(crate) fn payload(index: u64) -> Vec<u8> {
    let len = match index % 97 {
        13 => 9000,
        _ => 20 + (index * 37 % 300) as usize,
    };
    let mut bytes = format!("{index}:").into_bytes();
    bytes.extend((0..len).map(|at| ((index * 31 + at as u64 * at as u64 / 7) % 53) as u8));
    bytes
}

pub(crate) fn details(first: i64, last: i64) -> Details {
    let (first_time, last_time) = (Some(Timestamp(first)), Some(Timestamp(last)));
    Details { first_time, last_time, status: Status::Closed, metadata: b"own".to_vec() }
}

pub(crate) fn read_all(log: &Log, session: &Session) -> Vec<Vec<u8>> {
    let mut payloads = Vec::new();
    let read = log.read(session, 0..session.event_count, |position, payload| {
        assert_eq!(position, payloads.len() as u64);
        payloads.push(payload.to_vec());
        Ok(())
    });
    read.expect("the log is whole");
    payloads
}

pub(crate) fn read_raw(log: &Log, session: &Session) -> Vec<Vec<u8>> {
    let mut records = Vec::new();
    let read = log.read_raw(session, 0..session.raw_count, |number, record| {
        assert_eq!(number, records.len() as u64);
        records.push(record.to_vec());
        Ok(())
    });
    read.expect("the log is whole");
    records
}

fn append(writer: &mut Writer, id: &str, from: u64, payloads: &[Vec<u8>]) -> Session {
    let mut append = writer.append(id, from).expect("the position fits");
    payloads.iter().for_each(|payload| append.push(payload).expect("there is room"));
    append.commit(details(1, 2)).expect("there is room")
}

#[test]
fn what_was_appended_is_read_back() {
    let (_folder, path) = place();
    let payloads: Vec<Vec<u8>> = (0..1000).map(payload).collect();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    let written = append(&mut writer, "b", 0, &payloads);
    append(&mut writer, "a", 0, &payloads[..3]);
    writer.close().expect("there is room");

    let log = Log::open(&path).expect("the log was closed");
    let ids: Vec<String> = log.sessions().expect("whole").iter().map(|session| session.id.to_string()).collect();
    assert_eq!(ids, ["a", "b"]);
    let session = log.session("b").expect("it is there");
    assert_eq!(session, written);
    assert_eq!((session.event_count, session.details.clone()), (1000, details(1, 2)));
    assert_eq!(read_all(&log, &session), payloads);
    let mut few = Vec::new();
    log.read(&session, 700..703, |position, payload| {
        few.push((position, payload.to_vec()));
        Ok(())
    })
    .expect("whole");
    assert_eq!(few, (700..703).map(|index| (index, payload(index))).collect::<Vec<_>>());
    assert!(matches!(log.session("c"), Err(LogError::NoSession { .. })));
    let report = log.verify(&OneClaim, None).expect("the file can be read");
    assert_eq!(report.damage, []);
    assert_eq!(report.head, Some(log.head().expect("whole")));
    assert_eq!(report.sessions[1].vouched, 0..1000);
}

#[test]
fn an_append_at_a_wrong_position_is_refused_and_names_both() {
    let (_folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    append(&mut writer, "a", 0, &[payload(0), payload(1)]);
    for expected in [0, 1, 3] {
        let refused = writer.append("a", expected).map(|_| ()).expect_err("another position");
        assert!(matches!(&refused, LogError::Conflict { actual: 2, expected: told, .. } if *told == expected));
        assert!(refused.to_string().contains(&format!("holds 2 events, not {expected}")), "{refused}");
    }
    assert!(matches!(writer.append("b", 5).map(|_| ()), Err(LogError::Conflict { actual: 0, expected: 5, .. })));
}

#[test]
fn an_append_that_is_given_up_leaves_nothing() {
    let (_folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    let before = append(&mut writer, "a", 0, &[payload(0)]);
    let mut given_up = writer.append("a", 1).expect("the position fits");
    (1..500).for_each(|index| given_up.push(&payload(index)).expect("there is room"));
    drop(given_up);
    assert_eq!(writer.log().session("a").expect("whole"), before);
    let after = append(&mut writer, "a", 1, &[payload(7)]);
    assert_eq!(read_all(writer.log(), &after), [payload(0), payload(7)]);
}

#[test]
fn raw_records_are_kept_apart_and_byte_for_byte() {
    let (_folder, path) = place();
    let records: Vec<Vec<u8>> = (0..300).map(|index| payload(index + 13).repeat(1 + index as usize % 5)).collect();
    let digest = digest_of_records(records.iter().map(|record| &record[..]));
    let metadata = [&300u32.to_le_bytes()[..], &digest.0].concat();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    for (from, to) in [(0, 1), (1, 2), (2, 200), (200, 300)] {
        let mut append = writer.append("a", from).expect("the position fits");
        for record in &records[from as usize..to as usize] {
            append.push(b"x").expect("there is room");
            append.push_raw(record).expect("there is room");
        }
        append.commit(Details { metadata: metadata.clone(), ..details(1, 2) }).expect("there is room");
    }
    let session = writer.log().session("a").expect("whole");
    assert_eq!(read_raw(writer.log(), &session), records);
    let report = writer.log().verify(&OneClaim, None).expect("the file can be read");
    assert_eq!((report.damage, report.sessions[0].raw_vouched), (vec![], 300));
}

#[test]
fn raw_records_that_nobody_vouches_for_are_a_failure() {
    let (_folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    let mut append = writer.append("a", 0).expect("the position fits");
    (0..3).for_each(|_| append.push_raw(b"{}").expect("there is room"));
    append.commit(Details { metadata: Vec::new(), ..details(1, 2) }).expect("there is room");
    let report = writer.log().verify(&OneClaim, None).expect("the file can be read");
    assert_eq!(report.head, None);
    let damage: Vec<String> = report.damage.iter().map(ToString::to_string).collect();
    assert_eq!(damage, ["raw records 0 to 2 of session \"a\": no event vouches for it"], "they are one damage");
}

#[test]
fn equal_blobs_are_stored_once() {
    let (_folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    let noise: Vec<u8> = (0..400_000u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let mut append = writer.append("a", 0).expect("the position fits");
    (0..50).for_each(|_| append.push(&noise).expect("there is room"));
    let digest = append.put_blob(&noise).expect("there is room");
    append.commit(details(1, 2)).expect("there is room");
    assert_eq!(writer.log().blob(&digest).expect("whole"), noise);
    writer.close().expect("there is room");
    let len = std::fs::metadata(&path).expect("it is there").len();
    // The database rounds up to powers of two, twice.
    assert!(len < 4 * noise.len() as u64, "{len}");
}

#[test]
fn a_reader_works_beside_a_writer() {
    let (_folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    append(&mut writer, "a", 0, &[payload(0)]);
    let reader = Log::open(&path).expect("readers are welcome");
    assert_eq!(reader.session("a").expect("whole").event_count, 1);
    append(&mut writer, "a", 1, &[payload(1)]);
    let session = reader.session("a").expect("whole");
    assert_eq!(read_all(&reader, &session), [payload(0), payload(1)]);
    assert!(matches!(Writer::open(&path, None).map(|_| ()), Err(LogError::InUse { .. })));
}

#[test]
fn a_log_that_was_not_closed_is_read_as_it_is_and_repaired_by_the_next_writer() {
    let (folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    let payloads: Vec<Vec<u8>> = (0..300).map(payload).collect();
    append(&mut writer, "a", 0, &payloads);
    // What a killed program leaves behind.
    let left = folder.path().join("left.log");
    std::fs::copy(&path, &left).expect("there is room");
    let log = Log::open(&left).expect("it is repaired in memory");
    assert_eq!(read_all(&log, &log.session("a").expect("it is whole")), payloads);
    drop(log);
    let before = std::fs::read(&left).expect("it is there");
    assert!(before == std::fs::read(&path).expect("it is there"), "a reader changes nothing");

    let mut repaired = Writer::open(&left, None).expect("a writer repairs it");
    let session = append(&mut repaired, "a", 300, &[payload(300)]);
    assert_eq!(read_all(repaired.log(), &session)[..300], payloads);
    repaired.close().expect("there is room");
    let log = Log::open(&left).expect("it was closed");
    assert_eq!(log.session("a").expect("it is whole").event_count, 301);
}

#[test]
fn reading_changes_no_byte() {
    let (_folder, path) = place();
    let mut writer = Writer::create(&path, None).expect("the place is empty");
    append(&mut writer, "a", 0, &(0..300).map(payload).collect::<Vec<_>>());
    writer.close().expect("there is room");
    let before = std::fs::read(&path).expect("it is there");
    let log = Log::open(&path).expect("the log was closed");
    log.verify(&OneClaim, None).expect("the file can be read");
    drop(log);
    assert!(std::fs::read(&path).expect("it is there") == before);
}

#[cfg(unix)]
#[test]
fn a_new_log_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = place();
    Writer::create(&path, None).expect("the place is empty").close().expect("there is room");
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_cannot_be_opened_is_told_in_one_sentence() {
    let (folder, path) = place();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("there is room");
        path
    };
    let sentence = |path: &Path| {
        let read = Log::open(path).map(|_| ()).expect_err("no log").to_string();
        let write = Writer::open(path, None).map(|_| ()).expect_err("no log").to_string();
        assert_eq!(read, write);
        read.replace(&folder.path().display().to_string(), "F")
    };
    assert!(sentence(&path).starts_with("there is no file F/session.log; "));
    assert_eq!(sentence(folder.path()), "F is a folder; name a log file");
    assert!(sentence(&file("empty", b"")).starts_with("F/empty is not a log; "));
    assert!(sentence(&file("text", b"{\"event\": \"user\"}")).starts_with("F/text is not a log; "));
    let lost = Writer::create(&folder.path().join("no/such"), None).map(|_| ()).expect_err("no folder");
    assert!(matches!(lost, LogError::NoFolder(_)));
    let there = Writer::create(&file("there", b"precious"), None).map(|_| ()).expect_err("it would be lost");
    assert!(matches!(there, LogError::Exists(_)));
    assert_eq!(std::fs::read(folder.path().join("there")).expect("it is there"), b"precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_permission_is_told_apart() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = place();
    Writer::create(&path, None).expect("the place is empty").close().expect("there is room");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).expect("it is ours");
    match Writer::open(&path, None).map(|_| ()) {
        Err(LogError::Denied { .. }) => {}
        // The superuser may write everywhere.
        Ok(()) => {}
        Err(other) => panic!("{other}"),
    }
    Log::open(&path).expect("reading is allowed");
}

/// Counts payload bytes; its checkpoint is as long as its creator wishes.
struct Sum {
    total: u64,
    padding: usize,
}

impl Fold for Sum {
    fn restore(&mut self, checkpoint: &[u8]) -> Result<(), String> {
        let (total, padding) = checkpoint.split_first_chunk::<8>().ok_or("too short")?;
        (self.total, self.padding) = (u64::from_le_bytes(*total), padding.len());
        Ok(())
    }

    fn apply(&mut self, payload: &[u8]) -> Result<(), String> {
        self.total += payload.len() as u64;
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        [&self.total.to_le_bytes()[..], &vec![7; self.padding]].concat()
    }
}

#[test]
fn a_checkpoint_is_the_state_at_its_position() {
    fn small() -> Box<dyn Fold + Send> {
        Box::new(Sum { total: 0, padding: 0 })
    }
    fn large() -> Box<dyn Fold + Send> {
        Box::new(Sum { total: 0, padding: 40_000 })
    }
    for new_fold in [small, large] {
        let (_folder, path) = place();
        let payloads: Vec<Vec<u8>> = (0..3000).map(payload).collect();
        let mut writer = Writer::create(&path, Some(new_fold)).expect("the place is empty");
        for (from, to) in [(0, 1), (1, 65), (65, 900), (900, 901), (901, 2000)] {
            append(&mut writer, "a", from as u64, &payloads[from..to]);
        }
        writer.close().expect("there is room");
        let mut writer = Writer::open(&path, Some(new_fold)).expect("the log was closed");
        let session = append(&mut writer, "a", 2000, &payloads[2000..]);
        let mut positions = Vec::new();
        for at in (0..=3000).step_by(50) {
            let Some((position, checkpoint)) = writer.log().checkpoint(&session, at).expect("whole") else { continue };
            assert!(position <= at);
            let mut fold = new_fold();
            payloads[..position as usize].iter().for_each(|payload| fold.apply(payload).expect("any payload counts"));
            assert_eq!(checkpoint, fold.save(), "at {position}");
            positions.push(position);
        }
        positions.dedup();
        assert!(positions.len() > 2, "{positions:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Digest, payloads and report are the same however the payloads were grouped, and after each reopening.
    #[test]
    fn grouping_changes_nothing(
        cuts in proptest::collection::btree_set(0u64..700, 0..12),
        seed in 0u64..1000,
        reopen in any::<bool>(),
    ) {
        let payloads: Vec<Vec<u8>> = (0..700).map(|index| payload(index + seed)).collect();
        let (_folder, path) = place();
        let mut writer = Writer::create(&path, None).expect("the place is empty");
        let at_once = append(&mut writer, "a", 0, &payloads);
        let mut expected = writer.append("expected", 0).expect("the position fits");
        payloads.iter().for_each(|payload| expected.push(payload).expect("there is room"));
        drop(expected);
        writer.close().expect("there is room");

        let (_other_folder, other) = place();
        let mut writer = Writer::create(&other, None).expect("the place is empty");
        let mut from = 0;
        for to in cuts.into_iter().chain([700]) {
            append(&mut writer, "a", from, &payloads[from as usize..to as usize]);
            from = to;
            if reopen {
                writer.close().expect("there is room");
                writer = Writer::open(&other, None).expect("the log was closed");
            }
        }
        let grouped = writer.log().session("a").expect("whole");
        prop_assert_eq!(grouped.digest, at_once.digest);
        prop_assert_eq!(read_all(writer.log(), &grouped), payloads);
        let report = writer.log().verify(&OneClaim, None).expect("the file can be read");
        prop_assert_eq!(report.damage, []);
        prop_assert_eq!(report.sessions[0].vouched.clone(), 0..700);
    }
}
