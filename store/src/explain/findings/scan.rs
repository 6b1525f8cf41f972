//! One walk through a session: its events, and what was decided on the way.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::gates::{Gates, what_it_decides};
use super::group::{Groups, Subject};
use super::{Found, FoundKind, record};
use crate::agent::Agent;
use crate::diagnostic::{Place, Severity};
use crate::event::finding::FindingKind;
use crate::event::{Actor, Event, EventKind, Origin, Position, ToolOutcome, WriteRefusal};
use crate::explain::Basis;
use crate::explain::decisions::{self, Enough, Interest, Made, Verdict, Verdicts, Via, quoted};
use crate::explain::why::RuleLine;
use crate::explain::words::lifted;
use crate::name::{Name, SYSTEM, split_key};
use crate::prompt::history::history_at_most;
use crate::prompt::size::{Bound, CHARACTERS_A_TOKEN, DEFAULT_TOKENS, Fit, size};
use crate::replay::Session;
use crate::replay::agreement::Judge;
use crate::replay::headline::who;
use crate::replay::progress::Progress;
use crate::replay::turns::MODEL_CALL_ERROR;
use crate::rule::Rule;
use crate::session::access::{Found as Gave, ReadDecision};
use crate::session::prose::{SHOWN_CHARACTERS, shown};
use crate::session::{State, evolve};
use crate::timestamp::Timestamp;
use crate::value::Value;

/// Looking at a model call costs as much as looking at so many events.
const CALL_COST: u64 = 20;

/// Everything but what was let happen and offered. Values that were given matter where they are long.
const INTEREST: Interest<'static> = Interest {
    verdicts: Verdicts::of(&[Verdict::Empty, Verdict::Denied, Verdict::Open, Verdict::Closed, Verdict::Refused]),
    reads: None,
    denials: None,
    values: Some(may_be_cut),
};

/// Whether a prompt may show a part of a value only.
fn may_be_cut(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.len() > SHOWN_CHARACTERS,
        Value::List(_) | Value::Map(_) => true,
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => false,
    }
}

/// A walk through a session in search of what looks wrong. It may be dropped at any time.
pub struct Scan {
    state: State,
    end: u64,
    groups: Groups,
    gates: Gates,
    judge: Judge,
    written: BTreeSet<Name>,
    /// For each entry the event that set the value whose length was looked at last, and its length if the model gets a
    /// part of it only.
    lengths: BTreeMap<Name, (Option<Position>, Option<usize>)>,
    /// For each stack, how large a prompt is at most.
    bounds: HashMap<Vec<Name>, Bound>,
    /// When the last event happened.
    time: Option<Timestamp>,
}

impl Scan {
    /// Begins a walk.
    pub fn new(session: &Session) -> Scan {
        Scan {
            state: State::default(),
            end: session.end().0,
            groups: Groups::default(),
            gates: Gates::default(),
            judge: Judge::default(),
            written: BTreeSet::new(),
            lengths: BTreeMap::new(),
            bounds: HashMap::new(),
            time: None,
        }
    }

    /// Returns how far it is.
    pub fn progress(&self) -> Progress {
        Progress { done: self.state.position.0, of: self.end }
    }

    /// Looks at about `budget` more events, at least at one.
    pub fn step(&mut self, session: &Session, budget: u64) -> Progress {
        let mut left = budget.max(1);
        for (at, event) in session.events_after(self.state.position) {
            let cost = self.look(session, at, &event);
            left = left.saturating_sub(cost);
            if left == 0 {
                break;
            }
        }
        self.progress()
    }

    /// Returns what was found so far, the worst first.
    pub fn found(&self, session: &Session) -> Vec<Found> {
        let mut found: Vec<Found> = record::findings(session).chain(self.groups.all().cloned()).collect();
        found.extend(record::contradictions(&self.judge.agreement));
        if self.progress().is_done() {
            found.extend(self.gates.never_opened(session.agent.as_deref(), &self.written));
        }
        found.sort_by(|left, right| {
            let first = |found: &Found| found.positions.first().copied();
            (left.severity, left.kind, std::cmp::Reverse(left.count), first(left)).cmp(&(
                right.severity,
                right.kind,
                std::cmp::Reverse(right.count),
                first(right),
            ))
        });
        found
    }

