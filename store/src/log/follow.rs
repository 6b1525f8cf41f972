//! Following a log while it is written, without a lock: new events come from the tail, and from the database where the
//! tail has gone on without us.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::blocks::{open_tail, tail_path};
use super::error::{Doing, LogError, from_io};
use super::open::{Writing, has_died};
use super::read::Log;
use super::session::Session;
use super::stamp::Stamp;
use super::tail::{Body, Cursor, Entry, Reader, scan};
use super::wake::{Wake, pause};
use crate::digest::Digest;
use crate::name::Name;

/// How often a log is read again that seems to be damaged, and how long it is left alone before.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(5);

/// Follows the sessions of a log, from where it was told to begin.
///
/// Nothing is held between two looks, so that the writer neither waits nor keeps old pages for it.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// How many events of each session were handed out; those of others from their first.
    next: BTreeMap<Name, u64>,
    tail: Option<Watched>,
    /// The log as it was when it was read last.
    seen: Option<Stamp>,
    /// How many events each session held then, and their digest.
    held: BTreeMap<Name, (u64, Digest)>,
    writing: Writing,
    /// Read by an iterator, and not handed out yet.
    ready: VecDeque<Arrived>,
}

/// An event that was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed<'a> {
    /// The id of its session.
    pub session: &'a Name,
    /// How many events stand before it.
    pub position: u64,
    /// Its payload.
    pub payload: &'a [u8],
}

/// An event that was appended, on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The id of its session.
    pub session: Name,
    /// How many events stand before it.
    pub position: u64,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// The events of a log as they arrive: see [`Follower::arriving`].
#[derive(Debug)]
pub struct Arriving<'a> {
    follower: &'a mut Follower,
    timeout: Duration,
    has_failed: bool,
}

/// So many events are read at once.
const READY: usize = 1024;

/// The tail of the writer at work, and how far it was read.
#[derive(Debug)]
struct Watched {
    file: File,
    wake: Wake,
    cursor: Cursor,
    sessions: BTreeMap<u64, Name>,
}

impl Follower {
    /// Returns a follower of the log at `path` that hands out the events of each session behind so many, and those of
    /// a session that isn't named here from the first.
    pub fn new(path: &Path, next: BTreeMap<Name, u64>) -> Follower {
        Follower {
            path: path.to_owned(),
            next,
            tail: None,
            seen: None,
            held: BTreeMap::new(),
            writing: Writing::Nobody,
            ready: VecDeque::new(),
        }
    }

