//! The worked examples of the rules, played through.

use replay_store::event::ToolOutcome;
use replay_store::profile::Profile;
use replay_store::prompt::{self, Moment, Prompt};
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer, Command};
use replay_store::session::response::speak;

use super::world::World;

fn prompt(world: &World) -> Prompt {
    prompt::render(&world.agent, world.profile, &world.state, &Moment::default())
}

fn offers(world: &World, tool: &str) -> bool {
    prompt(world).tools.iter().any(|known| known.name == tool && known.offered)
}

#[test]
fn a_denied_read_gives_nothing_wherever_it_is_made() {
    // M325, M39, M40
    let prose = "Go on @memory.parcel_hold.pickup_day.\n\nif: session.parcel_hold.pickup_day == 'friday'\nFriday it is.\n\n\
                 if: not session.parcel_hold.pickup_day\nNo day yet.\n";
    let skill = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n{prose}");
    let (prices, hold) = (skill("Prices"), skill("Hold"));
    let files = [
        ("skills/prices/skill.md", prices.as_str()),
        ("skills/prices/memory.yml", "access: {deny_read: [parcel_hold.pickup_day]}\n"),
        ("skills/parcel_hold/skill.md", hold.as_str()),
        ("skills/parcel_hold/memory.yml", "schema: {public: {pickup_day: {type: text}}}\n"),
        ("responses.yml", "responses:\n  utter_day: ['On {session.parcel_hold.pickup_day}.']\n"),
    ];
    let given = |profile: Profile, skill: &str| {
        let mut world = World::bare(profile, &files);
        world.activate("parcel_hold");
        world.set(WriteBy::Tool, "pickup_day", "\"friday\"");
        if skill == "prices" {
            world.activate("prices");
        }
        let read = world.may_read(skill, "parcel_hold.pickup_day").value().map(|value| value.to_display());
        let text = prompt(&world).text();
        let said = speak(&world.agent, world.profile, &world.state, "utter_day").text;
        let token = text.contains("Go on friday.");
        (read, [text.contains("Friday it is."), text.contains("No day yet."), token], said)
    };
    let literal = "On {session.parcel_hold.pickup_day}.".to_owned();
    assert_eq!(given(Profile::Seed, "prices"), (None, [false, true, false], literal));
    let whole = (Some("friday".to_owned()), [true, false, true], "On friday.".to_owned());
    assert_eq!(given(Profile::Seed, "parcel_hold"), whole, "the list is the reader's");
    assert_eq!(given(Profile::Mantle321, "prices"), whole, "row P1 of the profile table");
}

#[test]
fn one_gated_tool_over_four_turns() {
    // M328
    let skill = "---\nname: Hold\ndescription: d\ntool_constraints:\n  - release_parcel:\n      requires: \
                 session.parcel_hold.depot_id and session.project.verified\n      requires_confirmation: {enabled: true, \
                 utter_for_confirmation: utter_ask_release, utter_on_user_denial: utter_kept}\n      on_success: \
                 utter_released\n---\nHelp.\n";
    let files = [
        ("memory.yml", "verified: {type: bool}\n"),
        ("skills/parcel_hold/skill.md", skill),
        ("skills/parcel_hold/memory.yml", "schema: {public: {depot_id: {type: text}}}\n"),
        (
            "responses.yml",
            "responses:\n  utter_ask_release: [Release it?]\n  utter_kept: [Kept.]\n  utter_released: [Released.]\n",
        ),
    ];
    for answer in [Answer::Yes, Answer::No] {
        let mut world = World::bare(Profile::Seed, &files);
        world.activate("parcel_hold");
        world.set(WriteBy::Tool, "depot_id", "\"D7\"");
        assert!(!offers(&world, "release_parcel"));
        assert!(world.call("release_parcel").starts_with("tool refused"));
        world.set(WriteBy::Tool, "project.verified", "true");
        world.hear("release it");
        assert!(offers(&world, "release_parcel"));
        let asked = world.call("release_parcel");
        assert!(asked.ends_with("agent (template) Release it? [utter_ask_release]\nturn ended"), "{asked}");
        world.hear("where is it?");
        assert!(world.value("system.pending_tool_confirmation").contains("release_parcel"), "a question keeps it open");
        assert!(offers(&world, "resolve_tool_confirmation"));
        world.wish(Command::EndTurn);
        world.hear("well");
        let answered = world.wish(Command::AnswerConfirmation(answer));
        match answer {
            Answer::Yes => {
                assert!(answered.contains("tool called release_parcel"), "{answered}");
                let back = world.back("release_parcel", ToolOutcome::Done);
                assert!(back.ends_with("agent (template) Released. [utter_released]"), "the model may go on: {back}");
            }
            Answer::No => assert!(answered.ends_with("Kept. [utter_kept]\nturn ended"), "{answered}"),
        }
    }
}

