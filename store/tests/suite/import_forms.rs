//! The other forms: the classic engine, ProtoJSON events, files of lines, packed files, and what is none of them.

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use replay_store::event::finding::FindingKind;
use replay_store::event::{EventKind, Form, Origin, ToolSource};
use replay_store::import::stream::{Batch, stream};
use replay_store::import::{self, ImportError, Recording, Shape, jsonl, sniff};

use crate::import_traps::{dump, lines, list, read};

fn read_all(text: &str) -> Vec<Recording> {
    import::read(Arc::new(text.as_bytes().to_vec()), "file.json").expect("the record is readable")
}

/// One line for each time history was taken back: what it was, the cells and the position that it returns to.
fn rewinds(recording: &Recording) -> Vec<String> {
    let mut lines = Vec::new();
    for event in &recording.events {
        if let EventKind::HistoryRewound { by, cells, to } = &event.kind {
            let cells: Vec<String> = cells
                .iter()
                .map(|(key, value, at)| format!("{key}={value}@{}", at.expect("an event set it")))
                .collect();
            let to = to.map_or("-".to_owned(), |to| to.to_string());
            lines.push(format!("{by:?} [{}] {to}", cells.join(" ")));
        }
    }
    lines
}

#[test]
fn a_classic_turn_ends_when_the_engine_listens_again() {
    let recording = read(&dump(&[
        r#""event":"action","name":"action_listen""#,
        r#""event":"user","text":"/hi""#,
        r#""event":"user_featurization","use_text_for_featurization":false"#,
        r#""event":"action","name":"utter_hi","policy":"memo","confidence":0.60"#,
        r#""event":"bot","text":"Hi","metadata":{"utter_action":"utter_hi"}"#,
        r#""event":"action","name":"action_listen""#,
        r#""event":"slot","name":"mood","value":"good""#,
        r#""event":"user","text":"/bye""#,
        r#""event":"action","name":"action_listen""#,
    ]));
    assert_eq!(
        lines(&recording),
        [
            "1 - session_started ",
            "1 3 action_taken 0",
            "1 - user_message 1",
            "1 3 foreign 2",
            "1 3 action_taken 3",
            "1 3 agent_message 4",
            "1 3 turn_ended 5",
            "- - memory_written 6",
            "2 - user_message 7",
            "2 9 turn_ended 8",
        ]
    );
    assert_eq!(recording.findings, []);
    assert!(matches!(recording.events[1].origin, Origin::Imported { form: Form::Classic, .. }));
    let EventKind::MemoryWritten { writer, .. } = &recording.events[7].kind else { panic!("a write") };
    assert_eq!(writer.actor.word(), "unknown");
}

