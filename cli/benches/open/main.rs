//! What the debugger costs whoever sits in front of it: from starting the program to the first frame, a step, jumps, the
//! ways to writes, answers that are recomputed from an agent folder, findings, and memory. Each figure stands with what the
//! processors worked for it, which is what counts where other programs run beside it, and with what it has to stay under;
//! nothing is asserted. A log is measured at a million events, too; a dump isn't, because opening one reads all of it.
//!
//! The program runs in a terminal of its own and is watched from outside: time ends when the frame was read from the
//! terminal, memory is what the kernel says (Linux only). `cargo bench -p replay --bench open [-- EVENTS]` measures one
//! size.

#![expect(clippy::print_stdout, reason = "its figures are for people")]

mod generate;
mod terminal;

use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use terminal::{Cost, Terminal};

const PROGRAM: &str = env!("CARGO_BIN_EXE_replay");
const REPEATS: usize = 7;
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// From here on a session is so long that what looks at all of it takes seconds.
const LONG: usize = 1_000_000;

fn main() {
    // `cargo test` builds benches and runs them with other arguments; there is nothing to measure then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let wanted: Option<usize> = std::env::args().find_map(|argument| argument.parse().ok());
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let [agent, large] = ["agent", "large"].map(|name| folder.path().join(name));
    generate::agent_folder(&agent, 0);
    generate::agent_folder(&large, 100_000);
    for events in SIZES.into_iter().filter(|events| wanted.is_none_or(|wanted| wanted == *events)) {
        let dump = folder.path().join(format!("{events}.json"));
        let file = fs::File::create(&dump).expect("the temporary folder takes files");
        generate::flat_dump(events, BufWriter::new(file));
        let log = folder.path().join(format!("{events}.log"));
        let begun = Instant::now();
        let import = Command::new(PROGRAM).arg("import").arg(&dump).arg("-o").arg(&log).output();
        assert!(import.expect("the program starts").status.success(), "the generated dump can be imported");
        let took = begun.elapsed();
        let size = fs::metadata(&dump).map_or(0, |file| file.len());
        println!("{events} events, import: {:.0} MB/s", size as f64 / took.as_secs_f64() / 1e6);
        moves("log", &log, None, events);
        moves("log with its folder", &log, Some(&agent), events);
        if events < LONG {
            moves("dump", &dump, None, events);
            breakpoints(&log, &agent);
        }
        answers(&log, &large);
        findings(&log, &agent);
    }
}

/// Moving about.
fn moves(name: &str, session: &Path, agent: Option<&Path>, events: usize) {
    let size = fs::metadata(session).map_or(0, |file| file.len());
    println!("{events} events, {name} of {} kB", size / 1000);
    let [mut frames, mut on, mut back, mut jumps, mut writes, mut setters] = [const { Vec::new() }; 6];
    let mut memory = 0;
    for _ in 0..REPEATS {
        let mut terminal = Terminal::start(PROGRAM, session, agent);
        frames.push(terminal.first_frame());
        // From the end, so that the first step finds something to do.
        jumps.push(terminal.answer(b"G"));
        for part in 1..6 {
            jumps.push(terminal.answer(format!("{}G", events * part / 7).as_bytes()));
            writes.push(terminal.answer(b"[w"));
        }
        jumps.push(terminal.answer(b"g"));
        terminal.answer(b"G");
        for _ in 0..10 {
            back.push(terminal.answer(b"h"));
        }
        for _ in 0..10 {
            on.push(terminal.answer(b"l"));
        }
        // In memory, on an entry: the write that set it, and those before.
        terminal.answer(b"3");
        terminal.answer(b"8j");
        for _ in 0..5 {
            setters.push(terminal.answer(b"gd"));
        }
        memory = memory.max(terminal.peak_memory_kib());
        terminal.quit();
    }
    let is_long = events >= LONG;
    report("open to the first frame", &frames, if is_long { "150 ms" } else { "50 ms" });
    report("a step on", &on, "2 ms");
    report("a step back", &back, "2 ms");
    report("a jump", &jumps, "20 ms");
    report("[w, the write before", &writes, "10 ms");
    report("gd, the write that set an entry", &setters, "10 ms");
    report_memory(memory, size);
}

