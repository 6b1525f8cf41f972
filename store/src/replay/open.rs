//! Opening a session: from a recording in memory, or from a log, of which only what is needed is read.

use std::sync::{Arc, Mutex, OnceLock};

use super::begin::Begin;
use super::events::{Events, Stored};
use super::outline::{Builder, Outline};
use super::records::Records;
use super::states::{self, Kept};
use super::{DefinitionSource, Session, missing};
use crate::agent::Agent;
use crate::agent::definition::Definition;
use crate::event::codec::{self, Names};
use crate::event::finding::{Finding, FindingKind};
use crate::event::{Event, Position};
use crate::import::Recording;
use crate::log::{self, Log, LogError};
use crate::name::Name;
use crate::profile::{Profile, ProfileBasis, ProfileChoice};
use crate::session::{State, evolve};

/// What a session brings along beside its events.
pub(super) struct Brought {
    pub(super) id: Name,
    pub(super) raw: Records,
    pub(super) findings: Vec<Finding>,
    pub(super) profile: Option<Profile>,
    pub(super) definition: Option<Definition>,
}

/// What whoever opens a session names.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The agent folder, which wins over the definition that the session brings along.
    pub folder: Option<Arc<Definition>>,
    /// The engine generation, which wins over the session's own.
    pub profile: Option<Profile>,
}

impl Session {
    /// Opens a recording. A `folder` wins over the definition that the recording brings along; `profile` wins over the
    /// recording's own.
    pub fn open(recording: Recording, folder: Option<Arc<Definition>>, profile: Option<Profile>) -> Session {
        let Recording { id, mut events, raw, findings, profile: recorded_profile, definition, recorded_end: _ } =
            recording;
        let raw = Records::in_memory(raw);
        let brought = Brought { id, raw, findings, profile: recorded_profile, definition };
        let mut session = Session::without_events(brought, Named { folder, profile });
        events.iter_mut().for_each(|event| session.begin.apply(event));
        let (kept, outline) = states::fold(&events);
        session.kept = Kept::InMemory(kept);
        session.events = Events::in_memory(events);
        session.settle(outline);
        session
    }

    /// Opens a session of a log: its outline and its end are read, and the rest when it is wanted.
    pub(super) fn of_log(
        log: &Arc<Log>,
        stored: log::Session,
        brought: Brought,
        named: Named,
    ) -> Result<Session, LogError> {
        let mut session = Session::without_events(brought, named);
        let events = Stored::new(Arc::clone(log), stored, session.begin.clone());
        let (mut end, outline) = match resumed(&events)? {
            Resumed::Whole(whole) => *whole,
            Resumed::None => folded(&events)?,
            Resumed::Damaged(what) => {
                let text = format!("the session's outline was made anew from its events: {what}");
                session.findings.push(Finding { kind: FindingKind::Damaged, raw: None, text });
                folded(&events)?
            }
        };
        session.events = Events::Stored(Box::new(events));
        session.begin.rebase(&mut end, &outline, &session.events);
        session.kept = Kept::OfLog(Mutex::new(vec![end]));
        session.settle(outline);
        Ok(session)
    }

    fn without_events(brought: Brought, Named { folder, profile }: Named) -> Session {
        let Brought { id, raw, findings, profile: recorded_profile, definition: embedded } = brought;
        let recorded_with = embedded.as_ref().map(|definition| definition.digest());
        let (source, definition) = match (folder, embedded) {
            (Some(folder), _) => (DefinitionSource::Folder, Some(folder)),
            (None, Some(embedded)) => (DefinitionSource::Embedded, Some(Arc::new(embedded))),
            (None, None) => (DefinitionSource::None, None),
        };
        let differs = match (&definition, recorded_with) {
            (Some(definition), Some(recorded)) => Some(definition.digest() != recorded),
            (_, _) => None,
        };
        let asked = profile.or(recorded_profile);
        let agent = definition.map(|definition| Arc::new(Agent::load(definition, asked)));
        let profile = choose_profile(profile, recorded_profile, agent.as_deref());
        Session {
            id,
            events: Events::in_memory(Vec::new()),
            raw,
            findings,
            turns: Vec::new(),
            begin: Begin::of(agent.as_deref(), profile.profile),
            agent,
            definition: source,
            differs,
            profile,
            kept: Kept::InMemory(Vec::new()),
            outline: Outline::default(),
            taken_back: OnceLock::new(),
            seen: OnceLock::new(),
        }
    }

