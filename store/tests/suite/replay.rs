//! A session opened for reading: seeking equals folding, and calls are found by their traces.

use std::sync::Arc;

use proptest::prelude::*;

use replay_store::event::{
    Activation, Actor, Event, EventKind, MessageSource, Origin, Position, ToolCaller, ToolOutcome, ToolSource, Writer,
};
use replay_store::import::Recording;
use replay_store::replay::Session;
use replay_store::replay::turns::{CallKind, turns};
use replay_store::session::{State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

fn event(turn: u32, kind: EventKind) -> Event {
    Event { time: Timestamp(0), turn: Some(turn), cause: None, origin: Origin::Added, kind }
}

fn user() -> EventKind {
    EventKind::UserMessage { text: "hello".to_owned(), channel: None, message_id: None }
}

fn says(source: MessageSource, millis: Option<f64>, response: Option<&str>) -> EventKind {
    EventKind::AgentMessage {
        text: "hi".to_owned(),
        source,
        response: response.map(Into::into),
        model_millis: millis,
        data: Arc::default(),
    }
}

fn tool(batch: Option<&str>, caller: ToolCaller) -> EventKind {
    EventKind::ToolReturned {
        tool: "find".into(),
        arguments: String::new(),
        result: String::new(),
        outcome: ToolOutcome::Done,
        error: None,
        caller,
        skill: None,
        call_id: batch.map(Into::into),
        batch_id: batch.map(Into::into),
        source: ToolSource::Local,
    }
}

fn write(call_id: Option<&str>) -> EventKind {
    let writer = Writer { call_id: call_id.map(Into::into), ..Writer::only(Actor::Tool) };
    EventKind::MemoryWritten { key: "hold.day".into(), value: Arc::new(Value::Int(1)), writer }
}

fn activate(by: Activation) -> EventKind {
    EventKind::SkillActivated { skill: "hold".into(), by }
}

fn complete() -> EventKind {
    EventKind::SkillCompleted { skill: "hold".into() }
}

/// Each call as `kind@before`.
fn calls(kinds: impl IntoIterator<Item = EventKind>) -> String {
    let events: Vec<Event> = kinds.into_iter().map(|kind| event(1, kind)).collect();
    let found: Vec<String> = turns(&events)
        .iter()
        .flat_map(|turn| &turn.calls)
        .map(|call| {
            let kind = match call.kind {
                CallKind::Answer => "answer",
                CallKind::Failed => "failed",
                CallKind::Rephrase => "rephrase",
            };
            format!("{kind}@{}", call.before)
        })
        .collect();
    found.join(" ")
}

#[test]
fn a_call_lies_before_the_first_event_that_it_led_to() {
    let model = || tool(Some("0-a"), ToolCaller::Model);
    assert_eq!(calls([user(), model()]), "answer@1");
    assert_eq!(calls([user(), write(Some("a")), write(Some("a")), model()]), "answer@1");
    assert_eq!(calls([user(), activate(Activation::Model), model()]), "answer@1");
    assert_eq!(calls([activate(Activation::Engine), complete(), user(), model()]), "answer@3");
}

#[test]
fn a_call_is_found_where_its_prompt_was_built() {
    let first =
        [event(1, user()), event(1, EventKind::TurnEnded), event(2, says(MessageSource::Model, Some(1.0), None))];
    let session = Session::open(Recording { events: first.to_vec(), ..Recording::default() }, None, None);
    let call = &session.turn(2).expect("there are two turns").calls[0];
    assert_eq!(call.before, Position(2), "a call that begins a turn is built at the end of the one before");
    assert_eq!(session.call_at(Position(2)).map(|(turn, call)| (turn.number, call.number)), Some((2, 1)));
    assert_eq!(session.call_at(Position(1)), None);
}

#[test]
fn what_the_engine_did_by_itself_comes_before_the_call() {
    let step = || tool(None, ToolCaller::Step);
    let template = || says(MessageSource::Template, None, Some("utter_hi"));
    let model = || tool(Some("0-a"), ToolCaller::Model);
    assert_eq!(calls([user(), write(None), step(), template(), write(Some("a")), model()]), "answer@4");
    assert_eq!(calls([activate(Activation::Engine), template(), complete(), model()]), "answer@3");
}

#[test]
fn tools_of_one_reply_are_one_call() {
    let model = |batch| tool(Some(batch), ToolCaller::Model);
    assert_eq!(calls([user(), model("0-a"), write(Some("b")), model("0-a"), model("1-c")]), "answer@1 answer@4");
}

#[test]
fn a_message_with_the_models_time_is_a_call_and_one_without_is_not() {
    assert_eq!(calls([user(), says(MessageSource::Model, Some(12.5), None)]), "answer@1");
    assert_eq!(calls([user(), says(MessageSource::ToolCode, None, None)]), "");
}

#[test]
fn rephrasing_and_failing_are_calls_of_their_own_kind() {
    let rephrased = says(MessageSource::Rephrased, Some(3.0), Some("utter_ask"));
    let failed = says(MessageSource::Template, None, Some("utter_model_call_error"));
    assert_eq!(calls([user(), tool(Some("0-a"), ToolCaller::Model), rephrased]), "answer@1 rephrase@2");
    assert_eq!(calls([user(), failed]), "failed@1");
}

#[test]
fn writes_between_turns_belong_to_none() {
    let mut events = vec![event(1, user()), event(1, EventKind::TurnEnded), event(2, user())];
    events.insert(2, Event { turn: None, ..event(1, write(None)) });
    let found: Vec<_> = turns(&events).into_iter().map(|turn| (turn.number, turn.first.0, turn.last.0)).collect();
    assert_eq!(found, [(1, 1, 2), (2, 4, 4)]);
}

fn any_kind() -> impl Strategy<Value = EventKind> {
    let skill = prop::sample::select(vec!["hold", "prices", "claims"]);
    let key = prop::sample::select(vec!["project.verified", "hold.day", "hold.tries", "prices.zone", "lang"]);
    prop_oneof![
        1 => Just(EventKind::SessionStarted { definition: None, profile: None, initial: vec![] }),
        4 => skill.clone().prop_map(|skill| EventKind::SkillActivated { skill: skill.into(), by: Activation::Model }),
        2 => skill.clone().prop_map(|skill| EventKind::SkillCompleted { skill: skill.into() }),
        2 => skill.clone().prop_map(|skill| EventKind::SkillInterrupted { skill: skill.into(), step: None }),
        2 => skill.clone().prop_map(|skill| EventKind::SkillResumed { skill: skill.into(), step: None }),
        2 => skill.clone().prop_map(|skill| EventKind::BlockEntered { skill: skill.into(), block: "main".into() }),
        2 => skill.prop_map(|skill| EventKind::BlockCompleted { skill: skill.into(), block: "main".into(), step: None }),
        9 => (key.clone(), 0..4_i128).prop_map(|(key, number)| EventKind::MemoryWritten {
            key: key.into(),
            value: Arc::new(Value::Int(number)),
            writer: Writer::only(Actor::Tool),
        }),
        2 => key.prop_map(|key| EventKind::MemoryCleared { key: key.into(), writer: Writer::only(Actor::Tool) }),
        3 => Just(user()),
    ]
}

proptest! {
    #[test]
    fn seeking_to_any_position_equals_folding_from_the_start(kinds in prop::collection::vec(any_kind(), 0..700)) {
        let events: Vec<Event> = kinds.into_iter().map(|kind| event(1, kind)).collect();
        let session = Session::open(Recording { events, ..Recording::default() }, None, None);
        let mut folded = State::default();
        prop_assert_eq!(session.state(Position(0)), folded.clone());
        for at in 1..=session.end().0 {
            evolve(&mut folded, &session.event(Position(at)).expect("there is an event at each position"));
            if at % 37 == 0 || at % 256 < 2 || at == session.end().0 {
                prop_assert_eq!(session.state(Position(at)), folded.clone());
            }
        }
        prop_assert_eq!(session.state(Position(u64::MAX)), folded);
    }

    #[test]
    fn every_written_entry_has_a_row_that_names_its_event(kinds in prop::collection::vec(any_kind(), 0..60)) {
        let events: Vec<Event> = kinds.into_iter().map(|kind| event(1, kind)).collect();
        let session = Session::open(Recording { events, ..Recording::default() }, None, None);
        let state = session.state(session.end());
        let rows = session.memory_rows(&state);
        prop_assert_eq!(rows.len(), state.memory.len());
        for row in rows {
            let at = row.set_at.expect("without a definition there are no initial values");
            prop_assert!(session.changes(at).iter().any(|change| change.key == row.key));
            prop_assert_eq!(session.previous_write(&row.key, at), row.previous);
        }
    }
}
