//! Skills start, wait and end: the engine's own ones, triggers, preconditions, and every reason not to start.

use replay_store::profile::Profile;
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer, Command, Delegate};
use replay_store::session::start::{Route, may_start};

use super::world::World;

const PLAIN: [(&str, &str); 2] = [
    ("skills/hold/skill.md", "---\nname: Hold a parcel\ndescription: d\n---\nHelp. See @skill.prices.\n"),
    ("skills/prices/skill.md", "---\nname: Prices\ndescription: d\n---\nQuote.\n"),
];

#[test]
fn the_start_skill_greets_in_the_older_generation_only() {
    // M287 and row P23 of the profile table
    for (profile, greets) in [(Profile::Seed, true), (Profile::Mantle321, false)] {
        let mut world = World::new(profile, &PLAIN);
        let happened = world.wish(Command::StartSession { definition: None, metadata: Vec::new() });
        assert_eq!(happened.contains("[utter_greet]"), greets, "{happened}");
        assert_eq!(world.stack(), "", "nothing wraps up after a skill of the engine");
    }
}

#[test]
fn the_engine_asks_about_a_parked_task_and_goes_by_the_answer() {
    // M278, M366
    for (answer, expected) in [("true", "hold"), ("false", "")] {
        let mut world = World::new(Profile::Seed, &PLAIN);
        world.activate("hold");
        world.activate("prices");
        let happened = world.wish(Command::Complete);
        assert!(happened.contains("Hold a parcel"), "the question names the task: {happened}");
        let question = "hold(digression) default_continue_interrupted(reference) default_continue_interrupted/main";
        assert!(world.stack().starts_with(question), "{}", world.stack());
        world.set(WriteBy::SetFields, "wants_to_resume", answer);
        let stack = world.stack();
        match expected {
            "" => assert!(stack.starts_with("default_completed"), "{stack}"),
            expected => assert_eq!(stack, expected),
        }
    }
}

#[test]
fn cancelling_the_question_drops_the_task() {
    // M282
    let mut world = World::new(Profile::Seed, &PLAIN);
    world.activate("hold");
    world.activate("prices");
    world.wish(Command::Cancel);
    let happened = world.wish(Command::Cancel);
    assert!(happened.contains("skill cancelled hold"), "{happened}");
    assert!(world.stack().starts_with("default_completed"), "{}", world.stack());
}

#[test]
fn a_question_of_the_engine_is_given_up_when_the_topic_changes() {
    let mut world = World::new(Profile::Seed, &PLAIN);
    world.activate("hold");
    world.wish(Command::Complete);
    assert!(world.stack().starts_with("default_completed"), "M283: {}", world.stack());
    world.activate("prices");
    assert_eq!(world.stack(), "prices");
}

#[test]
fn responses_on_activate_are_said_after_the_reset_and_when_ones_once_a_run() {
    // M237, M238, M239, M240
    let files = [
        (
            "skills/hold/skill.md",
            "---\nname: Hold\ndescription: d\nutter:\n  - utter_notice: {on: activate}\n  - utter_friday:\n      when: \
             session.hold.day == 'friday'\n---\nHelp.\n",
        ),
        (
            "skills/hold/memory.yml",
            "schema:\n  public:\n    day: {type: text, initial_value: monday}\n    n: {type: int}\n",
        ),
        (
            "responses.yml",
            "responses:\n  utter_notice:\n    - text: It is {day}.\n  utter_friday:\n    - text: Friday!\n",
        ),
    ];
    let mut world = World::bare(Profile::Seed, &files);
    let said = |happened: &str, words: &str| happened.contains(&format!("agent (template) {words}"));
    assert!(said(&world.activate("hold"), "It is monday."));
    assert!(!said(&world.set(WriteBy::Tool, "n", "1"), "Friday!"));
    assert!(said(&world.set(WriteBy::Tool, "day", "\"friday\""), "Friday!"));
    assert!(!said(&world.set(WriteBy::Tool, "day", "\"monday\""), "Friday!"));
    assert!(!said(&world.set(WriteBy::Tool, "day", "\"friday\""), "Friday!"), "once a run");
    world.wish(Command::Complete);
    let again = world.activate("hold");
    assert!(said(&again, "It is monday."), "the reset comes first: {again}");
    assert!(said(&world.set(WriteBy::Tool, "day", "\"friday\""), "Friday!"), "armed again");
}

