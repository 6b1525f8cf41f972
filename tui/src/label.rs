//! What an event is, in one row: a glyph, a word for its kind, its subject, and how it ended where that matters.

use replay_store::event::{Event, EventKind, MessageSource, Rewind, Tag, ToolCaller, ToolOutcome};
use replay_store::replay::headline::headline;
use replay_store::replay::outline::Mark;
use replay_store::replay::turns::MODEL_CALL_ERROR;

use crate::fold::short;
use crate::line::Line;
use crate::theme::Tone;

/// Glyphs and what they stand for, for the help screen.
pub(crate) const LEGEND: [(&str, &str); 22] = [
    ("─▁▄▇", "in the row on top: the whole session, and how much of each part of it wrote or cleared memory"),
    ("┬ × ▼", "in it: a turn begins; something was refused, declined, cancelled or failed; where we are"),
    ("├", "below it: the skill that was active from there on"),
    ("◉", "in front of a number: a breakpoint stops there; a letter or digit: a mark; =: the pinned position"),
    ("●", "in front of an event: the first one that a model call led to"),
    ("○", "in front of an event: a response that the model reworded (rephrase)"),
    ("!", "in front of an event: the model call failed"),
    ("✎", "a note on the event; a writes one"),
    ("»", "the user said"),
    ("«", "the agent said"),
    ("ƒ", "a tool ran"),
    ("…", "a tool or skill waits and has not run"),
    ("=", "a memory entry was written"),
    ("∅", "a memory entry was cleared or reset"),
    ("▶", "a skill was activated"),
    ("■", "a skill was completed"),
    ("×", "something was refused, declined, cancelled or failed"),
    ("‖", "a skill or block was interrupted: the user changed the topic"),
    ("▷", "an interrupted skill or block was resumed"),
    ("[", "an ordered block was entered; ] completed"),
    ("≡", "the record's own view of the stack"),
    ("?", "a kind that this version doesn't know; kept as it is"),
];

/// Returns the row for an event.
pub(crate) fn label(event: &Event) -> Line {
    let line = Line::new();
    match &event.kind {
        EventKind::SessionStarted { .. } => line.own(Tone::Strong, "◆ session started"),
        EventKind::SessionEnded => line.own(Tone::Strong, "◇ session ended"),
        EventKind::UserMessage { text, .. } => line.own(Tone::User, "» ").foreign(Tone::User, text),
        EventKind::AgentMessage { response: Some(response), text, .. } if *response == MODEL_CALL_ERROR => {
            line.own(Tone::Bad, "« model call failed: ").foreign(Tone::Agent, text)
        }
        EventKind::AgentMessage { text, .. } => line.own(Tone::Agent, "« ").foreign(Tone::Agent, text),
        EventKind::TurnEnded => line.own(Tone::Quiet, "─ turn ended"),
        EventKind::SkillActivated { skill, .. } => {
            line.own(Tone::Skill, "▶ ").foreign(Tone::Skill, skill).own(Tone::Plain, " activated")
        }
        EventKind::SkillCompleted { skill } => {
            line.own(Tone::Skill, "■ ").foreign(Tone::Skill, skill).own(Tone::Plain, " completed")
        }
        EventKind::SkillCancelled { skill, .. } => {
            line.own(Tone::Skill, "× ").foreign(Tone::Skill, skill).own(Tone::Bad, " cancelled")
        }
        EventKind::SkillInterrupted { skill, .. } => {
            line.own(Tone::Skill, "‖ ").foreign(Tone::Skill, skill).own(Tone::Waiting, " interrupted")
        }
        EventKind::SkillResumed { skill, .. } => {
            line.own(Tone::Skill, "▷ ").foreign(Tone::Skill, skill).own(Tone::Plain, " resumed")
        }
        EventKind::BlockEntered { block, .. } => {
            line.own(Tone::Skill, "[ ").foreign(Tone::Skill, block).own(Tone::Plain, " block entered")
        }
        EventKind::BlockCompleted { block, .. } => {
            line.own(Tone::Skill, "] ").foreign(Tone::Skill, block).own(Tone::Plain, " block completed")
        }
        EventKind::BlockCancelled { block, .. } => {
            line.own(Tone::Skill, "× ").foreign(Tone::Skill, block).own(Tone::Bad, " block cancelled")
        }
        EventKind::BlockInterrupted { block, .. } => {
            line.own(Tone::Skill, "‖ ").foreign(Tone::Skill, block).own(Tone::Waiting, " block interrupted")
        }
        EventKind::BlockResumed { block, .. } => {
            line.own(Tone::Skill, "▷ ").foreign(Tone::Skill, block).own(Tone::Plain, " block resumed")
        }
        EventKind::MemoryWritten { key, value, .. } => line
            .own(Tone::Memory, "= ")
            .foreign(Tone::Memory, key)
            .own(Tone::Quiet, " = ")
            .foreign(Tone::Plain, &short(value)),
        EventKind::MemoryCleared { key, .. } => {
            line.own(Tone::Memory, "∅ ").foreign(Tone::Memory, key).own(Tone::Plain, " cleared")
        }
        EventKind::ToolReturned { tool, outcome, error, result, .. } => {
            tool_row(tool, *outcome, error.as_deref().unwrap_or(result))
        }
        EventKind::StackPatched { frames, .. } => {
            let line = line.own(Tone::Quiet, "≡ stack recorded: ");
            match frames {
                Some(frames) => line
                    .number(Tone::Quiet, frames.len())
                    .own(Tone::Quiet, if frames.len() == 1 { " frame" } else { " frames" }),
                None => line.own(Tone::Bad, "its patch doesn't fit"),
            }
        }
        EventKind::ActionTaken { action, .. } => line.own(Tone::Tool, "• ").foreign(Tone::Tool, action),
        EventKind::HistoryRewound { by, .. } => {
            line.own(Tone::Waiting, "↶ history rewound by ").own(Tone::Waiting, rewind_word(*by))
        }
        EventKind::SkillRefused { .. }
        | EventKind::MemoryWriteRefused { .. }
        | EventKind::ToolRefused { .. }
        | EventKind::ConfirmationAnswered { confirmed: false, .. } => plain(event, "× ", Tone::Bad),
        EventKind::SkillPending { .. } | EventKind::SkillDeferred { .. } | EventKind::ConfirmationAsked { .. } => {
            plain(event, "… ", Tone::Waiting)
        }
        EventKind::MemoryReset { .. } => plain(event, "∅ ", Tone::Memory),
        EventKind::ProjectEntryLocked { .. } => plain(event, "= ", Tone::Quiet),
        EventKind::StepEntered { .. } => plain(event, "· ", Tone::Quiet),
        EventKind::ToolCalled { .. } | EventKind::ConfirmationAnswered { confirmed: true, .. } => {
            plain(event, "ƒ ", Tone::Tool)
        }
        EventKind::ResponseUttered { .. } | EventKind::PromptRendered { .. } | EventKind::ModelReplied { .. } => {
            plain(event, "· ", Tone::Quiet)
        }
        EventKind::ReadDecided { gave, .. } if gave.is_refused() => plain(event, "× ", Tone::Bad),
        EventKind::ReadDecided { .. } => plain(event, "· ", Tone::Quiet),
        EventKind::Foreign { name } if name.is_empty() => line.own(Tone::Waiting, "? unknown kind without a name"),
        EventKind::Foreign { name } => line.own(Tone::Waiting, "? unknown kind ").foreign(Tone::Plain, name),
    }
}

