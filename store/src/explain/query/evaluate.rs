//! Whether an event matches a query.

use super::asked::Asked;
use super::pattern::Pattern;
use super::said::{actor_of, keys_of, skills_of, tool_of, verdict_of};
use super::{Expression, Filter, Needs, Query};
use crate::agent::Agent;
use crate::condition::{Condition, Evaluation, Outcome, Reading, Reference, evaluate};
use crate::diagnostic::nearest;
use crate::event::{Event, EventKind, Position};
use crate::explain::decisions::{self, Decision, DecisionKind, Enough, Interest, Verdict};
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
    Sight::before(query, session, at).look(query, session, at, &event)
}

/// What is known about a step while events are looked at one after the other.
#[derive(Default)]
pub(super) struct Sight {
    asked: Asked,
    /// What holds after the event that was looked at last.
    state: State,
    changed: Vec<Name>,
    decided: Vec<Decided>,
}

/// How much of a step is known; each includes the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// The event, and what was decided so far.
    Event,
    /// What holds after it, too.
    State,
    /// All that is asked for.
    All,
}

struct Decided {
    kind: DecisionKind,
    verdict: Verdict,
    key: Option<Name>,
}

impl Sight {
    /// Returns what is known before the event at `at`.
    pub(super) fn before(query: &Query, session: &Session, at: Position) -> Sight {
        match query.needs {
            Needs::Event => Sight::default(),
            Needs::State | Needs::Decisions | Needs::Offers => Sight {
                asked: Asked::by(query),
                state: session.state(Position(at.0.saturating_sub(1))),
                ..Sight::default()
            },
        }
    }

    /// Looks at the event at `at`, the one after [`Sight::state`], and returns whether it matches. What was decided in
    /// the step is worked out only where that tells.
    pub(super) fn look(&mut self, query: &Query, session: &Session, at: Position, event: &Event) -> bool {
        let step = Step { session, at, event };
        match query.needs {
            Needs::Event => {}
            Needs::State => self.advance(event),
            Needs::Decisions | Needs::Offers => {
                self.decided.clear();
                if let Some(holds) = self.truth(&query.root, &step, Known::Event) {
                    self.advance(event);
                    return holds;
                }
                self.decide(|interest, facts| {
                    let state = facts.state;
                    decisions::walk_event(session, state, event, interest, &mut |made| {
                        facts.note(interest, made);
                    });
                });
                self.advance(event);
                if let Some(holds) = self.truth(&query.root, &step, Known::State) {
                    return holds;
                }
                self.decide(|interest, facts| {
                    let (state, enough) = (facts.state, Enough::default());
                    decisions::walk_call(session, state, interest, &enough, &mut |made| {
                        if facts.note(interest, made) {
                            enough.set(facts.truth(&query.root, &step, Known::State).is_some());
                        }
                    });
                });
            }
        }
        self.truth(&query.root, &step, Known::All).unwrap_or(false)
    }

    /// Hands what is known to `work`, which adds decisions to it.
    fn decide(&mut self, work: impl FnOnce(&Interest<'_>, &mut Facts<'_>)) {
        let Sight { asked, state, changed, decided } = self;
        let mut facts = Facts { state, changed, decided };
        asked.with(|interest| work(interest, &mut facts));
    }

    fn truth(&mut self, expression: &Expression, step: &Step<'_>, known: Known) -> Option<bool> {
        let Sight { state, changed, decided, .. } = self;
        Facts { state, changed, decided }.truth(expression, step, known)
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
}

/// What is known about a step, to which its decisions are added one by one.
struct Facts<'f> {
    state: &'f State,
    changed: &'f [Name],
    decided: &'f mut Vec<Decided>,
}