#[test]
fn an_answer_from_knowledge_leaves_its_skill_on_the_stack() {
    // M285: a skill without a way out stays parked, and the engine offers to go on with it
    let files = [
        ("skills/faq/skill.md", "---\nname: Questions\ndescription: d\n---\nAnswer.\n"),
        ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\n---\nHelp.\n"),
        ("references/hours.md", "# Hours\nFrom nine.\n"),
    ];
    let mut world = World::new(Profile::Seed, &files);
    world.activate("faq");
    world.hear("when do you open?");
    world.back("search_knowledge", ToolOutcome::Done);
    world.wish(Command::EndTurn);
    world.hear("hold my parcel");
    assert_eq!(world.stack(), "faq");
    world.activate("hold");
    assert_eq!(world.stack(), "faq(digression) hold");
    let happened = world.wish(Command::Complete);
    assert!(happened.contains("Shall we go on with Questions?"), "{happened}");
    assert!(world.stack().starts_with("faq(digression) default_continue_interrupted"), "{}", world.stack());
}

#[test]
fn blocks_that_end_early_or_wait_leave_the_events_that_say_so() {
    // M364
    let block = |id: &str, steps: &str| format!("\n:::ordered_block id={id}\nsteps:\n{steps}:::\n");
    let outer = block("outer", "  - id: go\n    call: inner\n");
    let inner = block("inner", "  - id: talk\n    instructions: Talk.\n    complete_when: session.hold.done\n");
    let hybrid = format!("---\nname: Hold\ndescription: d\n---\nHelp. @block.outer\n{outer}{inner}");
    let alone = format!("---\nname: Alone\ndescription: d\n---\n{inner}");
    let files = [
        ("skills/hold/skill.md", hybrid.as_str()),
        ("skills/hold/memory.yml", "schema: {public: {done: {type: bool}}}\n"),
        ("skills/alone/skill.md", alone.as_str()),
        ("skills/prices/skill.md", "---\nname: Prices\ndescription: d\n---\nQuote.\n"),
    ];
    let mut world = World::bare(Profile::Seed, &files);
    let starts = |happened: &str, word: &str| happened.lines().filter(|line| line.starts_with(word)).count();
    world.activate("hold");
    let entered = world.wish(Command::EnterBlock { block: "outer".into() });
    assert_eq!([starts(&entered, "block entered"), starts(&entered, "skill activated")], [2, 0], "{entered}");
    let parked = world.activate("prices");
    assert!(starts(&parked, "block interrupted") > 0 && starts(&parked, "skill interrupted hold") == 1, "{parked}");
    world.activate("hold");
    let cancelled = world.wish(Command::Cancel);
    let ended: Vec<&str> = cancelled.lines().filter(|line| line.contains(" cancelled ")).collect();
    assert_eq!(ended.len(), 3, "{cancelled}");
    assert!(ended[..2].iter().all(|line| line.starts_with("block cancelled hold")), "{cancelled}");
    assert!(ended[2].starts_with("skill cancelled hold"), "{cancelled}");
    let both = World::bare(Profile::Seed, &files).activate("alone");
    assert_eq!([starts(&both, "skill activated alone"), starts(&both, "block entered alone")], [1, 1], "{both}");
}
