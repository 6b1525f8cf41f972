//! What is wrong in a folder as a whole: what the engine would refuse, and what it lets through to hurt later.
//!
//! Loading reports what one file shows by itself, and what names can't be read. The checks here look at the loaded
//! agent, one subject a file. Where what the folder says isn't enough to tell, they say nothing.

mod blocks;
mod conditions;
mod config;
mod facts;
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

use super::Agent;
use crate::diagnostic::{Diagnostic, Severity, code};

use facts::Facts;

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
    sort(&mut found);
    found
}

/// Puts diagnostics in the order that people read them in, each once.
pub fn sort(found: &mut Vec<Diagnostic>) {
    found.sort_by(|left, right| {
        let key = |one: &Diagnostic| (one.at.file.clone(), one.at.line, one.at.column, one.code);
        key(left).cmp(&key(right)).then_with(|| left.message.cmp(&right.message))
    });
    found.dedup();
}
