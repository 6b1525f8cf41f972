//! Findings, queries and rights over the samples: what people see, and the shape of the JSON.

use serde_json::Value;

use crate::answers::golden;
use crate::program::{LIBRARY, RENEWAL, answer, json, program, replay, root, text};
use crate::schemas;

const FEES: &str = "samples/sessions/library-fees.jsonl";
const GATE: &str = "samples/sessions/bikes-gate.json";
const BIKES: &str = "samples/agents/kitebird-bikes";

#[test]
fn findings_are_ranked_and_say_what_to_do() {
    golden("findings", &answer(&["findings", FEES, "--agent", LIBRARY]));
    golden("findings_gate", &answer(&["findings", GATE, "--agent", BIKES]));
    golden("findings_plain", &answer(&["findings", RENEWAL, "--agent", LIBRARY, "--plain"]));
    golden("findings_bare", &answer(&["findings", "samples/sessions/bikes-old-site.json"]));
}

#[test]
fn findings_of_a_kind_are_those_and_no_others() {
    let all = json(&["findings", FEES, "--agent", LIBRARY]);
    let all = all["findings"].as_array().expect("a list");
    let denied = json(&["findings", FEES, "--agent", LIBRARY, "--kind", "denied_read,cut_value"]);
    let denied = denied["findings"].as_array().expect("a list");
    let is_wanted = |found: &&Value| found["kind"] == "denied_read" || found["kind"] == "cut_value";
    assert_eq!(denied.iter().collect::<Vec<_>>(), all.iter().filter(is_wanted).collect::<Vec<_>>());
    assert!(denied.len() < all.len());
    let wrong = replay(&["findings", FEES, "--kind", "denied_raed"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("did you mean denied_read?"), "{}", text(&wrong.stderr));
}

/// Runs `findings` on bytes and returns the kinds that it tells about the record.
fn damage(bytes: &[u8]) -> Vec<String> {
    let output = program().args(["findings", "-", "--json"]).write_stdin(bytes.to_vec()).output().expect("starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let kinds = answer["findings"].as_array().expect("a list").iter().filter_map(|found| found["kind"].as_str());
    let record = ["cut", "damaged", "gap", "stack_conflict", "end_conflict"];
    kinds.filter(|kind| record.contains(kind)).map(str::to_owned).collect()
}

#[test]
fn a_record_that_is_cut_short_or_mixed_up_says_so() {
    let whole = std::fs::read_to_string(root().join(FEES)).expect("the sample is there");
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(damage(whole.as_bytes()), Vec::<String>::new());
    assert_eq!(damage(&whole.as_bytes()[..whole.len() - 40]), ["cut"]);
    let without: Vec<&str> = [&lines[..19], &lines[20..]].concat();
    assert_eq!(damage(without.join("\n").as_bytes()), ["gap"]);
    let (first, second) = (lines[20], lines[21]);
    let halves = |line: &str| (line[..line.len() / 2].to_owned(), line[line.len() / 2..].to_owned());
    let ((a, b), (c, d)) = (halves(first), halves(second));
    let (mixed, rest) = (format!("{a}{c}"), format!("{b}{d}"));
    let mixed = [&lines[..20], &[mixed.as_str(), rest.as_str()], &lines[22..]].concat();
    assert_eq!(damage(mixed.join("\n").as_bytes()), ["damaged", "damaged", "gap"]);
}

#[test]
fn queries_are_answered_for_people() {
    golden("query", &answer(&["query", FEES, "verdict:denied or kind:memory_* turn:2..3", "--agent", LIBRARY]));
    golden("query_plain", &answer(&["query", RENEWAL, "changed(project.*)", "--plain"]));
    let table = ["query", RENEWAL, "project.member_id, renew_loan.item_id, item_id == None", "--every-turn"];
    golden("query_table", &answer(&[&table[..], &["--agent", LIBRARY]].concat()));
    golden("query_table_plain", &answer(&[&table[..], &["--plain"]].concat()));
}

#[test]
fn a_query_ends_like_grep() {
    let nothing = replay(&["query", RENEWAL, "tool:no_such_tool"]);
    assert_eq!((nothing.status.code(), nothing.stdout.len(), nothing.stderr.len()), (Some(1), 0, 0));
    let nothing = replay(&["query", RENEWAL, "tool:no_such_tool", "--json"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert_eq!(serde_json::from_slice::<Value>(&nothing.stdout).expect("JSON")["count"], 0);
    let wrong = replay(&["query", RENEWAL, "kind:user_message and kinds:x"]);
    assert_eq!(wrong.status.code(), Some(2));
    let said = text(&wrong.stderr);
    let expected = "replay: `kinds:` is no filter; did you mean `kind:`?\n  kind:user_message and kinds:x\n                        ^^^^^\n";
    assert_eq!(said, expected);
    let unknown = replay(&["query", RENEWAL, "project.membr_id", "--agent", LIBRARY]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("did you mean project.member_id?"), "{}", text(&unknown.stderr));
}

#[test]
fn all_sessions_of_a_log_are_searched_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("a.log");
    let log = log.to_str().expect("plain");
    assert!(replay(&["import", RENEWAL, FEES, "-o", log, "--agent", LIBRARY]).status.success());
    let found = json(&["query", log, "key:project.member_id"]);
    let sessions = found["sessions"].as_array().expect("a list");
    let ids: Vec<&str> = sessions.iter().filter_map(|one| one["session"].as_str()).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(found["count"], 2);
    let shown = answer(&["query", log, "key:project.member_id"]);
    for (id, line) in ids.iter().zip(shown.lines()) {
        assert!(line.starts_with(id), "{line}");
    }
    let one = answer(&["query", &format!("{log}#{}", ids[1]), "key:project.member_id"]);
    assert_eq!(one.lines().count(), 1);
    assert!(!one.contains(ids[1]), "a session that was named needs no name: {one}");
}

#[test]
fn rights_are_shown_with_what_denies_and_locks() {
    golden("access", &answer(&["access", FEES, "--agent", LIBRARY, "--turn", "2"]));
    golden("access_plain", &answer(&["access", GATE, "--agent", BIKES, "--plain"]));
    let unknown = replay(&["access", FEES]);
    assert_eq!(unknown.status.code(), Some(3));
    assert!(text(&unknown.stderr).contains("--agent DIR"));
}

#[test]
fn answers_have_their_shapes() {
    let found = [
        json(&["findings", FEES, "--agent", LIBRARY]),
        json(&["findings", GATE, "--agent", BIKES]),
        json(&["findings", "samples/sessions/bikes-old-site.json"]),
    ];
    assert!(found.iter().all(|answer| answer["schema"] == "replay.findings/1"));
    schemas::golden("schema_findings", &found);
    schemas::golden("schema_query", &[json(&["query", FEES, "at:1.."])]);
    let table = json(&["query", RENEWAL, "project.loans, item_id < 3, renew_loan.new_due", "--every-turn"]);
    schemas::golden("schema_query_table", &[table]);
    let access = json(&["access", FEES, "--agent", LIBRARY]);
    assert_eq!(access["schema"], "replay.access/1");
    schemas::golden("schema_access", &[access, json(&["access", GATE, "--agent", BIKES])]);
}

#[test]
fn a_step_shows_what_was_decided_in_it() {
    fn decisions<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        [&["show"], arguments, &["--what", "decisions"]].concat()
    }
    golden("decisions_call", &answer(&decisions(&[FEES, "--agent", LIBRARY, "--at", "58"])));
    golden("decisions_gate", &answer(&decisions(&[GATE, "--agent", BIKES, "--at", "15"])));
    golden("decisions_write", &answer(&decisions(&[RENEWAL, "--agent", LIBRARY, "--at", "6", "--plain"])));
    let shown = json(&decisions(&[FEES, "--agent", LIBRARY, "--at", "58"]));
    schemas::golden("schema_decisions", &[shown]);
}

#[test]
fn a_query_never_passes_over_damage_in_silence() {
    let folder = tempfile::tempdir().expect("a folder");
    let [record, whole, damaged] = ["record", "whole.log", "damaged.log"].map(|name| folder.path().join(name));
    let message = |number: u64| {
        format!(
            "{{\"conversation_id\": \"s\", \"timestamp\": {number}, \"sequence\": {number}, \"user\": {{\"text\": \"word {number}\"}}}}\n"
        )
    };
    std::fs::write(&record, (0..6000).map(message).collect::<String>()).expect("the folder takes files");
    let [record, log] = [&record, &whole].map(|path| path.to_str().expect("plain"));
    assert!(replay(&["import", record, "-o", log]).status.success());
    let ask = |log: &str, what: &[&str]| replay(&[&["query", log], what, &["--json"]].concat());
    let questions = [&["text:'word 2117'"][..], &["a.b", "--every-turn"]];
    let truths = questions.map(|question| {
        let output = ask(log, question);
        (text(&output.stdout), text(&output.stderr))
    });
    let bytes = std::fs::read(log).expect("it was written");
    let mut told = 0;
    for place in (0..bytes.len()).step_by(bytes.len() / 24) {
        let mut wrong = bytes.clone();
        wrong[place] ^= 0x55;
        std::fs::write(&damaged, wrong).expect("the folder takes files");
        for (question, (truth, notice)) in questions.into_iter().zip(&truths) {
            let output = ask(damaged.to_str().expect("plain"), question);
            let (answer, said) = (text(&output.stdout), text(&output.stderr));
            if output.status.code() != Some(3) {
                assert_eq!((answer.as_str(), said.as_str()), (truth.as_str(), notice.as_str()), "byte {place}");
            } else if !answer.is_empty() {
                let answer: Value = serde_json::from_str(&answer).expect("JSON");
                assert!(answer["sessions"][0]["damage"].is_string(), "byte {place}: {answer}");
                assert!(said.contains("; what was answered may be wrong"), "byte {place}: {said}");
                told += 1;
            }
        }
    }
    assert!(told > 0, "damage was met while a question was answered");
}

#[test]
fn a_folder_is_searched_file_by_file() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let deep = folder.path().join("monday");
    std::fs::create_dir(&deep).expect("a folder can be made");
    for (from, to) in [(FEES, "b.jsonl"), (RENEWAL, "monday/a.json")] {
        std::fs::copy(root().join(from), folder.path().join(to)).expect("files can be copied");
    }
    std::fs::write(folder.path().join("notes.txt"), "no record").expect("files can be written");
    std::fs::write(folder.path().join(".hidden"), "never looked at").expect("files can be written");
    let place = folder.path().to_str().expect("temporary paths are UTF-8");
    let output = replay(&["query", place, "key:project.member_id kind:memory_written"]);
    let (shown, told) = (text(&output.stdout), text(&output.stderr));
    let starts: Vec<String> = shown.lines().map(|line| line.replace(place, "")).collect();
    assert!(
        starts.len() == 2 && starts[0].starts_with("/b.jsonl  ") && starts[1].starts_with("/monday/a.json  "),
        "{shown}"
    );
    assert!(told.contains("not searched: ") && told.contains("notes.txt") && !told.contains("hidden"), "{told}");
    let output = replay(&["query", place, "key:project.member_id kind:memory_written", "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer is JSON");
    assert_eq!(answer["sessions"][1]["file"], format!("{place}/monday/a.json"));
    assert_eq!(replay(&["query", place, "text:'nobody said this'"]).status.code(), Some(1));
}
