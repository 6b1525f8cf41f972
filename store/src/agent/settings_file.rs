//! Reads `agent.yml` and `integrations.yml` (M298 to M302, M331 to M340).

use super::field::Context;
use super::frontmatter::confirmation;
use super::settings::{FillerExample, Fillers, Lever, Precondition, Settings};
use super::yaml::{Kind, Node};
use crate::diagnostic::{Diagnostic, Spanned, code};
use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

/// Settings that belong beside `agent:` and are ignored under it (M299).
const SIBLINGS: [&str; 12] = [
    "rules",
    "prompts",
    "references",
    "conversation",
    "tool_timeout",
    "session_config",
    "orchestrator",
    "skill_retrieval",
    "voice",
    "privacy",
    "fillers",
    "knowledge_answering",
];

/// Reads `agent.yml`. Overrides are read where the profile has them (P18).
pub(super) fn agent(context: &mut Context<'_>, root: &Node, profile: Profile) -> Settings {
    let null = Node { kind: Kind::Scalar(Value::Null, String::new()), at: root.at.clone() };
    let section = |key: &str| root.get(key).unwrap_or(&null);
    let mut settings = Settings::default();
    head(context, root, &mut settings);
    settings.rules = rules(context, root);
    settings.routing_no_active_skill = context.text_of(section("prompts"), "routing_no_active_skill");
    settings.before_end = context.names_of(section("conversation"), "before_end");
    let overrides = if profile.has_overrides_under_prompts() { section("prompts") } else { section("orchestrator") };
    settings.text_rules = context.text_of(overrides, "text_rules");
    settings.voice_rules = context.text_of(overrides, "voice_rules");
    settings.fillers = if profile.has_overrides_under_prompts() {
        fillers(context, section("prompts"), ["ack_rule", "ack_reminder", "ack_enabled", "ack_examples"])
    } else {
        fillers(context, section("fillers"), ["instructions", "reminder", "enabled", "examples"])
    };
    if !profile.has_overrides_under_prompts() {
        settings.knowledge_instructions = context.text_of(section("knowledge_answering"), "instructions");
    }
    let orchestrator = section("orchestrator");
    if !profile.has_overrides_under_prompts() {
        settings.max_prompt_tokens = context.count_of(orchestrator, "max_prompt_tokens");
    }
    for pair in context.pairs_of(orchestrator, "preconditions") {
        let unmet = pair.value.get("unmet_utterance").and_then(|node| context.flag("unmet_utterance", node));
        let precondition = Precondition {
            satisfied_when: context.gate_of(&pair.value, "satisfied_when"),
            resolve_with: context.name_of(&pair.value, "resolve_with"),
            unmet_utterance: unmet.is_none_or(|flag| flag.value),
            at: pair.key_at.clone(),
        };
        settings.preconditions.insert(Name::from(pair.key.as_str()), precondition);
    }
    for pair in context.pairs_of(orchestrator, "tool_constraints") {
        let lever = Lever {
            enabled: pair.value.get("enabled").and_then(|node| context.flag("enabled", node)),
            invoke_when: context.text_of(&pair.value, "invoke_when"),
            confirmation: pair.value.get("requires_confirmation").map(|node| confirmation(context, node)),
            at: pair.key_at.clone(),
        };
        settings.levers.insert(Name::from(pair.key.as_str()), lever);
    }
    let retrieval = section("skill_retrieval");
    if context.flag_of(retrieval, "active") {
        let at = retrieval.at.clone();
        settings.retrieved_skills = context.count_of(retrieval, "num_skills").or(Some(Spanned { value: 20, at }));
    }
    check_other_profile(context, root, profile);
    settings
}

fn head(context: &mut Context<'_>, root: &Node, settings: &mut Settings) {
    let Some(agent) = root.get("agent").filter(|node| matches!(node.kind, Kind::Map(_))) else {
        let message = "the file has no `agent:` section, so the agent has no persona";
        context.error(code::AGENT_MISSING_SECTION, &root.at, message);
        return;
    };
    settings.id = context.text_of(agent, "id");
    settings.language = context.text_of(agent, "language");
    settings.persona = context.text_of(agent, "persona").filter(|persona| !persona.value.trim().is_empty());
    if settings.persona.is_none() {
        let at = root.pair("agent").map_or(&agent.at, |pair| &pair.key_at);
        context.error(code::AGENT_MISSING_PERSONA, at, "`agent.persona` is missing or blank");
    }
    for pair in agent.pairs().iter().filter(|pair| SIBLINGS.contains(&pair.key.as_str())) {
        let message = format!("`{}` under `agent:` is ignored by the engine", pair.key);
        let found = Diagnostic::warning(code::AGENT_NESTED_SETTING, pair.key_at.clone(), message);
        context.diagnostics.push(found.help("move it to the top level of the file"));
    }
}

