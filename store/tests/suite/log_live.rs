//! A log that is being written: what was acknowledged is there for everybody, whatever becomes of its writer.

use std::fs;
use std::path::{Path, PathBuf};

use replay_store::log::{Addition, Details, Durability, EventLog, Log, LogError, Options, Writer, digest_of_records};

use replay_store::event::{Event, EventKind, Origin, codec};
use replay_store::replay::outline::new_fold;
use replay_store::timestamp::Timestamp;

use crate::log::{OneClaim, details, payload, place, read_all, read_raw};

pub(crate) const OPTIONS: Options = Options { new_fold: None, id: *b"0123456789abcdef" };

fn tail_of(path: &Path) -> PathBuf {
    path.with_extension("log-tail")
}

pub(crate) fn addition(session: &str, range: std::ops::Range<u64>) -> Addition {
    let mut addition = Addition::to(session).at(range.start);
    range.for_each(|index| addition.push(&payload(index)));
    addition
}

pub(crate) fn append(log: &EventLog, session: &str, range: std::ops::Range<u64>) {
    let appended = log.append(&addition(session, range.clone()), Durability::Durable).expect("there is room");
    assert_eq!(appended.events, range);
}

fn payloads(count: u64) -> Vec<Vec<u8>> {
    (0..count).map(payload).collect()
}

/// Fails unless the log holds these sessions, whole.
fn check(log: &Log, sessions: &[(&str, u64)]) {
    let found = log.sessions().expect("it is whole");
    let counts: Vec<_> = found.iter().map(|session| (session.id.as_str(), session.event_count)).collect();
    assert_eq!(counts, sessions);
    for session in &found {
        assert_eq!(log.session(&session.id).expect("it is there"), *session);
        assert_eq!(read_all(log, session), payloads(session.event_count));
        for position in 0..session.event_count {
            let mut around = Vec::new();
            let stands = log.read_around(session, position, |at, bytes| {
                around.push((at, bytes.to_vec()));
                Ok(())
            });
            let stands = stands.expect("it is whole");
            assert!(stands.contains(&position));
            assert_eq!(around, stands.map(|at| (at, payload(at))).collect::<Vec<_>>());
        }
    }
    let report = log.verify(&OneClaim, None).expect("it can be read");
    assert_eq!(report.damage, []);
    assert_eq!(report.head, Some(log.head().expect("it is whole")));
    let vouched: Vec<_> = report.sessions.iter().map(|each| each.vouched.end).collect();
    assert_eq!(vouched, sessions.iter().map(|(_, count)| *count).collect::<Vec<_>>());
}

/// Copies a log as a killed writer leaves it.
pub(crate) fn killed(path: &Path, name: &str) -> PathBuf {
    let left = path.with_file_name(name);
    fs::copy(path, &left).expect("there is room");
    fs::copy(tail_of(path), tail_of(&left)).expect("there is room");
    left
}

#[test]
fn what_was_acknowledged_is_seen_at_once_and_closing_leaves_one_file() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    check(&log.log().expect("readers are welcome"), &[]);
    append(&log, "b", 0..3);
    append(&log, "a", 0..1);
    append(&log, "b", 3..70);
    check(&log.log().expect("readers are welcome"), &[("a", 1), ("b", 70)]);
    assert_eq!((log.counts("b"), log.counts("c")), (Some((70, 0)), None));
    log.close().expect("there is room");
    assert!(!tail_of(&path).exists());
    check(&Log::open(&path).expect("it was closed"), &[("a", 1), ("b", 70)]);
}

#[test]
fn the_head_is_that_of_a_log_that_was_written_at_once() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    (0..200).for_each(|index| append(&log, "a", index..index + 1));
    let live = log.log().expect("readers are welcome").head().expect("it is whole");
    log.close().expect("there is room");
    let (_other, other) = place();
    let mut writer = Writer::create(&other, None).expect("the place is empty");
    let mut at_once = writer.append("a", 0).expect("the position fits");
    payloads(200).iter().for_each(|payload| at_once.push(payload).expect("there is room"));
    at_once.commit(details(1, 2)).expect("there is room");
    assert_eq!(live, writer.log().head().expect("it is whole"));
    assert_eq!(live, Log::open(&path).expect("it was closed").head().expect("it is whole"));
}

