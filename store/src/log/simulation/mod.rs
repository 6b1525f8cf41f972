//! Power cuts, drawn from a seed: the real code over a disk of our own. What was acknowledged is there afterwards, and
//! nothing else than what was appended.
//!
//! `REPLAY_POWER_CUTS` says how many runs there are; a run that fails names its seed.

mod disk;
mod full;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::addition::{Addition, Durability};
use super::blocks::Files;
use super::error::{LogError, Stop};
use super::pending::unsealed;
use super::planted::{Fault, PLANTED};
use super::read::{Log, Source};
use super::tail::Reader;
use super::verify::{Claim, Witness};
use super::write::Writer;
use disk::{Disk, Numbers};
use work::{Deed, Work};

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

    fn forget(&mut self, session: &str, end: u64) {
        self.ends.get_mut(session).expect("an append was begun").remove(&end);
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
        why: Stop::Failed(format!("the database can't be opened: {error}")),
    })?;
    let log = Log::checked(Path::new(PATH), Source::Overlay(database))?;
    let row = log.view(&super::error::Place::File)?.tail_row()?;
    let found = unsealed(Path::new(PATH), row, tail.as_deref(), Reader::AfterWriter)?;
    log.with_tail(found)
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

/// A history in which everything happens that happens to a log.
fn history() -> Vec<Deed> {
    let append = |session, count, durability| Deed::Append { session, count, durability };
    let mut deeds = vec![append(0, 2, Durability::Batched), append(1, 1, Durability::Durable), Deed::Seal];
    deeds.extend((0..12).map(|turn| append(turn % 2, 3, Durability::Durable)));
    deeds.extend([append(2, 256, Durability::Durable), append(2, 1, Durability::Durable), Deed::Reopen]);
    deeds.push(append(0, 1, Durability::Durable));
    deeds
}

/// The power is cut at every point of one history.
#[test]
fn a_cut_at_any_point_loses_nothing() {
    let deeds = history();
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

/// What a check says.
const LOST: &str = " lost events ";
const CHANGED: &str = "another payload";
const NOT_SEALED: &str = "the database doesn't hold them any more, though it said that it does";
const TAIL: &str = "damage: [Damage { place: File";

/// Each fault shows within the runs that are always done, in the check that is made for it first, and in no other one that
/// isn't named here.
#[test]
fn a_planted_fault_is_found_by_its_own_check() {
    let faults: [(Fault, &str, &[&str]); 6] = [
        (Fault::SkippedSync, LOST, &[TAIL]),
        (Fault::EarlyAcknowledgement, LOST, &[]),
        (Fault::EarlyRegion, LOST, &[]),
        (Fault::NoChecksum, CHANGED, &[]),
        (Fault::StaleRecord, LOST, &[]),
        (Fault::NoSeal, NOT_SEALED, &[]),
    ];
    for (fault, own, others) in faults {
        PLANTED.set(Some(fault));
        let found = (0..RUNS).filter_map(|seed| run(seed).err()).find(|what| {
            let is_known = what.contains(own) || others.iter().any(|other| what.contains(other));
            assert!(is_known, "{fault:?} shows as {what}");
            what.contains(own)
        });
        PLANTED.set(None);
        assert!(found.is_some(), "{fault:?} wasn't found by its check");
    }
}

#[test]
fn an_event_is_appended_in_the_middle_of_sealing() {
    for calls in 0..8 {
        let disk = Disk::new();
        make(&disk).close().expect("the power is on");
        let mut model = Model::default();
        let work = Work::start(&disk, 1 << 13, &mut model).expect("nothing is there").expect("the power is on");
        let mut first = Addition::to("session 0").at(0);
        first.push(&payload("session 0", 0));
        model.append("session 0", 1);
        work.appending.append(&first, Durability::Durable).expect("the power is on");
        work.seal_beside((calls, 0), &disk, &mut model).expect("the power is on");
        assert_eq!(model.acknowledged["session 0"], 2, "after {calls} calls");
        drop(work);
        check(&disk.after_cut(&mut Numbers(calls)), &mut model).expect("both are there");
    }
}
