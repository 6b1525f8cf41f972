//! Writing a log. What was appended is durable when the append returns; a part of an append never is.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use redb::{Database, ReadableTable, TableHandle, WriteTransaction};

use super::error::{Doing, LogError, Place, from_io};
use super::folding::Cuts;
use super::guard::call;
use super::packer::Cut;
use super::read::{Log, Source, builder, check_file};
use super::segment::{Item, Kind};
use super::session::{Checkpoints, Details, Session};
use super::tail::Tail;
use super::view::table_of;
use super::{
    BLOB, FORMAT, FORMAT_KEY, FORMAT_MARK, INLINE_LEN, ITEM_LEN_MAX, META, NewFold, OUTLINE, RECORD, SEGMENT, SESSION,
    SESSIONS_KEY, WRITER_CACHE_LEN, blob, row,
};
use crate::digest::Digest;
use crate::name::Name;

/// A file that is larger than its contents by this share is made smaller when it is closed.
const COMPACT_FROM: f64 = 1.3;

/// A log that is open for writing. There is one writer of a file at a time.
pub struct Writer {
    log: Log,
    /// What the log holds, by id.
    sessions: BTreeMap<Name, Session>,
    /// The ends of the sessions that were written through this writer, by id.
    tails: BTreeMap<Name, Tail>,
    new_fold: Option<NewFold>,
}

impl Writer {
    /// Makes a new log that only its owner can read, of which `new_fold`, if there is one, gives the checkpoints
    /// and the outlines.
    ///
    /// # Errors
    ///
    /// Fails where something is at `path` already, or nothing can be made there.
    pub fn create(path: &Path, new_fold: Option<NewFold>) -> Result<Writer, LogError> {
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        made.map_err(|error| match (from_io(path, Doing::Write, error), path.parent()) {
            (LogError::Missing(_), Some(folder)) => LogError::NoFolder(folder.to_owned()),
            (other, _) => other,
        })?;
        let log = Writer::fill(path).inspect_err(|_| drop(std::fs::remove_file(path)))?;
        Ok(Writer { log, sessions: BTreeMap::new(), tails: BTreeMap::new(), new_fold })
    }

    /// Opens a log for adding to it.
    ///
    /// # Errors
    ///
    /// Fails where the file isn't a log of this format, or can't be written, or is written by another program, or
    /// its list of sessions is damaged.
    pub fn open(path: &Path, new_fold: Option<NewFold>) -> Result<Writer, LogError> {
        check_file(path)?;
        let database = call(path, Doing::Write, &Place::File, || Ok(builder(WRITER_CACHE_LEN).open(path)?))?;
        let log = Log::checked(path, Source::Writable(database))?;
        let sessions = log.sessions()?.into_iter().map(|session| (session.id.clone(), session)).collect();
        Ok(Writer { log, sessions, tails: BTreeMap::new(), new_fold })
    }

    /// Returns the log, for reading.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the session of that id, if there is one.
    pub fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// Starts an append to a session that holds `expected` events; 0 for one that isn't there yet.
    ///
    /// # Errors
    ///
    /// Fails with [`LogError::Conflict`] where the session holds another number of events, and where its last
    /// segment is damaged.
    pub fn append(&mut self, session: &str, expected: u64) -> Result<Append<'_>, LogError> {
        let next_ordinal = self.sessions.len() as u64;
        let session = self.sessions.get(session).cloned().unwrap_or_else(|| new_session(session, next_ordinal));
        if session.event_count != expected {
            return Err(LogError::Conflict { session: session.id, expected, actual: session.event_count });
        }
        let tail = match self.tails.remove(&session.id) {
            Some(tail) => tail,
            None => Tail::load(&self.log, &session)?,
        };
        let place = Place::Session(session.id.clone());
        let database = self.database();
        let transaction = call(self.log.path(), Doing::Write, &place, || Ok(database.begin_write()?))?;
        Ok(Append { writer: self, transaction: Some(transaction), tail, session, place })
    }

    /// Closes the log. The file is made smaller where that is worth it.
    ///
    /// # Errors
    ///
    /// Fails where the system refuses a write; what was appended is there none the less.
    pub fn close(self) -> Result<(), LogError> {
        let path = self.log.path().to_owned();
        let Source::Writable(mut database) = self.log.take_source() else { unreachable!("a writer can write") };
        call(&path, Doing::Write, &Place::File, || {
            compact(&path, &mut database)?;
            Ok(database.close()?)
        })
    }

    fn database(&self) -> &Database {
        match self.log.source() {
            Source::Writable(database) => database,
            Source::ReadOnly(_) => unreachable!("a writer can write"),
        }
    }

    /// Makes the tables in an empty file.
    fn fill(path: &Path) -> Result<Log, LogError> {
        let database = call(path, Doing::Write, &Place::File, || {
            let database = builder(WRITER_CACHE_LEN).create(path)?;
            let transaction = database.begin_write()?;
            {
                let format = [&FORMAT_MARK[..], &FORMAT.to_le_bytes()].concat();
                let mut meta = transaction.open_table(META)?;
                meta.insert(FORMAT_KEY, &row::seal(META.name(), FORMAT_KEY, &format)[..])?;
                meta.insert(SESSIONS_KEY, &row::seal(META.name(), SESSIONS_KEY, &0u64.to_le_bytes())[..])?;
            }
            transaction.open_table(SESSION)?;
            transaction.open_table(SEGMENT)?;
            transaction.open_table(RECORD)?;
            transaction.open_table(BLOB)?;
            transaction.open_table(OUTLINE)?;
            transaction.commit()?;
            Ok(database)
        })?;
        sync_folder(path)?;
        Log::checked(path, Source::Writable(database))
    }
}

