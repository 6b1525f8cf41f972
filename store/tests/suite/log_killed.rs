//! A writer that is killed again and again: each acknowledged event is there once, in order, for whoever reads, follows or
//! goes on writing.
//!
//! `REPLAY_KILLS` says how often.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use replay_store::log::{Addition, Durability, EventLog, Follower, Log, LogError, Options};

use crate::log::{OneClaim, payload, place, read_all};
use crate::log_faults::Numbers;

const SESSIONS: u64 = 8;
const KILLS: u64 = 40;

/// Names the log for the process that is to be killed.
const LOG: &str = "REPLAY_KILLED_LOG";

/// Appends from a thread a session, and says on stdout what was acknowledged.
fn write(log: &EventLog, appends: u64) {
    thread::scope(|scope| {
        for number in 0..SESSIONS {
            scope.spawn(move || {
                let session = number.to_string();
                for append in 0..appends {
                    let from = log.counts(&session).map_or(0, |(events, _)| events);
                    // Now and then a batch that goes past the tail.
                    let count = if (append + 1) % 97 == 0 { 300 } else { 1 + append % 3 };
                    let mut addition = Addition::to(&session).at(from);
                    (from..from + count).for_each(|position| addition.push(&payload(position)));
                    log.append(&addition, Durability::Durable).expect("there is room");
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "kept {session} {}", from + count).expect("somebody reads");
                }
            });
        }
    });
}

fn check(log: &Log, kept: &BTreeMap<String, u64>) {
    for (session, count) in kept {
        let session = log.session(session).expect("it was acknowledged");
        assert!(*count <= session.event_count, "{}: {} of {count} are there", session.id, session.event_count);
    }
    for session in log.sessions().expect("it is whole") {
        let payloads = read_all(log, &session);
        assert!((0..).zip(&payloads).all(|(position, bytes)| *bytes == payload(position)), "{}", session.id);
    }
    assert_eq!(log.verify(&OneClaim, None).expect("it can be read").damage, []);
}

/// This test is also the process that is killed.
#[test]
fn eight_sessions_are_written_at_once() {
    if let Some(path) = std::env::var_os(LOG) {
        let path = Path::new(&path);
        let options = Options { new_fold: None, id: [9; 16] };
        let log = if path.exists() { EventLog::open(path, &options) } else { EventLog::create(path, &options) };
        write(&log.expect("the log can be written"), u64::MAX);
    }
    let (_folder, path) = place();
    let log = EventLog::create(&path, &Options::default()).expect("the place is empty");
    write(&log, 20);
    log.close().expect("there is room");
    let expected = (0..SESSIONS).map(|number| (number.to_string(), 39)).collect();
    check(&Log::open(&path).expect("it was closed"), &expected);
}

#[test]
fn a_killed_writer_loses_nothing_that_it_acknowledged() {
    let kills = std::env::var("REPLAY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let (_folder, path) = place();
    let followed = Followed::default();
    let mut kept = BTreeMap::new();
    thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&path, &followed));
        let _over = Over(&followed);
        let mut numbers = Numbers(7);
        for kill in 0..kills {
            round(&path, 20 + numbers.below(400) as u64, &mut kept);
            let log = Log::open(&path).expect("a log whose writer was killed is read");
            check(&log, &kept);
            assert_eq!(followed.now(&follower), counts(&log), "kill {kill}");
            if kill % 8 == 7 {
                drop(log);
                let log = EventLog::open(&path, &Options::default()).expect("a writer goes on");
                log.close().expect("there is room");
                check(&Log::open(&path).expect("it was closed"), &kept);
            }
        }
    });
}

/// A writer that is killed while it opens the log leaves a database that was closed, beside a tail that is open. What its
/// predecessor had no time to acknowledge is there for whoever opens the log, and so for whoever follows it.
#[test]
fn what_is_left_beside_a_database_that_was_closed_is_followed() {
    let (_folder, path) = place();
    let mut follower = Follower::new(&path, BTreeMap::new());
    let mut followed: BTreeMap<String, u64> = BTreeMap::new();
    let mut writer = writer(&path);
    let mut lines = BufReader::new(writer.stdout.take().expect("it is piped")).lines();
    let mut take = |count: usize| {
        let kept = lines.by_ref().map(|line| line.expect("lines are text")).filter(|line| line.starts_with("kept"));
        assert_eq!(kept.take(count).count(), count);
    };
    take(20);
    look(&mut follower, &mut followed);
    take(20);
    writer.kill().expect("it runs");
    writer.wait().expect("it runs");
    unmark(&path.with_file_name("session.log-tail"));
    close_database(&path);
    let log = Log::open(&path).expect("a log whose writer was killed is read");
    assert_eq!(look(&mut follower, &mut followed), counts(&log));
}

/// A follower that opened the log while its writer died may have read the tail before the last of it was written.
#[test]
fn what_a_writer_wrote_while_the_log_was_opened_is_followed() {
    let (_folder, path) = place();
    let mut kept = BTreeMap::new();
    let tail = path.with_file_name("session.log-tail");
    let whole = loop {
        round(&path, 30, &mut kept);
        unmark(&tail);
        let bytes = std::fs::read(&tail).expect("a killed writer leaves it");
        if bytes.iter().rposition(|byte| *byte != 0).is_some_and(|end| end > 1000) {
            break bytes;
        }
    };
    let full = counts(&Log::open(&path).expect("it is read"));
    // The last group, or a part of it, isn't there yet.
    let mut cut = whole.clone();
    let mut end = cut.iter().rposition(|byte| *byte != 0).expect("something was appended");
    let before = loop {
        end -= 50;
        cut[end..].fill(0);
        write_in_place(&tail, &cut);
        let before = counts(&Log::open(&path).expect("it is read"));
        if before != full {
            break before;
        }
    };
    let mut follower = Follower::new(&path, BTreeMap::new());
    let mut followed: BTreeMap<String, u64> = BTreeMap::new();
    assert_eq!(look(&mut follower, &mut followed), before);
    write_in_place(&tail, &whole);
    assert_eq!(look(&mut follower, &mut followed), full);
}

