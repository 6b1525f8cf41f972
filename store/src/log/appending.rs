//! Appending to a log event by event: one write and one sync for all who wait, sealing beside it, regions in turns.
//!
//! ```text
//! append   -> staged -> written and synced by the first who waits -> acknowledged -> marked
//! sealing     takes what is durable into the database; a region is entered once everything is there
//! ```
//!
//! Whoever finds nobody writing writes for all: no clock, no waiting for more. After a failed write or sync nothing more
//! is accepted, because nobody knows what the disk holds then.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::NewFold;
use super::adding::check_len;
use super::addition::{Addition, Appended, Durability};
use super::blocks::{Blocks, tail_path};
use super::error::{Damage, Doing, LogError, Stop, from_io};
use super::pending::Pending;
use super::planted::{Fault, is_planted};
use super::tail::{Body, Entry, Group, LogId, Record, Stager};
use super::tail_row::TailRow;
use super::write::Writer;
use crate::name::Name;

/// Batches of so many events go straight into the database: the tail would write them a second time.
const BATCH_FROM: usize = 256;

/// Items that are longer go straight into the database.
const ITEM_LEN_IN_TAIL: usize = 64 << 10;

/// So many records are sealed without waiting for a pause.
const SEAL_FROM: usize = 1024;

/// How long nothing comes before what is there is sealed.
const PAUSE: Duration = Duration::from_millis(500);

/// A log that is being appended to.
pub(super) struct Appending {
    path: PathBuf,
    tail: Box<dyn Blocks>,
    id: LogId,
    pub(super) tail_damage: Option<Damage>,
    state: Mutex<State>,
    /// Something is durable or sealed, or nobody has the log for himself any more.
    changed: Condvar,
    new_fold: Option<NewFold>,
    /// There is something to seal, or no more will come.
    work: Condvar,
    /// `None` once the log is closed.
    writer: Mutex<Option<Writer>>,
}

struct State {
    sessions: BTreeMap<Name, Stream>,
    stager: Stager,
    /// The sessions that were named in the region.
    opened: BTreeSet<u64>,
    /// What the database doesn't hold yet, in order.
    unsealed: VecDeque<Entry>,
    /// Number of the first record that isn't durable.
    durable: u64,
    is_writing: bool,
    is_sealing: bool,
    /// Somebody has the log for himself: nothing is staged.
    is_taken: bool,
    is_closing: bool,
    failure: Option<Stop>,
    /// Whether the background knows that there is something to seal.
    is_awaited: bool,
    /// How many appends there were.
    appends: u64,
    waits: u64,
}

/// A session, and how much of it there is.
#[derive(Clone, Copy, Debug)]
struct Stream {
    ordinal: u64,
    event_count: u64,
    raw_count: u64,
}

type Guard<'a> = MutexGuard<'a, State>;

