//! The sessions that are being recorded, and what each request does to one of them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use replay_store::agent::Agent;
use replay_store::event::{Position, RequestedCall};
use replay_store::explain::read::answer_of;
use replay_store::log::EventLog;
use replay_store::name::Name;
use replay_store::recorder::{self, Begin, Conversation, RecordError};
use replay_store::session::decide::{Answer, Command, Delegate};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;
use serde::Serialize;

use super::PROTOCOL;
use super::reply::{About, Done, Problem, Reply, Standing, withheld};
use super::request::{Asked, Request, Wanted};

/// The sessions of a log that are being recorded.
pub(crate) struct Host<'log> {
    log: &'log EventLog,
    agent: Arc<Agent>,
    sessions: BTreeMap<Name, Conversation<'log>>,
}

/// Which protocol is spoken.
#[derive(Serialize)]
struct Hello<'a> {
    protocol: &'static str,
    version: &'static str,
    profile: &'static str,
    sessions: Vec<&'a Name>,
}

impl<'log> Host<'log> {
    /// Returns a host that records nothing yet.
    pub(crate) fn new(log: &'log EventLog, agent: Arc<Agent>) -> Host<'log> {
        Host { log, agent, sessions: BTreeMap::new() }
    }

    /// Answers a line.
    pub(crate) fn answer(&mut self, line: &[u8]) -> Reply {
        let request: Request = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => {
                let id = serde_json::from_slice::<serde_json::Value>(line).ok();
                let id = id.and_then(|mut line| Some(line.get_mut("id")?.take())).unwrap_or_default();
                return refused(id, "request", error.to_string());
            }
        };
        let Request { id, request_id, session, asked } = request;
        match self.carry_out(session, request_id, asked) {
            Ok(done) => Reply { id, ok: true, error: None, done: Some(done) },
            Err(Wrong::Request(message)) => refused(id, "request", message),
            Err(Wrong::Record(error)) => {
                let kind = if matches!(error, RecordError::Archive(_)) { "log" } else { "state" };
                refused(id, kind, error.to_string())
            }
        }
    }

    fn carry_out(
        &mut self,
        session: Option<Name>,
        request: Option<Name>,
        asked: Asked,
    ) -> Result<serde_json::Value, Wrong> {
        if let Asked::Hello = asked {
            let (protocol, version) = (PROTOCOL, env!("CARGO_PKG_VERSION"));
            let (profile, sessions) = (self.agent.profile.profile.name(), self.sessions.keys().collect());
            return Ok(json(&Hello { protocol, version, profile, sessions }));
        }
        let session = session.ok_or_else(|| Wrong::Request("missing field `session`".to_owned()))?;
        match asked {
            Asked::Start { .. } if self.was_started(&session, request.as_ref())? => {
                let conversation = &self.sessions[&session];
                let again = request.and_then(|id| conversation.carried_out(&id)).map(|one| (one.before, one.after));
                Ok(json(&Done::between(again.unwrap_or_default(), conversation, About::default())))
            }
            Asked::Start { metadata } => {
                let metadata = match metadata {
                    Value::Null => Vec::new(),
                    Value::Map(pairs) => pairs.into_iter().map(|(name, value)| (Name::from(name), value)).collect(),
                    _ => return Err(Wrong::Request("`metadata` is an object".to_owned())),
                };
                let begin = Begin { session: session.clone(), agent: Arc::clone(&self.agent), profile: None, metadata };
                let begun = Conversation::start_for(self.log, begin, request, now())?;
                // The log had none of that name, so none is open.
                let conversation = self.sessions.entry(session).or_insert(begun);
                Ok(json(&Done::behind(Position(0), conversation, About::default())))
            }
            Asked::Resume => {
                let conversation = match self.sessions.entry(session.clone()) {
                    Entry::Occupied(open) => open.into_mut(),
                    Entry::Vacant(place) => {
                        place.insert(Conversation::resume(self.log, session, Arc::clone(&self.agent))?)
                    }
                };
                Ok(json(&Standing::of(conversation)))
            }
            asked => {
                let conversation = self.sessions.get_mut(&session).ok_or_else(|| {
                    Wrong::Request(format!("session {session:?} isn't open; `start` or `resume` it first"))
                })?;
                let again = request.as_ref().and_then(|id| conversation.carried_out(id));
                if let Some((before, after)) = again.map(|one| (one.before, one.after)) {
                    let about = about_again(conversation, asked, (before, after))?;
                    return Ok(json(&Done::between((before, after), conversation, about)));
                }
                conversation.begin_request(request);
                let done = on(conversation, asked);
                // One that led to no event, or to none yet, is done anew.
                conversation.begin_request(None);
                done
            }
        }
    }
}

