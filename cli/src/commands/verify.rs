//! `replay verify`: what the digests of a log vouch for.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use replay_store::digest::Digest;
use replay_store::explain::again::{Again, decide_again};
use replay_store::log::Log;
use replay_store::log::verify::Report;
use replay_store::name::Name;
use replay_store::replay::{Named, archive};
use serde::Serialize;

use super::again::quoted;
use super::check::plural;
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
    /// The commands that put what is whole into a new log; empty where nothing is damaged, or nothing whole.
    salvage: Vec<String>,
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
    /// What came of deciding it again, where that was asked for and it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Again>,
}

/// Something that isn't what was written.
#[derive(Serialize)]
struct DamageAnswer {
    place: String,
    what: String,
}

/// Recomputes all digests and says which range they vouch for; with `decisions` what was decided, too.
pub(crate) fn verify(path: &Path, decisions: bool, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let log = Arc::new(Log::open(path)?);
    let report = archive::verify(&log)?;
    let again = |id: &Name| {
        let session = archive::open_lazily(&log, id, Named::default()).ok().filter(|_| decisions)?;
        Some(decide_again(&session))
    };
    let sessions = report.sessions.iter().map(|each| SessionAnswer {
        decisions: again(&each.session.id),
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
        salvage: salvage(path, &log, &report),
    };
    let differs = |each: &SessionAnswer<'_>| each.decisions.as_ref().is_some_and(|again| !again.differences.is_empty());
    let is_fine = report.damage.is_empty() && !answer.sessions.iter().any(differs);
    let exit = if is_fine { Exit::Fine } else { Exit::No };
    if json {
        out.json(&answer)?;
    } else {
        text(&answer, out)?;
    }
    Ok(exit)
}

/// So many differences of a session are written; JSON has all.
const DIFFERENCES: usize = 20;

fn decided(again: &Again, out: &mut Output<'_>) -> Result<(), Failure> {
    let Again { ours, prompts, reads, commands, differences } = again;
    if !ours {
        let words = "  imported, so that its decisions aren't ours: `replay findings` tells what contradicts the rules";
        out.line(&[(Tone::Faint, words)])?;
        return Ok(());
    }
    let counted = format!(
        "  decided again: {}, {}, {}",
        plural(*prompts as usize, "prompt"),
        plural(*reads as usize, "tool read"),
        plural(*commands as usize, "command")
    );
    let result = match differences.len() {
        0 => ", all as recorded".to_owned(),
        count => format!(", {} of them otherwise", count),
    };
    out.line(&[(Tone::Normal, &counted), (if differences.is_empty() { Tone::Normal } else { Tone::Bad }, &result)])?;
    for one in differences.iter().take(DIFFERENCES) {
        out.line(&[(Tone::Bad, &format!("  at {} recorded ", one.position)), (Tone::Normal, &one.recorded)])?;
        out.line(&[(Tone::Bad, "     decided now "), (Tone::Normal, &one.decided)])?;
    }
    if let more @ 1.. = differences.len().saturating_sub(DIFFERENCES) {
        out.text(&format!("  and {more} more (--json has all)"))?;
    }
    Ok(())
}

/// Returns the commands that put what is whole into a new log: all at once, or each session that can still be read.
fn salvage(path: &Path, log: &Log, report: &Report) -> Vec<String> {
    if report.damage.is_empty() {
        return Vec::new();
    }
    let whole: Vec<&Name> = report
        .sessions
        .iter()
        .filter(|each| each.vouched.end == each.session.event_count && each.raw_vouched == each.session.raw_count)
        .map(|each| &each.session.id)
        .filter(|id| archive::load(log, id).is_ok())
        .collect();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!("{stem}-whole.log"));
    let (from, to) = (quoted(path.as_os_str()), quoted(new.as_os_str()));
    let command = |id: &str| format!("replay export {from}{id} --format jsonl | replay import - -o {to}");
    if whole.len() == report.sessions.len() {
        return whole.first().map(|_| command("")).into_iter().collect();
    }
    whole.into_iter().map(|id| command(&format!(" {}", quoted(OsStr::new(id.as_str()))))).collect()
}

/// So many commands are written; JSON has all.
const SALVAGE: usize = 8;

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
        if let Some(again) = &session.decisions {
            decided(again, out)?;
        }
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
    if !answer.damage.is_empty() {
        let words = match answer.salvage.is_empty() {
            true => "no session can be read whole; import the record that the log was made from again",
            false => "what is whole goes into a new log with",
        };
        out.fact("to do", words)?;
    }
    for command in answer.salvage.iter().take(SALVAGE) {
        out.text(&format!("  {command}"))?;
    }
    if let more @ 1.. = answer.salvage.len().saturating_sub(SALVAGE) {
        out.text(&format!("  and so on for {more} more sessions (--json has all)"))?;
    }
    Ok(())
}