#[test]
fn an_append_where_its_writer_does_not_think_is_refused_and_names_both() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..2);
    for (session, expected, actual) in [("a", 0, 2), ("a", 3, 2), ("b", 1, 0)] {
        let refused =
            log.append(&Addition::to(session).at(expected), Durability::Durable).expect_err("another position");
        assert!(refused.to_string().contains(&format!("holds {actual} events, not {expected}")), "{refused}");
    }
    let mut anywhere = Addition::to("a");
    anywhere.push(&payload(2));
    assert_eq!(log.append(&anywhere, Durability::Durable).expect("there is room").events, 2..3);
    let refused = log.append(&addition("a", 300..700), Durability::Durable).expect_err("another position");
    assert!(matches!(refused, LogError::Conflict { expected: 300, actual: 3, .. }));
    append(&log, "a", 3..4);
}

#[test]
fn a_log_whose_writer_died_is_read_unchanged_and_carried_on() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..5);
    append(&log, "b", 0..300);
    append(&log, "b", 300..301);
    append(&log, "a", 5..20);
    let left = killed(&path, "left.log");
    log.close().expect("there is room");

    let before = (fs::read(&left).expect("there"), fs::read(tail_of(&left)).expect("there"));
    let expected = [("a", 20), ("b", 301)];
    check(&Log::open(&left).expect("dead writers don't matter"), &expected);
    let after = (fs::read(&left).expect("there"), fs::read(tail_of(&left)).expect("there"));
    assert!(before == after, "a reader changes nothing");

    let log = EventLog::open(&left, &OPTIONS).expect("a writer goes on");
    check(&log.log().expect("readers are welcome"), &expected);
    append(&log, "a", 20..21);
    let again = killed(&left, "again.log");
    check(&Log::open(&again).expect("dead writers don't matter"), &[("a", 21), ("b", 301)]);
    // A writer of batches takes over as well.
    Writer::open(&again, None).expect("a writer goes on").close().expect("there is room");
    assert!(!tail_of(&again).exists());
    check(&Log::open(&again).expect("it was closed"), &[("a", 21), ("b", 301)]);
}

#[test]
fn blobs_raw_records_and_what_is_noted_are_there_as_well() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    let records: Vec<Vec<u8>> = (0..5).map(payload).collect();
    let digest = digest_of_records(records.iter().map(|record| &record[..]));
    let metadata = [&5u32.to_le_bytes()[..], &digest.0].concat();
    let mut addition = addition("a", 0..2);
    records.iter().for_each(|record| addition.push_raw(record));
    let blob = addition.put_blob(b"a text of some length");
    let noted = Details { metadata, ..details(3, 4) };
    addition.note(noted.clone());
    log.append(&addition, Durability::Durable).expect("there is room");
    let check = |log: &Log| {
        let session = log.session("a").expect("it is there");
        assert_eq!((session.raw_count, &session.details), (5, &noted));
        assert_eq!(read_raw(log, &session), records);
        assert_eq!(log.blob(&blob).expect("it is there"), b"a text of some length");
        let report = log.verify(&OneClaim, None).expect("it can be read");
        assert_eq!((report.damage, report.sessions[0].raw_vouched), (vec![], 5));
    };
    check(&log.log().expect("readers are welcome"));
    check(&Log::open(&killed(&path, "left.log")).expect("dead writers don't matter"));
    log.close().expect("there is room");
    check(&Log::open(&path).expect("it was closed"));
}

