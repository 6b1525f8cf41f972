//! `agent.yml` and `integrations.yml` beyond what loading reads of them (M298 to M302, M330, M331, M336, M339, M340).

use std::collections::BTreeSet;

use super::facts::{Facts, beginning_of, meant};
use crate::agent::yaml::{Kind, Node, Pair};
use crate::diagnostic::{Diagnostic, Severity, code};

/// Top-level keys of `agent.yml`, in either generation (M298), and the two labels that real folders carry.
const AGENT_KEYS: [&str; 15] = [
    "agent",
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
    "name",
    "description",
];
/// Sections of `integrations.yml` (M339); `llm` has findings of its own (M302).
const SECTIONS: [&str; 15] = [
    "model_groups",
    "channels",
    "mcp_servers",
    "tracing",
    "metrics",
    "a2a_server",
    "event_broker",
    "timer_store",
    "rasa_model_server",
    "tracker_store",
    "lock_store",
    "secrets_manager",
    "recordings",
    "knowledge_stores",
    "llm",
];
/// Sections of the classic engine's files, which this one doesn't read.
const CLASSIC_SECTIONS: [&str; 6] = ["action_endpoint", "models", "nlg", "nlu", "vector_store", "credentials"];
/// Sections whose unknown keys fail the load (M331), with their keys.
const STRICT_SECTIONS: [(&str, &[&str]); 3] = [
    ("fillers", &["instructions", "reminder", "enabled", "examples"]),
    ("knowledge_answering", &["embeddings", "chunking", "instructions", "top_k"]),
    ("skill_retrieval", &["active", "num_skills", "turns_to_embed", "should_embed_memory", "embeddings"]),
];
/// Built-in tools that can be restrained (M336): the name, and whether it can be switched off.
const LEVERS: [(&str, bool); 7] = [
    ("cancel", true),
    ("complete", true),
    ("search_knowledge", true),
    ("cannot_help", true),
    ("activate", false),
    ("correct", false),
    ("set_fields", false),
];

/// Checks both files.
pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    if let Some(root) = facts.yaml("agent.yml") {
        check_agent(facts, &root, found);
    }
    match facts.yaml("integrations.yml") {
        Some(root) => check_integrations(facts, &root, found),
        None => {
            let message = "the folder has no integrations.yml, so models, channels and MCP servers are unknown";
            found.push(Diagnostic::error(code::CONFIG_MISSING_INTEGRATIONS, beginning_of("integrations.yml"), message));
        }
    }
    if facts.profile.refuses_endpoints() && facts.agent.definition.file("endpoints.yml").is_some() {
        let message = "an endpoints.yml at the root keeps the agent from starting";
        let diagnostic = Diagnostic::error(code::CONFIG_ENDPOINTS, beginning_of("endpoints.yml"), message);
        found.push(diagnostic.help("move its sections to integrations.yml"));
    }
}

fn check_agent(facts: &Facts<'_>, root: &Node, found: &mut Vec<Diagnostic>) {
    for pair in root.pairs().iter().filter(|pair| !AGENT_KEYS.contains(&&*pair.key)) {
        let message = format!("`{}` is no setting of an agent; the engine ignores it", pair.key);
        let diagnostic = Diagnostic::warning(code::AGENT_UNKNOWN_KEY, pair.key_at.clone(), message);
        found.push(diagnostic.help_if(meant(&pair.key, AGENT_KEYS)));
    }
    super::limits::check(facts, root, found);
    if facts.profile.has_overrides_under_prompts() {
        return;
    }
    for (section, keys) in STRICT_SECTIONS {
        let pairs = root.get(section).map_or(&[][..], Node::pairs);
        for pair in pairs.iter().filter(|pair| !keys.contains(&&*pair.key)) {
            let message = format!("`{section}` has no key `{}`, and the agent doesn't load", pair.key);
            let diagnostic = Diagnostic::error(code::AGENT_STRICT_KEY, pair.key_at.clone(), message);
            found.push(diagnostic.help_if(meant(&pair.key, keys.iter().copied())));
        }
    }
    check_model_group(facts, root, found);
    check_levers(root, found);
}

