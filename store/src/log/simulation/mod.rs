//! Power cuts, drawn from a seed: the real code over a disk of our own. What was acknowledged is there afterwards, and
//! nothing else than what was appended.
//!
//! `REPLAY_POWER_CUTS` says how many runs there are; a run that fails names its seed.

mod disk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::addition::Addition;
use super::appending::{Appending, Durability};
use super::blocks::Files;
use super::error::LogError;
use super::pending::unsealed;
use super::planted::{Fault, PLANTED};
use super::read::{Log, Source};
use super::tail::Reader;
use super::verify::{Claim, Witness};
use super::write::Writer;
use disk::{Disk, Numbers};

const PATH: &str = "session.log";
const SESSIONS: u64 = 3;
const RUNS: u64 = 500;

/// What must hold.
#[derive(Default)]
struct Model {
    /// How many events of each session were acknowledged.
    acknowledged: BTreeMap<String, u64>,
    /// After how many events an append of it ended.
    ends: BTreeMap<String, BTreeSet<u64>>,
}

impl Model {
    fn append(&mut self, session: &str, end: u64) {
        self.ends.entry(session.to_owned()).or_insert_with(|| BTreeSet::from([0])).insert(end);
    }

    fn acknowledge(&mut self) {
        for (session, ends) in &self.ends {
            self.acknowledged.insert(session.clone(), *ends.last().expect("there is an end"));
        }
    }

    /// Checks a log that was opened after a cut, and takes what is there for what was appended.
    fn check(&mut self, log: &Log) -> Result<(), String> {
        let sessions = log.sessions().map_err(|error| error.to_string())?;
        let found: BTreeMap<String, u64> =
            sessions.iter().map(|session| (session.id.to_string(), session.event_count)).collect();
        for (session, acknowledged) in &self.acknowledged {
            let count = found.get(session).copied().unwrap_or(0);
            if count < *acknowledged {
                return Err(format!("{session} lost events {count} to {acknowledged}"));
            }
        }
        for session in &sessions {
            if !self.ends.get(session.id.as_str()).is_some_and(|ends| ends.contains(&session.event_count)) {
                return Err(format!("{} ends within an append, at {}", session.id, session.event_count));
            }
            let read = log.read(session, 0..session.event_count, |position, bytes| {
                if bytes == payload(&session.id, position) { Ok(()) } else { Err("another payload".to_owned()) }
            });
            read.map_err(|error| error.to_string())?;
        }
        let report = log.verify(&Silent, None).map_err(|error| error.to_string())?;
        if !report.damage.is_empty() {
            return Err(format!("damage: {:?}", report.damage));
        }
        Ok(())
    }

    /// Takes what is there for what was appended.
    fn settle(&mut self, log: &Log) -> Result<(), String> {
        self.acknowledged.clear();
        self.ends.clear();
        for session in log.sessions().map_err(|error| error.to_string())? {
            self.append(&session.id, session.event_count);
        }
        self.acknowledge();
        Ok(())
    }
}

struct Silent;

impl Witness for Silent {
    fn of_payload(&self, _: &[u8]) -> Result<Option<Claim>, String> {
        Ok(None)
    }

    fn of_metadata(&self, _: &[u8]) -> Result<Vec<Claim>, String> {
        Ok(Vec::new())
    }
}

/// Payloads are equally long but for a few, so that records of different rounds stand in the same places.
fn payload(session: &str, position: u64) -> Vec<u8> {
    let len = if position % 11 == 10 { 300 } else { 40 };
    let mut bytes = format!("{session}:{position}:").into_bytes();
    bytes.resize(len, b'.');
    bytes
}

fn make(disk: &Disk) -> Writer {
    let files: Arc<dyn Files> = Arc::new(disk.clone());
    let database = disk.open_database().expect("the power is on");
    Writer::fill(Path::new(PATH), files, database, None).expect("the power is on")
}

