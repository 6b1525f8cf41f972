//! `replay list`: the sessions of a record.

use replay_store::digest::Digest;
use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::profile::{ProfileBasis, ProfileChoice};
use replay_store::replay::Session;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// What `replay list` answers.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    sessions: Vec<Row>,
}

/// A session in the list.
#[derive(Serialize)]
pub(crate) struct Row {
    id: Name,
    events: u64,
    turns: usize,
    started_at: Option<String>,
    ended: bool,
    profile: &'static str,
    profile_basis: ProfileBasis,
    agent_digest: Option<Digest>,
    #[serde(skip)]
    generation: ProfileChoice,
}

impl Row {
    /// Returns the row of a session.
    pub(crate) fn of(session: &Session) -> Row {
        let end = session.state(session.end());
        Row {
            id: session.id.clone(),
            events: session.end().0,
            turns: session.turns.len(),
            started_at: session.event(Position(1)).map(|event| event.time.to_string()),
            ended: end.ended,
            profile: session.profile.profile.name(),
            profile_basis: session.profile.basis,
            agent_digest: end.definition,
            generation: session.profile,
        }
    }
}

/// Writes the sessions in the order of the record.
pub(crate) fn list(sessions: Vec<Row>, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    if json {
        out.json(&Answer { schema: "replay.list/1", sessions })?;
        return Ok(Exit::Fine);
    }
    for row in &sessions {
        let agent = row.agent_digest.map_or("no agent".to_owned(), |digest| format!("agent {}", digest.short()));
        let started = row.started_at.as_deref().unwrap_or("at an unknown time");
        let ended = if row.ended { ", ended" } else { "" };
        let what =
            format!("  {} events, {} turns, {started}{ended}, {}, {agent}", row.events, row.turns, row.generation);
        out.line(&[(Tone::Strong, &row.id), (Tone::Normal, &what)])?;
    }
    Ok(Exit::Fine)
}
