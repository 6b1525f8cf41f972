//! `replay record`: a host brings what happens line by line, and gets an answer a line.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::program::{LIBRARY, answer, program, replay, root, text};

/// Sends lines to a recorder and returns its answers.
fn record(log: &str, lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    send(log, input)
}

fn send(log: &str, input: impl Into<Vec<u8>>) -> Vec<Value> {
    let mut command = program();
    let output = command.args(["record", log, "--agent", LIBRARY]).write_stdin(input).output().expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
}

fn place() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("there is room");
    let log = folder.path().join("session.log").to_str().expect("its name is text").to_owned();
    (folder, log)
}

#[test]
fn the_host_in_python_records_the_sample() {
    let (_folder, log) = place();
    let mut host = Command::new("python3");
    let host = host.current_dir(root()).args(["samples/host-python/host.py", &log]);
    let output = host.env("REPLAY", env!("CARGO_BIN_EXE_replay")).output().expect("python3 is there");
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    for words in [
        "refused: ProjectMemoryAlreadySetError: project.loans",
        "agent: All right, The Tide Tables keeps its date.",
        "agent: Shall we go on with what we were doing?",
        "agent: Booked: the large room on Friday.",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let same = replay(&["diff", &log, "samples/sessions/library-host.jsonl"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    assert!(answer(&["verify", &log]).contains("events 1 to 142 are what was written"));
    assert_eq!(fs::read_dir(_folder.path()).expect("it is there").count(), 1, "a closed log is one file");
}

#[test]
fn a_line_that_can_not_be_read_says_what_is_wrong_and_the_log_goes_on() {
    let (_folder, log) = place();
    let replies = send(
        &log,
        "{\"id\": 1, \"command\": \"start\", \"session\": \"s\"}\n\
         {\"id\": 2, \"command\": \"usr\", \"session\": \"s\"}\n\
         {\"id\": 3, \"command\": \"user\", \"session\": \"s\"}\n\
         {\"id\": 4, \"command\": \"user\", \"text\": \"x\"}\n\
         {\"id\": 5, \"command\": \"user\", \"session\": \"t\", \"text\": \"x\"}\n\
         {\"id\": 6, \"command\": \"start\", \"session\": \"s\"}\n\
         \n\
         {\"id\": 7\n\
         \u{fffd}\u{0}\n\
         {\"id\": 8, \"command\": \"call\", \"session\": \"s\", \"tool\": \"activate\", \"arguments\": 3}\n\
         {\"id\": {\"any\": 9}, \"command\": \"state\", \"session\": \"s\"}",
    );
    let told: Vec<(bool, &str)> = replies
        .iter()
        .map(|reply| (reply["ok"] == true, reply["error"]["message"].as_str().unwrap_or_default()))
        .collect();
    for (place, words) in [
        (1, "unknown variant `usr`, expected one of `hello`, `start`"),
        (2, "missing field `text`"),
        (3, "missing field `session`"),
        (4, "session \"t\" isn't open; `start` or `resume` it first"),
        (5, "session \"s\" is in the log already"),
        (6, "EOF while parsing"),
        (8, "`arguments` is an object, or the JSON text of one"),
    ] {
        assert!(!told[place].0 && told[place].1.contains(words), "{words}: {told:#?}");
    }
    assert_eq!(replies.len(), 10);
    assert_eq!((&replies[2]["id"], &replies[9]["id"]), (&json!(3), &json!({"any": 9})), "ids come back");
    assert_eq!(replies[9]["position"], replies[0]["position"], "nothing of it was recorded");
}

#[test]
fn a_session_is_gone_on_with_by_another_process() {
    let (_folder, log) = place();
    let start = json!({"command": "start", "session": "s", "metadata": {"branch": "harbour"}});
    let first = record(&log, &[start]);
    assert_eq!(first[0]["run"][0]["tool"], "load_member", "the start skill asks for it");
    let second = record(
        &log,
        &[
            json!({"command": "resume", "session": "s"}),
            json!({"command": "get", "session": "s", "tool": "load_member", "name": "branch"}),
            json!({"command": "return", "session": "s", "tool": "load_member", "error": "no card"}),
            json!({"command": "end_turn", "session": "s"}),
        ],
    );
    assert_eq!(second[0]["memory"]["project.branch"], "harbour");
    assert_eq!((&second[1]["value"], &second[1]["answer"]), (&json!("harbour"), &json!("allowed")));
    assert!(second.iter().all(|reply| reply["ok"] == true), "{second:#?}");
    assert_eq!(second[3]["turn_ended"], true);
}

#[test]
fn a_recorder_needs_an_agent_and_a_log_of_its_own() {
    let (_folder, log) = place();
    let none = replay(&["record", &log]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("name the folder of the agent with --agent DIR"));
    let mut first = Command::new(env!("CARGO_BIN_EXE_replay"));
    let first = first.current_dir(root()).args(["record", &log, "--agent", LIBRARY]);
    let mut first = first.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = std::io::BufReader::new(first.stdout.take().expect("it is piped"));
    let mut input = first.stdin.take().expect("it is piped");
    let mut line = String::new();
    std::io::Write::write_all(&mut input, b"{\"command\": \"hello\"}\n").expect("it reads");
    std::io::BufRead::read_line(&mut lines, &mut line).expect("it answers");
    assert!(line.contains("replay.record/1"), "{line}");
    let second = replay(&["record", &log, "--agent", LIBRARY]);
    assert_eq!(second.status.code(), Some(4), "{}", text(&second.stderr));
    drop(input);
    assert!(first.wait().expect("it ends").success());
}

/// Imports the sample with something in it changed and returns the exit code and the answer of `verify --decisions`.
fn verified(change: (&str, &str)) -> (Option<i32>, String) {
    let (folder, log) = place();
    let record = fs::read_to_string(root().join("samples/sessions/library-host.jsonl")).expect("the sample is there");
    assert!(change.0.is_empty() || record.contains(change.0), "{} is in the sample", change.0);
    let path = folder.path().join("changed.jsonl");
    fs::write(&path, record.replacen(change.0, change.1, 1)).expect("there is room");
    answer(&["import", path.to_str().expect("its name is text"), "-o", &log]);
    let output = replay(&["verify", &log, "--decisions"]);
    (output.status.code(), text(&output.stdout))
}

#[test]
fn what_was_decided_is_decided_again_and_a_difference_is_told() {
    let (exit, said) = verified(("", ""));
    assert_eq!(exit, Some(0), "{said}");
    assert!(said.contains("decided again: 13 prompts, 2 tool reads, 21 commands, all as recorded"), "{said}");
    for (from, to, recorded, decided) in [
        (
            "\"gave\":\"denied\"",
            "\"gave\":\"value\"",
            "pay_fees.balance gave its value (M37)",
            "was refused: denied (M37)",
        ),
        ("\"rule\":\"M43\"", "\"rule\":\"M46a\"", "(M46a)", "(M43)"),
        ("\"step\":\"ask_size\"", "\"step\":\"ask_day\"", "recorded prompt", "decided now prompt"),
        ("\"text\":\"Hello Noor", "\"text\":\"Hello Nora", "Hello Nora", "Hello Noor"),
        ("\"tools\":[\"activate\"", "\"tools\":[\"listen\"", "tools listen", "tools activate"),
    ] {
        let (exit, said) = verified((from, to));
        assert_eq!(exit, Some(1), "{from}: {said}");
        assert!(said.contains("of them otherwise"), "{said}");
        assert!(said.contains(recorded) && said.contains(decided), "{from}: {said}");
    }
}

#[test]
fn a_stale_button_is_decided_again_as_the_button_that_it_was() {
    let (_folder, log) = place();
    let replies = record(
        &log,
        &[
            json!({"command": "start", "session": "s"}),
            json!({"command": "cancel_turn", "session": "s"}),
            json!({"command": "tap", "session": "s", "payload": "set:project.branch=x"}),
        ],
    );
    assert!(replies.iter().all(|reply| reply["ok"] == true), "{replies:#?}");
    assert!(answer(&["verify", &log, "--decisions"]).contains("1 command, all as recorded"));
}

/// A conversation in which each kind of request comes, those that a rule refuses, too.
fn requests() -> Vec<Value> {
    let tool = |tool: &str| json!({"tool": tool, "call_id": tool, "arguments": {}});
    let renew = json!({"tool": "activate", "call_id": "a", "arguments": {"target_id": "renew_loan"}});
    let lines = vec![
        json!({"command": "start", "metadata": {"branch": "harbour"}}),
        json!({"command": "get", "tool": "load_member", "name": "branch"}),
        json!({"command": "set", "tool": "load_member", "name": "project.member_id", "value": "HS-20418"}),
        json!({"command": "set", "tool": "load_member", "name": "project.member_id", "value": "HS-2"}),
        json!({"command": "get", "tool": "load_member", "name": "project.member_id"}),
        json!({"command": "return", "tool": "load_member", "result": "{}"}),
        json!({"command": "end_turn"}),
        json!({"command": "user", "text": "Renew The Tide Tables, please."}),
        json!({"command": "model_call"}),
        json!({"command": "model_reply", "text": "One moment.", "calls": [renew, tool("find_loan"), tool("listen")]}),
        json!({"command": "call", "tool": "activate", "call_id": "a", "arguments": {"target_id": "renew_loan"}}),
        json!({"command": "call", "tool": "activate", "call_id": "b", "arguments": {"target_id": "nowhere"}}),
        json!({"command": "call", "tool": "find_loan", "call_id": "find_loan", "arguments": {"title": "Tide"}}),
        json!({"command": "return", "tool": "find_loan", "call_id": "find_loan", "error": "no such loan"}),
        json!({"command": "call", "tool": "set_fields", "call_id": "c", "arguments": {"nothing": 1}}),
        json!({"command": "call", "tool": "listen", "call_id": "listen"}),
    ];
    let named = |(number, mut line): (usize, Value)| {
        line["session"] = json!("s");
        line["request_id"] = json!(format!("request-{number}"));
        line
    };
    lines.into_iter().enumerate().map(named).collect()
}

#[test]
fn a_request_that_comes_again_is_answered_again_and_not_done_again() {
    let (_folder, log) = place();
    let twice: Vec<Value> = requests().into_iter().flat_map(|line| [line.clone(), line]).collect();
    let replies = record(&log, &twice);
    for (pair, line) in replies.chunks(2).zip(requests()) {
        assert_eq!(pair[0]["ok"], true, "{line}: {}", pair[0]);
        assert_eq!(pair[0], pair[1], "{line}");
    }
    let refused: Vec<bool> = replies.iter().step_by(2).map(|reply| reply["refused"].is_string()).collect();
    assert_eq!(refused.iter().filter(|refused| **refused).count(), 3, "{replies:#?}");
    // Another process knows them, too, and so does one that the beginning comes to first.
    let again = record(&log, &requests());
    let firsts: Vec<&Value> = replies.iter().step_by(2).collect();
    assert_eq!(again.iter().collect::<Vec<_>>(), firsts);
    let end = record(&log, &[json!({"command": "resume", "session": "s"})]);
    assert_eq!(end[0]["position"], firsts[15]["position"]);
}

#[test]
fn the_last_sixteen_requests_are_known_and_none_by_the_id_of_another() {
    let (_folder, log) = place();
    let mut lines = requests();
    for (number, text) in [(16, "Thanks."), (17, "Bye.")] {
        lines.push(json!({"command": "user", "session": "s", "text": text, "request_id": format!("request-{number}")}));
    }
    record(&log, &lines);
    let ask = |line: Value| {
        let replies = record(&log, &[json!({"command": "resume", "session": "s"}), line]);
        let reply = &replies[1];
        (reply["ok"] == true, reply["error"]["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(
        ask(lines[0].clone()),
        (false, "session \"s\" is in the log already; go on with it, or choose another name".to_owned())
    );
    assert!(ask(lines[1].clone()).1.starts_with("no call of \"load_member\" runs"), "it is one of the past");
    assert!(ask(lines[17].clone()).0);
    let mut other = lines[17].clone();
    other["text"] = json!("No thanks.");
    assert_eq!(
        ask(other).1,
        "`request_id` \"request-17\" was another request; what is asked anew needs an id of its own"
    );
    let long = json!({"command": "end_turn", "session": "s", "request_id": "x".repeat(65)});
    assert_eq!(ask(long).1, "`request_id` has 65 bytes; 64 are allowed");
    // What was not carried out is tried again, and what led to nothing isn't done again.
    let reply = json!({"command": "model_reply", "session": "s", "text": "Gladly.", "request_id": "request-18"});
    assert!(!ask(reply.clone()).0);
    assert!(ask(json!({"command": "model_call", "session": "s"})).0);
    assert!(ask(reply.clone()).0);
    assert!(ask(reply).0, "no call waits any more, so that it was answered again");
}
