//! Real records, asked through the program: each number here was counted in the record by hand.

use std::path::{Path, PathBuf};

use serde_json::{Value, json as value};

use crate::program::{corpus, json, replay, text};

const EXAMPLES: &str = "RasaHQ__rasa-community-resources/examples";

/// A record of the corpus with its agent folder.
struct Record {
    file: PathBuf,
    agent: PathBuf,
}

impl Record {
    fn find(agent: &str, name: &str) -> Option<Record> {
        let agent = corpus()?.join(EXAMPLES).join(agent);
        let runs = std::fs::read_dir(agent.join("case-build/results")).expect("the corpus holds the runs");
        let file = runs
            .map(|run| run.expect("the corpus can be listed").path().join("trackers").join(name))
            .find(|file| file.exists())
            .expect("the corpus holds the record");
        Some(Record { file, agent })
    }

    fn file(&self) -> &str {
        plain(&self.file)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let (command, rest) = arguments.split_first().expect("there is a command");
        json(&[&[command, self.file(), "--agent", plain(&self.agent)], rest].concat())
    }

    fn calls(&self) -> Vec<usize> {
        let summary = json(&[self.file(), "--agent", plain(&self.agent)]);
        let counted = |turn: &Value| {
            let calls = turn["calls"].as_array().expect("a list");
            calls.iter().filter(|call| call["kind"] != "rephrase").count()
        };
        summary["turns"].as_array().expect("a list").iter().map(counted).collect()
    }

    fn findings(&self) -> Vec<Value> {
        let summary = json(&[self.file()]);
        summary["findings"].as_array().expect("a list").clone()
    }
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("the corpus has plain names")
}

fn payment_plan() -> Option<Record> {
    Record::find("mantle-text-payment-plan-authority-gpt", "correction-switch-offer-at-question.json")
}

fn memory<'a>(show: &'a Value, key: &str) -> &'a Value {
    let rows = show["memory"].as_array().expect("a list");
    rows.iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("{key} is shown"))
}

#[test]
fn payment_plan_is_counted_right() {
    let Some(record) = payment_plan() else { return };
    let summary = json(&[record.file()]);
    assert_eq!(summary["events"], 51);
    assert_eq!(summary["raw_records"], 79);
    assert_eq!(summary["user_messages"], 4);
    assert_eq!(summary["findings"], value!([]), "28 of 28 positions check out");
    assert_eq!(record.calls(), [0, 4, 3, 1, 2]);
}

#[test]
fn payment_plan_shows_who_wrote_and_what_is_locked() {
    let Some(record) = payment_plan() else { return };
    let show = record.json(&["show", "--at", "raw:21"]);
    assert_eq!(show["position"], 16);
    let accounts = memory(&show, "project.account_list");
    assert_eq!(accounts["locked"], true);
    assert_eq!(accounts["set_by"]["actor"], "tool");
    assert_eq!(accounts["set_by"]["tool"], "load_customer_profile");
    assert_eq!(accounts["set_by"]["step"], "load_profile");
}

#[test]
fn payment_plan_shows_a_changed_value_and_the_one_before() {
    let Some(record) = payment_plan() else { return };
    let show = record.json(&["show", "--at", "raw:57"]);
    assert_eq!(show["position"], 36);
    assert_eq!(show["stack"].as_array().map(Vec::len), Some(1));
    assert_eq!(show["stack"][0]["skill"], "payment_plan");
    let tag = memory(&show, "payment_plan.offer_tag");
    assert_eq!(tag["value"], "AG-OFR-4471-B r2");
    let before = record.json(&["show", "--at", &tag["previous"].to_string()]);
    assert_eq!(memory(&before, "payment_plan.offer_tag")["value"], "AG-OFR-4471-A r2");
}

#[test]
fn payment_plan_never_shows_a_declined_tool_as_run() {
    let Some(record) = payment_plan() else { return };
    let show = record.json(&["show", "--at", "raw:49"]);
    assert_eq!(show["event"]["tool"], "accept_plan_offer");
    assert_eq!(show["event"]["outcome"], "declined");
    let words = text(&replay(&["show", record.file(), "--at", "raw:49", "--what", "event"]).stdout);
    assert!(words.contains("tool declined, not run accept_plan_offer"), "{words}");
}

#[test]
fn payment_plan_prompts_hold_values_with_their_origin() {
    let Some(record) = payment_plan() else { return };
    let routing = record.json(&["prompt", "--turn", "2"]);
    assert_eq!(routing["situation"], "routing");
    assert_eq!(routing["call"], 1);
    let second = record.json(&["prompt", "--turn", "2", "--call", "2"]);
    let skill =
        &second["sections"].as_array().expect("a list").iter().find(|section| section["name"] == "active_skill");
    let pieces = skill.expect("a skill is active")["pieces"].as_array().expect("a list").clone();
    let list = "AG-4471 home electricity; AG-4472 home gas; AG-5820 flat electricity";
    let piece = pieces.iter().find(|piece| piece["text"] == list).expect("the list stands in its token's place");
    assert_eq!(piece["origin"]["key"], "project.account_list");
    let show = record.json(&["show"]);
    assert_eq!(piece["origin"]["position"], memory(&show, "project.account_list")["set_at"]);
    assert!(!second["text"].as_str().expect("text").contains("@memory.project.account_list"));
}

