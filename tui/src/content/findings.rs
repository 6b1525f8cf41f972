//! What looks wrong in the session, a row each, the worst first; and all about the one under the cursor.

use std::rc::Rc;

use replay_store::agent::Agent;
use replay_store::agent::check::check;
use replay_store::diagnostic::Severity;
use replay_store::event::Position;
use replay_store::explain::findings::{Found, FoundKind};
use replay_store::explain::read::why_read;
use replay_store::explain::skill::why_skill;
use replay_store::explain::tool::why_tool;
use replay_store::explain::value::why_value;
use replay_store::explain::why::Why;
use replay_store::replay::Session;

use crate::app::FolderCount;
use crate::content::why::{self as content_why, rule_lines};
use crate::findings::{Findings, Looking};
use crate::line::{Line, at_most};
use crate::rows::Rows;
use crate::sheet::{Link, Sheet};
use crate::theme::Tone;

/// The lines of the findings panel.
pub(crate) struct Listed<'a> {
    pub(crate) findings: &'a Findings,
    pub(crate) folder: Option<FolderCount>,
}

/// Counts what is wrong in an agent folder.
pub(crate) fn count(agent: &Agent) -> FolderCount {
    let found = check(agent);
    let of = |severity| found.iter().filter(|one| one.severity == severity).count();
    FolderCount { errors: of(Severity::Error), warnings: of(Severity::Warning) }
}

/// Returns how many there are, for the title of the panel.
pub(crate) fn counts(findings: &Findings) -> Line {
    let kinds = [
        (Severity::Error, Tone::Bad, " error", " errors"),
        (Severity::Warning, Tone::Bad, " warning", " warnings"),
        (Severity::Note, Tone::Strong, " note", " notes"),
    ];
    let mut line = Line::new();
    for (severity, tone, one, many) in kinds {
        line = match findings.count(severity) {
            0 => line,
            count => {
                let line = if line.width() > 0 { line.own(Tone::Quiet, ", ") } else { line };
                line.number(tone, count).own(tone, if count == 1 { one } else { many })
            }
        };
    }
    let line = if line.width() > 0 { line } else { line.own(Tone::Quiet, "none") };
    match findings.looking() {
        Looking::Done => line,
        Looking::NotYet => line.own(Tone::Quiet, " in the record"),
        Looking::Going | Looking::Stopped => line.own(Tone::Quiet, " so far"),
    }
}

/// Returns the row that says how far it was looked.
fn looking(findings: &Findings) -> Option<Line> {
    let line = Line::new();
    Some(match findings.looking() {
        Looking::Done => return None,
        Looking::NotYet => line.own(Tone::Waiting, "events were not looked at yet: ! begins"),
        Looking::Going => line
            .own(Tone::Waiting, "looking at the events: ")
            .number(Tone::Strong, findings.percent())
            .own(Tone::Waiting, " %; Esc stops"),
        Looking::Stopped => line
            .own(Tone::Waiting, "stopped at ")
            .number(Tone::Strong, findings.progress().done)
            .own(Tone::Waiting, " of ")
            .number(Tone::Strong, findings.progress().of)
            .own(Tone::Waiting, "; ! goes on"),
    })
}

fn folder_row(folder: FolderCount) -> Line {
    let line = Line::new().own(Tone::Strong, "folder ");
    let line = line.number(Tone::Plain, folder.errors);
    let line = line.own(Tone::Plain, if folder.errors == 1 { " error, " } else { " errors, " });
    let line = line.number(Tone::Plain, folder.warnings);
    let line = line.own(Tone::Plain, if folder.warnings == 1 { " warning" } else { " warnings" });
    match folder.errors + folder.warnings {
        0 => line,
        _ => line.own(Tone::Quiet, "; replay check DIR tells them"),
    }
}

/// Columns of the word in front of a row.
const WORD: usize = 6;

fn severity(severity: Severity) -> (Tone, &'static str) {
    match severity {
        Severity::Error => (Tone::Bad, "error"),
        Severity::Warning => (Tone::Waiting, "warn"),
        Severity::Note => (Tone::Quiet, "note"),
    }
}

fn row(found: &Found) -> Line {
    let (tone, word) = severity(found.severity);
    let line = Line::new().own(tone, word).pad_to(WORD);
    let line = match found.count {
        0 | 1 => line,
        count => line.number(Tone::Strong, count).own(Tone::Strong, "× "),
    };
    // What tells one row from the next stands first: the kind and the words are cut where the panel is narrow.
    let line = match found.about() {
        about if about.is_empty() => line,
        about => line.foreign(Tone::Strong, &about).own(Tone::Quiet, " "),
    };
    line.own(Tone::Plain, found.kind.word()).own(Tone::Quiet, ": ").foreign_whole(Tone::Plain, &found.text)
}

impl Listed<'_> {
    /// The rows behind those of what was found.
    fn others(&self) -> impl Iterator<Item = Line> {
        let is_clean = self.findings.found.is_empty() && self.findings.looking() == Looking::Done;
        let clean = is_clean.then(|| Line::new().own(Tone::Quiet, "nothing looks wrong in the session"));
        clean.into_iter().chain(looking(self.findings)).chain(self.folder.map(folder_row))
    }

    fn line_count(&self) -> usize {
        self.findings.found.len() + self.others().count()
    }
}

impl Rows for Listed<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.line_count()).then_some(line + 1)
    }

    fn rows(&self, line: usize, _columns: usize) -> Rc<[Line]> {
        let found = &self.findings.found;
        Rc::from([match found.get(line) {
            Some(found) => row(found),
            None => self.others().nth(line - found.len()).unwrap_or_default(),
        }])
    }
}

