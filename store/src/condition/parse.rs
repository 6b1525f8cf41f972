//! Reads a condition by the grammar of section 3.2 (M77) and says of everything else what it is.

use std::ops::Range;

use super::lex::{Token, TokenKind, tokens, word_length};
use super::{Condition, ConditionError, Expression, ExpressionKind, Operator, Reference};
use crate::name::Name;
use crate::value::Value;

/// Parentheses and `not` nest at most this deep; a condition that people wrote nests two or three deep.
const DEPTH_LIMIT: usize = 100;

/// Reads a condition.
///
/// # Errors
///
/// Fails at the first thing that the closed list (M71) doesn't hold.
pub fn parse(text: &str) -> Result<Condition, ConditionError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err(ConditionError::new(0..text.len(), "the condition is empty"));
    }
    let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0 };
    let root = parser.or()?;
    match parser.peek() {
        None => Ok(Condition { text: text.to_owned(), root }),
        Some(token) => Err(parser.unexpected(token)),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    depth: usize,
}

type Parsed = Result<Expression, ConditionError>;

impl<'a> Parser<'a> {
    fn or(&mut self) -> Parsed {
        let (span, operands) = self.joined("or", Parser::and)?;
        Ok(join(span, operands, ExpressionKind::Or))
    }

    fn and(&mut self) -> Parsed {
        let (span, operands) = self.joined("and", Parser::not)?;
        Ok(join(span, operands, ExpressionKind::And))
    }

    fn joined(
        &mut self,
        word: &str,
        operand: fn(&mut Parser<'a>) -> Parsed,
    ) -> Result<(Range<usize>, Vec<Expression>), ConditionError> {
        let mut operands = vec![operand(self)?];
        while self.take(word).is_some() {
            operands.push(operand(self)?);
        }
        let span = operands[0].span.start..operands[operands.len() - 1].span.end;
        Ok((span, operands))
    }

    fn not(&mut self) -> Parsed {
        let Some(word) = self.take("not") else { return self.comparison() };
        self.enter(&word)?;
        let negated = self.not()?;
        self.depth -= 1;
        Ok(Expression { span: word.span.start..negated.span.end, kind: ExpressionKind::Not(Box::new(negated)) })
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.operand()?;
        let mut operands = vec![first];
        let mut operators = Vec::new();
        while let Some(operator) = self.peek().and_then(|token| operator(self.written(token))) {
            self.next += 1;
            operators.push(operator);
            operands.push(self.operand()?);
        }
        if operators.is_empty() {
            return Ok(operands.swap_remove(0));
        }
        let span = operands[0].span.start..operands[operands.len() - 1].span.end;
        Ok(Expression { span, kind: ExpressionKind::Comparison { operands, operators } })
    }

    fn operand(&mut self) -> Parsed {
        let Some(token) = self.advance() else {
            let end = self.text.trim_end().len();
            return Err(ConditionError::new(end..end, "something is missing at the end of the condition"));
        };
        match &token.kind {
            TokenKind::Literal(value) => Ok(literal(token.span.clone(), value.clone())),
            TokenKind::Word => self.named(token),
            TokenKind::Sign => match self.written(token) {
                "(" => self.group(token),
                "-" => self.negative(token),
                _ => Err(self.unexpected(token)),
            },
        }
    }

    fn group(&mut self, open: &Token) -> Parsed {
        self.enter(open)?;
        let inside = self.or()?;
        self.depth -= 1;
        match self.advance() {
            Some(close) if self.written(close) == ")" => {
                Ok(Expression { span: open.span.start..close.span.end, kind: inside.kind })
            }
            Some(other) => Err(self.unexpected(other)),
            None => Err(ConditionError::new(open.span.clone(), "a parenthesis isn't closed").help("add `)`")),
        }
    }

    fn negative(&mut self, sign: &Token) -> Parsed {
        let number = self.peek().and_then(|token| match &token.kind {
            TokenKind::Literal(Value::Int(number)) => Some((token.span.end, Value::Int(-number))),
            TokenKind::Literal(Value::Float(number)) => Some((token.span.end, Value::Float(-number))),
            TokenKind::Literal(_) | TokenKind::Word | TokenKind::Sign => None,
        });
        let Some((end, value)) = number else { return Err(self.unexpected(sign)) };
        self.next += 1;
        Ok(literal(sign.span.start..end, value))
    }

    fn named(&mut self, word: &Token) -> Parsed {
        match self.written(word) {
            "True" => Ok(literal(word.span.clone(), Value::Bool(true))),
            "False" => Ok(literal(word.span.clone(), Value::Bool(false))),
            "None" => Ok(literal(word.span.clone(), Value::Null)),
            "session" => self.reference(word),
            _ => Err(self.unexpected(word)),
        }
    }

    /// Reads `session.<namespace>.<entry>`: three segments, no more and no fewer (M28).
    fn reference(&mut self, session: &Token) -> Parsed {
        let mut segments = Vec::new();
        let mut end = session.span.end;
        while let Some(dot) = self.peek().filter(|token| self.written(token) == ".") {
            end = dot.span.end;
            self.next += 1;
            let Some(word) = self.peek().filter(|token| token.kind == TokenKind::Word) else { break };
            segments.push(self.written(word));
            end = word.span.end;
            self.next += 1;
        }
        let span = session.span.start..end;
        let [namespace, entry] = segments[..] else {
            let written = &self.text[span.clone()];
            return Err(ConditionError::new(span, format!("`{written}` has not three segments"))
                .help("write session.<skill>.<entry> or session.project.<entry>"));
        };
        let key = Name::from(format!("{namespace}.{entry}"));
        let reference = Reference { namespace: Name::from(namespace), entry: Name::from(entry), key };
        Ok(Expression { span, kind: ExpressionKind::Reference(reference) })
    }

    fn enter(&mut self, token: &Token) -> Result<(), ConditionError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            let message = format!("the condition nests deeper than {DEPTH_LIMIT} levels");
            return Err(ConditionError::new(token.span.clone(), message));
        }
        Ok(())
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    fn advance(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }

