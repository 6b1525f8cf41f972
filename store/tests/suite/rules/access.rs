//! What a refusal says: the line that is the reason, and the smallest change that would have allowed it.

use replay_store::profile::Profile;
use replay_store::rule::Rule;
use replay_store::session::access::matrix::matrix;
use replay_store::session::access::{Change, Reader, Site, WriteBy, read};
use replay_store::value::Value;

use super::world::World;

const FILES: &[(&str, &str)] = &[
    (
        "memory.yml",
        "verified: {type: bool}\nphone: {type: text, seed: true}\nblocked:\n  type: bool\n  initial_value: false\n",
    ),
    ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\n---\nHelp.\n"),
    (
        "skills/hold/memory.yml",
        "schema:\n  public:\n    day:\n      type: categorical\n      enum_values: [thursday, friday]\n      llm_settable: \
         true\n    depot_id: {type: text}\n  private:\n    pin: {type: text}\naccess:\n  deny_read:\n    - \
         project.phone\n  deny_write:\n    - project.verified\n    - hold.depot_id\n",
    ),
    ("skills/prices/skill.md", "---\nname: Prices\ndescription: d\n---\nHelp.\n"),
    ("skills/prices/memory.yml", "schema:\n  public:\n    quote: {type: float}\n"),
];

fn told(change: Option<Change>) -> String {
    let Some(change) = change else { return "nothing".to_owned() };
    match change.at() {
        Some(at) => format!("{change} ({}:{})", at.file, at.line),
        None => change.to_string(),
    }
}

/// Decides a write, and compares outcome, rule, reason and change.
fn check(world: &World, by: WriteBy, name: &str, json: &str, expected: &str) {
    let value = Value::from_json(json).expect("the test's JSON is valid");
    let decision = world.may_write("hold", by, name, json);
    let outcome = decision.refusal().map_or("stored", |refusal| refusal.word());
    let because = decision.because(&world.agent).map_or("-".to_owned(), |at| format!("{}:{}", at.file, at.line));
    let told = told(decision.change(&world.agent, &value));
    assert_eq!(format!("{outcome} {} {because} {told}", decision.rule), expected, "{by:?} {name}");
}

#[test]
fn a_refused_write_says_why_and_what_would_allow_it() {
    // M34, M46
    let mut world = World::bare(Profile::Seed, FILES);
    check(&world, WriteBy::Tool, "pin", "\"1\"", "stored M32 - nothing");
    check(&world, WriteBy::Tool, "pni", "1", "MemoryWriteError M34 - write `hold.pin` (skills/hold/memory.yml:9)");
    check(&world, WriteBy::Tool, "colour", "1", "MemoryWriteError M34 - declare `colour` in skills/hold/memory.yml");
    check(&world, WriteBy::Tool, "system.x", "1", "MemoryWriteError M31 - nothing");
    check(&world, WriteBy::Seed, "colour", "1", "skipped M60 - declare `colour` in memory.yml");
    check(
        &world,
        WriteBy::Tool,
        "prices.quote",
        "1.0",
        "MemoryWriteError M32 skills/prices/memory.yml:3 let a tool of `prices` write it while `prices` is active \
         (skills/prices/memory.yml:3)",
    );
    check(
        &world,
        WriteBy::Tool,
        "verified",
        "true",
        "MemoryWriteError M37 skills/hold/memory.yml:14 take `project.verified` off `access.deny_write` \
         (skills/hold/memory.yml:14)",
    );
    check(
        &world,
        WriteBy::SetFields,
        "pin",
        "\"1\"",
        "tool_error M49 skills/hold/memory.yml:9 add `llm_settable: true` to `hold.pin` (skills/hold/memory.yml:9)",
    );
    check(
        &world,
        WriteBy::SetFields,
        "day",
        "\"sunday\"",
        "tool_error M25 skills/hold/memory.yml:3 add `sunday` to the `enum_values` of `hold.day` \
         (skills/hold/memory.yml:3)",
    );
    check(&world, WriteBy::Correct, "day", "\"friday\"", "tool_error M51 - call `set_fields` for it");
    check(
        &world,
        WriteBy::SetFields,
        "phone",
        "\"1\"",
        "tool_error M47 memory.yml:2 declare `project.phone` in the memory of a skill instead, where values may change \
         (memory.yml:2)",
    );
    world.activate("hold");
    world.set(WriteBy::Tool, "project.phone", "\"1\"");
    check(
        &world,
        WriteBy::Tool,
        "phone",
        "\"2\"",
        "ProjectMemoryAlreadySetError M43 memory.yml:2 declare `project.phone` in the memory of a skill instead, where \
         values may change (memory.yml:2)",
    );
}

