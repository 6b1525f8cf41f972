//! JSON schemas of the framework's own tools (6.5, M218).

use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryKind};
use crate::agent::skill::Skill;
use crate::name::Name;
use crate::value::Value;

/// Arguments of `set_fields`: an optional property for each settable entry, by its bare name (M218).
pub(super) fn set_fields(skill: &Skill) -> Value {
    let properties = skill.settable_entries().map(|entry| (entry.name.to_string(), property(skill, entry)));
    arguments(properties.collect(), &[])
}

/// Arguments of `correct`. Which type `value` has isn't documented.
pub(super) fn correct(entries: &[&Entry]) -> Value {
    let keys = entries.iter().map(|entry| Value::Text(entry.name.to_string())).collect();
    let key = object([("type", text("string")), ("enum", Value::List(keys))]);
    arguments(vec![("memory_key".to_owned(), key), ("value".to_owned(), object([]))], &["memory_key", "value"])
}

/// Arguments of `activate`.
pub(super) fn activate(targets: &[Name]) -> Value {
    let ids = targets.iter().map(|id| Value::Text(id.to_string())).collect();
    let target = object([("type", text("string")), ("enum", Value::List(ids))]);
    arguments(vec![("target_id".to_owned(), target)], &["target_id"])
}

/// Arguments of a tool that takes one, of a JSON type.
pub(super) fn one(name: &str, json_type: &str) -> Value {
    arguments(vec![(name.to_owned(), object([("type", text(json_type))]))], &[name])
}

/// Arguments of a tool that takes none.
pub(super) fn none() -> Value {
    arguments(Vec::new(), &[])
}

fn property(skill: &Skill, entry: &Entry) -> Value {
    let mut pairs = vec![("type".to_owned(), text(entry.kind.json_type()))];
    if let Some(description) = description(skill, entry) {
        pairs.push(("description".to_owned(), text(description.trim_end())));
    }
    if entry.kind == EntryKind::Categorical && !entry.enum_values.is_empty() {
        pairs.push(("enum".to_owned(), Value::List(entry.enum_values.clone())));
    }
    Value::Map(pairs)
}

/// Returns what the model reads about an entry: of its collect steps the last one's words win over its own (M20a).
fn description<'a>(skill: &'a Skill, entry: &'a Entry) -> Option<&'a str> {
    let collects = skill.blocks.iter().flat_map(|block| &block.steps).filter_map(|step| {
        let StepKind::Collect(collect) = &step.kind else { return None };
        (collect.entry.value == entry.name).then_some(collect)
    });
    let of_step = collects.filter_map(|collect| collect.description.as_ref()).next_back();
    let words = [of_step, entry.description.as_ref()].into_iter().flatten().map(|words| words.value.as_str());
    words.into_iter().find(|words| !words.trim().is_empty())
}

fn arguments(properties: Vec<(String, Value)>, required: &[&str]) -> Value {
    let mut pairs = vec![("type".to_owned(), text("object")), ("properties".to_owned(), Value::Map(properties))];
    if !required.is_empty() {
        pairs.push(("required".to_owned(), Value::List(required.iter().map(|name| text(name)).collect())));
    }
    pairs.push(("additionalProperties".to_owned(), Value::Bool(false)));
    Value::Map(pairs)
}

fn object<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
