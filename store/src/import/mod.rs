//! Foreign records become sessions: one reader a form.

pub mod recording;

pub use recording::{RecordedEnd, Recording};