#[test]
fn an_initial_value_locks_at_its_line_in_the_newer_generation() {
    // M44, M44a and row P30 of the profile table
    let expected = "ProjectMemoryAlreadySetError M44 memory.yml:5 take `initial_value` away from `project.blocked` \
                    (memory.yml:5)";
    check(&World::bare(Profile::Mantle321, FILES), WriteBy::Tool, "blocked", "true", expected);
    check(&World::bare(Profile::Seed, FILES), WriteBy::Tool, "blocked", "true", "stored M44a - nothing");
}

#[test]
fn hooks_and_buttons_differ_between_the_generations() {
    // M316, M47 and row P9 of the profile table
    let (old, new) = (World::bare(Profile::Seed, FILES), World::bare(Profile::Mantle321, FILES));
    check(&old, WriteBy::Hook, "phone", "\"1\"", "stored M43 - nothing");
    check(&new, WriteBy::Hook, "phone", "\"1\"", "MemoryWriteError M316 - write it from a tool");
    check(&new, WriteBy::Button, "project.phone", "\"1\"", "stored M233 - nothing");
    let moved = "declare `project.phone` in the memory of a skill instead, where values may change (memory.yml:2)";
    check(&old, WriteBy::Button, "project.phone", "\"1\"", &format!("skipped M47 memory.yml:2 {moved}"));
}

#[test]
fn a_withheld_read_says_why_and_what_would_allow_it() {
    let world = World::bare(Profile::Seed, FILES);
    let check = |skill: &str, name: &str, expected: &str| {
        let decision = world.may_read(skill, name);
        let because = decision.because().map_or("-".to_owned(), |at| format!("{}:{}", at.file, at.line));
        assert_eq!(format!("{} {because} {}", decision.rule, told(decision.change(&world.agent))), expected, "{name}");
    };
    check("hold", "depot_id", "M33 - nothing");
    let off = "take `project.phone` off `access.deny_read` (skills/hold/memory.yml:12)";
    check("hold", "phone", &format!("M38 skills/hold/memory.yml:12 {off}"));
    let publish = "move `hold.pin` from `private` to `public` (skills/hold/memory.yml:9)";
    check("prices", "hold.pin", &format!("M32 skills/hold/memory.yml:9 {publish}"));
    check("prices", "hold.dya", "M33 - write `hold.day` (skills/hold/memory.yml:3)");
    check("prices", "session.hold.day", "M202 - write `hold.day` (skills/hold/memory.yml:3)");
    check("prices", "nothing_like_it", "M33 - declare `nothing_like_it` in skills/prices/memory.yml");
    check("prices", "hold.nothing_like_it", "M33 - declare `nothing_like_it` in skills/hold/memory.yml");
    check("prices", "session.system.channel", "M202 - declare `channel` in skills/prices/memory.yml");
    check("prices", "system.channel", "M31 - nothing");
    let reader = Reader { skill: None, site: Site::Tool };
    let by_nobody = read(&world.agent, world.profile, &world.state, reader, "session.system.channel");
    assert_eq!(told(by_nobody.change(&world.agent)), "declare `channel` in memory.yml");
}

#[test]
fn what_is_private_and_listed_needs_both_changes() {
    let listing = "schema: {public: {a: {type: text}}}\naccess: {deny_read: [hold.pin]}\n";
    let files = [FILES, &[("skills/lister/skill.md", "---\nname: L\ndescription: d\n---\nHelp.\n")][..]].concat();
    let files = [&files[..], &[("skills/lister/memory.yml", listing)][..]].concat();
    let world = World::bare(Profile::Seed, &files);
    let change = |world: &World| told(world.may_read("lister", "hold.pin").change(&world.agent));
    let publish = "move `hold.pin` from `private` to `public`";
    let both = format!("{publish}, and take it off `access.deny_read` at skills/lister/memory.yml:2");
    assert_eq!(change(&world), format!("{both} (skills/hold/memory.yml:9)"));
    let world = World::bare(Profile::Mantle321, &files);
    assert_eq!(change(&world), format!("{publish} (skills/hold/memory.yml:9)"));
}

#[test]
fn a_name_that_shares_no_letter_is_not_the_one_that_was_meant() {
    let world = World::bare(Profile::Seed, &[("memory.yml", "id: {type: text}\n"), FILES[1]]);
    let change = |name: &str| told(world.may_read("hold", name).change(&world.agent));
    assert_eq!(change("ix"), "write `project.id` (memory.yml:1)");
    assert_eq!(change("no"), "declare `no` in skills/hold/memory.yml");
}

