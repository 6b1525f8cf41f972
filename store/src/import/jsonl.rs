//! Our own JSON Lines: sessions as text that says all we know, both ways without loss.
//!
//! ```text
//! {"schema":"replay.session/1","id":"…","profile":…,"definition":{"digest":"…","files":[…]},"end":…,"findings":[…]}
//! {"position":1,"time":1790788643979640,"turn":1,"cause":null,"origin":{…},"event":{"kind":"…",…},"raw":[…]}
//! {"position":2,…
//! {"schema":"replay.note/1","session":"…","position":1,"text":"…"}
//! ```
//!
//! The same lines may stand in one JSON array, in any layout. A header line begins a session; several may follow each other. A raw record is `{"index":0,"text":"…"}`, or has
//! `base64` in place of `text` where its bytes are no text. So has a file of the definition, with its `path`.

mod write;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::damage::Damages;
use super::sniff::OWN_SCHEMA;
use super::stream::{BATCH_BYTES, Batch, Sink, Source};
use super::{ImportError, RecordedEnd, Recording, base64, scan};
use crate::agent::definition::Definition;
use crate::digest::Digest;
use crate::event::finding::{Finding, FindingKind};
use crate::event::note::Note;
use crate::event::raw::RawRecords;
use crate::event::{Event, EventKind, Origin, Position, RecordedFrame};
use crate::name::Name;
use crate::profile::Profile;
use crate::timestamp::Timestamp;
use crate::value::Value;

pub use write::{Form, Head, Writer, write, write_in};

#[derive(Serialize, Deserialize)]
struct Header<'a> {
    schema: Cow<'a, str>,
    id: Name,
    profile: Option<Profile>,
    #[serde(borrow)]
    definition: Option<Files<'a>>,
    end: Option<End>,
    findings: Vec<Finding>,
}

#[derive(Serialize, Deserialize)]
struct Files<'a> {
    digest: Digest,
    #[serde(borrow)]
    files: Vec<File<'a>>,
}

#[derive(Serialize, Deserialize)]
struct File<'a> {
    path: Name,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    base64: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
struct End {
    slots: Vec<(Name, Value)>,
    stack: Vec<RecordedFrame>,
}

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    position: Position,
    time: Timestamp,
    turn: Option<u32>,
    cause: Option<Position>,
    origin: Origin,
    event: Cow<'a, EventKind>,
    #[serde(borrow)]
    raw: Vec<Raw<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Raw<'a> {
    index: u32,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    base64: Option<Cow<'a, str>>,
}

fn bytes_of(text: Option<Cow<'_, str>>, base64: Option<Cow<'_, str>>) -> Option<Vec<u8>> {
    match (text, base64) {
        (Some(text), _) => Some(text.into_owned().into_bytes()),
        (None, Some(base64)) => base64::decode(&base64),
        (None, None) => None,
    }
}

/// Reads all sessions.
///
/// # Errors
///
/// Fails where not one line can be read.
pub(super) fn read(bytes: &[u8], file_name: &str) -> Result<Vec<Recording>, ImportError> {
    let mut recordings: Vec<Recording> = Vec::new();
    let mut is_open = false;
    let mut input = bytes;
    stream(&mut Source::of(&mut input, file_name), &mut |batch| {
        if !is_open {
            recordings.push(Recording { id: batch.session, ..Recording::default() });
        }
        is_open = !batch.is_last;
        let recording = recordings.last_mut().expect("one was just put there");
        recording.events.extend(batch.events);
        recording.raw.extend(&batch.raw);
        recording.findings.extend(batch.findings);
        recording.profile = batch.profile.or(recording.profile);
        recording.definition = batch.definition.or(recording.definition.take());
        recording.recorded_end = batch.recorded_end.or(recording.recorded_end.take());
        Ok(())
    })?;
    Ok(recordings)
}

/// Streams all sessions, from lines or from an array of the same.
///
/// # Errors
///
/// Fails where the input or the sink does, or not one line can be read.
pub(super) fn stream(source: &mut Source<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut reader = Reader::default();
    while let Some(line) = source.next_line()? {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        if reader.open.is_none() && line.trim_ascii_start().starts_with(b"[") {
            return stream_list(line.to_vec(), source, sink);
        }
        let place = reader.next("line");
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let is_whole = line.last() == Some(&b'\n');
        reader.take(line, place, is_whole, source, sink)?;
    }
    let cut = source.is_broken().then(|| (reader.next("line"), 0));
    reader.finish(cut, source, sink)
}

