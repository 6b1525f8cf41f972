//! A damaged log gives what was written or an error, and never anything else: no panic, no other data.

use std::path::Path;
use std::sync::Once;

use replay_store::digest::Digest;
use replay_store::log::{Details, FORMAT, Log, LogError, Status, Writer, digest_of_records, is_panic_expected};
use replay_store::timestamp::Timestamp;

use crate::log::{OneClaim, payload, read_all};

const SESSIONS: [(&str, u64); 3] = [("a", 700), ("b", 3), ("c", 200)];

/// Bytes of a closed log with sessions, raw records and blobs, and what it holds.
struct Sample {
    bytes: Vec<u8>,
    blob: (Digest, Vec<u8>),
    head: Digest,
}

fn raw_record(number: u64) -> Vec<u8> {
    format!("{{\"record\": {number}, \"text\": \"{}\"}}", "raw ".repeat(number as usize % 60)).into_bytes()
}

fn details(count: u64) -> Details {
    let records: Vec<Vec<u8>> = (0..count).map(raw_record).collect();
    let digest = digest_of_records(records.iter().map(|record| &record[..]));
    let metadata = [&(count as u32).to_le_bytes()[..], &digest.0].concat();
    Details { first_time: Some(Timestamp(5)), last_time: Some(Timestamp(6)), status: Status::Closed, metadata }
}

fn sample(path: &Path) -> Sample {
    let mut writer = Writer::create(path, None).expect("the place is empty");
    let blob: Vec<u8> = (0..30_000u32).flat_map(|at| (at * at).to_le_bytes()).collect();
    let mut digest = None;
    for (id, count) in SESSIONS {
        // In two appends, so that an older state of everything is in the file too.
        for (from, to) in [(0, count / 2), (count / 2, count)] {
            let mut append = writer.append(id, from).expect("the position fits");
            for index in from..to {
                append.push(&payload(index)).expect("there is room");
                append.push_raw(&raw_record(index)).expect("there is room");
            }
            digest = Some(append.put_blob(&blob).expect("there is room"));
            append.commit(details(to)).expect("there is room");
        }
    }
    let head = writer.log().head().expect("it is whole");
    writer.close().expect("there is room");
    let bytes = std::fs::read(path).expect("it is there");
    Sample { bytes, blob: (digest.expect("there are sessions"), blob), head }
}

/// How often damage was met and how often it did no harm.
#[derive(Debug, Default)]
struct Tally {
    refused: usize,
    noticed: usize,
    harmless: usize,
}

impl Sample {
    /// Opens the damaged bytes and reads everything. Fails where something comes out that was never written.
    fn check(&self, path: &Path, damaged: &[u8], what: &str, tally: &mut Tally) {
        std::fs::write(path, damaged).expect("there is room");
        let log = match Log::open(path) {
            Ok(log) => log,
            Err(error) => {
                assert!(!matches!(error, LogError::Io { .. }), "{what}: {error}");
                tally.refused += 1;
                return;
            }
        };
        let mut errors = Vec::new();
        match log.sessions() {
            Ok(sessions) => {
                let found: Vec<_> = sessions.iter().map(|session| (session.id.as_str(), session.event_count)).collect();
                assert_eq!(found, SESSIONS, "{what}");
            }
            Err(error) => errors.push(error),
        }
        for (id, count) in SESSIONS {
            let mut next = 0;
            let result = log.session(id).and_then(|session| {
                assert_eq!((session.event_count, &session.details), (count, &details(count)), "{what}");
                log.read(&session, 0..count, |position, bytes| {
                    assert_eq!((position, bytes), (next, &payload(next)[..]), "{what}");
                    next += 1;
                    Ok(())
                })?;
                assert_eq!(next, count, "{what}");
                next = 0;
                log.read_raw(&session, 0..count, |number, bytes| {
                    assert_eq!((number, bytes), (next, &raw_record(next)[..]), "{what}");
                    next += 1;
                    Ok(())
                })
            });
            errors.extend(result.err());
        }
        match log.blob(&self.blob.0) {
            Ok(bytes) => assert!(bytes == self.blob.1, "{what}: another blob"),
            Err(error) => errors.push(error),
        }
        let report = log.verify(&OneClaim, None).expect("a report");
        assert_eq!(errors.is_empty(), report.damage.is_empty(), "{what}: {errors:?} against {:?}", report.damage);
        assert_eq!(report.head, errors.is_empty().then_some(self.head), "{what}");
        for error in &errors {
            assert!(matches!(error, LogError::Damaged { .. }), "{what}: {error}");
        }
        if errors.is_empty() {
            tally.harmless += 1;
        } else {
            tally.noticed += 1;
        }
    }
}

/// Numbers that look random and are the same each time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}

/// Lets a panic that is caught inside the log say nothing.
pub(crate) fn silence() {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_panic_expected() {
                hook(info);
            }
        }));
    });
}

