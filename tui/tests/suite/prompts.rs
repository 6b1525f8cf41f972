//! The prompt panel: what is withheld, and how large its parts are.

use replay_tui::Theme;
use replay_tui::app::Wish;

use crate::frame::{print, text};
use crate::stage::{press, renewal, screen, session, start};

/// Plays keys on a session in which an access list is at work.
fn seen(keys: &str) -> String {
    let mut app = start(session("library-fees.jsonl", Some("harbour-library")), (120, 40), Theme::Plain);
    press(&mut app, keys);
    text(&screen(&app))
}

fn check(keys: &str, has: &[&str], lacks: &[&str]) {
    let screen = seen(keys);
    for words in has {
        assert!(screen.contains(words), "keys {keys}: {words} is missing\n{screen}");
    }
    for words in lacks {
        assert!(!screen.contains(words), "keys {keys}: {words} is there\n{screen}");
    }
}

#[test]
fn what_is_withheld_stands_where_it_would_stand_and_is_called_so() {
    let mut app = start(session("library-fees.jsonl", Some("harbour-library")), (80, 24), Theme::Palette);
    press(&mut app, "62G W z");
    insta::assert_snapshot!("holes_80x24", print(&screen(&app)));
    check("62G W z", &["5 prompt with 4 withheld: call 2 of turn 6", "[withheld: project.loans"], &[]);
    check("62G W g z", &["4 withheld, shown in brackets: the model got none of that"], &[]);
    check("62G W W z", &["── persona"], &["withheld"]);
    check("62G W p z", &["── persona"], &["withheld"]);
    check("62G P W z", &["with 4 withheld"], &[" gone, "]);
}

#[test]
fn k_on_what_is_withheld_explains_the_read_and_e_opens_its_line() {
    check(
        "62G W z / balance, Enter K",
        &["may renew_loan read pay_fees.balance at 62", "skills/renew_loan/memory.yml:18"],
        &[],
    );
    let mut app = start(session("library-fees.jsonl", Some("harbour-library")), (120, 40), Theme::Plain);
    press(&mut app, "62G W / balance, Enter yc");
    match app.wish.take() {
        Some(Wish::Copy(clipping)) => assert!(clipping.text.ends_with("--call 2 --holes"), "{}", clipping.text),
        other => panic!("{other:?}"),
    }
}

#[test]
fn k_on_a_paragraph_says_why_it_is_there_or_not() {
    let shown =
        ["why skills/renew_loan/skill.md:19 in the prompt", "`renew_loan` is active", "@memory.renew_loan.item_title"];
    check("62G p z / copy Enter K", &shown, &[]);
    let marker = ["skills/renew_loan/skill.md:24:5", "if: session.pay_fees.balance > 0", "doesn't hold"];
    check("62G W z / owes Enter K", &marker, &[]);
}

#[test]
fn a_row_with_a_token_knows_its_entry() {
    for (keys, has) in
        [("62G p / copy Enter yk", "renew_loan.item_title"), ("62G p / copy Enter yv", "Nine Small Boats")]
    {
        let mut app = start(session("library-fees.jsonl", Some("harbour-library")), (120, 40), Theme::Plain);
        press(&mut app, keys);
        match app.wish.take() {
            Some(Wish::Copy(clipping)) => assert_eq!(clipping.text, has, "{keys}"),
            other => panic!("{keys}: {other:?}\n{}", text(&screen(&app))),
        }
    }
}

#[test]
fn a_rephrase_without_another_before_it_names_the_way_to_the_model_call() {
    check(
        "45G P z",
        &["the first rephrase: nothing to compare with", "[p goes to the model call before"],
        &["first call"],
    );
}

#[test]
fn an_answer_of_the_model_leads_to_what_its_prompt_read() {
    check("62G K z", &["from call 1 of turn 6, by its prompt at 58", "pay_fees.balance"], &[]);
}

#[test]
fn a_prompt_from_which_nothing_is_withheld_says_so() {
    check("5G H W z", &["nothing is withheld from this prompt"], &["[withheld"]);
}

#[test]
fn without_a_folder_the_flag_is_named() {
    let mut app = start(session("library-renewal.json", None), (120, 40), Theme::Plain);
    press(&mut app, "G W");
    assert!(text(&screen(&app)).contains("there is none: name it with --agent DIR"));
}

#[test]
fn sections_say_how_many_tokens_they_may_have() {
    let mut app = start(renewal(), (120, 40), Theme::Plain);
    press(&mut app, "29G p z");
    let seen = text(&screen(&app));
    assert!(seen.contains("── persona, 235 characters, ≈59 tokens ──"), "{seen}");
    assert!(seen.contains("of a budget of 8000: an estimate, 4 characters each"), "{seen}");
}

#[test]
fn the_conversation_stands_beside_the_prompt_where_it_is_wide() {
    for (size, keys, together) in [
        ((120, 24), "29G p", true),
        ((120, 40), "29G p", true),
        ((120, 40), "29G p 1 Enter", true),
        ((120, 40), "29G p 2 Enter", true),
        ((120, 40), "29G p 4 Enter", false),
        ((120, 40), "29G p 6 Enter", false),
        ((120, 24), "29G p 3 Enter", false),
        ((119, 40), "29G p", false),
        ((80, 24), "29G p", false),
        ((160, 40), "29G", true),
    ] {
        let mut app = start(renewal(), size, Theme::Plain);
        press(&mut app, keys);
        let seen = text(&screen(&app));
        assert_eq!(seen.contains("2 conversation") && seen.contains("5 prompt"), together, "{size:?} {keys}\n{seen}");
    }
}

/// In the prompt's panel the call before is that before the prompt which is shown.
#[test]
fn the_prompt_before_is_shown_and_compared_anew() {
    check("62G P z", &["turn 6 call 1 → turn 6 call 2"], &[]);
    check("62G P z [p", &["turn 5 call 2 → turn 6 call 1"], &["→ turn 6 call 2"]);
    check("62G p z [p", &["5 prompt call 1 of turn 6"], &[]);
    check("62G P z [p ]p", &["→ turn 6 call 2"], &[]);
}
