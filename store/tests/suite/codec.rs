//! Stored events: what goes in comes out, and the bytes of each kind never change.

use std::sync::Arc;

use proptest::prelude::*;
use replay_store::digest::Digest;
use replay_store::event::codec::{self, Names};
use replay_store::event::{
    Activation, Actor, Event, EventKind, Form, MessageSource, Origin, Position, ReadGave, RecordedFrame, RequestedCall,
    Rewind, ToolCall, ToolCaller, ToolOutcome, ToolSource, UtterCause, WriteRefusal, Writer,
};
use replay_store::log::digest_of_records;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::rule::Rule;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

use crate::generated;

proptest! {
    #[test]
    fn an_event_comes_back_as_it_was(events in proptest::collection::vec(generated::event(), 1..20)) {
        let mut names = Names::default();
        let mut payload = Vec::new();
        for event in events {
            codec::encode(&event, &[], &mut payload).expect("it is small");
            prop_assert_eq!(codec::decode(&payload, &mut names).expect("it was just encoded"), event);
        }
    }

    #[test]
    fn a_kind_is_called_as_it_is_serialized(kind in generated::kind()) {
        let json = serde_json::to_value(&kind).expect("it is plain data");
        prop_assert_eq!(json["kind"].as_str(), Some(kind.tag()));
    }

    #[test]
    fn no_bytes_make_the_codec_panic(mut payload in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = codec::decode(&payload, &mut Names::default());
        // Those that begin like an event get further.
        payload.splice(0..0, [0, 0, 0, 1, 0]);
        let _ = codec::decode(&payload, &mut Names::default());
    }

    #[test]
    fn a_cut_or_longer_payload_is_no_event(event in generated::event()) {
        let mut payload = Vec::new();
        codec::encode(&event, &[b"{}"], &mut payload).expect("it is small");
        prop_assert!(codec::decode(&payload[..payload.len() - 1], &mut Names::default()).is_err());
        payload.push(0);
        prop_assert!(codec::decode(&payload, &mut Names::default()).is_err());
    }
}

#[test]
fn a_payload_vouches_for_its_raw_records() {
    let claimed = |raw, mirror, records: &[&[u8]]| {
        let origin = Origin::Imported { raw, mirror, form: Form::Flat };
        let mut payload = Vec::new();
        codec::encode(&event(origin, EventKind::TurnEnded), records, &mut payload).expect("it is small");
        codec::claim(&payload).expect("it was just encoded").expect("there are records")
    };
    let both: [&[u8]; 2] = [b"first", b"second"];
    let claim = claimed(9, Some(4), &both);
    assert_eq!((claim.records, claim.digest), (vec![4, 9], digest_of_records(both)));
    assert_eq!(claimed(3, None, &[b"one"]).records, [3]);
}

fn event(origin: Origin, kind: EventKind) -> Event {
    Event { time: Timestamp(1), turn: Some(2), cause: Some(Position(3)), origin, kind }
}

#[test]
fn the_envelope_keeps_its_bytes() {
    let origin = Origin::Imported { raw: 300, mirror: Some(5), form: Form::ProtoJson };
    let event = Event { time: Timestamp(-2), turn: None, cause: None, origin, kind: EventKind::TurnEnded };
    let mut payload = Vec::new();
    codec::encode(&event, &[b"r"], &mut payload).expect("it is small");
    let digest = digest_of_records([&b"r"[..]]).to_string();
    assert_eq!(hex(&payload), format!("030000 00fb2c01010501 01{digest} 04").replace(' ', ""));
}

