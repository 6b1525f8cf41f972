//! What each request does, and how it is answered.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use replay_store::agent::Agent;
use replay_store::event::{Position, RequestedCall};
use replay_store::log::{Durability, EventLog, LogError};
use replay_store::name::Name;
use replay_store::recorder::{Begin, Conversation, RecordError, refusal};
use replay_store::replay::archive::{Carried, Request as Noted, Terms};
use replay_store::session::decide::{self, Command, Delegate};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;
use replay_store::visible;
use serde::Serialize;

use super::PROTOCOL;
use super::lines::{LINE_LEN_MAX, Line};
use super::reply::{About, Done, Problem, Reply, Standing};
use super::request::{Asked, Request, Wanted};
use super::sessions::Sessions;

/// What carries requests out, for all clients at once.
pub(crate) struct Host<'log> {
    pub(super) log: &'log EventLog,
    agent: Arc<Agent>,
    sessions: Sessions<'log>,
}

/// Which protocol is spoken.
#[derive(Serialize)]
struct Hello {
    protocol: &'static str,
    version: &'static str,
    profile: &'static str,
    sessions: Vec<Name>,
}

/// An answer, as it goes out.
pub(crate) struct Answer {
    reply: Reply,
    /// Whether it waits until all that was carried out so far is durable.
    pub(super) waits: bool,
}

impl Answer {
    fn done(id: serde_json::Value, done: serde_json::Value, waits: bool) -> Answer {
        Answer { reply: Reply { id, ok: true, durable: Some(waits), error: None, done: Some(done) }, waits }
    }

    fn refused(id: serde_json::Value, kind: &'static str, message: String) -> Answer {
        let error = Some(Problem { kind, message });
        Answer { reply: Reply { id, ok: false, durable: None, error, done: None }, waits: false }
    }

    /// Returns the answer to something that is no request.
    pub(super) fn problem(message: String) -> Answer {
        Answer::refused(serde_json::Value::Null, "request", message)
    }

    /// Returns what is answered where nobody knows whether it is durable.
    pub(super) fn lost(self, error: &LogError) -> Answer {
        Answer::refused(self.reply.id, "log", error.to_string())
    }

    /// Returns the line that goes out.
    pub(super) fn line(&self) -> Vec<u8> {
        let text = serde_json::to_string(&self.reply).expect("names and numbers are JSON");
        let mut line = visible::json(&text).into_owned().into_bytes();
        line.push(b'\n');
        line
    }
}

