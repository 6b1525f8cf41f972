//! Whether the record and the rules of the agent folder agree: what was called was offered, what started might start,
//! what was said is what the folder says, what is locked stays as it is.
//!
//! A contradiction means that the folder is another one than the session ran with, that the record lies, or that we
//! recompute wrongly. Where the folder doesn't know, nothing is claimed.

use std::ops::Bound;
use std::sync::Arc;

use super::progress::Progress;
use super::taps::{Tap, TapOutcome};
use super::turns::CallKind;
use super::{EventRef, Session};
use crate::agent::Agent;
use crate::agent::response::ResponseSource;
use crate::event::finding::{Finding, FindingKind};
use crate::event::{Activation, Event, EventKind, MessageSource, Position, Tag, ToolCaller, ToolOutcome};
use crate::name::Name;
use crate::profile::Profile;
use crate::prompt::tools::ACTIVATE;
use crate::prompt::{Moment, Tool, tool_of};
use crate::session::response::speak;
use crate::session::start::{Route, Start, StartDecision, may_start, precondition_holds};
use crate::session::{Frame, Parked, State, evolve};
use crate::value::Value;

/// How far a record and the rules of the agent folder agree.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Tool calls of the model: was the tool offered?
    pub calls: Tally,
    /// Starts of skills: might the skill start?
    pub activations: Tally,
    /// Responses that were said word for word: are those the folder's words?
    pub replies: Tally,
    /// Where they don't agree, each tool, skill, response and entry once, in the order of the record.
    pub contradictions: Vec<Contradiction>,
}

/// How many facts of a kind agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Recomputed and recorded are the same.
    pub agreeing: u64,
    /// They are not.
    pub contradicting: u64,
    /// The folder doesn't tell.
    pub unknown: u64,
}

/// A tool, skill, response or entry about which record and folder disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// What kind of disagreement.
    pub kind: FindingKind,
    /// The tool, skill, response or entry.
    pub name: Name,
    /// The first event that shows it.
    pub first: Position,
    /// The raw records of that event, counted from 0; empty for what we recorded.
    pub raw: Vec<u32>,
    /// How many events show it.
    pub count: u64,
    /// What is wrong at the first, in one sentence.
    pub text: String,
}

impl Contradiction {
    /// Returns it as a finding about the session.
    pub fn finding(&self) -> Finding {
        let more = match self.count {
            1 => String::new(),
            count => format!(" ({count} times, this is the first)"),
        };
        Finding {
            kind: self.kind,
            raw: self.raw.first().copied().zip(self.raw.last().copied()),
            text: format!("at position {}, {}{more}", self.first, self.text),
        }
    }
}

/// What one recorded fact comes to.
enum Verdict {
    Agrees,
    Unknown,
    Contradicts { kind: FindingKind, name: Name, text: String },
}

impl Session {
    /// Holds the record against the rules of the agent folder; `None` without a folder. The whole session is folded, so
    /// this takes a while for a long one; [`Walk`] does it in slices.
    pub fn agreement(&self) -> Option<Agreement> {
        self.agent.as_ref()?;
        let mut walk = Walk::new(self);
        while !walk.step(self, u64::MAX).is_done() {}
        Some(walk.into_agreement())
    }

    /// Returns where the record and the rules of the agent folder disagree; nothing without a folder.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        self.agreement().map(|agreement| agreement.contradictions).unwrap_or_default()
    }
}

/// Holds a record against the rules in slices. It may be dropped at any time.
pub struct Walk {
    state: State,
    end: u64,
    judge: Judge,
}

impl Walk {
    /// Begins at the start of a session.
    pub fn new(session: &Session) -> Walk {
        Walk { state: State::default(), end: session.end().0, judge: Judge::default() }
    }

    /// Returns how far it is.
    pub fn progress(&self) -> Progress {
        Progress { done: self.state.position.0, of: self.end }
    }

