//! `replay import`: foreign records become sessions of a log.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use replay_store::agent::definition::Definition;
use replay_store::event::finding::{Finding, FindingKind};
use replay_store::event::note::Note;
use replay_store::import::ImportError;
use replay_store::import::stream::{Batch, stream, stream_live};
use replay_store::log::{EventLog, Options, Writer};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::archive::{ArchiveError, LiveSaver, Saver};
use replay_store::replay::outline::new_fold;
use serde::Serialize;

use super::FindingAnswer;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::open;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::run::{Outcome, lost};
use crate::target::{Place, Target};
use crate::until_stopped::UntilStopped;

/// What `replay import` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    log: String,
    sessions: Vec<SessionAnswer<'a>>,
}

/// A session that was imported, as JSON has it.
#[derive(Serialize)]
struct SessionAnswer<'a> {
    id: &'a Name,
    events: u64,
    before: u64,
    added: u64,
    notes: usize,
    findings: Vec<FindingAnswer<'a>>,
}

/// What `replay import --follow` says once events are durable.
#[derive(Serialize)]
struct Kept<'a> {
    schema: &'static str,
    session: &'a Name,
    /// How many events of the session are.
    events: u64,
}

/// What became of a session.
#[derive(Default)]
struct Imported {
    events: u64,
    before: u64,
    added: u64,
    findings: Vec<Finding>,
    /// Notes that came with it.
    notes: Vec<Note>,
    /// How many of them are new.
    notes_added: usize,
}

/// What goes with every session, whatever its record says.
struct Given {
    definition: Option<Definition>,
    profile: Option<Profile>,
}

/// Imports files into a log, which is made if there is none.
pub(crate) fn import(
    files: &[OsString],
    log: &Path,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    let given = Given::of(global)?;
    let is_new = is_new(log)?;
    let mut writer = match is_new {
        true => Writer::create(log, Some(new_fold))?,
        false => Writer::open(log, Some(new_fold))?,
    };
    let tail_damage = writer.tail_damage().map(|damage| format!("{}: {damage}", log.display()));
    let mut sessions = BTreeMap::new();
    let result = files.iter().try_for_each(|file| read(file, &given, &mut writer, &mut sessions));
    // What failed first says why.
    let result = result.and(writer.close().map_err(Failure::from));
    settle(log, is_new, result, &sessions)?;
    conclude(log, &mut sessions, tail_damage, global, out)
}

/// Imports sessions that are still being written: each event is durable before the next line is read. With `--json` a
/// line says so of each.
pub(crate) fn follow(
    files: &[OsString],
    log: &Path,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    let given = Given::of(global)?;
    let is_new = is_new(log)?;
    let options = Options { new_fold: Some(new_fold), id: random() };
    let event_log = match is_new {
        true => EventLog::create(log, &options)?,
        false => EventLog::open(log, &options)?,
    };
    let tail_damage = event_log.tail_damage().map(|damage| format!("{}: {damage}", log.display()));
    let mut sessions = BTreeMap::new();
    let result = files.iter().try_for_each(|file| {
        let place = Target::parse(file).place;
        let mut input: Box<dyn BufRead> = match place {
            Place::Stdin => Box::new(UntilStopped::begin().map_err(|source| open::read_failure(&place, source))?),
            Place::File(_) => input(&place)?.0,
        };
        let mut saver = LiveSaver::new(&event_log);
        let mut begun = BTreeSet::new();
        let result = stream_live(&mut input, &open::name(&place), &mut |mut batch| {
            give(&given, begun.insert(batch.session.clone()), &mut batch);
            let report = saver.add(&batch)?;
            let session: &mut Imported = sessions.entry(batch.session.clone()).or_default();
            (session.events, session.before) = (report.events, report.before);
            session.added = report.events - report.before;
            session.findings.extend(batch.findings);
            session.notes.extend(batch.notes);
            if batch.is_last {
                begun.remove(&batch.session);
            }
            if global.json {
                let events = report.events;
                out.json(&Kept { schema: "replay.kept/1", session: &batch.session, events })?;
                out.writer.flush()?;
            }
            Ok(())
        });
        result.map_err(failure)
    });
    let result = result.and(event_log.close().map_err(Failure::from));
    settle(log, is_new, result, &sessions)?;
    conclude(log, &mut sessions, tail_damage, global, out)
}

/// Keeps the notes that came along and says what was imported, and what of it was lost.
fn conclude(
    log: &Path,
    sessions: &mut BTreeMap<Name, Imported>,
    tail_damage: Option<String>,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    keep_notes(log, sessions)?;
    answer(log, sessions, global.json, out)?;
    let lost = sessions.iter().filter_map(|(id, session)| lost(id, &session.findings, "is kept"));
    Ok(Outcome { exit: Exit::Fine, notices: tail_damage.into_iter().chain(lost).collect() })
}

/// Returns whether the log has to be made. A file that is empty is made way for: what an earlier import left behind that
/// found no space, or a file made to be filled.
pub(super) fn is_new(log: &Path) -> Result<bool, Failure> {
    if log.metadata().is_ok_and(|there| there.is_file() && there.len() == 0) {
        fs::remove_file(log).map_err(|source| open::read_failure(&Target::parse(log.as_os_str()).place, source))?;
    }
    Ok(!log.exists())
}

