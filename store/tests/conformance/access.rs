//! `access.json`: one read or write by one party, and what the rules say to it.

use replay_store::rule::Rule;
use replay_store::session::access::{Reader, Site, WriteBy, WriteRequest, read, write};
use replay_store::value::Value;

use super::agents::{self, state};
use super::{Answer, Case, expect};

/// Decides the access and compares outcome, key, value, and the rule, which must be on the way to the decision.
pub(crate) fn check(case: &Case) -> Answer {
    match case.text("op") {
        Some("read") => check_read(case),
        Some("write") => check_write(case),
        other => Err(format!("unknown op {other:?}")),
    }
}

fn check_read(case: &Case) -> Answer {
    let agent = agents::agent(case);
    let site = match case.text("by") {
        Some("tool") => Site::Tool,
        Some("condition") => Site::Condition,
        Some("prose") => Site::Prompt,
        Some("placeholder") => Site::Response,
        other => return Err(format!("unknown reader {other:?}")),
    };
    let reader = Reader { skill: case.text("active"), site };
    let decision = read(&agent, case.profile, &state(&agent, case), reader, case.text("name").unwrap_or_default());
    let outcome = if decision.is_allowed() { "allowed" } else { "none" };
    expect("outcome", &outcome, &case.text("expect").unwrap_or_default())?;
    let given = decision.value().map_or(Value::Null, |value| Value::clone(value));
    expect("gives", &given, case.field("gives"))?;
    if !decision.is_allowed() && decision.change(&agent).is_none() && decision.rule.number() != "M31" {
        return Err("a refusal says what would have allowed it".to_owned());
    }
    on_the_way(case, decision.rule, &decision.tried)
}

fn check_write(case: &Case) -> Answer {
    let agent = agents::agent(case);
    let by = match case.text("by") {
        Some("tool") => WriteBy::Tool,
        Some("set_fields") => WriteBy::SetFields,
        Some("set_memory") => WriteBy::SetMemory,
        Some("validation_tool") => WriteBy::ValidationTool,
        Some("button") => WriteBy::Button,
        Some("seed") => WriteBy::Seed,
        other => return Err(format!("unknown writer {other:?}")),
    };
    let name = case.text("name").unwrap_or_default();
    let request = WriteRequest { skill: case.text("active"), by, name, value: case.field("value") };
    let decision = write(&agent, case.profile, &state(&agent, case), request);
    let word = decision.refusal().map_or("allowed", |refusal| refusal.word());
    let expected = match case.text("expect") {
        Some("denied") => case.text("error").unwrap_or_default(),
        other => other.unwrap_or_default(),
    };
    expect("outcome", &word, &expected)?;
    if let Some(stored) = decision.stored() {
        expect("key", &decision.key.as_deref(), &case.text("key"))?;
        expect("stores", &**stored, case.field("stores"))?;
    } else if decision.change(&agent, case.field("value")).is_none() && decision.rule.number() != "M31" {
        return Err("a refusal says what would have allowed it".to_owned());
    }
    on_the_way(case, decision.rule, &decision.tried)
}

/// The vectors name the rule that a case is about: it decided, or was tried before.
fn on_the_way(case: &Case, rule: Rule, tried: &[Rule]) -> Answer {
    let expected = case.text("rule").unwrap_or_default();
    match tried.iter().chain([&rule]).any(|rule| rule.number() == expected) {
        true => Ok(()),
        false => Err(format!("{expected} is not among the rules {tried:?} {rule:?}")),
    }
}
