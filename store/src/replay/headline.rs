//! An event in one line, the same for every screen and command.

use crate::event::{
    Actor, Event, EventKind, MessageSource, Rewind, ToolCall, ToolCaller, ToolOutcome, WriteRefusal, Writer,
};
use crate::name::{DISCOVERED, Name};

/// An event in one line: what kind of thing happened, and what it was about.
///
/// The text is that of the record. It still has to go through [`crate::visible`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// The kind, in a word or two.
    pub kind: &'static str,
    /// What it was about; empty where the kind says it all.
    pub text: String,
    /// How much it should catch the eye.
    pub weight: Weight,
}

/// How much an event should catch the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Book-keeping of the engine.
    Light,
    /// What people look for.
    Normal,
    /// Something was refused, declined or failed.
    Refused,
}

/// Returns the line of an event.
pub fn headline(event: &Event) -> Headline {
    of_kind(&event.kind)
}

/// Returns the line of an event of a kind.
pub fn of_kind(kind: &EventKind) -> Headline {
    let (word, text) = words(kind);
    Headline { kind: word, text, weight: weight(kind) }
}

fn words(kind: &EventKind) -> (&'static str, String) {
    match kind {
        EventKind::SessionStarted { .. } => ("session started", String::new()),
        EventKind::SessionEnded => ("session ended", String::new()),
        EventKind::UserMessage { text, .. } => ("user", text.clone()),
        EventKind::AgentMessage { text, response: Some(response), .. }
            if *response == super::turns::MODEL_CALL_ERROR =>
        {
            ("model call failed", uttered(text, Some(response)))
        }
        EventKind::AgentMessage { text, source, response, .. } => (speaker(*source), uttered(text, response.as_ref())),
        EventKind::TurnEnded => ("turn ended", String::new()),
        EventKind::SkillActivated { skill, .. } => ("skill activated", skill.to_string()),
        EventKind::SkillCompleted { skill } => ("skill completed", skill.to_string()),
        EventKind::SkillCancelled { skill, step } => ("skill cancelled", at_step(skill, step)),
        EventKind::SkillInterrupted { skill, step } => ("skill interrupted", at_step(skill, step)),
        EventKind::SkillResumed { skill, step } => ("skill resumed", at_step(skill, step)),
        EventKind::BlockEntered { skill, block } => ("block entered", format!("{skill}__{block}")),
        EventKind::BlockCompleted { skill, block, step } => ("block completed", block_step(skill, block, step)),
        EventKind::BlockCancelled { skill, block, step } => ("block cancelled", block_step(skill, block, step)),
        EventKind::BlockInterrupted { skill, block, step } => ("block interrupted", block_step(skill, block, step)),
        EventKind::BlockResumed { skill, block, step } => ("block resumed", block_step(skill, block, step)),
        EventKind::MemoryWritten { key, value, writer } => {
            // The call behind it left no other trace (M64).
            let call = if *key == DISCOVERED { ", found by a call in the background" } else { "" };
            ("memory written", format!("{key} = {} by {}{call}", value.to_json(), who(writer)))
        }
        EventKind::MemoryCleared { key, writer } => ("memory cleared", format!("{key} by {}", who(writer))),
        EventKind::ToolReturned { tool, arguments, outcome, caller, error, .. } => {
            (outcome_words(*outcome), call(tool, arguments, *caller, error.as_deref()))
        }
        EventKind::StackPatched { frames: Some(frames), .. } => {
            let frames = frames.iter().map(|frame| match &frame.block {
                Some(block) => format!("{}__{block}", frame.skill),
                None => frame.skill.to_string(),
            });
            ("stack", frames.collect::<Vec<_>>().join(" › "))
        }
        EventKind::StackPatched { frames: None, .. } => ("stack", "a change that does not fit".to_owned()),
        EventKind::ActionTaken { action, .. } => ("action", action.to_string()),
        EventKind::HistoryRewound { by, .. } => ("history rewound", rewind(*by).to_owned()),
        EventKind::Foreign { name } => ("unknown kind", name.to_string()),
        EventKind::SkillRefused { skill, rule, .. } => ("skill refused", format!("{skill} ({rule})")),
        EventKind::SkillPending { skill, resolver } => ("skill pending", format!("{skill} until {resolver} is done")),
        EventKind::SkillDeferred { skill } => ("skill deferred", format!("{skill} until the user has answered")),
        EventKind::MemoryWriteRefused { asked, value, writer, refusal, rule, .. } => {
            let kind = if *refusal == WriteRefusal::Skipped { "write skipped" } else { "write refused" };
            (kind, format!("{asked} = {} by {}: {} ({rule})", value.to_json(), who(writer), refusal.word()))
        }
        EventKind::MemoryReset { key, value } => ("memory reset", format!("{key} = {}", value.to_json())),
        EventKind::ProjectEntryLocked { key } => ("entry locked", key.to_string()),
        EventKind::StepEntered { skill, block, step } => ("step entered", format!("{skill}__{block} at {step}")),
        EventKind::ToolCalled { call } => ("tool called", called(call)),
        EventKind::ToolRefused { call, rule } => ("tool refused", format!("{} ({rule})", called(call))),
        EventKind::ConfirmationAsked { call } => ("confirmation asked", called(call)),
        EventKind::ConfirmationAnswered { tool, confirmed } => {
            ("confirmation answered", format!("{tool}: {}", if *confirmed { "yes" } else { "no" }))
        }
        EventKind::ResponseUttered { response, why, .. } => {
            ("response uttered", format!("{response} ({})", why.word()))
        }
        EventKind::PromptRendered { digest, tools } => {
            ("model called", format!("prompt {}, {} tools offered", digest.short(), tools.len()))
        }
        EventKind::ModelReplied { text, calls, .. } => {
            let calls: Vec<String> = calls.iter().map(|call| format!("{}({})", call.tool, call.arguments)).collect();
            (
                "model replied",
                [calls, vec![text.clone()]]
                    .concat()
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join("; "),
            )
        }
        EventKind::ReadDecided { asked, gave, rule, tool, .. } => {
            let by = tool.as_ref().map(|tool| format!(" by tool {tool}")).unwrap_or_default();
            ("read", format!("{asked}{by} {} ({rule})", gave.words()))
        }
    }
}

