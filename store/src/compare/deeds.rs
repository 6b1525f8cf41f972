//! What the events of a turn did, as far as two sessions can have it in common.

use std::collections::BTreeMap;

use super::align::Stretch;
use super::noise::{Noise, without};
use super::sessions::Kind;
use crate::event::{EventKind, Position};
use crate::replay::Session;
use crate::replay::headline::headline;

/// What an event did.
pub(super) struct Deed {
    /// Its event.
    pub(super) at: Position,
    /// What it is about.
    pub(super) subject: String,
    /// What it has in common with an event of another session that did the same.
    pub(super) same: String,
}

/// Returns what the events of a stretch did, by kind, in order.
pub(super) fn deeds(session: &Session, stretch: Stretch, noise: &[Noise]) -> BTreeMap<Kind, Vec<Deed>> {
    let mut found: BTreeMap<Kind, Vec<Deed>> = BTreeMap::new();
    for (at, event) in session.events_in(stretch.first..=stretch.last) {
        let Some((kind, subject)) = about(&event.kind) else { continue };
        let line = headline(&event);
        let result = if let EventKind::ToolReturned { result, .. } = &event.kind { result.as_str() } else { "" };
        let same = without(&format!("{} {}\n{result}", line.kind, line.text), noise).into_owned();
        found.entry(kind).or_default().push(Deed { at, subject, same });
    }
    found
}

/// Returns the kind of what an event did, and what it is about. Memory is compared by what it holds after a turn, and
/// the end of a turn by the turns themselves.
fn about(kind: &EventKind) -> Option<(Kind, String)> {
    let found = match kind {
        EventKind::UserMessage { .. } => (Kind::Text, "user".to_owned()),
        EventKind::AgentMessage { .. } => (Kind::Text, "agent".to_owned()),
        EventKind::SkillActivated { skill, .. }
        | EventKind::SkillCompleted { skill }
        | EventKind::SkillCancelled { skill, .. }
        | EventKind::SkillInterrupted { skill, .. }
        | EventKind::SkillResumed { skill, .. }
        | EventKind::SkillPending { skill, .. }
        | EventKind::SkillDeferred { skill } => (Kind::Skill, skill.to_string()),
        EventKind::BlockEntered { skill, block }
        | EventKind::BlockCompleted { skill, block, .. }
        | EventKind::BlockCancelled { skill, block, .. }
        | EventKind::BlockInterrupted { skill, block, .. }
        | EventKind::BlockResumed { skill, block, .. }
        | EventKind::StepEntered { skill, block, .. } => (Kind::Skill, format!("{skill}__{block}")),
        EventKind::ToolReturned { tool, .. } => (Kind::Tool, tool.to_string()),
        EventKind::SkillRefused { skill, .. } => (Kind::Decision, skill.to_string()),
        EventKind::MemoryWriteRefused { asked, key, .. } => (Kind::Decision, key.as_ref().unwrap_or(asked).to_string()),
        EventKind::ToolRefused { call, .. } | EventKind::ConfirmationAsked { call } => {
            (Kind::Decision, call.tool.to_string())
        }
        EventKind::ConfirmationAnswered { tool, .. } => (Kind::Decision, tool.to_string()),
        EventKind::ActionTaken { action, .. } => (Kind::Decision, action.to_string()),
        EventKind::HistoryRewound { .. } => (Kind::State, "history".to_owned()),
        EventKind::Foreign { name } => (Kind::Text, name.to_string()),
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::TurnEnded
        | EventKind::MemoryWritten { .. }
        | EventKind::MemoryCleared { .. }
        | EventKind::MemoryReset { .. }
        | EventKind::ProjectEntryLocked { .. }
        | EventKind::StackPatched { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ReadDecided { .. } => return None,
    };
    Some(found)
}
