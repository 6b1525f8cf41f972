//! Inputs on which other tools give a wrong answer, or none, each with the right one. This is the list of all of them; a
//! test below sees to it that the tests it names are there.
//!
//! | input | tests |
//! | --- | --- |
//! | a gate `x == False`: x never written, then false, then true | `a_gate_on_false_is_closed_open_and_closed_again`, `a_gate_on_false_tells_unset_false_and_true_apart`, `a_gate_that_asks_for_false_never_opens_while_nothing_is_written`, `a_step_shows_each_gate_open_or_closed_with_what_its_read_gave` |
//! | the same with `== 'new'` | `a_gate_on_a_text_is_closed_open_and_closed_again`, `a_gate_on_a_text_names_the_text` |
//! | a text of 99, 100, 101 and 201 characters in prompt and response | `a_text_is_cut_in_the_prompt_and_whole_in_the_response`, `a_prompt_cuts_after_a_hundred_characters_and_a_response_does_not`, `a_text_of_101_characters_is_the_first_that_a_prompt_cuts` |
//! | `enum_values: [yes, no]` | `bare_yes_and_no_are_truths_and_no_texts`, `bare_yes_and_no_in_enum_values_are_bools_that_no_text_equals` |
//! | a step completed by a tool's write before the model spoke | `a_step_that_a_tool_completed_before_the_model_spoke_has_no_model_call_behind_it` |
//! | a project entry with an initial value, written twice | `a_project_entry_with_an_initial_value_is_written_once_or_never` |
//! | a project entry without one, written twice | `a_project_entry_without_an_initial_value_is_written_once`, `a_project_entry_says_what_its_lock_refused` |
//! | a record that has both writes all the same | `a_second_write_that_the_record_has_all_the_same_is_a_contradiction` |
//! | a block entered twice whose first tool clears three fields | `a_block_entered_twice_tells_its_clears_from_resets`, `a_block_entered_twice_whose_tool_clears_three_entries_names_the_clear` |
//! | a rewind, a restart and a session start between two writes | `what_takes_back_the_first_of_two_writes_is_named`, `a_session_start_and_a_rewind_between_two_writes_say_what_they_took`, `session_starts_and_rewinds_are_part_of_the_story` |
//! | two writes of one key in one turn by two tools | `two_tools_that_write_one_entry_in_one_turn_are_kept_apart`, `two_writes_of_one_turn_are_kept_apart` |
//! | a tool that fails after its own write | `a_tool_that_fails_after_its_own_write_wrote_all_the_same`, `a_tool_that_fails_after_its_own_write_is_said_to_have_failed` |
//! | a record cut in its last line | `a_record_cut_in_its_last_line_answers_all_the_same`, `a_record_cut_at_any_byte_keeps_all_that_is_whole` |
//! | a record with one event missing | `a_record_without_one_event_says_so_with_every_answer`, `an_answer_says_what_the_record_lost_meanwhile` |
//! | a record with two events' bytes mixed | `a_record_with_the_bytes_of_two_events_mixed_answers_all_the_same`, `a_line_that_broke_off_hides_no_later_one` |

use std::path::Path;
use std::sync::Arc;

use replay_store::event::{EventKind, Position, Rewind};
use replay_store::explain::decisions::{DecisionKind, Verdict, decisions};
use replay_store::explain::findings::findings;
use replay_store::explain::last::last;
use replay_store::explain::query;
use replay_store::explain::tool::why_tool;
use replay_store::explain::value::why_value;
use replay_store::explain::why::Answer;
use replay_store::import;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::rule::Rule;
use replay_store::session::response::speak;

use super::given::*;

/// Beside those of the desk: a form with gates, a cut text, and values that YAML takes for something else.
const FORM: &[(&str, &str)] = &[
    (
        "skills/form/memory.yml",
        "\
schema:
  public:
    paid: {type: bool}
    stage: {type: text}
    note: {type: text}
    answer: {type: categorical, enum_values: [yes, no], llm_settable: true}
",
    ),
    ("skills/form/responses.yml", "responses:\n  utter_note:\n    - text: \"Your note: {session.form.note}\"\n"),
    (
        "skills/form/skill.md",
        "\
---
name: Form
description: Fill in a form.
tool_constraints:
  - ship:
      requires: session.form.paid == False
  - greet:
      requires: session.form.stage == 'new'
---

Their note is @memory.form.note.
",
    ),
];

fn form(profile: Profile, kinds: impl IntoIterator<Item = EventKind>) -> Session {
    let files: Vec<_> = DESK.iter().chain(FORM).copied().collect();
    session(profile, &files, kinds)
}

