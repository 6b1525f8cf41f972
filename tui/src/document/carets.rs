//! Carets below a stretch of a line, in the row of it where the stretch stands.

use replay_store::visible::width;

use super::CONTINUED;
use crate::line::Line;
use crate::theme::Tone;

/// Puts carets below the rows of a line where a stretch of it stands. `from` and `to` are bytes of the line as it is shown.
pub(super) fn with_carets(rows: Vec<Line>, (from, to): (usize, usize)) -> Vec<Line> {
    let mut out = Vec::with_capacity(rows.len() + 1);
    let mut begin = 0;
    for (index, row) in rows.into_iter().enumerate() {
        let shown = row.text();
        let lead = if index == 0 { "" } else { CONTINUED };
        let text = &shown[lead.len()..];
        let end = begin + text.len();
        out.push(row);
        if from < end && begin < to {
            let (first, last) = (from.max(begin) - begin, to.min(end) - begin);
            let indent = width(lead) + width(&text[..first]);
            let carets = "^".repeat(width(&text[first..last]).max(1));
            out.push(Line::new().pad_to(indent).number(Tone::Bad, carets));
        }
        begin = end;
    }
    out
}
