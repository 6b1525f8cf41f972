//! Why an entry holds what it holds, or which kind of nothing.

use replay_store::event::{Position, Rewind};
use replay_store::explain::Basis;
use replay_store::explain::read::why_read;
use replay_store::explain::value::why_value;
use replay_store::explain::why::{Answer, Why};
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::rule::Rule;

use super::given::*;

fn at_end(session: &Session, key: &str) -> Why {
    why_value(session, key, session.end())
}

#[test]
fn a_value_is_followed_back_to_the_users_message() {
    let session = desk([
        user("Where is 7?"),
        activate("track"),
        returned("activate", "{\"target_id\":\"track\"}"),
        write("find_parcel", "track.parcel", "\"P-7\""),
        returned("find_parcel", "{\"number\":7}"),
        end(),
    ]);
    let why = at_end(&session, "track.parcel");
    check(&why, Answer::Set, &["`track.parcel` is \"P-7\"", "written at 5 by tool find_parcel in track", "turn 1"]);
    rests_on(&why, "5 memory_written, 6 tool_returned, 4 model_call, 2 user_message");
    assert!(why.evidence[1].text.contains("find_parcel({\"number\":7})"), "{:?}", why.evidence[1]);
    assert!(why.evidence[..4].iter().all(|one| one.basis == Basis::Recorded));
    assert_eq!(*why.value, value("\"P-7\""));
    assert_eq!((why.position, why.turn), (Position(7), Some(1)));
}

#[test]
fn each_kind_of_nothing_says_what_made_it() {
    let session = desk([
        activate("track"),
        write("find_parcel", "track.parcel", "\"P-7\""),
        clear("forget", "track.parcel"),
        write("find_parcel", "track.damaged", "true"),
        complete("track"),
        activate("track"),
    ]);
    check(&at_end(&session, "pay.amount"), Answer::NeverWritten, &["nothing has written it yet"]);
    let cleared = why_value(&session, "track.parcel", Position(4));
    check(&cleared, Answer::Cleared, &["cleared at 4 by tool forget", "before that it was \"P-7\", set at 3"]);
    rests_on(&cleared, "4 memory_cleared");
    let reset = at_end(&session, "track.damaged");
    check(&reset, Answer::Reset, &["holds nothing", "reset at 7", "before that it was true, set at 5"]);
    rests_on(&reset, "7 skill_activated");
    check(&at_end(&session, "track.tries"), Answer::Initial, &["is 0, its initial value"]);
    let line = at_end(&session, "track.tries").rule.expect("it is declared");
    assert_eq!(
        (line.id, line.file.as_deref(), line.line),
        (Rule::InitialValueUntilWritten, Some("skills/track/memory.yml"), Some(7))
    );
}

#[test]
fn a_name_is_found_or_its_neighbours_are_named() {
    let session = desk([write("find_parcel", "track.parcel", "\"P-7\"")]);
    for name in ["parcel", "session.track.parcel", "@memory.track.parcel", "track.parcel"] {
        assert_eq!(at_end(&session, name).key.as_deref(), Some("track.parcel"), "{name}");
    }
    let several = at_end(&session, "note");
    check(&several, Answer::Unknown, &["`project.note` or `track.note`"]);
    let mistyped = at_end(&session, "track.parcle");
    check(&mistyped, Answer::Undeclared, &["did you mean `track.parcel`"]);
    check(&at_end(&session, "pay.parcel"), Answer::Undeclared, &["`track.parcel`"]);
    assert!(mistyped.change.is_some_and(|change| change.contains("track.parcel")));
}

#[test]
fn without_a_folder_unknown_stays_unknown() {
    let session =
        session(Profile::Seed, &[], [write("find_parcel", "track.parcel", "\"P-7\""), clear("x", "track.parcel")]);
    check(&why_value(&session, "track.parcel", Position(2)), Answer::Set, &["P-7"]);
    check(&at_end(&session, "track.parcel"), Answer::Cleared, &[]);
    check(&why_value(&session, "track.parcel", Position(1)), Answer::Unknown, &["initial value"]);
    check(&at_end(&session, "track.other"), Answer::Unknown, &["no agent folder"]);
    let why = at_end(&session, "track.parcel");
    assert_eq!((&why.visible_to_active, &why.rule), (&None, &None));
    check(&why_read(&session, "track.parcel", "pay", session.end()), Answer::Unknown, &["no agent folder"]);
}

#[test]
fn a_step_that_a_tool_completed_before_the_model_spoke_has_no_model_call_behind_it() {
    let session = desk([
        user("7"),
        step_writes("find_parcel", "track.parcel", "\"P-7\""),
        stepped("find_parcel"),
        says("Done"),
        end(),
    ]);
    let why = at_end(&session, "track.parcel");
    rests_on(&why, "3 memory_written, 4 tool_returned, - absence, 2 user_message");
    assert!(why.evidence[2].text.contains("no model call of turn 1 came before it"), "{:?}", why.evidence[2]);
}

