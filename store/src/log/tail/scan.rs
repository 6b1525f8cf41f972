//! Reading a tail: what stands in it, up to the first record that isn't what must stand there.

use std::io;

use super::header::{HEADER_LEN, Header};
use super::record::{Entry, Found, MARK_LEN, Place, mark, show_later};
use super::{LogId, REGION_LEN};
use crate::log::blocks::Blocks;

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Reader {
    /// The writer is gone: every append that is there in one piece counts.
    AfterWriter,
    /// The writer may be at work: what it acknowledged counts.
    BesideWriter,
}

/// What stands in a tail.
#[derive(Debug)]
pub(in crate::log) struct Scan {
    pub(in crate::log) id: LogId,
    /// The process that wrote it.
    pub(in crate::log) process: u32,
    /// Records in order, without gaps.
    pub(in crate::log) entries: Vec<Entry>,
    /// Where the next record will be.
    pub(in crate::log) cursor: Cursor,
    /// Whether more was durable once, and isn't what was written.
    pub(in crate::log) is_damaged: bool,
}

/// Where the next record of a region will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct Cursor {
    region: u64,
    /// Offset in the region.
    at: u64,
    place: Place,
}

impl Scan {
    /// Returns the number of the first record; that of the next one where there is none.
    pub(in crate::log) fn first(&self) -> u64 {
        self.entries.first().map_or(self.cursor.place.number, |entry| entry.number)
    }

    /// Returns the number that the next record will have.
    pub(in crate::log) fn next(&self) -> u64 {
        self.cursor.place.number
    }
}

/// Reads a tail. `None` where no region was ever begun.
///
/// # Errors
///
/// Fails where it can't be read.
pub(in crate::log) fn scan(tail: &dyn Blocks, reader: Reader) -> io::Result<Option<Scan>> {
    let half = region_len(tail)?;
    let mut regions = Vec::new();
    for region in 0..2 {
        let mut bytes = vec![0; half as usize];
        let len = tail.read_at(region * half, &mut bytes)?;
        bytes.truncate(len);
        regions.extend(Header::read(&bytes).map(|header| (header, region, bytes)));
    }
    regions.sort_by_key(|(header, _, _)| header.generation);
    let Some((last, region, bytes)) = regions.pop() else { return Ok(None) };
    let mut entries = Vec::new();
    if let Some((header, region, bytes)) = regions.pop()
        && header.generation + 1 == last.generation
        && header.id == last.id
    {
        let mut cursor = Cursor::of(region, &header);
        // The region was left behind full, so that all of it was acknowledged.
        cursor.read(&bytes[HEADER_LEN as usize..], Reader::AfterWriter, &mut entries);
        if cursor.place.number != last.first {
            entries.clear();
        }
    }
    let mut cursor = Cursor::of(region, &last);
    let behind = cursor.read(&bytes[HEADER_LEN as usize..], reader, &mut entries);
    // Beside a writer, what is read may be half of what it writes at that moment.
    let is_damaged = reader == Reader::AfterWriter && show_later(behind.0, &behind.1);
    Ok(Some(Scan { id: last.id, process: last.process, entries, cursor, is_damaged }))
}

impl Cursor {
    fn of(region: u64, header: &Header) -> Cursor {
        let place = Place { generation: header.generation, number: header.first, before: header.before };
        Cursor { region, at: HEADER_LEN, place }
    }

    /// Reads the records that were added since, and moves behind them.
    ///
    /// # Errors
    ///
    /// Fails where the tail can't be read.
    pub(in crate::log) fn follow(&mut self, tail: &dyn Blocks, entries: &mut Vec<Entry>) -> io::Result<()> {
        let half = region_len(tail)?;
        let mut len = 1 << 12;
        loop {
            let rest = half.saturating_sub(self.at);
            let mut bytes = vec![0; len.min(rest) as usize];
            let read = tail.read_at(self.region * half + self.at, &mut bytes)?;
            let before = entries.len();
            self.read(&bytes[..read], Reader::BesideWriter, entries);
            // More may stand behind what was read, or a group is longer than that.
            let may_be_cut = len < rest && bytes.iter().any(|byte| *byte != 0);
            if !may_be_cut || (entries.len() == before && !self.begins_record(&bytes[..read])) {
                return Ok(());
            }
            if entries.len() == before {
                len *= 4;
            }
        }
    }

    /// Returns whether a record of this region stands where the next one belongs, whole or not.
    fn begins_record(&self, bytes: &[u8]) -> bool {
        let head = bytes.get(8..24);
        let number = [self.place.generation.to_le_bytes(), self.place.number.to_le_bytes()].concat();
        head == Some(&number) && !bytes.starts_with(&mark(&self.place))
    }

    /// Returns whether something was written behind what was acknowledged: by a writer that is about to acknowledge it, or
    /// that died before it did.
    ///
    /// # Errors
    ///
    /// Fails where the tail can't be read.
    pub(in crate::log) fn has_unmarked(&self, tail: &dyn Blocks) -> io::Result<bool> {
        let rest = region_len(tail)?.saturating_sub(self.at);
        let mut head = [0; 24];
        let len = head.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
        let read = tail.read_at(self.region * region_len(tail)? + self.at, &mut head[..len])?;
        Ok(self.begins_record(&head[..read]))
    }

    /// Returns whether the writer has gone on to the other region, or this one is no more.
    ///
    /// # Errors
    ///
    /// Fails where the tail can't be read.
    pub(in crate::log) fn is_left_behind(&self, tail: &dyn Blocks) -> io::Result<bool> {
        let half = region_len(tail)?;
        let header = |region: u64| -> io::Result<Option<Header>> {
            let mut bytes = [0; HEADER_LEN as usize];
            let len = tail.read_at(region * half, &mut bytes)?;
            Ok(Header::read(&bytes[..len]))
        };
        let here = header(self.region)?.is_some_and(|here| here.generation == self.place.generation);
        let there = header(1 - self.region)?.is_some_and(|there| there.generation > self.place.generation);
        Ok(!here || there)
    }

    /// Reads records from the bytes at the cursor, and moves behind the last one that counts. Returns the bytes from the
    /// first one on that isn't what belongs there, and what does.
    fn read<'a>(&mut self, bytes: &'a [u8], reader: Reader, entries: &mut Vec<Entry>) -> (&'a [u8], Place) {
        let (mut at, mut place) = (0, self.place);
        let kept = entries.len();
        // Behind the last append that is whole, and in front of the last group.
        let mut end = (0, place, kept);
        let mut group = end;
        while let Some(found) = Found::read(&bytes[at..], &place) {
            if found.ties.begins_group {
                group = end;
            }
            at += found.len;
            place = Place { number: place.number + 1, before: found.hash, ..place };
            entries.push(found.entry);
            if !found.ties.has_more {
                end = (at, place, entries.len());
            }
        }
        let behind = (&bytes[at..], place);
        let is_marked = bytes.get(end.0..end.0 + MARK_LEN) == Some(&mark(&end.1));
        let (at, place, count) = match reader {
            Reader::AfterWriter => end,
            Reader::BesideWriter if is_marked => end,
            Reader::BesideWriter => group,
        };
        entries.truncate(count);
        (self.at, self.place) = (self.at + at as u64, place);
        behind
    }
}

/// Returns the length of a region; one that was made with another length is no tail of ours.
fn region_len(tail: &dyn Blocks) -> io::Result<u64> {
    Ok((tail.len()? / 2).min(REGION_LEN))
}