    /// Hands the events that were acknowledged since the last look to `take`, those of a session in order, and returns
    /// how many there were. It doesn't wait.
    ///
    /// # Errors
    ///
    /// Fails with [`LogError::Replaced`] where another log stands in its place, where it can't be opened any more, where
    /// events are damaged, and where `take` does.
    pub fn look<E: From<LogError>>(&mut self, mut take: impl FnMut(Followed<'_>) -> Result<(), E>) -> Result<u64, E> {
        let mut count = 0;
        while let Some(Arrived { session, position, payload }) = self.ready.front() {
            take(Followed { session, position: *position, payload })?;
            self.ready.pop_front();
            count += 1;
        }
        let now = Stamp::of_file(&self.path)?;
        if self.seen.as_ref().is_some_and(|seen| !seen.is_same_file(&now)) {
            return Err(LogError::Replaced(self.path.clone()).into());
        }
        if let Some(mut watched) = self.tail.take() {
            let (entries, is_current) = watched.read().map_err(|error| self.unreadable(error))?;
            let is_whole = self.hand_out(&mut watched.sessions, entries, &mut count, &mut take)?;
            if is_current && is_whole && !self.is_left_unmarked(&watched)? {
                self.tail = Some(watched);
                return Ok(count);
            }
        } else if self.seen.as_ref() == Some(&now.with_head(&self.path)?) && !tail_path(&self.path).exists() {
            return Ok(count);
        }
        // Where the writer died, the database is repaired in memory; a new writer may change the file meanwhile.
        for _ in 0..TRIES {
            match self.catch_up(&mut count, &mut take) {
                Ok(done) => return done.map(|()| count),
                Err(LogError::Damaged { .. }) => thread::sleep(PAUSE),
                Err(other) => return Err(other.into()),
            }
        }
        self.catch_up(&mut count, &mut take)??;
        Ok(count)
    }

    /// Does as [`Follower::look`], and waits where there is nothing new: until something is, or for `timeout`. Returns how
    /// many events there were; 0 where the time is over.
    ///
    /// # Errors
    ///
    /// Fails as [`Follower::look`] does.
    pub fn wait<E: From<LogError>>(
        &mut self,
        timeout: Duration,
        mut take: impl FnMut(Followed<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let begun = Instant::now();
        loop {
            let count = self.look(&mut take)?;
            let left = timeout.saturating_sub(begun.elapsed());
            if count > 0 || left.is_zero() {
                return Ok(count);
            }
            match &self.tail {
                Some(watched) => watched.wake.wait(left),
                None => pause(left),
            }
        }
    }

    /// Returns the events of all sessions as they arrive. The iterator waits for the next one, and ends where none came for
    /// `timeout`, or behind an error; another one goes on from there.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use std::thread;
    /// use std::time::Duration;
    ///
    /// use replay_store::log::{Addition, Durability, EventLog, Options};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let log = EventLog::create(&folder.path().join("session.log"), &Options { new_fold: None, id: [7; 16] })?;
    /// let mut follower = log.follow(BTreeMap::new());
    /// let writer = thread::spawn(move || {
    ///     for payload in [b"first", b"other"] {
    ///         let mut addition = Addition::to("a");
    ///         addition.push(payload);
    ///         log.append(&addition, Durability::Durable)?;
    ///     }
    ///     log.close()
    /// });
    /// let arrived = follower.arriving(Duration::from_secs(10)).take(2).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!((arrived[1].position, &arrived[1].payload[..]), (1, &b"other"[..]));
    /// writer.join().expect("it doesn't panic")?;
    /// assert!(follower.arriving(Duration::ZERO).next().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arriving(&mut self, timeout: Duration) -> Arriving<'_> {
        Arriving { follower: self, timeout, has_failed: false }
    }

    /// Returns who writes the log, as far as the last look shows. It asks the system only where that may have changed.
    ///
    /// # Errors
    ///
    /// Fails where the log can't be opened any more.
    pub fn writing(&mut self) -> Result<Writing, LogError> {
        let was_at_work = matches!(self.writing, Writing::AtWork);
        if was_at_work || self.seen.as_ref() != Some(&Stamp::of_file(&self.path)?.with_head(&self.path)?) {
            self.writing = Log::open(&self.path)?.writing();
        }
        Ok(self.writing)
    }

    /// Returns whether the writer has died since, and left what it had no time to acknowledge: whoever opens the log has
    /// it, and the next writer goes on behind it.
    fn is_left_unmarked(&self, watched: &Watched) -> Result<bool, LogError> {
        let is_left = watched.cursor.has_unmarked(&watched.file).map_err(|error| self.unreadable(error))?;
        if !is_left {
            return Ok(false);
        }
        match self.writing {
            // It may have died while the log was opened, and have written more behind what was read of the tail.
            Writing::Died => self.holds_more(&watched.file).map_err(|error| self.unreadable(error)),
            Writing::AtWork | Writing::Nobody => has_died(&self.path),
        }
    }

    /// Returns whether the tail that a dead writer left holds events that weren't handed out.
    fn holds_more(&self, tail: &File) -> std::io::Result<bool> {
        let Some(scanned) = scan(tail, Reader::AfterWriter)? else { return Ok(false) };
        let mut sessions = BTreeMap::new();
        Ok(scanned.entries.into_iter().any(|Entry { record, .. }| match record.body {
            Body::Opened(id) => {
                sessions.insert(record.ordinal, id);
                false
            }
            Body::Event(_) => {
                let next = sessions.get(&record.ordinal).and_then(|id| self.next.get(id)).copied().unwrap_or_default();
                next <= record.position
            }
            Body::Closed | Body::SealedUpTo(_) | Body::Blob(_) | Body::RawRecord(_) | Body::Noted(_) => false,
        }))
    }

    /// Hands out what the entries of a tail hold. Returns whether nothing is missing between.
    fn hand_out<E>(
        &mut self,
        sessions: &mut BTreeMap<u64, Name>,
        entries: Vec<Entry>,
        count: &mut u64,
        take: &mut impl FnMut(Followed<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        for Entry { record, .. } in entries {
            if let Body::Opened(id) = &record.body {
                sessions.insert(record.ordinal, id.clone());
                continue;
            }
            let Some(session) = sessions.get(&record.ordinal) else { return Ok(false) };
            let next = self.next.entry(session.clone()).or_default();
            match record.body {
                Body::Event(payload) if record.position == *next => {
                    take(Followed { session, position: *next, payload: &payload })?;
                    *next += 1;
                    *count += 1;
                }
                Body::Event(_) | Body::SealedUpTo(_) if *next < record.position => return Ok(false),
                Body::Closed => return Ok(false),
                Body::Event(_)
                | Body::SealedUpTo(_)
                | Body::Opened(_)
                | Body::Blob(_)
                | Body::RawRecord(_)
                | Body::Noted(_) => {}
            }
        }
        Ok(true)
    }

    /// Reads the log, and finds the tail that is written now. Fails where the log does, or else as `take`.
    fn catch_up<E>(
        &mut self,
        count: &mut u64,
        take: &mut impl FnMut(Followed<'_>) -> Result<(), E>,
    ) -> Result<Result<(), E>, LogError> {
        let stamp = Stamp::of_file(&self.path)?.with_head(&self.path)?;
        // The tail comes first, so that nothing is between what is read of the log and what follows there.
        let watched = Watched::open(&self.path).map_err(|error| self.unreadable(error))?;
        let log = self.open()?;
        let sessions = log.sessions()?;
        self.check_held(&sessions)?;
        self.writing = log.writing();
        for session in sessions {
            let next = self.next.entry(session.id.clone()).or_default();
            let mut result = Ok(());
            let from = (*next).min(session.event_count);
            log.read(&session, from..session.event_count, |position, payload| {
                if result.is_ok() && *next <= position {
                    result = take(Followed { session: &session.id, position, payload });
                    if result.is_ok() {
                        *next = position + 1;
                        *count += 1;
                    }
                }
                Ok(())
            })?;
            if result.is_err() {
                return Ok(result);
            }
        }
        (self.tail, self.seen) = (watched, Some(stamp));
        Ok(Ok(()))
    }

    fn open(&self) -> Result<Log, LogError> {
        let is_followed = self.seen.is_some();
        Log::open(&self.path).map_err(|error| match error {
            LogError::NotALog(path) | LogError::Format { path, .. } | LogError::ForeignTail(path) if is_followed => {
                LogError::Replaced(path)
            }
            other => other,
        })
    }

    /// Checks that the sessions are those that were there before, and as long at least.
    fn check_held(&mut self, sessions: &[Session]) -> Result<(), LogError> {
        let now: BTreeMap<_, _> = sessions.iter().map(|one| (one.id.clone(), (one.event_count, one.digest))).collect();
        let is_carried_on = |(id, (count, digest)): (&Name, &(u64, Digest))| {
            now.get(id).is_some_and(|(is, of)| count < is || (count, digest) == (is, of))
        };
        if !self.held.iter().all(is_carried_on) {
            return Err(LogError::Replaced(self.path.clone()));
        }
        self.held = now;
        Ok(())
    }

    fn unreadable(&self, error: std::io::Error) -> LogError {
        from_io(&tail_path(&self.path), Doing::Read, error)
    }
}

/// Why a look ended.
enum Ended {
    Full,
    Failed(LogError),
}

impl From<LogError> for Ended {
    fn from(error: LogError) -> Ended {
        Ended::Failed(error)
    }
}

impl Iterator for Arriving<'_> {
    type Item = Result<Arrived, LogError>;

    fn next(&mut self) -> Option<Result<Arrived, LogError>> {
        if self.follower.ready.is_empty() && !self.has_failed {
            let mut ready = VecDeque::new();
            let waited = self.follower.wait(self.timeout, |followed| {
                // The follower goes on behind what was taken.
                if ready.len() == READY {
                    return Err(Ended::Full);
                }
                let Followed { session, position, payload } = followed;
                ready.push_back(Arrived { session: session.clone(), position, payload: payload.to_vec() });
                Ok(())
            });
            self.follower.ready = ready;
            if let Err(Ended::Failed(error)) = waited {
                self.has_failed = true;
                return Some(Err(error));
            }
        }
        self.follower.ready.pop_front().map(Ok)
    }
}

impl Watched {
    /// Opens the tail, if there is one that was begun.
    fn open(path: &Path) -> std::io::Result<Option<Watched>> {
        let Some(file) = open_tail(path)? else { return Ok(None) };
        let wake = Wake::on(&tail_path(path));
        let Some(scanned) = scan(&file, Reader::BesideWriter)? else { return Ok(None) };
        let named = scanned.entries.into_iter().filter_map(|Entry { record, .. }| match record.body {
            Body::Opened(id) => Some((record.ordinal, id)),
            _ => None,
        });
        let sessions = named.collect();
        Ok(Some(Watched { file, wake, cursor: scanned.cursor, sessions }))
    }

    /// Returns what was added, and whether more may follow in the same place.
    fn read(&mut self) -> std::io::Result<(Vec<Entry>, bool)> {
        let mut entries = Vec::new();
        // Whether it was left behind is asked first: what it was left with is read afterwards.
        let is_left = self.file.metadata()?.nlink() == 0 || self.cursor.is_left_behind(&self.file)?;
        self.cursor.follow(&self.file, &mut entries)?;
        Ok((entries, !is_left))
    }
}
