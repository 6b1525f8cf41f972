//! Every row of the tables in the two seed documents, each with what it promises.
//!
//! A test is named after its table; the comment in front of a check is the row. All run in the seed profile, and in the
//! newer one too where a comment says how it differs.

use replay_store::agent::entry::{EntryKind, EntryScope};
use replay_store::agent::skill::ToolImport;
use replay_store::agent::tools::Tools;
use replay_store::event::ToolOutcome;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::prompt::{self, Moment};
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer, Command, Delegate};
use replay_store::session::prose::{ProsePiece, scope, substitute};
use replay_store::session::response::speak;
use replay_store::value::Value;

use super::rules::world::World;

const HOLD: (&str, &str) = ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\n---\nHelp.\n");
const PRICES: (&str, &str) = ("skills/prices/skill.md", "---\nname: Prices\ndescription: d\n---\nQuote.\n");
const PROJECT: (&str, &str) = ("memory.yml", "verified: {type: bool}\nphone: {type: text, seed: true, pii: true}\n");
const MEMORY: (&str, &str) = (
    "skills/hold/memory.yml",
    "schema:\n  public:\n    day: {type: text, llm_settable: true, description: Day of pickup., initial_value: monday}\n    \
     depot: {type: text}\n  private:\n    pin: {type: text}\n",
);

fn seed(files: &[(&str, &str)]) -> World {
    World::bare(Profile::Seed, files)
}

fn codes(world: &World) -> Vec<&'static str> {
    world.agent.diagnostics.iter().map(|found| found.code).collect()
}

fn metadata(pairs: &[(&str, &str)]) -> Command {
    let pairs =
        pairs.iter().map(|(name, json)| (Name::from(*name), Value::from_json(json).expect("the test's JSON is valid")));
    Command::StartSession { definition: None, metadata: pairs.collect() }
}

/// Returns what the model gets of the skill's prose.
fn prose(world: &World, skill: &str) -> Vec<String> {
    let scoped = scope(&world.agent, world.profile, &world.state, &world.agent.skills[skill]);
    let visible = scoped.iter().filter(|scoped| scoped.is_visible);
    let text = |paragraph| {
        let pieces = substitute(&world.agent, world.profile, &world.state, Some(skill), paragraph);
        pieces.iter().map(ProsePiece::text).collect::<String>()
    };
    visible.map(|scoped| text(&scoped.paragraph.prose)).collect()
}

/// Returns a tool of the next request: whether it is offered, and its schema.
fn tool(world: &World, name: &str) -> Option<(bool, Value)> {
    let prompt = prompt::render(&world.agent, world.profile, &world.state, &Moment::default());
    prompt.tools.into_iter().find(|tool| tool.name == name).map(|tool| (tool.offered, tool.schema))
}

// memory.yml: "Skill vs project memory"

#[test]
fn memory_yml_skill_vs_project_memory() {
    let mut world = seed(&[HOLD, PRICES, PROJECT, MEMORY]);
    // File: the root file declares `project.`, the skill's its own namespace.
    let scope = |key: &str| world.agent.entry(key).map(|entry| entry.scope);
    assert_eq!(scope("project.verified"), Some(EntryScope::Project));
    assert_eq!(scope("hold.day"), Some(EntryScope::Public));
    assert_eq!(scope("hold.pin"), Some(EntryScope::Private));
    // Put here: both kinds are declared without a complaint.
    assert_eq!(codes(&world), [] as [&str; 0]);
    // Who writes: tool, post-write hook or seeding for the project, the skill's tools or the model for the skill.
    let writers = |world: &World, name: &str, json: &str| -> Vec<WriteBy> {
        let may = |by: &WriteBy| world.may_write("hold", *by, name, json).is_allowed();
        // The engine and buttons, which came later, are no writers of these documents.
        let named = |by: &WriteBy| ![WriteBy::Engine, WriteBy::Button].contains(by);
        WriteBy::ALL.into_iter().filter(named).filter(may).collect()
    };
    let code = [WriteBy::Tool, WriteBy::SetMemory, WriteBy::ValidationTool, WriteBy::Hook];
    assert_eq!(writers(&world, "verified", "true"), code);
    assert_eq!(writers(&world, "phone", "\"1\""), [&code[..], &[WriteBy::Seed]].concat());
    let settable = [WriteBy::Tool, WriteBy::SetFields, WriteBy::Collect, WriteBy::Correct];
    assert_eq!(writers(&world, "day", "\"x\""), [&settable[..], &code[1..]].concat());
    // After the first write: the project entry is locked, the skill's stays writable.
    world.activate("hold");
    for value in ["\"friday\"", "\"monday\""] {
        assert!(world.set(WriteBy::Tool, "day", value).starts_with("memory written"));
    }
    world.set(WriteBy::Tool, "verified", "true");
    assert!(world.set(WriteBy::Tool, "verified", "false").contains("ProjectMemoryAlreadySetError"));
    // When the owning skill starts again: unchanged, and reset to `initial_value`.
    world.set(WriteBy::Tool, "pin", "\"1\"");
    world.set(WriteBy::Tool, "day", "\"friday\"");
    world.wish(Command::Complete);
    world.activate("hold");
    assert_eq!(
        ["project.verified", "hold.day", "hold.pin"].map(|key| world.value(key)),
        ["true", "\"monday\"", "null"]
    );
    // Other skills: they read project and public entries, and can't write those of the skill.
    assert!(world.may_read("prices", "project.verified").is_allowed());
    assert!(world.may_read("prices", "hold.day").is_allowed());
    assert!(!world.may_read("prices", "hold.pin").is_allowed());
    assert!(!world.may_write("prices", WriteBy::Tool, "hold.day", "\"x\"").is_allowed());
}

