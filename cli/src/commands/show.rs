//! `replay show`: what held at a moment.

use std::collections::BTreeMap;
use std::path::Path;

use replay_store::agent::check;
use replay_store::diagnostic::Severity;
use replay_store::event::{Event, EventKind, Form, Origin, Position};
use replay_store::explain::decisions::{Decision, decisions};
use replay_store::explain::from_call::{FromCall, from_call};
use replay_store::hex;
use replay_store::name::{AUTONOMOUS, Name, split_key};
use replay_store::replay::Emptied;
use replay_store::replay::headline::{Weight, headline};
use replay_store::replay::rows::{MemoryRow, RowState};
use replay_store::replay::taps::{Tap, TapOutcome};
use replay_store::replay::{DefinitionSource, Session};
use replay_store::rule::Rule;
use replay_store::session::{Frame, State};
use replay_store::value::Value;
use serde::Serialize;

use super::check::plural;
use super::conversation::{Utterance, conversation, conversation_text};
use super::decisions::decisions_text;
use super::{FindingAnswer, ProfileAnswer, contradictions, definition_words, findings, position_words, profile};
use crate::arguments::{Global, Place, What};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::place;

/// What is shown where nothing is named.
const DEFAULT: [What; 4] = [What::Event, What::Stack, What::Memory, What::Findings];

/// What `replay show` answers. What wasn't asked for is left out.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    position: Position,
    events: u64,
    turn: Option<u32>,
    active_skill: Option<&'a Name>,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Vec<MemoryRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<FrameAnswer<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Option<EventAnswer<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown_kinds: Option<&'a BTreeMap<Name, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingAnswer<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<Vec<Utterance>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<Decision>>,
}

/// A frame of the stack as JSON has it.
#[derive(Serialize)]
pub(super) struct FrameAnswer<'a> {
    frame: Option<&'a Name>,
    skill: &'a Name,
    block: Option<&'a Name>,
    step: Option<&'a Name>,
    parked: Option<&'static str>,
}

/// An event as JSON has it: its envelope, then the fields of its kind.
#[derive(Serialize)]
pub(super) struct EventAnswer<'a> {
    position: Position,
    time: String,
    turn: Option<u32>,
    cause: Option<Position>,
    raw: Vec<u32>,
    form: Option<Form>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tap: Option<TapAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_call: Option<FromCall>,
    #[serde(flatten)]
    kind: &'a EventKind,
}

/// What came of a tapped button as JSON has it.
#[derive(Serialize)]
struct TapAnswer {
    key: Option<Name>,
    stored_at: Option<Position>,
    rule: Option<Rule>,
    text: String,
}

/// Writes what held at the moment.
pub(crate) fn show(
    session: &Session,
    moment: &Place,
    what: &[What],
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let at = place::position(session, moment)?;
    let state = session.state(at);
    // Holding the record against the agent folder takes a while, so that it is asked for by name.
    let found = match what.contains(&What::Findings) {
        true => findings(session).into_iter().chain(contradictions(session)).collect(),
        false => findings(session),
    };
    let what = if what.is_empty() { &DEFAULT } else { what };
    if global.json {
        let event = session.event(at);
        out.json(&answer(session, (&state, event.as_deref()), what, found))?;
        return Ok(Exit::Fine);
    }
    out.fact("session", &session.id)?;
    out.fact("position", position_words(session, at))?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    for what in what {
        match what {
            What::Event => event_text(session, at, out)?,
            What::Stack => stack_text(&state, out)?,
            What::Memory => memory_text(session, &state, out)?,
            What::Conversation => conversation_text(session, at, out)?,
            What::Decisions => decisions_text(session, at, out)?,
            What::Findings => findings_text(session, &found, global.agent.as_deref(), out)?,
        }
    }
    Ok(Exit::Fine)
}

/// Writes the raw records of the event at the moment, byte for byte, one after the other with a line break behind each.
pub(crate) fn raw(session: &Session, moment: &Place, out: &mut Output<'_>) -> Result<Exit, Failure> {
    if out.terminal {
        return Err(Failure::RawOnTerminal);
    }
    let at = place::position(session, moment)?;
    let indexes = session.event(at).map(|event| event.origin.raw_indexes()).unwrap_or_default();
    for index in indexes {
        let record = session.raw.get(index);
        if let Some(problem) = session.raw.problem() {
            return Err(Failure::RawRecords(problem.to_owned()));
        }
        out.writer.write_all(&record.unwrap_or_default())?;
        out.writer.write_all(b"\n")?;
    }
    Ok(Exit::Fine)
}

