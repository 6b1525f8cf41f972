//! `replay diff SESSION --from N --to M`: what changed between two moments of a session.

use replay_store::compare::prompts::PromptDifference;
use replay_store::compare::sessions::Kind;
use replay_store::compare::states::{Between, MemoryChange, OfferChange, StateDifference, states};
use replay_store::compare::words::Change;
use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::replay::rows::{MemoryRow, RowState};
use replay_store::replay::{DefinitionSource, Session};
use replay_store::session::Frame;
use serde::Serialize;

use super::check::plural;
use super::diff::Choice;
use super::prompt_diff::{self, PartAnswer};
use super::report::{Wording, report};
use super::show::{self, FrameAnswer};
use super::{ProfileAnswer, definition_words, position_words, profile};
use crate::compared::DiffFormat;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// What `replay diff SESSION --from --to` answers. What the kinds leave out is absent, what isn't known is null.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    from: Position,
    to: Position,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    equal: bool,
    between: Between,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<&'a [MemoryChange]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Option<StackAnswer<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Option<&'a [OfferChange]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Option<&'a [OfferChange]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<Option<PromptAnswer<'a>>>,
}

/// Two stacks as JSON has them.
#[derive(Serialize)]
struct StackAnswer<'a> {
    from: Vec<FrameAnswer<'a>>,
    to: Vec<FrameAnswer<'a>>,
}

/// Two prompts as JSON has them.
#[derive(Serialize)]
struct PromptAnswer<'a> {
    removed: usize,
    added: usize,
    parts: Vec<PartAnswer<'a>>,
}

/// Writes what changed.
pub(crate) fn diff(
    session: &Session,
    (from, to): (Position, Position),
    choice: &Choice,
    is_json: bool,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let mut found = states(session, from, to);
    keep(&mut found, &choice.kinds);
    match choice.format {
        _ if is_json => out.json(&answer(session, &found, &choice.kinds))?,
        DiffFormat::Human | DiffFormat::Unified => text(session, &found, (choice, &choice.wording), out)?,
        DiffFormat::Md => {
            let title = format!("Positions {} and {} of {} compared", found.from, found.to, session.id);
            let how = (choice.wording.length, choice.pii);
            report(&title, &[session], how, out, |wording, out| text(session, &found, (choice, wording), out))?;
        }
    }
    Ok(if found.is_empty() { Exit::Fine } else { Exit::No })
}

/// Drops the kinds that are not wanted.
fn keep(found: &mut StateDifference, kinds: &[Kind]) {
    if !kinds.contains(&Kind::State) {
        found.memory.clear();
    }
    if !kinds.contains(&Kind::Skill) {
        found.stack = None;
    }
    if !kinds.contains(&Kind::Decision) {
        found.skills = None;
        found.tools = None;
    }
    if !kinds.contains(&Kind::Prompt) {
        found.prompt = None;
    }
}

fn answer<'a>(session: &'a Session, found: &'a StateDifference, kinds: &[Kind]) -> Answer<'a> {
    let wants = |kind| kinds.contains(&kind);
    let frames = |stack: &'a [Frame]| stack.iter().map(show::frame).collect();
    let stack = found.stack.as_ref().map(|stack| StackAnswer { from: frames(&stack.from), to: frames(&stack.to) });
    Answer {
        schema: "replay.state-diff/1",
        session: &session.id,
        from: found.from,
        to: found.to,
        profile: profile(session),
        definition: session.definition,
        differs: session.differs,
        equal: found.is_empty(),
        between: found.between,
        memory: wants(Kind::State).then_some(&found.memory),
        stack: wants(Kind::Skill).then_some(stack),
        skills: wants(Kind::Decision).then_some(found.skills.as_deref()),
        tools: wants(Kind::Decision).then_some(found.tools.as_deref()),
        prompt: wants(Kind::Prompt).then(|| found.prompt.as_ref().map(prompt_answer)),
    }
}

fn prompt_answer(difference: &PromptDifference) -> PromptAnswer<'_> {
    let (removed, added) = difference.counts();
    PromptAnswer { removed, added, parts: difference.parts.iter().map(prompt_diff::part).collect() }
}

/// What is wanted, and how texts are written.
type How<'a> = (&'a Choice, &'a Wording);

fn text(
    session: &Session,
    found: &StateDifference,
    (choice, wording): How<'_>,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    out.fact("session", &session.id)?;
    out.fact("from", position_words(session, found.from))?;
    out.fact("to", position_words(session, found.to))?;
    out.fact("between", between_words(found.between))?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    if found.is_empty() {
        return Ok(out.fact("changed", "nothing")?);
    }
    match choice.format {
        DiffFormat::Human => human(found, wording, out)?,
        DiffFormat::Unified | DiffFormat::Md => unified(found, wording, out)?,
    }
    let Some(prompt) = found.prompt.as_ref().filter(|prompt| !prompt.is_empty()) else { return Ok(()) };
    let (removed, added) = prompt.counts();
    let parts: Vec<&str> = prompt.parts.iter().filter(|part| !part.is_empty()).map(|part| part.name.word()).collect();
    if choice.kinds == [Kind::Prompt] {
        return prompt_diff::parts_text(prompt, wording, out);
    }
    let names = parts.join(", ");
    Ok(out.fact("prompt", format!("{removed} lines removed, {added} added in {names}; --kind prompt shows them"))?)
}

