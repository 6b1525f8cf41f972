//! What a restart, a rewind or another session start took away: messages that count no more, memory that is empty.

use super::Session;
use super::headline::{Headline, headline};
use crate::event::{Event, EventKind, Position, Rewind};

/// Why memory holds less than it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// A session started once more, at this position.
    Started(Position),
    /// History was rewound, at this position.
    Rewound(Position),
}

impl Emptied {
    /// Returns the words for memory that holds nothing.
    pub fn words(self) -> String {
        match self {
            Emptied::Started(at) => format!("empty since the session start at {at}"),
            Emptied::Rewound(at) => format!("nothing holds a value: history was rewound at {at}"),
        }
    }
}

impl Session {
    /// Returns where the event at `at` was taken back by a restart, rewind or undo; `None` where it still counts at the
    /// end.
    pub fn taken_back(&self, at: Position) -> Option<Position> {
        let taken_back = self.taken_back.get_or_init(|| taken_back(&self.events));
        let by = *taken_back.get(usize::try_from(at.0.checked_sub(1)?).ok()?)?;
        (by.0 > 0).then_some(by)
    }

    /// Returns the last event up to `at` that took values away, if one did.
    pub fn emptied(&self, at: Position) -> Option<Emptied> {
        let index = self.events[..at.min(self.end()).0 as usize].iter().rposition(|event| {
            matches!(event.kind, EventKind::SessionStarted { .. } | EventKind::HistoryRewound { .. })
        })?;
        let at = Position(index as u64 + 1);
        match &self.events[index].kind {
            EventKind::SessionStarted { .. } => self.starts_again(at).then_some(Emptied::Started(at)),
            _ => Some(Emptied::Rewound(at)),
        }
    }

    /// Returns the line of the event at `at`. Beside the event's own words it says where a session start empties
    /// memory.
    pub fn headline(&self, at: Position) -> Option<Headline> {
        let mut line = headline(self.event(at)?);
        if self.starts_again(at) {
            line.text = "again: memory and stack are emptied".to_owned();
        }
        Some(line)
    }

    /// Returns whether the event at `at` is a session start that has something to empty.
    pub fn starts_again(&self, at: Position) -> bool {
        let begins = |event: &Event| matches!(event.kind, EventKind::SessionStarted { .. });
        let counts = |event: &Event| begins(event) || matches!(event.kind, EventKind::MemoryWritten { .. });
        self.event(at).is_some_and(begins) && self.events[..at.0 as usize - 1].iter().any(counts)
    }
}

/// Returns for each event where it was taken back, 0 where it wasn't; empty where nothing was.
fn taken_back(events: &[Event]) -> Vec<Position> {
    if !events.iter().any(|event| matches!(event.kind, EventKind::HistoryRewound { .. })) {
        return Vec::new();
    }
    let mut taken = vec![Position(0); events.len()];
    let mut live: Vec<usize> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if let EventKind::HistoryRewound { by, to, .. } = &event.kind {
            let kept = match by {
                Rewind::ResetSlots => index,
                Rewind::Restart | Rewind::Rewind | Rewind::Undo => to.map_or(0, |to| to.0 as usize),
            };
            while live.last().is_some_and(|last| *last >= kept)
                && let Some(last) = live.pop()
            {
                taken[last] = Position(index as u64 + 1);
            }
        }
        live.push(index);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Origin;
    use crate::timestamp::Timestamp;

    fn event(kind: EventKind) -> Event {
        Event { time: Timestamp(0), turn: None, cause: None, origin: Origin::Added, kind }
    }

    fn rewound(by: Rewind, to: Option<u64>) -> Event {
        event(EventKind::HistoryRewound { by, cells: Vec::new(), to: to.map(Position) })
    }

    fn check(events: &[Event], expected: &[u64]) {
        let found: Vec<u64> = taken_back(events).iter().map(|at| at.0).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_stands_behind_the_place_that_is_gone_back_to_is_taken_back_once() {
        let other = || event(EventKind::TurnEnded);
        check(&[other(), other()], &[]);
        check(&[other(), other(), rewound(Rewind::Rewind, Some(1)), other()], &[0, 3, 0, 0]);
        check(&[other(), rewound(Rewind::Restart, None), other(), rewound(Rewind::Restart, None)], &[2, 4, 4, 0]);
        check(&[other(), rewound(Rewind::ResetSlots, None)], &[0, 0]);
    }
}