/// Writes the raw records of the event at the moment as offset, hex and text.
pub(crate) fn hex(session: &Session, moment: &Place, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let at = place::position(session, moment)?;
    let indexes = session.event(at).map(|event| event.origin.raw_indexes()).unwrap_or_default();
    if indexes.is_empty() {
        out.text(&format!("no raw record stands behind position {at}"))?;
    }
    for index in indexes {
        let record = session.raw.get(index);
        if let Some(problem) = session.raw.problem() {
            return Err(Failure::RawRecords(problem.to_owned()));
        }
        let record = record.unwrap_or_default();
        out.line(&[(Tone::Strong, &format!("raw record {index}, {} bytes", record.len()))])?;
        for row in hex::rows(&record) {
            out.text(&row)?;
        }
    }
    Ok(Exit::Fine)
}

/// Returns the answer of the state and the event that led there.
fn answer<'a>(
    session: &'a Session,
    (state, event): (&'a State, Option<&'a Event>),
    what: &[What],
    found: Vec<FindingAnswer<'a>>,
) -> Answer<'a> {
    let at = state.position;
    let is_wanted = |one: What| what.contains(&one);
    Answer {
        schema: "replay.show/1",
        session: &session.id,
        position: at,
        events: session.end().0,
        turn: state.turn,
        active_skill: state.active_skill(),
        profile: profile(session),
        definition: session.definition,
        differs: session.differs,
        memory: is_wanted(What::Memory).then(|| session.memory_rows(state)),
        stack: is_wanted(What::Stack).then(|| state.stack.iter().map(frame).collect()),
        event: is_wanted(What::Event).then(|| event.map(|event| event_answer(session, event, at))),
        unknown_kinds: is_wanted(What::Findings).then_some(&state.unknown_kinds),
        findings: is_wanted(What::Findings).then_some(found),
        conversation: is_wanted(What::Conversation).then(|| conversation(session, at)),
        decisions: is_wanted(What::Decisions).then(|| decisions(session, at)),
    }
}

/// Returns an entry of the stack as JSON has it.
pub(super) fn frame(frame: &Frame) -> FrameAnswer<'_> {
    FrameAnswer {
        frame: frame.frame.as_ref(),
        skill: &frame.skill,
        block: frame.block.as_ref(),
        step: frame.step.as_ref(),
        parked: frame.parked.map(|parked| parked.word()),
    }
}

impl EventAnswer<'_> {
    /// Returns the event that leads to `position`.
    pub(super) fn of(event: &Event, position: Position) -> EventAnswer<'_> {
        EventAnswer {
            tap: None,
            from_call: None,
            position,
            time: event.time.to_string(),
            turn: event.turn,
            cause: event.cause,
            raw: event.origin.raw_indexes(),
            form: match event.origin {
                Origin::Imported { form, .. } => Some(form),
                Origin::Added | Origin::Recorded => None,
            },
            kind: &event.kind,
        }
    }
}

fn event_answer<'a>(session: &'a Session, event: &'a Event, position: Position) -> EventAnswer<'a> {
    let (tap, from_call) = (session.tap(position).map(tap_answer), from_call(session, position));
    EventAnswer { tap, from_call, ..EventAnswer::of(event, position) }
}

fn tap_answer(tap: Tap) -> TapAnswer {
    let text = tap.words();
    let (stored_at, rule) = match tap.outcome {
        TapOutcome::Stored(at) => (Some(at), None),
        TapOutcome::Skipped { rule, .. } => (None, Some(rule)),
        TapOutcome::Unknown => (None, None),
    };
    TapAnswer { key: tap.key, stored_at, rule, text }
}

fn event_text(session: &Session, at: Position, out: &mut Output<'_>) -> Result<(), Failure> {
    let Some(event) = session.event(at) else {
        out.fact("event", "none yet")?;
        return Ok(());
    };
    let line = headline(&event);
    let raw: Vec<String> = event.origin.raw_indexes().iter().map(u32::to_string).collect();
    let raw = if raw.is_empty() { String::new() } else { format!("  (raw {})", raw.join(", ")) };
    let tone = if line.weight == Weight::Refused { Tone::Bad } else { Tone::Normal };
    let name = if out.plain { "event: " } else { "event     " };
    out.line(&[
        (Tone::Strong, name),
        (tone, line.kind),
        (Tone::Normal, " "),
        (Tone::Normal, &line.text),
        (Tone::Faint, &raw),
    ])?;
    if let Some(tap) = session.tap(at) {
        out.fact("tap", tap.words())?;
    }
    if let Some(from) = from_call(session, at) {
        let said: Vec<String> =
            from.reads.iter().map(|read| format!("{} ({})", read.subject, read.verdict.word())).collect();
        let read = match (said.is_empty(), &session.agent) {
            (false, _) => format!("; its prompt, at {}, read {}", from.call.before, said.join(", ")),
            (true, Some(_)) => format!("; its prompt, at {}, read no memory", from.call.before),
            (true, None) => "; what its prompt read is unknown without an agent folder".to_owned(),
        };
        out.fact("from", format!("{}{read}", from.name))?;
    }
    Ok(())
}

