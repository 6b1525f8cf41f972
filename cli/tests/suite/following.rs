//! `import --follow` and `show --follow`: what was taken in is there for others at once, and after a kill.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::program::{RENEWAL, answer, json, replay, root, text};

/// The program, running, with lines in and out.
pub(crate) struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Running {
    pub(crate) fn start(arguments: &[&str]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
        command.current_dir(root()).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Running { input: child.stdin.take(), child, output }
    }

    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").expect("the program reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the program writes text");
        line
    }

    pub(crate) fn json(&mut self) -> Value {
        serde_json::from_str(&self.line()).expect("a line is JSON")
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it runs");
    }

    pub(crate) fn finish(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().expect("it runs").success());
    }
}

/// Returns the lines of a session that was recorded by us: a header, then an event each. It is in `whole.log`, too.
pub(crate) fn lines(folder: &Path) -> Vec<String> {
    let lines = answer(&["export", RENEWAL]);
    let recorded = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
        if line.get("event").is_some() {
            line["origin"] = serde_json::json!({"from": "recorded"});
            line["raw"] = Value::Array(Vec::new());
        }
        line.to_string()
    });
    let lines: Vec<String> = recorded.collect();
    let file = folder.join("whole.jsonl");
    std::fs::write(&file, lines.join("\n")).expect("there is room");
    answer(&["import", plain(&file), "-o", plain(&folder.join("whole.log"))]);
    lines
}

/// Begins to record into a log.
pub(crate) fn record_into(log: &str) -> Running {
    Running::start(&["import", "--follow", "-", "-o", log, "--json"])
}

pub(crate) fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn what_comes_is_durable_and_seen_before_the_next_line_is_read() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines = lines(folder.path());
    let log = folder.path().join("live.log");
    let log = plain(&log);
    let mut recorder = record_into(log);
    recorder.say(&lines[0]);
    recorder.say(&lines[1]);
    let kept = recorder.json();
    assert_eq!((&kept["schema"], &kept["events"]), (&"replay.kept/1".into(), &1.into()));
    let mut viewer = Running::start(&["show", log, "--follow", "--json", "--at", "0"]);
    assert_eq!(viewer.json()["event"]["position"], 1);
    for (index, line) in lines[2..].iter().enumerate() {
        recorder.say(line);
        assert_eq!(recorder.json()["events"], index as u64 + 2);
        let seen = viewer.json();
        assert_eq!(seen["schema"], "replay.event/1");
        assert_eq!(seen["event"]["position"], index as u64 + 2);
    }
    assert_eq!(json(&["show", log])["events"], lines.len() as u64 - 1);
    let refused = replay(&["import", RENEWAL, "-o", log]);
    let complaint = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(4), "{complaint}");
    assert!(complaint.contains(&format!("is in use by process {}", recorder.child.id())), "{complaint}");
    recorder.finish();
    viewer.kill();
    assert!(!folder.path().join("live.log-tail").exists());
    let whole = folder.path().join("whole.log");
    assert_eq!(answer(&["export", log]), answer(&["export", plain(&whole)]));
    assert_eq!(json(&["verify", log])["head"], json(&["verify", plain(&whole)])["head"]);
}

#[test]
fn a_killed_recorder_leaves_what_it_acknowledged_and_is_carried_on() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines = lines(folder.path());
    let log = folder.path().join("live.log");
    let log = plain(&log);
    let half = lines.len() / 2;
    let mut recorder = record_into(log);
    recorder.say(&lines[0]);
    for line in &lines[1..half] {
        recorder.say(line);
        recorder.json();
    }
    recorder.kill();
    assert!(folder.path().join("live.log-tail").exists());
    assert_eq!(json(&["show", log])["events"], half as u64 - 1);
    assert_eq!(json(&["verify", log])["damage"], Value::Array(Vec::new()));
    assert!(folder.path().join("live.log-tail").exists(), "reading changes nothing");
    let rest = folder.path().join("rest.jsonl");
    std::fs::write(&rest, lines.join("\n")).expect("there is room");
    answer(&["import", "--follow", plain(&rest), "-o", log]);
    assert!(!folder.path().join("live.log-tail").exists());
    let whole = folder.path().join("whole.log");
    assert_eq!(answer(&["export", log]), answer(&["export", plain(&whole)]));
}

#[test]
fn a_recorder_that_is_asked_to_stop_leaves_one_file() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let lines = lines(folder.path());
        let log = folder.path().join("live.log");
        let log = plain(&log);
        let mut recorder = record_into(log);
        recorder.say(&lines[0]);
        for line in &lines[1..6] {
            recorder.say(line);
            recorder.json();
        }
        // What isn't a whole line is no event.
        let input = recorder.input.as_mut().expect("it is open");
        input.write_all(&lines[6].as_bytes()[..20]).expect("the program reads");
        let pid = recorder.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().expect("kill can be run").success());
        assert!(recorder.child.wait().expect("it ends").success(), "{signal}");
        assert!(!folder.path().join("live.log-tail").exists(), "{signal}");
        let shown = json(&["show", log]);
        assert_eq!(shown["events"], 5, "{signal}");
        assert_eq!(json(&["verify", log])["damage"], Value::Array(Vec::new()), "{signal}");
    }
}

#[test]
fn the_last_events_of_a_log_that_is_done_are_shown_and_then_waited() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines = lines(folder.path());
    let log = folder.path().join("whole.log");
    let mut viewer = Running::start(&["show", plain(&log), "--follow", "--color", "never"]);
    for position in lines.len() - 10..lines.len() {
        let line = viewer.line();
        assert!(line.contains(&format!("  {position}  ")), "{line}");
    }
    std::fs::remove_file(&log).expect("it is there");
    assert_eq!(viewer.child.wait().expect("it ends where the log does").code(), Some(3));
}

#[test]
fn only_a_log_is_followed() {
    let refused = replay(&["show", "-", "--follow"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(replay(&["show", RENEWAL, "--follow"]).status.code(), Some(2));
}
