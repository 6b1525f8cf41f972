//! Each exit code says what it should, with one line that says what, where and what to do.

use std::fs;

use crate::program::{LIBRARY, RENEWAL, program, replay, text};

fn check(arguments: &[&str], code: i32, complaint: &str) {
    let output = replay(arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(complaint), "{arguments:?}: {said}");
    assert!(said.lines().count() <= 1 || said.contains("Usage:"), "{arguments:?} has one line to say: {said}");
}

#[test]
fn an_answer_is_fine() {
    check(&["show", RENEWAL], 0, "");
    check(&["--help"], 0, "");
    check(&["--version"], 0, "");
}

#[test]
fn no_is_an_answer() {
    check(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "1"], 1, "turn 1 ran without the model");
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    check(&[], 2, "Usage:");
    check(&["show"], 2, "<SESSION>");
    check(&["show", RENEWAL, "--at", "9999"], 2, "--at 9999 is out of range: the session has the positions 0 to ");
    check(&["show", RENEWAL, "--at", "raw:9999"], 2, "the raw records 0 to 88");
    check(&["show", RENEWAL, "--at", "two"], 2, "is no position");
    check(&["show", RENEWAL, "--turn", "0"], 2, "--turn 0 is out of range: the session has the turns 1 to 5");
    check(&["show", RENEWAL, "--turn", "1", "--at", "1"], 2, "cannot be used with");
    check(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "2", "--call", "9"], 2, "--call 9 is out of range");
    check(&[RENEWAL, "show", RENEWAL], 2, "a session and a command at once");
    check(&["show", RENEWAL, "--profile", "mantle-9"], 2, "there are seed and mantle-3.21");
    check(&["show", &format!("{RENEWAL}#nobody")], 2, "holds no session \"nobody\"");
}

#[test]
fn several_sessions_and_no_id_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("two.log");
    let log = log.to_str().expect("plain");
    check(&["import", RENEWAL, "samples/sessions/library-fees.jsonl", "-o", log], 0, "");
    check(&["show", log], 2, "library-fees, library-renewal");
    check(&["prompt", log], 2, "library-fees, library-renewal");
    check(&[log], 2, "library-fees, library-renewal");
    check(&["show", &format!("{log}#library-fees")], 0, "");
    check(&["list", log], 0, "");
}

#[test]
fn what_cannot_be_read_is_said() {
    check(&["show", "no/such/file"], 3, "no/such/file");
    check(&["show", "samples"], 3, "samples");
    check(&["show", "LICENSE-MIT"], 3, "LICENSE-MIT");
    check(&["show", RENEWAL, "--agent", "no/such/folder"], 3, "no/such/folder");
    check(&["prompt", RENEWAL], 3, "--agent DIR");
    check(&["verify", RENEWAL], 3, "is not a log");
    check(&["verify", "no/such/file"], 3, "no/such/file");
}

#[test]
fn a_cut_record_is_opened_with_one_line() {
    let output = replay(&["show", "samples/sessions/library-cut.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr).lines().count(), 1);
    assert!(text(&output.stdout).contains("renew_loan"));
}

#[test]
fn an_empty_input_is_not_a_session() {
    let output = program().args(["show", "-"]).write_stdin("").output().expect("the program starts");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_replay"))
        .current_dir(crate::program::root())
        .args(["export", RENEWAL])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn a_file_with_the_name_of_a_command_opens_with_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = crate::program::root().join(RENEWAL);
    fs::copy(sample, folder.path().join("show")).expect("the sample is there");
    let output = program().current_dir(folder.path()).arg("./show").output().expect("the program starts");
    assert!(text(&output.stdout).contains("library-renewal"), "{}", text(&output.stderr));
}

#[test]
fn a_path_that_exists_wins_over_an_id() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = crate::program::root().join(RENEWAL);
    fs::copy(sample, folder.path().join("a#b")).expect("the sample is there");
    let run = |argument: &str| program().current_dir(folder.path()).args(["show", argument]).output().expect("starts");
    assert_eq!(run("a#b").status.code(), Some(0));
    assert_eq!(run("a#b#library-renewal").status.code(), Some(0));
}

#[test]
fn what_of_the_agent_folder_counts_for_nothing_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.yml"), "agent: {persona: You lend books.}\n").expect("the folder takes files");
    fs::write(folder.path().join("memory.yml"), b"branch: {type: text, description: \xff}\n").expect("it does");
    let agent = folder.path().to_str().expect("the name is plain");
    for command in [vec!["show", RENEWAL], vec!["prompt", RENEWAL], vec!["--plain", RENEWAL]] {
        check(&[command, vec!["--agent", agent]].concat(), 0, "memory.yml: ");
    }
    let said = text(&replay(&["show", RENEWAL, "--agent", LIBRARY]).stderr);
    assert_eq!(said, "");
}

#[test]
fn a_device_is_no_record() {
    check(&["show", "/dev/zero"], 3, "it is a device");
    check(&["--json"], 2, "name a session or a command");
}
