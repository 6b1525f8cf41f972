//! Why a run failed, in one line each: what, where, and what to do about it.

use std::io;
use std::path::PathBuf;

use replay_store::agent::source::SourceError;
use replay_store::import::ImportError;
use replay_store::log::LogError;
use replay_store::replay::archive::{ArchiveError, UnloadError};
use thiserror::Error;

use crate::exit::Exit;

/// Why a run failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// Two things were asked for at once.
    #[error("a session and a command at once; give one of them (a file named like a command is opened as ./NAME)")]
    SessionAndCommand,
    /// One session is wanted and there are several.
    #[error("{path} holds {} sessions; name one as {path}#ID: {}", .ids.len(), listed(.ids))]
    SeveralSessions {
        /// The record.
        path: String,
        /// The sessions in it.
        ids: Vec<String>,
    },
    /// The session that was named isn't there.
    #[error("{path} holds no session {id:?}; it holds {}", listed(.ids))]
    NoSuchSession {
        /// The record.
        path: String,
        /// What was asked for.
        id: String,
        /// The sessions in it.
        ids: Vec<String>,
    },
    /// A log to which nothing was added yet.
    #[error("{path} holds no session yet; add some with replay import FILE -o {path}")]
    Empty {
        /// The log.
        path: String,
    },
    /// An expression of `query` can't be read.
    #[error("{message}{}", .help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    Query {
        /// What is wrong.
        message: String,
        /// The way out.
        help: Option<String>,
        /// The expression with a caret, in lines that are fit to be printed.
        shown: String,
    },
    /// Only a log can be followed.
    #[error("{path} is no log, and only a log is followed; {}", into_log(path))]
    FollowsNoLog {
        /// What was named.
        path: String,
    },
    /// Events are followed from a position on.
    #[error("--follow begins behind a position; give --at N")]
    FollowsFromRaw,
    /// A position past the end.
    #[error("{asked} is out of range: the session has {have}")]
    OutOfRange {
        /// What was asked for.
        asked: String,
        /// What there is.
        have: String,
    },
    /// No model call where one was asked for. That is an answer.
    #[error("{0}")]
    NoCall(String),
    /// A prompt can't be recomputed without the agent.
    #[error("no agent folder for {session}, so its prompt is unknown; name the folder with --agent DIR")]
    NoDefinition {
        /// The session.
        session: String,
    },
    /// Nothing can be decided without the agent.
    #[error("name the folder of the agent with --agent DIR: its rules decide what is recorded")]
    RecordsNoAgent,
    /// Something else has the name of the socket.
    #[error("{} is there and no socket; give the socket another name", .0.display())]
    NoSocket(PathBuf),
    /// Somebody answers there.
    #[error("{} answers already: stop the process that does, or give the socket another name", .0.display())]
    SocketInUse(PathBuf),
    /// No socket can be made.
    #[error("cannot make the socket {}", .path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Rights can't be told without the agent.
    #[error("no agent folder for {session}, so nobody's rights are known; name the folder with --agent DIR")]
    NoAccess {
        /// The session.
        session: String,
    },
    /// A file can't be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A file holds nothing that we can read.
    #[error(transparent)]
    Record(#[from] ImportError),
    /// The agent folder can't be read.
    #[error(transparent)]
    Agent(#[from] SourceError),
    /// `explain` doesn't know a code.
    #[error("no code is called {code:?}; {}", .similar)]
    NoSuchCode {
        /// What was asked for.
        code: String,
        /// What may be meant.
        similar: String,
    },
    /// `man` doesn't know a command.
    #[error("there is no command {name:?}; `replay --help` lists them")]
    NoSuchCommand {
        /// What was asked for.
        name: String,
    },
    /// `why` has nothing to answer.
    #[error("name what is in question: KEY, --read KEY --skill S, --skill S, --tool T, or --line FILE:LINE")]
    NothingAsked,
    /// Nothing declares or writes an entry.
    #[error("no memory entry is called {asked:?}; {similar}")]
    NoSuchKey {
        /// What was asked for.
        asked: String,
        /// What may be meant.
        similar: String,
    },
    /// A bare name that several entries have.
    #[error("{asked:?} is several entries; name one of {}", listed(.keys))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// What it may mean.
        keys: Vec<String>,
    },
    /// A record contradicts what the log holds already, or can't be stored or loaded.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The log refused, or can't be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// There is neither a session nor a command.
    #[error("name a session or a command; `replay --help` shows both")]
    NoSession,
    /// The raw records can't be read from the log.
    #[error("{0}")]
    RawRecords(String),
    /// A note can't be kept.
    #[error("the note can't be kept, neither beside the record nor below the data folder")]
    Note {
        /// Why.
        source: io::Error,
    },
    /// Notes are kept beside a file, and there is none.
    #[error("notes are kept beside a file; put what comes through the pipe into one first: replay import - -o LOG")]
    NoShelf,
    /// Exact bytes would reach a terminal.
    #[error(
        "--raw writes bytes that a terminal may obey; send them to a file or a pipe (of show, --hex makes them safe)"
    )]
    RawOnTerminal,
    /// The debugger couldn't use the terminal.
    #[error(transparent)]
    Terminal(#[from] replay_tui::Error),
    /// The answer couldn't be written.
    #[error("cannot write the answer")]
    Write(#[from] io::Error),
}

impl From<UnloadError> for Failure {
    fn from(error: UnloadError) -> Failure {
        match error {
            UnloadError::Log(error) => Failure::Log(error),
            UnloadError::Raw(problem) => Failure::RawRecords(problem),
            UnloadError::Write(error) => Failure::Write(error),
        }
    }
}

impl Failure {
    /// Returns what is shown beneath the sentence, fit to be printed; empty for most.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Failure::Query { shown, .. } => shown,
            _ => "",
        }
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::NoCall(_) | Failure::Archive(ArchiveError::Differs { .. }) => Exit::No,
            Failure::NoSession
            | Failure::SessionAndCommand
            | Failure::SeveralSessions { .. }
            | Failure::NoSuchSession { .. }
            | Failure::OutOfRange { .. }
            | Failure::FollowsNoLog { .. }
            | Failure::FollowsFromRaw
            | Failure::NoSuchCommand { .. }
            | Failure::Query { .. }
            | Failure::NoSuchCode { .. }
            | Failure::NothingAsked
            | Failure::RecordsNoAgent
            | Failure::NoSuchKey { .. }
            | Failure::Ambiguous { .. } => Exit::Usage,
            Failure::Empty { .. }
            | Failure::NoDefinition { .. }
            | Failure::NoAccess { .. }
            | Failure::Read { .. }
            | Failure::Record(_)
            | Failure::Agent(_)
            | Failure::RawRecords(_) => Exit::Unreadable,
            Failure::Log(error) | Failure::Archive(ArchiveError::Log(error)) => log_exit(error),
            Failure::Archive(ArchiveError::Codec { .. }) => Exit::Unreadable,
            Failure::RawOnTerminal
            | Failure::NoSocket(_)
            | Failure::SocketInUse(_)
            | Failure::Socket { .. }
            | Failure::Note { .. }
            | Failure::NoShelf
            | Failure::Terminal(_) => Exit::Refused,
            // Who read our output has seen enough.
            Failure::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Fine,
            Failure::Write(_) => Exit::Refused,
        }
    }
}

