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
    assert!(!run(&["note", record, "--at", "29", "why \u{1b}[2J declined?"]).contains("in place of"));
    assert!(run(&["note", record, "--json"]).contains("\"position\":29,\"text\":\"why \\u001b[2J declined?\""));
    assert!(folder.path().join("a.json-notes").exists());
    assert_eq!(fs::read(record).expect("it is there"), before, "the record is as it was");
    assert!(run(&["export", record, "--format", "md"]).contains("| 29 | why ␛\\[2J declined? |"));
    assert!(run(&["note", record, "--at", "29", "other"]).contains("in place of: why ␛[2J declined?"));
    assert!(run(&["note", record, "--at", "29", ""]).contains("no notes yet"));
    let piped = program().args(["note", "-"]).output().expect("the program starts");
    assert_eq!(piped.status.code(), Some(4), "{}", text(&piped.stderr));
}

#[test]
fn notes_go_along_with_lines_and_come_back() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let run = |arguments: &[&str]| {
        let output = program().env("HOME", folder.path()).env_remove("XDG_DATA_HOME").args(arguments).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let path = |name: &str| folder.path().join(name).to_str().expect("plain").to_owned();
    let [log, again, list] = ["a.log", "b.log", "c.log"].map(path);
    run(&["import", RENEWAL, "-o", &log, "--agent", LIBRARY]);
    let bare = run(&["export", &log]);
    run(&["note", &log, "--at", "29", "why \u{1b}[2J declined?"]);
    run(&["note", &log, "--at", "3", "the start"]);
    let head = |log: &str| run(&["verify", log, "--json"]);
    for (form, name, target) in [("jsonl", "notes.jsonl", &again), ("json", "notes.json", &list)] {
        let exported = run(&["export", &log, "--format", form]);
        assert_eq!(exported.matches("replay.note/1").count(), 2, "{exported}");
        let lines = path(name);
        fs::write(&lines, &exported).expect("the folder takes files");
        // The lines say it themselves, and what was noted since says more.
        assert!(run(&["note", &lines]).contains("   29 why ␛[2J declined?"));
        run(&["note", &lines, "--at", "3", "later"]);
        assert!(run(&["note", &lines]).contains("later"));
        fs::remove_file(path(&format!("{name}-notes"))).expect("it was made");
        assert!(run(&["import", &lines, "-o", target]).contains(", 2 notes"));
        assert_eq!(run(&["note", target]), run(&["note", &log]));
        assert_eq!(head(target), head(&log), "notes change no digest");
        // The same once more adds none.
        assert!(!run(&["import", &lines, "-o", target]).contains("note"));
        assert_eq!(run(&["export", target, "--format", form]), exported);
    }
    let without: String = run(&["export", &again])
        .lines()
        .filter(|line| !line.contains("replay.note/1"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(without, bare);
}
