//! Two sessions: aligned by user message, then by turn; the first difference named.

use proptest::prelude::*;

use replay_store::compare::noise::Noise;
use replay_store::compare::sessions::{Difference, Kind, sessions};
use replay_store::event::MessageSource;
use replay_store::event::finding::{Finding, FindingKind};
use replay_store::profile::Profile;
use replay_store::value::Value;

use super::opened;
use crate::prompt::story::Story;

/// One line a difference: `kind subject @turn in A/turn in B: A | B`.
fn told(a: &Story, b: &Story) -> Vec<String> {
    sessions(&opened(a), &opened(b), &Noise::ALL).differences.iter().map(line).collect()
}

fn line(each: &Difference) -> String {
    let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
    let text = |evidence: &Option<replay_store::explain::Evidence>| {
        evidence.as_ref().map_or("nothing".to_owned(), |evidence| evidence.text.clone())
    };
    format!(
        "{} {} @{}/{}: {} | {}",
        each.kind.word(),
        each.subject,
        number(each.turn.a),
        number(each.turn.b),
        text(&each.evidence.a),
        text(&each.evidence.b)
    )
}

/// A conversation of two exchanges whose first write and last words can be chosen.
fn story(seats: &str, said: &str) -> Story {
    let mut story = Story::new(Profile::Seed);
    story.user("tickets").start("buy_tickets").write("buy_tickets.seats", seats).model("Which show?").turn_end();
    story.user("the late one").write("buy_tickets.show", "\"Late\"").call(1, "check_stock", "{}", "{\"left\": 3}");
    story.model(said).turn_end();
    story
}

#[test]
fn a_session_differs_from_itself_in_nothing() {
    assert_eq!(told(&story("2", "Done."), &story("2", "Done.")), Vec::<String>::new());
}

#[test]
fn the_first_difference_is_the_earliest() {
    let found = told(&story("2", "Done."), &story("3", "Done."));
    assert_eq!(found[0], "state buy_tickets.seats @1/1: 2 | 3");
    // What the prompt shows of it comes after it, and an old difference isn't told again.
    assert_eq!(found[1], "prompt call 1 @2/2: active_skill: - seats: 2 | active_skill: - seats: 3");
    assert_eq!(found.iter().filter(|line| line.starts_with("state")).count(), 1, "{found:?}");
}

#[test]
fn what_was_said_differs_in_text_alone() {
    assert_eq!(
        told(&story("2", "Done."), &story("2", "All done.")),
        ["text agent @2/2: agent (model): Done. | agent (model): All done."]
    );
}

#[test]
fn times_and_ids_make_no_difference_unless_they_are_wanted() {
    let (one, other) = (story("2", "At 19:30, 2026-11-30."), story("2", "At 20:15, 2026-12-01."));
    assert_eq!(told(&one, &other), Vec::<String>::new());
    let (one, other) = (opened(&one), opened(&other));
    assert_eq!(sessions(&one, &other, &[Noise::Ids]).differences.len(), 1);
}

#[test]
fn another_message_in_between_does_not_shift_the_rest() {
    let one = story("2", "Done.");
    let mut other = Story::new(Profile::Seed);
    other.user("tickets").start("buy_tickets").write("buy_tickets.seats", "2").model("Which show?").turn_end();
    other.user("wait").model("Sure.").turn_end();
    other.user("the late one").write("buy_tickets.show", "\"Late\"").call(1, "check_stock", "{}", "{\"left\": 3}");
    other.model("Done.").turn_end();
    assert_eq!(
        told(&one, &other),
        ["text user @-/2: nothing | user: wait", "text agent @-/2: nothing | agent (model): Sure."]
    );
}

#[test]
fn a_second_turn_for_a_message_has_no_counterpart() {
    let (one, mut other) = (story("2", "Done."), story("2", "Done."));
    other.template("utter_hello", "Anything else?").turn_end();
    assert_eq!(told(&one, &other), ["text agent @-/3: nothing | agent (template): Anything else? [utter_hello]"]);
}

