//! What of the agent folder can write an entry: said of one that holds nothing.

use super::Evidence;
use crate::agent::Agent;
use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::tool_memory::tool_memory;
use crate::diagnostic::Place;
use crate::name::{Name, split_key};

/// Something that can write an entry.
pub(super) struct CanWrite {
    /// What would have to happen, in words.
    words: String,
    /// Where it stands.
    at: Place,
}

/// Returns what can write the entry: tools whose code names it, steps, the model, the metadata of the session.
pub(super) fn can_write(agent: &Agent, entry: &Entry) -> Vec<CanWrite> {
    let mut found = Vec::new();
    let mut add = |words: String, at: &Place| found.push(CanWrite { words, at: at.clone() });
    for one in tool_memory(agent).iter().filter(|one| one.writes && one.may_mean(&entry.key)) {
        add(format!("the tool `{}` would have to run", one.tool), &one.at);
    }
    for skill in agent.skills.values() {
        for (block, step) in skill.blocks.iter().flat_map(|block| block.steps.iter().map(move |step| (block, step))) {
            let names =
                |name: &Name| *name == entry.key || (split_key(name).is_none() && is_own(skill.entry(name), entry));
            let writes = match &step.kind {
                StepKind::Collect(collect) => names(&collect.entry.value),
                StepKind::SetMemory(pairs) => pairs.iter().any(|(key, _)| names(&key.value)),
                StepKind::Instructions { .. }
                | StepKind::Action(_)
                | StepKind::ExecuteTool { .. }
                | StepKind::Noop
                | StepKind::Call(_)
                | StepKind::Link(_)
                | StepKind::End
                | StepKind::Unknown => false,
            };
            if writes {
                add(format!("the step `{}` of `{}__{}` would have to come", step.id, skill.id, block.id), &step.at);
            }
        }
    }
    if entry.llm_settable {
        let skill = split_key(&entry.key).map_or("", |(space, _)| space);
        add(format!("the model would have to set it while `{skill}` is active"), &entry.at);
    }
    if entry.seed {
        add("the session's metadata would have to bring it".to_owned(), &entry.at);
    }
    found
}

fn is_own(found: Option<&Entry>, entry: &Entry) -> bool {
    found.is_some_and(|found| found.key == entry.key)
}

/// Returns whether the folder holds the code of any tool. Without it nobody knows what tools write.
fn has_code(agent: &Agent) -> bool {
    agent.definition.files.keys().any(|path| path.ends_with(".py"))
}

/// Returns the smallest change that would give the entry a value, and where it would be made; `None` where that depends
/// on code that is not at hand.
pub(super) fn change(agent: &Agent, entry: &Entry, writers: &[CanWrite]) -> Option<(String, String)> {
    if let Some(writer) = writers.first() {
        return Some((writer.words.clone(), format!("{}:{}", writer.at.file, writer.at.line)));
    }
    if !has_code(agent) {
        return None;
    }
    let at = format!("{}:{}", entry.at.file, entry.at.line);
    let change = match entry.scope {
        EntryScope::Project => format!("let a tool write `{}`", entry.key),
        EntryScope::Public | EntryScope::Private => {
            format!("let a tool write `{}`, or add `llm_settable: true` to it", entry.key)
        }
    };
    Some((change, at))
}

/// Says what can write the entry, a line each.
pub(super) fn evidence(agent: &Agent, entry: &Entry, writers: &[CanWrite]) -> Vec<Evidence> {
    let mut found = Vec::new();
    if writers.is_empty() {
        let text = format!("nothing in the agent folder names `{}` to write it", entry.key);
        found.push(Evidence::of_definition(text));
    }
    if !has_code(agent) {
        let text = "the agent folder holds no code of tools, so whether one of them writes it is unknown";
        found.push(Evidence::of_definition(text));
    }
    let of = |writer: &CanWrite| {
        Evidence::of_definition(format!("to write it, {} ({}:{})", writer.words, writer.at.file, writer.at.line))
    };
    found.extend(writers.iter().map(of));
    found
}
