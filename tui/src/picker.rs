//! The picker: entries, skills, turns, filters, sessions and commands by a few letters of their names.
//!
//! Its rows are made when it opens; typing only chooses among them. What a row leads to is done by `update`.

use replay_store::name::Name;

use crate::app::App;
use crate::command::COMMANDS;
use crate::complete::entries;
use crate::key::BINDINGS;
use crate::keymap::name;

/// The picker, while it is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picker {
    /// What was typed.
    pub typed: String,
    /// All that can be picked.
    pub items: Vec<Item>,
    /// Those that what was typed may mean, by their places, the best one first.
    pub hits: Vec<usize>,
    /// The one under the cursor, by its place in [`Picker::hits`].
    pub cursor: usize,
}

/// Something that can be picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What Enter does with it.
    pub pick: Pick,
    /// What it is called.
    pub name: String,
    /// What else is said about it.
    pub words: String,
}

/// What can be picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// A memory entry.
    Entry(Name),
    /// A skill.
    Skill(Name),
    /// A turn, by its number.
    Turn(u32),
    /// A session of the file, by its row in the list.
    Session(usize),
    /// A filter, by its name.
    Filter(String),
    /// A command behind `:`, by its row in the table.
    Command(usize),
    /// What a key does, by its row in the table.
    Key(usize),
}

impl Pick {
    /// Returns what it is, in one word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Pick::Entry(_) => "entry",
            Pick::Skill(_) => "skill",
            Pick::Turn(_) => "turn",
            Pick::Session(_) => "session",
            Pick::Filter(_) => "filter",
            Pick::Command(_) => "command",
            Pick::Key(_) => "key",
        }
    }

    /// Returns what Enter does with it.
    pub(crate) fn does(&self) -> &'static str {
        match self {
            Pick::Entry(_) => "Enter shows it in memory",
            Pick::Skill(_) => "Enter explains why it is active, offered or not",
            Pick::Turn(_) => "Enter goes to its end",
            Pick::Session(_) => "Enter opens it",
            Pick::Filter(_) => "Enter filters the timeline by it",
            Pick::Command(row) if wants_more(*row) => "Enter begins it: type what is still wanted",
            Pick::Command(_) | Pick::Key(_) => "Enter does it",
        }
    }
}

/// Returns whether a command can't do without something behind its name.
pub(crate) fn wants_more(row: usize) -> bool {
    let takes = COMMANDS[row].takes;
    !takes.is_empty() && !takes.starts_with('[')
}

impl Picker {
    /// Returns the picker with all that there is.
    pub(crate) fn open(app: &App) -> Picker {
        let mut picker = Picker { items: items(app), ..Picker::default() };
        picker.choose();
        picker
    }

    /// Changes what is typed.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.typed);
        self.choose();
    }

    /// Returns what is under the cursor.
    pub(crate) fn picked(&self) -> Option<&Item> {
        self.items.get(*self.hits.get(self.cursor)?)
    }

    fn choose(&mut self) {
        let scored = self.items.iter().enumerate();
        let mut scored: Vec<(i64, usize)> =
            scored.filter_map(|(place, item)| Some((score_item(&self.typed, item)?, place))).collect();
        // Of two that fit as well, the one that stands higher in the whole list comes first.
        scored.sort_by_key(|(score, place)| (-score, *place));
        self.hits = scored.into_iter().map(|(_, place)| place).collect();
        self.cursor = 0;
    }
}

fn items(app: &App) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(debugger) = &app.debugger {
        let session = &debugger.session;
        let entry = |key: String| {
            let row = session.memory_row(Name::from(key.as_str()), &debugger.state);
            Item { pick: Pick::Entry(row.key.clone()), words: crate::content::memory::value(&row).text(), name: key }
        };
        items.extend(entries(debugger).into_iter().map(entry));
        let declared = session.agent.iter().flat_map(|agent| agent.skills.keys());
        let running = debugger.state.stack.iter().map(|frame| &frame.skill);
        let skills: std::collections::BTreeSet<&Name> = declared.chain(running).collect();
        let skill = |skill: &Name| Item {
            pick: Pick::Skill(skill.clone()),
            name: skill.to_string(),
            words: match debugger.state.stack.iter().any(|frame| frame.skill == *skill) {
                true => "on the stack".to_owned(),
                false => String::new(),
            },
        };
        items.extend(skills.into_iter().map(skill));
        items.extend(session.turns.iter().map(|turn| Item {
            pick: Pick::Turn(turn.number),
            name: format!("turn {}", turn.number),
            words: format!("{} to {}", turn.first, turn.last),
        }));
        items.extend(app.filters.iter().map(|(name, filter)| Item {
            pick: Pick::Filter(name.clone()),
            name: name.clone(),
            words: filter.clone(),
        }));
    }
    items.extend(app.list.iter().flat_map(|list| &list.rows).enumerate().map(|(row, session)| Item {
        pick: Pick::Session(row),
        name: session.id.clone(),
        words: session.said_first.clone().unwrap_or_else(|| format!("{} events", session.events)),
    }));
    if app.debugger.is_some() {
        items.extend(COMMANDS.iter().enumerate().map(|(row, spec)| Item {
            pick: Pick::Command(row),
            name: format!(":{} {}", spec.names[0], spec.takes).trim_end().to_owned(),
            words: spec.help.to_owned(),
        }));
        items.extend(BINDINGS.iter().enumerate().map(|(row, binding)| Item {
            pick: Pick::Key(row),
            name: format!("{}  {}", name(&binding.action), app.keymap.keys(row).join(" ")),
            words: binding.help.to_owned(),
        }));
    }
    items
}

