//! A condition where an author wrote it.

use crate::condition::Condition;
use crate::diagnostic::Spanned;

/// A condition in a file of the agent folder.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The text, and where it stands.
    pub text: Spanned<String>,
    /// What it says; `None` where the text doesn't parse, and then the gate is closed (M85).
    pub condition: Option<Condition>,
}
