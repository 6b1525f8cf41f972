//! Opening a log for reading, whether its writer is done, at work or dead. Nothing here changes a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::Duration;

use redb::{Builder, ConcurrencyMode};

use super::blocks::{Blocks, open_tail, tail_path};
use super::error::{Damage, Doing, LogError, Place, from_io};
use super::guard::call;
use super::pending::{Pending, Unsealed, unsealed};
use super::read::{Log, Source};
use super::stamp::Stamp;
use super::tail::{REGION_LEN, Reader};
use super::{FORMAT, READER_CACHE_LEN, overlay};

/// What a database file begins with.
const DATABASE_MAGIC: &[u8; 9] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// Returns whether a file that begins with these bytes may be a log: all others aren't.
pub fn is_log(head: &[u8]) -> bool {
    head.starts_with(DATABASE_MAGIC)
}

/// Who writes a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Nobody: it was closed.
    Nobody,
    /// Another program has it open, or this one.
    AtWork,
    /// The last writer ended without closing it. All that it acknowledged is there, and the next writer goes on.
    Died,
}

/// How often a log is opened again that seems to be damaged and changed while it was opened: a new writer takes over from a
/// dead one then. And how long it is left alone before.
const TRIES: usize = 40;
const PAUSE: Duration = Duration::from_millis(5);

impl Log {
    /// Opens a log for reading, with all that was acknowledged, also by a writer that is at work or died. No file is
    /// changed, and others may read and write the log at the same time.
    ///
    /// # Errors
    ///
    /// Fails where the file isn't a log of this format, or can't be read, or has the tail of another log beside it.
    pub fn open(path: &Path) -> Result<Log, LogError> {
        check_file(path)?;
        for _ in 1..TRIES {
            let before = moment(path)?;
            let opened = Log::open_once(path);
            let is_doubtful = match &opened {
                Ok(log) => log.tail_damage.is_some(),
                Err(error) => {
                    matches!(error, LogError::Damaged { .. } | LogError::ForeignTail(_) | LogError::Unclosed(_))
                }
            };
            if !is_doubtful || moment(path)? == before {
                return opened;
            }
            thread::sleep(PAUSE);
        }
        Log::open_once(path)
    }

    /// Opens a log that may change meanwhile; then what it says of damage counts for nothing.
    fn open_once(path: &Path) -> Result<Log, LogError> {
        // The tail comes first: what it lacks when it is read is in the database by then.
        let tail = read_tail(path)?;
        let mut log = Log::open_database(path)?;
        let row = log.view(&Place::File)?.tail_row()?;
        if log.writing == Writing::Nobody && row.is_some_and(|row| row.is_open) {
            log.writing = Writing::Died;
        }
        let tail = tail.as_ref().map(|tail| tail as &dyn Blocks);
        let reader = match log.writing {
            Writing::AtWork => Reader::BesideWriter,
            Writing::Nobody | Writing::Died => Reader::AfterWriter,
        };
        log.with_tail(unsealed(path, row, tail, reader)?)
    }

    /// Opens the database of a log.
    fn open_database(path: &Path) -> Result<Log, LogError> {
        let plain = call(path, Doing::Read, &Place::File, || Ok(builder(READER_CACHE_LEN).open_read_only(path)?));
        match plain {
            Err(LogError::Unclosed(_)) => {
                let repaired = Stamp::of_file(path)?.with_head(path)?;
                let database = call(path, Doing::Read, &Place::File, || overlay::open(path))?;
                let mut log = Log::checked(path, Source::Overlay(database))?;
                log.repaired = Some(repaired);
                Ok(log)
            }
            other => {
                let mut log = Log::checked(path, Source::ReadOnly(other?))?;
                if has_writer(path)? {
                    log.writing = Writing::AtWork;
                }
                Ok(log)
            }
        }
    }

    /// Returns the log behind a database if that is one, of this format.
    pub(super) fn checked(path: &Path, source: Source) -> Result<Log, LogError> {
        let writing = match source {
            Source::ReadOnly(_) => Writing::Nobody,
            Source::Writable(_) => Writing::AtWork,
            Source::Overlay(_) => Writing::Died,
        };
        let (source, pending) = (Some(source), Pending::default());
        let log = Log { path: path.to_owned(), source, pending, tail_damage: None, writing, repaired: None };
        let found = log.format()?;
        if found == FORMAT { Ok(log) } else { Err(LogError::Format { path: path.to_owned(), found }) }
    }

