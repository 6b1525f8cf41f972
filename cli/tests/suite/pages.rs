//! Pages and notes: what is exported to be read, and what is kept beside a record.

use std::fs;

use crate::program::{LIBRARY, RENEWAL, answer, program, root, text};

#[test]
fn a_session_becomes_a_page_with_its_pii_hidden() {
    for format in ["md", "html"] {
        let page = answer(&["export", RENEWAL, "--agent", LIBRARY, "--format", format]);
        assert!(!page.contains("Noor") && page.contains("set"), "{page}");
        assert!(!page.contains("<script"), "{page}");
        let shown = answer(&["export", RENEWAL, "--agent", LIBRARY, "--format", format, "--reveal"]);
        assert!(shown.contains("Noor") && shown.contains("SHOWN"), "{shown}");
    }
}

#[test]
fn a_note_is_kept_beside_the_record_and_stands_on_its_page() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let record = folder.path().join("a.json");
    fs::copy(root().join(RENEWAL), &record).expect("the sample can be copied");
    let before = fs::read(&record).expect("it is there");
    let run = |arguments: &[&str]| {
        let output = program().env("HOME", folder.path()).env_remove("XDG_DATA_HOME").args(arguments).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let record = record.to_str().expect("plain");
    assert!(run(&["note", record]).contains("no notes yet"));
    assert!(run(&["note", record, "--at", "29", "why \u{1b}[2J declined?"]).contains("   29 why ␛[2J declined?"));
    assert!(run(&["note", record, "--json"]).contains("\"position\":29,\"text\":\"why \\u001b[2J declined?\""));
    assert!(folder.path().join("a.json-notes").exists());
    assert_eq!(fs::read(record).expect("it is there"), before, "the record is as it was");
    assert!(run(&["export", record, "--format", "md"]).contains("| 29 | why ␛\\[2J declined? |"));
    assert!(run(&["note", record, "--at", "29", ""]).contains("no notes yet"));
    let piped = program().args(["note", "-"]).output().expect("the program starts");
    assert_eq!(piped.status.code(), Some(4), "{}", text(&piped.stderr));
}
