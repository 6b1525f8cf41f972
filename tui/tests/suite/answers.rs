//! What the debugger answers: K explains what is under the cursor, P tells what changed in the prompt.

use replay_tui::Theme;

use crate::frame::text;
use crate::stage::{play, press, renewal, screen, session, start};

/// Plays keys at 120x40 and returns the screen's text.
fn wide(keys: &str) -> String {
    let mut app = start(renewal(), (120, 40), Theme::Plain);
    press(&mut app, keys);
    text(&screen(&app))
}

#[test]
fn k_explains_the_entry_under_the_cursor_and_enter_goes_to_its_event() {
    let said = wide(": 3 5 Enter 3 Esc Tab Tab K z");
    assert!(said.contains("why renew_loan.item_id at 35"), "{said}");
    assert!(said.contains("written at 35 by tool find_loan in renew_loan, in turn 4"), "{said}");
    assert!(said.contains("38 recorded: tool call find_loan"), "{said}");
    let said = wide(": 3 5 Enter Tab Tab K z j j j j j Enter");
    assert!(said.contains("38/57") && said.contains("event 38; Ctrl-o goes back"), "{said}");
    let said = wide(": 3 5 Enter Tab Tab K z j j j j j Enter Ctrl-o z Esc");
    assert!(said.contains("▸35"), "{said}");
}

#[test]
fn k_explains_frames_tools_and_events() {
    let said = wide(": 2 9 Enter 4 Esc Tab Tab Tab K z");
    assert!(said.contains("why skill renew_loan at 29"), "{said}");
    let said = wide(": 2 9 Enter K z");
    assert!(said.contains("why event 29") && said.contains("27 recorded: user: No, sorry."), "{said}");
    let said = wide(": 3 5 Enter p G K z");
    assert!(said.contains("why tool"), "{said}");
}

#[test]
fn k_at_the_start_says_that_there_is_nothing_yet() {
    assert!(play(renewal(), "K").contains("nothing is applied yet"));
}

#[test]
fn a_closed_gate_is_explained_with_the_line_that_closes_it() {
    let mut app = start(session("bikes-gate.json", Some("kitebird-bikes")), (120, 40), Theme::Plain);
    press(&mut app, "G p");
    press(&mut app, "G");
    let tools = text(&screen(&app));
    assert!(tools.contains("withheld"), "{tools}");
}

#[test]
fn p_shows_what_changed_with_its_cause_and_enter_jumps_there() {
    let said = play(renewal(), ": 3 5 Enter P z");
    assert!(said.contains("turn 3 call 1 → turn 4 call 1"), "{said}");
    assert!(said.contains("- ## Pending tool confirmation") && said.contains("= since 28, memory cleared"), "{said}");
    let said = play(renewal(), ": 3 5 Enter P /since Enter Enter");
    assert!(said.contains("▸28") || said.contains("28/57"), "{said}");
    let said = play(renewal(), ": 3 5 Enter P P z");
    assert!(said.contains("── persona"), "{said}");
    let said = play(renewal(), "]p P z");
    assert!(said.contains("This is the first call"), "{said}");
    let said = play(session("library-renewal.json", None), "]p P z");
    assert!(said.contains("with --agent DIR"), "{said}");
}

#[test]
fn what_changed_stands_side_by_side_where_it_is_wide() {
    let said = wide(": 3 5 Enter P z");
    let row = said.lines().find(|row| row.contains("+ user: Tides and Tables, please.")).expect("it is new");
    assert!(row.starts_with("                    "), "the new side is on the right: {row}");
    assert!(row.contains('│'), "{row}");
    let narrow = play(renewal(), ": 3 5 Enter P z");
    assert!(!narrow.contains('│'), "{narrow}");
}

#[test]
fn sections_of_the_prompt_have_sizes_and_can_be_jumped_to() {
    let said = wide(": 3 5 Enter p z ]] ]]");
    assert!(said.contains("── persona, ") && said.contains(" characters, ≈"), "{said}");
    let first = wide(": 3 5 Enter p z ]] ]] ]] [[ [[ [[");
    assert!(first.contains("no further section") || first.contains("── persona"), "{first}");
    assert!(wide(": 3 5 Enter p z 9 9 ]]").contains("no further section"));
}

/// The session in which one skill may not read another one's balance.
fn fees(keys: &str) -> String {
    let mut app = start(session("library-fees.jsonl", Some("harbour-library")), (120, 40), Theme::Plain);
    press(&mut app, keys);
    text(&screen(&app))
}

#[test]
fn decisions_of_a_step_have_rule_and_line_and_are_explained_in_full() {
    let said = fees("]p ]p D z");
    assert!(
        said.contains("denied   read  pay_fees.balance in condition  M39 skills/renew_loan/memory.yml:18:7"),
        "{said}"
    );
    assert!(said.contains("closed   gate  session.renew_loan.item_id != None in condition"), "{said}");
    let said = fees("]p ]p D z 1 0 j K");
    assert!(said.contains("── rule ──") && said.contains('^'), "{said}");
    let said = fees("]p ]p D z j j Enter");
    assert!(said.contains("answer: allowed read project.member_name"), "{said}");
}

#[test]
fn the_access_matrix_says_which_line_denies() {
    for keys in ["]p ]p A z", "]p ]p :access Enter z"] {
        let said = fees(keys);
        assert!(said.contains("pay_fees.balance          r---  r---  rw-b  ----  r---"), "{said}");
        assert!(
            said.contains("renew_loan may not read pay_fees.balance: M37 at skills/renew_loan/memory.yml"),
            "{said}"
        );
    }
    assert!(play(session("library-renewal.json", None), "A").contains("--agent DIR"));
}

#[test]
fn an_entry_is_explained_by_its_name() {
    assert!(fees("G :why Space balance Enter z").contains("why pay_fees.balance at 72"));
}

#[test]
fn why_takes_entries_readers_skills_tools_and_lines() {
    for (line, has) in [
        ("why project.loans", "why project.loans at 35"),
        ("why pay_fees.balance renew_loan", "may renew_loan read pay_fees.balance at 35"),
        ("why balance as renew_loan", "may renew_loan read balance at 35"),
        ("why skill pay_fees", "why skill pay_fees at 35"),
        ("why tool renew_item", "why tool renew_item at 35"),
        ("why skills/renew_loan/skill.md:15", "why skills/renew_loan/skill.md:15 in the prompt at 35"),
        ("why project.laons", "did you mean `project.loans`"),
        ("why project.loans renew_laon", "did you mean `renew_loan`"),
    ] {
        let keys: Vec<String> =
            line.chars().map(|one| if one == ' ' { "Space".to_owned() } else { one.to_string() }).collect();
        let said = wide(&format!(": 3 5 Enter : {} Enter z", keys.join(" ")));
        assert!(said.contains(has), "{line}: {has} is missing\n{said}");
    }
}

#[test]
fn each_changed_line_has_its_cause_right_below_it() {
    let mut app = start(session("library-host.jsonl", None), (100, 60), Theme::Plain);
    press(&mut app, ": 4 2 Enter H P z");
    let said = text(&screen(&app));
    let place =
        |words: &str| said.lines().position(|row| row.contains(words)).unwrap_or_else(|| panic!("{words}\n{said}"));
    let asked = place("+ assistant: For which day?");
    assert!(said.lines().nth(asked + 1).is_some_and(|row| row.contains("= since 39, agent (template)")), "{said}");
    assert!(place("= since 40") < place("+ user: Wait, the Tide Tables are due!"), "{said}");
}
