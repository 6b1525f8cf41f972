//! Long content, drawn by the rows that are seen: a panel asks for the lines around its cursor and no others.

use std::rc::Rc;

use crate::line::Line;

/// Lines in order, each of one or more rows at a given width. A line is known by a number; numbers may have gaps.
pub(crate) trait Rows {
    /// Returns the line before `line`.
    fn previous(&self, line: usize) -> Option<usize>;
    /// Returns the line after `line`.
    fn next(&self, line: usize) -> Option<usize>;
    /// Returns the rows of a line, at least one.
    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]>;

    /// Returns whether a line goes on with the one before: both are parts of one that is too long.
    fn is_part(&self, _line: usize) -> bool {
        false
    }

    /// Returns the whole text of a line, of all its parts where it has several.
    fn text(&self, line: usize) -> String {
        let rows = self.rows(line, usize::MAX);
        rows.iter().map(|row| row.text().trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }
}

/// A row: a line and which of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The number of the line.
    pub line: usize,
    /// Which of its rows at the present width, from 0.
    pub row: usize,
}

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what comes later, or lower.
    Forward,
    /// To what came earlier, or higher.
    Back,
}

/// Returns the place `count` rows away, or the outermost one.
pub(crate) fn walk(source: &dyn Rows, from: Place, columns: usize, direction: Direction, count: usize) -> Place {
    let mut at = from;
    for _ in 0..count {
        let Some(next) = neighbour(source, at, columns, direction) else { break };
        at = next;
    }
    at
}

/// Returns at most `height` rows around `cursor`, which is kept near the middle unless an end is near. Each line is asked
/// for once.
pub(crate) fn window(source: &dyn Rows, cursor: Place, columns: usize, height: usize) -> Vec<(Place, Line)> {
    if height == 0 {
        return Vec::new();
    }
    let placed = |line: usize| {
        let rows = source.rows(line, columns);
        (0..rows.len()).map(move |row| (Place { line, row }, rows[row].clone())).collect::<Vec<_>>()
    };
    let mut above = placed(cursor.line);
    // The width may have changed since the place was taken.
    let row = cursor.row.min(above.len().saturating_sub(1));
    let mut below = above.split_off(row);
    let mut last = cursor.line;
    while below.len() < height
        && let Some(next) = source.next(last)
    {
        below.extend(placed(next));
        last = next;
    }
    below.truncate(height);
    let wanted = (height / 2).max(height - below.len());
    // Kept from the lowest to the highest, so that rows are added at the end.
    above.reverse();
    let mut first = cursor.line;
    while above.len() < wanted
        && let Some(previous) = source.previous(first)
    {
        above.extend(placed(previous).into_iter().rev());
        first = previous;
    }
    above.truncate(wanted);
    above.into_iter().rev().chain(below).take(height).collect()
}

fn neighbour(source: &dyn Rows, at: Place, columns: usize, direction: Direction) -> Option<Place> {
    match direction {
        Direction::Forward if at.row + 1 < source.rows(at.line, columns).len() => {
            Some(Place { line: at.line, row: at.row + 1 })
        }
        Direction::Forward => Some(Place { line: source.next(at.line)?, row: 0 }),
        Direction::Back if at.row > 0 => {
            // The width may have changed since the place was taken.
            let last = source.rows(at.line, columns).len().saturating_sub(1);
            Some(Place { line: at.line, row: (at.row - 1).min(last) })
        }
        Direction::Back => {
            let line = source.previous(at.line)?;
            Some(Place { line, row: source.rows(line, columns).len().saturating_sub(1) })
        }
    }
}

/// Lines that are all made already, one row each.
impl Rows for Vec<Line> {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.len()).then_some(line + 1)
    }

    fn rows(&self, line: usize, _columns: usize) -> Rc<[Line]> {
        Rc::from([self.get(line).cloned().unwrap_or_default()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Tone;

    fn lines(count: usize) -> Vec<Line> {
        (0..count).map(|number| Line::new().number(Tone::Plain, number)).collect()
    }

    fn check(count: usize, cursor: usize, height: usize, expected: &str) {
        let seen = window(&lines(count), Place { line: cursor, row: 0 }, 10, height);
        let seen: Vec<String> = seen.into_iter().map(|(_, line)| line.text()).collect();
        assert_eq!(seen.join(" "), expected, "{count} lines, cursor {cursor}, height {height}");
    }

    #[test]
    fn the_cursor_stays_in_the_window() {
        check(9, 0, 4, "0 1 2 3");
        check(9, 4, 4, "2 3 4 5");
        check(9, 8, 4, "5 6 7 8");
        check(2, 1, 4, "0 1");
        check(9, 3, 1, "3");
        check(9, 3, 0, "");
    }
}