/// Returns how much a kind of event should catch the eye.
pub fn weight(kind: &EventKind) -> Weight {
    match kind {
        EventKind::ToolReturned { outcome: ToolOutcome::Failed | ToolOutcome::Declined, .. }
        | EventKind::StackPatched { frames: None, .. }
        | EventKind::SkillRefused { .. }
        | EventKind::MemoryWriteRefused { .. }
        | EventKind::ToolRefused { .. }
        | EventKind::ConfirmationAnswered { confirmed: false, .. }
        | EventKind::Foreign { .. } => Weight::Refused,
        EventKind::AgentMessage { response: Some(response), .. } if *response == super::turns::MODEL_CALL_ERROR => {
            Weight::Refused
        }
        EventKind::StackPatched { frames: Some(_), .. }
        | EventKind::TurnEnded
        | EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::StepEntered { .. }
        | EventKind::ProjectEntryLocked { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ActionTaken { .. } => Weight::Light,
        EventKind::ReadDecided { gave, .. } if gave.is_refused() => Weight::Refused,
        EventKind::ReadDecided { .. } => Weight::Light,
        EventKind::UserMessage { .. }
        | EventKind::AgentMessage { .. }
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
        | EventKind::MemoryWritten { .. }
        | EventKind::MemoryCleared { .. }
        | EventKind::ToolReturned { .. }
        | EventKind::SkillPending { .. }
        | EventKind::SkillDeferred { .. }
        | EventKind::MemoryReset { .. }
        | EventKind::ConfirmationAsked { .. }
        | EventKind::ConfirmationAnswered { confirmed: true, .. }
        | EventKind::HistoryRewound { .. } => Weight::Normal,
    }
}

fn called(of: &ToolCall) -> String {
    call(&of.tool, &of.arguments, of.caller, None)
}

fn speaker(source: MessageSource) -> &'static str {
    match source {
        MessageSource::Template => "agent (template)",
        MessageSource::Rephrased => "agent (rephrased)",
        MessageSource::Model => "agent (model)",
        MessageSource::Filler => "agent (filler)",
        MessageSource::ToolCode => "agent (tool)",
        MessageSource::Unknown => "agent",
    }
}

fn uttered(text: &str, response: Option<&Name>) -> String {
    match response {
        Some(response) => format!("{} [{response}]", text.trim_end()),
        None => text.trim_end().to_owned(),
    }
}

