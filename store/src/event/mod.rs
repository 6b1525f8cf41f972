//! What happened in a session, as past facts.
//!
//! An event carries all that [`crate::session`] needs to go on from it; no event is read beside the agent's files.
//! Kinds that a reader doesn't know are kept as [`EventKind::Foreign`], byte for byte.

pub mod codec;
pub mod finding;
pub mod note;
pub mod raw;
mod read;
mod tag;
mod tool;
mod utter;
mod writer;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::name::Name;
use crate::profile::Profile;
use crate::rule::Rule;
use crate::timestamp::Timestamp;
use crate::value::Value;

pub use read::ReadGave;
pub use tag::Tag;
pub use tool::{RequestedCall, ToolCall, ToolCaller, ToolOutcome, ToolSource};
pub use utter::UtterCause;
pub use writer::{Actor, WriteRefusal, Writer};

/// A gap between events: `Position(p)` means "p events applied".
///
/// The event *at* position `p` (from 1) is the one whose application leads there; position 0 has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub u64);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A fact with its envelope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When, as recorded.
    pub time: Timestamp,
    /// The agent turn it belongs to, from 1; `None` for a write between turns.
    pub turn: Option<u32>,
    /// The event that led to it; for imported events the user message that was being answered.
    pub cause: Option<Position>,
    /// Where it comes from.
    pub origin: Origin,
    /// What happened.
    pub kind: EventKind,
}

/// Where an event comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// Raw records of a foreign file, counted from 0 within their session.
    Imported {
        /// The record that gave the event its kind and place.
        raw: u32,
        /// The record that says the same a second time (M305).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mirror: Option<u32>,
        /// The form of the record.
        form: Form,
    },
    /// Put in by the reader: the session start in front of a record that lacks one.
    Added,
    /// Decided and recorded by us.
    Recorded,
}

impl Origin {
    /// Returns the indexes of the raw records, in the order of the file.
    pub fn raw_indexes(&self) -> Vec<u32> {
        match *self {
            Origin::Imported { raw, mirror: Some(mirror), .. } => vec![raw.min(mirror), raw.max(mirror)],
            Origin::Imported { raw, mirror: None, .. } => vec![raw],
            Origin::Added | Origin::Recorded => Vec::new(),
        }
    }
}

/// The form of a foreign record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// An event with a text key `event`, of the Mantle engine (M303).
    Flat,
    /// An event with exactly one payload key (M307).
    ProtoJson,
    /// An event of the classic engine.
    Classic,
}

