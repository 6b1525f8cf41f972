//! Following a log that somebody else writes: each event once, in order, and a plain word where the log isn't the same.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use replay_store::digest::Digest;
use replay_store::log::{Addition, Arrived, Durability, EventLog, Followed, Follower, Log, LogError, Writer, Writing};

use crate::log::{OneClaim, details, payload, place};
use crate::log_live::{OPTIONS, addition, append, killed};

/// Looks at a log until the follower has handed out so many events.
fn follow(follower: &mut Follower, seen: &mut Vec<(String, u64)>) -> u64 {
    let looked = follower.look(|event| {
        assert_eq!(event.payload, payload(event.position));
        seen.push((event.session.to_string(), event.position));
        Ok::<(), LogError>(())
    });
    looked.expect("the log can be read")
}

#[test]
fn a_follower_gets_every_event_once_whatever_the_writer_does() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..5);
    let mut follower = Follower::new(&path, [("a".into(), 3)].into());
    let mut seen = Vec::new();
    let a = |range: std::ops::Range<u64>| range.map(|at| ("a".to_owned(), at)).collect::<Vec<_>>();
    assert_eq!(follow(&mut follower, &mut seen), 2);
    assert_eq!(follow(&mut follower, &mut seen), 0);
    append(&log, "a", 5..6);
    assert_eq!(follow(&mut follower, &mut seen), 1);
    append(&log, "a", 6..400);
    append(&log, "a", 400..402);
    assert_eq!(follow(&mut follower, &mut seen), 396);
    assert_eq!(seen, a(3..402));
    // Through regions of the tail, some of them unseen.
    for from in (402..30_000).step_by(200) {
        append(&log, "a", from..from + 200);
        if from % 7 == 0 {
            follow(&mut follower, &mut seen);
        }
    }
    log.append(&addition("a", 30_002..30_003), Durability::Batched).expect("there is room");
    let before = seen.len();
    follow(&mut follower, &mut seen);
    assert_eq!(seen.len(), 30_002 - 3);
    assert!(before < seen.len());
    log.close().expect("there is room");
    assert_eq!(follow(&mut follower, &mut seen), 1);
    assert_eq!(follow(&mut follower, &mut seen), 0);
    let log = EventLog::open(&path, &OPTIONS).expect("it was closed");
    append(&log, "b", 0..1);
    append(&log, "a", 30_003..30_004);
    assert_eq!(follow(&mut follower, &mut seen), 2);
    assert_eq!(seen.pop(), Some(("b".to_owned(), 0)));
    assert_eq!(seen.pop(), Some(("a".to_owned(), 30_003)));
    assert_eq!(seen, a(3..30_003));
    fs::remove_file(&path).expect("it is there");
    drop(log);
    let gone = follower.look(|_| Ok::<(), LogError>(())).expect_err("it was deleted");
    assert!(matches!(gone, LogError::Missing(_)), "{gone}");
}

/// Looks once more at a log that something was done to.
fn look(follower: &mut Follower) -> Result<u64, LogError> {
    follower.look(|_| Ok::<(), LogError>(()))
}

fn written(path: &std::path::Path, session: &str, count: u64) {
    let log = EventLog::create(path, &OPTIONS).expect("the place is empty");
    append(&log, session, 0..count);
    log.close().expect("there is room");
}

#[test]
fn a_log_that_is_no_longer_the_same_is_told() {
    let (_folder, path) = place();
    let other = path.with_file_name("other.log");
    let check = |what: &str, change: &dyn Fn()| {
        written(&path, "a", 5);
        written(&other, "a", 4);
        let mut follower = Follower::new(&path, BTreeMap::new());
        assert_eq!(look(&mut follower).expect("it is whole"), 5);
        change();
        let told = look(&mut follower).expect_err(what);
        assert!(matches!(told, LogError::Replaced(_)), "{what}: {told}");
        fs::remove_file(&path).expect("it is there");
        if other.exists() {
            fs::remove_file(&other).expect("it is there");
        }
    };
    check("another file in its place", &|| fs::rename(&other, &path).expect("both are there"));
    check("another log copied over it", &|| assert!(fs::copy(&other, &path).expect("both are there") > 0));
    check("cut off", &|| drop(File::create(&path).expect("it can be written")));
    check("a text written over it", &|| fs::write(&path, "no log any more").expect("it can be written"));
}

