//! Recordings in a log: what is loaded is what was saved, and a record is added to, never overwritten.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use replay_store::agent::definition::Definition;
use replay_store::digest::Digest;
use replay_store::event::finding::{Finding, FindingKind};
use replay_store::event::raw::RawRecords;
use replay_store::event::{Event, EventKind, Form, Origin, Position, RecordedFrame};
use replay_store::import::stream::Batch;
use replay_store::import::{self, RecordedEnd, Recording, jsonl};
use replay_store::log::{Log, LogError, Writer};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::Named;
use replay_store::replay::archive::{self, ArchiveError, Difference, Given, SaveReport, Saver};
use replay_store::replay::outline::new_fold;
use replay_store::session::{self, State, checkpoint};
use replay_store::timestamp::Timestamp;
use tempfile::TempDir;

use crate::generated;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("session.log");
    (folder, path)
}

fn create() -> (TempDir, Writer) {
    let (folder, path) = place();
    (folder, Writer::create(&path, Some(new_fold)).expect("the place is empty"))
}

/// A recording of these kinds: each from a raw record of its own, some with a mirror, some records without an event.
fn recording(id: &str, kinds: Vec<EventKind>) -> Recording {
    let mut recording = Recording { id: Name::from(id), ..Recording::default() };
    let mut raw = 0;
    for (index, kind) in kinds.into_iter().enumerate() {
        let origin = match index % 5 {
            0 => Origin::Added,
            1 => Origin::Imported { raw: raw + 1, mirror: Some(raw), form: Form::Flat },
            _ => Origin::Imported { raw, mirror: None, form: Form::ProtoJson },
        };
        let time = Timestamp(1_000_000 * index as i64);
        let cause = (index > 3).then_some(Position(3));
        recording.events.push(Event { time, turn: Some(1), cause, origin, kind });
        // Every fifth record is one that no event was made from.
        raw += [0, 2, 1, 1, 2][index % 5];
    }
    for index in 0..raw {
        let record = Arc::new(format!("{{\"record\": {index}, {:?}}}", "x".repeat(index as usize % 90)).into_bytes());
        let len = record.len();
        recording.raw.push(&record, 0..len);
    }
    recording
}

fn with_all(mut recording: Recording) -> Recording {
    let file = |path: &str, text: &str| (Name::from(path), Arc::from(text.as_bytes()));
    let text = "a key stands twice: `\u{202e}`".to_owned();
    recording.findings = vec![Finding { kind: FindingKind::DuplicateKey, raw: Some((0, 1)), text }];
    recording.profile = Some(Profile::Mantle321);
    recording.definition =
        Some(Definition { files: [file("agent.yml", "a: 1"), file("skills/a/skill.md", "# A")].into() });
    let frame = RecordedFrame {
        frame: Name::from("f"),
        skill: Name::from("a"),
        block: None,
        step: Some(Name::from("s")),
        interrupted: true,
    };
    let value = replay_store::value::Value::from_json("[1, 2.0, {\"b\": null, \"a\": 0.1}]").expect("it is JSON");
    recording.recorded_end = Some(RecordedEnd { slots: vec![(Name::from("a.k"), value)], stack: vec![frame] });
    recording
}

fn assert_equal(left: &Recording, right: &Recording) {
    let records = |raw: &RawRecords| -> Vec<Vec<u8>> {
        (0..raw.count() as u32).map(|index| raw.get(index).expect("there are as many").to_vec()).collect()
    };
    assert_eq!(left.id, right.id);
    assert_eq!(left.events, right.events);
    assert_eq!(records(&left.raw), records(&right.raw));
    assert_eq!(left.findings, right.findings);
    assert_eq!(left.profile, right.profile);
    assert_eq!(left.definition, right.definition);
    assert_eq!(left.recorded_end, right.recorded_end);
}

fn messages(count: usize) -> Vec<EventKind> {
    let message = |index| EventKind::UserMessage { text: format!("message {index}"), channel: None, message_id: None };
    (0..count).map(message).collect()
}

