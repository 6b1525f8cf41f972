//! Tests of the crate through its public items, one file a subject.

mod answers;
mod commands;
mod copy;
mod filters;
mod findings;
mod frame;
mod gallery;
mod handing;
mod hostile;
mod keys;
mod large;
mod live;
mod mouse;
mod moving;
mod overview;
mod picker;
mod picture;
mod prompts;
mod rewinds;
mod screens;
mod stage;
mod stories;
mod terminal;
mod watching;