    /// Looks at `budget` more events, at least at one.
    pub fn step(&mut self, session: &Session, budget: u64) -> Progress {
        let from = self.state.position.0;
        let to = Position(from.saturating_add(budget.max(1)));
        for (at, event) in session.events_in((Bound::Excluded(Position(from)), Bound::Included(to))) {
            self.judge.event(session, &self.state, at, &event);
            evolve(&mut self.state, &event);
            self.judge.call(session, &self.state);
        }
        self.progress()
    }

    /// Returns what came of it so far.
    pub fn into_agreement(self) -> Agreement {
        self.judge.agreement
    }
}

/// Holds a record against the rules event by event, for who walks through it anyway.
#[derive(Default)]
pub(crate) struct Judge {
    /// What came of it so far.
    pub(crate) agreement: Agreement,
    offer: Option<Offer>,
}

impl Judge {
    /// Judges the event at `at`; `state` is that before it. Without a folder nothing is judged.
    pub(crate) fn event(&mut self, session: &Session, state: &State, at: Position, event: &Event) {
        let Some(agent) = session.agent.as_deref() else { return };
        let rules = Rules { agent, profile: session.profile.profile };
        let offer = self.offer.as_ref().filter(|offer| event.turn == Some(offer.turn));
        self.agreement.judge(&rules, state, offer, (at, event));
        self.agreement.judge_write(state, (at, event));
        if let Some(tap) = session.tap_in(state, at, event) {
            self.agreement.judge_tap(&tap, (at, event));
        }
    }

    /// Notes what a model call could choose from, if one saw `state`, as far as the record shows what was chosen. A
    /// rephrase has no tools.
    pub(crate) fn call(&mut self, session: &Session, state: &State) {
        let Some(agent) = session.agent.as_deref() else { return };
        let at = state.position;
        let Some(turn) = session.turn_at(Position(at.0 + 1)) else { return };
        let calls = || turn.calls.iter().filter(|call| call.kind != CallKind::Rephrase);
        let Some(call) = calls().find(|call| call.before == at) else { return };
        let next = calls().map(|call| call.before).filter(|next| at < *next).min();
        let rules = Rules { agent, profile: session.profile.profile };
        let mut offer = Offer { turn: turn.number, call: turn.call_name(call), tools: Vec::new(), starts: Vec::new() };
        let mut moment = None;
        for chosen in chosen(session, (at, next.unwrap_or(turn.last))) {
            match &chosen.kind {
                EventKind::ToolReturned { tool, .. } if offer.tool(tool).is_none() => {
                    // What the folder alone knows: a tool that is known from the record only is left out.
                    let moment = moment
                        .get_or_insert_with(|| Moment { seen: Arc::default(), ..session.moment_of_decisions(at) });
                    offer.tools.push((tool.clone(), tool_of(agent, rules.profile, state, moment, tool)));
                }
                EventKind::SkillActivated { skill, by } => {
                    offer.starts.push((skill.clone(), *by, rules.may_start(state, skill, *by)));
                }
                _ => {}
            }
        }
        self.offer = Some(offer);
    }
}

/// Returns the events behind the first position, up to the last one, in which the model chose something.
fn chosen(session: &Session, (from, to): (Position, Position)) -> impl Iterator<Item = EventRef> {
    let positions = (from.0 + 1..=to.0).map(Position);
    let may_be = |at: &Position| {
        session.mark(*at).is_some_and(|mark| matches!(mark.tag(), Tag::ToolReturned | Tag::SkillActivated))
    };
    positions.filter(may_be).filter_map(|at| session.event(at)).filter(|event| {
        matches!(
            event.kind,
            EventKind::ToolReturned { caller: ToolCaller::Model, .. }
                | EventKind::SkillActivated { by: Activation::Model | Activation::Reference, .. }
        )
    })
}

/// The rules that the record is held against.
struct Rules<'a> {
    agent: &'a Agent,
    profile: Profile,
}

/// What a model call could choose from, as far as it is asked for.
struct Offer {
    turn: u32,
    /// What people call the model call.
    call: String,
    /// Tools that were called, each as the call was offered it, or `None` where it had none of that name.
    tools: Vec<(Name, Option<Tool>)>,
    /// Skills that were started then, and whether they might.
    starts: Vec<(Name, Activation, StartDecision)>,
}