#[test]
fn every_kind_keeps_its_bytes() {
    for (kind, expected) in golden() {
        let mut payload = Vec::new();
        codec::encode(&event(Origin::Added, kind.clone()), &[], &mut payload).expect("it is small");
        let bytes = hex(&payload);
        let (envelope, bytes) = bytes.split_at("02010201030100".len());
        assert_eq!(envelope, "02010201030100");
        assert_eq!(bytes, expected.replace(' ', ""), "{kind:?}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Each kind with its bytes; values of every kind in the first.
fn golden() -> Vec<(EventKind, &'static str)> {
    let name = |text: &str| Name::from(text);
    let step = || Some(Name::from("s"));
    let list = vec![Value::Null, Value::Bool(true), Value::Int(-1), Value::Float(1.5), Value::Text("t".to_owned())];
    let map = Value::Map(vec![("l".to_owned(), Value::List(list))]);
    let writer = Writer {
        actor: Actor::Button,
        tool: Some(name("t")),
        skill: None,
        step: step(),
        frame: Some(name("f")),
        call_id: Some(name("c")),
        arguments: "{}".to_owned(),
        recorded_index: Some(251),
    };
    let call = ToolCall {
        tool: name("t"),
        arguments: "{}".to_owned(),
        caller: ToolCaller::Step,
        skill: Some(name("a")),
        step: step(),
        call_id: None,
    };
    let frame =
        RecordedFrame { frame: name("f"), skill: name("a"), block: Some(name("b")), step: None, interrupted: true };
    vec![
        (
            EventKind::SessionStarted {
                definition: Some(Digest([7; 32])),
                profile: Some(Profile::Mantle321),
                initial: vec![(name("k"), Arc::new(map))],
            },
            "00010707070707070707070707070707070707070707070707070707070707070707010101016b0601016c0505000101020103000000000000f83f040174",
        ),
        (EventKind::SessionEnded, "01"),
        (
            EventKind::UserMessage { text: "é".to_owned(), channel: Some(name("c")), message_id: None },
            "0202c3a901016300",
        ),
        (
            EventKind::AgentMessage {
                text: "h".to_owned(),
                source: MessageSource::Filler,
                response: Some(name("r")),
                model_millis: Some(2.0),
                data: Arc::new(Value::Null),
            },
            "0301680301017201000000000000004000",
        ),
        (EventKind::TurnEnded, "04"),
        (EventKind::SkillActivated { skill: name("a"), by: Activation::Engine }, "05016101"),
        (EventKind::SkillCompleted { skill: name("a") }, "060161"),
        (EventKind::SkillCancelled { skill: name("a"), step: step() }, "070161010173"),
        (EventKind::SkillInterrupted { skill: name("a"), step: None }, "08016100"),
        (EventKind::SkillResumed { skill: name("a"), step: step() }, "090161010173"),
        (EventKind::BlockEntered { skill: name("a"), block: name("b") }, "0a01610162"),
        (EventKind::BlockCompleted { skill: name("a"), block: name("b"), step: step() }, "0b01610162010173"),
        (EventKind::BlockCancelled { skill: name("a"), block: name("b"), step: None }, "0c0161016200"),
        (EventKind::BlockInterrupted { skill: name("a"), block: name("b"), step: step() }, "0d01610162010173"),
        (EventKind::BlockResumed { skill: name("a"), block: name("b"), step: None }, "0e0161016200"),
        (
            EventKind::MemoryWritten { key: name("k"), value: Arc::new(Value::Int(9)), writer: writer.clone() },
            "0f016b02120301017400010173010166010163027b7d01fbfb00",
        ),
        (EventKind::MemoryCleared { key: name("k"), writer }, "10016b0301017400010173010166010163027b7d01fbfb00"),
        (
            EventKind::ToolReturned {
                tool: name("t"),
                arguments: "{}".to_owned(),
                result: "1".to_owned(),
                outcome: ToolOutcome::Declined,
                error: Some("e".to_owned()),
                caller: ToolCaller::Confirmation,
                skill: Some(name("a")),
                call_id: Some(name("c")),
                batch_id: None,
                source: ToolSource::Mcp,
            },
            "110174027b7d013103010165020101610101630001",
        ),
        (
            EventKind::StackPatched { frames: Some(vec![frame]), patch: "[]".to_owned() },
            "120101016601610101620001025b5d",
        ),
        (
            EventKind::ActionTaken { action: name("a"), policy: Some(name("p")), confidence: Some(1.0) },
            "13016101017001000000000000f03f",
        ),
        (
            EventKind::HistoryRewound {
                by: Rewind::Undo,
                cells: vec![(name("k"), Arc::new(Value::Bool(false)), Some(Position(4)))],
                to: Some(Position(5)),
            },
            "140201016b010001040105",
        ),
        (EventKind::Foreign { name: name("x") }, "150178"),
        (EventKind::SkillRefused { skill: name("a"), by: Activation::Tool, rule: Rule::DenyLists }, "16016105034d3337"),
        (EventKind::SkillPending { skill: name("a"), resolver: name("r") }, "1701610172"),
        (
            EventKind::MemoryWriteRefused {
                asked: name("k"),
                key: None,
                value: Arc::new(Value::Text("v".to_owned())),
                writer: Writer::only(Actor::Step),
                refusal: WriteRefusal::Skipped,
                rule: Rule::BareNameBySchema,
            },
            "18016b00040176020000000000000003034d3330",
        ),
        (EventKind::MemoryReset { key: name("k"), value: Arc::new(Value::Null) }, "19016b00"),
        (EventKind::ProjectEntryLocked { key: name("k") }, "1a016b"),
        (EventKind::StepEntered { skill: name("a"), block: name("b"), step: name("s") }, "1b016101620173"),
        (EventKind::ToolCalled { call: call.clone() }, "1c0174027b7d0101016101017300"),
        (EventKind::ToolRefused { call: call.clone(), rule: Rule::DenyLists }, "1d0174027b7d0101016101017300034d3337"),
        (EventKind::ConfirmationAsked { call }, "1e0174027b7d0101016101017300"),
        (EventKind::ConfirmationAnswered { tool: name("t"), confirmed: true }, "1f017401"),
        (EventKind::ResponseUttered { response: name("r"), why: UtterCause::StaleButton, skill: None }, "2001720900"),
        (EventKind::SkillDeferred { skill: name("a") }, "210161"),
        (
            EventKind::PromptRendered { digest: Digest([9; 32]), tools: vec![name("t")] },
            "220909090909090909090909090909090909090909090909090909090909090909010174",
        ),
        (
            EventKind::ModelReplied {
                text: "h".to_owned(),
                calls: vec![RequestedCall { tool: name("t"), arguments: "{}".to_owned(), call_id: None }],
                millis: Some(2.0),
            },
            "230168010174027b7d00010000000000000040",
        ),
        (
            EventKind::ReadDecided {
                asked: name("k"),
                key: Some(name("k")),
                gave: ReadGave::Denied,
                rule: Rule::DenyLists,
                skill: Some(name("a")),
                tool: Some(name("t")),
                call_id: None,
            },
            "24016b01016b06034d33370101610101 7400",
        ),
    ]
}
