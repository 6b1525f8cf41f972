//! Finding where JSON values begin and end without reading them, in bytes that may be cut or damaged.

use memchr::{memchr2, memmem};

/// Returns the index of the first byte from `at` on that is no blank.
pub(super) fn skip_blank(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len())
}

/// Returns the index behind the text that begins with the quote at `at`; `None` where it doesn't end.
pub(super) fn text_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Returns the index behind the value that begins at `at`; `None` where it doesn't end.
pub(super) fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = at;
    loop {
        match bytes.get(at)? {
            b'"' => at = text_end(bytes, at)?,
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => (depth, at) = (depth - 1, at + 1),
            b',' if depth == 0 => return Some(at),
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b',' | b':' => at += 1,
            _ => at = word_end(bytes, at)?,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns the index behind a number, `true` or the like, which ends only where something else begins.
fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let is_over = |byte: &u8| byte.is_ascii_whitespace() || b",:{}[]\"".contains(byte);
    bytes.get(at..)?.iter().position(is_over).map(|length| at + length)
}

/// Returns the bytes from the brace at `at` to the end of its first key: what the beginning of a record looks like.
pub(super) fn beginning(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let quote = skip_blank(bytes, at + 1);
    let end = if bytes.get(quote) == Some(&b'"') { text_end(bytes, quote)? } else { return None };
    Some(&bytes[at..end])
}

/// Returns where `beginning` stands next, from `at` on.
pub(super) fn find(bytes: &[u8], at: usize, beginning: &[u8]) -> Option<usize> {
    memmem::find(bytes.get(at..)?, beginning).map(|distance| at + distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_last_part_does() {
        let cases = [
            (r#"{"a":"}\"]"} ,"#, Some(12)),
            (r#"[1,{"b":[]}] "#, Some(12)),
            ("12,", Some(2)),
            ("true]", Some(4)),
            (r#""x\\","#, Some(5)),
            (r#"{"a":1"#, None),
            (r#"{"a":"x"#, None),
            (r#""x\"#, None),
            ("12", None),
        ];
        for (json, expected) in cases {
            assert_eq!(value_end(json.as_bytes(), 0), expected, "{json}");
        }
    }
}
