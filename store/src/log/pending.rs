//! What the tail holds and the database doesn't, by session: a reader sees both as one log.

use std::collections::BTreeMap;
use std::path::Path;

use super::adding::new_session;
use super::blocks::{Blocks, tail_path};
use super::chain::Chain;
use super::end::End;
use super::error::{Damage, Doing, LogError, Place, from_io};
use super::read::Log;
use super::session::{Details, Session};
use super::tail::{Body, Entry, Reader, scan};
use super::tail_row::TailRow;
use crate::digest::Digest;
use crate::name::Name;

/// What comes of looking for the records that aren't sealed.
#[derive(Debug)]
pub(super) enum Unsealed {
    /// These are.
    Records(Vec<Entry>),
    /// There should be a tail, and there is none.
    Missing,
    /// The tail can't be read to where it should reach: these are there.
    Damaged(Vec<Entry>, Damage),
}

/// Returns the records of a tail that the database doesn't hold; `row` is what the database says about it, as it was
/// after the tail was read.
///
/// # Errors
///
/// Fails where it is the tail of another log, or can't be read.
pub(super) fn unsealed(
    path: &Path,
    row: Option<TailRow>,
    tail: Option<&dyn Blocks>,
    reader: Reader,
) -> Result<Unsealed, LogError> {
    let is_open = row.is_some_and(|row| row.is_open);
    let found = match tail {
        Some(tail) => scan(tail, reader).map_err(|error| from_io(&tail_path(path), Doing::Read, error))?,
        None => None,
    };
    let Some(mut found) = found else {
        return Ok(if is_open { Unsealed::Missing } else { Unsealed::Records(Vec::new()) });
    };
    let Some(row) = row.filter(|row| row.id == found.id) else {
        // One that was made and never used, because its writer died, is nobody's.
        if found.entries.is_empty() && !is_open {
            return Ok(Unsealed::Records(Vec::new()));
        }
        return Err(LogError::ForeignTail(path.to_owned()));
    };
    if !row.is_open {
        return Ok(Unsealed::Records(Vec::new()));
    }
    // Beside a writer, the database may have been read after it took in all that the tail held.
    let is_short = found.next() < row.sealed && reader == Reader::AfterWriter;
    if row.sealed < found.first() || is_short {
        let what =
            format!("its tail holds records {} to {}, not those from {} on", found.first(), found.next(), row.sealed);
        return Ok(Unsealed::Damaged(Vec::new(), Damage { place: Place::File, what }));
    }
    let next = found.next();
    // Who the ordinals are may be told in front of what isn't sealed.
    found.entries.retain(|entry| row.sealed <= entry.number || matches!(entry.record.body, Body::Opened(_)));
    if found.is_damaged {
        let what = format!(
            "its tail isn't what was written from record {next} on, and held more; `replay export` saves the rest, for `replay import` into a new log"
        );
        return Ok(Unsealed::Damaged(found.entries, Damage { place: Place::File, what }));
    }
    Ok(Unsealed::Records(found.entries))
}

/// What the tail adds to a log.
#[derive(Debug, Default)]
pub(super) struct Pending {
    sessions: BTreeMap<Name, Added>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

/// What the tail adds to a session.
#[derive(Debug)]
pub(super) struct Added {
    pub(super) ordinal: u64,
    pub(super) events: Stretch,
    pub(super) raw_records: Stretch,
    pub(super) details: Option<Details>,
    /// How many events and raw records the database must hold.
    sealed: (u64, u64),
}

/// Items that follow each other.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    /// Position of the first one.
    pub(super) first: u64,
    pub(super) items: Vec<Vec<u8>>,
}

impl Stretch {
    fn push(&mut self, position: u64, item: Vec<u8>) {
        if self.items.is_empty() || position != self.end() {
            // What is between was sealed in a batch of its own, with all that came before.
            *self = Stretch { first: position, items: Vec::new() };
        }
        self.items.push(item);
    }