    fn look(&mut self, session: &Session, at: Position, event: &Event) -> u64 {
        self.look_at_event(session, at, event);
        let state = std::mem::take(&mut self.state);
        decisions::walk_event(session, &state, event, &INTEREST, &mut |made| self.look_at(session, &state, made, at));
        self.judge.event(session, &state, at, event);
        self.state = state;
        evolve(&mut self.state, event);
        self.judge.call(session, &self.state);
        if !decisions::is_call(session, at) {
            return 1;
        }
        let state = std::mem::take(&mut self.state);
        let enough = Enough::default();
        decisions::walk_call(session, &state, &INTEREST, &enough, &mut |made| self.look_at(session, &state, made, at));
        self.look_at_size(session, &state);
        self.state = state;
        CALL_COST
    }

    /// Whether the prompt of a call that saw `state` is over its budget. It is made only where it may be.
    fn look_at_size(&mut self, session: &Session, state: &State) {
        let Some(agent) = session.agent.as_deref() else { return };
        let at = state.position;
        let stack: Vec<Name> = state.stack.iter().map(|frame| frame.skill.clone()).collect();
        let bound = self.bounds.entry(stack).or_insert_with_key(|stack| Bound::of(agent, stack.iter()));
        let characters = bound.in_state(state) + history_at_most(session.events_in(..=at));
        let budget = agent.settings.max_prompt_tokens.as_ref().map_or(DEFAULT_TOKENS, |tokens| tokens.value);
        if characters.div_ceil(CHARACTERS_A_TOKEN) <= budget {
            return;
        }
        let Some(size) = session.prompt_in(state).map(|prompt| size(agent, &prompt)) else { return };
        if size.fit != Fit::Over {
            return;
        }
        self.groups.add(FoundKind::OverBudget, Subject::all(), at, || {
            let set = match &size.budget_at {
                Some(at) => format!("{}:{}", at.file, at.line),
                None => "the engine's own".to_owned(),
            };
            let text = format!(
                "a prompt has about {} tokens, an estimate at {CHARACTERS_A_TOKEN} characters each, more than its budget of \
                 {budget} ({set}): what the engine cuts first is not documented (M269)",
                size.estimated_tokens
            );
            let advice = format!(
                "see which part is large (`replay prompt SESSION --at {at} --source`), and shorten it or raise max_prompt_tokens"
            );
            Found { basis: Basis::Recomputed, ..plain(FoundKind::OverBudget, Severity::Warning, text, advice) }
        });
    }

    /// What the event itself says.
    fn look_at_event(&mut self, session: &Session, at: Position, event: &Event) {
        let agent = session.agent.as_deref();
        // What the times of foreign records say was found when they were read.
        if event.origin == Origin::Recorded && self.time.is_some_and(|before| event.time < before) {
            let kind = FoundKind::Record(FindingKind::TimeBackwards);
            self.groups.add(kind, Subject::all(), at, || {
                let text =
                    "an event's time is earlier than that of the one before it: the clock of the host ran backwards";
                plain(kind, Severity::Note, text, "trust the order of the events, not their times")
            });
        }
        self.time = Some(event.time);
        match &event.kind {
            EventKind::MemoryWritten { key, value, writer } => {
                self.written.insert(key.clone());
                let is_system = split_key(key).is_some_and(|(space, _)| space == SYSTEM);
                if writer.actor == Actor::Unknown && !is_system {
                    self.groups.add(FoundKind::UnknownWriter, Subject::all(), at, || {
                        let text = "the record doesn't tell who wrote memory entries";
                        let advice = "take who wrote them as unknown; the turns and tools around them tell more";
                        plain(FoundKind::UnknownWriter, Severity::Note, text, advice)
                    });
                }
                self.look_at_enum(agent, at, key, value);
            }
            EventKind::ToolReturned { tool, outcome: ToolOutcome::Failed, error, .. } => {
                self.look_at_failure(at, tool, error.as_deref().unwrap_or("it doesn't say why"));
            }
            EventKind::ToolReturned { tool, outcome: ToolOutcome::Declined, .. } => {
                self.groups.add(FoundKind::DeclinedTool, Subject::named(tool), at, || {
                    let text = format!("the user said no to {tool}, which never ran");
                    let advice = "look at what was asked: the user may have meant something else";
                    plain(FoundKind::DeclinedTool, Severity::Note, text, advice).of_tool(tool)
                });
            }
            EventKind::AgentMessage { response: Some(response), .. } if *response == MODEL_CALL_ERROR => {
                self.groups.add(FoundKind::FailedCall, Subject::all(), at, || {
                    let text = "a model call failed; the user got the engine's apology";
                    let advice = "look at the model provider's status and the engine's own log at that time";
                    plain(FoundKind::FailedCall, Severity::Error, text, advice)
                });
            }
            _ => {}
        }
    }