/// Returns what `last` says: position, word and value, with `=` for an equal write, `L` for one that locks, and where it
/// was taken back.
fn story(session: &Session, key: &str) -> Vec<String> {
    let told = |change: replay_store::explain::last::Change| {
        let marks = [(change.equal, " ="), (change.locks, " L")].map(|(is_so, mark)| if is_so { mark } else { "" });
        let back = change.taken_back.map(|at| format!(" <{at}")).unwrap_or_default();
        format!("{} {} {}{}{back}", change.position, change.what.word(), change.value.to_json(), marks.concat())
    };
    last(session, &Name::from(key), session.end()).changes.into_iter().map(told).collect()
}

/// Returns the findings whose text has these words: kind, positions, text.
fn found(session: &Session, words: &str) -> Vec<String> {
    let told = findings(session).into_iter().filter(|found| found.text.contains(words)).map(|found| {
        let places: Vec<String> = found.positions.iter().map(ToString::to_string).collect();
        format!("{} @{}: {}", found.kind.word(), places.join(","), found.text)
    });
    told.collect()
}

fn query(session: &Session, text: &str) -> Vec<u64> {
    let query = query::parse(text).expect("it is one");
    query::positions(&query, session).into_iter().map(|at| at.0).collect()
}

/// Returns the answer about a value at each position at which it is another one than before, with a part of its words.
#[track_caller]
fn why(session: &Session, key: &str, expected: &[(u64, Answer, &str)]) {
    for (at, answer, words) in expected {
        let why = why_value(session, key, Position(*at));
        check(&why, *answer, &[words]);
        assert_eq!(why.position, Position(*at));
    }
}

/// Three turns, each with a model call: before anything wrote the entry, after `first`, after `second`.
fn gated(key: &str, first: &str, second: &str) -> Session {
    let turn = |value: Option<&str>| {
        let write = value.map(|value| step_writes("fill", key, value));
        [user("x")].into_iter().chain(write).chain([says("m"), end()]).collect::<Vec<_>>()
    };
    let turns = [None, Some(first), Some(second)].map(turn).concat();
    form(Profile::Seed, [activate("form")].into_iter().chain(turns))
}

/// Checks the gate of a tool where each of the three prompts was built: closed, open, closed.
#[track_caller]
fn check_gate(session: &Session, tool: &str, key: &str) {
    let offer = |at: u64| why_tool(session, tool, Position(at)).answer;
    assert_eq!([3, 7, 11].map(offer), [Answer::Withheld, Answer::Offered, Answer::Withheld]);
    let gate = |at: u64| {
        let made = decisions(session, Position(at)).into_iter().find(|one| {
            one.kind == DecisionKind::Gate && one.condition.as_ref().is_some_and(|tree| tree.lines()[0].1.contains(key))
        });
        made.map(|made| made.verdict)
    };
    assert_eq!([3, 7, 11].map(gate), [Verdict::Closed, Verdict::Open, Verdict::Closed].map(Some));
    assert_eq!(query(session, &format!("changed({key})")), [7, 11]);
    assert_eq!(found(session, key), Vec::<String>::new(), "it opened once, and was written when it didn't");
}

#[test]
fn a_gate_on_false_is_closed_open_and_closed_again() {
    // M75 to M77: what was never written is None, and None is not False.
    let session = gated("form.paid", "false", "true");
    check_gate(&session, "ship", "form.paid");
    why(
        &session,
        "form.paid",
        &[
            (3, Answer::NeverWritten, "nothing has written it yet"),
            (7, Answer::Set, "is false, written at 7"),
            (11, Answer::Set, "is true, written at 11"),
        ],
    );
    assert_eq!(story(&session, "form.paid"), ["11 written true", "7 written false"]);
    let never = form(Profile::Seed, [activate("form"), user("x"), says("m"), end()]);
    let gates = found(&never, "session.form.paid == False");
    assert!(gates[0].starts_with("gate never opened @3: ") && gates[0].ends_with("`form.paid` was never written"));
}

#[test]
fn a_gate_on_a_text_is_closed_open_and_closed_again() {
    let session = gated("form.stage", "\"new\"", "\"old\"");
    check_gate(&session, "greet", "form.stage");
    why(&session, "form.stage", &[(7, Answer::Set, "is \"new\", written at 7"), (11, Answer::Set, "is \"old\"")]);
    assert_eq!(story(&session, "form.stage"), ["11 written \"old\"", "7 written \"new\""]);
    let never = form(Profile::Seed, [activate("form"), user("x"), says("m"), end()]);
    assert_eq!(found(&never, "session.form.stage == 'new'").len(), 1);
}

