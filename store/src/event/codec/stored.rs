//! The stored types. Their order and that of their fields is the format: add at the end, change nothing.

use bincode::de::BorrowDecoder;
use bincode::enc::Encoder;
use bincode::error::{DecodeError, EncodeError};
use bincode::{BorrowDecode, Decode, Encode};

use super::value::StoredValue;
use crate::event::{
    Activation, Actor, Form, MessageSource, ReadGave, Rewind, ToolCaller, ToolOutcome, ToolSource, UtterCause,
    WriteRefusal,
};
use crate::profile::Profile;
use crate::rule::Rule;

#[derive(Clone, Debug, PartialEq, Encode, BorrowDecode)]
pub(super) struct StoredEvent<'a> {
    pub(super) time: i64,
    pub(super) turn: Option<u32>,
    pub(super) cause: Option<u64>,
    pub(super) origin: StoredOrigin,
    /// The digest of the raw records.
    pub(super) raw_digest: Option<[u8; 32]>,
    pub(super) kind: StoredKind<'a>,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub(super) enum StoredOrigin {
    Imported { raw: u32, mirror: Option<u32>, form: StoredForm },
    Added,
    Recorded,
}

#[derive(Clone, Debug, PartialEq, Encode, BorrowDecode)]
pub(super) enum StoredKind<'a> {
    SessionStarted {
        definition: Option<[u8; 32]>,
        profile: Option<StoredProfile>,
        initial: Vec<(&'a str, StoredValue<'a>)>,
    },
    SessionEnded,
    UserMessage {
        text: &'a str,
        channel: Option<&'a str>,
        message_id: Option<&'a str>,
    },
    AgentMessage {
        text: &'a str,
        source: StoredMessageSource,
        response: Option<&'a str>,
        model_millis: Option<f64>,
        data: StoredValue<'a>,
    },
    TurnEnded,
    SkillActivated {
        skill: &'a str,
        by: StoredActivation,
    },
    SkillCompleted {
        skill: &'a str,
    },
    SkillCancelled {
        skill: &'a str,
        step: Option<&'a str>,
    },
    SkillInterrupted {
        skill: &'a str,
        step: Option<&'a str>,
    },
    SkillResumed {
        skill: &'a str,
        step: Option<&'a str>,
    },
    BlockEntered {
        skill: &'a str,
        block: &'a str,
    },
    BlockCompleted {
        skill: &'a str,
        block: &'a str,
        step: Option<&'a str>,
    },
    BlockCancelled {
        skill: &'a str,
        block: &'a str,
        step: Option<&'a str>,
    },
    BlockInterrupted {
        skill: &'a str,
        block: &'a str,
        step: Option<&'a str>,
    },
    BlockResumed {
        skill: &'a str,
        block: &'a str,
        step: Option<&'a str>,
    },
    MemoryWritten {
        key: &'a str,
        value: StoredValue<'a>,
        writer: StoredWriter<'a>,
    },
    MemoryCleared {
        key: &'a str,
        writer: StoredWriter<'a>,
    },
    ToolReturned {
        tool: &'a str,
        arguments: &'a str,
        result: &'a str,
        outcome: StoredToolOutcome,
        error: Option<&'a str>,
        caller: StoredToolCaller,
        skill: Option<&'a str>,
        call_id: Option<&'a str>,
        batch_id: Option<&'a str>,
        source: StoredToolSource,
    },
    StackPatched {
        frames: Option<Vec<StoredFrame<'a>>>,
        patch: &'a str,
    },
    ActionTaken {
        action: &'a str,
        policy: Option<&'a str>,
        confidence: Option<f64>,
    },
    HistoryRewound {
        by: StoredRewind,
        cells: Vec<(&'a str, StoredValue<'a>, Option<u64>)>,
        to: Option<u64>,
    },
    Foreign {
        name: &'a str,
    },
    SkillRefused {
        skill: &'a str,
        by: StoredActivation,
        rule: StoredRule,
    },
    SkillPending {
        skill: &'a str,
        resolver: &'a str,
    },
    MemoryWriteRefused {
        asked: &'a str,
        key: Option<&'a str>,
        value: StoredValue<'a>,
        writer: StoredWriter<'a>,
        refusal: StoredWriteRefusal,
        rule: StoredRule,
    },
    MemoryReset {
        key: &'a str,
        value: StoredValue<'a>,
    },
    ProjectEntryLocked {
        key: &'a str,
    },
    StepEntered {
        skill: &'a str,
        block: &'a str,
        step: &'a str,
    },
    ToolCalled {
        call: StoredToolCall<'a>,
    },
    ToolRefused {
        call: StoredToolCall<'a>,
        rule: StoredRule,
    },
    ConfirmationAsked {
        call: StoredToolCall<'a>,
    },
    ConfirmationAnswered {
        tool: &'a str,
        confirmed: bool,
    },
    ResponseUttered {
        response: &'a str,
        why: StoredUtterCause,
        skill: Option<&'a str>,
    },
    SkillDeferred {
        skill: &'a str,
    },
    PromptRendered {
        digest: [u8; 32],
        tools: Vec<&'a str>,
    },
    ModelReplied {
        text: &'a str,
        calls: Vec<StoredRequestedCall<'a>>,
        millis: Option<f64>,
    },
    ReadDecided {
        asked: &'a str,
        key: Option<&'a str>,
        gave: StoredReadGave,
        rule: StoredRule,
        skill: Option<&'a str>,
        tool: Option<&'a str>,
        call_id: Option<&'a str>,
    },
}

