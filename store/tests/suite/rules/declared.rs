//! What the files of a folder declare, and which of them count.

use replay_store::agent::check::check;
use replay_store::agent::entry::EntryKind;
use replay_store::diagnostic::Severity;
use replay_store::profile::Profile;
use replay_store::prompt::{self, Moment};
use replay_store::session::access::WriteBy;
use replay_store::session::decide::Command;
use replay_store::value::Value;

use super::world::World;

const HOLD: (&str, &str) = ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\n---\nHelp.\n");
const PRICES: (&str, &str) = ("skills/prices/skill.md", "---\nname: Prices\ndescription: d\n---\nQuote.\n");

fn codes(world: &World) -> Vec<&'static str> {
    world.agent.diagnostics.iter().map(|found| found.code).collect()
}

fn offers(world: &World, tool: &str) -> bool {
    let prompt = prompt::render(&world.agent, world.profile, &world.state, &Moment::default());
    prompt.tools.iter().any(|known| known.name == tool && known.offered)
}

#[test]
fn entries_may_leave_everything_out() {
    // M12, M13, M22, M24, M26
    let memory = "schema:\n  public:\n    bare: {}\n    null_too:\n    kind: {type: categorical, llm_settable: true, \
                  description: d}\n    odd: {type: any, enum_values: [1, true, [a]], llm_settable: true, description: d}\n";
    for profile in Profile::ALL {
        let mut world = World::bare(profile, &[HOLD, PRICES, ("skills/hold/memory.yml", memory)]);
        assert_eq!(codes(&world), [] as [&str; 0], "{profile}: `prices` has no file, and that is fine");
        let entry = |name: &str| world.agent.entry(name).unwrap_or_else(|| panic!("{name} is declared"));
        assert_eq!([entry("hold.bare").kind, entry("hold.null_too").kind], [EntryKind::Any; 2]);
        assert_eq!(entry("hold.odd").enum_values.len(), 3);
        assert!(world.may_write("hold", WriteBy::SetFields, "kind", "\"anything\"").is_allowed(), "{profile}");
        world.activate("hold");
        world.set(WriteBy::Tool, "bare", "\"{}\"");
        assert_eq!(world.value("hold.bare"), "\"{}\"", "text stays text");
    }
}

#[test]
fn the_first_line_of_a_skill_is_its_delimiter() {
    // M92, M93
    let delimiter = "skill.markdown.invalid_frontmatter_delimiter";
    for start in ["\n---", " ---", "# Title\n---"] {
        let skill = format!("{start}\nname: Hold\ndescription: d\n---\nHelp.\n");
        let world = World::bare(Profile::Seed, &[("skills/hold/skill.md", &skill)]);
        assert!(codes(&world).contains(&delimiter), "{start:?}: {:?}", codes(&world));
    }
}

#[test]
fn the_namespace_is_the_folder_whatever_the_name_says() {
    // M4, M151
    let named = ("skills/hold/skill.md", "---\nname: Prices\ndescription: d\n---\nHelp.\n");
    let memory = ("skills/hold/memory.yml", "schema: {public: {day: {type: text}}}\n");
    let responses = ("skills/hold/responses.yml", "responses:\n  utter_day: ['Day {session.hold.day}.']\n");
    let world = World::bare(Profile::Seed, &[named, memory, responses]);
    assert!(world.agent.entry("hold.day").is_some() && world.agent.entry("prices.day").is_none());
    assert!(world.agent.responses.contains_key("utter_day"), "names of responses have no namespace");
}

#[test]
fn later_responses_win_up_to_the_root_file() {
    // M221, M288
    let own = ("skills/hold/responses.yml", "responses:\n  utter_greet: [Of hold.]\n");
    let later = ("skills/prices/responses.yml", "responses:\n  utter_greet: [Of prices.]\n");
    let root = ("responses.yml", "responses:\n  utter_greet: [Of the root.]\n");
    let said = |files: &[(&str, &str)]| {
        let world = World::new(Profile::Seed, files);
        world.agent.responses["utter_greet"].variants[0].text.value.clone()
    };
    assert_eq!(said(&[HOLD, PRICES, own]), "Of hold.");
    assert_eq!(said(&[HOLD, PRICES, own, later]), "Of prices.");
    assert_eq!(said(&[root, HOLD, PRICES, own, later]), "Of the root.");
}

#[test]
fn knowledge_is_one_index_and_blank_files_make_none() {
    // M152, M293, M294
    let of = |text: &str| {
        let mut world = World::bare(Profile::Seed, &[HOLD, PRICES, ("skills/prices/references/fees.md", text)]);
        world.activate("hold");
        offers(&world, "search_knowledge")
    };
    assert!(of("# Fees\nA parcel costs 4.90.\n"), "whichever skill is active");
    assert!(!of(" \n\n"));
}

