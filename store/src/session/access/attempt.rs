//! The write decision, step by step (M42): each kind of writer has its way through the rules.

use std::sync::Arc;

use super::write::{Obstacle, WriteBy, WriteDecision, WriteOutcome, WriteRequest};
use super::{Active, Unresolved, asked, owner, resolve};
use crate::agent::Agent;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::skill::Skill;
use crate::event::WriteRefusal;
use crate::name::{Name, SYSTEM, split_key};
use crate::profile::Profile;
use crate::rule::{Rule, Trail};
use crate::session::fit::{Misfit, coerce, fits_schema, fits_seed};
use crate::session::{CellState, State};
use crate::value::Value;

/// Decides a write.
pub fn write(agent: &Agent, profile: Profile, state: &State, request: WriteRequest<'_>) -> WriteDecision {
    let mut attempt = Attempt {
        agent,
        profile,
        state,
        request,
        skill: request.skill.and_then(|id| agent.skills.get(id)),
        entry: None,
        tried: Trail::default(),
    };
    let verdict = match request.by {
        WriteBy::Tool | WriteBy::SetMemory | WriteBy::ValidationTool => attempt.by_code(),
        WriteBy::Hook => attempt.by_hook(),
        WriteBy::SetFields | WriteBy::Collect | WriteBy::Correct => attempt.by_model(),
        WriteBy::Button => attempt.by_button(),
        WriteBy::Seed => attempt.by_seed(),
        WriteBy::Engine => attempt.by_engine(),
    };
    let Attempt { skill, entry, tried, .. } = attempt;
    let (outcome, rule) = match verdict {
        Ok(Stored { value, rule }) => (WriteOutcome::Stored(value), rule),
        Err(Refused { refusal, obstacle, rule }) => (WriteOutcome::Refused { refusal, obstacle }, rule),
    };
    let asked = asked(request.name, entry);
    // The engine's own entries are declared nowhere and stored under the name that it gives.
    let undeclared = || (request.by == WriteBy::Engine).then(|| asked.clone());
    let key = entry.map(|entry| entry.key.clone()).or_else(undeclared);
    let skill = skill.map(|skill| skill.id.clone()).or_else(|| request.skill.map(Name::from));
    WriteDecision { asked, skill, by: request.by, key, outcome, rule, tried: tried.before(rule) }
}

/// What is known on the way to a decision.
struct Attempt<'a> {
    agent: &'a Agent,
    profile: Profile,
    state: &'a State,
    request: WriteRequest<'a>,
    skill: Option<&'a Skill>,
    entry: Option<&'a Entry>,
    tried: Trail,
}

struct Stored {
    value: Arc<Value>,
    rule: Rule,
}

struct Refused {
    refusal: WriteRefusal,
    obstacle: Obstacle,
    rule: Rule,
}

type Verdict = Result<Stored, Refused>;

fn refused(refusal: WriteRefusal, obstacle: Obstacle, rule: Rule) -> Refused {
    Refused { refusal, obstacle, rule }
}

impl<'a> Attempt<'a> {
    /// A tool, a `set_memory` step or a validation tool writes: steps 1 to 8 of M42.
    fn by_code(&mut self) -> Verdict {
        let entry = self.writable()?;
        let tail = self.lock(entry)?;
        let value = self.request.value;
        let is_project = entry.scope == EntryScope::Project;
        let is_outside = !entry.enum_values.is_empty() && !value.is_null() && !entry.enum_values.contains(value);
        let rule = match self.request.by {
            WriteBy::SetMemory => Rule::SetMemoryStep,
            WriteBy::ValidationTool if is_project => Rule::ValidationToolWrites,
            _ if is_outside => Rule::EnumBindsModel,
            _ if value.is_null() && !is_project => Rule::Clearing,
            _ => match tail {
                Some(rule) => return self.store(value.clone(), rule),
                None => self.tried.pop().expect("the rule of the namespace was applied"),
            },
        };
        self.tried.extend(tail);
        self.store(value.clone(), rule)
    }

    /// A lifecycle hook writes. The older generation's hooks are its validation tools, and write like them.
    fn by_hook(&mut self) -> Verdict {
        if self.profile.hooks_write_memory() {
            return self.by_code();
        }
        self.entry = resolve(self.agent, self.active(), self.request.name, &mut self.tried).ok();
        Err(refused(WriteRefusal::MemoryWriteError, Obstacle::HookWithoutMemory, Rule::HooksHaveNoMemory))
    }

