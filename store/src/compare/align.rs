//! Two sessions side by side: user message beside user message, and in it agent turn beside agent turn.

use similar::{Algorithm, capture_diff_slices};

use super::noise::{Noise, without};
use crate::event::{EventKind, Position};
use crate::replay::Session;

/// A stretch of a session: an agent turn with the events before it that belong to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The number of the agent turn; `None` in a session without turns.
    pub(super) turn: Option<u32>,
    /// Its first event.
    pub(super) first: Position,
    /// Its last event.
    pub(super) last: Position,
}

/// What follows a user message up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exchange {
    /// The user's words; empty for what stands before the first message.
    words: String,
    stretches: Vec<Stretch>,
}

/// Two stretches that belong together; one of them is missing where the sessions have not the same turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// Which user message it follows, in either session, from 1; 0 before the first.
    pub(super) messages: (Option<usize>, Option<usize>),
    pub(super) stretches: (Option<Stretch>, Option<Stretch>),
}

/// Pairs all stretches of two sessions, in order.
pub(super) fn align(a: &Session, b: &Session, noise: &[Noise]) -> Vec<Pair> {
    let (of_a, of_b) = (exchanges(a, noise), exchanges(b, noise));
    let words = |exchanges: &[Exchange]| exchanges.iter().skip(1).map(|each| each.words.clone()).collect::<Vec<_>>();
    let mut found = both(0, &of_a[0], 0, &of_b[0]);
    for step in capture_diff_slices(Algorithm::Myers, &words(&of_a), &words(&of_b)) {
        let (in_a, in_b) = (step.old_range(), step.new_range());
        for index in 0..in_a.len().max(in_b.len()) {
            let number_a = (index < in_a.len()).then(|| in_a.start + index + 1);
            let number_b = (index < in_b.len()).then(|| in_b.start + index + 1);
            match (number_a, number_b) {
                (Some(one), Some(other)) => found.extend(both(one, &of_a[one], other, &of_b[other])),
                (Some(one), None) => found.extend(
                    of_a[one]
                        .stretches
                        .iter()
                        .map(|stretch| Pair { messages: (Some(one), None), stretches: (Some(*stretch), None) }),
                ),
                (None, Some(other)) => found.extend(
                    of_b[other]
                        .stretches
                        .iter()
                        .map(|stretch| Pair { messages: (None, Some(other)), stretches: (None, Some(*stretch)) }),
                ),
                (None, None) => {}
            }
        }
    }
    found
}

fn both(number_a: usize, a: &Exchange, number_b: usize, b: &Exchange) -> Vec<Pair> {
    let count = a.stretches.len().max(b.stretches.len());
    let pair = |index: usize| Pair {
        messages: (Some(number_a), Some(number_b)),
        stretches: (a.stretches.get(index).copied(), b.stretches.get(index).copied()),
    };
    (0..count).map(pair).collect()
}

/// Cuts a session into stretches and puts them behind the user messages. All its events are in one of them. The first
/// exchange is that of no message, and may be empty.
fn exchanges(session: &Session, noise: &[Noise]) -> Vec<Exchange> {
    let mut found = vec![Exchange { words: String::new(), stretches: Vec::new() }];
    let mut first = Position(1);
    for (index, turn) in session.turns.iter().enumerate() {
        let is_last = index + 1 == session.turns.len();
        let last = if is_last { session.end() } else { turn.last };
        if let Some(words) = turn.user.and_then(|at| words(session, at)) {
            found.push(Exchange { words: without(&words, noise).into_owned(), stretches: Vec::new() });
        }
        let stretch = Stretch { turn: Some(turn.number), first, last };
        found.last_mut().expect("there is the first one").stretches.push(stretch);
        first = Position(last.0 + 1);
    }
    if session.turns.is_empty() && session.end().0 > 0 {
        found[0].stretches.push(Stretch { turn: None, first, last: session.end() });
    }
    found
}

fn words(session: &Session, at: Position) -> Option<String> {
    let event = session.event(at)?;
    let EventKind::UserMessage { text, .. } = &event.kind else { return None };
    Some(text.clone())
}
