//! The whole session in a row or two: where it was written to memory, where something was refused or failed, and which
//! skill was active.
//!
//! Marks come from the outline, so that no event is read. Skills are looked up column by column between keys.

use replay_store::event::{Position, Tag};
use replay_store::name::Name;
use replay_store::replay::Session;

use crate::label::is_trouble;

/// The session, cut into as many parts as there are columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// One for each column.
    pub cells: Vec<Cell>,
    /// The active skill at the end of each part, as far as it was looked up.
    pub skills: Vec<Option<Name>>,
    /// How many columns there are.
    pub(crate) columns: u16,
    end: u64,
}

/// Into so many steps the share of writes is rounded: a row of blocks has so many heights but the full one, which would
/// touch the row above.
pub const STEPS: u8 = 7;

/// A part of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// How many of its events wrote or cleared memory, in [`STEPS`], rounded up; 0 where none did.
    pub writes: u8,
    /// Whether something in it was declined, refused, cancelled or failed.
    pub has_trouble: bool,
    /// Whether a turn begins in it.
    pub begins_turn: bool,
}

impl Overview {
    /// Cuts a session into parts.
    pub(crate) fn new(session: &Session, columns: u16) -> Overview {
        let mut overview = Overview { cells: Vec::new(), skills: Vec::new(), columns, end: session.end().0 };
        if overview.end > 0 {
            overview.cells = vec![Cell::default(); usize::from(columns)];
        }
        for column in 0..overview.cells.len() {
            overview.cells[column] = overview.look(session, column);
        }
        for turn in &session.turns {
            let column = overview.column_of(turn.first);
            if let Some(cell) = overview.cells.get_mut(column) {
                cell.begins_turn = true;
            }
        }
        overview
    }

    fn look(&self, session: &Session, column: usize) -> Cell {
        let (first, last) = self.part(column);
        let marks = (first..=last).filter_map(|at| session.mark(Position(at)));
        let (mut writes, mut has_trouble) = (0, false);
        for mark in marks {
            writes += u64::from(matches!(mark.tag(), Tag::MemoryWritten | Tag::MemoryCleared));
            has_trouble |= is_trouble(mark);
        }
        Cell { writes: (writes * u64::from(STEPS)).div_ceil(last - first + 1) as u8, has_trouble, begins_turn: false }
    }

    /// Returns whether all skills are looked up.
    pub fn is_complete(&self) -> bool {
        self.skills.len() == self.cells.len()
    }

    /// Looks up the skill of the next column.
    pub(crate) fn advance(&mut self, session: &Session) {
        if !self.is_complete() {
            let (_, last) = self.part(self.skills.len());
            self.skills.push(session.state(Position(last)).active_skill().cloned());
        }
    }

    /// Returns the first and last event of a column.
    fn part(&self, column: usize) -> (u64, u64) {
        let edge = |column: usize| (u128::from(self.end) * column as u128 / self.cells.len() as u128) as u64;
        let first = edge(column) + 1;
        (first, edge(column + 1).max(first))
    }

    /// Returns the column of a position; the start stands in the first one.
    pub fn column_of(&self, at: Position) -> usize {
        let before = u128::from(at.0.saturating_sub(1)) * self.cells.len() as u128 / u128::from(self.end.max(1));
        let column = before as usize;
        match column < self.cells.len() && self.part(column).1 < at.0 {
            true => column + 1,
            false => column,
        }
    }

    /// Returns the first position of a column.
    pub fn position_of(&self, column: usize) -> Option<Position> {
        (column < self.cells.len()).then(|| Position(self.part(column).0))
    }

    /// Returns stretches of columns with one skill: where each begins, how many it has, and the skill.
    pub fn stretches(&self) -> Vec<(usize, usize, Option<&Name>)> {
        let mut stretches: Vec<(usize, usize, Option<&Name>)> = Vec::new();
        for (column, skill) in self.skills.iter().enumerate() {
            match stretches.last_mut() {
                Some((_, count, last)) if *last == skill.as_ref() => *count += 1,
                Some(_) | None => stretches.push((column, 1, skill.as_ref())),
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_in_the_column_that_says_so_and_columns_follow_each_other() {
        for (end, columns) in [(1, 80), (57, 120), (57, 57), (80, 79), (1000, 80), (1_000_000, 200)] {
            let overview = Overview { cells: vec![Cell::default(); columns], end, ..Overview::default() };
            let mut next = 1;
            for column in 0..columns {
                let (first, last) = overview.part(column);
                assert!(first <= last && last <= end, "{end} in {columns}: {column}");
                assert!(first == next || first == next - 1, "{end} in {columns}: nothing between two columns");
                next = last + 1;
            }
            assert_eq!(next, end + 1);
            for at in (1..=end).step_by(1 + end as usize / 500) {
                let (first, last) = overview.part(overview.column_of(Position(at)));
                assert!(first <= at && at <= last, "{at} of {end} in {columns}");
            }
        }
        let empty = Overview::default();
        assert_eq!((empty.column_of(Position(0)), empty.position_of(0)), (0, None));
    }
}
