//! Tool calls: gates, and confirmation as a state table.

use replay_store::event::ToolOutcome;
use replay_store::profile::Profile;
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer, Command};

use super::world::World;

fn world(confirmation: &str) -> World {
    let skill = format!(
        "---\nname: Hold\ndescription: d\ntool_constraints:\n  - release:\n      requires: session.hold.depot\n      \
         requires_confirmation: {confirmation}\n      on_success: utter_released\n      on_failure: utter_failed\n---\n\
         Help.\n"
    );
    let files = [
        ("skills/hold/skill.md", skill.as_str()),
        ("skills/hold/memory.yml", "schema:\n  public:\n    depot: {type: text}\n"),
        (
            "responses.yml",
            "responses:\n  utter_ask: [{text: Release it?}]\n  utter_kept: [{text: Kept.}]\n  utter_released: [{text: \
             Released.}]\n  utter_failed: [{text: Failed.}]\n  utter_blank: [{text: ' '}]\n",
        ),
    ];
    let mut world = World::bare(Profile::Seed, &files);
    world.activate("hold");
    world
}

const NAMED: &str = "{enabled: true, utter_for_confirmation: utter_ask, utter_on_user_denial: utter_kept}";

#[test]
fn a_closed_gate_blocks_the_call_and_an_open_one_lets_it_run() {
    // M187, M189, M190
    let mut world = world("{enabled: false}");
    assert_eq!(world.call("release"), "tool refused release() (M187)");
    world.set(WriteBy::Tool, "depot", "\"D7\"");
    assert_eq!(world.call("release"), "tool called release()");
    let back = world.back("release", ToolOutcome::Done);
    assert!(back.contains("agent (template) Released.") && !back.contains("turn ended"), "the model goes on: {back}");
    world.call("release");
    assert!(world.back("release", ToolOutcome::Failed).contains("agent (template) Failed."));
    assert_eq!(world.call("another"), "tool called another()", "a tool without a constraint just runs");
}

#[test]
fn a_yes_runs_the_stored_call() {
    // M192, M193
    let mut world = world(NAMED);
    world.set(WriteBy::Tool, "depot", "\"D7\"");
    let asked = world.call("release");
    assert!(asked.starts_with("confirmation asked release()"), "{asked}");
    assert!(asked.ends_with("agent (template) Release it? [utter_ask]\nturn ended"), "{asked}");
    assert_eq!(world.call("release"), "tool refused release() (M192)", "it waits already");
    let refused = world.wish(Command::Complete);
    assert_eq!(refused, "tool refused complete_skill() (M117a)");
    let answered = world.wish(Command::AnswerConfirmation(Answer::Yes));
    assert!(answered.contains("confirmation answered release: yes\ntool called release"), "{answered}");
    assert_eq!(world.value("system.pending_tool_confirmation"), "null");
    assert_eq!(world.call("release"), "tool refused release() (M192)", "answered in this turn");
    world.hear("and again");
    assert!(world.call("release").starts_with("confirmation asked"));
}

#[test]
fn a_no_drops_the_call() {
    // M192, M193
    let mut with_denial = world(NAMED);
    with_denial.set(WriteBy::Tool, "depot", "\"D7\"");
    with_denial.call("release");
    let declined = with_denial.wish(Command::AnswerConfirmation(Answer::No));
    assert!(declined.ends_with("agent (template) Kept. [utter_kept]\nturn ended"), "{declined}");
    assert!(!declined.contains("tool called"), "{declined}");
    let mut without = world("{enabled: true}");
    without.set(WriteBy::Tool, "depot", "\"D7\"");
    assert!(!without.call("release").contains("turn ended"), "the model asks");
    let declined = without.wish(Command::AnswerConfirmation(Answer::No));
    assert!(!declined.contains("turn ended"), "the model goes on: {declined}");
    assert!(without.try_wish(Command::AnswerConfirmation(Answer::No)).is_err());
}

