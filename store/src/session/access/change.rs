//! The smallest change to the agent folder that would have allowed a read or a write.

use std::fmt;

use crate::agent::Agent;
use crate::agent::entry::{Entry, EntryKind};
use crate::diagnostic::Place;
use crate::name::{Name, PROJECT, SYSTEM, split_key};
use crate::value::Value;

/// A change that would have allowed it: one sentence, and the line where it is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The entry has to be declared.
    Declare {
        /// Its qualified name.
        key: Name,
        /// The file that would declare it; it may not exist yet.
        file: Name,
    },
    /// Another name was probably meant.
    WriteName {
        /// That name.
        name: Name,
        /// Its declaration.
        at: Place,
    },
    /// A private entry has to be public.
    Publish {
        /// The entry.
        key: Name,
        /// Its declaration.
        at: Place,
        /// The item of `deny_read` that has to go as well.
        listed_at: Option<Place>,
    },
    /// An item has to leave an access list.
    Unlist {
        /// `deny_read` or `deny_write`.
        list: &'static str,
        /// The item.
        key: Name,
        /// Where it stands.
        at: Place,
    },
    /// Another skill's entry is written by that skill.
    LetOwnerWrite {
        /// The skill.
        owner: Name,
        /// The declaration.
        at: Place,
    },
    /// An entry has to be `llm_settable`.
    LetModelSet {
        /// The entry.
        key: Name,
        /// Its declaration.
        at: Place,
    },
    /// A value that changes, or that the model sets, belongs to a skill.
    MoveToSkill {
        /// The project entry.
        key: Name,
        /// Its declaration.
        at: Place,
    },
    /// An initial value locks the entry.
    DropInitialValue {
        /// The entry.
        key: Name,
        /// Its `initial_value`.
        at: Place,
    },
    /// An entry has to be `seed: true`.
    MarkSeed {
        /// The entry.
        key: Name,
        /// Its declaration.
        at: Place,
    },
    /// The value has to fit the entry's type.
    FitType {
        /// The entry.
        key: Name,
        /// Its type, as authors write it.
        kind: &'static str,
        /// Its declaration.
        at: Place,
    },
    /// The value has to be one of the entry's.
    AddEnumValue {
        /// The entry.
        key: Name,
        /// The value.
        value: Value,
        /// Its declaration.
        at: Place,
    },
    /// `set_fields` gives the first value, `correct` another one.
    UseTool {
        /// The tool to use.
        tool: &'static str,
    },
    /// A skill has to be active.
    ActivateSkill {
        /// The skill, where the name says which.
        skill: Option<Name>,
    },
    /// A lifecycle hook can't write; a tool can.
    WriteFromTool,
}

impl Change {
    /// Returns the line where the change is made, where it exists already.
    pub fn at(&self) -> Option<&Place> {
        match self {
            Change::WriteName { at, .. }
            | Change::Publish { at, .. }
            | Change::Unlist { at, .. }
            | Change::LetOwnerWrite { at, .. }
            | Change::LetModelSet { at, .. }
            | Change::MoveToSkill { at, .. }
            | Change::DropInitialValue { at, .. }
            | Change::MarkSeed { at, .. }
            | Change::FitType { at, .. }
            | Change::AddEnumValue { at, .. } => Some(at),
            Change::Declare { .. } | Change::UseTool { .. } | Change::ActivateSkill { .. } | Change::WriteFromTool => {
                None
            }
        }
    }

