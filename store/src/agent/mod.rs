//! What authors wrote: the agent folder, loaded.
//!
//! [`Agent::load`] reads everything it can. What is wrong in a file stands in the diagnostics and the rest still
//! loads. [`definition`] holds the bytes; where they come from is [`source`]'s or the log's business.

pub mod block;
pub mod check;
pub mod definition;
pub mod entry;
pub mod gate;
pub mod prose;
pub mod response;
pub mod settings;
pub mod skill;
pub mod source;
pub mod tool_memory;
pub mod tools;

mod engine;
mod field;
mod frontmatter;
mod guess;
mod load;
mod markdown;
mod memory;
mod paragraphs;
mod python;
mod responses;
mod scalar;
mod settings_file;
mod steps;
mod text;
mod tool_files;
mod yaml;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::name::{Name, PROJECT, SYSTEM, split_key};
use crate::profile::{Profile, ProfileChoice};

use definition::Definition;
use entry::{Entry, EntryScope};
use response::Response;
use settings::Settings;
use skill::{Skill, SkillOrigin};
use tools::Tools;

/// An agent, as its folder describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// The files it was loaded from.
    pub definition: Arc<Definition>,
    /// What is wrong in them.
    pub diagnostics: Vec<Diagnostic>,
    /// The engine generation, and how it was chosen.
    pub profile: ProfileChoice,
    /// What `agent.yml` sets.
    pub settings: Settings,
    /// Project memory, in the order of the file.
    pub project: Vec<Entry>,
    /// The skills by id, which is directory order; the engine's own among them unless the folder replaces them.
    pub skills: BTreeMap<Name, Skill>,
    /// The responses by name (M221).
    pub responses: BTreeMap<Name, Response>,
    /// The shared tools.
    pub tools: Tools,
    /// The MCP servers that `integrations.yml` names.
    pub mcp_servers: Vec<Name>,
    /// Whether there is knowledge to search (M294).
    pub has_knowledge: bool,
}

/// Whose an entry is, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Project memory.
    Project,
    /// A public entry of a skill.
    Public,
    /// A private entry of a skill.
    Private,
    /// The engine's own memory (M31).
    System,
    /// An entry of a skill that the engine brings along.
    Engine,
}

impl Scope {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Project => "project",
            Scope::Public => "public",
            Scope::Private => "private",
            Scope::System => "system",
            Scope::Engine => "engine",
        }
    }
}

impl Agent {
    /// Loads an agent. Without a `profile`, it is guessed from what the folder uses (M323).
    pub fn load(definition: Arc<Definition>, profile: Option<Profile>) -> Agent {
        load::load(definition, profile)
    }

    /// Returns the text of a file, in which places count. `None` for what the engine brings along.
    pub fn text_of(&self, file: &str) -> Option<Cow<'_, str>> {
        self.definition.file(file).map(String::from_utf8_lossy)
    }

    /// Returns the declared entry of a qualified name.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        let (space, name) = split_key(key)?;
        if space == PROJECT {
            return self.project.iter().find(|entry| entry.name == name);
        }
        self.skills.get(space)?.entry(name)
    }

    /// Returns all declared entries: project memory, then the skills in directory order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.project.iter().chain(self.skills.values().flat_map(|skill| &skill.entries))
    }

    /// Returns whose the entry of a qualified name is. `None` where nothing declares it. A key without a namespace is
    /// the engine's (M31).
    pub fn scope(&self, key: &str) -> Option<Scope> {
        let Some((space, name)) = split_key(key) else { return Some(Scope::System) };
        if space == SYSTEM {
            return Some(Scope::System);
        }
        if space == PROJECT {
            return self.project.iter().any(|entry| entry.name == name).then_some(Scope::Project);
        }
        let skill = self.skills.get(space)?;
        let entry = skill.entry(name)?;
        Some(match (skill.origin, entry.scope) {
            (SkillOrigin::Engine, _) => Scope::Engine,
            (SkillOrigin::Folder, EntryScope::Private) => Scope::Private,
            (SkillOrigin::Folder, EntryScope::Public | EntryScope::Project) => Scope::Public,
        })
    }
}
