//! Small records, each with one trap that a reader of such records can fall into.

use std::sync::Arc;

use replay_store::event::finding::{Finding, FindingKind};
use replay_store::event::{Activation, Event, EventKind, MessageSource, Origin, ToolCaller, ToolOutcome};
use replay_store::import::{self, Recording};

/// Reads a file that holds one session.
pub(crate) fn read(text: &str) -> Recording {
    let mut recordings = import::read(Arc::new(text.as_bytes().to_vec()), "file.json").expect("the record is readable");
    assert_eq!(recordings.len(), 1, "one session");
    recordings.remove(0)
}

/// Writes a dump of records, each given without braces and with `%` for its time, which is its index from 1000 on.
pub(crate) fn dump(records: &[&str]) -> String {
    format!("{{\"sender_id\":\"s\",\"events\":[{}]}}", list(records))
}

pub(crate) fn list(records: &[&str]) -> String {
    let record = |(index, record): (usize, &&str)| format!("{{{record},\"timestamp\":{}.5}}", 1000 + index);
    records.iter().enumerate().map(record).collect::<Vec<_>>().join(",\n")
}

/// One line an event: its turn, its cause, its kind and the raw records.
pub(crate) fn lines(recording: &Recording) -> Vec<String> {
    recording.events.iter().map(line).collect()
}

fn line(event: &Event) -> String {
    let turn = event.turn.map_or("-".to_owned(), |turn| turn.to_string());
    let cause = event.cause.map_or("-".to_owned(), |cause| cause.to_string());
    let raw: Vec<String> = event.origin.raw_indexes().iter().map(u32::to_string).collect();
    format!("{turn} {cause} {} {}", name(&event.kind), raw.join("+"))
}

fn name(kind: &EventKind) -> String {
    let json = serde_json::to_value(kind).expect("a kind is JSON");
    json["kind"].as_str().expect("it has a name").to_owned()
}

pub(crate) fn kinds(findings: &[Finding]) -> Vec<FindingKind> {
    findings.iter().map(|finding| finding.kind).collect()
}

fn tool(event: &Event) -> Option<(&str, ToolOutcome, ToolCaller, &str)> {
    match &event.kind {
        EventKind::ToolReturned { tool, outcome, caller, result, .. } => Some((tool, *outcome, *caller, result)),
        _ => None,
    }
}

fn check(records: &[&str], expected: &[&str]) -> Recording {
    let recording = read(&dump(records));
    assert_eq!(lines(&recording), expected);
    assert_eq!(recording.findings, []);
    recording
}

#[test]
fn start_up_stands_before_the_message_that_it_answers() {
    check(
        &[
            r#""event":"session_started""#,
            r#""event":"skill_activated","skill_id":"hello","metadata":{"triggering_user_message_timestamp":1000.1}"#,
            r#""event":"slot","name":"quiet_rounds","value":0"#,
            r#""event":"user","text":"hi""#,
            r#""event":"bot_turn_ended""#,
        ],
        &[
            "1 - session_started 0",
            "1 4 skill_activated 1",
            "1 4 memory_written 2",
            "1 - user_message 3",
            "1 4 turn_ended 4",
        ],
    );
}

#[test]
fn one_message_is_answered_by_two_turns_and_writes_stand_between_turns() {
    check(
        &[
            r#""event":"session_started""#,
            r#""event":"user","text":"hi""#,
            r#""event":"bot_turn_ended""#,
            r#""event":"skill_activated","skill_id":"a","metadata":{"triggering_user_message_timestamp":1001.5}"#,
            r#""event":"bot_turn_ended""#,
            r#""event":"memory_set","key":"system.facts","value":[]"#,
            r#""event":"user","text":"more""#,
            r#""event":"bot_turn_ended""#,
        ],
        &[
            "1 - session_started 0",
            "1 - user_message 1",
            "1 2 turn_ended 2",
            "2 2 skill_activated 3",
            "2 2 turn_ended 4",
            "- - memory_written 5",
            "3 - user_message 6",
            "3 7 turn_ended 7",
        ],
    );
}

#[test]
fn an_activation_names_its_message_by_time_before_any_nearer_one() {
    let recording = check(
        &[
            r#""event":"session_started""#,
            r#""event":"user","text":"first""#,
            r#""event":"bot_turn_ended""#,
            r#""event":"user","text":"second""#,
            r#""event":"skill_activated","skill_id":"a","metadata":{"triggering_user_message_timestamp":1001.5}"#,
            r#""event":"bot_turn_ended""#,
        ],
        &[
            "1 - session_started 0",
            "1 - user_message 1",
            "1 2 turn_ended 2",
            "2 - user_message 3",
            "2 2 skill_activated 4",
            "2 4 turn_ended 5",
        ],
    );
    assert_eq!(recording.id, "s");
}

