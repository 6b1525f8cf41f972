//! What support engineers and developers come for, as keys in and screens out: from opening a sample to the answer.

use replay_store::replay::Session;
use replay_tui::app::Wish;
use replay_tui::{App, Theme};

use crate::frame::text;
use crate::stage::{press, renewal, screen, session, start};

fn fees() -> Session {
    session("library-fees.jsonl", Some("harbour-library"))
}

fn gate() -> Session {
    session("bikes-gate.json", Some("kitebird-bikes"))
}

/// Plays keys at 120x40, and checks that each of the words stands on the screen, rows joined and wraps undone.
fn told(session: Session, keys: &str, words: &[&str]) -> App {
    let mut app = start(session, (120, 40), Theme::Plain);
    press(&mut app, keys);
    let shown = text(&screen(&app));
    let panel: Vec<&str> = shown.lines().map(|row| row.split('│').next_back().unwrap_or_default()).collect();
    let joined = panel.join("\n").replace("\n↪", "");
    for word in words {
        assert!(shown.contains(word) || joined.contains(word), "{keys}: no {word:?} in\n{shown}");
    }
    app
}

#[test]
fn why_the_agent_acted_as_if_it_knew_nothing() {
    // Story 1: the record said 4.50 is owed, the agent said that nothing is.
    told(fees(), "! Enter", &["denied read", "18/72", "18 is place 1 of 5"]);
    told(
        fees(),
        "! Enter K z",
        &[
            "renew_loan read None from `pay_fees.balance` in the condition at skills/renew_loan/skill.md:24",
            "denied by skills/renew_loan/memory.yml:18",
            "take `pay_fees.balance` off `access.deny_read`",
            "A denied read is None in conditions",
            "- pay_fees.balance",
            "^^^^^^^^^^^^^^^^",
        ],
    );
    // A value that nobody ever wrote is another kind of nothing.
    told(
        gate(),
        ": turn Space 5 Enter Tab Tab /rideable Enter K",
        &["`report_damage.rideable` holds nothing: nothing has written it yet"],
    );
}

#[test]
fn which_rule_let_a_skill_read_what_another_owns() {
    // Story 2: the rule, and its line in the editor.
    let app = told(
        fees(),
        "/pay_fees.balance Enter K",
        &["`pay_fees.balance` is 4.5", "skills/pay_fees/memory.yml:3: public"],
    );
    drop(app);
    let app = told(fees(), "/pay_fees.balance Enter A", &["pay_fees.balance"]);
    drop(app);
    let mut app = told(fees(), "! Enter K", &["M39"]);
    press(&mut app, "e");
    let Some(Wish::Edit(edit)) = &app.wish else { panic!("{:?}", app.wish) };
    assert_eq!((edit.file.as_str(), edit.line), ("skills/renew_loan/memory.yml", 18));
}

#[test]
fn where_the_words_of_the_prompt_came_from() {
    // Story 3: from a name in the prompt to its write, and to the write before that.
    let keys = ": turn Space 4 Enter p /item Space C- Enter";
    told(renewal(), keys, &["The copy in question is Tides and Tables (item C-0093)."]);
    told(renewal(), &format!("{keys} gd"), &["36/57", "renew_loan.item_title was set here"]);
    told(renewal(), &format!("{keys} gd gd"), &["20/57"]);
    told(
        renewal(),
        &format!("{keys} gd gd K"),
        &[
            "`renew_loan.item_title` is \"The Lighthouse Keeper's Almanac\", written at 20 by tool find_loan in renew_loan",
        ],
    );
}

#[test]
fn a_finding_goes_into_a_ticket() {
    // Story 4: a report with the command that gives it again.
    let mut app = told(fees(), "/pay_fees.balance Enter K", &["why pay_fees.balance at 30"]);
    app.opened.session = "fees.log".to_owned();
    press(&mut app, "yr");
    let Some(Wish::Copy(clipping)) = &app.wish else { panic!("{:?}", app.wish) };
    for words in ["### Why does pay\\_fees.balance hold", "replay why fees.log pay_fees.balance --at 30 --format md"] {
        assert!(clipping.text.contains(words), "{}", clipping.text);
    }
}

#[test]
fn what_changed_in_the_prompt_and_which_event_did_it() {
    // Story 5: the difference, its cause, and the way there.
    let keys = ": turn Space 4 Enter p P";
    told(
        renewal(),
        keys,
        &[
            "- The copy in question is The Lighthouse Keeper's Almanac (item C-1187).",
            "+ The copy in question is Tides and Tables (item C-0093).",
            "= since 35, memory written:",
            "renew_loan.item_id = \"C-0093\"",
        ],
    );
    told(renewal(), &format!("{keys} /since Enter Enter"), &["35/57", "memory written renew_loan.item_id"]);
}

#[test]
fn who_read_a_value() {
    // The first half of story 10.
    told(fees(), "/pay_fees.balance Enter Tab Tab gr", &["reads of pay_fees.balance", "renew_loan", "denied"]);
}
