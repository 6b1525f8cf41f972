//! What the model got at a call, recomputed from the agent's files and the events before it.
//!
//! [`render`] is pure: agent, profile, state and [`Moment`] in, [`Prompt`] out. It works at every position, not only
//! where a call was made; elsewhere it says what the model would have got. Headings and data lines are the engine's;
//! the sentences between them are our own wording, because the engine's are its vendor's.
//!
//! ```text
//! history   the messages that a call gets, and those that it doesn't
//! moment    events up to a position -> what they tell beside the state
//! sections  the system prompt: stable parts first, then the episode (M243)
//! branch    routing, active skill or knowledge, and the pending confirmation
//! tools     what was offered, what was withheld, and why
//! messages  history and injected messages
//! request   all of it as JSON text, and its digest
//! size      the estimate that is held against the budget
//! holes     what is withheld, beside the prompt
//! standing  where the prose of a skill stands
//! decided   the reads, gates and offers behind all that
//! ```

mod branch;
pub mod decided;
mod draft;
pub mod history;
pub mod holes;
mod lifecycle;
mod messages;
pub mod moment;
mod prose;
mod reason;
mod rephrase;
mod request;
mod schema;
mod sections;
pub mod size;
mod skipped;
pub mod standing;
mod targets;
pub mod tools;
mod view;
mod wording;

use crate::agent::Agent;
use crate::diagnostic::Place;
use crate::event::Position;
use crate::name::Name;
use crate::profile::Profile;
use crate::session::State;
use crate::value::Value;

pub use moment::Moment;
pub use rephrase::rephrase;

use view::View;

/// A request to the model: system prompt, messages and tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Which of the engine's situations it is.
    pub situation: Situation,
    /// The system prompt, in order. Their texts, one after the other, are the whole of it.
    pub sections: Vec<Section>,
    /// What follows the system prompt, in order.
    pub messages: Vec<Message>,
    /// Tools that are offered, then those that are withheld.
    pub tools: Vec<Tool>,
}

/// The situations that the engine tells apart (M251), and the calls of their own (M360).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Situation {
    /// No skill is active.
    Routing,
    /// The prose of a skill is in charge.
    Prose,
    /// An ordered block is in charge.
    Block,
    /// A search ran in this turn.
    Knowledge,
    /// The skill that declines what the agent can't do is active.
    ScopeHandler,
    /// A response is reworded.
    Rephrase,
    /// A collect asks for a value that it already has.
    ConfirmRephrase,
}

impl Situation {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Situation::Routing => "routing",
            Situation::Prose => "prose",
            Situation::Block => "block",
            Situation::Knowledge => "knowledge",
            Situation::ScopeHandler => "scope_handler",
            Situation::Rephrase => "rephrase",
            Situation::ConfirmRephrase => "confirm_rephrase",
        }
    }
}

/// A section of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Which one.
    pub name: SectionName,
    /// Its text in pieces, each with its origin. Every section but the first begins with the blank line before it.
    pub pieces: Vec<Piece>,
}

impl Section {
    /// Returns the text of the section.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// The sections, in the order of the prompt (M241).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionName {
    /// Who the agent is.
    Persona,
    /// What it must keep to.
    Rules,
    /// Which skills there are (P17).
    Glossary,
    /// The one line of a rephrase prompt.
    Task,
    /// How to write, or to speak.
    Channel,
    /// That a tool call is announced (M246).
    Acknowledgement,
    /// Examples of that.
    Examples,
    /// How the framework's tools are used.
    Lifecycle,
    /// What to do with requests that no skill serves (M247).
    OutOfScope,
    /// Date and time (M248).
    Clock,
    /// Project entries that are set (M255).
    ProjectMemory,
    /// No skill is active: pick one.
    Routing,
    /// The active skill.
    ActiveSkill,
    /// Answer from what the search found.
    Knowledge,
    /// A tool call waits for the user's yes.
    Confirmation,
}

impl SectionName {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            SectionName::Persona => "persona",
            SectionName::Rules => "rules",
            SectionName::Glossary => "glossary",
            SectionName::Task => "task",
            SectionName::Channel => "channel",
            SectionName::Acknowledgement => "acknowledgement",
            SectionName::Examples => "examples",
            SectionName::Lifecycle => "lifecycle",
            SectionName::OutOfScope => "out_of_scope",
            SectionName::Clock => "clock",
            SectionName::ProjectMemory => "project_memory",
            SectionName::Routing => "routing",
            SectionName::ActiveSkill => "active_skill",
            SectionName::Knowledge => "knowledge",
            SectionName::Confirmation => "confirmation",
        }
    }
}

/// A stretch of the prompt with one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text, never empty.
    pub text: String,
    /// Where it comes from.
    pub origin: Source,
}

/// Where a piece of a prompt, or a message, comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The renderer's own words.
    Builtin,
    /// A line of the agent folder; for an initial value, the line that declares it.
    File {
        /// Path below the agent folder.
        file: Name,
        /// The line, from 1.
        line: u32,
    },
    /// An event.
    Event {
        /// The position that the event led to.
        position: Position,
        /// The memory entry whose value it set.
        key: Option<Name>,
    },
}

impl Source {
    fn file(at: &Place) -> Source {
        Source::File { file: at.file.clone(), line: at.line }
    }

    fn event(position: Position) -> Source {
        Source::Event { position, key: None }
    }
}

/// A message that follows the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// The words; for a tool call the arguments, as JSON text.
    pub text: String,
    /// The tool that is called, or whose result this is.
    pub tool: Option<Name>,
    /// Where it comes from.
    pub origin: Source,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The engine.
    System,
    /// The user.
    User,
    /// The agent, in words or with a tool call.
    Assistant,
    /// A tool, with its result.
    Tool,
}

impl Role {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// A tool of a request, offered or withheld.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The name that the model uses.
    pub name: Name,
    /// JSON schema of the arguments; [`Value::Null`] where it is unknown because the tool's code isn't read.
    pub schema: Value,
    /// Whether the model may call it.
    pub offered: bool,
    /// Why it is offered or withheld: one sentence.
    pub why: String,
}

impl Prompt {
    /// Returns the whole system prompt.
    pub fn text(&self) -> String {
        self.sections.iter().flat_map(|section| &section.pieces).map(|piece| piece.text.as_str()).collect()
    }

    /// Returns what `activate` takes, in the order of the offer; empty where it isn't offered.
    pub fn targets(&self) -> Vec<Name> {
        let activate = self.tools.iter().find(|tool| tool.offered && tool.name == tools::ACTIVATE);
        let target = activate.and_then(|tool| tool.schema.get("properties")?.get("target_id")?.get("enum"));
        let Some(Value::List(ids)) = target else { return Vec::new() };
        ids.iter().filter_map(Value::as_text).map(Name::from).collect()
    }

    /// Returns the section of that name.
    pub fn section(&self, name: SectionName) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// Returns the tool of that name as the model gets it at this moment, offered or withheld; `None` where there is none.
pub fn tool_of(agent: &Agent, profile: Profile, state: &State, moment: &Moment, name: &str) -> Option<Tool> {
    tools::offer_of(&View::new(agent, profile, state, moment), name)
}

/// Returns what the model gets at this moment, or would get if it were called.
pub fn render(agent: &Agent, profile: Profile, state: &State, moment: &Moment) -> Prompt {
    let view = View::new(agent, profile, state, moment);
    let targets = targets::targets(&view);
    let offer = tools::offer(&view, &targets);
    Prompt {
        situation: view.situation,
        sections: sections::sections(&view, &targets, &offer),
        messages: messages::messages(&view),
        tools: offer.tools,
    }
}
