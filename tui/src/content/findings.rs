//! What looks wrong in the record, most serious first as the session gives it.

use std::rc::Rc;

use replay_store::replay::Session;

use crate::line::Line;
use crate::rows::Rows;
use crate::theme::Tone;

/// The lines of the findings panel.
pub(crate) struct Findings<'a> {
    pub(crate) session: &'a Session,
}

impl Rows for Findings<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.session.findings.len()).then_some(line + 1)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let Some(finding) = self.session.findings.get(line) else {
            return Rc::from([Line::new().own(Tone::Quiet, "nothing looks wrong in the record")]);
        };
        let row = Line::new().own(Tone::Bad, finding.kind.word());
        let row = match finding.raw {
            Some((first, last)) if first == last => row.own(Tone::Quiet, " raw ").number(Tone::Quiet, first),
            Some((first, last)) => row
                .own(Tone::Quiet, " raw ")
                .number(Tone::Quiet, first)
                .own(Tone::Quiet, " to ")
                .number(Tone::Quiet, last),
            None => row,
        };
        Rc::from(row.own(Tone::Quiet, ": ").foreign_whole(Tone::Plain, &finding.text).wrap_under(columns, "  "))
    }
}