    fn look_at_failure(&mut self, at: Position, tool: &Name, error: &str) {
        let is_write = ["ProjectMemoryAlreadySetError", "MemoryWriteError"].iter().any(|name| error.contains(name));
        let is_gate = error.contains("is not available right now");
        let (kind, advice) = match (is_write, is_gate) {
            (true, _) => (
                FoundKind::RefusedWrite,
                format!(
                    "see who wrote it first, and when (`replay why SESSION {} --at {at}`): what is locked or another \
                     skill's can't be written",
                    named_entry(&self.state, error).unwrap_or("KEY")
                ),
            ),
            (_, true) => (
                FoundKind::RefusedTool,
                format!(
                    "see which condition hid it (`replay why SESSION --tool {tool} --at {}`)",
                    at.0.saturating_sub(1)
                ),
            ),
            (false, false) => (
                FoundKind::FailedTool,
                "look at the arguments and at the tool's code: it raised this, or the engine did for it".to_owned(),
            ),
        };
        let subject = Subject { text: Some(error.to_owned()), ..Subject::named(tool) };
        self.groups.add(kind, subject, at, || {
            plain(kind, Severity::Warning, format!("{tool} failed: {error}"), advice).of_tool(tool)
        });
    }

    fn look_at_enum(&mut self, agent: Option<&Agent>, at: Position, key: &Name, value: &Value) {
        let Some((agent, entry)) = agent.and_then(|agent| Some((agent, agent.entry(key)?))) else { return };
        if entry.enum_values.is_empty() || value.is_null() || entry.enum_values.contains(value) {
            return;
        }
        let subject = Subject { text: Some(quoted(value)), ..Subject::named(key) };
        self.groups.add(FoundKind::OutsideEnum, subject, at, || {
            let values: Vec<String> = entry.enum_values.iter().map(Value::to_json).collect();
            let is_text = matches!(value, Value::Text(_));
            let has_bools = entry.enum_values.iter().any(|value| matches!(value, Value::Bool(_)));
            let advice = match is_text && has_bools {
                true => "put the values of its `enum_values` in quotes: bare `yes` and `no` are bools".to_owned(),
                false => format!("add it to the `enum_values`, or let what writes `{key}` write one of them"),
            };
            let text = format!("`{key}` holds {}, none of its enum_values: {}", quoted(value), values.join(", "));
            Found {
                rule: Some(RuleLine::new(Some(agent), Rule::EnumBindsModel, Some(&entry.at))),
                ..plain(FoundKind::OutsideEnum, Severity::Warning, text, advice).of_key(key)
            }
        });
    }

