//! Ordered blocks and their steps (section 5 of the rules).

use super::gate::Gate;
use super::prose::Prose;
use crate::diagnostic::{Place, Spanned};
use crate::name::Name;
use crate::value::Value;

/// The step id that ends a block, and the target of a `next` that does.
pub const END: &str = "END";

/// An ordered block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its id, from the fence.
    pub id: Name,
    /// The display name, where one is given.
    pub name: Option<Spanned<String>>,
    /// The description, where one is given.
    pub description: Option<Spanned<String>>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// Its fence.
    pub at: Place,
}

impl Block {
    /// Returns the step of that id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }
}

/// A step of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its id, unique in the block; empty where none is given.
    pub id: Name,
    /// What it does.
    pub kind: StepKind,
    /// Where it goes on.
    pub next: Next,
    /// Where it stands.
    pub at: Place,
}

impl Step {
    /// Returns the bare name of the entry that a `collect` step owns.
    pub fn collected(&self) -> Option<&Name> {
        match &self.kind {
            StepKind::Collect(collect) => Some(&collect.entry.value),
            StepKind::Instructions { .. }
            | StepKind::Action(_)
            | StepKind::ExecuteTool { .. }
            | StepKind::Noop
            | StepKind::SetMemory(_)
            | StepKind::Call(_)
            | StepKind::Link(_)
            | StepKind::End
            | StepKind::Unknown => None,
        }
    }
}

impl Step {
    /// Returns the block or skill that a `call` or `link` step names (M180).
    pub fn target(&self) -> Option<&Name> {
        match &self.kind {
            StepKind::Call(target) | StepKind::Link(target) => Some(&target.value),
            StepKind::Instructions { .. }
            | StepKind::Collect(_)
            | StepKind::Action(_)
            | StepKind::ExecuteTool { .. }
            | StepKind::Noop
            | StepKind::SetMemory(_)
            | StepKind::End
            | StepKind::Unknown => None,
        }
    }
}

/// What a step does (M160).
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// The model talks until the condition holds.
    Instructions {
        /// What the model is told.
        prose: Prose,
        /// Ends the step; a condition in both generations (M111).
        complete_when: Option<Gate>,
        /// Where `optional: true` stands: the user may skip the step.
        optional: Option<Place>,
    },
    /// The engine obtains one entry.
    Collect(Collect),
    /// A response is delivered, or `action_listen` or `hangup`.
    Action(Spanned<Name>),
    /// The engine calls a tool.
    ExecuteTool {
        /// The tool.
        tool: Spanned<Name>,
        /// Its arguments.
        parameters: Vec<(Name, Parameter)>,
    },
    /// Nothing but `next`.
    Noop,
    /// Literals are written, keys bare or qualified (M179).
    SetMemory(Vec<(Spanned<Name>, Value)>),
    /// Another block or skill runs, then this step's `next`.
    Call(Spanned<Name>),
    /// Another block or skill takes over.
    Link(Spanned<Name>),
    /// The block ends.
    End,
    /// No key says what it does, or several do.
    Unknown,
}

/// A step that obtains one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    /// The entry, by its bare name.
    pub entry: Spanned<Name>,
    /// The response with the question.
    pub utterance: Option<Spanned<Name>>,
    /// What the value means; beats the entry's own description (M20a).
    pub description: Option<Spanned<String>>,
    /// Asks even when a value exists (M174).
    pub ask_before_filling: bool,
    /// Keypad input that it takes (M161).
    pub keypad: Option<Keypad>,
}

/// How a caller answers with the keys of a phone (M161).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keypad {
    /// Where the input ends.
    pub end: KeypadEnd,
    /// Whether the answer may be spoken, too.
    pub allow_audio_input: bool,
}

/// Where keypad input ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeypadEnd {
    /// After so many digits.
    Digits(u64),
    /// With this key, which is no part of the answer.
    Key(String),
}

/// An argument of an `execute_tool` step (M176).
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// `session.…`: resolved from memory, by qualified name.
    Memory(Spanned<Name>),
    /// Everything else.
    Literal(Value),
}

/// Where a step goes on (M163 to M167).
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The step below, or the end.
    Below,
    /// A step, or [`END`].
    Step(Spanned<Name>),
    /// The first branch that holds, else the step below.
    Branches(Vec<Branch>),
}

/// A branch of `next`.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Its condition; `None` for `else`.
    pub when: Option<Gate>,
    /// The step, or [`END`].
    pub then: Spanned<Name>,
}
