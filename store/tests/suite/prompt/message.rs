//! The history that the model gets, and the messages that the engine puts between and behind.

use replay_store::event::{EventKind, MessageSource};
use replay_store::profile::Profile;
use replay_store::prompt::{Role, Situation};
use replay_store::value::Value;

use super::story::{Story, texts};

fn history(story: &Story) -> Vec<String> {
    let messages = story.moment().history;
    messages.iter().map(|message| format!("{}: {}", message.role.word(), message.text)).collect()
}

#[test]
fn ten_utterances_are_sent_and_not_eleven() {
    // M266
    let mut story = Story::new(Profile::Seed);
    for turn in 1..=5 {
        story.user(&format!("u{turn}")).model(&format!("a{turn}")).turn_end();
    }
    assert_eq!(history(&story).len(), 10);
    assert_eq!(history(&story)[0], "user: u1");
    story.user("u6");
    assert_eq!(history(&story)[0], "assistant: a1", "the cut falls on an agent message, and its user message is lost");
    story.model("a6");
    assert_eq!(history(&story)[0], "user: u2");
}

#[test]
fn a_cut_on_an_agent_message_keeps_the_tool_calls_before_it() {
    // M266, M267
    let mut story = Story::new(Profile::Seed);
    story.user("u1").call(0, "look", "{}", "seen").model("a1").turn_end();
    for turn in 2..=5 {
        story.user(&format!("u{turn}")).model(&format!("a{turn}")).turn_end();
    }
    story.user("u6");
    assert_eq!(history(&story)[..3], ["assistant: {}", "tool: seen", "assistant: a1"]);
}

#[test]
fn a_session_that_starts_again_forgets_what_was_said() {
    // M292
    let mut story = Story::new(Profile::Seed);
    story.user("before");
    story.add(EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() });
    story.user("after");
    assert_eq!(history(&story), ["user: after"]);
}

#[test]
fn a_canned_response_is_the_last_thing_that_is_said_of() {
    // M268, M360, M274
    let mut story = Story::new(Profile::Seed);
    story.user("hello").template("utter_hello", "Good evening");
    let prompt = story.prompt();
    let last = prompt.messages.last().expect("there are messages");
    assert_eq!(
        (last.role, &last.origin),
        (Role::System, &replay_store::prompt::Source::Event { position: story.position(), key: None })
    );
    story.turn_end().user("and now?");
    assert_eq!(texts(&story.prompt(), Role::System), [""; 0], "the next user message ends it");
}

#[test]
fn a_filler_is_no_canned_response() {
    // M268, M219
    let mut story = Story::new(Profile::Seed);
    story.user("hello").says(MessageSource::Filler, None, "One moment", Value::Null);
    assert_eq!(texts(&story.prompt(), Role::System), [""; 0]);
}

#[test]
fn the_reminder_to_acknowledge_stands_behind_the_user_and_only_at_the_first_call() {
    // M246, M360
    let settings = "agent: {persona: p}\nprompts: {ack_enabled: true, ack_reminder: Say that you are on it.}\n";
    let mut story = Story::with(Profile::Seed, &[("agent.yml", settings)]);
    story.user("two seats");
    assert_eq!(texts(&story.prompt(), Role::System), ["Say that you are on it."]);
    story.start("buy_tickets").call(0, "activate", "{}", "activate: done");
    assert_eq!(texts(&story.prompt(), Role::System), [""; 0]);
    story.turn_end().user("for Hamlet").enter("buy_tickets", "pay");
    assert_eq!(texts(&story.prompt(), Role::System), [""; 0], "a collect waits");
}

#[test]
fn a_collect_that_was_passed_over_is_told_in_both_places_until_the_next_message() {
    // M173, M360, M50
    let mut story = Story::new(Profile::Seed);
    story.user("two seats").start("buy_tickets").stack(&["buy_tickets"]);
    story.write("buy_tickets.email", "\"a@b.example\"").enter("buy_tickets", "pay");
    story.stack(&["buy_tickets", "buy_tickets/pay/ask_seats"]);
    let line = "- `email` is `a@b.example`. It needs no question.";
    assert!(story.prompt().text().contains(&format!("### Already collected (do not re-ask)\n{line}\n")));
    assert!(texts(&story.prompt(), Role::System)[0].contains(line));
    story.turn_end().user("three");
    assert!(!story.prompt().text().contains("Already collected"));
    assert_eq!(texts(&story.prompt(), Role::System), [""; 0]);
}

