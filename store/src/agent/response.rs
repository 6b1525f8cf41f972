//! Response texts (section 7 of the rules).

use std::ops::Range;

use super::field::is_identifier;
use super::gate::Gate;
use crate::diagnostic::{Place, Spanned};
use crate::name::Name;
use crate::value::Value;

/// A response: the winner of all that are declared under its name (M221).
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Its name.
    pub name: Name,
    /// Who declares it.
    pub source: ResponseSource,
    /// Its wordings, in the order of the file.
    pub variants: Vec<Variant>,
    /// The name in the file.
    pub at: Place,
}

/// Who declares a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseSource {
    /// The engine, in our own wording (M356).
    Engine,
    /// A skill.
    Skill(Name),
    /// The `responses.yml` at the root.
    Project,
}

/// A wording of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The text with its placeholders; empty where none is given.
    pub text: Spanned<String>,
    /// When this wording is chosen (M222).
    pub condition: Option<Gate>,
    /// All of `metadata`; `null` where there is none.
    pub metadata: Value,
    /// Whether the model rewords it (M230).
    pub rephrase: bool,
    /// Its buttons.
    pub buttons: Vec<Button>,
    /// The tool that makes its buttons (M231).
    pub button_source: Option<Spanned<Name>>,
}

/// A button of a response (M231).
#[derive(Clone, Debug, PartialEq)]
pub struct Button {
    /// The title with its placeholders.
    pub title: Spanned<String>,
    /// The payload; the title where it is `None`.
    pub payload: Option<Spanned<String>>,
}

/// Reads `{session.<namespace>.<entry>}` or `{<entry>}` at the start of a text (M226). Returns it with the name that it
/// reads.
pub fn placeholder(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('{')?;
    // No further than a name goes: where braces are many, none is looked for behind each of them.
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')?;
    let inside = &inside[..end];
    if !text[1 + end..].starts_with('}') {
        return None;
    }
    let whole = &text[..inside.len() + 2];
    let name = inside.strip_prefix("session.").unwrap_or(inside);
    let parts = if name.len() == inside.len() { 1 } else { 2 };
    let is_name = name.split('.').count() == parts && name.split('.').all(is_identifier);
    is_name.then_some((whole, name))
}

/// Returns the placeholders of a text: the bytes of each, and the name that it reads.
pub fn placeholders(text: &str) -> Vec<(Range<usize>, &str)> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    starts.filter_map(|at| placeholder(&text[at..]).map(|(whole, name)| (at..at + whole.len(), name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_bare_or_have_three_parts() {
        let cases = [
            ("{day}", Some("day")),
            ("{session.hold.day} rest", Some("hold.day")),
            ("{hold.day}", None),
            ("{session.day}", None),
            ("{session.hold.day.x}", None),
            ("{}", None),
            ("{a b}", None),
            ("{day", None),
            ("{{day}}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(placeholder(text).map(|(_, name)| name), expected, "{text}");
        }
    }
}
