//! How far a walk through a session is, for walks that are done in slices.

/// How far a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many events were looked at.
    pub done: u64,
    /// How many there are.
    pub of: u64,
}

impl Progress {
    /// Returns whether all was looked at.
    pub fn is_done(self) -> bool {
        self.done >= self.of
    }
}
