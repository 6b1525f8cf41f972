//! Saving sessions while they are recorded: each batch is durable when it was added.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::ArchiveError;
use super::save::{Part, Progress, Taking, check_beginning, fill};
use crate::digest::Digest;
use crate::event::Position;
use crate::import::stream::Batch;
use crate::log::{Addition, Durability, EventLog, Log, LogError, Session, Status};
use crate::name::Name;

/// What adding a batch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveReport {
    /// How many events of the session the log holds now. It may hold more than came so far.
    pub events: u64,
    /// How many the log held before the first batch.
    pub before: u64,
}

/// A request of a host that was carried out, and where its events are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The host's name for it.
    pub id: Name,
    /// The position before its events.
    pub before: Position,
    /// The position behind them.
    pub after: Position,
}

/// So many requests of a session are remembered: a host that waits for each answer can only ask for the last one again.
const REQUESTS: usize = 16;

/// Saves sessions batch by batch, as they come.
pub struct LiveSaver<'a> {
    log: &'a EventLog,
    sessions: BTreeMap<Name, Saved>,
}

/// How far a session was saved.
struct Saved {
    progress: Progress,
    /// What the log held before, which must begin like what comes, or the other way round.
    there: Option<(Log, Session)>,
}

impl<'a> LiveSaver<'a> {
    /// Returns a saver into a log.
    pub fn new(log: &'a EventLog) -> LiveSaver<'a> {
        LiveSaver { log, sessions: BTreeMap::new() }
    }

    /// Takes a session up where the log leaves it: what is added next stands behind its last event. Returns the last
    /// requests that were noted with it.
    ///
    /// # Errors
    ///
    /// Fails where the log has no such session, and where the log says no.
    pub fn go_on(&mut self, session: &Name) -> Result<Vec<Request>, ArchiveError> {
        let log = self.log.log()?;
        let progress = Progress::behind(&log, &log.session(session)?)?;
        let requests = progress.extras.requests.clone();
        self.sessions.insert(session.clone(), Saved { progress, there: None });
        Ok(requests)
    }

    /// Saves the next batch of a session: it is durable when this returns.
    ///
    /// # Errors
    ///
    /// Fails with [`ArchiveError::Differs`] where the log holds a session of that name which doesn't begin like this
    /// one, nor this one like it, and where the log says no.
    pub fn add(&mut self, batch: &Batch) -> Result<LiveReport, ArchiveError> {
        self.add_for(batch, None)
    }

    /// Does as [`LiveSaver::add`], and notes with the same append which request led to it.
    ///
    /// # Errors
    ///
    /// Fails as [`LiveSaver::add`] does.
    pub fn add_for(&mut self, batch: &Batch, request: Option<Request>) -> Result<LiveReport, ArchiveError> {
        let part = Part::of(batch);
        let there = self.log.counts(part.session);
        let saved = match self.sessions.entry(part.session.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Saved::start(self.log, part.session)?),
        };
        let progress = &mut saved.progress;
        if let Some((log, session)) = &saved.there {
            check_beginning(log, session, &part, progress)?;
        }
        if progress.is_worth(&part, there) {
            let there = there.unwrap_or_default();
            let mut addition = Addition::to(part.session).at(there.0);
            let known = progress.extras.requests.clone();
            progress.extras.requests.extend(request);
            let forgotten = progress.extras.requests.len().saturating_sub(REQUESTS);
            progress.extras.requests.drain(..forgotten);
            let details = fill(&mut addition, &part, progress, there)?;
            addition.note(details);
            if let Err(error) = self.log.append(&addition, Durability::Durable) {
                progress.extras.requests = known;
                return Err(error.into());
            }
        } else {
            progress.take_in(&part);
        }
        progress.advance(&part);
        let before = progress.before;
        if before <= progress.events && progress.raw_before <= progress.raw {
            saved.there = None;
        }
        if part.status == Status::Closed {
            self.sessions.remove(part.session);
        }
        let events = self.log.counts(part.session).map_or(0, |(events, _)| events);
        Ok(LiveReport { events, before })
    }
}

impl Saved {
    fn start(log: &EventLog, session: &Name) -> Result<Saved, ArchiveError> {
        let log = log.log()?;
        let there = log.find_session(session)?;
        let progress = Progress::start(&log, there.as_ref())?;
        Ok(Saved { progress, there: there.map(|there| (log, there)) })
    }
}

impl Taking for Addition {
    fn push(&mut self, payload: &[u8]) -> Result<(), LogError> {
        Addition::push(self, payload);
        Ok(())
    }

    fn push_raw(&mut self, record: &[u8]) -> Result<(), LogError> {
        Addition::push_raw(self, record);
        Ok(())
    }

    fn put_blob(&mut self, bytes: &[u8]) -> Result<Digest, LogError> {
        Ok(Addition::put_blob(self, bytes))
    }
}
