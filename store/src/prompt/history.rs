//! The message history that a model call gets: how far back it goes, what of an event is in it, and what it leaves out
//! (M266, M267).

use std::borrow::Borrow;

use super::{Message, Role, Source};
use crate::event::{Event, EventKind, Position, ToolCaller};
use crate::name::MESSAGE_REJECTED;
use crate::value::Value;

/// How many utterances of user and agent the model gets (M266).
pub const UTTERANCE_COUNT: usize = 10;

/// Returns where the last utterances begin, with the tool calls between them, and whether that leaves any out. A cut at
/// an agent message goes back to the start of what it answers, so that its tool calls stay; the user message itself is
/// lost (M266).
pub(super) fn history_start(events: &[Event], window: usize) -> (usize, bool) {
    let mut utterances =
        (window..events.len()).rev().filter(|index| is_utterance(&events[*index], events.get(*index + 1)));
    let first = utterances.nth(UTTERANCE_COUNT - 1);
    match (first, utterances.next()) {
        (Some(first), Some(_)) if matches!(events[first].kind, EventKind::UserMessage { .. }) => (first, true),
        (Some(first), Some(_)) => (last_user_message(&events[..first], window).map_or(window, |index| index + 1), true),
        (_, None) | (None, _) => (window, false),
    }
}

/// Returns how many bytes the history of `events`, which are all up to a position, has at most.
pub fn history_at_most<E: Borrow<Event>>(mut events: impl DoubleEndedIterator<Item = (Position, E)>) -> u64 {
    let (mut utterances, mut bytes) = (0, 0);
    let mut next: Option<E> = None;
    while let Some((_, event)) = events.next_back() {
        let is_user = match &event.borrow().kind {
            EventKind::SessionStarted { .. } | EventKind::HistoryRewound { .. } => break,
            EventKind::UserMessage { text, .. } => {
                bytes += text.len();
                true
            }
            EventKind::AgentMessage { text, .. } => {
                bytes += text.len();
                false
            }
            EventKind::ToolReturned { arguments, result, error, .. } => {
                bytes += arguments.len() + result.len() + error.as_ref().map_or(0, String::len);
                false
            }
            _ => false,
        };
        utterances += usize::from(is_utterance(event.borrow(), next.as_ref().map(Borrow::borrow)));
        if is_user && utterances > UTTERANCE_COUNT {
            break;
        }
        next = Some(event);
    }
    bytes as u64
}

/// Returns what the model would get of `events`, which end where a history is cut, of the last of them: so many
/// utterances with the tool calls between them, in order. Nothing before a session start or a rewind is among it.
pub fn cut_off<E: Borrow<Event>>(
    mut events: impl DoubleEndedIterator<Item = (Position, E)>,
    utterance_count: usize,
) -> Vec<Message> {
    let mut taken: Vec<Event> = Vec::new();
    let mut first = Position(0);
    let mut utterances = 0;
    while utterances < utterance_count
        && let Some((at, event)) = events.next_back()
    {
        let event = event.borrow();
        if matches!(event.kind, EventKind::SessionStarted { .. } | EventKind::HistoryRewound { .. }) {
            break;
        }
        utterances += usize::from(is_utterance(event, taken.last()));
        taken.push(event.clone());
        first = at;
    }
    taken.reverse();
    let mut messages: Vec<Message> = (0..taken.len()).flat_map(|index| messages_of(&taken, index)).collect();
    for message in &mut messages {
        if let Source::Event { position, .. } = &mut message.origin {
            position.0 += first.0 - 1;
        }
    }
    messages
}

