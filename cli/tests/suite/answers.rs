//! Golden answers over the samples, as people see them.

use serde_json::Value;

use crate::program::{LIBRARY, RENEWAL, answer, json, program, replay, text};

const FEES: &str = "samples/sessions/library-fees.jsonl";
const HOSTILE: &str = "samples/sessions/library-hostile.jsonl";
const GATE: &str = "samples/sessions/bikes-gate.json";
const BIKES: &str = "samples/agents/kitebird-bikes";

pub(crate) fn golden(name: &str, answer: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("goldens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, without_digests(answer)));
}

/// What the digest of an agent folder is, is nobody's business here.
fn without_digests(answer: &str) -> String {
    let is_digest = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = answer.split_inclusive(|character: char| !character.is_alphanumeric());
    let masked = words.map(|word| {
        let stem = word.trim_end_matches(|character: char| !character.is_alphanumeric());
        if is_digest(stem) { word.replace(stem, "[digest]") } else { word.to_owned() }
    });
    masked.collect()
}

#[test]
fn a_summary_tells_the_story() {
    golden("summary", &answer(&[RENEWAL, "--agent", LIBRARY]));
    golden("summary_plain", &answer(&[RENEWAL, "--plain"]));
    golden("summary_gate", &answer(&[GATE, "--agent", BIKES]));
    golden("summary_classic", &answer(&["samples/sessions/bikes-old-site.json"]));
}

#[test]
fn a_moment_shows_what_held() {
    golden("show_start", &answer(&["show", RENEWAL, "--at", "0"]));
    golden("show_locked", &answer(&["show", RENEWAL, "--agent", LIBRARY, "--turn", "1"]));
    golden("show_waiting", &answer(&["show", RENEWAL, "--agent", LIBRARY, "--turn", "2"]));
    golden("show_digression", &answer(&["show", FEES, "--agent", LIBRARY, "--turn", "3"]));
    golden("show_plain", &answer(&["show", RENEWAL, "--plain", "--at", "raw:31"]));
}

#[test]
fn a_prompt_is_shown_whole() {
    golden("prompt_routing", &answer(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "2"]));
    golden("prompt_denied", &answer(&["prompt", FEES, "--agent", LIBRARY, "--turn", "5", "--call", "2"]));
    golden("prompt_gate", &answer(&["prompt", GATE, "--agent", BIKES, "--turn", "5"]));
}

#[test]
fn a_rephrase_has_a_prompt_of_its_own() {
    golden("prompt_rephrase", &answer(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "5", "--rephrase"]));
    let shown = json(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "5", "--rephrase", "1"]);
    assert_eq!(
        (&shown["situation"], &shown["call"], &shown["rephrase"]),
        (&"rephrase".into(), &Value::Null, &1.into())
    );
    for wrong in [["--call", "9"], ["--rephrase", "2"]] {
        let refused = replay(&[&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "5"], &wrong[..]].concat());
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("model calls 1 to 3, and 1 rephrase: --rephrase"), "{said}");
    }
}

#[test]
fn each_piece_of_a_prompt_has_an_origin() {
    golden("prompt_source", &answer(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "2", "--source"]));
    let plain = answer(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "2", "--source", "--plain"]);
    assert!(plain.contains("\n[project.member_id at 6]   … HS-20418\n"), "{plain}");
}

