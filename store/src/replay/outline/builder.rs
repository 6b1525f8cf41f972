//! Makes an outline while events go by, one after the other, each with the state that it leads to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::mark::{Mark, Touch, What};
use crate::event::{Event, EventKind, Origin};
use crate::name::Name;
use crate::replay::turns::{Turn, TurnScan};
use crate::session::State;

/// The names that occur in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::replay) struct Named {
    /// Memory fields, each at the place of its number.
    pub(super) fields: Vec<Name>,
    numbers: BTreeMap<Name, u32>,
    /// Skills that were activated.
    pub(in crate::replay) skills: BTreeSet<Name>,
    /// Responses that were uttered.
    pub(in crate::replay) responses: BTreeSet<Name>,
    /// Skills, each with a tool that was called in it.
    pub(super) tools: BTreeSet<(Name, Name)>,
}

/// Names that occur in a part of a session and not before.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NewNames {
    pub(super) fields: Vec<Name>,
    pub(super) skills: Vec<Name>,
    pub(super) responses: Vec<Name>,
    pub(super) tools: Vec<(Name, Name)>,
}

impl Named {
    pub(super) fn number_of(&self, key: &str) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    pub(super) fn add(&mut self, new: NewNames) {
        for field in new.fields {
            self.numbers.insert(field.clone(), self.fields.len() as u32);
            self.fields.push(field);
        }
        self.skills.extend(new.skills);
        self.responses.extend(new.responses);
        self.tools.extend(new.tools);
    }
}

/// A part of an outline: what consecutive events add to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// One more than the number of the highest raw record before the first event; 0 where there is none.
    pub(super) raw_before: u64,
    pub(super) marks: Vec<Mark>,
    /// The turns that proved to be over.
    pub(super) turns: Vec<Turn>,
    /// What happened to fields, by number.
    pub(super) touches: BTreeMap<u32, Vec<Touch>>,
    pub(super) new: NewNames,
}

/// What is needed to go on behind an open part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resume {
    pub(super) scan: TurnScan,
    /// One more than the number of the highest raw record so far; 0 where there is none.
    pub(super) raw_top: u64,
}

/// Makes an outline, part by part.
#[derive(Clone, Debug, Default)]
pub(in crate::replay) struct Builder {
    named: Named,
    pub(super) scan: TurnScan,
    pub(super) raw_top: u64,
    pub(super) part: Part,
}

impl Builder {
    /// Returns a builder that goes on behind other parts. Its part begins there.
    pub(super) fn resume(named: Named, scan: TurnScan, raw_top: u64) -> Builder {
        Builder { named, scan, raw_top, part: Part { raw_before: raw_top, ..Part::default() } }
    }

    /// Takes the next event and the state after it.
    pub(super) fn push(&mut self, event: &Event, state: &State) {
        self.part.marks.push(Mark::of(event));
        self.part.turns.extend(self.scan.push(event));
        if let Origin::Imported { raw, .. } = event.origin {
            self.raw_top = self.raw_top.max(u64::from(raw) + 1);
        }
        self.touch(event, state);
        match &event.kind {
            EventKind::SkillActivated { skill, .. } => note(&mut self.named.skills, &mut self.part.new.skills, skill),
            EventKind::AgentMessage { response: Some(response), .. } => {
                note(&mut self.named.responses, &mut self.part.new.responses, response);
            }
            EventKind::ToolReturned { tool, skill: Some(skill), .. } => {
                let pair = (skill.clone(), tool.clone());
                note(&mut self.named.tools, &mut self.part.new.tools, &pair);
            }
            _ => {}
        }
    }

    /// Returns what was found since the part began, and begins the next one.
    pub(super) fn next_part(&mut self) -> Part {
        std::mem::replace(&mut self.part, Part { raw_before: self.raw_top, ..Part::default() })
    }

    /// Returns what was found since the part began, and the turn that is going on.
    pub(super) fn finish(self) -> (Part, Option<Turn>) {
        (self.part, self.scan.into_turn())
    }

    fn touch(&mut self, event: &Event, state: &State) {
        let at = state.position;
        let is_set_here = |key: &str| state.memory.get(key).is_some_and(|cell| cell.set_at == Some(at));
        match &event.kind {
            EventKind::MemoryWritten { key, value, .. } => {
                self.add_touch(key, Touch::new(at, if value.is_null() { What::Nulled } else { What::Written }));
            }
            EventKind::MemoryCleared { key, .. } => self.add_touch(key, Touch::new(at, What::Cleared)),
            EventKind::MemoryReset { key, .. } => {
                self.add_touch(key, Touch::new(at, if is_set_here(key) { What::Reset } else { What::ResetAgain }));
            }
            EventKind::SkillActivated { skill, .. } => {
                let space = format!("{skill}.");
                let from = (Bound::Included(space.as_str()), Bound::Unbounded);
                let of_skill = state.memory.range::<str, _>(from).take_while(|(key, _)| key.starts_with(&space));
                for (key, _) in of_skill.filter(|(_, cell)| cell.set_at == Some(at)) {
                    self.add_touch(key, Touch::new(at, What::Reset));
                }
            }
            EventKind::MemoryWriteRefused { asked, key, .. } => {
                self.add_touch(key.as_ref().unwrap_or(asked), Touch::new(at, What::Refused));
            }
            EventKind::ProjectEntryLocked { key } => self.add_touch(key, Touch::new(at, What::Locked)),
            _ => {}
        }
    }

    fn add_touch(&mut self, key: &Name, touch: Touch) {
        let number = match self.named.number_of(key) {
            Some(number) => number,
            None => {
                let new = NewNames { fields: vec![key.clone()], ..NewNames::default() };
                self.part.new.fields.push(key.clone());
                self.named.add(new);
                self.named.fields.len() as u32 - 1
            }
        };
        self.part.touches.entry(number).or_default().push(touch);
    }
}

/// Notes a name that wasn't met before.
fn note<T: Ord + Clone>(known: &mut BTreeSet<T>, new: &mut Vec<T>, name: &T) {
    if !known.contains(name) {
        known.insert(name.clone());
        new.push(name.clone());
    }
}