/// An append to one session. Nothing of it is in the log until [`Append::commit`] returns.
pub struct Append<'a> {
    writer: &'a mut Writer,
    /// Is there until the append ends.
    transaction: Option<WriteTransaction>,
    tail: Tail,
    session: Session,
    place: Place,
}

impl Append<'_> {
    /// Returns the session as it will be, apart from its digest and its details.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Adds a payload.
    ///
    /// # Errors
    ///
    /// Fails where the payload is longer than [`ITEM_LEN_MAX`] or the system refuses a write.
    pub fn push(&mut self, payload: &[u8]) -> Result<(), LogError> {
        self.check_len(payload)?;
        let block = self.tail.chain.push(payload);
        if payload.len() > INLINE_LEN {
            let digest = self.put_blob(payload)?;
            self.tail.events.push(Item::Blob(digest, payload.len() as u32), block);
        } else {
            self.tail.events.push(Item::Inline(payload), block);
        }
        self.session.event_count += 1;
        while let Some(cut) = self.tail.events.cut_full() {
            self.store_events(&cut.bytes, cut.first)?;
            self.fold(&cut)?;
        }
        Ok(())
    }

    /// Adds a raw record.
    ///
    /// # Errors
    ///
    /// Fails where the record is longer than [`ITEM_LEN_MAX`] or the system refuses a write.
    pub fn push_raw(&mut self, record: &[u8]) -> Result<(), LogError> {
        self.check_len(record)?;
        self.tail.records.push(Item::Inline(record), None);
        self.session.raw_count += 1;
        while let Some(cut) = self.tail.records.cut_full() {
            self.store(Kind::RawRecords, &cut.bytes, cut.first)?;
        }
        Ok(())
    }

    /// Keeps some bytes under their digest, once, and returns that.
    ///
    /// # Errors
    ///
    /// Fails where they are longer than [`ITEM_LEN_MAX`] or the system refuses a write.
    pub fn put_blob(&mut self, bytes: &[u8]) -> Result<Digest, LogError> {
        self.check_len(bytes)?;
        let digest = Digest::of(bytes);
        self.write(|transaction| {
            let mut table = transaction.open_table(BLOB)?;
            if table.get(&digest.0[..])?.is_none() {
                table.insert(&digest.0[..], &blob::seal(&digest, bytes)[..])?;
            }
            Ok(())
        })?;
        Ok(digest)
    }

    /// Makes the append durable and returns the session as it is now.
    ///
    /// # Errors
    ///
    /// Fails where the system refuses a write; then nothing was appended.
    pub fn commit(mut self, details: Details) -> Result<Session, LogError> {
        self.close_events()?;
        self.close_records()?;
        if let Some(folding) = &mut self.tail.folding {
            folding.close(&Cuts::of(self.writer.log.path(), self.transaction.as_ref(), &self.session))?;
        }
        self.session.details = details;
        self.session.digest = self.tail.chain.digest();
        let (id, content) = (self.session.id.clone(), self.session.write());
        let count = self.writer.sessions.len() as u64 + u64::from(!self.writer.sessions.contains_key(&id));
        self.write(|transaction| {
            let key = id.as_bytes();
            transaction.open_table(SESSION)?.insert(key, &row::seal(SESSION.name(), key, &content)[..])?;
            let sessions = row::seal(META.name(), SESSIONS_KEY, &count.to_le_bytes());
            transaction.open_table(META)?.insert(SESSIONS_KEY, &sessions[..])?;
            Ok(())
        })?;
        let transaction = self.transaction.take().expect("an append is open until it ends");
        call(self.writer.log.path(), Doing::Write, &self.place, || Ok(transaction.commit()?))?;
        let tail = std::mem::replace(&mut self.tail, Tail::start(&self.session));
        self.writer.tails.insert(id.clone(), tail);
        self.writer.sessions.insert(id, self.session.clone());
        Ok(self.session.clone())
    }

    fn close_events(&mut self) -> Result<(), LogError> {
        while !self.tail.events.is_empty() {
            match self.tail.events.close() {
                Ok(bytes) => return self.store_events(&bytes, self.tail.events.first()),
                Err(cut) => {
                    self.store_events(&cut.bytes, cut.first)?;
                    self.fold(&cut)?;
                }
            }
        }
        Ok(())
    }

    fn close_records(&mut self) -> Result<(), LogError> {
        while !self.tail.records.is_empty() {
            match self.tail.records.close() {
                Ok(bytes) => return self.store(Kind::RawRecords, &bytes, self.tail.records.first()),
                Err(cut) => self.store(Kind::RawRecords, &cut.bytes, cut.first)?,
            }
        }
        Ok(())
    }

    fn store_events(&self, bytes: &[u8], first: u64) -> Result<(), LogError> {
        self.store(Kind::Events, bytes, first)
    }

    fn store(&self, kind: Kind, bytes: &[u8], first: u64) -> Result<(), LogError> {
        let key = (self.session.ordinal, first);
        self.write(|transaction| {
            transaction.open_table(table_of(kind))?.insert(key, bytes)?;
            Ok(())
        })
    }

    /// Folds a segment that was cut off: its outline is kept, and the segment that now begins gets a checkpoint if one
    /// is due.
    fn fold(&mut self, cut: &Cut) -> Result<(), LogError> {
        let Some(new_fold) = self.writer.new_fold else { return Ok(()) };
        let cuts = Cuts::of(self.writer.log.path(), self.transaction.as_ref(), &self.session);
        let checkpoints = self.tail.fold(cut, new_fold, &cuts)?;
        self.session.checkpoints = checkpoints;
        Ok(())
    }

    fn write(&self, work: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>) -> Result<(), LogError> {
        let transaction = self.transaction.as_ref().expect("an append is open until it ends");
        call(self.writer.log.path(), Doing::Write, &self.place, || work(transaction))
    }

    fn check_len(&self, bytes: &[u8]) -> Result<(), LogError> {
        if bytes.len() <= ITEM_LEN_MAX {
            return Ok(());
        }
        Err(LogError::TooLarge { path: self.writer.log.path().to_owned(), len: bytes.len() })
    }
}

impl Drop for Append<'_> {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction.take() {
            // Nothing was promised, so that there is nothing to report.
            drop(call(self.writer.log.path(), Doing::Write, &self.place, || Ok(transaction.abort()?)));
        }
    }
}

fn new_session(id: &str, ordinal: u64) -> Session {
    Session {
        id: Name::from(id),
        ordinal,
        event_count: 0,
        raw_count: 0,
        digest: Digest::of(id.as_bytes()),
        details: Details::default(),
        checkpoints: Checkpoints::default(),
    }
}

/// Makes the file smaller where it is much larger than its contents. A reader in another program prevents it.
fn compact(path: &Path, database: &mut Database) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    let stats = transaction.stats()?;
    transaction.abort()?;
    let live = stats.allocated_pages() as f64 * stats.page_size() as f64;
    let file_len = std::fs::metadata(path).map_err(redb::Error::Io)?.len();
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

/// Makes the name of a new file durable.
fn sync_folder(path: &Path) -> Result<(), LogError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| from_io(folder, Doing::Write, error))
}