    fn take(&mut self, word: &str) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Word && self.written(token) == word)?;
        self.next += 1;
        Some(token.clone())
    }

    fn written(&self, token: &Token) -> &'a str {
        &self.text[token.span.clone()]
    }

    /// Says of a word that the grammar has no place for what it is, and what to write instead (M70, M75, M76).
    fn unexpected(&self, token: &Token) -> ConditionError {
        let written = self.written(token);
        let at = token.span.clone();
        let (message, help) = match (&token.kind, written) {
            (TokenKind::Literal(_), _) => (format!("no operator stands before `{written}`"), None),
            (_, "=" | "===") => (format!("`{written}` is no operator of conditions"), Some("write `==`")),
            (_, "<>" | "!==") => (format!("`{written}` is no operator of conditions"), Some("write `!=`")),
            (_, "&&" | "&" | "AND" | "And") => {
                (format!("`{written}` is no operator of conditions"), Some("write `and`"))
            }
            (_, "||" | "|" | "OR" | "Or") => (format!("`{written}` is no operator of conditions"), Some("write `or`")),
            (_, "!" | "NOT" | "Not") => (format!("`{written}` is no operator of conditions"), Some("write `not`")),
            (_, "not") => ("`not` can't stand here".to_owned(), Some("put parentheses around what it negates")),
            (_, "is") => ("`is` is no operator of conditions".to_owned(), Some("write `== None` or `!= None`")),
            (_, "in") => {
                ("`in` is no operator of conditions".to_owned(), Some("write one `==` for each value, joined by `or`"))
            }
            (_, "if" | "else") => ("conditions have no `if` and `else`".to_owned(), None),
            (_, "lambda") => ("conditions have no functions".to_owned(), None),
            (_, "true") => (unknown_name(written), Some("write `True`")),
            (_, "false") => (unknown_name(written), Some("write `False`")),
            (_, "null" | "none" | "nil") => (unknown_name(written), Some("write `None`")),
            (_, "and" | "or") => (format!("something is missing beside `{written}`"), None),
            (TokenKind::Word, _) if self.follows_operand(token) => {
                (format!("no operator stands before `{written}`"), None)
            }
            (TokenKind::Word, _) => (unknown_name(self.path(token)), Some("write session.<skill>.<entry>")),
            (_, "+" | "-" | "*" | "/" | "%" | "**" | "//") => ("conditions can't calculate".to_owned(), None),
            (_, "[" | "]") => ("conditions have no lists and no indexes".to_owned(), None),
            (_, "{" | "}") => ("conditions have no objects and no placeholders".to_owned(), None),
            (_, "@") => ("`@memory` belongs in prose".to_owned(), Some("write session.<skill>.<entry>")),
            (_, "(") => ("conditions have no calls".to_owned(), None),
            (_, ")") => ("this parenthesis closes nothing, or nothing stands in it".to_owned(), None),
            (_, "==" | "!=" | "<" | "<=" | ">" | ">=") => (format!("something is missing before `{written}`"), None),
            (TokenKind::Sign, _) => (format!("`{written}` has no place in a condition"), None),
        };
        let error = ConditionError::new(at, message);
        match help {
            Some(help) => error.help(help),
            None => error,
        }
    }

    fn follows_operand(&self, token: &Token) -> bool {
        let index = self.tokens.iter().position(|other| other.span == token.span).unwrap_or(0);
        let Some(before) = index.checked_sub(1).and_then(|index| self.tokens.get(index)) else { return false };
        match before.kind {
            TokenKind::Literal(_) => true,
            TokenKind::Word => !matches!(self.written(before), "and" | "or" | "not"),
            TokenKind::Sign => self.written(before) == ")",
        }
    }

    /// Returns the whole dotted path that starts at a word, as it is written.
    fn path(&self, token: &Token) -> &'a str {
        let mut end = token.span.end;
        while self.text[end..].starts_with('.') && word_length(&self.text[end + 1..]) > 0 {
            end += 1 + word_length(&self.text[end + 1..]);
        }
        &self.text[token.span.start..end]
    }
}

