//! A decision in the making: the events so far, and the state after them.

use crate::agent::Agent;
use crate::agent::skill::Skill;
use crate::event::{Actor, Event, EventKind, MessageSource, Origin, UtterCause, Writer};
use crate::name::{AUTONOMOUS, Name};
use crate::profile::Profile;
use crate::session::response::speak;
use crate::session::{Frame, Parked, State, evolve};
use crate::timestamp::Timestamp;
use crate::value::Value;

/// How many starts and steps one command may lead to: a block can send itself round in circles (M271).
const MOST_MOVES: u32 = 256;

/// The events so far, and the state after them.
pub(super) struct Draft<'a> {
    pub(super) agent: &'a Agent,
    pub(super) profile: Profile,
    pub(super) state: State,
    pub(super) events: Vec<EventKind>,
    moves_left: u32,
}

impl<'a> Draft<'a> {
    pub(super) fn new(agent: &'a Agent, profile: Profile, state: State) -> Draft<'a> {
        Draft { agent, profile, state, events: Vec::new(), moves_left: MOST_MOVES }
    }

    /// Adds an event and applies it.
    pub(super) fn emit(&mut self, kind: EventKind) {
        let turn = self.state.turn;
        let event = Event { time: Timestamp(0), turn, cause: None, origin: Origin::Recorded, kind };
        evolve(&mut self.state, &event);
        self.events.push(event.kind);
    }

    /// Counts a start or a step; false when there were too many.
    pub(super) fn may_move(&mut self) -> bool {
        self.moves_left = self.moves_left.saturating_sub(1);
        self.moves_left > 0
    }

    /// Returns the frame that runs: the one on top, unless it is parked.
    pub(super) fn running(&self) -> Option<&Frame> {
        self.state.top().filter(|top| top.parked.is_none())
    }

    /// Returns the skill that runs.
    pub(super) fn running_skill(&self) -> Option<Name> {
        self.running().map(|frame| frame.skill.clone())
    }

    /// Returns the parked skill that the user is asked about: it lies on top, or beneath the resume question.
    pub(super) fn offered(&self) -> Option<Name> {
        let question = |frame: &&Frame| frame.skill == super::ending::CONTINUE_INTERRUPTED && frame.parked.is_none();
        let asks = self.state.top().filter(question).is_some();
        let mut below = self.state.stack.iter().rev();
        let top = below.find(|frame| !asks || frame.skill != super::ending::CONTINUE_INTERRUPTED);
        top.filter(|frame| frame.parked == Some(Parked::Digression)).map(|frame| frame.skill.clone())
    }

    /// Returns a skill of the agent.
    pub(super) fn skill(&self, id: &str) -> Option<&'a Skill> {
        self.agent.skills.get(id)
    }

    /// Returns where a skill stands, as events name it: the step of its topmost block, or prose.
    pub(super) fn step_of(&self, skill: &Name) -> Option<Name> {
        let frame = self.state.stack.iter().rev().find(|frame| frame.skill == *skill)?;
        match frame.block {
            Some(_) => frame.step.clone(),
            None => Some(Name::from(AUTONOMOUS)),
        }
    }

    /// Returns a writer in the present situation.
    pub(super) fn writer(&self, actor: Actor, tool: Option<Name>, call_id: Option<Name>) -> Writer {
        let skill = self.running_skill();
        let step = skill.as_ref().and_then(|skill| self.step_of(skill));
        let frame = self.running().and_then(|frame| frame.frame.clone());
        Writer { tool, skill, step, frame, call_id, ..Writer::only(actor) }
    }

    /// Says a response, word for word.
    pub(super) fn say(&mut self, response: &Name, why: UtterCause, skill: Option<&Name>) {
        let spoken = speak(self.agent, self.profile, &self.state, response);
        let button = |button: &crate::session::response::SpokenButton| {
            Value::Map(vec![
                ("title".to_owned(), Value::Text(button.title.clone())),
                ("payload".to_owned(), Value::Text(button.payload.clone())),
            ])
        };
        let buttons: Vec<Value> = spoken.buttons.iter().map(button).collect();
        let data = match buttons.is_empty() {
            true => Value::Null,
            false => Value::Map(vec![("buttons".to_owned(), Value::List(buttons))]),
        };
        let text = spoken.text;
        self.emit(EventKind::ResponseUttered { response: response.clone(), why, skill: skill.cloned() });
        self.emit(EventKind::AgentMessage {
            text,
            source: MessageSource::Template,
            response: Some(response.clone()),
            model_millis: None,
            data: data.into(),
        });
    }

    /// Says a packaged response, where the agent has it.
    pub(super) fn say_packaged(&mut self, response: &str, why: UtterCause, skill: Option<&Name>) {
        if let Some(known) = self.agent.responses.get(response) {
            self.say(&known.name, why, skill);
        }
    }
}
