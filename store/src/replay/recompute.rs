//! What the record doesn't hold and the definition can tell (M312): the prompt at a position.

use std::sync::Arc;

use super::Session;
use super::outline::Mark;
use super::turns::Call;
use crate::agent::Agent;
use crate::event::{EventKind, MessageSource, Position, Tag};
use crate::prompt::history::{UTTERANCE_COUNT, cut_off};
use crate::prompt::holes::{HistoryCut, Hole, holes};
use crate::prompt::moment::{Moment, SeenTools};
use crate::prompt::{Prompt, render, rephrase};
use crate::session::State;

impl Session {
    /// Returns what a model call at `at` got, or would have got: the prompt after `at` events. `None` without a
    /// definition.
    pub fn prompt(&self, at: Position) -> Option<Prompt> {
        self.agent.as_ref()?;
        self.prompt_in(&self.state(at))
    }

    /// Returns what a model call that saw `state` got, or would have got. `None` without a definition.
    pub(crate) fn prompt_in(&self, state: &State) -> Option<Prompt> {
        let agent = self.agent.as_deref()?;
        Some(render(agent, self.profile.profile, state, &self.moment(agent, state.position)))
    }

    /// Returns what is withheld from the prompt after `at` events. `None` without a definition.
    pub fn holes(&self, at: Position) -> Option<Vec<Hole>> {
        let agent = self.agent.as_deref()?;
        let at = at.min(self.end());
        let moment = self.moment(agent, at);
        Some(holes(agent, self.profile.profile, &self.state(at), &moment))
    }

    /// Returns what the history of the prompt after `at` events leaves out; `None` where that is nothing, and without a
    /// definition.
    pub fn history_cut(&self, at: Position) -> Option<HistoryCut> {
        let agent = self.agent.as_deref()?;
        let cut = self.moment(agent, at.min(self.end())).cut?;
        let begins = |mark: Mark| matches!(mark.tag(), Tag::SessionStarted | Tag::HistoryRewound);
        let is_said = |mark: Mark| matches!(mark.tag(), Tag::UserMessage | Tag::AgentMessage);
        let begun = self.marked_back(cut, begins).next().unwrap_or_default();
        let count = self.marked_back(cut, is_said).take_while(|said| begun < *said).count() as u64;
        let would = cut_off(self.events_in(..=cut), UTTERANCE_COUNT);
        Some(HistoryCut { at: cut, count, would })
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
        Moment::at(agent, self.events_in(..=at), self.seen_tools())
    }

    /// Returns what of that decides about reads and offers.
    pub(crate) fn moment_of_decisions(&self, at: Position) -> Moment {
        Moment::of_decisions(self.events_in(..=at), self.seen_tools())
    }

    fn seen_tools(&self) -> &Arc<SeenTools> {
        // What was called later wasn't known when we rendered a prompt.
        let seen = || if self.is_ours() { SeenTools::default() } else { self.outline.seen_tools() };
        self.seen.get_or_init(|| Arc::new(seen()))
    }
}
