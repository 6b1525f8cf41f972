//! `replay show --what decisions`: what was decided in the step to a moment.

use replay_store::event::Position;
use replay_store::explain::decisions::{Decision, Verdict, decisions};
use replay_store::explain::from_call::caller;
use replay_store::replay::Session;

use crate::failure::Failure;
use crate::output::{Output, Tone};

/// Writes each read, write, gate, lock, skill and tool that was decided, with its rule and line.
pub(super) fn decisions_text(session: &Session, at: Position, out: &mut Output<'_>) -> Result<(), Failure> {
    let found = decisions(session, at);
    if found.is_empty() {
        let why =
            if session.agent.is_none() { "none in the record; a folder may tell more (--agent DIR)" } else { "none" };
        out.fact("decisions", why)?;
        return from(session, at, out);
    }
    out.line(&[(Tone::Strong, "decisions")])?;
    for decision in &found {
        text(decision, out)?;
    }
    from(session, at, out)
}

/// Names the call that the event comes from: what its prompt read was decided where it was made.
fn from(session: &Session, at: Position, out: &mut Output<'_>) -> Result<(), Failure> {
    if let Some((turn, call)) = caller(session, at) {
        let name = turn.call_name(call);
        out.fact("from", format!("{name}: what its prompt read was decided at {}", call.before))?;
    }
    Ok(())
}

fn text(decision: &Decision, out: &mut Output<'_>) -> Result<(), Failure> {
    let tone = match decision.verdict {
        verdict if verdict.is_trouble() => Tone::Bad,
        Verdict::Closed | Verdict::Withheld => Tone::Strong,
        _ => Tone::Normal,
    };
    let words = format!("  {} {}", decision.kind.word(), decision.verdict.word());
    let words = if out.plain { words } else { format!("{words:<17}") };
    let basis = format!(" ({})", decision.basis.word());
    out.line(&[
        (tone, &words),
        (Tone::Normal, " "),
        (Tone::Strong, &decision.subject),
        (Tone::Normal, ": "),
        (Tone::Normal, &decision.text),
        (Tone::Faint, &basis),
    ])?;
    if let Some(condition) = &decision.condition {
        for (depth, line) in condition.lines().into_iter().skip(1) {
            out.line(&[(Tone::Faint, &"  ".repeat(depth + 2)), (Tone::Faint, &line)])?;
        }
    }
    let line = decision.rule.as_ref().and_then(|rule| Some((rule.id, rule.place()?, rule.source.as_deref()?.trim())));
    if let Some((rule, place, source)) = line {
        out.line(&[(Tone::Faint, "      "), (Tone::Faint, &format!("{rule} {place}: {source}"))])?;
    }
    if let Some(change) = &decision.change {
        let at = decision.change_at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        out.line(&[(Tone::Normal, "      "), (Tone::Normal, &format!("to turn it round, {change}{at}"))])?;
    }
    Ok(())
}
