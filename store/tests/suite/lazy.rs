//! A session of a log is read where it is wanted, and answers as one that is in memory as a whole.

use std::path::Path;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use replay_store::agent::definition::Definition;
use replay_store::event::{Event, EventKind, Form, Origin, Position, Tag};
use replay_store::import::Recording;
use replay_store::log::{Log, Writer};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::outline::{Mark, What, new_fold};
use replay_store::replay::{Named, Session, archive};
use replay_store::timestamp::Timestamp;

use crate::generated;
use crate::log_faults::{Numbers, flip, silence};

/// A recording of the kinds, over and over, with turns that end where they say so and raw records that come in any order.
fn recording(kinds: &[EventKind], count: usize) -> Recording {
    let mut recording = Recording { id: Name::from("s1"), ..Recording::default() };
    let mut turn = 1;
    let bytes = Arc::new(b"{}".to_vec());
    for (index, kind) in kinds.iter().cycle().take(count).enumerate() {
        let raw = (index ^ 1) as u32;
        let origin = match index % 7 {
            0 => Origin::Added,
            _ => Origin::Imported { raw, mirror: None, form: Form::Flat },
        };
        let number = (index % 5 != 3).then_some(turn);
        turn += u32::from(matches!(kind, EventKind::TurnEnded));
        let time = Timestamp(1_000_000 * index as i64);
        recording.events.push(Event { time, turn: number, cause: None, origin, kind: kind.clone() });
        recording.raw.push(&bytes, 0..bytes.len());
    }
    recording.raw.push(&bytes, 0..bytes.len());
    recording
}

/// An agent whose entries have the names of the events that are made up, most of them with an initial value.
fn agent(amount: &str) -> Definition {
    let file = |path: &str, text: &str| (Name::from(path), Arc::from(text.as_bytes()));
    let memory = format!("amount:\n  type: int\n  initial_value: {amount}\nleft:\n  type: text\n");
    let project = "phone:\n  type: text\n  initial_value: '0170'\nnever:\n  type: bool\n  initial_value: true\n";
    let files = [
        file("agent.yml", "name: a\n"),
        file("memory.yml", project),
        file("skills/billing/memory.yml", &memory),
        file("skills/billing/skill.md", "---\nname: billing\ndescription: bills\n---\nSay {memory.amount}.\n"),
    ];
    Definition { files: files.into() }
}

/// Saves a recording in two steps, each with a writer of its own, and opens it.
fn log(path: &Path, recording: &Recording, cut: usize) -> Arc<Log> {
    let mut first = recording.clone();
    first.events.truncate(cut);
    let mut writer = Writer::create(path, Some(new_fold)).expect("the place is empty");
    archive::save(&mut writer, &first).expect("there is room");
    writer.close().expect("it can be closed");
    let mut writer = Writer::open(path, Some(new_fold)).expect("it was closed");
    archive::save(&mut writer, recording).expect("it goes on");
    writer.close().expect("it can be closed");
    Arc::new(Log::open(path).expect("it was closed"))
}

fn assert_same(lazy: &Session, whole: &Session, positions: &[Position]) {
    assert_eq!(lazy.end(), whole.end());
    assert_eq!(lazy.turns, whole.turns);
    assert_eq!(lazy.findings, whole.findings);
    assert_eq!(lazy.marks(), whole.marks());
    assert!(lazy.touched_fields().eq(whole.touched_fields()));
    for at in positions {
        let at = *at;
        assert_eq!(lazy.event(at).as_deref(), whole.event(at).as_deref(), "event {at}");
        assert_eq!(lazy.state(at), whole.state(at), "state at {at}");
        assert_eq!(lazy.mark(at), whole.event(at).map(|event| Mark::of(&event)), "mark of {at}");
        assert_eq!(lazy.emptied(at), whole.emptied(at), "{at}");
        assert_eq!(lazy.taken_back(at), whole.taken_back(at), "{at}");
        assert_eq!(lazy.headline(at), whole.headline(at), "{at}");
        assert_eq!(lazy.prompt(at), whole.prompt(at), "prompt at {at}");
        assert_eq!(lazy.position_of_raw(at.0 as u32), naive_position_of_raw(whole, at.0 as u32), "raw {at}");
        for key in ["billing.amount", "project.phone", "project.never", "collect"] {
            let previous = at.0.checked_sub(1).and_then(|before| whole.state(Position(before)).memory.get(key)?.set_at);
            assert_eq!(lazy.previous_write(key, at), previous, "{key} before {at}");
            assert_eq!(lazy.next_write(key, at), naive_next_write(whole, key, at), "{key} after {at}");
        }
        let row = |session: &Session| session.memory_rows(&session.state(at));
        assert_eq!(row(lazy), row(whole), "rows at {at}");
    }
    let [first, .., last] = positions else { return };
    let list = |session: &Session| {
        let events = session.events_in(first.min(last)..first.max(last));
        events.map(|(at, event)| (at, (*event).clone())).collect::<Vec<_>>()
    };
    let back = |session: &Session| {
        let events = session.events_in(first.min(last)..first.max(last));
        events.rev().map(|(at, event)| (at, (*event).clone())).collect::<Vec<_>>()
    };
    assert_eq!(list(lazy), list(whole));
    assert!(back(lazy).into_iter().rev().eq(list(whole)));
    assert_eq!(lazy.damage(), None);
}

