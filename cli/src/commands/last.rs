//! `replay last`: what wrote an entry, cleared or reset it, and what was refused, the newest first.

use replay_store::explain::Basis;
use replay_store::explain::last::{self as store, Change, Last, SCHEMA, What};
use replay_store::name::Name;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::key;
use crate::arguments::Place;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::place;

/// What `replay last` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    definition: DefinitionSource,
    #[serde(flatten)]
    last: &'a Last,
}

/// Writes the story of an entry.
pub(crate) fn last(
    session: &Session,
    asked: &str,
    moment: &Place,
    json: bool,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let at = place::position(session, moment)?;
    let key = key::known(session, asked, at)?;
    let last = store::last(session, &key, at);
    if json {
        out.json(&Answer { schema: SCHEMA, session: &session.id, definition: session.definition, last: &last })?;
        return Ok(Exit::Fine);
    }
    let count = match last.changes.len() {
        0 => format!("nothing wrote `{key}` up to {at}"),
        1 => format!("1 change of `{key}` up to {at}"),
        count => format!("{count} changes of `{key}` up to {at}, newest first"),
    };
    out.line(&[(Tone::Strong, &count)])?;
    for change in &last.changes {
        line(change, out)?;
    }
    if let Some(next) = session.next_write(&key, at) {
        out.line(&[(Tone::Faint, &format!("written later, at {next}: replay why … {key} --at {next}"))])?;
    }
    Ok(Exit::Fine)
}

fn line(change: &Change, out: &mut Output<'_>) -> Result<(), Failure> {
    let tone = if change.what == What::Refused { Tone::Bad } else { Tone::Normal };
    let turn = change.turn.map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
    let mut marks = vec![turn];
    if change.equal {
        marks.push("the same value again".to_owned());
    }
    if change.locks {
        marks.push("locked by this".to_owned());
    }
    if let Some(at) = change.taken_back {
        marks.push(format!("taken back at {at}"));
    }
    if !change.raw.is_empty() {
        marks.push(format!("raw {}", change.raw.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")));
    }
    if change.basis == Basis::Recomputed {
        marks.push("recomputed".to_owned());
    }
    let position = if out.plain { format!("{} ", change.position) } else { format!("{:>6} ", change.position) };
    let what = if out.plain { format!("{}: ", change.what.word()) } else { format!("{:<9} ", change.what.word()) };
    let marks = format!("  ({})", marks.join(", "));
    out.line(&[(Tone::Normal, &position), (tone, &what), (Tone::Normal, &change.text), (Tone::Faint, &marks)])?;
    Ok(())
}
