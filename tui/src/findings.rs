//! What looks wrong in the session, collected from its start to its end in slices while the user goes on.

use std::fmt;

use replay_store::diagnostic::Severity;
use replay_store::explain::findings::{Found, Scan};
use replay_store::replay::Session;
use replay_store::replay::progress::Progress;

/// What looks wrong, as far as it was looked for.
pub struct Findings {
    /// What was found, the worst first.
    pub found: Vec<Found>,
    scan: Scan,
    looking: Looking,
    /// How many events were looked at when [`Findings::found`] was made.
    told: u64,
}

/// Whether it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looking {
    /// Nobody asked so far; what the record says by itself is known.
    NotYet,
    /// It goes on between keys.
    Going,
    /// The user stopped it.
    Stopped,
    /// All events were looked at.
    Done,
}

/// What a slice may cost, in events that are looked at; a model call counts for several. A key waits for the slice that is
/// looked at when it comes, so that one takes a few milliseconds.
const SLICE: u64 = 512;
/// In sessions of up to so many events nobody has to ask: it takes a part of a second.
const UNASKED: u64 = 20_000;
/// The same while it grows, because each time all of it is looked through.
const UNASKED_LIVE: u64 = 500;
/// Into so many parts a walk is divided, after each of which what was found is told anew.
const PARTS: u64 = 32;

impl Findings {
    /// Begins with what the record says by itself; a short session is looked through without being asked for.
    pub fn new(session: &Session) -> Findings {
        let scan = Scan::new(session);
        let looking = if session.end().0 <= UNASKED { Looking::Going } else { Looking::NotYet };
        Findings { found: scan.found(session), looking, told: 0, scan }
    }

    /// Begins again, because the session holds more than before. A short session is looked through at once; what was found
    /// stays until then.
    pub(crate) fn begin_anew(&mut self, session: &Session) {
        self.scan = Scan::new(session);
        self.told = 0;
        self.looking = if session.end().0 <= UNASKED_LIVE { Looking::Going } else { Looking::Stopped };
    }

    /// Returns whether it is looked for.
    pub fn looking(&self) -> Looking {
        self.looking
    }

    /// Returns how far it came.
    pub fn progress(&self) -> Progress {
        self.scan.progress()
    }

    /// Returns how much was looked at, from 0 to 100.
    pub fn percent(&self) -> u64 {
        let Progress { done, of } = self.progress();
        done * 100 / of.max(1)
    }

    /// Returns how many of a severity were found.
    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.severity == severity).count()
    }

    /// Begins to look, or goes on where it was stopped.
    pub(crate) fn look(&mut self) {
        if self.looking != Looking::Done {
            self.looking = Looking::Going;
        }
    }

    /// Stops, and tells what was found so far.
    pub(crate) fn stop(&mut self, session: &Session) {
        self.looking = Looking::Stopped;
        self.tell(session);
    }

    /// Looks at the next slice. Returns whether what was found is told anew.
    pub(crate) fn advance(&mut self, session: &Session) -> bool {
        let progress = self.scan.step(session, SLICE);
        if progress.is_done() {
            self.looking = Looking::Done;
        }
        let is_due = progress.is_done() || progress.done - self.told >= progress.of / PARTS;
        if is_due {
            self.tell(session);
        }
        is_due
    }

    fn tell(&mut self, session: &Session) {
        self.found = self.scan.found(session);
        self.told = self.progress().done;
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Findings").field("found", &self.found).field("looking", &self.looking).finish_non_exhaustive()
    }
}