// memory.yml: "Field attributes"

#[test]
fn memory_yml_field_attributes() {
    let plain = seed(&[HOLD, ("skills/hold/memory.yml", "schema: {public: {bare: {}}}\n")]);
    let bare = plain.agent.entry("hold.bare").expect("a bare entry is valid");
    // type: `any` unless given.
    assert_eq!(bare.kind, EntryKind::Any);
    // description: none unless given; shown in the schema of set_fields.
    assert_eq!(bare.description, None);
    let mut world = seed(&[HOLD, PROJECT, MEMORY]);
    world.activate("hold");
    let (offered, schema) = tool(&world, "set_fields").expect("set_fields is a tool");
    assert!(offered && schema.to_json().contains("Day of pickup."), "{schema:?}");
    // enum_values: none unless given.
    assert_eq!(bare.enum_values, []);
    // llm_settable: off unless given; rejected on a project entry.
    assert!(!bare.llm_settable && !plain.may_write("hold", WriteBy::SetFields, "bare", "\"x\"").is_allowed());
    let settable = seed(&[HOLD, ("memory.yml", "name: {llm_settable: true}\n")]);
    assert_eq!(codes(&settable), ["mantle.validation.memory.project_llm_settable"]);
    // seed: off unless given; project entries only, copied from session-start metadata.
    assert!(!bare.seed);
    let seeded = seed(&[HOLD, ("skills/hold/memory.yml", "schema: {public: {name: {seed: true}}}\n")]);
    assert_eq!(codes(&seeded), ["replay.memory.skill_seed"]);
    world.wish(metadata(&[("phone", "\"+49\""), ("verified", "true")]));
    assert_eq!(["project.phone", "project.verified"].map(|key| world.value(key)), ["\"+49\"", "null"]);
    for (sent, kept) in [("5", "null"), ("null", "null"), ("\"+49\"", "\"+49\"")] {
        world.wish(metadata(&[("phone", sent)]));
        assert_eq!(world.value("project.phone"), kept);
    }
    // pii: off unless given; the model sees the entry as set, without the content.
    assert!(!bare.pii);
    world.activate("hold");
    let text = prompt::render(&world.agent, world.profile, &world.state, &Moment::default()).text();
    assert!(text.contains("project.phone: [set]") && !text.contains("+49"), "{text}");
    // initial_value: null unless given; held before anything writes.
    assert!(bare.initial.is_null());
    assert_eq!(world.value("hold.day"), "\"monday\"");
}

#[test]
fn memory_yml_initial_values_of_project_entries_differ_by_generation() {
    // initial_value: "Value the entry holds before anything writes to it"; the newer engine locks it from the start.
    for (profile, expected) in [(Profile::Seed, "true"), (Profile::Mantle321, "false")] {
        let mut world = World::bare(profile, &[HOLD, ("memory.yml", "blocked: {type: bool, initial_value: false}\n")]);
        world.activate("hold");
        world.set(WriteBy::Tool, "blocked", "true");
        assert_eq!(world.value("project.blocked"), expected, "{profile}");
    }
}

