//! A mirror finds its twin (M305): the record of the same turn that says the same.
//!
//! A mirror mostly stands right before its twin, sometimes a few records before or after it. Neighbours are joined
//! first, so that the loss of one record doesn't shift all the pairs behind it.

use std::collections::HashMap;

use super::draft::{Family, Twin};

/// A record that has a twin, or should have one.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// Its place among the records that are joined together.
    pub(super) row: usize,
    pub(super) twin: Twin,
    pub(super) is_mirror: bool,
}

/// How far a mirror of a skill or block event stands before its twin: the flow, the skill, its block.
const REACH: usize = 3;

/// Returns the pairs (record, mirror), by row.
pub(super) fn join(candidates: &[Candidate]) -> Vec<(usize, usize)> {
    let mut joined = vec![false; candidates.len()];
    let mut pairs = Vec::new();
    for (index, mirror) in candidates.iter().enumerate().filter(|(_, candidate)| candidate.is_mirror) {
        let twin = candidates[index + 1..]
            .iter()
            .take(REACH)
            .position(|other| !other.is_mirror && other.twin == mirror.twin && is_near(mirror, other));
        if let Some(other) = twin.map(|distance| index + 1 + distance).filter(|other| !joined[*other]) {
            (joined[index], joined[other]) = (true, true);
            pairs.push((candidates[other].row, mirror.row));
        }
    }
    let mut waiting: HashMap<(u64, u64, bool), Vec<usize>> = HashMap::new();
    for (index, candidate) in candidates.iter().enumerate().rev().filter(|(index, _)| !joined[*index]) {
        let Twin { identity, content, .. } = candidate.twin;
        waiting.entry((identity, content, candidate.is_mirror)).or_default().push(index);
    }
    for (index, mirror) in candidates.iter().enumerate().filter(|(index, mirror)| mirror.is_mirror && !joined[*index]) {
        let Twin { identity, content, .. } = mirror.twin;
        if let Some(other) = waiting.get_mut(&(identity, content, false)).and_then(Vec::pop) {
            pairs.push((candidates[other].row, candidates[index].row));
        }
    }
    pairs
}

fn is_near(mirror: &Candidate, other: &Candidate) -> bool {
    match mirror.twin.family {
        Family::Memory | Family::Tool => other.row == mirror.row + 1,
        Family::Flow => other.row <= mirror.row + REACH,
    }
}
