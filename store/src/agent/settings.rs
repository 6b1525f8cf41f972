//! What `agent.yml` sets (M298). The profile decides where an override is read from (P18); it ends up in one place here.

use std::collections::BTreeMap;

use super::gate::Gate;
use super::skill::Confirmation;
use crate::diagnostic::{Place, Spanned};
use crate::name::Name;

/// The settings of an agent.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Settings {
    /// `agent.id`.
    pub id: Option<Spanned<String>>,
    /// `agent.language`; `en` where it is not set.
    pub language: Option<Spanned<String>>,
    /// `agent.persona`, the first section of the prompt.
    pub persona: Option<Spanned<String>>,
    /// `rules`, one bullet each.
    pub rules: Vec<Spanned<String>>,
    /// The author's text of the section for text channels.
    pub text_rules: Option<Spanned<String>>,
    /// The author's text of the section for voice channels.
    pub voice_rules: Option<Spanned<String>>,
    /// How the model acknowledges a tool call: `prompts.ack_*`, or `fillers`.
    pub fillers: Fillers,
    /// `prompts.routing_no_active_skill`: appended to the routing section.
    pub routing_no_active_skill: Option<Spanned<String>>,
    /// `conversation.before_end`: skills named in the routing section (M367).
    pub before_end: Vec<Spanned<Name>>,
    /// `knowledge_answering.instructions`: a paragraph after the search bullet (M244).
    pub knowledge_instructions: Option<Spanned<String>>,
    /// `orchestrator.preconditions` by name (M335).
    pub preconditions: BTreeMap<Name, Precondition>,
    /// `orchestrator.tool_constraints` by built-in tool (M336).
    pub levers: BTreeMap<Name, Lever>,
    /// The prompt budget in tokens (M269): of `orchestrator`, in the older generation of `llm` in integrations.yml (P19).
    pub max_prompt_tokens: Option<Spanned<u64>>,
    /// `skill_retrieval` (M337), where it is active: how many skills are offered at most.
    pub retrieved_skills: Option<Spanned<u64>>,
}

/// How the model acknowledges a tool call (M332).
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Fillers {
    /// The author's text of the section: `ack_rule`, or `fillers.instructions`.
    pub instructions: Option<Spanned<String>>,
    /// The author's text of the reminder.
    pub reminder: Option<Spanned<String>>,
    /// Unset: on for voice turns, off for text turns.
    pub enabled: Option<Spanned<bool>>,
    /// Examples.
    pub examples: Vec<Spanned<FillerExample>>,
}

/// What the user says, and how the agent acknowledges it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillerExample {
    /// The user's words.
    pub user: String,
    /// The agent's words.
    pub ack: String,
}

/// What must hold before a skill starts, and who sees to it (M335).
#[derive(Clone, Debug, PartialEq)]
pub struct Precondition {
    /// Holds when the skill may start.
    pub satisfied_when: Option<Gate>,
    /// The skill that is called to make it hold.
    pub resolve_with: Option<Spanned<Name>>,
    /// Whether the engine says so when it still doesn't hold.
    pub unmet_utterance: bool,
    /// Where it stands.
    pub at: Place,
}

/// What restrains a built-in tool (M336).
#[derive(Clone, Debug, PartialEq)]
pub struct Lever {
    /// Whether the tool exists; unset for yes.
    pub enabled: Option<Spanned<bool>>,
    /// Words for the model.
    pub invoke_when: Option<Spanned<String>>,
    /// Whether a call waits for the user's yes.
    pub confirmation: Option<Confirmation>,
    /// Where it stands.
    pub at: Place,
}
