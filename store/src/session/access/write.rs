//! What a write is and what comes of it: who writes, what is stored, or what stands in the way (M203).

use std::sync::Arc;

use super::Change;
use super::change::kind_name;
use crate::agent::Agent;
use crate::agent::entry::EntryScope;
use crate::diagnostic::Place;
use crate::event::{Actor, Position, WriteRefusal};
use crate::name::{Name, split_key};
use crate::rule::{Rule, Trail};
use crate::value::Value;

/// Who wants to write, and what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteRequest<'a> {
    /// The active skill.
    pub skill: Option<&'a str>,
    /// Who writes.
    pub by: WriteBy,
    /// The name as the writer gives it.
    pub name: &'a str,
    /// The value; for a button the text behind the first `=`.
    pub value: &'a Value,
}

/// The ways in which memory is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteBy {
    /// The code of a tool.
    Tool,
    /// The model, through `set_fields`.
    SetFields,
    /// The model, which answers a `collect` step.
    Collect,
    /// The model, through `correct`.
    Correct,
    /// A `set_memory` step.
    SetMemory,
    /// A `run_after_setting_…` tool.
    ValidationTool,
    /// A lifecycle hook.
    Hook,
    /// A `set:` button.
    Button,
    /// The metadata of the session start.
    Seed,
    /// The engine.
    Engine,
}

impl WriteBy {
    /// Every way.
    pub const ALL: [WriteBy; 10] = [
        WriteBy::Tool,
        WriteBy::SetFields,
        WriteBy::Collect,
        WriteBy::Correct,
        WriteBy::SetMemory,
        WriteBy::ValidationTool,
        WriteBy::Hook,
        WriteBy::Button,
        WriteBy::Seed,
        WriteBy::Engine,
    ];

    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            WriteBy::Tool => "tool",
            WriteBy::SetFields => "set_fields",
            WriteBy::Collect => "collect",
            WriteBy::Correct => "correct",
            WriteBy::SetMemory => "set_memory",
            WriteBy::ValidationTool => "validation_tool",
            WriteBy::Hook => "hook",
            WriteBy::Button => "button",
            WriteBy::Seed => "seed",
            WriteBy::Engine => "engine",
        }
    }

    /// Returns the kind of writer that an event names.
    pub fn actor(self) -> Actor {
        match self {
            WriteBy::Tool => Actor::Tool,
            WriteBy::SetFields | WriteBy::Collect | WriteBy::Correct => Actor::Model,
            WriteBy::SetMemory => Actor::Step,
            WriteBy::ValidationTool | WriteBy::Hook => Actor::Hook,
            WriteBy::Button => Actor::Button,
            WriteBy::Seed => Actor::Seed,
            WriteBy::Engine => Actor::Engine,
        }
    }

    /// Returns whether the writer runs the validation tool of the entry (M209).
    pub fn is_validated(self) -> bool {
        match self {
            WriteBy::SetFields | WriteBy::Collect | WriteBy::Correct | WriteBy::Button => true,
            WriteBy::Tool
            | WriteBy::SetMemory
            | WriteBy::ValidationTool
            | WriteBy::Hook
            | WriteBy::Seed
            | WriteBy::Engine => false,
        }
    }
}

/// What a write came to, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteDecision {
    /// The name as it was asked for.
    pub asked: Name,
    /// The skill that was active.
    pub skill: Option<Name>,
    /// Who wanted to write.
    pub by: WriteBy,
    /// The qualified name that the value is stored under; also where it is not stored, if the name means an entry.
    pub key: Option<Name>,
    /// What happens.
    pub outcome: WriteOutcome,
    /// The rule that decided.
    pub rule: Rule,
    /// The rules that were applied before, in order.
    pub tried: Trail,
}

/// What happens to a value.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteOutcome {
    /// It is stored; `null` clears the entry.
    Stored(Arc<Value>),
    /// It isn't.
    Refused {
        /// What the writer gets.
        refusal: WriteRefusal,
        /// What stands in the way.
        obstacle: Obstacle,
    },
}

/// What stands in the way of a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// Nothing declares the name.
    Undeclared,
    /// The name belongs to the engine.
    Reserved,
    /// The entry belongs to another skill.
    Foreign {
        /// The skill that the name names.
        owner: Name,
    },
    /// The skill's `access.deny_write` lists it.
    Denied {
        /// The item of the list.
        by: Place,
    },
    /// The model may not set it.
    NotSettable,
    /// The model never writes project memory.
    ProjectForModel,
    /// Buttons don't write project memory in this profile.
    ProjectForButton,
    /// The model names fields without a namespace.
    Qualified,
    /// The value is of another type.
    OtherType,
    /// The value is none of `enum_values`.
    OutsideEnum,
    /// The project entry holds a value.
    AlreadySet {
        /// The event that set it; `None` for an initial value.
        set_at: Option<Position>,
    },
    /// The entry isn't marked for seeding.
    NotSeeded,
    /// No skill is active.
    NoSkill,
    /// There is no value to correct.
    NothingToCorrect,
    /// An earlier step of the block obtained the value.
    EarlierStep,
    /// Hooks have no memory in this profile.
    HookWithoutMemory,
}

