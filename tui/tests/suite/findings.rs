//! The findings: ranked, counted, looked for between keys, and each one key away from its place.

use replay_store::event::{Actor, Event, EventKind, Origin, ToolCaller, ToolOutcome, ToolSource, Writer};
use replay_store::replay::Session;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;
use replay_tui::findings::Looking;
use replay_tui::key::Key;
use replay_tui::{Action, App, Theme, update};

use crate::frame::{print, text};
use crate::stage::{made, play, press, renewal, screen, session, start};

fn fees() -> Session {
    session("library-fees.jsonl", Some("harbour-library"))
}

fn gate() -> Session {
    session("bikes-gate.json", Some("kitebird-bikes"))
}

/// Plays keys on a session at 80x24; the screen has each of the texts.
fn check(session: Session, keys: &str, expected: &[&str]) {
    let screen = play(session, keys);
    for words in expected {
        assert!(screen.contains(words), "keys {keys}: {words} is missing\n{screen}");
    }
}

#[test]
fn what_looks_wrong_is_ranked_counted_and_told_with_what_to_do() {
    let mut app = start(gate(), (80, 24), Theme::Palette);
    press(&mut app, "!");
    insta::assert_snapshot!("findings_80x24", print(&screen(&app)));
    check(
        gate(),
        "! G k",
        &["5× skill.md:20 report_damage.rid", "to do: find out what should have written", "recomputed"],
    );
}

#[test]
fn enter_goes_from_one_place_of_a_finding_to_the_next() {
    check(fees(), "! Enter", &["18/72", "▶7 findings", "18 is place 1 of 5: Enter goes to the next"]);
    check(fees(), "! Enter Enter", &["22/72", "22 is place 2 of 5"]);
    check(fees(), "! Enter Enter Enter Enter Enter Enter", &["18/72"]);
    check(fees(), "! Enter Enter Ctrl-o", &["18/72", "▶7 findings"]);
    check(gate(), "! Enter", &["10/27", "10 is its one place"]);
}

#[test]
fn k_tells_all_about_a_finding() {
    check(
        fees(),
        "! K z",
        &[
            "denied read, 5 times, recomputed",
            "take `pay_fees.balance` off `access.deny_read`",
            "at skills/renew_loan/memory.yml:18",
            "^^^^^^^^^^^^^^^^",
        ],
    );
    check(fees(), "! K z / find_loan Enter Enter", &["22/72", "event 22; Ctrl-o goes back"]);
    check(fees(), "! K Ctrl-o", &["▶7 findings"]);
    check(fees(), "! gr z", &["reads of pay_fees.balance", "5× denied: a paragraph of `renew_loan` depends on"]);
    check(fees(), "! Enter Enter K z", &["── why, at 22 ──"]);
    check(gate(), "! j K z", &["── why, at 24 ──", "order_pick_up", "session.report_damage.rideable == False"]);
    check(gate(), "! K z", &["failed model call, recorded", "── where ──", "10 "]);
}

#[test]
fn parts_of_an_answer_are_set_apart_by_an_empty_row() {
    let screen = play(fees(), "! K z");
    let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let rule = rows.iter().position(|row| *row == "── rule ──").expect("the rule is told");
    assert_eq!(rows[rule - 1], "", "{screen}");
    assert_ne!(rows[rule + 1], "", "{screen}");
}

#[test]
fn a_finding_about_an_entry_becomes_a_report_for_a_ticket() {
    let mut app = start(fees(), (80, 24), Theme::Plain);
    app.opened.session = "s.log".to_owned();
    for keys in ["! yr", "! K yr"] {
        press(&mut app, keys);
        match app.wish.take() {
            Some(replay_tui::app::Wish::Copy(clipping)) => {
                assert!(clipping.text.contains("pay\\_fees.balance"), "{}", clipping.text);
                assert!(clipping.text.contains("skills/renew_loan/memory.yml"), "{}", clipping.text);
            }
            other => panic!("{keys}: {other:?}"),
        }
    }
}

#[test]
fn a_search_in_the_findings_finds_findings() {
    check(fees(), "! / card_hint Enter", &["1 of 1", "skill.md:15 pay_fees.card_hint"]);
    check(fees(), "! / card_hint Enter Enter", &["29/72"]);
}

