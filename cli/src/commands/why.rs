//! `replay why`: why an entry holds what it holds, whether a skill may read it, why a skill or tool is offered or not, why
//! a line of the agent folder is in the prompt or not.

use std::ffi::OsStr;
use std::io;

use replay_store::diagnostic::render::Style;
use replay_store::event::Position;
use replay_store::explain::condition::Condition;
use replay_store::explain::line::why_line;
use replay_store::explain::read::why_read;
use replay_store::explain::report::{Pii, report};
use replay_store::explain::skill::why_skill;
use replay_store::explain::tool::why_tool;
use replay_store::explain::value::why_value;
use replay_store::explain::why::{Answer, SCHEMA, Why};
use replay_store::explain::{Basis, Evidence};
use replay_store::name::Name;
use replay_store::replay::{DefinitionSource, Session};
use serde::Serialize;

use super::{ProfileAnswer, again, key, position_words, profile};
use crate::arguments::{Asked, Global, Place};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::place;

/// What `replay why` answers.
#[derive(Serialize)]
struct AnswerDocument<'a> {
    schema: &'static str,
    session: &'a Name,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    #[serde(flatten)]
    why: &'a Why,
}

/// What is asked on the command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    /// The session, as it was named.
    pub(crate) target: &'a OsStr,
    /// The entry, read, skill, tool or line.
    pub(crate) asked: &'a Asked,
    /// The moment.
    pub(crate) place: &'a Place,
    /// Where the agent folder is, and which profile.
    pub(crate) global: &'a Global,
}

/// How the answer is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// For people.
    Human,
    /// As JSON.
    Json,
    /// As Markdown.
    Report(Pii),
}

/// Writes why it is so.
pub(crate) fn why(
    session: &Session,
    question: &Question<'_>,
    form: Form,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let at = place::position(session, question.place)?;
    let why = answer(session, question.asked, at)?;
    match form {
        Form::Human => text(session, &why, out)?,
        Form::Json => {
            let definition = session.definition;
            let (profile, differs) = (profile(session), session.differs);
            let id = &session.id;
            out.json(&AnswerDocument { schema: SCHEMA, session: id, profile, definition, differs, why: &why })?;
        }
        Form::Report(pii) => {
            let command = again::command(question, at, pii);
            // Everything in a report was made visible.
            out.writer.write_all(report(session, &why, &command, pii).as_bytes())?;
        }
    }
    Ok(Exit::Fine)
}

fn answer(session: &Session, asked: &Asked, at: Position) -> Result<Why, Failure> {
    if let Some(asked) = &asked.line {
        return Ok(why_line(session, &asked.file, asked.line, at));
    }
    Ok(match (&asked.key, &asked.read, &asked.skill, &asked.tool) {
        (Some(key), _, _, _) => match key::resolved(session, key, at)? {
            Ok(key) => why_value(session, &key, at),
            Err(_) => why_value(session, key, at),
        },
        (None, Some(key), Some(skill), _) => why_read(session, key, skill, at),
        (None, _, Some(skill), _) => why_skill(session, skill, at),
        (None, _, None, Some(tool)) => why_tool(session, tool, at),
        (None, _, None, None) => return Err(Failure::NothingAsked),
    })
}

fn text(session: &Session, why: &Why, out: &mut Output<'_>) -> io::Result<()> {
    let agent = session.agent.as_deref();
    let style = if out.color { Style::Colored } else { Style::Plain };
    out.line(&[(tone(why.answer), &why.text)])?;
    out.fact("position", position_words(session, why.position))?;
    if let Some(rule) = &why.rule {
        out.text("")?;
        // What comes back was made visible; the rest is our own colours.
        out.rendered(&rule.render(agent, style))?;
    }
    if !why.tried.is_empty() {
        let tried: Vec<String> = why.tried.iter().map(|tried| tried.id.to_string()).collect();
        out.text("")?;
        out.fact("tried", format!("before that, in order: {}", tried.join(", ")))?;
        for tried in &why.tried {
            out.line(&[(Tone::Faint, &format!("  {:<5} {}", tried.id, tried.text))])?;
        }
    }
    if let Some(visible) = &why.visible_to_active {
        out.text("")?;
        let place = visible.rule.place().map(|place| format!(" at {place}")).unwrap_or_default();
        let active = session.state(why.position).active_skill().cloned();
        let who = active.map_or("a prompt without an active skill".to_owned(), |skill| format!("`{skill}`"));
        out.fact("read now", format!("{} ({}{place})", visible.words(&who), visible.rule.id))?;
    }
    if let Some(condition) = &why.condition {
        condition_text(condition, out)?;
    }
    if let Some(change) = &why.change {
        let place = why.change_at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        out.text("")?;
        out.fact("change", format!("{change}{place}"))?;
    }
    evidence_text(&why.evidence, out)
}

fn tone(answer: Answer) -> Tone {
    if answer.is_there() { Tone::Strong } else { Tone::Bad }
}

fn condition_text(condition: &Condition, out: &mut Output<'_>) -> io::Result<()> {
    out.text("")?;
    out.line(&[(Tone::Strong, "condition")])?;
    for (depth, line) in condition.lines() {
        out.text(&format!("  {}{line}", "  ".repeat(depth)))?;
    }
    Ok(())
}

/// Writes what an answer rests on, a line each: where, whether the record holds it, and what it says.
pub(super) fn evidence_text(evidence: &[Evidence], out: &mut Output<'_>) -> io::Result<()> {
    if evidence.is_empty() {
        return Ok(());
    }
    out.text("")?;
    out.line(&[(Tone::Strong, "evidence")])?;
    for one in evidence {
        let position = one.position.map(|at| at.to_string()).unwrap_or_default();
        let position = if out.plain { format!("  {position} ") } else { format!("  {position:>5} ") };
        let raw: Vec<String> = one.raw.iter().map(u32::to_string).collect();
        let raw = if raw.is_empty() { String::new() } else { format!("  (raw {})", raw.join(", ")) };
        let basis = match one.basis {
            Basis::Recorded => "[recorded]",
            Basis::Recomputed => "[recomputed]",
        };
        let basis = if out.plain { format!("{basis} ") } else { format!("{basis:<12} ") };
        out.line(&[(Tone::Normal, &position), (Tone::Faint, &basis), (Tone::Normal, &one.text), (Tone::Faint, &raw)])?;
    }
    Ok(())
}
