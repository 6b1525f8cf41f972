//! What the command line says of a record that lost something: in its last line, one event, or the bytes of two; and of
//! texts around the length at which a prompt cuts. The list of all such inputs stands in
//! `store/tests/suite/explain/traps.rs`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{LIBRARY, json, replay, root, text};

const FEES: &str = "samples/sessions/library-fees.jsonl";
/// Written by raw 5, before anything is lost.
const KEY: &str = "project.member_id";
/// Written by raw 19, which is lost.
const LOST: &str = "renew_loan.item_title";

/// A record in a folder of its own.
struct Record {
    _folder: TempDir,
    path: PathBuf,
    log: PathBuf,
}

impl Record {
    fn of(bytes: &[u8]) -> Record {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, log] = ["record.jsonl", "session.log"].map(|name| folder.path().join(name));
        fs::write(&path, bytes).expect("the folder takes files");
        Record { _folder: folder, path, log }
    }

    /// Runs a command on the record and returns what it answers. It ends well and says one line, which ends like this.
    #[track_caller]
    fn answer(&self, command: &str, rest: &[&str], said: &str) -> String {
        let path = self.path.to_str().expect("temporary paths are UTF-8");
        let output = replay(&[&[command, path], rest].concat());
        let told = text(&output.stderr);
        assert!(output.status.success(), "{command}: {told}");
        assert_eq!(told.trim_end(), format!("replay: library-fees: {said}"), "{command}");
        text(&output.stdout)
    }

    /// Checks that each command says what is lost, and that what rests on nothing lost is answered all the same.
    #[track_caller]
    fn check(&self, loss: &str, count: usize) {
        let shown = format!("{loss}; the rest is shown");
        let agent = ["--agent", LIBRARY];
        let why = self.answer("why", &[&[KEY], &agent[..]].concat(), &shown);
        assert!(why.starts_with("`project.member_id` is \"HS-20418\", written at 6 by tool load_member"), "{why}");
        let last = self.answer("last", &[&[KEY], &agent[..]].concat(), &shown);
        assert!(last.starts_with("1 change of `project.member_id`"), "{last}");
        let show = self.answer("show", &[&["--turn", "1"], &agent[..]].concat(), &shown);
        assert!(show.contains("member_name") && show.contains("turn 1"), "{show}");
        let prompt = self.answer("prompt", &[&["--turn", "5"], &agent[..]].concat(), &shown);
        assert!(prompt.contains("HS-20418") || prompt.contains("[set]"), "{prompt}");
        let found = self.answer("query", &[&["changed(project.member_id)"], &agent[..]].concat(), &shown);
        assert_eq!(found.lines().count(), 1, "{found}");
        let findings = self.answer("findings", &agent, &shown);
        let first = loss.split("; ").next().unwrap_or_default();
        assert!(findings.contains(first), "{findings}\nhas\n{first}");
        assert_eq!(self.kinds("findings").len(), count, "{findings}");

        let log = self.log.to_str().expect("temporary paths are UTF-8");
        let path = self.path.to_str().expect("temporary paths are UTF-8");
        let imported = text(&replay(&["import", path, "-o", log]).stdout);
        assert!(imported.contains(first), "{imported}");
        // A log keeps what was found when it was imported.
        let output = replay(&["why", log, KEY, "--agent", LIBRARY]);
        assert_eq!(text(&output.stderr).trim_end(), format!("replay: library-fees: {shown}"));
        assert_eq!(text(&output.stdout), why, "a log says the same");
    }

    /// Returns the kinds of the losses that an answer tells.
    fn kinds(&self, command: &str) -> Vec<String> {
        let output = replay(&[command, self.path.to_str().expect("temporary paths are UTF-8"), "--json"]);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let kinds = answer["findings"].as_array().expect("a list").iter().filter_map(|found| found["kind"].as_str());
        kinds.filter(|kind| ["cut", "damaged", "gap"].contains(kind)).map(str::to_owned).collect()
    }

    /// Returns the sentences of an answer's evidence that say that something is unknown.
    fn unknown(&self, key: &str) -> Vec<String> {
        let path = self.path.to_str().expect("temporary paths are UTF-8");
        let output = replay(&["why", path, key, "--json", "--agent", LIBRARY]);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let texts = answer["evidence"].as_array().expect("a list").iter().filter_map(|one| one["text"].as_str());
        texts.filter(|text| text.contains("is unknown")).map(str::to_owned).collect()
    }
}

