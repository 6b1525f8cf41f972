//! What would open a closed gate: the fewest entries that would have to hold something else, or the right to read one.

use super::why::Why;
use crate::agent::gate::Gate;
use crate::condition::{self, Expression, ExpressionKind, Reading, evaluate};
use crate::name::Name;
use crate::replay::Session;
use crate::session::State;
use crate::session::access::{ReadDecision, Reader, Site, read};
use crate::value::Value;

/// The most entries that are changed together.
const TOGETHER_MAX: usize = 3;

impl Why {
    /// Adds what would open the gate, where it is closed and something would. `reader` is the skill whose file states it.
    pub(super) fn opened_by(self, session: &Session, state: &State, reader: Option<&str>, gate: &Gate) -> Why {
        let (Some(agent), Some(written)) = (session.agent.as_deref(), &gate.condition) else { return self };
        let reader = Reader { skill: reader, site: Site::Condition };
        let mut reads: Vec<ReadDecision> = Vec::new();
        for (reference, _) in written.references() {
            if reads.iter().all(|read| read.asked != reference.key) {
                reads.push(read(agent, session.profile.profile, state, reader, &reference.key));
            }
        }
        let values: Values = reads.iter().map(|read| (read.asked.clone(), value_of(read))).collect();
        // A read that is withheld counts for nothing, whatever the entry holds.
        let withheld = reads.iter().filter(|read| !read.is_allowed()).find(|read| {
            let held = state.value(&read.asked).cloned().unwrap_or_default();
            holds(written, &with(values.clone(), &read.asked, held))
        });
        if let Some(read) = withheld {
            return self.with_change(read.change(agent));
        }
        let keys: Vec<Name> = reads.iter().filter(|read| read.is_allowed()).map(|read| read.asked.clone()).collect();
        for together in 1..=keys.len().min(TOGETHER_MAX) {
            if let Some(found) = opening(written, &keys, &candidates(&written.root), values.clone(), together) {
                let change = words(&found, &reads, &gate.text.value);
                let change_at = Some(format!("{}:{}", gate.text.at.file, gate.text.at.line));
                return Why { change: Some(change), change_at, ..self };
            }
        }
        self
    }
}

type Values = Vec<(Name, Value)>;

fn with(mut values: Values, key: &Name, value: Value) -> Values {
    values.retain(|(known, _)| known != key);
    values.push((key.clone(), value));
    values
}

fn value_of(read: &ReadDecision) -> Value {
    read.value().map_or(Value::Null, |value| Value::clone(value))
}

fn holds(condition: &condition::Condition, values: &Values) -> bool {
    let value = |key: &Name| values.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    evaluate(condition, |reference| Reading { value: value(&reference.key).unwrap_or_default(), why: () }).holds()
}

/// Finds `together` of the keys, and values for them, with which the condition holds.
fn opening(
    condition: &condition::Condition,
    keys: &[Name],
    candidates: &[Value],
    values: Values,
    together: usize,
) -> Option<Values> {
    for (index, key) in keys.iter().enumerate() {
        for candidate in candidates {
            let changed = with(values.clone(), key, candidate.clone());
            if together == 1 {
                if holds(condition, &changed) {
                    return Some(vec![(key.clone(), candidate.clone())]);
                }
            } else if let Some(rest) = opening(condition, &keys[index + 1..], candidates, changed, together - 1) {
                return Some([vec![(key.clone(), candidate.clone())], rest].concat());
            }
        }
    }
    None
}

/// Values that are worth a try: what the condition compares with, what lies beside it, and the simplest of each kind.
fn candidates(root: &Expression) -> Vec<Value> {
    let mut found = vec![Value::Bool(true)];
    literals(root, &mut found);
    found.extend([Value::Bool(false), Value::Int(1), Value::Text("x".to_owned()), Value::Null]);
    let mut once: Vec<Value> = Vec::new();
    for value in found {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    once
}

fn literals(expression: &Expression, found: &mut Vec<Value>) {
    match &expression.kind {
        ExpressionKind::Reference(_) => {}
        ExpressionKind::Literal(value) => {
            found.push(value.clone());
            match value {
                Value::Int(number) => found.extend([Value::Int(number + 1), Value::Int(number - 1)]),
                Value::Float(number) => found.extend([Value::Float(number + 1.0), Value::Float(number - 1.0)]),
                Value::Null | Value::Bool(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {}
            }
        }
        ExpressionKind::Not(negated) => literals(negated, found),
        ExpressionKind::And(operands)
        | ExpressionKind::Or(operands)
        | ExpressionKind::Comparison { operands, operators: _ } => {
            operands.iter().for_each(|operand| literals(operand, found));
        }
    }
}

fn words(found: &Values, reads: &[ReadDecision], text: &str) -> String {
    let each: Vec<String> = found.iter().map(|(key, value)| format!("`{key}` {}", wanted(value, text))).collect();
    let mut words = each.join(" and ");
    for (key, value) in found {
        let is_unset = reads.iter().any(|read| read.asked == *key && read.value().is_none());
        if is_unset && *value == Value::Bool(false) {
            words.push_str(&format!(
                "; it is unset, which is None and not False: `not session.{key}` would hold for both"
            ));
        }
    }
    words
}

fn wanted(value: &Value, text: &str) -> String {
    let is_written = |value: &Value| text.contains(&value.to_display());
    match value {
        Value::Null => "would have to be unset".to_owned(),
        Value::Bool(true) if !is_written(&Value::Bool(true)) => {
            "would have to hold a value that counts as true".to_owned()
        }
        Value::Text(_) if !is_written(value) => "would have to hold a text".to_owned(),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
            format!("would have to be {}", value.to_json())
        }
    }
}
