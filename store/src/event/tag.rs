//! The kinds of events without their contents, and the name of each, as JSON and queries write it.

use super::EventKind;

/// A kind of event, without what it says. New kinds are added at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// [`EventKind::SessionStarted`]
    SessionStarted,
    /// [`EventKind::SessionEnded`]
    SessionEnded,
    /// [`EventKind::UserMessage`]
    UserMessage,
    /// [`EventKind::AgentMessage`]
    AgentMessage,
    /// [`EventKind::TurnEnded`]
    TurnEnded,
    /// [`EventKind::SkillActivated`]
    SkillActivated,
    /// [`EventKind::SkillCompleted`]
    SkillCompleted,
    /// [`EventKind::SkillCancelled`]
    SkillCancelled,
    /// [`EventKind::SkillInterrupted`]
    SkillInterrupted,
    /// [`EventKind::SkillResumed`]
    SkillResumed,
    /// [`EventKind::BlockEntered`]
    BlockEntered,
    /// [`EventKind::BlockCompleted`]
    BlockCompleted,
    /// [`EventKind::BlockCancelled`]
    BlockCancelled,
    /// [`EventKind::BlockInterrupted`]
    BlockInterrupted,
    /// [`EventKind::BlockResumed`]
    BlockResumed,
    /// [`EventKind::MemoryWritten`]
    MemoryWritten,
    /// [`EventKind::MemoryCleared`]
    MemoryCleared,
    /// [`EventKind::ToolReturned`]
    ToolReturned,
    /// [`EventKind::StackPatched`]
    StackPatched,
    /// [`EventKind::ActionTaken`]
    ActionTaken,
    /// [`EventKind::HistoryRewound`]
    HistoryRewound,
    /// [`EventKind::Foreign`]
    Foreign,
    /// [`EventKind::SkillRefused`]
    SkillRefused,
    /// [`EventKind::SkillPending`]
    SkillPending,
    /// [`EventKind::SkillDeferred`]
    SkillDeferred,
    /// [`EventKind::MemoryWriteRefused`]
    MemoryWriteRefused,
    /// [`EventKind::MemoryReset`]
    MemoryReset,
    /// [`EventKind::ProjectEntryLocked`]
    ProjectEntryLocked,
    /// [`EventKind::StepEntered`]
    StepEntered,
    /// [`EventKind::ToolCalled`]
    ToolCalled,
    /// [`EventKind::ToolRefused`]
    ToolRefused,
    /// [`EventKind::ConfirmationAsked`]
    ConfirmationAsked,
    /// [`EventKind::ConfirmationAnswered`]
    ConfirmationAnswered,
    /// [`EventKind::ResponseUttered`]
    ResponseUttered,
    /// [`EventKind::PromptRendered`]
    PromptRendered,
    /// [`EventKind::ModelReplied`]
    ModelReplied,
    /// [`EventKind::ReadDecided`]
    ReadDecided,
}

impl Tag {
    /// All kinds, each at the place of its number.
    pub const ALL: [Tag; 37] = [
        Tag::SessionStarted,
        Tag::SessionEnded,
        Tag::UserMessage,
        Tag::AgentMessage,
        Tag::TurnEnded,
        Tag::SkillActivated,
        Tag::SkillCompleted,
        Tag::SkillCancelled,
        Tag::SkillInterrupted,
        Tag::SkillResumed,
        Tag::BlockEntered,
        Tag::BlockCompleted,
        Tag::BlockCancelled,
        Tag::BlockInterrupted,
        Tag::BlockResumed,
        Tag::MemoryWritten,
        Tag::MemoryCleared,
        Tag::ToolReturned,
        Tag::StackPatched,
        Tag::ActionTaken,
        Tag::HistoryRewound,
        Tag::Foreign,
        Tag::SkillRefused,
        Tag::SkillPending,
        Tag::SkillDeferred,
        Tag::MemoryWriteRefused,
        Tag::MemoryReset,
        Tag::ProjectEntryLocked,
        Tag::StepEntered,
        Tag::ToolCalled,
        Tag::ToolRefused,
        Tag::ConfirmationAsked,
        Tag::ConfirmationAnswered,
        Tag::ResponseUttered,
        Tag::PromptRendered,
        Tag::ModelReplied,
        Tag::ReadDecided,
    ];