#[test]
fn a_project_entry_says_what_its_lock_refused() {
    let session = desk([
        write("find_parcel", "project.customer", "\"C-1\""),
        refused("find_parcel", "project.customer", "\"C-2\"", Rule::ProjectWrittenOnce),
        write("find_parcel", "project.country", "\"BE\""),
        failed("set_country", "ProjectMemoryAlreadySetError: project.country is already set"),
    ]);
    let why = at_end(&session, "project.customer");
    check(&why, Answer::Set, &["\"C-1\""]);
    assert_eq!(why.rule.as_ref().map(|rule| rule.id), Some(Rule::ProjectWrittenOnce));
    let refusal = why.evidence.iter().find(|one| one.position == Some(Position(3))).expect("it is told");
    assert!(refusal.text.contains("\"C-2\"") && refusal.text.contains("M43"), "{refusal:?}");
    let why = at_end(&session, "project.country");
    check(&why, Answer::Set, &["\"BE\"", "written at 4"]);
    assert!(why.evidence.iter().any(|one| one.position == Some(Position(5))), "{why:#?}");
    check(&why_value(&session, "project.country", Position(3)), Answer::Initial, &["\"NL\""]);
}

#[test]
fn a_block_entered_twice_whose_tool_clears_three_entries_names_the_clear() {
    let clears = || ["track.parcel", "track.note", "track.damaged"].map(|key| clear("begin", key));
    let sets = ["track.parcel", "track.note", "track.damaged"].map(|key| write("find_parcel", key, "\"v\""));
    let events = [activate("track")].into_iter().chain(clears()).chain([returned("begin", "{}")]).chain(sets);
    let session = desk(events.chain(clears()).chain([returned("begin", "{}")]));
    for (key, at) in [("track.parcel", 10), ("track.note", 11), ("track.damaged", 12)] {
        let why = at_end(&session, key);
        check(&why, Answer::Cleared, &[&format!("cleared at {at} by tool begin"), "before that it was \"v\""]);
        assert_eq!(why.evidence[1].position, Some(Position(13)), "the call that came back after it");
    }
}

#[test]
fn a_session_start_and_a_rewind_between_two_writes_say_what_they_took() {
    let written = || write("find_parcel", "track.parcel", "\"P-7\"");
    let again = desk([written(), start()]);
    let why = at_end(&again, "track.parcel");
    check(&why, Answer::NeverWritten, &["written at 2", "event 3 took that away"]);
    rests_on(&why, "3 session_started, 2 memory_written");
    let later = desk([written(), start(), write("other", "track.parcel", "\"P-8\"")]);
    check(&at_end(&later, "track.parcel"), Answer::Set, &["\"P-8\"", "written at 4"]);

    let restarted = desk([written(), rewound(Rewind::Restart, 0, &[]), write("other", "track.parcel", "\"P-8\"")]);
    check(&why_value(&restarted, "track.parcel", Position(3)), Answer::NeverWritten, &["event 3 took that away"]);
    check(&at_end(&restarted, "track.parcel"), Answer::Set, &["written at 4 by tool other"]);

    let back = desk([
        written(),
        write("other", "track.parcel", "\"P-8\""),
        rewound(Rewind::Rewind, 2, &[("track.parcel", "\"P-7\"", 2)]),
    ]);
    let why = at_end(&back, "track.parcel");
    check(&why, Answer::Set, &["\"P-7\"", "written at 2"]);
    rests_on(&why, "2 memory_written");
}

#[test]
fn two_writes_of_one_turn_are_kept_apart() {
    let session = desk([
        user("7"),
        write("first", "track.parcel", "\"P-7\""),
        returned("first", "{\"a\":1}"),
        write("second", "track.parcel", "\"P-8\""),
        returned("second", "{\"b\":2}"),
        end(),
    ]);
    let why = at_end(&session, "track.parcel");
    check(&why, Answer::Set, &["\"P-8\"", "tool second"]);
    assert!(why.evidence[1].text.contains("second({\"b\":2})"));
    let before = why.evidence.iter().find(|one| one.position == Some(Position(3))).expect("the one before is told");
    assert!(before.text.starts_with("before that"), "{before:?}");
    check(&why_value(&session, "track.parcel", Position(4)), Answer::Set, &["\"P-7\"", "tool first"]);
}