/// Back over all events in search of a breakpoint that is nowhere.
fn breakpoints(session: &Path, agent: &Path) {
    const NOWHERE: &str = "no earlier event with a breakpoint";
    for query in [
        "denied(other_2.pin)",
        "verdict:refused",
        "verdict:denied tool:nothing",
        "verdict:withheld denied(other_2.pin)",
        "orders.state_3 == 'nothing'",
        "text:nowhere",
    ] {
        let mut costs = Vec::new();
        for _ in 0..3 {
            let mut terminal = Terminal::start(PROGRAM, session, Some(agent));
            terminal.first_frame();
            terminal.answer(format!(":break {query}\r").as_bytes());
            terminal.answer(b"G");
            costs.push(terminal.answer_with(b"C", NOWHERE));
            terminal.quit();
        }
        report(&format!("C over all, {query}"), &costs, "50 ms for 10000 events");
    }
}

/// Answers at the end, with prompts of 100 kB.
fn answers(session: &Path, large: &Path) {
    let [mut whys, mut differences] = [const { Vec::new() }; 2];
    for _ in 0..5 {
        let mut terminal = Terminal::start(PROGRAM, session, Some(large));
        terminal.first_frame();
        terminal.answer(b"G");
        terminal.answer(b":why orders.state_3");
        whys.push(terminal.answer(b"\r"));
        terminal.answer(b"\x1b");
        terminal.answer(b"[p");
        differences.push(terminal.answer(b"P"));
        terminal.quit();
    }
    report(":why", &whys, "20 ms");
    report("P, difference of prompts of 100 kB", &differences, "50 ms");
}

/// What looks wrong, and that keys are heard while it is looked for.
fn findings(session: &Path, agent: &Path) {
    const GOING: &str = "looking at the events";
    let size = fs::metadata(session).map_or(0, |file| file.len());
    let mut terminal = Terminal::start(PROGRAM, session, Some(agent));
    terminal.first_frame();
    let begins = terminal.answer_at_once(b"!");
    if terminal.shows(GOING) {
        report("!, until it says how far it is", &[begins], "50 ms");
        let keys: Vec<Cost> = (0..5).map(|_| terminal.answer_at_once(b"j")).collect();
        report("j meanwhile", &keys, "50 ms");
        report("Esc meanwhile", &[terminal.answer_with(b"\x1b", "stopped at")], "50 ms");
    }
    let mut is_asked = false;
    let whole = terminal.answer_until(b"!", |screen| {
        std::mem::replace(&mut is_asked, true) && ![GOING, "stopped at"].iter().any(|words| screen.contains(words))
    });
    report("!, to the end", &[whole], "no limit: it says how far it is");
    report_memory(terminal.peak_memory_kib(), size);
    terminal.quit();
}

/// Prints the medians of what was measured, and the shortest time.
fn report(what: &str, costs: &[Cost], most: &str) {
    let sorted = |of: fn(&Cost) -> Duration| {
        let mut times: Vec<Duration> = costs.iter().map(of).collect();
        times.sort();
        times
    };
    let (times, busy) = (sorted(|cost| cost.time), sorted(|cost| cost.busy));
    let (time, least, busy) = (times[times.len() / 2], times[0], busy[busy.len() / 2]);
    println!(
        "  {what:<44} {:>12} (least {}, on the processors {}; under {most})",
        millis(time),
        millis(least),
        millis(busy)
    );
}

fn report_memory(peak_kib: u64, file: u64) {
    let peak = peak_kib * 1024;
    let beside = peak.saturating_sub(file) / 1_000_000;
    println!("  {:<44} {:>9} MB (beside the file {beside} MB; under 150 MB)", "memory at most", peak / 1_000_000);
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
