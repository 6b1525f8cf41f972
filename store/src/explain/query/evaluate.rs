//! Whether an event matches a query.

use super::pattern::Pattern;
use super::{Expression, Filter, Needs, Query};
use crate::agent::Agent;
use crate::condition::{Condition, Evaluation, Outcome, Reading, Reference, evaluate};
use crate::diagnostic::nearest;
use crate::event::{Event, EventKind, Position, ToolCall, ToolCaller, Writer};
use crate::explain::decisions::{self, Decision, DecisionKind, Verdict};
use crate::name::{Name, PROJECT, split_key};
use crate::replay::Session;
use crate::session::{Cell, State, evolve};
use crate::value::Value;

/// The name of a position that a model call saw, beside the kinds of events.
pub(super) const MODEL_CALL: &str = "model_call";

/// Returns whether the event at `at` matches. Position 0 has no event and matches nothing.
///
/// To look through many events, [`super::Search`] costs less.
pub fn matches(query: &Query, session: &Session, at: Position) -> bool {
    let Some(event) = session.event(at) else { return false };
    Sight::before(query.needs, session, at).look(query, session, at, &event)
}

/// What is known about a step while events are looked at one after the other.
#[derive(Default)]
pub(super) struct Sight {
    /// What holds after the event that was looked at last.
    state: State,
    changed: Vec<Name>,
    decided: Vec<Decided>,
}

struct Decided {
    kind: DecisionKind,
    verdict: Verdict,
    key: Option<Name>,
}

impl Sight {
    /// Returns what is known before the event at `at`.
    pub(super) fn before(needs: Needs, session: &Session, at: Position) -> Sight {
        match needs {
            Needs::Event => Sight::default(),
            Needs::State | Needs::Decisions | Needs::Offers => {
                Sight { state: session.state(Position(at.0.saturating_sub(1))), ..Sight::default() }
            }
        }
    }

