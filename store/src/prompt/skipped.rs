//! Which collects were passed over since the last user message, because their entry had a value (M172, M173).
//!
//! No event says so. It follows from the steps that the record's stack shows: what lies on the shortest way between
//! two of them was passed.

use std::collections::{BTreeMap, VecDeque};

use crate::agent::Agent;
use crate::agent::block::{Block, Next, Step, StepKind};
use crate::event::{Event, EventKind, Position, RecordedFrame};
use crate::name::Name;

/// A collect that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The qualified name of its entry.
    pub key: Name,
    /// The bare name.
    pub entry: Name,
    /// The event that shows it.
    pub at: Position,
}

/// Returns the collects that were passed over by the events from index `from` on.
pub(super) fn skipped(agent: &Agent, events: &[Event], from: usize) -> Vec<Skipped> {
    if events[from..].iter().all(|event| frames(event).is_none()) {
        return Vec::new();
    }
    let mut steps = events[..from].iter().rev().find_map(frames).map(block_steps).unwrap_or_default();
    let mut found: Vec<Skipped> = Vec::new();
    for (index, frames) in
        events.iter().enumerate().skip(from).filter_map(|(index, event)| Some((index, frames(event)?)))
    {
        let now = block_steps(frames);
        for ((skill, block), step) in &now {
            let before = steps.get(&(*skill, *block)).copied();
            let Some(block) = agent.skills.get(*skill).and_then(|skill| skill.block(block)) else { continue };
            for collect in passed(block, before.map(Name::as_str), step) {
                let Some(entry) = skippable(collect) else { continue };
                if found.iter().all(|known| known.entry != *entry || !known.key.starts_with(skill.as_str())) {
                    let key = Name::from(format!("{skill}.{entry}"));
                    found.push(Skipped { key, entry: entry.clone(), at: Position(index as u64 + 1) });
                }
            }
        }
        steps = now;
    }
    found
}

type BlockSteps<'a> = BTreeMap<(&'a Name, &'a Name), &'a Name>;

pub(super) fn frames(event: &Event) -> Option<&[RecordedFrame]> {
    let EventKind::StackPatched { frames, .. } = &event.kind else { return None };
    frames.as_deref()
}

fn block_steps(frames: &[RecordedFrame]) -> BlockSteps<'_> {
    frames.iter().filter_map(|frame| Some(((&frame.skill, frame.block.as_ref()?), frame.step.as_ref()?))).collect()
}

fn skippable(step: &Step) -> Option<&Name> {
    let StepKind::Collect(collect) = &step.kind else { return None };
    (!collect.ask_before_filling).then_some(&collect.entry.value)
}

/// Returns the steps strictly between two steps on the shortest way, or from the beginning of the block on.
fn passed<'a>(block: &'a Block, from: Option<&str>, to: &str) -> Vec<&'a Step> {
    let index = |id: &str| block.steps.iter().position(|step| step.id == id);
    let Some(goal) = index(to) else { return Vec::new() };
    let start = match from {
        Some(from) if from == to => return Vec::new(),
        Some(from) => match index(from) {
            Some(start) => start,
            None => return Vec::new(),
        },
        None if goal == 0 => return Vec::new(),
        None => 0,
    };
    let mut came_from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in following(block, at) {
            if next != start && !came_from.contains_key(&next) {
                came_from.insert(next, at);
                open.push_back(next);
            }
        }
    }
    let mut way = Vec::new();
    let mut at = goal;
    while let Some(&before) = came_from.get(&at) {
        if before == start {
            break;
        }
        way.push(&block.steps[before]);
        at = before;
    }
    if from.is_none() && came_from.contains_key(&goal) {
        way.push(&block.steps[start]);
    }
    way.reverse();
    way
}

fn following(block: &Block, at: usize) -> Vec<usize> {
    let index = |id: &Name| block.steps.iter().position(|step| step.id == *id);
    let below = (at + 1 < block.steps.len()).then_some(at + 1);
    match &block.steps[at].next {
        Next::Below => below.into_iter().collect(),
        Next::Step(step) => index(&step.value).into_iter().collect(),
        Next::Branches(branches) => {
            let may_fall = branches.iter().all(|branch| branch.when.is_some());
            let below = below.filter(|_| may_fall);
            branches.iter().filter_map(|branch| index(&branch.then.value)).chain(below).collect()
        }
    }
}