/// What happened. New kinds are added at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// A session began: memory and stack are empty but for the initial values (M292).
    SessionStarted {
        /// The definition that the session ran with, where it is known.
        definition: Option<Digest>,
        /// The engine generation, where it is known.
        profile: Option<Profile>,
        /// The initial values of declared entries, by qualified name.
        initial: Vec<(Name, Arc<Value>)>,
    },
    /// The session ended.
    SessionEnded,
    /// The user said something, or tapped a button.
    UserMessage {
        /// The words.
        text: String,
        /// The input channel.
        channel: Option<Name>,
        /// The client's id of the message.
        message_id: Option<Name>,
    },
    /// The agent said something.
    AgentMessage {
        /// The words.
        text: String,
        /// Who spoke.
        source: MessageSource,
        /// The response that it was made from.
        response: Option<Name>,
        /// How long the model took for it, in milliseconds, where the model was called.
        model_millis: Option<f64>,
        /// Buttons, attachments and the like, as recorded.
        data: Arc<Value>,
    },
    /// The agent's turn ended and the engine waits for the user.
    TurnEnded,
    /// A skill started, from nothing or again.
    SkillActivated {
        /// The skill.
        skill: Name,
        /// What started it.
        by: Activation,
    },
    /// A skill reached its end.
    SkillCompleted {
        /// The skill.
        skill: Name,
    },
    /// A skill was given up.
    SkillCancelled {
        /// The skill.
        skill: Name,
        /// Where it stood.
        step: Option<Name>,
    },
    /// A skill was parked because the user changed the topic.
    SkillInterrupted {
        /// The skill.
        skill: Name,
        /// Where it stood.
        step: Option<Name>,
    },
    /// A parked skill went on.
    SkillResumed {
        /// The skill.
        skill: Name,
        /// Where it goes on.
        step: Option<Name>,
    },
    /// An ordered block was entered.
    BlockEntered {
        /// The skill that holds the block.
        skill: Name,
        /// The block.
        block: Name,
    },
    /// An ordered block reached its end.
    BlockCompleted {
        /// The skill that holds the block.
        skill: Name,
        /// The block.
        block: Name,
        /// The last step.
        step: Option<Name>,
    },
    /// An ordered block was given up.
    BlockCancelled {
        /// The skill that holds the block.
        skill: Name,
        /// The block.
        block: Name,
        /// Where it stood.
        step: Option<Name>,
    },
    /// An ordered block was parked.
    BlockInterrupted {
        /// The skill that holds the block.
        skill: Name,
        /// The block.
        block: Name,
        /// Where it stood.
        step: Option<Name>,
    },
    /// A parked ordered block went on.
    BlockResumed {
        /// The skill that holds the block.
        skill: Name,
        /// The block.
        block: Name,
        /// Where it goes on.
        step: Option<Name>,
    },
    /// A memory entry got a value, equal to the one before or not (M343).
    MemoryWritten {
        /// The qualified name, or the bare one of an engine key or a classic slot.
        key: Name,
        /// The value.
        value: Arc<Value>,
        /// Who wrote it.
        writer: Writer,
    },
    /// A memory entry was cleared: `None` was written (M342).
    MemoryCleared {
        /// The qualified name.
        key: Name,
        /// Who cleared it.
        writer: Writer,
    },
    /// A tool call came back, or was withheld: [`ToolOutcome`] says which.
    ToolReturned {
        /// The tool.
        tool: Name,
        /// The arguments, as JSON text.
        arguments: String,
        /// What the model got, as recorded: JSON text or plain text.
        result: String,
        /// How it ended.
        outcome: ToolOutcome,
        /// The engine's words where it failed.
        error: Option<String>,
        /// Who asked for it.
        caller: ToolCaller,
        /// The skill that the record names; for `activate` and `complete_skill` the one on top afterwards.
        skill: Option<Name>,
        /// The model's id of the call.
        call_id: Option<Name>,
        /// `<number>-<call id>`: the calls of one model reply share it (the number restarts in every turn).
        batch_id: Option<Name>,
        /// Where the tool lives.
        source: ToolSource,
    },
    /// The record's own view of the stack after a change.
    StackPatched {
        /// The frames, bottom first; `None` where the patch doesn't fit what was there before.
        frames: Option<Vec<RecordedFrame>>,
        /// The JSON Patch, as recorded.
        patch: String,
    },
    /// The classic engine predicted or ran an action.
    ActionTaken {
        /// The action.
        action: Name,
        /// The policy that chose it.
        policy: Option<Name>,
        /// The policy's confidence, 0 to 1.
        confidence: Option<f64>,
    },
    /// History before this event was taken back in part or in whole; what holds now is restored from here.
    HistoryRewound {
        /// What took it back.
        by: Rewind,
        /// All entries that hold a value now, each with the position of the event that set it.
        cells: Vec<(Name, Arc<Value>, Option<Position>)>,
        /// The position whose state this is, where there is one.
        to: Option<Position>,
    },
    /// A record whose kind this version doesn't know. Changes nothing; counted and shown.
    Foreign {
        /// The record's own name for its kind; empty where it names none.
        name: Name,
    },
    /// A skill was not started. One that waited for its precondition is dropped.
    SkillRefused {
        /// The skill.
        skill: Name,
        /// What asked for it.
        by: Activation,
        /// The rule that refused.
        rule: Rule,
    },
    /// A skill waits for its precondition, and another one runs to make it hold (M335).
    SkillPending {
        /// The skill that waits.
        skill: Name,
        /// The skill that runs; if it runs already, the other one waits beneath it.
        resolver: Name,
    },
    /// A tool hands over to a skill, and the start waits: another tool called beside it waits for the user's yes (M351).
    SkillDeferred {
        /// The skill that will start when the user has answered.
        skill: Name,
    },
    /// A write was refused or passed over; memory is as it was.
    MemoryWriteRefused {
        /// The name as the writer gave it.
        asked: Name,
        /// The qualified name of the declared entry that it means, if it means one.
        key: Option<Name>,
        /// The value that was not stored.
        value: Arc<Value>,
        /// Who wanted to write.
        writer: Writer,
        /// What the writer got for it.
        refusal: WriteRefusal,
        /// The rule that refused.
        rule: Rule,
    },
    /// An entry returned to its initial value because its skill starts again (M54).
    MemoryReset {
        /// The qualified name.
        key: Name,
        /// The initial value.
        value: Arc<Value>,
    },
    /// A project entry got a value and can't be written again (M43).
    ProjectEntryLocked {
        /// The qualified name.
        key: Name,
    },
    /// A block came to a step.
    StepEntered {
        /// The skill that holds the block.
        skill: Name,
        /// The block.
        block: Name,
        /// The step.
        step: Name,
    },
    /// A tool was called and runs.
    ToolCalled {
        /// The call.
        call: ToolCall,
    },
    /// A tool call was refused before the tool ran.
    ToolRefused {
        /// The call.
        call: ToolCall,
        /// The rule that refused.
        rule: Rule,
    },
    /// A tool call waits for the user's yes (M192).
    ConfirmationAsked {
        /// The call.
        call: ToolCall,
    },
    /// The user said yes or no to the call that waited.
    ConfirmationAnswered {
        /// The tool.
        tool: Name,
        /// Whether it runs.
        confirmed: bool,
    },
    /// The engine said a response; the words are those of the agent message that follows.
    ResponseUttered {
        /// The response.
        response: Name,
        /// Why it was said.
        why: UtterCause,
        /// The skill that asked for it.
        skill: Option<Name>,
    },
    /// The model is called: the prompt that it got. Only our own records know that.
    PromptRendered {
        /// The digest of the prompt as JSON text, which the log keeps beside the events.
        digest: Digest,
        /// The tools that were offered, in order.
        tools: Vec<Name>,
    },
    /// The model answered; what it wants and says follows as events of its own. Only our own records know that.
    ModelReplied {
        /// Its words; empty where it only calls tools.
        text: String,
        /// The calls that it asks for, in order.
        calls: Vec<RequestedCall>,
        /// How long it took, in milliseconds, where the host says so.
        millis: Option<f64>,
    },
    /// A tool read memory. Only our own records know that.
    ReadDecided {
        /// The name as the tool gave it.
        asked: Name,
        /// The qualified name of the declared entry that it means, if it means one.
        key: Option<Name>,
        /// What it gave.
        gave: ReadGave,
        /// The rule that decided.
        rule: Rule,
        /// The skill with whose rights was read.
        skill: Option<Name>,
        /// The tool.
        tool: Option<Name>,
        /// The model's id of the tool's call.
        call_id: Option<Name>,
    },
}

