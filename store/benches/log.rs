//! Figures of the log: encoding, saving, loading, verifying and appending. Prints one line each.
//!
//! `cargo bench -p replay-store --bench log [-- EVENTS]`

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use replay_store::event::codec::{self, Names};
use replay_store::event::{
    Activation, Actor, Event, EventKind, Form, MessageSource, Origin, Position, ToolCaller, ToolOutcome, ToolSource,
    Writer as MemoryWriter,
};
use replay_store::import::Recording;
use replay_store::log::{Details, Log, Writer};
use replay_store::name::Name;
use replay_store::replay::archive;
use replay_store::replay::outline::new_fold;
use replay_store::session::checkpoint;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

fn main() {
    let count = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().expect("a folder for the bench");
    let path = folder.path().join("session.log");
    let recording = recording(count);
    println!("{count} events, {} raw records", recording.raw.count());

    let payloads = codec_figures(&recording);
    save_figures(&recording, &path);
    println!("  file: {} MB, payloads {} MB", mega(file_len(&path)), mega(payloads));
    report("open, list", || Log::open(&path).and_then(|log| log.sessions()).expect("it is whole").len());
    report("open, load without raw records", || {
        let log = Log::open(&path).expect("it is whole");
        archive::load_without_raw(&log, "bench").expect("it is whole")
    });
    report("open, read payloads, decode none", || {
        let log = Log::open(&path).expect("it is whole");
        let session = log.session("bench").expect("it is whole");
        let mut bytes = 0;
        let read = log.read(&session, 0..session.event_count, |_, payload| {
            bytes += payload.len();
            Ok(())
        });
        read.map(|()| bytes).expect("it is whole")
    });
    report("open, state from the last checkpoint", || {
        let log = Log::open(&path).expect("it is whole");
        let session = log.session("bench").expect("it is whole");
        let found = log.checkpoint(&session, session.event_count / 2).expect("it is whole");
        found
            .map_or(0, |(_, bytes)| checkpoint::restore(&bytes, &mut Names::default()).expect("it is one").memory.len())
    });
    report("open, load raw records", || {
        let log = Log::open(&path).expect("it is whole");
        archive::load_raw(&log, "bench").expect("it is whole")
    });
    report("open, verify", || {
        let log = Log::open(&path).expect("it is whole");
        archive::verify(&log).expect("it can be read").damage.len()
    });
    append_figures(&folder.path().join("live.log"));
}

fn codec_figures(recording: &Recording) -> usize {
    let mut payloads = Vec::new();
    let mut payload = Vec::new();
    let start = busy_time();
    for event in &recording.events {
        let records: Vec<&[u8]> =
            event.origin.raw_indexes().into_iter().filter_map(|index| recording.raw.get(index)).collect();
        codec::encode(event, &records, &mut payload).expect("it is small");
        payloads.push(payload.clone());
    }
    println!(
        "  {:<40} {:>9.2} ms on the processor",
        "encode, with the digest of raw records",
        millis(busy_time() - start)
    );
    report("decode, one thread", || {
        let mut names = Names::default();
        let decoded = payloads.iter().map(|payload| codec::decode(payload, &mut names).expect("it was encoded"));
        decoded.collect::<Vec<Event>>()
    });
    payloads.iter().map(Vec::len).sum()
}

fn save_figures(recording: &Recording, path: &Path) {
    let (start, busy) = (Instant::now(), busy_time());
    let mut writer = Writer::create(path, Some(new_fold)).expect("the place is empty");
    archive::save(&mut writer, recording).expect("there is room");
    let (saved, busy) = (start.elapsed(), busy_time() - busy);
    let before = file_len(path);
    let start = Instant::now();
    writer.close().expect("there is room");
    println!("  {:<40} {:>9.2} ms (on the processor {:.2})", "save", millis(saved), millis(busy));
    println!("  {:<40} {:>9.2} ms, from {} MB", "close", millis(start.elapsed()), mega(before));
}

fn append_figures(path: &Path) {
    let mut writer = Writer::create(path, Some(new_fold)).expect("the place is empty");
    let mut payload = Vec::new();
    let mut times = Vec::new();
    for (position, event) in (0..).zip(&recording(1000).events) {
        codec::encode(event, &[], &mut payload).expect("it is small");
        let start = Instant::now();
        let mut append = writer.append("live", position).expect("the position fits");
        append.push(&payload).expect("there is room");
        append.commit(Details::default()).expect("there is room");
        times.push(start.elapsed());
    }
    times.sort();
    let (half, most) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("  {:<40} {:>9.2} ms p50, {:.2} ms p99", "append one event, durable", millis(half), millis(most));
}

