//! What the outline of a session answers without reading its events: kinds, the nearest of a kind, the story of a field.

use super::Session;
use super::outline::{Mark, Touch, What};
use crate::event::{EventKind, Position, Tag};
use crate::name::Name;

impl Session {
    /// Returns what is known of each event without reading it: the mark of the event at position p stands at p - 1.
    pub fn marks(&self) -> &[Mark] {
        &self.outline.marks
    }

    /// Returns what is known of the event at `at` without reading it; `None` at position 0 and past the end.
    pub fn mark(&self, at: Position) -> Option<Mark> {
        self.outline.marks.get(usize::try_from(at.0.checked_sub(1)?).ok()?).copied()
    }

    /// Returns the first event after `at` whose mark is wanted.
    pub fn marked_after(&self, at: Position, wanted: impl Fn(Mark) -> bool) -> Option<Position> {
        let from = usize::try_from(at.0).ok()?;
        let index = self.outline.marks.get(from..)?.iter().position(|mark| wanted(*mark))?;
        Some(Position((from + index) as u64 + 1))
    }

    /// Returns the last event before `at` whose mark is wanted.
    pub fn marked_before(&self, at: Position, wanted: impl Fn(Mark) -> bool) -> Option<Position> {
        let end = at.0.saturating_sub(1).min(self.end().0) as usize;
        let index = self.outline.marks[..end].iter().rposition(|mark| wanted(*mark))?;
        Some(Position(index as u64 + 1))
    }

    /// Returns the events up to `at` whose mark is wanted, the last one first. None of them is read.
    pub fn marked_back(&self, at: Position, wanted: impl Fn(Mark) -> bool) -> impl Iterator<Item = Position> {
        let end = at.min(self.end()).0 as usize;
        let marks = self.outline.marks[..end].iter().enumerate().rev();
        marks.filter(move |(_, mark)| wanted(**mark)).map(|(index, _)| Position(index as u64 + 1))
    }

    /// Returns the events that are about a memory field, in order: writes, clears, resets, refusals, locks. A session start
    /// and a rewind are about all fields and aren't among them.
    pub fn touches(&self, key: &str) -> &[Touch] {
        self.outline.touches(key)
    }

    /// Returns the memory fields that events are about, with those events, in the order in which they were met first.
    pub fn touched_fields(&self) -> impl Iterator<Item = (&Name, &[Touch])> {
        self.outline.fields()
    }

    /// Returns the first write of an entry after `at`, to be told of an entry that holds nothing yet.
    pub fn next_write(&self, key: &str, at: Position) -> Option<Position> {
        let touches = self.touches(key);
        let later = &touches[touches.partition_point(|touch| touch.at() <= at)..];
        later.iter().find(|touch| matches!(touch.what(), What::Written | What::Nulled)).map(|touch| touch.at())
    }

    /// Returns the event that set an entry before the one at `at` did: the last one before it that put the entry into its
    /// state. `None` where it had no story then.
    pub fn previous_write(&self, key: &str, at: Position) -> Option<Position> {
        let touches = self.touches(key);
        let earlier = &touches[..touches.partition_point(|touch| touch.at() < at)];
        let change = earlier.iter().rfind(|touch| touch.what().is_change()).map(|touch| touch.at());
        let is_all = |mark: Mark| matches!(mark.tag(), Tag::SessionStarted | Tag::HistoryRewound);
        let Some(emptied) = self.marked_before(at, is_all).filter(|emptied| change.is_none_or(|at| at < *emptied))
        else {
            return change;
        };
        match &self.event(emptied)?.kind {
            EventKind::HistoryRewound { cells, .. } => cells.iter().rfind(|(of, _, _)| *of == key)?.2,
            _ => None,
        }
    }
}