    /// Looks at the event at `at`, the one after [`Sight::state`], and returns whether it matches.
    pub(super) fn look(&mut self, query: &Query, session: &Session, at: Position, event: &Event) -> bool {
        match query.needs {
            Needs::Event => {}
            Needs::State => self.advance(event),
            Needs::Decisions | Needs::Offers => {
                let mut decided = std::mem::take(&mut self.decided);
                decided.clear();
                let mut add = |made: &decisions::Made<'_>| {
                    decided.push(Decided { kind: made.kind(), verdict: made.verdict(), key: made.key().cloned() });
                };
                decisions::walk_event(session, &self.state, event, &mut add);
                self.advance(event);
                match query.needs {
                    Needs::Offers => decisions::walk_offers(session, &self.state, &mut add),
                    Needs::Event | Needs::State | Needs::Decisions => {
                        decisions::walk_call(session, &self.state, &mut add);
                    }
                }
                self.decided = decided;
            }
        }
        self.holds(&query.root, session, event, at)
    }

    /// Applies an event and notes which entries it changed.
    fn advance(&mut self, event: &Event) {
        self.changed.clear();
        match &event.kind {
            EventKind::MemoryWritten { key, .. }
            | EventKind::MemoryCleared { key, .. }
            | EventKind::MemoryReset { key, .. } => {
                let before = self.state.memory.get(key).cloned();
                evolve(&mut self.state, event);
                if differs(before.as_ref(), self.state.memory.get(key)) {
                    self.changed.push(key.clone());
                }
            }
            EventKind::SkillActivated { .. } | EventKind::SessionStarted { .. } | EventKind::HistoryRewound { .. } => {
                let before = self.state.memory.clone();
                evolve(&mut self.state, event);
                let after = &self.state.memory;
                let gone = before.keys().filter(|key| !after.contains_key(*key));
                let other = after.iter().filter(|(key, cell)| differs(before.get(*key), Some(cell)));
                self.changed.extend(gone.chain(other.map(|(key, _)| key)).cloned());
            }
            _ => evolve(&mut self.state, event),
        }
    }

    fn holds(&self, expression: &Expression, session: &Session, event: &Event, at: Position) -> bool {
        match expression {
            Expression::Not(negated) => !self.holds(negated, session, event, at),
            Expression::And(parts) => parts.iter().all(|part| self.holds(part, session, event, at)),
            Expression::Or(parts) => parts.iter().any(|part| self.holds(part, session, event, at)),
            Expression::State(condition) => evaluation(condition, &self.state).holds(),
            Expression::Changed(key) => self.changed.iter().any(|changed| key.matches_key(changed)),
            Expression::Read(key) => self.decided.iter().any(|one| one.kind == DecisionKind::Read && one.is_of(key)),
            Expression::Denied(key) => self.decided.iter().any(|one| {
                let is_denied = matches!(one.verdict, Verdict::Denied | Verdict::Refused);
                is_denied && one.is_of(key)
            }),
            Expression::Filter(filter) => self.passes(filter, session, event, at),
        }
    }

    fn passes(&self, filter: &Filter, session: &Session, event: &Event, at: Position) -> bool {
        match filter {
            Filter::Kind(patterns) => {
                any(patterns, event.kind.tag()) || (any(patterns, MODEL_CALL) && decisions::is_call(session, at))
            }
            Filter::Key(patterns) => {
                keys_of(&event.kind).into_iter().flatten().any(|key| patterns.iter().any(|one| one.matches_key(key)))
            }
            Filter::Skill(patterns) => skills_of(&event.kind).into_iter().flatten().any(|skill| any(patterns, skill)),
            Filter::Active(patterns) => self.state.active_skill().is_some_and(|skill| any(patterns, skill)),
            Filter::Tool(patterns) => tool_of(&event.kind).is_some_and(|tool| any(patterns, tool)),
            Filter::Actor(patterns) => actor_of(&event.kind).is_some_and(|actor| any(patterns, actor)),
            Filter::Turn(spans) => {
                event.turn.is_some_and(|turn| spans.iter().any(|span| span.contains(u64::from(turn))))
            }
            Filter::At(spans) => spans.iter().any(|span| span.contains(at.0)),
            Filter::Verdict(verdicts) => {
                verdict_of(&event.kind).is_some_and(|verdict| verdicts.contains(&verdict))
                    || self.decided.iter().any(|one| verdicts.contains(&one.verdict))
            }
            Filter::Text(texts) => texts.iter().any(|text| text.matches(event)),
        }
    }
}

impl Decided {
    fn is_of(&self, pattern: &Pattern) -> bool {
        self.key.as_ref().is_some_and(|key| pattern.matches_key(key))
    }
}

fn any(patterns: &[Pattern], name: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(name))
}

fn differs(before: Option<&Cell>, after: Option<&Cell>) -> bool {
    match (before, after) {
        (None, None) => false,
        (Some(before), Some(after)) => {
            before.value != after.value || (after.value.is_null() && before.state != after.state)
        }
        (None, Some(cell)) | (Some(cell), None) => !cell.value.is_null(),
    }
}

/// Evaluates an entry or a comparison on what memory holds, whoever may see it.
pub(super) fn evaluation(condition: &Condition, state: &State) -> Evaluation<()> {
    evaluate(condition, |reference| {
        let cell = cell(reference, state);
        Reading { value: cell.map_or(Value::Null, |cell| Value::clone(&cell.value)), why: () }
    })
}

/// Returns the cell that a name means: a bare one is the entry of the active skill, else the project's, else whichever
/// has a value.
pub(super) fn cell<'s>(reference: &Reference, state: &'s State) -> Option<&'s Cell> {
    if let Some(cell) = state.memory.get(&reference.key) {
        return Some(cell);
    }
    if !reference.namespace.is_empty() {
        return None;
    }
    let of = |space: &str| state.memory.get(&*format!("{space}.{}", reference.entry));
    let own = state.active_skill().and_then(|skill| of(skill));
    own.or_else(|| of(PROJECT)).or_else(|| {
        let named = |key: &Name| split_key(key).is_some_and(|(_, entry)| reference.entry == *entry);
        let mut found = state.memory.iter().filter(|(key, _)| named(key)).map(|(_, cell)| cell);
        let first = found.next()?;
        Some(std::iter::once(first).chain(found).find(|cell| !cell.value.is_null()).unwrap_or(first))
    })
}

