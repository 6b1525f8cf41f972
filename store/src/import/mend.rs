//! What Python's JSON writer writes and JSON forbids: `NaN`, `Infinity`, and halves of a character's escape.
//!
//! A record with one of them is real, and all else that it says holds. It is read with the value replaced, and a
//! finding says so; its raw bytes stay as they were. A number beyond what a float can hold is kept as text.

/// Replaces what JSON forbids in the record. Returns the new bytes and one sentence for each kind of replacement;
/// `None` where there was nothing to replace.
pub(super) fn mend(record: &[u8]) -> Option<(Vec<u8>, Vec<&'static str>)> {
    let mut mended = Vec::with_capacity(record.len());
    let mut what = Vec::new();
    let mut note = |sentence| {
        if !what.contains(&sentence) {
            what.push(sentence);
        }
    };
    let mut at = 0;
    while at < record.len() {
        let rest = &record[at..];
        if rest[0] == b'"' {
            let length = text_length(rest);
            if mend_text(&rest[..length], &mut mended) {
                note("half of a character's escape was replaced by \u{fffd}");
            }
            at += length;
        } else if let Some(word) = NOT_NUMBERS.iter().find(|word| rest.starts_with(word)) {
            mended.extend_from_slice(b"null");
            note("`NaN` or `Infinity` is no JSON; it is read as null");
            at += word.len();
        } else if rest[0].is_ascii_digit() || rest[0] == b'-' {
            let length = rest.iter().position(|byte| !b"0123456789+-.eE".contains(byte)).unwrap_or(rest.len());
            let is_too_large = std::str::from_utf8(&rest[..length])
                .is_ok_and(|number| number.parse::<f64>().is_ok_and(f64::is_infinite));
            if is_too_large {
                mended.push(b'"');
                mended.extend_from_slice(&rest[..length]);
                mended.push(b'"');
                note("a number too large for a float is read as text");
            } else {
                mended.extend_from_slice(&rest[..length]);
            }
            at += length;
        } else {
            mended.push(rest[0]);
            at += 1;
        }
    }
    (!what.is_empty()).then_some((mended, what))
}

const NOT_NUMBERS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Returns the length of the text at the beginning, with its quotes; all that there is where it doesn't end.
fn text_length(bytes: &[u8]) -> usize {
    super::scan::text_end(bytes, 0).unwrap_or(bytes.len())
}

/// Copies a text and replaces each `\u` escape of a surrogate that stands alone. Returns whether there was one.
fn mend_text(text: &[u8], mended: &mut Vec<u8>) -> bool {
    let mut is_mended = false;
    let mut at = 0;
    while at < text.len() {
        let (length, is_alone) = match (unit(text, at), unit(text, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            (Some(_), _) => (6, false),
            (None, _) if text[at] == b'\\' => (2, false),
            (None, _) => (1, false),
        };
        if is_alone {
            mended.extend_from_slice(b"\\ufffd");
            is_mended = true;
        } else {
            mended.extend_from_slice(&text[at..(at + length).min(text.len())]);
        }
        at += length;
    }
    is_mended
}

/// Returns the code unit of the `\uXXXX` escape at `at`.
fn unit(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns whether the JSON has an integer of more digits than 64 bits hold, which is read as a float.
pub(super) fn is_rounded(json: &str) -> bool {
    let mut at = 0;
    let bytes = json.as_bytes();
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' {
            at += text_length(&bytes[at..]);
        } else if byte.is_ascii_digit() {
            let number = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_integer = !matches!(bytes.get(at + number), Some(b'.' | b'e' | b'E'));
            if is_integer && number > 18 && json[at..at + number].parse::<u64>().is_err() {
                return true;
            }
            // What follows a point or an exponent belongs to the same number.
            at += bytes[at..].iter().take_while(|byte| b"0123456789+-.eE".contains(byte)).count();
        } else {
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_forbids_is_replaced_outside_and_inside_of_texts() {
        let check = |record: &str, expected: Option<&str>| {
            let mended = mend(record.as_bytes()).map(|(bytes, _)| String::from_utf8(bytes).expect("it is text"));
            assert_eq!(mended.as_deref(), expected, "{record}");
        };
        check(r#"{"a":NaN,"b":[-Infinity,Infinity]}"#, Some(r#"{"a":null,"b":[null,null]}"#));
        check(r#"{"a":"NaN \\\" Infinity"}"#, None);
        check(r#"{"a":"x\ud83d"}"#, Some(r#"{"a":"x\ufffd"}"#));
        check(r#"{"a":"\ud83d\ude00 \\ud83d"}"#, None);
        check(r#"{"a":"\ude00\ud83d\ude00"}"#, Some(r#"{"a":"\ufffd\ud83d\ude00"}"#));
        check(r#"{"a":-1e999,"b":-1.5e-3}"#, Some(r#"{"a":"-1e999","b":-1.5e-3}"#));
        check(r#"{"a":"open \ud8"#, None);
    }

    #[test]
    fn an_integer_is_rounded_where_64_bits_do_not_hold_it() {
        for (json, expected) in [
            ("18446744073709551615", false),
            ("18446744073709551616", true),
            ("[1.2345678901234567890123, 1e30]", false),
            (r#""12345678901234567890123""#, false),
            (r#"{"a":[12345678901234567890123]}"#, true),
        ] {
            assert_eq!(is_rounded(json), expected, "{json}");
        }
    }
}
