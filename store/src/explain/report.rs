//! An answer as Markdown for a ticket: question, answer, evidence, and the command that gives it again.

use std::fmt::Write;

use super::Evidence;
use super::findings::Found;
use super::mask::Mask;
use super::why::{Question, RuleLine, Why};
use crate::diagnostic::Severity;
use crate::event::Position;
use crate::replay::Session;
use crate::visible::visible;

/// So many positions of a finding are written.
const POSITIONS: usize = 20;

/// Whether a report shows the values of `pii` entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pii {
    /// They are shown as `[set]`.
    Masked,
    /// They are shown, and the report says so.
    Revealed,
}

/// Returns the report of an answer. `command` is the command that gives the answer again.
///
/// Nothing in it is invisible, and no text of the record is Markdown.
pub fn report(session: &Session, why: &Why, command: &str, pii: Pii) -> String {
    let (shown, mask) = match pii {
        Pii::Masked => {
            let mask = Mask::of(session);
            (mask.why(why), mask)
        }
        Pii::Revealed => (why.clone(), Mask::default()),
    };
    let mut report = String::new();
    heading(&mut report, &shown);
    place(&mut report, session, shown.position, shown.turn);
    let _ = writeln!(report, "- {}", pii_words(session, pii));
    if let Some(line) = &shown.rule {
        rule(&mut report, line);
    }
    if !shown.tried.is_empty() {
        let tried: Vec<String> = shown.tried.iter().map(|tried| tried.id.to_string()).collect();
        let _ = writeln!(report, "- Tried before, in order: {}", tried.join(", "));
    }
    if let Some(visible) = &shown.visible_to_active {
        let at = visible.rule.place().map(|at| format!(", {}", escaped(&at))).unwrap_or_default();
        let _ = writeln!(report, "- Now: {} ({}{at})", visible.words("the active skill"), visible.rule.id);
    }
    if let Some(change) = &shown.change {
        let at = shown.change_at.as_ref().map(|at| format!(" ({})", escaped(at))).unwrap_or_default();
        let _ = writeln!(report, "- Smallest change: {}{at}", escaped(change));
    }
    if let Some(condition) = &shown.condition {
        let _ = writeln!(report, "\n**Condition**\n");
        let lines = condition.lines().into_iter().map(|(depth, line)| format!("{}{line}", "  ".repeat(depth)));
        fenced(&mut report, &lines.collect::<Vec<_>>());
    }
    if !shown.evidence.is_empty() {
        let _ = writeln!(report, "\n**Evidence**\n");
        fenced(&mut report, &shown.evidence.iter().map(evidence_line).collect::<Vec<_>>());
    }
    let _ = writeln!(report, "\n**The same answer again**\n");
    fenced(&mut report, &[mask.text(command)]);
    report
}

/// Returns the report of findings, the worst first. `command` is the command that gives the same again.
///
/// Nothing in it is invisible, and no text of the record is Markdown.
pub fn findings_report(session: &Session, found: &[Found], command: &str, pii: Pii) -> String {
    let mask = match pii {
        Pii::Masked => Mask::of(session),
        Pii::Revealed => Mask::default(),
    };
    let id = escaped(&session.id);
    let mut report = format!("### What looks wrong in {id}?\n\n**{}**\n\n", counts(found));
    let last = session.event(session.end()).and_then(|event| event.turn);
    place(&mut report, session, session.end(), last);
    let _ = writeln!(report, "- {}", pii_words(session, pii));
    for (number, one) in (1..).zip(found) {
        let (severity, kind) = (one.severity.word(), one.kind.word());
        let _ = writeln!(report, "\n#### {number}. {severity}: {kind}\n\n{}\n", escaped(&mask.text(&one.text)));
        let shown: Vec<String> = one.positions.iter().take(POSITIONS).map(|at| at.to_string()).collect();
        let more = one.count.saturating_sub(shown.len() as u64);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !shown.is_empty() {
            let positions = if shown.len() == 1 { "Position" } else { "Positions" };
            let _ = writeln!(report, "- {positions} {}{more}, {}", shown.join(", "), one.basis.word());
        }
        if let Some((first, last)) = one.raw {
            let _ = writeln!(report, "- Raw records {first} to {last}");
        }
        if let Some(line) = &one.rule {
            rule(&mut report, &mask.rule(line.clone()));
        }
        let _ = writeln!(report, "- To do: {}", escaped(&mask.text(&one.advice)));
    }
    let _ = writeln!(report, "\n**The same answer again**\n");
    fenced(&mut report, &[mask.text(command)]);
    report
}

