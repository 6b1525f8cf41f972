//! `replay diff A B`: two sessions side by side, what differs in which turn, the first difference named.

use replay_store::compare::noise::Noise;
use replay_store::compare::sessions::{Difference, Kind, SessionDifference, Sides, sessions};
use replay_store::explain::Evidence;
use replay_store::explain::report::Pii;
use replay_store::name::Name;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::prompt_diff::Length;
use super::report::{Wording, report};
use super::{ProfileAnswer, definition_words, profile};
use crate::compared::{DiffFormat, Ignored};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// What of a difference is wanted, and how.
pub(crate) struct Choice {
    /// The kinds that are shown.
    pub(crate) kinds: Vec<Kind>,
    /// What makes no difference.
    pub(crate) noise: Vec<Noise>,
    /// How it is written for people.
    pub(crate) format: DiffFormat,
    /// How its texts are written.
    pub(crate) wording: Wording,
    /// What a report shows of pii entries.
    pub(crate) pii: Pii,
}

impl Choice {
    /// Returns the choice that the command line makes: all kinds where none is named, and no noise where nothing is
    /// said about it.
    pub(crate) fn of(kinds: &[Kind], ignored: &[Ignored], format: DiffFormat, length: Length, pii: Pii) -> Choice {
        let kinds = if kinds.is_empty() { &Kind::ALL } else { kinds };
        let named = ignored.iter().filter_map(|ignored| match ignored {
            Ignored::Noise(noise) => Some(*noise),
            Ignored::None => None,
        });
        let noise = if ignored.is_empty() { Noise::ALL.to_vec() } else { named.collect() };
        Choice { kinds: kinds.to_vec(), noise, format, wording: Wording::plain(length), pii }
    }
}

/// What `replay diff A B` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    a: SessionAnswer<'a>,
    b: SessionAnswer<'a>,
    ignored: &'a [Noise],
    kinds: &'a [Kind],
    prompts_compared: bool,
    equal: bool,
    first: Option<&'a Difference>,
    differences: Vec<&'a Difference>,
}

/// A session as JSON has it.
#[derive(Serialize)]
struct SessionAnswer<'a> {
    path: &'a str,
    session: &'a Name,
    events: u64,
    cut: bool,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
}

/// Writes how two sessions differ, each with the name that it was opened by.
pub(crate) fn diff(
    a: (&str, &Session),
    b: (&str, &Session),
    choice: &Choice,
    is_json: bool,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let found = sessions(a.1, b.1, &choice.noise);
    let differences: Vec<&Difference> =
        found.differences.iter().filter(|each| choice.kinds.contains(&each.kind)).collect();
    let exit = if differences.is_empty() { Exit::Fine } else { Exit::No };
    if is_json {
        out.json(&Answer {
            schema: "replay.diff/1",
            a: session_answer(a, found.is_cut.0),
            b: session_answer(b, found.is_cut.1),
            ignored: &choice.noise,
            kinds: &choice.kinds,
            prompts_compared: found.has_prompts,
            equal: differences.is_empty(),
            first: differences.first().copied(),
            differences,
        })?;
        return Ok(exit);
    }
    match choice.format {
        DiffFormat::Human | DiffFormat::Unified => text((a, b), &found, &differences, (choice, &choice.wording), out)?,
        DiffFormat::Md => {
            let title = "Two sessions compared";
            let how = (choice.wording.length, choice.pii);
            report(title, &[a.1, b.1], how, out, |wording, out| {
                text((a, b), &found, &differences, (choice, wording), out)
            })?;
        }
    }
    Ok(exit)
}

/// A session with the name that it was opened by.
type Named<'a> = (&'a str, &'a Session);

fn text(
    (a, b): (Named<'_>, Named<'_>),
    found: &SessionDifference,
    differences: &[&Difference],
    (choice, wording): (&Choice, &Wording),
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    head(a, b, found, differences, choice, out)?;
    for (index, each) in differences.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| differences[index]);
        if before.is_none_or(|before| before.turn != each.turn || before.user_message != each.user_message) {
            out.text("")?;
            out.line(&[(Tone::Strong, &turn_words(each))])?;
        }
        write(each, choice.format, wording, out)?;
    }
    Ok(())
}

fn session_answer<'a>((path, session): (&'a str, &'a Session), cut: bool) -> SessionAnswer<'a> {
    SessionAnswer {
        path,
        session: &session.id,
        events: session.end().0,
        cut,
        profile: profile(session),
        definition: session.definition,
        differs: session.differs,
    }
}