#[test]
fn a_changed_line_of_a_prompt_says_what_led_to_it() {
    golden("prompt_diff", &answer(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "3", "--diff"]));
    golden("prompt_diff_to", &answer(&["prompt", FEES, "--agent", LIBRARY, "--turn", "2", "--diff", "--to", "3"]));
    let full = answer(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "3", "--diff", "--full"]);
    assert!(!full.contains("--full shows them") && full.contains("\"execute_step_id\":null} by the engine"), "{full}");
    let first = replay(&["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "2", "--diff"]);
    assert_eq!((first.status.code(), text(&first.stdout)), (Some(1), String::new()));
}

#[test]
fn two_moments_of_a_session_are_compared() {
    let shown = replay(&["diff", RENEWAL, "--agent", LIBRARY, "--from", "16", "--to", "turn:2"]);
    assert_eq!(shown.status.code(), Some(1));
    golden("diff_moments", &text(&shown.stdout));
    let between = ["diff", RENEWAL, "--agent", LIBRARY, "--from", "2", "--to", "turn:2"];
    golden("diff_moments_unified", &text(&replay(&[&between[..], &["--format", "unified"]].concat()).stdout));
    let report = text(&replay(&[&between[..], &["--format", "md"]].concat()).stdout);
    golden("diff_moments_report", &report);
    let revealed = text(&replay(&[&between[..], &["--format", "md", "--reveal"]].concat()).stdout);
    // The member's name is pii.
    assert!(revealed.contains("+ \"Noor\"") && !report.contains("Noor"), "{revealed}");
    let same = replay(&["diff", RENEWAL, "--from", "raw:31", "--to", "raw:31"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    assert!(text(&same.stdout).contains("changed   nothing"), "{}", text(&same.stdout));
    for wrong in [["--from", "turn:9"], ["--from", "99"], ["--from", "soon"], ["--to", "3"]] {
        let refused = replay(&[&["diff", RENEWAL], &wrong[..]].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    }
    assert_eq!(replay(&["diff", RENEWAL]).status.code(), Some(2), "one session and no moment");
}

#[test]
fn two_sessions_are_compared_and_the_first_difference_is_named() {
    let compared = |more: &[&str]| replay(&[&["diff", RENEWAL, FEES, "--agent", LIBRARY], more].concat());
    let shown = compared(&[]);
    assert_eq!(shown.status.code(), Some(1));
    golden("diff_sessions", &text(&shown.stdout));
    golden("diff_unified", &text(&compared(&["--format", "unified", "--kind", "text,state"]).stdout));
    let same = replay(&["diff", RENEWAL, RENEWAL]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    // A dump and what was exported of it are the same conversation.
    let dump = replay(&["diff", RENEWAL, "samples/sessions/library-renewal.json", "--agent", LIBRARY]);
    assert_eq!(dump.status.code(), Some(0), "{}", text(&dump.stdout));
    assert!(text(&compared(&["--kind", "decision"]).stdout).contains("differ    in "));
    assert_eq!(compared(&["--kind", "taste"]).status.code(), Some(2));
    assert_eq!(compared(&["--ignore", "everything"]).status.code(), Some(2));
}

#[test]
fn what_is_withheld_stands_where_it_would() {
    let of = ["prompt", FEES, "--agent", LIBRARY, "--turn", "6", "--call", "1", "--holes"];
    golden("prompt_holes", &answer(&of));
    let shown = json(&of);
    let plain = json(&of[..8]);
    assert_eq!(shown["text"], plain["text"], "what is withheld is no part of the prompt");
    assert!(plain.get("holes").is_none());
    let denied = shown["holes"].as_array().expect("a list").iter().find(|hole| hole["key"] == "pay_fees.balance");
    let denied = denied.expect("the access list withholds it");
    assert_eq!(denied["rule"], "M39");
}

#[test]
fn a_report_of_a_difference_hides_pii() {
    let of = ["prompt", RENEWAL, "--agent", LIBRARY, "--turn", "3", "--diff", "--format", "md"];
    golden("prompt_diff_report", &answer(&of));
    let report = replay(&["diff", RENEWAL, FEES, "--agent", LIBRARY, "--format", "md"]);
    let report = text(&report.stdout);
    assert!(report.starts_with("### Two sessions compared\n\n- Values of pii entries are hidden"), "{report}");
    let revealed = replay(&["diff", RENEWAL, FEES, "--agent", LIBRARY, "--format", "md", "--reveal"]);
    let revealed = text(&revealed.stdout);
    assert!(revealed.contains("are SHOWN in this report"), "{revealed}");
    // The hint of the card is pii; it stands in the agent's words, too.
    assert!(revealed.contains("0061") && !report.contains("0061"), "{report}");
}

#[test]
fn what_is_asked_for_holds_for_json() {
    let all = ["memory", "stack", "event", "unknown_kinds", "findings", "conversation"];
    for (what, expected) in [
        ("memory", &["memory"][..]),
        ("stack,event", &["stack", "event"]),
        ("findings", &["unknown_kinds", "findings"]),
        ("conversation", &["conversation"]),
    ] {
        let shown = json(&["show", RENEWAL, "--at", "0", "--what", what]);
        let has: Vec<&str> = all.into_iter().filter(|key| shown.get(key).is_some()).collect();
        assert_eq!(has, expected, "{what}");
        assert_eq!(shown["schema"], "replay.show/1");
    }
    let whole = json(&["show", RENEWAL]);
    assert!(all[..5].iter().all(|key| whole.get(key).is_some()) && whole.get("conversation").is_none());
}

#[test]
fn what_was_taken_back_is_marked() {
    let classic = "samples/sessions/bikes-old-site.json";
    let shown = json(&["show", classic, "--what", "conversation"]);
    let said = shown["conversation"].as_array().expect("a list");
    let gone = said.iter().find(|one| one["text"] == "KB-3310").expect("it was said");
    assert_eq!(gone["taken_back_at"], 22);
    // At a moment before the restart it still counted.
    let shown = answer(&["show", classic, "--what", "conversation", "--at", "13"]);
    assert!(shown.contains("KB-3310") && !shown.contains("taken back"), "{shown}");
    let shown = answer(&["show", classic, "--what", "memory", "--at", "22"]);
    assert!(shown.contains("history was rewound at 22"), "{shown}");
}

#[test]
fn memory_shows_the_value_before_the_last() {
    let shown = json(&["show", RENEWAL, "--agent", LIBRARY]);
    let rows = shown["memory"].as_array().expect("a list");
    let earlier = rows.iter().find(|row| row["previous"].is_number()).expect("an entry was written twice");
    let at = earlier["previous"].to_string();
    let then = json(&["show", RENEWAL, "--agent", LIBRARY, "--at", &at]);
    let rows = then["memory"].as_array().expect("a list");
    let row = rows.iter().find(|row| row["key"] == earlier["key"]).expect("it was there");
    assert_eq!(earlier["previous_value"], row["value"]);
    let before = format!("before: {} at {at}", row["value"]);
    assert!(answer(&["show", RENEWAL, "--agent", LIBRARY]).contains(&before), "{before}");
}

#[test]
fn a_list_names_the_sessions() {
    golden("list", &answer(&["list", RENEWAL, "--agent", LIBRARY]));
}

#[test]
fn hostile_text_reaches_people_as_glyphs_and_json_as_escapes() {
    golden("hostile", &answer(&[HOSTILE, "--agent", LIBRARY]));
    for arguments in [
        vec![HOSTILE],
        vec!["show", HOSTILE, "--what", "memory,stack,event,conversation,findings"],
        vec!["prompt", HOSTILE, "--agent", LIBRARY],
        vec!["show", HOSTILE, "--json"],
        vec!["prompt", HOSTILE, "--agent", LIBRARY, "--json"],
        vec![HOSTILE, "--json"],
    ] {
        let shown = answer(&arguments);
        let raw: Vec<char> = shown.chars().filter(|character| is_hidden(*character)).collect();
        assert!(raw.is_empty(), "{arguments:?} let {raw:?} through");
    }
}

#[test]
fn no_command_lets_hostile_text_through() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let log = folder.path().join("hostile.log");
    let log = log.to_str().expect("temporary paths are UTF-8");
    answer(&["import", HOSTILE, "-o", log, "--agent", LIBRARY]);
    let commands = [
        "show LOG --what memory,stack,event,conversation,decisions,findings",
        "prompt LOG --source",
        "prompt LOG --holes",
        "prompt LOG --diff --full",
        "why LOG project.member_name",
        "why LOG --read project.member_name --skill renew_loan",
        "why LOG --skill renew_loan",
        "why LOG --tool find_member",
        "why LOG project.member_name --format md --reveal",
        "last LOG project.member_name",
        "reads LOG project.member_name",
        "findings LOG",
        "query LOG at:0..",
        "query LOG project.member_name --every-turn",
        "access LOG",
        "diff LOG LOG --full",
        "diff LOG --from 0",
        "list LOG",
        "verify LOG",
        "note LOG",
        "export LOG --format md --reveal",
        "export LOG --format html --reveal",
    ];
    let note = "n\u{1b}[2J\u{202e}x";
    program().args(["note", log, "--at", "3", note]).assert().success();
    for command in commands {
        let arguments = command.split(' ').map(|word| if word == "LOG" { log } else { word });
        for extra in [vec![], vec!["--json"], vec!["--color", "always"]] {
            let output = program().args(arguments.clone().chain(extra.iter().copied())).output().expect("starts");
            let (shown, told) = (text(&output.stdout), text(&output.stderr));
            if extra == ["--json"] && output.status.code() == Some(2) {
                assert!(told.contains("--json"), "{command}: {told}");
                continue;
            }
            assert!(!shown.trim().is_empty() || output.status.code() == Some(1), "{command} {extra:?}: {told}");
            let coloured = shown.contains("\u{1b}[");
            let bare = if coloured { without_colours(&shown) } else { shown };
            let raw: Vec<char> = bare.chars().chain(told.chars()).filter(|character| is_hidden(*character)).collect();
            assert!(raw.is_empty(), "{command} {extra:?} let {raw:?} through");
        }
    }
}

/// Takes our own colours off: `ESC [ numbers m`, and nothing else.
fn without_colours(shown: &str) -> String {
    let mut parts = shown.split("\u{1b}[");
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        bare.push_str(rest.strip_prefix('m').unwrap_or("\u{1b}"));
    }
    bare
}

fn is_hidden(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
}

#[test]
fn colours_are_for_who_wants_them() {
    assert!(answer(&["show", RENEWAL, "--color", "always"]).contains("\u{1b}[1m"));
    for quiet in [vec!["--color", "never"], vec!["--color", "auto"], vec!["--plain", "--color", "always"]] {
        assert!(!answer(&[vec!["show", RENEWAL], quiet].concat()).contains('\u{1b}'));
    }
}

#[test]
fn stdin_and_gzip_are_read_like_a_file() {
    let plain = answer(&["show", RENEWAL]);
    let bytes = std::fs::read(crate::program::root().join(RENEWAL)).expect("the sample is there");
    let output = program().args(["show", "-"]).write_stdin(bytes.clone()).output().expect("starts");
    assert_eq!(text(&output.stdout), plain);
    let zipped = gzip(&bytes);
    let output = program().args(["show", "-"]).write_stdin(zipped).output().expect("starts");
    assert_eq!(text(&output.stdout), plain, "{}", text(&output.stderr));
}

/// 90 kB that unpack to what takes 6 GiB of memory.
#[test]
fn a_packed_flood_is_refused_before_it_is_read() {
    let bomb = gzip(&vec![b'{'; 21 << 20]);
    assert!(bomb.len() < 200_000);
    for verb in ["show", "findings"] {
        let output = program().args([verb, "-"]).write_stdin(bomb.clone()).output().expect("starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("about 6 GiB of memory; `replay import FILE -o session.log`"), "{said}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

#[test]
fn raw_bytes_are_those_of_the_record() {
    let shown = answer(&["show", RENEWAL, "--at", "raw:0", "--raw"]);
    let file = std::fs::read_to_string(crate::program::root().join(RENEWAL)).expect("the sample is there");
    assert!(!shown.trim().is_empty() && file.contains(shown.trim_end_matches('\n')), "{shown}");
}

#[test]
fn raw_bytes_in_hex_are_the_same_bytes() {
    let raw = answer(&["show", HOSTILE, "--at", "raw:3", "--raw"]);
    let shown = answer(&["show", HOSTILE, "--at", "raw:3", "--raw", "--hex"]);
    assert!(shown.bytes().all(|byte| matches!(byte, b'\n' | 0x20..=0x7e)), "{shown}");
    let mut bytes = Vec::new();
    for row in shown.lines().filter(|row| row.ends_with('|')) {
        let hex = row.get(8..57).expect("a row has its columns").split_whitespace();
        bytes.extend(hex.map(|byte| u8::from_str_radix(byte, 16).expect("it is hex")));
    }
    let lines: Vec<u8> = raw.bytes().filter(|byte| *byte != b'\n').collect();
    bytes.retain(|byte| *byte != b'\n');
    assert_eq!(bytes, lines);
    assert!(shown.starts_with("raw record 3, "), "{shown}");
    let none = answer(&["show", HOSTILE, "--at", "0", "--raw", "--hex"]);
    assert_eq!(none, "no raw record stands behind position 0\n");
}
