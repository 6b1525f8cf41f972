//! Two positions of one session: memory, stack, what was offered, what was said between them, and the prompt.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cause::{Cause, How};
use super::prompts::{PartName, PromptDifference, Which, prompts};
use super::words::Change;
use crate::event::{EventKind, Position};
use crate::name::Name;
use crate::prompt::Prompt;
use crate::replay::Session;
use crate::replay::rows::{MemoryRow, RowState};
use crate::session::Frame;

/// How two positions of a session differ.
#[derive(Clone, Debug, PartialEq)]
pub struct StateDifference {
    /// The one that is compared with.
    pub from: Position,
    /// The other one, which may be the earlier.
    pub to: Position,
    /// What happened between the two.
    pub between: Between,
    /// The entries that hold something else, in the order of memory. One that was written again with the value that
    /// it had is none of them.
    pub memory: Vec<MemoryChange>,
    /// The stack on both sides; `None` where it is the same.
    pub stack: Option<StackChange>,
    /// The skills and blocks that could be activated on one side only, by name; `None` without a definition.
    pub skills: Option<Vec<OfferChange>>,
    /// The tools that were offered on one side only, by name; `None` without a definition.
    pub tools: Option<Vec<OfferChange>>,
    /// The prompts that a model call would have got; `None` without a definition.
    pub prompt: Option<PromptDifference>,
}

/// How many events of a kind lie between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Between {
    /// All events.
    pub events: u64,
    /// What the user said.
    pub user_messages: u64,
    /// What the agent said.
    pub agent_messages: u64,
    /// Tool calls that came back or were withheld.
    pub tool_calls: u64,
    /// Restarts, rewinds and further session starts.
    pub rewinds: u64,
}

/// An entry that holds something else.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryChange {
    /// The qualified name.
    pub key: Name,
    /// What it was on the first side.
    pub from: MemoryRow,
    /// What it is on the other.
    pub to: MemoryRow,
}

/// Two stacks, each bottom first.
#[derive(Clone, Debug, PartialEq)]
pub struct StackChange {
    /// On the first side.
    pub from: Vec<Frame>,
    /// On the other.
    pub to: Vec<Frame>,
}

/// Something that was offered on one side only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OfferChange {
    /// The tool, or what `activate` takes.
    pub name: Name,
    /// Whether it came or went.
    pub change: Change,
    /// For a tool, why it was offered or withheld on the first side; `None` where there was no such tool.
    pub from: Option<String>,
    /// For a tool, why it is offered or withheld on the other side.
    pub to: Option<String>,
    /// The event since which it is so.
    pub since: Option<Cause>,
}

impl StateDifference {
    /// Returns whether nothing differs. What was said between two positions is no difference by itself; it is one in
    /// the prompt.
    pub fn is_empty(&self) -> bool {
        let is_empty = |offers: &Option<Vec<OfferChange>>| offers.as_ref().is_none_or(Vec::is_empty);
        self.memory.is_empty()
            && self.stack.is_none()
            && is_empty(&self.skills)
            && is_empty(&self.tools)
            && self.prompt.as_ref().is_none_or(PromptDifference::is_empty)
    }
}

/// Compares two positions of a session. Positions past the end count as the end.
pub fn states(session: &Session, from: Position, to: Position) -> StateDifference {
    let (from, to) = (from.min(session.end()), to.min(session.end()));
    let (first, second) = (session.state(from), session.state(to));
    let prompt = prompts(session, Which::At(from), Which::At(to));
    let offers = session.prompt(from).zip(session.prompt(to));
    let offers = offers.as_ref().zip(prompt.as_ref());
    StateDifference {
        from,
        to,
        between: between(session, from, to),
        memory: memory(session.memory_rows(&first), session.memory_rows(&second)),
        stack: (named(&first.stack) != named(&second.stack))
            .then_some(StackChange { from: first.stack, to: second.stack }),
        skills: offers.map(|((old, new), prompt)| skills(old, new, prompt)),
        tools: offers.map(|((old, new), prompt)| tools(old, new, prompt)),
        prompt,
    }
}

/// The engine's id of a frame may become known later; that is no change.
fn named(stack: &[Frame]) -> Vec<Frame> {
    stack.iter().map(|frame| Frame { frame: None, ..frame.clone() }).collect()
}

