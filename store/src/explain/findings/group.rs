//! The same thing many times is one finding.

use std::collections::{BTreeMap, HashMap};
use std::mem::Discriminant;

use super::{Found, FoundKind};
use crate::diagnostic::Place;
use crate::event::Position;
use crate::name::Name;
use crate::session::access::Nothing;

/// How many positions of a finding are kept.
const POSITIONS: usize = 1000;

/// How many findings of one kind are kept apart.
const GROUPS: usize = 500;

/// What tells a finding from others of its kind. It is made for everything that is found, so nothing in it is put in
/// words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Subject {
    /// The entry, skill or tool.
    pub(super) name: Option<Name>,
    /// With whose rights.
    pub(super) skill: Option<Name>,
    /// What asks for it, and the line where it is written.
    pub(super) place: Option<(&'static str, Option<(Name, u32)>)>,
    /// Where exactly in its file, where a line may have several.
    pub(super) start: Option<u32>,
    /// Which kind of nothing it is, without the place where it came about, which differs each time.
    pub(super) nothing: Option<Discriminant<Nothing>>,
    /// The words of the record, or a value.
    pub(super) text: Option<String>,
}

impl Subject {
    /// Returns the subject that is all of its kind.
    pub(super) fn all() -> Subject {
        Subject::default()
    }

    /// Returns an entry, skill or tool.
    pub(super) fn named(name: &Name) -> Subject {
        Subject { name: Some(name.clone()), ..Subject::default() }
    }

    /// Returns the same at a line, for what asks there.
    pub(super) fn at(self, by: &'static str, place: Option<&Place>) -> Subject {
        Subject { place: Some((by, place.map(|at| (at.file.clone(), at.line)))), ..self }
    }

    /// Returns the same that came to a kind of nothing.
    pub(super) fn of_nothing(self, nothing: &Nothing) -> Subject {
        Subject { nothing: Some(std::mem::discriminant(nothing)), ..self }
    }
}

/// Findings by what they are about.
#[derive(Default)]
pub(super) struct Groups {
    found: Vec<Found>,
    places: HashMap<(FoundKind, Subject), usize>,
    /// For each kind, how many there are, and where the last of them is.
    counts: BTreeMap<FoundKind, (usize, usize)>,
}

impl Groups {
    /// Adds what was found at a position. Only the first of its subject is put in words.
    pub(super) fn add(&mut self, kind: FoundKind, subject: Subject, at: Position, words: impl FnOnce() -> Found) {
        let key = (kind, subject);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => {
                let (count, last) = self.counts.entry(kind).or_default();
                // Past the limit all further ones count with the last: there is no reading so many.
                if *count < GROUPS {
                    (*count, *last) = (*count + 1, self.found.len());
                    self.found.push(words());
                    self.places.insert(key, *last);
                }
                *last
            }
        };
        let group = &mut self.found[place];
        if group.positions.last() == Some(&at) {
            return;
        }
        group.count += 1;
        if group.positions.len() < POSITIONS {
            group.positions.push(at);
        }
    }

    /// Returns all findings, in the order in which they were met first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Found> {
        self.found.iter()
    }
}