/// Who spoke an agent message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageSource {
    /// A response template, word for word.
    Template,
    /// A response template, reworded by a model call of its own.
    Rephrased,
    /// The model.
    Model,
    /// The model, beside a tool call (M219).
    Filler,
    /// The code of a tool (M204).
    ToolCode,
    /// The record doesn't say.
    Unknown,
}

/// What started a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// The model chose it through `activate`.
    Model,
    /// The engine itself: session start, resume question, wrap-up.
    Engine,
    /// The record doesn't say.
    Unknown,
    /// An `@skill.` reference in prose (M140).
    Reference,
    /// A `call:` or `link:` step of a block (M180).
    Step,
    /// A tool handed over (M351).
    Tool,
}

/// What took history back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rewind {
    /// A classic `restart`: everything before is dead.
    Restart,
    /// A classic `rewind`: back to before the last user message.
    Rewind,
    /// A classic `undo`: the last action is taken back.
    Undo,
    /// A classic `reset_slots`: all slots return to nothing.
    ResetSlots,
}

/// A frame of the stack as the record shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFrame {
    /// The engine's id of the frame.
    pub frame: Name,
    /// The skill.
    pub skill: Name,
    /// The ordered block, for a block frame.
    pub block: Option<Name>,
    /// The step, for a block frame.
    pub step: Option<Name>,
    /// Whether the record marks the frame as interrupted, which is: parked by a digression.
    pub interrupted: bool,
}