/// Returns what an evaluated condition came to, `null` where it can't be evaluated.
pub(super) fn value(evaluation: Evaluation<()>) -> Result<Value, String> {
    match evaluation.root.outcome {
        Outcome::Value(value) => Ok(value),
        Outcome::Impossible(why) => Err(why),
        Outcome::NotReached => Ok(Value::Null),
    }
}

/// Returns whether a verdict stands in the event itself, so that nothing has to be worked out.
pub(super) fn is_in_event(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Refused | Verdict::Waiting | Verdict::Declined | Verdict::Failed => true,
        Verdict::Allowed
        | Verdict::Empty
        | Verdict::Denied
        | Verdict::Open
        | Verdict::Closed
        | Verdict::Offered
        | Verdict::Withheld
        | Verdict::Locked => false,
    }
}

/// Returns whether a decision is of those that a query asks for.
pub(super) fn asks_for(expression: &Expression, decision: &Decision) -> bool {
    let is_read = decision.kind == DecisionKind::Read;
    let is_denied = matches!(decision.verdict, Verdict::Denied | Verdict::Refused);
    match expression {
        Expression::Not(_) | Expression::State(_) | Expression::Changed(_) => false,
        Expression::And(parts) | Expression::Or(parts) => parts.iter().any(|part| asks_for(part, decision)),
        Expression::Read(key) => is_read && key.matches_key(&decision.subject),
        Expression::Denied(key) => is_denied && key.matches_key(&decision.subject),
        Expression::Filter(Filter::Verdict(verdicts)) => verdicts.contains(&decision.verdict),
        Expression::Filter(_) => false,
    }
}

/// Returns the verdict that the event itself is, if it is one.
fn verdict_of(kind: &EventKind) -> Option<Verdict> {
    match kind {
        EventKind::MemoryWriteRefused { .. } | EventKind::SkillRefused { .. } | EventKind::ToolRefused { .. } => {
            Some(Verdict::Refused)
        }
        EventKind::SkillPending { .. } | EventKind::SkillDeferred { .. } | EventKind::ConfirmationAsked { .. } => {
            Some(Verdict::Waiting)
        }
        EventKind::ConfirmationAnswered { confirmed: false, .. } => Some(Verdict::Declined),
        EventKind::ToolReturned { outcome, .. } => Some(decisions::verdict_of(*outcome)),
        _ => None,
    }
}

fn keys_of(kind: &EventKind) -> [Option<&Name>; 2] {
    match kind {
        EventKind::MemoryWritten { key, .. }
        | EventKind::MemoryCleared { key, .. }
        | EventKind::MemoryReset { key, .. }
        | EventKind::ProjectEntryLocked { key } => [Some(key), None],
        EventKind::MemoryWriteRefused { asked, key, .. } => [Some(asked), key.as_ref()],
        _ => [None, None],
    }
}

fn writer_of(kind: &EventKind) -> Option<&Writer> {
    match kind {
        EventKind::MemoryWritten { writer, .. }
        | EventKind::MemoryCleared { writer, .. }
        | EventKind::MemoryWriteRefused { writer, .. } => Some(writer),
        _ => None,
    }
}

fn call_of(kind: &EventKind) -> Option<&ToolCall> {
    match kind {
        EventKind::ToolCalled { call }
        | EventKind::ToolRefused { call, .. }
        | EventKind::ConfirmationAsked { call } => Some(call),
        _ => None,
    }
}

