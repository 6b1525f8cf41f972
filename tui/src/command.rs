//! What is typed behind `:`.

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Nothing was typed.
    Nothing,
    /// To a position.
    Position(u64),
    /// To the position after a raw record.
    Raw(u32),
    /// To the end of a turn.
    Turn(u32),
    /// The help screen.
    Help,
    /// The end.
    Quit,
}

/// Reads a command; the error is one sentence for the bottom of the screen.
pub(crate) fn parse(text: &str) -> Result<Command, String> {
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, _, _) => Ok(Command::Nothing),
        (Some("q" | "quit" | "q!"), None, _) => Ok(Command::Quit),
        (Some("h" | "help"), None, _) => Ok(Command::Help),
        (Some("raw"), Some(index), None) => number(index, ":raw N").map(Command::Raw),
        (Some("turn"), Some(index), None) => number(index, ":turn N").map(Command::Turn),
        (Some(word), None, _) => match word.strip_prefix("raw:") {
            Some(index) => number(index, ":raw N").map(Command::Raw),
            None if word.starts_with(|first: char| first.is_ascii_digit()) => number(word, ":N").map(Command::Position),
            None => Err(unknown(text)),
        },
        (Some(_), Some(_), _) => Err(unknown(text)),
    }
}

fn number<N: std::str::FromStr>(text: &str, form: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text} is no number that {form} can take"))
}

fn unknown(text: &str) -> String {
    format!("unknown command {text}: there are :N, :raw N, :turn N, :help and :q")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_or_refused_in_one_sentence() {
        let cases = [
            ("", Ok(Command::Nothing)),
            ("12", Ok(Command::Position(12))),
            ("raw 7", Ok(Command::Raw(7))),
            ("raw:7", Ok(Command::Raw(7))),
            (" turn  2 ", Ok(Command::Turn(2))),
            ("q", Ok(Command::Quit)),
            ("help", Ok(Command::Help)),
            ("turn x", Err("x is no number that :turn N can take".to_owned())),
            ("99999999999999999999999", Err("99999999999999999999999 is no number that :N can take".to_owned())),
            ("frobnicate", Err("unknown command frobnicate: there are :N, :raw N, :turn N, :help and :q".to_owned())),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
