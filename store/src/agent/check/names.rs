//! Whether what a skill names exists and may be read by it (M90, M131). This needs the whole agent.
//!
//! Rights count here, access lists don't: a denied read is legal and gives nothing (M39).

use std::ops::Range;

use crate::agent::Agent;
use crate::agent::block::{Next, StepKind};
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::gate::Gate;
use crate::agent::prose::{Prose, TokenKind};
use crate::agent::skill::Skill;
use crate::agent::text::offset_in;
use crate::diagnostic::{Diagnostic, Place, Spanned, code, nearest};
use crate::name::{Name, PROJECT, SYSTEM, split_key};

/// Checks every condition and memory token of the agent.
pub(in crate::agent) fn check(agent: &Agent) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for skill in agent.skills.values() {
        check_skill(agent, skill, &mut found);
    }
    for precondition in agent.settings.preconditions.values() {
        gate(agent, None, precondition.satisfied_when.as_ref(), code::CONDITION_UNKNOWN_KEY, &mut found);
    }
    for skill in agent.skills.values() {
        for item in skill.deny_read.items.iter().chain(&skill.deny_write.items) {
            if split_key(&item.value).is_some() && agent.entry(&item.value).is_none() {
                let message = format!("nothing declares `{}`, so the item has no effect", item.value);
                found.push(Diagnostic::warning(code::ACCESS_NO_EFFECT, item.at.clone(), message));
            }
        }
    }
    found
}

fn check_skill(agent: &Agent, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let code = code::CONDITION_UNKNOWN_KEY;
    let reader = Some(skill);
    gate(agent, reader, skill.requires.as_ref(), code, found);
    let complete = skill.complete_when.as_ref();
    gate(agent, reader, complete.and_then(|complete| complete.condition.as_ref()), code, found);
    for constraint in &skill.tool_constraints {
        gate(agent, reader, constraint.requires.as_ref(), code, found);
    }
    for trigger in &skill.utter {
        gate(agent, reader, trigger.when.as_ref(), code, found);
    }
    for paragraph in &skill.paragraphs {
        gate(agent, reader, paragraph.gate.as_ref(), code::PROSE_UNKNOWN_KEY, found);
        prose(agent, skill, &paragraph.prose, found);
    }
    for step in skill.blocks.iter().flat_map(|block| &block.steps) {
        if let StepKind::Instructions { prose: text, complete_when, optional: _ } = &step.kind {
            prose(agent, skill, text, found);
            gate(agent, reader, complete_when.as_ref(), code, found);
        }
        if let Next::Branches(branches) = &step.next {
            for branch in branches {
                gate(agent, reader, branch.when.as_ref(), code, found);
            }
        }
    }
}

fn gate(agent: &Agent, skill: Option<&Skill>, gate: Option<&Gate>, code: &'static str, found: &mut Vec<Diagnostic>) {
    let Some(gate) = gate else { return };
    let Some(condition) = &gate.condition else { return };
    for (reference, span) in condition.references() {
        if let Some(why) = unreadable(agent, skill, &reference.key) {
            let message = format!("`session.{}` {why}", reference.key);
            let at = place_in_line(agent, &gate.text, span);
            found.push(Diagnostic::error(code, at, message).help_if(meant(agent, skill, &reference.key)));
        }
    }
}

fn prose(agent: &Agent, skill: &Skill, prose: &Prose, found: &mut Vec<Diagnostic>) {
    for token in &prose.tokens {
        if let TokenKind::Memory(key) = &token.kind
            && let Some(why) = unreadable(agent, Some(skill), key)
        {
            let message = format!("`@memory.{key}` {why}");
            let diagnostic = Diagnostic::error(code::PROSE_UNKNOWN_REFERENCE, token.at.clone(), message);
            found.push(diagnostic.help_if(meant(agent, Some(skill), key)));
        }
    }
}

/// Returns where a part of a text stands, if the text stands in one line as it is; else where the text stands.
fn place_in_line(agent: &Agent, text: &Spanned<String>, part: Range<usize>) -> Place {
    let at = &text.at;
    let bytes = agent.definition.file(&at.file).unwrap_or_default();
    let written = bytes.get(at.start as usize..at.end as usize).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let Some(written) = written.filter(|_| !text.value.contains('\n')) else { return at.clone() };
    let Some(offset) = offset_in(written, &text.value) else { return at.clone() };
    let before = &written[..offset + part.start];
    if before.contains('\n') {
        return at.clone();
    }
    let start = at.start + before.len() as u32;
    let column = at.column + before.chars().count() as u32;
    Place { start, end: start + part.len() as u32, column, ..at.clone() }
}

/// Says which entry is meant by a qualified name that can't be read, if one is near.
pub(super) fn meant(agent: &Agent, skill: Option<&Skill>, key: &str) -> Option<String> {
    let (space, name) = split_key(key)?;
    let entries = match agent.skills.get(space) {
        _ if space == PROJECT => &agent.project,
        Some(owner) => &owner.entries,
        None => {
            let known = agent.skills.keys().map(Name::as_str).chain([PROJECT]);
            return nearest(space, known).map(|space| format!("did you mean `{space}.{name}`?"));
        }
    };
    let is_readable = |entry: &&Entry| is_readable(skill, space, entry);
    nearest(name, entries.iter().filter(is_readable).map(|entry| &*entry.name))
        .map(|name| format!("did you mean `{space}.{name}`?"))
}

/// Says why a skill can't read a qualified name, whatever it holds, if it can't.
pub(super) fn unreadable(agent: &Agent, skill: Option<&Skill>, key: &str) -> Option<String> {
    let (space, name) = split_key(key)?;
    if space == SYSTEM {
        return Some("belongs to the engine and can't be named".to_owned());
    }
    match agent.entry(key) {
        None if agent.skills.contains_key(space) || space == PROJECT => {
            Some(format!("is not declared: `{space}` has no entry `{name}`"))
        }
        None => Some(format!("is not declared: there is no skill `{space}`")),
        Some(entry) if !is_readable(skill, space, entry) => Some(format!("is private to the skill `{space}`")),
        Some(_) => None,
    }
}

/// Returns whether a skill can read an entry of `space`.
fn is_readable(skill: Option<&Skill>, space: &str, entry: &Entry) -> bool {
    entry.scope != EntryScope::Private || skill.is_some_and(|skill| skill.id == *space)
}
