//! The configuration file: `replay config` writes one that is right, and says what is wrong in another.

use std::fs;

use crate::program::{program, text};

fn config(file: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("config.toml");
    if !file.is_empty() {
        fs::write(&path, file).expect("the folder takes files");
    }
    let output =
        program().env("REPLAY_CONFIG", &path).arg("config").args(arguments).output().expect("the program starts");
    (output.status.code(), text(&output.stdout).replace(&*folder.path().to_string_lossy(), "DIR"))
}

#[test]
fn what_is_written_is_a_file_that_changes_nothing() {
    let (code, written) = config("", &[]);
    assert_eq!(code, Some(0), "{written}");
    assert!(written.starts_with("# DIR/config.toml (not there yet"), "{written}");
    let (code, again) = config(&written, &[]);
    assert_eq!(code, Some(0), "{again}");
    let after = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(after(&written), after(&again));
}

#[test]
fn what_is_wrong_is_said_and_the_answer_is_no() {
    let (code, written) = config("[keys]\nqiut = \"Q\"\nzoom = \"Z\"\n", &[]);
    assert_eq!(code, Some(1), "{written}");
    assert!(written.contains("# wrong: DIR/config.toml:2: no action is called qiut: did you mean quit?"), "{written}");
    assert!(written.contains("\nzoom = [\"Z\"]"), "{written}");
    let (_, json) = config("[keys]\nqiut = \"Q\"\n", &["--json"]);
    let answer: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(answer["schema"], "replay.config/1");
    assert_eq!(answer["complaints"].as_array().map(Vec::len), Some(1), "{json}");
}
