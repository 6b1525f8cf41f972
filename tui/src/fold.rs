//! Large texts folded away: behind their kind, their size and their beginning.

use replay_store::value::Value;

/// Bytes from which on a value is told by its size and its beginning where it has one row.
const ROW: usize = 1000;
/// Bytes from which on a text is folded away where it could stand in full.
pub(crate) const FOLDED: usize = 4000;
/// Bytes of a text that are its beginning.
pub(crate) const HEAD: usize = 200;
/// In front of what is folded away, and of what was unfolded.
pub(crate) const CLOSED: &str = "▸";
pub(crate) const OPEN: &str = "▾";

/// How JSON is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// Broken into lines.
    #[default]
    Broken,
    /// As it is.
    Raw,
    /// The bytes of a raw record in hex; all else as it is.
    Hex,
}

impl Form {
    /// Returns the next form.
    pub(crate) fn next(self) -> Form {
        match self {
            Form::Broken => Form::Raw,
            Form::Raw => Form::Hex,
            Form::Hex => Form::Broken,
        }
    }
}

/// Returns a value for one row: its text or JSON where that is short, else kind, size and beginning.
pub(crate) fn short(value: &Value) -> String {
    match value {
        Value::Text(text) => short_text(text),
        other => {
            let (head, size) = other.json_head(ROW);
            if size <= ROW { head } else { label(&kind_of(other), size, &head) }
        }
    }
}

/// Returns whether a value has more than a row.
pub(crate) fn is_large(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.len() > ROW,
        other => other.json_head(0).1 > ROW,
    }
}

/// Returns a text for one row: as it is where it is short, else kind, size and beginning.
pub(crate) fn short_text(text: &str) -> String {
    if text.len() <= ROW { text.to_owned() } else { label(kind(text), text.len(), text) }
}

/// Returns the line behind which a text is folded away. Breaks between its lines are blanks there.
pub(crate) fn label(kind: &str, size: usize, text: &str) -> String {
    format!("{CLOSED} {kind}, {}: {}…", size_words(size), beginning(text, HEAD).replace('\n', " "))
}

/// Returns what a text is.
pub(crate) fn kind(text: &str) -> &'static str {
    match is_json(text) {
        true => "JSON",
        false => "text",
    }
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::List(items) => format!("list of {}", items.len()),
        Value::Map(pairs) => format!("map of {}", pairs.len()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => "value".to_owned(),
    }
}

/// Returns whether a text looks like JSON that has parts.
pub(crate) fn is_json(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'))
}

/// Returns a size as people read it: `512 B`, `48.2 kB`, `1.0 MB`.
pub(crate) fn size_words(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..999_950 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns the whole characters of a text that fit in so many bytes.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Breaks JSON text into lines, with blanks in front. All characters but the blanks between its tokens stay.
pub(crate) fn broken(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let mut rest = json;
    while let Some(stop) = rest.find(['"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\r', '\t']) {
        out.push_str(&rest[..stop]);
        let mut next = stop + 1;
        match rest.as_bytes()[stop] {
            b'"' => {
                next += text_end(&rest[next..]);
                out.push_str(&rest[stop..next]);
            }
            open @ (b'{' | b'[') => {
                depth += 1;
                out.push(char::from(open));
                new_line(&mut out, depth);
            }
            close @ (b'}' | b']') => {
                depth = depth.saturating_sub(1);
                let full = out.trim_end().len();
                match out[..full].ends_with(['{', '[']) {
                    true => out.truncate(full),
                    false => new_line(&mut out, depth),
                }
                out.push(char::from(close));
            }
            b',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            b':' => out.push_str(": "),
            _ => {}
        }
        rest = &rest[next..];
    }
    out.push_str(rest);
    out
}

/// Returns the length of a text of JSON behind its first quote, with its last one.
pub(crate) fn text_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        if byte == b'"' && !is_escaped {
            return index + 1;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    text.len()
}

/// Blanks in front grow with the depth up to here, so that deep nesting doesn't square the size.
const DEPTH_MAX: usize = 20;

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(DEPTH_MAX)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_broken_outside_of_its_texts_only() {
        let lines = "{\n  \"a\": [\n    1,\n    \"x, {y\\\" :\"\n  ],\n  \"b\": {}\n}";
        assert_eq!(broken(r#"{"a":[1,"x, {y\" :"],"b":{ }}"#), lines);
        assert_eq!(broken(r#""a\\" : "é"#), "\"a\\\\\": \"é");
    }

    #[test]
    fn what_is_no_json_is_shown_all_the_same() {
        assert_eq!(broken("}}]oops"), "\n}\n}\n]oops");
    }

    #[test]
    fn what_is_large_is_told_by_kind_size_and_beginning() {
        assert_eq!(short(&Value::Text("x".repeat(ROW))), "x".repeat(ROW));
        let text = short(&Value::Text("é".repeat(1000)));
        assert_eq!(text, format!("▸ text, 2.0 kB: {}…", "é".repeat(100)));
        let list = short(&Value::List(vec![Value::Int(123_456); 1000]));
        assert!(list.starts_with("▸ list of 1000, 7.0 kB: [123456,123456,"), "{list}");
        assert_eq!(short(&Value::List(vec![Value::Int(1); 100])).len(), 201, "what fits is shown, however many it has");
    }

    #[test]
    fn sizes_are_rounded_to_three_or_four_digits() {
        let sizes = [0, 999, 1000, 48_250, 999_949, 999_950, 12_345_678];
        let words = ["0 B", "999 B", "1.0 kB", "48.2 kB", "999.9 kB", "1.0 MB", "12.3 MB"];
        assert_eq!(sizes.map(size_words), words);
    }
}