/// Returns how many findings there are of each severity, in words.
pub fn counts(found: &[Found]) -> String {
    let count = |severity: Severity| found.iter().filter(|one| one.severity == severity).count();
    let words =
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(|severity| match count(severity) {
            0 => None,
            1 => Some(format!("1 {}", severity.word())),
            count => Some(format!("{count} {}s", severity.word())),
        });
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

/// The rule that decided, with the line that an author wrote.
fn rule(report: &mut String, rule: &RuleLine) {
    let at = rule.place().map(|at| format!(", {}", escaped(&at))).unwrap_or_default();
    let _ = writeln!(report, "- Rule {}{at}: {}", rule.id, escaped(rule.text));
    if let Some(source) = &rule.source {
        fenced(report, &[source.trim_end().to_owned()]);
    }
}

fn heading(report: &mut String, why: &Why) {
    let name = |name: &Option<crate::name::Name>| name.as_deref().map(escaped).unwrap_or_default();
    let question = match why.question {
        Question::Value => format!("Why does {} hold what it holds?", name(&why.key)),
        Question::Read => format!("May {} read {}?", name(&why.skill), name(&why.key)),
        Question::Skill => format!("Why is {} active or offered, or not?", name(&why.skill)),
        Question::Tool => format!("Why is {} offered, or not?", name(&why.tool)),
        Question::Line => format!("Why is {} in the prompt, or not?", name(&why.line)),
    };
    let _ = writeln!(report, "### {question}\n\n**{}**: {}\n", why.answer.word().replace('_', " "), escaped(&why.text));
}

fn place(report: &mut String, session: &Session, at: Position, turn: Option<u32>) {
    let turn = turn.map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
    let time = session.event(at).map(|event| format!(", {}", event.time)).unwrap_or_default();
    let id = escaped(&session.id);
    let _ = writeln!(report, "- Session {id}, position {at} of {}, {turn}{time}", session.end());
    let agent = match (&session.agent, session.differs) {
        (None, _) => "no agent folder".to_owned(),
        (Some(agent), Some(true)) => format!(
            "agent folder {}, another one than the session was recorded with",
            agent.definition.digest().short()
        ),
        (Some(agent), Some(false) | None) => format!("agent folder {}", agent.definition.digest().short()),
    };
    let _ = writeln!(report, "- {}, profile {}", escaped(&agent), escaped(&session.profile.to_string()));
}

fn pii_words(session: &Session, pii: Pii) -> &'static str {
    match (pii, session.agent.is_some()) {
        (Pii::Revealed, _) => "Values of pii entries are SHOWN in this report",
        (Pii::Masked, true) => "Values of pii entries are hidden, as \\[set\\]",
        (Pii::Masked, false) => {
            "Which entries are pii is unknown without an agent folder: look through the texts before you pass them on"
        }
    }
}

fn evidence_line(one: &Evidence) -> String {
    let place = one.position.map(|at| format!("position {at}")).unwrap_or_else(|| "no event".to_owned());
    let raw: Vec<String> = one.raw.iter().map(u32::to_string).collect();
    let raw = if raw.is_empty() { String::new() } else { format!(" (raw {})", raw.join(", ")) };
    format!("{place}{raw} [{}] {}", one.basis.word(), one.text)
}

/// Writes lines in a fence that none of them closes.
fn fenced(report: &mut String, lines: &[String]) {
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(report, "{fence}text");
    for line in lines {
        let _ = writeln!(report, "{}", visible(line));
    }
    let _ = writeln!(report, "{fence}");
}

/// Returns a text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in visible(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' | '@') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