#[test]
fn what_the_record_says_by_itself_is_among_them() {
    let cut = || session("library-cut.json", Some("harbour-library"));
    check(cut(), "! z", &["error cut", "ask for the whole file"]);
    check(cut(), "! Enter", &["26/26", "raw 38, recorded"]);
}

#[test]
fn a_short_session_is_looked_through_without_being_asked_for() {
    check(fees(), "j", &["1/72", "5 findings"]);
    check(session("library-renewal.json", None), "j", &["findings"]);
}

/// So many events, of which each thousandth is a tool that failed.
fn failing(events: u64) -> Session {
    let event = |index: u64| Event {
        time: Timestamp(index as i64 * 1_000_000),
        turn: Some(1),
        cause: None,
        origin: Origin::Added,
        kind: match index % 1000 {
            0 => EventKind::ToolReturned {
                tool: "find".into(),
                arguments: "{}".into(),
                result: "".into(),
                outcome: ToolOutcome::Failed,
                error: Some("no answer".into()),
                caller: ToolCaller::Model,
                skill: None,
                call_id: None,
                batch_id: None,
                source: ToolSource::Unknown,
            },
            _ => EventKind::MemoryWritten {
                key: "a.count".into(),
                value: Value::Int(index.into()).into(),
                writer: Writer::only(Actor::Model),
            },
        },
    };
    made((1..=events).map(event).collect(), "failing")
}

fn key(app: &mut App, key: &str) {
    update(app, Action::Press(Key(key.to_owned())));
}

fn looking(app: &App) -> Looking {
    app.debugger.as_ref().expect("a session is open").findings.looking()
}

#[test]
fn a_long_session_is_looked_through_between_keys_and_esc_stops() {
    let mut app = start(failing(60_000), (80, 24), Theme::Plain);
    assert!(text(&screen(&app)).contains("! looks for findings"), "nobody looked, so nothing is said to be right");
    assert!(!app.is_busy());

    key(&mut app, "!");
    for _ in 0..48 {
        update(&mut app, Action::Tick);
    }
    let seen = text(&screen(&app));
    assert!(seen.contains("looking at the events: 40 %; Esc stops"), "{seen}");
    assert!(seen.contains("24× find failed tool: find failed: n") && seen.contains("1 finding so far"), "{seen}");

    // Other keys are heard meanwhile and stop nothing.
    key(&mut app, "l");
    assert_eq!(looking(&app), Looking::Going);
    key(&mut app, "Esc");
    let seen = text(&screen(&app));
    assert!(seen.contains("stopped at 24576 of 60000: 1 finding so far; ! goes on"), "{seen}");
    assert!(seen.contains("24× find failed tool") && !app.is_busy(), "{seen}");

    press(&mut app, "!");
    let seen = text(&screen(&app));
    assert_eq!(looking(&app), Looking::Done);
    assert!(seen.contains("60× find failed tool") && seen.contains("1 finding  "), "{seen}");
    key(&mut app, "Esc");
    assert!(text(&screen(&app)).contains("▶1 timeline"), "where nothing goes on, Esc goes back to the timeline");
}

#[test]
fn a_finding_names_the_command_that_lists_it() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    app.opened.session = "s.log".to_owned();
    press(&mut app, "! yc");
    match app.wish {
        Some(replay_tui::app::Wish::Copy(clipping)) => assert_eq!(clipping.text, "replay findings s.log"),
        other => panic!("{other:?}"),
    }
}

/// Rows of what was found are told apart where the panel is narrow, too.
#[test]
fn rows_differ_within_their_first_forty_columns() {
    let lacking = session("library-renewal.json", Some("kitebird-bikes"));
    for session in [gate(), fees(), renewal(), lacking] {
        let id = session.id.clone();
        let screen = play(session, "!");
        let rows: Vec<String> = screen
            .lines()
            .filter_map(|line| line.split_once('│').map(|(_, row)| row.chars().take(40).collect::<String>()))
            .filter(|row| ["error ", "warn ", "note "].iter().any(|word| row.starts_with(word)))
            .collect();
        let told: std::collections::BTreeSet<&String> = rows.iter().collect();
        assert!(!rows.is_empty() && told.len() == rows.len(), "{id}: {rows:#?}");
    }
}