/// Damages the sample many times. `damage` changes a copy and says what it did.
fn check(cases: usize, damage: impl Fn(&mut Vec<u8>, &mut Numbers) -> String) -> Tally {
    silence();
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("session.log");
    let sample = sample(&path);
    let mut numbers = Numbers(7);
    let mut tally = Tally::default();
    for _ in 0..cases {
        let mut bytes = sample.bytes.clone();
        let what = damage(&mut bytes, &mut numbers);
        sample.check(&path, &bytes, &what, &mut tally);
    }
    tally
}

pub(crate) fn flip(bytes: &mut [u8], numbers: &mut Numbers, end: usize) -> String {
    let bit = numbers.below(end * 8);
    bytes[bit / 8] ^= 1 << (bit % 8);
    format!("bit {} of byte {}", bit % 8, bit / 8)
}

#[test]
fn a_flipped_bit_is_noticed_or_harmless() {
    let tally = check(300, |bytes, numbers| {
        let end = bytes.len();
        flip(bytes, numbers, end)
    });
    assert!(tally.noticed > 100, "{tally:?}");
}

#[test]
fn a_flipped_bit_of_the_header_is_noticed_or_harmless() {
    let tally = check(200, |bytes, numbers| flip(bytes, numbers, 320));
    assert!(tally.refused > 30, "{tally:?}");
}

#[test]
fn a_zeroed_page_is_noticed_or_harmless() {
    let tally = check(100, |bytes, numbers| {
        let page = numbers.below(bytes.len() / 4096);
        bytes[page * 4096..(page + 1) * 4096].fill(0);
        format!("page {page}")
    });
    assert!(tally.noticed > 20, "{tally:?}");
}

#[test]
fn a_misplaced_page_is_noticed_or_harmless() {
    let tally = check(100, |bytes, numbers| {
        let (from, to) = (numbers.below(bytes.len() / 4096), numbers.below(bytes.len() / 4096));
        bytes.copy_within(from * 4096..(from + 1) * 4096, to * 4096);
        format!("page {from} over page {to}")
    });
    assert!(tally.noticed > 20, "{tally:?}");
}

#[test]
fn a_cut_file_is_noticed_or_harmless() {
    let tally = check(60, |bytes, numbers| {
        bytes.truncate(numbers.below(bytes.len()));
        format!("cut at {}", bytes.len())
    });
    // The last pages may be unused.
    assert!(tally.harmless < 10, "{tally:?}");
}

#[test]
fn a_log_of_another_format_number_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("session.log");
    let sample = sample(&path);
    // Row of the format number: checksum, mark, number.
    let mark = b"replay log";
    let at = sample.bytes.windows(mark.len()).position(|window| window == mark).expect("the row is there");
    let content = [&mark[..], &77u32.to_le_bytes()].concat();
    let sum = crc32fast::hash(&[b"meta", &b"format"[..], &content].concat());
    let mut other = sample.bytes.clone();
    other[at - 4..at].copy_from_slice(&sum.to_le_bytes());
    other[at..at + content.len()].copy_from_slice(&content);
    std::fs::write(&path, other).expect("there is room");
    let error = Log::open(&path).map(|_| ()).expect_err("another format").to_string();
    let expected = format!("has log format 77, this version reads {FORMAT}; import the records again");
    assert!(error.ends_with(&expected), "{error}");
    let error = Writer::open(&path, None).map(|_| ()).expect_err("another format");
    assert!(matches!(error, LogError::Format { found: 77, .. }));
}

#[test]
fn damage_names_its_range() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("session.log");
    let mut bytes = sample(&path).bytes;
    // The second segment of session "a": magic, checksum, length, ordinal, first position.
    let is_second = |at: &usize| {
        bytes[*at..].starts_with(b"SEGMENT\xf1")
            && bytes[at + 16..at + 24] == [0; 8]
            && bytes[at + 24..at + 32] != [0; 8]
    };
    let at = (0..bytes.len() - 64).filter(is_second).min_by_key(|at| bytes[at + 24..at + 32].to_vec());
    let at = at.expect("session a has two segments");
    let first = u64::from_le_bytes(bytes[at + 24..at + 32].try_into().expect("eight bytes"));
    let count = u32::from_le_bytes(bytes[at + 32..at + 36].try_into().expect("four bytes"));
    bytes[at + 100] ^= 1;
    std::fs::write(&path, &bytes).expect("there is room");
    let log = Log::open(&path).expect("the rest is whole");
    let session = log.session("a").expect("its row is whole");
    let error = log.read(&session, 0..700, |_, _| Ok(())).expect_err("a bit is flipped").to_string();
    assert!(error.contains(&format!("events {} to 700 of session \"a\"", first + 1)), "{error}");
    let report = log.verify(&OneClaim, None).expect("a report");
    let range = format!("events {} to {} of session \"a\"", first + 1, first + u64::from(count));
    assert!(report.damage[0].to_string().starts_with(&range), "{:?}", report.damage);
    assert_eq!(report.sessions[0].vouched, 0..first);
    let whole = log.session("c").expect("its row is whole");
    assert_eq!(read_all(&log, &whole).len(), 200);
}