#[test]
fn the_budget_of_the_prompt_is_read_where_the_generation_has_it() {
    // M269, M298, M302 and row P19 of the profile table
    let files = [
        ("agent.yml", "agent: {persona: p}\norchestrator: {model_group: main, max_prompt_tokens: 300}\n"),
        ("integrations.yml", "model_groups: [{id: main}]\nllm: {model_group: main, max_prompt_tokens: 200}\n"),
        HOLD,
    ];
    let set = |profile| World::bare(profile, &files).agent.settings.max_prompt_tokens.map(|tokens| tokens.value);
    assert_eq!([set(Profile::Seed), set(Profile::Mantle321)], [Some(200), Some(300)]);
    assert_eq!(World::bare(Profile::Seed, &[HOLD]).agent.settings.max_prompt_tokens, None);
}

#[test]
fn a_skill_that_is_active_stays_so_when_its_gate_closes() {
    // M99, M56: only the start asks
    let gated = "---\nname: Hold\ndescription: d\nrequires: session.hold.day != 'sunday'\n---\nHelp.\n";
    let memory = ("skills/hold/memory.yml", "schema: {public: {day: {type: text}}}\n");
    let project = ("memory.yml", "verified: {type: bool}\n");
    let mut world = World::bare(Profile::Seed, &[("skills/hold/skill.md", gated), memory, project, PRICES]);
    world.activate("hold");
    world.set(WriteBy::Tool, "day", "\"sunday\"");
    world.set(WriteBy::Tool, "verified", "true");
    world.hear("go on");
    assert_eq!(world.stack(), "hold");
    assert_eq!(world.wish(Command::Complete), "skill completed hold", "without a condition the model ends it (M115)");
    assert_eq!(world.activate("hold"), "skill refused hold (M98)");
    assert_eq!(world.value("project.verified"), Value::Bool(true).to_json());
}

#[test]
fn keys_of_the_newer_frontmatter_have_no_effect_in_the_older_generation() {
    // M97 and row P4 of the profile table
    let skill = "---\nname: Hold\ndescription: d\nhidden: true\nprecondition: known\nalways_include_in_prompt: \
                 true\nknowledge_answering: {instructions: i}\n---\nHelp.\n";
    let files = [("skills/hold/skill.md", skill), PRICES];
    let mut older = World::bare(Profile::Seed, &files);
    assert_eq!(codes(&older), ["replay.skill.other_profile"; 4]);
    assert_eq!(older.agent.diagnostics[0].severity, Severity::Warning, "the engine ignores them in silence");
    assert!(older.activate("hold").starts_with("skill activated"));
    let mut newer = World::bare(Profile::Mantle321, &files);
    assert_eq!(codes(&newer), [] as [&str; 0]);
    assert_eq!(newer.activate("hold"), "skill refused hold (M334)");
    let known = &newer.agent.skills["hold"];
    assert!(known.always_include_in_prompt && known.knowledge_instructions.is_some() && known.precondition.is_some());
}

#[test]
fn a_rule_with_a_colon_and_a_blank_is_a_mapping() {
    // M301
    let rules = |rule: &str| {
        let agent = format!("agent: {{persona: p}}\nrules:\n  - {rule}\n");
        let world = World::bare(Profile::Seed, &[("agent.yml", &agent), HOLD]);
        (codes(&world), world.agent.settings.rules.len())
    };
    assert_eq!(rules("Hours: nine to five."), (vec!["replay.value.wrong_type"], 0));
    assert_eq!(rules("'Hours: nine to five.'"), (Vec::new(), 1));
}

#[test]
fn times_have_their_limits() {
    // M201, M291
    let limits = |line: &str| {
        let agent = format!("agent: {{persona: p}}\n{line}\n");
        let world = World::bare(Profile::Seed, &[("agent.yml", &agent), HOLD]);
        check(&world.agent).iter().filter(|found| found.code == "replay.agent.limit").count()
    };
    for (line, expected) in [
        ("tool_timeout: 0", 1),
        ("tool_timeout: -1", 1),
        ("tool_timeout: soon", 1),
        ("tool_timeout: 0.5", 0),
        ("session_config: {session_expiration_time: -1}", 1),
        ("session_config: {session_expiration_time: 0}", 0),
        ("session_config: {start_session_after_expiry: false}", 0),
    ] {
        assert_eq!(limits(line), expected, "{line}");
    }
}
