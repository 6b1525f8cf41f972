//! Which values an entry can ever have, as far as the folder tells.
//!
//! The answer may hold too many values and never too few: where tools aren't in view, or write what can't be told,
//! every value of the entry's type is possible.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::facts::Facts;
use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryKind, EntryScope};
use crate::agent::skill::{Skill, SkillOrigin};
use crate::agent::tool_files::ToolFile;
use crate::name::{Name, PROJECT, split_key};
use crate::value::Value;

/// More values than this are not told apart: any of the type is possible then.
const KNOWN_MAX: usize = 256;

/// The values that an entry can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Values {
    /// Single ones; `null` is "unset".
    pub(super) known: Vec<Value>,
    /// Beside them, every value of a type but `null`.
    pub(super) any_of: Option<EntryKind>,
    /// Whether anything ever writes the entry.
    pub(super) is_written: bool,
}

impl Values {
    /// The values of an entry that can't be read.
    pub(super) fn unset() -> Values {
        Values { known: vec![Value::Null], any_of: None, is_written: false }
    }
}

/// What is known to write an entry.
#[derive(Default)]
struct Writers {
    literals: BTreeMap<Name, Vec<Value>>,
    /// Entries that may be written with any value of their type.
    open: BTreeSet<Name>,
    /// Namespaces whose every entry may be written.
    open_spaces: BTreeSet<Name>,
}

/// Returns the values of every entry while only `started` skills ever run.
pub(super) fn values(facts: &Facts<'_>, started: &BTreeSet<Name>) -> BTreeMap<Name, Values> {
    let writers = writers(facts, started);
    facts.agent.entries().map(|entry| (entry.key.clone(), values_of(facts, entry, &writers))).collect()
}

fn values_of(facts: &Facts<'_>, entry: &Entry, writers: &Writers) -> Values {
    let initial = Value::clone(&entry.initial);
    let is_locked = entry.scope == EntryScope::Project && !initial.is_null() && facts.profile.initial_value_locks();
    if is_locked {
        return Values { known: vec![initial], ..Values::default() };
    }
    let mut values = Values::default();
    let mut seen = HashSet::new();
    let mut add = |value: &Value| {
        if values.known.len() >= KNOWN_MAX {
            values.any_of = Some(entry.kind);
        } else if seen.insert(value.to_json()) {
            values.known.push(value.clone());
        }
    };
    add(&initial);
    let space = split_key(&entry.key).map_or("", |(space, _)| space);
    let is_engine = facts.agent.skills.get(space).is_some_and(|skill| skill.engine_managed);
    let is_open = writers.open.contains(&entry.key) || writers.open_spaces.contains(space) || is_engine || entry.seed;
    let literals = writers.literals.get(&entry.key);
    if is_open {
        add(&Value::Null);
    }
    literals.into_iter().flatten().for_each(&mut add);
    match entry.kind {
        _ if !is_open => {}
        EntryKind::Bool => [true, false].iter().for_each(|truth| add(&Value::Bool(*truth))),
        EntryKind::Categorical if !entry.enum_values.is_empty() => entry.enum_values.iter().for_each(&mut add),
        kind => values.any_of = Some(kind),
    }
    values.is_written = is_open || literals.is_some();
    values
}

fn writers(facts: &Facts<'_>, started: &BTreeSet<Name>) -> Writers {
    let mut writers = Writers::default();
    for skill in facts.agent.skills.values().filter(|skill| started.contains(&skill.id)) {
        writers.open.extend(skill.settable_entries().map(|entry| entry.key.clone()));
        for step in skill.blocks.iter().flat_map(|block| &block.steps) {
            if let StepKind::SetMemory(pairs) = &step.kind {
                for (key, value) in pairs {
                    if let Some(entry) = resolve(facts, skill, &key.value) {
                        writers.literals.entry(entry.key.clone()).or_default().push(value.clone());
                    }
                }
            }
        }
        if !facts.has_tools && skill.origin == SkillOrigin::Folder {
            writers.open_spaces.extend([skill.id.clone(), Name::from(PROJECT)]);
        }
        facts
            .local(&skill.id)
            .iter()
            .chain(facts.imported(skill))
            .for_each(|file| code(facts, skill, file, &mut writers));
    }
    for file in &facts.hooks {
        writers.open.extend(file.calls.iter().filter(|call| call.writes).map(|call| qualified(&call.key.value)));
        if file.has_unknown_writes {
            writers.open_spaces.insert(Name::from(PROJECT));
            writers.open_spaces.extend(facts.agent.skills.keys().cloned());
        }
    }
    let buttons =
        facts.agent.responses.values().flat_map(|response| &response.variants).flat_map(|variant| &variant.buttons);
    for payload in buttons.filter_map(|button| button.payload.as_ref()) {
        writers.open.extend(button_key(&payload.value).map(Name::from));
    }
    let has_sources = facts
        .agent
        .responses
        .values()
        .flat_map(|response| &response.variants)
        .any(|variant| variant.button_source.is_some());
    if has_sources {
        // Buttons that a tool makes may name any entry.
        writers.open_spaces.insert(Name::from(PROJECT));
        writers.open_spaces.extend(started.iter().cloned());
    }
    writers
}

fn code(facts: &Facts<'_>, skill: &Skill, file: &ToolFile, writers: &mut Writers) {
    let keys = file.calls.iter().filter(|call| call.writes);
    writers.open.extend(keys.filter_map(|call| resolve(facts, skill, &call.key.value)).map(|entry| entry.key.clone()));
    if file.has_unknown_writes {
        writers.open_spaces.extend([skill.id.clone(), Name::from(PROJECT)]);
    }
}

/// Returns the entry that a bare or qualified name means for a writer of a skill (M30, M42).
pub(super) fn resolve<'a>(facts: &Facts<'a>, skill: &Skill, name: &str) -> Option<&'a Entry> {
    if split_key(name).is_some() {
        return facts.agent.entry(name);
    }
    let own = facts.agent.skills.get(&skill.id).and_then(|skill| skill.entry(name));
    own.or_else(|| facts.agent.project.iter().find(|entry| entry.name == name))
}

/// Returns the entry that the payload of a button writes (M233).
pub(super) fn button_key(payload: &str) -> Option<&str> {
    payload.strip_prefix("set:session.").and_then(|rest| rest.split_once('=')).map(|(key, _)| key)
}

fn qualified(name: &Name) -> Name {
    match split_key(name) {
        Some(_) => name.clone(),
        None => Name::from(format!("{PROJECT}.{name}")),
    }
}
