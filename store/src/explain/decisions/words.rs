//! Decisions in sentences, each with its rule, the line that made it apply, and the remedy.

use super::made::{GateOf, Made, Via};
use super::{Decision, Verdict};
use crate::agent::Agent;
use crate::event::{Position, WriteRefusal, Writer};
use crate::explain::Basis;
use crate::explain::condition::Condition;
use crate::explain::why::{RuleLine, Tried};
use crate::explain::words::{and_behind, lifted};
use crate::name::Name;
use crate::replay::Session;
use crate::replay::headline::who;
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::{Change, Found, ReadDecision, WriteDecision};
use crate::session::gate::GateDecision;
use crate::session::start::StartDecision;
use crate::value::Value;

/// Values longer than this are cut in a sentence; the event and the memory hold all of them.
const QUOTED_CHARACTERS: usize = 60;

/// Puts a decision in words. It was made on `state`; `at` is the position that its step leads to.
pub(super) fn decision(session: &Session, state: &State, at: Position, made: Made<'_>) -> Decision {
    let agent = session.agent.as_deref();
    let (kind, verdict) = (made.kind(), made.verdict());
    let base = |subject: &str, text: String, basis: Basis| Decision {
        kind,
        subject: subject.to_owned(),
        verdict,
        skill: None,
        via: "event",
        text,
        rule: None,
        tried: Vec::new(),
        condition: None,
        change: None,
        change_at: None,
        since: None,
        basis,
    };
    match made {
        Made::Read { decision, via } => read(agent, state, decision, via, base),
        Made::Gate { gate, skill, decision, of } => Decision {
            skill: skill.cloned(),
            via: "condition",
            rule: Some(RuleLine::new(agent, gate_rule(of), Some(&gate.text.at))),
            condition: agent.map(|agent| Condition::of(agent, state, gate, decision)),
            ..base(gate.text.value.trim(), gate_words(decision, of), Basis::Recomputed)
        },
        Made::Stored { key, value, writer, decision } => {
            let agrees = decision.as_ref().is_none_or(WriteDecision::is_allowed);
            let value = value.unwrap_or(&Value::Null);
            let mut text = format!("{} by {}", stored_words(value), who(writer));
            if let Some(decision) = decision.as_ref().filter(|_| !agrees) {
                text.push_str(&format!("; by {} it would be refused: {}", decision.rule, decision.rule.text()));
            }
            let made = base(key, text, Basis::Recorded);
            Decision { skill: skill_of(writer), since: Some(at), ..with_write(made, agent, decision, value) }
        }
        Made::WriteRefused { asked, value, writer, refusal, rule, decision } => {
            let what = match refusal {
                WriteRefusal::Skipped => "passed over",
                WriteRefusal::MemoryWriteError
                | WriteRefusal::ProjectMemoryAlreadySetError
                | WriteRefusal::ToolError => "refused",
            };
            let text = format!("{what}: {} by {}: {}", quoted(value), who(writer), rule.text());
            let made = base(asked, text, Basis::Recorded);
            let made = with_write(made, agent, decision, value);
            Decision { skill: skill_of(writer), rule: made.rule.or(Some(RuleLine::new(agent, rule, None))), ..made }
        }
        Made::Locked { key } => Decision {
            rule: Some(RuleLine::new(agent, Rule::ProjectWrittenOnce, None)),
            since: Some(at),
            ..base(key, format!("locked since {at}; {}", Rule::ProjectWrittenOnce.text()), Basis::Recomputed)
        },
        Made::Skill { skill, verdict, rule, decision } => {
            let text = match (verdict, rule) {
                (Verdict::Allowed, _) => "started".to_owned(),
                (Verdict::Waiting, _) => format!("waits: {}", Rule::Precondition.text()),
                (_, Some(rule)) => format!("not started: {}", rule.text()),
                (_, None) => "not started".to_owned(),
            };
            let made = base(skill, text, Basis::Recorded);
            let made = with_start(made, agent, decision.filter(|made| rule.is_none_or(|rule| made.rule == rule)));
            Decision { rule: made.rule.or(rule.map(|rule| RuleLine::new(agent, rule, None))), ..made }
        }
        Made::SkillOffer { skill, withheld, decision } => {
            let text = withheld.map_or("offered to the model".to_owned(), |why| format!("not offered: {why}"));
            let made = Decision { via: "offer", ..base(&skill, text, Basis::Recomputed) };
            with_start(made, agent, decision.filter(|decision| !decision.is_allowed()))
        }
        Made::Call { tool, verdict, error, rule, at } => {
            let what = match verdict {
                Verdict::Failed => "ran and failed",
                Verdict::Declined => "not run: the user said no",
                Verdict::Waiting => "not run yet: it waits for the user's yes",
                Verdict::Refused => "not run: refused",
                _ => "ran",
            };
            let error = error.map(|error| format!(": {error}")).unwrap_or_default();
            let rule = rule.map(|rule| RuleLine::new(agent, rule, at));
            Decision { rule, ..base(tool, format!("{what}{error}"), Basis::Recorded) }
        }
        Made::ToolOffer { tool, reason } => {
            let text = format!("{}: {}", if tool.offered { "offered" } else { "not offered" }, tool.why);
            let rule = reason.map(|(rule, at)| RuleLine::new(agent, rule, Some(at)));
            Decision { via: "offer", rule, ..base(&tool.name, text, Basis::Recomputed) }
        }
    }
}

