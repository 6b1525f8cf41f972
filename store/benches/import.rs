//! How fast records open, and in how much memory: `cargo bench -p replay-store --bench import`.
//!
//! Each form is measured in a process of its own, because the peak of memory never falls again.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use replay_store::import::{self, jsonl, stream::stream};

const RECORDS: usize = 100_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match arguments.as_slice() {
        [form, file] => measure(form, Path::new(file)),
        _ => prepare(),
    }
}

/// Writes each file and measures it in another process.
fn prepare() {
    let program = std::env::current_exe().expect("the bench has a path");
    let folder = tempfile::tempdir().expect("there is room");
    let forms = [
        ("dump", dump("\n    ")),
        ("dump without indents", dump(" ")),
        ("lines", lines(1)),
        ("lines streamed", lines(1)),
        ("ten times the lines streamed", lines(10)),
        ("own lines", own()),
        ("own lines streamed", own()),
    ];
    for (form, bytes) in forms {
        let file = folder.path().join("record");
        std::fs::write(&file, bytes).expect("there is room");
        let status = Command::new(&program).arg(form).arg(&file).status().expect("the bench starts");
        assert!(status.success(), "{form}");
    }
}

#[allow(clippy::print_stdout, reason = "a bench speaks to whoever runs it")]
fn measure(form: &str, file: &Path) {
    let (started, busy) = (Instant::now(), busy_millis());
    let length = std::fs::metadata(file).expect("it is there").len();
    let (events, held) = if form.ends_with("streamed") {
        let mut input = BufReader::new(File::open(file).expect("it is there"));
        let mut events = 0;
        stream(&mut input, "x", &mut |batch| {
            events += batch.events.len();
            Ok(())
        })
        .expect("it is readable");
        (events, 0)
    } else {
        let bytes = Arc::new(std::fs::read(file).expect("it is readable"));
        let recordings = import::read(Arc::clone(&bytes), "x").expect("it is readable");
        assert!(recordings.iter().all(|recording| recording.findings.is_empty()), "{:?}", recordings[0].findings);
        (recordings.iter().map(|recording| recording.events.len()).sum(), length)
    };
    let (elapsed, busy) = (started.elapsed(), busy_millis() - busy);
    let megabytes = length as f64 / 1e6;
    println!(
        "{form:28} {megabytes:6.1} MB {events:6} events {:6.0} ms ({busy} ms of the processor) {:4.0} MB/s, {:5.1} MB beside the file",
        elapsed.as_secs_f64() * 1e3,
        megabytes / elapsed.as_secs_f64(),
        resident("VmHWM:") as f64 / 1e3 - held as f64 / 1e6,
    );
}

/// Returns a figure of this process in kilobytes, as the kernel gives it.
fn resident(figure: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(figure)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns how long this process ran on a processor, from the kernel's clock of 100 ticks a second.
fn busy_millis() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.split_whitespace().skip(13).take(2).filter_map(|number| number.parse::<u64>().ok());
    ticks.sum::<u64>() * 10
}

/// Returns a Mantle dump of that many records, each key behind `blank`.
fn dump(blank: &str) -> Vec<u8> {
    let mut out = format!("{{{blank}\"sender_id\": \"s\",{blank}\"events\": [");
    for index in 0..RECORDS {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{blank}{}", record(index, blank));
    }
    out.push_str("]}");
    out.into_bytes()
}

fn lines(times: usize) -> Vec<u8> {
    let mut out = String::new();
    for index in 0..RECORDS * times {
        let record = record(index, " ").replacen('{', "{\"sender_id\": \"s\",", 1);
        out.push_str(&record);
        out.push('\n');
    }
    out.into_bytes()
}

fn own() -> Vec<u8> {
    let recordings = import::read(Arc::new(dump(" ")), "x").expect("it is readable");
    let mut out = Vec::new();
    jsonl::write(&recordings[0], &mut out).expect("memory takes all");
    out
}

