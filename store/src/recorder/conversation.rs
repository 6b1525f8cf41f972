//! One session that is being recorded: its events and state, and how more of them are appended.

use std::sync::Arc;

use super::RecordError;
use crate::agent::Agent;
use crate::event::{Event, EventKind, Origin, Position, ToolCall, ToolOutcome};
use crate::import::stream::Batch;
use crate::log::{EventLog, LogError};
use crate::name::Name;
use crate::profile::Profile;
use crate::prompt::Tool;
use crate::prompt::moment::{Moment, SeenTools};
use crate::replay::archive::{Carried, LiveSaver, Terms, definition_digest, load_without_raw};
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
    events: Vec<Event>,
    turn: Turn,
    log: &'log EventLog,
    saver: LiveSaver<'log>,
    /// Holds for what is appended next.
    terms: Terms,
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
        Conversation::start_under(Terms::default(), log, begin, time)
    }

    /// Begins a session under terms.
    ///
    /// # Errors
    ///
    /// Fails as [`Conversation::start`] does.
    pub fn start_under(
        terms: Terms,
        log: &'log EventLog,
        begin: Begin,
        time: Timestamp,
    ) -> Result<Conversation<'log>, RecordError> {
        if log.counts(&begin.session).is_some() {
            return Err(RecordError::Exists(begin.session));
        }
        let Begin { session, agent, profile, metadata } = begin;
        let mut conversation = Conversation::empty(log, session, agent, profile);
        let definition = Some(conversation.agent.definition.digest());
        let command = Command::StartSession { definition, metadata };
        conversation.under(terms, |conversation| conversation.apply(command, time).map(|_| ()))?;
        Ok(conversation)
    }

    /// Goes on with a session that was recorded before, from where the log ends.
    ///
    /// # Errors
    ///
    /// Fails where the log has no such session, where it was imported or ran with other files of the agent, and as the log does.
    pub fn resume(log: &'log EventLog, session: Name, agent: Arc<Agent>) -> Result<Conversation<'log>, RecordError> {
        // What isn't durable yet can't be read.
        log.sync()?;
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
        conversation.saver.go_on(&conversation.id)?;
        recording.events.into_iter().for_each(|event| conversation.take(event));
        conversation.tools = conversation.tools_of_last_prompt();
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
            events: Vec::new(),
            turn: Turn::default(),
            log,
            saver: LiveSaver::new(log),
            terms: Terms::default(),
        }
    }

    /// Does some work under terms: what it appends notes the request that it carries out, and is durable when they say.
    /// It appends once at most.
    ///
    /// # Errors
    ///
    /// Fails as the work and the log do; then the request isn't noted.
    pub fn under<T>(
        &mut self,
        terms: Terms,
        work: impl FnOnce(&mut Conversation<'log>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        self.terms = terms;
        let done = work(self).and_then(|done| {
            // What led to no event was carried out all the same.
            if self.terms.request.is_some() {
                self.save(&[])?;
            }
            Ok(done)
        });
        self.terms = Terms::default();
        done
    }

    /// Returns a request that was carried out, if it is one of the last of the session.
    pub fn carried(&self, request_id: &str) -> Option<&Carried> {
        self.saver.carried(&self.id, request_id)
    }

    /// Looks at the conversation as it was at a position.
    pub fn look_back<T>(&self, at: Position, look: impl FnOnce(&Conversation<'log>) -> T) -> T {
        let mut past = Conversation::empty(self.log, self.id.clone(), Arc::clone(&self.agent), Some(self.profile));
        self.events.iter().take(at.0 as usize).for_each(|event| past.take(event.clone()));
        look(&past)
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
        self.save(&events)?;
        events.into_iter().for_each(|event| self.take(event));
        Ok(self.events_after(before))
    }

    /// Has the log append events, and note the request that they carry out.
    fn save(&mut self, events: &[Event]) -> Result<(), RecordError> {
        let before = self.state.position;
        // There is one writer of a session; what somebody else appended would have been decided on another state.
        let there = self.log.counts(&self.id).map_or(0, |(events, _)| events);
        if there != before.0 {
            let (session, expected) = (self.id.clone(), before.0);
            return Err(LogError::Conflict { session, expected, actual: there }.into());
        }
        let is_first = before.0 == 0;
        let batch = Batch {
            session: self.id.clone(),
            events: events.to_vec(),
            profile: is_first.then_some(self.profile),
            definition: is_first.then(|| self.agent.definition.as_ref().clone()),
            ..Batch::default()
        };
        let terms = Terms { request: self.terms.request.take(), ..self.terms };
        self.saver.add_under(&batch, &terms)?;
        Ok(())
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

    /// Returns the tools of the last prompt.
    fn tools_of_last_prompt(&self) -> Vec<Tool> {
        let is_prompt = |event: &Event| matches!(event.kind, EventKind::PromptRendered { .. });
        match self.events.iter().rposition(is_prompt) {
            Some(before) => self.look_back(Position(before as u64), |past| past.prompt().tools),
            None => Vec::new(),
        }
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
