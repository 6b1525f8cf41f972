//! Responses as the engine says them: which wording, and what its placeholders become.

use replay_store::profile::Profile;
use replay_store::session::response::speak;

use super::story::Story;

/// Returns what `variants` of a response come to while `buy_tickets` is active and `story` was told.
fn check(variants: &str, tell: impl Fn(&mut Story), expected: &str) {
    for profile in Profile::ALL {
        let responses = format!("responses:\n  utter_x:\n{variants}");
        let mut story = Story::with(profile, &[("skills/find_show/responses.yml", &responses)]);
        story.user("x").start("buy_tickets");
        tell(&mut story);
        assert_eq!(speak(&story.agent, profile, &story.state(), "utter_x").text, expected, "{variants}");
    }
}

fn shows_hamlet(story: &mut Story) {
    story.write("buy_tickets.show", "\"Hamlet\"").write("project.greeting", "\"hi\"");
    story.write("buy_tickets.card", "\"4000\"").write("find_show.source", "\"secret\"");
}

#[test]
fn the_first_wording_that_holds_wins_wherever_the_default_stands() {
    // M222
    let variants = "    - text: plain\n    - {text: one, condition: session.buy_tickets.seats == 1}\n    - {text: some, condition: session.buy_tickets.seats > 0}\n";
    check(
        variants,
        |story| {
            story.write("buy_tickets.seats", "1");
        },
        "one",
    );
    check(
        variants,
        |story| {
            story.write("buy_tickets.seats", "4");
        },
        "some",
    );
    check(variants, |_| (), "plain");
}

#[test]
fn a_wording_whose_condition_fails_is_passed_over() {
    // M86, M225
    let variants = "    - {text: odd, condition: session.buy_tickets.seats < 3}\n    - {text: broken, condition: \
                    session.buy_tickets.seats is None}\n    - {text: none, condition: session.buy_tickets.seats == None}\n    - \
                    plain\n";
    check(variants, |_| (), "none");
}

#[test]
fn without_conditions_the_first_wording_wins() {
    // M220, M222
    check("    - text: a\n    - text: b\n", |_| (), "a");
    check("    - plain text\n", |_| (), "plain text");
}

#[test]
fn without_a_wording_to_choose_the_name_is_said() {
    // M224
    check("    - {text: one, condition: session.buy_tickets.seats == 1}\n", |_| (), "utter_x");
}

#[test]
fn placeholders_take_what_the_active_skill_may_read() {
    // M225 to M227, M229
    let cases = [
        ("{show}", "Hamlet"),
        ("{session.buy_tickets.show}", "Hamlet"),
        ("{greeting}", "hi"),
        ("{session.project.greeting}", "hi"),
        ("{card}", "4000"),
        ("{row} {session.find_show.source} {nothing} {a b}", "{row} {session.find_show.source} {nothing} {a b}"),
        ("{{show}}", "{Hamlet}"),
    ];
    for (text, expected) in cases {
        check(&format!("    - text: \"{text}\"\n"), shows_hamlet, expected);
    }
}

#[test]
fn a_value_is_neither_cut_nor_read_again() {
    // M228
    let long = format!("{{show}}{}", "x".repeat(200));
    let tell = |story: &mut Story| {
        story.write("buy_tickets.show", &format!("\"{long}\""));
    };
    check("    - text: \"{show}\"\n", tell, &long);
}

#[test]
fn a_folded_text_keeps_its_line_end() {
    check("    - text: >\n        Hello\n        {show}.\n", shows_hamlet, "Hello Hamlet.\n");
}

#[test]
fn buttons_send_their_title_unless_they_have_a_payload() {
    // M231
    let responses = "responses:\n  utter_x:\n    - text: t\n      buttons:\n        - {title: \"{show}\"}\n        - {title: b, payload: \"set:session.find_show.day={show}\"}\n";
    let mut story = Story::with(Profile::Mantle321, &[("responses.yml", responses)]);
    story.user("x").start("buy_tickets");
    shows_hamlet(&mut story);
    let state = story.state();
    let spoken = speak(&story.agent, story.profile, &state, "utter_x");
    let buttons: Vec<_> = spoken.buttons.iter().map(|b| (b.title.as_str(), b.payload.as_str())).collect();
    assert_eq!(buttons, [("Hamlet", "Hamlet"), ("b", "set:session.find_show.day=Hamlet")]);
}