    /// What was decided on `state`.
    fn look_at(&mut self, session: &Session, state: &State, made: &Made<'_>, at: Position) {
        let agent = session.agent.as_deref();
        match made {
            Made::Read { decision, via } => self.look_at_read(agent, state, (decision, *via), at),
            Made::Gate { gate, decision, of, .. } => {
                let Some((key, nothing)) = self.gates.note(gate, decision, *of, at) else { return };
                let place = &gate.text.at;
                let subject = Subject { start: Some(place.start), ..Subject::all().at("condition", Some(place)) };
                let subject = subject.of_nothing(&nothing);
                self.groups.add(FoundKind::GateClosed, subject, at, || {
                    let line = &gate.text.at;
                    let text = format!(
                        "`{}` at {}:{} did not hold, so {}: `{key}` was {nothing}",
                        gate.text.value.trim(),
                        line.file,
                        line.line,
                        what_it_decides(*of)
                    );
                    let advice = format!("see what took the value away (`replay why SESSION {key} --at {at}`)");
                    recomputed(agent, FoundKind::GateClosed, text, advice, Rule::NothingReadsAsNone, Some(line))
                        .of_key(&key)
                        .asked_at(Some(line))
                });
            }
            Made::WriteRefused { asked, value, writer, refusal, rule, decision } => {
                let key = made.key().unwrap_or(asked);
                let subject = Subject { text: Some(rule.to_string()), ..Subject::named(key) };
                self.groups.add(FoundKind::RefusedWrite, subject, at, || {
                    let what = if *refusal == WriteRefusal::Skipped { "passed over" } else { "refused" };
                    let text = format!("a write of `{key}` by {} was {what}: {}", who(writer), rule.text());
                    let change = agent.zip(decision.as_ref()).and_then(|(agent, made)| made.change(agent, value));
                    let advice = match change {
                        Some(change) => format!("to let it through, {change}"),
                        None => format!("see who wrote it before (`replay why SESSION {key} --at {at}`)"),
                    };
                    let because = agent.zip(decision.as_ref()).and_then(|(agent, made)| made.because(agent));
                    Found {
                        rule: Some(RuleLine::new(agent, *rule, because)),
                        ..plain(FoundKind::RefusedWrite, Severity::Warning, text, advice).of_key(key)
                    }
                });
            }
            Made::Skill { skill, verdict: Verdict::Refused, rule, .. } => {
                self.groups.add(FoundKind::RefusedSkill, Subject::named(skill), at, || {
                    let why = rule.map_or("the record doesn't say why", Rule::text);
                    let text = format!("{skill} was not started: {why}");
                    let advice = format!("see what is missing (`replay why SESSION --skill {skill} --at {at}`)");
                    let rule = rule.map(|rule| RuleLine::new(agent, rule, None));
                    Found {
                        rule,
                        ..plain(FoundKind::RefusedSkill, Severity::Warning, text, advice).of_skill(Some(skill))
                    }
                });
            }
            Made::Call { tool, verdict: Verdict::Refused, rule, at: line, .. } => {
                self.groups.add(FoundKind::RefusedTool, Subject::named(tool), at, || {
                    let why = rule.map_or("the record doesn't say why", Rule::text);
                    let text = format!("{tool} did not run: {why}");
                    let advice = format!("see what is missing (`replay why SESSION --tool {tool} --at {at}`)");
                    let rule = rule.map(|rule| RuleLine::new(agent, rule, *line));
                    Found { rule, ..plain(FoundKind::RefusedTool, Severity::Warning, text, advice).of_tool(tool) }
                });
            }
            Made::Stored { .. }
            | Made::Locked { .. }
            | Made::Skill { .. }
            | Made::SkillOffer { .. }
            | Made::Call { .. }
            | Made::ToolOffer { .. } => {}
        }
    }

