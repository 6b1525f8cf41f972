//! An agent from a few files, and a session with it, wish by wish.

use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::event::{Event, EventKind, Origin, ToolCall, ToolCaller, ToolOutcome, ToolSource};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::headline::headline;
use replay_store::session::access::{ReadDecision, Reader, Site, WriteBy, WriteDecision, WriteRequest, read, write};
use replay_store::session::decide::{Command, CommandError, ToolReturn, Write, decide};
use replay_store::session::{State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

/// A session with an agent.
pub(crate) struct World {
    pub(crate) agent: Agent,
    pub(crate) profile: Profile,
    pub(crate) state: State,
}

/// Loads an agent; `agent.yml` is added where it isn't among the files.
pub(crate) fn agent(profile: Profile, files: &[(&str, &str)]) -> Agent {
    let mut definition = Definition::default();
    let persona = [("agent.yml", "agent: {persona: You answer for Parcel Desk.}\n")];
    for (path, text) in persona.iter().chain(files) {
        definition.files.insert(Name::from(*path), Arc::from(text.as_bytes()));
    }
    Agent::load(Arc::new(definition), Some(profile))
}

impl World {
    /// Starts a session.
    pub(crate) fn new(profile: Profile, files: &[(&str, &str)]) -> World {
        let mut world = World { agent: agent(profile, files), profile, state: State::default() };
        world.wish(Command::StartSession { definition: None, metadata: Vec::new() });
        world
    }

    /// Starts a session without the engine's own skills.
    pub(crate) fn bare(profile: Profile, files: &[(&str, &str)]) -> World {
        let mut world = World { agent: agent(profile, files), profile, state: State::default() };
        world.agent.skills.retain(|_, skill| !skill.engine_managed);
        world.wish(Command::StartSession { definition: None, metadata: Vec::new() });
        world
    }

    /// Decides and applies; returns the events, a line each.
    pub(crate) fn wish(&mut self, command: Command) -> String {
        let events = self.try_wish(command).expect("the command makes sense");
        let lines: Vec<String> = events.iter().map(line).collect();
        lines.join("\n")
    }

    /// Decides and applies.
    pub(crate) fn try_wish(&mut self, command: Command) -> Result<Vec<EventKind>, CommandError> {
        let events = decide(&self.agent, self.profile, &self.state, command)?;
        for kind in events.iter().cloned() {
            evolve(&mut self.state, &event(kind));
        }
        Ok(events)
    }

    pub(crate) fn activate(&mut self, skill: &str) -> String {
        self.wish(Command::Activate { skill: skill.into() })
    }

    pub(crate) fn hear(&mut self, text: &str) -> String {
        self.wish(Command::HearUser { text: text.to_owned(), channel: None, message_id: None })
    }

    pub(crate) fn set(&mut self, by: WriteBy, name: &str, json: &str) -> String {
        let value = Value::from_json(json).expect("the test's JSON is valid");
        self.wish(Command::Write(Write { by, name: name.into(), value, tool: None, call_id: None }))
    }

    /// The model calls a tool of the active skill.
    pub(crate) fn call(&mut self, tool: &str) -> String {
        let call = self.call_of(tool, ToolCaller::Model);
        self.wish(Command::CallTool(call))
    }

    /// A tool of the active skill comes back; a step's where a block stands at one.
    pub(crate) fn back(&mut self, tool: &str, outcome: ToolOutcome) -> String {
        let is_step = self.state.top().is_some_and(|top| top.block.is_some());
        let call = self.call_of(tool, if is_step { ToolCaller::Step } else { ToolCaller::Model });
        let (result, source) = ("{}".to_owned(), ToolSource::Local);
        self.wish(Command::ReturnTool(ToolReturn { call, outcome, result, error: None, source }))
    }

    fn call_of(&self, tool: &str, caller: ToolCaller) -> ToolCall {
        let top = self.state.top();
        ToolCall {
            tool: tool.into(),
            arguments: "{}".to_owned(),
            caller,
            skill: top.map(|top| top.skill.clone()),
            step: top.and_then(|top| top.step.clone()),
            call_id: None,
        }
    }

    /// Decides a write without doing it.
    pub(crate) fn may_write(&self, skill: &str, by: WriteBy, name: &str, json: &str) -> WriteDecision {
        let value = Value::from_json(json).expect("the test's JSON is valid");
        write(&self.agent, self.profile, &self.state, WriteRequest { skill: Some(skill), by, name, value: &value })
    }

    /// Decides a read by a tool.
    pub(crate) fn may_read(&self, skill: &str, name: &str) -> ReadDecision {
        read(&self.agent, self.profile, &self.state, Reader { skill: Some(skill), site: Site::Tool }, name)
    }

    /// Returns the value of an entry as JSON; `null` for nothing.
    pub(crate) fn value(&self, key: &str) -> String {
        self.state.value(key).map_or_else(|| "null".to_owned(), Value::to_json)
    }

    /// Prints the stack bottom first: `hold(reference) hold/pick@ask`.
    pub(crate) fn stack(&self) -> String {
        let frame = |frame: &replay_store::session::Frame| {
            let mut text = frame.skill.to_string();
            if let Some(block) = &frame.block {
                text.push_str(&format!("/{block}"));
            }
            if let Some(step) = &frame.step {
                text.push_str(&format!("@{step}"));
            }
            match frame.parked {
                Some(parked) => format!("{text}({})", parked.word()),
                None => text,
            }
        };
        self.state.stack.iter().map(frame).collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn line(kind: &EventKind) -> String {
    let line = headline(&event(kind.clone()));
    format!("{} {}", line.kind, line.text).trim_end().to_owned()
}

pub(crate) fn event(kind: EventKind) -> Event {
    Event { time: Timestamp(0), turn: None, cause: None, origin: Origin::Recorded, kind }
}