/// Returns the first events of a recording, with the raw records before those of the next one.
fn beginning(recording: &Recording, events: usize) -> Recording {
    let raw = recording.events[events..].iter().flat_map(|event| event.origin.raw_indexes()).min();
    let mut beginning = recording.clone();
    beginning.events.truncate(events);
    if let Some(raw) = raw {
        beginning.raw.split_off(raw);
    }
    beginning
}

fn assert_whole(log: &Log) {
    let report = archive::verify(log).expect("the file can be read");
    assert_eq!(report.damage, []);
    assert_eq!(report.head, Some(log.head().expect("it is whole")));
    for session in report.sessions {
        assert_eq!(session.vouched, 0..session.session.event_count);
        assert_eq!(session.raw_vouched, session.session.raw_count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_loaded_is_what_was_saved(kinds in proptest::collection::vec(generated::kind(), 0..200)) {
        let saved = with_all(recording("a", kinds));
        let (_folder, mut writer) = create();
        let report = archive::save(&mut writer, &saved).expect("there is room");
        prop_assert_eq!((report.before, report.added), (0, saved.events.len() as u64));
        assert_equal(&archive::load(writer.log(), "a").expect("it is there"), &saved);
        assert_whole(writer.log());
    }

    /// However a record is cut into batches, and whatever of it was there before, the log holds the same.
    #[test]
    fn batches_make_no_difference(
        kinds in proptest::collection::vec(generated::kind(), 1..120),
        cut in any::<prop::sample::Index>(),
        before in any::<prop::sample::Index>(),
    ) {
        let whole = with_all(recording("a", kinds));
        let (_folder, mut at_once) = create();
        let expected = archive::save(&mut at_once, &whole).expect("there is room").session;

        let (_folder, mut in_parts) = create();
        let first = beginning(&whole, before.index(whole.events.len() + 1));
        archive::save(&mut in_parts, &first).expect("there is room");
        let session = save_in_two(&mut in_parts, &whole, cut.index(whole.events.len() + 1)).session;
        prop_assert_eq!(session.digest, expected.digest);
        prop_assert_eq!((session.event_count, session.raw_count), (expected.event_count, expected.raw_count));
        assert_equal(&archive::load(in_parts.log(), "a").expect("it is there"), &whole);
        assert_whole(in_parts.log());
    }

    #[test]
    fn a_checkpoint_is_the_state(kinds in proptest::collection::vec(generated::kind(), 1..60)) {
        let mut state = State::default();
        for event in recording("a", kinds).events {
            session::evolve(&mut state, &event);
            let bytes = checkpoint::save(&state);
            prop_assert_eq!(&checkpoint::restore(&bytes, &mut Default::default()).expect("it was just saved"), &state);
        }
    }
}

fn save_in_two(writer: &mut Writer, whole: &Recording, cut: usize) -> SaveReport {
    let first = beginning(whole, cut);
    let mut raw = whole.raw.clone();
    let rest = raw.split_off(first.raw.count() as u32);
    let mut saver = Saver::new(writer);
    let batch = Batch {
        session: whole.id.clone(),
        events: first.events,
        raw: first.raw,
        profile: whole.profile,
        definition: whole.definition.clone(),
        ..Batch::default()
    };
    saver.add(&batch).expect("there is room");
    let batch = Batch {
        session: whole.id.clone(),
        events: whole.events[cut..].to_vec(),
        raw: rest,
        findings: whole.findings.clone(),
        recorded_end: whole.recorded_end.clone(),
        is_last: true,
        ..Batch::default()
    };
    saver.add(&batch).expect("there is room")
}

/// Sessions of 384, 576 and 768 such events end where a segment is just full.
#[test]
fn a_session_is_whole_and_grows_wherever_it_stops() {
    let text = |index: u64| Digest::of(&index.to_le_bytes()).to_string()[..40].to_owned();
    let message = |index| EventKind::UserMessage { text: text(index), channel: None, message_id: None };
    let whole = recording("a", (0..2000).map(message).collect());
    for count in (320..=768).step_by(64) {
        let (_folder, path) = place();
        Writer::create(&path, Some(new_fold)).expect("the place is empty").close().expect("there is room");
        for events in [count, count + 40, whole.events.len()] {
            let mut writer = Writer::open(&path, Some(new_fold)).expect("nobody else has it");
            archive::save(&mut writer, &beginning(&whole, events)).expect("there is room");
            assert_whole(writer.log());
        }
    }
}

#[test]
fn importing_again_adds_the_rest() {
    let whole = with_all(recording("a", messages(900)));
    let (_folder, mut writer) = create();
    let part = beginning(&whole, 500);
    let report = archive::save(&mut writer, &part).expect("there is room");
    assert_eq!((report.before, report.added), (0, 500));
    let report = archive::save(&mut writer, &whole).expect("it begins the same");
    assert_eq!((report.before, report.added, report.session.event_count), (500, 400, 900));
    let again = archive::save(&mut writer, &whole).expect("it is the same");
    assert_eq!((again.before, again.added), (900, 0));
    assert_eq!(again.session, report.session);
    let older = archive::save(&mut writer, &part).expect("the log begins with it");
    assert_eq!((older.added, older.session), (0, report.session));
    assert_equal(&archive::load(writer.log(), "a").expect("it is there"), &whole);
}

#[test]
fn another_record_of_the_same_name_is_refused_at_its_first_difference() {
    let whole = recording("a", messages(300));
    let (_folder, mut writer) = create();
    let report = archive::save(&mut writer, &whole).expect("there is room");
    let refused = |other: &Recording, writer: &mut Writer| match archive::save(writer, other) {
        Err(ArchiveError::Differs { first, .. }) => first,
        other => panic!("{other:?}"),
    };
    let mut changed = whole.clone();
    changed.events[201].kind = EventKind::TurnEnded;
    assert_eq!(refused(&changed, &mut writer), Difference::Event(202));
    changed.events.truncate(250);
    assert_eq!(refused(&changed, &mut writer), Difference::Event(202));
    // A changed byte of a raw record shows in the event that was made from it.
    let mut other_raw = recording("a", messages(300));
    let mut raw = other_raw.raw.split_off(7);
    let record = Arc::new(b"other".to_vec());
    other_raw.raw.push(&record, 0..5);
    other_raw.raw.extend(&raw.split_off(1));
    let event = whole.events.iter().position(|event| event.origin.raw_indexes().contains(&7));
    match event {
        Some(index) => assert_eq!(refused(&other_raw, &mut writer), Difference::Event(index as u64 + 1)),
        None => assert_eq!(refused(&other_raw, &mut writer), Difference::RawRecord(7)),
    }
    assert_eq!(writer.log().session("a").expect("it is whole"), report.session);
}

#[test]
fn the_same_record_gives_the_same_digest_in_every_log() {
    let whole = with_all(recording("a", messages(300)));
    let (_folder, mut first) = create();
    let (_folder, mut second) = create();
    archive::save(&mut second, &recording("b", messages(5))).expect("there is room");
    let left = archive::save(&mut first, &whole).expect("there is room").session;
    let right = archive::save(&mut second, &whole).expect("there is room").session;
    assert_eq!(left.digest, right.digest);

    let loaded = archive::load(first.log(), "a").expect("it is there");
    let (_folder, mut third) = create();
    assert_eq!(archive::save(&mut third, &loaded).expect("there is room").session.digest, left.digest);
    assert_eq!(third.log().head().expect("it is whole"), first.log().head().expect("it is whole"));
}

#[test]
fn exporting_and_importing_gives_the_same_digest() {
    let dump = br#"{"sender_id": "a", "events": [
        {"event": "action", "name": "action_session_start", "timestamp": 1.0},
        {"event": "session_started", "timestamp": 1.5},
        {"event": "user", "text": "hello", "timestamp": 2.0},
        {"event": "slot", "name": "s", "value": {"a": [1, 2.50]}, "timestamp": 3.0},
        {"event": "bot", "text": "hi", "timestamp": 4.0},
        {"event": "action", "name": "action_listen", "timestamp": 5.0}]}"#;
    let imported = import::read(Arc::new(dump.to_vec()), "dump.json").expect("it is a dump");
    let (_folder, mut first) = create();
    let session = archive::save(&mut first, &imported[0]).expect("there is room").session;
    let mut lines = Vec::new();
    let loaded = archive::load(first.log(), &session.id).expect("it is there");
    jsonl::write(&loaded, &mut lines).expect("memory is large");
    let again = import::read(Arc::new(lines), "export.jsonl").expect("it is ours");
    let (_folder, mut second) = create();
    let other = archive::save(&mut second, &again[0]).expect("there is room").session;
    assert_eq!((other.id, other.digest), (session.id, session.digest));
}