/// What must not be misread stands in front of the name, where no narrow panel cuts it off.
fn tool_row(tool: &str, outcome: ToolOutcome, result: &str) -> Line {
    let line = match outcome {
        ToolOutcome::Done => Line::new().own(Tone::Tool, "ƒ "),
        ToolOutcome::Failed => Line::new().own(Tone::Bad, "× failed: "),
        ToolOutcome::AwaitingConfirmation => Line::new().own(Tone::Waiting, "… waits for a yes: "),
        ToolOutcome::Declined => Line::new().own(Tone::Bad, "× declined, never ran: "),
    };
    let line = line.foreign(Tone::Tool, tool);
    match outcome {
        ToolOutcome::Done | ToolOutcome::Failed => line.own(Tone::Quiet, " → ").foreign(Tone::Plain, result),
        ToolOutcome::AwaitingConfirmation | ToolOutcome::Declined => line,
    }
}

/// Returns how a tool call ended, in words that can't be misread.
pub(crate) fn outcome_words(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Done => "ran and returned",
        ToolOutcome::Failed => "failed",
        ToolOutcome::AwaitingConfirmation => "waits for the user's yes, has not run",
        ToolOutcome::Declined => "declined, never ran",
    }
}

/// Returns whether an event is a refusal or a failure: what somebody looks for first.
pub(crate) fn is_trouble(mark: Mark) -> bool {
    // There may be many unknown kinds, and nothing is known to be wrong with them.
    let is_refused = mark.is_refused() && mark.tag() != Tag::Foreign;
    is_refused || matches!(mark.tag(), Tag::SkillCancelled | Tag::BlockCancelled)
}

/// Returns the row of an event whose headline says it all.
fn plain(event: &Event, glyph: &'static str, tone: Tone) -> Line {
    let words = headline(event);
    let line = Line::new().own(tone, glyph).own(tone, words.kind);
    if words.text.is_empty() { line } else { line.own(Tone::Quiet, " ").foreign(Tone::Plain, &words.text) }
}

/// Returns who spoke a message.
pub(crate) fn speaker_words(source: MessageSource) -> &'static str {
    match source {
        MessageSource::Template => "a response template",
        MessageSource::Rephrased => "a response template, reworded by the model",
        MessageSource::Model => "the model",
        MessageSource::Filler => "the model, beside a tool call",
        MessageSource::ToolCode => "the code of a tool",
        MessageSource::Unknown => "the record doesn't say",
    }
}

/// Returns who asked for a tool call.
pub(crate) fn caller_words(caller: ToolCaller) -> &'static str {
    match caller {
        ToolCaller::Model => "the model",
        ToolCaller::Step => "a step of the block",
        ToolCaller::Confirmation => "the engine, after the user's answer",
        ToolCaller::Validation => "the engine, after a write that the tool validates",
        ToolCaller::Unknown => "the record doesn't say",
    }
}

fn rewind_word(by: Rewind) -> &'static str {
    match by {
        Rewind::Restart => "restart",
        Rewind::Rewind => "rewind",
        Rewind::Undo => "undo",
        Rewind::ResetSlots => "reset_slots",
    }
}