// memory.yml: "Types"

#[test]
fn memory_yml_types() {
    let check = |name: &str, json_type: &str, fits: &str, other: &str| {
        let memory = format!("schema: {{public: {{x: {{type: {name}, llm_settable: true, enum_values: [a, b]}}}}}}\n");
        for profile in Profile::ALL {
            let world = World::bare(profile, &[HOLD, ("skills/hold/memory.yml", memory.as_str())]);
            let entry = world.agent.entry("hold.x").expect("the entry is declared");
            assert_eq!(entry.kind.json_type(), json_type, "{name}");
            let takes = |json: &str| world.may_write("hold", WriteBy::SetFields, "x", json).is_allowed();
            assert!(takes(fits) && !takes(other), "{name}: {fits}, not {other}");
        }
    };
    check("text", "string", "\"x\"", "1");
    check("bool", "boolean", "true", "\"true\"");
    check("int", "integer", "1", "1.5");
    check("float", "number", "1.5", "\"1.5\"");
    check("list", "array", "[1]", "\"[1]\"");
    check("categorical", "string", "\"a\"", "\"c\"");
    check("json", "string", "\"{}\"", "{}");
    check("any", "string", "\"x\"", "1");
    // "Write the type name exactly as it appears in the left column."
    let world = seed(&[HOLD, ("skills/hold/memory.yml", "schema: {public: {x: {type: Text}}}\n")]);
    assert_eq!(codes(&world), ["replay.memory.type"]);
}

// memory.yml: "Visibility"

#[test]
fn memory_yml_visibility() {
    let world = seed(&[HOLD, PRICES, PROJECT, MEMORY]);
    let readers = |key: &str| ["hold", "prices"].map(|skill| world.may_read(skill, key).is_allowed());
    // schema.public: the owning skill and every other one.
    assert_eq!(readers("hold.day"), [true, true]);
    // schema.private: the owning skill only.
    assert_eq!(readers("hold.pin"), [true, false]);
    // project: every skill.
    assert_eq!(readers("project.phone"), [true, true]);
}

// memory.yml: "Fully-qualified names"

#[test]
fn memory_yml_fully_qualified_names() {
    // M27, M203
    let skill = "---\nname: Hold\ndescription: d\ntool_constraints:\n  - own: {requires: session.hold.depot == 'D7'}\n  - \
                 shared: {requires: session.project.verified}\n---\nDepot @memory.hold.depot.\n\nVerified \
                 @memory.project.verified.\n";
    let responses = "responses:\n  utter_own: [{text: 'Depot {session.hold.depot}.'}]\n  utter_shared: [{text: 'Verified \
                     {session.project.verified}.'}]\n";
    let files = [("skills/hold/skill.md", skill), PROJECT, MEMORY, ("responses.yml", responses)];
    for profile in Profile::ALL {
        let mut world = World::bare(profile, &files);
        world.activate("hold");
        for closed in ["own", "shared"] {
            assert!(world.call(closed).starts_with("tool refused"), "{closed}");
        }
        world.set(WriteBy::Tool, "hold.depot", "\"D7\"");
        world.set(WriteBy::Tool, "project.verified", "true");
        let said = |world: &World, name: &str| speak(&world.agent, world.profile, &world.state, name).text;
        let given = |world: &World, name: &str| world.may_read("hold", name).value().map(|value| value.to_display());
        // A skill's memory.yml: qualified name, conditions, prose, responses, tools by both names.
        assert!(world.agent.entry("hold.depot").is_some());
        assert!(world.call("own").starts_with("tool called"));
        assert_eq!(prose(&world, "hold")[0], "Depot D7.");
        assert_eq!(said(&world, "utter_own"), "Depot D7.");
        assert_eq!([given(&world, "depot"), given(&world, "hold.depot")], [Some("D7".into()), Some("D7".into())]);
        // The root memory.yml: the same for project memory.
        assert!(world.agent.entry("project.verified").is_some());
        assert!(world.call("shared").starts_with("tool called"));
        assert_eq!(prose(&world, "hold")[1], "Verified True.");
        assert_eq!(said(&world, "utter_shared"), "Verified True.");
        let both = [given(&world, "verified"), given(&world, "project.verified")];
        assert_eq!(both, [Some("True".into()), Some("True".into())]);
    }
}

// skill.md: "Frontmatter properties"

