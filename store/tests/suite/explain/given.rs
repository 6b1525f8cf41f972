//! Sessions of a parcel desk that we made up: its files, and what happened, a word an event.

use std::sync::Arc;

use replay_store::agent::definition::Definition;
use replay_store::event::{
    Activation, Actor, Event, EventKind, Form, MessageSource, Origin, Position, Rewind, ToolCaller, ToolOutcome,
    ToolSource, WriteRefusal, Writer,
};
use replay_store::explain::why::{Answer, Why};
use replay_store::import::Recording;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::rule::Rule;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

/// The parcel desk. `track` may not read `pay.amount`; `pay.card` is private; `claims` keeps its offer to itself.
pub(crate) const DESK: &[(&str, &str)] = &[
    ("agent.yml", "agent: {persona: You answer for Parcel Desk.}\n"),
    (
        "memory.yml",
        "\
customer: {type: text}
name: {type: text, pii: true}
country:
  type: text
  initial_value: NL
note: {type: text}
",
    ),
    (
        "skills/track/memory.yml",
        "\
schema:
  public:
    parcel: {type: text}
    note: {type: text}
    damaged: {type: bool}
    kind: {type: text, llm_settable: true}
    tries: {type: int, initial_value: 0}
access:
  deny_read:
    - pay.amount
",
    ),
    (
        "skills/track/skill.md",
        "\
---
name: Track
description: Find a parcel.
tool_constraints:
  - send_van:
      requires: session.track.damaged == False
  - reopen:
      requires: session.track.kind == 'new'
  - refund:
      requires: session.pay.amount > 0
---

The parcel is @memory.track.parcel for @memory.project.name.

if: session.pay.amount
It costs @memory.pay.amount.
",
    ),
    (
        "skills/track/tools.py",
        "\
@tool(description=\"Finds a parcel.\")
async def find_parcel(context: ToolContext) -> ToolResult:
    context.memory.set(\"parcel\", context.memory.get(\"project.customer\"))
",
    ),
    (
        "skills/pay/memory.yml",
        "\
schema:
  public:
    amount: {type: float}
  private:
    card: {type: text}
",
    ),
    (
        "skills/pay/skill.md",
        "\
---
name: Pay
description: Pay for a parcel.
requires: session.project.customer and session.track.parcel
---

Take the money.
",
    ),
    ("skills/claims/skill.md", "---\nname: Claims\ndescription: Claims.\ndisabled: true\n---\n\nHear the claim.\n"),
    ("skills/lookup/skill.md", "---\nname: Lookup\ndescription: Looks up.\nhidden: true\n---\n\nLook it up.\n"),
];

/// Opens a session of the desk in the older generation.
pub(crate) fn desk(kinds: impl IntoIterator<Item = EventKind>) -> Session {
    session(Profile::Seed, DESK, kinds)
}

/// Opens a session; turns are counted from 1, and each event is a raw record of its own.
pub(crate) fn session(profile: Profile, files: &[(&str, &str)], kinds: impl IntoIterator<Item = EventKind>) -> Session {
    let mut definition = Definition::default();
    for (path, text) in files {
        definition.files.insert(Name::from(*path), Arc::from(text.as_bytes()));
    }
    let definition = (!files.is_empty()).then_some(definition);
    let mut turn = 1;
    let mut user = None;
    let start = EventKind::SessionStarted { definition: None, profile: Some(profile), initial: Vec::new() };
    let events = std::iter::once(start).chain(kinds).enumerate().map(|(index, kind)| {
        let of = turn;
        match kind {
            EventKind::TurnEnded => turn += 1,
            EventKind::UserMessage { .. } => user = Some(Position(index as u64 + 1)),
            _ => {}
        }
        let cause = user.filter(|user| *user != Position(index as u64 + 1));
        let origin = Origin::Imported { raw: index as u32, mirror: None, form: Form::Flat };
        Event { time: Timestamp(0), turn: Some(of), cause, origin, kind }
    });
    let recording = Recording {
        id: "desk-1".into(),
        events: events.collect(),
        definition,
        profile: Some(profile),
        ..Recording::default()
    };
    Session::open(recording, None, None)
}

pub(crate) fn value(json: &str) -> Value {
    Value::from_json(json).expect("the test's JSON is valid")
}

pub(crate) fn start() -> EventKind {
    EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() }
}

pub(crate) fn user(text: &str) -> EventKind {
    EventKind::UserMessage { text: text.to_owned(), channel: None, message_id: None }
}

pub(crate) fn end() -> EventKind {
    EventKind::TurnEnded
}

