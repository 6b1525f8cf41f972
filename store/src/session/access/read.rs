//! Reads: what a name gives to a reader. A read never fails; one that gives nothing says which kind of nothing (M33,
//! M325).

use std::fmt;
use std::sync::Arc;

use super::{Active, Change, Unresolved, asked, owner, resolve};
use crate::agent::Agent;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::skill::Skill;
use crate::diagnostic::Place;
use crate::event::{Position, ReadGave};
use crate::name::{Name, split_key};
use crate::profile::Profile;
use crate::rule::{Rule, Trail};
use crate::session::{Cell, CellState, State};
use crate::value::Value;

/// Who reads, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader<'a> {
    /// The skill with whose rights is read: the active one, or the one whose file states a condition (M326). `None`
    /// while no skill is active.
    pub skill: Option<&'a str>,
    /// Where the name is written.
    pub site: Site,
}

/// Where a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// The code of a tool.
    Tool,
    /// A condition, or an argument of an `execute_tool` step.
    Condition,
    /// Prose, or a listing in the prompt.
    Prompt,
    /// A placeholder of a response.
    Response,
}

/// What a read came to, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadDecision {
    /// The name as it was asked for.
    pub asked: Name,
    /// The skill with whose rights was read.
    pub skill: Option<Name>,
    /// The qualified name of the declared entry that it means; `None` where it means none.
    pub key: Option<Name>,
    /// What it gives.
    pub found: Found,
    /// The rule that decided.
    pub rule: Rule,
    /// The rules that were applied before, in order.
    pub tried: Trail,
}

/// What a read gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A value.
    Value {
        /// The value, never `null`.
        value: Arc<Value>,
        /// Whether it was written, is initial, or is initial again.
        state: CellState,
        /// The event that set it; `None` for an initial value.
        set_at: Option<Position>,
        /// For an initial value, where it is declared.
        declared_at: Option<Place>,
    },
    /// Nothing: the reader sees `None`.
    Nothing(Nothing),
}

/// The kinds of nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// It may be read, and nothing was ever written.
    NeverWritten,
    /// It may be read; `None` was stored last.
    Cleared {
        /// The event that cleared it.
        at: Option<Position>,
    },
    /// It may be read; its skill started again and nothing was written since (M54).
    Reset {
        /// The event that reset it.
        at: Option<Position>,
    },
    /// Nothing declares the name.
    Undeclared,
    /// It is private to another skill.
    Private {
        /// That skill.
        owner: Name,
        /// Its declaration.
        declared_at: Place,
        /// The item of the reading skill's `access.deny_read` that would withhold it even if it were public.
        listed_at: Option<Place>,
    },
    /// The reading skill's `access.deny_read` lists it.
    Denied {
        /// The item of the list.
        by: Place,
    },
    /// It belongs to the engine (M31).
    Reserved,
}

impl Nothing {
    /// Returns the event that took the value away, where one did.
    pub fn since(&self) -> Option<Position> {
        match self {
            Nothing::Cleared { at } | Nothing::Reset { at } => *at,
            Nothing::NeverWritten
            | Nothing::Undeclared
            | Nothing::Private { .. }
            | Nothing::Denied { .. }
            | Nothing::Reserved => None,
        }
    }
}

/// The kind of nothing in a few words: `cleared at 12`, `private to pay_fees`.
impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nothing::NeverWritten => f.write_str("never written"),
            Nothing::Cleared { at: Some(at) } => write!(f, "cleared at {at}"),
            Nothing::Reset { at: Some(at) } => write!(f, "reset at {at}"),
            Nothing::Cleared { at: None } => f.write_str("cleared"),
            Nothing::Reset { at: None } => f.write_str("reset"),
            Nothing::Undeclared => f.write_str("not declared"),
            Nothing::Private { owner, .. } => write!(f, "private to {owner}"),
            Nothing::Denied { by } => write!(f, "denied by {}:{}", by.file, by.line),
            Nothing::Reserved => f.write_str("the engine's own"),
        }
    }
}

impl ReadDecision {
    /// Returns what the read comes to.
    pub fn outcome(&self) -> Outcome {
        match &self.found {
            Found::Value { .. } => Outcome::Allowed,
            Found::Nothing(_) if self.is_allowed() => Outcome::Empty,
            Found::Nothing(_) => Outcome::Denied,
        }
    }

