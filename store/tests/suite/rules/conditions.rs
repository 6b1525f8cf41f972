//! Conditions at all their sites: one grammar, each asked at its own moments, each withholding its own thing.

use replay_store::profile::Profile;
use replay_store::prompt::{self, Moment};
use replay_store::session::access::WriteBy;
use replay_store::session::decide::Command;

use super::world::World;

const MEMORY: (&str, &str) =
    ("skills/hold/memory.yml", "schema:\n  public:\n    flag: {type: bool}\n    done: {type: bool}\n");
const PRICES: (&str, &str) = ("skills/prices/skill.md", "---\nname: Prices\ndescription: d\n---\nQuote.\n");
const RESPONSES: (&str, &str) = ("responses.yml", "responses:\n  utter_now: [Now!]\n");

const INVALID: &str = "replay.condition.invalid";
const UNKNOWN: &str = "replay.condition.unknown_key";
const NO_TEXT: &str = "replay.value.wrong_type";

fn block(steps: &str) -> String {
    format!("---\nname: Hold\ndescription: d\n---\n:::ordered_block id=main\nsteps:\n{steps}:::\n")
}

/// Every site in a YAML file, as a file with `%` for the condition.
fn sites() -> Vec<(Profile, &'static str, String)> {
    let skill = |line: &str| format!("---\nname: Hold\ndescription: d\n{line}\n---\nHelp.\n");
    let file = "skills/hold/skill.md";
    let branch = "  - id: a\n    noop: true\n    next:\n      - if: %\n        then: b\n      - else: b\n  - id: b\n    \
                  instructions: B.\n";
    let precondition = "agent: {persona: p}\norchestrator:\n  model_group: main\n  preconditions:\n    known: \
                        {satisfied_when: %, resolve_with: prices}\n";
    vec![
        (Profile::Seed, file, skill("requires: %")),
        (Profile::Seed, file, skill("complete_when: %")),
        (Profile::Mantle321, file, skill("complete_when: {condition: %}")),
        (Profile::Seed, file, skill("tool_constraints:\n  - release: {requires: %}")),
        (Profile::Seed, file, skill("utter:\n  - utter_now: {when: %}")),
        (Profile::Seed, file, block("  - id: a\n    instructions: A.\n    complete_when: %\n")),
        // The step's condition stays a text where the skill's became a mapping (M111).
        (Profile::Mantle321, file, block("  - id: a\n    instructions: A.\n    complete_when: %\n")),
        (Profile::Seed, file, block(branch)),
        (
            Profile::Seed,
            "responses.yml",
            "responses:\n  utter_now:\n    - {text: a, condition: %}\n    - b\n".to_owned(),
        ),
        (Profile::Mantle321, "agent.yml", precondition.to_owned()),
    ]
}

/// Loads the folder with a condition at a site; the codes of what is wrong with conditions.
fn codes(profile: Profile, path: &str, text: &str, condition: &str) -> Vec<&'static str> {
    let text = text.replace('%', condition);
    let plain = ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\n---\nHelp.\n");
    let world = World::bare(profile, &[plain, PRICES, MEMORY, RESPONSES, (path, &text)]);
    let found = world.agent.diagnostics.iter().map(|found| found.code);
    found.filter(|code| [INVALID, UNKNOWN, NO_TEXT].contains(code)).collect()
}

#[test]
fn every_site_takes_the_same_conditions() {
    // M66, M68, M91, M111
    let cases: [(&str, &[&str]); 9] = [
        ("session.hold.flag == None and not session.hold.done", &[]),
        ("'session.hold.flag != ''x'' '", &[]),
        ("session.hold.flag is None", &[INVALID]),
        ("session.hold.flag and", &[INVALID]),
        ("user.text == 'hello'", &[INVALID]),
        ("now() > 3", &[INVALID]),
        ("session.system.channel == 'rest'", &[UNKNOWN]),
        ("[session.hold.flag]", &[NO_TEXT]),
        ("true", &[NO_TEXT]),
    ];
    for (profile, path, text) in sites() {
        // A wording at the root reads with the rights of whoever says it (M225), so names are looked at elsewhere.
        let is_root = path == "responses.yml";
        for (condition, expected) in cases.into_iter().filter(|(_, expected)| !is_root || *expected != [UNKNOWN]) {
            assert_eq!(codes(profile, path, &text, condition), expected, "{condition} in {text}");
        }
    }
}

