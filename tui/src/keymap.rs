//! Which keys do what: the table of keys, with what the user wants otherwise.
//!
//! An action's name in the configuration file is made of its own: `To(TurnEnd, Forward)` is `to-turn-end-forward`.

use std::collections::{BTreeMap, BTreeSet};

use replay_store::diagnostic::nearest;

use crate::action::Action;
use crate::key::BINDINGS;

/// Which keys do what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// Rows of the table by their keys.
    rows: BTreeMap<String, usize>,
    /// The first keys of sequences of two.
    prefixes: BTreeSet<String>,
}

/// What a sequence of keys means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An action.
    Action(Action),
    /// The beginning of a longer sequence.
    Prefix,
    /// Nothing.
    Nothing,
}

/// What the user wants otherwise: an action by its name, and all its keys. No keys: none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remap {
    /// The action.
    pub action: String,
    /// Its keys.
    pub keys: Vec<String>,
}

/// Returns the name of an action in the configuration file.
pub fn name(action: &Action) -> String {
    let mut name = String::new();
    for character in format!("{action:?}").chars() {
        match character {
            'A'..='Z' => {
                if !name.is_empty() && !name.ends_with('-') {
                    name.push('-');
                }
                name.push(character.to_ascii_lowercase());
            }
            'a'..='z' | '0'..='9' => name.push(character),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.trim_end_matches('-').to_owned()
}

impl Default for Keymap {
    fn default() -> Keymap {
        let rows = BINDINGS.iter().enumerate();
        let rows = rows.flat_map(|(row, binding)| binding.keys.iter().map(move |key| ((*key).to_owned(), row)));
        Keymap::of(rows.collect())
    }
}

impl Keymap {
    fn of(rows: BTreeMap<String, usize>) -> Keymap {
        let prefixes = rows.keys().filter(|keys| is_sequence(keys)).filter_map(|keys| keys.chars().next());
        Keymap { prefixes: prefixes.map(String::from).collect(), rows }
    }

    /// Changes the keys of one action. A key that meant something else means this from now on.
    ///
    /// # Errors
    ///
    /// Fails with the keymap as it was, and one sentence, where there is no such action or key, or Ctrl-c would no
    /// longer quit.
    pub fn remap(self, remap: &Remap) -> Result<Keymap, (Keymap, String)> {
        let names: Vec<String> = BINDINGS.iter().map(|binding| name(&binding.action)).collect();
        let Some(row) = names.iter().position(|known| *known == remap.action) else {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let hint = match nearest(&remap.action, known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None => "`replay config` lists them".to_owned(),
            };
            return Err((self, format!("no action is called {}: {hint}", remap.action)));
        };
        if let Some(wrong) = remap.keys.iter().find(|key| !is_key(key)) {
            let words = format!(
                "{wrong} is no key: a key is a character, two characters, a name like Enter, Space, PageDown, F5, or Ctrl-x"
            );
            return Err((self, words));
        }
        if remap.keys.iter().any(|key| key == "Ctrl-c") && BINDINGS[row].action != Action::Quit {
            return Err((self, "Ctrl-c always quits".to_owned()));
        }
        let mut rows = self.rows;
        rows.retain(|_, bound| *bound != row);
        rows.extend(remap.keys.iter().map(|key| (key.clone(), row)));
        Ok(Keymap::of(rows))
    }

    /// Looks a sequence up.
    pub(crate) fn meaning(&self, sequence: &str) -> Meaning {
        match self.rows.get(sequence) {
            Some(row) => Meaning::Action(BINDINGS[*row].action.clone()),
            None if self.is_prefix(sequence) => Meaning::Prefix,
            None => Meaning::Nothing,
        }
    }

    /// Returns whether a longer sequence of two keys begins with this one.
    pub(crate) fn is_prefix(&self, sequence: &str) -> bool {
        self.prefixes.contains(sequence)
    }

    /// Returns the keys that may follow the first one of a sequence, each with what it does in a word or two, in the order
    /// of the table.
    pub(crate) fn continuations(&self, first: &str) -> impl Iterator<Item = (String, String)> {
        let sequences = self.rows.iter().filter(|(keys, _)| is_sequence(keys));
        let mut next: Vec<(usize, String)> = sequences
            .filter_map(|(keys, row)| Some((*row, keys.strip_prefix(first)?.to_owned())))
            .filter(|(_, next)| !next.is_empty())
            .collect();
        next.sort();
        next.into_iter().map(|(row, next)| (next, BINDINGS[row].action.word()))
    }

    /// Returns what may be meant by a key that means nothing: sequences that end in it, else the letter's other case.
    pub(crate) fn near(&self, key: &str) -> Vec<String> {
        let sequences = self.rows.keys().filter(|keys| is_sequence(keys) && keys.ends_with(key)).cloned();
        let sequences: Vec<String> = sequences.collect();
        let other = match key.to_lowercase() {
            lower if lower != key => lower,
            _ => key.to_uppercase(),
        };
        match sequences.is_empty() && key.chars().count() == 1 && other != key && self.rows.contains_key(&other) {
            true => vec![other],
            false => sequences,
        }
    }

    /// Returns the keys of a row of the table, those of the table first and in its order.
    pub fn keys(&self, row: usize) -> Vec<&str> {
        let of_table = BINDINGS[row].keys.iter().filter(|key| self.rows.get(**key) == Some(&row)).copied();
        let others =
            self.rows.iter().filter(|(key, bound)| **bound == row && !BINDINGS[row].keys.contains(&key.as_str()));
        of_table.chain(others.map(|(key, _)| key.as_str())).collect()
    }
}

/// Returns whether keys are two characters, pressed one after the other.
fn is_sequence(keys: &str) -> bool {
    keys.chars().count() == 2 && !is_named(keys)
}

/// Returns whether a key has a name of more than its character.
fn is_named(key: &str) -> bool {
    const NAMES: [&str; 14] = [
        "Space",
        "Tab",
        "Shift-Tab",
        "Enter",
        "Esc",
        "Backspace",
        "Left",
        "Right",
        "Up",
        "Down",
        "Home",
        "End",
        "PageUp",
        "PageDown",
    ];
    let number = |digits: &str| digits.parse::<u8>().is_ok_and(|number| (1..=12).contains(&number));
    NAMES.contains(&key) || key.strip_prefix('F').is_some_and(number)
}

fn is_key(key: &str) -> bool {
    let base = key.strip_prefix("Ctrl-").or_else(|| key.strip_prefix("Alt-")).filter(|base| !base.is_empty());
    let is_one = |key: &str| {
        is_named(key) || (key.chars().count() == 1 && !key.chars().any(|one| one.is_control() || one == ' '))
    };
    match base {
        Some(base) => is_one(base),
        None => is_one(key) || (is_sequence(key) && !key.chars().any(|one| one.is_control() || one == ' ')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Direction::Forward;
    use crate::stop::Stop;

    fn remap(action: &str, keys: &[&str]) -> Result<Keymap, String> {
        let remap = Remap { action: action.to_owned(), keys: keys.iter().map(|key| (*key).to_owned()).collect() };
        Keymap::default().remap(&remap).map_err(|(_, words)| words)
    }

    #[test]
    fn every_action_has_a_name_of_its_own() {
        let names: BTreeSet<String> = BINDINGS.iter().map(|binding| name(&binding.action)).collect();
        assert_eq!(names.len(), BINDINGS.len(), "two rows of the table have one action");
        assert!(names.contains("to-turn-end-forward") && names.contains("quit"), "{names:?}");
        for name in names {
            assert!(name.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-'), "{name}");
        }
    }

    #[test]
    fn keys_of_an_action_are_replaced_and_taken_from_others() {
        let keymap = remap("to-turn-end-forward", &["]e", "F5", "j"]).expect("these are keys");
        let turn = Meaning::Action(Action::To(Stop::TurnEnd, Forward));
        for key in ["]e", "F5", "j"] {
            assert_eq!(keymap.meaning(key), turn, "{key}");
        }
        assert_eq!(keymap.meaning("]t"), Meaning::Nothing);
        assert_eq!(keymap.meaning("Down"), Meaning::Action(Action::Line(Forward)));
        assert_eq!(keymap.meaning("]"), Meaning::Prefix);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_may_be_meant() {
        let wrong = remap("to-turn-end-forwart", &["x"]).expect_err("no such action");
        assert_eq!(wrong, "no action is called to-turn-end-forwart: did you mean to-turn-end-forward?");
        assert!(remap("quit", &["xyz"]).expect_err("no such key").starts_with("xyz is no key"));
        assert_eq!(remap("help", &["Ctrl-c"]).expect_err("it quits"), "Ctrl-c always quits");
        for key in ["x", "xy", "Ctrl-x", "Alt-Enter", "F12", "ł", "]]"] {
            assert!(remap("help", &[key]).is_ok(), "{key}");
        }
        for key in ["", "F13", "Ctrl-", "x y", "Enter x", "\u{1b}"] {
            assert!(remap("help", &[key]).is_err(), "{key:?}");
        }
    }

    #[test]
    fn sequences_of_two_begin_with_a_prefix() {
        let keymap = Keymap::default();
        assert_eq!(keymap.meaning("]"), Meaning::Prefix);
        assert_eq!(keymap.meaning("]w"), Meaning::Action(Action::To(Stop::Write, Forward)));
        assert_eq!(keymap.meaning("g"), Meaning::Action(Action::Start));
        assert!(keymap.is_prefix("g"));
        assert_eq!(keymap.meaning("Ctrl"), Meaning::Nothing);
    }
}
