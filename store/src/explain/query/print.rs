//! A query as text, which parses to the same query.

use std::fmt;

use super::{Expression, Filter, Query, Span};
use crate::condition::{self, ExpressionKind};
use crate::explain::decisions::Verdict;
use crate::value::Value;

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        expression(&self.root, f)
    }
}

fn expression(of: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match of {
        Expression::Not(negated) => {
            f.write_str("not ")?;
            part(negated, f)
        }
        Expression::And(parts) => joined(parts, " and ", f),
        Expression::Or(parts) => joined(parts, " or ", f),
        Expression::Filter(of) => filter(of, f),
        Expression::State(condition) => f.write_str(&state(&condition.root)),
        Expression::Changed(key) => write!(f, "changed({})", argument(key.as_str())),
        Expression::Read(key) => write!(f, "read({})", argument(key.as_str())),
        Expression::Denied(key) => write!(f, "denied({})", argument(key.as_str())),
    }
}

fn joined(parts: &[Expression], word: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, of) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        part(of, f)?;
    }
    Ok(())
}

fn part(of: &Expression, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match of {
        Expression::And(_) | Expression::Or(_) => {
            f.write_str("(")?;
            expression(of, f)?;
            f.write_str(")")
        }
        Expression::Not(_)
        | Expression::Filter(_)
        | Expression::State(_)
        | Expression::Changed(_)
        | Expression::Read(_)
        | Expression::Denied(_) => expression(of, f),
    }
}

fn filter(of: &Filter, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (word, values): (&str, Vec<String>) = match of {
        Filter::Kind(patterns) => ("kind", patterns.iter().map(|pattern| given(pattern.as_str())).collect()),
        Filter::Key(patterns) => ("key", patterns.iter().map(|pattern| given(pattern.as_str())).collect()),
        Filter::Skill(patterns) => ("skill", patterns.iter().map(|pattern| given(pattern.as_str())).collect()),
        Filter::Active(patterns) => ("active", patterns.iter().map(|pattern| given(pattern.as_str())).collect()),
        Filter::Tool(patterns) => ("tool", patterns.iter().map(|pattern| given(pattern.as_str())).collect()),
        Filter::Actor(patterns) => ("actor", patterns.iter().map(|pattern| given(pattern.as_str())).collect()),
        Filter::Turn(spans) => ("turn", spans.iter().map(Span::to_string).collect()),
        Filter::At(spans) => ("at", spans.iter().map(Span::to_string).collect()),
        Filter::Verdict(verdicts) => ("verdict", verdicts.iter().copied().map(Verdict::word).map(given).collect()),
        Filter::Text(texts) => ("text", texts.iter().map(|text| given(text.text())).collect()),
    };
    write!(f, "{word}:{}", values.join("|"))
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from == to => write!(f, "{from}"),
            (from, to) => {
                let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
                write!(f, "{}..{}", number(from), number(to))
            }
        }
    }
}

/// Writes what stands behind a `:`, in quotes where it has to be.
fn given(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | '\'' | '"' | ',');
    if text.is_empty() || text.contains(is_end) { quoted(text) } else { text.to_owned() }
}

/// Writes what stands between `(` and `)`, in quotes where it is no single word.
fn argument(text: &str) -> String {
    let starts_like_a_word = !text.starts_with(|c: char| c.is_ascii_digit());
    let is_word = starts_like_a_word && !text.is_empty() && super::lex::word_length(text) == text.len();
    if is_word { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '\\' | '"' => written.extend(['\\', c]),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// Returns an entry, a literal or a comparison as text.
pub(super) fn state(of: &condition::Expression) -> String {
    match &of.kind {
        ExpressionKind::Reference(reference) => reference.key.to_string(),
        ExpressionKind::Literal(value) => literal(value),
        ExpressionKind::Not(negated) => format!("not {}", state(negated)),
        ExpressionKind::And(parts) => parts.iter().map(state).collect::<Vec<_>>().join(" and "),
        ExpressionKind::Or(parts) => parts.iter().map(state).collect::<Vec<_>>().join(" or "),
        ExpressionKind::Comparison { operands, operators } => {
            let mut written = operands.first().map(state).unwrap_or_default();
            for (operator, operand) in operators.iter().zip(operands.iter().skip(1)) {
                written.push_str(&format!(" {} {}", operator.sign(), state(operand)));
            }
            written
        }
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(number) => number.to_string(),
        // Past the largest number there is none to write.
        Value::Float(number) if number.is_infinite() => if *number > 0.0 { "1e999" } else { "-1e999" }.to_owned(),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => quoted(text),
        Value::List(_) | Value::Map(_) => value.to_json(),
    }
}