fn naive_position_of_raw(session: &Session, index: u32) -> Option<Position> {
    if index as usize >= session.raw.count() {
        return None;
    }
    let is_after = |event: &Event| matches!(event.origin, Origin::Imported { raw, .. } if raw > index);
    let after = session.events_in(..).find(|(_, event)| is_after(event));
    Some(after.map_or(session.end(), |(at, _)| Position(at.0 - 1)))
}

fn naive_next_write(session: &Session, key: &str, at: Position) -> Option<Position> {
    let writes = |event: &Event| matches!(&event.kind, EventKind::MemoryWritten { key: of, .. } if *of == key);
    session.events_after(at).find(|(_, event)| writes(event)).map(|(at, _)| at)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_session_of_a_log_answers_like_one_in_memory(
        kinds in vec(prop_oneof![3 => generated::kind(), 2 => generated::memory_kind()], 1..150),
        count in prop_oneof![3 => 1usize..400, 1 => 4000usize..4600],
        cut in any::<Index>(),
        positions in vec(any::<Index>(), 12),
        (embedded, folder) in (select(vec![None, Some("3")]), select(vec![None, Some("3"), Some("null"), Some("8")])),
        profile in select(vec![None, Some(Profile::Seed), Some(Profile::Mantle321)]),
    ) {
        let mut recording = recording(&kinds, count);
        recording.definition = embedded.map(agent);
        let place = tempfile::tempdir().expect("a folder for the test");
        let log = log(&place.path().join("session.log"), &recording, cut.index(count + 1));
        let named = Named { folder: folder.map(|amount| Arc::new(agent(amount))), profile };
        let lazy = archive::open_lazily(&log, "s1", named.clone()).expect("it is whole");
        let whole = Session::open(recording, named.folder, named.profile);
        let mut positions: Vec<Position> = positions.iter().map(|at| Position(at.index(count + 2) as u64)).collect();
        positions.extend([Position(0), whole.end(), Position(4096), Position(4097)]);
        assert_same(&lazy, &whole, &positions);
        prop_assert_eq!(archive::verify(&log).expect("it can be read").damage, []);
    }
}

#[test]
fn a_field_knows_what_happened_to_it() {
    let key = || Name::from("billing.amount");
    let writer = || replay_store::event::Writer::only(replay_store::event::Actor::Tool);
    let wrote = |value| EventKind::MemoryWritten { key: key(), value: Arc::new(value), writer: writer() };
    let activated =
        || EventKind::SkillActivated { skill: Name::from("billing"), by: replay_store::event::Activation::Model };
    let kinds = [
        activated(),
        wrote(replay_store::value::Value::Int(1)),
        wrote(replay_store::value::Value::Null),
        EventKind::SkillCompleted { skill: Name::from("billing") },
        activated(),
        EventKind::MemoryReset { key: key(), value: Arc::default() },
        EventKind::MemoryCleared { key: key(), writer: writer() },
    ];
    let session = Session::open(recording(&kinds, kinds.len()), None, None);
    let found: Vec<(u64, What)> = session.touches("billing.amount").iter().map(|it| (it.at().0, it.what())).collect();
    let expected = [(2, What::Written), (3, What::Nulled), (5, What::Reset), (6, What::ResetAgain), (7, What::Cleared)];
    assert_eq!(found, expected);
    assert_eq!(session.marked_after(Position(1), |mark| mark.tag() == Tag::SkillActivated), Some(Position(5)));
    assert_eq!(session.marked_before(Position(5), |mark| mark.tag() == Tag::SkillActivated), Some(Position(1)));
}

/// Events, states and everything from the outline are what was written, or it is said that something is damaged.
#[test]
fn a_damaged_log_is_never_answered_from_in_silence() {
    silence();
    let kinds: Vec<EventKind> = {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let strategy = vec(prop_oneof![generated::kind(), generated::memory_kind()], 90);
        strategy.new_tree(&mut runner).expect("there are kinds").current()
    };
    let recording = recording(&kinds, 4300);
    let place = tempfile::tempdir().expect("a folder for the test");
    let path = place.path().join("session.log");
    drop(log(&path, &recording, 2000));
    let bytes = std::fs::read(&path).expect("it is there");
    let whole = Session::open(recording, None, None);
    let (mut numbers, mut noticed, mut anew) = (Numbers(7), 0, 0);
    for _ in 0..60 {
        let mut damaged = bytes.clone();
        let what = flip(&mut damaged, &mut numbers, bytes.len());
        std::fs::write(&path, damaged).expect("there is room");
        let Ok(log) = Log::open(&path) else { continue };
        let Ok(lazy) = archive::open_lazily(&Arc::new(log), "s1", Named::default()) else { continue };
        assert_eq!((&lazy.turns, lazy.marks()), (&whole.turns, whole.marks()), "{what}");
        assert!(lazy.touched_fields().eq(whole.touched_fields()), "{what}");
        anew += usize::from(lazy.findings.len() > whole.findings.len());
        let events = whole.events_in(..).zip(lazy.events_in(..)).all(|(one, other)| *one.1 == *other.1);
        let states = (0..=4300).step_by(61).all(|at| whole.state(Position(at)) == lazy.state(Position(at)));
        assert!(events && states || lazy.damage().is_some(), "{what}");
        noticed += usize::from(lazy.damage().is_some());
    }
    assert!(noticed > 0, "some of the flips lie in events: {noticed} and {anew}");
}
