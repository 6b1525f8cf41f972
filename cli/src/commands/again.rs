//! The command line that gives an answer again, to be pasted into a shell.

use std::ffi::OsStr;

use replay_store::event::Position;
use replay_store::explain::report::Pii;

use super::findings::Asked;
use super::why::Question;
use crate::arguments::Global;

/// Returns the command that gives the report again, with the moment pinned.
pub(super) fn command(question: &Question<'_>, at: Position, pii: Pii) -> String {
    let asked = question.asked;
    let mut words = vec!["replay".to_owned(), "why".to_owned(), quoted(question.target)];
    words.extend(asked.key.as_ref().map(|key| quoted(OsStr::new(key))));
    for (flag, value) in [("--read", &asked.read), ("--skill", &asked.skill), ("--tool", &asked.tool)] {
        words.extend(value.as_ref().map(|value| format!("{flag} {}", quoted(OsStr::new(value)))));
    }
    words.extend(asked.line.as_ref().map(|line| format!("--line {}", quoted(OsStr::new(&line.to_string())))));
    words.push(format!("--at {at}"));
    finish(words, question.global, pii)
}

/// Returns the command that gives the report of findings again.
pub(super) fn findings(asked: &Asked<'_>, pii: Pii) -> String {
    let mut words = vec!["replay".to_owned(), "findings".to_owned(), quoted(asked.target)];
    let kinds: Vec<String> = asked.kinds.iter().map(|kind| kind.name()).collect();
    if !kinds.is_empty() {
        words.push(format!("--kind {}", kinds.join(",")));
    }
    finish(words, asked.global, pii)
}

fn finish(mut words: Vec<String>, global: &Global, pii: Pii) -> String {
    words.extend(global.agent.as_ref().map(|folder| format!("--agent {}", quoted(folder.as_os_str()))));
    words.extend(global.profile.map(|profile| format!("--profile {}", profile.name())));
    words.push("--format md".to_owned());
    if pii == Pii::Revealed {
        words.push("--reveal".to_owned());
    }
    words.join(" ")
}

/// Returns a word as a shell reads it back.
pub(super) fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=+,@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: &str) {
        assert_eq!(quoted(OsStr::new(word)), expected);
    }

    #[test]
    fn a_word_is_quoted_where_a_shell_would_change_it() {
        check("a/b-c.log", "a/b-c.log");
        check("a b#1", "'a b#1'");
        check("it's", "'it'\\''s'");
        check("", "''");
    }
}
