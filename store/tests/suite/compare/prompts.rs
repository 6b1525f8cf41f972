//! Two prompts of a session: what led to each changed line.

use replay_store::compare::cause::How;
use replay_store::compare::prompts::{PromptDifference, Which, previous, prompts};
use replay_store::compare::words::Change;
use replay_store::event::Position;
use replay_store::profile::Profile;
use replay_store::prompt::SectionName;

use super::opened;
use crate::prompt::story::Story;

fn between(story: &Story, from: Position, to: Position) -> PromptDifference {
    prompts(&opened(story), Which::At(from), Which::At(to)).expect("the story has an agent")
}

/// Each changed line of the system prompt and the tools that holds `text`, with its causes.
fn told(difference: &PromptDifference, text: &str) -> Vec<String> {
    let lines = difference.parts.iter().flat_map(|part| &part.lines);
    let changed = lines.filter(|each| each.line.change != Change::Same && each.line.text().contains(text));
    changed
        .map(|each| {
            let sign = if each.line.change == Change::Added { '+' } else { '-' };
            let causes = each.causes.iter().map(|cause| match cause.how {
                How::Since => format!("since {}", cause.position.expect("an event")),
                How::Value => format!("value {}", cause.position.expect("an event")),
                How::Written => format!("at {}", cause.text),
                How::Call => "another call".to_owned(),
                How::Unknown => "unknown".to_owned(),
            });
            format!("{sign} {} <- {}", each.line.text(), causes.collect::<Vec<_>>().join(", "))
        })
        .collect()
}

#[test]
fn a_value_is_caused_by_its_write() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets").write("buy_tickets.seats", "2");
    let from = story.position();
    story.user("three of us").write("buy_tickets.email", "\"a@b.c\"").write("buy_tickets.seats", "3");
    let difference = between(&story, from, story.position());
    assert_eq!(told(&difference, "seats: "), ["- - seats: 2 <- since 6, value 3", "+ - seats: 3 <- since 6"]);
    assert_eq!(told(&difference, "email: a"), ["+ - email: a@b.c <- since 5"]);
}

#[test]
fn an_equal_rewrite_changes_nothing() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets").write("buy_tickets.seats", "2");
    let from = story.position();
    story.write("buy_tickets.seats", "3").write("buy_tickets.seats", "3");
    let difference = between(&story, from, story.position());
    assert_eq!(told(&difference, "seats: 3"), ["+ - seats: 3 <- since 4, value 5"]);
}

#[test]
fn a_paragraph_is_caused_by_the_write_that_opened_its_gate() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets");
    let from = story.position();
    story.user("the late show").write("buy_tickets.show", "\"Late\"");
    let difference = between(&story, from, story.position());
    assert_eq!(
        told(&difference, "want to see"),
        ["+ They want to see Late. <- since 4, at skills/buy_tickets/skill.md:16"]
    );
}

#[test]
fn a_tool_is_caused_by_the_write_that_its_condition_waited_for() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets").write("buy_tickets.show", "\"Late\"");
    let from = story.position();
    story.write("buy_tickets.row", "\"stalls\"").write("buy_tickets.seats", "2");
    let difference = between(&story, from, story.position());
    let tool = told(&difference, "hold_seats");
    assert!(tool[0].starts_with("- hold_seats: withheld, requires ") && tool[0].ends_with("<- since 5"), "{tool:?}");
    assert!(tool[1].starts_with("+ hold_seats: offered, ") && tool[1].ends_with("<- since 5"), "{tool:?}");
}

#[test]
fn a_section_is_caused_by_the_skill_that_started() {
    let mut story = Story::new(Profile::Seed);
    story.user("tickets, please").write("find_show.day", "\"Friday\"");
    let from = story.position();
    story.start("buy_tickets").turn_end();
    let difference = between(&story, from, story.position());
    let section = difference.parts.iter().find(|part| part.name.word() == SectionName::ActiveSkill.word());
    let section = section.expect("the skill has its section");
    for each in &section.lines {
        assert_eq!(each.causes[0].position, Some(Position(4)), "{each:?}");
    }
    // The value was there before the skill that shows it.
    assert_eq!(told(&difference, "Friday"), ["+ - find_show.day: Friday <- since 4, value 3"]);
}

#[test]
fn what_left_the_history_is_caused_by_what_pushed_it_out() {
    let mut story = Story::new(Profile::Seed);
    for number in 1..=5 {
        story.user(&format!("question {number}")).model(&format!("answer {number}")).turn_end();
    }
    let from = story.position();
    story.user("question 6").model("answer 6").turn_end();
    let difference = between(&story, from, story.position());
    assert_eq!(told(&difference, "question 1"), ["- user: question 1 <- since 17"]);
    assert_eq!(told(&difference, "question 6"), ["+ user: question 6 <- since 17"]);
}

#[test]
fn backwards_the_same_events_are_named() {
    let mut story = Story::new(Profile::Seed);
    story.start("buy_tickets");
    let from = story.position();
    story.write("buy_tickets.seats", "3");
    let difference = between(&story, story.position(), from);
    assert_eq!(told(&difference, "seats: 3"), ["- - seats: 3 <- since 3"]);
}

#[test]
fn a_rephrase_is_a_call_of_another_kind() {
    let mut story = Story::new(Profile::Seed);
    story.user("hi").model("hello").turn_end().user("again");
    story.says(
        replay_store::event::MessageSource::Rephrased,
        Some("utter_hello"),
        "Good evening!",
        replay_store::value::Value::Null,
    );
    let session = opened(&story);
    let turn = session.turn(2).expect("there are two");
    let rephrase = turn.rephrases().next().expect("a response was reworded");
    let call = session.call(1, 1).expect("the model spoke");
    let difference = prompts(&session, Which::Call(call), Which::Call(rephrase)).expect("the story has an agent");
    let task = told(&difference, "## Current Task");
    assert_eq!(task, ["+ ## Current Task <- another call"]);
    assert_eq!(told(&difference, "user: again"), ["+ user: again <- since 5"]);
    assert_eq!(previous(&session, Which::Call(rephrase)), None, "no rephrase stands before it");
    assert_eq!(difference.to.name(), "turn 2 rephrase 1 (position 5)");
}

#[test]
fn every_changed_line_says_what_led_to_it_or_that_it_is_unknown() {
    let mut story = Story::new(Profile::Seed);
    story.user("tickets").start("buy_tickets").write("buy_tickets.show", "\"Late\"").turn_end();
    story.user("for two").write("buy_tickets.seats", "2").enter("buy_tickets", "pay").turn_end();
    story.user("stop").leave("buy_tickets").start("find_show").turn_end();
    let session = opened(&story);
    for from in 0..=session.end().0 {
        for to in 0..=session.end().0 {
            let (from, to) = (Which::At(Position(from)), Which::At(Position(to)));
            let difference = prompts(&session, from, to).expect("the story has an agent");
            for each in difference.parts.iter().flat_map(|part| &part.lines) {
                assert_eq!(each.causes.is_empty(), each.line.change == Change::Same, "{each:?}");
            }
            assert_eq!(difference.is_empty(), difference.counts() == (0, 0));
            assert!(from != to || difference.is_empty());
        }
    }
}
