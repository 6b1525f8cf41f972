//! Hides the values of `pii` entries in texts that leave the house.
//!
//! A value is hidden wherever it stands: in the entry itself, in a tool's arguments, in what the user said. Short
//! values, which stand in any text by chance, are hidden where the text names their entry.

use std::collections::BTreeSet;
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
    /// The `pii` entries, each with the values that it ever held, as texts, the longest first.
    entries: Vec<(Name, Vec<String>)>,
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
        let longest_first = |values: BTreeSet<String>| {
            let mut values: Vec<String> = values.into_iter().collect();
            values.sort_by_key(|value| std::cmp::Reverse(value.len()));
            values
        };
        let entries = pii.iter().zip(values).map(|(entry, values)| (entry.key.clone(), longest_first(values)));
        Mask { entries: entries.collect() }
    }

    /// Returns what hides the values of both, for a text about two sessions.
    pub fn and(mut self, other: Mask) -> Mask {
        self.entries.extend(other.entries);
        self
    }

    /// Returns whether the entry is `pii`.
    pub fn hides(&self, key: &str) -> bool {
        self.entries.iter().any(|(known, _)| *known == *key)
    }

    /// Returns a text with the mark in place of each value.
    pub fn text(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for (key, values) in &self.entries {
            let is_named = masked.contains(key.as_str());
            for value in values {
                let is_long = value.chars().count() >= ANYWHERE_FROM;
                if is_long || is_named {
                    masked = replaced(&masked, value, !is_long);
                }
            }
        }
        masked
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

    fn rule(&self, rule: RuleLine) -> RuleLine {
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

/// Puts the mark in place of a value, whatever the case of its letters; `whole`: where it is a word of its own.
fn replaced(text: &str, value: &str, whole: bool) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = matched(rest, value).filter(|length| {
            let before = masked.chars().next_back().is_some_and(char::is_alphanumeric);
            let after = rest[*length..].chars().next().is_some_and(char::is_alphanumeric);
            !whole || (!before && !after)
        });
        match length {
            Some(length) => {
                masked.push_str(PII_MARK);
                rest = &rest[length..];
            }
            None => {
                masked.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    masked
}

/// Returns how many bytes of `text` the value takes at its beginning, if it stands there.
fn matched(text: &str, value: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    for wanted in value.chars() {
        let (_, found) = characters.next()?;
        if found != wanted && !found.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    Some(characters.next().map_or(text.len(), |(end, _)| end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[Value], text: &str, expected: &str) {
        let forms = values.iter().flat_map(forms).collect();
        let mask = Mask { entries: vec![(Name::from("project.name"), forms)] };
        assert_eq!(mask.text(text), expected);
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
}
