//! Saving: whole recordings, or batch by batch as they are read.
//!
//! A session that is there already must begin like the one that comes; then the rest is added. What is committed of
//! a session that was interrupted stays, and saving the record again adds the rest.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::difference;
use super::extras::{self, Extras, StoredDefinition, Unclaimed};
use super::{ArchiveError, Difference};
use crate::agent::definition::Definition;
use crate::digest::Digest;
use crate::event::codec;
use crate::event::finding::Finding;
use crate::event::raw::RawRecords;
use crate::event::{Event, Origin};
use crate::import::stream::Batch;
use crate::import::{RecordedEnd, Recording};
use crate::log::{Append, Details, Log, LogError, Session, Status, Writer, digest_of_records};
use crate::name::Name;
use crate::profile::Profile;
use crate::timestamp::Timestamp;

/// What saving did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveReport {
    /// The session as the log has it now. It may hold more events than the record that was saved.
    pub session: Session,
    /// How many events the log had before.
    pub before: u64,
    /// How many were added.
    pub added: u64,
}

/// Saves a recording. Where the log holds its beginning, the rest is added; where it holds all of it, nothing is.
///
/// # Errors
///
/// Fails with [`ArchiveError::Differs`] where the log holds a session of that name which doesn't begin like this
/// one, nor this one like it; then nothing is changed.
pub fn save(writer: &mut Writer, recording: &Recording) -> Result<SaveReport, ArchiveError> {
    let mut saver = Saver::new(writer);
    let part = Part {
        session: &recording.id,
        events: &recording.events,
        raw: &recording.raw,
        findings: &recording.findings,
        profile: recording.profile,
        definition: recording.definition.as_ref(),
        recorded_end: recording.recorded_end.as_ref(),
        status: Status::Closed,
    };
    saver.add_part(&part)
}

/// Saves sessions batch by batch.
pub struct Saver<'a> {
    writer: &'a mut Writer,
    sessions: BTreeMap<Name, Progress>,
}

/// How far a session was saved.
#[derive(Default)]
pub(super) struct Progress {
    /// Events and raw records that came so far.
    pub(super) events: u64,
    pub(super) raw: u64,
    /// How many of each the log held before the first of them.
    pub(super) before: u64,
    pub(super) raw_before: u64,
    first_time: Option<Timestamp>,
    last_time: Option<Timestamp>,
    pub(super) extras: Extras,
}

/// The next part of a session.
pub(super) struct Part<'a> {
    pub(super) session: &'a Name,
    pub(super) events: &'a [Event],
    pub(super) raw: &'a RawRecords,
    findings: &'a [Finding],
    profile: Option<Profile>,
    definition: Option<&'a Definition>,
    recorded_end: Option<&'a RecordedEnd>,
    pub(super) status: Status,
}

/// Takes what the log doesn't hold yet.
pub(super) trait Taking {
    fn push(&mut self, payload: &[u8]) -> Result<(), LogError>;
    fn push_raw(&mut self, record: &[u8]) -> Result<(), LogError>;
    fn put_blob(&mut self, bytes: &[u8]) -> Result<Digest, LogError>;
}

impl Taking for Append<'_> {
    fn push(&mut self, payload: &[u8]) -> Result<(), LogError> {
        Append::push(self, payload)
    }

    fn push_raw(&mut self, record: &[u8]) -> Result<(), LogError> {
        Append::push_raw(self, record)
    }

    fn put_blob(&mut self, bytes: &[u8]) -> Result<Digest, LogError> {
        Append::put_blob(self, bytes)
    }
}

