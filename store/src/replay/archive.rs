//! Recordings in a log: saving one, adding to one that is there, loading one.
//!
//! Events are payloads, raw records are kept apart, and the files of a definition are blobs that every session with
//! the same files shares. Everything else is a small JSON text that the log keeps with the session (`extras`).

mod difference;
mod extras;
mod lazily;
mod live;
mod load;
mod save;
mod unload;

use std::fmt;

use thiserror::Error;

use crate::digest::Digest;
use crate::event::codec::{self, CodecError};
use crate::log::verify::{Claim, Report, Witness};
use crate::log::{Damage, Log, LogError, Place, Session};
use crate::name::Name;
use extras::Unclaimed;

use super::outline::new_fold;

pub use lazily::open_lazily;
pub use live::{Carried, LiveReport, LiveSaver, REQUESTS_KEPT, Request, Terms};
pub use load::{load, load_raw, load_without_raw};
pub use save::{SaveReport, Saver, save};
pub use unload::{Given, UnloadError, unload};

/// Why a recording could not be saved or loaded.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The log says no.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log has another session of that name.
    #[error("session {session:?} is in the log and differs {first}: {what}; import the record into another log file")]
    Differs {
        /// The session.
        session: Name,
        /// The first difference.
        first: Difference,
        /// What differs there, in a few words: the log's against the record's.
        what: String,
    },
    /// An event can't be stored.
    #[error("event {number} of session {session:?}: {source}")]
    Codec {
        /// The session.
        session: Name,
        /// The event, from 1.
        number: u64,
        /// Why.
        source: CodecError,
    },
}

/// Where two recordings of a session differ first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// At the event that leads to this position.
    Event(u64),
    /// At this raw record, counted from 0.
    RawRecord(u64),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Event(number) => write!(f, "from event {number} on"),
            Difference::RawRecord(number) => write!(f, "from raw record {number} on"),
        }
    }
}

/// Recomputes every digest, checksum, checkpoint and outline, and checks that every definition is the one that its digest names.
///
/// # Errors
///
/// Fails where the file can't be read; what is wrong inside is in the report.
pub fn verify(log: &Log) -> Result<Report, LogError> {
    let mut report = log.verify(&ArchiveWitness(log), Some(new_fold))?;
    for session in &report.sessions {
        let definition = extras::read(log, &session.session).and_then(|extras| load::definition(log, &extras));
        if let Err(error) = definition {
            let place = Place::Session(session.session.id.clone());
            let damage = match error {
                LogError::Damaged { damage, .. } => damage,
                other => Damage { place, what: other.to_string() },
            };
            if !report.damage.contains(&damage) {
                report.damage.push(damage);
            }
        }
    }
    if !report.damage.is_empty() {
        report.head = None;
    }
    Ok(report)
}

struct ArchiveWitness<'a>(&'a Log);

impl Witness for ArchiveWitness<'_> {
    fn of_payload(&self, payload: &[u8]) -> Result<Option<Claim>, String> {
        codec::claim(payload).map_err(|error| error.to_string())
    }

    fn of_metadata(&self, metadata: &[u8]) -> Result<Vec<Claim>, String> {
        let extras = extras::parse(self.0, metadata)?;
        Ok(extras.unclaimed.into_iter().map(Unclaimed::into_claim).collect())
    }
}

/// Returns the digest of a definition that is in the log with a session, if one is.
///
/// # Errors
///
/// Fails where what is noted about the session is damaged.
pub fn definition_digest(log: &Log, session: &Session) -> Result<Option<Digest>, LogError> {
    Ok(extras::read(log, session)?.definition.map(|definition| definition.digest))
}
