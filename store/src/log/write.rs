//! Writing a log. What was appended is durable when the append returns; a part of an append never is.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::{Database, TableHandle, WriteTransaction};

use super::adding::{Adding, new_session};
use super::blocks::{Files, OnDisk, sync_folder, tail_path};
use super::end::End;
use super::error::{Damage, Doing, LogError, Place, from_io};
use super::guard::call;
use super::open::{builder, check_file, missing_tail};
use super::pending::{Pending, Unsealed, unsealed};
use super::read::{Log, Source};
use super::session::{Details, Session};
use super::tail::{Reader, scan};
use super::tail_row::TailRow;
use super::{
    BLOB, FORMAT, FORMAT_KEY, FORMAT_MARK, META, NewFold, OUTLINE, RECORD, SEGMENT, SESSION, SESSIONS_KEY,
    WRITER_CACHE_LEN, row,
};
use crate::digest::Digest;
use crate::name::Name;

#[cfg(test)]
mod tests;

/// A file that is larger than its contents by this share is made smaller when it is closed.
const COMPACT_FROM: f64 = 1.3;

/// A log that is open for writing. There is one writer of a file at a time.
pub struct Writer {
    log: Log,
    pub(super) files: Arc<dyn Files>,
    /// What the log holds, by id.
    sessions: BTreeMap<Name, Session>,
    /// The ends of the sessions that were written through this writer, by id.
    ends: BTreeMap<Name, End>,
    pub(super) new_fold: Option<NewFold>,
    /// What the database says about the tail.
    pub(super) tail_row: Option<TailRow>,
    tail_damage: Option<Damage>,
}

/// Returns the name of a log that is being made: `session.log-new-`, and the number of the process.
fn half_made(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("-new-{}", std::process::id()));
    PathBuf::from(name)
}

/// Gives a file its name, unless something has it.
fn name(new: &Path, path: &Path) -> io::Result<()> {
    match std::fs::hard_link(new, path) {
        Ok(()) => std::fs::remove_file(new),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has two names for a file.
        Err(_) => std::fs::rename(new, path),
    }
}

