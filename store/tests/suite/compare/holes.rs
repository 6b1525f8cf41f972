//! What is withheld from a prompt, beside it.

use replay_store::event::Position;
use replay_store::profile::Profile;
use replay_store::prompt::holes::Hole;

use super::opened;
use crate::prompt::story::Story;

fn holes(story: &Story, at: Position) -> Vec<Hole> {
    opened(story).holes(at).expect("the story has an agent")
}

#[test]
fn a_denied_read_says_what_would_stand_there() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets").write("buy_tickets.show", "\"Late\"").start("refund");
    let found = holes(&story, story.position());
    let token = found.iter().find(|hole| hole.at.file == *"skills/refund/skill.md").expect("the prose names it");
    assert_eq!(token.would.as_deref(), Some("Late"));
    assert_eq!(token.rule.map(|rule| rule.number()), Some("M39"));
    assert!(token.why.contains("skills/refund/memory.yml:2"), "{}", token.why);
    // The list of entries would have it, too.
    assert!(found.iter().any(|hole| hole.would.as_deref() == Some("- buy_tickets.show: Late")), "{found:?}");
    let prompt = opened(&story).prompt(story.position()).expect("the story has an agent").text();
    assert!(!prompt.contains("Late"), "{prompt}");
}

#[test]
fn a_paragraph_with_a_closed_condition_says_which() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets");
    let found = holes(&story, story.position());
    let closed = found.iter().find(|hole| hole.would.as_deref().is_some_and(|would| would.contains("step-free")));
    let closed = closed.expect("the row is not known");
    assert!(
        closed.key.is_none() && closed.why.starts_with("requires session.buy_tickets.row == 'circle'"),
        "{closed:?}"
    );
    story.write("buy_tickets.row", "\"circle\"");
    let found = holes(&story, story.position());
    assert!(
        !found.iter().any(|hole| hole.would.as_deref().is_some_and(|would| would.contains("step-free"))),
        "{found:?}"
    );
}

#[test]
fn pii_stays_hidden_where_it_is_withheld() {
    let mut story = Story::new(Profile::Seed);
    story.write("project.phone", "\"555-0117\"").start("refund");
    let found = holes(&story, story.position());
    let phone = found.iter().find(|hole| hole.key.as_deref() == Some("project.phone")).expect("it is denied");
    assert_eq!(phone.would.as_deref(), Some("- project.phone: [set]"));
    assert!(!format!("{found:?}").contains("555-0117"));
}

#[test]
fn an_entry_without_a_value_leaves_no_hole_in_a_list() {
    let mut story = Story::new(Profile::Seed);
    story.start("refund");
    let found = holes(&story, story.position());
    assert!(found.iter().all(|hole| hole.at.file == *"skills/refund/skill.md" && hole.would.is_none()), "{found:?}");
}

#[test]
fn a_cut_value_shows_the_whole_of_it() {
    let mut story = Story::new(Profile::Seed);
    let long = "é".repeat(101);
    story.write("project.customer_id", &format!("\"{long}\""));
    let found = holes(&story, story.position());
    let [hole] = found.as_slice() else { panic!("one value is cut: {found:?}") };
    assert_eq!(hole.would, Some(format!("- project.customer_id: {long}")));
    assert_eq!(hole.why, "cut after 100 of 101 characters (M262)");
    let mut story = Story::new(Profile::Seed);
    story.write("project.customer_id", &format!("\"{}\"", "é".repeat(100)));
    assert_eq!(holes(&story, story.position()), Vec::new());
}
