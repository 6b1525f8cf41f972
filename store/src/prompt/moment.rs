//! What the events up to a position tell beside the state: clock, channel, messages, and what happened in this turn.
//!
//! Only as many events are read as the message history needs, so that a moment late in a long session costs no more
//! than an early one.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::history::{UTTERANCE_COUNT, history_start, is_utterance, last_user_message, messages_of, tapped_title};
use super::skipped::{self, Skipped};
use super::{Message, Source};
use crate::agent::Agent;
use crate::event::{Event, EventKind, MessageSource, Position, ToolCaller, ToolOutcome};
use crate::name::{Name, SYSTEM, split_key};
use crate::timestamp::Timestamp;

/// What the events up to a position tell beside the state.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Moment {
    /// The time of the last event and its position. The engine's own clock isn't recorded.
    pub clock: Option<(Timestamp, Position)>,
    /// How the user and the agent talk.
    pub channel: Channel,
    /// How many model calls of this agent turn have left a trace.
    pub calls: u32,
    /// The message history: the last utterances with the tool calls between them (M266, M267).
    pub history: Vec<Message>,
    /// The last event that the history leaves out because it holds no more utterances; `None` where it is whole (M266).
    pub cut: Option<Position>,
    /// The last search of this turn (M245).
    pub searched: Option<Position>,
    /// The last canned response since the last user message (M268).
    pub canned: Option<Position>,
    /// Collects that were passed over since the last user message, because their entry had a value (M173).
    pub skipped: Vec<Skipped>,
    /// A correction that has just cleared later values (M352).
    pub corrected: Option<Position>,
    /// The last user message was a tap that stored a value: the message's position.
    pub tapped: Option<Position>,
    /// The agent asked in this turn and has said nothing in its own words since (M354).
    pub asked: bool,
    /// The tools that the record names.
    pub seen: Arc<SeenTools>,
}

/// How the user and the agent talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Channel {
    /// In writing.
    #[default]
    Text,
    /// By voice.
    Voice,
}

/// The tools that a record names, by the skill they were called in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SeenTools {
    tools: BTreeMap<Name, BTreeSet<Name>>,
}

impl SeenTools {
    /// Collects the tools of all `events` of a session, so that a folder without tool code still shows what exists.
    pub fn of(events: impl IntoIterator<Item = impl Borrow<Event>>) -> SeenTools {
        let mut tools: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for event in events {
            if let EventKind::ToolReturned { tool, skill: Some(skill), .. } = &event.borrow().kind {
                let of_skill = tools.entry(skill.clone()).or_default();
                if !of_skill.contains(tool) {
                    of_skill.insert(tool.clone());
                }
            }
        }
        SeenTools { tools }
    }

    /// Takes skills, each with a tool that was called in it.
    pub fn of_pairs(pairs: impl IntoIterator<Item = (Name, Name)>) -> SeenTools {
        let mut tools: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for (skill, tool) in pairs {
            tools.entry(skill).or_default().insert(tool);
        }
        SeenTools { tools }
    }

    /// Returns the tools that were called while `skill` was active, by name.
    pub fn in_skill(&self, skill: &str) -> impl Iterator<Item = &Name> {
        self.tools.get(skill).into_iter().flatten()
    }

    /// Returns whether the tool was called in any skill.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.values().any(|tools| tools.contains(tool))
    }
}

impl Moment {
    /// Returns what `events`, which are all events up to the position, tell. They are read from the last one back, and
    /// no farther than is needed.
    pub fn at<E: Borrow<Event>>(
        agent: &Agent,
        events: impl DoubleEndedIterator<Item = (Position, E)>,
        seen: &Arc<SeenTools>,
    ) -> Moment {
        let window = Window::of(events);
        let mut moment = Moment::within(agent, &window.events, window.start, seen);
        moment.shift(window.before);
        moment
    }

    /// Returns what decides which entries are read and which skills and tools are offered: channel, search, question, and
    /// the tools that the record names; all else is empty. `events` are as in [`Moment::at`]. No more of them are looked
    /// at than since the last user message, and none is copied, so that it can be asked for at every call of a long
    /// session.
    pub fn of_decisions<E: Borrow<Event>>(
        mut events: impl DoubleEndedIterator<Item = (Position, E)>,
        seen: &Arc<SeenTools>,
    ) -> Moment {
        let mut moment = Moment { seen: Arc::clone(seen), ..Moment::default() };
        let mut in_turn = true;
        let mut has_spoken = false;
        // What was asked in an earlier turn counts only where the user said nothing since.
        let mut asked_before = false;
        while let Some((at, event)) = events.next_back() {
            let event = event.borrow();
            match &event.kind {
                EventKind::SessionStarted { .. } | EventKind::HistoryRewound { .. } => break,
                EventKind::UserMessage { .. } => {
                    moment.channel = channel_of(event);
                    moment.asked |= asked_before;
                    break;
                }
                EventKind::TurnEnded => in_turn = false,
                EventKind::AgentMessage { .. } if !has_spoken => {
                    has_spoken = true;
                    let asked = if in_turn { &mut moment.asked } else { &mut asked_before };
                    *asked = is_canned(event);
                }
                EventKind::ToolReturned { .. }
                    if in_turn && moment.searched.is_none() && is_tool(event, SEARCH_KNOWLEDGE) =>
                {
                    moment.searched = Some(at);
                }
                _ => {}
            }
        }
        moment
    }

