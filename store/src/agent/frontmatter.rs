//! Reads the frontmatter of a `skill.md` (M94 to M114, M183 to M191, M236).

use super::field::Context;
use super::skill::{CompleteWhen, Confirmation, Skill, ToolConstraint, ToolImport, UtterTrigger};
use super::yaml::{Kind, Node, Pair};
use crate::diagnostic::{Diagnostic, Spanned, code, nearest};
use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

/// The keys of a skill, in either generation (M97).
const KEYS: [&str; 13] = [
    "name",
    "description",
    "requires",
    "precondition",
    "hidden",
    "complete_when",
    "import_tools",
    "tool_constraints",
    "utter",
    "disabled",
    "always_include_in_prompt",
    "knowledge_answering",
    "routing",
];

/// Those that the older generation ignores.
const NEWER_KEYS: [&str; 4] = ["precondition", "hidden", "always_include_in_prompt", "knowledge_answering"];

/// Reads the frontmatter into a skill.
pub(super) fn read(context: &mut Context<'_>, root: &Node, profile: Profile, skill: &mut Skill) {
    if !root.is_null() && !matches!(root.kind, Kind::Map(_)) {
        context.error(
            code::WRONG_TYPE,
            &root.at,
            format!("the frontmatter is a mapping, and this is {}", root.kind_word()),
        );
    }
    check_keys(context, root, profile);
    match label(context, root, "name") {
        Some(name) => skill.name = name,
        None => context.error(code::SKILL_MISSING_NAME, &skill.at, format!("the skill `{}` has no `name`", skill.id)),
    }
    match label(context, root, "description") {
        Some(description) => skill.description = description,
        None => {
            let message = format!("the skill `{}` has no `description`, so routing can't choose it", skill.id);
            context.error(code::SKILL_MISSING_DESCRIPTION, &skill.at, message);
        }
    }
    skill.requires = context.gate_of(root, "requires");
    skill.complete_when = complete_when(context, root, profile);
    skill.disabled = context.flag_of(root, "disabled");
    if profile.has_newer_frontmatter() {
        newer(context, root, skill);
    }
    if let Some(routing) = root.get("routing") {
        skill.engine_managed = context.flag_of(routing, "engine_managed");
    }
    skill.import_tools =
        context.list_of(root, "import_tools").iter().filter_map(|item| import(context, item)).collect();
    skill.tool_constraints = tool_constraints(context, root);
    skill.utter = context.list_of(root, "utter").iter().filter_map(|item| utter(context, item)).collect();
}

fn newer(context: &mut Context<'_>, root: &Node, skill: &mut Skill) {
    skill.precondition = context.name_of(root, "precondition");
    skill.hidden = context.flag_of(root, "hidden");
    skill.always_include_in_prompt = context.flag_of(root, "always_include_in_prompt");
    skill.knowledge_instructions =
        root.get("knowledge_answering").and_then(|answering| context.text_of(answering, "instructions"));
}

fn check_keys(context: &mut Context<'_>, root: &Node, profile: Profile) {
    let is_ignored = |pair: &&Pair| !profile.has_newer_frontmatter() && NEWER_KEYS.contains(&pair.key.as_str());
    for pair in root.pairs().iter().filter(is_ignored) {
        let message = format!("`{}` of a skill does not exist in profile {profile}; the engine ignores it", pair.key);
        context.warn(code::SKILL_OTHER_PROFILE, &pair.key_at, message);
    }
    for pair in root.pairs().iter().filter(|pair| !KEYS.contains(&pair.key.as_str())) {
        let help = nearest(&pair.key, KEYS).map(|known| format!("did you mean `{known}`?"));
        let at = pair.key_at.clone();
        let found = if profile.refuses_unknown_frontmatter() {
            let message = format!("`{}` is no key of a skill", pair.key);
            Diagnostic::error(code::SKILL_UNKNOWN_KEY, at, message)
        } else {
            let message = format!("`{}` is no key of a skill; the engine ignores it", pair.key);
            Diagnostic::warning(code::SKILL_IGNORED_KEY, at, message)
        };
        context.diagnostics.push(found.help_if(help));
    }
    if let Some(requires) = root.pair("requires").filter(|_| !profile.has_skill_requires()) {
        let message = format!("`requires` of a skill does not exist in profile {profile}");
        let found = Diagnostic::error(code::SKILL_OTHER_PROFILE, requires.key_at.clone(), message);
        context.diagnostics.push(found.help("use `precondition`, `hidden`, or `requires` of a tool"));
    }
}

/// Reads a name or description: a text that isn't blank (M94).
fn label(context: &mut Context<'_>, root: &Node, key: &str) -> Option<Spanned<String>> {
    let node = root.get(key)?;
    let text = context.text(key, node)?;
    (!text.value.trim().is_empty()).then_some(text)
}

fn complete_when(context: &mut Context<'_>, root: &Node, profile: Profile) -> Option<CompleteWhen> {
    let pair = root.pair("complete_when").filter(|pair| !pair.value.is_null())?;
    let is_mapping = matches!(pair.value.kind, Kind::Map(_));
    if is_mapping != profile.has_complete_when_mapping() {
        let wanted = if is_mapping { "a condition" } else { "a mapping with `condition` or `criteria`" };
        let message = format!("`complete_when` takes {wanted} in profile {profile}");
        context.error(code::SKILL_OTHER_PROFILE, &pair.key_at, message);
    }
    if !is_mapping {
        return Some(CompleteWhen { condition: context.gate("complete_when", &pair.value), criteria: Vec::new() });
    }
    context.check_keys(pair.value.pairs(), &["condition", "criteria"], code::SKILL_UNKNOWN_OPTION, "`complete_when`");
    let criteria = context.list_of(&pair.value, "criteria").iter();
    let criteria = criteria.filter_map(|item| context.text("criteria", item)).collect();
    Some(CompleteWhen { condition: context.gate_of(&pair.value, "condition"), criteria })
}