impl Offer {
    fn tool(&self, name: &Name) -> Option<&Option<Tool>> {
        self.tools.iter().find(|(known, _)| known == name).map(|(_, tool)| tool)
    }

    fn start(&self, skill: &Name, by: Activation) -> Option<&StartDecision> {
        self.starts.iter().find(|(known, how, _)| known == skill && *how == by).map(|(_, _, decision)| decision)
    }
}

impl Agreement {
    /// Judges one event; `state` is that before it.
    fn judge(&mut self, rules: &Rules<'_>, state: &State, offer: Option<&Offer>, (at, event): (Position, &Event)) {
        let (tally, verdict) = match &event.kind {
            EventKind::ToolReturned { tool, arguments, caller: ToolCaller::Model, outcome, .. } => {
                (&mut self.calls, rules.called(offer, tool, arguments, *outcome))
            }
            EventKind::SkillActivated { skill, by } => (&mut self.activations, rules.started(state, offer, skill, *by)),
            EventKind::AgentMessage { text, source: MessageSource::Template, response: Some(response), .. } => {
                (&mut self.replies, rules.said(state, response, text))
            }
            _ => return,
        };
        match verdict {
            Verdict::Agrees => tally.agreeing += 1,
            Verdict::Unknown => tally.unknown += 1,
            Verdict::Contradicts { kind, name, text } => {
                tally.contradicting += 1;
                self.note(Contradiction { kind, name, first: at, raw: event.origin.raw_indexes(), count: 1, text });
            }
        }
    }

    /// A write of what is locked: the engine refuses it, so that no record of one can be right (M43, M44).
    fn judge_write(&mut self, state: &State, (at, event): (Position, &Event)) {
        let (EventKind::MemoryWritten { key, .. } | EventKind::MemoryCleared { key, .. }) = &event.kind else { return };
        let Some(cell) = state.memory.get(key).filter(|cell| cell.locked && !cell.value.is_null()) else { return };
        let since = match cell.set_at {
            Some(since) => format!("was locked since {since}"),
            None => "is locked by its initial value".to_owned(),
        };
        let text = format!("`{key}` was written, though by the rules of this generation it {since}");
        let (kind, raw) = (FindingKind::NotWritable, event.origin.raw_indexes());
        self.note(Contradiction { kind, name: key.clone(), first: at, raw, count: 1, text });
    }

    /// A tap that was passed over is shown nowhere else: the user saw a notice, and the model nothing.
    fn judge_tap(&mut self, tap: &Tap, (at, event): (Position, &Event)) {
        if matches!(tap.outcome, TapOutcome::Skipped { .. }) {
            let name = Name::from(tap.payload.as_str());
            let text = format!("the tap on `{name}` {}", tap.words());
            let (kind, raw) = (FindingKind::SkippedTap, event.origin.raw_indexes());
            self.note(Contradiction { kind, name, first: at, raw, count: 1, text });
        }
    }

    fn note(&mut self, found: Contradiction) {
        let known = self.contradictions.iter_mut().find(|known| known.kind == found.kind && known.name == found.name);
        match known {
            Some(known) => known.count += 1,
            None => self.contradictions.push(found),
        }
    }
}

