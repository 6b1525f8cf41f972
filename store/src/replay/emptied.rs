//! What a restart, a rewind or another session start took away: messages that count no more, memory that is empty.

use super::Session;
use super::headline::{Headline, headline};
use super::outline::Mark;
use crate::event::{Event, EventKind, Position, Rewind, Tag};

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
        let taken_back = self.taken_back.get_or_init(|| {
            let rewinds = (1..).map(Position).zip(self.marks()).filter(|(_, mark)| mark.tag() == Tag::HistoryRewound);
            taken_back(rewinds.filter_map(|(at, _)| Some((at, kept(at, &*self.event(at)?)?))))
        });
        let place = taken_back.partition_point(|stretch| stretch.last < at);
        taken_back.get(place).filter(|stretch| stretch.first <= at).map(|stretch| stretch.by)
    }

    /// Returns the last event up to `at` that took values away, if one did.
    pub fn emptied(&self, at: Position) -> Option<Emptied> {
        let started = self.outline.last(at, Tag::SessionStarted);
        let rewound = self.outline.last(at, Tag::HistoryRewound);
        match rewound.filter(|rewound| started.is_none_or(|started| started < *rewound)) {
            Some(at) => Some(Emptied::Rewound(at)),
            None => started.filter(|at| self.starts_again(*at)).map(Emptied::Started),
        }
    }

    /// Returns the line of the event at `at`. Beside the event's own words it says where a session start empties
    /// memory.
    pub fn headline(&self, at: Position) -> Option<Headline> {
        let mut line = headline(&*self.event(at)?);
        if self.starts_again(at) {
            line.text = "again: memory and stack are emptied".to_owned();
        }
        Some(line)
    }

    /// Returns whether the event at `at` is a session start that has something to empty.
    pub fn starts_again(&self, at: Position) -> bool {
        let counts = |mark: &Mark| matches!(mark.tag(), Tag::SessionStarted | Tag::MemoryWritten);
        self.outline.tag(at) == Some(Tag::SessionStarted) && self.marks()[..at.0 as usize - 1].iter().any(counts)
    }
}

/// Events that were taken back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    first: Position,
    last: Position,
    /// The event that took them back.
    by: Position,
}

/// Returns the last position that still counts after the event at `at`, where it is one that takes events back.
fn kept(at: Position, event: &Event) -> Option<Position> {
    let EventKind::HistoryRewound { by, to, .. } = &event.kind else { return None };
    Some(match by {
        Rewind::ResetSlots => Position(at.0 - 1),
        Rewind::Restart | Rewind::Rewind | Rewind::Undo => to.unwrap_or_default(),
    })
}

/// Returns what was taken back, in order. `rewinds` are the events that did so, each with the last position that it keeps.
fn taken_back(rewinds: impl Iterator<Item = (Position, Position)>) -> Vec<Stretch> {
    let mut taken = Vec::new();
    let mut live: Vec<(Position, Position)> = Vec::new();
    let mut begun = Position(1);
    for (by, kept) in rewinds {
        live.push((begun, Position(by.0 - 1)));
        while let Some((first, last)) = live.pop() {
            if last <= kept {
                live.push((first, last));
                break;
            }
            let lost = first.max(Position(kept.0 + 1));
            taken.push(Stretch { first: lost, last, by });
            if first < lost {
                live.push((first, kept));
            }
        }
        begun = by;
    }
    taken.retain(|stretch| stretch.first <= stretch.last);
    taken.sort_unstable_by_key(|stretch| stretch.first);
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
        let rewinds = (1..).map(Position).zip(events).filter_map(|(at, event)| Some((at, kept(at, event)?)));
        let stretches = taken_back(rewinds);
        let by = |at| stretches.iter().find(|stretch| stretch.first <= at && at <= stretch.last).map(|it| it.by.0);
        let found: Vec<u64> = (1..=events.len() as u64).map(|at| by(Position(at)).unwrap_or(0)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_stands_behind_the_place_that_is_gone_back_to_is_taken_back_once() {
        let other = || event(EventKind::TurnEnded);
        check(&[other(), other()], &[0, 0]);
        check(&[other(), other(), rewound(Rewind::Rewind, Some(1)), other()], &[0, 3, 0, 0]);
        check(&[other(), rewound(Rewind::Restart, None), other(), rewound(Rewind::Restart, None)], &[2, 4, 4, 0]);
        check(&[other(), rewound(Rewind::ResetSlots, None)], &[0, 0]);
    }
}