#[test]
fn skill_md_frontmatter_properties() {
    // M97
    let with = |line: &str| {
        let skill = format!("---\nname: Hold\ndescription: Hold a parcel\n{line}---\nHelp.\n");
        let files = [("skills/hold/skill.md", skill.as_str()), PRICES, PROJECT, MEMORY];
        seed(&files)
    };
    let without = |line: &str| seed(&[("skills/hold/skill.md", &format!("---\n{line}\n---\nHelp.\n"))]);
    // name: required, the display name; the id is the directory.
    assert_eq!(with("").agent.skills["hold"].name.value, "Hold");
    assert_eq!(codes(&without("description: d")), ["replay.skill.missing_name"]);
    // description: required, what routing matches on.
    assert_eq!(codes(&without("name: Hold")), ["mantle.validation.skill.missing_description"]);
    let text = prompt::render(&with("").agent, Profile::Seed, &with("").state, &Moment::default()).text();
    assert!(text.contains("- hold: Hold a parcel"), "{text}");
    // requires: gates whether the skill can be activated; the newer generation has none.
    let mut gated = with("requires: session.project.verified\n");
    assert_eq!(gated.activate("hold"), "skill refused hold (M98)");
    let skill = "---\nname: Hold\ndescription: d\nrequires: session.project.verified\n---\nHelp.\n";
    let mut newer = World::bare(Profile::Mantle321, &[("skills/hold/skill.md", skill), PROJECT]);
    assert!(codes(&newer).contains(&"replay.skill.other_profile"));
    assert!(newer.activate("hold").starts_with("skill activated"));
    // complete_when: marks the skill finished.
    let mut completing = with("complete_when: session.hold.depot\n");
    completing.activate("hold");
    assert!(completing.set(WriteBy::Tool, "depot", "\"D7\"").ends_with("skill completed hold"));
    // import_tools: shared tools and MCP tools.
    let imports = with("import_tools: [get_customer, mcp/bank:get_balance]\n");
    assert_eq!(imports.agent.skills["hold"].import_tools.len(), 2);
    // tool_constraints: rules for single tools.
    let constrained = with("tool_constraints:\n  - release: {requires: session.hold.depot}\n");
    assert!(constrained.agent.skills["hold"].constraint("release").is_some());
    // utter: responses on activation or a condition.
    let mut uttering = with("utter:\n  - utter_notice: {on: activate}\n");
    assert!(uttering.activate("hold").contains("response uttered utter_notice"));
    // disabled: excluded from routing without being deleted.
    let mut disabled = with("disabled: true\n");
    assert!(disabled.agent.skills.contains_key("hold"));
    assert_eq!(disabled.activate("hold"), "skill refused hold (M100)");
}

// skill.md: "import_tools"

#[test]
fn skill_md_import_tools() {
    // M101, M102
    let skill =
        "---\nname: H\ndescription: d\nimport_tools:\n  - get_customer\n  - mcp/my.bank:get_balance\n---\nHelp.\n";
    for profile in Profile::ALL {
        let world = World::bare(profile, &[("skills/hold/skill.md", skill)]);
        let imports: Vec<&ToolImport> =
            world.agent.skills["hold"].import_tools.iter().map(|import| &import.value).collect();
        // get_customer_info: a shared tool of the agent root.
        assert_eq!(*imports[0], ToolImport { server: None, tool: "get_customer".into() });
        // mcp/<server-id>:<tool-name>: one tool of a server, known by its bare name.
        assert_eq!(*imports[1], ToolImport { server: Some("my.bank".into()), tool: "get_balance".into() });
    }
}

// skill.md: "tool_constraints"

#[test]
fn skill_md_tool_constraints() {
    let skill = "---\nname: H\ndescription: d\ntool_constraints:\n  - release:\n      requires: session.hold.depot\n      \
                 requires_confirmation:\n        enabled: true\n        utter_for_confirmation: utter_ask\n        \
                 utter_on_user_denial: utter_kept\n      on_success: utter_done\n      on_failure: utter_failed\n---\nHelp.\n";
    let responses = "responses:\n  utter_ask: [Release?]\n  utter_kept: [Kept.]\n  utter_done: [Done.]\n  utter_failed: \
                     [Failed.]\n";
    for profile in Profile::ALL {
        let mut world = World::bare(profile, &[("skills/hold/skill.md", skill), MEMORY, ("responses.yml", responses)]);
        world.activate("hold");
        // requires: hidden from the model and blocked at dispatch until it holds.
        assert_eq!(tool(&world, "release").map(|(offered, _)| offered), Some(false));
        assert!(world.call("release").starts_with("tool refused"));
        world.set(WriteBy::Tool, "depot", "\"D7\"");
        assert_eq!(tool(&world, "release").map(|(offered, _)| offered), Some(true));
        // requires_confirmation: pauses the call for explicit approval.
        assert!(world.call("release").contains("agent (template) Release?"));
        assert!(world.wish(Command::AnswerConfirmation(Answer::No)).contains("agent (template) Kept."));
        // on_success, on_failure: delivered after the tool succeeded or failed.
        assert!(world.back("release", ToolOutcome::Done).contains("agent (template) Done."));
        assert!(world.back("release", ToolOutcome::Failed).contains("agent (template) Failed."));
    }
}

