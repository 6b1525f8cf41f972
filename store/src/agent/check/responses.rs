//! Responses: that those named exist, that one wording can always be chosen, that placeholders and buttons name memory
//! (M220 to M235, M355).

use std::collections::BTreeMap;

use super::facts::{Facts, meant};
use super::names::{meant as entry_meant, unreadable};
use super::reach::is_denied;
use super::values::button_key;
use crate::agent::block::StepKind;
use crate::agent::engine::response_names;
use crate::agent::entry::{EntryKind, EntryScope};
use crate::agent::response::{Response, ResponseSource, Variant, placeholders};
use crate::agent::skill::{Skill, SkillOrigin};
use crate::diagnostic::{Diagnostic, Place, Spanned, code};
use crate::name::{Name, PROJECT, split_key};

/// What a response may name although nothing declares it: the engine fills it in (M356).
const ENGINE_PLACEHOLDERS: [&str; 1] = ["button_title"];
/// Actions that are no responses (M347).
const ENGINE_ACTIONS: [&str; 2] = ["action_listen", "hangup"];

/// Checks responses and everything that names one.
pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let named = named(facts);
    for (skill, name) in &named {
        check_named(facts, skill, name, found);
    }
    let mut users: BTreeMap<&str, Vec<&Skill>> = BTreeMap::new();
    for (skill, name) in &named {
        users.entry(&name.value).or_default().push(skill);
    }
    let packaged = response_names();
    for response in facts.agent.responses.values() {
        let readers = match &response.source {
            ResponseSource::Engine => continue,
            ResponseSource::Skill(id) => facts.agent.skills.get(id).into_iter().collect(),
            // A response of the root reads with the rights of every skill that says it (M225).
            ResponseSource::Project => users.get(&*response.name).cloned().unwrap_or_default(),
        };
        check_response(facts, response, &readers, found);
        let is_used = users.contains_key(&*response.name) || packaged.contains(&*response.name);
        check_use(response, is_used, found);
    }
}

/// Returns every name of a response that a skill of the folder gives, with the skill (M235).
fn named<'a>(facts: &Facts<'a>) -> Vec<(&'a Skill, &'a Spanned<Name>)> {
    let mut named = Vec::new();
    for skill in facts.agent.skills.values() {
        named.extend(skill.utter.iter().map(|trigger| (skill, &trigger.response)));
        for constraint in &skill.tool_constraints {
            let confirmation = constraint.confirmation.iter().flat_map(|one| [&one.ask, &one.denial]);
            let outcomes = [&constraint.on_success, &constraint.on_failure];
            named.extend(outcomes.into_iter().chain(confirmation).flatten().map(|name| (skill, name)));
        }
        for step in skill.blocks.iter().flat_map(|block| &block.steps) {
            match &step.kind {
                StepKind::Action(name) if !ENGINE_ACTIONS.contains(&&*name.value) => named.push((skill, name)),
                StepKind::Collect(collect) => named.extend(collect.utterance.iter().map(|name| (skill, name))),
                _ => {}
            }
        }
    }
    named
}

fn check_named(facts: &Facts<'_>, skill: &Skill, name: &Spanned<Name>, found: &mut Vec<Diagnostic>) {
    if skill.origin == SkillOrigin::Engine || facts.agent.responses.contains_key(&name.value) {
        return;
    }
    let message = format!("no response is called `{}`", name.value);
    let diagnostic = Diagnostic::error(code::RESPONSE_UNKNOWN, name.at.clone(), message);
    let help = meant(&name.value, facts.agent.responses.keys().map(Name::as_str));
    let help = help.unwrap_or_else(|| "add it to a responses.yml".to_owned());
    found.push(diagnostic.help(help));
}

fn check_use(response: &Response, is_used: bool, found: &mut Vec<Diagnostic>) {
    if is_used {
        return;
    }
    let source = response.variants.iter().find_map(|variant| variant.button_source.as_ref());
    let diagnostic = match (&response.source, source) {
        (ResponseSource::Project, Some(source)) => {
            let message = format!("no skill says `{}`, so the tool `{}` belongs to none", response.name, source.value);
            Diagnostic::error(code::RESPONSE_UNBOUND_SOURCE, source.at.clone(), message)
        }
        (_, _) => {
            let message = format!("nothing says `{}`", response.name);
            Diagnostic::note(code::RESPONSE_UNUSED, response.at.clone(), message)
        }
    };
    found.push(diagnostic);
}

