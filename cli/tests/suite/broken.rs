//! Records that are cut or damaged: never a panic, and all that is complete is shown.

use std::fs;

use serde_json::Value;

use crate::program::{program, root, text};

/// A small record of each form, one raw record a line.
const SMALL: [(&str, &str); 3] = [
    (
        "flat",
        r#"{"sender_id": "s", "slots": {"a.b": 1}, "stack": [], "events": [
{"event": "session_started", "timestamp": 1.5, "metadata": {}},
{"event": "user", "timestamp": 2.5, "text": "h\u00e9llo", "input_channel": "rest", "message_id": "m"},
{"event": "slot", "timestamp": 3.5, "name": "a.b", "value": 1},
{"event": "memory_set", "timestamp": 3.6, "key": "a.b", "value": 1},
{"event": "bot", "timestamp": 4.5, "text": "hi", "data": {}, "metadata": {"mantle_response_source": "llm"}},
{"event": "bot_turn_ended", "timestamp": 5.5}
]}"#,
    ),
    (
        "lines",
        r#"{"conversation_id": "s", "timestamp": 1.5, "sequence": 0, "session_started": {}}
{"conversation_id": "s", "timestamp": 2.5, "sequence": 1, "user": {"text": "hello", "parse_data": {}}}
{"conversation_id": "s", "timestamp": 3.5, "sequence": 2, "memory_set": {"key": "a.b", "value_json": "1"}}
{"conversation_id": "s", "timestamp": 4.5, "sequence": 3, "bot_turn_ended": {}}"#,
    ),
    (
        "classic",
        r#"{"sender_id": "s", "events": [
{"event": "session_started", "timestamp": 1.1},
{"event": "action", "name": "action_listen", "timestamp": 1.2},
{"event": "user", "text": "hi", "parse_data": {"intent": {"name": "greet"}}, "timestamp": 1.3},
{"event": "restart", "timestamp": 1.4}
]}"#,
    ),
];

#[test]
fn a_record_cut_at_any_byte_shows_all_that_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, record) in SMALL {
        let path = folder.path().join(name);
        for end in 0..record.len() {
            fs::write(&path, &record.as_bytes()[..end]).expect("the folder takes files");
            let output = program().arg("--json").arg(&path).output().expect("the program starts");
            let (code, said) = (output.status.code(), text(&output.stderr));
            assert!(said.lines().count() <= 1, "{name} cut at {end}: {said}");
            let complete = complete_records(record, end);
            match code {
                Some(0) => {
                    let summary: Value = serde_json::from_slice(&output.stdout).expect("an answer is JSON");
                    assert_eq!(summary["raw_records"], complete, "{name} cut at {end}: {said}");
                    // Lines that end where a record ends look whole.
                    let looks_whole =
                        name == "lines" && [end - 1, end].iter().any(|at| record.as_bytes()[*at] == b'\n');
                    assert_eq!(said.is_empty(), looks_whole, "{name} cut at {end} says what is lost: {said}");
                }
                Some(3) => assert_eq!((complete, output.stdout.len()), (0, 0), "{name} cut at {end}: {said}"),
                _ => panic!("{name} cut at {end}: {code:?} {said}"),
            }
        }
    }
}

/// Returns how many raw records stand whole before `end`.
fn complete_records(record: &str, end: usize) -> usize {
    let mut start = 0;
    let mut count = 0;
    for line in record.split_inclusive('\n') {
        let whole = line.trim_end_matches(['\n', ',']);
        if whole.starts_with("{\"event\"") || whole.starts_with("{\"conversation_id\"") {
            count += usize::from(start + whole.len() <= end);
        }
        start += line.len();
    }
    count
}

#[test]
fn nothing_sensible_becomes_no_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let [record, log] = ["record", "a.log"].map(|name| folder.path().join(name));
    for nonsense in [r#"[{"a": 1}, {"b": 2}]"#, "{\"event\": oh}\n{\"event\": no}\n", r#"{"events": [{"name": "x"}]}"#]
    {
        fs::write(&record, nonsense).expect("the folder takes files");
        let output = program().arg("import").arg(&record).arg("-o").arg(&log).output().expect("the program starts");
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{nonsense}: {said}");
        assert!(!log.exists(), "{nonsense} makes no log");
    }
}

#[test]
fn damage_of_one_kind_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let [record, log] = ["record", "a.log"].map(|name| folder.path().join(name));
    let (_, lines) = SMALL[1];
    let spoiled = format!("{lines}\n{}", "{\"user\": oh no}\n".repeat(100));
    fs::write(&record, spoiled).expect("the folder takes files");
    let output = program().arg("import").arg(&record).arg("-o").arg(&log).output().expect("the program starts");
    let (answer, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(answer.matches("damaged").count(), 1, "{answer}");
    assert!(answer.contains("100 records can't be read, the first is raw 4: "), "{answer}");
    assert!(said.ends_with("; the rest is kept\n") && said.lines().count() == 1, "{said}");
}

#[test]
fn every_single_byte_may_be_wrong() {
    let record = fs::read(root().join("samples/sessions/bikes-old-site.json")).expect("the sample is there");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong");
    for place in (0..record.len()).step_by(97) {
        for byte in [0u8, b'"', b'}', 0xff] {
            let mut wrong = record.clone();
            wrong[place] = byte;
            fs::write(&path, &wrong).expect("the folder takes files");
            let output = program().arg("show").arg(&path).output().expect("the program starts");
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 3)), "byte {byte} at {place}: {code:?} {}", text(&output.stderr));
        }
    }
}
