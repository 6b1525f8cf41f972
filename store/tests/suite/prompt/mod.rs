//! Prompts as the model got them: goldens for each situation in both profiles, laws, and real records.

mod authored;
mod corpus;
mod golden;
mod law;
mod message;
mod response;
pub(crate) mod story;
mod tool;
