//! Foreign records become recordings: events in their final order, with the raw records beside them.
//!
//! A reader adds nothing that the record doesn't say but the session start in front of a record that lacks one.
//! What looks wrong in a record is a [`Finding`] that stays with the recording. Nothing here reads a file: bytes and
//! names come in.

use std::sync::Arc;

use crate::event::finding::Finding;
use crate::event::raw::RawRecords;
use crate::event::{Event, RecordedFrame};
use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

/// One session read from a foreign record, or from our own JSON Lines.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The session's id: `sender_id` or `conversation_id` of the record, else the name of its file.
    pub id: Name,
    /// The events; the one at index `i` leads to position `i + 1`.
    pub events: Vec<Event>,
    /// The raw records that the events' origins name.
    pub raw: RawRecords,
    /// What looks wrong in the record.
    pub findings: Vec<Finding>,
    /// The engine generation, where the record names it.
    pub profile: Option<Profile>,
    /// What the record says about its own end.
    pub recorded_end: Option<RecordedEnd>,
}

/// What a dump's top level says about the moment at which it was taken.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RecordedEnd {
    /// The entries of memory in the record's order, by qualified name or bare slot name.
    pub slots: Option<Vec<(Name, Arc<Value>)>>,
    /// The stack, bottom first.
    pub stack: Option<Vec<RecordedFrame>>,
}