fn unknown_name(name: &str) -> String {
    format!("Unknown name '{name}' in condition expression")
}

fn literal(span: Range<usize>, value: Value) -> Expression {
    Expression { span, kind: ExpressionKind::Literal(value) }
}

fn join(span: Range<usize>, mut operands: Vec<Expression>, kind: fn(Vec<Expression>) -> ExpressionKind) -> Expression {
    match operands.len() {
        1 => operands.swap_remove(0),
        _ => Expression { span, kind: kind(operands) },
    }
}

fn operator(sign: &str) -> Option<Operator> {
    Operator::ALL.into_iter().find(|operator| operator.sign() == sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_refusal(text: &str, expected_part: &str, expected_message: &str) {
        let error = parse(text).expect_err(text);
        assert_eq!((&text[error.span.clone()], error.message.as_str()), (expected_part, expected_message), "{text}");
    }

    #[test]
    fn what_the_list_does_not_hold_is_named() {
        check_refusal("session.a.b = 1", "=", "`=` is no operator of conditions");
        check_refusal("session.a.b && session.a.c", "&&", "`&&` is no operator of conditions");
        check_refusal("session.a.b is None", "is", "`is` is no operator of conditions");
        check_refusal("day == 'x'", "day", "Unknown name 'day' in condition expression");
        check_refusal("a.b.c == 1", "a", "Unknown name 'a.b.c' in condition expression");
        check_refusal("session.a", "session.a", "`session.a` has not three segments");
        check_refusal("session.a.b.c", "session.a.b.c", "`session.a.b.c` has not three segments");
        check_refusal("session.a.b == 'x", "'x", "a string isn't closed");
        check_refusal("(session.a.b", "(", "a parenthesis isn't closed");
        check_refusal("(session.a.b 5", "5", "no operator stands before `5`");
        check_refusal("5 day", "day", "no operator stands before `day`");
        check_refusal("session.a.b day", "day", "no operator stands before `day`");
        check_refusal("(session.a.b) day", "day", "no operator stands before `day`");
        check_refusal("not day", "day", "Unknown name 'day' in condition expression");
        check_refusal("session.a.b == day", "day", "Unknown name 'day' in condition expression");
        check_refusal("day.of.week == 1", "day", "Unknown name 'day.of.week' in condition expression");
        check_refusal("day. == 1", "day", "Unknown name 'day' in condition expression");
        check_refusal("session.a.b == 007", "007", "`007` is no number");
        check_refusal("session.a.b\nand session.a.c", "\n", "a condition is one line");
    }

    #[test]
    fn lines_may_break_inside_parentheses() {
        assert!(parse("(session.a.b\n  or session.a.c)\n").is_ok());
    }

    #[test]
    fn strings_take_pythons_escapes() {
        let text = r#""\x41\u00e9\101\n\q" == session.a.b"#;
        let ExpressionKind::Comparison { operands, .. } = parse(text).expect("it parses").root.kind else {
            panic!("it is a comparison");
        };
        assert_eq!(operands[0].kind, ExpressionKind::Literal(Value::Text("A\u{e9}A\n\\q".to_owned())));
    }

    #[test]
    fn a_sign_belongs_to_the_number_behind_it() {
        for (text, number) in [("- 3 < 1", Value::Int(-3)), ("-2.5 < 1", Value::Float(-2.5))] {
            let ExpressionKind::Comparison { operands, .. } = parse(text).expect("it parses").root.kind else {
                panic!("it is a comparison");
            };
            assert_eq!(
                (&text[operands[0].span.clone()], &operands[0].kind),
                (&text[..text.len() - 4], &ExpressionKind::Literal(number))
            );
        }
        check_refusal("-'x' == session.a.b", "-", "conditions can't calculate");
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{}True{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(parse(&deep).is_err());
        assert!(parse(&"not ".repeat(100_000)).is_err());
        for (open, close) in [("not ", ""), ("(", ")")] {
            let nested = |depth: usize| format!("{}True{}", open.repeat(depth), close.repeat(depth));
            assert!(parse(&nested(DEPTH_LIMIT)).is_ok(), "{open}");
            assert!(parse(&nested(DEPTH_LIMIT + 1)).is_err(), "{open}");
        }
    }

    #[test]
    fn what_stands_side_by_side_does_not_nest() {
        for part in ["not True", "(True)"] {
            assert!(parse(&vec![part; DEPTH_LIMIT + 1].join(" and ")).is_ok(), "{part}");
        }
    }
}