fn stack_text(state: &State, out: &mut Output<'_>) -> Result<(), Failure> {
    if state.stack.is_empty() {
        out.fact("stack", "empty")?;
        return Ok(());
    }
    out.line(&[(Tone::Strong, "stack, bottom first")])?;
    for frame in &state.stack {
        out.text(&format!("  {}", frame_words(frame)))?;
    }
    Ok(())
}

/// Returns the words for an entry of the stack.
pub(super) fn frame_words(frame: &Frame) -> String {
    let block = frame.block.as_ref().map(|block| format!(" block {block}")).unwrap_or_default();
    let step = frame.step.as_ref().map(|step| format!(" at {step}")).unwrap_or_default();
    let parked = frame.parked.map_or(", active".to_owned(), |parked| format!(", parked: {}", parked.word()));
    format!("{}{block}{step}{parked}", frame.skill)
}

fn memory_text(session: &Session, state: &State, out: &mut Output<'_>) -> Result<(), Failure> {
    out.line(&[(Tone::Strong, "memory")])?;
    let mut space = "";
    let rows = session.memory_rows(state);
    for row in &rows {
        let (of, name) = split_key(&row.key).unwrap_or(("", &row.key));
        if of != space {
            space = of;
            out.line(&[(Tone::Normal, "  "), (Tone::Strong, if of.is_empty() { "no namespace" } else { of })])?;
        }
        memory_line(row, name, out)?;
    }
    if rows.is_empty() {
        let emptied = session.emptied(state.position);
        out.text(&format!("  {}", emptied.map_or("nothing yet".to_owned(), Emptied::words)))?;
    }
    Ok(())
}

fn memory_line(row: &MemoryRow, name: &str, out: &mut Output<'_>) -> Result<(), Failure> {
    let value = match row.state {
        RowState::Set | RowState::Initial => row.value.to_json(),
        RowState::NeverWritten | RowState::Cleared => row.state.words().to_owned(),
        RowState::Reset if row.value.is_null() => row.state.words().to_owned(),
        RowState::Reset => format!("{} (reset)", row.value.to_json()),
    };
    let mut marks = vec![row.scope.word().to_owned()];
    if row.state == RowState::Initial {
        marks.push("initial".to_owned());
    }
    if row.locked {
        marks.push("locked".to_owned());
    }
    if row.pii == Some(true) {
        marks.push("pii".to_owned());
    }
    marks.extend(set_words(row));
    if let Some(before) = row.previous {
        let value = row.previous_value.as_deref().map_or_else(|| "null".to_owned(), Value::to_json);
        marks.push(format!("before: {value} at {before}"));
    }
    let name = if out.plain { format!("    {name}: ") } else { format!("    {name:<18} ") };
    let marks = format!("  ({})", marks.join(", "));
    out.line(&[(Tone::Normal, &name), (Tone::Normal, &value), (Tone::Faint, &marks)])?;
    Ok(())
}

/// Returns where and by whom an entry was put into its state; nothing where no event did.
pub(super) fn set_words(row: &MemoryRow) -> Vec<String> {
    let at = row.set_at.map(|at| format!("at {at}"));
    let by = row.set_by.as_ref().map(|by| {
        let tool = by.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let step = by.step.as_ref().filter(|step| **step != AUTONOMOUS);
        let step = step.map(|step| format!(" in step {step}")).unwrap_or_default();
        format!("by {}{tool}{step}", by.actor)
    });
    at.into_iter().chain(by).collect()
}

pub(super) fn findings_text(
    session: &Session,
    found: &[FindingAnswer<'_>],
    folder: Option<&Path>,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    record_findings(found, out)?;
    folder_text(session, folder, out)
}

/// Says how much `check` finds in the agent folder.
pub(super) fn folder_text(session: &Session, folder: Option<&Path>, out: &mut Output<'_>) -> Result<(), Failure> {
    let Some(agent) = &session.agent else { return Ok(()) };
    let found = check::check(agent);
    let count = |severity: Severity| found.iter().filter(|one| one.severity == severity).count();
    let counts = [(count(Severity::Error), "error"), (count(Severity::Warning), "warning")];
    let words: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| plural(*count, word)).collect();
    if !words.is_empty() {
        let folder = folder.map_or_else(|| "DIR".to_owned(), |folder| folder.display().to_string());
        out.fact("folder", format!("{}; see replay check {folder}", words.join(", ")))?;
    }
    Ok(())
}

fn record_findings(found: &[FindingAnswer<'_>], out: &mut Output<'_>) -> Result<(), Failure> {
    if found.is_empty() {
        out.fact("findings", "none in the record; `replay findings` looks into what was decided")?;
        return Ok(());
    }
    out.line(&[(Tone::Strong, "findings")])?;
    for finding in found {
        out.line(&[
            (Tone::Bad, "  "),
            (Tone::Bad, finding.kind.word()),
            (Tone::Normal, ": "),
            (Tone::Normal, &finding.text),
        ])?;
    }
    Ok(())
}
