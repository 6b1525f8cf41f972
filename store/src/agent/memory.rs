//! Reads `memory.yml`: the flat map of the project and the `schema` of a skill (M9 to M26), and access lists (M37).

use std::collections::HashMap;
use std::sync::Arc;

use super::entry::{Entry, EntryKind, EntryScope};
use super::field::{Context, is_identifier};
use super::yaml::{Kind, Node, Pair};
use crate::diagnostic::{Diagnostic, Spanned, code, nearest};
use crate::name::{Name, PROJECT, split_key};
use crate::value::Value;

/// Attributes of an entry; the last three are known from other builds and change nothing here (M18, M19, M345).
const ATTRIBUTES: [&str; 10] = [
    "type",
    "description",
    "enum_values",
    "llm_settable",
    "seed",
    "pii",
    "initial_value",
    "anonymization",
    "mutable",
    "immutable",
];

/// What a skill's `memory.yml` says.
#[derive(Default)]
pub(super) struct SkillMemory {
    pub(super) entries: Vec<Entry>,
    pub(super) deny_read: Vec<Spanned<Name>>,
    pub(super) deny_write: Vec<Spanned<Name>>,
}

/// Reads the project's `memory.yml`.
pub(super) fn project(context: &mut Context<'_>, root: &Node) -> Vec<Entry> {
    if !check_is_mapping(context, root, "project memory") {
        return Vec::new();
    }
    let is_wrapped =
        |pair: &&Pair| pair.key == "schema" && (pair.value.get("public").or(pair.value.get("private"))).is_some();
    if let Some(wrapper) = root.pairs().iter().find(is_wrapped) {
        let message = "project memory has no `schema`; this declares one entry of that name";
        let found = Diagnostic::warning(code::MEMORY_SHAPE, wrapper.key_at.clone(), message);
        context.diagnostics.push(found.help("put the entries at the top level of the file"));
    }
    root.pairs().iter().map(|pair| entry(context, PROJECT, EntryScope::Project, pair)).collect()
}

/// Reads the `memory.yml` of a skill.
pub(super) fn skill(context: &mut Context<'_>, root: &Node, id: &Name) -> SkillMemory {
    let mut memory = SkillMemory::default();
    if !check_is_mapping(context, root, "the memory of a skill") {
        return memory;
    }
    for pair in root.pairs().iter().filter(|pair| !["schema", "access"].contains(&pair.key.as_str())) {
        let message = format!("`{}` has no effect here: entries stand under `schema`", pair.key);
        context.warn(code::MEMORY_SHAPE, &pair.key_at, message);
    }
    let mut lines: HashMap<Name, u32> = HashMap::new();
    for pair in context.pairs_of(root, "schema") {
        let scope = match pair.key.as_str() {
            "public" => EntryScope::Public,
            "private" => EntryScope::Private,
            other => {
                let help = nearest(other, ["public", "private"]).map(|known| format!("did you mean `{known}`?"));
                let message = format!("`schema` has no key `{other}`; its entries are not declared");
                let found = Diagnostic::warning(code::MEMORY_SHAPE, pair.key_at.clone(), message);
                context.diagnostics.push(found.help_if(help));
                continue;
            }
        };
        if !pair.value.is_null() && !check_is_mapping(context, &pair.value, &format!("`{}`", pair.key)) {
            continue;
        }
        for declared in pair.value.pairs() {
            let entry = entry(context, id, scope, declared);
            match lines.get(&entry.name) {
                Some(line) => {
                    let message = format!("`{}` is declared in line {line} already", entry.name);
                    context.error(code::MEMORY_DOUBLE_NAME, &entry.at, message);
                }
                None => {
                    lines.insert(entry.name.clone(), entry.at.line);
                    memory.entries.push(entry);
                }
            }
        }
    }
    // Public entries come first, in whichever order the file has the two.
    memory.entries.sort_by_key(|entry| entry.scope);
    if let Some(access) = root.get("access") {
        memory.deny_read = context.names_of(access, "deny_read");
        memory.deny_write = context.names_of(access, "deny_write");
        let undotted =
            memory.deny_read.iter().chain(&memory.deny_write).filter(|item| split_key(&item.value).is_none());
        for item in undotted.cloned().collect::<Vec<_>>() {
            let message = format!("`{}` has no dot and therefore no effect", item.value);
            let found = Diagnostic::warning(code::ACCESS_NO_EFFECT, item.at, message);
            context.diagnostics.push(found.help("write <skill>.<entry> or project.<entry>"));
        }
    }
    memory
}

fn check_is_mapping(context: &mut Context<'_>, node: &Node, what: &str) -> bool {
    match &node.kind {
        Kind::Map(_) => true,
        Kind::Scalar(Value::Null, _) => false,
        Kind::Scalar(..) | Kind::List(_) => {
            let message = format!("{what} is a mapping of entries, and this is {}", node.kind_word());
            context.error(code::MEMORY_SHAPE, &node.at, message);
            false
        }
    }
}

