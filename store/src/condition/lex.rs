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
    // An underscore stands between two digits.
    let digit = |c: char| c.is_ascii_digit();
    let misplaced = |(index, _)| !(text[..index].ends_with(digit) && text[index + 1..end].starts_with(digit));
    let malformed = tail > 0 || text[..end].match_indices('_').any(misplaced);
    let leads_with_zero = !is_float && plain.starts_with('0') && plain.contains(|c| c != '0');
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the tokens of a text with their spans, or the error with its own.
    fn written(text: &str) -> String {
        let token = |token: Token| match token.kind {
            TokenKind::Word => format!("word {:?}", &text[token.span]),
            TokenKind::Sign => format!("sign {:?}", &text[token.span]),
            TokenKind::Literal(value) => format!("{value:?} {:?}", &text[token.span]),
        };
        match tokens(text) {
            Ok(found) => found.into_iter().map(token).collect::<Vec<_>>().join(", "),
            Err(error) => format!("{:?}: {}", error.span, error.message),
        }
    }

    #[test]
    fn texts_are_split_as_python_splits_them() {
        let cases = [
            ("0", "Int(0) \"0\""),
            ("00", "Int(0) \"00\""),
            ("0_0", "Int(0) \"0_0\""),
            ("10 b", "Int(10) \"10\", word \"b\""),
            ("1_000", "Int(1000) \"1_000\""),
            ("1.5", "Float(1.5) \"1.5\""),
            ("1.", "Float(1.0) \"1.\""),
            ("01.5", "Float(1.5) \"01.5\""),
            (".5", "Float(0.5) \".5\""),
            ("a .5", "word \"a\", Float(0.5) \".5\""),
            (").5", "sign \")\", Float(0.5) \".5\""),
            ("a.5", "word \"a\", sign \".\", Int(5) \"5\""),
            (".a", "sign \".\", word \"a\""),
            ("1e3<b", "Float(1000.0) \"1e3\", sign \"<\", word \"b\""),
            ("1E+12", "Float(1000000000000.0) \"1E+12\""),
            ("15e-1", "Float(1.5) \"15e-1\""),
            ("2.5e1", "Float(25.0) \"2.5e1\""),
            ("a_1b=='x'", "word \"a_1b\", sign \"==\", Text(\"x\") \"'x'\""),
            ("a<=b", "word \"a\", sign \"<=\", word \"b\""),
            ("'\\101\\0' b", "Text(\"A\\0\") \"'\\\\101\\\\0'\", word \"b\""),
            ("'\\t\\r\\a\\b\\f\\v'", r#"Text("\t\r\u{7}\u{8}\u{c}\u{b}") "'\\t\\r\\a\\b\\f\\v'""#),
            ("'\\x41b'", "Text(\"Ab\") \"'\\\\x41b'\""),
            ("'\\18'", "Text(\"\\u{1}8\") \"'\\\\18'\""),
            ("\na", "word \"a\""),
            ("a\n", "word \"a\""),
            ("(a\nb)", "sign \"(\", word \"a\", word \"b\", sign \")\""),
            ("((a)\nb)", "sign \"(\", sign \"(\", word \"a\", sign \")\", word \"b\", sign \")\""),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused_where_it_stands() {
        let cases = [
            ("b 01", "2..4: `01` is no number"),
            ("b 0_1", "2..5: `0_1` is no number"),
            ("b 1__0", "2..6: `1__0` is no number"),
            ("b 1_", "2..4: `1_` is no number"),
            ("b 1_.5", "2..6: `1_.5` is no number"),
            ("b 1._5", "2..6: `1._5` is no number"),
            ("b 1e_5", "2..6: `1e_5` is no number"),
            ("b 1_e5", "2..6: `1_e5` is no number"),
            ("b 1e", "2..4: `1e` is no number"),
            ("b 1e+", "2..4: `1e` is no number"),
            ("b 12abc", "2..7: `12abc` is no number"),
            ("b 5.x", "2..5: `5.x` is no number"),
            ("(a)\nb", "3..4: a condition is one line"),
            ("a\nb", "1..2: a condition is one line"),
            ("b 'x", "2..4: a string isn't closed"),
            ("b 'x\n'", "2..6: a string isn't closed"),
            ("b '\\", "2..4: a string isn't closed"),
            ("b '\\xZ1'", "3..5: `\\x` isn't followed by the 2 digits of a character"),
            ("b '\\u12'", "3..5: `\\u` isn't followed by the 4 digits of a character"),
            ("b '\\U00110000'", "3..5: `\\U` isn't followed by the 8 digits of a character"),
            ("b '\\N{DASH}'", "3..5: a character can't be named here"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text:?}");
        }
    }
}