fn open(disk: &Disk) -> Result<Writer, LogError> {
    Writer::open_files(Path::new(PATH), Arc::new(disk.clone()), None)
}

/// Opens a copy of the log as a reader does whose writer is gone.
fn read(disk: &Disk) -> Result<Log, LogError> {
    let copy = disk.copy();
    let tail = copy.open_tail().expect("reading always works");
    let database = copy.open_database().map_err(|error| LogError::Stopped {
        path: PATH.into(),
        reason: format!("the database can't be opened: {error}"),
    })?;
    let log = Log::checked(Path::new(PATH), Source::Overlay(database))?;
    let row = log.view(&super::error::Place::File)?.tail_row()?;
    let found = unsealed(Path::new(PATH), row, tail.as_deref(), Reader::AfterWriter)?;
    log.with_tail(found)
}

/// What is done to a log.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Append { session: u64, count: u64, durability: Durability },
    Sync,
    Seal,
    Reopen,
}

impl Deed {
    fn draw(numbers: &mut Numbers) -> Deed {
        let session = numbers.below(SESSIONS);
        match numbers.below(40) {
            0 => Deed::Append { session, count: 256 + numbers.below(20), durability: Durability::Durable },
            1 => Deed::Sync,
            2..5 => Deed::Seal,
            5 => Deed::Reopen,
            6..12 => Deed::Append { session, count: 1 + numbers.below(3), durability: Durability::Batched },
            12.. => Deed::Append { session, count: 1 + numbers.below(4), durability: Durability::Durable },
        }
    }
}

/// A writer at work.
struct Work {
    appending: Appending,
    region_len: u64,
}

impl Work {
    fn start(disk: &Disk, region_len: u64, model: &mut Model) -> Result<Result<Work, LogError>, String> {
        let writer = match open(disk) {
            Ok(writer) => writer,
            Err(error) => return Ok(Err(error)),
        };
        model.check(writer.log())?;
        model.settle(writer.log())?;
        let appending = Appending::start(writer, [3; 16], region_len);
        Ok(appending.map(|appending| Work { appending, region_len }))
    }

    /// Does a deed. What was acknowledged goes into the model, and what may be there after a failure.
    fn deed(&mut self, deed: Deed, disk: &Disk, model: &mut Model) -> Result<Result<(), LogError>, String> {
        match deed {
            Deed::Append { session, count, durability } => {
                let session = format!("session {session}");
                let from = self.appending.counts(&session).map_or(0, |(events, _)| events);
                let mut addition = Addition::to(&session).at(from);
                (from..from + count).for_each(|position| addition.push(&payload(&session, position)));
                model.append(&session, from + count);
                match self.appending.append(&addition, durability) {
                    Ok(_) if durability == Durability::Durable || count >= 256 => model.acknowledge(),
                    Ok(_) => {}
                    Err(error) => return Ok(Err(error)),
                }
                Ok(Ok(()))
            }
            Deed::Sync => Ok(self.appending.sync().map(|()| model.acknowledge())),
            Deed::Seal => Ok(self.appending.seal()),
            Deed::Reopen => {
                if let Err(error) = self.appending.close() {
                    return Ok(Err(error));
                }
                model.acknowledge();
                match Work::start(disk, self.region_len, model)? {
                    Ok(work) => *self = work,
                    Err(error) => return Ok(Err(error)),
                }
                Ok(Ok(()))
            }
        }
    }
}

/// Looks at the disk after a cut, as a reader and as the next writer.
fn check(disk: &Disk, model: &mut Model) -> Result<(), String> {
    let log = read(disk).map_err(|error| format!("a reader: {error}"))?;
    model.check(&log).map_err(|what| format!("a reader: {what}"))
}