impl Writer {
    /// Makes a new log that only its owner can read, of which `new_fold`, if there is one, gives the checkpoints
    /// and the outlines.
    ///
    /// # Errors
    ///
    /// Fails where something is at `path` already, or nothing can be made there.
    pub fn create(path: &Path, new_fold: Option<NewFold>) -> Result<Writer, LogError> {
        if path.symlink_metadata().is_ok() {
            return Err(LogError::Exists(path.to_owned()));
        }
        // Until it is a log it has another name, so that who is killed meanwhile leaves no half of one.
        let new = half_made(path);
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new);
        made.map_err(|error| match (from_io(path, Doing::Write, error), path.parent()) {
            (LogError::Missing(_), Some(folder)) => LogError::NoFolder(folder.to_owned()),
            (other, _) => other,
        })?;
        let files = Arc::new(OnDisk(path.to_owned()));
        let made = call(path, Doing::Write, &Place::File, || Ok(builder(WRITER_CACHE_LEN).create(&new)?));
        let filled = made.and_then(|database| {
            let writer = Writer::fill(path, files, database, new_fold)?;
            name(&new, path).map_err(|error| from_io(path, Doing::Write, error))?;
            sync_folder(path).map_err(|error| from_io(path, Doing::Write, error))?;
            Ok(writer)
        });
        filled.inspect_err(|_| drop(std::fs::remove_file(&new)))
    }

    /// Opens a log for adding to it. What an earlier writer left in the tail is put into the database first.
    ///
    /// # Errors
    ///
    /// Fails where the file isn't a log of this format, or can't be written, or is written by another program, or
    /// its list of sessions or its tail is damaged.
    pub fn open(path: &Path, new_fold: Option<NewFold>) -> Result<Writer, LogError> {
        check_file(path)?;
        Writer::open_files(path, Arc::new(OnDisk(path.to_owned())), new_fold)
    }

    pub(super) fn open_files(
        path: &Path,
        files: Arc<dyn Files>,
        new_fold: Option<NewFold>,
    ) -> Result<Writer, LogError> {
        let opened = call(path, Doing::Write, &Place::File, || files.open_database());
        let database = opened.map_err(|error| match error {
            LogError::InUse { path, process: None } => LogError::InUse { path, process: process(&*files) },
            other => other,
        })?;
        let log = Log::checked(path, Source::Writable(database))?;
        let sessions = log.sessions()?.into_iter().map(|session| (session.id.clone(), session)).collect();
        let tail_row = log.view(&Place::File)?.tail_row()?;
        let ends = BTreeMap::new();
        let mut writer = Writer { log, files, sessions, ends, new_fold, tail_row, tail_damage: None };
        writer.take_over()?;
        Ok(writer)
    }

    /// Returns the log, for reading.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the session of that id, if there is one.
    pub fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// Returns all sessions by id.
    pub(super) fn sessions(&self) -> &BTreeMap<Name, Session> {
        &self.sessions
    }

    /// Returns what was wrong with the tail when the log was opened: the last events that were acknowledged may be
    /// missing then. The log goes on without them.
    pub fn tail_damage(&self) -> Option<&Damage> {
        self.tail_damage.as_ref()
    }

    /// Starts an append to a session that holds `expected` events; 0 for one that isn't there yet.
    ///
    /// # Errors
    ///
    /// Fails with [`LogError::Conflict`] where the session holds another number of events, and where its last
    /// segment is damaged.
    pub fn append(&mut self, session: &str, expected: u64) -> Result<Append<'_>, LogError> {
        let adding = self.begin(session, expected, self.sessions.len() as u64)?;
        let transaction = call(self.log.path(), Doing::Write, &adding.place, || Ok(self.database().begin_write()?))?;
        Ok(Append { writer: self, transaction: Some(transaction), adding: Some(adding) })
    }

    /// Begins to add to a session; one that isn't there yet gets `ordinal`.
    fn begin(&mut self, session: &str, expected: u64, ordinal: u64) -> Result<Adding, LogError> {
        let session = self.sessions.get(session).cloned().unwrap_or_else(|| new_session(session, ordinal));
        if session.event_count != expected {
            return Err(LogError::Conflict { session: session.id, expected, actual: session.event_count });
        }
        let end = match self.ends.remove(&session.id) {
            Some(end) => end,
            None => End::load(&self.log, &session)?,
        };
        Ok(Adding::start(self.log.path(), self.new_fold, session, end))
    }

    /// Notes what was added, once it is durable.
    fn keep(&mut self, adding: Adding) -> Session {
        let Adding { end, session, .. } = adding;
        self.ends.insert(session.id.clone(), end);
        self.sessions.insert(session.id.clone(), session.clone());
        session
    }

    /// Puts what is pending into the database, in one commit that says so of the tail. Opening the database after a
    /// crash stays fast whatever its size.
    ///
    /// # Errors
    ///
    /// Fails where the system refuses a write, or what is pending doesn't follow what is there; then nothing was changed.
    pub(super) fn seal(&mut self, pending: &Pending, tail_row: TailRow) -> Result<(), LogError> {
        let path = self.log.path().to_owned();
        let transaction = call(&path, Doing::Write, &Place::File, || {
            let mut transaction = self.database().begin_write()?;
            transaction.set_quick_repair(true);
            Ok(transaction)
        })?;
        let mut in_order: Vec<_> = pending.sessions().collect();
        in_order.sort_by_key(|(_, added)| added.ordinal);
        let mut done = Vec::new();
        for (id, added) in in_order {
            let stored = self.session(id);
            let (sealed, raw_sealed) = stored.map_or((0, 0), |stored| (stored.event_count, stored.raw_count));
            let details = added.details.clone().or_else(|| stored.map(|stored| stored.details.clone()));
            added.check(id, (sealed, raw_sealed)).map_err(|damage| LogError::Damaged { path: path.clone(), damage })?;
            let mut adding = self.begin(id, sealed, added.ordinal)?;
            for (_, payload) in added.events.from(sealed) {
                adding.push(&transaction, payload)?;
            }
            for (_, record) in added.raw_records.from(raw_sealed) {
                adding.push_raw(&transaction, record)?;
            }
            adding.finish(&transaction, details.unwrap_or_default())?;
            done.push(adding);
        }
        for (_, bytes) in pending.blobs() {
            super::adding::put_blob(&path, &Place::File, &transaction, bytes)?;
        }
        let new = done.iter().filter(|adding| !self.sessions.contains_key(&adding.session.id)).count();
        let count = self.sessions.len() as u64 + new as u64;
        call(&path, Doing::Write, &Place::File, || {
            put_count(&transaction, count)?;
            tail_row.put(&transaction)?;
            Ok(transaction.commit()?)
        })?;
        done.into_iter().for_each(|adding| drop(self.keep(adding)));
        self.tail_row = Some(tail_row);
        Ok(())
    }

    /// Puts what an earlier writer left in the tail into the database, and removes the tail.
    fn take_over(&mut self) -> Result<(), LogError> {
        let path = self.log.path().to_owned();
        let failed = |error| from_io(&tail_path(&path), Doing::Write, error);
        let tail = self.files.open_tail().map_err(failed)?;
        let row = self.tail_row;
        let pending = match unsealed(&path, row, tail.as_deref(), Reader::AfterWriter)? {
            Unsealed::Records(records) => Pending::of(records),
            Unsealed::Missing => {
                self.tail_damage = Some(missing_tail(&path));
                Ok(Pending::default())
            }
            Unsealed::Damaged(_, damage) => Err(damage),
        };
        let pending = pending.map_err(|damage| LogError::Damaged { path: path.clone(), damage })?;
        if let Some(row) = row.filter(|row| row.is_open) {
            let scanned = tail.as_deref().map(|tail| scan(tail, Reader::AfterWriter)).transpose().map_err(failed)?;
            let next = scanned.flatten().map_or(row.sealed, |scanned| scanned.next());
            self.seal(&pending, TailRow { is_open: false, sealed: next.max(row.sealed), ..row })?;
        }
        self.files.remove_tail().map_err(failed)
    }

    /// Closes the log. The file is made smaller where that is worth it.
    ///
    /// # Errors
    ///
    /// Fails where the system refuses a write; what was appended is there none the less.
    pub fn close(self) -> Result<(), LogError> {
        let path = self.log.path().to_owned();
        let files = self.files;
        let Source::Writable(mut database) = self.log.take_source() else { unreachable!("a writer can write") };
        call(&path, Doing::Write, &Place::File, || {
            compact(&*files, &mut database)?;
            Ok(database.close()?)
        })
    }

    fn database(&self) -> &Database {
        match self.log.source() {
            Source::Writable(database) => database,
            Source::ReadOnly(_) | Source::Overlay(_) => unreachable!("a writer can write"),
        }
    }

    /// Makes the tables in an empty database.
    pub(super) fn fill(
        path: &Path,
        files: Arc<dyn Files>,
        database: Database,
        new_fold: Option<NewFold>,
    ) -> Result<Writer, LogError> {
        call(path, Doing::Write, &Place::File, || {
            let transaction = database.begin_write()?;
            {
                let format = [&FORMAT_MARK[..], &FORMAT.to_le_bytes()].concat();
                let mut meta = transaction.open_table(META)?;
                meta.insert(FORMAT_KEY, &row::seal(META.name(), FORMAT_KEY, &format)[..])?;
            }
            put_count(&transaction, 0)?;
            transaction.open_table(SESSION)?;
            transaction.open_table(SEGMENT)?;
            transaction.open_table(RECORD)?;
            transaction.open_table(BLOB)?;
            transaction.open_table(OUTLINE)?;
            Ok(transaction.commit()?)
        })?;
        let log = Log::checked(path, Source::Writable(database))?;
        let (sessions, ends) = (BTreeMap::new(), BTreeMap::new());
        Ok(Writer { log, files, sessions, ends, new_fold, tail_row: None, tail_damage: None })
    }
}