#[test]
fn a_confirmed_call_is_checked_again_and_a_cancel_clears_the_question() {
    // M195, M192
    let mut asked = world(NAMED);
    asked.set(WriteBy::Tool, "depot", "\"D7\"");
    asked.call("release");
    asked.set(WriteBy::Tool, "depot", "null");
    let answered = asked.wish(Command::AnswerConfirmation(Answer::Yes));
    assert!(answered.ends_with("tool refused release(), after the user's answer (M195)"), "{answered}");
    let mut cancelled = world(NAMED);
    cancelled.set(WriteBy::Tool, "depot", "\"D7\"");
    cancelled.call("release");
    let happened = cancelled.wish(Command::Cancel);
    assert!(happened.contains("memory cleared system.pending_tool_confirmation"), "{happened}");
}

#[test]
fn a_question_without_words_fails_closed() {
    // M192
    let mut world = world("{enabled: true, utter_for_confirmation: utter_blank}");
    world.set(WriteBy::Tool, "depot", "\"D7\"");
    assert_eq!(world.call("release"), "tool refused release() (M192)");
}

#[test]
fn a_steps_call_passes_the_gates_of_the_models_and_holds_the_step() {
    // M177, M188
    let skill = "---\nname: Hold\ndescription: d\ntool_constraints:\n  - release:\n      requires: \
                 session.hold.depot\n      requires_confirmation: {enabled: true, utter_for_confirmation: utter_ask}\n\
                 ---\n:::ordered_block id=main\nsteps:\n  - id: go\n    execute_tool: release\n  - id: talk\n    \
                 instructions: Talk.\n:::\n";
    let files = [
        ("skills/hold/skill.md", skill),
        ("skills/hold/memory.yml", "schema:\n  public:\n    depot: {type: text}\n"),
        ("responses.yml", "responses:\n  utter_ask: [{text: Release it?}]\n"),
    ];
    let mut world = World::bare(Profile::Seed, &files);
    let happened = world.activate("hold");
    assert!(happened.ends_with("tool refused release(), called by a step (M187)"), "{happened}");
    world.set(WriteBy::Tool, "depot", "\"D7\"");
    assert_eq!(world.stack(), "hold(reference) hold/main@go");
    let asked = world.hear("go on");
    assert!(asked.contains("agent (template) Release it?"), "{asked}");
    assert!(!asked.contains("tool called"), "{asked}");
    assert_eq!(world.stack(), "hold(reference) hold/main@go");
    let answered = world.wish(Command::AnswerConfirmation(Answer::Yes));
    assert!(answered.contains("tool called release"), "{answered}");
    assert_eq!(world.stack(), "hold(reference) hold/main@go", "until it is back");
    world.back("release", ToolOutcome::Done);
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
}

#[test]
fn of_two_tools_of_one_name_the_nearest_counts() {
    // M105, M108, M198: what is called says which, because only one of the two takes a call without arguments
    let tool = |name: &str, parameters: &str| {
        format!("@tool(description='d')\nasync def {name}({parameters}context: ToolContext):\n    pass\n")
    };
    let [strict, loose] = ["pin: int, ", ""].map(|parameters| tool("release", parameters));
    let (quote, rate) = (tool("quote", ""), tool("rate", ""));
    let skill = ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\nimport_tools: [quote]\n---\nHelp.\n");
    let called = |files: &[(&str, &str)], name: &str| {
        let mut world = World::bare(Profile::Seed, &[&[skill], files].concat());
        world.activate("hold");
        world.call(name)
    };
    let (own, file, shared) = ("skills/hold/tools.py", "skills/hold/tools/release.py", "tools.py");
    assert_eq!(called(&[(own, &strict), (shared, &loose)], "release"), "tool refused release() (M350)");
    assert_eq!(called(&[(own, &loose), (shared, &strict)], "release"), "tool called release()");
    assert_eq!(called(&[(own, &strict), (file, &loose)], "release"), "tool called release()");
    assert_eq!(called(&[(own, &loose), (file, &strict)], "release"), "tool refused release() (M350)");
    assert_eq!(called(&[(own, &strict), (shared, &quote)], "quote"), "tool called quote()");
    assert_eq!(called(&[(own, &strict), (shared, &rate)], "rate"), "tool refused rate() (M185)", "it isn't imported");
}