/// Returns a record of turns that each hold a user's message, three writes, two tools, a reply and their mirrors.
fn record(index: usize, blank: &str) -> String {
    if index == 0 {
        return base(index, blank, "session_started", "", "");
    }
    let (turn, place) = ((index - 1) / 16, (index - 1) % 16);
    let number = usize::from(place > 8);
    let call = format!("call_{turn:08}_{number}");
    let tool = |kind: &str| {
        let batch = format!(
            "\"tool_call_id\": \"{call}\",{blank}\"tool_batch_id\": \"{number}-{call}\",{blank}\"skill_id\": \"billing\","
        );
        let metadata = if kind == "tool_executed" { batch.as_str() } else { "" };
        let own = format!(
            "\"tool_name\": \"load_rates\",{blank}\"arguments\": {{{blank}\"meter\": \"M-{turn}\",{blank}\"limit\": 3}},{blank}\"result\": \"{{\\\"ok\\\": true, \\\"rates\\\": [{{\\\"name\\\": \\\"day\\\", \\\"cents\\\": 31.{turn}}}, {{\\\"name\\\": \\\"night\\\", \\\"cents\\\": 19.5}}], \\\"note\\\": \\\"{}\\\"}}\",{blank}\"is_error\": false,{blank}\"error_message\": null",
            WORDS.repeat(3)
        );
        base(index, blank, kind, metadata, &own)
    };
    let write = |kind: &str, key: &str| {
        let metadata = format!(
            "\"mantle_write_provenance\": {{{blank}\"tool\": \"load_rates\",{blank}\"skill_id\": \"billing\",{blank}\"step\": \"autonomous\",{blank}\"frame_id\": \"AAAA1111\",{blank}\"arguments\": {{{blank}\"meter\": \"M-{turn}\"}},{blank}\"position\": {index},{blank}\"tool_call_id\": \"{call}\"}},"
        );
        let own = format!(
            "\"{key}\": \"billing.rate_{place}\",{blank}\"value\": \"{turn} {WORDS}\",{blank}\"anonymized_at\": null"
        );
        base(index, blank, kind, &metadata, &own)
    };
    match place {
        0 => {
            let own = format!(
                "\"text\": \"What is the rate of meter {turn}? {WORDS}\",{blank}\"parse_data\": {{{blank}\"intent\": {{{blank}\"name\": null,{blank}\"confidence\": 0.0}},{blank}\"entities\": [],{blank}\"text\": \"What is the rate of meter {turn}? {WORDS}\",{blank}\"commands\": []}},{blank}\"input_channel\": \"rest\",{blank}\"message_id\": \"m-{turn}\""
            );
            base(index, blank, "user", "", &own)
        }
        1 | 3 | 5 | 9 | 11 => {
            write("slot", "name").replace(&format!("rate_{place}\""), &format!("rate_{}\"", place + 1))
        }
        2 | 4 | 6 | 10 | 12 => write("memory_set", "key"),
        7 => tool("mcp_tool_executed"),
        8 => tool("tool_executed"),
        13 => base(
            index,
            blank,
            "mcp_tool_executed",
            "",
            "\"tool_name\": \"listen\",\"arguments\": {},\"result\": \"ok\"",
        ),
        14 => base(
            index,
            blank,
            "tool_executed",
            &format!("\"tool_call_id\": \"{call}\","),
            "\"tool_name\": \"listen\",\"arguments\": {},\"result\": \"ok\"",
        ),
        _ => base(index, blank, "bot_turn_ended", "", ""),
    }
}

const WORDS: &str = "It was a quiet night at the harbour, and the ferries lay in a row.";

fn base(index: usize, blank: &str, kind: &str, metadata: &str, own: &str) -> String {
    let comma = if own.is_empty() { "" } else { "," };
    format!(
        "{{{blank}\"event\": \"{kind}\",{blank}\"timestamp\": {}.{:06},{blank}\"metadata\": {{{blank}{metadata}{blank}\"model_id\": \"8c1c7d0e2f5b4b7f\",{blank}\"model_name\": \"20260930-171046-harbour.tar.gz\",{blank}\"assistant_id\": \"harbour\",{blank}\"session_id\": \"83a67f4d-dfe9-4116-a8cd-bcb1e242985b\"}}{comma}{blank}{own}}}",
        1_790_000_000 + index,
        index % 1_000_000
    )
}
