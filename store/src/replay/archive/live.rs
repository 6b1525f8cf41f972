//! Saving sessions while they are recorded: each batch is durable when it was added, unless its terms say otherwise, and
//! the request that it carries out is noted with it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

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

/// How many of the last requests are known of a session.
pub const REQUESTS_KEPT: usize = 16;

/// What a batch carries out, in the words of whoever asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What names it: of a session each has its own.
    pub id: Name,
    /// A number made from what is asked, so that another request under the same id is told from this one.
    pub content: u64,
}

/// A request that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// What names it.
    pub id: Name,
    /// What tells it from another one under the same id; nothing where that wasn't noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<u64>,
    /// The position before its events.
    pub before: Position,
    /// The position after them.
    pub after: Position,
}

/// How a batch is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// When it is there.
    pub durability: Durability,
    /// The request that it carries out: whoever goes on with the session finds it among the last
    /// [`REQUESTS_KEPT`], as surely as the events.
    pub request: Option<Request>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { durability: Durability::Durable, request: None }
    }
}

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

    /// Takes a session up where the log leaves it: what is added next stands behind its last event.
    ///
    /// # Errors
    ///
    /// Fails where the log has no such session, and where the log says no.
    pub fn go_on(&mut self, session: &Name) -> Result<(), ArchiveError> {
        let log = self.log.log()?;
        let progress = Progress::behind(&log, &log.session(session)?)?;
        self.sessions.insert(session.clone(), Saved { progress, there: None });
        Ok(())
    }

    /// Returns a request that was carried out, if it is one of the last of the session.
    pub fn carried(&self, session: &str, request_id: &str) -> Option<&Carried> {
        let requests = &self.sessions.get(session)?.progress.extras.requests;
        requests.iter().find(|carried| carried.id == *request_id)
    }

    /// Saves the next batch of a session: it is durable when this returns.
    ///
    /// # Errors
    ///
    /// Fails with [`ArchiveError::Differs`] where the log holds a session of that name which doesn't begin like this
    /// one, nor this one like it, and where the log says no.
    pub fn add(&mut self, batch: &Batch) -> Result<LiveReport, ArchiveError> {
        self.add_under(batch, &Terms::default())
    }

    /// Saves the next batch of a session under terms. One without events notes that its request was carried out.
    ///
    /// # Errors
    ///
    /// Fails as [`LiveSaver::add`] does.
    pub fn add_under(&mut self, batch: &Batch, terms: &Terms) -> Result<LiveReport, ArchiveError> {
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
        if terms.request.is_some() || progress.is_worth(&part, there) {
            let there = there.unwrap_or_default();
            let known = terms.request.as_ref().map(|request| progress.carry_out(request, &part));
            let mut addition = Addition::to(part.session).at(there.0);
            let added = fill(&mut addition, &part, progress, there).and_then(|details| {
                addition.note(details);
                Ok(self.log.append(&addition, terms.durability)?)
            });
            if let (Err(_), Some(known)) = (&added, known) {
                progress.extras.requests = known;
            }
            added?;
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

impl Progress {
    /// Notes that a part carries out a request. Returns the requests that were noted before.
    fn carry_out(&mut self, request: &Request, part: &Part<'_>) -> VecDeque<Carried> {
        let known = self.extras.requests.clone();
        let (before, after) = (Position(self.events), Position(self.events + part.events.len() as u64));
        let (id, content) = (request.id.clone(), Some(request.content));
        self.extras.requests.push_back(Carried { id, content, before, after });
        while REQUESTS_KEPT < self.extras.requests.len() {
            self.extras.requests.pop_front();
        }
        known
    }
}

impl Saved {
    fn start(log: &EventLog, session: &Name) -> Result<Saved, ArchiveError> {
        // Opening the log takes the longer the more there is.
        if log.counts(session).is_none() {
            return Ok(Saved { progress: Progress::default(), there: None });
        }
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
