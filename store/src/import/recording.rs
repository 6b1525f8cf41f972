//! A session as it was read from a record or from a log, before it is opened.

use crate::agent::definition::Definition;
use crate::event::finding::Finding;
use crate::event::raw::RawRecords;
use crate::event::{Event, RecordedFrame};
use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

/// A session as it was read.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The id of the conversation.
    pub id: Name,
    /// All events in order.
    pub events: Vec<Event>,
    /// The records that they were read from.
    pub raw: RawRecords,
    /// What looks wrong in the record.
    pub findings: Vec<Finding>,
    /// The engine generation, where the record names it.
    pub profile: Option<Profile>,
    /// The agent folder, where the record brings it along.
    pub definition: Option<Definition>,
    /// What the record says of its own end.
    pub recorded_end: Option<RecordedEnd>,
}

/// The memory and the stack that a record shows at its end, beside its events.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RecordedEnd {
    /// All slots in the order of the record, by qualified name.
    pub slots: Vec<(Name, Value)>,
    /// The stack, bottom first.
    pub stack: Vec<RecordedFrame>,
}