    /// Returns what the read gives, as the record of a tool's read says it.
    pub fn gave(&self) -> ReadGave {
        match &self.found {
            Found::Value { .. } => ReadGave::Value,
            Found::Nothing(nothing) => match nothing {
                Nothing::NeverWritten => ReadGave::NeverWritten,
                Nothing::Cleared { .. } => ReadGave::Cleared,
                Nothing::Reset { .. } => ReadGave::Reset,
                Nothing::Undeclared => ReadGave::Undeclared,
                Nothing::Private { .. } => ReadGave::Private,
                Nothing::Denied { .. } => ReadGave::Denied,
                Nothing::Reserved => ReadGave::Reserved,
            },
        }
    }

    /// Returns whether the reader may read the entry, whatever it holds.
    pub fn is_allowed(&self) -> bool {
        match &self.found {
            Found::Value { .. } => true,
            Found::Nothing(nothing) => match nothing {
                Nothing::NeverWritten | Nothing::Cleared { .. } | Nothing::Reset { .. } => true,
                Nothing::Undeclared | Nothing::Private { .. } | Nothing::Denied { .. } | Nothing::Reserved => false,
            },
        }
    }

    /// Returns the authored line that is the reason for nothing: the item of the list, or the private declaration.
    pub fn because(&self) -> Option<&Place> {
        match &self.found {
            Found::Value { declared_at, .. } => declared_at.as_ref(),
            Found::Nothing(Nothing::Private { declared_at: at, .. } | Nothing::Denied { by: at }) => Some(at),
            Found::Nothing(
                Nothing::NeverWritten
                | Nothing::Cleared { .. }
                | Nothing::Reset { .. }
                | Nothing::Undeclared
                | Nothing::Reserved,
            ) => None,
        }
    }

    /// Returns the smallest change to the folder that would have allowed the read. `None` where it was allowed, and
    /// where no change would.
    pub fn change(&self, agent: &Agent) -> Option<Change> {
        let Found::Nothing(nothing) = &self.found else { return None };
        match nothing {
            Nothing::NeverWritten | Nothing::Cleared { .. } | Nothing::Reset { .. } | Nothing::Reserved => None,
            Nothing::Undeclared => Some(Change::for_undeclared(agent, self.skill.as_ref(), &self.asked)),
            Nothing::Private { declared_at, listed_at, .. } => {
                let (key, at) = (self.key.clone()?, declared_at.clone());
                Some(Change::Publish { key, at, listed_at: listed_at.clone() })
            }
            Nothing::Denied { by } => {
                Some(Change::Unlist { list: "deny_read", key: self.key.clone()?, at: by.clone() })
            }
        }
    }

    /// Returns which kind of nothing the reader would get if no rule withheld the entry. `None` where it would get a
    /// value, and where no rule withholds a declared entry.
    pub fn behind(&self, agent: &Agent, state: &State) -> Option<Nothing> {
        let key = self.key.as_deref().filter(|_| !self.is_allowed())?;
        let entry = agent.entry(key)?;
        match held(state.memory.get(&entry.key), entry).0 {
            Found::Value { .. } => None,
            Found::Nothing(nothing) => Some(nothing),
        }
    }

    /// Returns the value that the reader gets; `None` is the engine's `None`.
    pub fn value(&self) -> Option<&Arc<Value>> {
        match &self.found {
            Found::Value { value, .. } => Some(value),
            Found::Nothing(_) => None,
        }
    }
}

/// Decides a read of `name`, bare or qualified.
pub fn read(agent: &Agent, profile: Profile, state: &State, reader: Reader<'_>, name: &str) -> ReadDecision {
    read_as(agent, profile, state, Active::of(agent, reader.skill), reader.site, name)
}

/// What a read comes to, without its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It gives a value.
    Allowed,
    /// It is allowed, and gives nothing.
    Empty,
    /// A rule withholds what it asks for, or it asks for nothing that there is.
    Denied,
}

/// A reader whose skill was looked up once for many reads.
#[derive(Clone, Copy)]
pub struct KnownReader<'a> {
    agent: &'a Agent,
    profile: Profile,
    active: Active<'a>,
    site: Site,
}