// skill.md: "utter"

#[test]
fn skill_md_utter_triggers() {
    let skill = "---\nname: H\ndescription: d\nutter:\n  - utter_notice:\n      on: activate\n  - utter_depot:\n      when: \
                 session.hold.depot == 'D7'\n---\nHelp.\n";
    for profile in Profile::ALL {
        let mut world = World::bare(profile, &[("skills/hold/skill.md", skill), MEMORY]);
        // on: activate: when the skill becomes active.
        assert!(world.activate("hold").contains("response uttered utter_notice (on activate)"));
        // when: the first time the condition becomes true after a memory write.
        assert!(!world.set(WriteBy::Tool, "depot", "\"D1\"").contains("utter_depot"));
        assert!(world.set(WriteBy::Tool, "depot", "\"D7\"").contains("response uttered utter_depot (when)"));
        assert!(!world.set(WriteBy::Tool, "depot", "\"D7\"").contains("utter_depot"));
    }
}

// skill.md: "Memory in prose"

#[test]
fn skill_md_memory_in_prose() {
    let body = "---\nname: H\ndescription: d\n---\n@memory.project.verified\n\n@memory.hold.pin\n\n@memory.project.phone\n\n\
                @memory.hold.depot\n";
    let mut world = seed(&[("skills/hold/skill.md", body), PROJECT, MEMORY]);
    world.wish(metadata(&[("phone", "\"+49\"")]));
    world.activate("hold");
    world.set(WriteBy::Tool, "verified", "true");
    world.set(WriteBy::Tool, "pin", "\"7\"");
    // @memory.project.<field>: project memory. @memory.<skill_id>.<field>: under the access rules; unset stays.
    assert_eq!(prose(&world, "hold"), ["True", "7", "[set]", "@memory.hold.depot"]);
    let foreign = "---\nname: P\ndescription: d\n---\n@memory.hold.pin\n";
    let denied = seed(&[HOLD, MEMORY, ("skills/prices/skill.md", foreign)]);
    assert_eq!(codes(&denied), ["mantle.validation.prose.unknown_memory_reference"]);
}

// skill.md: "Jumps to blocks and skills" and "How the parent is parked"

#[test]
fn skill_md_jumps_and_parking() {
    // M139, M140, M275
    let body = "---\nname: H\ndescription: d\n---\nSee @block.pick and @skill.prices.\n\n:::ordered_block id=pick\nsteps:\n  - \
                id: talk\n    instructions: Talk.\n    complete_when: session.hold.depot\n:::\n";
    let mut world = seed(&[("skills/hold/skill.md", body), PRICES, MEMORY]);
    // @block.<block_id>: enters the block and returns to prose; parked as a same-skill reference, resumed by itself.
    world.activate("hold");
    world.wish(Command::EnterBlock { block: "pick".into() });
    assert_eq!(world.stack(), "hold(reference) hold/pick@talk");
    world.set(WriteBy::Tool, "depot", "\"D7\"");
    assert_eq!(world.stack(), "hold");
    // @skill.<skill_id>: runs it and returns; parked as a delegation, resumed by itself.
    world.wish(Command::Delegate { skill: "prices".into(), by: Delegate::Reference });
    assert_eq!(world.stack(), "hold(delegation) prices");
    world.wish(Command::Complete);
    assert_eq!(world.stack(), "hold");
    // The user changing topic: parked as a digression; the engine offers a resume and the customer decides.
    world.activate("prices");
    assert_eq!(world.stack(), "hold(digression) prices");
    world.wish(Command::Complete);
    assert_eq!(world.stack(), "hold(digression)");
    world.wish(Command::AnswerResume(Answer::Yes));
    assert_eq!(world.stack(), "hold");
}