impl Appending {
    /// Makes a tail of two regions beside a log, and says so in the log.
    pub(super) fn start(mut writer: Writer, id: LogId, region_len: u64) -> Result<Appending, LogError> {
        let path = writer.log().path().to_owned();
        let row = writer.tail_row.unwrap_or(TailRow { id, is_open: false, sealed: 0 });
        let failed = |error| from_io(&tail_path(&path), Doing::Write, error);
        let tail = writer.files.create_tail(2 * region_len).map_err(failed)?;
        let mut stager = Stager::start(row.id, std::process::id(), region_len, row.sealed);
        if let Some(group) = stager.take() {
            write(&*tail, &group).map_err(failed)?;
        }
        writer.seal(&Pending::default(), TailRow { is_open: true, ..row })?;
        let sessions = writer.sessions().iter().map(|(id, session)| {
            let (ordinal, event_count, raw_count) = (session.ordinal, session.event_count, session.raw_count);
            (id.clone(), Stream { ordinal, event_count, raw_count })
        });
        let state = State {
            sessions: sessions.collect(),
            stager,
            opened: BTreeSet::new(),
            unsealed: VecDeque::new(),
            durable: row.sealed,
            is_writing: false,
            is_sealing: false,
            is_taken: false,
            is_closing: false,
            failure: None,
            is_awaited: false,
            appends: 0,
            waits: 0,
        };
        Ok(Appending {
            path,
            new_fold: writer.new_fold,
            tail,
            id: row.id,
            tail_damage: writer.tail_damage().cloned(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            work: Condvar::new(),
            writer: Mutex::new(Some(writer)),
        })
    }

    pub(super) fn path(&self) -> &PathBuf {
        &self.path
    }

    /// Returns how many events and raw records a session holds, with those that aren't durable yet.
    pub(super) fn counts(&self, session: &str) -> Option<(u64, u64)> {
        self.state().sessions.get(session).map(|stream| (stream.event_count, stream.raw_count))
    }

    /// Returns how often an append had to wait for the database before it could go on in the other region.
    pub(super) fn waits(&self) -> u64 {
        self.state().waits
    }

    pub(super) fn append(&self, addition: &Addition, durability: Durability) -> Result<Appended, LogError> {
        let items = || addition.payloads.iter().chain(&addition.raw_records).chain(&addition.blobs);
        items().try_for_each(|item| check_len(&self.path, item))?;
        self.check(addition)?;
        let len: u64 = items().map(|item| item.len() as u64).sum();
        let is_long = BATCH_FROM <= addition.payloads.len() || items().any(|item| ITEM_LEN_IN_TAIL < item.len());
        if is_long || self.state().stager.capacity() / 4 < len {
            return self.alone(|| self.append_batch(addition));
        }
        let (appended, next) = loop {
            let mut state = self.wait_while(|state| state.is_taken)?;
            let (records, appended) = state.records(addition)?;
            let len = records.iter().map(Record::len).sum();
            if state.stager.fits(len) {
                state.stage(addition, records, &appended);
                if state.unsealed.len() >= SEAL_FROM || !state.is_awaited {
                    state.is_awaited = true;
                    self.work.notify_one();
                }
                break (appended, state.stager.next());
            }
            drop(state);
            self.alone(|| self.enter(len))?;
        };
        match durability {
            Durability::Durable if !is_planted(Fault::EarlyAcknowledgement) => self.write_until(next)?,
            Durability::Durable | Durability::Batched => {}
        }
        Ok(appended)
    }

    /// Refuses what the fold doesn't take: once it is accepted, it could never be put into the database.
    fn check(&self, addition: &Addition) -> Result<(), LogError> {
        let Some(fold) = self.new_fold.map(|new_fold| new_fold()) else { return Ok(()) };
        for (index, payload) in (1..).zip(&addition.payloads) {
            fold.check(payload).map_err(|what| {
                let session = addition.session.clone();
                let before = addition.expected.or(self.counts(&session).map(|(events, _)| events)).unwrap_or(0);
                LogError::Refused { session, number: before + index, what }
            })?;
        }
        Ok(())
    }

    /// Makes durable what was appended.
    pub(super) fn sync(&self) -> Result<(), LogError> {
        let next = self.state().stager.next();
        self.write_until(next)
    }

    /// Puts what is durable into the database.
    pub(super) fn seal(&self) -> Result<(), LogError> {
        let mut state = self.wait_while(|state| state.is_taken || state.is_sealing)?;
        state.is_sealing = true;
        drop(state);
        self.seal_with(Vec::new(), true)
    }

    /// Seals in pauses, and where much came, until the log is closed.
    pub(super) fn seal_in_background(&self) {
        loop {
            let mut state = self.state();
            state.is_awaited = false;
            while state.unsealed.len() < SEAL_FROM && !state.is_over() {
                let appends = state.appends;
                if state.unsealed.is_empty() {
                    state.is_awaited = false;
                    state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                let (woken, waited) = self.work.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner);
                state = woken;
                if waited.timed_out() && state.appends == appends {
                    break;
                }
            }
            if state.is_over() {
                return;
            }
            drop(state);
            // A failure is kept, and whoever appends next is told.
            if self.sync().and_then(|()| self.seal()).is_err() {
                return;
            }
        }
    }

    /// Says that no more will come, so that the background sealing ends.
    pub(super) fn stop(&self) {
        self.state().is_closing = true;
        self.work.notify_all();
    }

    /// Puts everything into the database, removes the tail, and closes the log.
    pub(super) fn close(&self) -> Result<(), LogError> {
        self.alone(|| {
            self.sync()?;
            self.seal_with(Vec::new(), false)?;
            let mut state = self.state();
            state.failure = Some(Stop::Closed);
            // Followers are told; whether they are doesn't matter, so that nothing waits for the disk.
            let closed = Record { ordinal: 0, position: 0, body: Body::Closed };
            if state.stager.fits(closed.len()) {
                state.stager.stage(&[closed]);
            }
            if let Some(group) = state.stager.take() {
                drop(publish(&*self.tail, &group));
            }
            Ok(())
        })?;
        let Some(writer) = self.writer().take() else { return Ok(()) };
        writer.files.remove_tail().map_err(|error| from_io(&tail_path(&self.path), Doing::Write, error))?;
        writer.close()
    }

    /// Returns whether nothing more is accepted.
    pub(super) fn is_stopped(&self) -> bool {
        self.state().failure.is_some()
    }

    /// Appends straight to the database, together with all that isn't there yet, and then notes in the tail how far the
    /// session is there. Nothing else is appended meanwhile.
    fn append_batch(&self, addition: &Addition) -> Result<Appended, LogError> {
        self.sync()?;
        let (records, appended) = self.state().records(addition)?;
        if !is_planted(Fault::NoSeal) {
            self.seal_with(records, true)?;
        }
        let mut state = self.state();
        state.count(addition, &appended);
        let stream = state.sessions[&addition.session];
        let sealed =
            Record { ordinal: stream.ordinal, position: stream.event_count, body: Body::SealedUpTo(stream.raw_count) };
        let mut records = state.opening(addition, stream.ordinal);
        records.push(sealed);
        if !state.stager.fits(records.iter().map(Record::len).sum()) {
            state.enter();
            records = state.opening(addition, stream.ordinal).into_iter().chain(records.pop()).collect();
        }
        state.put(records, stream.ordinal);
        drop(state);
        self.sync()?;
        Ok(appended)
    }

    /// Goes on in the other region where `len` bytes don't fit into this one any more. Everything is put into the
    /// database before.
    fn enter(&self, len: u64) -> Result<(), LogError> {
        if self.has_room(len) {
            return Ok(());
        }
        self.sync()?;
        if !self.state().unsealed.is_empty() && !is_planted(Fault::EarlyRegion) {
            self.state().waits += 1;
            self.seal_with(Vec::new(), true)?;
        }
        self.state().enter();
        Ok(())
    }

    /// Returns whether records of so many bytes fit into the region, so that nothing has to wait for the database.
    pub(super) fn has_room(&self, len: u64) -> bool {
        self.state().stager.fits(len)
    }

    /// Takes the log for `work` alone: nothing else is appended or sealed meanwhile.
    fn alone<T>(&self, work: impl FnOnce() -> Result<T, LogError>) -> Result<T, LogError> {
        let mut state = self.wait_while(|state| state.is_taken || state.is_sealing)?;
        state.is_taken = true;
        drop(state);
        let done = work();
        let mut state = self.state();
        state.is_taken = false;
        drop(state);
        self.changed.notify_all();
        done
    }

    /// Returns once all records in front of `next` are durable: the first who waits writes for all.
    fn write_until(&self, next: u64) -> Result<(), LogError> {
        loop {
            let mut state = self.wait_while(|state| state.is_writing && state.durable < next)?;
            if next <= state.durable {
                return Ok(());
            }
            let Some(group) = state.stager.take() else { return Ok(()) };
            state.is_writing = true;
            drop(state);
            let written = write(&*self.tail, &group);
            let written = written.map_err(|error| from_io(&tail_path(&self.path), Doing::Write, error));
            let mut state = self.state();
            state.is_writing = false;
            match &written {
                Ok(()) => state.durable = group.next,
                Err(error) => state.failure = Some(Stop::of(error, "a write to its tail failed")),
            }
            drop(state);
            self.changed.notify_all();
            written?;
        }
    }

    /// Puts what is durable into the database, and with it records that have no place in the tail.
    fn seal_with(&self, batch: Vec<Record>, is_open: bool) -> Result<(), LogError> {
        let state = self.state();
        let sealed = state.durable;
        let durable = state.unsealed.iter().take_while(|entry| entry.number < sealed).cloned();
        let batch = batch.into_iter().map(|record| Entry { number: sealed, record });
        let unnamed: Vec<Entry> = durable.chain(batch).collect();
        let entries = [state.names(&unnamed), unnamed].concat();
        drop(state);
        let path = || self.path.clone();
        let result =
            Pending::of(entries).map_err(|damage| LogError::Damaged { path: path(), damage }).and_then(|pending| {
                match self.writer().as_mut() {
                    Some(writer) => writer.seal(&pending, TailRow { id: self.id, is_open, sealed }),
                    None => Err(LogError::Stopped { path: path(), why: Stop::Closed }),
                }
            });
        let mut state = self.state();
        state.is_sealing = false;
        match &result {
            Ok(()) => state.unsealed.retain(|entry| sealed <= entry.number),
            Err(error) => state.failure = Some(Stop::of(error, "what was appended can't be put into the database")),
        }
        drop(state);
        self.changed.notify_all();
        result
    }

    fn wait_while(&self, is_awaited: impl Fn(&State) -> bool) -> Result<Guard<'_>, LogError> {
        let mut state = self.state();
        loop {
            if let Some(why) = &state.failure {
                return Err(LogError::Stopped { path: self.path.clone(), why: why.clone() });
            }
            if !is_awaited(&state) {
                return Ok(state);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_over(&self) -> bool {
        self.is_closing || self.failure.is_some()
    }

    /// Returns the records of an addition, and where it will stand.
    fn records(&self, addition: &Addition) -> Result<(Vec<Record>, Appended), LogError> {
        let next = Stream { ordinal: self.sessions.len() as u64, event_count: 0, raw_count: 0 };
        let stream = self.sessions.get(&addition.session).copied().unwrap_or(next);
        let (ordinal, actual) = (stream.ordinal, stream.event_count);
        if let Some(expected) = addition.expected.filter(|expected| *expected != actual) {
            return Err(LogError::Conflict { session: addition.session.clone(), expected, actual });
        }
        let appended = Appended {
            events: actual..actual + addition.payloads.len() as u64,
            raw_records: stream.raw_count..stream.raw_count + addition.raw_records.len() as u64,
        };
        let at = |position: u64, body: Body| Record { ordinal, position, body };
        let mut records = self.opening(addition, ordinal);
        records.extend(addition.blobs.iter().map(|bytes| at(0, Body::Blob(bytes.clone()))));
        let raw = appended.raw_records.clone().zip(&addition.raw_records);
        records.extend(raw.map(|(position, bytes)| at(position, Body::RawRecord(bytes.clone()))));
        let events = appended.events.clone().zip(&addition.payloads);
        records.extend(events.map(|(position, payload)| at(position, Body::Event(payload.clone()))));
        // A session that nothing is in is there, too.
        let is_new = !self.sessions.contains_key(&addition.session);
        let details = addition.details.clone().or(is_new.then(Default::default));
        records.extend(details.map(|details| at(appended.events.end, Body::Noted(details))));
        Ok((records, appended))
    }

    /// Returns the record that names a session, where the region doesn't yet.
    fn opening(&self, addition: &Addition, ordinal: u64) -> Vec<Record> {
        let body = Body::Opened(addition.session.clone());
        let is_named = self.opened.contains(&ordinal);
        if is_named { Vec::new() } else { vec![Record { ordinal, position: 0, body }] }
    }

    /// Returns records that name the sessions of others: those that do may be sealed already.
    fn names(&self, of: &[Entry]) -> Vec<Entry> {
        let ordinals: BTreeSet<u64> = of.iter().map(|entry| entry.record.ordinal).collect();
        let streams = self.sessions.iter().filter(|(_, stream)| ordinals.contains(&stream.ordinal));
        let named = streams.map(|(id, stream)| {
            let record = Record { ordinal: stream.ordinal, position: 0, body: Body::Opened(id.clone()) };
            Entry { number: 0, record }
        });
        named.collect()
    }

    fn stage(&mut self, addition: &Addition, records: Vec<Record>, appended: &Appended) {
        self.count(addition, appended);
        self.appends += 1;
        self.put(records, self.sessions[&addition.session].ordinal);
    }

    fn put(&mut self, records: Vec<Record>, ordinal: u64) {
        let first = self.stager.next();
        self.stager.stage(&records);
        self.unsealed.extend((first..).zip(records).map(|(number, record)| Entry { number, record }));
        self.opened.insert(ordinal);
    }

    fn count(&mut self, addition: &Addition, appended: &Appended) {
        let ordinal = self.sessions.len() as u64;
        let stream = self.sessions.entry(addition.session.clone());
        let stream = stream.or_insert(Stream { ordinal, event_count: 0, raw_count: 0 });
        (stream.event_count, stream.raw_count) = (appended.events.end, appended.raw_records.end);
    }

    fn enter(&mut self) {
        self.stager.enter();
        self.opened.clear();
    }
}

/// Makes a group durable, and marks it so.
fn write(tail: &dyn Blocks, group: &Group) -> io::Result<()> {
    tail.write_at(group.at, &group.bytes)?;
    tail.sync()?;
    tail.write_at(group.at + group.bytes.len() as u64, &group.mark)
}

/// Writes a group that needs not be durable.
fn publish(tail: &dyn Blocks, group: &Group) -> io::Result<()> {
    tail.write_at(group.at, &group.bytes)?;
    tail.write_at(group.at + group.bytes.len() as u64, &group.mark)
}
