//! How long answers take in a long session whose prompts, reads and gates are recomputed, and in how much memory:
//! `cargo bench -p replay-store --bench answers [-- WHAT]`, where WHAT is a part of a figure's name.
//!
//! The conversations are those that the program's own bench opens. Each of two sizes is measured in a process of its
//! own, because the peak of memory never falls again. Nothing is asserted; what a figure has to stay under stands behind
//! it.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

#[path = "../../cli/benches/open/generate.rs"]
mod generate;

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use replay_store::agent::definition::Definition;
use replay_store::agent::source;
use replay_store::compare::prompts::{Which, prompts};
use replay_store::event::Position;
use replay_store::explain::findings::Scan;
use replay_store::explain::last::last;
use replay_store::explain::mask::Mask;
use replay_store::explain::query::{self, Direction, Needs, Search, Step};
use replay_store::explain::reads::reads;
use replay_store::explain::value::why_value;
use replay_store::import;
use replay_store::log::{Log, Writer};
use replay_store::name::Name;
use replay_store::replay::outline::new_fold;
use replay_store::replay::{Named, Session, archive};

/// Sizes of sessions, in events. What decides at every call is asked of the first only, as it takes minutes in the last.
const SIZES: [usize; 2] = [10_000, 1_000_000];

/// How many bytes the prose has where large prompts are compared.
const LARGE_PROMPT: usize = 100_000;

fn main() {
    // `cargo test` builds benches and runs them with other arguments; there is nothing to measure then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match arguments.as_slice() {
        [folder, events, wanted] => measure(Path::new(folder), events.parse().expect("a number"), wanted),
        [wanted] => prepare(wanted),
        _ => prepare(""),
    }
}

/// Writes agents and logs, and measures each in another process.
fn prepare(wanted: &str) {
    let program = std::env::current_exe().expect("the bench has a path");
    let folder = tempfile::tempdir().expect("there is room");
    generate::agent_folder(&folder.path().join("agent"), 0);
    generate::agent_folder(&folder.path().join("large"), LARGE_PROMPT);
    generate::agent_folder(&folder.path().join("open"), 0);
    // Nothing is denied there, so that who asks for a denial has to look everywhere.
    let memory = folder.path().join("open/skills/orders/memory.yml");
    let text = fs::read_to_string(&memory).expect("it was written");
    fs::write(&memory, text.split("access:").next().unwrap_or_default()).expect("the folder takes files");
    for events in SIZES {
        let mut dump = Vec::new();
        generate::flat_dump(events, &mut dump);
        let recordings = import::read(Arc::new(dump), "x").expect("it is a record");
        let mut writer =
            Writer::create(&folder.path().join(format!("{events}.log")), Some(new_fold)).expect("there is room");
        archive::save(&mut writer, &recordings[0]).expect("there is room");
        writer.close().expect("there is room");
        drop(recordings);
        let arguments = ["--bench", &folder.path().display().to_string(), &events.to_string(), wanted];
        let status = Command::new(&program).args(arguments).status().expect("the bench starts");
        assert!(status.success(), "{events}");
    }
}

/// Prints what the answers cost.
fn measure(folder: &Path, events: usize, wanted: &str) {
    let log = Arc::new(Log::open(&folder.join(format!("{events}.log"))).expect("it is whole"));
    let file = fs::metadata(folder.join(format!("{events}.log"))).map_or(0, |file| file.len());
    println!("{events} events, file of {:.1} MB", file as f64 / 1e6);
    answers(&open(&log, &folder.join("agent")), wanted);
    let session = open(&log, &folder.join("open"));
    let bench = Bench { session: &session, wanted, repeats: 5 };
    if events < 100_000 {
        for text in ["verdict:denied", "verdict:denied tool:nothing or denied(*)"] {
            let query = query::parse(text).expect("it is one");
            bench.report(&format!("where nothing is denied: {text}"), "50 ms for 10000", || {
                black_box(query::positions(&query, &session));
            });
        }
    }
    drop(session);
    differences(&open(&log, &folder.join("large")), wanted);
    println!("  peak memory {:.0} MB", peak_memory() as f64 / 1e3);
}

