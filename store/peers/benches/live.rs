//! The log while it is written, beside a bare file, SQLite, redb and fjall: paired runs, medians.
//!
//! `cargo bench --manifest-path store/peers/Cargo.toml [-- ROUNDS] [PART]`, where a part is one of those in `main`.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fjall::{KeyspaceCreateOptions, PersistMode};
use redb::TableDefinition;
use replay_store::log::{Addition, Durability, EventLog, Log, LogError, Options, Writer};

/// Bytes of an event.
const EVENT: usize = 79;
/// Durable appends in a run.
const SINGLE: u64 = 400;
/// Commits in a run, and events in each.
const COMMITS: u64 = 20;
const COMMIT: u64 = 1000;
const TABLE: TableDefinition<'static, u64, &[u8]> = TableDefinition::new("event");

/// Takes events: some more are durable when `append` returns.
trait Engine {
    fn append(&mut self, first: u64, count: u64);
}

/// How long one append takes, and how many bytes were written for it.
#[derive(Clone, Copy)]
struct Run {
    micros: f64,
    bytes: f64,
}

type Make = fn(&Path) -> Box<dyn Engine>;

const ENGINES: [(&str, Make); 6] = [
    ("raw, preallocated", |path| Box::new(Raw::new(path, 4 << 20))),
    ("replay log", |path| Box::new(Ours::new(path))),
    ("sqlite, new file", |path| Box::new(Sqlite::new(path))),
    ("sqlite, log recycled", |path| {
        let mut sqlite = Sqlite::new(path);
        (0..2500).for_each(|index| sqlite.append(u64::MAX / 2 + index, 1));
        Box::new(sqlite)
    }),
    ("redb rows", |path| Box::new(Redb::new(path))),
    ("fjall", |path| Box::new(Fjall::new(path))),
];

fn main() {
    let rounds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(7);
    // Beside the crate, because a folder for what is temporary may lie in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder for the bench");
    let parts: [(&str, fn(&Path, usize)); 5] =
        [("singles", singles), ("commits", commits), ("followed", followed), ("waiting", waiting), ("opened", opened)];
    let is_named = |name: &str| std::env::args().skip(1).any(|argument| argument == name);
    let is_all = !parts.iter().any(|(name, _)| is_named(name));
    for (_, part) in parts.iter().filter(|(name, _)| is_all || is_named(name)) {
        part(folder.path(), rounds);
    }
}

fn singles(folder: &Path, rounds: usize) {
    println!("durable append of one event of {EVENT} bytes, {SINGLE} a run, {rounds} rounds");
    let mut runs: Vec<Vec<Run>> = vec![Vec::new(); ENGINES.len()];
    for round in 0..rounds {
        for (place, (_, make)) in ENGINES.iter().enumerate() {
            let path = folder.join(format!("single-{round}-{place}"));
            let mut engine = make(&path);
            engine.append(0, 1);
            let before = written();
            let micros = p50((1..=SINGLE).map(|index| micros(|| engine.append(index, 1))).collect());
            runs[place].push(Run { micros, bytes: (written() - before) as f64 / SINGLE as f64 });
        }
    }
    for (place, (name, _)) in ENGINES.iter().enumerate() {
        let ratio = |to: usize, of: fn(&Run) -> f64| {
            p50((0..rounds).map(|round| of(&runs[1][round]) / of(&runs[to][round])).collect())
        };
        println!(
            "  {name:22} {:7.0} us p50 {:7.0} bytes   the log takes {:.2} of its time, {:.2} of its bytes",
            p50(runs[place].iter().map(|run| run.micros).collect()),
            p50(runs[place].iter().map(|run| run.bytes).collect()),
            ratio(place, |run| run.micros),
            ratio(place, |run| run.bytes),
        );
    }
}

fn commits(folder: &Path, rounds: usize) {
    println!("commits of {COMMIT} events, {COMMITS} a run");
    let mut rates: Vec<Vec<f64>> = vec![Vec::new(); ENGINES.len()];
    for round in 0..rounds {
        for (place, (_, make)) in ENGINES.iter().enumerate() {
            let mut engine = make(&folder.join(format!("commit-{round}-{place}")));
            let taken = micros(|| (0..COMMITS).for_each(|commit| engine.append(commit * COMMIT, COMMIT)));
            rates[place].push((COMMIT * COMMITS) as f64 / taken);
        }
    }
    for (place, (name, _)) in ENGINES.iter().enumerate() {
        let ratio = p50((0..rounds).map(|round| rates[1][round] / rates[place][round]).collect());
        println!("  {name:22} {:7.2} M events/s   the log makes {ratio:.2} times as many", p50(rates[place].clone()));
    }
}

