//! Splits a query into words.

use std::ops::Range;

use super::QueryError;
use crate::condition::{ConditionError, ExpressionKind, Operator};
use crate::value::Value;

/// A word of a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) span: Range<usize>,
    pub(super) kind: TokenKind,
}

/// What a word is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A name, `and`, `or`, `not`, `True`, …
    Word,
    /// `word:a|b`: the length of the word, and what stands behind it.
    Filter { word: usize, values: Vec<Given> },
    /// A string or a number.
    Literal(Value),
    /// A comparison operator.
    Operator(Operator),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
}

/// What stands behind a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    pub(super) span: Range<usize>,
    pub(super) text: String,
}

/// Splits a query into words.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (length, kind) = match first {
            '(' => (1, TokenKind::Open),
            ')' => (1, TokenKind::Close),
            ',' => (1, TokenKind::Comma),
            '\'' | '"' => string(rest, at)?,
            '0'..='9' | '-' => number(rest, at)?,
            _ if is_word(first) => word(rest, at)?,
            _ => operator(rest, at)?,
        };
        tokens.push(Token { span: at..at + length, kind });
        at += length;
    }
    Ok(tokens)
}

fn is_word(first: char) -> bool {
    first.is_alphanumeric() || matches!(first, '_' | '*')
}

/// Returns how many bytes of a text are a name: letters, digits, `_`, `.`, `*`, and `-` inside.
pub(super) fn word_length(text: &str) -> usize {
    let end = text.find(|c: char| !is_word(c) && !matches!(c, '.' | '-')).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-']).len()
}

fn word(text: &str, at: usize) -> Result<(usize, TokenKind), QueryError> {
    let word = word_length(text);
    if !text[word..].starts_with(':') {
        return Ok((word.max(1), TokenKind::Word));
    }
    let mut length = word + 1;
    let mut values = Vec::new();
    loop {
        let (value, end) = given(text, length, at)?;
        values.push(value);
        length = end;
        if !text[length..].starts_with('|') {
            return Ok((length, TokenKind::Filter { word, values }));
        }
        length += 1;
    }
}

/// Reads what stands behind `:` or `|`: a string, or everything up to a blank, a bracket or the next `|`.
fn given(text: &str, from: usize, at: usize) -> Result<(Given, usize), QueryError> {
    let rest = &text[from..];
    if rest.starts_with(['\'', '"']) {
        let (length, kind) = string(rest, at + from)?;
        let text = match kind {
            TokenKind::Literal(Value::Text(text)) => text,
            _ => String::new(),
        };
        return Ok((Given { span: at + from..at + from + length, text }, from + length));
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | '\'' | '"' | ',');
    let length = rest.find(is_end).unwrap_or(rest.len());
    if length == 0 {
        let written = &text[..from];
        return Err(QueryError::new(at..at + from, format!("nothing stands behind `{written}`"))
            .help("put a name there, without a blank between, or a text in quotes"));
    }
    Ok((Given { span: at + from..at + from + length, text: rest[..length].to_owned() }, from + length))
}

/// Reads a string as conditions do (M77).
fn string(text: &str, at: usize) -> Result<(usize, TokenKind), QueryError> {
    let quote = text.as_bytes()[0];
    let mut end = 1;
    let bytes = text.as_bytes();
    while end < bytes.len() && bytes[end] != quote {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    let end = (end + 1).min(bytes.len());
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    Ok((end, TokenKind::Literal(literal(&text[..end], at)?)))
}

fn number(text: &str, at: usize) -> Result<(usize, TokenKind), QueryError> {
    let sign = usize::from(text.starts_with('-'));
    let mut end = sign;
    for (index, c) in text.char_indices().skip(sign) {
        let follows_exponent = matches!(c, '+' | '-') && text[..index].ends_with(['e', 'E']);
        if !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || follows_exponent) {
            break;
        }
        end = index + c.len_utf8();
    }
    if end == sign {
        return Err(QueryError::new(at..at + 1, "`-` is no number"));
    }
    Ok((end, TokenKind::Literal(literal(&text[..end], at)?)))
}

fn literal(text: &str, at: usize) -> Result<Value, QueryError> {
    let moved = |error: ConditionError| QueryError {
        span: at + error.span.start..at + error.span.end,
        message: error.message,
        help: error.help,
    };
    match crate::condition::parse(text).map_err(moved)?.root.kind {
        ExpressionKind::Literal(value) => Ok(value),
        ExpressionKind::Reference(_)
        | ExpressionKind::Not(_)
        | ExpressionKind::And(_)
        | ExpressionKind::Or(_)
        | ExpressionKind::Comparison { .. } => {
            Err(QueryError::new(at..at + text.len(), format!("`{text}` is neither a text nor a number")))
        }
    }
}

fn operator(text: &str, at: usize) -> Result<(usize, TokenKind), QueryError> {
    let known = Operator::ALL.into_iter().filter(|operator| text.starts_with(operator.sign()));
    let longest = known.max_by_key(|operator| operator.sign().len());
    if let Some(operator) = longest {
        return Ok((operator.sign().len(), TokenKind::Operator(operator)));
    }
    let wrong = [
        ("===", "=="),
        ("=~", "text:"),
        ("=", "=="),
        ("<>", "!="),
        ("&&", "and"),
        ("&", "and"),
        ("||", "or"),
        ("|", "or"),
        ("!", "not"),
        (":", "key:NAME"),
    ];
    let found = wrong.into_iter().find(|(sign, _)| text.starts_with(sign));
    let length = found.map_or(text.chars().next().map_or(0, char::len_utf8), |(sign, _)| sign.len());
    let error = QueryError::new(at..at + length, format!("`{}` has no place in a query", &text[..length]));
    Err(match found {
        Some((_, instead)) => error.help(format!("write `{instead}`")),
        None => error,
    })
}
