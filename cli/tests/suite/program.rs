//! The built program, and where the samples and the corpus are.

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// Returns the root of the workspace, in which the program is run.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("cli lies in the workspace").to_owned()
}

/// Returns the program, to be run in the root of the workspace with nothing of the user's environment that matters.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
    command.current_dir(root()).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// Runs the program.
pub(crate) fn replay(arguments: &[&str]) -> Output {
    program().args(arguments).output().expect("the program starts")
}

/// Runs the program and returns what it wrote to stdout. Fails unless it ended well and had nothing to complain about.
pub(crate) fn answer(arguments: &[&str]) -> String {
    let output = replay(arguments);
    let complaint = text(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{arguments:?}: {} {complaint}", output.status);
    text(&output.stdout)
}

/// Runs the program with `--json` and returns its answer.
pub(crate) fn json(arguments: &[&str]) -> Value {
    let answer = answer(&[arguments, &["--json"]].concat());
    assert_eq!(answer.lines().count(), 1, "an answer is one line");
    serde_json::from_str(&answer).expect("an answer is JSON")
}

/// Returns bytes as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes text")
}

/// Returns the corpus of real agents and records. `None` where it isn't at hand, which is said, and is a failure where
/// it is required.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn corpus() -> Option<PathBuf> {
    match std::env::var_os("REPLAY_CORPUS") {
        Some(path) => Some(PathBuf::from(path)),
        None => {
            let required = std::env::var_os("REPLAY_CORPUS_REQUIRED").is_some_and(|value| value == "1");
            assert!(!required, "REPLAY_CORPUS is not set, and REPLAY_CORPUS_REQUIRED is");
            println!("skipped: REPLAY_CORPUS is not set");
            None
        }
    }
}

pub(crate) const RENEWAL: &str = "samples/sessions/library-renewal.json";
pub(crate) const LIBRARY: &str = "samples/agents/harbour-library";
