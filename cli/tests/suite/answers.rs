//! Golden answers over the samples, as people see them.

use crate::program::{LIBRARY, RENEWAL, answer, program, text};

const FEES: &str = "samples/sessions/library-fees.jsonl";
const HOSTILE: &str = "samples/sessions/library-hostile.jsonl";
const GATE: &str = "samples/sessions/bikes-gate.json";
const BIKES: &str = "samples/agents/kitebird-bikes";

fn golden(name: &str, answer: &str) {
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
