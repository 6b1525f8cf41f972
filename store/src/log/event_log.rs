//! A log that is written as things happen: each append durable on its own, followed by others while it grows.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::NewFold;
use super::addition::{Addition, Appended, Durability};
use super::appending::Appending;
use super::blocks::tail_path;
use super::error::{Damage, Doing, LogError, from_io};
use super::follow::Follower;
use super::read::Log;
use super::tail::REGION_LEN;
use super::write::Writer;
use crate::name::Name;

/// A log that is open for appending, from any number of threads. There is one of a file at a time.
///
/// While it is open, what was appended last stands in a second file beside the log, `session.log-tail` for
/// `session.log`. [`EventLog::close`] leaves one file. After a crash both stay; everybody who opens the log sees all
/// that was acknowledged, and the next writer goes on.
///
/// ```
/// use replay_store::log::{Addition, Durability, EventLog, Log, LogError, Options};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("session.log");
/// let log = EventLog::create(&path, &Options { new_fold: None, id: [7; 16] })?;
/// let mut addition = Addition::to("a").at(0);
/// addition.push(b"first");
/// addition.push(b"second");
/// assert_eq!(log.append(&addition, Durability::Durable)?.events, 0..2);
///
/// // Two events are there by now, so that this one would not stand where its writer thinks.
/// let late = log.append(&addition, Durability::Durable);
/// assert!(matches!(late, Err(LogError::Conflict { expected: 0, actual: 2, .. })));
///
/// // Others see what was acknowledged while the log is open.
/// let reader = Log::open(&path)?;
/// assert_eq!(reader.session("a")?.event_count, 2);
/// log.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventLog {
    appending: Arc<Appending>,
    /// Is there until the log is closed.
    sealer: Option<JoinHandle<()>>,
}

/// How a log is opened for appending.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Makes the fold that gives checkpoints and outlines, and refuses what is no payload.
    pub new_fold: Option<NewFold>,
    /// A random number. It names a log that was never appended to, so that its tail isn't taken for that of another.
    pub id: [u8; 16],
}

impl EventLog {
    /// Makes a new log that only its owner can read.
    ///
    /// # Errors
    ///
    /// Fails where something is at `path` already, or nothing can be made there or beside it.
    pub fn create(path: &Path, options: &Options) -> Result<EventLog, LogError> {
        let tail = tail_path(path);
        if tail.exists() {
            return Err(LogError::Exists(tail));
        }
        let started = EventLog::start(Writer::create(path, options.new_fold)?, options);
        // Nothing was made that somebody would miss.
        started.inspect_err(|_| [path, &tail].into_iter().for_each(|made| drop(fs::remove_file(made))))
    }

    /// Opens a log for appending. What a writer that died left in the tail is put into the log first.
    ///
    /// # Errors
    ///
    /// Fails as [`Writer::open`] does, and where no file can be made beside the log.
    pub fn open(path: &Path, options: &Options) -> Result<EventLog, LogError> {
        EventLog::start(Writer::open(path, options.new_fold)?, options)
    }

    fn start(writer: Writer, options: &Options) -> Result<EventLog, LogError> {
        let appending = Arc::new(Appending::start(writer, options.id, REGION_LEN)?);
        let shared = Arc::clone(&appending);
        let started = thread::Builder::new().name("sealer".to_owned()).spawn(move || shared.seal_in_background());
        let sealer = started.map_err(|error| from_io(appending.path(), Doing::Write, error))?;
        Ok(EventLog { appending, sealer: Some(sealer) })
    }

    /// Appends to one session: all of the addition, or nothing.
    ///
    /// All who append at the same time share one sync. Batches of 256 events and more, and items over 64 KiB, go straight
    /// into the database and are durable whatever was asked for.
    ///
    /// # Errors
    ///
    /// Fails with [`LogError::Refused`] where the fold doesn't take a payload, with [`LogError::Conflict`] where the
    /// session doesn't hold as many events as the addition says, with [`LogError::TooLarge`] where an item is longer
    /// than [`ITEM_LEN_MAX`](super::ITEM_LEN_MAX), and where the system refuses a write. After that one, and once the log is closed, every append fails with [`LogError::Stopped`]: what
    /// was acknowledged is there, and what wasn't may be.
    pub fn append(&self, addition: &Addition, durability: Durability) -> Result<Appended, LogError> {
        self.appending.append(addition, durability)
    }

    /// Makes durable what was appended so far.
    ///
    /// # Errors
    ///
    /// Fails as [`EventLog::append`] does.
    pub fn sync(&self) -> Result<(), LogError> {
        self.appending.sync()
    }

    /// Returns how many events and raw records a session holds, with those that aren't durable yet; `None` where there
    /// is no such session.
    pub fn counts(&self, session: &str) -> Option<(u64, u64)> {
        self.appending.counts(session)
    }

    /// Opens the log for reading, as it is now: all that was acknowledged.
    ///
    /// # Errors
    ///
    /// Fails as [`Log::open`] does.
    pub fn log(&self) -> Result<Log, LogError> {
        Log::open(self.appending.path())
    }

    /// Returns a follower of the log that hands out the events of each session behind so many, and those of others from the
    /// first: all that was acknowledged, as it is.
    pub fn follow(&self, next: BTreeMap<Name, u64>) -> Follower {
        Follower::new(self.appending.path(), next)
    }

    /// Returns what was wrong with the tail when the log was opened: the last events that were acknowledged may be
    /// missing then. The log goes on without them.
    pub fn tail_damage(&self) -> Option<&Damage> {
        self.appending.tail_damage.as_ref()
    }

    /// Returns how often an append had to wait until the tail was put into the database.
    pub fn waits(&self) -> u64 {
        self.appending.waits()
    }

    /// Closes the log: everything is put into the one file, and the tail is removed.
    ///
    /// # Errors
    ///
    /// Fails where the system refuses a write. What was acknowledged is there none the less.
    pub fn close(mut self) -> Result<(), LogError> {
        self.end_sealing();
        self.appending.close()
    }

    fn end_sealing(&mut self) {
        self.appending.stop();
        if let Some(sealer) = self.sealer.take() {
            // It doesn't panic, and a failure of it is kept with the log.
            drop(sealer.join());
        }
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        self.end_sealing();
        if !self.appending.is_stopped() {
            // Whoever wants to know calls `close`.
            drop(self.appending.close());
        }
    }
}

impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLog").field("path", self.appending.path()).finish_non_exhaustive()
    }
}
