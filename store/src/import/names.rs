//! One allocation for a name that a record repeats thousands of times.

use std::collections::HashSet;

use crate::name::Name;

/// How many names are kept before the table starts anew, so that a record of ever new names stays small.
const CAPACITY: usize = 4096;

/// The names met so far in one record.
#[derive(Default)]
pub(super) struct Names(HashSet<Name>);

impl Names {
    /// Returns the name with that text, shared with the last one that was asked for.
    pub(super) fn get(&mut self, text: &str) -> Name {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        if self.0.len() == CAPACITY {
            self.0.clear();
        }
        let name = Name::from(text);
        self.0.insert(name.clone());
        name
    }
}