/// What a follower sees, how late, and what it costs the writer. A pause between the appends lets both come to rest.
fn followed(folder: &Path, rounds: usize) {
    let (mut alone, mut beside, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        for with_follower in [false, true] {
            let path = folder.join(format!("followed-{round}-{with_follower}"));
            let mut log = Ours::new(&path);
            let over = Arc::new(AtomicBool::new(false));
            let follower = with_follower.then(|| follower(&log.0, &over));
            let mut acknowledged = Vec::new();
            let append = |index: u64| {
                let taken = micros(|| log.append(index, 1));
                acknowledged.push(Instant::now());
                thread::sleep(Duration::from_micros(300));
                taken
            };
            let taken = p50((0..SINGLE).map(append).collect());
            over.store(true, Ordering::SeqCst);
            match follower {
                None => alone.push(taken),
                Some(follower) => {
                    beside.push(taken);
                    let seen = follower.join().expect("the follower doesn't panic");
                    late.extend(seen.iter().zip(&acknowledged).map(|(seen, acknowledged)| {
                        let (late, early) = (
                            seen.saturating_duration_since(*acknowledged),
                            acknowledged.saturating_duration_since(*seen),
                        );
                        (late.as_secs_f64() - early.as_secs_f64()) * 1e6
                    }));
                }
            }
        }
    }
    let slower = p50(alone.iter().zip(&beside).map(|(alone, beside)| beside / alone).collect());
    late.sort_by(f64::total_cmp);
    println!("a follower in the same process, appends 300 us apart");
    println!(
        "  sees an event {:.0} us p50, {:.0} us p99 behind its acknowledgement",
        late[late.len() / 2],
        late[late.len() * 99 / 100]
    );
    println!("  the writer takes {slower:.2} of the time that it takes alone");
}

fn follower(log: &EventLog, over: &Arc<AtomicBool>) -> thread::JoinHandle<Vec<Instant>> {
    let mut follower = log.follow(Default::default());
    follower.look(|_| Ok::<(), LogError>(())).expect("it can be read");
    let over = Arc::clone(over);
    thread::spawn(move || {
        let mut seen = Vec::new();
        while !over.load(Ordering::SeqCst) || (seen.len() as u64) < SINGLE {
            let looked = follower.wait(Duration::from_millis(100), |_| {
                seen.push(Instant::now());
                Ok::<(), LogError>(())
            });
            looked.expect("it can be read");
        }
        seen
    })
}

/// Threads that each wait for their own event.
fn waiting(folder: &Path, rounds: usize) {
    const THREADS: u64 = 256;
    const EACH: u64 = 40;
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let file = GroupedRaw::new(&folder.join(format!("waiting-raw-{round}")));
        raw.push(micros(|| threads(THREADS, |_| (0..EACH).for_each(|index| file.append(&event(index))))));
        let log = Ours::new(&folder.join(format!("waiting-{round}")));
        let append = |thread: u64| {
            let session = format!("session {}", thread % 64);
            for index in 0..EACH {
                let mut addition = Addition::to(&session);
                addition.push(&event(index));
                log.0.append(&addition, Durability::Durable).expect("there is room");
            }
        };
        ours.push(micros(|| threads(THREADS, append)));
    }
    let rate = |taken: &[f64]| (THREADS * EACH) as f64 * 1e3 / p50(taken.to_vec());
    let ratio = p50(raw.iter().zip(&ours).map(|(raw, ours)| raw / ours).collect());
    println!("{THREADS} threads on 64 sessions, each waits for its event");
    println!(
        "  raw, one writes for all {:.1} k events/s, the log {:.1} k events/s: {ratio:.2} times as many",
        rate(&raw),
        rate(&ours)
    );
}

fn threads(count: u64, work: impl Fn(u64) + Sync) {
    thread::scope(|scope| {
        (0..count).for_each(|thread| {
            drop(scope.spawn({
                let work = &work;
                move || work(thread)
            }))
        })
    });
}

/// Opening a log whose writer was killed: its two files as they are at that moment.
fn opened(folder: &Path, rounds: usize) {
    println!("opening after the writer was killed");
    for count in [10_000, 100_000, 1_000_000] {
        let path = folder.join(format!("killed-{count}"));
        let mut log = Ours::new(&path);
        (0..count / 10_000).for_each(|batch| log.append(batch * 10_000, 10_000));
        (0..500).for_each(|index| log.append(count + index, 1));
        let left = folder.join(format!("left-{count}"));
        for end in ["", "-tail"] {
            let name = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
            fs::copy(name(&path), name(&left)).expect("there is room");
        }
        let open = || {
            let log = Log::open(&left).expect("dead writers don't matter");
            assert_eq!(log.session("a").expect("it is there").event_count, count + 500);
        };
        open();
        println!("  {count:9} events: {:.2} ms to read", p50((0..3 * rounds).map(|_| micros(open)).collect()) / 1e3);
        let begun = Instant::now();
        drop(Writer::open(&left, None).expect("dead writers don't matter"));
        println!("                    {:.2} ms to write on", begun.elapsed().as_secs_f64() * 1e3);
    }
}

fn event(index: u64) -> Vec<u8> {
    let mut bytes = index.to_le_bytes().to_vec();
    bytes.extend((bytes.len()..EVENT).map(|place| (index as usize * 7 + place * 13) as u8));
    bytes
}

