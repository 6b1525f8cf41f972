//! Names with `*` for any run of characters.

use std::fmt;

use crate::name::split_key;

/// A name, in which `*` stands for any run of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// Makes a pattern of what was written.
    pub fn new(text: &str) -> Pattern {
        Pattern { text: text.to_owned() }
    }

    /// Returns what was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether it is a name without a `*`.
    pub fn is_exact(&self) -> bool {
        !self.text.contains('*')
    }

    /// Returns whether a name matches.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.text.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.len() >= last.len() && rest.ends_with(last)
    }

    /// Returns whether a memory entry matches: by its qualified name, and by its bare one where the pattern has no dot.
    pub fn matches_key(&self, key: &str) -> bool {
        self.matches(key) || (!self.text.contains('.') && split_key(key).is_some_and(|(_, entry)| self.matches(entry)))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run() {
        for (pattern, name, expected) in [
            ("", "", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "a", true),
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("ab*ba", "aba", false),
            ("*b*", "abc", true),
            ("a*b*c", "a-c-b", false),
            ("**", "x", true),
            ("ł*", "łó", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn a_bare_name_is_that_of_any_skill() {
        assert!(Pattern::new("tier").matches_key("project.tier"));
        assert!(Pattern::new("ti*").matches_key("project.tier"));
        assert!(!Pattern::new("tier").matches_key("project.tiers"));
        assert!(!Pattern::new("project").matches_key("project.tier"));
        assert!(Pattern::new("project.*").matches_key("project.tier"));
    }
}
