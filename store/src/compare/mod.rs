//! What is different: two prompts, two positions of a session, two sessions.
//!
//! A difference names both of its sides and, where events or files tell, what led to it.
//!
//! ```text
//! words      two texts -> lines that are the same, removed or added, and which of their words differ
//! prompts    two prompts of a session, each changed line with its cause
//! ```

pub mod cause;
pub mod prompts;
mod rows;
pub mod words;
