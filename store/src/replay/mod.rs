//! A session opened for reading: seek to any position, its turns and model calls, the rows that people see.
//!
//! Everything that the debugger and the commands show of a session comes from here, so that both give the same answer.

pub mod agreement;
pub mod archive;
pub mod headline;
pub mod notes;
pub mod outline;
pub mod progress;
pub mod rows;
pub mod turns;

mod begin;
mod emptied;
mod events;
mod index;
mod missing;
mod open;
mod recompute;
mod records;
mod session;
mod states;
pub mod taps;

pub use emptied::Emptied;
pub use events::{EventRef, EventsIn};
pub use open::Named;
pub use records::Records;
pub use session::{DefinitionSource, Session};
