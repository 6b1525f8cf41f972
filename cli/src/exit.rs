//! What the program says with its exit code: the only list of them.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well, or the reader of our output went away.
    Fine = 0,
    /// The answer is "no": damage or a difference was found, a turn ran without the model, records contradict each other.
    No = 1,
    /// The command line makes no sense, or doesn't say which of several things is meant.
    Usage = 2,
    /// What should be read can't be.
    Unreadable = 3,
    /// Refused: in use, no permission, already there, raw bytes on a terminal.
    Refused = 4,
    /// Our bug.
    Bug = 70,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
