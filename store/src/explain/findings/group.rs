//! The same thing many times is one finding.

use std::collections::BTreeMap;

use super::{Found, FoundKind};
use crate::event::Position;

/// How many positions of a finding are kept.
const POSITIONS: usize = 1000;

/// How many findings of one kind are kept apart.
const GROUPS: usize = 500;

/// Findings by what they are about.
#[derive(Default)]
pub(super) struct Groups {
    found: BTreeMap<(FoundKind, String), Found>,
    counts: BTreeMap<FoundKind, usize>,
}

impl Groups {
    /// Adds what was found at a position. `subject` tells it from others of its kind; only the first of its kind is put
    /// in words.
    pub(super) fn add(&mut self, kind: FoundKind, subject: String, at: Position, words: impl FnOnce() -> Found) {
        let of_kind = self.counts.entry(kind).or_default();
        let key = (kind, subject);
        // Past the limit all further ones count with the last: there is no reading so many.
        let key = match *of_kind >= GROUPS && !self.found.contains_key(&key) {
            true => self.found.keys().rfind(|(known, _)| *known == kind).cloned().unwrap_or(key),
            false => key,
        };
        let group = self.found.entry(key).or_insert_with(|| {
            *of_kind += 1;
            words()
        });
        if group.positions.last() == Some(&at) {
            return;
        }
        group.count += 1;
        if group.positions.len() < POSITIONS {
            group.positions.push(at);
        }
    }

    /// Returns whether it was found already.
    pub(super) fn all(&self) -> impl Iterator<Item = &Found> {
        self.found.values()
    }
}
