//! The skill stack, top first: what runs, and how the rest is parked.

use replay_store::session::{Frame, Parked, State};

use crate::line::Line;
use crate::theme::Tone;

/// Returns the panel's lines.
pub(crate) fn lines(state: &State) -> Vec<Line> {
    if state.stack.is_empty() {
        return vec![Line::new().own(Tone::Quiet, "empty: no skill is active, the model routes")];
    }
    state.stack.iter().rev().map(frame).collect()
}

/// Returns the whole stack on one row, top first.
pub(crate) fn short(state: &State) -> Line {
    let Some(top) = state.stack.last() else { return Line::new().own(Tone::Quiet, "no skill is active") };
    let beneath = state.stack.iter().rev().skip(1);
    beneath.fold(Line::new().then(name(top)), |line, frame| {
        let word = frame.parked.map_or("", Parked::word);
        line.own(Tone::Quiet, " over ").then(name(frame)).own(Tone::Waiting, " ").own(Tone::Waiting, word)
    })
}

fn frame(frame: &Frame) -> Line {
    let line = match frame.parked {
        None => Line::new().own(Tone::Strong, "▶ "),
        Some(_) => Line::new().own(Tone::Waiting, "‖ "),
    };
    let line = line.then(name(frame));
    match frame.parked {
        None => line.own(Tone::Quiet, ": runs"),
        Some(parked) => line.own(Tone::Waiting, ": parked, ").own(Tone::Waiting, parked_words(parked)),
    }
}

fn name(frame: &Frame) -> Line {
    let line = Line::new().foreign(Tone::Skill, &frame.skill);
    let line = match &frame.block {
        Some(block) => line.own(Tone::Quiet, " block ").foreign(Tone::Skill, block),
        None => line,
    };
    match &frame.step {
        Some(step) => line.own(Tone::Quiet, " at ").foreign(Tone::Plain, step),
        None => line,
    }
}

fn parked_words(parked: Parked) -> &'static str {
    match parked {
        Parked::Delegation => "delegation: goes on when the skill above is done",
        Parked::Digression => "digression: the user changed the topic",
        Parked::Reference => "reference: waits for its own block",
        Parked::Pending => "pending: waits for its condition, has not started",
    }
}
