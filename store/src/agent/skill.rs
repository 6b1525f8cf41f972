//! A skill: frontmatter, memory, prose and blocks (sections 4 and 5 of the rules).

use super::block::Block;
use super::entry::Entry;
use super::gate::Gate;
use super::prose::Paragraph;
use super::tools::Tools;
use crate::diagnostic::{Place, Spanned};
use crate::name::Name;
use crate::profile::Profile;

/// A skill. What its files lack or say wrongly is empty here and stands in the diagnostics.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// The name of its directory (M4).
    pub id: Name,
    /// Who wrote it.
    pub origin: SkillOrigin,
    /// The display name; the id where none is given.
    pub name: Spanned<String>,
    /// What routing matches against; empty where none is given.
    pub description: Spanned<String>,
    /// Gates the offer, in the seed profile (M98).
    pub requires: Option<Gate>,
    /// When its prose is complete (M109 to M113).
    pub complete_when: Option<CompleteWhen>,
    /// The precondition it names (M335).
    pub precondition: Option<Spanned<Name>>,
    /// Left out of routing (M334).
    pub hidden: bool,
    /// Loaded and never routed to (M100).
    pub disabled: bool,
    /// Started by the engine alone (section 9.5).
    pub engine_managed: bool,
    /// Offered even when retrieval leaves it out (M337).
    pub always_include_in_prompt: bool,
    /// Replaces the agent's text while the skill is active (M333).
    pub knowledge_instructions: Option<Spanned<String>>,
    /// The tools it imports, in the author's order (M101).
    pub import_tools: Vec<Spanned<ToolImport>>,
    /// What restrains its tools.
    pub tool_constraints: Vec<ToolConstraint>,
    /// Responses that are said on events of the skill (M236).
    pub utter: Vec<UtterTrigger>,
    /// Memory entries in the order of the file: public ones, then private ones.
    pub entries: Vec<Entry>,
    /// Qualified names that it may not read, in the seed profile (M37).
    pub deny_read: DenyList,
    /// Qualified names that it may not write, in the seed profile (M37).
    pub deny_write: DenyList,
    /// Its prose, in order.
    pub paragraphs: Vec<Paragraph>,
    /// Its ordered blocks, in order.
    pub blocks: Vec<Block>,
    /// Its own tools.
    pub tools: Tools,
    /// The entries that a validation tool of it looks at, by bare name (M208).
    pub validated: Vec<Name>,
    /// Its `skill.md`.
    pub at: Place,
}

impl Skill {
    /// Returns the block of that id.
    pub fn block(&self, id: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// Returns the entry of that bare name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the constraint on a tool.
    pub fn constraint(&self, tool: &str) -> Option<&ToolConstraint> {
        self.tool_constraints.iter().find(|constraint| constraint.tool.value == tool)
    }

    /// Returns the entries that the model may set while the skill is active, in declaration order: those flagged
    /// `llm_settable` and those owned by a `collect` step (M49).
    pub fn settable_entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.llm_settable || self.collects(&entry.name))
    }

    /// Returns whether a `collect` step of the skill owns the entry.
    pub fn collects(&self, entry: &str) -> bool {
        self.blocks.iter().flat_map(|block| &block.steps).any(|step| step.collected().is_some_and(|name| name == entry))
    }

    /// Returns the block that a skill without prose starts in (M149): the one called `main`, else the first; in the
    /// newer profile the first that no other block calls or links.
    pub fn entry_block(&self, profile: Profile) -> Option<&Block> {
        if !profile.finds_entry_block_by_reach() {
            return self.block("main").or(self.blocks.first());
        }
        let is_reached = |block: &&Block| {
            let others = self.blocks.iter().filter(|other| other.id != block.id);
            others.flat_map(|other| &other.steps).any(|step| step.target().is_some_and(|target| *target == block.id))
        };
        self.blocks.iter().find(|block| !is_reached(block)).or(self.blocks.first())
    }

    /// Returns whether the skill has something to start with: prose or a block (M338).
    pub fn has_entry(&self) -> bool {
        !self.paragraphs.is_empty() || !self.blocks.is_empty()
    }
}

/// `deny_read` or `deny_write` of a skill's `access` (M37).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenyList {
    /// What it lists, in the author's order.
    pub items: Vec<Spanned<Name>>,
    /// Whether an item means no declared entry of the agent, and so has no effect (M41a).
    pub names_nothing: bool,
}

impl DenyList {
    /// Returns the item that lists the entry of that qualified name.
    pub fn item(&self, key: &str) -> Option<&Spanned<Name>> {
        self.items.iter().find(|item| item.value == *key)
    }
}

/// Who wrote a skill or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillOrigin {
    /// It stands in the agent folder.
    Folder,
    /// The engine brings it along (section 9.5), in our own wording.
    Engine,
}

/// When a skill is complete.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CompleteWhen {
    /// The condition.
    pub condition: Option<Gate>,
    /// Sentences that a model judges (M112).
    pub criteria: Vec<Spanned<String>>,
}

/// A tool that a skill imports (M101, M102).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolImport {
    /// The MCP server; `None` for a shared tool.
    pub server: Option<Name>,
    /// The name that model, prose and constraints use.
    pub tool: Name,
}

/// What restrains a tool of a skill (M183 to M191).
#[derive(Clone, Debug, PartialEq)]
pub struct ToolConstraint {
    /// The tool.
    pub tool: Spanned<Name>,
    /// Hides and blocks the tool until it holds (M187).
    pub requires: Option<Gate>,
    /// Whether a call waits for the user's yes.
    pub confirmation: Option<Confirmation>,
    /// The response said after success.
    pub on_success: Option<Spanned<Name>>,
    /// The response said after failure.
    pub on_failure: Option<Spanned<Name>>,
}

/// `requires_confirmation` (M191).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// Whether calls wait.
    pub enabled: bool,
    /// The response that asks; the model asks where it is `None`.
    pub ask: Option<Spanned<Name>>,
    /// The response to a no.
    pub denial: Option<Spanned<Name>>,
    /// Where it stands.
    pub at: Place,
}

/// A response that is said on an event of the skill (M236 to M240).
#[derive(Clone, Debug, PartialEq)]
pub struct UtterTrigger {
    /// The response.
    pub response: Spanned<Name>,
    /// `on: activate`: said once per start.
    pub on_activate: bool,
    /// `when`: said when a write makes it true.
    pub when: Option<Gate>,
}