    /// Returns what `events` tell, of which those from `start` on are asked for, with positions counted from the first of
    /// them.
    fn within(agent: &Agent, events: &[Event], start: usize, seen: &Arc<SeenTools>) -> Moment {
        let user = last_user_message(events, start);
        let turn = Span { events, start: turn_start(events, start) };
        let since_user = Span { events, start: user.map_or(turn.start, |index| index + 1) };
        let since_both = Span { events, start: turn.start.max(since_user.start) };
        let (kept, is_cut) = history_start(events, start);
        Moment {
            clock: events.last().map(|event| (event.time, position(events.len() - 1))),
            channel: user.map(|index| channel_of(&events[index])).unwrap_or_default(),
            calls: count_calls(&events[turn.start..]),
            history: (kept..events.len()).flat_map(|index| messages_of(events, index)).collect(),
            cut: is_cut.then_some(Position(kept as u64)),
            searched: since_both.last(|event| is_tool(event, SEARCH_KNOWLEDGE)),
            canned: since_user.last(is_canned),
            skipped: skipped::skipped(agent, events, since_user.start),
            corrected: corrected(&since_both),
            tapped: user.filter(|index| tapped(events, *index)).map(position),
            asked: asked(&since_user),
            seen: Arc::clone(seen),
        }
    }

    /// Moves all positions on.
    fn shift(&mut self, by: u64) {
        let Moment {
            clock,
            channel: _,
            calls: _,
            history,
            cut,
            searched,
            canned,
            skipped,
            corrected,
            tapped,
            asked: _,
            seen: _,
        } = self;
        let history = history.iter_mut().filter_map(|message| match &mut message.origin {
            Source::Event { position, .. } => Some(position),
            Source::Builtin | Source::File { .. } => None,
        });
        let skipped = skipped.iter_mut().map(|skipped| &mut skipped.at);
        let clock = clock.iter_mut().map(|(_, at)| at);
        let places = [cut, searched, canned, corrected, tapped].into_iter().flatten();
        history.chain(skipped).chain(clock).chain(places).for_each(|at| at.0 += by);
    }

    /// Whether the next model call is the first of its agent turn (M246).
    pub fn is_first_call(&self) -> bool {
        self.calls == 0
    }
}

/// The tool that searches the knowledge (6.5).
pub(super) const SEARCH_KNOWLEDGE: &str = "search_knowledge";
/// The tool that changes an earlier value (M352).
pub const CORRECT: &str = "correct";

/// The events of a session from an index on.
struct Span<'a> {
    events: &'a [Event],
    start: usize,
}

impl Span<'_> {
    fn last(&self, wanted: impl Fn(&Event) -> bool) -> Option<Position> {
        let index = self.events[self.start..].iter().rposition(wanted)?;
        Some(position(self.start + index))
    }
}

fn position(index: usize) -> Position {
    Position(index as u64 + 1)
}

/// The last events, as many as matter. They begin after the last session start or rewind, or with a user message that
/// has more utterances and a turn's end behind it than the history holds.
struct Window {
    /// What stands farther back and is asked for all the same, then the events of the window.
    events: Vec<Event>,
    /// Where the window begins among them.
    start: usize,
    /// How many events of the session aren't among them.
    before: u64,
}

impl Window {
    fn of<E: Borrow<Event>>(mut all: impl DoubleEndedIterator<Item = (Position, E)>) -> Window {
        let mut events: Vec<Event> = Vec::new();
        let mut before = 0;
        let mut utterances = 0;
        let mut has_turn_end = false;
        while let Some((at, event)) = all.next_back() {
            let event = event.borrow();
            if matches!(event.kind, EventKind::SessionStarted { .. } | EventKind::HistoryRewound { .. }) {
                before = at.0;
                break;
            }
            utterances += usize::from(is_utterance(event, events.last()));
            events.push(event.clone());
            has_turn_end |= matches!(event.kind, EventKind::TurnEnded);
            let is_user = matches!(event.kind, EventKind::UserMessage { .. });
            if is_user && has_turn_end && utterances > UTTERANCE_COUNT {
                before = at.0 - 1;
                break;
            }
        }
        let lead = lead(&events, all);
        let start = lead.len();
        events.extend(lead);
        events.reverse();
        Window { events, start, before: before - start as u64 }
    }
}