/// Writes what differs, one line for each entry and offer.
fn human(found: &StateDifference, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    if !found.memory.is_empty() {
        out.line(&[(Tone::Strong, "memory")])?;
        found.memory.iter().try_for_each(|change| memory(change, wording, out))?;
    }
    if let Some(stack) = &found.stack {
        out.line(&[(Tone::Strong, "stack, bottom first")])?;
        frames(("  - ", Tone::Removed), &stack.from, out)?;
        frames(("  + ", Tone::Added), &stack.to, out)?;
    }
    for (title, offers) in [("may be activated", &found.skills), ("tools offered", &found.tools)] {
        let Some(offers) = offers.as_ref().filter(|offers| !offers.is_empty()) else { continue };
        out.line(&[(Tone::Strong, title)])?;
        offers.iter().try_for_each(|change| offer("  ", change, wording, out))?;
    }
    Ok(())
}

/// Writes what differs as removed and added lines.
fn unified(found: &StateDifference, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    let head = |kind: Kind, subject: &str, out: &mut Output<'_>| {
        out.line(&[(Tone::Faint, &format!("@@ {} {subject} @@", kind.word()))])
    };
    for change in &found.memory {
        head(Kind::State, &change.key, out)?;
        for (lead, tone, row) in [("- ", Tone::Removed, &change.from), ("+ ", Tone::Added, &change.to)] {
            out.line(&[(tone, lead), (tone, &held(row, wording)), (Tone::Faint, &set_by(row))])?;
        }
    }
    if let Some(stack) = &found.stack {
        head(Kind::Skill, "stack, bottom first", out)?;
        frames(("- ", Tone::Removed), &stack.from, out)?;
        frames(("+ ", Tone::Added), &stack.to, out)?;
    }
    for (subject, offers) in [("may be activated", &found.skills), ("tools offered", &found.tools)] {
        let Some(offers) = offers.as_ref().filter(|offers| !offers.is_empty()) else { continue };
        head(Kind::Decision, subject, out)?;
        offers.iter().try_for_each(|change| offer("", change, wording, out))?;
    }
    Ok(())
}

fn frames((lead, tone): (&str, Tone), frames: &[Frame], out: &mut Output<'_>) -> Result<(), Failure> {
    for frame in frames {
        out.line(&[(tone, lead), (tone, &show::frame_words(frame))])?;
    }
    if frames.is_empty() {
        out.line(&[(tone, lead), (Tone::Faint, "empty")])?;
    }
    Ok(())
}

fn between_words(between: Between) -> String {
    let counts = [
        (between.user_messages, "user message"),
        (between.agent_messages, "agent message"),
        (between.tool_calls, "tool call"),
        (between.rewinds, "rewind or session start"),
    ];
    let count = |(count, word): (u64, &str)| plural(count as usize, word);
    let counts: Vec<String> = counts.into_iter().filter(|(count, _)| *count > 0).map(count).collect();
    let events = plural(between.events as usize, "event");
    if counts.is_empty() { events } else { format!("{events}: {}", counts.join(", ")) }
}

fn memory(change: &MemoryChange, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    let later = if change.from.set_at <= change.to.set_at { &change.to } else { &change.from };
    out.line(&[
        (Tone::Normal, "  "),
        (Tone::Strong, &change.key),
        (Tone::Normal, ": "),
        (Tone::Removed, &held(&change.from, wording)),
        (Tone::Normal, " -> "),
        (Tone::Added, &held(&change.to, wording)),
        (Tone::Faint, &set_by(later)),
    ])?;
    Ok(())
}

fn held(row: &MemoryRow, wording: &Wording) -> String {
    let locked = if row.locked { ", locked" } else { "" };
    let value = value_words(row);
    let shown = if row.value.is_null() { wording.text(&value) } else { wording.value(&row.key, &value) };
    format!("{shown}{locked}")
}

/// Returns where a value comes from, in parentheses; nothing where nothing set it.
fn set_by(row: &MemoryRow) -> String {
    let by = show::set_words(row).join(", ");
    if by.is_empty() { by } else { format!("  ({by})") }
}

fn value_words(row: &MemoryRow) -> String {
    match row.state {
        RowState::Set => row.value.to_json(),
        RowState::Initial => format!("{} (initial)", row.value.to_json()),
        RowState::Reset if !row.value.is_null() => format!("{} (reset)", row.value.to_json()),
        RowState::NeverWritten | RowState::Cleared | RowState::Reset => row.state.words().to_owned(),
    }
}

fn offer(indent: &str, offer: &OfferChange, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    let (lead, tone) = match offer.change {
        Change::Removed => ("- ", Tone::Removed),
        Change::Added | Change::Same => ("+ ", Tone::Added),
    };
    let why = offer.to.as_ref().map(|why| format!(": {}", wording.text(why))).unwrap_or_default();
    let since = offer
        .since
        .as_ref()
        .and_then(|cause| Some(format!("  (since {}, {})", cause.position?, wording.text(&cause.text))));
    let lead = format!("{indent}{lead}");
    out.line(&[(tone, &lead), (tone, &offer.name), (Tone::Normal, &why), (Tone::Faint, &since.unwrap_or_default())])?;
    Ok(())
}
