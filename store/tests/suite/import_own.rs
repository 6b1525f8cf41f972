//! Our own JSON Lines say all we know: what was written is read back, whatever it is.

use std::path::Path;
use std::sync::Arc;

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use replay_store::agent::definition::Definition;
use replay_store::digest::Digest;
use replay_store::event::finding::{Finding, FindingKind};
use replay_store::event::raw::RawRecords;
use replay_store::event::{
    Activation, Actor, Event, EventKind, Form, MessageSource, Origin, Position, RecordedFrame, Rewind, ToolCall,
    ToolCaller, ToolOutcome, ToolSource, UtterCause, WriteRefusal, Writer,
};
use replay_store::import::{self, RecordedEnd, Recording, jsonl};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::rule::Rule;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z_.]{0,8}", 1 => any::<String>()]
}

fn name() -> impl Strategy<Value = Name> {
    text().prop_map(Name::from)
}

fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("JSON has no others", |number| number.is_finite())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| Value::Int(number.into())),
        any::<u64>().prop_map(|number| Value::Int(number.into())),
        number().prop_map(Value::Float),
        text().prop_map(Value::Text),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let pairs = btree_map(text(), inner.clone(), 0..4);
        prop_oneof![
            vec(inner, 0..4).prop_map(Value::List),
            pairs.prop_map(|pairs| Value::Map(pairs.into_iter().collect())),
        ]
    })
}

fn shared() -> impl Strategy<Value = Arc<Value>> {
    value().prop_map(Arc::new)
}

fn writer() -> impl Strategy<Value = Writer> {
    let actor = prop::sample::select(vec![
        Actor::Tool,
        Actor::Model,
        Actor::Step,
        Actor::Button,
        Actor::Hook,
        Actor::Seed,
        Actor::Engine,
        Actor::Unknown,
    ]);
    let names = (of(name()), of(name()), of(name()), of(name()), of(name()));
    (actor, names, text(), of(any::<u32>())).prop_map(|(actor, names, arguments, recorded_index)| {
        let (tool, skill, step, frame, call_id) = names;
        Writer { actor, tool, skill, step, frame, call_id, arguments, recorded_index }
    })
}

fn frame() -> impl Strategy<Value = RecordedFrame> {
    (name(), name(), of(name()), of(name()), any::<bool>())
        .prop_map(|(frame, skill, block, step, interrupted)| RecordedFrame { frame, skill, block, step, interrupted })
}

fn message() -> impl Strategy<Value = EventKind> {
    let source = prop::sample::select(vec![
        MessageSource::Template,
        MessageSource::Rephrased,
        MessageSource::Model,
        MessageSource::Filler,
        MessageSource::ToolCode,
        MessageSource::Unknown,
    ]);
    let agent = (text(), source, of(name()), of(number()), shared()).prop_map(
        |(text, source, response, model_millis, data)| EventKind::AgentMessage {
            text,
            source,
            response,
            model_millis,
            data,
        },
    );
    let user = (text(), of(name()), of(name())).prop_map(|(text, channel, message_id)| EventKind::UserMessage {
        text,
        channel,
        message_id,
    });
    prop_oneof![agent, user]
}

fn tool() -> impl Strategy<Value = EventKind> {
    let outcome = prop::sample::select(vec![
        ToolOutcome::Done,
        ToolOutcome::Failed,
        ToolOutcome::AwaitingConfirmation,
        ToolOutcome::Declined,
    ]);
    let caller =
        prop::sample::select(vec![ToolCaller::Model, ToolCaller::Step, ToolCaller::Confirmation, ToolCaller::Unknown]);
    let source = prop::sample::select(vec![ToolSource::Local, ToolSource::Mcp, ToolSource::Unknown]);
    let texts = (text(), text(), of(text()));
    let names = (name(), of(name()), of(name()), of(name()));
    (texts, names, outcome, caller, source).prop_map(|(texts, names, outcome, caller, source)| {
        let (arguments, result, error) = texts;
        let (tool, skill, call_id, batch_id) = names;
        EventKind::ToolReturned { tool, arguments, result, outcome, error, caller, skill, call_id, batch_id, source }
    })
}

