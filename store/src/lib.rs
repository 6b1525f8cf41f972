//! Event-sourced store of agent sessions: what happened, why, and what the model was told.
//!
//! The crate is built in floors. A module uses lower floors, and on its own floor what stands left of
//! it; a tidy test reads the sources and enforces it.
//!
//! ```text
//! 6  answers     explain  page  compare               why is it so; a page to read; what is different
//! 5  shells      replay  recorder                     a session opened for reading; one that is recorded
//! 4  rendering   prompt                               state -> prompt
//! 3  folds       session  import                      events -> state, foreign record -> events
//! 2  meaning     agent  event                         what was written by authors, what happened
//! 1  tools       log  condition                       bytes in order; guard expressions
//! 0  words       digest name value timestamp profile rule visible fault hex diagnostic
//! ```
//!
//! Nothing here reads a clock, the environment or a random source. Files are touched in `agent::source` (a folder)
//! and `log` (the database) only.

pub mod diagnostic;
pub mod digest;
pub mod fault;
pub mod hex;
pub mod name;
pub mod profile;
pub mod rule;
pub mod timestamp;
pub mod value;
pub mod visible;

pub mod condition;
pub mod log;

pub mod agent;
pub mod event;

pub mod import;
pub mod session;

pub mod prompt;

pub mod replay;

pub mod recorder;

pub mod explain;
pub mod page;

pub mod compare;
