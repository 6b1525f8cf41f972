//! Reading a log. Nothing here changes the file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use redb::{Database, ReadOnlyDatabase, ReadableDatabase, TableHandle};

use super::error::{Damage, Doing, LogError, Place};
use super::guard::call;
use super::open::Writing;
use super::pending::{Added, Pending, Stretch};
use super::row::Fields;
use super::segment::{Kind, Segment};
use super::session::Session;
use super::stamp::Stamp;
use super::view::{View, place_of};
use super::{FORMAT_KEY, FORMAT_MARK, META, SEGMENT, SESSION, chain, row};
use crate::digest::Digest;
use crate::name::Name;

/// A log that is open.
pub struct Log {
    pub(super) path: PathBuf,
    /// Is there until the log is closed.
    pub(super) source: Option<Source>,
    /// What was appended last and is in the tail only.
    pub(super) pending: Pending,
    /// What is wrong with the tail.
    pub(super) tail_damage: Option<Damage>,
    pub(super) writing: Writing,
    /// The file as it was when it was repaired in memory: nobody keeps a new writer from changing it.
    pub(super) repaired: Option<Stamp>,
}

/// The database behind a log.
pub(super) enum Source {
    ReadOnly(ReadOnlyDatabase),
    Writable(Database),
    /// Its writer died, and it is repaired in memory.
    Overlay(Database),
}

impl Log {
    /// Returns what is wrong with the tail: the last events that were acknowledged may be missing then.
    pub fn tail_damage(&self) -> Option<&Damage> {
        self.tail_damage.as_ref()
    }

