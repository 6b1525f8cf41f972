//! Clocks that run backwards: order is that of the positions, whatever the times say.

use std::fs;
use std::process::Stdio;

use crate::program::{answer, json, replay, root, text};

/// The time of an event, by its number.
type Clock = fn(i64) -> i64;

const HOST: &str = "samples/sessions/library-host.jsonl";

/// Returns the sample with other times: event `n` gets `time(n)`, in microseconds.
fn retimed(time: impl Fn(i64) -> i64) -> String {
    let record = fs::read_to_string(root().join(HOST)).expect("the sample is there");
    let mut number = 0;
    let lines = record.lines().map(|line| match line.split_once("\"time\":") {
        Some((ahead, behind)) => {
            number += 1;
            let behind = behind.trim_start_matches(|one: char| one.is_ascii_digit());
            format!("{ahead}\"time\":{}{behind}\n", time(number))
        }
        None => format!("{line}\n"),
    });
    let lines: Vec<String> = lines.collect();
    assert!(number > 100, "events have times");
    lines.concat()
}

#[test]
fn times_that_run_backwards_change_nothing_but_the_times() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).to_str().expect("its name is text").to_owned();
    let cases: [(&str, Clock); 4] = [
        ("backwards", |n| 1_790_000_000_000_000 - n * 1_000_000),
        ("equal", |_| 5),
        ("extreme", |n| if n % 2 == 0 { i64::MAX } else { i64::MIN }),
        ("before_1970", |n| -n * 86_400_000_000),
    ];
    for (name, time) in cases {
        let (record, log) = (path(&format!("{name}.jsonl")), path(&format!("{name}.log")));
        fs::write(&record, retimed(time)).expect("there is room");
        let command = format!("'{}' import --follow - -o '{log}' < '{record}'", env!("CARGO_BIN_EXE_replay"));
        let run = std::process::Command::new("sh").args(["-c", &command]).stdout(Stdio::piped()).output();
        assert!(run.expect("there is a shell").status.success(), "{name}");
        let value = |session: &str, what: &[&str]| json(&[what, &[session]].concat());
        for at in ["0", "60", "142"] {
            let asked = ["show", "--at", at, "--what", "memory", "--what", "stack"];
            let (was, is) = (value(HOST, &asked), value(&log, &asked));
            assert_eq!((&was["memory"], &was["stack"]), (&is["memory"], &is["stack"]), "{name} at {at}");
        }
        let why = |session: &str| json(&["why", session, "project.loans"])["evidence"][0]["position"].clone();
        assert_eq!(why(HOST), why(&log), "{name}");
        let followed = text(&replay(&["show", &log, "--at", "142", "--what", "event"]).stdout);
        assert!(followed.contains("position  142 of 142"), "{name}: {followed}");
        assert_eq!(replay(&["verify", &log]).status.code(), Some(0), "{name}");
        for command in [vec!["list", &log], vec![log.as_str()]] {
            answer(&command);
        }
        let told = answer(&["findings", &log]).contains("the clock of the host ran backwards");
        assert_eq!(told, name != "equal", "{name}");
        let same = replay(&["diff", HOST, &log]);
        assert_eq!(same.status.code(), Some(0), "{name}: {}", text(&same.stdout));
    }
}