/// An append to one session. Nothing of it is in the log until [`Append::commit`] returns.
pub struct Append<'a> {
    writer: &'a mut Writer,
    /// Both are there until the append ends.
    transaction: Option<WriteTransaction>,
    adding: Option<Adding>,
}

impl Append<'_> {
    /// Returns the session as it will be, apart from its digest and its details.
    pub fn session(&self) -> &Session {
        &self.adding.as_ref().expect(IS_OPEN).session
    }

    /// Adds a payload.
    ///
    /// # Errors
    ///
    /// Fails where the payload is longer than [`ITEM_LEN_MAX`](super::ITEM_LEN_MAX) or the system refuses a write.
    pub fn push(&mut self, payload: &[u8]) -> Result<(), LogError> {
        let (adding, transaction) = self.parts();
        adding.push(transaction, payload)
    }

    /// Adds a raw record.
    ///
    /// # Errors
    ///
    /// Fails where the record is longer than [`ITEM_LEN_MAX`](super::ITEM_LEN_MAX) or the system refuses a write.
    pub fn push_raw(&mut self, record: &[u8]) -> Result<(), LogError> {
        let (adding, transaction) = self.parts();
        adding.push_raw(transaction, record)
    }

    /// Keeps some bytes under their digest, once, and returns that.
    ///
    /// # Errors
    ///
    /// Fails where they are longer than [`ITEM_LEN_MAX`](super::ITEM_LEN_MAX) or the system refuses a write.
    pub fn put_blob(&mut self, bytes: &[u8]) -> Result<Digest, LogError> {
        let (adding, transaction) = self.parts();
        adding.put_blob(transaction, bytes)
    }

    /// Makes the append durable and returns the session as it is now.
    ///
    /// # Errors
    ///
    /// Fails where the system refuses a write; then nothing was appended.
    pub fn commit(mut self, details: Details) -> Result<Session, LogError> {
        let (adding, transaction) = self.parts();
        adding.finish(transaction, details)?;
        let adding = self.adding.take().expect(IS_OPEN);
        let is_new = !self.writer.sessions.contains_key(&adding.session.id);
        let count = self.writer.sessions.len() as u64 + u64::from(is_new);
        let transaction = self.transaction.take().expect(IS_OPEN);
        call(self.writer.log.path(), Doing::Write, &adding.place, || {
            put_count(&transaction, count)?;
            Ok(transaction.commit()?)
        })?;
        Ok(self.writer.keep(adding))
    }

    fn parts(&mut self) -> (&mut Adding, &WriteTransaction) {
        (self.adding.as_mut().expect(IS_OPEN), self.transaction.as_ref().expect(IS_OPEN))
    }
}