    /// Returns who wrote the log when it was opened.
    pub fn writing(&self) -> Writing {
        self.writing
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all sessions, in the order of their ids.
    ///
    /// # Errors
    ///
    /// Fails where a row is damaged or missing.
    pub fn sessions(&self) -> Result<Vec<Session>, LogError> {
        let (sessions, damage) = self.list()?;
        self.told(match damage.into_iter().next() {
            Some(damage) => Err(LogError::Damaged { path: self.path.clone(), damage }),
            None => Ok(sessions),
        })
    }

    /// Returns the sessions whose rows are what was written, and what is wrong with the list.
    pub(super) fn list(&self) -> Result<(Vec<Session>, Vec<Damage>), LogError> {
        let (stored, mut damage) = self.list_stored()?;
        if self.pending.is_empty() {
            return Ok((stored, damage));
        }
        let mut sessions: BTreeMap<Name, Session> = stored.into_iter().map(|one| (one.id.clone(), one)).collect();
        for (id, added) in self.pending.sessions() {
            match added.merge(self, id, sessions.get(id).cloned()) {
                Ok(session) => drop(sessions.insert(id.clone(), session)),
                Err(LogError::Damaged { damage: one, .. }) => damage.push(one),
                Err(other) => return Err(other),
            }
        }
        Ok((sessions.into_values().collect(), damage))
    }

    /// Returns the sessions of the database.
    fn list_stored(&self) -> Result<(Vec<Session>, Vec<Damage>), LogError> {
        let place = &Place::Sessions;
        let mut sessions: BTreeMap<Name, Session> = BTreeMap::new();
        let mut damage = Vec::new();
        let mut read_all = || -> Result<(), LogError> {
            let view = self.view(place)?;
            let count = view.session_count()?;
            let table = view.table(SESSION, place)?;
            let mut rows = self.call(place, || Ok(table.range::<&[u8]>(..)?))?;
            let mut seen = 0;
            while let Some((key, value)) = self.call(place, || Ok(rows.next().transpose()?))? {
                let (id, row) = self.call(place, || Ok((key.value(), value.value())))?;
                seen += 1;
                match self.session_of_row(id, row) {
                    Ok(session) => drop(sessions.insert(session.id.clone(), session)),
                    Err(LogError::Damaged { damage: one, .. }) => damage.push(one),
                    Err(other) => return Err(other),
                }
                if seen > count {
                    break;
                }
            }
            let is_complete = seen == count && (!damage.is_empty() || sessions.len() as u64 == count);
            if is_complete {
                Ok(())
            } else {
                Err(place.damaged(&self.path, format!("it should hold {count} sessions")))
            }
        };
        match read_all() {
            Ok(()) => {}
            Err(LogError::Damaged { damage: one, .. }) => damage.push(one),
            Err(other) => return Err(other),
        }
        Ok((sessions.into_values().collect(), damage))
    }

    /// Returns the session of that id.
    ///
    /// # Errors
    ///
    /// Fails where there is none, or where its row is damaged.
    pub fn session(&self, id: &str) -> Result<Session, LogError> {
        let none = || LogError::NoSession { path: self.path.clone(), session: Name::from(id) };
        self.find_session(id)?.ok_or_else(none)
    }

    /// Returns the session of that id, if there is one.
    ///
    /// # Errors
    ///
    /// Fails where its row is damaged.
    pub fn find_session(&self, id: &str) -> Result<Option<Session>, LogError> {
        self.told(self.find(id))
    }

    fn find(&self, id: &str) -> Result<Option<Session>, LogError> {
        let stored = self.find_stored(id)?;
        if stored.is_none() {
            // A damaged tree may hide a row; the count gives it away.
            let (_, damage) = self.list_stored()?;
            if let Some(damage) = damage.into_iter().next() {
                return Err(LogError::Damaged { path: self.path.clone(), damage });
            }
        }
        match self.pending.session(id) {
            Some(added) => added.merge(self, &Name::from(id), stored).map(Some),
            None => Ok(stored),
        }
    }

    /// Returns the session of that id as the database has it.
    fn find_stored(&self, id: &str) -> Result<Option<Session>, LogError> {
        let place = Place::Session(Name::from(id));
        let view = self.view(&place)?;
        let row = view.session_row(id, &place)?;
        row.map(|row| self.session_of_row(id.as_bytes(), &row)).transpose()
    }

    /// Hands the payloads of a stretch of a session to `take`, in order, each with its position: payload `p` is the
    /// event that leads from position p to p + 1.
    ///
    /// # Errors
    ///
    /// Fails at the first payload that is damaged, and where `take` says that it is.
    ///
    /// # Panics
    ///
    /// Panics where the range doesn't lie inside the session.
    pub fn read(
        &self,
        session: &Session,
        range: Range<u64>,
        take: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(), LogError> {
        assert!(range.start <= range.end && range.end <= session.event_count, "a range lies inside its session");
        self.told(self.read_items(Kind::Events, session, range, take))
    }

    /// Hands the payloads that are stored together with the one at `position` to `take`, as [`Log::read`] does, and
    /// returns where they stand.
    ///
    /// # Errors
    ///
    /// Fails where one of them is damaged, and where `take` says that it is.
    ///
    /// # Panics
    ///
    /// Panics where the position doesn't lie inside the session.
    pub fn read_around(
        &self,
        session: &Session,
        position: u64,
        take: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<Range<u64>, LogError> {
        assert!(position < session.event_count, "a position lies inside its session");
        self.told(self.read_segment(Kind::Events, session, position, take))
    }

    /// Hands the raw records that are stored together with the one at `position` to `take`, as [`Log::read_raw`] does,
    /// and returns where they stand.
    ///
    /// # Errors
    ///
    /// Fails where one of them is damaged, and where `take` says that it is.
    ///
    /// # Panics
    ///
    /// Panics where there is no such record.
    pub fn read_raw_around(
        &self,
        session: &Session,
        position: u64,
        take: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<Range<u64>, LogError> {
        assert!(position < session.raw_count, "a record lies inside its session");
        self.told(self.read_segment(Kind::RawRecords, session, position, take))
    }

    /// Hands raw records of a session to `take`, in order, each with its number, from 0.
    ///
    /// # Errors
    ///
    /// Fails at the first record that is damaged, and where `take` says that it is.
    ///
    /// # Panics
    ///
    /// Panics where the range doesn't lie inside the session.
    pub fn read_raw(
        &self,
        session: &Session,
        range: Range<u64>,
        take: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(), LogError> {
        assert!(range.start <= range.end && range.end <= session.raw_count, "a range lies inside its session");
        self.told(self.read_items(Kind::RawRecords, session, range, take))
    }

    /// Returns the bytes with that digest.
    ///
    /// # Errors
    ///
    /// Fails where they are damaged or not there.
    pub fn blob(&self, digest: &Digest) -> Result<Vec<u8>, LogError> {
        if let Some(bytes) = self.pending.blob(digest) {
            return Ok(bytes.to_vec());
        }
        let place = Place::Blob(*digest);
        self.told(self.view(&place).and_then(|view| view.blob(digest)))
    }

    /// Returns the last checkpoint at or before `position`, and the position whose state it is.
    ///
    /// # Errors
    ///
    /// Fails where a segment on the way is damaged.
    pub fn checkpoint(&self, session: &Session, position: u64) -> Result<Option<(u64, Vec<u8>)>, LogError> {
        self.told(self.last_checkpoint(session, position))
    }

    fn last_checkpoint(&self, session: &Session, position: u64) -> Result<Option<(u64, Vec<u8>)>, LogError> {
        let place = Place::Events(session.id.clone(), 0..position);
        let view = self.view(&place)?;
        let table = view.table(SEGMENT, &place)?;
        let keys = (session.ordinal, 0)..=(session.ordinal, position);
        let mut rows = self.call(&place, || Ok(table.range(keys)?))?;
        while let Some((key, value)) = self.call(&place, || Ok(rows.next_back().transpose()?))? {
            let (key, bytes) = self.call(&place, || Ok((key.value(), value.value())))?;
            let damaged = || place.damaged(&self.path, "a segment isn't what was written");
            let segment = Segment::open(Kind::Events, key, bytes).ok_or_else(damaged)?;
            if segment.has_checkpoint() {
                return Ok(Some((segment.first, segment.checkpoint().ok_or_else(damaged)?)));
            }
        }
        Ok(None)
    }

    /// Returns the head: blake3 over id, count and digest of all sessions in the order of their ids.
    ///
    /// # Errors
    ///
    /// Fails where a session's row is damaged or missing.
    pub fn head(&self) -> Result<Digest, LogError> {
        Ok(head_of(&self.sessions()?))
    }

    fn read_items(
        &self,
        kind: Kind,
        session: &Session,
        range: Range<u64>,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(), LogError> {
        let mut buffer = Vec::new();
        let view = self.view(&place_of(kind, session, range.clone()))?;
        let sealed = self.sealed(&view, (kind, session))?.clamp(range.start, range.end);
        view.segments(kind, session, range.start..sealed, |segment| {
            view.items((kind, session), (segment, &(range.start..sealed)), &mut buffer, &mut take)
        })?;
        self.read_pending((kind, session), sealed..range.end, &mut take)
    }

    fn read_segment(
        &self,
        kind: Kind,
        session: &Session,
        position: u64,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<Range<u64>, LogError> {
        let mut buffer = Vec::new();
        let mut stands = position..position;
        let view = self.view(&place_of(kind, session, position..position + 1))?;
        let sealed = self.sealed(&view, (kind, session))?;
        if sealed <= position {
            let rest = sealed..count_of(kind, session);
            self.read_pending((kind, session), rest.clone(), &mut take)?;
            return Ok(rest);
        }
        view.segments(kind, session, position..position + 1, |segment| {
            stands = segment.first..segment.end();
            view.items((kind, session), (segment, &stands), &mut buffer, &mut take)
        })?;
        Ok(stands)
    }

    /// Returns up to where a session stands in segments; what follows is pending.
    pub(super) fn sealed(&self, view: &View<'_>, (kind, session): (Kind, &Session)) -> Result<u64, LogError> {
        if self.pending.session(&session.id).is_none() {
            return Ok(count_of(kind, session));
        }
        let row = view.session_row(&session.id, &place_of(kind, session, 0..count_of(kind, session)))?;
        let stored = row.map(|row| self.session_of_row(session.id.as_bytes(), &row)).transpose()?;
        Ok(stored.map_or(0, |stored| count_of(kind, &stored)))
    }

    /// Hands items that are in the tail to `take`.
    pub(super) fn read_pending(
        &self,
        (kind, session): (Kind, &Session),
        range: Range<u64>,
        take: &mut impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<(), LogError> {
        if range.is_empty() {
            return Ok(());
        }
        let place = |range| place_of(kind, session, range);
        let added = self.pending.session(&session.id).map(|added| stretch_of(kind, added));
        let mut next = range.start;
        for (position, item) in added.into_iter().flat_map(|added| added.from(range.start)) {
            if position != next || position >= range.end {
                break;
            }
            take(position, item).map_err(|what| place(position..position + 1).damaged(&self.path, what))?;
            next += 1;
        }
        if next == range.end { Ok(()) } else { Err(place(next..range.end).damaged(&self.path, "they aren't there")) }
    }

    pub(super) fn format(&self) -> Result<u32, LogError> {
        let place = &Place::File;
        let view = self.view(place)?;
        let table = match view.table(META, place) {
            Ok(table) => table,
            Err(LogError::Damaged { .. }) => return Err(LogError::NotALog(self.path.clone())),
            Err(other) => return Err(other),
        };
        let row = self.call(place, || Ok(table.get(FORMAT_KEY)?.map(|row| row.value().to_vec())))?;
        let row = row.ok_or_else(|| LogError::NotALog(self.path.clone()))?;
        let content = row::open(META.name(), FORMAT_KEY, &row);
        let number = content.and_then(|content| content.strip_prefix(FORMAT_MARK)).and_then(|rest| Fields(rest).u32());
        number.ok_or_else(|| place.damaged(&self.path, "its format number isn't what was written"))
    }

    fn session_of_row(&self, id: &[u8], row: &[u8]) -> Result<Session, LogError> {
        let content = row::open(SESSION.name(), id, row);
        content.and_then(|content| Session::read(id, content)).ok_or_else(|| {
            let place = Place::Session(Name::from(String::from_utf8_lossy(id).into_owned()));
            place.damaged(&self.path, "its row isn't what was written")
        })
    }

    /// Passes a result on; what looks like damage, and is the work of a new writer, is told as that.
    pub(super) fn told<T>(&self, result: Result<T, LogError>) -> Result<T, LogError> {
        match result {
            Err(LogError::Damaged { .. }) if self.is_taken_over() => Err(LogError::TakenOver(self.path.clone())),
            other => other,
        }
    }

    /// Returns whether a new writer began since the log was repaired in memory: what was read up to then is right.
    pub(super) fn is_taken_over(&self) -> bool {
        let now = || Stamp::of_file(&self.path)?.with_head(&self.path);
        self.repaired.as_ref().is_some_and(|repaired| now().is_ok_and(|now| now != *repaired))
    }

    fn call<T>(&self, place: &Place, work: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, LogError> {
        call(&self.path, Doing::Read, place, work)
    }

    /// Returns the log as it is now; what is written later isn't seen.
    pub(super) fn view(&self, place: &Place) -> Result<View<'_>, LogError> {
        let transaction = self.call(place, || {
            Ok(match self.source() {
                Source::ReadOnly(database) => database.begin_read()?,
                Source::Writable(database) | Source::Overlay(database) => database.begin_read()?,
            })
        })?;
        Ok(View { path: &self.path, transaction })
    }

    pub(super) fn source(&self) -> &Source {
        self.source.as_ref().expect("a log is open until it is closed")
    }

    /// Returns the database behind the log, which is its owner's to close.
    pub(super) fn take_source(mut self) -> Source {
        self.source.take().expect("a log is open until it is closed")
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let source = self.source.take();
        // The database ignores what goes wrong when it is dropped, and a damaged one may panic.
        let _ = call(&self.path, Doing::Write, &Place::File, || {
            drop(source);
            Ok(())
        });
    }
}

fn count_of(kind: Kind, session: &Session) -> u64 {
    match kind {
        Kind::Events => session.event_count,
        Kind::RawRecords => session.raw_count,
    }
}

fn stretch_of(kind: Kind, added: &Added) -> &Stretch {
    match kind {
        Kind::Events => &added.events,
        Kind::RawRecords => &added.raw_records,
    }
}

/// Returns the head over some sessions in the order of their ids.
pub(super) fn head_of(sessions: &[Session]) -> Digest {
    chain::head(sessions.iter().map(|session| (session.id.as_str(), session.event_count, session.digest)))
}
