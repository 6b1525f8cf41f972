//! What led to an event: the tool call behind a write, the model call behind that, and the user's message.

use super::Evidence;
use super::words::value_words;
use crate::event::{Activation, Event, EventKind, Position, ToolOutcome, Writer};
use crate::name::Name;
use crate::replay::Session;
use crate::replay::headline::who;
use crate::replay::turns::{Call, CallKind, Turn};
use crate::value::Value;

/// Returns the chain of causes of the event at `at`, the nearest first: the event itself, the tool call, the model
/// call, the user's message. What the record doesn't tell is left out.
pub(super) fn chain(session: &Session, at: Position) -> Vec<Evidence> {
    let Some(event) = session.event(at) else { return Vec::new() };
    let mut chain: Vec<Evidence> = Evidence::of_event(session, at).into_iter().collect();
    let tool = tool_call(session, at);
    chain.extend(tool.and_then(|tool| returned(session, tool)));
    if tool.is_none() {
        chain.extend(unreturned(&event.kind));
    }
    chain.extend(model_call(session, at));
    chain.extend(user_message(session, at).and_then(|user| Evidence::of_event(session, user)));
    chain
}

/// Returns who wrote, as a sentence says it; `None` for an event that writes nothing.
pub(super) fn writer_of(event: &Event) -> Option<&Writer> {
    match &event.kind {
        EventKind::MemoryWritten { writer, .. }
        | EventKind::MemoryCleared { writer, .. }
        | EventKind::MemoryWriteRefused { writer, .. } => Some(writer),
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::UserMessage { .. }
        | EventKind::AgentMessage { .. }
        | EventKind::TurnEnded
        | EventKind::SkillActivated { .. }
        | EventKind::SkillCompleted { .. }
        | EventKind::SkillCancelled { .. }
        | EventKind::SkillInterrupted { .. }
        | EventKind::SkillResumed { .. }
        | EventKind::BlockEntered { .. }
        | EventKind::BlockCompleted { .. }
        | EventKind::BlockCancelled { .. }
        | EventKind::BlockInterrupted { .. }
        | EventKind::BlockResumed { .. }
        | EventKind::ToolReturned { .. }
        | EventKind::StackPatched { .. }
        | EventKind::ActionTaken { .. }
        | EventKind::HistoryRewound { .. }
        | EventKind::Foreign { .. }
        | EventKind::SkillRefused { .. }
        | EventKind::SkillPending { .. }
        | EventKind::SkillDeferred { .. }
        | EventKind::MemoryReset { .. }
        | EventKind::ProjectEntryLocked { .. }
        | EventKind::StepEntered { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ToolRefused { .. }
        | EventKind::ConfirmationAsked { .. }
        | EventKind::ConfirmationAnswered { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ReadDecided { .. } => None,
    }
}

/// Returns the event of the tool call that a write belongs to. Effects are recorded before the call that made them
/// comes back, so it is looked for from the write on, then before it, within the turn.
fn tool_call(session: &Session, at: Position) -> Option<Position> {
    let event = session.event(at)?;
    let writer = match &event.kind {
        EventKind::SkillActivated { by: Activation::Model | Activation::Unknown, .. } => None,
        _ => Some(writer_of(&event)?),
    };
    let (first, last) = bounds(session, at);
    let is_it = |candidate: &Event| {
        let EventKind::ToolReturned { tool, call_id, .. } = &candidate.kind else { return false };
        match writer {
            None => *tool == crate::prompt::tools::ACTIVATE,
            Some(Writer { call_id: Some(wanted), .. }) => call_id.as_ref() == Some(wanted),
            Some(writer) => writer.tool.as_ref() == Some(tool),
        }
    };
    let after = session.events_after(at).take_while(|(at, _)| *at <= last).find(|(_, event)| is_it(event));
    let before = || session.events_in(first..at).rev().find(|(_, event)| is_it(event));
    after.or_else(before).map(|(at, _)| at)
}

/// The events among which causes and effects of the one at `at` lie: its turn, or as many events beside it where it
/// lies between turns.
fn bounds(session: &Session, at: Position) -> (Position, Position) {
    const BESIDE: u64 = 64;
    match turn_of(session, at) {
        Some(turn) => (turn.first, turn.last),
        None => (Position(at.0.saturating_sub(BESIDE).max(1)), Position((at.0 + BESIDE).min(session.end().0))),
    }
}

fn turn_of(session: &Session, at: Position) -> Option<&Turn> {
    session.turn_at(at).filter(|turn| at <= turn.last)
}

/// Says how a tool call went: the call with its arguments, and how it ended.
fn returned(session: &Session, at: Position) -> Option<Evidence> {
    let evidence = Evidence::of_event(session, at)?;
    let event = session.event(at)?;
    let EventKind::ToolReturned { tool, arguments, outcome, error, .. } = &event.kind else { return Some(evidence) };
    let call = format!("tool call {tool}({})", arguments_words(arguments));
    let ended = match outcome {
        ToolOutcome::Done => "returned".to_owned(),
        ToolOutcome::Failed => {
            format!("failed after it{}", error.as_ref().map(|e| format!(": {e}")).unwrap_or_default())
        }
        ToolOutcome::AwaitingConfirmation => "waits for the user's yes".to_owned(),
        ToolOutcome::Declined => "was declined and not run".to_owned(),
    };
    Some(evidence.saying(format!("{call}, which {ended}")))
}

/// A write that names its tool, whose return the record lacks.
fn unreturned(kind: &EventKind) -> Option<Evidence> {
    let (EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. }) = kind else { return None };
    let tool = writer.tool.as_ref()?;
    let arguments = arguments_words(&writer.arguments);
    Some(Evidence::of_absence(format!("tool call {tool}({arguments}), whose return the record does not hold")))
}

fn arguments_words(arguments: &str) -> String {
    match Value::from_json(arguments) {
        Ok(Value::Map(fields)) if fields.is_empty() => String::new(),
        Ok(value) => value_words(&value),
        Err(_) => arguments.to_owned(),
    }
}

/// Returns the model call that led to the event at `at`: the last one of its turn before it, behind the user's message.
pub(super) fn call_of(session: &Session, at: Position) -> Option<(&Turn, &Call)> {
    let turn = turn_of(session, at)?;
    let user = turn.user.filter(|user| *user < at).unwrap_or(Position(0));
    let leads = |call: &&Call| call.before < at && user <= call.before && call.kind != CallKind::Rephrase;
    turn.calls.iter().rev().find(leads).map(|call| (turn, call))
}

fn model_call(session: &Session, at: Position) -> Option<Evidence> {
    let Some((turn, call)) = call_of(session, at) else {
        let turn = turn_of(session, at)?;
        return Some(Evidence::of_absence(format!(
            "no model call of turn {} came before it: the engine did it by itself",
            turn.number
        )));
    };
    let evidence = Evidence::of_event(session, call.evidence)?;
    let text = format!("model {}, whose prompt was built at position {}", turn.call_name(call), call.before);
    Some(Evidence { kind: "model_call".to_owned(), text, ..evidence })
}

/// Returns the user message that was being answered.
fn user_message(session: &Session, at: Position) -> Option<Position> {
    let is_message =
        |at: &Position| session.event(*at).is_some_and(|event| matches!(event.kind, EventKind::UserMessage { .. }));
    let cause = session.event(at)?.cause.filter(is_message);
    cause.or_else(|| turn_of(session, at)?.user.filter(|user| *user < at))
}

/// Returns who put an entry into its state, in words: `written by tool t in s`, `cleared by …`.
pub(super) fn deed(session: &Session, key: &Name, at: Position) -> String {
    let Some(event) = session.event(at) else { return "set".to_owned() };
    match &event.kind {
        EventKind::MemoryWritten { writer, .. } => format!("written at {at} by {}", who(writer)),
        EventKind::MemoryCleared { writer, .. } => format!("cleared at {at} by {}", who(writer)),
        EventKind::MemoryReset { .. } => format!("reset at {at} because its skill started again (M54)"),
        EventKind::SkillActivated { skill, .. } => format!("reset at {at} because `{skill}` started again (M54)"),
        EventKind::HistoryRewound { .. } => format!("restored at {at}, where history was rewound"),
        _ => format!("put there at {at}, with {}", Evidence::of_event(session, at).map_or(key.to_string(), |e| e.text)),
    }
}