    /// Adds what the tail holds.
    pub(super) fn with_tail(mut self, found: Unsealed) -> Result<Log, LogError> {
        let (records, damage) = match found {
            Unsealed::Records(records) => (records, None),
            Unsealed::Missing => (Vec::new(), Some(missing_tail(&self.path))),
            Unsealed::Damaged(records, damage) => (records, Some(damage)),
        };
        self.tail_damage = damage;
        match Pending::of(records) {
            Ok(pending) => self.pending = pending,
            Err(damage) => self.tail_damage = Some(damage),
        }
        Ok(self)
    }
}

/// Returns what changes when a writer takes a log over: the database, and which file its tail is.
fn moment(path: &Path) -> Result<(Stamp, Option<Stamp>), LogError> {
    let tail = match Stamp::of_file(&tail_path(path)) {
        Err(LogError::Missing(_)) => None,
        other => Some(other?),
    };
    Ok((Stamp::of_file(path)?.with_head(path)?, tail))
}

/// How the database is opened everywhere, so that one process can write while others read.
pub(super) fn builder(cache_len: usize) -> Builder {
    let mut builder = Builder::new();
    builder.set_concurrency_mode(ConcurrencyMode::SingleWriter).set_cache_size(cache_len);
    builder
}

/// Checks that a database file stands at `path`.
pub(super) fn check_file(path: &Path) -> Result<(), LogError> {
    let metadata = std::fs::metadata(path).map_err(|error| from_io(path, Doing::Read, error))?;
    if metadata.is_dir() {
        return Err(LogError::Directory(path.to_owned()));
    }
    // A pipe or a device is never a log, and reading from it might wait for ever.
    if !metadata.is_file() {
        return Err(LogError::NotALog(path.to_owned()));
    }
    let mut head = Vec::new();
    let file = File::open(path).map_err(|error| from_io(path, Doing::Read, error))?;
    file.take(DATABASE_MAGIC.len() as u64).read_to_end(&mut head).map_err(|error| from_io(path, Doing::Read, error))?;
    if is_log(&head) { Ok(()) } else { Err(LogError::NotALog(path.to_owned())) }
}

/// Returns whether a writer has the database open that could be opened beside it: until it is closed, the byte behind the
/// magic says that it needs repair.
fn has_writer(path: &Path) -> Result<bool, LogError> {
    const NEEDS_REPAIR: u8 = 2;
    let unreadable = |error| from_io(path, Doing::Read, error);
    let mut byte = [0];
    let file = File::open(path).map_err(unreadable)?;
    Blocks::read_at(&file, DATABASE_MAGIC.len() as u64, &mut byte).map_err(unreadable)?;
    Ok(byte[0] & NEEDS_REPAIR != 0)
}

/// Returns whether the last writer of a log ended without closing it, and no other one is at work: as [`Log::open`] would
/// find. A writer that was killed while it opened the log leaves a database that is closed and a tail that is open.
pub(super) fn has_died(path: &Path) -> Result<bool, LogError> {
    let opened = call(path, Doing::Read, &Place::File, || Ok(builder(READER_CACHE_LEN).open_read_only(path)?));
    match opened {
        Err(LogError::Unclosed(_)) => Ok(true),
        Err(other) => Err(other),
        Ok(_) if has_writer(path)? => Ok(false),
        Ok(database) => {
            let log = Log::checked(path, Source::ReadOnly(database))?;
            let row = log.view(&Place::File)?.tail_row()?;
            Ok(row.is_some_and(|row| row.is_open))
        }
    }
}

/// A file in memory, as it was when it was read.
struct Image(Vec<u8>);

impl Blocks for Image {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let len = out.len().min(self.0.len() - start);
        out[..len].copy_from_slice(&self.0[start..start + len]);
        Ok(len)
    }

    fn write_at(&self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the tail of the log at `path`, if there is one.
fn read_tail(path: &Path) -> Result<Option<Image>, LogError> {
    let unreadable = |error| from_io(&tail_path(path), Doing::Read, error);
    let Some(file) = open_tail(path).map_err(unreadable)? else { return Ok(None) };
    let mut bytes = vec![0; Blocks::len(&file).map_err(unreadable)?.min(2 * REGION_LEN) as usize];
    let len = Blocks::read_at(&file, 0, &mut bytes).map_err(unreadable)?;
    bytes.truncate(len);
    Ok(Some(Image(bytes)))
}

/// Returns the damage of a log without its tail.
pub(super) fn missing_tail(path: &Path) -> Damage {
    let tail = tail_path(path);
    let name = tail.file_name().unwrap_or_default().to_string_lossy();
    let what = format!("{name} isn't beside it, so that the events that were appended last may be missing");
    Damage { place: Place::File, what }
}
