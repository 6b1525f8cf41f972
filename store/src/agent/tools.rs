//! Which tools are in view.

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
}
