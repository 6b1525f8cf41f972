//! One session that is being recorded: its events and state, and how more of them are appended.

use std::sync::Arc;

use super::RecordError;
use crate::agent::Agent;
use crate::event::{Event, EventKind, Origin, Position, ToolCall, ToolOutcome};
use crate::import::stream::Batch;
use crate::log::{EventLog, LogError};
use crate::name::Name;
use crate::profile::Profile;
use crate::prompt::moment::{Moment, SeenTools};
use crate::prompt::{Prompt, Tool, render};
use crate::replay::archive::{LiveSaver, Request, definition_digest, load_without_raw};
use crate::session::access::{ReadDecision, Reader, Site, read};
use crate::session::decide::{Command, decide};
use crate::session::{State, evolve};
use crate::timestamp::Timestamp;
use crate::value::Value;

/// How a session begins.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Its id.
    pub session: Name,
    /// The agent.
    pub agent: Arc<Agent>,
    /// The engine generation; `None` for the one that the agent was loaded with.
    pub profile: Option<Profile>,
    /// What the channel sends along: entries with `seed: true` get their value from it (M59).
    pub metadata: Vec<(Name, Value)>,
}

/// A session that is being recorded. There is one of each session at a time.
pub struct Conversation<'log> {
    pub(super) id: Name,
    pub(super) agent: Arc<Agent>,
    pub(super) profile: Profile,
    pub(super) state: State,
    /// The tool calls that run, in the order in which they began.
    pub(super) running: Vec<ToolCall>,
    /// The tools of the prompt that waits for its reply, or got the last one.
    pub(super) tools: Vec<Tool>,
    /// Whether a model call waits for its reply.
    pub(super) is_called: bool,
    /// The last requests of the host that were carried out, and the one that is.
    requests: Vec<Request>,
    request: Option<Name>,
    events: Vec<Event>,
    turn: Turn,
    log: &'log EventLog,
    saver: LiveSaver<'log>,
}

/// Where the numbers of turns stand.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// The last turn that began, from 1.
    number: u32,
    is_open: bool,
    /// The last message of the user.
    user: Option<Position>,
}

impl<'log> Conversation<'log> {
    /// Begins a session: memory is empty but for initial values, what the metadata seeds is written, and the start skill runs.
    ///
    /// # Errors
    ///
    /// Fails where the log holds a session of that name, and as the log does.
    pub fn start(log: &'log EventLog, begin: Begin, time: Timestamp) -> Result<Conversation<'log>, RecordError> {
        Conversation::start_for(log, begin, None, time)
    }

    /// Does as [`Conversation::start`], for a request of the host that has a name.
    ///
    /// # Errors
    ///
    /// Fails as [`Conversation::start`] does.
    pub fn start_for(
        log: &'log EventLog,
        begin: Begin,
        request: Option<Name>,
        time: Timestamp,
    ) -> Result<Conversation<'log>, RecordError> {
        if log.counts(&begin.session).is_some() {
            return Err(RecordError::Exists(begin.session));
        }
        let Begin { session, agent, profile, metadata } = begin;
        let mut conversation = Conversation::empty(log, session, agent, profile);
        conversation.request = request;
        let definition = Some(conversation.agent.definition.digest());
        conversation.apply(Command::StartSession { definition, metadata }, time)?;
        Ok(conversation)
    }

