//! Steps of blocks that run without the model, and where they wait.

use replay_store::event::ToolOutcome;
use replay_store::profile::Profile;
use replay_store::session::access::WriteBy;
use replay_store::session::decide::Command;

use super::world::World;

const MEMORY: (&str, &str) = (
    "skills/hold/memory.yml",
    "schema:\n  public:\n    day: {type: text, llm_settable: true, description: d}\n    depot: {type: text}\n    \
     postcode: {type: text}\n    explained: {type: bool}\n",
);
const PROJECT: (&str, &str) = ("memory.yml", "verified: {type: bool}\n");
const RESPONSES: (&str, &str) =
    ("responses.yml", "responses:\n  utter_day:\n    - text: Which day?\n  utter_done:\n    - text: Day {day}.\n");
const OTHER: (&str, &str) = ("skills/verify/skill.md", "---\nname: Verify\ndescription: d\n---\nVerify.\n");

/// Starts a skill whose only body is the block `main` with these steps, and returns the session and what happened.
fn start(steps: &str) -> (World, String) {
    let skill =
        format!("---\nname: Hold\ndescription: d\n---\n\n:::ordered_block id=main\nsteps:\n{steps}:::\n{SECOND}");
    let files = [MEMORY, PROJECT, RESPONSES, OTHER, ("skills/hold/skill.md", skill.as_str())];
    let mut world = World::bare(Profile::Seed, &files);
    let happened = world.activate("hold");
    (world, happened)
}

const SECOND: &str = "\n:::ordered_block id=second\nsteps:\n  - id: talk\n    instructions: Talk.\n  - id: END\n:::\n";

/// Starts a block and compares where it stands.
fn check(steps: &str, expected_stack: &str) -> World {
    let (world, _) = start(steps);
    assert_eq!(world.stack(), expected_stack, "{steps}");
    world
}

#[test]
fn a_block_runs_until_a_tool_has_to_come_back_and_then_to_its_end() {
    // M169, M172, M176, M270, M361 and the example of section 5.4
    let steps = "  - id: look_up\n    execute_tool: list_depots\n    parameters: {postcode: session.hold.postcode, limit: 3}
  - id: ask\n    collect: day\n    utterance: utter_day
  - id: branch\n    noop: true\n    next:\n      - if: session.hold.day == 'saturday'\n        then: weekend\n      - else: done
  - id: weekend\n    instructions: Explain.\n    complete_when: session.hold.explained
  - id: done\n    action: utter_done
  - id: END\n";
    let (mut world, happened) = start(steps);
    assert!(happened.ends_with("list_depots({\"postcode\":null,\"limit\":3}), called by a step"), "{happened}");
    world.set(WriteBy::Tool, "day", "\"friday\"");
    assert_eq!(world.stack(), "hold(reference) hold/main@look_up", "a write doesn't end a tool");
    let happened = world.back("list_depots", ToolOutcome::Done);
    let steps: Vec<&str> = happened.lines().filter(|line| line.starts_with("step")).collect();
    let at = |step: &str| format!("step entered hold__main at {step}");
    assert_eq!(steps, [at("ask"), at("branch"), at("done"), at("END")]);
    assert!(happened.contains("agent (template) Day friday. [utter_done]"), "{happened}");
    assert_eq!(world.stack(), "");
}

#[test]
fn a_collect_asks_and_waits_for_its_own_entry() {
    // M169, M172, M175, M361
    let steps = "  - id: ask\n    collect: day\n    utterance: utter_day\n  - id: talk\n    instructions: Talk.\n";
    let (mut world, happened) = start(steps);
    assert!(happened.ends_with("response uttered utter_day (collect)\nagent (template) Which day? [utter_day]"));
    world.set(WriteBy::Tool, "depot", "\"D7\"");
    world.hear("what?");
    assert_eq!(world.stack(), "hold(reference) hold/main@ask");
    world.set(WriteBy::Collect, "day", "\"friday\"");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
}

#[test]
fn a_collect_that_asks_before_filling_asks_about_a_value_too() {
    // M174
    let ask = "  - id: fill\n    set_memory: {day: monday}\n  - id: ask\n    collect: day\n    utterance: utter_day\n";
    check(&format!("{ask}  - id: talk\n    instructions: Talk.\n"), "hold(reference) hold/main@talk");
    let asking = format!("{ask}    ask_before_filling: true\n  - id: talk\n    instructions: Talk.\n");
    let mut world = check(&asking, "hold(reference) hold/main@ask");
    assert_eq!(world.value("hold.day"), "\"monday\"", "the value is kept while it is asked");
    world.set(WriteBy::Tool, "depot", "1");
    assert_eq!(world.stack(), "hold(reference) hold/main@ask");
    world.set(WriteBy::Collect, "day", "\"monday\"");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
}

#[test]
fn instructions_last_until_their_condition_holds_or_for_one_turn() {
    // M171, M172, M362
    let until = "  - id: talk\n    instructions: Talk.\n    complete_when: session.hold.explained\n";
    let mut world = check(until, "hold(reference) hold/main@talk");
    world.hear("go on");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
    world.set(WriteBy::Tool, "explained", "true");
    assert_eq!(world.stack(), "");
    let mut world = check("  - id: talk\n    instructions: Talk.\n", "hold(reference) hold/main@talk");
    world.hear("fine");
    assert_eq!(world.stack(), "");
}