/// Answers that look at one session.
fn answers(session: &Session, wanted: &str) {
    let is_long = session.end().0 > 100_000;
    let bench = Bench { session, wanted, repeats: if is_long { 1 } else { 5 } };
    let end = session.end();
    let key = Name::from("orders.state_3");
    for text in [
        "denied(other_2.pin)",
        "read(other_2.pin)",
        "verdict:denied",
        "verdict:empty",
        "verdict:withheld",
        "verdict:denied tool:nothing",
        "verdict:refused",
        "orders.state_3 == 'nothing'",
        "changed(other_2.pin)",
        "text:nowhere",
    ] {
        let query = query::parse(text).expect("it is one");
        if is_long && query.needs > Needs::State {
            continue;
        }
        for direction in [Direction::Forward, Direction::Back] {
            bench.report(&format!("{direction:?} through all: {text}"), "50 ms for 10000", || {
                let from = if direction == Direction::Forward { Position(0) } else { Position(end.0 + 1) };
                let mut search = Search::new(query.clone(), session, from, direction);
                while search.step(session, 8192) != Step::End {}
            });
        }
    }
    let mut longest = Duration::ZERO;
    bench.report("findings", "no limit, in slices", || {
        let mut scan = Scan::new(session);
        let mut is_done = false;
        while !is_done {
            let begun = Instant::now();
            is_done = scan.step(session, 1000).is_done();
            longest = longest.max(begun.elapsed());
        }
        black_box(scan.found(session));
    });
    println!("  {:<58} {:>9.2} ms", "the longest slice of 1000", millis(longest));
    bench.report("why, at the end", "20 ms", || {
        black_box(why_value(session, &key, end));
    });
    bench.report("why, in the middle", "20 ms", || {
        black_box(why_value(session, &key, Position(end.0 / 2)));
    });
    bench.report("last", "10 ms", || {
        black_box(last(session, &key, end));
    });
    let from = Position(end.0.saturating_sub(10_000));
    bench.report("reads, in the last 10000", "no limit, in slices", || {
        black_box(reads(session, &key, from..=end, |_| true));
    });
    bench.report("mask", "no limit", || {
        black_box(Mask::of(session));
    });
    let mut places = [3, 6, 2, 5, 1].into_iter().cycle();
    bench.report("jump to where nothing was read", "20 ms", || {
        let at = Position(end.0 / 7 * places.next().unwrap_or_default());
        black_box((session.state(at), session.event(at)));
    });
}

/// Large prompts.
fn differences(session: &Session, wanted: &str) {
    let bench = Bench { session, wanted, repeats: 5 };
    let calls: Vec<_> = session.turns.iter().flat_map(|turn| &turn.calls).collect();
    let (late, early) = (calls[calls.len() - 1], calls[calls.len() - 2]);
    let size = session.prompt_of(late).map_or(0, |prompt| prompt.text().len());
    println!("  prompts of {} kB", size / 1000);
    bench.report("difference to the prompt before", "50 ms", || {
        black_box(prompts(session, Which::Call(early), Which::Call(late)));
    });
    bench.report("difference to the prompt of ten turns before", "50 ms", || {
        black_box(prompts(session, Which::Call(calls[calls.len() - 21]), Which::Call(late)));
    });
}

fn open(log: &Arc<Log>, folder: &Path) -> Session {
    let (definition, _): (Definition, _) = source::read(folder).expect("it was written");
    let named = Named { folder: Some(Arc::new(definition)), profile: None };
    archive::open_lazily(log, "generated", named).expect("it is whole")
}

#[derive(Clone, Copy)]
struct Bench<'a> {
    session: &'a Session,
    wanted: &'a str,
    repeats: usize,
}

impl Bench<'_> {
    /// Runs something some times and prints the median, the first time, and the median time on the processor, which is
    /// what counts where other programs run beside it.
    fn report(&self, what: &str, most: &str, mut run: impl FnMut()) {
        if !what.contains(self.wanted) {
            return;
        }
        let (mut times, mut busy_times) = (Vec::new(), Vec::new());
        for _ in 0..self.repeats {
            let (begun, busy) = (Instant::now(), busy_time());
            run();
            times.push(begun.elapsed());
            busy_times.push(busy_time() - busy);
        }
        let first = millis(times[0]);
        times.sort();
        busy_times.sort();
        let (median, busy) = (millis(times[times.len() / 2]), millis(busy_times[busy_times.len() / 2]));
        assert!(self.session.damage().is_none(), "the log is whole");
        println!("  {what:<58} {median:>9.2} ms (first {first:.2}, on the processor {busy:.2}; under {most})");
    }
}

/// Returns how long this thread was on the processor; nothing where the system doesn't say.
fn busy_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the most memory that this process has held, in kilobytes, as the kernel gives it.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}