fn at_step(skill: &Name, step: &Option<Name>) -> String {
    match step {
        Some(step) => format!("{skill} at {step}"),
        None => skill.to_string(),
    }
}

fn block_step(skill: &Name, block: &Name, step: &Option<Name>) -> String {
    match step {
        Some(step) => format!("{skill}__{block} at {step}"),
        None => format!("{skill}__{block}"),
    }
}

/// Returns who wrote, as people say it: `tool find_loan in renew_loan`, `the model in step ask_day of reserve_room`.
pub fn who(writer: &Writer) -> String {
    let actor = match (writer.actor, &writer.tool) {
        (Actor::Tool, Some(tool)) => format!("tool {tool}"),
        (Actor::Tool, None) => "a tool".to_owned(),
        (Actor::Model, _) => "the model".to_owned(),
        (Actor::Step, _) => "a step".to_owned(),
        (Actor::Button, _) => "a button".to_owned(),
        (Actor::Hook, _) => "a hook".to_owned(),
        (Actor::Seed, _) => "the session's metadata".to_owned(),
        (Actor::Engine, _) => "the engine".to_owned(),
        (Actor::Unknown, _) => "somebody that the record does not name".to_owned(),
    };
    match (&writer.step, &writer.skill) {
        (Some(step), Some(skill)) if *step != crate::name::AUTONOMOUS => format!("{actor} in step {step} of {skill}"),
        (_, Some(skill)) => format!("{actor} in {skill}"),
        (_, None) => actor,
    }
}

fn outcome_words(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Done => "tool returned",
        ToolOutcome::Failed => "tool failed",
        ToolOutcome::AwaitingConfirmation => "tool waits for a yes",
        ToolOutcome::Declined => "tool declined, not run",
    }
}

fn call(tool: &Name, arguments: &str, caller: ToolCaller, error: Option<&str>) -> String {
    let caller = match caller {
        ToolCaller::Step => ", called by a step",
        ToolCaller::Confirmation => ", after the user's answer",
        ToolCaller::Validation => ", validates a write",
        ToolCaller::Model | ToolCaller::Unknown => "",
    };
    let arguments = if arguments == "{}" { "" } else { arguments };
    let error = error.map(|error| format!(": {error}")).unwrap_or_default();
    format!("{tool}({arguments}){caller}{error}")
}

fn rewind(by: Rewind) -> &'static str {
    match by {
        Rewind::Restart => "restart: everything before is dead",
        Rewind::Rewind => "rewind: back to before the last user message",
        Rewind::Undo => "undo: the last action is taken back",
        Rewind::ResetSlots => "reset: all slots return to nothing",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::event::{Origin, ToolSource};
    use crate::timestamp::Timestamp;
    use crate::value::Value;

    fn check(kind: EventKind, expected: (&str, &str, Weight)) {
        let event = Event { time: Timestamp(0), turn: None, cause: None, origin: Origin::Added, kind };
        let line = headline(&event);
        assert_eq!((line.kind, line.text.as_str(), line.weight), expected);
    }

    #[test]
    fn a_write_names_value_and_writer() {
        let mut writer = Writer::only(Actor::Tool);
        writer.tool = Some(Name::from("load_member"));
        writer.skill = Some(Name::from("default_session_start"));
        writer.step = Some(Name::from("load_member"));
        let value = Arc::new(Value::Text("HS-1".to_owned()));
        let written = EventKind::MemoryWritten { key: Name::from("project.member_id"), value, writer };
        let text = "project.member_id = \"HS-1\" by tool load_member in step load_member of default_session_start";
        check(written, ("memory written", text, Weight::Normal));
    }

    #[test]
    fn a_declined_tool_is_never_shown_as_run() {
        let declined = EventKind::ToolReturned {
            tool: Name::from("renew_item"),
            arguments: "{\"item_id\":\"C-1\"}".to_owned(),
            result: String::new(),
            outcome: ToolOutcome::Declined,
            error: None,
            caller: ToolCaller::Confirmation,
            skill: None,
            call_id: None,
            batch_id: None,
            source: ToolSource::Local,
        };
        let text = "renew_item({\"item_id\":\"C-1\"}), after the user's answer";
        check(declined, ("tool declined, not run", text, Weight::Refused));
    }

    #[test]
    fn an_unknown_kind_is_named() {
        check(EventKind::Foreign { name: Name::from("moonrise") }, ("unknown kind", "moonrise", Weight::Refused));
    }
}
