//! Opening a session of a log for reading: only what is needed of it is read.

use std::sync::Arc;

use super::{ArchiveError, extras, load};
use crate::event::finding::{Finding, FindingKind};
use crate::log::{Log, LogError, Session as Stored};
use crate::replay::open::Brought;
use crate::replay::records::Records;
use crate::replay::{Named, Session};

/// Opens the session of that id: its outline and its last events are read, and the rest when it is wanted. A definition
/// that is damaged is left out with a finding, since a folder can stand in for it.
///
/// # Errors
///
/// Fails where there is none, or where its last events are damaged. Damage that is found later is told by
/// [`Session::damage`].
pub fn open_lazily(log: &Arc<Log>, id: &str, named: Named) -> Result<Session, ArchiveError> {
    let stored = log.session(id)?;
    let brought = brought(log, &stored)?;
    Ok(Session::of_log(log, stored, brought, named)?)
}

fn brought(log: &Arc<Log>, stored: &Stored) -> Result<Brought, LogError> {
    let extras = extras::read(log, stored)?;
    let mut findings: Vec<Finding> = extras.findings.iter().cloned().chain(damaged_tail(log)).collect();
    let definition = load::definition(log, &extras).unwrap_or_else(|error| {
        findings.push(damaged_definition(&error));
        None
    });
    let raw = Records::of_log(Arc::clone(log), stored.clone());
    Ok(Brought { id: stored.id.clone(), raw, findings, profile: extras.profile, definition })
}

/// Returns the finding that an agent folder can't be read.
pub(super) fn damaged_definition(error: &LogError) -> Finding {
    let text = format!("the agent folder that is stored with the session can't be read: {error}");
    Finding { kind: FindingKind::Damaged, raw: None, text }
}

/// Returns the finding that the last events may be missing, because of the log's tail.
pub(super) fn damaged_tail(log: &Log) -> Option<Finding> {
    let text = log.tail_damage()?.what.clone();
    Some(Finding { kind: FindingKind::Damaged, raw: None, text })
}