/// Returns what the model gets of an event. Values of `pii` entries that the user or a tool said stay in it (M260).
pub(super) fn messages_of(events: &[Event], index: usize) -> Vec<Message> {
    let origin = Source::event(Position(index as u64 + 1));
    match &events[index].kind {
        EventKind::UserMessage { .. } if events.get(index + 1).is_some_and(is_rejection) => Vec::new(),
        EventKind::UserMessage { text, .. } => {
            let words = tapped_title(events, index, text).unwrap_or(text);
            vec![Message { role: Role::User, text: words.to_owned(), tool: None, origin }]
        }
        EventKind::AgentMessage { text, .. } => {
            vec![Message { role: Role::Assistant, text: text.clone(), tool: None, origin }]
        }
        EventKind::ToolReturned { caller: ToolCaller::Confirmation, .. } => {
            // The answer to a confirmation is a call of the model's own that bears the same result (M193).
            Vec::new()
        }
        EventKind::ToolReturned { tool, arguments, result, error, .. } => {
            let told = error.as_ref().filter(|_| result.is_empty()).unwrap_or(result);
            let message = |role: Role, text: &str| Message {
                role,
                text: text.to_owned(),
                tool: Some(tool.clone()),
                origin: origin.clone(),
            };
            vec![message(Role::Assistant, arguments), message(Role::Tool, told)]
        }
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::TurnEnded
        | EventKind::SkillActivated { .. }
        | EventKind::SkillCompleted { .. }
        | EventKind::SkillCancelled { .. }
        | EventKind::SkillInterrupted { .. }
        | EventKind::SkillResumed { .. }
        | EventKind::BlockEntered { .. }
        | EventKind::BlockCompleted { .. }
        | EventKind::BlockCancelled { .. }
        | EventKind::BlockInterrupted { .. }
        | EventKind::BlockResumed { .. }
        | EventKind::MemoryWritten { .. }
        | EventKind::MemoryCleared { .. }
        | EventKind::StackPatched { .. }
        | EventKind::ActionTaken { .. }
        | EventKind::HistoryRewound { .. }
        | EventKind::SkillRefused { .. }
        | EventKind::SkillPending { .. }
        | EventKind::SkillDeferred { .. }
        | EventKind::MemoryWriteRefused { .. }
        | EventKind::MemoryReset { .. }
        | EventKind::ProjectEntryLocked { .. }
        | EventKind::StepEntered { .. }
        | EventKind::ToolCalled { .. }
        | EventKind::ToolRefused { .. }
        | EventKind::ConfirmationAsked { .. }
        | EventKind::ConfirmationAnswered { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ReadDecided { .. }
        | EventKind::Foreign { .. } => Vec::new(),
    }
}

/// Returns the title of the button whose payload the user's text is.
pub(super) fn tapped_title<'a>(events: &'a [Event], user: usize, text: &str) -> Option<&'a str> {
    if !text.starts_with("set:") {
        return None;
    }
    let said = events[..user].iter().rfind(|event| matches!(event.kind, EventKind::AgentMessage { .. }))?;
    let EventKind::AgentMessage { data, .. } = &said.kind else { return None };
    let Some(Value::List(buttons)) = data.get("buttons") else { return None };
    let button = buttons.iter().find(|button| button.get("payload").and_then(Value::as_text) == Some(text))?;
    button.get("title")?.as_text()
}

/// Returns whether the model gets an event as an utterance, given the event behind it. Words that a hook rejected are none
/// (M363).
pub(super) fn is_utterance(event: &Event, next: Option<&Event>) -> bool {
    let is_user = matches!(event.kind, EventKind::UserMessage { .. });
    matches!(event.kind, EventKind::AgentMessage { .. }) || (is_user && !next.is_some_and(is_rejection))
}

/// The mark of rejected words isn't kept; the engine's answer, which stands right behind them, tells.
fn is_rejection(event: &Event) -> bool {
    matches!(&event.kind, EventKind::AgentMessage { response: Some(response), .. } if *response == MESSAGE_REJECTED)
}

pub(super) fn last_user_message(events: &[Event], start: usize) -> Option<usize> {
    let index = events[start..].iter().rposition(|event| matches!(event.kind, EventKind::UserMessage { .. }))?;
    Some(start + index)
}