#[test]
fn a_tool_that_fails_after_its_own_write_is_said_to_have_failed() {
    let session = desk([user("7"), write("find_parcel", "track.parcel", "\"P-7\""), failed("find_parcel", "timeout")]);
    let why = at_end(&session, "track.parcel");
    check(&why, Answer::Set, &["\"P-7\""]);
    assert!(why.evidence[1].text.contains("failed after it: timeout"), "{:?}", why.evidence[1]);
}

#[test]
fn who_may_read_it_is_said_for_the_active_skill() {
    let session = desk([
        activate("track"),
        write("find_parcel", "pay.amount", "4.5"),
        write("find_parcel", "pay.card", "\"11\""),
    ]);
    let visible = |key: &str| at_end(&session, key).visible_to_active.expect("there is a folder");
    assert_eq!(visible("pay.amount").answer, Answer::Denied);
    assert_eq!(visible("pay.amount").rule.place().as_deref(), Some("skills/track/memory.yml:10:7"));
    assert_eq!(visible("pay.card").answer, Answer::Private);
    assert_eq!(visible("project.country").answer, Answer::Allowed);
    check(&at_end(&session, "pay.amount"), Answer::Set, &["4.5"]);
}

#[test]
fn a_read_names_rule_line_and_change() {
    let session = desk([activate("track"), write("find_parcel", "pay.amount", "4.5")]);
    let read = |key: &str, skill: &str| why_read(&session, key, skill, session.end());
    let denied = read("pay.amount", "track");
    check(&denied, Answer::Denied, &["skills/track/memory.yml:10", "M37"]);
    let rule = denied.rule.expect("a rule decided");
    assert_eq!((rule.line, rule.column, rule.source.as_deref()), (Some(10), Some(7), Some("    - pay.amount")));
    assert_eq!(denied.change.as_deref(), Some("take `pay.amount` off `access.deny_read`"));
    assert_eq!(denied.change_at.as_deref(), Some("skills/track/memory.yml:10"));
    assert!(!denied.tried.is_empty());
    let private = read("pay.card", "track");
    check(&private, Answer::Private, &["private to `pay`"]);
    let empty = |change: &str, at: u64| format!("{change}; at {at} that alone changes nothing: it was never written");
    assert_eq!(private.change, Some(empty("move `pay.card` from `private` to `public`", session.end().0)));
    let early = why_read(&session, "pay.amount", "track", Position(1));
    assert_eq!(early.change, Some(empty("take `pay.amount` off `access.deny_read`", 1)));
    check(&read("pay.amount", "pay"), Answer::Allowed, &["finds 4.5"]);
    check(&read("pay.card", "pay"), Answer::NeverWritten, &[]);
    check(&read("pay.none", "pay"), Answer::Undeclared, &["M33"]);
    check(&read("system.x", "pay"), Answer::Denied, &["M31"]);
    check(&read("pay.amount", "trak"), Answer::Unknown, &["did you mean `track`"]);
}

#[test]
fn a_bare_name_says_what_it_hides() {
    let session = desk([activate("track"), write("find_parcel", "track.note", "\"own\"")]);
    let why = why_read(&session, "note", "track", session.end());
    check(&why, Answer::Allowed, &["`note`, which is `track.note`", "\"own\""]);
    assert!(why.evidence.iter().any(|one| one.text.contains("hides `project.note`")), "{why:#?}");
    check(&why_read(&session, "note", "pay", session.end()), Answer::NeverWritten, &["`project.note`"]);
    let hidden = at_end(&session, "project.note");
    assert!(hidden.evidence.iter().any(|one| one.text.contains("means `track.note` and hides `project.note`")));
}

#[test]
fn an_entry_that_holds_nothing_says_what_could_write_it() {
    let session = desk([]);
    let parcel = at_end(&session, "track.parcel");
    assert_eq!(parcel.change.as_deref(), Some("the tool `find_parcel` would have to run"));
    assert_eq!(parcel.change_at.as_deref(), Some("skills/track/tools.py:3"));
    let kind = at_end(&session, "track.kind").change.expect("the model may set it");
    assert!(kind.contains("the model would have to set it while `track` is active"), "{kind}");
    let damaged = at_end(&session, "track.damaged");
    assert_eq!(damaged.change.as_deref(), Some("let a tool write `track.damaged`, or add `llm_settable: true` to it"));
    assert!(damaged.evidence.iter().any(|one| one.text.contains("nothing in the agent folder names")));
}

#[test]
fn without_the_code_of_tools_nobody_knows_what_writes_an_entry() {
    let files: Vec<_> = DESK.iter().filter(|(path, _)| !path.ends_with(".py")).copied().collect();
    let why = at_end(&session(Profile::Seed, &files, []), "track.parcel");
    assert_eq!((why.answer, &why.change), (Answer::NeverWritten, &None));
    assert!(why.evidence.iter().any(|one| one.text.contains("no code of tools")), "{why:#?}");
}
