//! Where the real agents and records are that others wrote. They are no part of the project.

use std::env;
use std::path::PathBuf;

/// Returns the folder of the corpus; `None` where it isn't at hand, which is said, and fails where it is required.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = env::var_os("REPLAY_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        let is_required = env::var_os("REPLAY_CORPUS_REQUIRED").is_some_and(|value| value == "1");
        assert!(!is_required, "REPLAY_CORPUS is not set, and REPLAY_CORPUS_REQUIRED is");
        println!("skipped: REPLAY_CORPUS is not set");
    }
    folder
}