    /// Takes the outline and finds what it and the definition have to say.
    fn settle(&mut self, mut outline: Outline) {
        self.turns = std::mem::take(&mut outline.turns);
        self.outline = outline;
        if let Some(agent) = &self.agent {
            self.findings.extend(missing::findings(agent, &self.outline));
        }
        self.note_stack_conflicts();
    }

    /// A conflict between the recorded stack and the named events is a finding, unless the reader already knows of a
    /// gap that explains it.
    fn note_stack_conflicts(&mut self) {
        let explained = |finding: &Finding| {
            matches!(
                finding.kind,
                FindingKind::Gap | FindingKind::StackConflict | FindingKind::EndConflict | FindingKind::Cut
            )
        };
        if self.findings.iter().any(explained) {
            return;
        }
        let conflicts = self.state(self.end()).stack_conflicts;
        let (Some(&first), Some(&last)) = (conflicts.first(), conflicts.last()) else { return };
        let raw = |at| self.event(at).and_then(|event| event.origin.raw_indexes().first().copied());
        self.findings.push(Finding {
            kind: FindingKind::StackConflict,
            raw: raw(first).zip(raw(last)),
            text: format!(
                "the recorded stack differs from what the named events give, {} times, first at position {first}",
                conflicts.len()
            ),
        });
    }
}

/// What comes of the outline in a log.
enum Resumed {
    /// The recorded state at the end, and the outline.
    Whole(Box<(State, Outline)>),
    /// There is no outline: the session is short.
    None,
    /// It can't be used: what is wrong.
    Damaged(String),
}

/// Goes on from the outline in the log.
fn resumed(events: &Stored) -> Result<Resumed, LogError> {
    let rows = match events.log.outline(&events.session) {
        Ok(rows) => rows,
        Err(error @ LogError::Damaged { .. }) => return Ok(Resumed::Damaged(error.to_string())),
        Err(other) => return Err(other),
    };
    let Some(last) = rows.last() else { return Ok(Resumed::None) };
    let from = last.end();
    let found = Outline::of_rows(&rows).filter(|_| from <= events.session.event_count);
    let Some((outline, builder)) = found else {
        return Ok(Resumed::Damaged("what the log has isn't that of its events".to_owned()));
    };
    let state = states::checkpoint(events, Position(from))?.unwrap_or_default();
    Ok(Resumed::Whole(Box::new(fold_on(events, (state, outline, builder), from)?)))
}

/// Returns the recorded state at the end and the outline, from all events.
fn folded(events: &Stored) -> Result<(State, Outline), LogError> {
    fold_on(events, (State::default(), Outline::default(), Builder::default()), 0)
}

/// Folds on from a state. The outline reaches to the position `outlined` already.
fn fold_on(
    events: &Stored,
    (mut state, mut outline, mut builder): (State, Outline, Builder),
    outlined: u64,
) -> Result<(State, Outline), LogError> {
    let mut names = Names::default();
    let range = state.position.0..events.session.event_count;
    events.log.read(&events.session, range, |at, payload| {
        let event: Event = codec::decode(payload, &mut names).map_err(|error| error.to_string())?;
        evolve(&mut state, &event);
        if at >= outlined {
            outline.push(&mut builder, &event, &state);
        }
        Ok(())
    })?;
    outline.finish(builder);
    Ok((state, outline))
}

fn choose_profile(flag: Option<Profile>, recorded: Option<Profile>, agent: Option<&Agent>) -> ProfileChoice {
    match (flag, recorded, agent) {
        (Some(profile), _, _) => ProfileChoice { profile, basis: ProfileBasis::Flag },
        (None, Some(profile), _) => ProfileChoice { profile, basis: ProfileBasis::Record },
        (None, None, Some(agent)) => agent.profile,
        (None, None, None) => ProfileChoice { profile: Profile::default(), basis: ProfileBasis::Default },
    }
}
