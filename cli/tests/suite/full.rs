//! Recording and importing where the disk is full: what was kept is there, the way on is told, and it works.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::program::{answer, json, root, text};

const MESSAGES: u64 = 80;

/// Writes a record with so much in it that no compression makes it small.
fn record(path: &Path) {
    let mut seed = 7_u64;
    let mut events = r#"{"event": "session_started", "timestamp": 1772013600.0, "metadata": {}}"#.to_owned();
    for message in 0..MESSAGES {
        write!(events, r#", {{"event": "user", "timestamp": {}.0, "text": ""#, 1_772_013_600 + message)
            .expect("a string takes it");
        for _ in 0..1200 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            write!(events, "{seed:016x}").expect("a string takes it");
        }
        let turn_over =
            r#""event": "action", "name": "action_listen", "policy": null, "confidence": null, "timestamp""#;
        write!(events, r#"", "parse_data": {{}}, "metadata": {{}}}}, {{{turn_over}: {}.5}}"#, 1_772_013_600 + message)
            .expect("a string takes it");
    }
    fs::write(path, format!(r#"{{"sender_id": "big", "events": [{events}]}}"#)).expect("there is room");
}

/// Runs the program where no file may be longer than so many blocks of 512 bytes. `None` where the shell can't say so.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn within(blocks: u64, arguments: &[&str], input: &Path) -> Option<Output> {
    let run = r#"trap "" XFSZ && ulimit -f "$0" && exec "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", run, &blocks.to_string(), env!("CARGO_BIN_EXE_replay")]).args(arguments);
    let input = File::open(input).expect("it is there");
    let output = command.current_dir(root()).stdin(input).output().expect("there is a shell");
    if text(&output.stderr).contains("ulimit") {
        println!("skipped: the shell can't limit the length of files");
        return None;
    }
    Some(output)
}

#[test]
fn a_full_disk_is_told_and_what_was_kept_is_carried_on() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let place = |name: &str| folder.path().join(name).to_str().expect("it is text").to_owned();
    let (foreign, whole, lines) = (place("big.json"), place("whole.log"), place("big.jsonl"));
    record(Path::new(&foreign));
    let whole_count = json(&["import", &foreign, "-o", &whole])["sessions"][0]["events"].clone();
    let exported = answer(&["export", &whole]);
    fs::write(&lines, &exported).expect("there is room");
    let (log, tail) = (place("live.log"), place("live.log-tail"));
    // The tail has 4096 blocks. Below there is no place for it; above, the database grows until it meets the limit.
    for (blocks, live) in [(8, false), (8, true), (600, true), (4095, true), (4200, true), (600, false), (2300, false)]
    {
        let arguments = if live { ["import", "--follow", "-"] } else { ["import", &lines, "--plain"] };
        let arguments = [&arguments[..], &["--json", "-o", &log]].concat();
        let Some(output) = within(blocks, &arguments, Path::new(&lines)) else { return };
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{blocks} {live}: {said}");
        let full = if said.contains("-tail") { &tail } else { &log };
        let what = format!("no space is left for {full}; free some and ");
        assert!(said.contains(&what) && said.lines().count() == 1, "{blocks} {live}: {said}");

        let kept = text(&output.stdout).lines().last().map_or(0, |line| {
            let line: Value = serde_json::from_str(line).expect("a line is JSON");
            line["events"].as_u64().expect("it is a number")
        });
        assert_eq!(kept > 0, live && blocks == 4200, "{blocks} {live}: {kept} were kept");
        assert_eq!(Path::new(&log).exists(), kept > 0, "{blocks} {live}: nothing is left of what was made for nothing");
        if kept > 0 {
            let there = json(&["list", &log])["sessions"][0]["events"].as_u64().expect("it is a number");
            assert!(kept <= there && there <= kept + 1, "{blocks} {live}: {there} of {kept} are there");
        }
        let again = json(&["import", &lines, "-o", &log]);
        assert_eq!(again["sessions"][0]["events"], whole_count);
        assert!(!Path::new(&tail).exists(), "{blocks} {live}");
        assert!(answer(&["export", &log]) == exported, "{blocks} {live}: it isn't the same");
        fs::remove_file(&log).expect("it is there");
    }
}
