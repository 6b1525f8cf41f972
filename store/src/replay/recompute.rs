//! What the record doesn't hold and the definition can tell (M312): the prompt at a position.

use std::sync::Arc;

use super::Session;
use super::turns::Call;
use crate::agent::Agent;
use crate::event::{EventKind, MessageSource, Position};
use crate::prompt::holes::{Hole, holes};
use crate::prompt::moment::Moment;
use crate::prompt::{Prompt, render, rephrase};

impl Session {
    /// Returns what a model call at `at` got, or would have got: the prompt after `at` events. `None` without a
    /// definition.
    pub fn prompt(&self, at: Position) -> Option<Prompt> {
        let agent = self.agent.as_deref()?;
        let at = at.min(self.end());
        let moment = self.moment(agent, at);
        Some(render(agent, self.profile.profile, &self.state(at), &moment))
    }

    /// Returns what is withheld from the prompt after `at` events. `None` without a definition.
    pub fn holes(&self, at: Position) -> Option<Vec<Hole>> {
        let agent = self.agent.as_deref()?;
        let at = at.min(self.end());
        let moment = self.moment(agent, at);
        Some(holes(agent, self.profile.profile, &self.state(at), &moment))
    }

    /// Returns what a model call got. A response that was reworded had a prompt of its own. `None` without a definition.
    pub fn prompt_of(&self, call: &Call) -> Option<Prompt> {
        let said = self.event(call.evidence);
        let said = said.as_ref().map(|event| &event.kind);
        let Some(EventKind::AgentMessage { source: MessageSource::Rephrased, response: Some(response), .. }) = said
        else {
            return self.prompt(call.before);
        };
        let agent = self.agent.as_deref()?;
        let moment = self.moment(agent, call.before);
        Some(rephrase(agent, self.profile.profile, &self.state(call.before), &moment, response))
    }

    /// Returns what the events up to `at` tell beside the state.
    pub(crate) fn moment(&self, agent: &Agent, at: Position) -> Moment {
        let seen = self.seen.get_or_init(|| Arc::new(self.outline.seen_tools()));
        Moment::at(agent, self.events_in(..=at), seen)
    }
}