#[test]
fn a_text_is_cut_in_the_prompt_and_whole_in_the_response() {
    // M262, M263: a hundred code points, whatever bytes they take.
    for length in [99, 100, 101, 201] {
        let text = "ł".repeat(length);
        let write = write("fill", "form.note", &format!("\"{text}\""));
        let session = form(Profile::Seed, [activate("form"), user("x"), write, end(), user("y"), says("m"), end()]);
        let is_cut = 100 < length;
        let shown =
            format!("Their note is {}.", if is_cut { "ł".repeat(100) + "... [truncated]" } else { text.clone() });
        let prompt = session.prompt(Position(6)).expect("there is a folder").text();
        assert!(prompt.contains(&shown), "{length}: {prompt}");
        let agent = session.agent.as_deref().expect("there is a folder");
        let spoken = speak(agent, Profile::Seed, &session.state(session.end()), "utter_note");
        assert_eq!(spoken.text, format!("Your note: {text}"));
        let cut = if is_cut {
            vec![format!(
                "cut value @6: the model gets the first 100 of the {length} characters of `form.note`; tools and responses get \
                 all (M262)"
            )]
        } else {
            Vec::new()
        };
        assert_eq!(found(&session, "form.note"), cut);
        assert_eq!(*why_value(&session, "form.note", session.end()).value, value(&format!("\"{text}\"")));
    }
}

#[test]
fn bare_yes_and_no_are_truths_and_no_texts() {
    let write = |value: &str| write("fill", "form.answer", value);
    let session = form(Profile::Seed, [activate("form"), write("\"yes\""), write("true"), end()]);
    assert_eq!(
        found(&session, "form.answer"),
        ["outside enum @3: `form.answer` holds \"yes\", none of its enum_values: true, false"]
    );
    why(
        &session,
        "form.answer",
        &[(3, Answer::Set, "is \"yes\", written at 3"), (4, Answer::Set, "is true, written at 4")],
    );
    assert_eq!(story(&session, "form.answer"), ["4 written true", "3 written \"yes\""]);
    assert_eq!(
        (query(&session, "form.answer == 'yes'"), query(&session, "form.answer == True")),
        (vec![3], vec![4, 5])
    );
}

const ALREADY_SET: &str = "ProjectMemoryAlreadySetError: project.country is already set and cannot be overwritten";

#[test]
fn a_project_entry_with_an_initial_value_is_written_once_or_never() {
    // M44a: the first write over an initial value goes through, and locks.
    let wrote = || write("set_country", "project.country", "\"BE\"");
    let session = form(Profile::Seed, [wrote(), returned("set_country", "{}"), failed("set_country", ALREADY_SET)]);
    why(&session, "project.country", &[(1, Answer::Initial, "\"NL\""), (4, Answer::Set, "\"BE\", written at 2")]);
    assert_eq!(story(&session, "project.country"), ["4 refused null", "2 written \"BE\" L"]);
    assert_eq!(query(&session, "changed(project.country) at:2.."), [2]);
    let end = why_value(&session, "project.country", session.end());
    assert!(end.evidence.iter().any(|one| one.text.contains("is locked since 2")), "{end:#?}");
    let refused = found(&session, "set_country failed");
    assert_eq!(refused, [format!("refused write @4: set_country failed: {ALREADY_SET}")]);

    // M44: in the newer generation the initial value locks, so that both writes fail.
    let tries = || failed("set_country", ALREADY_SET);
    let session = form(Profile::Mantle321, [tries(), tries()]);
    why(&session, "project.country", &[(3, Answer::Initial, "is \"NL\", its initial value")]);
    assert_eq!(story(&session, "project.country"), ["3 refused null", "2 refused null"]);
    let end = why_value(&session, "project.country", session.end());
    assert!(end.evidence.iter().any(|one| one.position == Some(Position(3))), "{end:#?}");
    assert_eq!(found(&session, "set_country failed").len(), 1, "one finding for both");
}

#[test]
fn a_project_entry_without_an_initial_value_is_written_once() {
    for profile in [Profile::Seed, Profile::Mantle321] {
        let wrote = write("load", "project.customer", "\"C-1\"");
        let refusal = refused("load", "project.customer", "\"C-1\"", Rule::ProjectWrittenOnce);
        let session = form(profile, [wrote, refusal]);
        why(&session, "project.customer", &[(3, Answer::Set, "\"C-1\", written at 2")]);
        assert_eq!(
            story(&session, "project.customer"),
            ["3 refused \"C-1\"", "2 written \"C-1\" L"],
            "M45: an equal value, too"
        );
        assert_eq!(query(&session, "verdict:refused"), [3]);
        assert_eq!(found(&session, "project.customer").len(), 1);
    }
}