fn between(session: &Session, from: Position, to: Position) -> Between {
    let mut found = Between::default();
    let (first, last) = (from.min(to), from.max(to));
    for (at, event) in session.events_in(Position(first.0 + 1)..=last) {
        found.events += 1;
        found.user_messages += u64::from(matches!(event.kind, EventKind::UserMessage { .. }));
        found.agent_messages += u64::from(matches!(event.kind, EventKind::AgentMessage { .. }));
        found.tool_calls += u64::from(matches!(event.kind, EventKind::ToolReturned { .. }));
        let starts_again = matches!(event.kind, EventKind::SessionStarted { .. }) && at.0 > 1;
        found.rewinds += u64::from(starts_again || matches!(event.kind, EventKind::HistoryRewound { .. }));
    }
    found
}

/// Pairs the rows by key. A key of one side only was never written on the other.
fn memory(from: Vec<MemoryRow>, to: Vec<MemoryRow>) -> Vec<MemoryChange> {
    let mut before: BTreeMap<Name, MemoryRow> = from.iter().map(|row| (row.key.clone(), row.clone())).collect();
    let mut found: Vec<MemoryChange> = Vec::new();
    for row in to {
        let from = before.remove(&row.key).unwrap_or_else(|| never_written(&row));
        if !is_same(&from, &row) {
            found.push(MemoryChange { key: row.key.clone(), from, to: row });
        }
    }
    for row in from.into_iter().filter(|row| before.contains_key(&row.key)) {
        let to = never_written(&row);
        if !is_same(&row, &to) {
            found.push(MemoryChange { key: row.key.clone(), from: row, to });
        }
    }
    found
}

fn is_same(one: &MemoryRow, other: &MemoryRow) -> bool {
    one.value == other.value && one.state == other.state && one.locked == other.locked
}

fn never_written(row: &MemoryRow) -> MemoryRow {
    MemoryRow {
        key: row.key.clone(),
        scope: row.scope,
        value: Default::default(),
        state: RowState::NeverWritten,
        set_at: None,
        set_by: None,
        previous: None,
        previous_value: None,
        locked: false,
        pii: row.pii,
    }
}

fn skills(from: &Prompt, to: &Prompt, prompt: &PromptDifference) -> Vec<OfferChange> {
    let (old, new) = (from.targets(), to.targets());
    let gone = old.iter().filter(|name| !new.contains(name)).map(|name| (name, Change::Removed));
    let came = new.iter().filter(|name| !old.contains(name)).map(|name| (name, Change::Added));
    let since = since(prompt, "activate takes ").or_else(|| since(prompt, "activate: "));
    let offer = |(name, change): (&Name, Change)| OfferChange {
        name: name.clone(),
        change,
        from: None,
        to: None,
        since: since.clone(),
    };
    let mut found: Vec<OfferChange> = gone.chain(came).map(offer).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn tools(from: &Prompt, to: &Prompt, prompt: &PromptDifference) -> Vec<OfferChange> {
    let by_name = |prompt: &Prompt| -> BTreeMap<Name, (bool, String)> {
        prompt.tools.iter().map(|tool| (tool.name.clone(), (tool.offered, tool.why.clone()))).collect()
    };
    let (old, new) = (by_name(from), by_name(to));
    let mut names: Vec<&Name> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    let offered =
        |tools: &BTreeMap<Name, (bool, String)>, name: &Name| tools.get(name).is_some_and(|(offered, _)| *offered);
    let why = |tools: &BTreeMap<Name, (bool, String)>, name: &Name| tools.get(name).map(|(_, why)| why.clone());
    let changed = names.into_iter().filter(|name| offered(&old, name) != offered(&new, name));
    changed
        .map(|name| OfferChange {
            name: name.clone(),
            change: if offered(&new, name) { Change::Added } else { Change::Removed },
            from: why(&old, name),
            to: why(&new, name),
            since: since(prompt, &format!("{name}: ")),
        })
        .collect()
}

/// Returns the event that the changed line of the tools which begins so goes back to.
fn since(prompt: &PromptDifference, lead: &str) -> Option<Cause> {
    let tools = prompt.parts.iter().find(|part| part.name == PartName::Tools)?;
    let lines = tools.lines.iter().filter(|each| each.line.change != Change::Same);
    let causes = lines.filter(|each| each.line.text().starts_with(lead)).flat_map(|each| &each.causes);
    causes.clone().find(|cause| cause.how == How::Since).cloned()
}
