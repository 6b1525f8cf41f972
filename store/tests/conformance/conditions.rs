//! `conditions.json`: an expression and what memory holds, and what it comes to.

use replay_store::session::gate::{GateDecision, gate};
use replay_store::value::Value;

use super::agents::{Added, agent_with, state};
use super::{Answer, Case, expect};

/// Loads the condition as the `requires` of a tool and evaluates it with the rights of the skill that states it.
pub(crate) fn check(case: &Case) -> Answer {
    let skill = case.text("skill").unwrap_or_default();
    let requires = Value::Map(vec![("requires".to_owned(), case.field("expr").clone())]);
    let constraints = Value::List(vec![Value::Map(vec![("tool".to_owned(), requires)])]);
    let frontmatter = vec![("tool_constraints", constraints)];
    let agent = agent_with(case, Some(&Added { skill, frontmatter, body: "Prose." }));
    let refused = agent.diagnostics.iter().find(|found| found.code.starts_with("replay.condition."));
    let written = agent.skills.get(skill).and_then(|skill| skill.constraint("tool")?.requires.as_ref());
    let written = written.ok_or("the condition didn't arrive")?;
    let decision = gate(&agent, case.profile, &state(&agent, case), Some(skill), written);
    let impossible = match &decision {
        GateDecision::Evaluated(evaluation) => evaluation.impossible(),
        GateDecision::Unreadable => None,
    };
    let stage = match (refused, impossible) {
        (Some(_), _) => Some("load"),
        (None, Some(_)) => Some("eval"),
        (None, None) => None,
    };
    expect("the stage of the error", &stage, &case.text("stage"))?;
    expect("open", &decision.is_open(), &(*case.field("expect") == Value::Bool(true)))
}