impl Rules<'_> {
    /// A call that failed may be one of a tool that was not offered: the engine refuses it then.
    fn called(&self, offer: Option<&Offer>, tool: &Name, arguments: &str, outcome: ToolOutcome) -> Verdict {
        let Some(offer) = offer else { return Verdict::Unknown };
        match offer.tool(tool).and_then(Option::as_ref) {
            None => Verdict::Unknown,
            Some(known) if known.offered => Verdict::Agrees,
            Some(_) if outcome == ToolOutcome::Failed => Verdict::Unknown,
            Some(_) if *tool == ACTIVATE && !self.knows_target(arguments) => Verdict::Unknown,
            Some(known) => Verdict::Contradicts {
                kind: FindingKind::NotOffered,
                name: tool.clone(),
                text: format!(
                    "the model called `{tool}`, which by the agent folder was not offered at {}: {}",
                    offer.call, known.why
                ),
            },
        }
    }

    /// Whether a call of `activate` names a skill, or a block of one, that the folder has.
    fn knows_target(&self, arguments: &str) -> bool {
        let Ok(Value::Map(arguments)) = Value::from_json(arguments) else { return false };
        let targets = arguments.iter().filter_map(|(_, value)| value.as_text());
        targets
            .map(|id| id.split_once("__").map_or(id, |(skill, _)| skill))
            .any(|id| self.agent.skills.contains_key(id))
    }

    /// What the model starts was offered when its prompt was built; all else starts in the state before.
    fn started(&self, state: &State, offer: Option<&Offer>, skill: &Name, by: Activation) -> Verdict {
        let Some(known) = self.agent.skills.get(skill) else { return Verdict::Unknown };
        let is_waiting = |frame: &Frame| frame.skill == *skill && frame.parked == Some(Parked::Pending);
        if state.stack.iter().any(is_waiting) && precondition_holds(self.agent, self.profile, state, known) {
            return Verdict::Agrees;
        }
        let offered = offer.and_then(|offer| offer.start(skill, by)).cloned();
        let decision = offered.unwrap_or_else(|| self.may_start(state, skill, by));
        match &decision.outcome {
            Start::Fresh | Start::Resumed | Start::Ignored => Verdict::Agrees,
            Start::Pending { .. } | Start::Refused => {
                let place = decision.because.as_ref().map(|at| format!(", see {}:{}", at.file, at.line));
                Verdict::Contradicts {
                    kind: FindingKind::NotStartable,
                    name: skill.clone(),
                    text: format!(
                        "`{skill}` started, which by the agent folder it might not: {} ({}){}",
                        decision.rule.text().trim_end_matches('.'),
                        decision.rule.number(),
                        place.unwrap_or_default()
                    ),
                }
            }
        }
    }

    fn may_start(&self, state: &State, skill: &Name, by: Activation) -> StartDecision {
        let route = match by {
            Activation::Model => Route::Model,
            Activation::Reference => Route::Reference,
            Activation::Tool => Route::Tool,
            // The least that every start needs, where the record doesn't say what it was.
            Activation::Step | Activation::Unknown => Route::Step,
            Activation::Engine => Route::Engine,
        };
        may_start(self.agent, self.profile, state, skill, route)
    }

    /// The engine's own responses are worded by us where the folder doesn't word them.
    fn said(&self, state: &State, response: &Name, recorded: &str) -> Verdict {
        let declared = self.agent.responses.get(response);
        if declared.is_none_or(|response| response.source == ResponseSource::Engine) {
            return Verdict::Unknown;
        }
        let recomputed = speak(self.agent, self.profile, state, response).text;
        if recorded == recomputed {
            return Verdict::Agrees;
        }
        let same = recorded.chars().zip(recomputed.chars()).take_while(|(left, right)| left == right).count();
        Verdict::Contradicts {
            kind: FindingKind::OtherWords,
            name: response.clone(),
            text: format!(
                "`{response}` was said in other words than the agent folder gives: “{}” instead of “{}”",
                around(recorded, same),
                around(&recomputed, same)
            ),
        }
    }
}

/// How many characters of a reply are quoted before and after the first that differs.
const QUOTED_BEFORE: usize = 20;
const QUOTED_AFTER: usize = 40;

/// Returns the part of a text around its character `index`.
fn around(text: &str, index: usize) -> String {
    let start = index.saturating_sub(QUOTED_BEFORE);
    let part: String = text.chars().skip(start).take(index - start + QUOTED_AFTER).collect();
    let rest = text.chars().nth(index + QUOTED_AFTER).map_or("", |_| "…");
    let lead = if start > 0 { "…" } else { "" };
    format!("{lead}{part}{rest}")
}