    /// The model writes: what it isn't offered is an error of the tool, and nothing is attempted.
    fn by_model(&mut self) -> Verdict {
        let tool_error = |obstacle, rule| refused(WriteRefusal::ToolError, obstacle, rule);
        if split_key(self.request.name).is_some() {
            self.entry = self.agent.entry(self.request.name);
            return Err(tool_error(Obstacle::Qualified, Rule::FieldsAreBare));
        }
        let Ok(entry) = resolve(self.agent, self.active(), self.request.name, &mut self.tried) else {
            return Err(tool_error(Obstacle::Undeclared, Rule::ModelSettable));
        };
        self.entry = Some(entry);
        self.tried.push(Rule::OwnAndProject);
        self.deny(entry)?;
        if entry.scope == EntryScope::Project {
            return Err(tool_error(Obstacle::ProjectForModel, Rule::ProjectWriters));
        }
        let settable = entry.llm_settable || self.skill.is_some_and(|skill| skill.collects(&entry.name));
        if !settable {
            return Err(tool_error(Obstacle::NotSettable, Rule::ModelSettable));
        }
        let value = self.request.value;
        match fits_schema(entry, value) {
            Ok(()) => {}
            Err(Misfit::Type) => return Err(tool_error(Obstacle::OtherType, Rule::ModelCallsFitTheSchema)),
            Err(Misfit::Enum) => return Err(tool_error(Obstacle::OutsideEnum, Rule::EnumBindsModel)),
        }
        let has_value = self.state.value(&entry.key).is_some();
        match self.request.by {
            WriteBy::Correct if !has_value => {
                return Err(tool_error(Obstacle::NothingToCorrect, Rule::CorrectNeedsValue));
            }
            WriteBy::SetFields if has_value && self.is_of_earlier_step(entry) => {
                return Err(tool_error(Obstacle::EarlierStep, Rule::EarlierStepIsCorrected));
            }
            _ => {}
        }
        self.store(value.clone(), Rule::ModelSettable)
    }

    /// A button writes (M233). What doesn't work out is a stale tap, which the engine passes over (M234).
    fn by_button(&mut self) -> Verdict {
        let stale = |obstacle| refused(WriteRefusal::Skipped, obstacle, Rule::StaleButton);
        if self.request.skill.is_none() {
            self.entry = resolve(self.agent, Active::of(self.agent, None), self.request.name, &mut self.tried).ok();
            return Err(stale(Obstacle::NoSkill));
        }
        let written = self.writable().and_then(|entry| self.lock(entry).map(|_| entry));
        let entry = match written {
            Ok(entry) => entry,
            Err(Refused { obstacle, rule, .. }) => {
                self.tried.push(rule);
                return Err(stale(obstacle));
            }
        };
        if entry.scope == EntryScope::Project && !self.profile.buttons_write_project() {
            return Err(refused(WriteRefusal::Skipped, Obstacle::ProjectForButton, Rule::ProjectWriters));
        }
        match coerce(entry, self.request.value) {
            Ok(value) => self.store(value, Rule::ButtonWrites),
            Err(Misfit::Type) => Err(stale(Obstacle::OtherType)),
            Err(Misfit::Enum) => Err(stale(Obstacle::OutsideEnum)),
        }
    }

    /// Session-start metadata is copied into marked project entries (M59 to M63).
    fn by_seed(&mut self) -> Verdict {
        let skipped = |obstacle, rule| refused(WriteRefusal::Skipped, obstacle, rule);
        let agent = self.agent;
        let entry = agent.project.iter().find(|entry| entry.name == *self.request.name);
        let Some(entry) = entry else { return Err(skipped(Obstacle::Undeclared, Rule::OnlyMarkedSeeded)) };
        self.entry = Some(entry);
        if !entry.seed {
            return Err(skipped(Obstacle::NotSeeded, Rule::OnlyMarkedSeeded));
        }
        self.tried.push(Rule::OnlyMarkedSeeded);
        match fits_seed(entry, self.request.value) {
            Ok(()) => self.tried.push(Rule::SeedIsStrict),
            Err(Misfit::Type) => return Err(skipped(Obstacle::OtherType, Rule::SeedOfOtherType)),
            Err(Misfit::Enum) => return Err(skipped(Obstacle::OutsideEnum, Rule::SeedIsStrict)),
        }
        match self.lock(entry) {
            Ok(tail) => self.tried.extend(tail),
            Err(Refused { obstacle: obstacle @ Obstacle::AlreadySet { set_at: None }, .. }) => {
                return Err(skipped(obstacle, Rule::InitialValueBarsSeed));
            }
            Err(Refused { obstacle, rule, .. }) => return Err(skipped(obstacle, rule)),
        }
        self.store(self.request.value.clone(), Rule::Seeded)
    }

    /// The engine writes: its own names freely, declared entries by the lock of project memory.
    fn by_engine(&mut self) -> Verdict {
        let is_own = split_key(self.request.name).is_none_or(|(space, _)| space == SYSTEM);
        if is_own {
            return self.store(self.request.value.clone(), Rule::SystemReserved);
        }
        match resolve(self.agent, self.active(), self.request.name, &mut self.tried) {
            Ok(entry) => {
                self.entry = Some(entry);
                let tail = self.lock(entry)?;
                self.tried.extend(tail);
                self.store(self.request.value.clone(), Rule::EngineFillsItsOwn)
            }
            Err(_) => Err(refused(WriteRefusal::MemoryWriteError, Obstacle::Undeclared, Rule::UndeclaredWrite)),
        }
    }

