//! Faults that the simulation of power cuts plants, to show that it would find them. Outside of tests none ever is.

/// A fault in how a log is written or read.
#[cfg_attr(not(test), expect(dead_code, reason = "only the simulation plants all of them"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A sync of the tail does nothing.
    SkippedSync,
    /// An append returns before it is durable.
    EarlyAcknowledgement,
    /// A region is entered before the other one is in the database.
    EarlyRegion,
    /// Checksum and hash of a record aren't looked at.
    NoChecksum,
    /// A record of another generation or number is taken.
    StaleRecord,
    /// It is noted that a batch is in the database, and it isn't.
    NoSeal,
}

/// Returns whether that fault is planted in this thread.
#[cfg(not(test))]
pub(super) const fn is_planted(_: Fault) -> bool {
    false
}

#[cfg(test)]
thread_local! {
    /// The fault that is planted.
    pub(super) static PLANTED: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

/// Returns whether that fault is planted in this thread.
#[cfg(test)]
pub(super) fn is_planted(fault: Fault) -> bool {
    PLANTED.get() == Some(fault)
}
