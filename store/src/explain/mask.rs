//! Hides the values of `pii` entries in texts that leave the house.
//!
//! A value is hidden wherever it stands: in the entry itself, in a tool's arguments, in what the user said. Short
//! values, which stand in any text by chance, are hidden where the text names their entry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::condition::Condition;
use super::why::{RuleLine, Why};
use crate::event::{EventKind, Position};
use crate::name::Name;
use crate::replay::Session;
use crate::replay::outline::What;
use crate::session::prose::PII_MARK;
use crate::value::Value;

/// From this length on a value is hidden wherever it stands.
const ANYWHERE_FROM: usize = 4;

/// The values to hide.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Mask {
    /// The `pii` entries.
    entries: Vec<Name>,
    /// The texts that they ever held, in order.
    values: Vec<Hidden>,
}

/// A text to hide.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hidden {
    /// Its characters in small letters.
    folded: Box<[char]>,
    /// The places of the entries that held it.
    of: Vec<usize>,
}

impl Mask {
    /// Collects the values that `pii` entries held in a session. Empty without an agent folder: which entries are `pii`
    /// is unknown then.
    pub fn of(session: &Session) -> Mask {
        let Some(agent) = session.agent.as_deref() else { return Mask::default() };
        let pii: Vec<_> = agent.entries().filter(|entry| entry.pii).collect();
        if pii.is_empty() {
            return Mask::default();
        }
        let mut values: Vec<BTreeSet<String>> = pii.iter().map(|entry| forms(&entry.initial)).collect();
        for (at, place) in carriers(session, pii.iter().map(|entry| &entry.key)) {
            let Some(event) = session.event(at) else { continue };
            if let EventKind::MemoryWritten { value, .. }
            | EventKind::MemoryReset { value, .. }
            | EventKind::MemoryWriteRefused { value, .. } = &event.kind
            {
                values[place].extend(forms(value));
            }
        }
        let texts =
            values.into_iter().enumerate().flat_map(|(place, texts)| texts.into_iter().map(move |text| (place, text)));
        Mask::over(pii.iter().map(|entry| entry.key.clone()).collect(), texts)
    }

    /// Returns what hides these texts, each of the entry at that place.
    fn over(entries: Vec<Name>, texts: impl Iterator<Item = (usize, String)>) -> Mask {
        let mut values: BTreeMap<Box<[char]>, Vec<usize>> = BTreeMap::new();
        for (place, text) in texts {
            values.entry(text.chars().map(folded).collect()).or_default().push(place);
        }
        Mask { entries, values: values.into_iter().map(|(folded, of)| Hidden { folded, of }).collect() }
    }

    /// Returns what hides the values of both, for a text about two sessions.
    pub fn and(self, other: Mask) -> Mask {
        let first = self.entries.len();
        let texts = |values: Vec<Hidden>, first: usize| {
            let of = move |value: Hidden| {
                let text: String = value.folded.iter().collect();
                value.of.into_iter().map(move |place| (first + place, text.clone()))
            };
            values.into_iter().flat_map(of)
        };
        let all = texts(self.values, 0).chain(texts(other.values, first));
        Mask::over(self.entries.into_iter().chain(other.entries).collect(), all)
    }

    /// Returns whether the entry is `pii`.
    pub fn hides(&self, key: &str) -> bool {
        self.entries.iter().any(|known| *known == *key)
    }

    /// Returns a text with the mark in place of each value, and of values that overlap.
    pub fn text(&self, text: &str) -> String {
        if self.values.is_empty() {
            return text.to_owned();
        }
        let named: Vec<bool> = self.entries.iter().map(|key| text.contains(key.as_str())).collect();
        let characters: Vec<char> = text.chars().map(folded).collect();
        let mut masked = String::with_capacity(text.len());
        // How many characters of the text are behind what is hidden so far.
        let mut hidden = 0;
        for (index, character) in text.chars().enumerate() {
            if let Some(length) = self.longest(&characters, index, &named) {
                if hidden <= index {
                    masked.push_str(PII_MARK);
                }
                hidden = hidden.max(index + length);
            }
            if hidden <= index {
                masked.push(character);
            }
        }
        masked
    }

    /// Returns how many characters the longest value takes that stands at `start` and is hidden there. A short one is
    /// hidden where one of its entries is named, and where it is a word of its own.
    fn longest(&self, characters: &[char], start: usize, named: &[bool]) -> Option<usize> {
        let is_whole = |end: usize| {
            let is_word =
                |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|one| one.is_alphanumeric());
            !is_word(start.checked_sub(1)) && !is_word(Some(end))
        };
        // The values that begin with the characters so far: they stand side by side, one that is no longer in front.
        let mut among = self.values.as_slice();
        let mut longest = None;
        for length in 0.. {
            if let Some((first, others)) = among.split_first().filter(|(first, _)| first.folded.len() == length) {
                let is_hidden =
                    ANYWHERE_FROM <= length || (first.of.iter().any(|place| named[*place]) && is_whole(start + length));
                longest = if is_hidden { Some(length) } else { longest };
                among = others;
            }
            let Some(next) = characters.get(start + length).filter(|_| !among.is_empty()) else { break };
            let from = among.partition_point(|value| value.folded[length] < *next);
            let to = among.partition_point(|value| value.folded[length] <= *next);
            among = &among[from..to];
        }
        longest
    }

    /// Returns an answer in which nothing of a `pii` entry stands.
    pub fn why(&self, why: &Why) -> Why {
        let mut masked = why.clone();
        if why.key.as_ref().is_some_and(|key| self.hides(key)) && !why.value.is_null() {
            masked.value = Arc::new(Value::Text(PII_MARK.to_owned()));
        }
        masked.text = self.text(&why.text);
        masked.change = why.change.as_deref().map(|change| self.text(change));
        masked.rule = why.rule.clone().map(|rule| self.rule(rule));
        masked.condition = why.condition.clone().map(|condition| self.condition(condition));
        for one in &mut masked.evidence {
            one.text = self.text(&one.text);
        }
        masked
    }

    pub(super) fn rule(&self, rule: RuleLine) -> RuleLine {
        RuleLine { source: rule.source.as_deref().map(|source| self.text(source)), ..rule }
    }

    fn condition(&self, mut condition: Condition) -> Condition {
        let is_pii = condition.read.as_ref().is_some_and(|read| self.hides(&read.key));
        if is_pii && !condition.value.is_null() {
            condition.value = Value::Text(PII_MARK.to_owned());
        }
        condition.text = self.text(&condition.text);
        condition.impossible = condition.impossible.as_deref().map(|why| self.text(why));
        condition.parts = condition.parts.into_iter().map(|part| self.condition(part)).collect();
        condition
    }
}

