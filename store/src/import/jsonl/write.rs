//! Writing sessions as our own JSON Lines, part by part, so that a long one needn't be in memory.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::{End, File, Files, Header, Line, Raw};
use crate::agent::definition::Definition;
use crate::event::finding::Finding;
use crate::event::note::Note;
use crate::event::{Event, Position};
use crate::import::sniff::OWN_SCHEMA;
use crate::import::{RecordedEnd, Recording, base64};
use crate::name::Name;
use crate::profile::Profile;
use crate::visible;

/// What a session says beside its events.
#[derive(Clone, Copy, Debug)]
pub struct Head<'h> {
    /// The id.
    pub id: &'h Name,
    /// The engine generation.
    pub profile: Option<Profile>,
    /// The agent's files.
    pub definition: Option<&'h Definition>,
    /// What the record says about its own end.
    pub recorded_end: Option<&'h RecordedEnd>,
    /// What looks wrong in the record.
    pub findings: &'h [Finding],
}

/// How sessions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line for each header, event and note.
    Lines,
    /// One JSON array of the same.
    List,
}

/// Writes sessions part by part: a header, then notes and events in order, then the next header.
pub struct Writer<'w> {
    out: &'w mut dyn Write,
    form: Form,
    is_begun: bool,
}

impl<'w> Writer<'w> {
    /// Returns a writer to `out`.
    pub fn new(out: &'w mut dyn Write, form: Form) -> Writer<'w> {
        Writer { out, form, is_begun: false }
    }

    /// Begins a session.
    ///
    /// # Errors
    ///
    /// Fails as the output does; so do the others.
    pub fn head(&mut self, head: &Head<'_>) -> io::Result<()> {
        let definition = head.definition.map(|definition| Files {
            digest: definition.digest(),
            files: definition.files.iter().map(|(path, bytes)| file(path, bytes)).collect(),
        });
        let end = head.recorded_end.cloned().map(|RecordedEnd { slots, stack }| End { slots, stack });
        self.line(&Header {
            schema: Cow::Borrowed(OWN_SCHEMA),
            id: head.id.clone(),
            profile: head.profile,
            definition,
            end,
            findings: head.findings.to_vec(),
        })
    }

    /// Writes a note on the session that was begun last.
    ///
    /// # Errors
    ///
    /// Fails as the output does.
    pub fn note(&mut self, note: &Note) -> io::Result<()> {
        self.line(note)
    }

    /// Writes the event that leads to a position; `raw` gives the bytes of a raw record.
    ///
    /// # Errors
    ///
    /// Fails as the output does.
    pub fn event<'r>(
        &mut self,
        position: Position,
        event: &Event,
        raw: impl Fn(u32) -> Option<Cow<'r, [u8]>>,
    ) -> io::Result<()> {
        let bytes: Vec<_> =
            event.origin.raw_indexes().into_iter().map(|index| (index, raw(index).unwrap_or_default())).collect();
        self.line(&Line {
            position,
            time: event.time,
            turn: event.turn,
            cause: event.cause,
            origin: event.origin.clone(),
            event: Cow::Borrowed(&event.kind),
            raw: bytes.iter().map(|(index, bytes)| raw_record(*index, bytes)).collect(),
        })
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// Fails as the output does.
    pub fn finish(self) -> io::Result<()> {
        match self.form {
            Form::Lines => Ok(()),
            Form::List if self.is_begun => self.out.write_all(b"\n]\n"),
            Form::List => self.out.write_all(b"[]\n"),
        }
    }

    /// What a terminal would obey or hide stands in the line as an escape, which reads back as the same.
    fn line(&mut self, what: &impl Serialize) -> io::Result<()> {
        let (lead, end): (&[u8], &[u8]) = match (self.form, self.is_begun) {
            (Form::Lines, _) => (b"", b"\n"),
            (Form::List, false) => (b"[\n", b""),
            (Form::List, true) => (b",\n", b""),
        };
        self.is_begun = true;
        let document = serde_json::to_string(what)?;
        self.out.write_all(lead)?;
        self.out.write_all(visible::json(&document).as_bytes())?;
        self.out.write_all(end)
    }
}

/// Writes a session: its header and a line for each event.
///
/// # Errors
///
/// Fails as `out` does.
pub fn write(recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
    write_in(recording, &[], &mut Writer::new(out, Form::Lines))
}

/// Writes a session with the notes on it.
///
/// # Errors
///
/// Fails as the writer does.
pub fn write_in(recording: &Recording, notes: &[Note], writer: &mut Writer<'_>) -> io::Result<()> {
    writer.head(&Head {
        id: &recording.id,
        profile: recording.profile,
        definition: recording.definition.as_ref(),
        recorded_end: recording.recorded_end.as_ref(),
        findings: &recording.findings,
    })?;
    notes.iter().try_for_each(|note| writer.note(note))?;
    for (position, event) in (1..).map(Position).zip(&recording.events) {
        writer.event(position, event, |index| recording.raw.get(index).map(Cow::Borrowed))?;
    }
    Ok(())
}

fn file<'a>(path: &Name, bytes: &'a [u8]) -> File<'a> {
    let (text, base64) = text_or_base64(bytes);
    File { path: path.clone(), text, base64 }
}

fn raw_record(index: u32, bytes: &[u8]) -> Raw<'_> {
    let (text, base64) = text_or_base64(bytes);
    Raw { index, text, base64 }
}

fn text_or_base64(bytes: &[u8]) -> (Option<Cow<'_, str>>, Option<Cow<'_, str>>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Some(Cow::Borrowed(text)), None),
        Err(_) => (None, Some(Cow::Owned(base64::encode(bytes)))),
    }
}