    fn active(&self) -> Active<'a> {
        Active { id: self.request.skill, skill: self.skill }
    }

    fn store(&self, value: Value, rule: Rule) -> Verdict {
        Ok(Stored { value: Arc::new(value), rule })
    }

    /// Steps 1 to 5 of M42: what the name means, whose it is, and whether the skill's own list denies it.
    fn writable(&mut self) -> Result<&'a Entry, Refused> {
        let error = |obstacle, rule| refused(WriteRefusal::MemoryWriteError, obstacle, rule);
        let resolved = resolve(self.agent, self.active(), self.request.name, &mut self.tried);
        let entry = match resolved {
            Ok(entry) => entry,
            Err(Unresolved::Reserved) => return Err(error(Obstacle::Reserved, Rule::SystemReserved)),
            Err(Unresolved::SessionPrefix) => return Err(error(Obstacle::Undeclared, Rule::NoSessionPrefix)),
            Err(Unresolved::Undeclared) => {
                let name = self.request.name;
                let is_elsewhere = || self.agent.skills.values().any(|skill| skill.entry(name).is_some());
                if self.request.by == WriteBy::Tool && split_key(name).is_none() && is_elsewhere() {
                    self.tried.push(Rule::SharedToolNamespace);
                }
                return Err(error(Obstacle::Undeclared, Rule::UndeclaredWrite));
            }
        };
        self.entry = Some(entry);
        let owner = owner(entry);
        if entry.scope != EntryScope::Project && self.request.skill != Some(owner) {
            return Err(error(Obstacle::Foreign { owner: Name::from(owner) }, Rule::OwnAndProject));
        }
        self.deny(entry)?;
        self.tried.push(if entry.scope == EntryScope::Project { Rule::ProjectWriters } else { Rule::OwnAndProject });
        Ok(entry)
    }

    /// Step 5 of M42: `access.deny_write` of the active skill.
    fn deny(&mut self, entry: &Entry) -> Result<(), Refused> {
        let Some(skill) = self.skill else { return Ok(()) };
        self.tried.push(Rule::DenyLists);
        if !skill.deny_write.items.is_empty() && !self.profile.enforces_access_lists() {
            self.tried.push(Rule::DenyListsByProfile);
        } else if let Some(item) = skill.deny_write.item(&entry.key) {
            let is_project = entry.scope == EntryScope::Project;
            let rule = if is_project { Rule::DenyLists } else { Rule::DenyOwnAndProject };
            return Err(refused(WriteRefusal::MemoryWriteError, Obstacle::Denied { by: item.at.clone() }, rule));
        } else if skill.deny_write.names_nothing {
            self.tried.push(Rule::DenyListNamesNothing);
        }
        Ok(())
    }

    /// Step 7 of M42: a project entry that holds a value isn't written again. Returns the rule that leaves it open.
    fn lock(&self, entry: &Entry) -> Result<Option<Rule>, Refused> {
        if entry.scope != EntryScope::Project {
            return Ok(None);
        }
        let held = match self.state.memory.get(&entry.key) {
            Some(cell) => Some((&cell.value, cell.state, cell.set_at)),
            None => Some((&entry.initial, CellState::Initial, None)),
        };
        let held = held.filter(|(value, ..)| !value.is_null());
        let Some((value, kind, set_at)) = held else {
            let open = if self.request.value.is_null() { Rule::NoneLeavesOpen } else { Rule::ProjectWrittenOnce };
            return Ok(Some(open));
        };
        let is_initial = kind == CellState::Initial;
        if is_initial && !self.profile.initial_value_locks() {
            return Ok(Some(Rule::InitialValueStaysOpen));
        }
        let obstacle = Obstacle::AlreadySet { set_at: set_at.filter(|_| !is_initial) };
        let is_step = matches!(self.request.by, WriteBy::SetMemory | WriteBy::ValidationTool | WriteBy::Hook);
        if is_step && self.profile.skips_set_project_entries() {
            return Err(refused(WriteRefusal::Skipped, obstacle, Rule::SetProjectIsSkipped));
        }
        let rule = if is_initial || !value.is_truthy() {
            Rule::AnyValueLocks
        } else if **value == *self.request.value {
            Rule::NoneLeavesOpen
        } else {
            Rule::ProjectWrittenOnce
        };
        Err(refused(WriteRefusal::ProjectMemoryAlreadySetError, obstacle, rule))
    }

    /// Whether a step before the current one of the active block collects the entry (M352).
    fn is_of_earlier_step(&self, entry: &Entry) -> bool {
        let Some(frame) = self.state.top() else { return false };
        let (Some(block), Some(current)) = (&frame.block, &frame.step) else { return false };
        let block = self.skill.filter(|skill| skill.id == frame.skill).and_then(|skill| skill.block(block));
        let Some(block) = block else { return false };
        let before = block.steps.iter().take_while(|step| step.id != *current);
        before.filter_map(|step| step.collected()).any(|collected| *collected == entry.name)
    }
}
