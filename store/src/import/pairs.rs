//! Mirrors join their twins, and the records that should have one and don't are remembered.

use std::collections::HashSet;

use super::draft::{Fact, Family};
use super::evidence::{Clue, Evidence};
use super::fold::Row;
use super::kinds;
use super::names::Names;
use super::twins::{self, Candidate};
use crate::event::EventKind;
use crate::event::finding::FindingKind;
use crate::name::Name;

/// More records without a twin than this say nothing new.
const MOST_LONE: usize = 1000;

/// How the kinds that are written twice stand in a session.
#[derive(Default)]
pub(super) struct Pairs {
    memory: Standing,
    flow: Standing,
    tool: Standing,
    /// The first record that isn't a mirror, of any family: from there on the record writes both.
    first: Option<u32>,
}

/// One family: how many pairs, and who stands alone.
#[derive(Default)]
struct Standing {
    joined: usize,
    mirrors: Vec<u32>,
    others: Vec<u32>,
}

impl Pairs {
    /// Joins mirrors with their twins among the records of a turn; a mirror without one speaks for itself, and is read
    /// again from the bytes that `bytes` gives.
    pub(super) fn join<'a>(&mut self, rows: &mut [Row], bytes: impl Fn(u32) -> &'a [u8], names: &mut Names) {
        let candidates: Vec<Candidate> = rows
            .iter()
            .enumerate()
            .filter_map(|(index, row)| {
                let is_mirror = matches!(row.draft.fact, Fact::Mirror);
                row.draft.twin.map(|twin| Candidate { row: index, twin, is_mirror })
            })
            .collect();
        let mut told: HashSet<Name> = HashSet::new();
        for (record, mirror) in twins::join(&candidates) {
            rows[record].mirror = rows[mirror].raw;
            rows[mirror].is_joined = true;
            if let Fact::Kind(kind) = &rows[record].draft.fact {
                told.extend(skill_of_block(kind).cloned());
            }
        }
        for candidate in &candidates {
            let row = &mut rows[candidate.row];
            let (Some(raw), false) = (row.raw, row.is_joined) else { continue };
            if !candidate.is_mirror {
                self.first.get_or_insert(raw);
            }
            let standing = self.standing(candidate.twin.family);
            if row.mirror.is_some() {
                standing.joined += 1;
            } else if candidate.is_mirror {
                keep(&mut standing.mirrors, raw);
                row.draft.fact = Fact::Kind(kinds::read_alone(bytes(raw), names));
            } else if !is_told(&row.draft.fact, &told) {
                keep(&mut standing.others, raw);
            }
        }
    }

    /// Tells of records whose twin is missing, where the record writes twins at all.
    pub(super) fn lone(&self, count: u32, evidence: &mut Evidence) {
        for (standing, before, behind) in [(&self.memory, 0, 1), (&self.flow, 2, 3), (&self.tool, 0, 1)] {
            // Older records have mirrors alone, newer ones have none: neither is a loss.
            let mirrors = standing.mirrors.iter().filter(|raw| self.first.is_some_and(|first| first < **raw));
            let lone: Vec<u32> = mirrors.chain(&standing.others).copied().collect();
            if standing.joined == 0 || lone.len() > standing.joined.max(3) {
                continue;
            }
            for raw in lone {
                let (low, high) = (raw.saturating_sub(before), (raw + behind).min(count));
                let text = format!("raw {raw} is written once where the record writes twice");
                evidence.add(Clue { low, high, count: 0, kind: FindingKind::Gap, text });
            }
        }
    }

    fn standing(&mut self, family: Family) -> &mut Standing {
        match family {
            Family::Memory => &mut self.memory,
            Family::Flow => &mut self.flow,
            Family::Tool => &mut self.tool,
        }
    }
}

fn keep(lone: &mut Vec<u32>, raw: u32) {
    if lone.len() < MOST_LONE {
        lone.push(raw);
    }
}

/// A skill of blocks alone has no mirror of its own: that of its block tells of both.
fn is_told(fact: &Fact, told: &HashSet<Name>) -> bool {
    match fact {
        Fact::Kind(kind) => skill_of(kind).is_some_and(|skill| told.contains(skill)),
        Fact::Mirror | Fact::Rewound(_) => false,
    }
}

fn skill_of(kind: &EventKind) -> Option<&Name> {
    if let EventKind::SkillActivated { skill, .. }
    | EventKind::SkillCompleted { skill }
    | EventKind::SkillCancelled { skill, .. }
    | EventKind::SkillInterrupted { skill, .. }
    | EventKind::SkillResumed { skill, .. } = kind
    {
        return Some(skill);
    }
    None
}

fn skill_of_block(kind: &EventKind) -> Option<&Name> {
    if let EventKind::BlockEntered { skill, .. }
    | EventKind::BlockCompleted { skill, .. }
    | EventKind::BlockCancelled { skill, .. }
    | EventKind::BlockInterrupted { skill, .. }
    | EventKind::BlockResumed { skill, .. } = kind
    {
        return Some(skill);
    }
    None
}
