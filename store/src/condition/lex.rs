//! Words of a condition.

use std::ops::Range;

use super::ConditionError;
use crate::value::Value;

/// A word and the bytes it covers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) span: Range<usize>,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    Literal(Value),
    /// An operator of the grammar, or a sign that some other language has: the parser tells which.
    Sign,
}

/// Signs of more than one character, longest first. Those that the grammar lacks are read whole, so that the message
/// names them whole.
const LONG_SIGNS: [&str; 12] = ["===", "!==", "==", "!=", "<=", ">=", "<>", "&&", "||", "**", "//", ":="];

/// Splits a condition into words. A line break counts as a blank inside parentheses only (M67).
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ConditionError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    let end = text.trim_end().len();
    while at < end {
        let rest = &text[at..end];
        let first = rest.chars().next().expect("the rest isn't empty");
        if matches!(first, '\n' | '\r') && depth == 0 && !tokens.is_empty() {
            return Err(ConditionError::new(at..at + 1, "a condition is one line")
                .help("fold it with `>` or put it in parentheses"));
        }
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (length, kind) = match first {
            'a'..='z' | 'A'..='Z' | '_' => (word_length(rest), TokenKind::Word),
            '0'..='9' => number(rest, at)?,
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) && !follows_word(&tokens, at) => {
                number(rest, at)?
            }
            '\'' | '"' => string(rest, first, at)?,
            _ => {
                let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
                (long.unwrap_or(first.len_utf8()), TokenKind::Sign)
            }
        };
        match first {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        tokens.push(Token { span: at..at + length, kind });
        at += length;
    }
    Ok(tokens)
}

fn follows_word(tokens: &[Token], at: usize) -> bool {
    tokens.last().is_some_and(|token| token.kind == TokenKind::Word && token.span.end == at)
}

pub(super) fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn number(text: &str, at: usize) -> Result<(usize, TokenKind), ConditionError> {
    let digits =
        |from: usize| text[from..].find(|c: char| !c.is_ascii_digit() && c != '_').map_or(text.len(), |n| from + n);
    let mut end = digits(0);
    let mut is_float = false;
    if text[end..].starts_with('.') {
        is_float = true;
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent_end = digits(end + 1 + sign);
        if exponent_end > end + 1 + sign {
            is_float = true;
            end = exponent_end;
        }
    }
    let tail = word_length(&text[end..]);
    let written = &text[..end + tail];
    let plain = text[..end].replace('_', "");
    let malformed = tail > 0 || text[..end].contains("__") || text[..end].ends_with('_') || text.starts_with("._");
    let leads_with_zero = !is_float && plain.len() > 1 && plain.starts_with('0') && plain.contains(|c| c != '0');
    let value = match is_float {
        true => plain.parse().ok().map(Value::Float),
        false => plain.parse().ok().map(Value::Int),
    };
    match value {
        Some(value) if !malformed && !leads_with_zero => Ok((end, TokenKind::Literal(value))),
        Some(_) | None => Err(ConditionError::new(at..at + written.len(), format!("`{written}` is no number"))),
    }
}

/// Reads a string with Python's escapes (M77).
fn string(text: &str, quote: char, at: usize) -> Result<(usize, TokenKind), ConditionError> {
    let unterminated =
        || ConditionError::new(at..at + text.len(), "a string isn't closed").help(format!("close it with {quote}"));
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        match c {
            c if c == quote => return Ok((index + 1, TokenKind::Literal(Value::Text(value)))),
            '\n' | '\r' => return Err(unterminated()),
            '\\' => {
                let (_, escaped) = chars.next().ok_or_else(unterminated)?;
                let simple = match escaped {
                    '\\' | '\'' | '"' => Some(escaped),
                    'n' => Some('\n'),
                    't' => Some('\t'),
                    'r' => Some('\r'),
                    'a' => Some('\u{7}'),
                    'b' => Some('\u{8}'),
                    'f' => Some('\u{c}'),
                    'v' => Some('\u{b}'),
                    _ => None,
                };
                let after = index + 1 + escaped.len_utf8();
                let (digits, radix) = match escaped {
                    'x' => (2, 16),
                    'u' => (4, 16),
                    'U' => (8, 16),
                    '0'..='7' => (0, 8),
                    _ => (0, 0),
                };
                if let Some(c) = simple {
                    value.push(c);
                } else if radix == 8 {
                    let start = index + 1;
                    let length = text[start..].bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                    value.push(code_point(&text[start..start + length], 8).unwrap_or('\u{fffd}'));
                    skip(&mut chars, length - 1);
                } else if radix == 16 {
                    let code = text.get(after..after + digits).and_then(|digits| code_point(digits, 16));
                    let span = at + index..at + after;
                    let Some(c) = code else {
                        return Err(ConditionError::new(
                            span,
                            format!("`\\{escaped}` isn't followed by the {digits} digits of a character"),
                        ));
                    };
                    value.push(c);
                    skip(&mut chars, digits);
                } else if escaped == 'N' {
                    return Err(ConditionError::new(at + index..at + after, "a character can't be named here")
                        .help("write it as it is"));
                } else {
                    value.push('\\');
                    value.push(escaped);
                }
            }
            c => value.push(c),
        }
    }
    Err(unterminated())
}

fn code_point(digits: &str, radix: u32) -> Option<char> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
}

fn skip(chars: &mut impl Iterator, count: usize) {
    for _ in 0..count {
        chars.next();
    }
}
