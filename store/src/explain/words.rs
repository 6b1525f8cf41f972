//! Values and names as the sentences of an answer say them.

use crate::event::Position;
use crate::name::Name;
use crate::session::access::Nothing;
use crate::value::Value;

/// How many characters of a value a sentence has.
const SHOWN: usize = 120;

/// Returns a value as JSON; of a long one the beginning and its length.
pub(super) fn value_words(value: &Value) -> String {
    let json = value.to_json();
    match json.char_indices().nth(SHOWN) {
        Some((cut, _)) => {
            let length = value.as_text().map_or_else(|| json.chars().count(), |text| text.chars().count());
            format!("{}… ({length} characters)", &json[..cut])
        }
        None => json,
    }
}

/// Returns a change that lifts a rule, and that it is not enough where the entry holds nothing either at `at`.
pub(super) fn lifted(change: String, behind: Option<&Nothing>, at: Position) -> String {
    match behind {
        Some(nothing) => format!("{change}; at {at} that alone changes nothing: it was {nothing}"),
        None => change,
    }
}

/// Returns which kind of nothing there is behind a rule that withholds an entry, to stand behind that rule.
pub(super) fn and_behind(behind: Option<&Nothing>) -> String {
    behind.map(|nothing| format!(", and {nothing}")).unwrap_or_default()
}

/// Returns names as people list them: `a`, `b` or `c`.
pub(super) fn either(names: &[Name]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Returns a question about the names that may have been meant; empty where there are none.
pub(super) fn did_you_mean(names: &[Name]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", either(names)) }
}