#[test]
fn a_collect_that_was_answered_was_not_passed_over() {
    let mut story = Story::new(Profile::Seed);
    story.user("tickets").start("buy_tickets").enter("buy_tickets", "pay");
    story.stack(&["buy_tickets", "buy_tickets/pay/ask_email"]).turn_end().user("a@b.example");
    story.write("buy_tickets.email", "\"a@b.example\"").stack(&["buy_tickets", "buy_tickets/pay/ask_seats"]);
    assert!(!story.prompt().text().contains("Already collected"));
}

#[test]
fn a_correction_that_cleared_values_is_told_at_the_next_call_only() {
    // M352
    let mut story = Story::new(Profile::Seed);
    story.user("no, three").start("buy_tickets").enter("buy_tickets", "pay").write("buy_tickets.seats", "3");
    story.clear("buy_tickets.email").call(0, "correct", "{\"memory_key\":\"seats\",\"value\":3}", "correct: done");
    assert!(story.prompt().text().contains("## Correction in progress"));
    story.call(1, "set_fields", "{}", "set_fields: done");
    assert!(!story.prompt().text().contains("## Correction in progress"));
}

#[test]
fn a_correction_that_cleared_nothing_is_not_told() {
    let mut story = Story::new(Profile::Seed);
    story.user("no, three").start("buy_tickets").write("buy_tickets.seats", "3").call(0, "correct", "{}", "done");
    assert!(!story.prompt().text().contains("## Correction in progress"));
}

#[test]
fn a_tap_reads_as_its_title_with_a_note() {
    let mut story = Story::new(Profile::Mantle321);
    let payload = "set:session.buy_tickets.row=stalls";
    let buttons = format!("{{\"buttons\":[{{\"title\":\"Stalls\",\"payload\":\"{payload}\"}}]}}");
    story.user("seats").start("buy_tickets");
    story.says(MessageSource::Template, Some("r"), "Where?", Value::from_json(&buttons).expect("valid"));
    story.turn_end().user(payload).write("buy_tickets.row", "\"stalls\"");
    let prompt = story.prompt();
    assert_eq!(texts(&prompt, Role::User), ["seats", "Stalls"]);
    assert_eq!(texts(&prompt, Role::System).len(), 1);
}

#[test]
fn a_search_collapses_its_own_turn_only() {
    // M245, M274
    let mut story = Story::new(Profile::Seed);
    story.user("hours?").start("buy_tickets").call(0, "search_knowledge", "{}", "From six.");
    assert_eq!(story.prompt().situation, Situation::Knowledge);
    story.model("From six.").turn_end().user("fine");
    assert_eq!(story.prompt().situation, Situation::Prose);
}

#[test]
fn words_that_a_hook_rejected_are_not_sent() {
    // M363
    let mut story = Story::new(Profile::Mantle321);
    story.user("u0").model("a0").turn_end();
    story.user("my card is 4000").template("utter_incoming_message_rejected", "I can't take that message.");
    assert_eq!(history(&story), ["user: u0", "assistant: a0", "assistant: I can't take that message."]);
    for turn in 1..=4 {
        story.user(&format!("u{turn}")).model(&format!("a{turn}")).turn_end();
    }
    assert_eq!(history(&story)[0], "assistant: a0", "they don't count either");
}

#[test]
fn a_value_that_the_prompt_hides_may_stand_in_the_history() {
    // M260, M344
    let mut story = Story::new(Profile::Seed);
    story.user("call me at 555").start("buy_tickets").write("project.phone", "\"555\"");
    story.call(0, "save_phone", "{}", "{\"phone\": \"555\"}");
    let prompt = story.prompt();
    assert!(prompt.text().contains("- project.phone: [set]") && !prompt.text().contains("555"), "{}", prompt.text());
    assert_eq!(texts(&prompt, Role::User), ["call me at 555"]);
    assert_eq!(texts(&prompt, Role::Tool), ["{\"phone\": \"555\"}"]);
}
