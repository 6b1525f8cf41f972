//! Named marks. A mark belongs to an event, so that no filter and no sorting moves it.

use std::collections::BTreeMap;

use replay_store::event::Position;

/// The marks of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    named: BTreeMap<char, Position>,
}

impl Marks {
    /// Sets a mark, which leaves the event that had it before.
    pub fn set(&mut self, name: char, at: Position) {
        self.named.insert(name, at);
    }

    /// Takes a mark away. Returns whether there was one.
    pub fn remove(&mut self, name: char) -> bool {
        self.named.remove(&name).is_some()
    }

    /// Returns where a mark is.
    pub fn get(&self, name: char) -> Option<Position> {
        self.named.get(&name).copied()
    }

    /// Returns the first mark, by its name, of an event.
    pub fn at(&self, at: Position) -> Option<char> {
        self.named.iter().find(|(_, place)| **place == at).map(|(name, _)| *name)
    }

    /// Returns all marks by name.
    pub fn iter(&self) -> impl Iterator<Item = (char, Position)> {
        self.named.iter().map(|(name, at)| (*name, *at))
    }
}

/// Returns whether a key names a mark: a letter or a digit.
pub(crate) fn is_name(name: char) -> bool {
    name.is_ascii_alphanumeric()
}
