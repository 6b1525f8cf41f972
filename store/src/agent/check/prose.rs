//! What prose names: blocks, skills, tools, and memory that the skill may not see (M39, M139 to M147).

use std::collections::BTreeSet;

use super::facts::{FRAMEWORK_TOOLS, Facts, meant};
use super::reach::is_denied;
use crate::agent::block::StepKind;
use crate::agent::prose::{Prose, Token, TokenKind};
use crate::agent::skill::Skill;
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::name::Name;

/// Checks the prose of every skill.
pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    for skill in facts.skills() {
        let tools = facts.tool_names(skill).into_iter().collect();
        for paragraph in &skill.paragraphs {
            for token in &paragraph.prose.tokens {
                check_token(facts, skill, &tools, token, found);
            }
            check_plain_names(facts, skill, &tools, &paragraph.prose, found);
        }
        for step in skill.blocks.iter().flat_map(|block| &block.steps) {
            if let StepKind::Instructions { prose, .. } = &step.kind {
                prose.tokens.iter().for_each(|token| check_denied(facts, skill, token, found));
            }
        }
    }
}

/// The names of the tools that a skill may call.
type ToolNames<'a> = BTreeSet<&'a str>;

fn check_token(facts: &Facts<'_>, skill: &Skill, tools: &ToolNames<'_>, token: &Token, found: &mut Vec<Diagnostic>) {
    let at = token.at.clone();
    match &token.kind {
        TokenKind::Memory(_) => check_denied(facts, skill, token, found),
        TokenKind::Block(id) if skill.block(id).is_none() => {
            let message = format!("the skill `{}` has no block `{id}`", skill.id);
            let help = match skill.blocks.is_empty() {
                true => Some("a skill jumps to blocks of its own file alone".to_owned()),
                false => meant(id, skill.blocks.iter().map(|block| &*block.id)),
            };
            found.push(Diagnostic::error(code::PROSE_UNKNOWN_BLOCK, at, message).help_if(help));
        }
        TokenKind::Block(_) => {}
        TokenKind::Skill(id) => check_skill_token(facts, skill, id, token, found),
        TokenKind::Tool(name) => {
            if facts.has_tools && !tools.contains(&**name) && !FRAMEWORK_TOOLS.contains(&&**name) {
                let message = format!("the skill `{}` has no tool `{name}`", skill.id);
                let severity = match facts.profile.refuses_unknown_tool_token() {
                    true => Severity::Error,
                    false => Severity::Warning,
                };
                let diagnostic = Diagnostic::error(code::PROSE_UNKNOWN_TOOL, at, message);
                found.push(Diagnostic { severity, ..diagnostic }.help_if(meant(name, tools.iter().copied())));
            }
        }
    }
}

fn check_skill_token(facts: &Facts<'_>, skill: &Skill, id: &Name, token: &Token, found: &mut Vec<Diagnostic>) {
    let at = token.at.clone();
    match facts.agent.skills.get(id) {
        None => {
            let message = format!("there is no skill `{id}`");
            let known = facts.agent.skills.keys().map(Name::as_str);
            let help =
                meant(id, known).unwrap_or_else(|| "write the name of its directory, not its `name:`".to_owned());
            found.push(Diagnostic::error(code::PROSE_UNKNOWN_SKILL, at, message).help(help));
        }
        Some(target) if target.hidden && facts.profile.refuses_jump_to_hidden() => {
            let message = format!("`{id}` is hidden, and prose can't jump to a hidden skill");
            let diagnostic = Diagnostic::error(code::PROSE_HIDDEN_SKILL, at, message);
            found.push(diagnostic.help("call it from a block, or remove `hidden`"));
        }
        Some(target) if target.disabled => {
            let message = format!("the skill `{id}` is disabled and doesn't start");
            found.push(Diagnostic::warning(code::SKILL_DISABLED_TARGET, at, message));
        }
        Some(target) if target.id == skill.id => {
            let message = "the skill names itself; it is on the stack already, so nothing happens";
            found.push(Diagnostic::warning(code::PROSE_OWN_SKILL, at, message));
        }
        Some(_) => {}
    }
}

/// Reports a token that the skill's own access list withholds (M39).
fn check_denied(facts: &Facts<'_>, skill: &Skill, token: &Token, found: &mut Vec<Diagnostic>) {
    if let TokenKind::Memory(key) = &token.kind
        && is_denied(facts, skill, key)
    {
        let message = format!("`@memory.{key}` stays as it is written, because `deny_read` lists `{key}`");
        let diagnostic = Diagnostic::warning(code::ACCESS_DENIED_TOKEN, token.at.clone(), message);
        found.push(diagnostic.help(format!("take `{key}` off `deny_read`, or the token out of the prose")));
    }
}

/// Warns of a skill that is named without `@skill.`: to start it then interrupts instead of delegating (M144). Only
/// ids that no English word looks like are told.
fn check_plain_names(
    facts: &Facts<'_>,
    skill: &Skill,
    tools: &ToolNames<'_>,
    prose: &Prose,
    found: &mut Vec<Diagnostic>,
) {
    let mut told = BTreeSet::new();
    for (at, word) in words(&prose.text).filter(|(_, word)| word.contains('_')) {
        let is_part = prose.text[..at].ends_with(['.', '@', '/']);
        let other = facts.agent.skills.get(word).filter(|other| other.id != skill.id && !other.engine_managed);
        let Some(id) = other.map(|other| &other.id).filter(|id| !is_part && !tools.contains(&***id)) else { continue };
        if told.insert(id) {
            let place = facts.place_in(&prose.text, &prose.at, at..at + id.len());
            let message = format!("`{id}` is named as a word, so starting it interrupts this skill");
            let diagnostic = Diagnostic::warning(code::PROSE_PLAIN_SKILL, place, message);
            found.push(diagnostic.help(format!("write @skill.{id} to return here afterwards")));
        }
    }
}

/// Returns the words of a text, each with its place.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        let length = text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        at = start + length;
        Some((start, &text[start..at]))
    })
}
