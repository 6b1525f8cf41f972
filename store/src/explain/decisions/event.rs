//! What an event decided, or shows to have been decided.

use super::Verdict;
use super::made::{GateOf, Made, Sight, Via, verdict_of};
use crate::agent::Agent;
use crate::agent::block::{Next, Parameter, Step, StepKind};
use crate::agent::gate::Gate;
use crate::condition::{Outcome, Part};
use crate::event::{Activation, Actor, EventKind, ToolCall, ToolCaller, Writer};
use crate::name::{Name, PROJECT, split_key};
use crate::rule::Rule;
use crate::session::access::{ReadDecision, Reader, Site, WriteBy, WriteDecision, WriteRequest, read, write};
use crate::session::gate::{GateDecision, gate};
use crate::session::response::speak;
use crate::session::start::{Route, may_start};
use crate::value::Value;

/// Hands each decision of an event to `found`. `sight` holds the state before it.
pub(super) fn visit(sight: &Sight<'_>, kind: &EventKind, found: &mut dyn FnMut(Made<'_>)) {
    match kind {
        EventKind::MemoryWritten { key, value, writer } => stored(sight, key, Some(value), writer, found),
        EventKind::MemoryCleared { key, writer } => stored(sight, key, None, writer, found),
        EventKind::MemoryWriteRefused { asked, value, writer, refusal, rule, key } => {
            let decision = rewrite(sight, key.as_ref().unwrap_or(asked), value, writer, Some(asked));
            let decision = decision.filter(|decision| decision.rule == *rule);
            found(Made::WriteRefused { asked, value, writer, refusal: *refusal, rule: *rule, decision });
        }
        EventKind::ProjectEntryLocked { key } => found(Made::Locked { key }),
        EventKind::SkillActivated { skill, by } => started(sight, skill, *by, Verdict::Allowed, None, found),
        EventKind::SkillRefused { skill, by, rule } => {
            started(sight, skill, *by, Verdict::Refused, Some(*rule), found);
        }
        EventKind::SkillPending { skill, .. } => {
            started(sight, skill, Activation::Unknown, Verdict::Waiting, Some(Rule::Precondition), found);
        }
        EventKind::SkillDeferred { skill } => {
            started(sight, skill, Activation::Tool, Verdict::Waiting, Some(Rule::HandOver), found);
        }
        EventKind::SkillCompleted { skill } => completed(sight, skill, found),
        EventKind::ToolReturned { tool, outcome, error, caller, skill, .. } => {
            if *caller == ToolCaller::Step {
                arguments(sight, tool, found);
            }
            let at = constraint(sight, skill.as_ref(), tool).and_then(|constraint| {
                let confirmed = constraint.confirmation.as_ref().map(|confirmation| &confirmation.at);
                confirmed.filter(|_| matches!(verdict_of(*outcome), Verdict::Waiting | Verdict::Declined))
            });
            let rule = at.map(|_| Rule::ConfirmationState);
            found(Made::Call { tool, verdict: verdict_of(*outcome), error: error.as_deref(), rule, at });
        }
        EventKind::ToolCalled { call } => called(sight, call, Verdict::Allowed, None, found),
        EventKind::ToolRefused { call, rule } => called(sight, call, Verdict::Refused, Some(*rule), found),
        EventKind::ConfirmationAsked { call } => {
            called(sight, call, Verdict::Waiting, Some(Rule::ConfirmationState), found);
        }
        EventKind::ConfirmationAnswered { tool, confirmed } => {
            let verdict = if *confirmed { Verdict::Allowed } else { Verdict::Declined };
            found(Made::Call { tool, verdict, error: None, rule: Some(Rule::ConfirmationState), at: None });
        }
        EventKind::AgentMessage { response: Some(response), .. } => spoken(sight, response, found),
        EventKind::StepEntered { skill, block, step } => moved(sight, skill, block, step, found),
        EventKind::ReadDecided { asked, skill, .. } => {
            if let Some(agent) = sight.agent {
                let reader = Reader { skill: skill.as_deref(), site: Site::Tool };
                let decision = &read(agent, sight.profile, sight.state, reader, asked);
                found(Made::Read { decision, via: Via::Tool });
            }
        }
        EventKind::StackPatched { frames: Some(frames), .. } => {
            for frame in frames {
                if let (Some(block), Some(step)) = (&frame.block, &frame.step) {
                    moved(sight, &frame.skill, block, step, found);
                }
            }
        }
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::UserMessage { .. }
        | EventKind::AgentMessage { response: None, .. }
        | EventKind::TurnEnded
        | EventKind::SkillCancelled { .. }
        | EventKind::SkillInterrupted { .. }
        | EventKind::SkillResumed { .. }
        | EventKind::BlockEntered { .. }
        | EventKind::BlockCompleted { .. }
        | EventKind::BlockCancelled { .. }
        | EventKind::BlockInterrupted { .. }
        | EventKind::BlockResumed { .. }
        | EventKind::StackPatched { frames: None, .. }
        | EventKind::ActionTaken { .. }
        | EventKind::HistoryRewound { .. }
        | EventKind::MemoryReset { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::Foreign { .. } => {}
    }
}

fn stored(sight: &Sight<'_>, key: &Name, value: Option<&Value>, writer: &Writer, found: &mut dyn FnMut(Made<'_>)) {
    let decision = rewrite(sight, key, value.unwrap_or(&Value::Null), writer, None);
    found(Made::Stored { key, value, writer, decision });
    let is_project = split_key(key).is_some_and(|(space, _)| space == PROJECT);
    let was_locked = sight.state.memory.get(key).is_some_and(|cell| cell.locked);
    if is_project && !was_locked && value.is_some_and(|value| !value.is_null()) {
        found(Made::Locked { key });
    }
}