/// Returns what is asked for of the events before the window, the newest first: the message whose button is tapped where
/// the window begins, and the stack before the window's first one.
fn lead<E: Borrow<Event>>(window: &[Event], mut before: impl DoubleEndedIterator<Item = (Position, E)>) -> Vec<Event> {
    let is_said = |event: &&Event| matches!(event.kind, EventKind::AgentMessage { .. });
    let is_tap = |event: &Event| matches!(&event.kind, EventKind::UserMessage { text, .. } if text.starts_with("set:"));
    let mut wants_message = window.iter().rev().take_while(|event| !is_said(event)).any(is_tap);
    let mut wants_stack = window.iter().any(|event| skipped::frames(event).is_some());
    let mut found = Vec::new();
    while (wants_message || wants_stack)
        && let Some((_, event)) = before.next_back()
    {
        let event = event.borrow();
        let is_message = wants_message && is_said(&event);
        let is_stack = wants_stack && skipped::frames(event).is_some();
        wants_message &= !is_message;
        wants_stack &= !is_stack;
        if is_message || is_stack {
            found.push(event.clone());
        }
    }
    found
}

/// The first event of the agent turn that is going on, or about to begin: the one after the last turn's end.
fn turn_start(events: &[Event], start: usize) -> usize {
    let end = events[start..].iter().rposition(|event| matches!(event.kind, EventKind::TurnEnded));
    end.map_or(start, |index| start + index + 1)
}

/// Channels on which the engine speaks. Every other one is text.
const VOICE_CHANNELS: [&str; 9] = [
    "audiocodes",
    "audiocodes_stream",
    "browser_audio",
    "genesys",
    "jambonz",
    "jambonz_stream",
    "twilio_media_streams",
    "twilio_voice",
    "vier_cvg",
];

fn channel_of(event: &Event) -> Channel {
    let speaks = matches!(
        &event.kind,
        EventKind::UserMessage { channel: Some(channel), .. } if VOICE_CHANNELS.contains(&channel.as_str())
    );
    if speaks { Channel::Voice } else { Channel::Text }
}

/// Counts the calls that left a trace: a new number in front of the dash of a batch id, or the model's own words with
/// the time they took.
fn count_calls(turn: &[Event]) -> u32 {
    let mut calls = 0;
    let mut last_batch = None;
    for event in turn {
        if let EventKind::ToolReturned { batch_id: Some(batch), .. } = &event.kind {
            let number = batch.split('-').next();
            calls += u32::from(last_batch != number);
            last_batch = number;
        }
        if let EventKind::AgentMessage { source, model_millis, response, .. } = &event.kind {
            let spoke = *source == MessageSource::Model && model_millis.is_some();
            let failed = response.as_ref().is_some_and(|response| response == MODEL_CALL_ERROR);
            calls += u32::from(spoke || failed);
        }
    }
    calls
}

/// The response that says that the model could not be reached (M273).
const MODEL_CALL_ERROR: &str = "utter_model_call_error";

fn is_tool(event: &Event, name: &str) -> bool {
    matches!(&event.kind, EventKind::ToolReturned { tool, .. } if tool == name)
}

fn is_canned(event: &Event) -> bool {
    let EventKind::AgentMessage { source, .. } = &event.kind else { return false };
    match source {
        MessageSource::Template | MessageSource::Rephrased => true,
        MessageSource::Model | MessageSource::Filler | MessageSource::ToolCode | MessageSource::Unknown => false,
    }
}

/// A correction is the last thing that the model did, and it cleared something: effects stand before their tool.
fn corrected(turn: &Span<'_>) -> Option<Position> {
    let events = &turn.events[turn.start..];
    let called = |event: &Event| matches!(event.kind, EventKind::ToolReturned { caller: ToolCaller::Model, .. });
    let last = events.iter().rposition(called)?;
    let done = matches!(
        &events[last].kind,
        EventKind::ToolReturned { tool, outcome: ToolOutcome::Done, .. } if tool == CORRECT
    );
    let before = events[..last].iter().rposition(called).map_or(0, |index| index + 1);
    let cleared = events[before..last].iter().any(|event| {
        matches!(&event.kind, EventKind::MemoryCleared { key, .. } if split_key(key).is_some_and(|(space, _)| space != SYSTEM))
    });
    (done && cleared).then(|| position(turn.start + last))
}

/// The question of a collect is a canned response; anything that the model says after it ends the wait.
fn asked(turn: &Span<'_>) -> bool {
    let last = turn.events[turn.start..].iter().rfind(|event| matches!(event.kind, EventKind::AgentMessage { .. }));
    last.is_some_and(is_canned)
}

/// A tap is a payload of the latest agent message; it stored something if its entry was written right after (M233).
fn tapped(events: &[Event], user: usize) -> bool {
    let EventKind::UserMessage { text, .. } = &events[user].kind else { return false };
    let target = text.strip_prefix("set:session.").and_then(|rest| rest.split('=').next());
    tapped_title(events, user, text).is_some()
        && events[user..]
            .iter()
            .any(|event| matches!(&event.kind, EventKind::MemoryWritten { key, .. } if target == Some(key.as_str())))
}