fn head(
    a: (&str, &Session),
    b: (&str, &Session),
    found: &SessionDifference,
    differences: &[&Difference],
    choice: &Choice,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    for (name, (path, session), is_cut) in [("A", a, found.is_cut.0), ("B", b, found.is_cut.1)] {
        let cut = if is_cut { "; cut, so that what comes later in the other one is not compared" } else { "" };
        out.fact(name, format!("{path}: session {}, {} events{cut}", session.id, session.end()))?;
        out.fact("", format!("agent: {}; profile: {}", definition_words(session), session.profile))?;
    }
    let ignored: Vec<&str> = choice.noise.iter().map(|noise| noise.word()).collect();
    match ignored.is_empty() {
        true => out.fact("ignored", "nothing")?,
        false => out.fact("ignored", format!("{} (--ignore none compares them, too)", ignored.join(", ")))?,
    }
    if !found.has_prompts {
        out.fact("unknown", "prompts and offers: one of the two has no agent folder; name it with --agent DIR")?;
    }
    let counts: Vec<String> = Kind::ALL
        .into_iter()
        .map(|kind| (kind, differences.iter().filter(|each| each.kind == kind).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.word()))
        .collect();
    match differences.first() {
        None => out.fact("differ", "in nothing")?,
        Some(first) => {
            out.fact("differ", format!("in {}: {}", differences.len(), counts.join(", ")))?;
            out.fact("first", format!("{}: {} {}", turn_words(first), first.kind.word(), first.subject))?;
        }
    }
    Ok(())
}

/// Returns where a difference is: `user message 2, turn 3`, and both sides where they aren't the same.
fn turn_words(of: &Difference) -> String {
    let message = numbered("user message", &of.user_message);
    let message = if of.user_message.a.or(of.user_message.b) == Some(0) {
        "before the first user message".to_owned()
    } else {
        message
    };
    match (of.turn.a, of.turn.b) {
        (None, None) => message,
        (_, _) => format!("{message}, {}", numbered("turn", &of.turn)),
    }
}

fn numbered<T: PartialEq + std::fmt::Display>(name: &str, sides: &Sides<T>) -> String {
    match (&sides.a, &sides.b) {
        (Some(a), Some(b)) if a == b => format!("{name} {a}"),
        (Some(a), Some(b)) => format!("{name} {a} in A, {b} in B"),
        (Some(a), None) => format!("{name} {a} in A only"),
        (None, Some(b)) => format!("{name} {b} in B only"),
        (None, None) => format!("no {name}"),
    }
}

fn write(each: &Difference, format: DiffFormat, wording: &Wording, out: &mut Output<'_>) -> Result<(), Failure> {
    let (kind, subject) = (each.kind.word(), each.subject.as_str());
    match format {
        DiffFormat::Human => {
            out.line(&[(Tone::Normal, &format!("  {kind:<9}")), (Tone::Strong, subject)])?;
            side(("    A  ", Tone::Removed), each, &each.evidence.a, wording, out)?;
            side(("    B  ", Tone::Added), each, &each.evidence.b, wording, out)
        }
        DiffFormat::Unified | DiffFormat::Md => {
            out.line(&[(Tone::Faint, &format!("@@ {kind} {subject} @@"))])?;
            for (lead, evidence, tone) in
                [("- ", &each.evidence.a, Tone::Removed), ("+ ", &each.evidence.b, Tone::Added)]
            {
                if evidence.is_some() {
                    side((lead, tone), each, evidence, wording, out)?;
                }
            }
            Ok(())
        }
    }
}

fn side(
    (lead, tone): (&str, Tone),
    of: &Difference,
    evidence: &Option<Evidence>,
    wording: &Wording,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let Some(evidence) = evidence else {
        return Ok(out.line(&[(tone, lead), (Tone::Faint, "nothing")])?);
    };
    let at = evidence.position.map(|at| format!("  (at {at}, {})", evidence.basis.word())).unwrap_or_default();
    let nothing = ["never written", "cleared", "reset"];
    let shown = match of.kind {
        Kind::State if !nothing.contains(&evidence.text.as_str()) => wording.value(&of.subject, &evidence.text),
        Kind::State | Kind::Decision | Kind::Skill | Kind::Tool | Kind::Prompt | Kind::Text => {
            wording.text(&evidence.text)
        }
    };
    Ok(out.line(&[(tone, lead), (tone, &shown), (Tone::Faint, &at)])?)
}
