//! Declared entries: descriptions, initial values, seeding, and who reads and writes them (M16 to M26, M44, M63, M262).

use std::collections::BTreeSet;

use super::facts::Facts;
use super::outcomes::fits;
use super::reach::Reach;
use super::usage::Usage;
use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryKind, EntryScope};
use crate::agent::skill::Skill;
use crate::diagnostic::{Diagnostic, Place, Severity, code};
use crate::value::Value;

/// The prompt shows this many characters of a value (M262, M263).
const SHOWN: usize = 100;

/// Checks every declared entry.
pub(super) fn check(facts: &Facts<'_>, reach: &Reach, usage: &Usage, found: &mut Vec<Diagnostic>) {
    for entry in &facts.agent.project {
        check_entry(facts, None, entry, found);
        check_use(facts, reach, usage, entry, found);
    }
    for skill in facts.skills() {
        for entry in &skill.entries {
            check_entry(facts, Some(skill), entry, found);
            check_use(facts, reach, usage, entry, found);
        }
    }
    check_anonymization(facts, found);
}

fn check_entry(facts: &Facts<'_>, skill: Option<&Skill>, entry: &Entry, found: &mut Vec<Diagnostic>) {
    check_description(facts, skill, entry, found);
    check_initial(facts, entry, found);
    for value in entry.enum_values.iter().filter(|value| is_cut(entry, value)) {
        let message = format!("the prompt shows the first {SHOWN} of {} characters of this value", length(value));
        found.push(Diagnostic::warning(code::MEMORY_VALUE_CUT, entry.at.clone(), message).help(CUT_HELP));
    }
}

const CUT_HELP: &str = "keep values short; what is longer belongs in prose or a response";

/// P6, P7: in the newer profile exactly what the model can set has a description (M20, M20a).
fn check_description(facts: &Facts<'_>, skill: Option<&Skill>, entry: &Entry, found: &mut Vec<Diagnostic>) {
    if !facts.profile.ties_description_to_settable() {
        return;
    }
    let of_step = skill.and_then(|skill| collect_description(skill, entry));
    let is_settable = skill.is_some_and(|skill| entry.llm_settable || skill.collects(&entry.name));
    let own = entry.description.as_ref().filter(|text| !text.value.trim().is_empty());
    match (is_settable, own) {
        (false, Some(text)) => {
            let message = format!("the model can't set `{}`, so it never sees this description", entry.name);
            let diagnostic = Diagnostic::error(code::MEMORY_DESCRIPTION_NOT_EXPOSED, text.at.clone(), message);
            found.push(diagnostic.help("make it a comment, or let the model set the entry"));
        }
        (true, None) if of_step.is_none() => {
            let message = format!("the model can set `{}` and has no description of it", entry.name);
            let diagnostic = Diagnostic::error(code::MEMORY_MISSING_DESCRIPTION, entry.at.clone(), message);
            found.push(diagnostic.help("add `description:` here or on the collect step"));
        }
        (true, Some(text)) => {
            if let Some(step) = of_step {
                let message = format!(
                    "the collect step in line {} describes `{}` too, and its text counts",
                    step.line, entry.name
                );
                found.push(Diagnostic::warning(code::MEMORY_DOUBLE_DESCRIPTION, text.at.clone(), message));
            }
        }
        (true, None) | (false, None) => {}
    }
}

fn collect_description<'a>(skill: &'a Skill, entry: &Entry) -> Option<&'a Place> {
    let steps = skill.blocks.iter().flat_map(|block| &block.steps);
    let mut collects = steps.filter_map(|step| match &step.kind {
        StepKind::Collect(collect) if collect.entry.value == entry.name => Some(collect),
        _ => None,
    });
    let described = collects.find_map(|collect| collect.description.as_ref())?;
    (!described.value.trim().is_empty()).then_some(&described.at)
}

fn check_initial(facts: &Facts<'_>, entry: &Entry, found: &mut Vec<Diagnostic>) {
    let Some(at) = entry.initial_at.as_ref().filter(|_| !entry.initial.is_null()) else { return };
    if entry.scope == EntryScope::Project && facts.profile.initial_value_locks() {
        let value = entry.initial.to_display();
        if entry.seed {
            let message = format!("`{}` is never seeded: its initial_value {value} counts as set", entry.name);
            found.push(
                Diagnostic::warning(code::MEMORY_NEVER_SEEDED, at.clone(), message).help("remove `initial_value`"),
            );
        } else {
            let message = format!(
                "`{}` stays {value} for good: an initial value counts as set, so no write succeeds",
                entry.name
            );
            let diagnostic = Diagnostic::warning(code::MEMORY_LOCKED, at.clone(), message);
            found.push(diagnostic.help("remove `initial_value`; unset reads as None, which is false in conditions"));
        }
    }
    if let Some(wanted) = misfit(entry, &entry.initial) {
        let written = facts.written(at);
        let is_bare = matches!(*entry.initial, Value::Bool(_))
            && !matches!(written.to_ascii_lowercase().as_str(), "true" | "false");
        let diagnostic = if is_bare && matches!(entry.kind, EntryKind::Text | EntryKind::Categorical) {
            let message = format!("a bare `{written}` is a bool, and `{}` is {wanted}", entry.name);
            Diagnostic::warning(code::YAML_BARE_BOOL, at.clone(), message)
                .help(format!("put it in quotes: '{written}'"))
        } else {
            let message = format!("`{}` is {wanted}, and its initial value isn't", entry.name);
            Diagnostic::warning(code::MEMORY_INITIAL_TYPE, at.clone(), message)
        };
        found.push(diagnostic);
    }
    if is_cut(entry, &entry.initial) {
        let message =
            format!("the prompt shows the first {SHOWN} of {} characters of this value", length(&entry.initial));
        found.push(Diagnostic::warning(code::MEMORY_VALUE_CUT, at.clone(), message).help(CUT_HELP));
    }
}

