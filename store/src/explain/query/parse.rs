//! Reads a query, and says of everything else what is wrong with it.

use std::ops::Range;

use super::lex::{Given, Token, TokenKind, tokens};
use super::{Expression, Filter, Needs, Pattern, Query, QueryError, Span, Text};
use crate::condition::{self, Condition, ExpressionKind, Reference};
use crate::diagnostic::nearest;
use crate::event::Tag;
use crate::explain::decisions::Verdict;
use crate::name::{Name, split_key};
use crate::value::Value;

/// Parentheses and `not` nest at most this deep.
const DEPTH_LIMIT: usize = 100;

/// The words in front of a `:`.
const FILTERS: [&str; 10] = ["kind", "key", "skill", "active", "tool", "actor", "turn", "at", "verdict", "text"];
/// The words in front of a `(`.
const CALLS: [&str; 3] = ["changed", "read", "denied"];
/// The words of `actor:`.
const ACTORS: [&str; 9] = ["tool", "model", "step", "button", "hook", "seed", "engine", "user", "unknown"];

/// Reads a query.
///
/// # Errors
///
/// Fails at the first word that has no place where it stands.
pub fn parse(text: &str) -> Result<Query, QueryError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err(QueryError::new(0..text.len(), "the query is empty").help("for example: kind:memory_written"));
    }
    let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0 };
    let root = parser.or()?;
    match parser.peek() {
        None => Ok(Query { needs: needs(&root), root }),
        Some(token) => Err(parser.unexpected(token)),
    }
}

/// Reads a list of fields, parted by commas: each an entry, or a comparison.
///
/// # Errors
///
/// Fails at the first word that has no place where it stands.
pub fn fields(text: &str) -> Result<Vec<Condition>, QueryError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0 };
    let mut fields = Vec::new();
    loop {
        let Some(token) = parser.peek() else {
            let end = text.trim_end().len();
            return Err(
                QueryError::new(end..end, "a field is missing here").help("for example: project.tier, order_id")
            );
        };
        if matches!(token.kind, TokenKind::Filter { .. } | TokenKind::Open) {
            return Err(parser.unexpected(token).help("fields are memory entries, or comparisons of them"));
        }
        fields.push(parser.state()?);
        match parser.advance() {
            None => return Ok(fields),
            Some(Token { kind: TokenKind::Comma, .. }) => {}
            Some(token) => return Err(parser.unexpected(token).help("fields are parted by commas")),
        }
    }
}