#[test]
fn tools_and_skills_stand_beside_their_like() {
    let (mut one, mut other) = (story("2", "Done."), story("2", "Done."));
    one.user("pay").call(1, "charge_card", "{\"amount\": 10}", "{\"ok\": true}").leave("buy_tickets").turn_end();
    other.user("pay").call(1, "charge_card", "{\"amount\": 12}", "{\"ok\": true}").start("refund").turn_end();
    let found = told(&one, &other);
    assert_eq!(
        found[0],
        "tool charge_card @3/3: tool returned: charge_card({\"amount\": 10}) | tool returned: charge_card({\"amount\": 12})"
    );
    assert!(
        found.contains(&"skill buy_tickets @3/3: skill interrupted: buy_tickets | nothing".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"skill refund @3/3: nothing | skill activated: refund".to_owned()), "{found:?}");
}

#[test]
fn a_gate_that_holds_on_one_side_only_is_a_decision_with_both_reasons() {
    let with = |seats: Option<&str>| {
        let mut story = Story::new(Profile::Seed);
        story.user("tickets").start("buy_tickets").write("buy_tickets.show", "\"Late\"");
        if let Some(seats) = seats {
            story.write("buy_tickets.seats", seats);
        }
        story.call(1, "check_stock", "{}", "{}").model("Hold them?").turn_end();
        story
    };
    let found = told(&with(None), &with(Some("2")));
    let gate = found.iter().find(|line| line.starts_with("decision hold_seats")).expect("the gate differs");
    let (a, b) = gate.split_once(" | ").expect("both sides");
    assert!(a.contains("withheld: requires") && a.contains("never written") && b.starts_with("offered: "), "{gate}");
}

#[test]
fn what_a_cut_record_lost_is_no_difference() {
    let whole = story("2", "Done.");
    let mut cut = Story::new(Profile::Seed);
    cut.user("tickets").start("buy_tickets").write("buy_tickets.seats", "2").model("Which show?").turn_end();
    cut.user("the late one");
    let whole = opened(&whole);
    let mut lost = opened(&cut);
    lost.findings.push(Finding { kind: FindingKind::Cut, raw: None, text: "the record is cut".to_owned() });
    for (found, is_cut) in
        [(sessions(&lost, &whole, &Noise::ALL), (true, false)), (sessions(&whole, &lost, &Noise::ALL), (false, true))]
    {
        assert_eq!(found.is_cut, is_cut);
        assert_eq!(found.differences.iter().map(line).collect::<Vec<_>>(), Vec::<String>::new());
    }
    // One that isn't cut just ends earlier, and that is a difference.
    assert!(!sessions(&opened(&cut), &whole, &Noise::ALL).differences.is_empty());
}

#[test]
fn every_kind_can_be_told_apart() {
    let mut one = story("2", "Done.");
    one.says(MessageSource::Filler, None, "One moment.", Value::Null);
    let found = sessions(&opened(&one), &opened(&story("3", "Ready.")), &Noise::ALL).differences;
    let kinds: std::collections::BTreeSet<Kind> = found.iter().map(|each| each.kind).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), [Kind::State, Kind::Prompt, Kind::Text]);
}

/// A story of random deeds.
fn any_story() -> impl Strategy<Value = Story> {
    prop::collection::vec(0_u8..9, 0..24).prop_map(|deeds| {
        let mut story = Story::new(Profile::Seed);
        for deed in deeds {
            match deed {
                0 => story.user("yes"),
                1 => story.user("no, at 10:15"),
                2 => story.start("buy_tickets"),
                3 => story.write("buy_tickets.seats", "2"),
                4 => story.clear("buy_tickets.seats"),
                5 => story.call(1, "check_stock", "{}", "{}"),
                6 => story.model("Fine."),
                7 => story.leave("buy_tickets"),
                _ => story.turn_end(),
            };
        }
        story
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn no_session_differs_from_itself(story in any_story()) {
        let session = opened(&story);
        prop_assert_eq!(sessions(&session, &session, &[]).differences, Vec::new());
    }

    #[test]
    fn both_directions_tell_the_same(one in any_story(), other in any_story()) {
        let (one, other) = (opened(&one), opened(&other));
        let there = sessions(&one, &other, &Noise::ALL).differences;
        let back = sessions(&other, &one, &Noise::ALL).differences;
        prop_assert_eq!(there.is_empty(), back.is_empty());
    }
}
