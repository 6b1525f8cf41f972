//! Who did it: the writer of a value and the cause of an activation, where a later record tells.

use std::collections::HashMap;

use serde::Deserialize;

use super::draft::Fact;
use super::evidence::{Clue, Evidence};
use super::fold::Row;
use crate::event::finding::FindingKind;
use crate::event::{Activation, Actor, EventKind, ToolCaller, Writer};
use crate::name::Name;

/// The model's tools that write memory themselves (M213).
const SETTERS: [&str; 2] = ["set_fields", "correct"];

/// Writes between turns that name a call which hasn't come yet.
#[derive(Default)]
pub(super) struct OpenCalls(Vec<OpenCall>);

struct OpenCall {
    call: Name,
    raw: u32,
    since: u32,
}

impl OpenCalls {
    /// Names the writers of a turn. A write without a tool is the model's where its call, which comes later, is one of
    /// the model's own setters. `since` is the first record behind the last turn's end.
    pub(super) fn name_writers(&mut self, rows: &mut [Row], evidence: &mut Evidence) {
        let mut calls: HashMap<Name, bool> = HashMap::new();
        for row in rows.iter() {
            if let Fact::Kind(EventKind::ToolReturned { tool, call_id: Some(call), .. }) = &row.draft.fact {
                calls.insert(call.clone(), SETTERS.contains(&tool.as_str()));
            }
        }
        let last = rows.iter().rev().find_map(|row| row.raw).unwrap_or(0);
        for OpenCall { call, raw, since } in self.0.drain(..) {
            if calls.contains_key(&call) {
                let text = format!("raw {raw} is written between turns by a call of the next one");
                evidence.add(Clue { low: since, high: raw, count: 0, kind: FindingKind::Gap, text });
            } else {
                evidence.add(nowhere(raw, last));
            }
        }
        let mut since = 0;
        for row in rows.iter_mut() {
            let raw = row.raw.unwrap_or(0);
            if row.turn.is_some() {
                since = raw + 1;
            }
            let is_between = row.turn.is_none();
            let Some(writer) = writer_of(row) else { continue };
            let Some(call) = &writer.call_id else { continue };
            match calls.get(call) {
                Some(true) if writer.tool.is_none() => writer.actor = Actor::Model,
                Some(_) => {}
                None if is_between => self.0.push(OpenCall { call: call.clone(), raw, since }),
                None => evidence.add(nowhere(raw, last)),
            }
        }
    }

    /// Tells of calls that never came.
    pub(super) fn finish(&mut self, count: u32, evidence: &mut Evidence) {
        for OpenCall { raw, .. } in self.0.drain(..) {
            evidence.add(nowhere(raw, count.saturating_sub(1)));
        }
    }
}

/// The classic engine's slots are bare as the Mantle engine's own are, and nobody knows who wrote them.
pub(super) fn forget_writers(rows: &mut [Row]) {
    for writer in rows.iter_mut().filter_map(writer_of).filter(|writer| writer.actor == Actor::Engine) {
        writer.actor = Actor::Unknown;
    }
}

/// An activation is the model's where a later `activate` names its skill, else what `unless_asked` says.
pub(super) fn name_activations(rows: &mut [Row], unless_asked: Activation) {
    let mut wanted: HashMap<String, usize> = HashMap::new();
    for row in rows.iter_mut().rev().filter(|row| !row.is_joined) {
        match &mut row.draft.fact {
            Fact::Kind(EventKind::ToolReturned { tool, arguments, caller, .. })
                if *tool == "activate" && matches!(caller, ToolCaller::Model | ToolCaller::Unknown) =>
            {
                if let Some(target) = activate_target(arguments) {
                    *wanted.entry(target).or_default() += 1;
                }
            }
            Fact::Kind(EventKind::SkillActivated { skill, by }) => {
                *by = match wanted.get_mut(skill.as_str()).filter(|count| **count > 0) {
                    Some(count) => {
                        *count -= 1;
                        Activation::Model
                    }
                    None => unless_asked,
                };
            }
            Fact::Kind(_) | Fact::Mirror | Fact::Rewound(_) => {}
        }
    }
}

fn writer_of(row: &mut Row) -> Option<&mut Writer> {
    match &mut row.draft.fact {
        Fact::Kind(EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. }) => Some(writer),
        Fact::Kind(_) | Fact::Mirror | Fact::Rewound(_) => None,
    }
}

fn nowhere(raw: u32, last: u32) -> Clue {
    let text = format!("the call that wrote raw {raw} is nowhere");
    Clue { low: raw + 1, high: last + 1, count: 0, kind: FindingKind::Gap, text }
}

fn activate_target(arguments: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Activate {
        target_id: String,
    }
    serde_json::from_str::<Activate>(arguments).ok().map(|activate| activate.target_id)
}
