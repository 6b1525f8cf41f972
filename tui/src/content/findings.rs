//! What looks wrong in the record, most serious first as the session gives it.

use std::rc::Rc;

use replay_store::agent::Agent;
use replay_store::agent::check::check;
use replay_store::diagnostic::Severity;
use replay_store::replay::Session;

use crate::app::FolderCount;
use crate::line::Line;
use crate::rows::Rows;
use crate::theme::Tone;

/// The lines of the findings panel.
pub(crate) struct Findings<'a> {
    pub(crate) session: &'a Session,
    pub(crate) folder: Option<FolderCount>,
}

/// Counts what is wrong in an agent folder.
pub(crate) fn count(agent: &Agent) -> FolderCount {
    let found = check(agent);
    let of = |severity| found.iter().filter(|one| one.severity == severity).count();
    FolderCount { errors: of(Severity::Error), warnings: of(Severity::Warning) }
}

impl Findings<'_> {
    fn line_count(&self) -> usize {
        self.session.findings.len().max(1) + usize::from(self.folder.is_some())
    }
}

fn folder_row(folder: FolderCount) -> Line {
    let line = Line::new().own(Tone::Strong, "agent folder");
    let line = line.own(Tone::Quiet, ": ").number(Tone::Plain, folder.errors);
    let line = line.own(Tone::Plain, if folder.errors == 1 { " error, " } else { " errors, " });
    let line = line.number(Tone::Plain, folder.warnings);
    let line = line.own(Tone::Plain, if folder.warnings == 1 { " warning" } else { " warnings" });
    line.own(Tone::Quiet, "; replay check DIR tells them")
}

impl Rows for Findings<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.line_count()).then_some(line + 1)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let Some(finding) = self.session.findings.get(line) else {
            if let Some(folder) = self.folder.filter(|_| line > 0) {
                return Rc::from(folder_row(folder).wrap_under(columns, "  "));
            }
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