impl<'a> Part<'a> {
    pub(super) fn of(batch: &'a Batch) -> Part<'a> {
        Part {
            session: &batch.session,
            events: &batch.events,
            raw: &batch.raw,
            findings: &batch.findings,
            profile: batch.profile,
            definition: batch.definition.as_ref(),
            recorded_end: batch.recorded_end.as_ref(),
            status: if batch.is_last { Status::Closed } else { Status::Open },
        }
    }
}

impl<'a> Saver<'a> {
    /// Returns a saver into a log.
    pub fn new(writer: &'a mut Writer) -> Saver<'a> {
        Saver { writer, sessions: BTreeMap::new() }
    }

    /// Saves the next batch of a session. Returns what was done for that session so far. After its last batch, the
    /// next one of that name begins at its start again.
    ///
    /// # Errors
    ///
    /// Fails as [`save`] does; earlier batches are saved.
    pub fn add(&mut self, batch: &Batch) -> Result<SaveReport, ArchiveError> {
        self.add_part(&Part::of(batch))
    }

    fn add_part(&mut self, part: &Part<'_>) -> Result<SaveReport, ArchiveError> {
        let there = self.writer.session(part.session);
        let (events_there, raw_there) = there.map_or((0, 0), |there| (there.event_count, there.raw_count));
        let progress = match self.sessions.entry(part.session.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Progress::start(self.writer.log(), there)?),
        };
        if let Some(there) = there {
            check_beginning(self.writer.log(), there, part, progress)?;
        }
        let session = match there {
            Some(there) if !progress.is_worth(part, Some((events_there, raw_there))) => {
                progress.take_in(part);
                there.clone()
            }
            Some(_) | None => {
                let mut append = self.writer.append(part.session, events_there)?;
                let details = fill(&mut append, part, progress, (events_there, raw_there))?;
                append.commit(details)?
            }
        };
        progress.advance(part);
        let (before, added) = (progress.before, session.event_count - progress.before);
        if part.status == Status::Closed {
            self.sessions.remove(part.session);
        }
        Ok(SaveReport { session, before, added })
    }
}

impl Progress {
    /// Returns what is known before the first part of a session, of which `there` is in the log.
    pub(super) fn start(log: &Log, there: Option<&Session>) -> Result<Progress, ArchiveError> {
        // Its definition may come with a part that brings no new event.
        let stored = there.map_or(Ok(Extras::default()), |there| extras::read(log, there))?;
        Ok(Progress {
            events: 0,
            raw: 0,
            before: there.map_or(0, |there| there.event_count),
            raw_before: there.map_or(0, |there| there.raw_count),
            first_time: None,
            last_time: None,
            extras: Extras { definition: stored.definition, ..Extras::default() },
        })
    }

    /// Returns what is known of a session that is in the log and goes on behind its last event.
    pub(super) fn behind(log: &Log, there: &Session) -> Result<Progress, ArchiveError> {
        Ok(Progress {
            events: there.event_count,
            raw: there.raw_count,
            before: there.event_count,
            raw_before: there.raw_count,
            first_time: there.details.first_time,
            last_time: there.details.last_time,
            extras: extras::read(log, there)?,
        })
    }

    /// Returns whether a part brings something that isn't there; so many events and raw records are.
    pub(super) fn is_worth(&self, part: &Part<'_>, there: Option<(u64, u64)>) -> bool {
        let Some((events_there, raw_there)) = there else { return true };
        let (next, next_raw) = self.after(part);
        // The last part of a session that grew may bring nothing but what is known at its end.
        let is_end = part.status == Status::Closed && self.before < next && self.before < events_there;
        events_there < next || raw_there < next_raw || is_end
    }

    /// Goes on behind a part.
    pub(super) fn advance(&mut self, part: &Part<'_>) {
        (self.events, self.raw) = self.after(part);
    }

    fn after(&self, part: &Part<'_>) -> (u64, u64) {
        (self.events + part.events.len() as u64, self.raw + part.raw.count() as u64)
    }