/// Decides a write again. `asked` is the name as the writer gave it, where the record knows that.
fn rewrite(
    sight: &Sight<'_>,
    key: &Name,
    value: &Value,
    writer: &Writer,
    asked: Option<&Name>,
) -> Option<WriteDecision> {
    let agent = sight.agent?;
    let by = writes_by(writer)?;
    let bare = || agent.entry(key).map_or(key, |entry| &entry.name);
    let name = match by {
        _ if asked.is_some() => asked.unwrap_or(key),
        WriteBy::SetFields | WriteBy::Collect | WriteBy::Correct | WriteBy::Seed => bare(),
        WriteBy::Tool
        | WriteBy::SetMemory
        | WriteBy::ValidationTool
        | WriteBy::Hook
        | WriteBy::Button
        | WriteBy::Engine => key,
    };
    let skill = writer.skill.as_ref().or(sight.state.active_skill()).map(Name::as_str);
    Some(write(agent, sight.profile, sight.state, WriteRequest { skill, by, name, value }))
}

/// Returns the way through the rules that a recorded writer takes; `None` where the record doesn't tell who wrote.
fn writes_by(writer: &Writer) -> Option<WriteBy> {
    match writer.actor {
        Actor::Tool => Some(WriteBy::Tool),
        Actor::Model => Some(match writer.tool.as_deref() {
            Some("correct") => WriteBy::Correct,
            Some("set_fields") => WriteBy::SetFields,
            Some(_) | None => WriteBy::Collect,
        }),
        Actor::Step => Some(WriteBy::SetMemory),
        Actor::Button => Some(WriteBy::Button),
        Actor::Hook => Some(WriteBy::Hook),
        Actor::Seed => Some(WriteBy::Seed),
        Actor::Engine => Some(WriteBy::Engine),
        Actor::Unknown => None,
    }
}

fn started(
    sight: &Sight<'_>,
    skill: &Name,
    by: Activation,
    verdict: Verdict,
    rule: Option<Rule>,
    found: &mut dyn FnMut(Made<'_>),
) {
    let route = match by {
        Activation::Model => Some(Route::Model),
        Activation::Engine => Some(Route::Engine),
        Activation::Reference => Some(Route::Reference),
        Activation::Step => Some(Route::Step),
        Activation::Tool => Some(Route::Tool),
        Activation::Unknown => None,
    };
    let declared = sight.agent.and_then(|agent| Some((agent, agent.skills.get(skill)?)));
    let decision =
        declared.zip(route).map(|((agent, _), route)| may_start(agent, sight.profile, sight.state, skill, route));
    if let Some((agent, declared)) = declared
        && let Some(requires) = declared.requires.as_ref().filter(|_| sight.profile.has_skill_requires())
        && route != Some(Route::Engine)
    {
        condition(sight, agent, requires, Some(skill), GateOf::Skill(skill), found);
    }
    found(Made::Skill { skill, verdict, rule, decision });
}

fn completed(sight: &Sight<'_>, skill: &Name, found: &mut dyn FnMut(Made<'_>)) {
    let Some(agent) = sight.agent else { return };
    let declared = agent.skills.get(skill).and_then(|skill| skill.complete_when.as_ref());
    if let Some(gate) = declared.and_then(|when| when.condition.as_ref()) {
        condition(sight, agent, gate, Some(skill), GateOf::Completion(skill), found);
    }
}

fn constraint<'a>(
    sight: &Sight<'a>,
    skill: Option<&Name>,
    tool: &str,
) -> Option<&'a crate::agent::skill::ToolConstraint> {
    sight.agent?.skills.get(skill?)?.constraint(tool)
}