fn entry(context: &mut Context<'_>, space: &str, scope: EntryScope, pair: &Pair) -> Entry {
    let name = Name::from(pair.key.as_str());
    if !is_identifier(&name) {
        let message = format!("`{name}` is a name that conditions can't write");
        let found = Diagnostic::warning(code::MEMORY_NAME, pair.key_at.clone(), message);
        context.diagnostics.push(found.help("use letters, digits and `_`"));
    }
    let node = &pair.value;
    if !node.is_null() && !matches!(node.kind, Kind::Map(_)) {
        let message = format!("`{name}` takes a mapping of attributes, and this is {}", node.kind_word());
        context.error(code::MEMORY_SHAPE, &node.at, message);
    }
    for attribute in node.pairs().iter().filter(|pair| !ATTRIBUTES.contains(&pair.key.as_str())) {
        let help = nearest(&attribute.key, ATTRIBUTES).map(|known| format!("did you mean `{known}`?"));
        let message = format!("`{}` is no attribute of an entry; the engine ignores it", attribute.key);
        let found = Diagnostic::warning(code::MEMORY_ATTRIBUTE, attribute.key_at.clone(), message);
        context.diagnostics.push(found.help_if(help));
    }
    let initial = node.get("initial_value");
    let entry = Entry {
        key: Name::from(format!("{space}.{name}")),
        scope,
        kind: kind(context, node),
        description: context.text_of(node, "description"),
        enum_values: context.list_of(node, "enum_values").iter().map(Node::to_value).collect(),
        llm_settable: context.flag_of(node, "llm_settable"),
        seed: context.flag_of(node, "seed"),
        pii: context.flag_of(node, "pii"),
        initial: Arc::new(initial.map(Node::to_value).unwrap_or_default()),
        initial_at: initial.map(|node| node.at.clone()),
        at: pair.key_at.clone(),
        name,
    };
    check_attributes(context, &entry, node);
    entry
}

fn kind(context: &mut Context<'_>, node: &Node) -> EntryKind {
    let Some(written) = context.name_of(node, "type") else { return EntryKind::Any };
    EntryKind::parse(&written.value).unwrap_or_else(|| {
        let known = EntryKind::ALL.map(|(name, _)| name);
        let meant = match &*written.value {
            "string" | "str" => Some("text"),
            "boolean" => Some("bool"),
            "integer" | "number" => Some("int"),
            "array" => Some("list"),
            other => nearest(other, known),
        };
        let message = format!("`{}` is no type; it is read as `any`", written.value);
        let help = meant.map_or_else(|| format!("types are {}", known.join(", ")), |meant| format!("write `{meant}`"));
        context.diagnostics.push(Diagnostic::warning(code::MEMORY_TYPE, written.at, message).help(help));
        EntryKind::Any
    })
}

fn check_attributes(context: &mut Context<'_>, entry: &Entry, node: &Node) {
    let place_of = |key: &str| node.pair(key).map_or(entry.at.clone(), |pair| pair.key_at.clone());
    if entry.llm_settable && entry.scope == EntryScope::Project {
        let message = format!("`{}` is project memory, which the model can't set", entry.name);
        context.error(code::MEMORY_PROJECT_SETTABLE, &place_of("llm_settable"), message);
    }
    if entry.seed && entry.scope != EntryScope::Project {
        let message = format!("`{}` belongs to a skill; only project memory is seeded", entry.name);
        context.error(code::MEMORY_SKILL_SEED, &place_of("seed"), message);
    }
    if context.flag_of(node, "mutable") {
        let at = place_of("mutable");
        let found = match entry.scope {
            EntryScope::Project => {
                let message =
                    format!("`{}` locks on its first write all the same: no engine honours `mutable`", entry.name);
                Diagnostic::warning(code::MEMORY_MUTABLE, at, message)
                    .help("declare it in the memory of a skill, where values may change")
            }
            EntryScope::Public | EntryScope::Private => {
                let message = format!("`{}` belongs to a skill, whose values may change anyway", entry.name);
                Diagnostic::error(code::MEMORY_MUTABLE, at, message).help("remove `mutable`")
            }
        };
        context.diagnostics.push(found);
    }
    if entry.kind == EntryKind::Categorical
        && let Some(value) = context.list_of_bools(node)
    {
        let message = "a bare `yes`, `no`, `on` or `off` is a bool, so the model would choose from `true` and `false`";
        let found = Diagnostic::warning(code::YAML_BARE_BOOL, value, message);
        context.diagnostics.push(found.help("put the values in quotes"));
    }
}

impl Context<'_> {
    /// Returns where the first enum value stands that is a bool and isn't written as one.
    fn list_of_bools(&self, node: &Node) -> Option<crate::diagnostic::Place> {
        let values = node.get("enum_values")?.items().iter();
        let is_bare = |written: &str| !matches!(written.to_ascii_lowercase().as_str(), "true" | "false");
        let mut found =
            values.filter(|item| matches!(&item.kind, Kind::Scalar(Value::Bool(_), written) if is_bare(written)));
        found.next().map(|item| item.at.clone())
    }
}
