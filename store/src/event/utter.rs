//! Why the engine says a response.

use serde::{Deserialize, Serialize};

/// Why the engine says a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UtterCause {
    /// `utter: on: activate`: its skill started (M237).
    Activation,
    /// `utter: when:`: a write made its condition true (M238).
    Condition,
    /// `on_success` of a tool (M189).
    ToolSucceeded,
    /// `on_failure` of a tool (M189).
    ToolFailed,
    /// It asks whether a tool may run (M191).
    ConfirmationAsk,
    /// The user said no to a tool (M191).
    ConfirmationDenied,
    /// An `action` step of a block.
    Action,
    /// A `collect` step of a block asks.
    Collect,
    /// A precondition was still unmet (M335).
    PreconditionUnmet,
    /// A button was tapped that can no longer write (M234).
    StaleButton,
}

impl UtterCause {
    /// Returns the words that people read.
    pub fn word(self) -> &'static str {
        match self {
            UtterCause::Activation => "on activate",
            UtterCause::Condition => "when",
            UtterCause::ToolSucceeded => "on success",
            UtterCause::ToolFailed => "on failure",
            UtterCause::ConfirmationAsk => "asks for a yes",
            UtterCause::ConfirmationDenied => "after a no",
            UtterCause::Action => "action",
            UtterCause::Collect => "collect",
            UtterCause::PreconditionUnmet => "precondition unmet",
            UtterCause::StaleButton => "stale button",
        }
    }
}
