//! Who may read which memory entry, and what the read gives (sections 2.4 to 2.6). Access is enforced here alone.
//!
//! A decision is its own explanation: whether a read was allowed is read off it. A read never fails; one that gives
//! nothing says which kind of nothing (M33).

use std::sync::Arc;

use super::{CellState, State};
use crate::agent::Agent;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::skill::Skill;
use crate::diagnostic::Place;
use crate::event::Position;
use crate::name::{Name, PROJECT, SYSTEM, split_key};
use crate::profile::Profile;
use crate::rule::Rule;
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
    /// The qualified name of the declared entry that it means; `None` where it means none.
    pub key: Option<Name>,
    /// What it gives.
    pub found: Found,
    /// The rule that decided.
    pub rule: Rule,
    /// The rules that were applied before, in order.
    pub tried: Vec<Rule>,
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
    },
    /// The reading skill's `access.deny_read` lists it.
    Denied {
        /// The item of the list.
        by: Place,
    },
    /// It belongs to the engine (M31).
    Reserved,
}

impl ReadDecision {
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
    let mut trail = Trail { asked: name, key: None, tried: Vec::new() };
    let skill = reader.skill.and_then(|id| agent.skills.get(id));
    let entry = match resolve(agent, skill, reader, name, &mut trail) {
        Ok(entry) => entry,
        Err((nothing, rule)) => return trail.end(Found::Nothing(nothing), rule),
    };
    trail.key = Some(entry.key.clone());
    if let Some((nothing, rule)) = withheld(agent, profile, skill, reader, entry, &mut trail) {
        return trail.end(Found::Nothing(nothing), rule);
    }
    if entry.pii && reader.site != Site::Prompt {
        trail.tried.push(Rule::PiiHidesFromPromptOnly);
    }
    let (found, rule) = held(state, entry);
    match rule {
        Some(rule) => trail.end(found, rule),
        None => {
            let rule = trail.tried.pop().expect("the rule of the permission was applied");
            trail.end(found, rule)
        }
    }
}

/// What is known on the way to a decision.
struct Trail<'a> {
    asked: &'a str,
    key: Option<Name>,
    tried: Vec<Rule>,
}

impl Trail<'_> {
    fn end(self, found: Found, rule: Rule) -> ReadDecision {
        ReadDecision { asked: Name::from(self.asked), key: self.key, found, rule, tried: self.tried }
    }
}

/// Finds the declared entry that a name means. This goes by the schemas alone; rights and values come after (M30b).
fn resolve<'a>(
    agent: &'a Agent,
    skill: Option<&'a Skill>,
    reader: Reader<'_>,
    name: &str,
    trail: &mut Trail<'_>,
) -> Result<&'a Entry, (Nothing, Rule)> {
    let Some((space, entry)) = split_key(name) else {
        trail.tried.push(if reader.skill.is_some() { Rule::BareNameBySchema } else { Rule::NoSkillActive });
        let own = skill.and_then(|skill| skill.entry(name));
        let project = || agent.project.iter().find(|entry| entry.name == name);
        return own.or_else(project).ok_or((Nothing::Undeclared, Rule::NothingReadsAsNone));
    };
    if space == "session" {
        return Err((Nothing::Undeclared, Rule::NoSessionPrefix));
    }
    trail.tried.push(Rule::QualifiedName);
    if space == SYSTEM {
        return Err((Nothing::Reserved, Rule::SystemReserved));
    }
    trail.tried.push(Rule::QualifiedNameStays);
    let found = if space == PROJECT {
        agent.project.iter().find(|declared| declared.name == entry)
    } else {
        agent.skills.get(space).and_then(|skill| skill.entry(entry))
    };
    found.ok_or((Nothing::Undeclared, Rule::NothingReadsAsNone))
}

/// Says why the reader may not read an entry, if so. Leaves the rule of the permission on the trail otherwise.
fn withheld(
    agent: &Agent,
    profile: Profile,
    skill: Option<&Skill>,
    reader: Reader<'_>,
    entry: &Entry,
    trail: &mut Trail<'_>,
) -> Option<(Nothing, Rule)> {
    let owner = split_key(&entry.key).map_or(PROJECT, |(space, _)| space);
    let is_own = reader.skill == Some(owner);
    if reader.skill.is_none() && !trail.tried.contains(&Rule::NoSkillActive) {
        trail.tried.push(Rule::NoSkillActive);
    }
    if entry.scope == EntryScope::Private && !is_own {
        let private = Nothing::Private { owner: Name::from(owner), declared_at: entry.at.clone() };
        return Some((private, Rule::OwnAndProjectReadable));
    }
    if let Some(skill) = skill {
        trail.tried.push(Rule::DenyRead);
        if !skill.deny_read.is_empty() && !profile.enforces_access_lists() {
            trail.tried.push(Rule::DenyListsByProfile);
        } else if let Some(item) = skill.deny_read.iter().find(|item| item.value == entry.key) {
            let is_project = entry.scope == EntryScope::Project;
            let by_bare_name = split_key(trail.asked).is_none();
            let hides_project = || agent.project.iter().any(|project| project.name == entry.name);
            let rule = match reader.site {
                Site::Condition | Site::Prompt | Site::Response => Rule::DenyReadEverywhere,
                Site::Tool if is_own && by_bare_name && hides_project() => Rule::DeniedNameStays,
                Site::Tool if is_own || is_project => Rule::DenyReadOwnAndProject,
                Site::Tool => Rule::DenyRead,
            };
            return Some((Nothing::Denied { by: item.at.clone() }, rule));
        } else if skill.deny_read.iter().any(|item| agent.entry(&item.value).is_none()) {
            trail.tried.push(Rule::DenyListNamesNothing);
        }
    }
    trail.tried.push(match entry.scope {
        EntryScope::Project => Rule::OwnAndProjectReadable,
        EntryScope::Public | EntryScope::Private if is_own => Rule::OwnAndProjectReadable,
        EntryScope::Public | EntryScope::Private => Rule::PublicReadable,
    });
    None
}

/// What an entry holds, and the rule that says so where it isn't plainly what was written.
fn held(state: &State, entry: &Entry) -> (Found, Option<Rule>) {
    let initial = |kind: CellState, set_at: Option<Position>| Found::Value {
        value: Arc::clone(&entry.initial),
        state: kind,
        set_at,
        declared_at: entry.initial_at.clone(),
    };
    let has_initial = !entry.initial.is_null();
    match state.memory.get(&entry.key) {
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