pub(crate) fn says(text: &str) -> EventKind {
    EventKind::AgentMessage {
        text: text.to_owned(),
        source: MessageSource::Model,
        response: None,
        model_millis: Some(9.0),
        data: Arc::new(Value::Null),
    }
}

/// A tool writes, in a call whose id is its name.
pub(crate) fn write(tool: &str, key: &str, json: &str) -> EventKind {
    EventKind::MemoryWritten { key: key.into(), value: Arc::new(value(json)), writer: writer(tool) }
}

/// A tool that a step called writes; the record has no id for such a call.
pub(crate) fn step_writes(tool: &str, key: &str, json: &str) -> EventKind {
    let writer = Writer { call_id: None, ..writer(tool) };
    EventKind::MemoryWritten { key: key.into(), value: Arc::new(value(json)), writer }
}

pub(crate) fn clear(tool: &str, key: &str) -> EventKind {
    EventKind::MemoryCleared { key: key.into(), writer: writer(tool) }
}

pub(crate) fn refused(tool: &str, key: &str, json: &str, rule: Rule) -> EventKind {
    EventKind::MemoryWriteRefused {
        asked: key.into(),
        key: Some(key.into()),
        value: Arc::new(value(json)),
        writer: writer(tool),
        refusal: WriteRefusal::ProjectMemoryAlreadySetError,
        rule,
    }
}

fn writer(tool: &str) -> Writer {
    Writer {
        tool: Some(tool.into()),
        skill: Some("track".into()),
        call_id: Some(Name::from(format!("call-{tool}"))),
        ..Writer::only(Actor::Tool)
    }
}

/// The model's call of a tool comes back.
pub(crate) fn returned(tool: &str, arguments: &str) -> EventKind {
    outcome(tool, arguments, ToolOutcome::Done, ToolCaller::Model, None)
}

/// A step's call of a tool comes back.
pub(crate) fn stepped(tool: &str) -> EventKind {
    outcome(tool, "{}", ToolOutcome::Done, ToolCaller::Step, None)
}

pub(crate) fn failed(tool: &str, error: &str) -> EventKind {
    outcome(tool, "{}", ToolOutcome::Failed, ToolCaller::Model, Some(error))
}

fn outcome(tool: &str, arguments: &str, outcome: ToolOutcome, caller: ToolCaller, error: Option<&str>) -> EventKind {
    let by_model = caller == ToolCaller::Model;
    EventKind::ToolReturned {
        tool: tool.into(),
        arguments: arguments.to_owned(),
        result: String::new(),
        outcome,
        error: error.map(str::to_owned),
        caller,
        skill: Some("track".into()),
        call_id: Some(Name::from(format!("call-{tool}"))),
        batch_id: by_model.then(|| Name::from(format!("1-call-{tool}"))),
        source: ToolSource::Local,
    }
}

pub(crate) fn activate(skill: &str) -> EventKind {
    EventKind::SkillActivated { skill: skill.into(), by: Activation::Unknown }
}

pub(crate) fn complete(skill: &str) -> EventKind {
    EventKind::SkillCompleted { skill: skill.into() }
}

pub(crate) fn interrupt(skill: &str) -> EventKind {
    EventKind::SkillInterrupted { skill: skill.into(), step: None }
}

/// Goes back to position `to`, where these entries held these values, set there.
pub(crate) fn rewound(by: Rewind, to: u64, cells: &[(&str, &str, u64)]) -> EventKind {
    let cells = cells.iter().map(|(key, json, at)| (Name::from(*key), Arc::new(value(json)), Some(Position(*at))));
    EventKind::HistoryRewound { by, cells: cells.collect(), to: Some(Position(to)) }
}

/// Returns what an answer rests on: positions with the kinds of their events, `-` where no event says it.
pub(crate) fn evidence(why: &Why) -> String {
    let of = |one: &replay_store::explain::Evidence| match one.position {
        Some(at) => format!("{at} {}", one.kind),
        None => format!("- {}", one.kind),
    };
    why.evidence.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Checks the answer, and that its sentence has these words.
#[track_caller]
pub(crate) fn check(why: &Why, answer: Answer, words: &[&str]) {
    assert_eq!(why.answer, answer, "{why:#?}");
    for word in words {
        assert!(why.text.contains(word), "{:?} says {word:?}", why.text);
    }
}

/// Checks that the evidence begins like this.
#[track_caller]
pub(crate) fn rests_on(why: &Why, beginning: &str) {
    let evidence = evidence(why);
    assert!(evidence.starts_with(beginning), "{evidence}\nbegins with\n{beginning}\n{why:#?}");
}
