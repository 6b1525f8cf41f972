//! Records that break off, or can't be read in the middle: what stands before and behind is kept, the loss is told.

use std::sync::Arc;

use proptest::prelude::*;

use replay_store::event::EventKind;
use replay_store::event::finding::FindingKind;
use replay_store::import::{self, Recording, jsonl};
use replay_store::replay::Session;

use crate::import_traps::{dump, list, read};

const RECORDS: [&str; 7] = [
    r#""event":"session_started","metadata":{"a":[1,{"b":"}]"}]}"#,
    r#""event":"user","text":"say \"hi\" 😀 \u00e9""#,
    r#""event":"slot","name":"a.x","value":{"n":[1,2]}"#,
    r#""event":"memory_set","key":"a.x","value":{"n":[1,2]}"#,
    r#""event":"stack","update":"[{\"op\":\"add\",\"path\":\"/0\",\"value\":{\"frame_id\":\"F\",\"skill_id\":\"a\"}}]""#,
    r#""event":"bot","text":"hi","data":{}"#,
    r#""event":"bot_turn_ended""#,
];

/// The same small session in every form, with the ends of its records.
fn forms() -> Vec<(String, Vec<usize>)> {
    let records: Vec<String> = list(&RECORDS).split(",\n").map(str::to_owned).collect();
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let broker: String = records.iter().map(|record| record.replacen('{', r#"{"sender_id":"s","#, 1) + "\n").collect();
    let texts = [
        dump(&RECORDS).replacen("\"sender_id\"", "\"slots\":{\"a.x\":{\"n\":[1,2]}},\"sender_id\"", 1),
        dump(&RECORDS).replace(",\"", ",\n  \"").replace("{\"event\"", "{\n  \"event\""),
        format!("[{}]", list(&RECORDS)),
        lines,
        broker,
    ];
    texts.into_iter().map(|text| (text.clone(), ends(&text))).collect()
}

/// Where each record is over: its time stands last.
fn ends(text: &str) -> Vec<usize> {
    text.match_indices(".5}").map(|(place, end)| place + end.len()).collect()
}

fn raw_count(recording: &Recording) -> usize {
    recording.raw.count()
}

#[test]
fn a_record_cut_at_any_byte_keeps_all_that_is_whole() {
    for (text, ends) in forms() {
        assert_eq!(ends.len(), RECORDS.len(), "{text}");
        for cut in 0..text.len() {
            let expected = ends.iter().filter(|end| **end <= cut).count();
            let bytes = text.as_bytes()[..cut].to_vec();
            match import::read(Arc::new(bytes), "x") {
                Err(_) => assert_eq!(expected, 0, "cut at {cut}: {text}"),
                Ok(recordings) => {
                    let recording = &recordings[0];
                    assert_eq!(raw_count(recording), expected, "cut at {cut}: {text}");
                    let kinds: Vec<_> = recording.findings.iter().map(|finding| finding.kind).collect();
                    let is_between =
                        text.starts_with("{\"event\"") || text.starts_with("{\"sender_id\":\"s\",\"event\"");
                    let is_whole = is_between && ends.iter().any(|end| *end == cut || end + 1 == cut);
                    let cut_alone = if is_whole { vec![] } else { vec![FindingKind::Cut] };
                    let but_conflicts: Vec<_> =
                        kinds.into_iter().filter(|kind| *kind != FindingKind::StackConflict).collect();
                    assert_eq!(but_conflicts, cut_alone, "cut at {cut}: {text}");
                }
            }
        }
    }
}

#[test]
fn our_own_lines_cut_at_any_byte_keep_all_that_is_whole() {
    let mut bytes = Vec::new();
    let whole = read(&dump(&RECORDS));
    jsonl::write(&whole, &mut bytes).expect("memory takes all");
    for cut in 0..bytes.len() {
        let lines = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        match import::read(Arc::new(bytes[..cut].to_vec()), "x") {
            Err(_) => assert_eq!(lines, 0, "cut at {cut}"),
            Ok(recordings) => {
                let events = &recordings[0].events;
                // A line that lacks its line break alone is whole.
                let is_whole = bytes[cut] == b'\n';
                assert_eq!(events.len() + 1, lines + usize::from(is_whole), "cut at {cut}");
                assert_eq!(events[..], whole.events[..events.len()]);
                let is_cut = recordings[0].findings.iter().any(|finding| finding.kind == FindingKind::Cut);
                assert_eq!(is_cut, !is_whole && bytes[cut - 1] != b'\n', "cut at {cut}");
            }
        }
    }
}

type Damage = (FindingKind, Option<(u32, u32)>);

/// Reads a text that is damaged, and returns its findings and how many records it has.
fn damaged(text: &[u8]) -> (Vec<Damage>, usize, Recording) {
    let mut recordings = import::read(Arc::new(text.to_vec()), "x").expect("some of it is readable");
    let recording = recordings.remove(0);
    let findings = recording.findings.iter().filter(|finding| finding.kind != FindingKind::StackConflict);
    let findings = findings.map(|finding| (finding.kind, finding.raw)).collect();
    (findings, raw_count(&recording), recording)
}

#[test]
fn a_record_that_cant_be_read_is_kept_as_it_is() {
    for (text, _) in forms() {
        // A closed record with something in it that is no JSON.
        let text = text.replacen("hi\\\" 😀 \\u00e9", "\\q", 1);
        let (findings, count, recording) = damaged(text.as_bytes());
        assert_eq!((findings, count), (vec![(FindingKind::Damaged, Some((1, 1)))], RECORDS.len()), "{text}");
        let raw = recording.raw.get(1).expect("it is kept");
        assert!(raw.starts_with(b"{") && raw.ends_with(b"}"));
        assert!(matches!(recording.events[1].kind, EventKind::Foreign { .. }));
    }
}

#[test]
fn a_hole_in_the_middle_is_one_damaged_record() {
    for (text, _) in forms() {
        // Bytes are lost from inside the second record into the third: a text is left open.
        let from = text.find("say ").expect("it is there");
        let to = text.find("\"name\"").expect("it is there");
        let holed = format!("{}{}", &text[..from], &text[to..]);
        let (findings, count, _) = damaged(holed.as_bytes());
        assert_eq!((findings.len(), count), (1, RECORDS.len() - 1), "{holed}: {findings:?}");
        assert_eq!(findings[0].0, FindingKind::Damaged, "{holed}");
    }
}

#[test]
fn a_line_that_broke_off_hides_no_later_one() {
    let text = "{\"sender_id\":\"s\",\"event\":\"user\",\"text\":\"a\"}\n{\"sender_id\":\"s\",\"event\":\"us{\"sender_id\":\"s\",\"event\":\"bot\",\"text\":\"b\"}\n";
    let (findings, count, recording) = damaged(text.as_bytes());
    assert_eq!((findings, count), (vec![(FindingKind::Damaged, Some((1, 1)))], 3));
    assert!(matches!(&recording.events[3].kind, EventKind::AgentMessage { text, .. } if text == "b"));
}

#[test]
fn bytes_that_are_no_text_spoil_their_record_alone() {
    for (text, _) in forms() {
        let place = text.find("hi\\\"").expect("it is there");
        let mut bytes = text.into_bytes();
        bytes[place] = 0xff;
        let (findings, count, recording) = damaged(&bytes);
        assert_eq!((findings, count), (vec![(FindingKind::Damaged, Some((1, 1)))], RECORDS.len()));
        let mut own = Vec::new();
        jsonl::write(&recording, &mut own).expect("memory takes all");
        let again = import::read(Arc::new(own), "x").expect("it is readable");
        assert_eq!(again[0].raw.get(1), recording.raw.get(1));
    }
}

#[test]
fn a_damaged_line_of_our_own_keeps_its_position() {
    let mut own = Vec::new();
    let whole = read(&dump(&RECORDS));
    jsonl::write(&whole, &mut own).expect("memory takes all");
    let text = String::from_utf8(own).expect("it is text");
    let damaged = text.replacen("\"user_message\"", "\"user_massage\"", 1);
    let recording = read(&damaged);
    assert_eq!(recording.events.len(), whole.events.len());
    assert_eq!(recording.events[2..], whole.events[2..]);
    assert!(recording.findings.iter().any(|finding| finding.kind == FindingKind::Damaged));
    let lost: String =
        text.lines().enumerate().filter(|(line, _)| *line != 3).map(|(_, line)| format!("{line}\n")).collect();
    let findings = read(&lost).findings;
    assert_eq!(findings.iter().filter(|finding| finding.kind == FindingKind::Gap).count(), 1, "{findings:?}");
}

#[test]
fn what_python_writes_and_json_forbids_is_read_and_told() {
    let record = r#"{"sender_id":"s","events":[
        {"event":"session_started","timestamp":1.0},
        {"event":"slot","timestamp":2.0,"name":"hold.rate","value":NaN},
        {"event":"user","timestamp":3.0,"text":"well \ud83d"},
        {"event":"memory_set","timestamp":4.0,"key":"hold.count","value":12345678901234567890123}
    ]}"#;
    let recording = import::read(Arc::new(record.as_bytes().to_vec()), "s.json").expect("it can be read").remove(0);
    let kinds: Vec<&EventKind> = recording.events.iter().map(|event| &event.kind).collect();
    assert!(matches!(kinds[1], EventKind::MemoryWritten { value, .. } if value.is_null()), "{kinds:?}");
    assert!(matches!(kinds[2], EventKind::UserMessage { text, .. } if text == "well \u{fffd}"), "{kinds:?}");
    assert!(matches!(kinds[3], EventKind::MemoryWritten { .. }), "{kinds:?}");
    let told: Vec<&str> = recording.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "`NaN` or `Infinity` is no JSON; it is read as null (once)",
            "half of a character's escape was replaced by \u{fffd} (once)",
            "an integer of more than 64 bits is rounded; the raw record has all its digits (once)",
        ]
    );
    assert!(recording.raw.get(1).is_some_and(|bytes| bytes.ends_with(b"NaN}")), "the bytes stay as they were");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_makes_a_reader_panic(
        form in any::<proptest::sample::Index>(),
        patches in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..6),
        moved in any::<(proptest::sample::Index, proptest::sample::Index)>(),
    ) {
        let forms = forms();
        let mut bytes = form.get(&forms).0.clone().into_bytes();
        for (place, byte) in patches {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let (from, to) = (moved.0.index(bytes.len()), moved.1.index(bytes.len()));
        let (start, end) = (from.min(to), from.max(to));
        let piece = bytes[start..end].to_vec();
        bytes.splice(start..start, piece);
        for recording in import::read(Arc::new(bytes), "x").unwrap_or_default() {
            let session = Session::open(recording, None, None);
            session.memory_rows(&session.state(session.end()));
        }
    }
}
