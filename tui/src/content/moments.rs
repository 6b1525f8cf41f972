//! What is different between two moments of the session, as a sheet.

use replay_store::compare::states::{OfferChange, StateDifference};
use replay_store::compare::words::Change;
use replay_store::replay::rows::{MemoryRow, RowState};
use replay_store::session::Frame;

use crate::fold::short;
use crate::sheet::{Link, Sheet};
use crate::theme::Tone;

/// Returns a difference as a sheet.
pub(crate) fn sheet(difference: &StateDifference) -> Sheet {
    let (from, to) = (difference.from, difference.to);
    let at = to.to_string();
    let mut sheet = Sheet::new(format!("difference from {from} to {to}"), &["show", "{}", "--at", &at]);
    let between = &difference.between;
    let words = format!(
        "between them: {} events, {} user messages, {} agent messages, {} tool calls, {} rewinds or new starts",
        between.events, between.user_messages, between.agent_messages, between.tool_calls, between.rewinds
    );
    sheet.line(Tone::Quiet, &words, None);
    if difference.is_empty() {
        sheet.line(Tone::Strong, "memory, stack, offers and prompt are the same at both", None);
        return sheet;
    }
    if !difference.memory.is_empty() {
        sheet.heading("memory");
    }
    for change in &difference.memory {
        let link = change.to.set_at.or(change.from.set_at).map(Link::Event);
        let key = format!("{}: ", change.key);
        let parts = [(Tone::Memory, key.as_str()), (Tone::Quiet, &value(&change.from)), (Tone::Changed, " → ")];
        let new = value(&change.to);
        let since = change.to.set_at.map(|at| format!("  at {at}")).unwrap_or_default();
        sheet.parts(&[&parts[..], &[(Tone::Plain, new.as_str()), (Tone::Quiet, &since)]].concat(), link);
    }
    if let Some(stack) = &difference.stack {
        sheet.heading("stack");
        sheet.parts(
            &[(Tone::Quiet, &format!("at {from}: ")), (Tone::Skill, &frames(&stack.from))],
            Some(Link::Event(from)),
        );
        sheet.parts(&[(Tone::Quiet, &format!("at {to}: ")), (Tone::Skill, &frames(&stack.to))], Some(Link::Event(to)));
    }
    for (title, offers) in [("skills on offer", &difference.skills), ("tools on offer", &difference.tools)] {
        let Some(offers) = offers.as_ref().filter(|offers| !offers.is_empty()) else { continue };
        sheet.heading(title);
        for offer in offers {
            sheet.line(Tone::Plain, &words_of(offer), None);
        }
    }
    if difference.prompt.as_ref().is_some_and(|prompt| !prompt.is_empty()) {
        sheet.heading("prompt");
        sheet.line(Tone::Plain, "a model call would get another one; P in the prompt shows what changed", None);
    }
    sheet
}

fn value(row: &MemoryRow) -> String {
    match row.state {
        RowState::Set | RowState::Initial => short(&row.value),
        RowState::Reset if !row.value.is_null() => format!("{} (reset)", short(&row.value)),
        RowState::NeverWritten | RowState::Cleared | RowState::Reset => row.state.words().to_owned(),
    }
}

fn frames(frames: &[Frame]) -> String {
    let name = |frame: &Frame| match &frame.block {
        Some(block) => format!("{}/{block}", frame.skill),
        None => frame.skill.to_string(),
    };
    match frames {
        [] => "no skill is active".to_owned(),
        _ => frames.iter().map(name).collect::<Vec<_>>().join(" > "),
    }
}

fn words_of(offer: &OfferChange) -> String {
    let change = match offer.change {
        Change::Same => "the same",
        Change::Removed => "no longer",
        Change::Added => "now",
    };
    let why = offer.to.as_deref().or(offer.from.as_deref());
    let why = why.map_or_else(String::new, |why| format!(" ({why})"));
    format!("{}: {change}{why}", offer.name)
}