fn check_response(facts: &Facts<'_>, response: &Response, readers: &[&Skill], found: &mut Vec<Diagnostic>) {
    let plain: Vec<&Variant> = response.variants.iter().filter(|variant| variant.condition.is_none()).collect();
    if plain.len() < response.variants.len() && plain.len() != 1 {
        let (at, message) = match plain[..] {
            [] => (&response.at, format!("where no condition of `{}` holds, its name is said instead", response.name)),
            [_, second, ..] => (
                &second.text.at,
                format!("`{}` has {} wordings without a condition, beside others", response.name, plain.len()),
            ),
            [_] => unreachable!("the condition above takes this case"),
        };
        let diagnostic = Diagnostic::error(code::RESPONSE_DEFAULT, at.clone(), message);
        found.push(diagnostic.help("give exactly one wording no `condition`"));
    }
    for variant in &response.variants {
        if variant.text.value.trim().is_empty() {
            let message = format!("this wording of `{}` has no text", response.name);
            found.push(Diagnostic::error(code::RESPONSE_EMPTY_TEXT, variant.text.at.clone(), message));
        }
        let references = variant.condition.iter().filter_map(|gate| Some((gate, gate.condition.as_ref()?)));
        for (gate, condition) in references {
            for (reference, span) in condition.references() {
                if let Some(why) = unreadable_for_all(facts, readers, &reference.key) {
                    let at = facts.place_in(&gate.text.value, &gate.text.at, span);
                    let message = format!("`session.{}` {why}", reference.key);
                    let help = entry_meant(facts.agent, readers.first().copied(), &reference.key);
                    found.push(Diagnostic::error(code::CONDITION_UNKNOWN_KEY, at, message).help_if(help));
                }
            }
        }
        let texts = variant.buttons.iter().flat_map(|button| [Some(&button.title), button.payload.as_ref()]);
        for text in std::iter::once(Some(&variant.text)).chain(texts).flatten() {
            check_placeholders(facts, readers, text, found);
        }
        for payload in variant.buttons.iter().filter_map(|button| button.payload.as_ref()) {
            check_payload(facts, readers, payload, found);
        }
        if let Some(source) = &variant.button_source {
            check_source(facts, readers, source, found);
        }
    }
}

/// Says why none of the readers can read an entry; where there is no reader, why nobody could.
fn unreadable_for_all(facts: &Facts<'_>, readers: &[&Skill], key: &str) -> Option<String> {
    match readers {
        [] => facts.agent.entry(key).is_none().then(|| unreadable(facts.agent, None, key)).flatten(),
        readers => {
            let mut whys = readers.iter().map(|reader| unreadable(facts.agent, Some(reader), key));
            whys.try_fold(None, |_, why| why.map(Some)).flatten()
        }
    }
}

/// Returns whether a bare name means an entry for one of the readers, which stand in order of their ids; where there is
/// no reader, whether it could.
fn is_entry_of_any(facts: &Facts<'_>, readers: &[&Skill], name: &str) -> bool {
    let is_reader = |id: &str| readers.binary_search_by(|reader| reader.id.as_str().cmp(id)).is_ok();
    facts.entries_called(name).iter().any(|entry| {
        let owner = split_key(&entry.key).map_or("", |(space, _)| space);
        readers.is_empty() || entry.scope == EntryScope::Project || is_reader(owner)
    })
}

fn check_placeholders(facts: &Facts<'_>, readers: &[&Skill], text: &Spanned<String>, found: &mut Vec<Diagnostic>) {
    for (span, name) in placeholders(&text.value) {
        let at = || facts.place_in(&text.value, &text.at, span.clone());
        let written = &text.value[span.clone()];
        if split_key(name).is_some() {
            if let Some(why) = unreadable_for_all(facts, readers, name) {
                let message = format!("`{written}` {why}");
                let help = entry_meant(facts.agent, readers.first().copied(), name);
                found.push(Diagnostic::error(code::RESPONSE_UNDECLARED, at(), message).help_if(help));
            } else if let Some(reader) = readers.iter().find(|reader| is_denied(facts, reader, name)) {
                let message = format!(
                    "`{written}` stays as it is written, because `deny_read` of `{}` lists `{name}`",
                    reader.id
                );
                found.push(Diagnostic::warning(code::ACCESS_DENIED_TOKEN, at(), message));
            }
            continue;
        }
        if is_entry_of_any(facts, readers, name) || ENGINE_PLACEHOLDERS.contains(&name) {
            continue;
        }
        let everyone: Vec<&Skill> = match readers {
            [] => facts.agent.skills.values().collect(),
            readers => readers.to_vec(),
        };
        let entries = everyone.iter().flat_map(|skill| &skill.entries).chain(&facts.agent.project);
        let help = meant(name, entries.map(|entry| &*entry.name));
        let message = format!("`{written}` names no entry, so the user reads it as it stands");
        found.push(Diagnostic::warning(code::RESPONSE_PLACEHOLDER, at(), message).help_if(help));
    }
}