    fn look_at_read(
        &mut self,
        agent: Option<&Agent>,
        state: &State,
        (read, via): (&ReadDecision, Via<'_>),
        at: Position,
    ) {
        let key = read.key.as_ref().unwrap_or(&read.asked);
        let nothing = match &read.found {
            Gave::Value { value, set_at, .. } => {
                let is_prompt = matches!(via, Via::Listing | Via::Prose(_));
                let is_pii = || agent.and_then(|agent| agent.entry(key)).is_some_and(|entry| entry.pii);
                if is_prompt && !is_pii() {
                    self.look_at_length(key, value, *set_at, at);
                }
                return;
            }
            Gave::Nothing(nothing) => nothing,
        };
        let subject = Subject { skill: read.skill.clone(), ..Subject::named(key) }.at(via.word(), via.place());
        let skill = || read.skill.as_ref().map_or("no skill", |skill| skill.as_str());
        let named = || match via.place() {
            Some(at) => format!("the {} at {}:{}", via.word(), at.file, at.line),
            None if via == Via::Tool => "the code of a tool".to_owned(),
            None => "the memory that prompts list".to_owned(),
        };
        if !read.is_allowed() {
            let behind = agent.and_then(|agent| read.behind(agent, state));
            self.groups.add(FoundKind::DeniedRead, subject, at, || {
                let text = format!("{} read None from `{key}` in {}: {nothing}", skill(), named());
                let advice = match agent.and_then(|agent| read.change(agent)) {
                    Some(change) => {
                        let change = lifted(change.to_string(), behind.as_ref(), at);
                        format!("if it should see the value, {change}")
                    }
                    None => "write another name: no rule lets this one be read".to_owned(),
                };
                recomputed(agent, FoundKind::DeniedRead, text, advice, read.rule, read.because())
                    .of_key(key)
                    .of_skill(read.skill.as_ref())
                    .asked_at(via.place())
            });
            return;
        }
        let what = match via {
            Via::Prose(_) => "the model gets the token as it is written",
            Via::Response(_) => "the user gets the placeholder as it is written",
            Via::Argument(_) | Via::Tool => "the tool gets None",
            // Conditions are looked at as a whole, and a listing shows nothing of what is empty.
            Via::Condition(_) | Via::Listing => return,
        };
        self.groups.add(FoundKind::EmptyRead, subject.of_nothing(nothing), at, || {
            let text = format!("`{key}` gave None in {}, so {what}: {nothing}", named());
            let advice = format!("see what should have set it (`replay why SESSION {key} --at {at}`)");
            recomputed(agent, FoundKind::EmptyRead, text, advice, read.rule, via.place())
                .of_key(key)
                .of_skill(read.skill.as_ref())
                .asked_at(via.place())
        });
    }

    fn look_at_length(&mut self, key: &Name, value: &Value, set_at: Option<Position>, at: Position) {
        let length = match self.lengths.get(key) {
            Some((known, length)) if *known == set_at => *length,
            Some(_) | None => {
                // What is shown whole is the value's own text.
                let text = value.to_display();
                let length = (shown(value) != text).then(|| text.chars().count());
                self.lengths.insert(key.clone(), (set_at, length));
                length
            }
        };
        let Some(length) = length else { return };
        self.groups.add(FoundKind::CutValue, Subject::named(key), at, || {
            let text = format!(
                "the model gets the first {SHOWN_CHARACTERS} of the {length} characters of `{key}`; tools and responses \
                 get all (M262)"
            );
            let advice = format!("put what the model must know into the first {SHOWN_CHARACTERS}, or split the entry");
            Found { basis: Basis::Recomputed, ..plain(FoundKind::CutValue, Severity::Note, text, advice).of_key(key) }
        });
    }
}

/// Returns the entry that an error names, if it names one that has a story.
fn named_entry<'e>(state: &State, error: &'e str) -> Option<&'e str> {
    let words = error.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')));
    words.map(|word| word.trim_matches('.')).find(|word| state.memory.contains_key(*word))
}

fn plain(kind: FoundKind, severity: Severity, text: impl Into<String>, advice: impl Into<String>) -> Found {
    Found {
        kind,
        severity,
        text: text.into(),
        advice: advice.into(),
        count: 0,
        positions: Vec::new(),
        raw: None,
        rule: None,
        key: None,
        skill: None,
        tool: None,
        asked_at: None,
        basis: Basis::Recorded,
    }
}

fn recomputed(
    agent: Option<&Agent>,
    kind: FoundKind,
    text: String,
    advice: String,
    rule: Rule,
    line: Option<&Place>,
) -> Found {
    let rule = Some(RuleLine::new(agent, rule, line));
    Found { rule, basis: Basis::Recomputed, ..plain(kind, Severity::Warning, text, advice) }
}