/// Reads an array, of which `beginning` is read already. It is read whole, because its layout may be any.
fn stream_list(beginning: Vec<u8>, source: &mut Source<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut bytes = beginning;
    bytes.append(&mut source.rest()?);
    let mut reader = Reader::default();
    let mut at = scan::skip_blank(&bytes, 0) + 1;
    loop {
        at = scan::skip_blank(&bytes, at);
        match bytes.get(at) {
            Some(b']') => return reader.finish(None, source, sink),
            Some(b',') => {
                at += 1;
                continue;
            }
            Some(_) | None => {}
        }
        let place = reader.next("element");
        let Some(end) = scan::value_end(&bytes, at).filter(|end| *end > at) else {
            return reader.finish(Some((place, bytes.len().saturating_sub(at))), source, sink);
        };
        reader.take(&bytes[at..end], place, true, source, sink)?;
        at = end;
    }
}

/// Where something stands in the file.
#[derive(Clone, Copy)]
struct Place {
    unit: &'static str,
    number: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.unit, self.number)
    }
}

/// Takes headers and events as they come, and hands sessions on.
#[derive(Default)]
struct Reader {
    open: Option<Session>,
    number: u64,
    pending: usize,
}

impl Reader {
    fn next(&mut self, unit: &'static str) -> Place {
        self.number += 1;
        Place { unit, number: self.number }
    }

    fn take(
        &mut self,
        line: &[u8],
        place: Place,
        is_whole: bool,
        source: &Source<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<(), ImportError> {
        self.pending += line.len();
        if let Some(header) = header(line) {
            if let Some(session) = self.open.take() {
                session.finish(source, sink)?;
            }
            self.open = Some(Session::begin(header));
            return Ok(());
        }
        let Some(session) = &mut self.open else {
            return Err(ImportError::Nothing { file: source.file_name.to_owned(), at: 0 });
        };
        if let Some(note) = Note::of_line(line).filter(|note| note.session == session.batch.session) {
            session.batch.notes.push(note);
            return Ok(());
        }
        match serde_json::from_slice::<Line<'_>>(line) {
            Ok(line) => session.take(line, place),
            Err(_) if !is_whole => session.cut(place, line.len()),
            Err(error) => session.damaged(place, &error),
        }
        if source.is_due(self.pending) && (source.is_live || session.is_over(self.pending)) && session.has_all_raw() {
            self.pending = 0;
            let batch = session.batch();
            sink(Batch { bytes_read: source.bytes_read(), ..batch }).map_err(ImportError::Sink)?;
        }
        Ok(())
    }

    /// Hands the last session on. `cut` says where the file breaks off and how many bytes are lost there.
    fn finish(self, cut: Option<(Place, usize)>, source: &Source<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let Some(mut session) = self.open else {
            return Err(ImportError::Nothing { file: source.file_name.to_owned(), at: 0 });
        };
        if let Some((place, length)) = cut {
            session.cut(place, length);
        }
        session.finish(source, sink)
    }
}

/// Returns the header that a line is, if it is one.
fn header(line: &[u8]) -> Option<Header<'_>> {
    memmem::find(line, OWN_SCHEMA.as_bytes())?;
    serde_json::from_slice::<Header<'_>>(line).ok().filter(|header| header.schema == OWN_SCHEMA)
}

/// The session whose lines are coming in.
struct Session {
    batch: Batch,
    position: u64,
    time: Timestamp,
    raw: RawBuilder,
    damaged: Damages,
    /// Whether a finding tells of a gap.
    has_gap: bool,
}

impl Session {
    fn begin(header: Header<'_>) -> Session {
        let mut findings = header.findings;
        let definition = header.definition.map(|files| {
            let digest = files.digest;
            let mut definition = Definition::default();
            for file in files.files {
                let bytes = bytes_of(file.text, file.base64).unwrap_or_default();
                definition.files.insert(file.path, Arc::from(bytes));
            }
            let text = format!("the agent's files are others than their digest {} says", digest.short());
            if definition.digest() != digest && !findings.iter().any(|finding| finding.text == text) {
                findings.push(Finding { kind: FindingKind::Damaged, raw: None, text });
            }
            definition
        });
        let has_gap = findings.iter().any(is_gap_of_lines);
        let batch = Batch {
            session: header.id,
            profile: header.profile,
            definition,
            recorded_end: header.end.map(|End { slots, stack }| RecordedEnd { slots, stack }),
            findings,
            ..Batch::default()
        };
        Session {
            batch,
            position: 0,
            time: Timestamp::default(),
            raw: RawBuilder::default(),
            damaged: Damages::default(),
            has_gap,
        }
    }