    /// Returns what would declare an undeclared name for `skill`, or the declared name that is nearest to it.
    pub(super) fn for_undeclared(agent: &Agent, skill: Option<&Name>, name: &str) -> Change {
        let bare = name.strip_prefix("session.").unwrap_or(name);
        if let Some(entry) = agent.entry(bare) {
            return Change::WriteName { name: entry.key.clone(), at: entry.at.clone() };
        }
        if let Some(entry) = nearest(agent, skill, bare) {
            return Change::WriteName { name: entry.key.clone(), at: entry.at.clone() };
        }
        let (space, entry) = match (split_key(bare), skill) {
            (Some((SYSTEM, entry)), Some(skill)) => (&**skill, entry),
            (Some((space, entry)), _) if space != SYSTEM => (space, entry),
            (Some((_, entry)), _) => (PROJECT, entry),
            (None, Some(skill)) => (&**skill, bare),
            (None, None) => (PROJECT, bare),
        };
        let file = match space {
            PROJECT => Name::from("memory.yml"),
            skill => Name::from(format!("skills/{skill}/memory.yml")),
        };
        Change::Declare { key: Name::from(format!("{space}.{entry}")), file }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Declare { key, file } => {
                let entry = split_key(key).map_or(&**key, |(_, entry)| entry);
                write!(f, "declare `{entry}` in {file}")
            }
            Change::WriteName { name, .. } => write!(f, "write `{name}`"),
            Change::Publish { key, listed_at, .. } => {
                write!(f, "move `{key}` from `private` to `public`")?;
                match listed_at {
                    Some(at) => write!(f, ", and take it off `access.deny_read` at {}:{}", at.file, at.line),
                    None => Ok(()),
                }
            }
            Change::Unlist { list, key, .. } => write!(f, "take `{key}` off `access.{list}`"),
            Change::LetOwnerWrite { owner, .. } => {
                write!(f, "let a tool of `{owner}` write it while `{owner}` is active")
            }
            Change::LetModelSet { key, .. } => write!(f, "add `llm_settable: true` to `{key}`"),
            Change::MoveToSkill { key, .. } => {
                write!(f, "declare `{key}` in the memory of a skill instead, where values may change")
            }
            Change::DropInitialValue { key, .. } => write!(f, "take `initial_value` away from `{key}`"),
            Change::MarkSeed { key, .. } => write!(f, "add `seed: true` to `{key}`"),
            Change::FitType { key, kind, .. } => write!(f, "give `{key}` a value of type `{kind}`"),
            Change::AddEnumValue { key, value, .. } => {
                write!(f, "add `{}` to the `enum_values` of `{key}`", value.to_display())
            }
            Change::UseTool { tool } => write!(f, "call `{tool}` for it"),
            Change::ActivateSkill { skill: Some(skill) } => write!(f, "write it while `{skill}` is active"),
            Change::ActivateSkill { skill: None } => f.write_str("write it while a skill is active"),
            Change::WriteFromTool => f.write_str("write it from a tool"),
        }
    }
}

/// Returns the name of a type, as authors write it.
pub(super) fn kind_name(kind: EntryKind) -> &'static str {
    EntryKind::ALL.iter().find(|(_, known)| *known == kind).map_or("any", |(name, _)| name)
}

/// Returns the entry that the skill may name and whose name differs least, by two letters at most.
fn nearest<'a>(agent: &'a Agent, skill: Option<&Name>, name: &str) -> Option<&'a Entry> {
    const MOST: usize = 2;
    let (space, entry) = split_key(name).map_or((None, name), |(space, entry)| (Some(space), entry));
    let candidates = agent.entries().filter(|candidate| match (space, split_key(&candidate.key)) {
        (Some(space), Some((own, _))) => own == space,
        (None, Some((own, _))) => own == PROJECT || skill.is_some_and(|skill| *skill == own),
        (_, None) => false,
    });
    candidates
        .filter_map(|candidate| Some((distance(&candidate.name, entry, MOST)?, candidate)))
        .filter(|(distance, candidate)| *distance < candidate.name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Counts the bytes to put in, take out or replace; `None` for more than `most`.
fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, r) in right.bytes().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[right.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_counts_the_bytes_that_differ() {
        let cases = [
            ("", "", Some(0)),
            ("day", "day", Some(0)),
            ("day", "bay", Some(1)),
            ("day", "da", Some(1)),
            ("day", "days", Some(1)),
            ("day", "today", Some(2)),
            ("today", "day", Some(2)),
            ("day", "dya", Some(2)),
            ("depot", "dxpoy", Some(2)),
            ("day", "", None),
            ("", "day", None),
            ("day", "bye", None),
            ("depot", "today", None),
        ];
        for (left, right, expected) in cases {
            assert_eq!(distance(left, right, 2), expected, "{left:?} {right:?}");
        }
    }
}