#[test]
fn next_takes_the_first_branch_that_holds() {
    // M163 to M167, M87, M88a, M362
    let branch = |branches: &str| {
        format!(
            "  - id: a\n    noop: true\n    next:\n{branches}  - id: below\n    instructions: B.\n  - id: far\n    \
             instructions: F.\n"
        )
    };
    let far = "hold(reference) hold/main@far";
    let below = "hold(reference) hold/main@below";
    check(&branch("      - if: session.hold.day == None\n        then: far\n      - else: below\n"), far);
    check(&branch("      - if: session.hold.day\n        then: far\n      - else: below\n"), below);
    check(&branch("      - if: session.hold.day < 3\n        then: far\n      - else: below\n"), below);
    check(&branch("      - if: session.hold.day\n        then: far\n"), below);
    check(&branch("      - if: session.hold.day\n        then: far\n      - else: END\n"), "");
    check(
        "  - id: a\n    noop: true\n    next: far\n  - id: b\n    noop: true\n  - id: far\n    instructions: F.\n",
        far,
    );
    check("  - id: a\n    noop: true\n", "");
}

#[test]
fn a_set_memory_step_writes_by_the_rules_of_a_tool() {
    // M179, M46a and row P8 of the profile table
    let steps = "  - id: a\n    set_memory: {depot: D7, verified: true, session.hold.day: x}\n  - id: b\n    \
                 set_memory: {verified: false}\n  - id: talk\n    instructions: T.\n";
    let (world, happened) = start(steps);
    assert_eq!((world.value("hold.depot").as_str(), world.value("project.verified").as_str()), ("\"D7\"", "true"));
    assert!(happened.contains("entry locked project.verified"), "{happened}");
    assert!(
        happened.contains("verified = false by a step in step b of hold: ProjectMemoryAlreadySetError (M43)"),
        "{happened}"
    );
    assert_eq!(world.stack(), "hold(reference) hold/main@talk", "the block goes on");
}

#[test]
fn a_call_comes_back_and_a_link_does_not() {
    // M180
    let after = "  - id: after\n    instructions: A.\n";
    let mut world = check(
        &format!("  - id: go\n    call: second\n{after}"),
        "hold(reference) hold/main@go(reference) hold/second@talk",
    );
    world.wish(Command::EndBlock);
    assert_eq!(world.stack(), "hold(reference) hold/main@after");
    let mut world =
        check(&format!("  - id: go\n    call: verify\n{after}"), "hold(reference) hold/main@go(delegation) verify");
    world.wish(Command::Complete);
    assert_eq!(world.stack(), "hold(reference) hold/main@after");
    check(&format!("  - id: go\n    link: second\n{after}"), "hold(reference) hold/second@talk");
    check(&format!("  - id: go\n    link: verify\n{after}"), "verify");
}

#[test]
fn a_block_listens_hangs_up_and_is_left_where_it_stands() {
    // M347, M181, M361
    let steps = "  - id: wait\n    action: action_listen\n  - id: talk\n    instructions: T.\n    complete_when: \
                 session.hold.explained\n";
    let mut world = check(steps, "hold(reference) hold/main@wait");
    world.set(WriteBy::Tool, "depot", "1");
    assert_eq!(world.stack(), "hold(reference) hold/main@wait");
    world.hear("here");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
    world.activate("verify");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk(digression) verify");
    let (world, _) = start("  - id: bye\n    action: hangup\n");
    assert!(world.state.ended);
}

#[test]
fn a_collect_that_was_cleared_is_asked_again() {
    // M168, M349
    let steps = "  - id: ask\n    collect: day\n    utterance: utter_day\n  - id: more\n    noop: true\n    next:\n      - \
                 if: session.hold.day == 'later'\n        then: again\n      - else: talk\n  - id: again\n    \
                 set_memory: {day: null}\n    next: ask\n  - id: talk\n    instructions: T.\n";
    let mut world = check(steps, "hold(reference) hold/main@ask");
    for _ in 0..2 {
        let happened = world.set(WriteBy::Collect, "day", "\"later\"");
        assert!(happened.ends_with("agent (template) Which day? [utter_day]"), "{happened}");
        assert_eq!(
            (world.value("hold.day").as_str(), world.stack().as_str()),
            ("null", "hold(reference) hold/main@ask")
        );
    }
    world.set(WriteBy::Collect, "day", "\"friday\"");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
}

#[test]
fn a_tab_in_a_block_is_no_yaml() {
    // M156
    let (world, _) = start("  - id: a\n\tinstructions: T.\n");
    assert!(world.agent.diagnostics.iter().any(|found| found.code == "replay.yaml.syntax"));
}

#[test]
fn a_correction_goes_back_and_clears_what_came_later() {
    // M352
    let steps = "  - id: ask_day\n    collect: day\n    utterance: utter_day\n  - id: ask_depot\n    collect: depot\n    \
                 utterance: utter_day\n  - id: talk\n    instructions: T.\n    complete_when: session.hold.explained\n";
    let mut world = check(steps, "hold(reference) hold/main@ask_day");
    world.set(WriteBy::Collect, "day", "\"friday\"");
    world.set(WriteBy::Collect, "depot", "\"D7\"");
    assert_eq!(world.stack(), "hold(reference) hold/main@talk");
    let refused = world.set(WriteBy::SetFields, "day", "\"monday\"");
    assert_eq!(refused, "write refused day = \"monday\" by the model in step talk of hold: tool_error (M352)");
    world.set(WriteBy::Correct, "day", "\"monday\"");
    assert_eq!(world.value("hold.depot"), "null");
    assert_eq!(world.stack(), "hold(reference) hold/main@ask_depot");
}

#[test]
fn a_block_that_sends_itself_round_in_circles_stops() {
    // M271
    let steps = "  - id: a\n    noop: true\n    next: b\n  - id: b\n    noop: true\n    next: a\n";
    let (world, happened) = start(steps);
    assert!(happened.lines().count() < 1000);
    assert!(world.stack().starts_with("hold(reference) hold/main@"));
    start("  - id: a\n    call: main\n");
}
