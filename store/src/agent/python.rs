//! Python as text: enough to tell code from strings and comments, and no more. Nothing is ever run.

use std::collections::BTreeMap;
use std::ops::Range;

/// A Python file whose strings and comments are told from its code.
pub(super) struct Python {
    /// The source with the insides of strings and all comments blanked, byte for byte as long.
    pub(super) code: String,
    /// The strings, by the byte of their opening quote.
    literals: BTreeMap<usize, Literal>,
}

struct Literal {
    end: usize,
    /// What it says; `None` where that takes more than reading it (an f-string, an escape).
    value: Option<Range<usize>>,
}

impl Python {
    /// Tells strings and comments from code. An unclosed string ends with its line, or with the file if it is a long
    /// one.
    pub(super) fn read(source: &str) -> Python {
        let bytes = source.as_bytes();
        let mut code = bytes.to_vec();
        let mut literals = BTreeMap::new();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'#' => {
                    let end = line_end(bytes, at);
                    blank(&mut code, at..end);
                    at = end;
                }
                b'"' | b'\'' => {
                    let (inside, end, is_plain) = string(bytes, at);
                    blank(&mut code, inside.clone());
                    let is_plain = is_plain && is_plain_prefix(bytes, at);
                    literals.insert(at, Literal { end, value: is_plain.then_some(inside) });
                    at = end;
                }
                _ => at += 1,
            }
        }
        let code = String::from_utf8(code).expect("whole strings and comments are blanked, so no character is cut");
        Python { code, literals }
    }

    /// Returns the bytes of the string that stands at a byte, with its quotes.
    pub(super) fn literal(&self, at: usize) -> Option<Range<usize>> {
        self.literals.get(&at).map(|literal| at..literal.end)
    }

    /// Returns the bytes inside of the plain string that stands at a byte.
    pub(super) fn plain_literal(&self, at: usize) -> Option<Range<usize>> {
        self.literals.get(&at)?.value.clone()
    }

    /// Returns the bytes of each place where code says `word`, which is no part of a longer name.
    pub(super) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let is_name = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let bytes = self.code.as_bytes();
        self.code.match_indices(word).map(|(at, found)| at..at + found.len()).filter(move |at| {
            !is_name(at.start.checked_sub(1).and_then(|at| bytes.get(at))) && !is_name(bytes.get(at.end))
        })
    }

    /// Returns the first byte at or behind `at` that is no blank and no line break.
    pub(super) fn skip_blanks(&self, at: usize) -> usize {
        let rest = self.code.get(at..).unwrap_or("");
        at + rest.len() - rest.trim_start().len()
    }

    /// Returns the byte behind the bracket that closes the one at `open`.
    pub(super) fn close(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (offset, byte) in self.code.as_bytes()[open..].iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(open + offset + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// Reads the string that opens at a byte: its inside, the byte behind it, and whether it has no escapes.
fn string(bytes: &[u8], at: usize) -> (Range<usize>, usize, bool) {
    let quote = bytes[at];
    let is_long = bytes[at..].starts_with(&[quote; 3]);
    let width = if is_long { 3 } else { 1 };
    let start = at + width;
    let mut end = start;
    let mut is_plain = !is_long;
    while end < bytes.len() {
        if bytes[end] == b'\\' {
            is_plain = false;
            end += 2;
        } else if bytes[end..].starts_with(&[quote; 3][..width]) {
            return (start..end, end + width, is_plain);
        } else if bytes[end] == b'\n' && !is_long {
            return (start..end, end, false);
        } else {
            end += 1;
        }
    }
    // An escape may have stepped over the end, or into a character of several bytes.
    (start.min(bytes.len())..bytes.len(), bytes.len(), false)
}

/// Returns whether no letter in front of a quote changes what the string says.
fn is_plain_prefix(bytes: &[u8], at: usize) -> bool {
    let letters = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    letters.take(3).all(|byte| matches!(byte, b'r' | b'R' | b'u' | b'U'))
}

fn blank(code: &mut [u8], range: Range<usize>) {
    for byte in &mut code[range] {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_are_no_code() {
        for (source, code) in [
            ("x = 'a # b' # c", "x = '     '    "),
            ("\"\"\"\nset('a')\n\"\"\"\ny", "\"\"\"\n        \n\"\"\"\ny"),
            ("'it\\'s' + z", "'     ' + z"),
            ("'open\nnext", "'    \nnext"),
            ("'\\", "' "),
            ("'\\é'", "'   '"),
        ] {
            assert_eq!(Python::read(source).code, code, "{source}");
        }
    }

    #[test]
    fn only_plain_strings_say_what_they_say() {
        for (source, quote, plain) in
            [("f('a')", 2, true), ("f(f'a')", 3, false), ("f(r'a')", 3, true), ("f('a\\n')", 2, false)]
        {
            assert_eq!(Python::read(source).plain_literal(quote).is_some(), plain, "{source}");
        }
    }
}