fn log_exit(error: &LogError) -> Exit {
    match error {
        LogError::NoSession { .. } => Exit::Usage,
        LogError::Missing(_)
        | LogError::NoFolder(_)
        | LogError::Directory(_)
        | LogError::Replaced(_)
        | LogError::TakenOver(_)
        | LogError::NotALog(_)
        | LogError::Format { .. }
        | LogError::Damaged { .. }
        | LogError::Io { .. } => Exit::Unreadable,
        LogError::Exists(_)
        | LogError::Denied { .. }
        | LogError::ReadOnlyPlace(_)
        | LogError::InUse { .. }
        | LogError::ForeignTail(_)
        | LogError::Stopped { .. }
        | LogError::Unclosed(_)
        | LogError::Conflict { .. }
        | LogError::Refused { .. }
        | LogError::Full(_)
        | LogError::TooLarge { .. }
        | LogError::WriteFailedBefore(_) => Exit::Refused,
    }
}

fn listed(ids: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = ids.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match ids.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more (replay list shows all)"),
    }
}

/// Returns how a record becomes a log while it grows.
fn into_log(path: &str) -> String {
    let (before, from) = match path {
        "-" => (String::new(), "what comes on stdin"),
        path => (format!("tail -n +1 -f {path} | "), "it"),
    };
    format!("take {from} into one with `{before}replay import --follow - -o LOG` and follow LOG")
}