/// Returns what has to be known to answer a query.
fn needs(expression: &Expression) -> Needs {
    match expression {
        Expression::Not(negated) => needs(negated),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().map(needs).max().unwrap_or(Needs::Event),
        Expression::State(_) | Expression::Changed(_) => Needs::State,
        Expression::Read(_) | Expression::Denied(_) => Needs::Decisions,
        Expression::Filter(filter) => match filter {
            Filter::Active(_) => Needs::State,
            Filter::Verdict(verdicts) if verdicts.iter().all(|verdict| super::said::is_in_event(*verdict)) => {
                Needs::Event
            }
            Filter::Verdict(verdicts)
                if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Offered | Verdict::Withheld)) =>
            {
                Needs::Offers
            }
            Filter::Verdict(_) => Needs::Decisions,
            Filter::Kind(_)
            | Filter::Key(_)
            | Filter::Skill(_)
            | Filter::Tool(_)
            | Filter::Actor(_)
            | Filter::Turn(_)
            | Filter::At(_)
            | Filter::Text(_) => Needs::Event,
        },
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn or(&mut self) -> Result<Expression, QueryError> {
        let mut parts = vec![self.and()?];
        while self.take("or") {
            parts.push(self.and()?);
        }
        Ok(joined(parts, Expression::Or))
    }

    fn and(&mut self) -> Result<Expression, QueryError> {
        let mut parts = vec![self.not()?];
        while let Some(token) = self.peek() {
            let ends = match token.kind {
                TokenKind::Close | TokenKind::Comma | TokenKind::Operator(_) => true,
                TokenKind::Word => self.written(token) == "or",
                TokenKind::Filter { .. } | TokenKind::Literal(_) | TokenKind::Open => false,
            };
            if ends {
                break;
            }
            self.take("and");
            parts.push(self.not()?);
        }
        Ok(joined(parts, Expression::And))
    }

    fn not(&mut self) -> Result<Expression, QueryError> {
        let Some(token) = self.peek() else { return Err(self.ended()) };
        match &token.kind {
            TokenKind::Word if self.written(token) == "not" => {
                self.enter(token)?;
                let negated = self.not()?;
                self.depth -= 1;
                Ok(Expression::Not(Box::new(negated)))
            }
            TokenKind::Open => {
                self.enter(token)?;
                let inside = self.or()?;
                self.depth -= 1;
                self.close(token)?;
                Ok(inside)
            }
            TokenKind::Filter { word, values } => {
                self.next += 1;
                let word = token.span.start..token.span.start + word;
                Ok(Expression::Filter(filter(&self.text[word.clone()], word, values)?))
            }
            TokenKind::Word if self.is_call() => self.call(token),
            TokenKind::Word | TokenKind::Literal(_) => Ok(Expression::State(self.state()?)),
            TokenKind::Operator(_) | TokenKind::Close | TokenKind::Comma => Err(self.unexpected(token)),
        }
    }

    fn is_call(&self) -> bool {
        matches!(self.tokens.get(self.next + 1), Some(Token { kind: TokenKind::Open, .. }))
    }

    fn call(&mut self, name: &Token) -> Result<Expression, QueryError> {
        let make = match self.written(name) {
            "changed" => Expression::Changed,
            "read" => Expression::Read,
            "denied" => Expression::Denied,
            "and" | "or" => return Err(self.unexpected(name)),
            other => {
                let error = QueryError::new(name.span.clone(), format!("`{other}` can't be asked of an entry"));
                let near = nearest(other, CALLS);
                return Err(error.help(match near {
                    Some(near) => format!("did you mean `{near}(…)`?"),
                    None => "there are changed(KEY), read(KEY) and denied(KEY)".to_owned(),
                }));
            }
        };
        let open = &self.tokens[self.next + 1];
        self.next += 2;
        let pattern = match self.advance() {
            Some(token) if token.kind == TokenKind::Word => Pattern::new(entry_name(self.written(token))),
            Some(Token { kind: TokenKind::Literal(Value::Text(text)), .. }) => Pattern::new(text),
            Some(other) => return Err(self.unexpected(other).help("name a memory entry, as in changed(project.tier)")),
            None => return Err(self.ended()),
        };
        self.close(open)?;
        Ok(make(pattern))
    }

    fn close(&mut self, open: &Token) -> Result<(), QueryError> {
        match self.advance() {
            Some(Token { kind: TokenKind::Close, .. }) => Ok(()),
            Some(other) => Err(self.unexpected(other)),
            None => Err(QueryError::new(open.span.clone(), "a parenthesis isn't closed").help("add `)`")),
        }
    }

    /// Reads an operand, or operands with operators between them.
    fn state(&mut self) -> Result<Condition, QueryError> {
        let mut operands = vec![self.operand()?];
        let mut operators = Vec::new();
        while let Some(Token { kind: TokenKind::Operator(operator), .. }) = self.peek() {
            self.next += 1;
            operators.push(*operator);
            operands.push(self.operand()?);
        }
        let root = match operators.is_empty() {
            true => operands.swap_remove(0),
            false => node(ExpressionKind::Comparison { operands, operators }),
        };
        Ok(Condition { text: String::new(), root })
    }

    fn operand(&mut self) -> Result<condition::Expression, QueryError> {
        let Some(token) = self.advance() else { return Err(self.ended()) };
        let kind = match &token.kind {
            TokenKind::Literal(value) => ExpressionKind::Literal(value.clone()),
            TokenKind::Word => match self.written(token) {
                "True" => ExpressionKind::Literal(Value::Bool(true)),
                "False" => ExpressionKind::Literal(Value::Bool(false)),
                "None" => ExpressionKind::Literal(Value::Null),
                "and" | "or" | "not" | "in" | "is" => return Err(self.unexpected(token)),
                word @ ("true" | "false" | "null" | "none") => {
                    let right = match word {
                        "true" => "True",
                        "false" => "False",
                        _ => "None",
                    };
                    let error = QueryError::new(token.span.clone(), format!("`{word}` is no value here"));
                    return Err(error.help(format!("write `{right}`, as conditions do")));
                }
                word if word.contains('*') => {
                    let error = QueryError::new(token.span.clone(), format!("`{word}` stands for several entries"));
                    return Err(error.help("name one entry to compare it, or write key:, changed(…) or read(…)"));
                }
                word => ExpressionKind::Reference(reference(entry_name(word))),
            },
            TokenKind::Filter { .. }
            | TokenKind::Operator(_)
            | TokenKind::Open
            | TokenKind::Close
            | TokenKind::Comma => {
                return Err(self.unexpected(token));
            }
        };
        Ok(node(kind))
    }

    fn enter(&mut self, token: &Token) -> Result<(), QueryError> {
        self.next += 1;
        self.depth += 1;
        match self.depth > DEPTH_LIMIT {
            true => {
                let message = format!("the query nests deeper than {DEPTH_LIMIT} levels");
                Err(QueryError::new(token.span.clone(), message))
            }
            false => Ok(()),
        }
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.next)
    }

    fn advance(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some_and(|token| token.kind == TokenKind::Word && self.written(token) == word);
        self.next += usize::from(is_next);
        is_next
    }

    fn written(&self, token: &Token) -> &'a str {
        &self.text[token.span.clone()]
    }

    fn ended(&self) -> QueryError {
        let end = self.text.trim_end().len();
        QueryError::new(end..end, "something is missing at the end of the query")
    }

    fn unexpected(&self, token: &Token) -> QueryError {
        let written = self.written(token);
        let error = |message: String| QueryError::new(token.span.clone(), message);
        match &token.kind {
            TokenKind::Operator(_) => error(format!("something is missing before `{written}`")),
            TokenKind::Close => error("this parenthesis closes nothing, or nothing stands in it".to_owned()),
            TokenKind::Comma => error("`,` has no place in a query".to_owned()).help("write `and` or `or`"),
            TokenKind::Word if matches!(written, "and" | "or") => {
                error(format!("something is missing beside `{written}`"))
            }
            TokenKind::Word if matches!(written, "in" | "is" | "not") => error(format!("`{written}` can't stand here"))
                .help("write `==` or `!=`, and `not` in front of what it negates"),
            TokenKind::Word | TokenKind::Filter { .. } | TokenKind::Literal(_) | TokenKind::Open => {
                error(format!("`{written}` can't stand here"))
            }
        }
    }
}