#[derive(Clone, Debug, PartialEq, Encode, BorrowDecode)]
pub(super) struct StoredWriter<'a> {
    pub(super) actor: StoredActor,
    pub(super) tool: Option<&'a str>,
    pub(super) skill: Option<&'a str>,
    pub(super) step: Option<&'a str>,
    pub(super) frame: Option<&'a str>,
    pub(super) call_id: Option<&'a str>,
    pub(super) arguments: &'a str,
    pub(super) recorded_index: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Encode, BorrowDecode)]
pub(super) struct StoredFrame<'a> {
    pub(super) frame: &'a str,
    pub(super) skill: &'a str,
    pub(super) block: Option<&'a str>,
    pub(super) step: Option<&'a str>,
    pub(super) interrupted: bool,
}

#[derive(Clone, Debug, PartialEq, Encode, BorrowDecode)]
pub(super) struct StoredToolCall<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a str,
    pub(super) caller: StoredToolCaller,
    pub(super) skill: Option<&'a str>,
    pub(super) step: Option<&'a str>,
    pub(super) call_id: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Encode, BorrowDecode)]
pub(super) struct StoredRequestedCall<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a str,
    pub(super) call_id: Option<&'a str>,
}

/// Defines the stored twin of an enum without fields, and the way there and back.
macro_rules! stored_enum {
    ($stored:ident, $live:ident, $($variant:ident)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, bincode::Encode, bincode::Decode)]
        pub(crate) enum $stored {
            $($variant,)*
        }

        impl From<$live> for $stored {
            fn from(live: $live) -> $stored {
                match live {
                    $($live::$variant => $stored::$variant,)*
                }
            }
        }

        impl From<$stored> for $live {
            fn from(stored: $stored) -> $live {
                match stored {
                    $($stored::$variant => $live::$variant,)*
                }
            }
        }
    };
}

pub(crate) use stored_enum;

stored_enum!(StoredForm, Form, Flat ProtoJson Classic);
stored_enum!(StoredMessageSource, MessageSource, Template Rephrased Model Filler ToolCode Unknown);
stored_enum!(StoredActivation, Activation, Model Engine Unknown Reference Step Tool);
stored_enum!(StoredRewind, Rewind, Restart Rewind Undo ResetSlots);
stored_enum!(StoredActor, Actor, Tool Model Step Button Hook Seed Engine Unknown);
stored_enum!(StoredToolOutcome, ToolOutcome, Done Failed AwaitingConfirmation Declined);
stored_enum!(StoredToolCaller, ToolCaller, Model Step Confirmation Unknown Validation);
stored_enum!(StoredToolSource, ToolSource, Local Mcp Unknown);
stored_enum!(StoredReadGave, ReadGave, Value NeverWritten Cleared Reset Undeclared Private Denied Reserved);
stored_enum!(StoredProfile, Profile, Seed Mantle321);
stored_enum!(StoredWriteRefusal, WriteRefusal, MemoryWriteError ProjectMemoryAlreadySetError ToolError Skipped);
stored_enum!(
    StoredUtterCause,
    UtterCause,
    Activation Condition ToolSucceeded ToolFailed ConfirmationAsk ConfirmationDenied Action Collect PreconditionUnmet StaleButton
);

/// A rule, stored by its number in the reference, which outlives the order of our list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StoredRule(pub(super) Rule);

impl Encode for StoredRule {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        self.0.number().encode(encoder)
    }
}

impl<'de, Context> BorrowDecode<'de, Context> for StoredRule {
    fn borrow_decode<D: BorrowDecoder<'de, Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        let number: &str = BorrowDecode::borrow_decode(decoder)?;
        Rule::parse(number).map(StoredRule).ok_or(DecodeError::Other("an access rule that this version doesn't know"))
    }
}
