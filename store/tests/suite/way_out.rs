//! The way out: another crate reads and writes the bytes that the codec stores.
//!
//! The types are written down a second time, so that a change of the stored ones shows here too.

use std::sync::Arc;

use proptest::prelude::*;
use replay_store::event::{EventKind, codec};
use replay_store::value::Value as LiveValue;
use wincode::config::Configuration;
use wincode::{SchemaRead, SchemaWrite};

use crate::generated;

proptest! {
    #[test]
    fn wincode_reads_and_writes_the_same_bytes(mut event in generated::event()) {
        make_values_shallow(&mut event.kind);
        let config = Configuration::default().with_varint_encoding();
        let mut payload = Vec::new();
        codec::encode(&event, &[b"record"], &mut payload).expect("it is small");
        let read: Event<'_> = wincode::config::deserialize(&payload, config).expect("the bytes are the same");
        let written = wincode::config::serialize(&read, config).expect("it is small");
        prop_assert_eq!(written, payload);
    }
}

fn make_values_shallow(kind: &mut EventKind) {
    match kind {
        EventKind::SessionStarted { initial, .. } => initial.iter_mut().for_each(|(_, value)| make_shallow(value)),
        EventKind::HistoryRewound { cells, .. } => cells.iter_mut().for_each(|(_, value, _)| make_shallow(value)),
        EventKind::AgentMessage { data: value, .. }
        | EventKind::MemoryWritten { value, .. }
        | EventKind::MemoryWriteRefused { value, .. }
        | EventKind::MemoryReset { value, .. } => make_shallow(value),
        _ => {}
    }
}

/// Empties what nests deeper than the types below can say.
fn make_shallow(value: &mut Arc<LiveValue>) {
    let empty = |inner: &mut LiveValue| match inner {
        LiveValue::List(items) => items.clear(),
        LiveValue::Map(pairs) => pairs.clear(),
        _ => {}
    };
    match Arc::make_mut(value) {
        LiveValue::List(items) => items.iter_mut().for_each(empty),
        LiveValue::Map(pairs) => pairs.iter_mut().for_each(|(_, inner)| empty(inner)),
        _ => {}
    }
}

#[derive(Debug, SchemaRead, SchemaWrite)]
struct Event<'a> {
    time: i64,
    turn: Option<u32>,
    cause: Option<u64>,
    origin: Origin,
    raw_digest: Option<[u8; 32]>,
    kind: Kind<'a>,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Origin {
    Imported { raw: u32, mirror: Option<u32>, form: Form },
    Added,
    Recorded,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Kind<'a> {
    SessionStarted {
        definition: Option<[u8; 32]>,
        profile: Option<Profile>,
        initial: Vec<(&'a str, Value<'a>)>,
    },
    SessionEnded,
    UserMessage {
        text: &'a str,
        channel: Option<&'a str>,
        message_id: Option<&'a str>,
    },
    AgentMessage {
        text: &'a str,
        source: MessageSource,
        response: Option<&'a str>,
        model_millis: Option<f64>,
        data: Value<'a>,
    },
    TurnEnded,
    SkillActivated {
        skill: &'a str,
        by: Activation,
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
        value: Value<'a>,
        who: Writer<'a>,
    },
    MemoryCleared {
        key: &'a str,
        who: Writer<'a>,
    },
    ToolReturned {
        tool: &'a str,
        arguments: &'a str,
        result: &'a str,
        outcome: ToolOutcome,
        error: Option<&'a str>,
        caller: ToolCaller,
        skill: Option<&'a str>,
        call_id: Option<&'a str>,
        batch_id: Option<&'a str>,
        source: ToolSource,
    },
    StackPatched {
        frames: Option<Vec<Frame<'a>>>,
        patch: &'a str,
    },
    ActionTaken {
        action: &'a str,
        policy: Option<&'a str>,
        confidence: Option<f64>,
    },
    HistoryRewound {
        by: Rewind,
        cells: Vec<(&'a str, Value<'a>, Option<u64>)>,
        to: Option<u64>,
    },
    Foreign {
        name: &'a str,
    },
    SkillRefused {
        skill: &'a str,
        by: Activation,
        rule: &'a str,
    },
    SkillPending {
        skill: &'a str,
        resolver: &'a str,
    },
    MemoryWriteRefused {
        asked: &'a str,
        key: Option<&'a str>,
        value: Value<'a>,
        who: Writer<'a>,
        refusal: WriteRefusal,
        rule: &'a str,
    },
    MemoryReset {
        key: &'a str,
        value: Value<'a>,
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
        call: ToolCall<'a>,
    },
    ToolRefused {
        call: ToolCall<'a>,
        rule: &'a str,
    },
    ConfirmationAsked {
        call: ToolCall<'a>,
    },
    ConfirmationAnswered {
        tool: &'a str,
        confirmed: bool,
    },
    ResponseUttered {
        response: &'a str,
        why: UtterCause,
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
        calls: Vec<RequestedCall<'a>>,
        millis: Option<f64>,
    },
    ReadDecided {
        asked: &'a str,
        key: Option<&'a str>,
        gave: ReadGave,
        rule: &'a str,
        skill: Option<&'a str>,
        tool: Option<&'a str>,
        call_id: Option<&'a str>,
    },
}