/// Returns the events that carry a value of one of these entries, in order, each with the place of its entry among them.
fn carriers<'k>(session: &Session, keys: impl Iterator<Item = &'k Name>) -> BTreeSet<(Position, usize)> {
    let carries = |what: What| match what {
        What::Written | What::Reset | What::ResetAgain | What::Refused => true,
        What::Nulled | What::Cleared | What::Locked => false,
    };
    let of = |(place, key): (usize, &Name)| {
        let touches = session.touches(key).iter().filter(|touch| carries(touch.what()));
        touches.map(|touch| (touch.at(), place)).collect::<Vec<_>>()
    };
    keys.enumerate().flat_map(of).collect()
}

/// Returns the texts that a value may stand as: its own words, and their form in JSON; those of its parts, too.
fn forms(value: &Value) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    add_forms(value, &mut forms);
    forms.remove("");
    forms
}

fn add_forms(value: &Value, forms: &mut BTreeSet<String>) {
    match value {
        Value::Null => {}
        Value::Bool(_) => forms.extend([value.to_json(), value.to_display()]),
        Value::Int(_) | Value::Float(_) => forms.extend([value.to_json()]),
        Value::Text(text) => {
            let json = value.to_json();
            forms.extend([text.trim().to_owned(), json.trim_matches('"').to_owned()]);
        }
        Value::List(items) => items.iter().for_each(|item| add_forms(item, forms)),
        Value::Map(fields) => fields.iter().for_each(|(_, field)| add_forms(field, forms)),
    }
}

/// Returns a character as a small letter; where that takes several, their first.
fn folded(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(values: &[Value], text: &str, expected: &str) {
        let texts = values.iter().flat_map(forms).map(|text| (0, text));
        assert_eq!(Mask::over(vec![Name::from("project.name")], texts).text(text), expected);
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn a_value_is_hidden_wherever_it_stands() {
        check(&[text("Noor Vale")], "user: I am noor vale.", "user: I am [set].");
        check(
            &[text("a \"b\" c")],
            "set({\"name\":\"a \\\"b\\\" c\"}) = a \"b\" c",
            "set({\"name\":\"[set]\"}) = [set]",
        );
        check(&[Value::List(vec![text("4711-22"), Value::Int(123_456)])], "4711-22 and 123456", "[set] and [set]");
    }

    #[test]
    fn a_short_value_is_hidden_where_its_entry_is_named() {
        check(&[text("Bo")], "`project.name` is \"Bo\", not Bob", "`project.name` is \"[set]\", not Bob");
        check(&[text("Bo")], "user: Bo", "user: Bo");
        check(&[Value::Bool(true)], "project.name = true", "project.name = [set]");
    }

    #[test]
    fn values_that_overlap_are_hidden_as_one() {
        check(
            &[text("Ada Vale"), text("Vale of Tears"), text("Vale")],
            "Ada Vale of Tears, ADA VALE, Vale",
            "[set], [set], [set]",
        );
    }

    #[test]
    fn the_masks_of_two_sessions_hide_the_values_of_both() {
        let mask = |key: &str, text: &str| Mask::over(vec![Name::from(key)], std::iter::once((0, text.to_owned())));
        let both = mask("a.x", "Noor Vale").and(mask("b.y", "Bo"));
        assert_eq!(both.text("Noor Vale: b.y is Bo, a.x is none"), "[set]: b.y is [set], a.x is none");
        assert!(both.hides("a.x") && both.hides("b.y") && !both.hides("b.x"));
    }

    proptest! {
        #[test]
        fn nothing_of_a_long_value_is_left_and_all_else_is(
            values in prop::collection::vec("[abAB]{4,6}", 0..6),
            said in "[abAB ]{0,40}",
        ) {
            let mask = Mask::over(vec![Name::from("project.name")], values.iter().map(|value| (0, value.clone())));
            let masked = mask.text(&said);
            // Each character is hidden exactly where some value stands over it.
            let lower = said.to_lowercase();
            let mut expected = String::new();
            let mut hidden = 0;
            for (at, character) in said.char_indices() {
                let ends = values.iter().filter(|value| lower[at..].starts_with(&value.to_lowercase())).map(|value| at + value.len());
                if let Some(end) = ends.max() {
                    if hidden <= at {
                        expected.push_str(PII_MARK);
                    }
                    hidden = hidden.max(end);
                }
                if hidden <= at {
                    expected.push(character);
                }
            }
            prop_assert_eq!(masked, expected);
        }
    }
}