fn read(
    agent: Option<&Agent>,
    state: &State,
    read: &ReadDecision,
    via: Via<'_>,
    base: impl FnOnce(&str, String, Basis) -> Decision,
) -> Decision {
    let behind = agent.and_then(|agent| read.behind(agent, state));
    let (given, since) = match &read.found {
        Found::Value { value, set_at: Some(at), .. } => (format!("{}, set at {at}", quoted(value)), Some(*at)),
        Found::Value { value, set_at: None, .. } => (format!("{}, its initial value", quoted(value)), None),
        Found::Nothing(nothing) => (format!("None: {nothing}{}", and_behind(behind.as_ref())), nothing.since()),
    };
    let named = match via.place() {
        Some(at) => format!("{} at {}:{}", via.word(), at.file, at.line),
        None => via.word().to_owned(),
    };
    let reader = read.skill.as_ref().map_or("no skill".to_owned(), ToString::to_string);
    let text = format!("{given} ({named}, read as {reader})");
    let key = read.key.as_ref().unwrap_or(&read.asked);
    let made = with_change(base(key, text, Basis::Recomputed), agent.and_then(|agent| read.change(agent)));
    Decision {
        via: via.word(),
        rule: Some(RuleLine::new(agent, read.rule, read.because())),
        since,
        skill: read.skill.clone(),
        tried: Tried::all(&read.tried),
        change: made.change.map(|change| lifted(change, behind.as_ref(), state.position)),
        ..made
    }
}

fn gate_words(decision: &GateDecision, of: GateOf<'_>) -> String {
    let is_open = decision.is_open();
    let what = match (of, is_open) {
        (GateOf::Paragraph, true) => "holds: the paragraph is in the prompt".to_owned(),
        (GateOf::Paragraph, false) => "does not hold: the paragraph is left out of the prompt".to_owned(),
        (GateOf::Skill(skill), true) => format!("holds: {skill} may start"),
        (GateOf::Skill(skill), false) => format!("does not hold: {skill} may not start"),
        (GateOf::Tool(tool), true) => format!("holds: {tool} may run"),
        (GateOf::Tool(tool), false) => format!("does not hold: {tool} is hidden and blocked"),
        (GateOf::Branch, true) => "holds: the block takes this branch".to_owned(),
        (GateOf::Branch, false) => "does not hold: the block passes this branch by".to_owned(),
        (GateOf::Completion(skill), true) => format!("holds: {skill} is complete"),
        (GateOf::Completion(skill), false) => format!("does not hold, though {skill} was completed"),
        (GateOf::Variant(response), true) => format!("holds: {response} has this wording"),
        (GateOf::Variant(response), false) => format!("does not hold: {response} has another wording"),
    };
    let impossible = match decision {
        GateDecision::Evaluated(evaluation) => evaluation.impossible(),
        GateDecision::Unreadable => Some("the text is no condition"),
    };
    impossible.map_or(what.clone(), |why| format!("{what}; {why}"))
}

fn gate_rule(of: GateOf<'_>) -> Rule {
    match of {
        GateOf::Skill(_) => Rule::SkillRequires,
        GateOf::Tool(_) => Rule::ToolRequires,
        GateOf::Completion(_) => Rule::ConditionCompletes,
        GateOf::Paragraph => Rule::MarkerScopes,
        GateOf::Branch => Rule::BranchesInOrder,
        GateOf::Variant(_) => Rule::VariantByCondition,
    }
}

fn with_write(made: Decision, agent: Option<&Agent>, decision: Option<WriteDecision>, value: &Value) -> Decision {
    let Some((agent, decision)) = agent.zip(decision) else { return made };
    Decision {
        rule: Some(RuleLine::new(Some(agent), decision.rule, decision.because(agent))),
        tried: Tried::all(&decision.tried),
        ..with_change(made, decision.change(agent, value))
    }
}

fn with_start(made: Decision, agent: Option<&Agent>, decision: Option<StartDecision>) -> Decision {
    let Some(decision) = decision else { return made };
    Decision {
        rule: Some(RuleLine::new(agent, decision.rule, decision.because.as_ref())),
        tried: Tried::all(&decision.tried),
        ..made
    }
}

fn with_change(made: Decision, change: Option<Change>) -> Decision {
    let Some(change) = change else { return made };
    let change_at = change.at().map(|at| format!("{}:{}", at.file, at.line));
    Decision { change: Some(change.to_string()), change_at, ..made }
}

fn skill_of(writer: &Writer) -> Option<Name> {
    writer.skill.clone()
}

fn stored_words(value: &Value) -> String {
    if value.is_null() { "cleared".to_owned() } else { format!("stored: {}", quoted(value)) }
}

/// Returns a value as JSON, cut where it is long.
pub(in crate::explain) fn quoted(value: &Value) -> String {
    let json = value.to_json();
    match json.char_indices().nth(QUOTED_CHARACTERS) {
        Some((cut, _)) => {
            let length = value.as_text().unwrap_or(&json).chars().count();
            format!("{}… ({length} characters)", &json[..cut])
        }
        None => json,
    }
}
