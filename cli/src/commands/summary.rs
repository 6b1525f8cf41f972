//! `replay SESSION` where there is no terminal to debug on: the session at a glance.

use std::collections::BTreeMap;

use replay_store::event::{Position, Tag};
use replay_store::name::Name;
use replay_store::replay::turns::Call;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::conversation::conversation_text;
use super::show::findings_text;
use super::{FindingAnswer, ProfileAnswer, definition_words, findings, profile};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// What `replay SESSION --json` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    events: u64,
    raw_records: usize,
    user_messages: usize,
    started_at: Option<String>,
    last_at: Option<String>,
    ended: bool,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    turns: Vec<TurnAnswer<'a>>,
    unknown_kinds: &'a BTreeMap<Name, u64>,
    findings: Vec<FindingAnswer<'a>>,
}

/// A turn as JSON has it.
#[derive(Serialize)]
struct TurnAnswer<'a> {
    turn: u32,
    first: Position,
    last: Position,
    user: Option<Position>,
    calls: &'a [Call],
}

/// Writes the session at a glance.
pub(crate) fn summary(session: &Session, global: &Global, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let end = session.state(session.end());
    let user_messages = session.marks().iter().filter(|mark| mark.tag() == Tag::UserMessage).count();
    let started_at = session.event(Position(1)).map(|event| event.time.to_string());
    let last_at = session.event(session.end()).map(|event| event.time.to_string());
    if global.json {
        let turns = session.turns.iter().map(|turn| TurnAnswer {
            turn: turn.number,
            first: turn.first,
            last: turn.last,
            user: turn.user,
            calls: &turn.calls,
        });
        out.json(&Answer {
            schema: "replay.summary/1",
            session: &session.id,
            events: session.end().0,
            raw_records: session.raw.count(),
            user_messages,
            started_at,
            last_at,
            ended: end.ended,
            profile: profile(session),
            definition: session.definition,
            differs: session.differs,
            turns: turns.collect(),
            unknown_kinds: &end.unknown_kinds,
            findings: findings(session),
        })?;
        return Ok(Exit::Fine);
    }
    out.fact("session", &session.id)?;
    out.fact("events", format!("{} from {} raw records", session.end(), session.raw.count()))?;
    if let (Some(first), Some(last)) = (started_at, last_at) {
        out.fact("time", format!("{first} to {last}"))?;
    }
    let calls: Vec<String> = session.turns.iter().map(|turn| turn.counted_calls().count().to_string()).collect();
    let calls = if calls.is_empty() { "none".to_owned() } else { calls.join(", ") };
    out.fact(
        "turns",
        format!("{}, from {user_messages} user messages; model calls in them: {calls}", session.turns.len()),
    )?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    if !end.unknown_kinds.is_empty() {
        let kinds: Vec<String> = end.unknown_kinds.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        out.fact("unknown", kinds.join(", "))?;
    }
    findings_text(session, &findings(session), global.agent.as_deref(), out)?;
    conversation_text(session, session.end(), out)?;
    out.text(
        "Step through it on a terminal with the same command; `replay show` gives memory and stack at any moment.",
    )?;
    Ok(Exit::Fine)
}