#[test]
fn classic_records_take_history_back() {
    let listen = r#""event":"action","name":"action_listen""#;
    let user = r#""event":"user","text":"x""#;
    let act = r#""event":"action","name":"act""#;
    let write = |value: u32| format!(r#""event":"slot","name":"n","value":{value}"#);
    let (one, two, three) = (write(1), write(2), write(3));
    let check = |records: &[&str], expected: &[&str]| {
        let recording = read(&dump(records));
        assert_eq!(rewinds(&recording), expected, "{records:?}");
        assert_eq!(recording.findings, []);
    };
    // Position 1 is the session start that is put in front.
    check(&[listen, user, &one, act, &two, r#""event":"undo""#], &["Undo [n=1@4] 4"]);
    check(&[listen, &one, listen, user, act, &two, r#""event":"rewind""#], &["Rewind [n=1@3] 3"]);
    check(&[&one, &two, r#""event":"restart""#, &three], &["Restart [] -"]);
    check(&[&one, act, r#""event":"reset_slots""#, r#""event":"undo""#], &["ResetSlots [] -", "Undo [n=1@2] 2"]);
    check(&[&one, r#""event":"undo""#], &["Undo [] -"]);
    check(
        &[&one, listen, user, act, &two, r#""event":"undo""#, act, &three, r#""event":"rewind""#],
        &["Undo [n=1@2] 4", "Rewind [n=1@2] 2"],
    );
    check(&[&one, r#""event":"session_started""#, act, &two, r#""event":"undo""#], &["Undo [] -"]);
}

#[test]
fn a_session_start_in_the_middle_is_one() {
    let records =
        [r#""event":"slot","name":"n","value":1"#, r#""event":"session_started""#, r#""event":"user","text":"x""#];
    let recording = read(&dump(&records));
    assert_eq!(
        lines(&recording),
        ["1 - session_started ", "1 3 memory_written 0", "1 - session_started 1", "1 - user_message 2"]
            .map(|line| line.replace("1 3 memory", "1 4 memory"))
    );
}

#[test]
fn a_stored_dialogue_is_a_classic_record() {
    let text = r#"{"events":[{"event":"action","name":"action_listen","timestamp":null}],"name":"tale"}"#;
    assert!(matches!(sniff(text.as_bytes(), "x"), Ok(Shape::ClassicDump)));
    let recording = read(text);
    assert_eq!((recording.events.len(), &*recording.id), (2, "file.json"));
    assert_eq!(recording.findings, []);
}

/// All that the ProtoJSON form has, in the order of a short conversation.
const PROTO: [&str; 27] = [
    r#""session_started":{}"#,
    r#""user":{"text":"where is it","parse_data":{"text":"where is it"},"input_channel":"rest","message_id":"m-1"}"#,
    r#""skill_activated":{"skill_id":"parcel"}"#,
    r#""ordered_block_entered":{"skill_id":"parcel","block_id":"track"}"#,
    r#""stack":{"update":"[{\"op\":\"add\",\"path\":\"/0\",\"value\":{\"frame_id\":\"P1\",\"skill_id\":\"parcel\",\"frame_type\":\"regular\",\"type\":\"skill\"}}]"}"#,
    r#""memory_set":{"key":"parcel.code","value_json":"{\"n\": 7}"}"#,
    r#""memory_cleared":{"key":"parcel.code"}"#,
    r#""tool_executed":{"tool_name":"look","arguments_json":"{\"n\": 7}","source":"local","result_json":"{\"at\": \"door\"}"}"#,
    r#""tool_executed":{"tool_name":"call","arguments_json":"{}","source":"mcp","mcp_server":"phone","is_error":true,"error_message":"busy"}"#,
    r#""bot":{"text":"At the door.","data":{"buttons":[]}}"#,
    r#""bot_turn_ended":{}"#,
    r#""ordered_block_interrupted":{"skill_id":"parcel","block_id":"track","step_id":"s"}"#,
    r#""ordered_block_resumed":{"skill_id":"parcel","block_id":"track","step_id":"s"}"#,
    r#""ordered_block_cancelled":{"skill_id":"parcel","block_id":"track","step_id":"s"}"#,
    r#""ordered_block_completed":{"skill_id":"parcel","block_id":"track","step_id":"s"}"#,
    r#""skill_interrupted":{"skill_id":"parcel","step_id":"autonomous"}"#,
    r#""skill_resumed":{"skill_id":"parcel","step_id":"autonomous"}"#,
    r#""skill_cancelled":{"skill_id":"parcel","step_id":"s"}"#,
    r#""skill_completed":{"skill_id":"parcel"}"#,
    r#""action":{"name":"action_listen","confidence":1.0}"#,
    r#""unsupported_request_classified":{"label":"l","reason":"r","user_message":"u"}"#,
    r#""user_barge_in":{}"#,
    r#""tts_finished":{}"#,
    r#""user_silence_timeout":{"timeout":30.0}"#,
    r#""user_input_suppressed":{"text":"uh","modality":"audio","reason":"backchannel"}"#,
    r#""inactive":{}"#,
    r#""session_ended":{}"#,
];

fn proto(session: &str, index: usize, payload: &str) -> String {
    format!(
        r#"{{"conversation_id":"{session}","timestamp":{index}.25,"sequence":{index},"metadata":"{{\"tool_call_id\": \"c-9\"}}",{payload}}}"#
    )
}

#[test]
fn proto_json_kinds_are_all_known() {
    // M307, M309, M311, M304: a block by its own id, prose as `autonomous`
    let records: Vec<String> = PROTO.iter().enumerate().map(|(index, payload)| proto("c-1", index, payload)).collect();
    for text in [format!("[{}]", records.join(",")), records.join("\n"), format!("{}\n", records.join("\r\n"))] {
        let recording = read(&text);
        assert_eq!(recording.findings, []);
        assert_eq!((recording.id.as_str(), recording.events.len()), ("c-1", 27));
        let foreign = recording.events.iter().filter(|event| matches!(event.kind, EventKind::Foreign { .. })).count();
        assert_eq!(foreign, 6, "kinds without an effect");
        let EventKind::MemoryWritten { value, .. } = &recording.events[5].kind else { panic!("a write") };
        assert_eq!(value.to_json(), r#"{"n":7}"#);
        let EventKind::ToolReturned { arguments, result, call_id, .. } = &recording.events[7].kind else {
            panic!("a tool")
        };
        assert_eq!((arguments.as_str(), result.as_str()), (r#"{"n":7}"#, r#"{"at": "door"}"#));
        assert_eq!(call_id.as_deref(), Some("c-9"));
        assert!(matches!(recording.events[8].kind, EventKind::ToolReturned { source: ToolSource::Mcp, .. }));
        let EventKind::BlockEntered { block, .. } = &recording.events[3].kind else { panic!("a block") };
        let EventKind::SkillInterrupted { step, .. } = &recording.events[15].kind else { panic!("a skill") };
        assert_eq!((&**block, step.as_deref()), ("track", Some("autonomous")));
        assert!(matches!(recording.events[19].kind, EventKind::ActionTaken { .. }));
        assert!(matches!(recording.events[26].kind, EventKind::SessionEnded));
    }
}

#[test]
fn a_session_that_is_opened_by_a_command_answers_the_first_words_once() {
    // M290; with the command, and without it
    let start = r#""event":"session_started""#;
    let hello =
        r#""event":"skill_activated","skill_id":"hello","metadata":{"triggering_user_message_timestamp":1001.5}"#;
    let (user, end) = (r#""event":"user","text":"hi""#, r#""event":"bot_turn_ended""#);
    let turns = |records: &[&str]| -> Vec<String> {
        let recording = read(&dump(records));
        assert_eq!(recording.findings, []);
        let lines = lines(&recording);
        lines.iter().filter(|line| line.contains("user_message") || line.contains("turn_ended")).cloned().collect()
    };
    let command = r#""event":"user","text":"/session_start""#;
    assert_eq!(
        turns(&[start, command, hello, end, user, end]),
        ["1 - user_message 1", "1 2 turn_ended 3", "2 - user_message 4", "2 5 turn_ended 5"]
    );
    assert_eq!(
        turns(&[start, user, hello, end, r#""event":"skill_activated","skill_id":"hold""#, end]),
        ["1 - user_message 1", "1 2 turn_ended 3", "2 2 turn_ended 5"]
    );
}

#[test]
fn words_that_were_not_taken_start_no_turn() {
    // M363
    let rejected = r#""event":"bot","text":"No.","metadata":{"utter_action":"utter_incoming_message_rejected"}"#;
    let records = [
        r#""event":"session_started""#,
        r#""event":"user","text":"hi""#,
        r#""event":"bot_turn_ended""#,
        r#""event":"user_input_suppressed","text":"uh","modality":"audio","reason":"backchannel""#,
        r#""event":"user","text":"4000""#,
        rejected,
        r#""event":"user","text":"hello""#,
        r#""event":"bot_turn_ended""#,
    ];
    let recording = read(&dump(&records));
    assert_eq!(recording.findings, [], "a rejected message has no end of a turn, and nothing is missing");
    assert_eq!(lines(&recording)[3..5], ["- - foreign 3", "2 - user_message 4"]);
    assert_eq!(lines(&recording)[6..], ["2 - user_message 6", "2 7 turn_ended 7"]);
}

#[test]
fn proto_json_rows_may_follow_flat_ones() {
    // M310, M368
    let flat = [
        r#""event":"session_started""#,
        r#""event":"user","text":"x""#,
        r#""event":"slot","name":"a.x","value":1"#,
        r#""event":"memory_set","key":"a.x","value":1"#,
    ];
    let text = format!("{{\"sender_id\":\"s\",\"events\":[{},{}]}}", list(&flat), proto("s", 2000, PROTO[5]));
    let recording = read(&text);
    assert_eq!(recording.findings, []);
    assert_eq!(lines(&recording)[2..], ["1 2 memory_written 2+3", "1 2 memory_written 4"]);
    let form = |index: usize| match recording.events[index].origin {
        Origin::Imported { form, .. } => form,
        Origin::Added | Origin::Recorded => panic!("it has a record"),
    };
    assert_eq!((form(2), form(3)), (Form::Flat, Form::ProtoJson));
}

#[test]
fn kinds_and_fields_that_proto_json_gains_are_named() {
    let text = [proto("c", 0, r#""session_started":{"mood":1}"#), proto("c", 1, r#""dream_begun":{"skill_id":"a"}"#)];
    let recording = read(&text.join("\n"));
    let texts: Vec<&str> = recording.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(texts, ["the field `mood` is unknown (once)", "the kind `dream_begun` is unknown (once)"]);
    assert!(matches!(&recording.events[1].kind, EventKind::Foreign { name } if name == "dream_begun"));
}

#[test]
fn sequence_numbers_that_run_backwards_are_one_finding() {
    // M308
    let text = [proto("c", 3, PROTO[0]), proto("c", 3, PROTO[9]).replacen("3.25", "4.25", 1)];
    let findings = read(&text.join("\n")).findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].text.starts_with("a record's sequence number"));
}

/// A broker file of two conversations, the lines of both mixed.
fn broker(turns: usize, words: &str) -> String {
    let mut text = String::new();
    for index in 0..turns {
        for session in ["ann", "bob"] {
            let records = [
                format!(r#""event":"user","text":"{words}""#),
                format!(r#""event":"slot","name":"{session}","value":{index}"#),
                r#""event":"action","name":"action_listen""#.to_owned(),
            ];
            for record in records {
                text += &format!("{{\"sender_id\":\"{session}\",{record},\"timestamp\":{index}.5}}\n");
            }
        }
    }
    text
}

#[test]
fn a_broker_file_holds_many_conversations() {
    let recordings = read_all(&broker(2, "x"));
    let ids: Vec<&str> = recordings.iter().map(|recording| recording.id.as_str()).collect();
    assert_eq!(ids, ["ann", "bob"]);
    for recording in &recordings {
        assert_eq!(recording.findings, []);
        assert_eq!(
            lines(recording),
            [
                "1 - session_started ",
                "1 - user_message 0",
                "1 2 memory_written 1",
                "1 2 turn_ended 2",
                "2 - user_message 3",
                "2 5 memory_written 4",
                "2 5 turn_ended 5",
            ]
        );
    }
}

#[test]
fn a_long_dump_is_the_same_as_its_list() {
    // Values that look as records do, so that the middle of the file may be taken for one; one record is damaged.
    let looks = r#"{"event":"user","text":"no"}"#;
    for padding in 0..3 {
        let write = format!(r#""event":"slot","name":"n","value":[{looks},{looks},"{}"]"#, "x".repeat(900 + padding));
        let mut records = vec![write.as_str(); 1500];
        records[700] = r#""event":"user","text":"\q""#;
        records[3] = r#""event":"user","text":"hi""#;
        records[1400] = r#""event":"action","name":"action_listen""#;
        let long = read(&dump(&records));
        let list = read(&format!("[{}]", list(&records)));
        assert_eq!(long.raw.count(), records.len());
        assert_same(&[Recording { id: "s".into(), ..list }], &[long]);
    }
}

#[test]
fn dumps_may_follow_each_other() {
    let dump = |id: &str| format!(r#"{{"sender_id":"{id}","events":[{{"event":"user","text":"x"}}],"slots":{{}}}}"#);
    let ids = |text: &str| -> Vec<String> {
        read_all(text).iter().map(|recording| format!("{} {}", recording.id, recording.events.len())).collect()
    };
    assert_eq!(ids(&format!("{}\n{}\n", dump("a"), dump("b"))), ["a 2", "b 2"]);
    let text = format!("{}\n{}", dump("a"), &dump("b")[..24]);
    assert_eq!(ids(&text), ["a 2", "b 0"]);
    assert_eq!(read_all(&text)[1].findings[0].kind, FindingKind::Cut);
    assert_eq!(read_all(&format!("{} and more", dump("a")))[0].findings[0].kind, FindingKind::Cut);
}

fn batches(bytes: &[u8]) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut input = bytes;
    stream(&mut input, "file.json", &mut |batch| {
        batches.push(batch);
        Ok(())
    })
    .expect("the record is readable");
    batches
}

/// Puts the batches of a stream together.
fn streamed(bytes: &[u8]) -> Vec<Recording> {
    let mut recordings: Vec<Recording> = Vec::new();
    for batch in batches(bytes) {
        let place = recordings.iter().position(|recording| recording.id == batch.session).unwrap_or_else(|| {
            recordings.push(Recording { id: batch.session.clone(), ..Recording::default() });
            recordings.len() - 1
        });
        let recording = &mut recordings[place];
        recording.events.extend(batch.events);
        recording.raw.extend(&batch.raw);
        recording.findings.extend(batch.findings);
        recording.profile = batch.profile.or(recording.profile);
        recording.definition = batch.definition.or(recording.definition.take());
        recording.recorded_end = batch.recorded_end.or(recording.recorded_end.take());
    }
    recordings
}

fn assert_same(left: &[Recording], right: &[Recording]) {
    assert_eq!(left.len(), right.len());
    for (left, right) in left.iter().zip(right) {
        assert_eq!(left.id, right.id);
        assert_eq!(left.events, right.events);
        assert_eq!(left.findings, right.findings);
        assert_eq!(left.raw.count(), right.raw.count());
        assert!((0..left.raw.count() as u32).all(|index| left.raw.get(index) == right.raw.get(index)));
        assert_eq!((left.profile, &left.definition), (right.profile, &right.definition));
        assert_eq!(left.recorded_end, right.recorded_end);
    }
}

#[test]
fn a_streamed_file_is_the_same_in_parts() {
    let text = broker(1000, &"words ".repeat(1000));
    let whole = read_all(&text);
    let parts = batches(text.as_bytes());
    assert!(parts.len() > 2, "a long file comes in parts");
    assert!(parts.is_sorted_by_key(|batch| batch.bytes_read));
    assert_eq!(parts.last().map(|batch| batch.bytes_read), Some(text.len() as u64));
    assert!(parts.iter().all(|batch| batch.raw.count() + 1 >= batch.events.len()));
    assert_same(&streamed(text.as_bytes()), &whole);

    let mut own = Vec::new();
    for recording in &whole {
        jsonl::write(recording, &mut own).expect("memory takes all");
    }
    assert!(batches(&own).len() > 2);
    assert_same(&streamed(&own), &whole);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).expect("memory takes all");
    packer.finish().expect("memory takes all")
}

#[test]
fn a_packed_file_is_unpacked() {
    for text in [broker(3, "x"), dump(&[r#""event":"session_started""#])] {
        let bytes = packed(text.as_bytes());
        let recordings = import::read(Arc::new(bytes.clone()), "file.json").expect("it is readable");
        assert_same(&recordings, &read_all(&text));
        assert_same(&streamed(&bytes), &recordings);
    }
    let whole = packed(broker(500, "x").as_bytes());
    let recordings = import::read(Arc::new(whole[..whole.len() - 4].to_vec()), "x").expect("all of it is readable");
    let cuts = recordings.iter().flat_map(|recording| &recording.findings);
    assert_eq!(cuts.map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::Cut]);
}

#[test]
fn what_a_file_is_shows_in_its_beginning() {
    let cases: [(&[u8], Shape); 10] = [
        (b"redb\x1a\x0a\xa9\x0d\x0a....", Shape::Log),
        (br#"{"sender_id":"s","slots":{},"stack":[],"terminated":false,"events":[]}"#, Shape::MantleDump),
        (br#"{"events":[{"event":"bot_turn_ended"}]}"#, Shape::MantleDump),
        (br#"{"latest_message":{},"slots":{"a":nu"#, Shape::ClassicDump),
        (b"\xef\xbb\xbf {\"events\": [", Shape::ClassicDump),
        (br#"[{"event":"user"}]"#, Shape::List),
        (br#"{"sender_id":"s","event":"user"}"#, Shape::Lines),
        (br#"{"conversation_id":"s","user":{}}"#, Shape::Lines),
        (br#"{"schema":"replay.session/1","id":"s"}"#, Shape::OwnLines),
        (b"[\n{\"schema\": \"replay.session/1\",\"id\":\"s\"},", Shape::OwnList),
    ];
    for (bytes, expected) in cases {
        assert_eq!(sniff(bytes, "x").expect("it is known"), expected, "{}", String::from_utf8_lossy(bytes));
    }
    let cases: [(&[u8], &str); 8] = [
        (b"", "x: the file is empty"),
        (b"\x7fELF\x02\x01\xff", "x: binary data"),
        (b"hello", "x: text that isn't JSON"),
        (b"[1, 2]", "x: a list of something else than events"),
        (br#"{"schema":"replay.session/9","a":1}"#, "x: an object that begins with `schema`, `a`"),
        (b"{}", "x: an object without keys"),
        (br#"[{"a":1},{"b":2}]"#, "x: not one of its 2 records is an event that can be read"),
        (br#"{"events":[{"name":"a"}]}"#, "x: its one record is no event that can be read"),
    ];
    for (bytes, expected) in cases {
        let error = import::read(Arc::new(bytes.to_vec()), "x").expect_err("it is unknown").to_string();
        assert_eq!(error.split(';').next(), Some(expected));
        assert!(error.contains("; accepted are a tracker dump, "), "{error}");
    }
    let log = import::read(Arc::new(b"redb\x1a\x0a\xa9\x0d\x0a".to_vec()), "x");
    assert!(matches!(log, Err(ImportError::Log { .. })));
}

#[test]
fn a_record_that_names_no_session_is_called_after_its_file_without_the_folders() {
    for record in [r#"{"events":[{"event":"user","text":"hi"}]}"#, r#"[{"event":"user","text":"hi"}]"#] {
        for file in ["talk.json", "a/talk.json", "/b/a/talk.json"] {
            let read = import::read(Arc::new(record.as_bytes().to_vec()), file).expect("it can be read");
            assert_eq!(read[0].id, "talk.json", "{file}: {record}");
        }
    }
}