/// A colon and a blank make a rule a mapping, which breaks the load (M301).
fn rules(context: &mut Context<'_>, root: &Node) -> Vec<Spanned<String>> {
    let mut rules = Vec::new();
    for item in context.list_of(root, "rules") {
        if matches!(item.kind, Kind::Map(_)) {
            let message = "a rule is a text, and this is a mapping";
            let found = Diagnostic::error(code::WRONG_TYPE, item.at.clone(), message);
            context.diagnostics.push(found.help("a colon and a blank make a mapping: put the rule in quotes"));
        } else {
            rules.extend(context.text("rules", item));
        }
    }
    rules
}

fn fillers(context: &mut Context<'_>, node: &Node, [rule, reminder, enabled, examples]: [&str; 4]) -> Fillers {
    let items = context.list_of(node, examples).iter();
    let examples = items
        .filter_map(|item| {
            let (user, ack) = (context.text_of(item, "user"), context.text_of(item, "ack"));
            match (user, ack) {
                (Some(user), Some(ack)) => {
                    Some(Spanned { value: FillerExample { user: user.value, ack: ack.value }, at: item.at.clone() })
                }
                (_, _) => {
                    context.error(code::WRONG_TYPE, &item.at, "an example is a mapping of `user` and `ack`");
                    None
                }
            }
        })
        .collect();
    Fillers {
        instructions: context.text_of(node, rule),
        reminder: context.text_of(node, reminder),
        enabled: node.get(enabled).and_then(|flag| context.flag(enabled, flag)),
        examples,
    }
}

/// Warns of overrides that stand where this profile doesn't read them (P18).
fn check_other_profile(context: &mut Context<'_>, root: &Node, profile: Profile) {
    let unread: &[(&str, &str)] = if profile.has_overrides_under_prompts() {
        &[("orchestrator", "text_rules"), ("orchestrator", "voice_rules"), ("fillers", "")]
    } else {
        &[
            ("prompts", "text_rules"),
            ("prompts", "voice_rules"),
            ("prompts", "ack_rule"),
            ("prompts", "ack_reminder"),
            ("prompts", "ack_enabled"),
            ("prompts", "ack_examples"),
        ]
    };
    for (section, key) in unread {
        let pair = match *key {
            "" => root.pair(section),
            key => root.get(section).and_then(|section| section.pair(key)),
        };
        let Some(pair) = pair else { continue };
        let message = format!("profile {profile} does not read `{}` here", pair.key);
        context.warn(code::AGENT_OTHER_PROFILE, &pair.key_at, message);
    }
}

/// What `integrations.yml` says that matters here.
#[derive(Default)]
pub(super) struct Integrations {
    pub(super) mcp_servers: Vec<Name>,
    /// The prompt budget, where this profile has it here.
    pub(super) max_prompt_tokens: Option<Spanned<u64>>,
}

/// Reads `integrations.yml`, whole or by its key names.
pub(super) fn integrations(context: &mut Context<'_>, root: &Node, profile: Profile) -> Integrations {
    let mut max_prompt_tokens = None;
    if let Some(pair) = root.pair("llm") {
        if profile.has_overrides_under_prompts() {
            max_prompt_tokens = context.count_of(&pair.value, "max_prompt_tokens");
        }
        if !profile.has_overrides_under_prompts() {
            context.error(
                code::CONFIG_UNEXPECTED_LLM,
                &pair.key_at,
                "`llm` is left over; the model group stands in agent.yml",
            );
        }
        for key in
            pair.value.pairs().iter().filter(|key| !["model_group", "max_prompt_tokens"].contains(&key.key.as_str()))
        {
            let message = format!("`llm` has no key `{}`", key.key);
            context.error(code::CONFIG_INVALID_LLM, &key.key_at, message);
        }
    }
    let servers = root.get("mcp_servers").map_or(&[][..], Node::items);
    let mcp_servers = servers.iter().filter_map(|server| server.get("name")?.as_text().map(Name::from)).collect();
    Integrations { mcp_servers, max_prompt_tokens }
}
