//! What was decided in the step to the cursor, a row each, and one of them in full.

use replay_store::event::Position;
use replay_store::explain::Basis;
use replay_store::explain::decisions::{Decision, DecisionKind, Verdict, decisions};
use replay_store::explain::from_call::caller;

use crate::app::Debugger;
use crate::content::why::rule_lines;
use crate::sheet::{Link, Sheet};
use crate::theme::Tone;

/// The decisions panel.
#[derive(Debug)]
pub struct Decisions {
    /// The position that it was made for.
    pub at: Position,
    /// What was decided.
    pub list: Vec<Decision>,
    /// Its rows.
    pub sheet: Sheet,
}

/// The words of the command that lists them.
const DECISIONS: [&str; 6] = ["show", "{}", "--at", "{at}", "--what", "decisions"];

/// Makes the panel for the cursor.
pub(crate) fn view(debugger: &Debugger) -> Decisions {
    let at = debugger.cursor;
    let list = decisions(&debugger.session, at);
    let place = at.to_string();
    let mut sheet =
        Sheet::new(format!("{} in the step to {at}", list.len()), &DECISIONS.map(|word| word.replace("{at}", &place)));
    if list.is_empty() {
        let words = match debugger.session.agent {
            Some(_) => "Nothing was decided in this step.",
            None => "Nothing that the record itself knows was decided in this step; --agent DIR tells the rest.",
        };
        sheet.line(Tone::Quiet, words, None);
    }
    for (index, decision) in list.iter().enumerate() {
        let verdict = format!("{:<9}", decision.verdict.word());
        let kind = format!("{:<6}", decision.kind.word());
        let via = if decision.via == "event" { String::new() } else { format!(" in {}", decision.via) };
        let rule = decision.rule.as_ref().map(|rule| format!("  {}", rule.id)).unwrap_or_default();
        let place = decision.rule.as_ref().and_then(|rule| rule.place()).map(|at| format!(" {at}")).unwrap_or_default();
        let parts = [
            (tone(decision.verdict), verdict.as_str()),
            (Tone::Quiet, &kind),
            (Tone::Memory, &decision.subject),
            (Tone::Quiet, &via),
            (Tone::Strong, &rule),
            (Tone::Quiet, &place),
        ];
        sheet.parts(&parts, Some(Link::Decision(index)));
    }
    if let Some((turn, call)) = caller(&debugger.session, at) {
        let words = format!("from {}: Enter goes to {}, where its prompt read", turn.call_name(call), call.before);
        sheet.line(Tone::Quiet, &words, Some(Link::Event(call.before)));
    }
    Decisions { at, list, sheet }
}

/// Returns a decision in full.
pub(crate) fn detail(decision: &Decision, at: Position) -> Sheet {
    let title = format!("{} {} {} at {at}", decision.verdict.word(), decision.kind.word(), decision.subject);
    let place = at.to_string();
    let mut sheet = Sheet::new(title, &command(decision, &place));
    sheet.line(tone(decision.verdict), &decision.text, decision.since.map(Link::Event));
    let basis = match decision.basis {
        Basis::Recorded => "the record says so",
        Basis::Recomputed => "worked out from the agent folder",
    };
    let rights = decision.skill.as_ref().map(|skill| format!(", with the rights of {skill}")).unwrap_or_default();
    sheet.line(Tone::Quiet, &format!("{basis}{rights}"), None);
    if let Some(rule) = &decision.rule {
        sheet.heading("rule");
        rule_lines(&mut sheet, rule);
    }
    if !decision.tried.is_empty() {
        sheet.heading("tried before, in order");
        for tried in &decision.tried {
            let id = format!("{:<6}", tried.id.to_string());
            sheet.parts(&[(Tone::Strong, &id), (Tone::Plain, tried.text)], None);
        }
    }
    if let Some(condition) = &decision.condition {
        sheet.heading("condition");
        for (depth, line) in condition.lines() {
            sheet.line(Tone::Plain, &format!("{}{line}", "  ".repeat(depth)), None);
        }
    }
    if let Some(change) = &decision.change {
        sheet.heading("the smallest change that turns it round");
        let place = decision.change_at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
        let link = decision.change_at.as_deref().and_then(crate::content::why::place_link);
        sheet.parts(&[(Tone::Strong, &place), (Tone::Plain, change)], link);
    }
    if let Some(since) = decision.since {
        sheet.line(Tone::Plain, "", None);
        sheet.line(Tone::Quiet, &format!("it rests on event {since}"), Some(Link::Event(since)));
    }
    sheet
}

fn command<'a>(decision: &'a Decision, at: &'a str) -> Vec<&'a str> {
    let subject = decision.subject.as_str();
    let asked = match (decision.kind, &decision.skill) {
        (DecisionKind::Read, Some(skill)) => vec!["--read", subject, "--skill", skill.as_str()],
        (DecisionKind::Read | DecisionKind::Write | DecisionKind::Lock, _) => vec![subject],
        (DecisionKind::Skill, _) => vec!["--skill", subject],
        (DecisionKind::Tool, _) => vec!["--tool", subject],
        (DecisionKind::Gate, _) => return vec!["show", "{}", "--at", at, "--what", "decisions"],
    };
    [vec!["why", "{}"], asked, vec!["--at", at]].concat()
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Allowed | Verdict::Open | Verdict::Offered => Tone::Plain,
        Verdict::Empty | Verdict::Withheld | Verdict::Closed | Verdict::Waiting | Verdict::Locked => Tone::Waiting,
        Verdict::Denied | Verdict::Refused | Verdict::Declined | Verdict::Failed => Tone::Bad,
    }
}