#[test]
fn a_log_that_comes_back_is_followed_on() {
    let (_folder, path) = place();
    let aside = path.with_file_name("aside.log");
    written(&path, "a", 5);
    let mut follower = Follower::new(&path, BTreeMap::new());
    look(&mut follower).expect("it is whole");
    fs::rename(&path, &aside).expect("it is there");
    assert!(matches!(look(&mut follower), Err(LogError::Missing(_))));
    fs::rename(&aside, &path).expect("it is there");
    let log = EventLog::open(&path, &OPTIONS).expect("it was closed");
    append(&log, "a", 5..7);
    assert_eq!(look(&mut follower).expect("it is back"), 2);
}

/// What is new is seen by its content: the times of the file may be the same, or run backwards.
#[test]
fn new_events_are_seen_whatever_the_clock_says() {
    let (_folder, path) = place();
    written(&path, "a", 5);
    let mut follower = Follower::new(&path, BTreeMap::new());
    look(&mut follower).expect("it is whole");
    let first = fs::metadata(&path).expect("it is there").modified().expect("files have times");
    for (round, time) in [first, SystemTime::UNIX_EPOCH, first].into_iter().enumerate() {
        let from = 5 + round as u64;
        let mut writer = Writer::open(&path, None).expect("it was closed");
        let mut one = writer.append("a", from).expect("the position fits");
        one.push(&payload(from)).expect("there is room");
        one.commit(details(2, 1)).expect("there is room");
        writer.close().expect("there is room");
        File::options().write(true).open(&path).expect("it is there").set_modified(time).expect("it is ours");
        assert_eq!(look(&mut follower).expect("it is whole"), 1, "round {round}");
    }
}

#[test]
fn a_follower_knows_whether_somebody_writes() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..5);
    let left = killed(&path, "left.log");
    let mut follower = Follower::new(&path, BTreeMap::new());
    look(&mut follower).expect("it is whole");
    assert_eq!(follower.writing().expect("it can be read"), Writing::AtWork);
    log.close().expect("there is room");
    assert_eq!(follower.writing().expect("it can be read"), Writing::Nobody);
    let mut follower = Follower::new(&left, BTreeMap::new());
    look(&mut follower).expect("it is whole");
    assert_eq!(follower.writing().expect("it can be read"), Writing::Died);
    let log = EventLog::open(&left, &OPTIONS).expect("dead writers don't matter");
    assert_eq!(follower.writing().expect("it can be read"), Writing::AtWork);
    append(&log, "a", 5..6);
    assert_eq!(look(&mut follower).expect("it is whole"), 1);
}

#[test]
fn events_arrive_once_each_however_many_there_are() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    append(&log, "a", 0..5_000);
    let mut follower = log.follow([("a".into(), 1)].into());
    let writer = thread::spawn(move || {
        (5_000..5_050).for_each(|index| append(&log, "a", index..index + 1));
        log.close().expect("there is room");
    });
    // What an iterator leaves is there for the next one, and for a look.
    let long = Duration::from_secs(60);
    let first: Vec<_> = follower.arriving(long).take(100).collect();
    let then: Vec<_> = follower.arriving(long).take(1_500).collect();
    let mut arrived: Vec<_> = first.into_iter().chain(then).map(|one| one.expect("it is whole")).collect();
    let looked = follower.look(|Followed { session, position, payload }| {
        arrived.push(Arrived { session: session.clone(), position, payload: payload.to_vec() });
        Ok::<(), LogError>(())
    });
    assert!(looked.expect("it is whole") >= 3_399);
    let left = 5_049 - arrived.len();
    arrived.extend(follower.arriving(long).take(left).map(|one| one.expect("it is whole")));
    writer.join().expect("the writer doesn't panic");
    assert_eq!(arrived.len(), 5_049);
    for (position, one) in (1..).zip(arrived) {
        assert_eq!((one.position, one.payload), (position, payload(position)));
    }
    assert!(follower.arriving(Duration::ZERO).next().is_none());
    fs::remove_file(&path).expect("it is there");
    let mut gone = follower.arriving(Duration::from_secs(60));
    assert!(matches!(gone.next(), Some(Err(LogError::Missing(_)))));
    assert!(gone.next().is_none(), "it ends behind an error");
}