    /// Returns the position behind the last one.
    pub(super) fn end(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    /// Returns the items from a position on, each with its position; `from` isn't in front of the first.
    pub(super) fn from(&self, from: u64) -> impl Iterator<Item = (u64, &[u8])> {
        let skipped = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        (self.first..).zip(self.items.iter().map(|item| &item[..])).skip(skipped)
    }
}

impl Pending {
    /// Sorts records by session. Those of a session that no record names are damage.
    pub(super) fn of(entries: Vec<Entry>) -> Result<Pending, Damage> {
        let mut pending = Pending::default();
        let mut names: BTreeMap<u64, Name> = BTreeMap::new();
        for Entry { number, record } in entries {
            let added = match record.body {
                Body::Opened(id) => {
                    names.insert(record.ordinal, id);
                    continue;
                }
                Body::Blob(bytes) => {
                    pending.blobs.insert(Digest::of(&bytes), bytes);
                    continue;
                }
                Body::Closed => continue,
                Body::Event(_) | Body::RawRecord(_) | Body::Noted(_) | Body::SealedUpTo(_) => {
                    let Some(id) = names.get(&record.ordinal) else {
                        let what = format!("record {number} of its tail belongs to a session that it doesn't name");
                        return Err(Damage { place: Place::File, what });
                    };
                    pending.sessions.entry(id.clone()).or_insert_with(|| Added::none(record.ordinal))
                }
            };
            match record.body {
                Body::Event(payload) => added.events.push(record.position, payload),
                Body::RawRecord(bytes) => added.raw_records.push(record.position, bytes),
                Body::Noted(details) => added.details = Some(details),
                Body::SealedUpTo(raw_count) => {
                    added.sealed = (record.position, raw_count);
                    added.details = None;
                }
                Body::Opened(_) | Body::Blob(_) | Body::Closed => {}
            }
        }
        Ok(pending)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.blobs.is_empty()
    }

    pub(super) fn session(&self, id: &str) -> Option<&Added> {
        self.sessions.get(id)
    }

    pub(super) fn sessions(&self) -> impl Iterator<Item = (&Name, &Added)> {
        self.sessions.iter()
    }

    pub(super) fn blobs(&self) -> impl Iterator<Item = (&Digest, &[u8])> {
        self.blobs.iter().map(|(digest, bytes)| (digest, &bytes[..]))
    }

    pub(super) fn blob(&self, digest: &Digest) -> Option<&[u8]> {
        self.blobs.get(digest).map(|bytes| &bytes[..])
    }
}

impl Added {
    fn none(ordinal: u64) -> Added {
        let (events, raw_records) = (Stretch::default(), Stretch::default());
        Added { ordinal, events, raw_records, details: None, sealed: (0, 0) }
    }

    /// Returns the session as database and tail have it together; `stored` is what the database has.
    pub(super) fn merge(&self, log: &Log, id: &Name, stored: Option<Session>) -> Result<Session, LogError> {
        let is_new = stored.is_none();
        let mut session = stored.unwrap_or_else(|| new_session(id, self.ordinal));
        let (sealed, raw_sealed) = (session.event_count, session.raw_count);
        self.check(id, (sealed, raw_sealed))
            .map_err(|damage| LogError::Damaged { path: log.path().to_owned(), damage })?;
        // The database may be further by now.
        let is_behind = self.events.end() < sealed || self.raw_records.end() < raw_sealed;
        if let Some(details) = self.details.as_ref().filter(|_| !is_behind) {
            session.details = details.clone();
        }
        if sealed < self.events.end() {
            let mut chain = if is_new { Chain::start(id) } else { End::load(log, &session)?.chain };
            for (_, payload) in self.events.from(sealed) {
                chain.push(payload);
            }
            session.digest = chain.digest();
            session.event_count = self.events.end();
        }
        session.raw_count = raw_sealed.max(self.raw_records.end());
        Ok(session)
    }

    /// Checks that nothing is missing between what the database holds and what the tail adds.
    pub(super) fn check(&self, id: &Name, (sealed, raw_sealed): (u64, u64)) -> Result<(), Damage> {
        let lost = "the database doesn't hold them any more, though it said that it does";
        let events = self.sealed.0.max(if self.events.items.is_empty() { 0 } else { self.events.first });
        if sealed < events {
            return Err(Damage { place: Place::Events(id.clone(), sealed..events), what: lost.to_owned() });
        }
        let raw = self.sealed.1.max(if self.raw_records.items.is_empty() { 0 } else { self.raw_records.first });
        if raw_sealed < raw {
            return Err(Damage { place: Place::RawRecords(id.clone(), raw_sealed..raw), what: lost.to_owned() });
        }
        Ok(())
    }
}
