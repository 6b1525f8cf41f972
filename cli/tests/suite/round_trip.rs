//! Import, export, import is the identity, and every answer stays the same.

use std::path::Path;

use crate::program::{LIBRARY, answer, json};

fn path(path: &Path) -> &str {
    path.to_str().expect("the names of the tests are plain")
}

/// Imports a record, exports it, imports that, and compares everything that can be asked.
fn check(record: &str, agent: Option<&str>) {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, lines, second] = ["first.log", "lines.jsonl", "second.log"].map(|name| folder.path().join(name));
    let agent: Vec<&str> = agent.into_iter().flat_map(|agent| ["--agent", agent]).collect();
    let import = [vec!["import", record, "-o", path(&first)], agent].concat();
    crate::program::replay(&import);
    let exported = answer(&["export", path(&first), "--format", "jsonl"]);
    std::fs::write(&lines, &exported).expect("the folder takes files");
    answer(&["import", path(&lines), "-o", path(&second)]);
    assert_eq!(answer(&["export", path(&second)]), exported, "{record}: the second export is the first");
    let [list, third] = ["list.json", "third.log"].map(|name| folder.path().join(name));
    let exported_list = answer(&["export", path(&first), "--format", "json"]);
    serde_json::from_str::<serde_json::Value>(&exported_list).expect("a JSON export is one document");
    std::fs::write(&list, &exported_list).expect("the folder takes files");
    answer(&["import", path(&list), "-o", path(&third)]);
    assert_eq!(answer(&["export", path(&third)]), exported, "{record}: the array says what the lines say");
    let verified = |log: &Path| json(&["verify", path(log)]);
    assert_eq!(verified(&first)["head"], verified(&second)["head"], "{record}: equal logs have equal digests");
    assert_eq!(verified(&first)["head"], verified(&third)["head"], "{record}: so do those of the array");
    assert!(verified(&first)["head"].is_string());
    assert_eq!(json(&["list", path(&first)]), json(&["list", path(&second)]));
    let events = json(&["show", path(&first)])["events"].as_u64().expect("a number");
    for position in 0..=events {
        let show = |file: &Path| json(&["show", path(file), "--at", &position.to_string()]);
        let expected = show(&first);
        assert_eq!(show(&second), expected, "{record} at {position}");
        assert_eq!(show(&lines), expected, "{record} at {position}, from the lines themselves");
    }
}

#[test]
fn the_samples_survive() {
    check("samples/sessions/library-renewal.json", Some(LIBRARY));
    check("samples/sessions/library-fees.jsonl", Some(LIBRARY));
    check("samples/sessions/library-hostile.jsonl", None);
    check("samples/sessions/bikes-gate.json", Some("samples/agents/kitebird-bikes"));
    check("samples/sessions/bikes-old-site.json", None);
}

#[test]
fn a_log_answers_like_the_record_and_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.log");
    let record = "samples/sessions/library-renewal.json";
    answer(&["import", record, "--agent", LIBRARY, "-o", path(&log)]);
    for call in ["1", "2", "3"] {
        let mut from_log = json(&["prompt", path(&log), "--turn", "2", "--call", call]);
        let mut from_record = json(&["prompt", record, "--agent", LIBRARY, "--turn", "2", "--call", call]);
        for answer in [&mut from_log, &mut from_record] {
            answer["definition"] = "".into();
            answer["differs"] = "".into();
            answer["profile"] = "".into();
        }
        assert_eq!(from_log, from_record);
    }
}

#[test]
fn importing_again_adds_what_is_new_and_refuses_what_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.log");
    let whole = std::fs::read_to_string(crate::program::root().join("samples/sessions/library-fees.jsonl"))
        .expect("the sample is there");
    let part = folder.path().join("part.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    std::fs::write(&part, lines[..20].join("\n") + "\n").expect("the folder takes files");
    answer(&["import", path(&part), "-o", path(&log)]);
    let before = json(&["show", path(&log)])["events"].clone();
    answer(&["import", "samples/sessions/library-fees.jsonl", "-o", path(&log)]);
    let after = json(&["show", path(&log)])["events"].clone();
    assert!(before.as_u64() < after.as_u64());
    assert_eq!(after, json(&["show", "samples/sessions/library-fees.jsonl"])["events"]);
    // The same record once more adds nothing; one that differs is refused and changes nothing.
    answer(&["import", "samples/sessions/library-fees.jsonl", "-o", path(&log)]);
    std::fs::write(&part, whole.replace("Nine Small Boats", "Ten Small Boats")).expect("the folder takes files");
    let refused = crate::program::replay(&["import", path(&part), "-o", path(&log)]);
    let said = crate::program::text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("Nine Small Boats") && said.contains("Ten Small Boats"), "{said}");
    assert!(said.contains("import the record into another log file") && !said.contains("another id"), "{said}");
    assert_eq!(json(&["show", path(&log)])["events"], after);
}
