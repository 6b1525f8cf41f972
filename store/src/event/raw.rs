//! The raw records that events were read from, byte for byte.
//!
//! Records are counted from 0 within their session. Their bytes stay where they were read, so that a session opened
//! from a large file doesn't hold it twice.

use std::ops::Range;
use std::sync::Arc;

/// Raw records of one session, in order and without gaps.
#[derive(Clone, Debug, Default)]
pub struct RawRecords {
    buffers: Vec<Arc<Vec<u8>>>,
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    buffer: u32,
    len: u32,
}

impl RawRecords {
    /// Returns how many records there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the bytes of the record at `index`; `None` where there is no such record.
    pub fn get(&self, index: u32) -> Option<&[u8]> {
        let place = self.places.get(index as usize)?;
        let start = place.start as usize;
        self.buffers[place.buffer as usize].get(start..start + place.len as usize)
    }

    /// Adds a record that stands at `range` of `buffer`. Records of one buffer are best added one after the other.
    ///
    /// # Panics
    ///
    /// Panics where the range is no part of the buffer.
    pub fn push(&mut self, buffer: &Arc<Vec<u8>>, range: Range<usize>) {
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
