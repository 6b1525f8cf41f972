//! `replay findings`: what looks wrong in a session, ranked and counted, with what to do about it.

use std::ffi::OsStr;

use replay_store::diagnostic::{Severity, nearest};
use replay_store::event::Position;
use replay_store::event::finding::FindingKind;
use replay_store::explain::findings::{Found, FoundKind, Scan};
use replay_store::explain::report::{counts, findings_report};
use replay_store::name::Name;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::again;
use super::definition_words;
use super::show::folder_text;
use super::why::Form;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;

/// What `replay findings` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    events: u64,
    definition: DefinitionSource,
    /// What of the log couldn't be read on the way.
    damage: Option<&'a str>,
    findings: Vec<Found>,
}

/// So many events are looked at before the bar moves.
const SLICE: u64 = 4096;

/// So many positions are written behind a finding.
const POSITIONS: usize = 8;

/// Returns the kind of that name.
pub(crate) fn kind(name: &str) -> Result<FoundKind, String> {
    let kinds: Vec<FoundKind> = FindingKind::ALL.into_iter().map(FoundKind::Record).chain(FoundKind::OWN).collect();
    if let Some(kind) = kinds.iter().find(|kind| kind.name() == name) {
        return Ok(*kind);
    }
    let names: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(match nearest(name, known.iter().copied()) {
        Some(near) => format!("no such kind; did you mean {near}?"),
        None => format!("no such kind; there are {}", known.join(", ")),
    })
}

/// What is asked on the command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The session, as it was named.
    pub(crate) target: &'a OsStr,
    /// The kinds that are wanted; empty for all.
    pub(crate) kinds: &'a [FoundKind],
    /// Where the agent folder is, and which profile.
    pub(crate) global: &'a Global,
}

/// Writes what looks wrong, the worst first.
pub(crate) fn findings(
    session: &Session,
    asked: &Asked<'_>,
    form: Form,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let Asked { kinds, global, .. } = *asked;
    let mut found = scan(session);
    found.retain(|found| kinds.is_empty() || kinds.contains(&found.kind));
    if let Form::Report(pii) = form {
        let command = again::findings(asked, pii);
        // Everything in a report was made visible.
        out.writer.write_all(findings_report(session, &found, &command, pii).as_bytes())?;
        return Ok(Exit::Fine);
    }
    if let Form::Json = form {
        out.json(&Answer {
            schema: "replay.findings/1",
            session: &session.id,
            events: session.end().0,
            definition: session.definition,
            damage: session.damage(),
            findings: found,
        })?;
        return Ok(Exit::Fine);
    }
    out.fact("session", &session.id)?;
    out.fact("agent", definition_words(session))?;
    out.fact("findings", counts(&found))?;
    for one in &found {
        text(one, out)?;
    }
    if kinds.is_empty() {
        folder_text(session, global.agent.as_deref(), out)?;
    }
    Ok(Exit::Fine)
}

fn scan(session: &Session) -> Vec<Found> {
    let mut scan = Scan::new(session);
    let bar = Progress::events(session.end().0);
    loop {
        let progress = scan.step(session, SLICE);
        bar.at(progress.done);
        if progress.is_done() {
            bar.done();
            return scan.found(session);
        }
    }
}

fn text(found: &Found, out: &mut Output<'_>) -> Result<(), Failure> {
    let tone = match found.severity {
        Severity::Error | Severity::Warning => Tone::Bad,
        Severity::Note => Tone::Strong,
    };
    let severity = found.severity.word();
    let count = if found.count > 1 { format!(" ({} times)", found.count) } else { String::new() };
    let text = format!("{count}: {}", found.text);
    out.line(&[(tone, severity), (Tone::Normal, " "), (Tone::Strong, found.kind.word()), (Tone::Normal, &text)])?;
    let mut where_it_is = vec![places(found)];
    if let Some(rule) = &found.rule {
        let line = match (rule.place(), &rule.source) {
            (Some(place), Some(source)) => format!(" {place}: {}", source.trim()),
            (Some(place), None) => format!(" {place}"),
            (None, _) => String::new(),
        };
        where_it_is.push(format!("{}{line}", rule.id));
    }
    where_it_is.retain(|words| !words.is_empty());
    if !where_it_is.is_empty() {
        out.line(&[(Tone::Faint, "  "), (Tone::Faint, &where_it_is.join("; "))])?;
    }
    out.line(&[(Tone::Normal, "  to do: "), (Tone::Normal, &found.advice)])?;
    Ok(())
}

fn places(found: &Found) -> String {
    let shown: Vec<String> = found.positions.iter().take(POSITIONS).map(Position::to_string).collect();
    let more = found.count.saturating_sub(shown.len() as u64);
    let more = if more > 0 && !shown.is_empty() { format!(" and {more} more") } else { String::new() };
    let raw = match found.raw {
        Some((first, last)) if first == last => format!(" (raw {first})"),
        Some((first, last)) => format!(" (raw {first} to {last})"),
        None => String::new(),
    };
    if shown.is_empty() { raw.trim_start().to_owned() } else { format!("at {}{more}{raw}", shown.join(", ")) }
}
