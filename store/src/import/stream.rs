//! Reading a file of any length in little memory: batches of complete turns go out while lines come in, or events as
//! soon as they are known.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::rc::Rc;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;

use super::weight::{self, TEXT_LEN_MAX};
use super::{ImportError, RecordedEnd, Shape, jsonl, lines, sniff};
use crate::agent::definition::Definition;
use crate::event::Event;
use crate::event::finding::Finding;
use crate::event::note::Note;
use crate::event::raw::RawRecords;
use crate::name::Name;
use crate::profile::Profile;

/// Batches go out when lines of about this many bytes came in.
pub(super) const BATCH_BYTES: usize = 4 << 20;
/// How much is read from the file at once.
const CAPACITY: usize = 1 << 17;

/// The next part of one session.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The session's id.
    pub session: Name,
    /// Events that follow those of the session's batch before.
    pub events: Vec<Event>,
    /// The raw records that follow those of the batch before: all that `events` name, and no others.
    pub raw: RawRecords,
    /// What looks wrong, in the batch where it is known: mostly the last.
    pub findings: Vec<Finding>,
    /// The engine generation, in the session's first batch.
    pub profile: Option<Profile>,
    /// The agent's files, in the session's first batch.
    pub definition: Option<Definition>,
    /// What the record says about its own end.
    pub recorded_end: Option<RecordedEnd>,
    /// Notes on the session.
    pub notes: Vec<Note>,
    /// How many bytes of the file were read so far, packed as it is.
    pub bytes_read: u64,
    /// Whether the session has no more batches.
    pub is_last: bool,
}

/// Takes batches in. An error of its own stops the reading.
pub type Sink<'a> = dyn FnMut(Batch) -> Result<(), Box<dyn std::error::Error + Send + Sync>> + 'a;

/// Reads the sessions of a file of lines and hands them on in batches, those of one session in order.
///
/// Memory stays flat for lines. A dump or a list of events is read whole and comes as one batch a session.
///
/// # Errors
///
/// Fails as [`super::read`] does, and where the input or the sink does.
pub fn stream(input: &mut dyn BufRead, file_name: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let (count, is_broken) = (Rc::default(), Rc::default());
    let mut counted = BufReader::with_capacity(CAPACITY, Counted { input, count: Rc::clone(&count) });
    let beginning = beginning(&mut counted, file_name)?;
    let mut whole = beginning.chain(counted);
    if !beginning.starts_with(sniff::GZIP_MAGIC) {
        return plain(&beginning, &mut Source { input: &mut whole, count, is_broken, file_name, is_live: false }, sink);
    }
    let unpacked = Unpacked { input: MultiGzDecoder::new(whole), is_broken: Rc::clone(&is_broken) };
    let mut unpacked = BufReader::with_capacity(CAPACITY, unpacked);
    let beginning = self::beginning(&mut unpacked, file_name)?;
    let mut whole = beginning.chain(unpacked);
    plain(&beginning, &mut Source { input: &mut whole, count, is_broken, file_name, is_live: false }, sink)
}

/// Reads sessions from somebody who is still writing them, and hands on each event before the next line is read.
///
/// Only our own JSON Lines say all of an event at once. An event of a foreign record may be explained by what stands
/// behind it, so that those of a turn come when the next one begins, or at the end. What isn't lines comes at the end, as
/// [`stream`] has it.
///
/// # Errors
///
/// Fails as [`stream`] does.
pub fn stream_live(input: &mut dyn BufRead, file_name: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let (count, is_broken) = (Rc::default(), Rc::default());
    let mut counted = BufReader::with_capacity(CAPACITY, Counted { input, count: Rc::clone(&count) });
    let mut beginning = Vec::new();
    while beginning.iter().all(u8::is_ascii_whitespace) {
        let read = counted.read_until(b'\n', &mut beginning);
        if read.map_err(|cause| ImportError::Read { file: file_name.to_owned(), cause })? == 0 {
            break;
        }
    }
    let mut whole = beginning.chain(counted);
    plain(&beginning, &mut Source { input: &mut whole, count, is_broken, file_name, is_live: true }, sink)
}

