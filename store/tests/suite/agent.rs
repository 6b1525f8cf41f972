//! What authors write loads with its places; what they write wrong gives diagnostics, and nothing panics.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use replay_store::agent::block::{Next, Parameter, StepKind};
use replay_store::agent::definition::Definition;
use replay_store::agent::prose::TokenKind;
use replay_store::agent::skill::SkillOrigin;
use replay_store::agent::tools::Tools;
use replay_store::agent::{Agent, Scope, source};
use replay_store::diagnostic::{Diagnostic, Place, Severity};
use replay_store::name::Name;
use replay_store::profile::{Profile, ProfileBasis};
use replay_store::value::Value;

use crate::corpus::corpus;

fn definition(files: &[(&str, &[u8])]) -> Arc<Definition> {
    let files = files.iter().map(|(path, bytes)| (Name::from(*path), Arc::from(*bytes))).collect();
    Arc::new(Definition { files })
}

fn load(files: &[(&str, &str)]) -> Agent {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    Agent::load(definition(&files), None)
}

/// Returns the text at a place.
fn written(agent: &Agent, at: &Place) -> String {
    agent.text_of(&at.file).expect("the file is there")[at.start as usize..at.end as usize].to_owned()
}

const HOLD: &str = "---
name: Hold a parcel
description: Hold a parcel at a depot
requires: session.project.verified
import_tools: [find_depot, \"mcp/bank.one:get_balance\"]
tool_constraints:
  - release:
      requires: session.hold.day
      requires_confirmation: {enabled: true, utter_for_confirmation: utter_ask}
      on_success: utter_done
utter:
  - utter_notice:
      on: activate
      when: session.hold.day == 'friday'
---

Ask for the day.

if: session.hold.day == 'friday'
Depot @memory.hold.depot closes at noon, café
near @skill.prices and @block.pick.

:::ordered_block id=pick
name: Pick
steps:
  - id: look
    execute_tool: find_depot
    parameters: {postcode: session.hold.depot, limit: 3}
  - id: ask
    collect: day
    utterance: utter_ask_day
    next:
      - if: session.hold.day
        then: tell
      - else: END
  - id: tell
    instructions: |
      Say that
      @memory.hold.depot is open.
    complete_when: session.hold.told
    optional: true
  - id: note
    set_memory: {told: true, project.verified: yes}
  - id: END
:::
";

const HOLD_MEMORY: &str = "schema:
  private:
    told: {type: bool}
  public:
    day: {type: categorical, enum_values: [thursday, friday], description: Day of pickup.}
    depot: {type: text, pii: true}
    tries: {type: int, initial_value: 0, llm_settable: true}
access:
  deny_read: [project.phone]
";

fn parcel() -> Agent {
    load(&[
        ("agent.yml", "agent:\n  persona: You answer.\nrules:\n  - One.\n  - Two.\nprompts:\n  text_rules: Short.\n"),
        ("memory.yml", "verified: {type: bool}\nphone: {type: text, seed: true}\n"),
        ("responses.yml", "responses:\n  utter_ask:\n    - text: Root?\n"),
        ("skills/hold/skill.md", HOLD),
        ("skills/hold/memory.yml", HOLD_MEMORY),
        ("skills/hold/responses.yml", "responses:\n  utter_ask: [{text: Skill?}]\n  utter_done: [Done.]\n"),
        ("skills/hold/tools.py", "@tool(description=\"x\")\nasync def release(context):\n    ...\n"),
        ("skills/prices/skill.md", "---\nname: Prices\ndescription: What it costs\n---\nQuote.\n"),
    ])
}

#[test]
fn a_folder_loads_whole() {
    let agent = parcel();
    assert_eq!(agent.diagnostics, []);
    assert_eq!((agent.profile.profile, agent.profile.basis), (Profile::Seed, ProfileBasis::Guess));
    let hold = &agent.skills["hold"];
    assert_eq!((hold.paragraphs.len(), hold.blocks.len(), hold.blocks[0].steps.len()), (2, 1, 5));
    let keys: Vec<&str> = hold.entries.iter().map(|entry| &*entry.key).collect();
    assert_eq!(keys, ["hold.day", "hold.depot", "hold.tries", "hold.told"]);
    let settable: Vec<&str> = hold.settable_entries().map(|entry| &*entry.name).collect();
    assert_eq!(settable, ["day", "tries"]);
    assert_eq!(hold.import_tools[1].value.server.as_deref(), Some("bank.one"));
    assert!(hold.constraint("release").is_some_and(|tool| tool.confirmation.as_ref().is_some_and(|ask| ask.enabled)));
    assert!(hold.utter[0].on_activate && hold.utter[0].when.is_some());
    assert!(matches!(&hold.tools, Tools::Known(tools) if tools[0].name.value == "release"));
    assert_eq!(agent.skills["prices"].tools, Tools::Unknown);
    assert_eq!(agent.responses["utter_ask"].variants[0].text.value, "Root?");
    assert_eq!(agent.responses["utter_done"].variants[0].text.value, "Done.");
}

#[test]
fn places_name_the_line_that_says_it() {
    let agent = parcel();
    let check = |at: &Place, line: u32, column: u32, text: &str| {
        assert_eq!((at.line, at.column, &*written(&agent, at)), (line, column, text));
    };
    let hold = &agent.skills["hold"];
    check(&agent.settings.rules[1].at, 5, 5, "Two.");
    check(&hold.name.at, 2, 7, "Hold a parcel");
    check(&hold.entry("tries").expect("declared").at, 7, 5, "tries");
    check(hold.entry("tries").and_then(|entry| entry.initial_at.as_ref()).expect("initial"), 7, 39, "0");
    check(&hold.deny_read.items[0].at, 9, 15, "project.phone");
    let conditional = &hold.paragraphs[1];
    check(&conditional.gate.as_ref().expect("marked").text.at, 19, 5, "session.hold.day == 'friday'");
    assert_eq!(conditional.prose.at.line, 20);
    check(&conditional.prose.tokens[0].at, 20, 7, "@memory.hold.depot");
    check(&conditional.prose.tokens[1].at, 21, 6, "@skill.prices");
    check(&conditional.prose.tokens[2].at, 21, 24, "@block.pick");
    let StepKind::Instructions { prose, .. } = &hold.blocks[0].steps[2].kind else { panic!("it is a conversation") };
    assert_eq!((&*prose.text, prose.at.line), ("Say that\n@memory.hold.depot is open.\n", 38));
    check(&prose.tokens[0].at, 39, 7, "@memory.hold.depot");
    assert_eq!(prose.tokens[0].kind, TokenKind::Memory(Name::from("hold.depot")));
}

#[test]
fn steps_say_what_they_do() {
    let agent = parcel();
    let steps = &agent.skills["hold"].blocks[0].steps;
    let StepKind::ExecuteTool { parameters, .. } = &steps[0].kind else { panic!("it calls a tool") };
    assert!(matches!(&parameters[0].1, Parameter::Memory(key) if key.value == "hold.depot"));
    assert_eq!(parameters[1].1, Parameter::Literal(Value::Int(3)));
    let Next::Branches(branches) = &steps[1].next else { panic!("it branches") };
    assert!(branches[0].when.is_some() && branches[1].when.is_none() && branches[1].then.value == "END");
    let StepKind::SetMemory(writes) = &steps[3].kind else { panic!("it writes") };
    assert_eq!(writes[1].1, Value::Bool(true), "a bare `yes` is a bool");
    assert_eq!(steps[4].kind, StepKind::End);
}

#[test]
fn scopes_tell_whose_an_entry_is() {
    let agent = parcel();
    for (key, expected) in [
        ("project.verified", Some(Scope::Project)),
        ("hold.day", Some(Scope::Public)),
        ("hold.told", Some(Scope::Private)),
        ("system.channel", Some(Scope::System)),
        ("session_started_metadata", Some(Scope::System)),
        ("default_completed.wants_to_continue", Some(Scope::Engine)),
        ("hold.nothing", None),
        ("nobody.day", None),
    ] {
        assert_eq!(agent.scope(key), expected, "{key}");
    }
}

#[test]
fn the_engines_own_skills_belong_to_every_agent() {
    for profile in Profile::ALL {
        let agent = Agent::load(Arc::new(Definition::default()), Some(profile));
        assert_eq!(agent.diagnostics, []);
        assert!(agent.skills.values().all(|skill| skill.engine_managed && skill.origin == SkillOrigin::Engine));
        assert!(agent.scope("default_continue_interrupted.interrupted_task_name") == Some(Scope::Engine));
        for step in agent.skills.values().flat_map(|skill| &skill.blocks).flat_map(|block| &block.steps) {
            let said = match &step.kind {
                StepKind::Action(response) => Some(&response.value),
                StepKind::Collect(collect) => collect.utterance.as_ref().map(|response| &response.value),
                _ => None,
            };
            let is_known = said.is_none_or(|name| *name == "hangup" || agent.responses.contains_key(name));
            assert!(is_known, "{said:?}");
        }
    }
}

#[test]
fn the_packaged_responses_are_reworded_where_a_default_skill_says_them() {
    // M356
    let names = |rephrase: bool| {
        let agent = Agent::load(Arc::new(Definition::default()), Some(Profile::Mantle321));
        let packaged = agent.responses.values().filter(|response| response.variants[0].rephrase == rephrase);
        let mut names: Vec<String> = packaged.map(|response| response.name.to_string()).collect();
        names.retain(|name| name != "utter_greet");
        names
    };
    assert_eq!(
        names(true),
        [
            "utter_ask_csat_score",
            "utter_ask_wants_to_continue",
            "utter_ask_wants_to_resume",
            "utter_decline_in_domain_out_of_scope",
            "utter_decline_out_of_domain_out_of_scope",
            "utter_inform_hangup",
            "utter_silence_timeout_check_in",
            "utter_thank_you_for_feedback",
        ]
    );
    assert_eq!(
        names(false),
        [
            "utter_hangup_goodbye",
            "utter_incoming_message_rejected",
            "utter_model_call_error",
            "utter_model_request_hook_error",
            "utter_outgoing_text_rejected",
            "utter_precondition_unmet",
            "utter_set_memory_button_skipped",
            "utter_tool_call_hook_error",
        ]
    );
}

#[test]
fn a_replacement_of_an_engine_skill_stays_the_engines() {
    // M289
    let text = "---\nname: Start\ndescription: Starts\n---\n:::ordered_block id=main\nsteps: [{id: END}]\n:::\n";
    let agent = load(&[("skills/default_session_start/skill.md", text)]);
    let start = &agent.skills["default_session_start"];
    assert_eq!((start.engine_managed, start.origin), (true, SkillOrigin::Folder));
}

#[test]
fn a_profile_is_guessed_from_what_a_folder_uses() {
    // M323
    let check = |files: &[(&str, &str)], profile: Profile, basis: ProfileBasis| {
        let agent = load(files);
        assert_eq!((agent.profile.profile, agent.profile.basis), (profile, basis), "{files:?}");
    };
    let newer = ("agent.yml", "agent: {persona: x}\norchestrator: {model_group: m, text_rules: Short.}\n");
    let older = ("integrations.yml", "llm:\n  model_group:\n");
    check(&[newer], Profile::Mantle321, ProfileBasis::Guess);
    check(&[older], Profile::Seed, ProfileBasis::Guess);
    check(&[newer, older], Profile::Seed, ProfileBasis::Default);
    check(&[("memory.yml", "x: {}")], Profile::Seed, ProfileBasis::Default);
    check(
        &[("skills/a/skill.md", "---\nname: a\ndescription: a\nhidden: true\n---\nA")],
        Profile::Mantle321,
        ProfileBasis::Guess,
    );
    assert_eq!(load(&[newer]).settings.text_rules.map(|rules| rules.value).as_deref(), Some("Short."));
}

#[test]
fn crlf_changes_lines_and_nothing_else() {
    let of = |text: &str| {
        let agent = load(&[
            ("skills/hold/skill.md", text),
            ("skills/hold/memory.yml", HOLD_MEMORY),
            ("memory.yml", "verified: {}\nphone: {}"),
        ]);
        let skill = &agent.skills["hold"];
        let prose: Vec<String> = skill.paragraphs.iter().map(|paragraph| paragraph.prose.text.clone()).collect();
        let tokens: Vec<u32> = skill.paragraphs[1].prose.tokens.iter().map(|token| token.at.line).collect();
        (prose, tokens, skill.blocks[0].steps.len(), agent.diagnostics.len())
    };
    assert_eq!(of(HOLD), of(&HOLD.replace('\n', "\r\n")));
}

/// The errors that the real agents earn: a path in prose that is not replaced (M29), and a skill whose `memory.yml`
/// was not handed on.
const EARNED: [(&str, &str); 2] = [
    ("skills/book_appointment/skill.md", "mantle.validation.prose.session_reference_in_instructions"),
    ("skills/view_transactions/skill.md", "session.view_transactions.selected_account_id"),
];

#[test]
fn real_agents_load_without_false_errors() {
    let Some(corpus) = corpus() else { return };
    let mut folders = Vec::new();
    find_agents(&corpus, &mut folders);
    assert!(folders.len() > 20, "{folders:?}");
    for folder in folders {
        let (definition, unreadable) = source::read(&folder).expect("the folder can be read");
        let agent = Agent::load(Arc::new(definition), None);
        let is_earned = |found: &Diagnostic| {
            EARNED
                .iter()
                .any(|(file, part)| found.at.file == *file && (found.code == *part || found.message.contains(part)))
        };
        let errors = unreadable.iter().chain(&agent.diagnostics).filter(|found| found.severity == Severity::Error);
        let errors: Vec<&Diagnostic> = errors.filter(|found| !is_earned(found)).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", folder.display());
    }
}

#[test]
fn the_payment_plan_agent_says_what_its_files_say() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("RasaHQ__rasa-community-resources/examples/mantle-text-payment-plan-authority-gpt");
    let (definition, _) = source::read(&folder).expect("the folder can be read");
    let agent = Agent::load(Arc::new(definition), None);
    assert_eq!((agent.project.len(), agent.settings.rules.len()), (3, 6));
    assert_eq!(agent.settings.text_rules.as_ref().map(|rules| rules.at.line), Some(25));
    let skill = &agent.skills["payment_plan"];
    let tokens: Vec<_> = skill.paragraphs.iter().flat_map(|paragraph| &paragraph.prose.tokens).collect();
    let memory: Vec<_> = tokens.iter().filter(|token| matches!(token.kind, TokenKind::Memory(_))).collect();
    assert_eq!((memory.len(), &*written(&agent, &memory[0].at)), (1, "@memory.project.account_list"));
    let confirmation = skill.constraint("accept_plan_offer").and_then(|tool| tool.confirmation.as_ref());
    let ask = confirmation.and_then(|confirmation| confirmation.ask.as_ref()).expect("the engine asks");
    let text = &agent.responses[&ask.value].variants[0].text.value;
    assert!(
        text.starts_with("The billing team has offered") && text.ends_with("say\nso.\n") || text.ends_with("say so.\n")
    );
}

fn find_agents(folder: &Path, found: &mut Vec<PathBuf>) {
    let listed = std::fs::read_dir(folder).expect("the corpus can be read");
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.expect("the corpus can be read").path()).collect();
    paths.sort();
    let is_skill = folder.parent().is_some_and(|parent| parent.ends_with("skills"));
    let is_agent = ["agent.yml", "memory.yml", "skills"].iter().any(|name| folder.join(name).exists());
    if is_agent && !is_skill {
        found.push(folder.to_owned());
    }
    paths.iter().filter(|path| path.is_dir()).for_each(|path| find_agents(path, found));
}