impl<'a> KnownReader<'a> {
    /// Looks a reader up.
    pub fn of(agent: &'a Agent, profile: Profile, reader: Reader<'a>) -> KnownReader<'a> {
        KnownReader { agent, profile, active: Active::of(agent, reader.skill), site: reader.site }
    }

    /// Decides a read of `name`, as [`read`] does.
    pub fn read(&self, state: &State, name: &str) -> ReadDecision {
        read_as(self.agent, self.profile, state, self.active, self.site, name)
    }

    /// Decides a read of a declared entry by its qualified name, given what memory holds for it.
    pub fn read_entry(&self, cell: Option<&Cell>, entry: &Entry) -> ReadDecision {
        let mut tried = Trail::default();
        tried.extend([Rule::QualifiedName, Rule::QualifiedNameStays]);
        declared(self, cell, &entry.key, entry, tried)
    }

    /// Returns what [`KnownReader::read_entry`] comes to, which costs less than its explanation.
    pub fn outcome(&self, cell: Option<&Cell>, entry: &Entry) -> Outcome {
        let KnownReader { agent, profile, active, site } = *self;
        let reader = Reader { skill: active.id, site };
        let mut tried = Trail::default();
        match withheld(agent, profile, active.skill, reader, &entry.key, entry, &mut tried) {
            Some(_) => Outcome::Denied,
            None if given(cell, entry).is_some() => Outcome::Allowed,
            None => Outcome::Empty,
        }
    }

    /// Returns the declared entry that a name means to the reader, whatever its rights; `None` where it means none.
    pub fn meant(&self, name: &str) -> Option<&'a Entry> {
        resolve(self.agent, self.active, name, &mut Trail::default()).ok()
    }
}

/// Decides a read for a skill that was looked up before.
pub(in crate::session) fn read_as(
    agent: &Agent,
    profile: Profile,
    state: &State,
    active: Active<'_>,
    site: Site,
    name: &str,
) -> ReadDecision {
    let mut tried = Trail::default();
    match resolve(agent, active, name, &mut tried) {
        Ok(entry) => {
            let reader = KnownReader { agent, profile, active, site };
            declared(&reader, state.memory.get(&entry.key), name, entry, tried)
        }
        Err(unresolved) => {
            let (nothing, rule) = match unresolved {
                Unresolved::Undeclared => (Nothing::Undeclared, Rule::NothingReadsAsNone),
                Unresolved::SessionPrefix => (Nothing::Undeclared, Rule::NoSessionPrefix),
                Unresolved::Reserved => (Nothing::Reserved, Rule::SystemReserved),
            };
            decision(active, name, None, Found::Nothing(nothing), rule, tried)
        }
    }
}

/// Decides a read of a declared entry, given what memory holds for it.
fn declared(
    &KnownReader { agent, profile, active, site }: &KnownReader<'_>,
    cell: Option<&Cell>,
    name: &str,
    entry: &Entry,
    mut tried: Trail,
) -> ReadDecision {
    let reader = Reader { skill: active.id, site };
    if let Some((nothing, rule)) = withheld(agent, profile, active.skill, reader, name, entry, &mut tried) {
        return decision(active, name, Some(entry), Found::Nothing(nothing), rule, tried);
    }
    if entry.pii && reader.site != Site::Prompt {
        tried.push(Rule::PiiHidesFromPromptOnly);
    }
    let (found, rule) = held(cell, entry);
    let rule = rule.unwrap_or_else(|| tried.pop().expect("the rule of the permission was applied"));
    decision(active, name, Some(entry), found, rule, tried)
}

fn decision(
    active: Active<'_>,
    name: &str,
    entry: Option<&Entry>,
    found: Found,
    rule: Rule,
    tried: Trail,
) -> ReadDecision {
    let Active { id, skill } = active;
    ReadDecision {
        asked: asked(name, entry),
        skill: skill.map(|skill| skill.id.clone()).or_else(|| id.map(Name::from)),
        key: entry.map(|entry| entry.key.clone()),
        found,
        rule,
        tried: tried.before(rule),
    }
}