/// Says what an entry takes where a value is something else.
pub(super) fn misfit(entry: &Entry, value: &Value) -> Option<&'static str> {
    let is_listed = entry.enum_values.is_empty() || entry.enum_values.iter().any(|known| known.equals(value));
    match (entry.kind, value) {
        (_, Value::Null) => None,
        (EntryKind::Categorical, _) if !is_listed => Some("one of its `enum_values`"),
        // An int passes for a float (M62); a bool is no number here.
        (EntryKind::Int, Value::Int(_)) | (EntryKind::Float, Value::Int(_) | Value::Float(_)) => None,
        (EntryKind::Int, _) => Some("an int"),
        (EntryKind::Float, _) => Some("a float"),
        (EntryKind::Bool, Value::Bool(_)) => None,
        (EntryKind::Bool, _) => Some("a bool"),
        (kind, value) if fits(kind, value) => None,
        (EntryKind::List, _) => Some("a list"),
        (EntryKind::Text | EntryKind::Categorical | EntryKind::Json | EntryKind::Any, _) => Some("a text"),
    }
}

/// Returns whether the prompt cuts a value (M262). Of a `pii` entry it shows none.
pub(super) fn is_cut(entry: &Entry, value: &Value) -> bool {
    !entry.pii && length(value) > SHOWN
}

fn length(value: &Value) -> usize {
    value.to_display().chars().count()
}

/// Tells of entries that nothing reads, or nothing writes. Without the tools in view neither is known.
fn check_use(facts: &Facts<'_>, reach: &Reach, usage: &Usage, entry: &Entry, found: &mut Vec<Diagnostic>) {
    if !facts.has_tools {
        return;
    }
    let is_locked =
        entry.scope == EntryScope::Project && facts.profile.initial_value_locks() && !entry.initial.is_null();
    let is_written = reach.values.get(&entry.key).is_some_and(|values| values.is_written);
    if !is_written && entry.initial.is_null() && !is_locked {
        let message = format!("nothing writes `{}`, so it stays None", entry.key);
        found.push(Diagnostic::note(code::MEMORY_NEVER_WRITTEN, entry.at.clone(), message));
    }
    if !usage.reads.contains(&entry.key) && !usage.has_unknown_reads {
        let message = format!("nothing names `{}`: it only stands in the listing that the model sees", entry.key);
        found.push(Diagnostic::note(code::MEMORY_NEVER_READ, entry.at.clone(), message));
    }
}

/// Checks `anonymization` (M345), which the loaded agent doesn't hold.
fn check_anonymization(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    // Few files say the word, and only those are read again.
    let says_it = |path: &&str| path.ends_with("memory.yml") && facts.says(path, "anonymization");
    let files: BTreeSet<&str> = facts.paths().filter(says_it).collect();
    for path in files {
        let Some(root) = facts.yaml(path) else { continue };
        let scopes: Vec<_> = match root.get("schema").filter(|_| path != "memory.yml") {
            Some(schema) => schema.pairs().iter().flat_map(|scope| scope.value.pairs()).collect(),
            None => root.pairs().iter().collect(),
        };
        for entry in scopes {
            let Some(pair) = entry.value.pair("anonymization").filter(|pair| !pair.value.is_null()) else { continue };
            let is_pii = entry.value.get("pii").is_some_and(|pii| pii.to_value() == Value::Bool(true));
            let kind = pair.value.get("type").and_then(|node| node.as_text());
            let problem = match kind {
                _ if !is_pii => format!("`{}` is not `pii`, so there is nothing to anonymise", entry.key),
                Some("redact" | "mask") => continue,
                Some(other) => format!("`{other}` is no way to anonymise; there are `redact` and `mask`"),
                None => "`anonymization` needs a `type`: `redact` or `mask`".to_owned(),
            };
            let severity = match facts.profile.has_anonymization() {
                true => Severity::Error,
                false => Severity::Note,
            };
            let diagnostic = Diagnostic::error(code::MEMORY_ANONYMIZATION, pair.key_at.clone(), problem);
            found.push(Diagnostic { severity, ..diagnostic });
        }
    }
}