impl Host<'_> {
    /// Returns whether a session was started by this very request, and opens it then.
    fn was_started(&mut self, session: &Name, request: Option<&Name>) -> Result<bool, Wrong> {
        let Some(request) = request.filter(|_| self.log.counts(session).is_some()) else { return Ok(false) };
        if !self.sessions.contains_key(session) {
            let there = Conversation::resume(self.log, session.clone(), Arc::clone(&self.agent))?;
            if there.carried_out(request).is_none() {
                return Ok(false);
            }
            self.sessions.insert(session.clone(), there);
        }
        Ok(self.sessions[session].carried_out(request).is_some())
    }
}

/// Returns what the answer had beside its events when the request was carried out.
fn about_again(
    conversation: &Conversation<'_>,
    asked: Asked,
    (before, after): (Position, Position),
) -> Result<About, Wrong> {
    let events = conversation.events_after(before);
    let events = &events[..events.len().min((after.0 - before.0) as usize)];
    let mut about = About::default();
    match asked {
        Asked::ModelCall => {
            let prompt = conversation.prompt_at(before);
            about.prompt = Some(prompt.request());
            about.withheld = Some(withheld(&prompt.tools));
        }
        Asked::Call(wanted) => {
            let answer = recorder::answer_of(before, &requested(wanted)?, events);
            about.refused = Some(answer.result.clone().filter(|_| answer.is_refused));
            about.result = Some(answer.result);
        }
        Asked::Get { name, .. } => {
            let decision = conversation.read_at(before, &name);
            about.value = Some(decision.value().map_or(Value::Null, |value| Value::clone(value)));
            (about.answer, about.rule) = (Some(answer_of(&decision)), Some(decision.rule));
        }
        Asked::Set { .. } => about.refused = Some(recorder::refused(events)),
        _ => {}
    }
    Ok(about)
}

/// Carries out what is asked of an open session.
fn on(conversation: &mut Conversation<'_>, asked: Asked) -> Result<serde_json::Value, Wrong> {
    let before = conversation.state().position;
    let mut about = About::default();
    let time = now();
    match asked {
        Asked::State => return Ok(json(&Standing::of(conversation))),
        Asked::ModelCall => {
            let prompt = conversation.begin_call(time)?;
            about.prompt = Some(prompt.request());
            about.withheld = Some(withheld(&prompt.tools));
        }
        Asked::ModelReply { text, calls, millis } => {
            let calls = calls.into_iter().map(requested).collect::<Result<_, _>>()?;
            conversation.reply(&text, calls, millis, time)?;
        }
        Asked::Call(wanted) => {
            let answer = conversation.call(requested(wanted)?, time)?;
            about.refused = Some(answer.result.clone().filter(|_| answer.is_refused));
            about.result = Some(answer.result);
        }
        Asked::Get { tool, call_id, name } => {
            let decision = conversation.get(&tool, call_id.as_ref(), &name, time)?;
            about.value = Some(decision.value().map_or(Value::Null, |value| Value::clone(value)));
            (about.answer, about.rule) = (Some(answer_of(&decision)), Some(decision.rule));
        }
        Asked::Set { tool, call_id, name, value } => {
            about.refused = Some(conversation.set(&tool, call_id.as_ref(), (&name, value), time)?);
        }
        Asked::Return { tool, call_id, result, error } => {
            let result = match result {
                Value::Text(text) => text,
                other => other.to_json(),
            };
            let result = error.map_or(Ok(result), Err);
            conversation.return_tool(&tool, call_id.as_ref(), result, time)?;
        }
        other => {
            conversation.apply(command(other)?, time)?;
        }
    }
    Ok(json(&Done::behind(before, conversation, about)))
}

/// Returns the engine's command for what is asked.
fn command(asked: Asked) -> Result<Command, Wrong> {
    let answer = |yes: bool| if yes { Answer::Yes } else { Answer::No };
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

fn refused(id: serde_json::Value, kind: &'static str, message: String) -> Reply {
    Reply { id, ok: false, error: Some(Problem { kind, message }), done: None }
}

fn json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("names and numbers are JSON")
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
