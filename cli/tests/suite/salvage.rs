//! What `verify` says to run over a damaged log is run, and gives a log that holds all that is whole.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{LIBRARY, answer, replay, root, text};

const FEES: &str = "samples/sessions/library-fees.jsonl";
const HOST: &str = "samples/sessions/library-host.jsonl";

/// Runs what `verify` says, in a shell, and returns the answer of `verify` over the new log.
fn follow(log: &Path) -> (Vec<String>, Value) {
    let name = log.to_str().expect("its name is text");
    let found = replay(&["verify", name, "--json"]);
    assert_eq!(found.status.code(), Some(1), "{}", text(&found.stderr));
    let found: Value = serde_json::from_slice(&found.stdout).expect("an answer is JSON");
    let commands: Vec<String> =
        found["salvage"].as_array().expect("a list").iter().map(|one| one.as_str().expect("text").to_owned()).collect();
    let shown = text(&replay(&["verify", name]).stdout);
    for command in &commands {
        assert!(shown.contains(command), "people are told the same: {shown}");
        let program = Path::new(env!("CARGO_BIN_EXE_replay")).parent().expect("it lies in a folder");
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let run = Command::new("sh").args(["-c", command]).env("PATH", path).current_dir(root()).output();
        let run = run.expect("there is a shell");
        assert!(run.status.success(), "{command}: {}", text(&run.stderr));
    }
    let whole = log.with_file_name("session-whole.log");
    let verified = replay(&["verify", whole.to_str().expect("its name is text"), "--json"]);
    (commands, serde_json::from_slice(&verified.stdout).unwrap_or_default())
}

#[test]
fn what_a_damaged_session_leaves_whole_goes_into_a_new_log() {
    let folder = tempfile::tempdir().expect("there is room");
    let log = folder.path().join("session.log");
    answer(&["import", FEES, HOST, "--agent", LIBRARY, "-o", log.to_str().expect("its name is text")]);
    let bytes = fs::read(&log).expect("it is there");
    let whole: Value =
        serde_json::from_slice(&replay(&["verify", log.to_str().expect("text"), "--json"]).stdout).expect("JSON");
    let mut seen = 0;
    for at in (4096..bytes.len()).step_by(4099) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        fs::write(&log, &damaged).expect("there is room");
        let _ = fs::remove_file(log.with_file_name("session-whole.log"));
        let found = replay(&["verify", log.to_str().expect("its name is text"), "--json"]);
        let Ok(found) = serde_json::from_slice::<Value>(&found.stdout) else { continue };
        if found["damage"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let (commands, new) = follow(&log);
        for session in new["sessions"].as_array().into_iter().flatten() {
            let same = whole["sessions"].as_array().into_iter().flatten().any(|one| one == session);
            assert!(same, "byte {at}: {session} is not what was written");
        }
        seen += usize::from(!commands.is_empty());
    }
    assert!(seen > 0, "some of these hurt one session only");
}

#[test]
fn what_a_damaged_tail_leaves_goes_into_a_new_log() {
    let folder = tempfile::tempdir().expect("there is room");
    let log = folder.path().join("session.log");
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_replay"));
    let recorder = recorder.current_dir(root()).args(["record", log.to_str().expect("text"), "--agent", LIBRARY]);
    let mut recorder = recorder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = recorder.stdin.take().expect("it is piped");
    let mut lines = BufReader::new(recorder.stdout.take().expect("it is piped")).lines();
    let mut last = Value::Null;
    for line in [
        r#"{"command": "start", "session": "s", "metadata": {"branch": "harbour"}}"#,
        r#"{"command": "return", "session": "s", "tool": "load_member", "error": "no card"}"#,
        r#"{"command": "end_turn", "session": "s"}"#,
        r#"{"command": "user", "session": "s", "text": "Hello."}"#,
    ] {
        writeln!(input, "{line}").expect("it reads");
        let reply = lines.next().expect("it answers").expect("it is text");
        last = serde_json::from_str(&reply).expect("an answer is JSON");
    }
    recorder.kill().expect("it runs");
    recorder.wait().expect("it was killed");
    let tail = folder.path().join("session.log-tail");
    let mut bytes = fs::read(&tail).expect("a killed writer leaves it");
    let end = bytes.iter().rposition(|byte| *byte != 0).expect("something was appended");
    bytes[end - 100] ^= 0xff;
    fs::write(&tail, &bytes).expect("there is room");
    let (commands, new) = follow(&log);
    assert_eq!(commands.len(), 1);
    let kept = new["sessions"][0]["events"].as_u64().expect("a number");
    assert!(0 < kept && Some(kept) <= last["position"].as_u64(), "{kept} of {last}");
    assert_eq!(new["damage"].as_array().map(Vec::len), Some(0), "what is kept is whole");
}
