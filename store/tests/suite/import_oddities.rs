//! What is odd in a record, or about its end, is a finding: told once, with how often it was met.

use replay_store::event::finding::FindingKind;
use replay_store::event::{EventKind, MessageSource};
use replay_store::value::Value;

use crate::import_traps::{dump, kinds, lines, read};

#[test]
fn unknown_kinds_and_fields_are_kept_counted_and_named() {
    // M306
    let recording = read(&dump(&[
        r#""event":"session_started","mood":"good""#,
        r#""event":"skill_dreamt","skill_id":"a""#,
        r#""event":"user","text":"x","mood":"bad","aura":1"#,
        r#""event":"skill_dreamt","skill_id":"b""#,
    ]));
    assert_eq!(lines(&recording)[1], "1 3 foreign 1");
    assert!(recording.raw.get(1).is_some_and(|raw| raw.starts_with(b"{\"event\":\"skill_dreamt\"")));
    let texts: Vec<&str> = recording.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "the field `mood` is unknown (2 times)",
            "the kind `skill_dreamt` is unknown (2 times)",
            "the field `aura` is unknown (once)"
        ]
    );
    assert!(recording.findings.iter().all(|finding| finding.kind == FindingKind::Unknown));
}

#[test]
fn the_last_of_doubled_keys_counts_and_is_told_once() {
    let recording = read(&dump(&[
        r#""event":"user","text":"one","text":"two""#,
        r#""event":"bot","text":"three","metadata":{},"metadata":{"mantle_response_source":"filler"},"text":"four""#,
    ]));
    assert!(matches!(&recording.events[1].kind, EventKind::UserMessage { text, .. } if text == "two"));
    assert!(matches!(&recording.events[2].kind, EventKind::AgentMessage { source: MessageSource::Filler, .. }));
    let texts: Vec<&str> = recording.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(
        texts,
        ["the key `text` stands twice in one record (2 times)", "the key `metadata` stands twice in one record (once)"]
    );
}

#[test]
fn what_was_anonymised_after_the_run_is_told() {
    // M344
    let recording = read(&dump(&[
        r#""event":"user","text":"[PHONE]","anonymized_at":1764493300.5"#,
        r#""event":"memory_set","key":"project.phone","value":"[PHONE]","anonymized_at":1764493300.5"#,
        r#""event":"memory_set","key":"project.tier","value":"gold","anonymized_at":null"#,
        r#""memory_set":{"key":"project.phone","value_json":"\"[PHONE]\"","anonymized_at":1764493301}"#,
        r#""memory_set":{"key":"project.tier","value_json":"\"gold\"","anonymized_at":0}"#,
    ]));
    assert_eq!(kinds(&recording.findings), [FindingKind::Anonymised, FindingKind::Anonymised]);
    let end = "was anonymised after the run: what stands there is not what the agent saw";
    assert_eq!(recording.findings[0].text, format!("the text of a user message {end} (once)"));
    assert_eq!(recording.findings[1].text, format!("the value of `project.phone` {end} (2 times)"));
}

#[test]
fn times_that_run_backwards_are_one_finding() {
    let text = r#"{"events":[{"event":"user","timestamp":5.0},{"event":"bot","timestamp":4.0},{"event":"bot","timestamp":3.5},{"event":"bot","timestamp":6}]}"#;
    let recording = read(text);
    assert_eq!(kinds(&recording.findings), [FindingKind::TimeBackwards]);
    assert_eq!(recording.findings[0].raw, Some((1, 2)));
    assert_eq!(recording.findings[0].text, "a record's time is earlier than the one before it (2 times)");
    assert_eq!(recording.id, "file.json");
}

#[test]
fn a_record_that_claims_another_place_is_one_finding() {
    let write = |position: u32| {
        format!(
            r#""event":"memory_set","key":"a.x","value":1,"metadata":{{"mantle_write_provenance":{{"tool":"t","position":{position}}}}}"#
        )
    };
    let check = |positions: [u32; 4], expected: &[(u32, u32)], word: &str| {
        let writes = positions.map(write);
        let records: Vec<&str> =
            [r#""event":"session_started""#].into_iter().chain(writes.iter().map(String::as_str)).collect();
        let findings = read(&dump(&records)).findings;
        let places: Vec<(u32, u32)> = findings.iter().filter_map(|finding| finding.raw).collect();
        assert_eq!(places, expected, "{findings:?}");
        assert!(findings.iter().all(|finding| finding.text.contains(word)), "{findings:?}");
    };
    check([1, 2, 3, 4], &[], "");
    check([1, 2, 5, 6], &[(3, 3)], "2 records are missing");
    check([7, 8, 9, 10], &[(0, 1)], "6 records are missing");
    check([1, 2, 2, 3], &[(3, 3)], "1 record was added");
    check([1, 9, 3, 4], &[(2, 2)], "another place than its own");
    check([1, 3, 4, 6], &[(2, 2), (4, 4)], "1 record is missing");
}

#[test]
fn what_a_dump_says_about_its_end_is_compared() {
    // M370
    let dump = |slots: &str, latest: &str| {
        format!(
            r#"{{"sender_id":"s","slots":{slots},"latest_event_time":{latest},"events":[{{"event":"session_started","timestamp":1.0}},{{"event":"memory_set","key":"a.x","value":1,"timestamp":2.0}}]}}"#
        )
    };
    assert_eq!(read(&dump(r#"{"a.x":1.0,"a.never":null}"#, "2.0")).findings, []);
    assert_eq!(kinds(&read(&dump(r#"{"a.x":2}"#, "2.0")).findings), [FindingKind::EndConflict]);
    assert_eq!(kinds(&read(&dump("{}", "3.0")).findings), [FindingKind::Gap]);
    assert_eq!(kinds(&read(&dump("{}", "1.5")).findings), [FindingKind::EndConflict]);
    let end = read(&dump(r#"{"b":2,"a.x":1}"#, "2.0")).recorded_end.expect("the dump has an end");
    assert_eq!(end.slots, [("b".into(), Value::Int(2)), ("a.x".into(), Value::Int(1))]);
}

#[test]
fn the_last_message_that_a_dump_knows_is_among_its_records() {
    let text = |id: &str| {
        format!(
            r#"{{"latest_message":{{"message_id":"{id}"}},"stack":[],"events":[{{"event":"user","text":"x","message_id":"m"}}]}}"#
        )
    };
    assert_eq!(read(&text("m")).findings, []);
    let findings = read(&text("n")).findings;
    assert_eq!((kinds(&findings), findings[0].raw), (vec![FindingKind::Gap], Some((1, 1))));
}
