//! Places to stop at while stepping, and where the nearest one is.

use replay_store::event::{Event, EventKind, Position, Tag};
use replay_store::name::{PROJECT, split_key};
use replay_store::replay::Session;
use replay_store::replay::outline::Mark;

use crate::label;
use crate::rows::Direction;

/// Kinds of places to stop at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A tool call came back.
    ToolCall,
    /// The last event of a turn.
    TurnEnd,
    /// The user said something.
    UserMessage,
    /// Memory was written or cleared.
    Write,
    /// A skill or block came, went, was parked or went on.
    SkillChange,
    /// A prompt was built.
    ModelCall,
    /// Something was declined, refused, cancelled or failed; with an agent folder also a read that a rule denied.
    Trouble,
    /// A project entry was written for the first time, which locks it (M43).
    Lock,
    /// A read that was allowed gave nothing.
    EmptyRead,
    /// The engine let something happen or refused it: a write, a skill, a tool, an answer to a confirmation.
    Decision,
}

impl Stop {
    /// Returns what it is called in a row of keys.
    pub(crate) fn short(self) -> &'static str {
        match self {
            Stop::ToolCall => "tool call",
            Stop::TurnEnd => "turn",
            Stop::UserMessage => "user message",
            Stop::Write => "write",
            Stop::SkillChange => "skill",
            Stop::ModelCall => "model call",
            Stop::Trouble => "denial, failure",
            Stop::Lock => "lock",
            Stop::EmptyRead => "empty read",
            Stop::Decision => "verdict",
        }
    }

    /// Returns what it is called in `no later …`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Stop::ToolCall => "tool call",
            Stop::TurnEnd => "end of a turn",
            Stop::UserMessage => "user message",
            Stop::Write => "write",
            Stop::SkillChange => "skill change",
            Stop::ModelCall => "model call",
            Stop::Trouble => "refusal, denial or failure",
            Stop::Lock => "lock",
            Stop::EmptyRead => "read that gave nothing",
            Stop::Decision => "verdict",
        }
    }
}

/// Returns the nearest stop of a kind that the index of turns knows, not counting where we are; `None` for kinds that
/// only the events tell.
pub(crate) fn indexed(session: &Session, from: Position, stop: Stop, direction: Direction) -> Option<Option<Position>> {
    match stop {
        Stop::ModelCall => Some(next_call(session, from, direction)),
        Stop::TurnEnd => Some(next_turn_end(session, from, direction)),
        Stop::ToolCall
        | Stop::UserMessage
        | Stop::Write
        | Stop::SkillChange
        | Stop::Trouble
        | Stop::Lock
        | Stop::EmptyRead
        | Stop::Decision => None,
    }
}

fn next_call(session: &Session, from: Position, direction: Direction) -> Option<Position> {
    let begun = session.turns.partition_point(|turn| turn.first <= from);
    match direction {
        Direction::Forward => {
            let calls = session.turns[begun.saturating_sub(1)..].iter().flat_map(|turn| &turn.calls);
            calls.map(|call| call.before).find(|at| *at > from)
        }
        Direction::Back => {
            let calls = session.turns[..begun].iter().rev().flat_map(|turn| turn.calls.iter().rev());
            calls.map(|call| call.before).find(|at| *at < from)
        }
    }
}

fn next_turn_end(session: &Session, from: Position, direction: Direction) -> Option<Position> {
    let turns = &session.turns;
    let turn = match direction {
        Direction::Forward => turns.get(turns.partition_point(|turn| turn.last <= from)),
        Direction::Back => turns.partition_point(|turn| turn.last < from).checked_sub(1).map(|place| &turns[place]),
    };
    turn.map(|turn| turn.last)
}

/// Returns whether the event at `at` is a stop of a kind. Its mark tells, so that few events are read.
pub(crate) fn stops(session: &Session, at: Position, mark: Mark, stop: Stop) -> bool {
    match stop {
        Stop::ToolCall => mark.tag() == Tag::ToolReturned,
        Stop::UserMessage => mark.tag() == Tag::UserMessage,
        Stop::Write => matches!(mark.tag(), Tag::MemoryWritten | Tag::MemoryCleared),
        Stop::SkillChange => matches!(
            mark.tag(),
            Tag::SkillActivated
                | Tag::SkillCompleted
                | Tag::SkillCancelled
                | Tag::SkillInterrupted
                | Tag::SkillResumed
                | Tag::BlockEntered
                | Tag::BlockCompleted
                | Tag::BlockCancelled
                | Tag::BlockInterrupted
                | Tag::BlockResumed
        ),
        Stop::Trouble => label::is_trouble(mark),
        Stop::Lock => {
            matches!(mark.tag(), Tag::MemoryWritten | Tag::ProjectEntryLocked)
                && session.event(at).is_some_and(|event| locks(session, at, &event))
        }
        Stop::Decision => matches!(
            mark.tag(),
            Tag::MemoryWritten
                | Tag::MemoryCleared
                | Tag::MemoryWriteRefused
                | Tag::SkillActivated
                | Tag::SkillRefused
                | Tag::SkillPending
                | Tag::SkillDeferred
                | Tag::ToolCalled
                | Tag::ToolReturned
                | Tag::ToolRefused
                | Tag::ConfirmationAnswered
        ),
        // Two are looked up in the index of turns, and reads are asked for by a query.
        Stop::TurnEnd | Stop::ModelCall | Stop::EmptyRead => false,
    }
}

/// A write locks an entry of the project, unless it is locked already.
fn locks(session: &Session, at: Position, event: &Event) -> bool {
    let (EventKind::MemoryWritten { key, .. } | EventKind::ProjectEntryLocked { key }) = &event.kind else {
        return false;
    };
    let holds_null = matches!(&event.kind, EventKind::MemoryWritten { value, .. } if value.is_null());
    if holds_null || split_key(key).is_none_or(|(space, _)| space != PROJECT) {
        return false;
    }
    let before = session.state(Position(at.0.saturating_sub(1)));
    !before.memory.get(key).is_some_and(|cell| cell.locked)
}
