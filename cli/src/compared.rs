//! What `diff` takes on the command line: moments, kinds, what makes no difference, and what is written.

use std::str::FromStr;

use clap::ValueEnum;
use replay_store::compare::noise::Noise;
use replay_store::compare::sessions::Kind;

use crate::arguments::At;

/// A moment that `diff` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A position.
    At(At),
    /// The end of a turn.
    Turn(u32),
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Moment, String> {
        let wrong =
            || format!("{text:?} is no moment; give a number of events, raw:N, or turn:T for the end of a turn");
        match text.strip_prefix("turn:") {
            Some(turn) => turn.parse().map(Moment::Turn).map_err(|_| wrong()),
            None => text.parse().map(Moment::At).map_err(|_| wrong()),
        }
    }
}

/// What `--ignore` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// A kind of noise.
    Noise(Noise),
    /// Nothing.
    None,
}

/// What `diff` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// What differs, turn by turn.
    Human,
    /// The two sides as removed and added lines.
    Unified,
    /// A report in Markdown, for a ticket; values of pii entries are hidden in it.
    Md,
}

/// Returns the kind of difference of that name.
pub(crate) fn kind(word: &str) -> Result<Kind, String> {
    let words = Kind::ALL.map(Kind::word);
    Kind::ALL
        .into_iter()
        .find(|kind| kind.word() == word)
        .ok_or_else(|| format!("no such kind; there are {}", words.join(", ")))
}

/// Returns what `--ignore` names.
pub(crate) fn noise(word: &str) -> Result<Ignored, String> {
    match (word, Noise::parse(word)) {
        ("none", _) => Ok(Ignored::None),
        (_, Some(noise)) => Ok(Ignored::Noise(noise)),
        (_, None) => Err(format!(
            "nothing of that name can be ignored; there are {}, and none",
            Noise::ALL.map(Noise::word).join(", ")
        )),
    }
}
