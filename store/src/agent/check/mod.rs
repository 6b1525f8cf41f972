//! What is wrong in a folder as a whole: what the engine would refuse, and what it lets through to hurt later.
//!
//! Loading reports what one file shows by itself, and what names can't be read. The checks here look at the loaded
//! agent, one subject a file. Where what the folder says isn't enough to tell, they say nothing.

pub(super) mod names;
