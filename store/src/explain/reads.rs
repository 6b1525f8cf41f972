//! Who read an entry: prompts, conditions, responses and tool arguments that used it, the newest first.
//!
//! A record holds no reads. Those of the engine follow from the folder and the state, so all are recomputed; whether
//! the code of a tool read what it names is unknown, and said to be so.

use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;

use serde::Serialize;

use super::condition::Condition;
use super::read::answer_of;
use super::uses::{Decides, ReadAs, Use, uses};
use super::why::Answer;
use super::words::{and_behind, value_words};
use crate::agent::Agent;
use crate::agent::block::{Parameter, StepKind};
use crate::agent::response::placeholders;
use crate::agent::tool_memory::{ToolMemory, tool_memory};
use crate::event::{Event, EventKind, Position, ToolCaller};
use crate::name::{Name, split_key};
use crate::prompt::Source;
use crate::replay::Session;
use crate::replay::turns::{Call, Turn};
use crate::rule::Rule;
use crate::session::access::{ReadDecision, Reader, Site, read};
use crate::session::gate::gate;
use crate::session::prose::{ProsePiece, scope, substitute};
use crate::session::response::speak;
use crate::session::{Frame, State};
use crate::value::Value;

/// The schema of the JSON.
pub const SCHEMA: &str = "replay.reads/1";

/// The reads of an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reads {
    /// The qualified name.
    pub key: Name,
    /// The first position that was looked at.
    pub from: Position,
    /// The last one.
    pub to: Position,
    /// What was found, the newest first.
    pub reads: Vec<Read>,
    /// Whether all of the range was looked at; `false` where the search was stopped at `from`.
    pub complete: bool,
    /// What can't be known, in one sentence.
    pub unknown: Option<String>,
}

/// A read of an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Read {
    /// The moment: what held when it was read.
    pub position: Position,
    /// The agent turn; `None` between turns.
    pub turn: Option<u32>,
    /// Where it is written.
    pub site: ReadSite,
    /// The skill with whose rights it was read.
    pub skill: Option<Name>,
    /// What it came to.
    pub answer: Answer,
    /// What the reader got.
    pub value: Arc<Value>,
    /// The rule that decided.
    pub rule: Rule,
    /// The line of the agent folder that reads, as `file:line`.
    pub place: Option<String>,
    /// What reads, in words: the same for each read of it that came to the same.
    pub reader: String,
    /// One sentence.
    pub text: String,
}

/// Where a read is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadSite {
    /// The prompt of a model call.
    Prompt,
    /// A condition.
    Condition,
    /// A placeholder of a response.
    Response,
    /// An argument of an `execute_tool` step.
    Argument,
    /// The code of a tool names it; whether that line ran is unknown.
    ToolCode,
    /// A tool read it, and our own record says so.
    Tool,
}

impl ReadSite {
    /// Returns the words that people read.
    pub fn words(self) -> &'static str {
        match self {
            ReadSite::Prompt => "prompt",
            ReadSite::Condition => "condition",
            ReadSite::Response => "response",
            ReadSite::Argument => "argument",
            ReadSite::ToolCode => "tool code",
            ReadSite::Tool => "tool",
        }
    }
}

/// Returns the reads of the entry of that qualified name in a range, the newest first. `goes_on` is asked at each event,
/// with its position; where it says no, the search ends there.
pub fn reads(
    session: &Session,
    key: &Name,
    range: RangeInclusive<Position>,
    mut goes_on: impl FnMut(Position) -> bool,
) -> Reads {
    let (from, to) = (*range.start(), (*range.end()).min(session.end()));
    let mut found = Reads { key: key.clone(), from, to, reads: Vec::new(), complete: true, unknown: None };
    let Some(agent) = session.agent.as_deref() else {
        found.unknown =
            Some("without an agent folder nobody knows what reads it; name one with --agent DIR".to_owned());
        return found;
    };
    let code: Vec<ToolMemory> = tool_memory(agent).into_iter().filter(|one| !one.writes && one.may_mean(key)).collect();
    // What we recorded ourselves tells each read of a tool.
    let code = if session.is_ours() { Vec::new() } else { code };
    if !code.is_empty() {
        found.unknown = Some("whether the code of a tool came to the line that names it is not recorded".to_owned());
    }
    let search = Search { session, agent, key, uses: uses(agent, session.profile.profile, key), code };
    // What the event at p shows to have been read was read at p - 1.
    for (at, event) in session.events_in((Bound::Excluded(from), Bound::Included(to))).rev() {
        if !goes_on(at) {
            (found.from, found.complete) = (at, false);
            break;
        }
        search.at_event(at, &event, &mut found.reads);
        if let Some((turn, call)) = call_before(session, at) {
            search.at_call(turn, call, &mut found.reads);
        }
    }
    found
}

