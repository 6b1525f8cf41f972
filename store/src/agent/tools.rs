//! Which tools are in view, what a skill may call, and what a call has to bring.

use super::Agent;
use super::skill::Skill;
use crate::diagnostic::Spanned;
use crate::name::Name;

/// The tools of a place: the root of the folder, or a skill.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Tools {
    /// There is no `tools.py` and no `tools/`: the tools may exist elsewhere.
    #[default]
    Unknown,
    /// The tools that are declared there, in the order of the files.
    Known(Vec<Tool>),
}

impl Tools {
    /// Returns the tool of that name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        match self {
            Tools::Unknown => None,
            Tools::Known(tools) => tools.iter().find(|tool| tool.name.value == name),
        }
    }
}

/// A tool that is declared in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name of its function.
    pub name: Spanned<Name>,
    /// Its parameters without `context` (M197).
    pub parameters: Vec<ToolParameter>,
    /// Whether it takes any argument (`**kwargs`), so that its parameters aren't all.
    pub takes_any: bool,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolParameter {
    /// Its name.
    pub name: Name,
    /// Whether it is annotated and has no default (M197).
    pub is_required: bool,
    /// The JSON type of its annotation (M197); `None` where that can't be told.
    pub json_type: Option<&'static str>,
}

/// What a name means to a skill that calls it (M185, M198).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callable<'a> {
    /// A tool whose declaration is in view.
    Declared(&'a Tool),
    /// A tool that may exist: it comes from a server, or no tools are in view.
    Unseen,
    /// The skill has no such tool.
    Missing,
}

/// Returns what a name means to a skill that calls it: its own tools first, then what it imports (M105, M198).
pub fn callable<'a>(agent: &'a Agent, skill: &'a Skill, name: &str) -> Callable<'a> {
    if let Some(tool) = skill.tools.get(name) {
        return Callable::Declared(tool);
    }
    let import = skill.import_tools.iter().map(|import| &import.value).find(|import| import.tool == *name);
    let any_in_view = !agent.mcp_servers.is_empty()
        || agent.tools != Tools::Unknown
        || agent.skills.values().any(|skill| skill.tools != Tools::Unknown);
    match import {
        Some(import) if import.server.is_some() => Callable::Unseen,
        Some(_) => match (agent.tools.get(name), &agent.tools) {
            (Some(tool), _) => Callable::Declared(tool),
            (None, Tools::Unknown) => Callable::Unseen,
            (None, Tools::Known(_)) => Callable::Missing,
        },
        None if any_in_view => Callable::Missing,
        None => Callable::Unseen,
    }
}
