//! What user and agent said, turn by turn, with what ran in each turn and what went wrong there.

use std::collections::BTreeMap;

use replay_store::event::{EventKind, Position, ToolOutcome};
use replay_store::name::Name;
use replay_store::replay::Session;
use replay_store::replay::turns::CallKind;
use replay_store::session::{State, evolve};
use replay_store::visible::lines;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, Tone};

/// Something that was said.
#[derive(Serialize)]
pub(super) struct Utterance {
    position: Position,
    turn: Option<u32>,
    speaker: &'static str,
    text: String,
    /// The event that took it back, where one did.
    taken_back_at: Option<Position>,
}

/// Returns what user and agent said up to `at`, in order.
pub(super) fn conversation(session: &Session, at: Position) -> Vec<Utterance> {
    let said = session.events_in(..=at).filter_map(|(position, event)| {
        let (speaker, text) = match &event.kind {
            EventKind::UserMessage { text, .. } => ("user", text),
            EventKind::AgentMessage { text, .. } => ("agent", text),
            _ => return None,
        };
        let taken_back_at = session.taken_back(position).filter(|by| *by <= at);
        Some(Utterance { position, turn: event.turn, speaker, text: text.clone(), taken_back_at })
    });
    said.collect()
}

/// Writes what was said up to `at`.
pub(super) fn conversation_text(session: &Session, at: Position, out: &mut Output<'_>) -> Result<(), Failure> {
    let deeds = deeds(session, at);
    let mut turn = None;
    for utterance in conversation(session, at) {
        if utterance.turn.is_some() && utterance.turn != turn {
            turn = utterance.turn;
            let number = turn.unwrap_or_default();
            turn_heading(session, number, deeds.get(&number), out)?;
        }
        let speaker = format!("  {:<6} ", utterance.speaker);
        let taken = utterance.taken_back_at.map(|at| format!(" (taken back at {at})")).unwrap_or_default();
        let rows: Vec<&str> = lines(&utterance.text).collect();
        for (row, line) in rows.iter().enumerate() {
            let lead = if row == 0 { speaker.as_str() } else { "         " };
            let end = if row + 1 == rows.len() { taken.as_str() } else { "" };
            let tone = if taken.is_empty() { Tone::Normal } else { Tone::Faint };
            out.line(&[(Tone::Faint, lead), (tone, line), (Tone::Bad, end)])?;
        }
    }
    Ok(())
}

/// What ran in a turn, and what went wrong.
#[derive(Default)]
struct Deeds {
    skills: Vec<Name>,
    declined: Vec<Name>,
    failed: Vec<Name>,
    interrupted: Vec<Name>,
}

/// Returns what the turns up to `at` did. A skill ran in a turn if it was the active one after an event of it.
fn deeds(session: &Session, at: Position) -> BTreeMap<u32, Deeds> {
    let mut turns: BTreeMap<u32, Deeds> = BTreeMap::new();
    let mut state = State::default();
    for (_, event) in session.events_in(..=at) {
        evolve(&mut state, &event);
        let Some(turn) = event.turn else { continue };
        let deeds = turns.entry(turn).or_default();
        if let Some(active) = state.active_skill().filter(|active| !deeds.skills.contains(active)) {
            deeds.skills.push(active.clone());
        }
        match &event.kind {
            EventKind::ToolReturned { tool, outcome: ToolOutcome::Declined, .. } => deeds.declined.push(tool.clone()),
            EventKind::ToolReturned { tool, outcome: ToolOutcome::Failed, .. } => deeds.failed.push(tool.clone()),
            EventKind::SkillInterrupted { skill, .. } => deeds.interrupted.push(skill.clone()),
            _ => {}
        }
    }
    turns
}

fn turn_heading(session: &Session, number: u32, deeds: Option<&Deeds>, out: &mut Output<'_>) -> Result<(), Failure> {
    let heading = format!("turn {number}");
    let calls = session.turn(number).map(|turn| turn.calls.as_slice()).unwrap_or_default();
    let count = |kind| calls.iter().filter(|call| call.kind == kind).count();
    let failed = count(CallKind::Failed);
    let calls = match count(CallKind::Answer) + failed {
        0 => ", no model call".to_owned(),
        1 => ", 1 model call".to_owned(),
        many => format!(", {many} model calls"),
    };
    let calls = match count(CallKind::Rephrase) {
        0 => calls,
        1 => format!("{calls}, 1 rephrase"),
        many => format!("{calls}, {many} rephrases"),
    };
    let mut line = vec![(Tone::Strong, heading), (Tone::Faint, calls)];
    if failed > 0 {
        line.push((Tone::Bad, format!(", {failed} failed")));
    }
    if let Some(deeds) = deeds {
        let skills = deeds.skills.iter().map(|skill| &**skill).collect::<Vec<_>>().join(", ");
        if !skills.is_empty() {
            line.push((Tone::Faint, format!("; {skills}")));
        }
        for (word, names) in
            [("declined", &deeds.declined), ("failed", &deeds.failed), ("interrupted", &deeds.interrupted)]
        {
            if !names.is_empty() {
                let names = names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
                line.push((Tone::Bad, format!("; {word}: {names}")));
            }
        }
    }
    let stretches: Vec<(Tone, &str)> = line.iter().map(|(tone, text)| (*tone, text.as_str())).collect();
    out.line(&stretches)?;
    Ok(())
}