const IS_OPEN: &str = "an append is open until it ends";

impl Drop for Append<'_> {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            // Nothing was promised, so that there is nothing to report.
            drop(call(self.writer.log.path(), Doing::Write, &Place::File, || Ok(transaction.abort()?)));
        }
    }
}

/// Writes how many sessions there are.
fn put_count(transaction: &WriteTransaction, count: u64) -> Result<(), redb::Error> {
    let row = row::seal(META.name(), SESSIONS_KEY, &count.to_le_bytes());
    transaction.open_table(META)?.insert(SESSIONS_KEY, &row[..])?;
    Ok(())
}

/// Returns the process that writes the tail, if there is one.
fn process(files: &dyn Files) -> Option<u32> {
    let tail = files.open_tail().ok()??;
    scan(&*tail, Reader::BesideWriter).ok()?.map(|scan| scan.process)
}

/// Makes the file smaller where it is much larger than its contents. A reader in another program prevents it.
fn compact(files: &dyn Files, database: &mut Database) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    let stats = transaction.stats()?;
    transaction.abort()?;
    let live = stats.allocated_pages() as f64 * stats.page_size() as f64;
    let file_len = files.database_len().map_err(redb::Error::Io)?;
    if file_len as f64 <= COMPACT_FROM * live {
        return Ok(());
    }
    // Each round moves pages towards the front; few are needed.
    for _ in 0..8 {
        match database.compact() {
            Ok(true) => {}
            Ok(false) | Err(redb::CompactionError::TransactionInProgress) => break,
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}
