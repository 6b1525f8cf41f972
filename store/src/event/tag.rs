//! The name of each kind of event, as JSON and queries write it.

use super::EventKind;

impl EventKind {
    /// Returns the name of the kind, as JSON and queries write it: the `kind` of a serialized event.
    pub fn tag(&self) -> &'static str {
        match self {
            EventKind::SessionStarted { .. } => "session_started",
            EventKind::SessionEnded => "session_ended",
            EventKind::UserMessage { .. } => "user_message",
            EventKind::AgentMessage { .. } => "agent_message",
            EventKind::TurnEnded => "turn_ended",
            EventKind::SkillActivated { .. } => "skill_activated",
            EventKind::SkillCompleted { .. } => "skill_completed",
            EventKind::SkillCancelled { .. } => "skill_cancelled",
            EventKind::SkillInterrupted { .. } => "skill_interrupted",
            EventKind::SkillResumed { .. } => "skill_resumed",
            EventKind::BlockEntered { .. } => "block_entered",
            EventKind::BlockCompleted { .. } => "block_completed",
            EventKind::BlockCancelled { .. } => "block_cancelled",
            EventKind::BlockInterrupted { .. } => "block_interrupted",
            EventKind::BlockResumed { .. } => "block_resumed",
            EventKind::MemoryWritten { .. } => "memory_written",
            EventKind::MemoryCleared { .. } => "memory_cleared",
            EventKind::ToolReturned { .. } => "tool_returned",
            EventKind::StackPatched { .. } => "stack_patched",
            EventKind::ActionTaken { .. } => "action_taken",
            EventKind::HistoryRewound { .. } => "history_rewound",
            EventKind::Foreign { .. } => "foreign",
            EventKind::SkillRefused { .. } => "skill_refused",
            EventKind::SkillPending { .. } => "skill_pending",
            EventKind::MemoryWriteRefused { .. } => "memory_write_refused",
            EventKind::MemoryReset { .. } => "memory_reset",
            EventKind::ProjectEntryLocked { .. } => "project_entry_locked",
            EventKind::StepEntered { .. } => "step_entered",
            EventKind::ToolCalled { .. } => "tool_called",
            EventKind::ToolRefused { .. } => "tool_refused",
            EventKind::ConfirmationAsked { .. } => "confirmation_asked",
            EventKind::ConfirmationAnswered { .. } => "confirmation_answered",
            EventKind::ResponseUttered { .. } => "response_uttered",
        }
    }
}