impl WriteDecision {
    /// Returns whether the value is stored.
    pub fn is_allowed(&self) -> bool {
        self.stored().is_some()
    }

    /// Returns the value that is stored, if one is.
    pub fn stored(&self) -> Option<&Arc<Value>> {
        match &self.outcome {
            WriteOutcome::Stored(value) => Some(value),
            WriteOutcome::Refused { .. } => None,
        }
    }

    /// Returns what the writer gets instead, if the value isn't stored.
    pub fn refusal(&self) -> Option<WriteRefusal> {
        match &self.outcome {
            WriteOutcome::Stored(_) => None,
            WriteOutcome::Refused { refusal, .. } => Some(*refusal),
        }
    }

    /// Returns the authored line that is the reason for a refusal, where one is: the item of an access list, an
    /// initial value that locks, or the declaration that says no.
    pub fn because<'a>(&'a self, agent: &'a Agent) -> Option<&'a Place> {
        let WriteOutcome::Refused { obstacle, .. } = &self.outcome else { return None };
        let entry = self.key.as_deref().and_then(|key| agent.entry(key));
        match obstacle {
            Obstacle::Denied { by } => Some(by),
            Obstacle::AlreadySet { set_at: None } => entry.and_then(|entry| entry.initial_at.as_ref()),
            Obstacle::Undeclared
            | Obstacle::Reserved
            | Obstacle::Qualified
            | Obstacle::NoSkill
            | Obstacle::NothingToCorrect
            | Obstacle::HookWithoutMemory => None,
            Obstacle::Foreign { .. }
            | Obstacle::NotSettable
            | Obstacle::ProjectForModel
            | Obstacle::ProjectForButton
            | Obstacle::OtherType
            | Obstacle::OutsideEnum
            | Obstacle::AlreadySet { set_at: Some(_) }
            | Obstacle::NotSeeded
            | Obstacle::EarlierStep => entry.map(|entry| &entry.at),
        }
    }

    /// Returns the smallest change that would have allowed a refused write of `value`. `None` where it was allowed,
    /// and where no change would.
    pub fn change(&self, agent: &Agent, value: &Value) -> Option<Change> {
        let WriteOutcome::Refused { obstacle, .. } = &self.outcome else { return None };
        let entry = self.key.as_deref().and_then(|key| agent.entry(key));
        let of_entry = |make: fn(Name, Place) -> Change| entry.map(|entry| make(entry.key.clone(), entry.at.clone()));
        match obstacle {
            Obstacle::Undeclared => Some(match self.by {
                WriteBy::Seed => Change::Declare { key: self.asked.clone(), file: Name::from("memory.yml") },
                _ => Change::for_undeclared(agent, self.skill.as_ref(), &self.asked),
            }),
            Obstacle::Reserved => None,
            Obstacle::Foreign { owner } => {
                entry.map(|entry| Change::LetOwnerWrite { owner: owner.clone(), at: entry.at.clone() })
            }
            Obstacle::Denied { by } => {
                Some(Change::Unlist { list: "deny_write", key: self.key.clone()?, at: by.clone() })
            }
            Obstacle::NotSettable => of_entry(|key, at| Change::LetModelSet { key, at }),
            Obstacle::ProjectForModel | Obstacle::ProjectForButton => {
                of_entry(|key, at| Change::MoveToSkill { key, at })
            }
            Obstacle::Qualified => {
                let entry = entry?;
                let owner = super::owner(entry);
                let (key, at) = (entry.key.clone(), entry.at.clone());
                Some(if entry.scope == EntryScope::Project {
                    Change::MoveToSkill { key, at }
                } else if self.skill.as_deref() == Some(owner) {
                    Change::WriteName { name: entry.name.clone(), at }
                } else {
                    Change::LetOwnerWrite { owner: Name::from(owner), at }
                })
            }
            Obstacle::OtherType => entry.map(|entry| Change::FitType {
                key: entry.key.clone(),
                kind: kind_name(entry.kind),
                at: entry.at.clone(),
            }),
            Obstacle::OutsideEnum => entry.map(|entry| Change::AddEnumValue {
                key: entry.key.clone(),
                value: value.clone(),
                at: entry.at.clone(),
            }),
            Obstacle::AlreadySet { set_at: None } => entry.and_then(|entry| {
                Some(Change::DropInitialValue { key: entry.key.clone(), at: entry.initial_at.clone()? })
            }),
            Obstacle::AlreadySet { set_at: Some(_) } => of_entry(|key, at| Change::MoveToSkill { key, at }),
            Obstacle::NotSeeded => of_entry(|key, at| Change::MarkSeed { key, at }),
            Obstacle::NoSkill => {
                let skill = split_key(&self.asked).map(|(space, _)| space).and_then(|id| agent.skills.get(id));
                Some(Change::ActivateSkill { skill: skill.map(|skill| skill.id.clone()) })
            }
            Obstacle::NothingToCorrect => Some(Change::UseTool { tool: "set_fields" }),
            Obstacle::EarlierStep => Some(Change::UseTool { tool: "correct" }),
            Obstacle::HookWithoutMemory => Some(Change::WriteFromTool),
        }
    }
}
