//! The raw records that events were read from, byte for byte.
//!
//! Records are counted from 0 within their session. Their bytes stay where they were read, so that a session opened
//! from a large file doesn't hold it twice. Those of a log are read when the first of them is asked for: they are
//! bulky, and most people never look at them.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Raw records of one session, in order and without gaps.
#[derive(Clone, Debug, Default)]
pub struct RawRecords {
    buffers: Vec<Arc<Vec<u8>>>,
    places: Vec<Place>,
    later: Option<Later>,
}

/// Records that are read when they are asked for.
#[derive(Clone)]
struct Later {
    count: usize,
    read: Arc<dyn Fn() -> Result<RawRecords, String> + Send + Sync>,
    records: Arc<OnceLock<Result<RawRecords, String>>>,
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records, read: {}", self.count, self.records.get().is_some())
    }
}

#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    buffer: u32,
    len: u32,
}

impl RawRecords {
    /// Returns `count` records that `read` gives when the first of them is asked for.
    pub fn later(count: usize, read: impl Fn() -> Result<RawRecords, String> + Send + Sync + 'static) -> RawRecords {
        let later = Later { count, read: Arc::new(read), records: Arc::default() };
        RawRecords { later: Some(later), ..RawRecords::default() }
    }

    /// Returns how many records there are.
    pub fn count(&self) -> usize {
        self.later.as_ref().map_or(self.places.len(), |later| later.count)
    }

    /// Returns the bytes of the record at `index`; `None` where there is no such record or it can't be read.
    pub fn get(&self, index: u32) -> Option<&[u8]> {
        if let Some(later) = &self.later {
            return later.records().ok()?.get(index);
        }
        let place = self.places.get(index as usize)?;
        let start = place.start as usize;
        self.buffers[place.buffer as usize].get(start..start + place.len as usize)
    }

    /// Returns why the records can't be read, if they can't.
    pub fn problem(&self) -> Option<&str> {
        self.later.as_ref().and_then(|later| later.records().err())
    }

    /// Adds a record that stands at `range` of `buffer`. Records of one buffer are best added one after the other.
    ///
    /// # Panics
    ///
    /// Panics where the range is no part of the buffer, and where the records are read later.
    pub fn push(&mut self, buffer: &Arc<Vec<u8>>, range: Range<usize>) {
        assert!(self.later.is_none(), "nothing is added to records that are still to be read");
        assert!(range.start <= range.end && range.end <= buffer.len(), "a record lies inside its buffer");
        if self.buffers.last().is_none_or(|last| !Arc::ptr_eq(last, buffer)) {
            self.buffers.push(Arc::clone(buffer));
        }
        self.places.push(Place {
            start: range.start as u64,
            buffer: (self.buffers.len() - 1) as u32,
            len: (range.end - range.start) as u32,
        });
    }

    /// Takes away the records from `index` on and returns them.
    pub fn split_off(&mut self, index: u32) -> RawRecords {
        let mut rest = RawRecords::default();
        for place in self.places.split_off((index as usize).min(self.places.len())) {
            let start = place.start as usize;
            rest.push(&self.buffers[place.buffer as usize], start..start + place.len as usize);
        }
        self.buffers.truncate(self.places.last().map_or(0, |place| place.buffer as usize + 1));
        rest
    }

    /// Adds all records of `more` behind these.
    pub fn extend(&mut self, more: &RawRecords) {
        for place in &more.places {
            let start = place.start as usize;
            self.push(&more.buffers[place.buffer as usize], start..start + place.len as usize);
        }
    }
}

impl Later {
    fn records(&self) -> Result<&RawRecords, &str> {
        self.records.get_or_init(|| (self.read)()).as_ref().map_err(String::as_str)
    }
}
