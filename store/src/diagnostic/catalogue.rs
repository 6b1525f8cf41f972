//! What each code means to people: severity, meaning, the rules behind it, and a case that shows wrong and right.
//!
//! The examples are the Markdown cases that the tests run, so what is shown is what happens.

use std::ops::Range;

use super::{Severity, code};
use crate::rule::Rule;

/// What the table of codes says about one.
pub(super) struct Row {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    /// The meaning, with the rules in brackets.
    pub(super) doc: &'static str,
}

/// What is known about a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The code.
    pub code: &'static str,
    /// How bad it is. In one of the profiles it may be less.
    pub severity: Severity,
    /// What it means, in one sentence.
    pub meaning: String,
    /// The rules behind it, by number; none for what is wrong with a file as such.
    pub rules: Vec<&'static str>,
    /// The case that shows it: prose, files with what is wrong, what is said, files with what is right. In Markdown.
    pub example: &'static str,
}

/// The cases, one file a subject; a code is explained under the heading that bears its name.
pub const CASES: [(&str, &str); 8] = [
    ("files.md", include_str!("../../tests/cases/files.md")),
    ("agent.md", include_str!("../../tests/cases/agent.md")),
    ("skills.md", include_str!("../../tests/cases/skills.md")),
    ("prose.md", include_str!("../../tests/cases/prose.md")),
    ("blocks.md", include_str!("../../tests/cases/blocks.md")),
    ("memory.md", include_str!("../../tests/cases/memory.md")),
    ("tools.md", include_str!("../../tests/cases/tools.md")),
    ("responses.md", include_str!("../../tests/cases/responses.md")),
];

/// The cases of the rules that decide; a rule is explained under the heading that bears its number.
pub const RULE_CASES: [(&str, &str); 2] = [
    ("access.md", include_str!("../../tests/cases/access.md")),
    ("decisions.md", include_str!("../../tests/cases/decisions.md")),
];

/// What is known about a rule that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleEntry {
    /// The rule.
    pub rule: Rule,
    /// The case that shows it: prose, files, what is asked of a session, and what is decided. In Markdown.
    pub example: &'static str,
}

/// Returns what is known about a rule, given its number; `None` for a number of none that decides.
pub fn explain_rule(number: &str) -> Option<RuleEntry> {
    let rule = Rule::parse(number)?;
    let case = RULE_CASES.iter().find_map(|(_, text)| section(text, number).map(|range| &text[range]));
    Some(RuleEntry { rule, example: case.unwrap_or("").trim() })
}

/// Returns what is known about every code, in the order of the table.
pub fn entries() -> impl Iterator<Item = Entry> {
    code::ROWS.iter().map(entry)
}

/// Returns what is known about a code.
pub fn explain(code: &str) -> Option<Entry> {
    code::ROWS.iter().find(|row| row.code == code).map(entry)
}

/// Returns the codes that a mistyped one may mean, nearest first: those that end like it or differ in few letters.
pub fn similar(word: &str) -> Vec<&'static str> {
    let word = word.to_ascii_lowercase();
    let holds = |row: &&Row| !word.is_empty() && (row.code.contains(&word) || word.contains(row.code));
    let tail = |code: &str| code.rsplit('.').next().unwrap_or_default().to_owned();
    let last = tail(&word);
    let near = |row: &&Row| !holds(row) && super::nearest(&last, [&*tail(row.code)]).is_some();
    let rows = code::ROWS.iter();
    rows.clone().filter(holds).chain(rows.filter(near)).map(|row| row.code).take(5).collect()
}

fn entry(row: &Row) -> Entry {
    let doc = row.doc.trim();
    let (meaning, rules) = match doc.rfind(" (M") {
        Some(at) => (format!("{}{}", &doc[..at], &doc[doc.len() - 1..]), numbers(&doc[at..])),
        None => (doc.to_owned(), Vec::new()),
    };
    Entry { code: row.code, severity: row.severity, meaning, rules, example: example(row.code) }
}

fn numbers(brackets: &'static str) -> Vec<&'static str> {
    let is_number = |word: &&str| word.starts_with('M') && word[1..].starts_with(|c: char| c.is_ascii_digit());
    brackets.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_number).collect()
}

/// Returns the case of a code, without its heading; empty where there is none.
fn example(code: &str) -> &'static str {
    let case = CASES.iter().find_map(|(_, text)| section(text, code).map(|range| &text[range]));
    case.unwrap_or("").trim()
}

/// Returns the bytes below a heading `## <code>`, up to the next one.
fn section(text: &str, code: &str) -> Option<Range<usize>> {
    let heading = text.match_indices("\n## ").find(|(at, mark)| {
        let line = text[at + mark.len()..].lines().next().unwrap_or_default();
        line.split_whitespace().next() == Some(code)
    })?;
    let start = heading.0 + 1;
    let body = start + text[start..].find('\n')?;
    let end = text[body..].find("\n## ").map_or(text.len(), |offset| body + offset);
    Some(body..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_tells_its_meaning_from_its_rules() {
        let entry = explain("replay.memory.initial_type").expect("the code is in the table");
        assert_eq!(entry.meaning, "An initial value of another type.");
        assert_eq!(entry.rules, ["M22a", "M25"]);
    }

    #[test]
    fn a_mistyped_code_finds_its_neighbours() {
        assert_eq!(similar("never_seded").first(), Some(&"replay.memory.never_seeded"));
        assert_eq!(similar("replay.access.fails_open"), ["replay.access.fails_open"]);
        assert!(similar("").is_empty());
    }
}
