//! Two positions of a session.

use replay_store::compare::states::states;
use replay_store::compare::words::Change;
use replay_store::event::Position;
use replay_store::profile::Profile;
use replay_store::replay::rows::RowState;

use super::opened;
use crate::prompt::story::Story;

#[test]
fn what_changed_is_told_with_both_sides() {
    let mut story = Story::new(Profile::Seed);
    story
        .user("tickets")
        .start("buy_tickets")
        .write("buy_tickets.show", "\"Late\"")
        .write("buy_tickets.row", "\"stalls\"");
    let from = story.position();
    story.write("buy_tickets.seats", "2").clear("buy_tickets.show").write("buy_tickets.row", "\"stalls\"");
    story.write("buy_tickets.show", "\"Early\"").enter("buy_tickets", "pay").model("Where to?").turn_end();
    let session = opened(&story);
    let found = states(&session, from, session.end());
    let memory: Vec<String> = found
        .memory
        .iter()
        .map(|change| format!("{} {} -> {}", change.key, change.from.value.to_json(), change.to.value.to_json()))
        .collect();
    // The row was written again as it was.
    assert_eq!(memory, ["buy_tickets.show \"Late\" -> \"Early\"", "buy_tickets.seats null -> 2"]);
    assert_eq!(found.memory[1].from.state, RowState::NeverWritten);
    let stack = found.stack.expect("a block was entered");
    assert_eq!((stack.from.len(), stack.to.last().and_then(|frame| frame.block.as_deref())), (1, Some("pay")));
    assert_eq!((found.between.events, found.between.agent_messages, found.between.user_messages), (7, 1, 0));
    let tools = found.tools.expect("there is an agent");
    let held = tools.iter().find(|tool| tool.name == "hold_seats").expect("it was withheld");
    assert_eq!((held.change, held.since.as_ref().and_then(|cause| cause.position)), (Change::Added, Some(Position(6))));
    assert!(held.from.as_ref().is_some_and(|why| why.contains("never written")), "{held:?}");
}

#[test]
fn skills_that_came_and_went_are_named() {
    let mut story = Story::new(Profile::Seed);
    let from = story.position();
    story.user("tickets").start("buy_tickets");
    let session = opened(&story);
    let found = states(&session, from, session.end());
    let skills = found.skills.expect("there is an agent");
    let named: Vec<(&str, Change)> = skills.iter().map(|skill| (skill.name.as_str(), skill.change)).collect();
    assert_eq!(named, [("buy_tickets", Change::Removed), ("buy_tickets__pay", Change::Added)]);
    assert_eq!(skills[0].since.as_ref().and_then(|cause| cause.position), Some(Position(3)));
}

#[test]
fn a_position_differs_from_itself_in_nothing() {
    let mut story = Story::new(Profile::Mantle321);
    story.user("tickets").start("buy_tickets").write("buy_tickets.show", "\"Late\"").turn_end();
    let session = opened(&story);
    for at in 0..=session.end().0 + 1 {
        assert!(states(&session, Position(at), Position(at)).is_empty(), "at {at}");
    }
}

#[test]
fn both_directions_name_the_same_entries() {
    let mut story = Story::new(Profile::Seed);
    story.user("tickets").start("buy_tickets").write("buy_tickets.show", "\"Late\"");
    let session = opened(&story);
    let (there, back) = (states(&session, Position(0), session.end()), states(&session, session.end(), Position(0)));
    assert_eq!(there.memory.len(), back.memory.len());
    for (one, other) in there.memory.iter().zip(&back.memory) {
        assert_eq!((&one.key, &one.from.value, &one.to.value), (&other.key, &other.to.value, &other.from.value));
    }
    assert_eq!(there.between, back.between);
}
