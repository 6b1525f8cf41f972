//! Memory is written, and what a write sets off: locks, responses, steps, completion (M42, steps 8 to 10; M238).

use std::sync::Arc;

use super::Write;
use super::draft::Draft;
use super::steps::Wake;
use crate::event::{Actor, EventKind, UtterCause};
use crate::name::{Name, PROJECT, split_key};
use crate::session::access::{WriteBy, WriteOutcome, WriteRequest, write};
use crate::session::gate::gate;

/// What is said when a tap can no longer write (M234).
pub(super) const BUTTON_SKIPPED: &str = "utter_set_memory_button_skipped";

impl Draft<'_> {
    /// Somebody writes. What waits for the entry goes on, unless a tool is at work: then it waits until that is back.
    pub(super) fn write(&mut self, wish: Write) {
        let (by, in_tool) = (wish.by, wish.tool.is_some());
        let Some(key) = self.store(wish) else {
            if by == WriteBy::Button {
                let skill = self.running_skill();
                self.say_packaged(BUTTON_SKIPPED, UtterCause::StaleButton, skill.as_ref());
            }
            return;
        };
        if by == WriteBy::Correct {
            self.rewind_block(&key);
        }
        if by.is_validated() && self.validate(&key) {
            return;
        }
        let is_of_the_model = matches!(by, WriteBy::SetFields | WriteBy::Collect | WriteBy::Correct);
        if !in_tool || is_of_the_model {
            self.run_steps(Wake::Written(key));
            self.complete_if_done();
        }
    }

    /// Stores a value or says why not. Returns the name that it is stored under.
    pub(super) fn store(&mut self, wish: Write) -> Option<Name> {
        let Write { by, name, value, tool, call_id } = wish;
        let skill = self.running_skill();
        let request = WriteRequest { skill: skill.as_deref(), by, name: &name, value: &value };
        let decision = write(self.agent, self.profile, &self.state, request);
        let writer = self.writer(by.actor(), tool, call_id);
        let (asked, key, rule) = (decision.asked, decision.key, decision.rule);
        let stored = match decision.outcome {
            WriteOutcome::Refused { refusal, .. } => {
                let value = Arc::new(value);
                self.emit(EventKind::MemoryWriteRefused { asked, key, value, writer, refusal, rule });
                return None;
            }
            WriteOutcome::Stored(stored) => stored,
        };
        let key = key.unwrap_or(asked);
        if stored.is_null() {
            self.emit(EventKind::MemoryCleared { key: key.clone(), writer });
        } else {
            self.emit(EventKind::MemoryWritten { key: key.clone(), value: stored, writer });
            if split_key(&key).is_some_and(|(space, _)| space == PROJECT) {
                self.emit(EventKind::ProjectEntryLocked { key: key.clone() });
            }
        }
        self.say_what_became_true();
        Some(key)
    }

    /// Says the `when` responses of the running skill that a write made true, each once per run (M238, M239).
    fn say_what_became_true(&mut self) {
        let Some(id) = self.running_skill() else { return };
        let Some(skill) = self.skill(&id) else { return };
        for trigger in &skill.utter {
            let Some(when) = &trigger.when else { continue };
            let said = (id.clone(), trigger.response.value.clone());
            if !self.state.uttered.contains(&said)
                && gate(self.agent, self.profile, &self.state, Some(&id), when).is_open()
            {
                self.say(&trigger.response.value, UtterCause::Condition, Some(&id));
            }
        }
    }

    /// A correction clears what later collects of the block obtained after the corrected value, and the block goes on
    /// from the corrected step (M352).
    fn rewind_block(&mut self, corrected: &Name) {
        let Some((skill, block)) = self.running_block() else { return };
        let is_collect_of = |key: &Name| {
            let (_, entry) = split_key(key)?;
            block.steps.iter().position(|step| step.collected().is_some_and(|collected| *collected == entry))
        };
        let Some(place) = is_collect_of(corrected) else { return };
        let later = block.steps[place + 1..].iter().filter_map(|step| step.collected());
        let later: Vec<Name> = later.map(|entry| Name::from(format!("{skill}.{entry}"))).collect();
        for key in later {
            if key != *corrected && self.state.value(&key).is_some() {
                let writer = self.writer(Actor::Engine, None, None);
                self.emit(EventKind::MemoryCleared { key, writer });
            }
        }
        self.go_to(&skill, block, &block.steps[place].id);
    }
}