#[test]
fn every_reason_not_to_start_names_its_rule_and_line() {
    let files = [
        ("memory.yml", "verified: {type: bool}\n"),
        PLAIN[0],
        ("skills/off/skill.md", "---\nname: Off\ndescription: d\ndisabled: true\n---\nHelp.\n"),
        ("skills/gated/skill.md", "---\nname: G\ndescription: d\nrequires: session.project.verified\n---\nHelp.\n"),
        ("skills/secret/skill.md", "---\nname: S\ndescription: d\nhidden: true\n---\nHelp.\n"),
    ];
    let world = World::new(Profile::Seed, &files);
    let newer = World::new(Profile::Mantle321, &files);
    let check = |world: &World, skill: &str, route: Route, expected: &str| {
        let decision = may_start(&world.agent, world.profile, &world.state, skill, route);
        let at = decision.because.as_ref().map_or_else(String::new, |at| format!(" {}:{}", at.file, at.line));
        let allowed = if decision.is_allowed() { "yes" } else { "no" };
        assert_eq!(format!("{allowed} {}{at}", decision.rule), expected, "{skill}");
    };
    check(&world, "hold", Route::Model, "yes M100");
    check(&world, "ghost", Route::Model, "no M338");
    check(&world, "off", Route::Model, "no M100 skills/off/skill.md:1");
    check(&world, "off", Route::Tool, "no M100 skills/off/skill.md:1");
    check(&world, "gated", Route::Model, "no M98 skills/gated/skill.md:4");
    check(&world, "gated", Route::Reference, "no M141 skills/gated/skill.md:4");
    check(&newer, "secret", Route::Model, "no M334 skills/secret/skill.md:1");
    check(&newer, "secret", Route::Reference, "no M334 skills/secret/skill.md:1");
    check(&newer, "secret", Route::Step, "yes M100");
    check(&newer, "secret", Route::Tool, "yes M100");
    check(&world, "default_completed", Route::Model, "no M286 engine:default_completed/skill.md:1");
    check(&newer, "gated", Route::Model, "yes M100");
}

#[test]
fn a_refused_handover_is_an_event_and_changes_nothing() {
    // M338, M217
    let mut world = World::bare(Profile::Seed, &PLAIN);
    world.activate("hold");
    let happened = world.wish(Command::Delegate { skill: "ghost".into(), by: Delegate::Tool });
    assert_eq!(happened, "skill refused ghost (M338)");
    assert_eq!(world.stack(), "hold");
    assert!(world.try_wish(Command::AnswerResume(Answer::Yes)).is_err(), "nothing is on offer");
}

#[test]
fn an_unmet_precondition_is_said_once_the_resolver_has_ended() {
    // M335
    let files = [
        (
            "agent.yml",
            "agent: {persona: p}\norchestrator:\n  model_group: main\n  preconditions:\n    known:\n      satisfied_when: \
             session.project.verified\n      resolve_with: verify\n",
        ),
        ("memory.yml", "verified: {type: bool}\n"),
        ("skills/claims/skill.md", "---\nname: C\ndescription: d\nprecondition: known\n---\nHelp.\n"),
        ("skills/verify/skill.md", "---\nname: V\ndescription: d\n---\nHelp.\n"),
        PLAIN[1],
    ];
    let mut world = World::bare(Profile::Mantle321, &files);
    world.activate("prices");
    world.activate("claims");
    assert_eq!(world.stack(), "prices(digression) claims(pending) verify");
    let happened = world.wish(Command::Complete);
    assert!(happened.contains("response uttered utter_precondition_unmet"), "{happened}");
    assert_eq!(world.stack(), "prices(digression)");
}