/// Runs one history with several cuts. Returns what was lost or wrong.
fn run(seed: u64) -> Result<(), String> {
    let mut numbers = Numbers(seed);
    let mut disk = Disk::new();
    make(&disk).close().expect("the power is on");
    let mut model = Model::default();
    let region_len = [1 << 11, 1 << 12, 1 << 13][numbers.below(3) as usize];
    for _ in 0..4 {
        // Many cuts come soon, so that opening is cut, too.
        let calls = [40, 150, 600][numbers.below(3) as usize];
        disk.cut_after(Some(numbers.below(calls)));
        if let Ok(mut work) = Work::start(&disk, region_len, &mut model)? {
            for _ in 0..60 {
                let deed = Deed::draw(&mut numbers);
                match work.deed(deed, &disk, &mut model)? {
                    Ok(()) => {}
                    Err(_) if disk.is_off() => break,
                    Err(error) => return Err(format!("{deed:?}: {error}")),
                }
            }
            disk.cut_after(Some(0));
            drop(work);
        }
        disk = disk.after_cut(&mut numbers);
        check(&disk, &mut model)?;
    }
    let writer = open(&disk).map_err(|error| format!("a writer: {error}"))?;
    model.check(writer.log())?;
    writer.close().map_err(|error| error.to_string())
}

/// Returns the first seed whose run shows something, and what.
fn first_failure(runs: u64) -> Option<(u64, String)> {
    (0..runs).find_map(|seed| run(seed).err().map(|what| (seed, what)))
}

fn runs() -> u64 {
    std::env::var("REPLAY_POWER_CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(RUNS)
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_wrong() {
    let half = runs() / 2;
    let failures = std::thread::scope(|scope| {
        let other = scope.spawn(|| (half..2 * half).find_map(|seed| run(seed).err().map(|what| (seed, what))));
        [first_failure(half), other.join().expect("a run doesn't panic")]
    });
    assert_eq!(failures, [None, None], "the seed of a run, and what it showed");
}

/// The power is cut at every point of one history.
#[test]
fn a_cut_at_any_point_loses_nothing() {
    let append = |session, count, durability| Deed::Append { session, count, durability };
    let mut deeds = vec![append(0, 2, Durability::Batched), append(1, 1, Durability::Durable), Deed::Seal];
    deeds.extend((0..12).map(|turn| append(turn % 2, 3, Durability::Durable)));
    deeds.extend([append(2, 256, Durability::Durable), append(2, 1, Durability::Durable), Deed::Reopen]);
    deeds.push(append(0, 1, Durability::Durable));
    let history = |cut: Option<u64>| {
        let disk = Disk::new();
        make(&disk).close().expect("the power is on");
        let mut model = Model::default();
        let begin = disk.calls();
        disk.cut_after(cut);
        if let Ok(mut work) = Work::start(&disk, 1 << 11, &mut model)? {
            for deed in &deeds {
                match work.deed(*deed, &disk, &mut model)? {
                    Ok(()) => {}
                    Err(_) if disk.is_off() => break,
                    Err(error) => return Err(format!("{deed:?}: {error}")),
                }
            }
        }
        let calls = disk.calls() - begin;
        disk.cut_after(Some(0));
        let disk = disk.after_cut(&mut Numbers(cut.unwrap_or(0)));
        check(&disk, &mut model)?;
        let writer = open(&disk).map_err(|error| format!("a writer: {error}"))?;
        model.check(writer.log()).map(|()| calls)
    };
    let calls = history(None).expect("nothing happens to it");
    assert!(calls > 100, "{calls} calls are few");
    for cut in 0..calls {
        history(Some(cut)).unwrap_or_else(|what| panic!("cut at {cut}: {what}"));
    }
}

/// Each fault shows within the runs that are always done.
#[test]
fn a_planted_fault_is_found() {
    let faults = [
        Fault::SkippedSync,
        Fault::EarlyAcknowledgement,
        Fault::EarlyRegion,
        Fault::NoChecksum,
        Fault::StaleRecord,
        Fault::NoSeal,
    ];
    for fault in faults {
        PLANTED.set(Some(fault));
        let failure = first_failure(RUNS);
        PLANTED.set(None);
        assert!(failure.is_some(), "{fault:?} wasn't found");
    }
}