impl<'log> Host<'log> {
    /// Returns a host that records nothing yet.
    pub(crate) fn new(log: &'log EventLog, agent: Arc<Agent>) -> Host<'log> {
        Host { log, agent, sessions: Sessions::default() }
    }

    /// Says which protocol is spoken.
    pub(super) fn hello(&self) -> Answer {
        Answer::done(serde_json::Value::Null, self.introduction(), true)
    }

    fn introduction(&self) -> serde_json::Value {
        let (protocol, version) = (PROTOCOL, env!("CARGO_PKG_VERSION"));
        let (profile, sessions) = (self.agent.profile.profile.name(), self.sessions.names());
        json(&Hello { protocol, version, profile, sessions })
    }

    /// Answers a line.
    pub(super) fn answer(&self, line: &Line) -> Answer {
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong => return Answer::problem(format!("the line has more than {LINE_LEN_MAX} bytes")),
        };
        let request: Request = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => {
                let id = serde_json::from_slice::<serde_json::Value>(line).ok();
                let id = id.and_then(|mut line| Some(line.get_mut("id")?.take())).unwrap_or_default();
                return Answer::refused(id, "request", error.to_string());
            }
        };
        let noted = request.noted(line);
        let Request { id, session, request_id: _, durable, asked } = request;
        let waits = durable || matches!(asked, Asked::Sync);
        let done = noted.map_err(Wrong::Request).and_then(|noted| self.carry_out(session, asked, noted));
        match done {
            Ok(done) => Answer::done(id, done, waits),
            Err(Wrong::Request(message)) => Answer::refused(id, "request", message),
            Err(Wrong::Record(error)) => {
                let kind = if matches!(error, RecordError::Archive(_)) { "log" } else { "state" };
                Answer::refused(id, kind, error.to_string())
            }
        }
    }

    fn carry_out(
        &self,
        session: Option<Name>,
        asked: Asked,
        request: Option<Noted>,
    ) -> Result<serde_json::Value, Wrong> {
        match asked {
            Asked::Hello => return Ok(self.introduction()),
            Asked::Sync => return Ok(serde_json::Value::Object(serde_json::Map::new())),
            _ => {}
        }
        let session = session.ok_or_else(|| Wrong::Request("missing field `session`".to_owned()))?;
        self.sessions.at(&session, |place| match asked {
            Asked::Start { metadata } => self.start(place, session.clone(), metadata, request),
            Asked::Resume => {
                let conversation = match place {
                    Some(open) => open,
                    None => place.insert(Conversation::resume(self.log, session.clone(), Arc::clone(&self.agent))?),
                };
                Ok(json(&Standing::of(conversation)))
            }
            asked => {
                let conversation = place.as_mut().ok_or_else(|| {
                    Wrong::Request(format!("session {session:?} isn't open; `start` or `resume` it first"))
                })?;
                match carried(conversation, request.as_ref())? {
                    Some(carried) => again(conversation, &carried, asked),
                    None => on(conversation, asked, terms(request)),
                }
            }
        })
    }

    fn start(
        &self,
        place: &mut Option<Conversation<'log>>,
        session: Name,
        metadata: Value,
        request: Option<Noted>,
    ) -> Result<serde_json::Value, Wrong> {
        if request.is_some() && self.log.counts(&session).is_some() {
            if place.is_none() {
                let there = Conversation::resume(self.log, session.clone(), Arc::clone(&self.agent))?;
                *place = carried(&there, request.as_ref())?.map(|_| there);
            }
            if let Some(open) = place
                && let Some(carried) = carried(open, request.as_ref())?
            {
                return again(open, &carried, Asked::Start { metadata });
            }
        }
        let metadata = match metadata {
            Value::Null => Vec::new(),
            Value::Map(pairs) => pairs.into_iter().map(|(name, value)| (Name::from(name), value)).collect(),
            _ => return Err(Wrong::Request("`metadata` is an object".to_owned())),
        };
        let begin = Begin { session, agent: Arc::clone(&self.agent), profile: None, metadata };
        let begun = Conversation::start_under(terms(request), self.log, begin, now())?;
        Ok(json(&Done::behind(Position(0), place.insert(begun), About::default())))
    }
}

/// Carries out what is asked of an open session.
fn on(conversation: &mut Conversation<'_>, asked: Asked, terms: Terms) -> Result<serde_json::Value, Wrong> {
    let before = conversation.state().position;
    let time = now();
    let about = match asked {
        Asked::State => return Ok(json(&Standing::of(conversation))),
        Asked::ModelCall => About::prompt(&conversation.under(terms, |open| open.begin_call(time))?),
        Asked::ModelReply { text, calls, millis } => {
            let calls = calls.into_iter().map(requested).collect::<Result<_, _>>()?;
            conversation.under(terms, |open| open.reply(&text, calls, millis, time).map(drop))?;
            About::default()
        }
        Asked::Call(wanted) => {
            let call = requested(wanted)?;
            About::call(conversation.under(terms, |open| open.call(call, time))?)
        }
        Asked::Get { tool, call_id, name } => {
            About::read(&conversation.under(terms, |open| open.get(&tool, call_id.as_ref(), &name, time))?)
        }
        Asked::Set { tool, call_id, name, value } => {
            let refused = conversation.under(terms, |open| open.set(&tool, call_id.as_ref(), (&name, value), time))?;
            About { refused: Some(refused), ..About::default() }
        }
        Asked::Return { tool, call_id, result, error } => {
            let result = match result {
                Value::Text(text) => text,
                other => other.to_json(),
            };
            let result = error.map_or(Ok(result), Err);
            conversation.under(terms, |open| open.return_tool(&tool, call_id.as_ref(), result, time).map(drop))?;
            About::default()
        }
        other => {
            let command = command(other)?;
            conversation.under(terms, |open| open.apply(command, time).map(drop))?;
            About::default()
        }
    };
    Ok(json(&Done::behind(before, conversation, about)))
}