#[test]
fn the_matrix_holds_every_entry_against_every_skill_and_writer() {
    let world = World::bare(Profile::Seed, FILES);
    let rows = matrix(&world.agent, world.profile, &world.state);
    assert_eq!(rows.len(), world.agent.entries().count());
    let print = |key: &str, skill: Option<&str>| {
        let row = rows.iter().find(|row| row.key == key).expect("the entry has a row");
        let rights = row.cells.iter().find(|cell| cell.skill.as_deref() == skill).expect("the skill has a cell");
        let allowed = rights.writes.iter().filter(|write| write.is_allowed()).map(|write| format!("{:?}", write.by));
        let read = if rights.read.is_allowed() { "read" } else { "-" };
        format!("{read} {}", allowed.collect::<Vec<_>>().join(" ")).trim().to_owned()
    };
    assert_eq!(print("project.phone", Some("hold")), "- Tool SetMemory ValidationTool Hook Seed Engine");
    assert_eq!(print("project.phone", Some("prices")), "read Tool SetMemory ValidationTool Hook Seed Engine");
    let day = "read Tool SetFields Collect SetMemory ValidationTool Hook Button Engine";
    assert_eq!(print("hold.day", Some("hold")), day);
    assert_eq!(print("hold.day", Some("prices")), "read Engine");
    assert_eq!(print("hold.pin", Some("prices")), "- Engine");
    assert_eq!(print("hold.pin", None), "- Engine");
}

#[test]
fn in_the_matrix_the_model_and_the_metadata_name_entries_without_a_namespace() {
    let world = World::bare(Profile::Seed, FILES);
    let rows = matrix(&world.agent, world.profile, &world.state);
    let check = |key: &str, by: WriteBy, expected: &str| {
        let row = rows.iter().find(|row| row.key == key).expect("the entry has a row");
        let rights = row.cells.iter().find(|cell| cell.skill.as_deref() == Some("hold")).expect("the skill has a cell");
        let write = rights.writes.iter().find(|write| write.by == by).expect("each way has a decision");
        assert_eq!(format!("{} {}", write.asked, write.rule), expected, "{key} {by:?}");
    };
    check("project.phone", WriteBy::SetFields, "phone M47");
    check("project.phone", WriteBy::Seed, "phone M59");
    check("project.phone", WriteBy::Button, "project.phone M47");
    check("hold.pin", WriteBy::SetFields, "pin M49");
    check("hold.pin", WriteBy::Seed, "hold.pin M60");
    check("prices.quote", WriteBy::SetFields, "prices.quote M218");
}

#[test]
fn each_way_to_write_has_its_word() {
    let words = "tool set_fields collect correct set_memory validation_tool hook button seed engine";
    assert_eq!(WriteBy::ALL.map(WriteBy::word).join(" "), words);
}

#[test]
fn profile_rows_name_rules_that_differ() {
    assert_eq!(Rule::SetProjectIsSkipped.profile_row(), Some("P8"));
    assert_eq!(Rule::OwnAndProject.profile_row(), None);
}

#[test]
fn only_the_engine_stores_under_names_that_nothing_declares() {
    let world = World::bare(Profile::Seed, FILES);
    let key = |by, name| world.may_write("hold", by, name, "1").key.map(|key| key.to_string());
    assert_eq!(key(WriteBy::Tool, "colour"), None);
    assert_eq!(key(WriteBy::Engine, "consecutive_silence_timeouts").as_deref(), Some("consecutive_silence_timeouts"));
    assert_eq!(key(WriteBy::Engine, "system.channel").as_deref(), Some("system.channel"));
    assert_eq!(key(WriteBy::Tool, "pin").as_deref(), Some("hold.pin"));
}

#[test]
fn a_bare_name_of_another_skill_is_the_trap_of_shared_tools_alone() {
    // M36
    let world = World::bare(Profile::Seed, FILES);
    let is_tried = |by, name| world.may_write("hold", by, name, "1").tried.contains(&Rule::SharedToolNamespace);
    assert!(is_tried(WriteBy::Tool, "quote"));
    assert!(!is_tried(WriteBy::SetMemory, "quote"));
    assert!(!is_tried(WriteBy::Tool, "colour"));
    assert!(!is_tried(WriteBy::Tool, "prices.colour"));
}

#[test]
fn a_validation_tool_writes_the_skills_own_entry_like_any_tool() {
    let world = World::bare(Profile::Seed, FILES);
    check(&world, WriteBy::ValidationTool, "pin", "\"1\"", "stored M32 - nothing");
    let rule = world.may_write("hold", WriteBy::ValidationTool, "project.phone", "\"1\"").rule;
    assert_eq!(rule, Rule::ValidationToolWrites);
}