fn joined(mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    if parts.len() == 1 { parts.swap_remove(0) } else { join(parts) }
}

fn node(kind: ExpressionKind) -> condition::Expression {
    condition::Expression { span: 0..0, kind }
}

/// Conditions write `session.` in front of an entry; here it may be left out.
fn entry_name(word: &str) -> &str {
    let mut name = word;
    while let Some(rest) = name.strip_prefix("session.").filter(|rest| rest.contains('.')) {
        name = rest;
    }
    name
}

fn reference(word: &str) -> Reference {
    let (namespace, entry) = split_key(word).unwrap_or(("", word));
    Reference { namespace: Name::from(namespace), entry: Name::from(entry), key: Name::from(word) }
}

fn filter(word: &str, at: Range<usize>, values: &[Given]) -> Result<Filter, QueryError> {
    let patterns = || values.iter().map(|value| Pattern::new(&value.text)).collect();
    Ok(match word {
        "kind" => Filter::Kind(each(values, kind)?),
        "key" => Filter::Key(values.iter().map(|value| Pattern::new(entry_name(&value.text))).collect()),
        "skill" => Filter::Skill(patterns()),
        "active" => Filter::Active(patterns()),
        "tool" => Filter::Tool(patterns()),
        "actor" => Filter::Actor(each(values, |value| one_of("actor", value, &ACTORS))?),
        "turn" => Filter::Turn(each(values, span)?),
        "at" => Filter::At(each(values, span)?),
        "verdict" => Filter::Verdict(each(values, verdict)?),
        "text" => Filter::Text(each(values, |value| {
            Text::parse(&value.text).ok_or_else(|| QueryError::new(value.span.clone(), "the text is empty"))
        })?),
        other => {
            let error = QueryError::new(at, format!("`{other}:` is no filter"));
            return Err(error.help(match nearest(other, FILTERS) {
                Some(near) => format!("did you mean `{near}:`?"),
                None => format!("there are {}", FILTERS.map(|known| format!("{known}:")).join(", ")),
            }));
        }
    })
}

fn each<T>(values: &[Given], read: impl Fn(&Given) -> Result<T, QueryError>) -> Result<Vec<T>, QueryError> {
    values.iter().map(read).collect()
}

fn kind(value: &Given) -> Result<Pattern, QueryError> {
    let tags: Vec<&str> = Tag::ALL.map(Tag::word).into_iter().chain([super::evaluate::MODEL_CALL]).collect();
    one_of("kind", value, &tags)
}

/// Takes a pattern that at least one of the known words matches.
fn one_of(what: &str, value: &Given, known: &[&str]) -> Result<Pattern, QueryError> {
    let pattern = Pattern::new(&value.text);
    if known.iter().any(|word| pattern.matches(word)) {
        return Ok(pattern);
    }
    let error = QueryError::new(value.span.clone(), format!("no {what} is called `{}`", value.text));
    let beginning: Vec<&str> = known.iter().filter(|word| word.contains(&*value.text)).copied().collect();
    Err(error.help(match nearest(&value.text, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if !beginning.is_empty() => format!("did you mean {}?", beginning.join(" or ")),
        None => format!("there are {}", known.join(", ")),
    }))
}

fn verdict(value: &Given) -> Result<Verdict, QueryError> {
    let words = Verdict::ALL.map(Verdict::word);
    let known = one_of("verdict", value, &words)?;
    Verdict::parse(known.as_str()).ok_or_else(|| {
        QueryError::new(value.span.clone(), "a verdict is one word").help(format!("there are {}", words.join(", ")))
    })
}

/// Reads `3`, `3..5`, `3..` or `..5`.
fn span(value: &Given) -> Result<Span, QueryError> {
    let number = |text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some),
    };
    let wrong = || {
        QueryError::new(value.span.clone(), format!("`{}` is no number and no range", value.text))
            .help("write 3, 3..5, 3.. or ..5")
    };
    let (from, to) = match value.text.split_once("..") {
        Some((from, to)) => (number(from).map_err(|_| wrong())?, number(to).map_err(|_| wrong())?),
        None => {
            let only = number(&value.text).map_err(|_| wrong())?;
            (only, only)
        }
    };
    if from.is_none() && to.is_none() {
        return Err(wrong());
    }
    Ok(Span { from, to })
}