/// Reads an import: a shared tool, or `mcp/<server>:<tool>` (M101).
fn import(context: &mut Context<'_>, node: &Node) -> Option<Spanned<ToolImport>> {
    let written = context.name("import_tools", node)?;
    let import = match written.value.strip_prefix("mcp/") {
        None => ToolImport { server: None, tool: written.value },
        Some(path) => match path.rsplit_once(':') {
            Some((server, tool)) => ToolImport { server: Some(Name::from(server)), tool: Name::from(tool) },
            None => {
                let message = format!("`{}` names no tool of its server", written.value);
                let found = Diagnostic::error(code::SKILL_IMPORT, written.at, message);
                context.diagnostics.push(found.help("write mcp/<server>:<tool>"));
                return None;
            }
        },
    };
    Some(Spanned { value: import, at: written.at })
}

/// Returns the pair of an item that must be a mapping of one key.
fn single_pair(item: &Node) -> Option<&Pair> {
    match item.pairs() {
        [pair] => Some(pair),
        _ => None,
    }
}

fn tool_constraints(context: &mut Context<'_>, root: &Node) -> Vec<ToolConstraint> {
    const OPTIONS: [&str; 4] = ["requires", "requires_confirmation", "on_success", "on_failure"];
    let mut constraints: Vec<ToolConstraint> = Vec::new();
    let Some(node) = root.get("tool_constraints") else { return constraints };
    if !matches!(node.kind, Kind::List(_)) {
        let message = format!("`tool_constraints` is a list, and this is {}", node.kind_word());
        context.error(code::SKILL_TOOL_CONSTRAINTS, &node.at, message);
    }
    for item in node.items() {
        let pair = single_pair(item).filter(|pair| matches!(pair.value.kind, Kind::Map(_)));
        let Some(pair) = pair else {
            let message = "a constraint is a mapping of one tool to its options";
            let help = "write the tool, a colon, and the options indented beneath it";
            context
                .diagnostics
                .push(Diagnostic::error(code::SKILL_TOOL_CONSTRAINTS, item.at.clone(), message).help(help));
            continue;
        };
        let tool = Spanned { value: Name::from(pair.key.as_str()), at: pair.key_at.clone() };
        if constraints.iter().any(|other| other.tool.value == tool.value) {
            let message = format!("`{}` has two constraints; the first one counts", tool.value);
            context.error(code::SKILL_DOUBLE_CONSTRAINT, &tool.at, message);
        }
        context.check_keys(pair.value.pairs(), &OPTIONS, code::SKILL_UNKNOWN_OPTION, "a tool constraint");
        constraints.push(ToolConstraint {
            tool,
            requires: context.gate_of(&pair.value, "requires"),
            confirmation: pair.value.get("requires_confirmation").map(|node| confirmation(context, node)),
            on_success: context.name_of(&pair.value, "on_success"),
            on_failure: context.name_of(&pair.value, "on_failure"),
        });
    }
    constraints
}

/// Reads `requires_confirmation` (M191).
pub(super) fn confirmation(context: &mut Context<'_>, node: &Node) -> Confirmation {
    const OPTIONS: [&str; 3] = ["enabled", "utter_for_confirmation", "utter_on_user_denial"];
    if !matches!(node.kind, Kind::Map(_)) {
        let message = format!("`requires_confirmation` takes a mapping, and this is {}", node.kind_word());
        context.error(code::WRONG_TYPE, &node.at, message);
    }
    context.check_keys(node.pairs(), &OPTIONS, code::SKILL_UNKNOWN_OPTION, "`requires_confirmation`");
    Confirmation {
        enabled: context.flag_of(node, "enabled"),
        ask: context.name_of(node, "utter_for_confirmation"),
        denial: context.name_of(node, "utter_on_user_denial"),
        at: node.at.clone(),
    }
}

fn utter(context: &mut Context<'_>, item: &Node) -> Option<UtterTrigger> {
    let pair = single_pair(item);
    let trigger = pair.and_then(|pair| {
        // A bare `on` is the key `true` in YAML 1.1 (M21); the engine reads both.
        let on = pair.value.get("on").or_else(|| pair.value.get("true"));
        let on_activate = on.is_some_and(|on| on.as_text() == Some("activate"));
        let when = context.gate_of(&pair.value, "when");
        let response = Spanned { value: Name::from(pair.key.as_str()), at: pair.key_at.clone() };
        (on_activate || when.is_some()).then_some(UtterTrigger { response, on_activate, when })
    });
    if trigger.is_none() {
        let found = Diagnostic::error(code::SKILL_UTTER, item.at.clone(), "this says no response and when to say it");
        context.diagnostics.push(found.help("write the response, a colon, and `on: activate` or `when: <condition>`"));
    }
    trigger
}

/// Returns whether a value is a bare mapping of `complete_when`; a hint for the newer profile (M323).
pub(super) fn has_mapping(root: &Node, key: &str) -> bool {
    root.get(key).is_some_and(|node| matches!(node.kind, Kind::Map(_)))
}

/// Returns whether a value is a text; a hint for the older profile (M323).
pub(super) fn has_text(root: &Node, key: &str) -> bool {
    root.get(key).is_some_and(|node| matches!(&node.kind, Kind::Scalar(Value::Text(_), _)))
}