// skill.md: "Ordered blocks", the removed keys

#[test]
fn skill_md_removed_step_keys() {
    let check = |line: &str, instead: &str| {
        let body = format!(
            "---\nname: H\ndescription: d\n---\n:::ordered_block id=main\nsteps:\n  - id: ask\n    collect: depot\n    \
             utterance: utter_ask\n    {line}\n:::\n"
        );
        for profile in Profile::ALL {
            let world = World::bare(profile, &[("skills/hold/skill.md", body.as_str()), MEMORY]);
            let found = world
                .agent
                .diagnostics
                .iter()
                .find(|found| found.message.contains(line.split(':').next().unwrap_or(line)));
            let found = found.unwrap_or_else(|| panic!("{line} is reported: {:?}", world.agent.diagnostics));
            let told = format!("{} {}", found.message, found.help.as_deref().unwrap_or_default());
            assert!(told.contains(instead), "{told}");
        }
    };
    // force_collection: use ask_before_filling.
    check("force_collection: true", "ask_before_filling");
    // tool: on a collect step: use set_fields, a post-write hook, or an execute_tool step.
    check("tool: find_depot", "execute_tool");
}

// skill.md: "A skill needs prose or a block"

#[test]
fn skill_md_bodies() {
    let block = |id: &str| format!("\n:::ordered_block id={id}\nsteps:\n  - id: talk\n    instructions: Talk.\n:::\n");
    let started = |profile: Profile, body: &str| {
        let skill = format!("---\nname: H\ndescription: d\n---\n{body}");
        let mut world = World::bare(profile, &[("skills/hold/skill.md", skill.as_str())]);
        world.activate("hold");
        world.stack()
    };
    for profile in Profile::ALL {
        // Prose only: one routable prose flow.
        assert_eq!(started(profile, "Help.\n"), "hold");
        // Prose and blocks: the prose is routable, blocks are internal.
        assert_eq!(started(profile, &format!("Help.\n{}", block("main"))), "hold");
    }
    // Blocks only: `main` is the entry point; in the newer generation the one that no other reaches.
    let both = format!("{}{}", block("other"), block("main"));
    assert_eq!(started(Profile::Seed, &both), "hold(reference) hold/main@talk");
    let linked = "\n:::ordered_block id=main\nsteps:\n  - id: talk\n    instructions: T.\n:::\n\n:::ordered_block \
                  id=first\nsteps:\n  - id: talk\n    instructions: T.\n    next: go\n  - id: go\n    link: main\n:::\n";
    assert_eq!(started(Profile::Mantle321, linked), "hold(reference) hold/first@talk");
    // Neither fails.
    let empty = seed(&[("skills/hold/skill.md", "---\nname: H\ndescription: d\n---\n")]);
    assert_eq!(codes(&empty), ["skill.markdown.missing_instructions"]);
}

// skill.md: "Companion files"

#[test]
fn skill_md_companion_files() {
    let tools = "@tool(description=\"d\")\nasync def find_depot(context: ToolContext) -> ToolResult:\n    pass\n";
    let files = [
        HOLD,
        PRICES,
        MEMORY,
        ("skills/hold/responses.yml", "responses:\n  utter_own: [Own.]\n"),
        ("skills/hold/tools.py", tools),
        ("skills/prices/references/fees.md", "# Fees\nA parcel costs 4.90.\n"),
    ];
    for profile in Profile::ALL {
        let mut world = World::bare(profile, &files);
        // memory.yml: the schema of this skill, under its namespace.
        assert!(world.agent.entry("hold.day").is_some() && world.agent.entry("prices.day").is_none());
        // responses.yml: merged into one registry under the names it declares.
        assert!(world.agent.responses.contains_key("utter_own"));
        // tools.py: attached to this skill.
        let is_known = |skill: &str| match &world.agent.skills[skill].tools {
            Tools::Known(tools) => tools.iter().any(|tool| tool.name.value == "find_depot"),
            Tools::Unknown => false,
        };
        assert_eq!([is_known("hold"), is_known("prices")], [true, false]);
        // references/*.md: one index, searched whatever skill is active.
        assert!(world.agent.has_knowledge);
        world.activate("hold");
        assert_eq!(tool(&world, "search_knowledge").map(|(offered, _)| offered), Some(true));
    }
}
