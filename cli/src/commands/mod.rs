//! One file a command; each writes its answer and says how the run ended.

pub(crate) mod access;
mod again;
pub(crate) mod check;
pub(crate) mod config;
mod conversation;
mod decisions;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod findings;
mod fold;
pub(crate) mod follow;
pub(crate) mod import;
mod key;
pub(crate) mod last;
pub(crate) mod list;
pub(crate) mod manual;
pub(crate) mod note;
pub(crate) mod prompt;
pub(crate) mod prompt_diff;
mod prompt_holes;
mod prompt_size;
pub(crate) mod query;
pub(crate) mod reads;
pub(crate) mod record;
mod report;
mod sarif;
pub(crate) mod show;
pub(crate) mod state_diff;
pub(crate) mod summary;
pub(crate) mod verify;
pub(crate) mod why;

use std::borrow::Cow;

use replay_store::event::Position;
use replay_store::event::finding::{Finding, FindingKind};
use replay_store::profile::ProfileBasis;
use replay_store::replay::Session;
use replay_store::replay::agreement::Walk;
use serde::Serialize;

use crate::progress::Progress;

/// A finding as JSON has it.
#[derive(Serialize)]
pub(crate) struct FindingAnswer<'a> {
    kind: FindingKind,
    raw: Option<(u32, u32)>,
    text: Cow<'a, str>,
}

impl FindingAnswer<'_> {
    /// Returns a finding as JSON has it.
    pub(crate) fn of(finding: &Finding) -> FindingAnswer<'_> {
        FindingAnswer { kind: finding.kind, raw: finding.raw, text: Cow::Borrowed(&finding.text) }
    }
}

/// Returns what looks wrong in a session.
pub(crate) fn findings(session: &Session) -> Vec<FindingAnswer<'_>> {
    session.findings.iter().map(FindingAnswer::of).collect()
}

/// So many events are looked at before a bar moves.
const SLICE: u64 = 4096;

/// Returns where a session and its agent folder disagree. The whole session is gone through for it, and a bar says how
/// far that is.
pub(crate) fn contradictions(session: &Session) -> Vec<FindingAnswer<'static>> {
    if session.agent.is_none() {
        return Vec::new();
    }
    let mut walk = Walk::new(session);
    let bar = Progress::events(session.end().0);
    while !walk.step(session, SLICE).is_done() {
        bar.at(walk.progress().done);
    }
    bar.done();
    let answer = |Finding { kind, raw, text }| FindingAnswer { kind, raw, text: Cow::Owned(text) };
    walk.into_agreement().contradictions.iter().map(|one| answer(one.finding())).collect()
}

/// The engine generation as JSON has it.
#[derive(Serialize)]
pub(crate) struct ProfileAnswer {
    name: &'static str,
    basis: ProfileBasis,
}

/// Returns the engine generation of a session, and how it was chosen.
pub(crate) fn profile(session: &Session) -> ProfileAnswer {
    ProfileAnswer { name: session.profile.profile.name(), basis: session.profile.basis }
}

/// Returns what people should know about where the agent comes from.
pub(crate) fn definition_words(session: &Session) -> String {
    let Some(agent) = &session.agent else {
        return "none; name its folder with --agent DIR to see prompts and private entries".to_owned();
    };
    let digest = agent.definition.digest().short();
    match session.differs {
        Some(true) => {
            format!("{}, {digest}, another one than the session was recorded with", session.definition.word())
        }
        Some(false) | None => format!("{}, {digest}", session.definition.word()),
    }
}

/// Returns the line about a position that answers begin with.
pub(crate) fn position_words(session: &Session, at: Position) -> String {
    let turn = match (session.event(at), session.event(at).and_then(|event| event.turn)) {
        (None, _) => "before the first event".to_owned(),
        (Some(_), Some(turn)) => format!("turn {turn}"),
        (Some(_), None) => "between turns".to_owned(),
    };
    let time = session.event(at).map(|event| format!(", {}", event.time)).unwrap_or_default();
    format!("{at} of {}, {turn}{time}", session.end())
}