    /// Returns the kind of an event.
    pub fn of(kind: &EventKind) -> Tag {
        match kind {
            EventKind::SessionStarted { .. } => Tag::SessionStarted,
            EventKind::SessionEnded => Tag::SessionEnded,
            EventKind::UserMessage { .. } => Tag::UserMessage,
            EventKind::AgentMessage { .. } => Tag::AgentMessage,
            EventKind::TurnEnded => Tag::TurnEnded,
            EventKind::SkillActivated { .. } => Tag::SkillActivated,
            EventKind::SkillCompleted { .. } => Tag::SkillCompleted,
            EventKind::SkillCancelled { .. } => Tag::SkillCancelled,
            EventKind::SkillInterrupted { .. } => Tag::SkillInterrupted,
            EventKind::SkillResumed { .. } => Tag::SkillResumed,
            EventKind::BlockEntered { .. } => Tag::BlockEntered,
            EventKind::BlockCompleted { .. } => Tag::BlockCompleted,
            EventKind::BlockCancelled { .. } => Tag::BlockCancelled,
            EventKind::BlockInterrupted { .. } => Tag::BlockInterrupted,
            EventKind::BlockResumed { .. } => Tag::BlockResumed,
            EventKind::MemoryWritten { .. } => Tag::MemoryWritten,
            EventKind::MemoryCleared { .. } => Tag::MemoryCleared,
            EventKind::ToolReturned { .. } => Tag::ToolReturned,
            EventKind::StackPatched { .. } => Tag::StackPatched,
            EventKind::ActionTaken { .. } => Tag::ActionTaken,
            EventKind::HistoryRewound { .. } => Tag::HistoryRewound,
            EventKind::Foreign { .. } => Tag::Foreign,
            EventKind::SkillRefused { .. } => Tag::SkillRefused,
            EventKind::SkillPending { .. } => Tag::SkillPending,
            EventKind::SkillDeferred { .. } => Tag::SkillDeferred,
            EventKind::MemoryWriteRefused { .. } => Tag::MemoryWriteRefused,
            EventKind::MemoryReset { .. } => Tag::MemoryReset,
            EventKind::ProjectEntryLocked { .. } => Tag::ProjectEntryLocked,
            EventKind::StepEntered { .. } => Tag::StepEntered,
            EventKind::ToolCalled { .. } => Tag::ToolCalled,
            EventKind::ToolRefused { .. } => Tag::ToolRefused,
            EventKind::ConfirmationAsked { .. } => Tag::ConfirmationAsked,
            EventKind::ConfirmationAnswered { .. } => Tag::ConfirmationAnswered,
            EventKind::ResponseUttered { .. } => Tag::ResponseUttered,
            EventKind::PromptRendered { .. } => Tag::PromptRendered,
            EventKind::ModelReplied { .. } => Tag::ModelReplied,
            EventKind::ReadDecided { .. } => Tag::ReadDecided,
        }
    }

    /// Returns the name of the kind, as JSON and queries write it: the `kind` of a serialized event.
    pub fn word(self) -> &'static str {
        match self {
            Tag::SessionStarted => "session_started",
            Tag::SessionEnded => "session_ended",
            Tag::UserMessage => "user_message",
            Tag::AgentMessage => "agent_message",
            Tag::TurnEnded => "turn_ended",
            Tag::SkillActivated => "skill_activated",
            Tag::SkillCompleted => "skill_completed",
            Tag::SkillCancelled => "skill_cancelled",
            Tag::SkillInterrupted => "skill_interrupted",
            Tag::SkillResumed => "skill_resumed",
            Tag::BlockEntered => "block_entered",
            Tag::BlockCompleted => "block_completed",
            Tag::BlockCancelled => "block_cancelled",
            Tag::BlockInterrupted => "block_interrupted",
            Tag::BlockResumed => "block_resumed",
            Tag::MemoryWritten => "memory_written",
            Tag::MemoryCleared => "memory_cleared",
            Tag::ToolReturned => "tool_returned",
            Tag::StackPatched => "stack_patched",
            Tag::ActionTaken => "action_taken",
            Tag::HistoryRewound => "history_rewound",
            Tag::Foreign => "foreign",
            Tag::SkillRefused => "skill_refused",
            Tag::SkillPending => "skill_pending",
            Tag::SkillDeferred => "skill_deferred",
            Tag::MemoryWriteRefused => "memory_write_refused",
            Tag::MemoryReset => "memory_reset",
            Tag::ProjectEntryLocked => "project_entry_locked",
            Tag::StepEntered => "step_entered",
            Tag::ToolCalled => "tool_called",
            Tag::ToolRefused => "tool_refused",
            Tag::ConfirmationAsked => "confirmation_asked",
            Tag::ConfirmationAnswered => "confirmation_answered",
            Tag::ResponseUttered => "response_uttered",
            Tag::PromptRendered => "prompt_rendered",
            Tag::ModelReplied => "model_replied",
            Tag::ReadDecided => "read_decided",
        }
    }
}

impl EventKind {
    /// Returns the name of the kind, as JSON and queries write it: the `kind` of a serialized event.
    pub fn tag(&self) -> &'static str {
        Tag::of(self).word()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_stands_at_the_place_of_its_number() {
        assert!(Tag::ALL.iter().enumerate().all(|(place, tag)| *tag as usize == place));
    }
}
