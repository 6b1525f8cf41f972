//! A decision before it is put in words: cheap enough to be made for every event of a long session.

use super::{DecisionKind, Verdict};
use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::diagnostic::Place;
use crate::event::{ToolOutcome, WriteRefusal, Writer};
use crate::name::Name;
use crate::profile::Profile;
use crate::prompt::Tool;
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::{Outcome, ReadDecision, WriteDecision};
use crate::session::gate::GateDecision;
use crate::session::start::StartDecision;
use crate::value::Value;

/// What decisions are worked out from.
#[derive(Clone, Copy)]
pub(in crate::explain) struct Sight<'a> {
    pub(in crate::explain) agent: Option<&'a Agent>,
    pub(in crate::explain) profile: Profile,
    /// The state that was decided on.
    pub(in crate::explain) state: &'a State,
}

/// A decision.
pub(in crate::explain) enum Made<'a> {
    /// A read.
    Read { decision: &'a ReadDecision, via: Via<'a> },
    /// A condition.
    Gate { gate: &'a Gate, skill: Option<&'a Name>, decision: &'a GateDecision, of: GateOf<'a> },
    /// A write that is recorded as stored.
    Stored { key: &'a Name, value: Option<&'a Value>, writer: &'a Writer, decision: Option<WriteDecision> },
    /// A write that is recorded as refused.
    WriteRefused {
        asked: &'a Name,
        value: &'a Value,
        writer: &'a Writer,
        refusal: WriteRefusal,
        rule: Rule,
        decision: Option<WriteDecision>,
    },
    /// A project entry got its value.
    Locked { key: &'a Name },
    /// A skill that is recorded as started, refused or waiting.
    Skill { skill: &'a Name, verdict: Verdict, rule: Option<Rule>, decision: Option<StartDecision> },
    /// A skill that the model could start, or not, and why.
    SkillOffer { skill: Name, withheld: Option<String>, decision: Option<StartDecision> },
    /// A tool call that is recorded.
    Call { tool: &'a Name, verdict: Verdict, error: Option<&'a str>, rule: Option<Rule>, at: Option<&'a Place> },
    /// A tool that the model was offered, or not.
    ToolOffer { tool: Tool, reason: Option<(Rule, &'a Place)> },
}

/// What asked for a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explain) enum Via<'a> {
    /// A prompt lists memory.
    Listing,
    /// A token in prose.
    Prose(&'a Place),
    /// A condition.
    Condition(&'a Place),
    /// An argument of an `execute_tool` step.
    Argument(&'a Place),
    /// A placeholder of a response.
    Response(&'a Place),
    /// The code of a tool.
    Tool,
}

/// What a condition decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explain) enum GateOf<'a> {
    /// A paragraph of prose.
    Paragraph,
    /// Whether a skill starts.
    Skill(&'a Name),
    /// Whether a tool is offered and runs.
    Tool(&'a Name),
    /// Which step comes next.
    Branch,
    /// Whether a skill is complete.
    Completion(&'a Name),
    /// Which wording a response has.
    Variant(&'a Name),
}

impl Via<'_> {
    /// Returns the word that JSON and people read.
    pub(in crate::explain) fn word(&self) -> &'static str {
        match self {
            Via::Listing => "memory listing",
            Via::Prose(_) => "prose",
            Via::Condition(_) => "condition",
            Via::Argument(_) => "argument",
            Via::Response(_) => "response",
            Via::Tool => "tool",
        }
    }

    /// Returns the line that names the entry, where one does.
    pub(in crate::explain) fn place(&self) -> Option<&Place> {
        match self {
            Via::Listing | Via::Tool => None,
            Via::Prose(at) | Via::Condition(at) | Via::Argument(at) | Via::Response(at) => Some(at),
        }
    }
}

impl Made<'_> {
    /// Returns what was decided about.
    pub(in crate::explain) fn kind(&self) -> DecisionKind {
        match self {
            Made::Read { .. } => DecisionKind::Read,
            Made::Gate { .. } => DecisionKind::Gate,
            Made::Stored { .. } | Made::WriteRefused { .. } => DecisionKind::Write,
            Made::Locked { .. } => DecisionKind::Lock,
            Made::Skill { .. } | Made::SkillOffer { .. } => DecisionKind::Skill,
            Made::Call { .. } | Made::ToolOffer { .. } => DecisionKind::Tool,
        }
    }

    /// Returns how it was decided.
    pub(in crate::explain) fn verdict(&self) -> Verdict {
        match self {
            Made::Read { decision, .. } => verdict_of_read(decision.outcome()),
            Made::Gate { decision, .. } if decision.is_open() => Verdict::Open,
            Made::Gate { .. } => Verdict::Closed,
            Made::Stored { .. } => Verdict::Allowed,
            Made::WriteRefused { .. } => Verdict::Refused,
            Made::Locked { .. } => Verdict::Locked,
            Made::Skill { verdict, .. } | Made::Call { verdict, .. } => *verdict,
            Made::SkillOffer { withheld: None, .. } => Verdict::Offered,
            Made::SkillOffer { withheld: Some(_), .. } => Verdict::Withheld,
            Made::ToolOffer { tool, .. } if tool.offered => Verdict::Offered,
            Made::ToolOffer { .. } => Verdict::Withheld,
        }
    }

    /// Returns the memory entry that it is about: the qualified name where one is meant, else the name as it was asked.
    pub(in crate::explain) fn key(&self) -> Option<&Name> {
        match self {
            Made::Read { decision, .. } => Some(decision.key.as_ref().unwrap_or(&decision.asked)),
            Made::Stored { key, .. } | Made::Locked { key } => Some(key),
            Made::WriteRefused { asked, decision, .. } => {
                decision.as_ref().and_then(|decision| decision.key.as_ref()).or(Some(asked))
            }
            Made::Gate { .. }
            | Made::Skill { .. }
            | Made::SkillOffer { .. }
            | Made::Call { .. }
            | Made::ToolOffer { .. } => None,
        }
    }
}

/// Returns the verdict on a read that came to this.
pub(in crate::explain) fn verdict_of_read(outcome: Outcome) -> Verdict {
    match outcome {
        Outcome::Allowed => Verdict::Allowed,
        Outcome::Empty => Verdict::Empty,
        Outcome::Denied => Verdict::Denied,
    }
}

/// Returns the verdict on a tool call that came back so.
pub(in crate::explain) fn verdict_of(outcome: ToolOutcome) -> Verdict {
    match outcome {
        ToolOutcome::Done => Verdict::Allowed,
        ToolOutcome::Failed => Verdict::Failed,
        ToolOutcome::AwaitingConfirmation => Verdict::Waiting,
        ToolOutcome::Declined => Verdict::Declined,
    }
}