    /// Notes what a part says beside its events, all but the definition.
    pub(super) fn take_in(&mut self, part: &Part<'_>) {
        self.first_time = self.first_time.or(part.events.first().map(|event| event.time));
        self.last_time = part.events.last().map(|event| event.time).or(self.last_time);
        self.extras.profile = self.extras.profile.or(part.profile);
        self.extras.findings.extend_from_slice(part.findings);
        if let Some(end) = part.recorded_end {
            self.extras.recorded_end = Some(end.clone().into());
        }
        self.extras.unclaimed.extend(unclaimed(part, self.raw));
    }
}

/// Fills an append with what the log doesn't hold yet: it holds so many events and raw records. Returns what is noted
/// about the session then.
pub(super) fn fill(
    append: &mut dyn Taking,
    part: &Part<'_>,
    progress: &mut Progress,
    (events_there, raw_there): (u64, u64),
) -> Result<Details, ArchiveError> {
    let mut payload = Vec::new();
    for (number, event) in (progress.events..).zip(part.events).filter(|(number, _)| events_there <= *number) {
        encode(part, progress.raw, (number, event), &mut payload)?;
        append.push(&payload)?;
    }
    for (number, index) in (progress.raw..).zip(0..part.raw.count() as u32) {
        if let Some(record) = part.raw.get(index)
            && raw_there <= number
        {
            append.push_raw(record)?;
        }
    }
    if let Some(definition) = part.definition {
        progress.extras.definition = Some(store_definition(append, definition)?);
    }
    progress.take_in(part);
    let metadata = extras::store(append, &progress.extras)?;
    let (first_time, last_time) = (progress.first_time, progress.last_time);
    Ok(Details { first_time, last_time, status: part.status, metadata })
}

fn store_definition(append: &mut dyn Taking, definition: &Definition) -> Result<StoredDefinition, ArchiveError> {
    let mut files = Vec::new();
    for (path, bytes) in &definition.files {
        files.push((path.clone(), append.put_blob(bytes)?));
    }
    let manifest = append.put_blob(&extras::manifest(&files))?;
    Ok(StoredDefinition { digest: definition.digest(), manifest })
}

/// Checks that the log holds what the part holds, as far as both go.
pub(super) fn check_beginning(
    log: &Log,
    there: &Session,
    part: &Part<'_>,
    progress: &Progress,
) -> Result<(), ArchiveError> {
    let differs = |first, what| ArchiveError::Differs { session: part.session.clone(), first, what };
    let start = progress.events.min(progress.before);
    let end = (progress.events + part.events.len() as u64).min(progress.before).max(start);
    let mut payload = Vec::new();
    let mut found = Ok(());
    log.read(there, start..end, |number, stored| {
        if found.is_ok() {
            let event = &part.events[(number - progress.events) as usize];
            found = encode(part, progress.raw, (number, event), &mut payload);
            if found.is_ok() && payload != stored {
                let what = difference::words(stored, event);
                found = Err(differs(Difference::Event(number + 1), what));
            }
        }
        Ok(())
    })?;
    found?;
    let start = progress.raw.min(progress.raw_before);
    let end = (progress.raw + part.raw.count() as u64).min(progress.raw_before).max(start);
    let mut first = None;
    log.read_raw(there, start..end, |number, stored| {
        if first.is_none() && part.raw.get((number - progress.raw) as u32) != Some(stored) {
            let theirs = part.raw.get((number - progress.raw) as u32).unwrap_or_default();
            first = Some((number, difference::between("bytes", &text(stored), &text(theirs))));
        }
        Ok(())
    })?;
    first.map_or(Ok(()), |(number, what)| Err(differs(Difference::RawRecord(number), what)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes the payload of an event, with the digest of its raw records, which follow `raw_start` others.
fn encode(
    part: &Part<'_>,
    raw_start: u64,
    (number, event): (u64, &Event),
    payload: &mut Vec<u8>,
) -> Result<(), ArchiveError> {
    let records = records_of(part, raw_start, event);
    codec::encode(event, &records, payload).map_err(|source| ArchiveError::Codec {
        session: part.session.clone(),
        number: number + 1,
        source,
    })
}

/// Returns the bytes of the raw records of an event; nothing where one of them isn't there.
fn records_of<'a>(part: &Part<'a>, raw_start: u64, event: &Event) -> Vec<&'a [u8]> {
    let records = event.origin.raw_indexes().into_iter().map(|index| {
        let index = u64::from(index).checked_sub(raw_start)?;
        part.raw.get(u32::try_from(index).ok()?)
    });
    records.collect::<Option<_>>().unwrap_or_default()
}

/// Returns the raw records that no event was made from, with the digest that vouches for them.
fn unclaimed(part: &Part<'_>, raw_start: u64) -> Option<Unclaimed> {
    let mut is_claimed = vec![false; part.raw.count()];
    for event in part.events {
        if !records_of(part, raw_start, event).is_empty()
            && let Origin::Imported { raw, mirror, .. } = event.origin
        {
            for index in [Some(raw), mirror].into_iter().flatten() {
                is_claimed[(u64::from(index) - raw_start) as usize] = true;
            }
        }
    }
    let indexes: Vec<u32> =
        (0u32..).zip(&is_claimed).filter(|(_, claimed)| !**claimed).map(|(index, _)| index).collect();
    if indexes.is_empty() {
        return None;
    }
    let digest = digest_of_records(indexes.iter().filter_map(|index| part.raw.get(*index)));
    let records: Vec<u32> = indexes.into_iter().map(|index| index + raw_start as u32).collect();
    Some(Unclaimed::of(&records, digest))
}
