//! `replay show --follow`: a line for each event of a log as it is appended.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use replay_store::event::codec::{self, Names};
use replay_store::event::{Event, Position};
use replay_store::log::{Followed, Follower, Log, LogError};
use replay_store::name::Name;
use replay_store::replay::headline::{Weight, headline};
use serde::Serialize;

use super::show::EventAnswer;
use crate::arguments::{At, Place};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::target::{self, Target};

/// How many events are shown that are there already.
const LAST: u64 = 10;

/// How long an event is waited for at a time.
const LONG: Duration = Duration::from_secs(1);

/// An event that was appended, as JSON has it.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    session: &'a Name,
    event: EventAnswer<'a>,
}

/// Writes events as they are appended, until the reader goes away or the log does.
pub(crate) fn follow(target: &Target, place: &Place, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let no_log = || Failure::FollowsNoLog { path: target.place.to_string() };
    let target::Place::File(path) = &target.place else { return Err(no_log()) };
    let start = start(path, target, place).map_err(|failure| match failure {
        Failure::Log(LogError::NotALog(_)) => no_log(),
        other => other,
    });
    let mut follower = Follower::new(path, start?);
    let mut names = Names::default();
    loop {
        let count = follower.wait(LONG, |followed| {
            if target.id.as_ref().is_some_and(|id| *id != **followed.session) {
                return Ok(());
            }
            let event = event(path, &followed, &mut names)?;
            write(&followed, &event, json, out)
        })?;
        if count > 0 {
            out.writer.flush()?;
        }
    }
}

/// Returns behind how many events of each session the lines begin.
fn start(path: &Path, target: &Target, place: &Place) -> Result<BTreeMap<Name, u64>, Failure> {
    let log = Log::open(path)?;
    if let Some(damage) = log.tail_damage() {
        return Err(LogError::Damaged { path: path.to_owned(), damage: damage.clone() }.into());
    }
    let sessions = log.sessions()?;
    if let Some(id) = &target.id
        && !sessions.iter().any(|session| *session.id == **id)
    {
        let ids = sessions.iter().map(|session| session.id.to_string()).collect();
        return Err(Failure::NoSuchSession { path: path.display().to_string(), id: id.clone(), ids });
    }
    let from = |count: u64| match place.at {
        None => Ok(count.saturating_sub(LAST)),
        Some(At::Position(at)) => Ok(at),
        Some(At::Raw(_)) => Err(Failure::FollowsFromRaw),
    };
    sessions.into_iter().map(|session| Ok((session.id, from(session.event_count)?))).collect()
}

fn event(path: &Path, followed: &Followed<'_>, names: &mut Names) -> Result<Event, Failure> {
    codec::decode(followed.payload, names).map_err(|error| {
        let range = followed.position..followed.position + 1;
        let place = replay_store::log::Place::Events(followed.session.clone(), range);
        place.damaged(path, error.to_string()).into()
    })
}

fn write(followed: &Followed<'_>, event: &Event, json: bool, out: &mut Output<'_>) -> Result<(), Failure> {
    let (session, position) = (followed.session, Position(followed.position + 1));
    if json {
        let event = EventAnswer::of(event, position);
        out.json(&Line { schema: "replay.event/1", session, event })?;
        return Ok(());
    }
    let line = headline(event);
    let tone = if line.weight == Weight::Refused { Tone::Bad } else { Tone::Normal };
    out.line(&[
        (Tone::Strong, session),
        (Tone::Faint, &format!("  {position}  {}  ", event.time)),
        (tone, line.kind),
        (tone, "  "),
        (tone, &line.text),
    ])?;
    Ok(())
}