#[test]
fn sessions_share_the_files_of_one_definition() {
    let large: Arc<[u8]> = (0..200_000u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let definition = Definition { files: [(Name::from("skills/a/skill.md"), large)].into() };
    let (folder, mut writer) = create();
    for number in 0..10 {
        let mut recording = recording(&format!("s{number}"), messages(2));
        recording.definition = Some(definition.clone());
        archive::save(&mut writer, &recording).expect("there is room");
    }
    let session = writer.log().session("s7").expect("it is there");
    let digest = archive::definition_digest(writer.log(), &session).expect("it is whole");
    assert_eq!(digest, Some(definition.digest()));
    assert_eq!(archive::load(writer.log(), "s7").expect("it is there").definition, Some(definition));
    writer.close().expect("there is room");
    let len = std::fs::metadata(folder.path().join("session.log")).expect("it is there").len();
    assert!(len < 4_000_000, "{len}");
}

#[test]
fn a_session_that_is_not_there_is_told() {
    let (_folder, writer) = create();
    let error = archive::load(writer.log(), "nobody").expect_err("it is empty");
    assert!(matches!(error, ArchiveError::Log(LogError::NoSession { .. })));
}

#[test]
fn a_session_opens_without_its_agent_folder_where_that_is_damaged() {
    let (folder, path) = place();
    let mark = b"you answer for the lending desk";
    let mut recording = recording("s1", vec![EventKind::TurnEnded]);
    recording.definition = Some(Definition { files: [(Name::from("agent.yml"), Arc::from(mark.as_slice()))].into() });
    let mut writer = Writer::create(&path, Some(new_fold)).expect("the place is empty");
    archive::save(&mut writer, &recording).expect("it can be saved");
    writer.close().expect("it can be closed");

    let mut bytes = std::fs::read(&path).expect("the log can be read");
    let places: Vec<usize> = (0..bytes.len() - mark.len()).filter(|at| bytes[*at..].starts_with(mark)).collect();
    assert!(!places.is_empty(), "a short file is stored as it is");
    places.into_iter().for_each(|at| bytes[at] ^= 1);
    let damaged = folder.path().join("damaged.log");
    std::fs::write(&damaged, bytes).expect("the copy can be written");

    let log = Arc::new(Log::open(&damaged).expect("it opens"));
    assert!(archive::load(&log, "s1").is_err(), "who wants all of it is refused");
    let opened = archive::open_lazily(&log, "s1", Named::default()).expect("its events are whole");
    assert!(opened.events_in(..).map(|(_, event)| event.kind.clone()).eq([EventKind::TurnEnded]));
    assert!(opened.agent.is_none());
    assert!(opened.findings.iter().any(|finding| finding.kind == FindingKind::Damaged), "{:?}", opened.findings);
    assert_eq!(opened.raw.get(0).as_deref(), recording.raw.get(0));
    // What is exported of it has all but the folder.
    let mut lines = Vec::new();
    let mut writer = jsonl::Writer::new(&mut lines, jsonl::Form::Lines);
    let findings = archive::unload(&log, "s1", &Given::default(), &[], &mut writer).expect("its events are whole");
    assert!(findings.iter().any(|finding| finding.kind == FindingKind::Damaged), "{findings:?}");
    let again = import::read(Arc::new(lines), "s1").expect("it reads").remove(0);
    assert_eq!((again.events, again.definition), (recording.events, None));
}
