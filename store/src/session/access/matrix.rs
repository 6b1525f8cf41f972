//! Who may read and write what, now: every declared entry against every skill and every way to write.

use super::{ReadDecision, Reader, Site, WriteBy, WriteDecision, WriteRequest, read, write};
use crate::agent::Agent;
use crate::agent::entry::{Entry, EntryKind, EntryScope};
use crate::name::Name;
use crate::profile::Profile;
use crate::session::State;
use crate::value::Value;

/// The rights on one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The qualified name.
    pub key: Name,
    /// The rights of each skill, in directory order, behind those of no skill.
    pub cells: Vec<Rights>,
}

/// The rights of a skill on an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Rights {
    /// The skill; `None` while no skill is active.
    pub skill: Option<Name>,
    /// What a tool of it reads.
    pub read: ReadDecision,
    /// What each writer may do, in the order of [`WriteBy::ALL`], with a value that fits the entry.
    pub writes: Vec<WriteDecision>,
}

/// Returns the rights on every declared entry: project memory, then the skills in directory order.
pub fn matrix(agent: &Agent, profile: Profile, state: &State) -> Vec<Row> {
    let skills: Vec<Option<&Name>> = std::iter::once(None).chain(agent.skills.keys().map(Some)).collect();
    let row = |entry: &Entry| Row {
        key: entry.key.clone(),
        cells: skills.iter().map(|skill| rights(agent, profile, state, *skill, entry)).collect(),
    };
    agent.entries().map(row).collect()
}

/// Returns the rights of a skill on an entry.
pub fn rights(agent: &Agent, profile: Profile, state: &State, skill: Option<&Name>, entry: &Entry) -> Rights {
    let id = skill.map(Name::as_str);
    let value = fitting(entry);
    let is_own = skill.is_some_and(|skill| super::owner(entry) == &**skill);
    let is_bare = is_own || entry.scope == EntryScope::Project;
    let decide = |by: WriteBy| {
        // The model and the metadata name entries without a namespace.
        let name = match by {
            WriteBy::SetFields | WriteBy::Collect | WriteBy::Correct if is_bare => &entry.name,
            WriteBy::Seed if entry.scope == EntryScope::Project => &entry.name,
            _ => &entry.key,
        };
        write(agent, profile, state, WriteRequest { skill: id, by, name, value: &value })
    };
    Rights {
        skill: skill.cloned(),
        read: read(agent, profile, state, Reader { skill: id, site: Site::Tool }, &entry.key),
        writes: WriteBy::ALL.into_iter().map(decide).collect(),
    }
}

/// Returns a value that the entry takes from every writer.
fn fitting(entry: &Entry) -> Value {
    if let (EntryKind::Categorical, Some(first)) = (entry.kind, entry.enum_values.first()) {
        return first.clone();
    }
    match entry.kind {
        EntryKind::Text | EntryKind::Categorical | EntryKind::Any => Value::Text("x".to_owned()),
        EntryKind::Bool => Value::Bool(true),
        EntryKind::Int => Value::Int(1),
        EntryKind::Float => Value::Float(1.0),
        EntryKind::List => Value::List(Vec::new()),
        EntryKind::Json => Value::Text("{}".to_owned()),
    }
}
