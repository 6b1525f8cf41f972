//! How long it takes from starting the program to the first frame on a terminal, how much of the processors that takes
//! (user and system, to 10 ms), how long a step, a jump and the way to the write before take, and how much memory the
//! program has needed at most: in all, and beside the file's own size. Figures are printed side by side; nothing is
//! asserted. A log is measured at a million events, too; a dump isn't, because opening one reads all of it.
//!
//! Beneath stands what answers cost that are recomputed from an agent folder: back over all events in search of a
//! breakpoint that is nowhere, why, and the difference of two prompts of 100 kB.
//!
//! The program runs in a terminal of its own and is watched from outside: time ends when the frame was read from the
//! terminal, memory is what the kernel says (Linux only).

#![expect(clippy::print_stdout, reason = "its figures are for people")]

mod generate;
mod terminal;

use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use terminal::Terminal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_replay");
const REPEATS: usize = 7;

fn main() {
    // `cargo test` builds benches and runs them with other arguments; there is nothing to measure then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    println!(
        "{:<28} {:>10} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "session",
        "file",
        "first frame",
        "fastest",
        "step on",
        "step back",
        "jump",
        "[w",
        "CPU",
        "peak memory",
        "beside file"
    );
    let [agent, large] = ["agent", "large"].map(|name| folder.path().join(name));
    generate::agent_folder(&agent, 0);
    generate::agent_folder(&large, 100_000);
    for events in [10_000, 100_000, 1_000_000] {
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
        measure(&format!("{events} events, log"), &log, events);
        if events < 1_000_000 {
            measure(&format!("{events} events, dump"), &dump, events);
        }
        answers(&log, &agent, &large);
    }
}

fn measure(name: &str, session: &Path, events: usize) {
    let mut frames = Vec::new();
    let mut on = Vec::new();
    let mut back = Vec::new();
    let (mut jumps, mut writes) = (Vec::new(), Vec::new());
    let (mut memory, mut cpu) = (0, Vec::new());
    for _ in 0..REPEATS {
        let mut terminal = Terminal::start(PROGRAM, session, None);
        frames.push(terminal.first_frame());
        cpu.push(terminal.cpu_time());
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
        memory = memory.max(terminal.peak_memory_kib());
        terminal.quit();
    }
    let peak = memory * 1024;
    let size = fs::metadata(session).map_or(0, |file| file.len());
    println!(
        "{name:<28} {:>10} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}",
        format!("{} kB", size / 1000),
        millis(median(&mut frames)),
        millis(frames.iter().copied().min().unwrap_or_default()),
        millis(median(&mut on)),
        millis(median(&mut back)),
        millis(median(&mut jumps)),
        millis(median(&mut writes)),
        millis(median(&mut cpu)),
        format!("{} MB", peak / 1_000_000),
        format!("{} MB", peak.saturating_sub(size) / 1_000_000),
    );
}

/// Prints what answers cost.
fn answers(session: &Path, agent: &Path, large: &Path) {
    const NOWHERE: &str = "no earlier event with a breakpoint";
    for query in ["denied(other_2.pin)", "verdict:refused", "orders.state_3 == 'nothing'", "text:nowhere"] {
        let mut times = Vec::new();
        let mut memory = 0;
        for _ in 0..3 {
            let mut terminal = Terminal::start(PROGRAM, session, Some(agent));
            terminal.first_frame();
            terminal.answer(format!(":break {query}\r").as_bytes());
            terminal.answer(b"G");
            times.push(terminal.answer_with(b"C", NOWHERE));
            memory = memory.max(terminal.peak_memory_kib());
            terminal.quit();
        }
        let memory = memory * 1024 / 1_000_000;
        println!("  C over all, {query:<30} {:>12}, {memory} MB", millis(median(&mut times)));
    }
    let (mut whys, mut differences) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let mut terminal = Terminal::start(PROGRAM, session, Some(large));
        terminal.first_frame();
        terminal.answer(b"G");
        whys.push(terminal.answer(b":why orders.state_3\r"));
        terminal.answer(b"\x1b");
        terminal.answer(b"[p");
        differences.push(terminal.answer(b"P"));
        terminal.quit();
    }
    println!("  {:<42} {:>12}", ":why", millis(median(&mut whys)));
    println!("  {:<42} {:>12}", "P, difference of prompts of 100 kB", millis(median(&mut differences)));
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