/// Reads as much as is needed to tell what a file is; a pipe may give less at once.
fn beginning(input: &mut dyn BufRead, file_name: &str) -> Result<Vec<u8>, ImportError> {
    let mut beginning = Vec::new();
    let read = input.take(CAPACITY as u64).read_to_end(&mut beginning);
    read.map_err(|cause| ImportError::Read { file: file_name.to_owned(), cause })?;
    Ok(beginning)
}

fn plain(beginning: &[u8], source: &mut Source<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    match sniff(beginning, source.file_name)? {
        Shape::Lines => lines::stream(source, sink),
        Shape::OwnLines | Shape::OwnList => jsonl::stream(source, sink),
        Shape::Log | Shape::MantleDump | Shape::ClassicDump | Shape::List => {
            for recording in super::read(Arc::new(source.rest()?), source.file_name)? {
                let batch = Batch {
                    session: recording.id,
                    events: recording.events,
                    raw: recording.raw,
                    findings: recording.findings,
                    profile: recording.profile,
                    definition: recording.definition,
                    recorded_end: recording.recorded_end,
                    notes: Vec::new(),
                    bytes_read: source.bytes_read(),
                    is_last: true,
                };
                sink(batch).map_err(ImportError::Sink)?;
            }
            Ok(())
        }
    }
}

/// Where lines come from.
pub(super) struct Source<'a> {
    input: &'a mut dyn BufRead,
    count: Rc<Cell<u64>>,
    is_broken: Rc<Cell<bool>>,
    pub(super) file_name: &'a str,
    /// Whether events are handed on as soon as they are known.
    pub(super) is_live: bool,
}

impl<'a> Source<'a> {
    pub(super) fn of(input: &'a mut dyn BufRead, file_name: &'a str) -> Source<'a> {
        Source { input, count: Rc::default(), is_broken: Rc::default(), file_name, is_live: false }
    }

    /// Returns how many bytes of the file were read, packed as it is.
    pub(super) fn bytes_read(&self) -> u64 {
        self.count.get()
    }

    /// Returns whether a packed file ended before its end.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// Returns whether it is time for a batch, after lines of so many bytes.
    pub(super) fn is_due(&self, pending: usize) -> bool {
        self.is_live || pending >= BATCH_BYTES
    }

    /// Returns the next line with its line break, if it has one; `None` at the end.
    pub(super) fn next_line(&mut self) -> Result<Option<Vec<u8>>, ImportError> {
        let mut line = Vec::new();
        let mut input = (&mut self.input).take(TEXT_LEN_MAX + 1);
        let length = input.read_until(b'\n', &mut line).map_err(|cause| self.error(cause))?;
        weight::check(&line, self.file_name)?;
        line.shrink_to_fit();
        Ok((length > 0).then_some(line))
    }

    /// Returns all that wasn't read yet.
    pub(super) fn rest(&mut self) -> Result<Vec<u8>, ImportError> {
        let mut bytes = Vec::new();
        let mut input = (&mut self.input).take(TEXT_LEN_MAX + 1);
        input.read_to_end(&mut bytes).map_err(|cause| self.error(cause))?;
        weight::check(&bytes, self.file_name)?;
        Ok(bytes)
    }

    fn error(&self, cause: std::io::Error) -> ImportError {
        ImportError::Read { file: self.file_name.to_owned(), cause }
    }
}

/// Counts the bytes that are read.
struct Counted<'a> {
    input: &'a mut dyn BufRead,
    count: Rc<Cell<u64>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.input.read(buffer)?;
        self.count.set(self.count.get() + length as u64);
        Ok(length)
    }
}

/// Ends where packed bytes can't be unpacked any further, and notes it.
struct Unpacked<R> {
    input: MultiGzDecoder<R>,
    is_broken: Rc<Cell<bool>>,
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer);
        self.is_broken.set(self.is_broken.get() || read.is_err());
        read.or(Ok(0))
    }
}
