//! Who may read and write which memory entry (sections 2.4 to 2.10). Access is enforced here and nowhere else.
//!
//! A decision is its own explanation: whether a read or write was allowed is read off it, and so are the rules that
//! were tried, the line that an author wrote, and the smallest change that would have allowed it.

mod attempt;
mod change;
pub mod matrix;
mod read;
mod write;

use crate::agent::Agent;
use crate::agent::entry::Entry;
use crate::agent::skill::Skill;
use crate::name::{Name, PROJECT, SYSTEM, split_key};
use crate::rule::{Rule, Trail};

pub use attempt::write;
pub use change::Change;
pub(super) use read::read_as;
pub use read::{Found, KnownReader, Nothing, Outcome, ReadDecision, Reader, Site, given, read};
pub use write::{Obstacle, WriteBy, WriteDecision, WriteOutcome, WriteRequest};

/// Why a name means no declared entry.
enum Unresolved {
    /// Nothing declares it.
    Undeclared,
    /// It has `session.` in front.
    SessionPrefix,
    /// It belongs to the engine.
    Reserved,
}

/// The skill with whose rights is read or written, looked up once for many names.
#[derive(Clone, Copy)]
pub(super) struct Active<'a> {
    /// Its id; `None` while no skill is active.
    id: Option<&'a str>,
    /// `None` where the folder has no such skill.
    skill: Option<&'a Skill>,
}

impl<'a> Active<'a> {
    pub(super) fn of(agent: &'a Agent, id: Option<&'a str>) -> Active<'a> {
        Active { id, skill: id.and_then(|id| agent.skills.get(id)) }
    }
}

/// Finds the declared entry that a name means. This goes by the schemas alone; rights and values come after (M30b).
fn resolve<'a>(agent: &'a Agent, active: Active<'a>, name: &str, tried: &mut Trail) -> Result<&'a Entry, Unresolved> {
    let Some((space, entry)) = split_key(name) else {
        tried.push(if active.id.is_some() { Rule::BareNameBySchema } else { Rule::NoSkillActive });
        let own = active.skill.and_then(|skill| skill.entry(name));
        let project = || agent.project.iter().find(|entry| entry.name == name);
        return own.or_else(project).ok_or(Unresolved::Undeclared);
    };
    if space == "session" {
        return Err(Unresolved::SessionPrefix);
    }
    tried.push(Rule::QualifiedName);
    if space == SYSTEM {
        return Err(Unresolved::Reserved);
    }
    tried.push(Rule::QualifiedNameStays);
    let found = if space == PROJECT {
        agent.project.iter().find(|declared| declared.name == entry)
    } else {
        let own = active.skill.filter(|_| active.id == Some(space));
        own.or_else(|| agent.skills.get(space)).and_then(|skill| skill.entry(entry))
    };
    found.ok_or(Unresolved::Undeclared)
}

/// Returns whose the entry is: a skill id, or `project`.
fn owner(entry: &Entry) -> &str {
    split_key(&entry.key).map_or(PROJECT, |(space, _)| space)
}

/// Returns the name that was asked for, without a new allocation where it is one that the entry has.
fn asked(name: &str, entry: Option<&Entry>) -> Name {
    let own = entry.and_then(|entry| [&entry.key, &entry.name].into_iter().find(|own| **own == *name));
    own.cloned().unwrap_or_else(|| Name::from(name))
}
