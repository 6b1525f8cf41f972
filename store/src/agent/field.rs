//! Reads typed fields out of YAML nodes, and says so where the type is another one.

use super::gate::Gate;
use super::text::{FileText, offset_in};
use super::yaml::{Kind, Node, Pair};
use crate::condition;
use crate::diagnostic::{Diagnostic, Place, Spanned, code, nearest};
use crate::name::Name;
use crate::value::Value;

/// A file that is being read, and what is wrong in it so far.
pub(super) struct Context<'a> {
    pub(super) file: &'a FileText<'a>,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Context<'_> {
    pub(super) fn error(&mut self, code: &'static str, at: &Place, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, at.clone(), message));
    }

    pub(super) fn warn(&mut self, code: &'static str, at: &Place, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(code, at.clone(), message));
    }

    fn wrong_type(&mut self, key: &str, expected: &str, node: &Node) {
        let message = format!("`{key}` takes {expected}, and this is {}", node.kind_word());
        self.error(code::WRONG_TYPE, &node.at, message);
    }

    /// Reads a text. Another scalar is taken as it is written, with a warning: its author forgot the quotes.
    pub(super) fn text(&mut self, key: &str, node: &Node) -> Option<Spanned<String>> {
        match &node.kind {
            Kind::Scalar(Value::Text(text), _) => Some(Spanned { value: text.clone(), at: node.at.clone() }),
            Kind::Scalar(_, written) => {
                let message = format!("`{key}` takes a text, and this is {}", node.kind_word());
                let found = Diagnostic::warning(code::WRONG_TYPE, node.at.clone(), message);
                self.diagnostics.push(found.help("put it in quotes"));
                Some(Spanned { value: written.clone(), at: node.at.clone() })
            }
            Kind::List(_) | Kind::Map(_) => {
                self.wrong_type(key, "a text", node);
                None
            }
        }
    }

    /// Reads the text of a key, if it has one.
    pub(super) fn text_of(&mut self, parent: &Node, key: &str) -> Option<Spanned<String>> {
        self.text(key, parent.get(key)?)
    }

    /// Reads a name.
    pub(super) fn name(&mut self, key: &str, node: &Node) -> Option<Spanned<Name>> {
        let Spanned { value, at } = self.text(key, node)?;
        Some(Spanned { value: Name::from(value.trim()), at })
    }

    /// Reads the name of a key, if it has one.
    pub(super) fn name_of(&mut self, parent: &Node, key: &str) -> Option<Spanned<Name>> {
        self.name(key, parent.get(key)?)
    }

    /// Reads a bool.
    pub(super) fn flag(&mut self, key: &str, node: &Node) -> Option<Spanned<bool>> {
        match &node.kind {
            Kind::Scalar(Value::Bool(flag), _) => Some(Spanned { value: *flag, at: node.at.clone() }),
            Kind::Scalar(..) | Kind::List(_) | Kind::Map(_) => {
                self.wrong_type(key, "true or false", node);
                None
            }
        }
    }

    /// Reads the bool of a key; `false` where it has none.
    pub(super) fn flag_of(&mut self, parent: &Node, key: &str) -> bool {
        parent.get(key).and_then(|node| self.flag(key, node)).is_some_and(|flag| flag.value)
    }

    /// Reads a count.
    pub(super) fn count_of(&mut self, parent: &Node, key: &str) -> Option<Spanned<u64>> {
        let node = parent.get(key)?;
        match &node.kind {
            Kind::Scalar(Value::Int(number), _) => match u64::try_from(*number) {
                Ok(value) => Some(Spanned { value, at: node.at.clone() }),
                Err(_) => {
                    self.error(code::WRONG_TYPE, &node.at, format!("`{key}` takes a number that isn't negative"));
                    None
                }
            },
            Kind::Scalar(..) | Kind::List(_) | Kind::Map(_) => {
                self.wrong_type(key, "a whole number", node);
                None
            }
        }
    }

    /// Returns the items of a list under a key; none where it is no list.
    pub(super) fn list_of<'n>(&mut self, parent: &'n Node, key: &str) -> &'n [Node] {
        let Some(node) = parent.get(key) else { return &[] };
        match &node.kind {
            Kind::List(items) => items,
            Kind::Scalar(..) | Kind::Map(_) => {
                self.wrong_type(key, "a list", node);
                &[]
            }
        }
    }

    /// Returns the pairs of a mapping under a key; none where it is no mapping.
    pub(super) fn pairs_of<'n>(&mut self, parent: &'n Node, key: &str) -> &'n [Pair] {
        let Some(node) = parent.get(key) else { return &[] };
        match &node.kind {
            Kind::Map(pairs) => pairs,
            Kind::Scalar(..) | Kind::List(_) => {
                self.wrong_type(key, "a mapping", node);
                &[]
            }
        }
    }

    /// Reads a list of names.
    pub(super) fn names_of(&mut self, parent: &Node, key: &str) -> Vec<Spanned<Name>> {
        self.list_of(parent, key).iter().filter_map(|item| self.name(key, item)).collect()
    }

    /// Reads a condition, which must be a text (M68).
    pub(super) fn gate(&mut self, key: &str, node: &Node) -> Option<Gate> {
        let Some(text) = node.as_text() else {
            // A lone `true` or `3` would be a condition if it were a text.
            let written = match &node.kind {
                Kind::Scalar(_, written) => Some(written.clone()),
                Kind::List(_) | Kind::Map(_) => None,
            };
            self.wrong_type(key, "a condition in a text", node);
            return written.map(|value| Gate { text: Spanned { value, at: node.at.clone() }, condition: None });
        };
        Some(self.gate_from(text, &node.at, code::CONDITION_INVALID))
    }

    /// Reads the condition of a key, if it has one.
    pub(super) fn gate_of(&mut self, parent: &Node, key: &str) -> Option<Gate> {
        self.gate(key, parent.get(key)?)
    }

    /// Parses a condition; one that doesn't parse is reported under `code` and stays closed (M85).
    pub(super) fn gate_from(&mut self, text: &str, at: &Place, code: &'static str) -> Gate {
        let spanned = Spanned { value: text.to_owned(), at: at.clone() };
        match condition::parse(text) {
            Ok(condition) => Gate { text: spanned, condition: Some(condition) },
            Err(error) => {
                let place = self.place_in(text, at, error.span);
                self.diagnostics.push(Diagnostic::error(code, place, error.message).help_if(error.help));
                Gate { text: spanned, condition: None }
            }
        }
    }

    /// Returns where a part of a text stands, given where the text stands. A text that is folded or escaped in the
    /// file is shown whole.
    pub(super) fn place_in(&self, text: &str, at: &Place, part: std::ops::Range<usize>) -> Place {
        let written = self.file.text.get(at.start as usize..at.end as usize).unwrap_or("");
        match offset_in(written, text.trim_end()) {
            Some(offset) if !text.trim().is_empty() => {
                let start = at.start as usize + offset;
                self.file.place(start + part.start..start + part.end.max(part.start))
            }
            Some(_) | None => at.clone(),
        }
    }

    /// Reports the keys that a mapping may not have, each with `message`.
    pub(super) fn check_keys(&mut self, pairs: &[Pair], known: &[&str], code: &'static str, owner: &str) {
        for pair in pairs.iter().filter(|pair| !known.contains(&pair.key.as_str())) {
            let message = format!("{owner} has no key `{}`", pair.key);
            let help = nearest(&pair.key, known.iter().copied()).map(|known| format!("did you mean `{known}`?"));
            self.diagnostics.push(Diagnostic::error(code, pair.key_at.clone(), message).help_if(help));
        }
    }
}

/// Returns whether conditions can name it (M6).
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