/// Who opens a log while a new writer takes over from a dead one sees it whole.
#[test]
fn a_new_writer_that_takes_over_is_no_damage() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    (0..900).step_by(150).for_each(|index| append(&log, "a", index..index + 150));
    for round in 0..20 {
        let left = killed(&path, &format!("left-{round}.log"));
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let log = EventLog::open(&left, &OPTIONS).expect("dead writers don't matter");
                append(&log, "a", 900..901);
                log.close().expect("there is room");
                over.store(true, Ordering::SeqCst);
            });
            let read = || {
                while !over.load(Ordering::SeqCst) {
                    let log = Log::open(&left).expect("the events are there at any time");
                    assert_eq!(log.tail_damage(), None, "round {round}");
                }
            };
            (0..3).for_each(|_| drop(scope.spawn(read)));
        });
    }
}

/// Returns an event that no compression makes smaller.
fn noise(position: u64) -> Vec<u8> {
    let part = |part: u64| Digest::of(&(position << 16 | part).to_le_bytes()).0;
    (0..125).flat_map(part).collect()
}

fn append_noise(log: &EventLog, session: &str, range: std::ops::Range<u64>) {
    let mut addition = Addition::to(session).at(range.start);
    range.for_each(|position| addition.push(&noise(position)));
    log.append(&addition, Durability::Durable).expect("there is room");
}

/// Who has the log of a dead writer open reads what was there, or is told that somebody writes it again. The log is larger
/// than what a reader keeps of it.
#[test]
fn a_new_writer_behind_a_reader_is_told_and_no_damage() {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    (0..6_000).step_by(1_000).for_each(|from| append_noise(&log, "a", from..from + 1_000));
    append_noise(&log, "a", 6_000..6_001);
    let left = killed(&path, "left.log");
    drop(log);
    let reader = Log::open(&left).expect("dead writers don't matter");
    assert_eq!(reader.writing(), Writing::Died);
    let session = reader.session("a").expect("it is there");
    let read =
        |range| {
            reader.read(&session, range, |position, bytes| {
                if bytes == noise(position) { Ok(()) } else { Err("another payload".to_owned()) }
            })
        };
    read(0..6_001).expect("nobody writes it");
    let log = EventLog::open(&left, &OPTIONS).expect("a writer goes on");
    (0..8).for_each(|batch| append(&log, &format!("b{batch}"), 0..300));
    append_noise(&log, "a", 6_001..6_300);
    log.close().expect("there is room");
    let mut told = 0;
    for error in [
        read(0..1).err(),
        read(5_900..6_001).err(),
        read(0..6_001).err(),
        reader.sessions().err(),
        reader.find_session("none").err(),
        reader.outline(&session).err(),
        reader.checkpoint(&session, 3_000).err(),
        reader.verify(&OneClaim, None).err(),
    ] {
        assert!(error.is_none() || matches!(error, Some(LogError::TakenOver(_))), "{error:?}");
        told += u64::from(error.is_some());
    }
    assert!(told > 0, "what was read was never changed");
    let expected = format!("{} is written again since it was opened; open it again", left.display());
    assert_eq!(LogError::TakenOver(left.clone()).to_string(), expected);
    assert_eq!(Log::open(&left).expect("it was closed").session("a").expect("it is there").event_count, 6_300);
}

/// Returns how large the file became while so many events were appended, and how many a follower saw.
fn largest(count: u64, is_followed: bool) -> (u64, u64) {
    let (_folder, path) = place();
    let log = EventLog::create(&path, &OPTIONS).expect("the place is empty");
    let mut follower = log.follow(BTreeMap::new());
    let (mut largest, mut seen) = (0, 0);
    for from in (0..count).step_by(100) {
        append(&log, "a", from..from + 100);
        if is_followed {
            seen += look(&mut follower).expect("it is whole");
        }
        largest = largest.max(fs::metadata(&path).expect("it is there").len());
    }
    (largest, seen)
}

/// A follower holds nothing that the writer would have to keep. `REPLAY_FOLLOWED` says how many events there are. How large
/// a file becomes depends on when its segments are sealed, so that one pair of logs out of three is enough.
#[test]
fn a_log_that_is_followed_grows_as_one_that_is_not() {
    let count = std::env::var("REPLAY_FOLLOWED").ok().and_then(|text| text.parse().ok()).unwrap_or(50_000);
    let mut pairs = Vec::new();
    for _ in 0..3 {
        let (alone, _) = largest(count, false);
        let (followed, seen) = largest(count, true);
        assert_eq!(seen, count);
        if followed * 10 <= alone * 13 {
            return;
        }
        pairs.push((followed, alone));
    }
    panic!("bytes with a follower and without: {pairs:?}");
}