/// Returns how well all the typed words fit an item, in its name, its kind or what is said about it.
fn score_item(typed: &str, item: &Item) -> Option<i64> {
    let one = |word: &str| {
        let kind = item.pick.kind().starts_with(word).then_some(KIND);
        let words = contains(&item.words, word).then_some(WORDS);
        score(word, &item.name).max(kind).max(words)
    };
    typed.split_whitespace().map(one).sum()
}

const LETTER: i64 = 16;
const AT_START: i64 = 14;
const AT_WORD: i64 = 10;
const BEHIND_THE_LAST: i64 = 12;
const GAP: i64 = -1;
/// The name of its kind fits better than letters here and there, but worse than the beginning of a name.
const KIND: i64 = 40;
/// What is said about it counts where nothing else does.
const WORDS: i64 = 1;
/// Letters of a name that are looked at.
const LONGEST: usize = 200;

/// Returns how well the letters of a typed word, in their order, fit a name; `None` where one of them is missing.
///
/// Letters at the start of the name or of a part of it count more, and so do letters next to each other. Of all ways
/// to find them the best one counts. Capitals and small letters are the same.
fn score(word: &str, name: &str) -> Option<i64> {
    let letters: Vec<char> = name.chars().take(LONGEST).collect();
    // For each letter of the name: the best score with the last typed letter there.
    let mut ends: Vec<Option<i64>> = vec![None; letters.len()];
    for (index, typed) in word.chars().enumerate() {
        let mut next = vec![None; letters.len()];
        // The best of the ends before the letter but one, less what lies between.
        let mut far: Option<i64> = None;
        for (place, letter) in letters.iter().enumerate() {
            far = far.map(|score| score + GAP);
            let near = place.checked_sub(1).and_then(|before| ends[before]);
            if same(*letter, typed) {
                let before = match index {
                    0 => Some(0),
                    _ => far.max(near.map(|score| score + BEHIND_THE_LAST)),
                };
                next[place] = before.map(|score| score + LETTER + bonus(&letters, place));
            }
            far = far.max(near.map(|score| score + GAP));
        }
        ends = next;
        // Long words that fit nothing are typed by who pastes into the picker.
        if ends.iter().all(Option::is_none) {
            return None;
        }
    }
    ends.into_iter().flatten().max()
}

fn bonus(letters: &[char], place: usize) -> i64 {
    let Some(before) = place.checked_sub(1).map(|before| letters[before]) else { return AT_START };
    let begins = !before.is_alphanumeric() || (before.is_lowercase() && letters[place].is_uppercase());
    if begins && letters[place].is_alphanumeric() { AT_WORD } else { 0 }
}

fn same(one: char, other: char) -> bool {
    one == other || one.to_lowercase().eq(other.to_lowercase())
}

fn contains(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(&word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in the order in which `typed` finds them; those that it doesn't find are missing.
    fn check(typed: &str, names: &[&str], expected: &[&str]) {
        let items = names.iter().map(|name| Item {
            pick: Pick::Entry(Name::from(*name)),
            name: (*name).to_owned(),
            words: String::new(),
        });
        let mut picker = Picker { items: items.collect(), ..Picker::default() };
        picker.edit(|text| text.push_str(typed));
        let found: Vec<&str> = picker.hits.iter().map(|place| names[*place]).collect();
        assert_eq!(found, expected, "{typed}");
    }

    #[test]
    fn letters_are_found_in_their_order_only() {
        check("oid", &["order_id", "do_it", "void", "dio"], &["order_id", "void"]);
        check("xyz", &["order_id"], &[]);
        check("", &["b", "a"], &["b", "a"]);
    }

    #[test]
    fn the_start_of_a_name_is_better_than_the_start_of_a_part_and_that_than_its_middle() {
        check("id", &["solid", "shop.id", "id_card"], &["id_card", "shop.id", "solid"]);
        check("bt", &["abate", "bookTitle", "robot"], &["bookTitle", "abate", "robot"]);
    }

    #[test]
    fn letters_next_to_each_other_are_better_than_letters_apart() {
        check("item", &["i_t_e_m_s", "ixtxexm", "item"], &["item", "i_t_e_m_s", "ixtxexm"]);
        // The first `lo` is no help to `loan`, the second one is.
        assert!(score("loan", "lo.loan") > score("loan", "lo.xan.l_oan"));
        assert_eq!(score("ab", "a_ab"), Some(2 * LETTER + AT_WORD + BEHIND_THE_LAST));
    }

    #[test]
    fn capitals_words_and_kinds_are_found() {
        check("RENEW", &["renew_loan.item_id"], &["renew_loan.item_id"]);
        check("item renew", &["renew_loan.item_id", "renew_loan.days"], &["renew_loan.item_id"]);
        check("entry days", &["renew_loan.item_id", "renew_loan.days"], &["renew_loan.days"]);
        check("ŁÓ", &["łódź"], &["łódź"]);
    }

    #[test]
    fn what_is_said_about_an_item_counts_least() {
        let item = |name: &str, words: &str| Item {
            pick: Pick::Entry(Name::from(name)),
            name: name.to_owned(),
            words: words.to_owned(),
        };
        let mut picker = Picker { items: vec![item("a", "the turn"), item("turn", "")], ..Picker::default() };
        picker.edit(|text| text.push_str("turn"));
        assert_eq!(picker.hits, [1, 0]);
    }
}
