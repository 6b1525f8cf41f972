//! What a read that a tool asked for gave.

use serde::{Deserialize, Serialize};

/// What a read gave, or which kind of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadGave {
    /// A value: what the entry held then.
    Value,
    /// Nothing: it was never written.
    NeverWritten,
    /// Nothing: it was cleared.
    Cleared,
    /// Nothing: its skill started again and nothing was written since (M54).
    Reset,
    /// Nothing: no entry has that name.
    Undeclared,
    /// Nothing: it is private to another skill.
    Private,
    /// Nothing: an access list denies it.
    Denied,
    /// Nothing: it belongs to the engine (M31).
    Reserved,
}

impl ReadGave {
    /// Returns the words for it.
    pub fn words(self) -> &'static str {
        match self {
            ReadGave::Value => "gave its value",
            ReadGave::NeverWritten => "gave nothing: never written",
            ReadGave::Cleared => "gave nothing: cleared",
            ReadGave::Reset => "gave nothing: reset",
            ReadGave::Undeclared => "gave nothing: undeclared",
            ReadGave::Private => "was refused: private to another skill",
            ReadGave::Denied => "was refused: denied",
            ReadGave::Reserved => "was refused: the engine's own",
        }
    }

    /// Returns whether a rule withheld the entry.
    pub fn is_refused(self) -> bool {
        match self {
            ReadGave::Private | ReadGave::Denied | ReadGave::Reserved => true,
            ReadGave::Value | ReadGave::NeverWritten | ReadGave::Cleared | ReadGave::Reset | ReadGave::Undeclared => {
                false
            }
        }
    }
}
