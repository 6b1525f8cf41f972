//! `replay reads`: what read an entry, the newest first.

use replay_store::event::Position;
use replay_store::explain::readers::{Readers, readers};
use replay_store::explain::reads::{self as store, Reads, SCHEMA};
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
    /// The same by reader and verdict.
    readers: Vec<Readers>,
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
        out.json(&Document {
            schema: SCHEMA,
            session: &session.id,
            definition,
            differs,
            basis,
            readers: readers(&reads.reads),
            reads: &reads,
        })?;
        return Ok(Exit::Fine);
    }
    let said = match (reads.reads.len(), session.agent.is_some()) {
        (_, false) => format!("what read `{key}` is unknown"),
        (0, true) => format!("nothing read `{key}` from {from} to {to}"),
        (1, true) => format!("1 read of `{key}` from {from} to {to}, recomputed"),
        (count, true) => {
            format!("{count} reads of `{key}` from {from} to {to}, recomputed, by reader, the last one first")
        }
    };
    out.line(&[(Tone::Strong, &said)])?;
    let mut shown = Vec::new();
    for reader in readers(&reads.reads) {
        group(&reader, &shown, out)?;
        shown = reader.value_words();
    }
    if let Some(unknown) = &reads.unknown {
        out.line(&[(Tone::Faint, unknown)])?;
    }
    Ok(Exit::Fine)
}

/// So many positions are written of a reader.
const POSITIONS: usize = 20;

/// Writes what read, how often, what it got and when. Values that were written just before are not written again.
fn group(reader: &Readers, shown: &[String], out: &mut Output<'_>) -> Result<(), Failure> {
    let tone = if reader.answer == Answer::Allowed { Tone::Normal } else { Tone::Bad };
    let answer = reader.answer.word().replace('_', " ");
    let words = match out.plain {
        true => format!("{} times, {}, {answer}: ", reader.count, reader.site.words()),
        false => format!("{:>4}× {:<10} {answer:<13} ", reader.count, reader.site.words()),
    };
    let marks = format!("  ({})", reader.marks());
    out.line(&[(tone, &words), (Tone::Normal, &reader.reader), (Tone::Faint, &marks)])?;
    let indent = if out.plain { "  " } else { "      " };
    let values = reader.value_words();
    if !values.is_empty() && values == shown {
        out.text(&format!("{indent}got the same"))?;
    } else if !values.is_empty() {
        out.text(&format!("{indent}got {}", values.join(", before that ")))?;
    }
    let at: Vec<String> = reader.positions.iter().take(POSITIONS).map(Position::to_string).collect();
    let more = reader.positions.len().saturating_sub(at.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    out.line(&[(Tone::Faint, &format!("{indent}at {}{more}", at.join(", ")))])?;
    Ok(())
}