#[test]
fn batched_appends_are_there_with_the_next_durable_one() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    log.append(&addition("a", 0..3), Durability::Batched).expect("there is room");
    check(&log.log().expect("readers are welcome"), &[]);
    append(&log, "b", 0..1);
    check(&log.log().expect("readers are welcome"), &[("a", 3), ("b", 1)]);
    log.append(&addition("a", 3..4), Durability::Batched).expect("there is room");
    log.sync().expect("there is room");
    check(&log.log().expect("readers are welcome"), &[("a", 4), ("b", 1)]);
    log.append(&addition("a", 4..6), Durability::Batched).expect("there is room");
    drop(log);
    check(&Log::open(&path).expect("it was closed"), &[("a", 6), ("b", 1)]);
}

#[test]
fn many_writers_share_a_log_through_many_regions() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    let big = vec![7; 20_000];
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (log, big) = (&log, &big);
            scope.spawn(move || {
                let session = number.to_string();
                for index in 0..40 {
                    let mut addition = Addition::to(&session).at(index);
                    addition.push(big);
                    log.append(&addition, Durability::Durable).expect("there is room");
                }
            });
        }
    });
    assert!(log.waits() > 0, "the tail is shorter than what was written");
    let reader = log.log().expect("readers are welcome");
    let sessions = reader.sessions().expect("it is whole");
    assert_eq!(sessions.iter().map(|session| session.event_count).collect::<Vec<_>>(), [40; 8]);
    assert!(sessions.iter().all(|session| read_all(&reader, session).iter().all(|payload| *payload == big)));
    log.close().expect("there is room");
    assert_eq!(Log::open(&path).expect("it was closed").verify(&OneClaim, None).expect("it can be read").damage, []);
}

#[test]
fn long_items_and_batches_go_into_the_database() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..3);
    let mut long = Addition::to("long").at(0);
    long.push(&vec![1; 200_000]);
    log.append(&long, Durability::Batched).expect("there is room");
    append(&log, "a", 3..900);
    append(&log, "a", 900..901);
    let left = killed(&path, "left.log");
    let reader = Log::open(&left).expect("dead writers don't matter");
    let sessions = reader.sessions().expect("it is whole");
    assert_eq!(sessions.iter().map(|session| session.event_count).collect::<Vec<_>>(), [901, 1]);
    assert_eq!(read_all(&reader, &sessions[0]), payloads(901));
}

#[test]
fn a_tail_that_is_not_its_own_is_refused_and_a_missing_one_is_told() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..3);
    let (_other_folder, other) = place();
    let others = EventLog::create(&other, &Options { id: [1; 16], ..OPTIONS }).expect("the place is empty");
    append(&others, "a", 0..1);

    let mixed = killed(&path, "mixed.log");
    fs::copy(tail_of(&other), tail_of(&mixed)).expect("there is room");
    let error = Log::open(&mixed).map(drop).expect_err("another log's");
    assert!(
        error
            .to_string()
            .ends_with("mixed.log-tail belongs to another log; put it back beside that one, or move it away")
    );
    assert!(matches!(Writer::open(&mixed, None).map(drop), Err(LogError::ForeignTail(_))));

    let alone = killed(&path, "alone.log");
    fs::remove_file(tail_of(&alone)).expect("it is there");
    let reader = Log::open(&alone).expect("what is there can be read");
    check_told(reader.tail_damage().map(ToString::to_string));
    assert_eq!(reader.sessions().expect("it is whole"), []);
    assert_eq!(reader.verify(&OneClaim, None).expect("it can be read").head, None);
    let writer = Writer::open(&alone, None).expect("a writer goes on");
    check_told(writer.tail_damage().map(ToString::to_string));
    writer.close().expect("there is room");
    assert_eq!(Log::open(&alone).expect("it was closed").tail_damage(), None);
}

fn check_told(told: Option<String>) {
    let expected =
        "the file: alone.log-tail isn't beside it, so that the events that were appended last may be missing";
    assert_eq!(told.as_deref(), Some(expected));
}

