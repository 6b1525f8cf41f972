//! `why`, `last` and `reads` over the samples: what people ask at night, and what they get.

use serde_json::Value;

use crate::program::{LIBRARY, RENEWAL, answer, json, replay, text};

const FEES: &[&str] = &["samples/sessions/library-fees.jsonl", "--agent", LIBRARY];
const GATE: &[&str] = &["samples/sessions/bikes-gate.json", "--agent", "samples/agents/kitebird-bikes"];
const HOSTILE: &str = "samples/sessions/library-hostile.jsonl";

fn why(session: &[&str], asked: &[&str]) -> Value {
    json(&[&["why"], session, asked].concat())
}

/// Checks the answer, the place of the rule's line, and the smallest change.
#[track_caller]
fn check(why: &Value, answer: &str, place: Option<&str>, change: Option<&str>) {
    assert_eq!(why["answer"], answer, "{why}");
    let rule = &why["rule"];
    let found = rule["file"].as_str().map(|file| format!("{file}:{}:{}", rule["line"], rule["column"]));
    assert_eq!(found.as_deref(), place, "{why}");
    assert_eq!(why["change"].as_str(), change, "{why}");
}

#[test]
fn why_is_it_none_at_that_turn() {
    let found = why(&[RENEWAL, "--agent", LIBRARY], &["item_id", "--turn", "1"]);
    let change = "the tool `find_loan` would have to run";
    check(&found, "never_written", Some("skills/renew_loan/memory.yml:3:5"), Some(change));
    let later = why(&[RENEWAL, "--agent", LIBRARY], &["item_id", "--turn", "4"]);
    check(&later, "set", None, None);
    assert_eq!(later["value"], "C-0093");
    let positions: Vec<&Value> =
        later["evidence"].as_array().expect("a list")[..4].iter().map(|one| &one["position"]).collect();
    assert_eq!(positions, [35, 38, 38, 34], "write, tool call, model call, user message");
}

