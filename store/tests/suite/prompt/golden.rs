//! A golden for each situation that the engine tells apart, in both profiles.

use replay_store::profile::Profile;

use super::story::{Story, golden, sources};

/// Compares what both profiles render with `snapshots/prompt_<name>_<profile>.snap`.
fn check(name: &str, tell: impl Fn(&mut Story)) {
    for profile in Profile::ALL {
        let mut story = Story::new(profile);
        tell(&mut story);
        assert_golden(&format!("prompt_{name}_{profile}"), &golden(&story.prompt()));
    }
}

fn assert_golden(name: &str, text: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn greeted(story: &mut Story) {
    story.write("project.customer_id", "\"C-7\"").write("project.phone", "\"+4930123\"");
    story.template("utter_hello", "Good evening C-7, this is the Lantern Theatre.\n").turn_end();
}

fn buying(story: &mut Story) {
    story.user("Two seats for Hamlet");
    greeted(story);
    story.start("buy_tickets").stack(&["buy_tickets"]).call(
        0,
        "activate",
        "{\"target_id\":\"buy_tickets\"}",
        "activate: done",
    );
    story.write("buy_tickets.show", "\"Hamlet\"").write("buy_tickets.card", "\"4000123\"");
}

#[test]
fn routing() {
    // M241 to M243, M248, M249, M252, M253, M255
    check("routing", |story| {
        story.user("Two seats for Hamlet");
        greeted(story);
    });
}

#[test]
fn a_first_call_with_acknowledgement() {
    // M246, M332, M244
    for profile in Profile::ALL {
        let settings = "\
agent: {persona: You sell tickets.}
prompts: {ack_enabled: true, ack_examples: [{user: two seats, ack: Looking.}]}
orchestrator: {model_group: main}
fillers: {enabled: true, examples: [{user: two seats, ack: Looking.}]}
";
        let mut story = Story::with(profile, &[("agent.yml", settings)]);
        story.user("Two seats");
        assert_golden(&format!("prompt_acknowledgement_{profile}"), &golden(&story.prompt()));
    }
}

#[test]
fn prose() {
    // M245, M251, M254, M344, M256, M257, M258, M358; M127, M145: a target named under a closed marker stays one
    check("prose", buying);
}

#[test]
fn the_origin_of_every_piece() {
    // M357: one blank line between blocks
    let mut story = Story::new(Profile::Seed);
    buying(&mut story);
    assert_golden("prompt_sources", &sources(&story.prompt()));
}

#[test]
fn a_block_at_a_step_with_instructions() {
    // M251, M346, M182
    check("block", |story| {
        buying(story);
        story.write("buy_tickets.seats", "2").write("buy_tickets.email", "\"a@b.example\"");
        story.enter("buy_tickets", "pay").stack(&["buy_tickets", "buy_tickets/pay/explain"]);
    });
}

#[test]
fn a_block_at_an_unfilled_collect() {
    check("collect", |story| {
        buying(story);
        story.enter("buy_tickets", "pay").stack(&["buy_tickets", "buy_tickets/pay/ask_email"]);
    });
}

#[test]
fn after_a_search() {
    // M245, M296, M359
    check("knowledge", |story| {
        buying(story);
        story.call(1, "search_knowledge", "{\"query\":\"opening hours\"}", "Open from six.");
    });
}

#[test]
fn the_scope_handler() {
    // M251, M353, M247: declining is offered, and its section is left out
    check("scope_handler", |story| {
        story.user("Book me a flight");
        story.start("default_unsupported_request_handler").enter("default_unsupported_request_handler", "main");
    });
}

#[test]
fn a_pending_confirmation() {
    // M251, M193a
    check("confirmation", |story| {
        buying(story);
        story.write("buy_tickets.seats", "2");
        story.write(
            "system.pending_tool_confirmation",
            "{\"tool_name\":\"hold_seats\",\"confirmation_ask\":\"Hold two seats?\\n\"}",
        );
        story.turn_end().user("What time does it start?");
    });
}

#[test]
fn a_digression_with_a_parked_task() {
    check("digression", |story| {
        buying(story);
        story.turn_end().user("What is on tonight?").leave("buy_tickets").start("find_show");
        story.stack(&["buy_tickets", "find_show"]).write("find_show.day", "\"tonight\"");
        story.write("find_show.source", "\"listings\"");
    });
}

#[test]
fn a_digression_out_of_a_block() {
    check("paused_block", |story| {
        buying(story);
        story.enter("buy_tickets", "pay").stack(&["buy_tickets", "buy_tickets/pay/ask_email"]);
        story.turn_end().user("What is on tonight?").leave("buy_tickets").start("find_show");
    });
}

#[test]
fn voice() {
    // M246, M332, M354
    check("voice", |story| {
        story.user_on("twilio_voice", "Two seats");
    });
}

#[test]
fn a_response_that_is_reworded() {
    // M230, M360
    for profile in Profile::ALL {
        let mut story = Story::new(profile);
        buying(&mut story);
        story.enter("buy_tickets", "pay").stack(&["buy_tickets", "buy_tickets/pay/ask_email"]);
        assert_golden(&format!("prompt_rephrase_{profile}"), &golden(&story.rephrase("utter_ask_email")));
        story.write("buy_tickets.seats", "2").stack(&["buy_tickets", "buy_tickets/pay/ask_seats"]);
        assert_golden(&format!("prompt_confirm_rephrase_{profile}"), &golden(&story.rephrase("utter_ask_seats")));
    }
}
