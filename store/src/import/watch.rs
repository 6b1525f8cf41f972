//! The record's view of the stack, watched: patches that don't fit, skills and steps that the named events don't know.

use std::collections::{HashMap, HashSet};

use super::evidence::{Clue, Evidence};
use super::names::Names;
use super::stack::StackDocument;
use crate::event::finding::FindingKind;
use crate::event::{EventKind, RecordedFrame};
use crate::name::Name;

/// The stack as the patches give it, beside what the named events tell of it.
#[derive(Default)]
pub(super) struct StackWatch {
    document: StackDocument,
    /// The skills that were activated and neither completed nor cancelled.
    skills: HashSet<Name>,
    /// When each skill started last, by raw index.
    started: HashMap<Name, u32>,
    /// The last stack change, by raw index.
    checked: Option<u32>,
    is_doubtful: bool,
}

impl StackWatch {
    /// Takes in the next event; a stack change gets its frames.
    pub(super) fn take(&mut self, kind: &mut EventKind, raw: u32, names: &mut Names, evidence: &mut Evidence) {
        match kind {
            EventKind::SessionStarted { .. } => {
                let mut document = std::mem::take(&mut self.document);
                document.clear();
                *self = StackWatch { document, checked: self.checked.map(|_| raw), ..StackWatch::default() };
            }
            EventKind::SkillActivated { skill, .. } => {
                if self.skills.insert(skill.clone()) {
                    self.started.insert(skill.clone(), raw);
                }
            }
            EventKind::SkillCompleted { skill } | EventKind::SkillCancelled { skill, .. } => {
                self.skills.remove(skill);
            }
            EventKind::BlockCompleted { skill, block, step: Some(step) }
            | EventKind::BlockCancelled { skill, block, step: Some(step) }
            | EventKind::BlockInterrupted { skill, block, step: Some(step) } => {
                let doubt = self.other_step(skill, block, step, names);
                let text = doubt.map(|known| format!("raw {raw} leaves {skill} at `{step}`, the stack says `{known}`"));
                self.doubt(text, raw, evidence);
            }
            EventKind::StackPatched { frames, patch } => {
                *frames = self.document.apply(patch, names);
                let text = match frames {
                    None => Some(format!("the stack change raw {raw} doesn't fit what was there")),
                    Some(frames) => self.other_skills(frames, raw),
                };
                match text {
                    None => self.is_doubtful = false,
                    Some(_) => self.doubt(text, raw, evidence),
                }
                self.checked = Some(raw);
            }
            EventKind::SessionEnded
            | EventKind::UserMessage { .. }
            | EventKind::AgentMessage { .. }
            | EventKind::TurnEnded
            | EventKind::SkillInterrupted { .. }
            | EventKind::SkillResumed { .. }
            | EventKind::BlockEntered { .. }
            | EventKind::BlockCompleted { step: None, .. }
            | EventKind::BlockCancelled { step: None, .. }
            | EventKind::BlockInterrupted { step: None, .. }
            | EventKind::BlockResumed { .. }
            | EventKind::MemoryWritten { .. }
            | EventKind::MemoryCleared { .. }
            | EventKind::ToolReturned { .. }
            | EventKind::ActionTaken { .. }
            | EventKind::HistoryRewound { .. }
            | EventKind::Foreign { .. }
            | EventKind::SkillRefused { .. }
            | EventKind::SkillPending { .. }
            | EventKind::SkillDeferred { .. }
            | EventKind::MemoryWriteRefused { .. }
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
            | EventKind::ReadDecided { .. } => {}
        }
    }

    /// Returns the frames at this point; `None` where no change was recorded.
    pub(super) fn frames(&self, names: &mut Names) -> Option<Vec<RecordedFrame>> {
        self.checked?;
        self.document.frames(names)
    }

    /// Returns when a skill started last, by raw index.
    pub(super) fn start_of(&self, skill: &str) -> u32 {
        self.started.get(skill).copied().unwrap_or(0)
    }

    /// Notes that the stack can't be as it is. Until a change fits again, more of it says nothing new.
    fn doubt(&mut self, text: Option<String>, raw: u32, evidence: &mut Evidence) {
        let Some(text) = text.filter(|_| !self.is_doubtful) else { return };
        self.is_doubtful = true;
        let low = self.checked.map_or(0, |checked| checked + 1).min(raw);
        evidence.add(Clue { low, high: raw, count: 0, kind: FindingKind::StackConflict, text });
    }

    fn other_skills(&mut self, frames: &[RecordedFrame], raw: u32) -> Option<String> {
        let agree = frames.iter().all(|frame| self.skills.contains(&frame.skill))
            && self.skills.iter().all(|skill| frames.iter().any(|frame| frame.skill == *skill));
        if agree {
            return None;
        }
        self.skills = frames.iter().map(|frame| frame.skill.clone()).collect();
        Some(format!("the stack after raw {raw} holds other skills than the events before it"))
    }

    fn other_step(&self, skill: &Name, block: &Name, step: &Name, names: &mut Names) -> Option<Name> {
        let frames = self.frames(names)?;
        let frame = frames.into_iter().find(|frame| frame.skill == *skill && frame.block.as_ref() == Some(block))?;
        frame.step.filter(|known| known != step)
    }
}
