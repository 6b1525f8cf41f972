//! Writing a session of a log as our own JSON Lines, event by event, so that a long one takes no more memory than a short
//! one.

use std::io;
use std::sync::Arc;

use thiserror::Error;

use super::lazily::{damaged_definition, damaged_tail};
use super::{extras, load};
use crate::agent::definition::Definition;
use crate::event::Position;
use crate::event::codec::{self, Names};
use crate::event::finding::Finding;
use crate::event::note::Note;
use crate::import::RecordedEnd;
use crate::import::jsonl::{Head, Writer};
use crate::log::{Log, LogError};
use crate::profile::Profile;
use crate::replay::records::Records;

/// What goes with a session that is written, whatever the log says.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The agent's files, in place of those that the log has.
    pub definition: Option<Arc<Definition>>,
    /// The engine generation, in place of the one that the log names.
    pub profile: Option<Profile>,
}

/// Why a session could not be written.
#[derive(Debug, Error)]
pub enum UnloadError {
    /// The log can't be read. What stands before the damage may be written already.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A raw record can't be read.
    #[error("a raw record can't be read: {0}")]
    Raw(String),
    /// The output can't be written.
    #[error("cannot write")]
    Write(#[from] io::Error),
}

/// Writes the session of that id with the notes on it, and returns what looks wrong in its record.
///
/// # Errors
///
/// Fails where there is no such session, where something of it is damaged, and as the writer does.
pub fn unload(
    log: &Arc<Log>,
    id: &str,
    given: &Given,
    notes: &[Note],
    writer: &mut Writer<'_>,
) -> Result<Vec<Finding>, UnloadError> {
    let session = log.session(id)?;
    let extras = extras::read(log, &session)?;
    let mut findings: Vec<Finding> = extras.findings.iter().cloned().chain(damaged_tail(log)).collect();
    let stored = match &given.definition {
        Some(_) => None,
        None => load::definition(log, &extras).unwrap_or_else(|error| {
            findings.push(damaged_definition(&error));
            None
        }),
    };
    let recorded_end: Option<RecordedEnd> = extras.recorded_end.map(Into::into);
    writer.head(&Head {
        id: &session.id,
        profile: given.profile.or(extras.profile),
        definition: given.definition.as_deref().or(stored.as_ref()),
        recorded_end: recorded_end.as_ref(),
        findings: &findings,
    })?;
    notes.iter().try_for_each(|note| writer.note(note))?;
    let records = Records::of_log(Arc::clone(log), session.clone());
    let mut names = Names::default();
    let mut stopped: Option<UnloadError> = None;
    let read = log.read(&session, 0..session.event_count, |number, payload| {
        let event = codec::decode(payload, &mut names).map_err(|error| error.to_string())?;
        let written = writer.event(Position(number + 1), &event, |index| records.get(index));
        stopped = match (written, records.problem()) {
            (Err(error), _) => Some(error.into()),
            (Ok(()), Some(problem)) => Some(UnloadError::Raw(problem.to_owned())),
            (Ok(()), None) => return Ok(()),
        };
        // Ends the reading; why, is told below.
        Err(String::new())
    });
    match stopped {
        Some(error) => Err(error),
        None => Ok(read.map(|()| findings)?),
    }
}