/// Says why the reader may not read an entry, if so. Leaves the rule of the permission on the trail otherwise.
fn withheld(
    agent: &Agent,
    profile: Profile,
    skill: Option<&Skill>,
    reader: Reader<'_>,
    name: &str,
    entry: &Entry,
    tried: &mut Trail,
) -> Option<(Nothing, Rule)> {
    let owner = owner(entry);
    let is_own = reader.skill == Some(owner);
    if reader.skill.is_none() && !tried.contains(&Rule::NoSkillActive) {
        tried.push(Rule::NoSkillActive);
    }
    if entry.scope == EntryScope::Private && !is_own {
        let lists = skill.filter(|_| profile.enforces_access_lists()).map(|skill| &skill.deny_read);
        let listed_at = lists.and_then(|list| list.item(&entry.key)).map(|item| item.at.clone());
        let private = Nothing::Private { owner: Name::from(owner), declared_at: entry.at.clone(), listed_at };
        return Some((private, Rule::OwnAndProject));
    }
    if let Some(skill) = skill {
        tried.push(Rule::DenyLists);
        if !skill.deny_read.items.is_empty() && !profile.enforces_access_lists() {
            tried.push(Rule::DenyListsByProfile);
        } else if let Some(item) = skill.deny_read.item(&entry.key) {
            let is_project = entry.scope == EntryScope::Project;
            let by_bare_name = split_key(name).is_none();
            let hides_project = || agent.project.iter().any(|project| project.name == entry.name);
            let rule = match reader.site {
                Site::Condition | Site::Prompt | Site::Response => Rule::DenyReadEverywhere,
                Site::Tool if is_own && by_bare_name && hides_project() => Rule::DeniedNameStays,
                Site::Tool if is_own || is_project => Rule::DenyOwnAndProject,
                Site::Tool => Rule::DenyLists,
            };
            return Some((Nothing::Denied { by: item.at.clone() }, rule));
        } else if skill.deny_read.names_nothing {
            tried.push(Rule::DenyListNamesNothing);
        }
    }
    tried.push(match entry.scope {
        EntryScope::Project => Rule::OwnAndProject,
        EntryScope::Public | EntryScope::Private if is_own => Rule::OwnAndProject,
        EntryScope::Public | EntryScope::Private => Rule::PublicReadable,
    });
    None
}

/// Returns the value that an entry gives to whoever may read it; `None` where it gives nothing.
pub fn given<'v>(cell: Option<&'v Cell>, entry: &'v Entry) -> Option<&'v Arc<Value>> {
    let held = cell.map(|cell| &cell.value).filter(|value| !value.is_null());
    let is_initial = cell.is_none_or(|cell| matches!(cell.state, CellState::Initial | CellState::Reset));
    held.or((is_initial && !entry.initial.is_null()).then_some(&entry.initial))
}

/// What an entry holds, and the rule that says so where it isn't plainly what was written.
fn held(cell: Option<&Cell>, entry: &Entry) -> (Found, Option<Rule>) {
    let initial = |kind: CellState, set_at: Option<Position>| Found::Value {
        value: Arc::clone(&entry.initial),
        state: kind,
        set_at,
        declared_at: entry.initial_at.clone(),
    };
    let has_initial = !entry.initial.is_null();
    match cell {
        None if has_initial => (initial(CellState::Initial, None), Some(Rule::InitialValueUntilWritten)),
        None => (Found::Nothing(Nothing::NeverWritten), Some(Rule::NothingReadsAsNone)),
        Some(cell) if !cell.value.is_null() => {
            let declared_at = match cell.state {
                CellState::Initial | CellState::Reset => entry.initial_at.clone(),
                CellState::Set | CellState::Cleared => None,
            };
            let rule = (cell.state == CellState::Initial).then_some(Rule::InitialValueUntilWritten);
            let value = Arc::clone(&cell.value);
            (Found::Value { value, state: cell.state, set_at: cell.set_at, declared_at }, rule)
        }
        Some(cell) => match cell.state {
            // The session started without a word about this entry; the folder knows its initial value.
            CellState::Initial | CellState::Reset if has_initial => {
                (initial(cell.state, cell.set_at), Some(Rule::InitialValueUntilWritten))
            }
            CellState::Initial => (Found::Nothing(Nothing::NeverWritten), Some(Rule::NothingReadsAsNone)),
            CellState::Reset => (Found::Nothing(Nothing::Reset { at: cell.set_at }), Some(Rule::NothingReadsAsNone)),
            CellState::Set | CellState::Cleared => {
                let rule = if has_initial { Rule::InitialValueUntilWritten } else { Rule::NothingReadsAsNone };
                (Found::Nothing(Nothing::Cleared { at: cell.set_at }), Some(rule))
            }
        },
    }
}