/// Positions that are told in a row.
const PLACES: usize = 8;

fn places(found: &Found) -> Line {
    let mut line = Line::new();
    for (index, at) in found.positions.iter().take(PLACES).enumerate() {
        line = line.own(Tone::Quiet, if index == 0 { "at " } else { ", " }).number(Tone::Strong, at);
    }
    let more = found.count.saturating_sub(found.positions.len().min(PLACES) as u64);
    let line = match found.positions.is_empty() || more == 0 {
        true => line,
        false => line.own(Tone::Quiet, " and ").number(Tone::Quiet, more).own(Tone::Quiet, " more"),
    };
    let line = if line.width() > 0 && found.raw.is_some() { line.own(Tone::Quiet, ", ") } else { line };
    match found.raw {
        Some((first, last)) if first == last => line.own(Tone::Quiet, "raw ").number(Tone::Quiet, first),
        Some((first, last)) => {
            line.own(Tone::Quiet, "raw ").number(Tone::Quiet, first).own(Tone::Quiet, " to ").number(Tone::Quiet, last)
        }
        None => line,
    }
}

/// Returns the rows about a finding: what is so, where, by which line, and what to do. What is so is cut where they would
/// be more than `most`.
pub(crate) fn footnote(found: &Found, columns: usize, most: usize) -> Vec<Line> {
    let place = places(found);
    let place = if place.width() > 0 { place.own(Tone::Quiet, ", ") } else { place };
    let head = Line::new().own(Tone::Title, "── ").then(place).own(Tone::Quiet, found.basis.word());
    let text = Line::new().foreign_whole(Tone::Plain, &found.text).wrap(columns);
    let rule = found.rule.as_ref().map(|rule| {
        let line = Line::new().number(Tone::Strong, rule.id);
        match rule.place() {
            Some(place) => line.own(Tone::Plain, " ").foreign(Tone::Plain, &place),
            None => line.own(Tone::Plain, " ").own(Tone::Plain, rule.text),
        }
    });
    let advice = Line::new().own(Tone::Strong, "to do: ").foreign_whole(Tone::Plain, &found.advice);
    let advice = advice.wrap_under(columns, "  ");
    let room = most.saturating_sub(1 + advice.len() + usize::from(rule.is_some())).max(1);
    let text = at_most(room, text);
    let rows = std::iter::once(head).chain(text).chain(rule).chain(advice).collect();
    at_most(most, rows)
}

/// Events that are listed under a finding.
const LISTED: usize = 100;

/// Returns all about a finding: what is so, what to do, why it is so at one of its places, and all of them.
pub(crate) fn sheet(session: &Session, found: &Found, cursor: Position) -> Sheet {
    let kind = found.kind.name();
    let mut sheet = Sheet::new(found.kind.word(), &["findings", "{}", "--kind", &kind]);
    let here = found.positions.iter().find(|at| **at == cursor).or(found.positions.first()).copied();
    let (tone, word) = severity(found.severity);
    let times = if found.count > 1 { format!(", {} times", found.count) } else { String::new() };
    let about = format!(" {}{times}, {}", found.kind.word(), found.basis.word());
    sheet.parts(&[(tone, word), (Tone::Strong, &about)], None);
    sheet.line(Tone::Plain, &found.text, here.map(Link::Event));
    sheet.heading("to do");
    sheet.line(Tone::Plain, &found.advice, None);
    if let Some(rule) = &found.rule {
        sheet.heading("rule");
        rule_lines(&mut sheet, rule);
    }
    if let Some(why) = here.and_then(|at| why(session, found, at)) {
        sheet.heading(&format!("why, at {}", why.position));
        content_why::add(&mut sheet, &why);
    }
    if !found.positions.is_empty() {
        sheet.heading("where");
    }
    for at in found.positions.iter().take(LISTED) {
        let words = session.headline(*at).map(|line| format!("{} {}", line.kind, line.text)).unwrap_or_default();
        let place = format!("{:>4} ", at.0);
        sheet.parts(&[(Tone::Strong, place.as_str()), (Tone::Plain, &words)], Some(Link::Event(*at)));
    }
    let more = found.count.saturating_sub(found.positions.len().min(LISTED) as u64);
    if more > 0 && !found.positions.is_empty() {
        sheet.line(Tone::Quiet, &format!("and {more} more"), None);
    }
    sheet.line(Tone::Plain, "", None);
    let words = match sheet.why {
        Some(_) => "Enter goes to the event of a line, e opens its file, yr copies a report, Ctrl-o goes back.",
        None => "Enter goes to the event of a line, e opens its file, Ctrl-o goes back to the findings.",
    };
    sheet.line(Tone::Quiet, words, None);
    sheet
}

/// Returns why it is so at a position, where that is a question about an entry, a skill or a tool.
fn why(session: &Session, found: &Found, at: Position) -> Option<Why> {
    // What was refused was decided before the event that says so.
    let before = Position(at.0.saturating_sub(1));
    match (&found.key, &found.skill, &found.tool) {
        (Some(key), Some(skill), _) => Some(why_read(session, key, skill, at)),
        (Some(key), None, _) => Some(why_value(session, key, at)),
        (None, Some(skill), _) => Some(why_skill(session, skill, before)),
        (None, None, Some(tool)) => match found.kind {
            FoundKind::RefusedTool => Some(why_tool(session, tool, before)),
            _ => None,
        },
        (None, None, None) => None,
    }
}