fn whole() -> String {
    fs::read_to_string(root().join(FEES)).expect("the sample is there")
}

#[test]
fn a_record_cut_in_its_last_line_answers_all_the_same() {
    let whole = whole();
    let record = Record::of(&whole.as_bytes()[..whole.len() - 40]);
    record.check("the file breaks off behind raw 70, in a line at byte 20063: 62 bytes can't be read", 1);
    assert_eq!(record.unknown(KEY), Vec::<String>::new(), "nothing is lost before the end");
}

#[test]
fn a_record_without_one_event_says_so_with_every_answer() {
    let whole = whole();
    let lines: Vec<&str> = whole.lines().collect();
    let record = Record::of([&lines[..19], &lines[20..]].concat().join("\n").as_bytes());
    let loss = "1 record is missing after raw 18 and before raw 19: raw 19 says that it is record 20";
    record.check(loss, 1);
    // What was written before may have been written again, what was written behind it is known.
    let unknown = |key: &str| vec![format!("whether something wrote `{key}` there is unknown: {loss}")];
    assert_eq!(record.unknown(KEY), unknown(KEY));
    assert_eq!(record.unknown(LOST), unknown(LOST), "what is lost wrote it");
}

#[test]
fn a_record_with_the_bytes_of_two_events_mixed_answers_all_the_same() {
    let whole = whole();
    let lines: Vec<&str> = whole.lines().collect();
    let [(a, b), (c, d)] = [lines[20], lines[21]].map(|line| line.split_at(line.len() / 2));
    let mixed = [format!("{a}{c}"), format!("{b}{d}")];
    let mixed = [&lines[..20], &[mixed[0].as_str(), mixed[1].as_str()], &lines[22..]].concat();
    let record = Record::of(mixed.join("\n").as_bytes());
    let loss =
        "raw 20 can't be read: EOF while parsing a string at line 1 column 96; 2 more losses are among the findings";
    record.check(loss, 3);
    assert_eq!(record.kinds("findings"), ["damaged", "damaged", "gap"]);
    assert_eq!(record.unknown(KEY).len(), 3);
}

#[test]
fn a_text_of_101_characters_is_the_first_that_a_prompt_cuts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("record.jsonl");
    let whole = whole();
    const LOANS: &str = "\"project.loans\", \"value_json\": \"\\\"";
    for (length, shown) in [(99, 99), (100, 100), (101, 100), (201, 100)] {
        let (before, rest) = whole.split_once(LOANS).expect("the record has the entry");
        let (_, after) = rest.split_once("\\\"\"").expect("its value ends");
        let renamed = format!("{before}{LOANS}{}\\\"\"{after}", "é".repeat(length));
        fs::write(&path, renamed).expect("the folder takes files");
        let record = path.to_str().expect("temporary paths are UTF-8");
        let prompt = json(&["prompt", record, "--agent", LIBRARY, "--turn", "5"]);
        let prompt = prompt.to_string();
        let cut = if shown < length { "... [truncated]" } else { "" };
        assert!(prompt.contains(&format!("{}{cut}", "é".repeat(shown))), "{length}: {prompt}");
        assert!(!prompt.contains(&"é".repeat(shown + 1)), "{length}");
        let found = json(&["findings", record, "--agent", LIBRARY, "--kind", "cut_value"]);
        let texts: Vec<&str> =
            found["findings"].as_array().expect("a list").iter().filter_map(|one| one["text"].as_str()).collect();
        let is_told =
            texts.iter().any(|text| text.contains(&format!("first 100 of the {length} characters of `project.loans`")));
        assert_eq!(is_told, shown < length, "{length}: {texts:?}");
    }
}
