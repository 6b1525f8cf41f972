//! The raw records of an opened session: in memory, or in the log, from where they are read when they are asked for.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::event::raw::RawRecords;
use crate::log::{self, Log};

/// The raw records of an opened session.
#[derive(Debug)]
pub struct Records(Source);

enum Source {
    InMemory(RawRecords),
    OfLog { log: Arc<Log>, session: log::Session, last: Mutex<Arc<Stretch>>, problem: OnceLock<String> },
}

/// Records that are stored together.
#[derive(Default)]
struct Stretch {
    numbers: Range<u64>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Records {
    pub(super) fn in_memory(records: RawRecords) -> Records {
        Records(Source::InMemory(records))
    }

    pub(super) fn of_log(log: Arc<Log>, session: log::Session) -> Records {
        Records(Source::OfLog { log, session, last: Mutex::default(), problem: OnceLock::new() })
    }

    /// Returns how many records there are.
    pub fn count(&self) -> usize {
        match &self.0 {
            Source::InMemory(records) => records.count(),
            Source::OfLog { session, .. } => session.raw_count as usize,
        }
    }

    /// Returns the bytes of the record at `index`, counted from 0; `None` where there is no such record or it can't be read,
    /// and then [`Records::problem`] says why.
    pub fn get(&self, index: u32) -> Option<Cow<'_, [u8]>> {
        match &self.0 {
            Source::InMemory(records) => records.get(index).map(Cow::Borrowed),
            Source::OfLog { log, session, last, problem } => {
                let index = u64::from(index);
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if !last.numbers.contains(&index) && index < session.raw_count {
                    match Stretch::around(log, session, index) {
                        Ok(stretch) => *last = Arc::new(stretch),
                        Err(error) => drop(problem.get_or_init(|| error.to_string())),
                    }
                }
                last.get(index).map(|bytes| Cow::Owned(bytes.to_vec()))
            }
        }
    }

    /// Returns why a record that was asked for can't be read, if one can't.
    pub fn problem(&self) -> Option<&str> {
        match &self.0 {
            Source::InMemory(_) => None,
            Source::OfLog { problem, .. } => problem.get().map(String::as_str),
        }
    }
}

impl Stretch {
    fn around(log: &Log, session: &log::Session, index: u64) -> Result<Stretch, log::LogError> {
        let mut stretch = Stretch::default();
        stretch.numbers = log.read_raw_around(session, index, |_, record| {
            stretch.bytes.extend_from_slice(record);
            stretch.ends.push(stretch.bytes.len());
            Ok(())
        })?;
        Ok(stretch)
    }

    fn get(&self, index: u64) -> Option<&[u8]> {
        let place = usize::try_from(index.checked_sub(self.numbers.start)?).ok()?;
        let end = *self.ends.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.get(start..end)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::InMemory(records) => fmt::Debug::fmt(records, f),
            Source::OfLog { session, .. } => write!(f, "{} records of a log", session.raw_count),
        }
    }
}