/// Runs something nine times and prints the median, the best, and the best time on the processor of this thread,
/// which is what counts where other programs run beside it.
fn report<T>(what: &str, mut run: impl FnMut() -> T) {
    let mut times = Vec::new();
    let mut busy_times = Vec::new();
    for _ in 0..9 {
        let (start, busy) = (Instant::now(), busy_time());
        let result = std::hint::black_box(run());
        times.push(start.elapsed());
        busy_times.push(busy_time() - busy);
        drop(result);
    }
    times.sort();
    busy_times.sort();
    let (median, best, busy) = (millis(times[4]), millis(times[0]), millis(busy_times[0]));
    println!("  {what:<40} {median:>9.2} ms (best {best:.2}, on the processor {busy:.2})");
}

/// Returns how long this thread was on the processor; nothing where the system doesn't say.
fn busy_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// A session of turns as they are: a message, a skill, writes by a tool, an answer, each with a raw record.
fn recording(count: usize) -> Recording {
    let mut recording = Recording { id: Name::from("bench"), ..Recording::default() };
    for index in 0..count {
        let origin = Origin::Imported { raw: index as u32, mirror: None, form: Form::Flat };
        let time = Timestamp(1_790_788_643_000_000 + 250_000 * index as i64);
        let cause = Some(Position((index / 9 * 9) as u64 + 1));
        let kind = kind(index);
        let record = Arc::new(format!(
            r#"{{"event": "{}", "timestamp": {}, "metadata": {{"model_id": "m", "assistant_id": "a{}"}}, "value": "{}"}}"#,
            index % 9, time.0, index % 7, "text ".repeat(80 + index % 40)
        ).into_bytes());
        recording.raw.push(&record, 0..record.len());
        recording.events.push(Event { time, turn: Some((index / 9) as u32), cause, origin, kind });
    }
    recording
}

fn kind(index: usize) -> EventKind {
    let skill = || Name::from(["billing", "transfer_money", "check_balance"][index / 9 % 3]);
    let call = || Some(Name::from(format!("call_{:08x}", index / 9)));
    match index % 9 {
        0 => EventKind::UserMessage {
            text: format!("I want to pay {index} euros to my landlord by the end of the month"),
            channel: Some(Name::from("rest")),
            message_id: None,
        },
        1 => EventKind::SkillActivated { skill: skill(), by: Activation::Model },
        2 => EventKind::ToolReturned {
            tool: Name::from("lookup_account"),
            arguments: format!(r#"{{"account": "DE{index:010}", "currency": "EUR"}}"#),
            result: format!(r#"{{"balance": {index}.25, "owner": "somebody", "limits": [1000, 2000, 5000]}}"#),
            outcome: ToolOutcome::Done,
            error: None,
            caller: ToolCaller::Model,
            skill: Some(skill()),
            call_id: call(),
            batch_id: Some(Name::from(format!("{}-{:08x}", index % 4, index / 9))),
            source: ToolSource::Local,
        },
        3..=6 => EventKind::MemoryWritten {
            key: Name::from(format!("{}.entry_{}", skill(), index % 11)),
            value: Arc::new(match index % 4 {
                0 => Value::Int(index as i128),
                1 => Value::Bool(true),
                _ => Value::Text(format!("value number {index}")),
            }),
            writer: MemoryWriter {
                tool: Some(Name::from("lookup_account")),
                skill: Some(skill()),
                step: Some(Name::from("autonomous")),
                call_id: call(),
                arguments: format!(r#"{{"account": "DE{index:010}", "currency": "EUR"}}"#),
                ..MemoryWriter::only(Actor::Tool)
            },
        },
        7 => EventKind::AgentMessage {
            text: format!("You have {index} euros left. Shall I pay the rent from the account that you used last?"),
            source: MessageSource::Model,
            response: None,
            model_millis: Some(812.5),
            data: Arc::new(Value::Null),
        },
        _ => EventKind::TurnEnded,
    }
}

fn file_len(path: &Path) -> usize {
    std::fs::metadata(path).expect("it is there").len() as usize
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mega(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}
