//! Loading a recording. Events are decoded on two threads; raw records are bulky and can be left for later.

use std::ops::Range;
use std::sync::Arc;

use super::ArchiveError;
use super::extras::{self, Extras};
use crate::agent::definition::Definition;
use crate::event::Event;
use crate::event::codec::{self, Names};
use crate::event::raw::RawRecords;
use crate::import::Recording;
use crate::log::{Log, LogError, Place, Session};

/// Fewer events are decoded on one thread: starting another costs as much.
const SHARED_FROM: u64 = 4000;

/// Raw records are gathered in buffers of about this length.
const BUFFER_LEN: usize = 8 << 20;

/// Loads the session of that id.
///
/// # Errors
///
/// Fails where there is none, or where something of it is damaged.
pub fn load(log: &Log, id: &str) -> Result<Recording, ArchiveError> {
    let mut recording = load_without_raw(log, id)?;
    recording.raw = load_raw(log, id)?;
    Ok(recording)
}

/// Loads the session of that id without its raw records.
///
/// # Errors
///
/// Fails where there is none, or where something of it is damaged.
pub fn load_without_raw(log: &Log, id: &str) -> Result<Recording, ArchiveError> {
    let session = log.session(id)?;
    let extras = extras::read(log, &session)?;
    let definition = definition(log, &extras)?;
    Ok(Recording { definition, ..assemble(log, session, extras)? })
}

/// Puts events and extras together, without definition and raw records.
fn assemble(log: &Log, session: Session, extras: Extras) -> Result<Recording, LogError> {
    Ok(Recording {
        events: events(log, &session)?,
        id: session.id,
        raw: RawRecords::default(),
        findings: extras.findings,
        profile: extras.profile,
        definition: None,
        recorded_end: extras.recorded_end.map(Into::into),
    })
}

/// Loads the raw records of the session of that id.
///
/// # Errors
///
/// Fails where there is none, or where one of them is damaged.
pub fn load_raw(log: &Log, id: &str) -> Result<RawRecords, ArchiveError> {
    let session = log.session(id)?;
    let mut records = RawRecords::default();
    let mut buffer = Vec::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let flush = |records: &mut RawRecords, buffer: &mut Vec<u8>, ranges: &mut Vec<Range<usize>>| {
        let filled = Arc::new(std::mem::take(buffer));
        ranges.drain(..).for_each(|range| records.push(&filled, range));
    };
    log.read_raw(&session, 0..session.raw_count, |_, record| {
        if buffer.len() + record.len() > BUFFER_LEN {
            flush(&mut records, &mut buffer, &mut ranges);
        }
        ranges.push(buffer.len()..buffer.len() + record.len());
        buffer.extend_from_slice(record);
        Ok(())
    })?;
    flush(&mut records, &mut buffer, &mut ranges);
    Ok(records)
}

/// Loads the definition that the extras name, and checks that it is that one.
pub(super) fn definition(log: &Log, extras: &Extras) -> Result<Option<Definition>, LogError> {
    let Some(stored) = &extras.definition else { return Ok(None) };
    let damaged = |what| Place::Blob(stored.manifest).damaged(log.path(), what);
    let manifest = log.blob(&stored.manifest)?;
    let mut definition = Definition::default();
    for (path, digest) in extras::files_of_manifest(&manifest).map_err(damaged)? {
        definition.files.insert(path, log.blob(&digest)?.into());
    }
    if definition.digest() == stored.digest {
        Ok(Some(definition))
    } else {
        Err(damaged("it isn't the definition that it should be".to_owned()))
    }
}

fn events(log: &Log, session: &Session) -> Result<Vec<Event>, LogError> {
    let count = session.event_count;
    // Room for both halves, so that the second one only moves.
    let mut events = Vec::with_capacity(capacity(count));
    if count < SHARED_FROM {
        decode(log, session, 0..count, &mut events)?;
        return Ok(events);
    }
    let middle = count / 2;
    let mut rest = Vec::with_capacity(capacity(count - middle));
    let (first_half, second_half) = std::thread::scope(|scope| {
        let helper = scope.spawn(|| decode(log, session, middle..count, &mut rest));
        let first_half = decode(log, session, 0..middle, &mut events);
        (first_half, helper.join().expect("decoding doesn't panic"))
    });
    first_half.and(second_half)?;
    events.append(&mut rest);
    Ok(events)
}

/// Returns how many events to make room for at once: what is noted about a session isn't trusted with all memory.
fn capacity(count: u64) -> usize {
    count.min(1 << 20) as usize
}

fn decode(log: &Log, session: &Session, range: Range<u64>, events: &mut Vec<Event>) -> Result<(), LogError> {
    let mut names = Names::default();
    log.read(session, range, |_, payload| {
        events.push(codec::decode(payload, &mut names).map_err(|error| error.to_string())?);
        Ok(())
    })
}
