//! The tail of a log: what was appended and isn't in the database yet. One sync makes an append durable.
//!
//! ```text
//! session.log-tail    region 0 | region 1                 each as long as the other, the length set ahead
//! region              header | record | record | …        filled one after the other, in turns
//! ```
//!
//! A region is entered, over what stood in it, only when all records of the other one are in the database for good.
//! So the records that were sealed last stand in both places.
//!
//! Records are in one sequence a log, without gaps. A scan ends at the first one that isn't what must stand there; the
//! writer never syncs a record before those in front of it, so that nothing behind it was acknowledged. Where a later
//! group or its mark stands behind it nevertheless, it was durable once, and the tail is damaged.
//!
//! Records that are written with one sync are a group. Behind a group stands a mark once the group is durable; it is
//! where the next group will be. So whoever reads beside a living writer knows what was acknowledged.

mod header;
mod record;
mod scan;
mod stager;

pub(super) use record::{Body, Entry, Record};
pub(super) use scan::{Cursor, Reader, scan};
pub(super) use stager::{Group, Stager};

/// Names a log, so that the tail of another one isn't taken for its own.
pub(super) type LogId = [u8; 16];

/// The length of a region.
pub(super) const REGION_LEN: u64 = 1 << 20;

#[cfg(test)]
mod tests;
