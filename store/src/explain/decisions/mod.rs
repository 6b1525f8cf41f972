//! What was decided in a step: each read, write, gate, lock, and each skill and tool that was offered or refused.
//!
//! The step to a position is the event there and, where a model call saw that position, the building of its prompt.
//! What the record says itself is marked as recorded; the rules behind it, and all reads, are worked out from the agent
//! folder. Without a folder only what is recorded is left.
//!
//! ```text
//! event     what an event decided, or shows to have been decided
//! call      the prompt of a model call: reads, markers, offers
//! interest  which of both are asked for
//! words     both in sentences, with rule, line and remedy
//! ```

mod call;
mod event;
mod interest;
mod made;
mod words;

use serde::Serialize;

use super::Basis;
use super::condition::Condition;
use super::why::{RuleLine, Tried};
use crate::event::{Event, Position, Tag};
use crate::name::Name;
use crate::replay::Session;
use crate::replay::turns::CallKind;
use crate::session::State;

pub(super) use interest::{Enough, Interest, Verdicts};
pub(super) use made::{GateOf, Made, Sight, Via, verdict_of};
pub(super) use words::quoted;

/// A decision, ready to be shown. Its texts still have to go through [`crate::visible`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// What was decided about.
    pub kind: DecisionKind,
    /// The memory entry, condition, skill or tool.
    pub subject: String,
    /// How it was decided.
    pub verdict: Verdict,
    /// The skill with whose rights; `None` while none was active and where it doesn't matter.
    pub skill: Option<Name>,
    /// What asked for it: `event`, or a part of a prompt.
    pub via: &'static str,
    /// One sentence.
    pub text: String,
    /// The rule that decided, with the line that made it apply; `None` where only the record knows.
    pub rule: Option<RuleLine>,
    /// The rules that were applied before, in order.
    pub tried: Vec<Tried>,
    /// For a gate, the condition as a tree.
    pub condition: Option<Condition>,
    /// The smallest change that would have turned it round; `None` where nothing was withheld, or no change would.
    pub change: Option<String>,
    /// Where in the agent folder that change would be made, as `file:line`.
    pub change_at: Option<String>,
    /// The event that it rests on: the write that was read, cleared or locked.
    pub since: Option<Position>,
    /// Whether the record says so.
    pub basis: Basis,
}

/// What was decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// A memory entry was read.
    Read,
    /// A memory entry was written.
    Write,
    /// A condition was evaluated.
    Gate,
    /// A skill was started or offered, or not.
    Skill,
    /// A tool was called or offered, or not.
    Tool,
    /// A project entry was locked.
    Lock,
}

impl DecisionKind {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            DecisionKind::Read => "read",
            DecisionKind::Write => "write",
            DecisionKind::Gate => "gate",
            DecisionKind::Skill => "skill",
            DecisionKind::Tool => "tool",
            DecisionKind::Lock => "lock",
        }
    }
}

/// How it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A read gave a value, a write was stored, a skill started, a tool ran.
    Allowed,
    /// A read was allowed and gave nothing.
    Empty,
    /// A rule withheld what was read.
    Denied,
    /// A write, skill or tool call was refused or passed over.
    Refused,
    /// A condition holds.
    Open,
    /// A condition doesn't hold.
    Closed,
    /// The model was offered it.
    Offered,
    /// The model wasn't offered it.
    Withheld,
    /// A project entry can't be written again.
    Locked,
    /// A tool call, or a skill, waits.
    Waiting,
    /// The user said no.
    Declined,
    /// A tool failed.
    Failed,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 12] = [
        Verdict::Allowed,
        Verdict::Empty,
        Verdict::Denied,
        Verdict::Refused,
        Verdict::Open,
        Verdict::Closed,
        Verdict::Offered,
        Verdict::Withheld,
        Verdict::Locked,
        Verdict::Waiting,
        Verdict::Declined,
        Verdict::Failed,
    ];

    /// Returns the word that JSON, queries and people read.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Allowed => "allowed",
            Verdict::Empty => "empty",
            Verdict::Denied => "denied",
            Verdict::Refused => "refused",
            Verdict::Open => "open",
            Verdict::Closed => "closed",
            Verdict::Offered => "offered",
            Verdict::Withheld => "withheld",
            Verdict::Locked => "locked",
            Verdict::Waiting => "waiting",
            Verdict::Declined => "declined",
            Verdict::Failed => "failed",
        }
    }

    /// Returns the verdict of that word.
    pub fn parse(word: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// Returns whether something was withheld, refused or failed.
    pub fn is_trouble(self) -> bool {
        match self {
            Verdict::Denied | Verdict::Refused | Verdict::Declined | Verdict::Failed => true,
            Verdict::Allowed
            | Verdict::Empty
            | Verdict::Open
            | Verdict::Closed
            | Verdict::Offered
            | Verdict::Withheld
            | Verdict::Locked
            | Verdict::Waiting => false,
        }
    }
}

/// Returns what was decided in the step to `at`: by its event, then for the prompt of a model call that saw `at`.
pub fn decisions(session: &Session, at: Position) -> Vec<Decision> {
    let at = at.min(session.end());
    let mut found = Vec::new();
    let before = session.state(Position(at.0.saturating_sub(1)));
    let agent = session.agent.as_deref();
    if let Some(event) = session.event(at) {
        let sight = Sight { agent, profile: session.profile.profile, state: &before };
        event::visit(&sight, &event.kind, &mut |made| found.push(words::decision(session, &before, at, made)));
    }
    if is_call(session, at) {
        let state = session.state(at);
        let add = &mut |made: Made<'_>| found.push(words::decision(session, &state, at, made));
        call::visit(session, &state, &Interest::ALL, &Enough::default(), add);
        call::visit_offers(session, &state, add);
    }
    found
}

/// Walks through what an event decided, without words, unless nothing that is asked for can be among it. `before` is
/// the state before it.
pub(super) fn walk_event(
    session: &Session,
    before: &State,
    event: &Event,
    interest: &Interest<'_>,
    found: &mut dyn FnMut(&Made<'_>),
) {
    if interest.may_be_in(Tag::of(&event.kind)) {
        let sight = Sight { agent: session.agent.as_deref(), profile: session.profile.profile, state: before };
        event::visit(&sight, &event.kind, &mut |made| found(&made));
    }
}

/// Walks through what was decided for the prompt of a model call, if one saw `state`, without words: as far as it is
/// asked for, and until it is enough.
pub(super) fn walk_call(
    session: &Session,
    state: &State,
    interest: &Interest<'_>,
    enough: &Enough,
    found: &mut dyn FnMut(&Made<'_>),
) {
    if interest.is_in_call() && is_call(session, state.position) {
        call::visit(session, state, interest, enough, &mut |made| found(&made));
        call::visit_first_offers(session, state, interest, enough, &mut |made| found(&made));
    }
}

/// Returns whether a model call saw this position. A rephrase reads for its response only, and its message says so.
pub(super) fn is_call(session: &Session, at: Position) -> bool {
    let next = Position(at.0 + 1);
    let turn = session.turn_at(next);
    turn.is_some_and(|turn| turn.calls.iter().any(|call| call.before == at && call.kind != CallKind::Rephrase))
}
