//! Who writes memory, and what a writer gets when its write isn't stored.

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// Who wrote a memory entry, and in which situation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Writer {
    /// The kind of writer.
    pub actor: Actor,
    /// The tool that wrote, or whose call did.
    pub tool: Option<Name>,
    /// The skill that was active.
    pub skill: Option<Name>,
    /// The block step, or `autonomous` in prose (M304).
    pub step: Option<Name>,
    /// The stack frame.
    pub frame: Option<Name>,
    /// The model's id of the call.
    pub call_id: Option<Name>,
    /// The arguments of the tool call, as JSON text; empty where there are none.
    pub arguments: String,
    /// The index that the record claims for itself (M369).
    pub recorded_index: Option<u32>,
}

impl Writer {
    /// Returns a writer of which nothing but its kind is known.
    pub fn only(actor: Actor) -> Writer {
        Writer {
            actor,
            tool: None,
            skill: None,
            step: None,
            frame: None,
            call_id: None,
            arguments: String::new(),
            recorded_index: None,
        }
    }
}

/// The kinds of writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The code of a tool.
    Tool,
    /// The model, through `set_fields`, `correct` or the like.
    Model,
    /// A `set_memory` step of a block.
    Step,
    /// A `set:` button.
    Button,
    /// A hook.
    Hook,
    /// Session-start seeding (M59).
    Seed,
    /// The engine.
    Engine,
    /// The record doesn't say.
    Unknown,
}

impl Actor {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Actor::Tool => "tool",
            Actor::Model => "model",
            Actor::Step => "step",
            Actor::Button => "button",
            Actor::Hook => "hook",
            Actor::Seed => "seed",
            Actor::Engine => "engine",
            Actor::Unknown => "unknown",
        }
    }
}

/// What a writer gets when its write is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteRefusal {
    /// `MemoryWriteError` (M34).
    MemoryWriteError,
    /// `ProjectMemoryAlreadySetError` (M46).
    ProjectMemoryAlreadySetError,
    /// The model gets a tool error, and nothing was attempted.
    ToolError,
    /// Nothing: the write is passed over.
    Skipped,
}

impl WriteRefusal {
    /// Returns the word for it: the engine's name of the error where there is one.
    pub fn word(self) -> &'static str {
        match self {
            WriteRefusal::MemoryWriteError => "MemoryWriteError",
            WriteRefusal::ProjectMemoryAlreadySetError => "ProjectMemoryAlreadySetError",
            WriteRefusal::ToolError => "tool_error",
            WriteRefusal::Skipped => "skipped",
        }
    }
}
