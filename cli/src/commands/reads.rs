//! `replay reads`: what read an entry, the newest first.

use replay_store::event::Position;
use replay_store::explain::reads::{self as store, Read, Reads, SCHEMA};
use replay_store::explain::why::Answer;
use replay_store::name::Name;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::key;
use crate::arguments::Place;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::place;

/// What `replay reads` answers.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    session: &'a Name,
    definition: DefinitionSource,
    differs: Option<bool>,
    /// Reads are no events: the record holds none.
    basis: &'static str,
    #[serde(flatten)]
    reads: &'a Reads,
}

/// Writes what read an entry.
pub(crate) fn reads(
    session: &Session,
    asked: &str,
    from: u64,
    moment: &Place,
    json: bool,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let to = place::position(session, moment)?;
    let key = key::known(session, asked, to)?;
    if from > to.0 {
        let have = format!("the positions 0 to {to} before the moment");
        return Err(Failure::OutOfRange { asked: format!("--from {from}"), have });
    }
    let reads = store::reads(session, &key, Position(from)..=to, |_| true);
    if json {
        let (definition, differs) = (session.definition, session.differs);
        let basis = "recomputed";
        out.json(&Document { schema: SCHEMA, session: &session.id, definition, differs, basis, reads: &reads })?;
        return Ok(Exit::Fine);
    }
    let said = match (reads.reads.len(), session.agent.is_some()) {
        (_, false) => format!("what read `{key}` is unknown"),
        (0, true) => format!("nothing read `{key}` from {from} to {to}"),
        (1, true) => format!("1 read of `{key}` from {from} to {to}, recomputed"),
        (count, true) => format!("{count} reads of `{key}` from {from} to {to}, recomputed, newest first"),
    };
    out.line(&[(Tone::Strong, &said)])?;
    for read in &reads.reads {
        line(read, out)?;
    }
    if let Some(unknown) = &reads.unknown {
        out.line(&[(Tone::Faint, unknown)])?;
    }
    Ok(Exit::Fine)
}

fn line(read: &Read, out: &mut Output<'_>) -> Result<(), Failure> {
    let tone = if read.answer == Answer::Allowed { Tone::Normal } else { Tone::Bad };
    let skill = read.skill.as_ref().map(|skill| format!("as {skill}, ")).unwrap_or_default();
    let place = read.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
    let turn = read.turn.map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
    let marks = format!("  ({skill}{}{place}, {turn})", read.rule);
    let position = if out.plain { format!("{} ", read.position) } else { format!("{:>6} ", read.position) };
    let answer = read.answer.word().replace('_', " ");
    let words = if out.plain {
        format!("{}, {answer}: ", read.site.words())
    } else {
        format!("{:<10} {answer:<13} ", read.site.words())
    };
    out.line(&[(Tone::Normal, &position), (tone, &words), (Tone::Normal, &read.text), (Tone::Faint, &marks)])?;
    Ok(())
}
