//! What is wrong in a folder as a whole: what the engine would refuse, and what it lets through to hurt later.
//!
//! Loading reports what one file shows by itself, and what names can't be read. The checks here look at the loaded
//! agent, one subject a file. Where what the folder says isn't enough to tell, they say nothing.

mod blocks;
mod conditions;
mod config;
mod facts;
mod integrations;
mod limits;
mod memory;
pub(super) mod names;
mod outcomes;
mod prose;
mod reach;
mod responses;
mod sites;
mod skills;
mod tools;
mod usage;
mod values;

use std::collections::BTreeMap;
use std::path::Path;

use super::Agent;
use super::source::{self, SourceError};
use crate::diagnostic::{Diagnostic, Place, Severity, code};
use crate::name::Name;
use crate::profile::Profile;

use facts::Facts;

/// Reads a folder and returns its agent with everything that is wrong in it, what can't be read and the values of
/// `integrations.yml` among it.
///
/// # Errors
///
/// Fails where the path is no folder, or nothing in it belongs to an agent.
pub fn folder(path: &Path, profile: Option<Profile>) -> Result<(Agent, Vec<Diagnostic>), SourceError> {
    let (definition, mut found) = source::read(path)?;
    let agent = Agent::load(definition.into(), profile);
    found.append(&mut check(&agent));
    if let Some(bytes) = source::integrations(path) {
        integrations::check(&bytes, &mut found);
    }
    unloadable(&mut found);
    leave_causes(&mut found);
    sort(&mut found);
    Ok((agent, found))
}

/// Returns everything that is wrong in an agent's folder, what loading found among it, by file, line and code.
///
/// What couldn't be read from disk isn't here: `source::read` tells of that.
pub fn check(agent: &Agent) -> Vec<Diagnostic> {
    let facts = Facts::gather(agent);
    let reach = reach::reach(&facts);
    let usage = usage::usage(&facts);
    let mut found = agent.diagnostics.clone();
    // A part of an agent can be looked at, and is not to be released.
    let missing = found.iter_mut().filter(|found| found.code == code::AGENT_MISSING_FILE);
    missing.for_each(|found| found.severity = Severity::Error);
    config::check(&facts, &mut found);
    memory::check(&facts, &reach, &usage, &mut found);
    skills::check(&facts, &reach, &mut found);
    prose::check(&facts, &mut found);
    blocks::check(&facts, &reach, &mut found);
    conditions::check(&facts, &reach, &mut found);
    tools::check(&facts, &mut found);
    responses::check(&facts, &mut found);
    unloadable(&mut found);
    sort(&mut found);
    found
}

/// Adds that a skill can't be loaded where its `skill.md` isn't one, once a skill (M96).
fn unloadable(found: &mut Vec<Diagnostic>) {
    let mut broken: BTreeMap<Name, &'static str> = BTreeMap::new();
    for one in found.iter().filter(|one| one.severity == Severity::Error) {
        let is_skill = matches!(one.at.file.split('/').collect::<Vec<_>>()[..], ["skills", _, "skill.md"]);
        let is_known = one.code == code::SKILL_FAILED_TO_LOAD;
        if is_skill && (is_known || BREAKS_A_SKILL.contains(&one.code)) {
            let first = broken.entry(one.at.file.clone()).or_insert(one.code);
            *first = if is_known { one.code } else { first };
        }
    }
    for (file, first) in broken.into_iter().filter(|(_, first)| *first != code::SKILL_FAILED_TO_LOAD) {
        let at = Place { file, line: 1, column: 1, start: 0, end: 0 };
        let message = "the skill can't be loaded, so the agent doesn't start";
        let diagnostic = Diagnostic::error(code::SKILL_FAILED_TO_LOAD, at, message);
        found.push(diagnostic.help(format!("the reason is its error {first}")));
    }
}

/// Leaves out what follows from something that can't be read: the paths below a folder that can't be listed, and names
/// that would be declared there.
fn leave_causes(found: &mut Vec<Diagnostic>) {
    let shut: Vec<Name> =
        found.iter().filter(|one| one.code == code::UNREADABLE).map(|one| one.at.file.clone()).collect();
    let spaces = shut.iter().filter_map(|file| match file.split('/').collect::<Vec<_>>()[..] {
        ["memory.yml"] => Some("project"),
        ["skills", id] | ["skills", id, "skill.md" | "memory.yml"] => Some(id),
        _ => None,
    });
    let names: Vec<String> = spaces
        .flat_map(|id| [format!("`{id}`"), format!("`{id}."), format!("`session.{id}."), format!("`@memory.{id}.")])
        .collect();
    let is_below = |file: &str| {
        shut.iter().any(|folder| file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    found.retain(|one| {
        let follows = one.code.contains("unknown") || one.code == code::ACCESS_NO_EFFECT;
        match one.code {
            code::UNREADABLE => !is_below(&one.at.file),
            _ => !(follows && names.iter().any(|name| one.message.contains(name))),
        }
    });
}

/// What keeps a skill from being read at all.
const BREAKS_A_SKILL: [&str; 8] = [
    code::UNREADABLE,
    code::TOO_LARGE,
    code::OUTSIDE,
    code::NOT_UTF8,
    code::YAML_SYNTAX,
    code::YAML_TOO_DEEP,
    code::YAML_TOO_MANY_NODES,
    code::SKILL_FRONTMATTER_DELIMITER,
];

/// Puts diagnostics in the order that people read them in, each once.
pub fn sort(found: &mut Vec<Diagnostic>) {
    found.sort_by(|left, right| {
        let key = |one: &Diagnostic| (one.at.file.clone(), one.at.line, one.at.column, one.code);
        key(left).cmp(&key(right)).then_with(|| left.message.cmp(&right.message))
    });
    found.dedup();
}
