//! What two sessions never have in common, and nobody asks about: ids that were drawn by lot, and times.

use std::borrow::Cow;

use serde::Serialize;

/// A kind of noise that a comparison can leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// UUIDs, and hexadecimal numbers of 16 digits and more.
    Ids,
    /// Dates of the form `2026-03-01`, with or without a time behind it, and times of the form `09:41` or `09:41:07`.
    Times,
}

impl Noise {
    /// Every kind.
    pub const ALL: [Noise; 2] = [Noise::Ids, Noise::Times];

    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Noise::Ids => "ids",
            Noise::Times => "times",
        }
    }

    /// Returns the kind of that name.
    pub fn parse(word: &str) -> Option<Noise> {
        Noise::ALL.into_iter().find(|noise| noise.word() == word)
    }
}

/// Returns the text with the same sign in the place of all noise of the given kinds.
pub fn without<'a>(text: &'a str, noise: &[Noise]) -> Cow<'a, str> {
    let mut left: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let begins_word = at == 0 || !is_word(bytes[at - 1]);
        let found = (begins_word && bytes[at].is_ascii_hexdigit()).then(|| found(&bytes[at..], noise)).flatten();
        match found {
            Some((length, sign)) => {
                let text = left.get_or_insert_default();
                text.push_str(&self::text(bytes, kept, at));
                text.push_str(sign);
                at += length;
                kept = at;
            }
            None => at += 1,
        }
    }
    match left {
        Some(mut left) => {
            left.push_str(&self::text(bytes, kept, bytes.len()));
            Cow::Owned(left)
        }
        None => Cow::Borrowed(text),
    }
}

/// Noise is ASCII, so that a text is cut at characters only.
fn text(bytes: &[u8], begin: usize, end: usize) -> Cow<'_, str> {
    String::from_utf8_lossy(&bytes[begin..end])
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns the length of the noise that the text begins with, and the sign for it.
fn found(bytes: &[u8], noise: &[Noise]) -> Option<(usize, &'static str)> {
    let wanted = |one| noise.contains(&one);
    let id = || uuid(bytes).or_else(|| number(bytes)).map(|length| (length, "<id>"));
    let moment = || date(bytes).or_else(|| clock(bytes)).map(|length| (length, "<time>"));
    wanted(Noise::Ids).then(id).flatten().or_else(|| wanted(Noise::Times).then(moment).flatten())
}

/// The groups of hexadecimal digits of a UUID.
const UUID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

fn uuid(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for (index, count) in UUID_GROUPS.into_iter().enumerate() {
        if index > 0 {
            at += (bytes.get(at) == Some(&b'-')).then_some(1)?;
        }
        at += digits(&bytes[at..], count, u8::is_ascii_hexdigit)?;
    }
    ends(bytes, at)
}

fn number(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let has_digit = bytes[..length].iter().any(u8::is_ascii_digit);
    (16 <= length && has_digit).then(|| ends(bytes, length)).flatten()
}

fn date(bytes: &[u8]) -> Option<usize> {
    let mut at = digits(bytes, 4, u8::is_ascii_digit)?;
    for _ in 0..2 {
        at += (bytes.get(at) == Some(&b'-')).then_some(1)?;
        at += digits(&bytes[at..], 2, u8::is_ascii_digit)?;
    }
    let time = matches!(bytes.get(at), Some(b'T' | b't' | b' ')).then(|| clock(&bytes[at + 1..])).flatten();
    time.map(|length| at + 1 + length).or_else(|| ends(bytes, at))
}

/// A time of day, with seconds, their fractions and an offset where they are there.
fn clock(bytes: &[u8]) -> Option<usize> {
    let pair = |at: usize| {
        let begins = bytes.get(at) == Some(&b':');
        begins.then(|| digits(bytes.get(at + 1..)?, 2, u8::is_ascii_digit)).flatten().map(|length| at + 1 + length)
    };
    let mut at = pair(digits(bytes, 2, u8::is_ascii_digit)?)?;
    if let Some(end) = pair(at) {
        at = end;
        if bytes.get(at) == Some(&b'.') {
            at += 1 + bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
    }
    match bytes.get(at) {
        Some(b'Z' | b'z') => at += 1,
        Some(b'+' | b'-') => {
            let hours = digits(&bytes[at + 1..], 2, u8::is_ascii_digit).map(|length| at + 1 + length);
            at = hours.and_then(|end| pair(end).or(Some(end))).unwrap_or(at);
        }
        Some(_) | None => {}
    }
    ends(bytes, at)
}

/// Returns `count` where the text begins with exactly so many digits.
fn digits(bytes: &[u8], count: usize, is_digit: impl Fn(&u8) -> bool) -> Option<usize> {
    let found = bytes.iter().take_while(|byte| is_digit(byte)).count();
    (found == count).then_some(count)
}

/// Returns `at` where a word ends there.
fn ends(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at).is_none_or(|byte| !is_word(*byte)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without(text, &Noise::ALL), expected);
    }

    #[test]
    fn ids_and_times_are_left_out() {
        check("id 6f9619ff-8b86-d011-b42d-00cf4fc964ff.", "id <id>.");
        check("{\"ref\":\"00ab34cd56ef7890\"}", "{\"ref\":\"<id>\"}");
        check("due 2026-03-01, at 09:41", "due <time>, at <time>");
        check("2026-03-01T09:41:07.250+02:00 and 2026-03-01 09:41", "<time> and <time>");
        check("09:41:07Z", "<time>");
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for text in
            ["C-1187", "12345", "2026-3-1", "deadbeefdeadbeef", "ratio 16:9", "a2026-03-01", "1:23:456", "é09:41"]
        {
            check(text, text);
        }
        check("6f9619ff-8b86-d011-b42d", "6f9619ff-8b86-d011-b42d");
    }

    #[test]
    fn each_kind_can_be_kept() {
        let text = "6f9619ff-8b86-d011-b42d-00cf4fc964ff at 09:41";
        assert_eq!(without(text, &[Noise::Times]), "6f9619ff-8b86-d011-b42d-00cf4fc964ff at <time>");
        assert_eq!(without(text, &[]), text);
    }
}
