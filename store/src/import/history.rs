//! What memory holds now, and what it held before what a classic record takes back: `restart`, `undo`, `rewind`.
//!
//! The classic engine takes back by applying the remaining events anew. Here each applied event remembers what it
//! changed, so that taking it back is changing it back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::event::{EventKind, Position, Rewind};
use crate::name::Name;
use crate::value::Value;

/// How many applied events can be taken back; a record that takes back more is not known.
const REACH: usize = 65_536;

/// How many cells the records that take back may leave behind, all together, beside those that each of them may: each
/// says again all that memory holds then.
const LEFT_MAX: usize = 1 << 20;
/// How many cells a record that takes back may leave beside those.
const LEFT_BY_EACH: usize = 16;

/// A value, the event that set it and the raw record that this event was read from.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) value: Arc<Value>,
    pub(super) at: Position,
    pub(super) raw: u32,
}

/// What memory holds after the events so far.
pub(super) struct History {
    cells: BTreeMap<Name, Held>,
    applied: VecDeque<Applied>,
    is_fixed: bool,
    /// How many cells may still be left behind.
    left: usize,
}

struct Applied {
    at: Position,
    what: What,
}

enum What {
    Action,
    User,
    Write { key: Name, before: Option<Held> },
    Reset { before: BTreeMap<Name, Held> },
}

impl Default for History {
    fn default() -> History {
        History { cells: BTreeMap::new(), applied: VecDeque::new(), is_fixed: false, left: LEFT_MAX }
    }
}

impl History {
    /// The cells, those that hold `null` included.
    pub(super) fn cells(&self) -> &BTreeMap<Name, Held> {
        &self.cells
    }

    /// Nothing will be taken back any more: only the classic engine does that.
    pub(super) fn fix(&mut self) {
        self.is_fixed = true;
        self.applied = VecDeque::new();
    }

    /// Applies an event that stands at `at`.
    pub(super) fn apply(&mut self, kind: &EventKind, at: Position, raw: u32) {
        let what = match kind {
            EventKind::SessionStarted { .. } => return self.forget(),
            EventKind::MemoryWritten { key, value, .. } => self.write(key, Arc::clone(value), at, raw),
            EventKind::MemoryReset { key, value } => self.write(key, Arc::clone(value), at, raw),
            EventKind::MemoryCleared { key, .. } => self.write(key, Arc::new(Value::Null), at, raw),
            EventKind::UserMessage { .. } => What::User,
            EventKind::ActionTaken { .. } | EventKind::TurnEnded => What::Action,
            EventKind::SessionEnded
            | EventKind::AgentMessage { .. }
            | EventKind::SkillActivated { .. }
            | EventKind::SkillCompleted { .. }
            | EventKind::SkillCancelled { .. }
            | EventKind::SkillInterrupted { .. }
            | EventKind::SkillResumed { .. }
            | EventKind::BlockEntered { .. }
            | EventKind::BlockCompleted { .. }
            | EventKind::BlockCancelled { .. }
            | EventKind::BlockInterrupted { .. }
            | EventKind::BlockResumed { .. }
            | EventKind::ToolReturned { .. }
            | EventKind::StackPatched { .. }
            | EventKind::HistoryRewound { .. }
            | EventKind::SkillRefused { .. }
            | EventKind::SkillPending { .. }
            | EventKind::SkillDeferred { .. }
            | EventKind::MemoryWriteRefused { .. }
            | EventKind::ProjectEntryLocked { .. }
            | EventKind::StepEntered { .. }
            | EventKind::ToolCalled { .. }
            | EventKind::ToolRefused { .. }
            | EventKind::ConfirmationAsked { .. }
            | EventKind::ConfirmationAnswered { .. }
            | EventKind::ResponseUttered { .. }
            | EventKind::PromptRendered { .. }
            | EventKind::ModelReplied { .. }
            | EventKind::ReadDecided { .. }
            | EventKind::Foreign { .. } => return,
        };
        self.keep(at, what);
    }

    /// Takes back what a classic record takes back. `None` where what is left is more than can be said so often.
    pub(super) fn rewind(&mut self, by: Rewind, at: Position) -> Option<EventKind> {
        match by {
            Rewind::Restart => self.forget(),
            Rewind::ResetSlots => {
                let before = std::mem::take(&mut self.cells);
                self.keep(at, What::Reset { before });
            }
            Rewind::Undo => self.take_back(|what| matches!(what, What::Action)),
            Rewind::Rewind => {
                self.take_back(|what| matches!(what, What::User));
                // The engine listened right before the message.
                self.take_back(|what| matches!(what, What::Action));
            }
        }
        let to = match by {
            Rewind::Undo | Rewind::Rewind => self.applied.back().map(|applied| applied.at),
            Rewind::Restart | Rewind::ResetSlots => None,
        };
        self.left = (self.left + LEFT_BY_EACH).checked_sub(self.cells.len())?;
        let held = self.cells.iter().filter(|(_, held)| !held.value.is_null());
        let cells = held.map(|(key, held)| (key.clone(), Arc::clone(&held.value), Some(held.at))).collect();
        Some(EventKind::HistoryRewound { by, cells, to })
    }

    fn forget(&mut self) {
        self.cells.clear();
        self.applied.clear();
    }

    fn write(&mut self, key: &Name, value: Arc<Value>, at: Position, raw: u32) -> What {
        let before = self.cells.insert(key.clone(), Held { value, at, raw });
        What::Write { key: key.clone(), before }
    }

    fn keep(&mut self, at: Position, what: What) {
        if self.is_fixed {
            return;
        }
        if self.applied.len() == REACH {
            self.applied.pop_front();
        }
        self.applied.push_back(Applied { at, what });
    }

    /// Takes back events from the last to the first that `is_last` names, that one included.
    fn take_back(&mut self, is_last: impl Fn(&What) -> bool) {
        while let Some(Applied { what, .. }) = self.applied.pop_back() {
            let done = is_last(&what);
            match what {
                What::Action | What::User => {}
                What::Write { key, before: Some(before) } => {
                    self.cells.insert(key, before);
                }
                What::Write { key, before: None } => {
                    self.cells.remove(&key);
                }
                What::Reset { before } => self.cells = before,
            }
            if done {
                return;
            }
        }
    }
}