#[test]
fn prose_takes_them_too() {
    // M66, M91, M67
    let check = |condition: &str, expected: &[&str]| {
        let skill = format!("---\nname: Hold\ndescription: d\n---\nif: {condition}\nX.\n");
        let world = World::bare(Profile::Seed, &[("skills/hold/skill.md", &skill), MEMORY]);
        let found: Vec<&str> = world.agent.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(found, expected, "{condition}");
    };
    check("session.hold.flag == None and not session.hold.done", &[]);
    check("session.hold.flag is None", &["mantle.validation.prose.invalid_if_expression"]);
    check("release.result", &["mantle.validation.prose.invalid_if_expression"]);
    check("session.system.channel == 'rest'", &["mantle.validation.prose.unknown_memory_key"]);
}

#[test]
fn each_condition_is_asked_at_its_own_moments_and_withholds_its_own_thing() {
    // M362, M88a, M98, M125, M187, M238, M116
    let skill = "---\nname: Hold\ndescription: d\nrequires: session.project.open\ncomplete_when: \
                 session.hold.done\nutter:\n  - utter_now: {when: session.hold.flag}\ntool_constraints:\n  - release: \
                 {requires: session.hold.flag}\n---\nHelp.\n\nif: session.hold.flag\nSay that it is on.\n";
    let project = ("memory.yml", "open: {type: bool}\n");
    let mut world = World::bare(Profile::Seed, &[("skills/hold/skill.md", skill), PRICES, MEMORY, RESPONSES, project]);
    let given = |world: &World| {
        let prompt = prompt::render(&world.agent, world.profile, &world.state, &Moment::default());
        let text = prompt.text();
        let tool = prompt.tools.iter().any(|tool| tool.name == "release" && tool.offered);
        [text.contains("- hold: d"), text.contains("Say that it is on."), tool]
    };
    // The skill's `requires`: in each list of what may start, and again at the start itself.
    assert_eq!(given(&world), [false, false, false]);
    assert_eq!(world.activate("hold"), "skill refused hold (M98)");
    world.activate("prices");
    world.set(WriteBy::Tool, "project.open", "true");
    assert_eq!(given(&world), [true, false, false]);
    world.activate("hold");
    // A tool's `requires`: in each prompt and at each call. A paragraph's `if:`: in each prompt.
    assert_eq!(given(&world), [true, false, false]);
    assert!(world.call("release").starts_with("tool refused"));
    // `utter: when:`: after a write.
    let happened = world.set(WriteBy::Tool, "flag", "true");
    assert!(happened.contains("response uttered utter_now (when)"), "{happened}");
    assert_eq!(given(&world), [true, true, true]);
    assert!(world.call("release").starts_with("tool called"));
    world.set(WriteBy::Tool, "flag", "false");
    assert_eq!(given(&world), [true, false, false]);
    assert!(world.call("release").starts_with("tool refused"));
    // `complete_when`: after a write.
    assert!(world.set(WriteBy::Tool, "done", "true").contains("skill completed hold"));
}

#[test]
fn a_false_precondition_keeps_its_skill_pending_and_drops_it() {
    // M88a, M362: asked at the start, and when the resolver ends
    let settings = "agent: {persona: p}\norchestrator:\n  model_group: main\n  preconditions:\n    known: {satisfied_when: \
                    session.project.open, resolve_with: prices}\n";
    let skill = "---\nname: Hold\ndescription: d\nprecondition: known\n---\nHelp.\n";
    let files =
        [("agent.yml", settings), ("skills/hold/skill.md", skill), PRICES, ("memory.yml", "open: {type: bool}\n")];
    for (open, expected) in [("true", "hold"), ("false", "")] {
        let mut world = World::bare(Profile::Mantle321, &files);
        world.activate("hold");
        assert_eq!(world.stack(), "hold(pending) prices");
        world.set(WriteBy::Tool, "project.open", open);
        assert_eq!(world.stack(), "hold(pending) prices", "a write alone doesn't ask");
        world.wish(Command::Complete);
        assert_eq!(world.stack(), expected);
    }
}