fn called(sight: &Sight<'_>, call: &ToolCall, verdict: Verdict, rule: Option<Rule>, found: &mut dyn FnMut(Made<'_>)) {
    if call.caller == ToolCaller::Step {
        arguments(sight, &call.tool, found);
    }
    let constraint = constraint(sight, call.skill.as_ref(), &call.tool);
    let requires = constraint.and_then(|constraint| constraint.requires.as_ref());
    if let (Some(agent), Some(requires)) = (sight.agent, requires) {
        condition(sight, agent, requires, call.skill.as_ref(), GateOf::Tool(&call.tool), found);
    }
    let at = match rule {
        Some(Rule::ConfirmationState) => {
            constraint.and_then(|constraint| constraint.confirmation.as_ref()).map(|confirmation| &confirmation.at)
        }
        Some(_) => requires.map(|requires| &requires.text.at),
        None => None,
    };
    found(Made::Call { tool: &call.tool, verdict, error: None, rule, at });
}

/// The arguments that the current step of the active block reads from memory (M176).
fn arguments(sight: &Sight<'_>, tool: &Name, found: &mut dyn FnMut(Made<'_>)) {
    let Some(agent) = sight.agent else { return };
    let Some((skill, step)) = current_step(sight, agent) else { return };
    let StepKind::ExecuteTool { tool: named, parameters } = &step.kind else { return };
    if named.value != *tool {
        return;
    }
    let reader = Reader { skill: Some(skill), site: Site::Condition };
    for (_, parameter) in parameters {
        if let Parameter::Memory(key) = parameter {
            let decision = read(agent, sight.profile, sight.state, reader, &key.value);
            found(Made::Read { decision: &decision, via: Via::Argument(&key.at) });
        }
    }
}

fn current_step<'a>(sight: &Sight<'a>, agent: &'a Agent) -> Option<(&'a Name, &'a Step)> {
    let frame = sight.state.top()?;
    let block = agent.skills.get(&frame.skill)?.block(frame.block.as_deref()?)?;
    Some((&frame.skill, block.step(frame.step.as_deref()?)?))
}

/// A block went on to another step: the branches of the step before were tried until one held.
fn moved(sight: &Sight<'_>, skill: &Name, block: &Name, to: &Name, found: &mut dyn FnMut(Made<'_>)) {
    let Some(agent) = sight.agent else { return };
    let is_here = |frame: &&crate::session::Frame| frame.skill == *skill && frame.block.as_ref() == Some(block);
    let from = sight.state.stack.iter().rev().find(is_here).and_then(|frame| frame.step.as_ref());
    let Some(from) = from.filter(|from| *from != to) else { return };
    let step = agent.skills.get(skill).and_then(|skill| skill.block(block)).and_then(|block| block.step(from));
    let Some(Next::Branches(branches)) = step.map(|step| &step.next) else { return };
    for when in branches.iter().filter_map(|branch| branch.when.as_ref()) {
        if condition(sight, agent, when, Some(skill), GateOf::Branch, found) {
            return;
        }
    }
}

/// A response was said: its wordings were tried, and the placeholders of one were read.
fn spoken(sight: &Sight<'_>, response: &Name, found: &mut dyn FnMut(Made<'_>)) {
    let Some(agent) = sight.agent else { return };
    let Some(declared) = agent.responses.get(response) else { return };
    let active = sight.state.active_skill();
    for when in declared.variants.iter().filter_map(|variant| variant.condition.as_ref()) {
        if condition(sight, agent, when, active, GateOf::Variant(response), found) {
            break;
        }
    }
    let spoken = speak(agent, sight.profile, sight.state, response);
    let at = spoken.variant.map_or(&declared.at, |variant| &variant.text.at);
    for decision in &spoken.reads {
        found(Made::Read { decision, via: Via::Response(at) });
    }
}

/// Evaluates a condition and hands it over with its reads. Returns whether it holds.
fn condition(
    sight: &Sight<'_>,
    agent: &Agent,
    written: &Gate,
    skill: Option<&Name>,
    of: GateOf<'_>,
    found: &mut dyn FnMut(Made<'_>),
) -> bool {
    let decision = gate(agent, sight.profile, sight.state, skill.map(Name::as_str), written);
    let is_open = decision.is_open();
    evaluated(written, skill, &decision, of, found);
    is_open
}

/// Hands over a condition that was evaluated, and then its reads.
pub(super) fn evaluated(
    written: &Gate,
    skill: Option<&Name>,
    decision: &GateDecision,
    of: GateOf<'_>,
    found: &mut dyn FnMut(Made<'_>),
) {
    found(Made::Gate { gate: written, skill, decision, of });
    let mut reads = Vec::new();
    if let GateDecision::Evaluated(evaluation) = decision {
        collect(&evaluation.root, &mut reads);
    }
    for decision in reads {
        found(Made::Read { decision, via: Via::Condition(&written.text.at) });
    }
}

/// Collects the reads of a condition, in order, each name once.
fn collect<'p>(part: &'p Part<ReadDecision>, reads: &mut Vec<&'p ReadDecision>) {
    if let (Some(read), Outcome::Value(_)) = (&part.why, &part.outcome)
        && reads.iter().all(|known| known.asked != read.asked)
    {
        reads.push(read);
    }
    part.parts.iter().for_each(|part| collect(part, reads));
}