#[test]
fn a_second_write_that_the_record_has_all_the_same_is_a_contradiction() {
    let wrote = |value: &str| write("load", "project.customer", value);
    let session = form(Profile::Seed, [wrote("\"A\""), wrote("\"B\""), wrote("\"B\"")]);
    assert_eq!(
        found(&session, "was written, though"),
        [
            "not writable @3: `project.customer` was written, though by the rules of this generation it was locked since 2"
        ]
    );
    assert_eq!(story(&session, "project.customer"), ["4 written \"B\" =", "3 written \"B\"", "2 written \"A\" L"]);
    let evidence = why_value(&session, "project.customer", Position(3)).evidence;
    assert!(evidence.iter().any(|one| one.text.contains("was locked already when 2 had written it")), "{evidence:#?}");

    let wrote = write("load", "project.country", "\"BE\"");
    let session = form(Profile::Mantle321, [wrote]);
    assert_eq!(
        found(&session, "was written, though"),
        [
            "not writable @2: `project.country` was written, though by the rules of this generation it is locked by its initial value"
        ]
    );
    let evidence = why_value(&session, "project.country", Position(2)).evidence;
    assert!(evidence.iter().any(|one| one.text.contains("locked by its initial value")), "{evidence:#?}");

    // M45: None leaves it open, and a session start and a restart open it again.
    let wrote = |value: &str| write("load", "project.customer", value);
    for between in [start(), rewound(Rewind::Restart, 0, &[])] {
        let session = form(Profile::Seed, [wrote("null"), wrote("\"A\""), between, wrote("\"B\"")]);
        assert_eq!(found(&session, "was written, though"), Vec::<String>::new());
    }
}

#[test]
fn a_block_entered_twice_tells_its_clears_from_resets() {
    const KEYS: [&str; 3] = ["track.parcel", "track.note", "track.damaged"];
    let enter = || EventKind::BlockEntered { skill: "track".into(), block: "ask".into() };
    let leave = || EventKind::BlockCompleted { skill: "track".into(), block: "ask".into(), step: None };
    let run = || {
        let clears = KEYS.map(|key| clear("begin", key));
        let sets = KEYS.map(|key| write("find_parcel", key, "\"v\""));
        [enter()].into_iter().chain(clears).chain(sets).chain([leave()]).collect::<Vec<_>>()
    };
    let session = form(Profile::Seed, [activate("track")].into_iter().chain(run()).chain(run()));
    for (place, key) in (0..).zip(KEYS) {
        let [first_clear, first, second_clear, second] = [4, 7, 12, 15].map(|at| at + place);
        why(
            &session,
            key,
            &[
                (first_clear, Answer::Cleared, &format!("cleared at {first_clear} by tool begin")),
                (second_clear, Answer::Cleared, &format!("before that it was \"v\", set at {first}")),
                (second, Answer::Set, &format!("written at {second}")),
            ],
        );
        let expected = [
            format!("{second} written \"v\""),
            format!("{second_clear} cleared null"),
            format!("{first} written \"v\""),
            format!("{first_clear} cleared null"),
        ];
        assert_eq!(story(&session, key), expected, "entering a block resets nothing (M54)");
        assert_eq!(query(&session, &format!("changed({key})")), [first, second_clear, second], "nothing was there");
    }
}

#[test]
fn what_takes_back_the_first_of_two_writes_is_named() {
    let wrote = |value: &str| write("load", "project.customer", value);
    for (between, words, what, back) in [
        (start(), "session started", "4 emptied null", ""),
        (rewound(Rewind::Restart, 0, &[]), "restart", "4 restored null", " <4"),
        (rewound(Rewind::Rewind, 1, &[]), "rewind", "4 restored null", " <4"),
    ] {
        let session = form(Profile::Seed, [user("x"), wrote("\"A\""), between, wrote("\"B\""), end()]);
        why(
            &session,
            "project.customer",
            &[
                (3, Answer::Set, "is \"A\", written at 3"),
                (4, Answer::NeverWritten, words),
                (5, Answer::Set, "is \"B\", written at 5"),
            ],
        );
        let emptied = why_value(&session, "project.customer", Position(4));
        assert!(emptied.text.contains("written at 3") && emptied.text.contains("event 4 took that away"));
        let expected = ["5 written \"B\" L".to_owned(), what.to_owned(), format!("3 written \"A\" L{back}")];
        assert_eq!(story(&session, "project.customer"), expected, "what is new is locked anew");
        assert_eq!(query(&session, "changed(project.customer)"), [3, 4, 5]);
        assert_eq!(query(&session, "verdict:refused"), Vec::<u64>::new());
        assert_eq!(found(&session, "project.customer` was written"), Vec::<String>::new());
    }
}

