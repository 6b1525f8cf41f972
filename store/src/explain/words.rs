//! Values and names as the sentences of an answer say them.

use crate::name::Name;
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