impl Facts<'_> {
    /// Notes a decision, if the query asks for it, and returns whether it does.
    fn note(&mut self, interest: &Interest<'_>, made: &decisions::Made<'_>) -> bool {
        let is_asked = interest.is_made(made);
        if is_asked {
            self.decided.push(Decided { kind: made.kind(), verdict: made.verdict(), key: made.key().cloned() });
        }
        is_asked
    }

    /// Returns whether the step matches, as far as what is known tells; with [`Known::All`] it does.
    fn truth(&self, expression: &Expression, step: &Step<'_>, known: Known) -> Option<bool> {
        let &Step { session, at, event } = step;
        let kind = &event.kind;
        let from = |needed: Known, holds: &dyn Fn() -> bool| (needed <= known).then(holds);
        // What wasn't decided so far may be decided yet.
        let decided = |holds: bool| if holds { Some(true) } else { from(Known::All, &|| false) };
        match expression {
            Expression::Not(negated) => self.truth(negated, step, known).map(|holds| !holds),
            Expression::And(parts) => all(parts.iter().map(|part| self.truth(part, step, known))),
            Expression::Or(parts) => {
                all(parts.iter().map(|part| self.truth(part, step, known).map(|holds| !holds))).map(|none| !none)
            }
            Expression::State(condition) => from(Known::State, &|| evaluation(condition, self.state).holds()),
            Expression::Changed(key) => {
                from(Known::State, &|| self.changed.iter().any(|changed| key.matches_key(changed)))
            }
            Expression::Read(key) => {
                decided(self.decided.iter().any(|one| one.kind == DecisionKind::Read && one.is_of(key)))
            }
            Expression::Denied(key) => decided(self.decided.iter().any(|one| {
                let is_denied = matches!(one.verdict, Verdict::Denied | Verdict::Refused);
                is_denied && one.is_of(key)
            })),
            Expression::Filter(filter) => match filter {
                Filter::Active(patterns) => {
                    from(Known::State, &|| self.state.active_skill().is_some_and(|skill| any(patterns, skill)))
                }
                Filter::Verdict(verdicts) => decided(
                    verdict_of(kind).is_some_and(|verdict| verdicts.contains(&verdict))
                        || self.decided.iter().any(|one| verdicts.contains(&one.verdict)),
                ),
                Filter::Kind(patterns) => {
                    let is_call = || any(patterns, MODEL_CALL) && decisions::is_call(session, at);
                    Some(any(patterns, kind.tag()) || is_call())
                }
                Filter::Key(patterns) => {
                    let mut keys = keys_of(kind).into_iter().flatten();
                    Some(keys.any(|key| patterns.iter().any(|one| one.matches_key(key))))
                }
                Filter::Skill(patterns) => {
                    Some(skills_of(kind).into_iter().flatten().any(|skill| any(patterns, skill)))
                }
                Filter::Tool(patterns) => Some(tool_of(kind).is_some_and(|tool| any(patterns, tool))),
                Filter::Actor(patterns) => Some(actor_of(kind).is_some_and(|actor| any(patterns, actor))),
                Filter::Turn(spans) => {
                    let is_in = |turn| spans.iter().any(|span| span.contains(u64::from(turn)));
                    Some(event.turn.is_some_and(is_in))
                }
                Filter::At(spans) => Some(spans.iter().any(|span| span.contains(at.0))),
                Filter::Text(texts) => Some(texts.iter().any(|text| text.matches(event))),
            },
        }
    }
}

/// A step that is looked at.
struct Step<'a> {
    session: &'a Session,
    at: Position,
    event: &'a Event,
}

/// Returns whether all hold: not where one doesn't, whatever isn't known of others.
pub(super) fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = None,
        }
    }
    known
}

impl Decided {
    fn is_of(&self, pattern: &Pattern) -> bool {
        self.key.as_ref().is_some_and(|key| pattern.matches_key(key))
    }
}

pub(super) fn any(patterns: &[Pattern], name: &str) -> bool {
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
    Some((name.clone(), nearest(&name, known).map(Name::from)))
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