fn micros(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64() * 1e6
}

fn p50(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns how many bytes this process sent to the disk so far.
fn written() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    line.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A file whose length is set ahead.
struct Raw {
    file: File,
    at: u64,
}

impl Raw {
    fn new(path: &Path, len: u64) -> Raw {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path).expect("there is room");
        // Page by page: a later write counts as much as what was written at once.
        for at in (0..len).step_by(1 << 12) {
            file.write_all_at(&[0; 1 << 12], at).expect("there is room");
        }
        file.sync_all().expect("there is room");
        Raw { file, at: 0 }
    }
}

impl Engine for Raw {
    fn append(&mut self, first: u64, count: u64) {
        let bytes: Vec<u8> = (first..first + count).flat_map(event).collect();
        self.file.write_all_at(&bytes, self.at).expect("there is room");
        self.file.sync_data().expect("there is room");
        self.at += bytes.len() as u64;
    }
}

/// The same for many threads: the first who waits writes for all.
struct GroupedRaw {
    file: Raw,
    state: Mutex<Grouped>,
    changed: Condvar,
}

#[derive(Default)]
struct Grouped {
    staged: Vec<u8>,
    at: u64,
    next: u64,
    durable: u64,
    is_writing: bool,
}

impl GroupedRaw {
    fn new(path: &Path) -> GroupedRaw {
        GroupedRaw { file: Raw::new(path, 8 << 20), state: Mutex::default(), changed: Condvar::new() }
    }

    fn append(&self, bytes: &[u8]) {
        const WHOLE: &str = "nobody panics";
        let mut state = self.state.lock().expect(WHOLE);
        state.staged.extend_from_slice(bytes);
        state.next += 1;
        let mine = state.next;
        while state.durable < mine {
            if state.is_writing {
                state = self.changed.wait(state).expect(WHOLE);
                continue;
            }
            state.is_writing = true;
            let (bytes, at, next) = (std::mem::take(&mut state.staged), state.at, state.next);
            state.at += bytes.len() as u64;
            drop(state);
            self.file.file.write_all_at(&bytes, at).expect("there is room");
            self.file.file.sync_data().expect("there is room");
            state = self.state.lock().expect(WHOLE);
            (state.is_writing, state.durable) = (false, next);
            self.changed.notify_all();
        }
    }
}

struct Ours(EventLog);

impl Ours {
    fn new(path: &Path) -> Ours {
        Ours(EventLog::create(path, &Options { new_fold: None, id: [7; 16] }).expect("the place is empty"))
    }
}

impl Engine for Ours {
    fn append(&mut self, first: u64, count: u64) {
        let mut addition = Addition::to("a");
        (first..first + count).for_each(|index| addition.push(&event(index)));
        self.0.append(&addition, Durability::Durable).expect("there is room");
    }
}

struct Sqlite(rusqlite::Connection);

impl Sqlite {
    fn new(path: &Path) -> Sqlite {
        let connection = rusqlite::Connection::open(path).expect("the place is empty");
        let setup = "pragma journal_mode = wal; pragma synchronous = full; create table event (seq integer primary key, bytes blob)";
        connection.execute_batch(setup).expect("there is room");
        Sqlite(connection)
    }
}

impl Engine for Sqlite {
    fn append(&mut self, first: u64, count: u64) {
        let transaction = self.0.transaction().expect("nobody else writes");
        {
            let mut insert =
                transaction.prepare_cached("insert into event values (?1, ?2)").expect("the table is there");
            for index in first..first + count {
                insert.execute((index as i64, event(index))).expect("there is room");
            }
        }
        transaction.commit().expect("there is room");
    }
}

struct Redb(redb::Database);

impl Redb {
    fn new(path: &Path) -> Redb {
        Redb(redb::Database::create(path).expect("the place is empty"))
    }
}

impl Engine for Redb {
    fn append(&mut self, first: u64, count: u64) {
        let transaction = self.0.begin_write().expect("nobody else writes");
        {
            let mut table = transaction.open_table(TABLE).expect("there is room");
            for index in first..first + count {
                table.insert(index, &event(index)[..]).expect("there is room");
            }
        }
        transaction.commit().expect("there is room");
    }
}

struct Fjall(fjall::Database, fjall::Keyspace);

impl Fjall {
    fn new(path: &Path) -> Fjall {
        let database = fjall::Database::builder(path).open().expect("the place is empty");
        let keyspace = database.keyspace("event", KeyspaceCreateOptions::default).expect("there is room");
        Fjall(database, keyspace)
    }
}

impl Engine for Fjall {
    fn append(&mut self, first: u64, count: u64) {
        let mut batch = self.0.batch();
        for index in first..first + count {
            batch.insert(&self.1, index.to_be_bytes(), event(index));
        }
        batch.commit().expect("there is room");
        self.0.persist(PersistMode::SyncData).expect("there is room");
    }
}