/// Lets a follower look, and returns how many events of each session it was given so far.
fn look(follower: &mut Follower, followed: &mut BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let counted = follower.look(|event| {
        *followed.entry(event.session.to_string()).or_default() += 1;
        Ok::<(), LogError>(())
    });
    counted.expect("it is there");
    followed.clone()
}

/// Writes a file without making another one in its place.
fn write_in_place(path: &Path, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).expect("it is there");
    file.write_all(bytes).expect("there is room");
}

/// Takes away the mark behind the last group, as if the writer had been killed before it stood there.
fn unmark(tail: &Path) {
    const LEN: usize = 24;
    let mut bytes = std::fs::read(tail).expect("a killed writer leaves it");
    let field = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let is_mark = |at: &usize| {
        let sum = crc32fast::hash(&bytes[at + 8..at + LEN]).to_le_bytes();
        bytes[*at..at + 4] == [0xff; 4] && bytes[at + 4..at + 8] == sum
    };
    // Generation and number grow with each.
    let last = (0..bytes.len() - LEN).filter(is_mark).max_by_key(|at| (field(at + 8), field(at + 16)));
    // The next group stands where the mark was, so that there is none where the writer was killed right then.
    if let Some(last) = last {
        bytes[last..last + LEN].fill(0);
        std::fs::write(tail, bytes).expect("there is room");
    }
}

/// Takes away what says that the database was not closed.
fn close_database(path: &Path) {
    let mut bytes = std::fs::read(path).expect("it is there");
    bytes[9] &= !2;
    std::fs::write(path, bytes).expect("there is room");
}

/// Returns how many events each session holds.
fn counts(log: &Log) -> BTreeMap<String, u64> {
    let sessions = log.sessions().expect("it is whole");
    sessions.iter().map(|session| (session.id.to_string(), session.event_count)).collect()
}

/// How many events of each session a follower was given.
#[derive(Default)]
struct Followed {
    counts: Mutex<BTreeMap<String, u64>>,
    /// How often it was asked for, and for which of these it has looked since.
    asked: AtomicU64,
    answered: AtomicU64,
}

/// Asks the follower to end.
const OVER: u64 = u64::MAX;

/// Lets the follower end, also where a check fails.
struct Over<'a>(&'a Followed);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.asked.store(OVER, Ordering::SeqCst);
    }
}

impl Followed {
    /// Returns what a look that begins now finds.
    fn now(&self, follower: &ScopedJoinHandle<'_, ()>) -> BTreeMap<String, u64> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        while self.answered.load(Ordering::SeqCst) < asked {
            assert!(!follower.is_finished(), "a follower doesn't panic");
            thread::sleep(Duration::from_millis(1));
        }
        self.counts.lock().expect("a follower doesn't panic").clone()
    }
}

/// Starts the process that writes until it is killed.
fn writer(path: &Path) -> Child {
    let program = std::env::current_exe().expect("it runs");
    Command::new(program)
        .args(["log_killed::eight_sessions_are_written_at_once", "--exact", "--nocapture"])
        .env(LOG, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Lets a process write until it has acknowledged so many appends, and kills it.
fn round(path: &Path, appends: u64, kept: &mut BTreeMap<String, u64>) {
    let mut writer = writer(path);
    let mut lines = BufReader::new(writer.stdout.take().expect("it is piped")).lines();
    let mut take = |line: String| {
        let words: Vec<&str> = line.split(' ').collect();
        // A line that was cut off doesn't count, and neither do those of the test harness.
        if let ["kept", session, count] = words[..]
            && let Ok(count) = count.parse()
        {
            kept.insert(session.to_owned(), count);
        }
    };
    for _ in 0..appends {
        take(lines.next().expect("it writes until it is killed").expect("lines are text"));
    }
    writer.kill().expect("it runs");
    writer.wait().expect("it runs");
    let mut rest: Vec<String> = lines.map_while(Result::ok).collect();
    // The last one may be cut, so that its number is another one.
    rest.pop();
    rest.into_iter().for_each(take);
}

/// Follows the log until it is over; each event comes once and in order.
fn follow(path: &Path, followed: &Followed) {
    let mut follower = Follower::new(path, BTreeMap::new());
    loop {
        let asked = followed.asked.load(Ordering::SeqCst);
        if asked == OVER {
            return;
        }
        let mut counts = followed.counts.lock().expect("nobody panics");
        let looked = follower.look(|event| {
            let next = counts.entry(event.session.to_string()).or_default();
            assert_eq!((event.position, event.payload), (*next, &payload(*next)[..]));
            *next += 1;
            Ok::<(), LogError>(())
        });
        match looked {
            Ok(_) => followed.answered.store(asked, Ordering::SeqCst),
            // It isn't there before the first writer made it, and is made step by step.
            Err(LogError::Missing(_) | LogError::NotALog(_)) if counts.is_empty() => {}
            Err(error) => panic!("{error}"),
        }
        drop(counts);
        thread::sleep(Duration::from_millis(1));
    }
}