/// Checks what a tap on a button writes (M233, M234).
fn check_payload(facts: &Facts<'_>, readers: &[&Skill], payload: &Spanned<String>, found: &mut Vec<Diagnostic>) {
    if !payload.value.starts_with("set:") {
        return;
    }
    let at = payload.at.clone();
    let parts = button_key(&payload.value).and_then(|key| split_key(key).map(|(space, _)| (key, space)));
    let Some((key, space)) = parts else {
        let message = format!("`{}` says nothing to write", payload.value);
        let diagnostic = Diagnostic::error(code::RESPONSE_PAYLOAD, at, message);
        found.push(diagnostic.help("write set:session.<skill>.<entry>=<value>"));
        return;
    };
    let value = payload.value.split_once('=').map_or("", |(_, value)| value);
    let problem = match facts.agent.entry(key) {
        None => Some(format!("nothing declares `{key}`")),
        Some(_) if space == PROJECT && !facts.profile.buttons_write_project() => {
            Some(format!("a button can't write project memory in profile {}", facts.profile))
        }
        Some(entry)
            if entry.scope == EntryScope::Project
                && !entry.initial.is_null()
                && facts.profile.initial_value_locks() =>
        {
            Some(format!("`{key}` has an initial value and counts as set"))
        }
        Some(_) if space != PROJECT && !readers.is_empty() && readers.iter().all(|reader| reader.id != *space) => {
            Some(format!("`{key}` belongs to another skill than the one that shows the button"))
        }
        Some(entry) => {
            if !coerces(entry.kind, &entry.enum_values, value) && !value.contains('{') {
                let message = format!("`{value}` is no value of `{key}`, so the tap is skipped");
                found.push(Diagnostic::error(code::RESPONSE_PAYLOAD, at.clone(), message));
            }
            None
        }
    };
    if let Some(problem) = problem {
        found.push(Diagnostic::error(code::RESPONSE_NOT_WRITABLE, at, problem));
    }
}

/// Returns whether the text of a payload becomes a value of a type (section 2.3).
fn coerces(kind: EntryKind, listed: &[crate::value::Value], text: &str) -> bool {
    use crate::value::Value;
    let json = || Value::from_json(text.trim()).ok();
    match kind {
        EntryKind::Text | EntryKind::Any => true,
        EntryKind::Bool => matches!(text.trim().to_ascii_lowercase().as_str(), "true" | "false"),
        EntryKind::Int => text.trim().parse::<i64>().is_ok(),
        EntryKind::Float => text.trim().parse::<f64>().is_ok(),
        EntryKind::List => matches!(json(), Some(Value::List(_))),
        EntryKind::Json => json().is_some(),
        EntryKind::Categorical => {
            let is_it =
                |value: &Value| value.as_text().map_or_else(|| value.to_display() == text, |known| known == text);
            listed.is_empty() || listed.iter().any(is_it)
        }
    }
}

/// Checks the tool that makes buttons (M355).
fn check_source(facts: &Facts<'_>, readers: &[&Skill], source: &Spanned<Name>, found: &mut Vec<Diagnostic>) {
    let mut report = |at: &Place, message: String| {
        found.push(Diagnostic::error(code::RESPONSE_BUTTON_SOURCE, at.clone(), message));
    };
    for skill in readers {
        let constraint = skill.constraint(&source.value);
        let is_mcp =
            skill.import_tools.iter().any(|import| import.value.tool == source.value && import.value.server.is_some());
        if is_mcp {
            report(&source.at, format!("`{}` is an MCP tool and can't make buttons", source.value));
        } else if constraint.and_then(|one| one.confirmation.as_ref()).is_some_and(|one| one.enabled) {
            report(&source.at, format!("`{}` waits for a confirmation and can't make buttons", source.value));
        } else if facts.has_tools && facts.tool(skill, &source.value).is_none() {
            report(&source.at, format!("the skill `{}` has no tool `{}` to make buttons", skill.id, source.value));
        } else {
            continue;
        }
        return;
    }
}
