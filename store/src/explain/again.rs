//! Whether the rules still decide what they decided when a session was recorded: each prompt is rendered again, each read
//! and command decided again, and compared with the record. A change of the engine that alters old sessions shows here.
//!
//! Only what we recorded ourselves can be held against it: of imported sessions [`findings`](super::findings) tell what
//! contradicts the rules.

use serde::Serialize;

use crate::agent::Agent;
use crate::event::{Actor, Event, EventKind, Origin, Position, ToolCall, ToolCaller, ToolOutcome};
use crate::name::Name;
use crate::replay::Session;
use crate::session::access::{Reader, Site, WriteBy, read};
use crate::session::decide::{Command, ToolReturn, Write, decide};
use crate::session::{State, evolve};
use crate::value::Value;

/// What came of deciding a session again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Again {
    /// Whether the session was recorded by us, with its agent files; nothing is compared where it wasn't.
    pub ours: bool,
    /// How many prompts were rendered again.
    pub prompts: u64,
    /// How many reads of tools were decided again.
    pub reads: u64,
    /// How many commands were decided again: user messages, writes and returns of tools.
    pub commands: u64,
    /// What came out otherwise, in order.
    pub differences: Vec<Difference>,
}

/// Something that is decided otherwise now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The event that differs, or the first one of the command.
    pub position: Position,
    /// What was recorded, in words.
    pub recorded: String,
    /// What is decided now, in words.
    pub decided: String,
}

/// Decides a session again, as far as its record tells what was asked.
pub fn decide_again(session: &Session) -> Again {
    let mut again = Again { ours: false, prompts: 0, reads: 0, commands: 0, differences: Vec::new() };
    let Some(agent) = session.agent.as_deref().filter(|_| session.is_ours()) else { return again };
    again.ours = true;
    let mut state = State::default();
    let mut running: Vec<ToolCall> = Vec::new();
    for (at, event) in session.events_after(Position(0)) {
        let found = match &event.kind {
            EventKind::PromptRendered { .. } => {
                again.prompts += 1;
                prompt(session, &state, &event)
            }
            EventKind::ReadDecided { .. } => {
                again.reads += 1;
                tool_read(session, agent, &state, &event)
            }
            kind => {
                let commands = asked(kind, &running);
                again.commands += u64::from(!commands.is_empty());
                let mut found = commands.into_iter().map(|command| events(session, agent, &state, command, at));
                // What was asked may be told by several commands: one of them has to lead to the same.
                let first = found.next().flatten();
                first.filter(|_| found.all(|other| other.is_some()))
            }
        };
        again.differences.extend(found.map(|(recorded, decided)| Difference { position: at, recorded, decided }));
        match &event.kind {
            EventKind::ToolCalled { call } => running.push(call.clone()),
            EventKind::ToolReturned { tool, call_id, .. } => {
                if let Some(place) = place_of(&running, tool, call_id.as_ref()) {
                    running.remove(place);
                }
            }
            _ => {}
        }
        evolve(&mut state, &event);
    }
    again
}

/// What was recorded and what is decided now, in words, where they differ.
type Differs = Option<(String, String)>;

fn prompt(session: &Session, state: &State, event: &Event) -> Differs {
    let EventKind::PromptRendered { digest, tools } = &event.kind else { return None };
    let prompt = session.prompt_in(state)?;
    let now = EventKind::PromptRendered { digest: prompt.digest(), tools: prompt.offered() };
    if now == event.kind {
        return None;
    }
    let names = |tools: &[Name]| tools.iter().map(|tool| tool.as_str()).collect::<Vec<_>>().join(", ");
    let words = |digest: String, tools: &[Name]| format!("prompt {digest}, tools {}", names(tools));
    Some((words(digest.short(), tools), words(prompt.digest().short(), &prompt.offered())))
}

fn tool_read(session: &Session, agent: &Agent, state: &State, event: &Event) -> Differs {
    let EventKind::ReadDecided { asked, key, gave, rule, skill, .. } = &event.kind else { return None };
    let reader = Reader { skill: skill.as_deref(), site: Site::Tool };
    let now = read(agent, session.profile.profile, state, reader, asked);
    let is_same = (&now.key, now.gave(), now.rule) == (key, *gave, *rule);
    (!is_same).then(|| {
        (format!("{asked} {} ({rule})", gave.words()), format!("{asked} {} ({})", now.gave().words(), now.rule))
    })
}

/// Returns the command that an event is the first one of, where the record tells all of it. What the user brought may be
/// words, a button or keys: all that it can have been.
fn asked(kind: &EventKind, running: &[ToolCall]) -> Vec<Command> {
    let one = match kind {
        EventKind::UserMessage { text, channel, message_id } => {
            let (text, channel, message_id) = (text.clone(), channel.clone(), message_id.clone());
            let tap = Command::TapButton { payload: text.clone(), title: None };
            let press = Command::PressKeys { keys: text.clone() };
            return vec![Command::HearUser { text, channel, message_id }, tap, press];
        }
        EventKind::ToolReturned { tool, call_id, outcome, result, error, source, .. }
            if matches!(outcome, ToolOutcome::Done | ToolOutcome::Failed) =>
        {
            place_of(running, tool, call_id.as_ref()).map(|place| {
                let (call, result, error) = (running[place].clone(), result.clone(), error.clone());
                Command::ReturnTool(ToolReturn { call, outcome: *outcome, result, error, source: *source })
            })
        }
        EventKind::MemoryWritten { key, value, writer } => write(key, Value::clone(value), writer, running),
        EventKind::MemoryCleared { key, writer } => write(key, Value::Null, writer, running),
        EventKind::MemoryWriteRefused { asked, value, writer, .. } => {
            write(asked, Value::clone(value), writer, running)
        }
        _ => None,
    };
    one.into_iter().collect()
}

fn write(name: &Name, value: Value, writer: &crate::event::Writer, running: &[ToolCall]) -> Option<Command> {
    let tool = writer.tool.clone().filter(|_| writer.actor == Actor::Tool)?;
    let call = &running[place_of(running, &tool, writer.call_id.as_ref())?];
    let by = if call.caller == ToolCaller::Validation { WriteBy::ValidationTool } else { WriteBy::Tool };
    Some(Command::Write(Write { by, name: name.clone(), value, tool: Some(tool), call_id: writer.call_id.clone() }))
}

fn place_of(running: &[ToolCall], tool: &Name, call_id: Option<&Name>) -> Option<usize> {
    running.iter().position(|call| call.tool == *tool && call.call_id.as_ref() == call_id)
}

/// Compares what a command leads to with the events from `at` on.
fn events(session: &Session, agent: &Agent, state: &State, command: Command, at: Position) -> Differs {
    let words = |kind: &EventKind| {
        let line = crate::replay::headline::of_kind(kind);
        format!("{} {}", line.kind, line.text).trim_end().to_owned()
    };
    let kinds = match decide(agent, session.profile.profile, state, command) {
        Ok(kinds) => kinds,
        Err(error) => return Some((words(&session.event(at)?.kind), format!("an error: {error}"))),
    };
    let before = Position(at.0 - 1);
    let mut recorded = session.events_after(before);
    for kind in &kinds {
        let Some((_, event)) = recorded.next() else {
            return Some(("the end of the session".to_owned(), words(kind)));
        };
        if event.kind != *kind && event.origin == Origin::Recorded {
            return Some((words(&event.kind), words(kind)));
        }
    }
    None
}