#[test]
fn mirrors_join_their_twins_wherever_these_stand() {
    // M303, M305
    check(
        &[
            r#""event":"session_started""#,
            r#""event":"user","text":"hi""#,
            r#""event":"flow_started","flow_id":"a__main""#,
            r#""event":"skill_activated","skill_id":"a""#,
            r#""event":"ordered_block_entered","skill_id":"a","block_id":"main""#,
            r#""event":"slot","name":"a.x","value":{"n":1}"#,
            r#""event":"memory_set","key":"a.x","value":{"n":1}"#,
            r#""event":"memory_cleared","key":"a.x""#,
            r#""event":"slot","name":"a.x","value":null"#,
            r#""event":"mcp_tool_executed","tool_name":"t","arguments":{"k":2},"result":"ok""#,
            r#""event":"tool_executed","tool_name":"t","arguments":{"k":2},"result":"ok""#,
            r#""event":"flow_cancelled","flow_id":"a__main","step_id":"ask","skill_id":"a""#,
            r#""event":"ordered_block_cancelled","skill_id":"a","block_id":"main","step_id":"ask""#,
            r#""event":"skill_cancelled","skill_id":"a","step_id":"ask""#,
            r#""event":"flow_cancelled","flow_id":"a","step_id":"ask","skill_id":"a""#,
            r#""event":"bot_turn_ended""#,
        ],
        &[
            "1 - session_started 0",
            "1 - user_message 1",
            "1 2 skill_activated 3",
            "1 2 block_entered 2+4",
            "1 2 memory_written 5+6",
            "1 2 memory_cleared 7+8",
            "1 2 tool_returned 9+10",
            "1 2 block_cancelled 11+12",
            "1 2 skill_cancelled 13+14",
            "1 2 turn_ended 15",
        ],
    );
}

#[test]
fn a_record_of_mirrors_alone_tells_its_story_too() {
    let recording = check(
        &[
            r#""event":"session_started""#,
            r#""event":"user","text":"hi""#,
            r#""event":"flow_started","flow_id":"a__main""#,
            r#""event":"flow_started","flow_id":"b","skill_id":"b""#,
            r#""event":"slot","name":"a.x","value":"v""#,
            r#""event":"mcp_tool_executed","tool_name":"t","arguments":{},"result":"ok""#,
            r#""event":"flow_interrupted","flow_id":"a__main","step_id":"ask""#,
            r#""event":"flow_completed","flow_id":"b","skill_id":"b""#,
            r#""event":"bot_turn_ended""#,
        ],
        &[
            "1 - session_started 0",
            "1 - user_message 1",
            "1 2 block_entered 2",
            "1 2 skill_activated 3",
            "1 2 memory_written 4",
            "1 2 tool_returned 5",
            "1 2 block_interrupted 6",
            "1 2 skill_completed 7",
            "1 2 turn_ended 8",
        ],
    );
    assert!(
        matches!(&recording.events[2].kind, EventKind::BlockEntered { skill, block } if skill == "a" && block == "main")
    );
}

