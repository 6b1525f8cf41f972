//! What the recorder answers.

use std::collections::BTreeMap;

use replay_store::event::{Event, EventKind, Position, ToolCall};
use replay_store::explain::read::answer_of;
use replay_store::explain::why::Answer as ReadAnswer;
use replay_store::name::Name;
use replay_store::prompt::{Prompt, Tool};
use replay_store::recorder::{CallAnswer, Conversation};
use replay_store::rule::Rule;
use replay_store::session::access::ReadDecision;
use replay_store::value::Value;
use serde::Serialize;

use crate::commands::show::{EventAnswer, FrameAnswer, frame};

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Reply {
    /// The id of the request.
    pub(crate) id: serde_json::Value,
    /// Whether it was carried out. A refusal by a rule is carried out, too.
    pub(crate) ok: bool,
    /// Whether what it tells is durable by now; only where it was carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) durable: Option<bool>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Problem>,
    /// What came of it.
    #[serde(flatten)]
    pub(crate) done: Option<serde_json::Value>,
}

/// Why a request was not carried out.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    /// `request`: the line can't be read; `state`: it makes no sense now; `log`: the log says no.
    pub(crate) kind: &'static str,
    /// One sentence.
    pub(crate) message: String,
}

/// What a command led to.
#[derive(Serialize)]
pub(crate) struct Done<'a> {
    session: &'a Name,
    position: Position,
    /// The events.
    events: Vec<EventAnswer<'a>>,
    /// What the user is told, in order.
    say: Vec<Said<'a>>,
    /// The tools that the host runs now, those that it was told of before among them.
    run: Vec<&'a ToolCall>,
    active_skill: Option<&'a Name>,
    /// Whether the agent's turn ended with it.
    turn_ended: bool,
    /// What it was about.
    #[serde(flatten)]
    about: About,
}

/// What an answer has beside its events.
#[derive(Serialize, Default)]
pub(crate) struct About {
    /// The prompt: system prompt, messages, offered tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<Value>,
    /// The tools that are withheld, with the reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) withheld: Option<BTreeMap<Name, String>>,
    /// What the model or the tool gets: null where a tool of the host runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Option<String>>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<Option<String>>,
    /// A value that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    /// What the read came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<ReadAnswer>,
    /// The rule that decided a read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<Rule>,
}

/// Words to the user.
#[derive(Serialize)]
struct Said<'a> {
    text: &'a str,
    response: Option<&'a Name>,
    data: &'a Value,
}

/// Where a session stands.
#[derive(Serialize)]
pub(crate) struct Standing<'a> {
    session: &'a Name,
    position: Position,
    memory: BTreeMap<&'a Name, &'a Value>,
    stack: Vec<FrameAnswer<'a>>,
    run: &'a [ToolCall],
    turn_open: bool,
    ended: bool,
}

impl About {
    /// Returns what a model call is about.
    pub(crate) fn prompt(prompt: &Prompt) -> About {
        About { prompt: Some(prompt.request()), withheld: Some(withheld(&prompt.tools)), ..About::default() }
    }

    /// Returns what a call of a tool is about.
    pub(crate) fn call(answer: CallAnswer) -> About {
        let refused = Some(answer.result.clone().filter(|_| answer.is_refused));
        About { refused, result: Some(answer.result), ..About::default() }
    }

    /// Returns what a read is about.
    pub(crate) fn read(decision: &ReadDecision) -> About {
        let value = Some(decision.value().map_or(Value::Null, |value| Value::clone(value)));
        About { value, answer: Some(answer_of(decision)), rule: Some(decision.rule), ..About::default() }
    }
}

impl<'a> Done<'a> {
    /// Returns what was done behind a position.
    pub(crate) fn behind(before: Position, conversation: &'a Conversation<'_>, about: About) -> Done<'a> {
        let events = conversation.events_after(before);
        let numbered = || (before.0 + 1..).zip(events).map(|(at, event)| (Position(at), event));
        let said = |event: &'a Event| match &event.kind {
            EventKind::AgentMessage { text, response, data, .. } => {
                Some(Said { text, response: response.as_ref(), data })
            }
            _ => None,
        };
        Done {
            session: conversation.id(),
            position: conversation.state().position,
            events: numbered().map(|(at, event)| EventAnswer::of(event, at)).collect(),
            say: events.iter().filter_map(said).collect(),
            run: conversation.running().iter().collect(),
            active_skill: conversation.state().active_skill(),
            turn_ended: events.iter().any(|event| event.kind == EventKind::TurnEnded),
            about,
        }
    }
}

impl<'a> Standing<'a> {
    /// Returns where a session stands.
    pub(crate) fn of(conversation: &'a Conversation<'_>) -> Standing<'a> {
        let state = conversation.state();
        let held = state.memory.iter().filter(|(_, cell)| !cell.value.is_null());
        Standing {
            session: conversation.id(),
            position: state.position,
            memory: held.map(|(key, cell)| (key, &*cell.value)).collect(),
            stack: state.stack.iter().map(frame).collect(),
            run: conversation.running(),
            turn_open: conversation.is_in_turn(),
            ended: state.ended,
        }
    }
}

/// Returns the tools that are withheld, with the reasons.
fn withheld(tools: &[Tool]) -> BTreeMap<Name, String> {
    tools.iter().filter(|tool| !tool.offered).map(|tool| (tool.name.clone(), tool.why.clone())).collect()
}