    fn take(&mut self, line: Line<'_>, place: Place) {
        self.position += 1;
        if line.position != Position(self.position) && !self.has_gap {
            self.has_gap = true;
            let text = format!("{GAP_OF_LINES}: {place} has position {}, not {}", line.position, self.position);
            self.batch.findings.push(Finding { kind: FindingKind::Gap, raw: None, text });
        }
        for raw in line.raw {
            self.raw.take(raw.index, bytes_of(raw.text, raw.base64).unwrap_or_default());
        }
        self.time = line.time;
        self.batch.events.push(Event {
            time: line.time,
            turn: line.turn,
            cause: line.cause,
            origin: line.origin,
            kind: line.event.into_owned(),
        });
    }

    /// Keeps the place of a line that can't be read, so that positions stay what they are.
    fn damaged(&mut self, place: Place, error: &serde_json::Error) {
        self.damaged.add(None, place.to_string(), &error.to_string());
        self.position += 1;
        let kind = EventKind::Foreign { name: Name::default() };
        self.batch.events.push(Event { time: self.time, turn: None, cause: None, origin: Origin::Added, kind });
    }

    fn cut(&mut self, place: Place, length: usize) {
        let text =
            format!("the file breaks off in {place}, behind position {}: {length} bytes are lost", self.position);
        self.batch.findings.push(Finding { kind: FindingKind::Cut, raw: None, text });
    }

    /// Whether a turn is over, or it is a very long one.
    fn is_over(&self, pending: usize) -> bool {
        let last = self.batch.events.last().map(|event| &event.kind);
        matches!(last, Some(EventKind::TurnEnded)) || pending >= 4 * BATCH_BYTES
    }

    /// Whether no raw record is awaited, so that all that was read can be handed on.
    fn has_all_raw(&self) -> bool {
        self.raw.waiting.is_empty()
    }

    fn batch(&mut self) -> Batch {
        let next = Batch { session: self.batch.session.clone(), ..Batch::default() };
        let mut batch = std::mem::replace(&mut self.batch, next);
        batch.raw = self.raw.build();
        batch
    }

    fn finish(mut self, source: &Source<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        self.raw.fill();
        self.batch.findings.extend(self.damaged.findings("lines"));
        let batch = self.batch();
        sink(Batch { bytes_read: source.bytes_read(), is_last: true, ..batch }).map_err(ImportError::Sink)
    }
}

const GAP_OF_LINES: &str = "lines are missing or were added";

fn is_gap_of_lines(finding: &Finding) -> bool {
    finding.text.starts_with(GAP_OF_LINES)
}

/// Puts raw records into their order: a mirror may come with an event that stands before or behind its place.
#[derive(Default)]
struct RawBuilder {
    next: u32,
    waiting: BTreeMap<u32, Vec<u8>>,
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl RawBuilder {
    fn take(&mut self, index: u32, bytes: Vec<u8>) {
        if index != self.next {
            self.waiting.insert(index, bytes);
            return;
        }
        self.append(&bytes);
        while let Some(bytes) = self.waiting.remove(&self.next) {
            self.append(&bytes);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.ranges.push(start..self.bytes.len());
        self.next += 1;
    }

    /// Gives up waiting: a record that no line holds is empty.
    fn fill(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        // A damaged index may be any number; what is awaited lies close.
        let farthest = self.next.saturating_add(waiting.len() as u32 + 1024);
        for (index, bytes) in waiting.range(self.next..farthest) {
            while self.next < *index {
                self.append(&[]);
            }
            self.append(bytes);
        }
    }

    fn build(&mut self) -> RawRecords {
        let buffer = Arc::new(std::mem::take(&mut self.bytes));
        let mut records = RawRecords::default();
        for range in self.ranges.drain(..) {
            records.push(&buffer, range);
        }
        records
    }
}