/// Passes the result on. A log that was made for nothing is taken away again.
fn settle(
    log: &Path,
    is_new: bool,
    result: Result<(), Failure>,
    sessions: &BTreeMap<Name, Imported>,
) -> Result<(), Failure> {
    if result.is_err() && is_new && sessions.is_empty() {
        // Nothing was made that somebody would miss.
        let _ = fs::remove_file(log);
    }
    result
}

/// Keeps the notes that came with sessions beside the log.
fn keep_notes(log: &Path, sessions: &mut BTreeMap<Name, Imported>) -> Result<(), Failure> {
    let shelf = Shelf::of(&Place::File(log.to_owned())).ok_or(Failure::NoShelf)?;
    for session in sessions.values_mut() {
        session.notes_added = shelf.keep_new(&session.notes).map_err(|source| Failure::Note { source })?;
    }
    Ok(())
}

/// Returns a number that no other run gets: the keys of the standard library's hash maps are random.
pub(super) fn random() -> [u8; 16] {
    let half = || RandomState::new().hash_one(0).to_le_bytes();
    let mut id = [0; 16];
    id[..8].copy_from_slice(&half());
    id[8..].copy_from_slice(&half());
    id
}

/// Reads the sessions of a file into the log, batch by batch.
fn read(
    file: &OsString,
    given: &Given,
    writer: &mut Writer,
    sessions: &mut BTreeMap<Name, Imported>,
) -> Result<(), Failure> {
    let place = Target::parse(file).place;
    let (mut input, length) = input(&place)?;
    let progress = Progress::new(length);
    let mut saver = Saver::new(writer);
    let mut begun = BTreeSet::new();
    let result = stream(&mut input, &open::name(&place), &mut |mut batch| {
        let is_first = begun.insert(batch.session.clone());
        give(given, is_first, &mut batch);
        progress.at(batch.bytes_read);
        let report = saver.add(&batch)?;
        let session = sessions.entry(batch.session.clone()).or_default();
        session.events = report.session.event_count;
        session.before = report.before;
        session.added = report.added;
        session.findings.extend(batch.findings);
        session.notes.extend(batch.notes);
        if batch.is_last {
            begun.remove(&batch.session);
        }
        Ok(())
    });
    progress.done();
    result.map_err(failure)
}

/// Returns why a file couldn't be imported: what the log said, where it was that.
fn failure(error: ImportError) -> Failure {
    let cause = match error {
        ImportError::Sink(cause) => cause,
        other => return Failure::Record(other),
    };
    let cause = match cause.downcast::<ArchiveError>() {
        Ok(archive) => return Failure::Archive(*archive),
        Err(cause) => cause,
    };
    match cause.downcast::<io::Error>() {
        Ok(write) => Failure::Write(*write),
        Err(cause) => Failure::Record(ImportError::Sink(cause)),
    }
}

fn input(place: &Place) -> Result<(Box<dyn BufRead>, Option<u64>), Failure> {
    match place {
        Place::Stdin => Ok((Box::new(BufReader::new(io::stdin())), None)),
        Place::File(path) => {
            let file = File::open(path).map_err(|source| open::read_failure(place, source))?;
            let metadata = file.metadata().map_err(|source| open::read_failure(place, source))?;
            if metadata.is_dir() {
                let source = io::Error::from(io::ErrorKind::IsADirectory);
                return Err(open::read_failure(place, source));
            }
            Ok((Box::new(BufReader::new(file)), Some(metadata.len())))
        }
    }
}

impl Given {
    fn of(global: &Global) -> Result<Given, Failure> {
        let definition = open::definition(global)?.map(Arc::unwrap_or_clone);
        Ok(Given { definition, profile: global.profile })
    }
}

/// An agent folder that is named wins over the one in the record.
fn give(given: &Given, is_first: bool, batch: &mut Batch) {
    if is_first {
        batch.definition = given.definition.clone().or(batch.definition.take());
        batch.profile = given.profile.or(batch.profile);
    }
}

fn answer(log: &Path, sessions: &BTreeMap<Name, Imported>, json: bool, out: &mut Output<'_>) -> Result<(), Failure> {
    if json {
        let sessions = sessions.iter().map(|(id, session)| SessionAnswer {
            id,
            events: session.events,
            before: session.before,
            added: session.added,
            notes: session.notes_added,
            findings: session.findings.iter().map(FindingAnswer::of).collect(),
        });
        let log = log.display().to_string();
        out.json(&Answer { schema: "replay.import/1", log, sessions: sessions.collect() })?;
        return Ok(());
    }
    for (id, session) in sessions {
        let what = match (session.before, session.added) {
            (0, added) => format!("  {added} events"),
            (before, 0) => format!("  nothing new, {before} events were there already"),
            (before, added) => format!("  {added} events added to {before}"),
        };
        let notes = match session.notes_added {
            0 => String::new(),
            1 => ", 1 note".to_owned(),
            count => format!(", {count} notes"),
        };
        out.line(&[(Tone::Strong, id), (Tone::Normal, &what), (Tone::Normal, &notes)])?;
        let findings = session.findings.iter().filter(|finding| finding.kind != FindingKind::Missing);
        for finding in findings {
            out.line(&[
                (Tone::Bad, "  "),
                (Tone::Bad, finding.kind.word()),
                (Tone::Normal, ": "),
                (Tone::Normal, &finding.text),
            ])?;
        }
    }
    Ok(())
}
