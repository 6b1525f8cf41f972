//! Events that stand one a line or in a list, those of many sessions mixed: broker files and ProtoJSON lists.
//!
//! A file is read whole, or streamed in batches so that one of any length needs little memory.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::draft::Record;
use super::dump::Lost;
use super::fold::Fold;
use super::names::Names;
use super::records::{self, Ending, Input};
use super::stream::{Batch, Sink, Source};
use super::{ImportError, Recording, scan};
use crate::event::finding::Finding;
use crate::name::Name;

/// The sessions of one file, in the order in which they begin.
pub(super) struct Sessions {
    /// The id where a record names none.
    default: Name,
    folds: Vec<(Name, Fold)>,
    index: HashMap<Name, usize>,
    last: usize,
    /// Whether one of the records is an event.
    has_events: bool,
}

impl Sessions {
    pub(super) fn new(file_name: &str) -> Sessions {
        Sessions {
            default: super::id_of_file(file_name),
            folds: Vec::new(),
            index: HashMap::new(),
            last: 0,
            has_events: false,
        }
    }

    /// Gives a record to its session. One that can't be read goes to the session of the record before it.
    fn push(&mut self, record: Record, buffer: &Arc<Vec<u8>>, range: Range<usize>) {
        self.has_events |= record.is_event();
        let is_readable = record.draft.odd.as_ref().is_none_or(|odd| odd.damage.is_none());
        let place = match record.session {
            None if !is_readable && !self.folds.is_empty() => self.last,
            session => self.place(session.unwrap_or_else(|| self.default.clone())),
        };
        self.last = place;
        self.folds[place].1.push(record.draft, buffer, range);
    }

    fn place(&mut self, id: Name) -> usize {
        if let Some(place) = self.index.get(&id) {
            return *place;
        }
        self.index.insert(id.clone(), self.folds.len());
        self.folds.push((id, Fold::default()));
        self.folds.len() - 1
    }

    /// Says that the file breaks off, in the session that was read last.
    fn cut(&self, lost: Option<Lost>, length: usize) -> Option<Finding> {
        let (_, fold) = self.folds.get(self.last)?;
        lost.map(|lost| lost.finding(fold.next_raw(), length))
    }

    fn finish(mut self, cut: Option<Finding>) -> Vec<Recording> {
        let last = self.last;
        let finish = |(place, (id, fold)): (usize, &mut (Name, Fold))| {
            let findings = fold.finish(None, cut.clone().filter(|_| place == last));
            let (events, raw) = fold.take_done();
            Recording { id: id.clone(), events, raw, findings, ..Recording::default() }
        };
        self.folds.iter_mut().enumerate().map(finish).collect()
    }
}

/// Reads a list of events.
///
/// # Errors
///
/// Fails where not one record can be read of a list that isn't whole.
pub(super) fn read_list(bytes: &Arc<Vec<u8>>, at: usize, file_name: &str) -> Result<Vec<Recording>, ImportError> {
    let mut sessions = Sessions::new(file_name);
    let mut names = Names::default();
    let ending = records::read_list(Input::of(bytes), at + 1, None, &mut names, &mut |range, record| {
        sessions.push(record, bytes, range);
    });
    let lost = match ending {
        Ending::Whole(end) => {
            let rest = scan::skip_blank(bytes, end);
            (rest < bytes.len()).then_some(Lost { at: rest, what: "something after the list" })
        }
        Ending::Reached(at) | Ending::Cut(at) => Some(Lost { at, what: "the list of events" }),
    };
    done(sessions, lost, bytes.len(), file_name)
}

/// Reads events that stand one a line.
///
/// # Errors
///
/// Fails where not one record can be read.
pub(super) fn read_lines(bytes: &Arc<Vec<u8>>, at: usize, file_name: &str) -> Result<Vec<Recording>, ImportError> {
    let mut sessions = Sessions::new(file_name);
    let mut names = Names::default();
    let mut lost = None;
    let input = Input::of(bytes);
    let mut start = at;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        lost = records::read_line(input, start..end, &mut names, &mut |range, record| {
            sessions.push(record, bytes, range);
        })
        .map(|at| Lost { at, what: "a line" });
        start = end + 1;
    }
    done(sessions, lost, bytes.len(), file_name)
}

fn done(sessions: Sessions, lost: Option<Lost>, length: usize, file_name: &str) -> Result<Vec<Recording>, ImportError> {
    if sessions.folds.is_empty() {
        return Err(ImportError::Nothing { file: file_name.to_owned(), at: lost.map_or(length, |lost| lost.at) });
    }
    if !sessions.has_events {
        let count = sessions.folds.iter().map(|(_, fold)| fold.next_raw()).sum();
        return Err(ImportError::no_events(file_name, count));
    }
    let cut = sessions.cut(lost, length);
    Ok(sessions.finish(cut))
}

/// Streams events that stand one a line.
///
/// # Errors
///
/// Fails where the input or the sink does, or not one record can be read.
pub(super) fn stream(source: &mut Source<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut sessions = Sessions::new(source.file_name);
    let mut names = Names::default();
    let mut lost = None;
    let (mut offset, mut pending) = (0, 0);
    while let Some(line) = source.next_line()? {
        let line = Arc::new(line);
        lost = records::read_line(Input::of(&line), 0..line.len(), &mut names, &mut |range, record| {
            sessions.push(record, &line, range);
        })
        .map(|at| Lost { at: offset + at, what: "a line" });
        offset += line.len();
        pending += line.len();
        if source.is_due(pending) && sessions.has_events {
            pending = 0;
            for (id, fold) in sessions.folds.iter_mut().filter(|(_, fold)| !fold.events.is_empty()) {
                let (events, raw) = fold.take_done();
                let batch =
                    Batch { session: id.clone(), events, raw, bytes_read: source.bytes_read(), ..Batch::default() };
                sink(batch).map_err(ImportError::Sink)?;
            }
        }
    }
    if source.is_broken() {
        lost = lost.or(Some(Lost { at: offset, what: "the packed file" }));
    }
    for recording in done(sessions, lost, offset, source.file_name)? {
        let Recording { id, events, raw, findings, .. } = recording;
        let bytes_read = source.bytes_read();
        let batch = Batch { session: id, events, raw, findings, bytes_read, is_last: true, ..Batch::default() };
        sink(batch).map_err(ImportError::Sink)?;
    }
    Ok(())
}
