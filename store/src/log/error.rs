//! Why a log can't be opened, read or written: one sentence each, with what to do about it.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::FORMAT;
use crate::digest::Digest;
use crate::name::Name;

/// What went wrong with a log.
#[derive(Debug, Error)]
pub enum LogError {
    /// Nothing is there.
    #[error("there is no file {}; check the path, or make a log with `replay import FILE -o LOG`", .0.display())]
    Missing(PathBuf),
    /// A new file has no place.
    #[error("there is no folder {}; make it first", .0.display())]
    NoFolder(PathBuf),
    /// A folder is there.
    #[error("{} is a folder; name a log file", .0.display())]
    Directory(PathBuf),
    /// Another kind of file is there.
    #[error("{} is not a log; make one from a foreign record with `replay import FILE -o LOG`", .0.display())]
    NotALog(PathBuf),
    /// Something is there already.
    #[error("{} exists already; add to it, or name a new file", .0.display())]
    Exists(PathBuf),
    /// The file or its folder may not be read or written by this user.
    #[error("no permission to {doing} {}; ask its owner, or work on a copy", .path.display())]
    Denied {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: Doing,
    },
    /// The file lies where nothing can be written.
    #[error("{} lies in a read-only place; write to another one", .0.display())]
    ReadOnlyPlace(PathBuf),
    /// Another program writes the file.
    #[error(
        "{} is in use by {}; wait until it is done, or work on a copy",
        .path.display(),
        .process.map_or("another program".to_owned(), |process| format!("process {process}"))
    )]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process that writes it, where that is known.
        process: Option<u32>,
    },
    /// The last writer was stopped before it could close the file, and nothing that may be done here repairs it.
    #[error("{} was not closed by the program that wrote it; work on a copy that can be written", .0.display())]
    Unclosed(PathBuf),
    /// The tail beside the file is that of another log.
    #[error("{}-tail belongs to another log; put it back beside that one, or move it away", .0.display())]
    ForeignTail(PathBuf),
    /// Another file stands in the place of a log that was being followed, or what was read of it isn't in it any more.
    #[error("{} was replaced or cut off by another program; open it again", .0.display())]
    Replaced(PathBuf),
    /// A new writer has taken the log over from one that died since it was opened for reading.
    #[error("{} is written again since it was opened; open it again", .0.display())]
    TakenOver(PathBuf),
    /// A log that is being appended to was closed, or its writer failed.
    #[error("{} takes no more events: {why}", .path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
        /// What happened to it.
        why: Stop,
    },
    /// The file has another format number.
    #[error("{} has log format {found}, this version reads {FORMAT}; import the records again", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its number.
        found: u32,
    },
    /// The session isn't as long as the caller thought.
    #[error("session {session:?} holds {actual} events, not {expected}; read it again before adding to it")]
    Conflict {
        /// The session.
        session: Name,
        /// How many events the caller thought that it holds.
        expected: u64,
        /// How many it holds.
        actual: u64,
    },
    /// What was to be appended isn't an event.
    #[error("event {number} of session {session:?} is refused: {what}; nothing of it was appended")]
    Refused {
        /// The session.
        session: Name,
        /// The event, from 1.
        number: u64,
        /// What is wrong with it, in a few words.
        what: String,
    },
    /// The log holds no session of that name.
    #[error("{} holds no session {session:?}; `replay list` names those that it holds", .path.display())]
    NoSession {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        session: Name,
    },
    /// Stored bytes aren't what was written.
    #[error("{}: {damage}; `replay verify` shows the extent", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where, and what.
        damage: Damage,
    },
    /// The disk is full.
    #[error("no space is left for {}; free some and do it again", .0.display())]
    Full(PathBuf),
    /// A single item is larger than the database takes.
    #[error("{} takes no single item of {len} bytes; split it", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Length of the item in bytes.
        len: usize,
    },
    /// A write failed before, so that nothing more can be written through this handle.
    #[error("an earlier write to {} failed; open it again", .0.display())]
    WriteFailedBefore(PathBuf),
    /// The system refused something else.
    #[error("cannot {doing} {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: Doing,
        /// The system's words.
        source: io::Error,
    },
}

/// Why a log takes no more events. What was acknowledged is there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// It was closed.
    #[error("it was closed; open it again")]
    Closed,
    /// The disk is full, as a write to this file showed.
    #[error("no space is left for {}; free some and open it again", .0.display())]
    Full(PathBuf),
    /// A write failed, or what was to be written didn't fit to what is there: what, in a few words.
    #[error("{0}; open it again")]
    Failed(String),
}

impl Stop {
    /// Returns the reason that an error is one for, where that came up while `doing` something, in a few words.
    pub(super) fn of(error: &LogError, doing: &str) -> Stop {
        match error {
            LogError::Full(path) => Stop::Full(path.clone()),
            other => Stop::Failed(format!("{doing}: {other}")),
        }
    }
}

/// What was tried on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Reading it.
    Read,
    /// Writing it.
    Write,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Doing::Read => "read",
            Doing::Write => "write",
        })
    }
}

/// Stored bytes that aren't what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub place: Place,
    /// What is wrong there, in a few words.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// A part of a log. Ranges count from 0 and leave out their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// The list of sessions.
    Sessions,
    /// What is noted about a session.
    Session(Name),
    /// Events of a session.
    Events(Name, Range<u64>),
    /// Raw records of a session.
    RawRecords(Name, Range<u64>),
    /// A large text or file.
    Blob(Digest),
}

impl Place {
    /// Returns both places as one, where the other one goes on from this one.
    pub(super) fn joined(&self, next: &Place) -> Option<Place> {
        match (self, next) {
            (Place::Events(id, range), Place::Events(other, next)) if id == other && range.end == next.start => {
                Some(Place::Events(id.clone(), range.start..next.end))
            }
            (Place::RawRecords(id, range), Place::RawRecords(other, next))
                if id == other && range.end == next.start =>
            {
                Some(Place::RawRecords(id.clone(), range.start..next.end))
            }
            _ => None,
        }
    }
}

/// Prints ranges as positions print: the first event is event 1. Raw records count from 0.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => f.write_str("the file"),
            Place::Sessions => f.write_str("the list of sessions"),
            Place::Session(id) => write!(f, "session {id:?}"),
            Place::Events(id, range) => write!(f, "events {} to {} of session {id:?}", range.start + 1, range.end),
            Place::RawRecords(id, range) => {
                write!(f, "raw records {} to {} of session {id:?}", range.start, range.end.saturating_sub(1))
            }
            Place::Blob(digest) => write!(f, "blob {digest}"),
        }
    }
}

impl Place {
    /// Returns the error that says that this part of the log at `path` is damaged.
    pub fn damaged(&self, path: &Path, what: impl Into<String>) -> LogError {
        LogError::Damaged { path: path.to_owned(), damage: Damage { place: self.clone(), what: what.into() } }
    }
}

/// Returns the error that says what the system said about `path`.
pub(super) fn from_io(path: &Path, doing: Doing, source: io::Error) -> LogError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => LogError::Missing(path),
        io::ErrorKind::IsADirectory => LogError::Directory(path),
        io::ErrorKind::AlreadyExists => LogError::Exists(path),
        io::ErrorKind::PermissionDenied => LogError::Denied { path, doing },
        io::ErrorKind::ReadOnlyFilesystem => LogError::ReadOnlyPlace(path),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => LogError::Full(path),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => Place::File.damaged(&path, source.to_string()),
        _ => LogError::Io { path, doing, source },
    }
}
