//! Lines in, answers out: what each is, and what is said about lines that make no sense.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::arguments::Color;

/// Asks about the story sample and returns all that is answered.
fn asked(lines: &str) -> String {
    asked_about("library-renewal.jsonl", lines)
}

fn asked_about(sample: &str, lines: &str) -> String {
    asked_with(None, sample, lines)
}

/// Notes are kept below a folder, if there is one.
fn asked_with(folder: Option<&Path>, sample: &str, lines: &str) -> String {
    asked_in(None, folder, sample, lines)
}

fn asked_in(columns: Option<usize>, folder: Option<&Path>, sample: &str, lines: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/sessions").join(sample);
    let bytes = std::fs::read(path).expect("the sample is there");
    let mut recordings = replay_store::import::read(Arc::new(bytes), "a").expect("the sample can be read");
    let session = Session::open(recordings.remove(0), None, None);
    let global = Global { agent: None, profile: None, json: false, plain: true, color: Color::Never };
    let mut written = Vec::new();
    let mut out = Output { writer: &mut written, terminal: true, color: false, plain: true, columns };
    let shelf = folder.and_then(|folder| Shelf::of(&crate::target::Place::File(folder.join("a"))));
    let opened = Opened { session: &session, named: OsStr::new("a"), shelf: shelf.as_ref() };
    step_through(opened, Position(0), &global, (&mut lines.as_bytes(), &mut out)).expect("the answers can be written");
    String::from_utf8(written).expect("answers are text")
}

#[test]
fn notes_are_written_told_where_they_are_and_listed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let said = asked_with(
        Some(folder.path()),
        "library-renewal.jsonl",
        "to 29\nnote ask the member\nnext\nback\nnotes\nnote\nnotes\n",
    );
    let place = folder.path().join("a-notes").display().to_string();
    for words in [
        format!("note on 29, in {place}"),
        "note: ask the member".to_owned(),
        "29: ask the member  (tool declined, not run".to_owned(),
        format!("no note any more on 29, in {place}"),
        "no notes yet".to_owned(),
    ] {
        assert!(said.contains(&words), "{words}: {said}");
    }
    let said = asked("note x\nnotes\nto 3\n");
    assert_eq!(said.matches("pipe").count(), 2, "there is no place, and the next line counts: {said}");
    assert!(said.contains("3, turn 1"), "{said}");
}

#[test]
fn findings_are_those_of_the_command() {
    let said = asked("findings\n");
    assert!(said.contains("denied read (") && said.contains("to do: if it should see the value"), "{said}");
}

#[test]
fn hostile_text_comes_out_as_glyphs() {
    let steps = "event\nnext\n".repeat(40);
    let said = asked_about(
        "library-hostile.jsonl",
        &format!("{steps}memory\nconversation\nstack\nfindings\nwhy project.member_name\n\u{1b}[2J\u{202e}\n"),
    );
    let is_hidden = |c: &char| (c.is_control() && *c != '\n') || matches!(c, '\u{200b}'..='\u{202e}' | '\u{e0000}'..);
    let raw: Vec<char> = said.chars().filter(is_hidden).collect();
    assert!(raw.is_empty(), "{raw:?}");
    assert!(said.contains('␛') && said.contains("⟨U+202E⟩"), "{said}");
}

#[test]
fn lines_are_answered_from_top_to_bottom() {
    let said = asked("\nto 35\nwhy item_id\nback 6\nturn 2\n");
    for words in [
        "1, ",
        "35, turn 4: memory written",
        "written at 35 by tool find_loan",
        "29, turn 3: tool declined",
        "26, turn 2",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains('\u{1b}') && !said.contains('│'), "{said}");
}

#[test]
fn what_makes_no_sense_is_said_and_the_next_line_counts() {
    let said = asked("fly\nto 99\nturn x\nwhy\nwhy no.entry\nend\nquit\nstart\n");
    for words in
        ["fly is nothing that can be asked", "a position from 0 to 57", "a turn from 1 to 5", "a memory entry", "57, "]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.trim_end().ends_with("57 of 57>"), "quit quits: {said}");
}

#[test]
fn the_answers_of_the_commands_are_those_of_the_debugger() {
    for (lines, expected) in [
        ("find mean\n", "27, turn 3: user No, sorry. I mean Tides"),
        ("to 30\nfind kind:user_message\nfind\n", "43, turn 5: user"),
        ("end\nfind loan\n", "loan is in no later event"),
        ("find\n", "find: a text or a query is wanted"),
        ("query verdict:declined\n", "29, turn 3: tool declined"),
        ("query verdict:nothing\n", "nothing"),
        ("query kind:memory_reset\n", "no event matches"),
        ("to 48\nreads project.loans\n", "7 times, prompt, allowed: the section project_memory of the prompt"),
        ("to 35\nlast item_id\n", "2 changes of `renew_loan.item_id` up to 35"),
        ("to 35\ndiff 19\n", "renew_loan.item_id"),
        ("diff 99\n", "diff: a position from 0 to 57 is wanted"),
        ("to 34\nchanges\n", "Pending tool confirmation"),
        ("to 29\ndecisions\n", "declined"),
        ("to 35\nreport item_id\n", "### Why does renew\\_loan.item\\_id hold"),
        ("to 38\nwhy pay_fees.balance as renew_loan\n", "skills/renew_loan/memory.yml:18"),
        ("to 38\nwhy skill renew_loan\n", "active"),
        ("to 20\nwhy tool renew_item\n", "renew_item"),
        ("why\n", "why: a memory entry is wanted"),
        ("reads\n", "reads: a memory entry is wanted"),
        ("finds x\n", "finds is nothing that can be asked: did you mean find? help says what can"),
    ] {
        let said = asked(lines);
        assert!(said.contains(expected), "{lines}{expected}: {said}");
    }
}

#[test]
fn lines_are_broken_between_words() {
    let lines = "help\nto 48\nfindings\nreads project.loans\nwhy project.loans\nwhy nothing\n";
    let wide: Vec<String> = asked(lines).split_whitespace().map(str::to_owned).collect();
    let narrow = asked_in(Some(80), None, "library-renewal.jsonl", lines);
    // What is typed stands behind the prompt on a terminal.
    for line in narrow.lines().map(|line| line.split_once("> ").map_or(line, |(_, answer)| answer)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let words: Vec<&str> = narrow.split_whitespace().collect();
    assert_eq!(words, wide, "no word is broken");
}
