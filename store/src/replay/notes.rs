//! What a reader of a recomputed prompt must know, because the record doesn't tell what the model really got.

use super::Session;
use super::turns::{Call, CallKind};
use crate::event::{EventKind, Position, ToolCaller};
use crate::name::DISCOVERED;
use crate::prompt::Prompt;
use crate::prompt::size::size;
use crate::prompt::tools::{ACTIVATE, SET_FIELDS};

/// A reason why the model may have got something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The rule behind it, by number.
    pub rule: &'static str,
    /// One sentence.
    pub text: String,
}

impl Session {
    /// Returns what must be known about a prompt that was recomputed for `call`, or for the position `at` alone.
    pub fn notes(&self, at: Position, call: Option<&Call>, prompt: &Prompt) -> Vec<Note> {
        let cut = self.agent.as_deref().and_then(|agent| size(agent, prompt).warning());
        let cut = cut.map(|text| Note { rule: "M269", text });
        let fill = call.filter(|call| self.may_be_fill(call)).map(|_| Note {
            rule: "M65",
            text: "this may be the engine's own call that fills in what the message before an activation said: such a call \
                   offers `set_fields` alone and its prompt is not documented, so the usual one is shown"
                .to_owned(),
        });
        [cut, fill, self.background(at)].into_iter().flatten().collect()
    }

    /// The first thing that the model did after it had started a skill was to fill in fields.
    fn may_be_fill(&self, call: &Call) -> bool {
        let is_fill = call.kind == CallKind::Answer && self.model_called(call.evidence).as_deref() == Some(SET_FIELDS);
        let Some(turn) = self.turn_at(call.evidence).filter(|_| is_fill) else { return false };
        let before = (turn.first.0..call.evidence.0).rev().find_map(|at| self.model_called(Position(at)));
        before.as_deref() == Some(ACTIVATE)
    }

    /// Returns the tool that the model called at an event.
    fn model_called(&self, at: Position) -> Option<String> {
        match &self.event(at)?.kind {
            EventKind::ToolReturned { tool, caller: ToolCaller::Model, .. } => Some(tool.to_string()),
            _ => None,
        }
    }

    /// Facts that the model found in the background: the calls left no other trace than the entry.
    fn background(&self, at: Position) -> Option<Note> {
        let state = self.state(at);
        let found = state.memory.get(DISCOVERED)?.set_at?;
        let profile = self.profile.profile;
        let text = match profile.discovers_facts() {
            true => format!(
                "at position {found} the engine stored what a call in the background found (`{DISCOVERED}`): there was \
                 such a call at each change of skill, none is listed here, and their prompts are not recorded"
            ),
            false => format!(
                "at position {found} the engine stored what a call in the background found (`{DISCOVERED}`), which \
                 {profile} no longer does: an older engine ran, see also --profile seed"
            ),
        };
        Some(Note { rule: "M64", text })
    }
}