/// Returns the request that was carried out under the id of this one, if it is among the last ones.
fn carried(conversation: &Conversation<'_>, request: Option<&Noted>) -> Result<Option<Carried>, Wrong> {
    let found = request.and_then(|request| conversation.carried(&request.id));
    match (found, request) {
        (Some(found), Some(request)) if found.content.is_some_and(|content| content != request.content) => {
            Err(Wrong::Request(format!(
                "`request_id` {:?} was another request; what is asked anew needs an id of its own",
                request.id
            )))
        }
        (found, _) => Ok(found.cloned()),
    }
}

/// Answers once more what was carried out: as it was answered then.
fn again(conversation: &Conversation<'_>, carried: &Carried, asked: Asked) -> Result<serde_json::Value, Wrong> {
    let Carried { before, after, .. } = *carried;
    let about = match asked {
        Asked::ModelCall => conversation.look_back(before, |past| About::prompt(&past.prompt())),
        Asked::Call(wanted) => About::call(conversation.call_answer(&requested(wanted)?, before..after)),
        Asked::Get { name, .. } => conversation.look_back(before, |past| About::read(&past.read(&name))),
        Asked::Set { .. } => {
            let mut events = conversation.events_after(before).iter().take((after.0 - before.0) as usize);
            About { refused: Some(events.find_map(|event| refusal(&event.kind))), ..About::default() }
        }
        Asked::State => return Ok(json(&Standing::of(conversation))),
        Asked::Hello
        | Asked::Sync
        | Asked::Start { .. }
        | Asked::Resume
        | Asked::User { .. }
        | Asked::Tap { .. }
        | Asked::Press { .. }
        | Asked::ModelReply { .. }
        | Asked::Return { .. }
        | Asked::Confirm { .. }
        | Asked::ResumeTask { .. }
        | Asked::Judge { .. }
        | Asked::Delegate { .. }
        | Asked::EndTurn
        | Asked::CancelTurn
        | Asked::End => About::default(),
    };
    Ok(conversation.look_back(after, |past| json(&Done::behind(before, past, about))))
}

/// Returns how a request is recorded: its answer waits until it is durable, not the session.
fn terms(request: Option<Noted>) -> Terms {
    Terms { durability: Durability::Batched, request }
}

/// Returns the engine's command for what is asked.
fn command(asked: Asked) -> Result<Command, Wrong> {
    let answer = |yes: bool| if yes { decide::Answer::Yes } else { decide::Answer::No };
    Ok(match asked {
        Asked::User { text, channel, message_id } => Command::HearUser { text, channel, message_id },
        Asked::Tap { payload, title } => Command::TapButton { payload, title },
        Asked::Press { keys } => Command::PressKeys { keys },
        Asked::Confirm { yes } => Command::AnswerConfirmation(answer(yes)),
        Asked::ResumeTask { yes } => Command::AnswerResume(answer(yes)),
        Asked::Judge { met } => Command::CompleteJudged { met },
        Asked::Delegate { skill } => Command::Delegate { skill, by: Delegate::Tool },
        Asked::EndTurn => Command::EndTurn,
        Asked::CancelTurn => Command::CancelTurn,
        Asked::End => Command::EndSession,
        Asked::Hello
        | Asked::Sync
        | Asked::Start { .. }
        | Asked::Resume
        | Asked::State
        | Asked::ModelCall
        | Asked::ModelReply { .. }
        | Asked::Call(_)
        | Asked::Get { .. }
        | Asked::Set { .. }
        | Asked::Return { .. } => return Err(Wrong::Request("that is no command of the engine".to_owned())),
    })
}

fn requested(wanted: Wanted) -> Result<RequestedCall, Wrong> {
    let Wanted { tool, arguments, call_id } = wanted;
    let arguments = match arguments {
        Value::Null => "{}".to_owned(),
        Value::Map(_) => arguments.to_json(),
        Value::Text(text) if matches!(Value::from_json(&text), Ok(Value::Map(_))) => text,
        _ => return Err(Wrong::Request("`arguments` is an object, or the JSON text of one".to_owned())),
    };
    Ok(RequestedCall { tool, arguments, call_id })
}

/// Why a request is not carried out.
enum Wrong {
    /// It says something that it can't.
    Request(String),
    /// The recorder says no.
    Record(RecordError),
}

impl From<RecordError> for Wrong {
    fn from(error: RecordError) -> Wrong {
        Wrong::Record(error)
    }
}

fn json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("names and numbers are JSON")
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
