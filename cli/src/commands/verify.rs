//! `replay verify`: what the digests of a log vouch for.

use std::path::Path;

use replay_store::digest::Digest;
use replay_store::log::Log;
use replay_store::name::Name;
use replay_store::replay::archive;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// What `replay verify` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    head: Option<Digest>,
    sessions: Vec<SessionAnswer<'a>>,
    blobs: u64,
    damage: Vec<DamageAnswer>,
}

/// A session as JSON has it.
#[derive(Serialize)]
struct SessionAnswer<'a> {
    id: &'a Name,
    digest: Digest,
    events: u64,
    vouched: u64,
    raw_records: u64,
    raw_vouched: u64,
}

/// Something that isn't what was written.
#[derive(Serialize)]
struct DamageAnswer {
    place: String,
    what: String,
}

/// Recomputes all digests and says which range they vouch for.
pub(crate) fn verify(path: &Path, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let log = Log::open(path)?;
    let report = archive::verify(&log)?;
    let exit = if report.damage.is_empty() { Exit::Fine } else { Exit::No };
    let sessions = report.sessions.iter().map(|each| SessionAnswer {
        id: &each.session.id,
        digest: each.session.digest,
        events: each.session.event_count,
        vouched: each.vouched.end,
        raw_records: each.session.raw_count,
        raw_vouched: each.raw_vouched,
    });
    let damage = report.damage.iter().map(|one| DamageAnswer { place: one.place.to_string(), what: one.what.clone() });
    let answer = Answer {
        schema: "replay.verify/1",
        head: report.head,
        sessions: sessions.collect(),
        blobs: report.blob_count,
        damage: damage.collect(),
    };
    if json {
        out.json(&answer)?;
    } else {
        text(&answer, out)?;
    }
    Ok(exit)
}

fn text(answer: &Answer<'_>, out: &mut Output<'_>) -> Result<(), Failure> {
    for session in &answer.sessions {
        let events = match session.events - session.vouched {
            0 => format!("events 1 to {} are what was written", session.events),
            _ if session.vouched == 0 => format!("none of {} events can be vouched for", session.events),
            _ => format!(
                "events 1 to {} of {} are what was written, the rest is not vouched for",
                session.vouched, session.events
            ),
        };
        let raw = format!("{} of {} raw records", session.raw_vouched, session.raw_records);
        let what = format!("  {events}; {raw}; digest {}", session.digest);
        out.line(&[(Tone::Strong, session.id), (Tone::Normal, &what)])?;
    }
    for damage in &answer.damage {
        out.line(&[
            (Tone::Bad, "damage"),
            (Tone::Normal, "  "),
            (Tone::Normal, &damage.place),
            (Tone::Normal, ": "),
            (Tone::Normal, &damage.what),
        ])?;
    }
    match answer.head {
        Some(head) => out.fact("head", head)?,
        None => out.fact("head", "none, because something is damaged")?,
    }
    Ok(())
}
