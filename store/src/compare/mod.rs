//! What is different: two prompts, two positions of a session, two sessions.
//!
//! A difference names both of its sides and, where events or files tell, what led to it.
//!
//! ```text
//! words      two texts -> lines that are the same, removed or added, and which of their words differ
//! prompts    two prompts of a session, each changed line with its cause
//! states     two positions of a session
//! sessions   two sessions, side by side, differences by kind, the first one named
//! noise      ids and times, which a comparison of sessions leaves out
//! ```

mod align;
pub mod cause;
mod deeds;
pub mod noise;
pub mod prompts;
mod rows;
pub mod sessions;
pub mod states;
pub mod words;
