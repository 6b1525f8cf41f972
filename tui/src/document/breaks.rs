//! Where the lines of a text begin. One that is far longer than any screen counts as several.

use crate::fold;

/// Lines of more bytes count as several: more than any screen shows of one.
pub(super) const LONGEST: usize = 8192;

/// Returns where lines begin in a stretch of a text from `start` to `end`, where the line that goes on there begins at
/// `first`.
pub(super) fn breaks(text: &str, first: usize, (start, end): (usize, usize)) -> impl Iterator<Item = usize> {
    let mut line = first;
    let mut starts = Vec::new();
    let ends = text[start..end].match_indices('\n').map(|(index, _)| (start + index, 1));
    for (stop, length) in ends.chain([(end, 0)]) {
        while stop - line > LONGEST {
            line = cut(text, line);
            starts.push(line);
        }
        if length > 0 {
            line = stop + 1;
            starts.push(line);
        }
    }
    starts.into_iter()
}

/// Returns where a line that is too long is cut: behind a blank, or else between two plain characters, or any two.
fn cut(text: &str, line: usize) -> usize {
    let part = fold::beginning(&text[line..], LONGEST);
    let bytes = part.as_bytes();
    let tail = LONGEST / 2..bytes.len();
    let blank = tail.clone().rev().find(|at| bytes[at - 1] == b' ');
    let plain = || tail.rev().find(|at| bytes[at - 1].is_ascii() && bytes[*at].is_ascii());
    line + blank.or_else(plain).unwrap_or(part.len())
}