fn skill() -> impl Strategy<Value = EventKind> {
    let by = prop::sample::select(vec![Activation::Model, Activation::Engine, Activation::Unknown]);
    (0..10, name(), name(), of(name()), by).prop_map(|(kind, skill, block, step, by)| match kind {
        0 => EventKind::SkillActivated { skill, by },
        1 => EventKind::SkillCompleted { skill },
        2 => EventKind::SkillCancelled { skill, step },
        3 => EventKind::SkillInterrupted { skill, step },
        4 => EventKind::SkillResumed { skill, step },
        5 => EventKind::BlockEntered { skill, block },
        6 => EventKind::BlockCompleted { skill, block, step },
        7 => EventKind::BlockCancelled { skill, block, step },
        8 => EventKind::BlockInterrupted { skill, block, step },
        _ => EventKind::BlockResumed { skill, block, step },
    })
}

fn other() -> impl Strategy<Value = EventKind> {
    let profile = of(prop::sample::select(Profile::ALL.to_vec()));
    let digest = of(any::<[u8; 32]>().prop_map(Digest));
    let initial = vec((name(), shared()), 0..3);
    let by = prop::sample::select(vec![Rewind::Restart, Rewind::Rewind, Rewind::Undo, Rewind::ResetSlots]);
    let cells = vec((name(), shared(), of(any::<u64>().prop_map(Position))), 0..3);
    prop_oneof![
        (digest, profile, initial).prop_map(|(definition, profile, initial)| EventKind::SessionStarted {
            definition,
            profile,
            initial
        }),
        Just(EventKind::SessionEnded),
        Just(EventKind::TurnEnded),
        (name(), shared(), writer()).prop_map(|(key, value, writer)| EventKind::MemoryWritten { key, value, writer }),
        (name(), writer()).prop_map(|(key, writer)| EventKind::MemoryCleared { key, writer }),
        (of(vec(frame(), 0..3)), text()).prop_map(|(frames, patch)| EventKind::StackPatched { frames, patch }),
        (name(), of(name()), of(number())).prop_map(|(action, policy, confidence)| EventKind::ActionTaken {
            action,
            policy,
            confidence
        }),
        (by, cells, of(any::<u64>().prop_map(Position))).prop_map(|(by, cells, to)| EventKind::HistoryRewound {
            by,
            cells,
            to
        }),
        name().prop_map(|name| EventKind::Foreign { name }),
    ]
}

/// The kinds that a recorder decides and no foreign record holds.
fn decided() -> impl Strategy<Value = EventKind> {
    let rule = prop::sample::select(Rule::ALL.to_vec());
    let refusal = prop::sample::select(vec![WriteRefusal::MemoryWriteError, WriteRefusal::Skipped]);
    let why = prop::sample::select(vec![UtterCause::Activation, UtterCause::ToolFailed]);
    let names = (name(), name(), name(), of(name()));
    let call =
        (name(), text(), of(name()), of(name()), of(name())).prop_map(|(tool, arguments, skill, step, call_id)| {
            ToolCall { tool, arguments, caller: ToolCaller::Model, skill, step, call_id }
        });
    (0..12, names, shared(), writer(), rule, refusal, why, call, any::<bool>()).prop_map(
        |(kind, (key, skill, step, other), value, writer, rule, refusal, why, call, confirmed)| match kind {
            0 => EventKind::SkillRefused { skill, by: Activation::Model, rule },
            1 => EventKind::SkillPending { skill, resolver: key },
            11 => EventKind::SkillDeferred { skill },
            2 => EventKind::MemoryWriteRefused { asked: key, key: other, value, writer, refusal, rule },
            3 => EventKind::MemoryReset { key, value },
            4 => EventKind::ProjectEntryLocked { key },
            5 => EventKind::StepEntered { skill, block: key, step },
            6 => EventKind::ToolCalled { call },
            7 => EventKind::ToolRefused { call, rule },
            8 => EventKind::ConfirmationAsked { call },
            9 => EventKind::ConfirmationAnswered { tool: key, confirmed },
            _ => EventKind::ResponseUttered { response: key, why, skill: other },
        },
    )
}

fn finding() -> impl Strategy<Value = Finding> {
    let kind = prop::sample::select(vec![FindingKind::Cut, FindingKind::Gap, FindingKind::Unknown]);
    (kind, of(any::<(u32, u32)>()), text()).prop_map(|(kind, raw, text)| Finding { kind, raw, text })
}

