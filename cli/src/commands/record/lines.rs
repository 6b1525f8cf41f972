//! Lines of a client, each of bounded length, until it has no more or the program is asked to stop.

use std::io::{self, Read};
use std::os::fd::AsFd;

use super::stop::{Came, Stop};

/// A longer line is skipped.
pub(super) const LINE_LEN_MAX: usize = 64 << 20;

const CHUNK_LEN: usize = 64 << 10;

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes, without the end of the line.
    Text(Vec<u8>),
    /// It was too long, and nothing of it is kept.
    TooLong,
}

/// The lines of a client.
pub(super) struct Lines<'a, R> {
    input: R,
    stop: &'a Stop,
    chunk: Vec<u8>,
    /// How much of the chunk was taken.
    taken: usize,
    is_over: bool,
}

impl<'a, R: Read + AsFd> Lines<'a, R> {
    /// Returns the lines of an input that nobody else reads.
    pub(super) fn new(input: R, stop: &'a Stop) -> Lines<'a, R> {
        Lines { input, stop, chunk: Vec::new(), taken: 0, is_over: false }
    }

    /// Returns the next line that isn't blank; the last one may have no end. What stands in front of the wish to stop and
    /// was not taken yet stays where it is.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            match self.any()? {
                Some(Line::Text(line)) if line.iter().all(u8::is_ascii_whitespace) => {}
                line => return Ok(line),
            }
        }
    }

    fn any(&mut self) -> io::Result<Option<Line>> {
        let mut line = Line::Text(Vec::new());
        loop {
            if self.stop.is_set() {
                return Ok(None);
            }
            let rest = &self.chunk[self.taken..];
            let end = rest.iter().position(|byte| *byte == b'\n');
            let piece = &rest[..end.unwrap_or(rest.len())];
            if let Line::Text(text) = &mut line {
                if LINE_LEN_MAX - text.len() < piece.len() {
                    line = Line::TooLong;
                } else {
                    text.extend_from_slice(piece);
                }
            }
            match end {
                Some(end) => {
                    self.taken += end + 1;
                    return Ok(Some(line));
                }
                None if self.is_over => {
                    self.taken = self.chunk.len();
                    return Ok(Some(line).filter(|line| *line != Line::Text(Vec::new())));
                }
                None => self.read()?,
            }
        }
    }

    /// Reads the next chunk, unless it is asked to stop before there is one.
    fn read(&mut self) -> io::Result<()> {
        self.taken = 0;
        self.chunk.clear();
        if self.stop.or_input(&self.input)? == Came::Stop {
            return Ok(());
        }
        self.chunk.resize(CHUNK_LEN, 0);
        let len = loop {
            match self.input.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.chunk.truncate(*len.as_ref().unwrap_or(&0));
        self.is_over = self.chunk.is_empty();
        len.map(drop)
    }
}