#[test]
fn payment_plan_without_the_model_has_no_prompt() {
    let Some(record) = payment_plan() else { return };
    let output = replay(&["prompt", record.file(), "--agent", plain(&record.agent), "--turn", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("turn 1 ran without the model"));
}

#[test]
fn a_raw_event_that_is_missing_makes_one_finding_with_its_range() {
    let Some(record) = payment_plan() else { return };
    let dump: Value = serde_json::from_slice(&std::fs::read(&record.file).expect("readable")).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("less.json");
    let count = dump["events"].as_array().expect("a list").len();
    for index in (0..count).filter(|index| ![72, 77].contains(index)) {
        let mut less = dump.clone();
        less["events"].as_array_mut().expect("a list").remove(index);
        std::fs::write(&path, less.to_string()).expect("the folder takes files");
        let summary: Value =
            serde_json::from_slice(&replay(&[plain(&path), "--json"]).stdout).expect("the rest is opened");
        let findings = summary["findings"].as_array().expect("a list");
        assert_eq!(findings.len(), 1, "without {index}: {findings:?}");
        let (first, last) = (findings[0]["raw"][0].as_u64(), findings[0]["raw"][1].as_u64());
        let (first, last) = (first.expect("a range"), last.expect("a range"));
        assert!(first <= index as u64 && index as u64 <= last + 1, "without {index}: {findings:?}");
    }
}

#[test]
fn loan_servicing_is_counted_right() {
    let agent = "mantle-text-banking-loan-servicing-claude";
    for (name, events, raw, calls) in [
        ("correction-hardship-mid-quote.json", 53, 83, vec![0, 5, 2, 2]),
        ("normal-balance-then-payoff.json", 53, 85, vec![0, 3, 5]),
        ("recovery-source-unavailable-callback.json", 41, 64, vec![0, 4, 2]),
    ] {
        let Some(record) = Record::find(agent, name) else { return };
        let summary = json(&[record.file()]);
        assert_eq!((&summary["events"], &summary["raw_records"]), (&value!(events), &value!(raw)), "{name}");
        assert_eq!(record.calls(), calls, "{name}");
        assert_eq!(record.findings(), Vec::<Value>::new(), "{name}: positions and the stack at the end fit");
        let all = summary["turns"].as_array().expect("a list").iter().flat_map(|turn| turn["calls"].as_array());
        assert_eq!(all.flatten().filter(|call| call["kind"] == "rephrase").count(), 1, "{name}");
    }
}

#[test]
fn an_interrupted_skill_stays_parked_beneath() {
    let Some(record) = Record::find("mantle-text-banking-loan-servicing-claude", "correction-hardship-mid-quote.json")
    else {
        return;
    };
    let show = record.json(&["show", "--at", "raw:62"]);
    let stack = show["stack"].as_array().expect("a list");
    assert_eq!((&stack[0]["skill"], &stack[0]["parked"]), (&value!("loan_payoff"), &value!("digression")));
    assert_eq!((&stack[1]["skill"], &stack[1]["parked"]), (&value!("hardship_support"), &Value::Null));
}

#[test]
fn a_failed_model_call_is_shown_as_what_it_is() {
    let Some(record) = Record::find("mantle-text-internal-it-helpdesk-claude", "recovery-status-after-intake.json")
    else {
        return;
    };
    let summary = json(&[record.file()]);
    assert_eq!((&summary["events"], &summary["raw_records"]), (&value!(24), &value!(32)));
    assert_eq!(record.calls(), [0, 1, 2]);
    assert_eq!(summary["turns"][1]["calls"][0]["kind"], "failed");
    assert_eq!(record.findings(), Vec::<Value>::new(), "6 of 6 positions check out");
    // The folder is nearly empty: that is said, and survived.
    let with_folder = json(&[record.file(), "--agent", plain(&record.agent)]);
    let findings = with_folder["findings"].as_array().expect("a list");
    assert!(findings.iter().any(|finding| finding["kind"] == "missing"), "{findings:?}");
}

#[test]
fn the_classic_record_opens() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("RasaHQ__rasa/data/test_trackers/tracker_moodbot.json");
    let summary = json(&[plain(&file)]);
    assert_eq!(summary["session"], "mysender");
    let kinds: Vec<&str> =
        summary["findings"].as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str()).collect();
    assert!(kinds.contains(&"duplicate_key") && kinds.contains(&"time_backwards"), "{kinds:?}");
}

#[test]
fn real_records_survive_a_round_trip() {
    let Some(record) = payment_plan() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [first, lines, second] = ["1.log", "l.jsonl", "2.log"].map(|name| folder.path().join(name));
    json(&["import", record.file(), "--agent", plain(&record.agent), "-o", plain(&first)]);
    let exported = replay(&["export", plain(&first)]).stdout;
    std::fs::write(&lines, &exported).expect("the folder takes files");
    json(&["import", plain(&lines), "-o", plain(&second)]);
    assert_eq!(json(&["verify", plain(&first)])["head"], json(&["verify", plain(&second)])["head"]);
    for position in [0, 16, 36, 51] {
        let at = position.to_string();
        let show = |file: &Path| json(&["show", plain(file), "--at", &at]);
        assert_eq!(show(&first), show(&second));
    }
}