#[test]
fn a_second_writer_is_refused_and_told_who_writes() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    for refused in [EventLog::open(&path, &OPTIONS).map(drop), Writer::open(&path, None).map(drop)] {
        let sentence = refused.expect_err("one writer at a time").to_string();
        let expected = format!("is in use by process {}; wait until it is done, or work on a copy", std::process::id());
        assert!(sentence.ends_with(&expected), "{sentence}");
    }
    append(&log, "a", 0..1);
}

#[test]
fn a_closed_session_stays_closed_and_an_empty_one_is_there() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    log.append(&Addition::to("a").at(0), Durability::Durable).expect("there is room");
    check(&log.log().expect("readers are welcome"), &[("a", 0)]);
    let mut closing = addition("a", 0..1);
    closing.note(details(5, 6));
    log.append(&closing, Durability::Durable).expect("there is room");
    append(&log, "a", 1..2);
    log.close().expect("there is room");
    let log = EventLog::open(&path, &OPTIONS).expect("it was closed");
    append(&log, "a", 2..400);
    append(&log, "a", 400..401);
    log.close().expect("there is room");
    let session = Log::open(&path).expect("it was closed").session("a").expect("it is there");
    assert_eq!((session.event_count, session.details), (401, details(5, 6)));
}

/// A changed byte among what was acknowledged is told, and never taken for the end.
#[test]
fn a_damaged_tail_is_told_and_not_carried_on() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    (0..20).for_each(|index| append(&log, "a", index..index + 1));
    let left = killed(&path, "left.log");
    log.close().expect("there is room");
    let whole = fs::read(tail_of(&left)).expect("it is there");
    // Header, the name of the session, what is noted about it, and the events: some 4 kB.
    for at in (200..3000).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        fs::write(tail_of(&left), damaged).expect("there is room");
        let log = Log::open(&left).expect("what is there can be read");
        assert!(log.tail_damage().is_some(), "byte {at}");
        for session in log.sessions().expect("the rest is whole") {
            assert_eq!(read_all(&log, &session), payloads(session.event_count));
            assert!(session.event_count < 20);
        }
        assert_eq!(log.verify(&OneClaim, None).expect("it can be read").head, None);
        drop(log);
        assert!(matches!(Writer::open(&left, None).map(drop), Err(LogError::Damaged { .. })), "byte {at}");
    }
    fs::write(tail_of(&left), whole).expect("there is room");
    check(&Log::open(&left).expect("dead writers don't matter"), &[("a", 20)]);
}

/// What could never be put into the database is refused before it is accepted, and the log takes what comes next.
#[test]
fn what_is_no_event_is_refused_and_the_log_goes_on() {
    let (_folder, path) = place();
    let options = Options { new_fold: Some(new_fold), ..OPTIONS };
    let log = EventLog::create(&path, &options).expect("the place is empty");
    let kind = EventKind::TurnEnded;
    let turn_ended = Event { time: Timestamp(1), turn: None, cause: None, origin: Origin::Recorded, kind };
    let mut event = Vec::new();
    codec::encode(&turn_ended, &[], &mut event).expect("it is small");
    for count in [1, 300] {
        let mut addition = Addition::to("a");
        (0..count).for_each(|_| addition.push(&event));
        let before = log.append(&addition, Durability::Durable).expect("they are events").events.end;
        addition.push(b"\xff no event");
        let refused = log.append(&addition, Durability::Durable).expect_err("one isn't");
        let number = before + count + 1;
        assert!(matches!(&refused, LogError::Refused { number: at, .. } if *at == number), "{refused}");
        assert_eq!(log.counts("a"), Some((before, 0)));
    }
    let mut one = Addition::to("a");
    one.push(&event);
    assert_eq!(log.append(&one, Durability::Durable).expect("the log goes on").events, 301..302);
    log.close().expect("there is room");
    assert_eq!(Log::open(&path).expect("it was closed").session("a").expect("it is there").event_count, 302);
}
