//! What an event says by itself that queries ask for: entry, skill, tool, actor, verdict; and which kinds may say it.

use crate::event::{EventKind, Tag, ToolCall, ToolCaller, Writer};
use crate::explain::decisions::{self, Verdict};
use crate::name::Name;

/// Returns whether a verdict stands in the event itself, so that nothing has to be worked out.
pub(super) fn is_in_event(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Refused | Verdict::Waiting | Verdict::Declined | Verdict::Failed => true,
        Verdict::Allowed
        | Verdict::Empty
        | Verdict::Denied
        | Verdict::Open
        | Verdict::Closed
        | Verdict::Offered
        | Verdict::Withheld
        | Verdict::Locked => false,
    }
}

/// Returns the verdict that the event itself is, if it is one.
pub(super) fn verdict_of(kind: &EventKind) -> Option<Verdict> {
    match kind {
        EventKind::MemoryWriteRefused { .. } | EventKind::SkillRefused { .. } | EventKind::ToolRefused { .. } => {
            Some(Verdict::Refused)
        }
        EventKind::SkillPending { .. } | EventKind::SkillDeferred { .. } | EventKind::ConfirmationAsked { .. } => {
            Some(Verdict::Waiting)
        }
        EventKind::ConfirmationAnswered { confirmed: false, .. } => Some(Verdict::Declined),
        EventKind::ToolReturned { outcome, .. } => Some(decisions::verdict_of(*outcome)),
        _ => None,
    }
}

/// Whether an event of a kind may be a verdict by itself.
pub(super) fn has_verdict(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::MemoryWriteRefused
            | Tag::SkillRefused
            | Tag::ToolRefused
            | Tag::SkillPending
            | Tag::SkillDeferred
            | Tag::ConfirmationAsked
            | Tag::ConfirmationAnswered
            | Tag::ToolReturned
    )
}

/// Whether an event of a kind is about an entry.
pub(super) fn has_key(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::MemoryWritten | Tag::MemoryCleared | Tag::MemoryReset | Tag::ProjectEntryLocked | Tag::MemoryWriteRefused
    )
}

/// Whether an event of a kind may name a tool.
pub(super) fn has_tool(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::ToolReturned
            | Tag::ToolCalled
            | Tag::ToolRefused
            | Tag::ConfirmationAsked
            | Tag::ConfirmationAnswered
            | Tag::MemoryWritten
            | Tag::MemoryCleared
            | Tag::MemoryWriteRefused
    )
}

pub(super) fn keys_of(kind: &EventKind) -> [Option<&Name>; 2] {
    match kind {
        EventKind::MemoryWritten { key, .. }
        | EventKind::MemoryCleared { key, .. }
        | EventKind::MemoryReset { key, .. }
        | EventKind::ProjectEntryLocked { key } => [Some(key), None],
        EventKind::MemoryWriteRefused { asked, key, .. } => [Some(asked), key.as_ref()],
        _ => [None, None],
    }
}

fn writer_of(kind: &EventKind) -> Option<&Writer> {
    match kind {
        EventKind::MemoryWritten { writer, .. }
        | EventKind::MemoryCleared { writer, .. }
        | EventKind::MemoryWriteRefused { writer, .. } => Some(writer),
        _ => None,
    }
}

fn call_of(kind: &EventKind) -> Option<&ToolCall> {
    match kind {
        EventKind::ToolCalled { call }
        | EventKind::ToolRefused { call, .. }
        | EventKind::ConfirmationAsked { call } => Some(call),
        _ => None,
    }
}

pub(super) fn skills_of(kind: &EventKind) -> [Option<&Name>; 2] {
    match kind {
        EventKind::SkillActivated { skill, .. }
        | EventKind::SkillCompleted { skill }
        | EventKind::SkillCancelled { skill, .. }
        | EventKind::SkillInterrupted { skill, .. }
        | EventKind::SkillResumed { skill, .. }
        | EventKind::BlockEntered { skill, .. }
        | EventKind::BlockCompleted { skill, .. }
        | EventKind::BlockCancelled { skill, .. }
        | EventKind::BlockInterrupted { skill, .. }
        | EventKind::BlockResumed { skill, .. }
        | EventKind::SkillRefused { skill, .. }
        | EventKind::SkillDeferred { skill }
        | EventKind::StepEntered { skill, .. } => [Some(skill), None],
        EventKind::SkillPending { skill, resolver } => [Some(skill), Some(resolver)],
        EventKind::ToolReturned { skill, .. }
        | EventKind::ResponseUttered { skill, .. }
        | EventKind::ReadDecided { skill, .. } => [skill.as_ref(), None],
        other => {
            let writer = writer_of(other).and_then(|writer| writer.skill.as_ref());
            [writer.or_else(|| call_of(other).and_then(|call| call.skill.as_ref())), None]
        }
    }
}

/// Returns the tool that an event is about.
pub fn tool_of(kind: &EventKind) -> Option<&Name> {
    match kind {
        EventKind::ToolReturned { tool, .. } | EventKind::ConfirmationAnswered { tool, .. } => Some(tool),
        EventKind::ReadDecided { tool, .. } => tool.as_ref(),
        other => {
            let called = call_of(other).map(|call| &call.tool);
            called.or_else(|| writer_of(other).and_then(|writer| writer.tool.as_ref()))
        }
    }
}

pub(super) fn actor_of(kind: &EventKind) -> Option<&'static str> {
    let caller = |caller: ToolCaller| match caller {
        ToolCaller::Model => "model",
        ToolCaller::Step => "step",
        ToolCaller::Confirmation => "user",
        ToolCaller::Validation => "engine",
        ToolCaller::Unknown => "unknown",
    };
    match kind {
        EventKind::UserMessage { .. } | EventKind::ConfirmationAnswered { .. } => Some("user"),
        EventKind::ToolReturned { caller: by, .. } => Some(caller(*by)),
        other => {
            let called = call_of(other).map(|call| caller(call.caller));
            called.or_else(|| writer_of(other).map(|writer| writer.actor.word()))
        }
    }
}
