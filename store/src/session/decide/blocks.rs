//! Blocks are entered and end, and the prose of their skill takes over again (M139, M182).

use super::CommandError;
use super::draft::Draft;
use super::steps::Wake;
use crate::event::{EventKind, ToolCall, ToolCaller};
use crate::name::Name;
use crate::rule::Rule;

impl Draft<'_> {
    /// The model enters a block of the running prose.
    pub(super) fn enter_block(&mut self, block: &Name) -> Result<(), CommandError> {
        let frame = self.running().ok_or(CommandError::NothingActive)?;
        let (skill, in_block) = (frame.skill.clone(), frame.block.is_some());
        let is_known = self.skill(&skill).is_some_and(|skill| skill.block(block).is_some());
        if in_block || !is_known {
            let call = ToolCall {
                tool: Name::from("activate"),
                arguments: format!(
                    "{{\"target_id\":{}}}",
                    crate::value::Value::Text(format!("{skill}__{block}")).to_json()
                ),
                caller: ToolCaller::Model,
                skill: Some(skill),
                step: None,
                call_id: None,
            };
            self.emit(EventKind::ToolRefused { call, rule: Rule::BlocksOfTheSkill });
            return Ok(());
        }
        self.emit(EventKind::BlockEntered { skill, block: block.clone() });
        self.run_steps(Wake::Arrived);
        Ok(())
    }

    /// The running block reaches its end.
    pub(super) fn end_block(&mut self) -> Result<(), CommandError> {
        let frame = self.running().ok_or(CommandError::NotInBlock)?;
        let (skill, step) = (frame.skill.clone(), frame.step.clone());
        let block = frame.block.clone().ok_or(CommandError::NotInBlock)?;
        self.finish_block(&skill, &block, step.as_ref());
        Ok(())
    }

    /// A block is over: the step that called it goes on, else the prose; a skill without prose is over too (M148).
    pub(super) fn finish_block(&mut self, skill: &Name, block: &Name, step: Option<&Name>) {
        let step = step.cloned();
        self.emit(EventKind::BlockCompleted { skill: skill.clone(), block: block.clone(), step });
        let Some(top) = self.running().filter(|frame| frame.skill == *skill) else { return };
        if top.block.is_some() {
            return self.run_steps(Wake::Returned);
        }
        let has_prose = self.skill(skill).is_none_or(|skill| !skill.paragraphs.is_empty());
        if has_prose {
            self.complete_if_done();
        } else {
            self.finish(skill);
        }
    }
}