fn skills_of(kind: &EventKind) -> [Option<&Name>; 2] {
    match kind {
        EventKind::SkillActivated { skill, .. }
        | EventKind::SkillCompleted { skill }
        | EventKind::SkillCancelled { skill, .. }
        | EventKind::SkillInterrupted { skill, .. }
        | EventKind::SkillResumed { skill, .. }
        | EventKind::BlockEntered { skill, .. }
        | EventKind::BlockCompleted { skill, .. }
        | EventKind::BlockCancelled { skill, .. }
        | EventKind::BlockInterrupted { skill, .. }
        | EventKind::BlockResumed { skill, .. }
        | EventKind::SkillRefused { skill, .. }
        | EventKind::SkillDeferred { skill }
        | EventKind::StepEntered { skill, .. } => [Some(skill), None],
        EventKind::SkillPending { skill, resolver } => [Some(skill), Some(resolver)],
        EventKind::ToolReturned { skill, .. } | EventKind::ResponseUttered { skill, .. } => [skill.as_ref(), None],
        other => {
            let writer = writer_of(other).and_then(|writer| writer.skill.as_ref());
            [writer.or_else(|| call_of(other).and_then(|call| call.skill.as_ref())), None]
        }
    }
}

fn tool_of(kind: &EventKind) -> Option<&Name> {
    match kind {
        EventKind::ToolReturned { tool, .. } | EventKind::ConfirmationAnswered { tool, .. } => Some(tool),
        other => {
            let called = call_of(other).map(|call| &call.tool);
            called.or_else(|| writer_of(other).and_then(|writer| writer.tool.as_ref()))
        }
    }
}

fn actor_of(kind: &EventKind) -> Option<&'static str> {
    let caller = |caller: ToolCaller| match caller {
        ToolCaller::Model => "model",
        ToolCaller::Step => "step",
        ToolCaller::Confirmation => "user",
        ToolCaller::Validation => "engine",
        ToolCaller::Unknown => "unknown",
    };
    match kind {
        EventKind::UserMessage { .. } | EventKind::ConfirmationAnswered { .. } => Some("user"),
        EventKind::ToolReturned { caller: by, .. } => Some(caller(*by)),
        other => {
            let called = call_of(other).map(|call| caller(call.caller));
            called.or_else(|| writer_of(other).map(|writer| writer.actor.word()))
        }
    }
}

/// Returns the entries that a query names in full and that nothing in the session is called.
pub(super) fn unknown_entries(query: &Query, session: &Session) -> Vec<(Name, Option<Name>)> {
    let mut named = Vec::new();
    collect(&query.root, &mut named);
    let Some(agent) = session.agent.as_deref() else { return Vec::new() };
    let state = session.state(session.end());
    named.into_iter().filter_map(|name| unknown(agent, &state, name)).collect()
}

fn unknown(agent: &Agent, state: &State, name: Name) -> Option<(Name, Option<Name>)> {
    let keys: Vec<&Name> = agent.entries().map(|entry| &entry.key).chain(state.memory.keys()).collect();
    let pattern = Pattern::new(&name);
    if keys.iter().any(|key| pattern.matches_key(key)) {
        return None;
    }
    let known: Vec<&str> = match split_key(&name) {
        Some(_) => keys.iter().map(|key| key.as_str()).collect(),
        None => keys.iter().filter_map(|key| split_key(key).map(|(_, entry)| entry)).collect(),
    };
    Some((name.clone(), nearest(&name, &known).map(Name::from)))
}

fn collect(expression: &Expression, named: &mut Vec<Name>) {
    match expression {
        Expression::Not(negated) => collect(negated, named),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().for_each(|part| collect(part, named)),
        Expression::State(condition) => {
            named.extend(condition.references().into_iter().map(|(reference, _)| reference.key.clone()));
        }
        Expression::Changed(key) | Expression::Read(key) | Expression::Denied(key) => {
            named.extend(Some(Name::from(key.as_str())).filter(|_| key.is_exact()));
        }
        Expression::Filter(Filter::Key(keys)) => {
            named.extend(keys.iter().filter(|key| key.is_exact()).map(|key| Name::from(key.as_str())));
        }
        Expression::Filter(_) => {}
    }
}
