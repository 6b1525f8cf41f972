//! Which memory the code of tools names: each read and write with a literal name, and the function it stands in.
//!
//! It says what a tool may do. Whether the line ran in a call is another question, which no file answers.

use super::Agent;
use super::text::FileText;
use super::tool_files;
use crate::diagnostic::Place;
use crate::name::{Name, PROJECT, split_key};

/// A read or write of memory in the code of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolMemory {
    /// The function around it: the tool.
    pub tool: Name,
    /// The skill whose folder holds the file; `None` for shared tools and hooks.
    pub skill: Option<Name>,
    /// The name, as it is written.
    pub asked: Name,
    /// The qualified name of the entry that it means; a bare name in shared code means one of the skill that runs it.
    pub key: Option<Name>,
    /// Whether it writes.
    pub writes: bool,
    /// Where it stands.
    pub at: Place,
}

impl ToolMemory {
    /// Returns whether it means the entry, or may mean it.
    pub fn may_mean(&self, key: &str) -> bool {
        match &self.key {
            Some(known) => known == key,
            None => split_key(key).is_some_and(|(_, name)| self.asked == *name),
        }
    }
}

/// Returns what the code of all tools names, in the order of the files.
pub fn tool_memory(agent: &Agent) -> Vec<ToolMemory> {
    let code = agent.definition.files.iter().filter(|(path, _)| path.ends_with(".py"));
    code.flat_map(|(path, bytes)| {
        let file = FileText::new(path.clone(), bytes, &mut Vec::new());
        let skill = match path.split('/').collect::<Vec<_>>()[..] {
            ["skills", id, ..] => Some(Name::from(id)),
            _ => None,
        };
        tool_files::read(&file).calls.into_iter().map(move |call| ToolMemory {
            tool: call.function,
            key: meant(agent, skill.as_ref(), &call.key.value),
            skill: skill.clone(),
            asked: call.key.value,
            writes: call.writes,
            at: call.key.at,
        })
    })
    .collect()
}

/// A bare name is the skill's own entry if it declares one, else the project's (M30).
fn meant(agent: &Agent, skill: Option<&Name>, asked: &str) -> Option<Name> {
    if split_key(asked).is_some() {
        return Some(Name::from(asked));
    }
    let own = agent.skills.get(skill?)?.entry(asked).map(|entry| entry.key.clone());
    let project = || agent.project.iter().any(|entry| entry.name == *asked);
    own.or_else(|| project().then(|| Name::from(format!("{PROJECT}.{asked}"))))
}
