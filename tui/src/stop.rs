//! Places to stop at while stepping, and where the nearest one is.

use replay_store::event::{Event, EventKind, Position};
use replay_store::replay::Session;

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
    /// Something was declined, refused, cancelled or failed.
    Trouble,
}

impl Stop {
    /// Returns what it is called in `no later …`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Stop::ToolCall => "tool call",
            Stop::TurnEnd => "end of a turn",
            Stop::UserMessage => "user message",
            Stop::Write => "write",
            Stop::SkillChange => "skill change",
            Stop::ModelCall => "model call",
            Stop::Trouble => "refusal or failure",
        }
    }
}

/// Returns the nearest stop of a kind, not counting where we are.
pub(crate) fn next_stop(session: &Session, from: Position, stop: Stop, direction: Direction) -> Option<Position> {
    if stop == Stop::ModelCall {
        let mut calls = session.turns.iter().flat_map(|turn| &turn.calls).map(|call| call.before);
        return match direction {
            Direction::Forward => calls.find(|at| *at > from),
            Direction::Back => {
                let begun = session.turns.partition_point(|turn| turn.first <= from);
                let calls = session.turns[..begun].iter().rev().flat_map(|turn| turn.calls.iter().rev());
                calls.map(|call| call.before).find(|at| *at < from)
            }
        };
    }
    if stop == Stop::TurnEnd {
        let turns = &session.turns;
        return match direction {
            Direction::Forward => turns.get(turns.partition_point(|turn| turn.last <= from)),
            Direction::Back => turns.partition_point(|turn| turn.last < from).checked_sub(1).map(|place| &turns[place]),
        }
        .map(|turn| turn.last);
    }
    let found = match direction {
        Direction::Forward => session.events_after(from).find(|(_, event)| stops(event, stop)),
        Direction::Back => session.events_in(..from).rfind(|(_, event)| stops(event, stop)),
    };
    found.map(|(at, _)| at)
}

fn stops(event: &Event, stop: Stop) -> bool {
    match stop {
        Stop::ToolCall => matches!(event.kind, EventKind::ToolReturned { .. }),
        Stop::UserMessage => matches!(event.kind, EventKind::UserMessage { .. }),
        Stop::Write => matches!(event.kind, EventKind::MemoryWritten { .. } | EventKind::MemoryCleared { .. }),
        Stop::SkillChange => matches!(
            event.kind,
            EventKind::SkillActivated { .. }
                | EventKind::SkillCompleted { .. }
                | EventKind::SkillCancelled { .. }
                | EventKind::SkillInterrupted { .. }
                | EventKind::SkillResumed { .. }
                | EventKind::BlockEntered { .. }
                | EventKind::BlockCompleted { .. }
                | EventKind::BlockCancelled { .. }
                | EventKind::BlockInterrupted { .. }
                | EventKind::BlockResumed { .. }
        ),
        Stop::Trouble => label::is_trouble(event),
        // These two are looked up in the index of turns.
        Stop::TurnEnd | Stop::ModelCall => false,
    }
}