#[test]
fn which_rule_denies_it() {
    let denied = why(FEES, &["--read", "pay_fees.balance", "--skill", "renew_loan"]);
    let change = "take `pay_fees.balance` off `access.deny_read`";
    check(&denied, "denied", Some("skills/renew_loan/memory.yml:18:7"), Some(change));
    let private = why(FEES, &["--read", "pay_fees.card_hint", "--skill", "reserve_room"]);
    let change = "move `pay_fees.card_hint` from `private` to `public`";
    check(&private, "private", Some("skills/pay_fees/memory.yml:7:5"), Some(change));
    let shown = answer(&[&["why"], FEES, &["--read", "pay_fees.balance", "--skill", "renew_loan"]].concat());
    for part in ["18 |     - pay_fees.balance", "|       ^^^^^^^^^^^^^^^^", "[recorded]", "[recomputed]", "change"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let first = shown.lines().next().expect("there is a first line");
    assert!(first.contains("`renew_loan` may not read `pay_fees.balance`"), "the first line is the answer: {first}");
}

#[test]
fn why_a_line_of_the_folder_is_not_in_the_prompt() {
    let line = "skills/report_damage/skill.md:18";
    let found = why(GATE, &["--line", line, "--turn", "3"]);
    let marker = Some("skills/report_damage/skill.md:17:5");
    let change = "`report_damage.rideable` would have to be false; it is unset, which is None and not False: `not \
                  session.report_damage.rideable` would hold for both";
    check(&found, "withheld", marker, Some(change));
    assert_eq!((&found["question"], &found["line"]), (&Value::from("line"), &Value::from(line)));
    let other = why(GATE, &["--line", "skills/report_damage/skill.md:15:1", "--turn", "3"]);
    check(&other, "shown", None, None);
    let report = answer(&[&["why"], GATE, &["--line", line, "--turn", "3", "--format", "md"]].concat());
    let question = "### Why is skills/report\\_damage/skill.md:18 in the prompt, or not?";
    assert!(report.starts_with(question), "{report}");
    assert!(report.contains(&format!("--line {line} --at 20")), "{report}");
    for wrong in ["agent.yml", ":3", "agent.yml:x"] {
        let run = replay(&[&["why"], GATE, &["--line", wrong]].concat());
        assert_eq!(run.status.code(), Some(2), "{wrong}");
        assert!(text(&run.stderr).contains("is no line of the agent folder"), "{wrong}");
    }
}

#[test]
fn what_the_prompt_behind_an_answer_read() {
    let shown = json(&[&["show"], GATE, &["--at", "19", "--what", "event"]].concat());
    let from = &shown["event"]["from_call"];
    assert_eq!((&from["turn"], &from["number"], &from["before"]), (&3.into(), &3.into(), &18.into()), "{shown}");
    let reads = from["reads"].as_array().expect("a list");
    assert!(
        reads.iter().any(|read| read["subject"] == "report_damage.rideable" && read["verdict"] == "empty"),
        "{from}"
    );
    let told = answer(&[&["show"], GATE, &["--at", "19", "--what", "event"]].concat());
    assert!(told.contains("call 3 of turn 3; its prompt, at 18, read"), "{told}");
    assert!(told.contains("report_damage.rideable (empty)"), "{told}");
    let user = json(&[&["show"], GATE, &["--at", "12", "--what", "event"]].concat());
    assert_eq!(user["event"]["from_call"], Value::Null, "nobody's prompt led to what the user said");
}

#[test]
fn why_a_gate_never_opens() {
    let tool = why(GATE, &["--tool", "order_pick_up"]);
    assert_eq!((&tool["answer"], &tool["condition"]["holds"]), (&Value::from("withheld"), &Value::from(false)));
    let change = tool["change"].as_str().expect("something would open it");
    assert!(change.contains("not session.report_damage.rideable"), "{change}");
    let skill = why(GATE, &["--skill", "check_rider"]);
    assert_eq!(skill["answer"], "hidden");
}

#[test]
fn a_report_is_for_a_ticket_and_hides_what_is_pii() {
    let asked = [&["why"], FEES, &["pay_fees.card_hint", "--format", "md"]].concat();
    let report = answer(&asked);
    assert!(report.starts_with("### Why does pay\\_fees.card\\_hint hold what it holds?"), "{report}");
    assert!(report.contains("[set]") && report.contains("replay why samples/sessions/library-fees.jsonl"), "{report}");
    let value = why(FEES, &["pay_fees.card_hint"])["value"].as_str().expect("a text").to_owned();
    assert!(!report.contains(&value), "{report}");
    let revealed = answer(&[asked.as_slice(), &["--reveal"]].concat());
    assert!(revealed.contains(&value) && revealed.contains("SHOWN"), "{revealed}");
    let again = report.lines().find(|line| line.starts_with("replay why")).expect("the command is there");
    assert_eq!(answer(&again.split_whitespace().skip(1).collect::<Vec<_>>()), report, "it gives the same report");
}

#[test]
fn who_wrote_it_and_who_read_it() {
    let last = json(&["last", RENEWAL, "project.loans"]);
    let changes: Vec<String> = last["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| format!("{} {}", change["position"], change["what"].as_str().expect("a word")))
        .collect();
    assert_eq!(changes, ["48 refused", "8 written"]);
    let reads = json(&[&["reads"], FEES, &["pay_fees.card_hint"]].concat());
    let reads = reads["reads"].as_array().expect("a list");
    let found: Vec<String> = reads.iter().map(|read| format!("{} {}", read["site"], read["answer"])).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[3], "\"prompt\" \"never_written\"");
    assert!(
        answer(&["reads", RENEWAL, "--agent", LIBRARY, "item_id", "--from", "48"])
            .starts_with("3 reads of `renew_loan.item_id`")
    );
    let hint = answer(&["why", RENEWAL, "--agent", LIBRARY, "pay_fees.card_hint", "--at", "20"]);
    assert!(hint.contains("`renew_loan` may not read it: it is private to its own skill (M32 at"), "{hint}");
    // What happens at every call is told once, with the value.
    let loans = answer(&["reads", RENEWAL, "--agent", LIBRARY, "project.loans"]);
    assert!(loans.contains("8× prompt     allowed       the section project_memory of the prompt"), "{loans}");
    assert_eq!(loans.matches("Tides and Tables").count(), 1, "{loans}");
    assert!(loans.contains("(153 characters)\n      at 48, 47, 43, 38, 34, 27, 22, 18\n"), "{loans}");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_way_out() {
    for (arguments, complaint) in [
        (vec!["why", RENEWAL], "name what is in question: KEY,"),
        (vec!["why", RENEWAL, "item_id", "--skill", "renew_loan"], "cannot be used with"),
        (vec!["why", RENEWAL, "--read", "item_id"], "--skill"),
        (vec!["why", RENEWAL, "item_id", "--at", "999"], "--at 999 is out of range"),
        (vec!["last", RENEWAL, "itm_id"], "did you mean renew_loan.item_id?"),
        (vec!["reads", RENEWAL, "nothing"], "no memory entry is called \"nothing\""),
        (vec!["reads", RENEWAL, "item_id", "--from", "9", "--at", "5"], "--from 9 is out of range"),
        (vec!["why", RENEWAL, "item_id", "--reveal"], "--format"),
    ] {
        let output = replay(&arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(complaint), "{arguments:?}: {said}");
    }
    let unknown = json(&["why", RENEWAL, "--agent", LIBRARY, "itm_id"]);
    assert_eq!(unknown["answer"], "undeclared", "a name that nothing declares is an answer");
    assert!(unknown["text"].as_str().is_some_and(|text| text.contains("did you mean `renew_loan.item_id`")));
}

#[test]
fn hostile_text_comes_out_as_glyphs() {
    let memory = json(&["show", HOSTILE, "--agent", LIBRARY, "--what", "memory"]);
    for row in memory["memory"].as_array().expect("a list") {
        let key = row["key"].as_str().expect("a name");
        let flags = ["--agent", LIBRARY];
        for asked in [
            vec!["why", HOSTILE, key],
            vec!["why", HOSTILE, key, "--format", "md"],
            vec!["last", HOSTILE, key],
            vec!["reads", HOSTILE, key],
        ] {
            let shown = answer(&[asked, flags.to_vec()].concat());
            let raw = shown.chars().find(|character| {
                (character.is_control() && *character != '\n')
                    || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
            });
            assert_eq!(raw, None, "{key}: {shown}");
        }
    }
}

#[test]
fn what_looks_wrong_goes_into_a_ticket() {
    let report = answer(&[&["findings"], FEES, &["--kind", "denied_read", "--format", "md"]].concat());
    assert!(report.starts_with("### What looks wrong in library-fees?\n\n**"), "{report}");
    for words in [
        "#### 1. warning: denied read",
        "- Rule M39, skills/renew\\_loan/memory.yml:18:7:",
        "```text\n    - pay_fees.balance\n```",
        "- To do: if it should see the value",
        "Values of pii entries are hidden, as \\[set\\]",
        "replay findings samples/sessions/library-fees.jsonl --kind denied_read --agent samples/agents/harbour-library --format md",
    ] {
        assert!(report.contains(words), "{words}\n{report}");
    }
    let revealed = answer(&[&["findings"], FEES, &["--format", "md", "--reveal"]].concat());
    assert!(
        revealed.contains("Values of pii entries are SHOWN") && revealed.contains("--format md --reveal"),
        "{revealed}"
    );
    let json = answer(&[&["findings"], FEES, &["--format", "json"]].concat());
    assert!(json.starts_with("{\"schema\":\"replay.findings/1\""), "{json}");
}
