//! The skill stack, top first: what runs, and how the rest is parked.

use std::rc::Rc;

use replay_store::session::{Frame, Parked, State};

use crate::line::Line;
use crate::rows::Rows;
use crate::theme::Tone;

/// The lines of the stack.
pub(crate) struct Stack<'a> {
    pub(crate) state: &'a State,
}

impl Rows for Stack<'_> {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.state.stack.len()).then_some(line + 1)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let Some(shown) = self.state.stack.iter().rev().nth(line) else {
            let words = Line::new().own(Tone::Quiet, "empty: no skill is active, the model routes");
            return Rc::from(words.wrap_under(columns, "  "));
        };
        let (frame, why) = (frame(shown), why(shown));
        if frame.width() + 1 + why.width() <= columns {
            return Rc::from([frame.own(Tone::Plain, " ").then(why)]);
        }
        let why = Line::new().own(Tone::Plain, "  ").then(why).wrap_under(columns, "  ");
        Rc::from_iter(frame.wrap_under(columns, "  ").into_iter().chain(why))
    }
}

/// Returns the whole stack on one row, top first. The skill that waits for its own block is told by the block.
pub(crate) fn short(state: &State) -> Line {
    let Some(top) = state.stack.last() else { return Line::new().own(Tone::Quiet, "no skill is active") };
    let waits_for =
        |below: &Frame, above: &Frame| below.block.is_none() && above.block.is_some() && below.skill == above.skill;
    let pairs = state.stack.iter().rev().zip(state.stack.iter().rev().skip(1));
    let beneath = pairs.filter(|(above, below)| !waits_for(below, above)).map(|(_, below)| below);
    beneath.fold(Line::new().then(name(top)), |line, frame| {
        let line = line.own(Tone::Quiet, " over ").then(name(frame));
        match frame.parked {
            Some(_) => line.own(Tone::Waiting, " (parked)"),
            None => line,
        }
    })
}

fn frame(frame: &Frame) -> Line {
    let line = match frame.parked {
        None => Line::new().own(Tone::Strong, "▶ "),
        Some(_) => Line::new().own(Tone::Waiting, "‖ "),
    };
    line.then(name(frame))
}

fn why(frame: &Frame) -> Line {
    match frame.parked {
        None => Line::new().own(Tone::Quiet, "runs"),
        Some(parked) => Line::new().own(Tone::Waiting, "parked: ").own(Tone::Waiting, parked_words(parked)),
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
        Parked::Delegation => "waits for the skill above",
        Parked::Digression => "the user changed the topic",
        Parked::Reference => "waits for its block",
        Parked::Pending => "waits for its condition, has not started",
    }
}
