//! The shapes of JSON answers, pinned: what is there may be added to, and is never renamed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::program::{LIBRARY, RENEWAL, json, replay};

pub(crate) fn golden(name: &str, answers: &[Value]) {
    let mut shape = BTreeMap::new();
    for answer in answers {
        add_shape(&mut shape, String::new(), answer);
    }
    let lines: Vec<String> = shape.into_iter().map(|(path, kinds)| format!("{path}: {}", join(&kinds))).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("goldens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, lines.join("\n")));
}

fn add_shape(shape: &mut BTreeMap<String, BTreeSet<&'static str>>, path: String, value: &Value) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    shape.entry(path.clone()).or_default().insert(kind);
    // What stands below these is the record's own.
    if [".value", ".data", ".schema", ".unknown_kinds"].iter().any(|foreign| path.ends_with(foreign)) {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_shape(shape, format!("{path}[]"), item)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| add_shape(shape, format!("{path}.{name}"), field));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn join(kinds: &BTreeSet<&'static str>) -> String {
    kinds.iter().copied().collect::<Vec<_>>().join(" or ")
}

#[test]
fn list_has_its_shape() {
    let answer = json(&["list", RENEWAL, "--agent", LIBRARY]);
    assert_eq!(answer["schema"], "replay.list/1");
    golden("schema_list", &[answer, json(&["list", "samples/sessions/bikes-gate.json"])]);
}

#[test]
fn show_has_its_shape() {
    let events = json(&["show", RENEWAL])["events"].as_u64().expect("a number");
    let at = |position: u64| json(&["show", RENEWAL, "--agent", LIBRARY, "--at", &position.to_string()]);
    let answers: Vec<Value> = (0..=events).map(at).collect();
    assert!(answers.iter().all(|answer| answer["schema"] == "replay.show/1"));
    assert!(answers[0]["event"].is_null());
    golden("schema_show", &answers);
}

#[test]
fn prompt_has_its_shape() {
    let prompt = |turn, call| json(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", turn, "--call", call]);
    let answers = [prompt("2", "1"), prompt("2", "2"), prompt("2", "3"), prompt("5", "1")];
    assert!(answers.iter().all(|answer| answer["schema"] == "replay.prompt/1" && answer["recorded"] == false));
    for answer in &answers {
        let sections = answer["sections"].as_array().expect("a list");
        let whole: String = sections.iter().map(|section| section["text"].as_str().expect("text")).collect();
        assert_eq!(answer["text"], whole, "the text is its sections");
        for section in sections {
            let pieces = section["pieces"].as_array().expect("a list");
            let text: String = pieces.iter().map(|piece| piece["text"].as_str().expect("text")).collect();
            assert_eq!(section["text"], text, "a section is its pieces");
        }
    }
    golden("schema_prompt", &answers);
}

#[test]
fn prompt_diff_has_its_shape() {
    let answer = |turn| json(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", turn, "--diff"]);
    let answers = [answer("3"), answer("5")];
    assert!(answers.iter().all(|answer| answer["schema"] == "replay.prompt-diff/1" && answer["recorded"] == false));
    golden("schema_prompt_diff", &answers);
}

#[test]
fn diff_has_its_shapes() {
    let of = |arguments: &[&str]| {
        let answer = replay(&[&["diff", "--json", "--agent", LIBRARY, RENEWAL], arguments].concat());
        serde_json::from_slice(&answer.stdout).expect("it is JSON")
    };
    let fees = "samples/sessions/library-fees.jsonl";
    let sessions: Vec<Value> = vec![of(&[fees]), of(&[RENEWAL]), of(&[fees, "--ignore", "none"])];
    assert!(sessions.iter().all(|answer| answer["schema"] == "replay.diff/1"));
    assert_eq!((&sessions[1]["equal"], &sessions[1]["first"]), (&true.into(), &Value::Null));
    assert_eq!(sessions[0]["first"], sessions[0]["differences"][0]);
    golden("schema_diff", &sessions);
    let states: Vec<Value> = vec![of(&["--from", "0"]), of(&["--from", "16", "--to", "turn:2"])];
    assert!(states.iter().all(|answer| answer["schema"] == "replay.state-diff/1"));
    golden("schema_state_diff", &states);
}

#[test]
fn summary_import_and_verify_have_their_shapes() {
    golden("schema_summary", &[json(&[RENEWAL, "--agent", LIBRARY])]);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.log");
    let log = log.to_str().expect("plain");
    golden("schema_import", &[json(&["import", RENEWAL, "--agent", LIBRARY, "-o", log])]);
    golden("schema_verify", &[json(&["verify", log])]);
}

#[test]
fn why_has_its_shape() {
    const BIKES: [&str; 3] = ["samples/sessions/bikes-gate.json", "--agent", "samples/agents/kitebird-bikes"];
    let why = |session: &[&str], asked: &[&str]| json(&[&["why"], session, asked].concat());
    let library = [RENEWAL, "--agent", LIBRARY];
    let answers = [
        why(&library, &["item_id"]),
        why(&library, &["item_id", "--at", "0"]),
        why(&library, &["branch"]),
        why(&library, &["--read", "pay_fees.balance", "--skill", "renew_loan"]),
        why(&library, &["--skill", "pay_fees", "--at", "3"]),
        why(&BIKES, &["--tool", "order_pick_up"]),
        why(&BIKES, &["--tool", "unlock_bike"]),
        why(&["samples/sessions/bikes-old-site.json"], &["--skill", "x"]),
        why(&BIKES, &["--line", "skills/report_damage/skill.md:18"]),
    ];
    assert!(answers.iter().all(|answer| answer["schema"] == "replay.why/1"));
    golden("schema_why", &answers);
}

#[test]
fn last_and_reads_have_their_shapes() {
    golden("schema_last", &[json(&["last", RENEWAL, "item_id"]), json(&["last", RENEWAL, "project.loans"])]);
    let reads = [
        json(&["reads", RENEWAL, "item_id"]),
        json(&["reads", RENEWAL, "member_id"]),
        json(&["reads", "samples/sessions/library-renewal.json", "item_id"]),
    ];
    golden("schema_reads", &reads);
}