/// P19: in the newer profile `orchestrator.model_group` says which model runs the agent (M300).
fn check_model_group(facts: &Facts<'_>, root: &Node, found: &mut Vec<Diagnostic>) {
    let group = root.get("orchestrator").and_then(|section| section.get("model_group"));
    let Some(group) = group.filter(|node| node.as_text().is_some_and(|text| !text.trim().is_empty())) else {
        let at = root.pair("orchestrator").map_or(&root.at, |pair| &pair.key_at);
        let message = "`orchestrator.model_group` is missing, so no model runs the agent";
        found.push(Diagnostic::error(code::AGENT_MISSING_MODEL_GROUP, at.clone(), message));
        return;
    };
    let Some(integrations) = facts.yaml("integrations.yml") else { return };
    let groups = integrations.get("model_groups").map_or(&[][..], Node::items);
    let known: Vec<&str> = groups.iter().filter_map(|group| group.get("id")?.as_text()).collect();
    let name = group.as_text().unwrap_or_default();
    if !known.contains(&name) {
        let message = format!("integrations.yml declares no model group `{name}`");
        let diagnostic = Diagnostic::error(code::CONFIG_UNKNOWN_MODEL_GROUP, group.at.clone(), message);
        found.push(diagnostic.help_if(meant(name, known)));
    }
}

/// Checks `orchestrator.tool_constraints` (M336).
fn check_levers(root: &Node, found: &mut Vec<Diagnostic>) {
    let constraints = root.get("orchestrator").and_then(|section| section.get("tool_constraints"));
    for pair in constraints.map_or(&[][..], Node::pairs) {
        let lever = LEVERS.iter().find(|(name, _)| *name == pair.key);
        let mut report = |pair: &Pair, message: String, help: Option<String>| {
            let diagnostic = Diagnostic::error(code::AGENT_LEVER, pair.key_at.clone(), message);
            found.push(diagnostic.help_if(help));
        };
        let Some((name, can_be_off)) = lever else {
            let help = meant(&pair.key, LEVERS.map(|(name, _)| name));
            report(pair, format!("`{}` is no built-in tool that can be restrained", pair.key), help);
            continue;
        };
        for option in pair.value.pairs() {
            match &*option.key {
                "enabled" if option.value.to_value() == crate::value::Value::Bool(false) && !can_be_off => {
                    report(option, format!("`{name}` can't be switched off"), None);
                }
                "enabled" => {}
                "invoke_when" if option.value.as_text().is_none_or(|text| text.trim().is_empty()) => {
                    report(option, "`invoke_when` is blank".to_owned(), None);
                }
                "invoke_when" => {}
                "requires_confirmation" if *name == "cancel" => {}
                other => {
                    let help = meant(other, ["enabled", "invoke_when"]);
                    report(option, format!("`{name}` has no option `{other}`"), help);
                }
            }
        }
    }
}

fn check_integrations(facts: &Facts<'_>, root: &Node, found: &mut Vec<Diagnostic>) {
    for pair in root.pairs().iter().filter(|pair| !SECTIONS.contains(&&*pair.key)) {
        let is_classic = CLASSIC_SECTIONS.contains(&&*pair.key);
        let severity = match facts.profile.refuses_unknown_integrations() {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let (code, message, help) = match is_classic {
            true => (
                code::CONFIG_UNSUPPORTED_INTEGRATION,
                format!("`{}` is a section of the classic engine, and this one doesn't read it", pair.key),
                Some("remove it".to_owned()),
            ),
            false => (
                code::CONFIG_UNKNOWN_INTEGRATION,
                format!("integrations.yml has no section `{}`", pair.key),
                meant(&pair.key, SECTIONS),
            ),
        };
        let diagnostic = Diagnostic::error(code, pair.key_at.clone(), message);
        found.push(Diagnostic { severity, ..diagnostic }.help_if(help));
    }
    if matches!(root.get("model_groups").map(|node| &node.kind), None | Some(Kind::Scalar(..))) {
        let message = "integrations.yml declares no model groups";
        found.push(Diagnostic::error(code::CONFIG_MISSING_MODEL_GROUPS, root.at.clone(), message));
    }
    let mut names = BTreeSet::new();
    for server in root.get("mcp_servers").map_or(&[][..], Node::items) {
        let Some(node) = server.get("name") else { continue };
        let name = node.as_text().unwrap_or_default();
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
        if name.is_empty() || !is_name {
            let message = format!("`{name}` can't be the name of an MCP server");
            let diagnostic = Diagnostic::error(code::CONFIG_MCP_SERVER, node.at.clone(), message);
            found.push(diagnostic.help("a name has letters, digits, `_`, `.` and `-`"));
        }
        if !names.insert(name) {
            let message = format!("two MCP servers are called `{name}`");
            found.push(Diagnostic::error(code::CONFIG_DOUBLE_MCP_SERVER, node.at.clone(), message));
        }
    }
}
