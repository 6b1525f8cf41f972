//! Who may read and write what, now: the access matrix with the reason for each no, and since when entries are locked.

use serde::Serialize;

use super::Evidence;
use super::why::RuleLine;
use crate::agent::Agent;
use crate::agent::skill::SkillOrigin;
use crate::event::Position;
use crate::name::Name;
use crate::replay::Session;
use crate::replay::rows::{RowState, Scope};
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::matrix::{Rights as Decided, matrix};
use crate::session::access::{WriteBy, WriteOutcome};
use crate::value::Value;

/// The rights at a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Matrix {
    /// Whose rights: `None` while no skill is active, then the skills of the folder by id.
    pub skills: Vec<Option<Name>>,
    /// The entries: project memory, then skill by skill. Those of the engine's skills are there once they have a story.
    pub entries: Vec<Row>,
}

/// The rights on an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The qualified name.
    pub key: Name,
    /// Where it is declared.
    pub scope: Scope,
    /// Which kind of value it has, or of nothing.
    pub state: RowState,
    /// What locks it, if something does.
    pub lock: Option<Lock>,
    /// The rights of each skill, in the order of [`Matrix::skills`].
    pub rights: Vec<Rights>,
}

/// What locks an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lock {
    /// The position since which nobody can write it.
    pub since: Position,
    /// The event that wrote it; `None` for an initial value that locks.
    pub by: Option<Evidence>,
    /// The rule, with the line of the initial value where that locks.
    pub rule: RuleLine,
}

/// The rights of a skill on an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rights {
    /// The skill; `None` while no skill is active.
    pub skill: Option<Name>,
    /// Whether it may read the entry, whatever that holds.
    pub read: Right,
    /// What each way to write may do, with a value that fits the entry.
    pub write: Vec<WriteRight>,
}

/// Whether something is allowed, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Right {
    /// Whether it is.
    pub allowed: bool,
    /// The rule that says so, with the line that makes it apply.
    pub rule: RuleLine,
    /// The smallest change that would allow it; `None` where it is allowed or no change would.
    pub change: Option<String>,
}

/// Whether a way to write is open.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WriteRight {
    /// Who writes, and how.
    pub by: &'static str,
    /// Whether it may.
    #[serde(flatten)]
    pub right: Right,
}

impl Rights {
    /// Returns whether a way to write is open.
    pub fn may_write(&self, by: WriteBy) -> bool {
        self.write.iter().any(|write| write.by == by.word() && write.right.allowed)
    }

    /// Returns the rights in four signs: `r` reads, `w` is written by tools, `m` by the model, `b` by buttons; `-` for
    /// each that isn't so.
    pub fn signs(&self) -> String {
        let sign = |sign: char, is_so: bool| if is_so { sign } else { '-' };
        [
            sign('r', self.read.allowed),
            sign('w', self.may_write(WriteBy::Tool)),
            sign('m', [WriteBy::SetFields, WriteBy::Correct].into_iter().any(|by| self.may_write(by))),
            sign('b', self.may_write(WriteBy::Button)),
        ]
        .into_iter()
        .collect()
    }
}

/// Returns the rights at a position; `None` without an agent folder.
pub fn access(session: &Session, at: Position) -> Option<Matrix> {
    let agent = session.agent.as_deref()?;
    let state = session.state(at);
    let is_shown = |skill: &Option<Name>| match skill.as_ref().and_then(|id| agent.skills.get(id)) {
        None => true,
        Some(skill) => skill.origin == SkillOrigin::Folder || state.active_skill() == Some(&skill.id),
    };
    let decided = matrix(agent, session.profile.profile, &state);
    let skills = std::iter::once(None).chain(agent.skills.keys().cloned().map(Some));
    let rows = decided.into_iter().map(|row| {
        let memory = session.memory_row(row.key.clone(), &state);
        let rights = row.cells.into_iter().filter(|cell| is_shown(&cell.skill));
        Row {
            lock: lock_of(session, &state, &row.key),
            scope: memory.scope,
            state: memory.state,
            rights: rights.map(|cell| rights_of(agent, cell)).collect(),
            key: row.key,
        }
    });
    let has_story = |row: &Row| row.scope != Scope::Engine || state.memory.contains_key(&row.key);
    Some(Matrix { skills: skills.filter(is_shown).collect(), entries: rows.filter(has_story).collect() })
}

/// Returns what locks an entry at a state of the session; `None` where it is open. Without a folder, too.
pub fn lock_of(session: &Session, state: &State, key: &str) -> Option<Lock> {
    let cell = state.memory.get(key).filter(|cell| cell.locked)?;
    let agent = session.agent.as_deref();
    let initial = || agent?.entry(key)?.initial_at.as_ref();
    let (rule, line) = match cell.set_at {
        Some(_) => (Rule::ProjectWrittenOnce, None),
        None => (Rule::AnyValueLocks, initial()),
    };
    Some(Lock {
        since: cell.set_at.unwrap_or_default(),
        by: cell.set_at.and_then(|at| Evidence::of_event(session, at)),
        rule: RuleLine::new(agent, rule, line),
    })
}

fn rights_of(agent: &Agent, cell: Decided) -> Rights {
    let read = Right {
        allowed: cell.read.is_allowed(),
        rule: RuleLine::new(Some(agent), cell.read.rule, cell.read.because().filter(|_| !cell.read.is_allowed())),
        change: cell.read.change(agent).map(|change| change.to_string()),
    };
    let write = cell.writes.into_iter().map(|decision| WriteRight {
        by: decision.by.word(),
        right: Right {
            allowed: decision.is_allowed(),
            rule: RuleLine::new(Some(agent), decision.rule, decision.because(agent)),
            change: match decision.outcome {
                WriteOutcome::Stored(_) => None,
                WriteOutcome::Refused { .. } => decision.change(agent, &Value::Null).map(|change| change.to_string()),
            },
        },
    });
    Rights { skill: cell.skill, read, write: write.collect() }
}