/// A session whose events have a raw record, two of them in either order, or none.
fn recording() -> impl Strategy<Value = Recording> {
    let kind = prop_oneof![message(), tool(), skill(), decided(), other()];
    let record = prop_oneof![3 => text().prop_map(String::into_bytes), 1 => vec(any::<u8>(), 0..9)];
    let envelope = (any::<i64>(), of(1..9_u32), of(any::<u64>()));
    let event = (kind, envelope, vec(record, 0..3), any::<bool>());
    let definition = btree_map(name(), vec(any::<u8>(), 0..9), 0..3);
    let end = (vec((name(), value()), 0..3), vec(frame(), 0..2));
    let profile = of(prop::sample::select(Profile::ALL.to_vec()));
    (name(), vec(event, 0..12), vec(finding(), 0..3), of(definition), of(end), profile).prop_map(
        |(id, drafts, findings, definition, end, profile)| {
            let mut raw = RawRecords::default();
            let mut events = Vec::new();
            for (kind, (time, turn, cause), records, is_swapped) in drafts {
                let first = raw.count() as u32;
                for record in &records {
                    raw.push(&Arc::new(record.clone()), 0..record.len());
                }
                let form = Form::Flat;
                let origin = match (records.len(), is_swapped) {
                    (0, true) => Origin::Added,
                    (0, false) => Origin::Recorded,
                    (1, _) => Origin::Imported { raw: first, mirror: None, form },
                    (_, true) => Origin::Imported { raw: first + 1, mirror: Some(first), form },
                    (_, false) => Origin::Imported { raw: first, mirror: Some(first + 1), form },
                };
                events.push(Event { time: Timestamp(time), turn, cause: cause.map(Position), origin, kind });
            }
            let files = definition.map(|files| Definition {
                files: files.into_iter().map(|(path, bytes)| (path, Arc::from(bytes))).collect(),
            });
            let recorded_end = end.map(|(slots, stack)| RecordedEnd { slots, stack });
            Recording { id, events, raw, findings, profile, definition: files, recorded_end }
        },
    )
}

fn written(recordings: &[Recording]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for recording in recordings {
        jsonl::write(recording, &mut bytes).expect("memory takes all");
    }
    bytes
}

fn assert_same(left: &Recording, right: &Recording) {
    assert_eq!(left.id, right.id);
    assert_eq!(left.events, right.events);
    assert_eq!(left.findings, right.findings);
    assert_eq!(left.profile, right.profile);
    assert_eq!(left.definition, right.definition);
    assert_eq!(left.recorded_end, right.recorded_end);
    let bytes = |recording: &Recording| -> Vec<Vec<u8>> {
        (0..recording.raw.count() as u32).map(|index| recording.raw.get(index).unwrap_or_default().to_vec()).collect()
    };
    assert_eq!(bytes(left), bytes(right));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn sessions_are_read_back_as_they_were_written(recordings in vec(recording(), 1..3)) {
        let bytes = written(&recordings);
        let lines = String::from_utf8(bytes.clone()).expect("it is text");
        let list = format!("[\n{}\n]\n", lines.trim_end().replace('\n', ",\n"));
        let again = import::read(Arc::new(list.into_bytes()), "x").expect("the array is readable");
        prop_assert_eq!(again.len(), recordings.len());
        for (left, right) in again.iter().zip(&recordings) {
            assert_same(left, right);
        }
        let again = import::read(Arc::new(bytes.clone()), "x").expect("it is readable");
        prop_assert_eq!(again.len(), recordings.len());
        for (left, right) in recordings.iter().zip(&again) {
            assert_same(left, right);
        }
        prop_assert_eq!(written(&again), bytes);
    }
}

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is readable").flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, found),
            path if path.to_string_lossy().contains("tracker") => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn real_records_survive_export_and_import() {
    let Some(corpus) = crate::corpus::corpus() else { return };
    let mut found = Vec::new();
    files(&corpus, &mut found);
    let dumps: Vec<_> = found.iter().filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    assert_eq!(dumps.len(), 6);
    for path in dumps {
        let bytes = std::fs::read(path).expect("the dump is readable");
        let whole = import::read(Arc::new(bytes), "x").expect("it is readable");
        let again = import::read(Arc::new(written(&whole)), "y").expect("it is readable");
        assert_same(&whole[0], &again[0]);
    }
}