#[test]
fn a_gated_call_leaves_three_events_and_a_declined_one_never_ran() {
    // M193, M193a
    let call = |tool: &str, result: &str, metadata: &str| {
        let rest = format!(r#""tool_name":"{tool}","arguments":{{}},"result":"{result}","is_error":false"#);
        [
            format!(r#""event":"mcp_tool_executed",{rest}"#),
            format!(r#""event":"tool_executed",{rest},"source":"local","metadata":{metadata}"#),
        ]
    };
    let waiting = r#"{\"status\": \"awaiting_confirmation\"}"#;
    let declined = r#"{\"status\": \"declined\"}"#;
    let calls = [
        call("pay", waiting, r#"{"tool_call_id":"c1","tool_batch_id":"0-c1"}"#),
        call("pay", declined, r#"{"source":"tool_confirmation"}"#),
        call("resolve_tool_confirmation", declined, r#"{"tool_call_id":"c2","tool_batch_id":"0-c2"}"#),
        call("card_check", declined, r#"{"tool_call_id":"c3","tool_batch_id":"1-c3"}"#),
        call("load", "done", r#"{"source":"execute_step"}"#),
    ]
    .concat();
    let start = [r#""event":"session_started""#, r#""event":"user","text":"no""#];
    let records: Vec<&str> = start.into_iter().chain(calls.iter().map(String::as_str)).collect();
    let recording = read(&dump(&records));
    assert_eq!(recording.findings, []);
    let tools: Vec<_> = recording.events.iter().filter_map(tool).collect();
    let (waiting, declined) = (waiting.replace('\\', ""), declined.replace('\\', ""));
    assert_eq!(
        tools,
        [
            ("pay", ToolOutcome::AwaitingConfirmation, ToolCaller::Model, &*waiting),
            ("pay", ToolOutcome::Declined, ToolCaller::Confirmation, &*declined),
            ("resolve_tool_confirmation", ToolOutcome::Done, ToolCaller::Model, &*declined),
            ("card_check", ToolOutcome::Done, ToolCaller::Model, &*declined),
            ("load", ToolOutcome::Done, ToolCaller::Step, "done"),
        ]
    );
}

#[test]
fn a_result_is_what_the_model_got() {
    let cases = [
        (r#""{\"ok\": true}""#, r#"{"ok": true}"#),
        (r#""activate: done""#, "activate: done"),
        (r#"{"ok": true, "a b": [1, 2.50]}"#, r#"{"ok":true,"a b":[1,2.50]}"#),
        ("null", ""), // M200
    ];
    for (json, expected) in cases {
        let record = format!(
            r#""event":"tool_executed","tool_name":"t","result":{json},"is_error":true,"error_message":"late""#
        );
        let recording = read(&dump(&[&record]));
        let EventKind::ToolReturned { result, outcome, error, .. } = &recording.events[1].kind else {
            panic!("a tool")
        };
        assert_eq!(result, expected);
        assert_eq!((*outcome, error.as_deref()), (ToolOutcome::Failed, Some("late")));
    }
}

#[test]
fn messages_say_who_spoke() {
    // M204, M219
    let cases = [
        (r#"{"mantle_response_source":"verbatim","utter_action":"utter_x"}"#, MessageSource::Template),
        (
            r#"{"mantle_response_source":"rephrased","utter_action":"utter_x","llm_total_time_ms":9.5}"#,
            MessageSource::Rephrased,
        ),
        (r#"{"mantle_response_source":"llm","llm_total_time_ms":2926.483916991856}"#, MessageSource::Model),
        (r#"{"mantle_response_source":"llm"}"#, MessageSource::ToolCode),
        (r#"{"mantle_response_source":"filler"}"#, MessageSource::Filler),
        (r#"{"mantle_response_source":"telepathy"}"#, MessageSource::Unknown),
        ("{}", MessageSource::Unknown),
    ];
    for (metadata, expected) in cases {
        let recording = read(&dump(&[&format!(r#""event":"bot","text":"hm","metadata":{metadata}"#)]));
        let EventKind::AgentMessage { source, .. } = &recording.events[1].kind else { panic!("a message") };
        assert_eq!(*source, expected, "{metadata}");
    }
}

#[test]
fn a_failed_model_call_keeps_its_only_trace() {
    // M273
    let records = [
        r#""event":"bot","text":"Sorry.","metadata":{"mantle_response_source":"verbatim","utter_action":"utter_model_call_error"}"#,
    ];
    let recording = read(&dump(&records));
    let EventKind::AgentMessage { response, .. } = &recording.events[1].kind else { panic!("a message") };
    assert_eq!(response.as_deref(), Some("utter_model_call_error"));
}

#[test]
fn writers_are_told_by_the_call_that_comes_later() {
    // M369
    let write = |index: u32, tool: &str, call: &str| {
        format!(
            r#""event":"memory_set","key":"a.x","value":1,"metadata":{{"mantle_write_provenance":{{"tool":{tool},"skill_id":"a","step":"ask","frame_id":"F","arguments":{{"k": [1, 2]}},"position":{index},"tool_call_id":{call}}}}}"#
        )
    };
    let call = |tool: &str, call: &str| {
        format!(r#""event":"tool_executed","tool_name":"{tool}","result":"ok","metadata":{{"tool_call_id":"{call}"}}"#)
    };
    let records = [
        r#""event":"session_started""#.to_owned(),
        r#""event":"user","text":"x""#.to_owned(),
        write(2, "null", "\"c1\""),
        call("set_fields", "c1"),
        write(4, "null", "\"c2\""),
        call("complete_skill", "c2"),
        write(6, "\"save\"", "\"c3\""),
        call("save", "c3"),
        write(8, "null", "null"),
        r#""event":"memory_set","key":"a.x","value":1"#.to_owned(),
        r#""event":"memory_set","key":"system.y","value":1"#.to_owned(),
        r#""event":"slot","name":"quiet_rounds","value":0"#.to_owned(),
        r#""event":"bot_turn_ended""#.to_owned(),
    ];
    let recording = read(&dump(&records.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(recording.findings, []);
    let writers: Vec<_> = recording
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::MemoryWritten { writer, .. } => Some(writer),
            _ => None,
        })
        .collect();
    let actors: Vec<&str> = writers.iter().map(|writer| writer.actor.word()).collect();
    assert_eq!(actors, ["model", "engine", "tool", "engine", "unknown", "engine", "engine"]);
    assert_eq!(writers[2].arguments, r#"{"k":[1,2]}"#);
    assert_eq!(writers[2].recorded_index, Some(6));
}

#[test]
fn the_models_activation_has_a_call_and_the_engines_has_none() {
    let recording = read(&dump(&[
        r#""event":"session_started""#,
        r#""event":"user","text":"x""#,
        r#""event":"skill_activated","skill_id":"a""#,
        r#""event":"tool_executed","tool_name":"activate","arguments":{"target_id":"a"},"result":"ok","metadata":{"tool_call_id":"c","skill_id":"a"}"#,
        r#""event":"skill_activated","skill_id":"b""#,
        r#""event":"bot_turn_ended""#,
    ]));
    let by = |index: usize| match &recording.events[index].kind {
        EventKind::SkillActivated { by, .. } => *by,
        kind => panic!("{kind:?}"),
    };
    assert_eq!((by(2), by(4)), (Activation::Model, Activation::Engine));
}

#[test]
fn an_equal_value_written_again_is_an_event() {
    check(
        &[
            r#""event":"session_started""#,
            r#""event":"memory_set","key":"a.x","value":"v""#,
            r#""event":"memory_set","key":"a.x","value":"v""#,
        ],
        &["1 - session_started 0", "1 - memory_written 1", "1 - memory_written 2"],
    );
}

#[test]
fn numbers_keep_their_digits() {
    let text = r#"{"sender_id":"s","events":[
        {"event":"session_started","timestamp":1790788643.9802601},
        {"event":"memory_set","timestamp":1790788643.9802609,"key":"a.x","value":[1790788643.9802601,2.0,2,18446744073709551615,-0.0]}]}"#;
    let recording = read(text);
    assert_eq!(recording.events[0].time.0, 1_790_788_643_980_260);
    let EventKind::MemoryWritten { value, .. } = &recording.events[1].kind else { panic!("a write") };
    assert_eq!(value.to_json(), "[1790788643.9802601,2.0,2,18446744073709551615,-0.0]");
}

#[test]
fn the_stack_is_what_its_patches_give() {
    let start = [r#""event":"session_started""#, r#""event":"skill_activated","skill_id":"a""#];
    let add = r#""event":"stack","update":"[{\"op\": \"add\", \"path\": \"/0\", \"value\": {\"frame_id\": \"F1\", \"skill_id\": \"a\", \"frame_type\": \"regular\", \"type\": \"skill\"}}]""#;
    let park = r#""event":"stack","update":"[{\"op\": \"add\", \"path\": \"/0/previous_frame_type\", \"value\": \"regular\"}, {\"op\": \"replace\", \"path\": \"/0/frame_type\", \"value\": \"interrupt\"}]""#;
    let recording = read(&dump(&[start[0], start[1], add, park]));
    assert_eq!(recording.findings, []);
    let frames = |index: usize| match &recording.events[index].kind {
        EventKind::StackPatched { frames, .. } => frames.clone().expect("the patch fits"),
        kind => panic!("{kind:?}"),
    };
    assert_eq!((&*frames(2)[0].frame, &*frames(2)[0].skill, frames(2)[0].interrupted), ("F1", "a", false));
    assert!(frames(3)[0].interrupted);

    // A change of a frame that isn't there, and a skill that no event activated.
    for records in [&[start[0], start[1], park][..], &[start[0], add][..]] {
        let findings = read(&dump(records)).findings;
        assert_eq!(kinds(&findings), [FindingKind::StackConflict], "{findings:?}");
    }
}

#[test]
fn an_event_that_is_put_in_front_has_no_record() {
    let recording = read(&dump(&[r#""event":"user","text":"x""#]));
    assert_eq!(lines(&recording), ["1 - session_started ", "1 - user_message 0"]);
    assert_eq!(recording.events[0].origin, Origin::Added);
    assert_eq!(recording.events[0].time, recording.events[1].time);
}