/// Returns the model call whose first event is the one at `at`.
fn call_before(session: &Session, at: Position) -> Option<(&Turn, &Call)> {
    let turn = session.turn_at(at)?;
    turn.calls.iter().find(|call| call.before.0 + 1 == at.0).map(|call| (turn, call))
}

struct Search<'a> {
    session: &'a Session,
    agent: &'a Agent,
    key: &'a Name,
    uses: Vec<Use<'a>>,
    code: Vec<ToolMemory>,
}

impl Search<'_> {
    /// What a model call read: its prompt, and the conditions of what it was offered.
    fn at_call(&self, turn: &Turn, call: &Call, found: &mut Vec<Read>) {
        let state = self.session.state(call.before);
        let name = turn.call_name(call);
        let number = Some(turn.number);
        self.shown(call, &state, &name, number, found);
        self.left(&state, &name, number, found);
        for one in &self.uses {
            let on_stack = |id: &Name| state.stack.iter().any(|frame| frame.skill == *id);
            let applies = match one.decides {
                Decides::Paragraph(skill) | Decides::Tool(skill, _) => state.active_skill() == Some(skill),
                Decides::Skill(skill) | Decides::Precondition(skill) => !on_stack(skill),
                Decides::Step(..) | Decides::Completion(_) | Decides::Utterance(..) | Decides::Wording(_) => false,
            };
            if applies {
                self.decided(one, &state, number, &format!("at {name}"), found);
            }
        }
    }

    /// The pieces of the prompt that show the value.
    fn shown(&self, call: &Call, state: &State, name: &str, turn: Option<u32>, found: &mut Vec<Read>) {
        let Some(prompt) = self.session.prompt_of(call) else { return };
        let entry = self.agent.entry(self.key);
        let initial = entry.and_then(|entry| entry.initial_at.as_ref());
        let is_it = |origin: &Source| match origin {
            Source::Event { key, .. } => key.as_ref() == Some(self.key),
            Source::File { file, line } => initial.is_some_and(|at| at.file == *file && at.line == *line),
            Source::Builtin => false,
        };
        for section in &prompt.sections {
            if let Some(piece) = section.pieces.iter().find(|piece| is_it(&piece.origin)) {
                let section = section.name.word();
                let value = value_words(&Value::Text(piece.text.clone()));
                let text = format!("the prompt of {name} shows {value} in its section {section}");
                let text = (format!("the section {section} of the prompt shows it"), text);
                let decision = self.decide(state, Site::Prompt);
                found.push(read_of(&decision, state.position, turn, ReadSite::Prompt, None, text));
            }
        }
    }

    /// The tokens of the prose in charge that gave nothing, so that the prompt has a hole there.
    fn left(&self, state: &State, name: &str, turn: Option<u32>, found: &mut Vec<Read>) {
        let (agent, profile) = (self.agent, self.session.profile.profile);
        let Some(skill) = state.active_skill().and_then(|id| agent.skills.get(id)) else { return };
        let step = state.top().and_then(|frame| skill.block(frame.block.as_ref()?)?.step(frame.step.as_ref()?));
        let prose = match step.map(|step| &step.kind) {
            Some(StepKind::Instructions { prose, .. }) => vec![prose],
            Some(_) => Vec::new(),
            None => {
                let paragraphs = scope(agent, profile, state, skill).into_iter();
                paragraphs.filter(|one| one.is_visible).map(|one| &one.paragraph.prose).collect()
            }
        };
        for prose in prose {
            for piece in substitute(agent, profile, state, Some(&skill.id), prose) {
                let ProsePiece::Left { token, decision, .. } = piece else { continue };
                if decision.key.as_ref().unwrap_or(&decision.asked) == self.key {
                    let place = Some(format!("{}:{}", token.at.file, token.at.line));
                    let nothing = self.gave(state, &decision);
                    let text = format!("the prompt of {name} has a hole there: {nothing}");
                    let text = (format!("the prompt has a hole there: {nothing}"), text);
                    found.push(read_of(&decision, state.position, turn, ReadSite::Prompt, place, text));
                }
            }
        }
    }

    /// What a read gave, or why it gave nothing.
    fn gave(&self, state: &State, decision: &ReadDecision) -> String {
        if let Some(value) = decision.value() {
            return value_words(value);
        }
        let why = answer_of(decision).word().replace('_', " ");
        match decision.because() {
            Some(at) => {
                let behind = and_behind(decision.behind(self.agent, state).as_ref());
                format!("None ({why} by {}, {}:{}{behind})", decision.rule, at.file, at.line)
            }
            None => format!("None ({why})"),
        }
    }

    /// A condition that names the entry, if it came to read it.
    fn decided(&self, one: &Use<'_>, state: &State, turn: Option<u32>, when: &str, found: &mut Vec<Read>) {
        let reader = match one.reader {
            ReadAs::Skill(skill) => Some(skill.as_str()),
            ReadAs::Nobody => None,
            ReadAs::Active => state.active_skill().map(Name::as_str),
        };
        let decision = gate(self.agent, self.session.profile.profile, state, reader, one.gate);
        let tree = Condition::of(self.agent, state, one.gate, &decision);
        let Some(read) = tree.reads().into_iter().find(|read| read.key == *self.key) else { return };
        let is = if decision.is_open() { "holds" } else { "does not hold" };
        let gave = self.gave(state, &read.decision);
        let (what, condition) = (one.decides.words(), &tree.text);
        let text = format!("{what} depends on `{condition}`, which {is} {when}: {gave}");
        let text = (format!("{what} depends on `{condition}`, which {is}"), text);
        let place = Some(format!("{}:{}", one.gate.text.at.file, one.gate.text.at.line));
        found.push(read_of(&read.decision, state.position, turn, ReadSite::Condition, place, text));
    }

    /// What an event shows to have been read just before it.
    fn at_event(&self, at: Position, event: &Event, found: &mut Vec<Read>) {
        let before = Position(at.0 - 1);
        match &event.kind {
            EventKind::AgentMessage { response: Some(response), .. } => {
                self.spoken(before, event.turn, response, found);
            }
            EventKind::ToolReturned { tool, caller, .. } => {
                if *caller == ToolCaller::Step {
                    self.argument(before, event.turn, tool, found);
                }
                self.coded(before, event.turn, tool, found);
            }
            EventKind::ReadDecided { asked, key, tool, .. } if key.as_ref().unwrap_or(asked) == self.key => {
                let decision = self.decide(&self.session.state(before), Site::Tool);
                let gave = self.gave(&self.session.state(before), &decision);
                let by = tool.as_ref().map_or("a tool".to_owned(), |tool| format!("the tool `{tool}`"));
                let text = (format!("{by} reads it"), format!("{by} read it: {gave}"));
                found.push(read_of(&decision, before, event.turn, ReadSite::Tool, None, text));
            }
            EventKind::SkillCompleted { skill } => {
                let ends = |one: &&Use<'_>| matches!(one.decides, Decides::Completion(of) if of == skill);
                for one in self.uses.iter().filter(ends) {
                    let state = self.session.state(before);
                    self.decided(one, &state, event.turn, &format!("before the event {at}"), found);
                }
            }
            EventKind::MemoryWritten { .. } | EventKind::MemoryCleared { .. } => self.woken(at, event.turn, found),
            EventKind::StackPatched { .. } | EventKind::StepEntered { .. } | EventKind::BlockCompleted { .. } => {
                self.stepped(at, event.turn, found);
            }
            _ => {}
        }
    }

    /// The conditions on which the running skill says a response once a write made them true.
    fn woken(&self, at: Position, turn: Option<u32>, found: &mut Vec<Read>) {
        if !self.uses.iter().any(|one| matches!(one.decides, Decides::Utterance(..))) {
            return;
        }
        let state = self.session.state(at);
        for one in &self.uses {
            let Decides::Utterance(skill, response) = one.decides else { continue };
            let is_said = || state.uttered.contains(&(skill.clone(), response.clone()));
            if state.active_skill() == Some(skill) && !is_said() {
                self.decided(one, &state, turn, &format!("after the write at {at}"), found);
            }
        }
    }

    /// The conditions of the wordings of a response, up to the one that holds.
    fn worded(&self, state: &State, turn: Option<u32>, response: &Name, found: &mut Vec<Read>) {
        let (agent, profile) = (self.agent, self.session.profile.profile);
        let skill = state.active_skill().map(Name::as_str);
        let variants = agent.responses.get(response).into_iter().flat_map(|declared| &declared.variants);
        for condition in variants.filter_map(|variant| variant.condition.as_ref()) {
            if let Some(one) = self.uses.iter().find(|one| std::ptr::eq(one.gate, condition)) {
                self.decided(one, state, turn, "when it was said", found);
            }
            if gate(agent, profile, state, skill, condition).is_open() {
                return;
            }
        }
    }

    fn spoken(&self, before: Position, turn: Option<u32>, response: &Name, found: &mut Vec<Read>) {
        let Some(declared) = self.agent.responses.get(response) else { return };
        let name = split_key(self.key).map_or(self.key.as_str(), |(_, name)| name);
        let names = |text: &str| placeholders(text).iter().any(|(_, asked)| asked.ends_with(name));
        let is_chosen_by = self.uses.iter().any(|one| one.decides == Decides::Wording(response));
        let is_said_in = declared.variants.iter().any(|variant| names(&variant.text.value));
        if !is_chosen_by && !is_said_in {
            return;
        }
        let state = self.session.state(before);
        self.worded(&state, turn, response, found);
        let spoken = speak(self.agent, self.session.profile.profile, &state, response);
        let decision = spoken.reads.iter().find(|read| read.key.as_ref() == Some(self.key));
        if let Some(decision) = decision {
            let gave = self.gave(&state, decision);
            let reader = format!("the response `{response}` says it");
            let text = (reader.clone(), format!("{reader}: {gave}"));
            let at = spoken.variant.map_or(&declared.at, |variant| &variant.text.at);
            let place = Some(format!("{}:{}", at.file, at.line));
            found.push(read_of(decision, before, turn, ReadSite::Response, place, text));
        }
    }

    fn argument(&self, before: Position, turn: Option<u32>, tool: &Name, found: &mut Vec<Read>) {
        let names = |parameter: &Parameter| match parameter {
            Parameter::Memory(key) => key.value == *self.key,
            Parameter::Literal(_) => false,
        };
        let state = self.session.state(before);
        let skill = state.active_skill().and_then(|id| self.agent.skills.get(id));
        for step in skill.into_iter().flat_map(|skill| &skill.blocks).flat_map(|block| &block.steps) {
            let StepKind::ExecuteTool { tool: run, parameters } = &step.kind else { continue };
            let Some((argument, _)) = parameters.iter().find(|(_, parameter)| names(parameter)) else { continue };
            if run.value == *tool {
                let decision = self.decide(&state, Site::Condition);
                let gave = self.gave(&state, &decision);
                let reader = format!("the step `{}` passes it to `{tool}` as `{argument}`", step.id);
                let text = (reader.clone(), format!("{reader}: {gave}"));
                let place = Some(format!("{}:{}", step.at.file, step.at.line));
                found.push(read_of(&decision, before, turn, ReadSite::Argument, place, text));
            }
        }
    }

    fn coded(&self, before: Position, turn: Option<u32>, tool: &Name, found: &mut Vec<Read>) {
        let state = self.session.state(before);
        let active = state.active_skill();
        let runs = |one: &&ToolMemory| one.tool == *tool && (one.skill.is_none() || one.skill.as_ref() == active);
        if let Some(one) = self.code.iter().find(runs) {
            let decision = self.decide(&state, Site::Tool);
            let reader = format!("the code of `{tool}` names it; whether it came to that line is not recorded");
            let text = (reader.clone(), reader);
            let place = Some(format!("{}:{}", one.at.file, one.at.line));
            found.push(read_of(&decision, before, turn, ReadSite::ToolCode, place, text));
        }
    }

    /// The conditions of the step that a block left with the event at `at`.
    fn stepped(&self, at: Position, turn: Option<u32>, found: &mut Vec<Read>) {
        if !self.uses.iter().any(|one| matches!(one.decides, Decides::Step(..))) {
            return;
        }
        let (before, after) = (self.session.state(Position(at.0 - 1)), self.session.state(at));
        let place = |frame: &Frame| (frame.skill.clone(), frame.block.clone(), frame.step.clone());
        let stands = |state: &State, frame: &Frame| state.stack.iter().any(|one| place(one) == place(frame));
        let Some(left) = before.stack.iter().rev().find(|frame| frame.block.is_some()) else { return };
        if stands(&after, left) {
            return;
        }
        let is_it = |one: &&Use<'_>| match one.decides {
            Decides::Step(skill, block, step) => {
                left.skill == *skill && left.block.as_ref() == Some(block) && left.step.as_ref() == Some(step)
            }
            _ => false,
        };
        for one in self.uses.iter().filter(is_it) {
            self.decided(one, &before, turn, &format!("before the event {at}"), found);
        }
    }

    fn decide(&self, state: &State, site: Site) -> ReadDecision {
        let reader = Reader { skill: state.active_skill().map(Name::as_str), site };
        read(self.agent, self.session.profile.profile, state, reader, self.key)
    }
}

fn read_of(
    decision: &ReadDecision,
    position: Position,
    turn: Option<u32>,
    site: ReadSite,
    place: Option<String>,
    (reader, text): (String, String),
) -> Read {
    Read {
        position,
        turn,
        site,
        skill: decision.skill.clone(),
        answer: answer_of(decision),
        value: decision.value().cloned().unwrap_or_default(),
        rule: decision.rule,
        place,
        reader,
        text,
    }
}