    /// Goes on with a session that was recorded before, from where the log ends.
    ///
    /// # Errors
    ///
    /// Fails where the log has no such session, where it was imported or ran with other files of the agent, and as the log does.
    pub fn resume(log: &'log EventLog, session: Name, agent: Arc<Agent>) -> Result<Conversation<'log>, RecordError> {
        let reader = log.log()?;
        let there = reader.session(&session)?;
        let recording = load_without_raw(&reader, &session)?;
        let not_ours = |why: &str| RecordError::NotOurs { session: session.clone(), why: why.to_owned() };
        if recording.events.iter().any(|event| event.origin != Origin::Recorded) {
            return Err(not_ours("its events were imported"));
        }
        if definition_digest(&reader, &there)? != Some(agent.definition.digest()) {
            return Err(not_ours("it ran with other files of the agent; record a new session"));
        }
        let mut conversation = Conversation::empty(log, session, agent, recording.profile);
        conversation.requests = conversation.saver.go_on(&conversation.id)?;
        recording.events.into_iter().for_each(|event| conversation.take(event));
        Ok(conversation)
    }

    fn empty(log: &'log EventLog, id: Name, agent: Arc<Agent>, profile: Option<Profile>) -> Conversation<'log> {
        let profile = profile.unwrap_or(agent.profile.profile);
        Conversation {
            id,
            agent,
            profile,
            state: State::default(),
            running: Vec::new(),
            tools: Vec::new(),
            is_called: false,
            requests: Vec::new(),
            request: None,
            events: Vec::new(),
            turn: Turn::default(),
            log,
            saver: LiveSaver::new(log),
        }
    }

    /// Returns the session's id.
    pub fn id(&self) -> &Name {
        &self.id
    }

    /// Returns the state after all events.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the engine generation.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Names the request of the host that the next command carries out. With its events the log keeps that it was: asked
    /// for again, it is found by [`Conversation::carried_out`], and not done again.
    pub fn begin_request(&mut self, id: Option<Name>) {
        self.request = id;
    }

    /// Returns where the events of a request are, if it was carried out, before a crash or after.
    pub fn carried_out(&self, id: &str) -> Option<&Request> {
        self.requests.iter().rev().find(|request| request.id == *id)
    }

    /// Returns the state at a position that was passed, and the prompt that a call got there.
    pub fn prompt_at(&self, at: Position) -> Prompt {
        let (state, events) = self.state_at(at);
        let numbered = events.iter().enumerate().map(|(index, event)| (Position(index as u64 + 1), event));
        let moment = Moment::at(&self.agent, numbered, &Arc::new(SeenTools::default()));
        render(&self.agent, self.profile, &state, &moment)
    }

    /// Returns the read of a name by a tool at a position that was passed.
    pub fn read_at(&self, at: Position, name: &str) -> ReadDecision {
        let (state, _) = self.state_at(at);
        let reader = Reader { skill: state.active_skill().map(Name::as_str), site: Site::Tool };
        read(&self.agent, self.profile, &state, reader, name)
    }

    fn state_at(&self, at: Position) -> (State, &[Event]) {
        let events = &self.events[..self.events.len().min(at.0 as usize)];
        let mut state = State::default();
        events.iter().for_each(|event| evolve(&mut state, event));
        (state, events)
    }

    /// Returns the events behind a position, in order.
    pub fn events_after(&self, at: Position) -> &[Event] {
        self.events.get(at.0 as usize..).unwrap_or_default()
    }

    /// Returns the tool calls that the host has to run: each was decided to run and hasn't returned.
    pub fn running(&self) -> &[ToolCall] {
        &self.running
    }

    /// Returns whether a turn of the agent is going on.
    pub fn is_in_turn(&self) -> bool {
        self.turn.is_open
    }

    /// Carries out what the user, a step or the host wants, and returns its events.
    ///
    /// # Errors
    ///
    /// Fails where the command makes no sense now, and as the log does.
    pub fn apply(&mut self, command: Command, time: Timestamp) -> Result<&[Event], RecordError> {
        let waits = match &command {
            Command::HearUser { .. }
            | Command::TapButton { .. }
            | Command::PressKeys { .. }
            | Command::EndTurn
            | Command::EndSession => true,
            Command::StartSession { .. }
            | Command::CancelTurn
            | Command::Activate { .. }
            | Command::Delegate { .. }
            | Command::Call { .. }
            | Command::EnterBlock { .. }
            | Command::EndBlock
            | Command::Complete
            | Command::CompleteJudged { .. }
            | Command::Decline { .. }
            | Command::Cancel
            | Command::AnswerResume(_)
            | Command::Write(_)
            | Command::CallTool(_)
            | Command::ReturnTool(_)
            | Command::AnswerConfirmation(_) => false,
        };
        if waits {
            self.check_idle()?;
        }
        let kinds = decide(&self.agent, self.profile, &self.state, command)?;
        self.append(kinds, time)
    }

    /// Fails while a tool runs.
    pub(super) fn check_idle(&self) -> Result<(), RecordError> {
        match self.running.first() {
            Some(call) => Err(RecordError::ToolRuns { tool: call.tool.clone() }),
            None => Ok(()),
        }
    }

    /// Appends what was decided. The state changes once the log has it.
    pub(super) fn append(&mut self, kinds: Vec<EventKind>, time: Timestamp) -> Result<&[Event], RecordError> {
        let before = self.state.position;
        let mut turn = self.turn;
        let events: Vec<Event> =
            (before.0 + 1..).zip(kinds).map(|(at, kind)| turn.event(Position(at), kind, time)).collect();
        if events.is_empty() {
            return Ok(&[]);
        }
        // There is one writer of a session; what somebody else appended would have been decided on another state.
        let there = self.log.counts(&self.id).map_or(0, |(events, _)| events);
        if there != before.0 {
            let (session, expected) = (self.id.clone(), before.0);
            return Err(LogError::Conflict { session, expected, actual: there }.into());
        }
        let is_first = before.0 == 0;
        let batch = Batch {
            session: self.id.clone(),
            events: events.clone(),
            profile: is_first.then_some(self.profile),
            definition: is_first.then(|| self.agent.definition.as_ref().clone()),
            ..Batch::default()
        };
        let request =
            self.request.take().map(|id| Request { id, before, after: Position(before.0 + batch.events.len() as u64) });
        self.saver.add_for(&batch, request.clone())?;
        self.requests.extend(request);
        events.into_iter().for_each(|event| self.take(event));
        Ok(self.events_after(before))
    }

    /// Applies to a copy of the state what is decided and not appended yet.
    pub(super) fn foresee(&self, state: &mut State, kinds: &[EventKind], time: Timestamp) {
        let mut turn = self.turn;
        for kind in kinds {
            let at = Position(state.position.0 + 1);
            evolve(state, &turn.event(at, kind.clone(), time));
        }
    }

    /// Takes an event in that the log has.
    fn take(&mut self, event: Event) {
        evolve(&mut self.state, &event);
        self.turn.pass(self.state.position, &event);
        match &event.kind {
            EventKind::ToolCalled { call } => self.running.push(call.clone()),
            EventKind::ToolReturned { tool, call_id, outcome, .. } if *outcome != ToolOutcome::AwaitingConfirmation => {
                if let Some(place) = self.place_of(tool, call_id.as_ref()) {
                    self.running.remove(place);
                }
            }
            // Tools that run leave nothing behind a turn that was given up (M365). One that ends with a question is none.
            EventKind::TurnEnded if !self.state.is_asked => {
                self.running.clear();
                self.is_called = false;
            }
            EventKind::PromptRendered { .. } => self.is_called = true,
            EventKind::ModelReplied { .. } => self.is_called = false,
            _ => {}
        }
        self.events.push(event);
    }

    /// Returns where among the running calls that of a tool is: the one of this id, or the first.
    pub(super) fn place_of(&self, tool: &str, call_id: Option<&Name>) -> Option<usize> {
        self.running
            .iter()
            .position(|call| *call.tool == *tool && (call_id.is_none() || call.call_id.as_ref() == call_id))
    }

    /// Returns what the events tell beside the state.
    pub(super) fn moment(&self) -> Moment {
        let seen = Arc::new(SeenTools::default());
        let numbered = self.events.iter().enumerate().map(|(index, event)| (Position(index as u64 + 1), event));
        Moment::at(&self.agent, numbered, &seen)
    }
}

impl Turn {
    /// Returns an event with its envelope. A write between turns belongs to none.
    fn event(&mut self, at: Position, kind: EventKind, time: Timestamp) -> Event {
        if !self.is_open && !is_write(&kind) {
            self.number += 1;
            self.is_open = true;
        }
        let turn = self.is_open.then_some(self.number);
        let event = Event { time, turn, cause: self.user, origin: Origin::Recorded, kind };
        self.pass(at, &event);
        event
    }

    /// Goes on behind an event.
    fn pass(&mut self, at: Position, event: &Event) {
        if let Some(number) = event.turn {
            (self.number, self.is_open) = (number, true);
        }
        match &event.kind {
            EventKind::TurnEnded => self.is_open = false,
            EventKind::UserMessage { .. } => self.user = Some(at),
            EventKind::SessionStarted { .. } => self.user = None,
            _ => {}
        }
    }
}

fn is_write(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::MemoryWritten { .. }
            | EventKind::MemoryCleared { .. }
            | EventKind::MemoryReset { .. }
            | EventKind::MemoryWriteRefused { .. }
            | EventKind::ProjectEntryLocked { .. }
    )
}
