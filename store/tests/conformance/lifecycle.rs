//! `lifecycle.json`: operations, and stack, resume offer and memory after each.

use std::collections::BTreeMap;

use replay_store::agent::Agent;
use replay_store::event::EventKind;
use replay_store::name::Name;
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer as Reply, Command, Delegate, Write, decide};
use replay_store::session::{Parked, State};
use replay_store::value::Value;

use super::agents::{self, apply, pairs};
use super::{Answer, Case, expect};

/// Decides each operation, applies its events, and compares what holds then.
pub(crate) fn check(case: &Case) -> Answer {
    let agent = agents::agent(case);
    let mut state = State::default();
    run(&agent, case, &mut state, Command::StartSession { definition: None, metadata: Vec::new() })?;
    let Value::List(steps) = case.field("steps") else { return Err("no steps".to_owned()) };
    for (index, step) in steps.iter().enumerate() {
        let operation = text(step, "op");
        let events = run(&agent, case, &mut state, command(step)?)?;
        let at = |difference: String| format!("step {} ({operation}): {difference}", index + 1);
        expect("result", &result(operation, &events), &text(step, "result")).map_err(at)?;
        check_after(&agent, &state, step.get("after").unwrap_or(&Value::Null)).map_err(at)?;
    }
    Ok(())
}

fn run(agent: &Agent, case: &Case, state: &mut State, command: Command) -> Result<Vec<EventKind>, String> {
    let events = decide(agent, case.profile, state, command).map_err(|error| error.to_string())?;
    events.iter().for_each(|event| apply(state, event.clone()));
    Ok(events)
}

fn command(step: &Value) -> Result<Command, String> {
    let name = |field: &str| Name::from(text(step, field));
    let skill = name("skill");
    Ok(match text(step, "op") {
        "session_start" => {
            let metadata = pairs(step, "metadata").map(|(name, value)| (Name::from(name), value.clone()));
            Command::StartSession { definition: None, metadata: metadata.collect() }
        }
        "activate" => Command::Activate { skill },
        "delegate" => Command::Delegate { skill, by: Delegate::Reference },
        "call" => Command::Call { skill },
        "enter_block" => Command::EnterBlock { block: name("block") },
        "end_block" => Command::EndBlock,
        "complete" => Command::Complete,
        "cancel" => Command::Cancel,
        "answer_resume" => {
            let yes = step.get("yes") == Some(&Value::Bool(true));
            Command::AnswerResume(if yes { Reply::Yes } else { Reply::No })
        }
        "write" => {
            let by = match text(step, "by") {
                "tool" => WriteBy::Tool,
                "set_fields" => WriteBy::SetFields,
                "set_memory" => WriteBy::SetMemory,
                "validation_tool" => WriteBy::ValidationTool,
                "button" => WriteBy::Button,
                other => return Err(format!("unknown writer {other}")),
            };
            let value = step.get("value").cloned().unwrap_or_default();
            Command::Write(Write { by, name: name("name"), value, tool: None, call_id: None })
        }
        other => return Err(format!("unknown op {other}")),
    })
}

/// Reads the result off the events.
fn result<'a>(operation: &str, events: &'a [EventKind]) -> &'a str {
    let found = events.iter().find_map(|event| match event {
        EventKind::SkillPending { .. } | EventKind::SkillDeferred { .. } => Some("pending"),
        EventKind::SkillRefused { .. } if ["activate", "delegate", "call"].contains(&operation) => Some("refused"),
        EventKind::ToolRefused { .. } => Some("refused"),
        EventKind::SkillResumed { .. } if operation == "activate" => Some("resumed"),
        EventKind::MemoryWriteRefused { refusal, .. } if operation == "write" => Some(refusal.word()),
        _ => None,
    });
    match found {
        Some(result) => result,
        None if events.is_empty() => "ignored",
        None => "ok",
    }
}

fn check_after(agent: &Agent, state: &State, after: &Value) -> Answer {
    let ours: Vec<(String, Option<String>, Option<String>)> = state
        .stack
        .iter()
        .map(|frame| {
            let parked = frame.parked.map(|parked| parked.word().to_owned());
            (frame.skill.to_string(), frame.block.as_ref().map(Name::to_string), parked)
        })
        .collect();
    let Some(Value::List(frames)) = after.get("stack") else { return Err("no stack".to_owned()) };
    let optional = |frame: &Value, field: &str| frame.get(field).and_then(Value::as_text).map(str::to_owned);
    let theirs = frames
        .iter()
        .map(|frame| (text(frame, "skill").to_owned(), optional(frame, "block"), optional(frame, "parked")))
        .collect();
    expect("stack", &ours, &theirs)?;
    let top = state.top().filter(|top| top.parked == Some(Parked::Digression));
    let offer = top.map(|top| top.skill.as_str());
    expect("offer", &offer, &after.get("offer").and_then(Value::as_text))?;
    let declared = state.memory.iter().filter(|(key, cell)| !cell.value.is_null() && agent.entry(key).is_some());
    let ours: BTreeMap<&str, &Value> = declared.map(|(key, cell)| (key.as_str(), &*cell.value)).collect();
    expect("memory", &ours, &pairs(after, "memory").collect())
}

fn text<'a>(from: &'a Value, field: &str) -> &'a str {
    from.get(field).and_then(Value::as_text).unwrap_or_default()
}