#[derive(Debug, SchemaRead, SchemaWrite)]
struct RequestedCall<'a> {
    tool: &'a str,
    arguments: &'a str,
    call_id: Option<&'a str>,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum ReadGave {
    Value,
    NeverWritten,
    Cleared,
    Reset,
    Undeclared,
    Private,
    Denied,
    Reserved,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
struct Writer<'a> {
    actor: Actor,
    tool: Option<&'a str>,
    skill: Option<&'a str>,
    step: Option<&'a str>,
    frame: Option<&'a str>,
    call_id: Option<&'a str>,
    arguments: &'a str,
    recorded_index: Option<u32>,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
struct Frame<'a> {
    frame: &'a str,
    skill: &'a str,
    block: Option<&'a str>,
    step: Option<&'a str>,
    interrupted: bool,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
struct ToolCall<'a> {
    tool: &'a str,
    arguments: &'a str,
    caller: ToolCaller,
    skill: Option<&'a str>,
    step: Option<&'a str>,
    call_id: Option<&'a str>,
}

/// Lists and maps of plain values: the crate has no recursive types, and deeper ones take minutes to compile.
type Value<'a> = ValueOf<'a, ValueOf<'a, u8>>;

#[derive(Debug, SchemaRead, SchemaWrite)]
enum ValueOf<'a, Inner> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(&'a str),
    List(Vec<Inner>),
    Map(Vec<(&'a str, Inner)>),
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Form {
    Flat,
    ProtoJson,
    Classic,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum MessageSource {
    Template,
    Rephrased,
    Model,
    Filler,
    ToolCode,
    Unknown,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Activation {
    Model,
    Engine,
    Unknown,
    Reference,
    Step,
    Tool,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Rewind {
    Restart,
    Back,
    Undo,
    ResetSlots,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Actor {
    Tool,
    Model,
    Step,
    Button,
    Hook,
    Seed,
    Engine,
    Unknown,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum ToolOutcome {
    Done,
    Failed,
    AwaitingConfirmation,
    Declined,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum ToolCaller {
    Model,
    Step,
    Confirmation,
    Unknown,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum ToolSource {
    Local,
    Mcp,
    Unknown,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum Profile {
    Seed,
    Mantle321,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum WriteRefusal {
    MemoryWriteError,
    ProjectMemoryAlreadySetError,
    ToolError,
    Skipped,
}

#[derive(Debug, SchemaRead, SchemaWrite)]
enum UtterCause {
    Activation,
    Condition,
    ToolSucceeded,
    ToolFailed,
    ConfirmationAsk,
    ConfirmationDenied,
    Action,
    Collect,
    PreconditionUnmet,
    StaleButton,
}