#[test]
fn two_tools_that_write_one_entry_in_one_turn_are_kept_apart() {
    let session = form(
        Profile::Seed,
        [
            activate("track"),
            user("7"),
            write("first", "track.parcel", "\"P-7\""),
            returned("first", "{\"a\":1}"),
            write("second", "track.parcel", "\"P-8\""),
            returned("second", "{\"b\":2}"),
            says("done"),
            end(),
        ],
    );
    why(
        &session,
        "track.parcel",
        &[(5, Answer::Set, "\"P-7\", written at 4 by tool first"), (9, Answer::Set, "by tool second")],
    );
    assert_eq!(story(&session, "track.parcel"), ["6 written \"P-8\"", "4 written \"P-7\""]);
    assert_eq!(query(&session, "changed(track.parcel) turn:1"), [4, 6]);
    assert_eq!(query(&session, "track.parcel == 'P-7'"), [4, 5]);
}

#[test]
fn a_tool_that_fails_after_its_own_write_wrote_all_the_same() {
    let wrote = write("find_parcel", "track.parcel", "\"P-7\"");
    let session =
        form(Profile::Seed, [activate("track"), user("7"), wrote, failed("find_parcel", "timeout"), says("x"), end()]);
    why(&session, "track.parcel", &[(4, Answer::Set, "written at 4 by tool find_parcel"), (7, Answer::Set, "\"P-7\"")]);
    let end = why_value(&session, "track.parcel", session.end());
    rests_on(&end, "4 memory_written, 5 tool_returned");
    assert_eq!(
        story(&session, "track.parcel"),
        ["4 written \"P-7\""],
        "a failure is no refusal, and takes nothing back"
    );
    assert_eq!(found(&session, "timeout"), ["failed tool @5: find_parcel failed: timeout"]);
    assert_eq!(query(&session, "verdict:failed"), [5]);
}

#[test]
fn an_answer_says_what_the_record_lost_meanwhile() {
    // Of six records the fourth is missing, so that what was record 4 is raw 3 now.
    let record = |number: u64, what: &str| {
        format!("{{\"conversation_id\": \"s\", \"timestamp\": {number}, \"sequence\": {number}, {what}}}\n")
    };
    let wrote = |key: &str| format!("\"memory_set\": {{\"key\": \"{key}\", \"value_json\": \"1\"}}");
    let records = [
        record(0, "\"session_started\": {}"),
        record(1, &wrote("track.parcel")),
        record(2, "\"user\": {\"text\": \"x\"}"),
        record(4, "\"user\": {\"text\": \"y\"}"),
        record(5, &wrote("track.note")),
    ];
    let recording = import::read(Arc::new(records.concat().into_bytes()), "s").expect("it reads").remove(0);
    let session = Session::open(recording, None, None);
    let says = |key: &str, at: u64| {
        let why = why_value(&session, key, Position(at));
        why.evidence.iter().any(|one| {
            one.text.contains("there is unknown: records are missing or were changed after raw 2 and before raw 3")
        })
    };
    assert!(says("track.parcel", 4) && says("track.parcel", 5), "it was written before the gap");
    assert!(!says("track.parcel", 3), "that was before the gap");
    assert!(says("track.note", 4) && !says("track.note", 5), "it was written after the gap");
}

#[test]
fn each_input_has_the_tests_that_it_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("store lies in the workspace");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the sources are there");
    let files = ["traps", "offers", "values", "history"].map(|name| format!("store/tests/suite/explain/{name}.rs"));
    let others = ["store/tests/suite/findings.rs", "store/tests/suite/import_damage.rs", "cli/tests/suite/damaged.rs"];
    let sources: String = files.iter().map(String::as_str).chain(others).map(read).collect();
    let list = read("store/tests/suite/explain/traps.rs");
    let rows: Vec<&str> = list.lines().filter(|line| line.starts_with("//! | ") && line.contains("` |")).collect();
    assert_eq!(rows.len(), 15);
    for row in rows {
        let tests = row.rsplit(" | ").next().expect("a row has cells").trim_end_matches(" |").split(", ");
        for test in tests.map(|test| test.trim_matches('`')) {
            assert!(sources.contains(&format!("fn {test}()")), "{test} is nowhere, or in a file that isn't read here");
        }
    }
}
