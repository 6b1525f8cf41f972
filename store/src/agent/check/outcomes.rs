//! What a condition can come to, given the values that its entries can have.
//!
//! References are taken as independent of each other, so an outcome may be listed that never comes; one that isn't
//! listed never does.

use std::cmp::Ordering;

use super::values::Values;
use crate::agent::entry::EntryKind;
use crate::condition::{Expression, ExpressionKind, Operator, Reference};
use crate::value::Value;

/// What a condition can come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Outcomes {
    pub(super) truth: bool,
    pub(super) falsehood: bool,
    /// It can't be evaluated, and withholds (M85).
    pub(super) failure: bool,
}

/// Two entries of more values than that are taken for anything: each pair of values would be compared.
const PAIRS_MAX: usize = 4096;

const BOTH: Outcomes = Outcomes { truth: true, falsehood: true, failure: false };

impl Outcomes {
    fn of(truth: bool) -> Outcomes {
        Outcomes { truth, falsehood: !truth, failure: false }
    }

    fn or(self, other: Outcomes) -> Outcomes {
        Outcomes {
            truth: self.truth || other.truth,
            falsehood: self.falsehood || other.falsehood,
            failure: self.failure || other.failure,
        }
    }
}

/// Returns what an expression can come to; `read` gives the values of a reference.
pub(super) fn outcomes(expression: &Expression, read: &mut impl FnMut(&Reference) -> Values) -> Outcomes {
    match &expression.kind {
        ExpressionKind::Not(negated) => {
            let Outcomes { truth, falsehood, failure } = outcomes(negated, read);
            Outcomes { truth: falsehood, falsehood: truth, failure }
        }
        ExpressionKind::And(operands) => {
            let all: Vec<Outcomes> = operands.iter().map(|operand| outcomes(operand, read)).collect();
            Outcomes {
                truth: all.iter().all(|one| one.truth),
                falsehood: all.iter().any(|one| one.falsehood),
                failure: all.iter().any(|one| one.failure),
            }
        }
        ExpressionKind::Or(operands) => {
            let all: Vec<Outcomes> = operands.iter().map(|operand| outcomes(operand, read)).collect();
            // What stands behind a part that is always true is never reached (M88).
            let reached = all.iter().position(|one| !one.falsehood && !one.failure).map_or(all.len(), |at| at + 1);
            Outcomes {
                truth: all.iter().any(|one| one.truth),
                falsehood: all.iter().all(|one| one.falsehood),
                failure: all[..reached].iter().any(|one| one.failure),
            }
        }
        ExpressionKind::Comparison { operands, operators } => {
            let values: Vec<Values> = operands.iter().map(|operand| operand_values(operand, read)).collect();
            let links = values.windows(2).zip(operators);
            links.fold(Outcomes::of(true), |so_far, (pair, operator)| {
                let link = compare(&pair[0], *operator, &pair[1]);
                Outcomes {
                    truth: so_far.truth && link.truth,
                    falsehood: so_far.falsehood || link.falsehood,
                    failure: so_far.failure || link.failure,
                }
            })
        }
        ExpressionKind::Reference(_) | ExpressionKind::Literal(_) => {
            let values = operand_values(expression, read);
            let known = values.known.iter().map(|value| Outcomes::of(value.is_truthy()));
            let known = known.fold(Outcomes::default(), Outcomes::or);
            values.any_of.map_or(known, |_| known.or(BOTH))
        }
    }
}

/// Returns the values of an operand of a comparison.
pub(super) fn operand_values(expression: &Expression, read: &mut impl FnMut(&Reference) -> Values) -> Values {
    match &expression.kind {
        ExpressionKind::Reference(reference) => read(reference),
        ExpressionKind::Literal(value) => Values { known: vec![value.clone()], ..Values::default() },
        ExpressionKind::Not(_) | ExpressionKind::Comparison { .. } => {
            Values { known: vec![Value::Bool(true), Value::Bool(false)], ..Values::default() }
        }
        ExpressionKind::And(_) | ExpressionKind::Or(_) => {
            Values { known: vec![Value::Null], any_of: Some(EntryKind::Any), is_written: true }
        }
    }
}

fn compare(left: &Values, operator: Operator, right: &Values) -> Outcomes {
    let mut found = Outcomes::default();
    if left.known.len() * right.known.len() > PAIRS_MAX {
        return Outcomes { failure: true, ..BOTH };
    }
    for a in &left.known {
        for b in &right.known {
            found = found.or(compare_values(a, operator, b));
        }
    }
    if let Some(kind) = left.any_of {
        found = right.known.iter().fold(found, |found, value| found.or(compare_open(kind, operator, value)));
    }
    if let Some(kind) = right.any_of {
        found = left.known.iter().fold(found, |found, value| found.or(compare_open(kind, operator, value)));
    }
    match (left.any_of, right.any_of) {
        (Some(_), Some(_)) => found.or(Outcomes { failure: true, ..BOTH }),
        (_, _) => found,
    }
}

fn compare_values(left: &Value, operator: Operator, right: &Value) -> Outcomes {
    let ordered = |holds: fn(Ordering) -> bool| match left.order(right) {
        Some(order) => Outcomes::of(holds(order)),
        None => Outcomes { failure: true, ..Outcomes::default() },
    };
    match operator {
        Operator::Equal => Outcomes::of(left.equals(right)),
        Operator::Unequal => Outcomes::of(!left.equals(right)),
        Operator::Less => ordered(Ordering::is_lt),
        Operator::LessOrEqual => ordered(Ordering::is_le),
        Operator::Greater => ordered(Ordering::is_gt),
        Operator::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}

/// Compares every value of a type, but not `null`, with one value.
fn compare_open(kind: EntryKind, operator: Operator, value: &Value) -> Outcomes {
    let fits = fits(kind, value);
    match operator {
        Operator::Equal if fits => BOTH,
        Operator::Equal => Outcomes::of(false),
        Operator::Unequal if fits => BOTH,
        Operator::Unequal => Outcomes::of(true),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => match kind {
            EntryKind::Json | EntryKind::Any if !value.is_null() => Outcomes { failure: true, ..BOTH },
            _ if fits => BOTH,
            _ => Outcomes { failure: true, ..Outcomes::default() },
        },
    }
}

/// Returns whether a value can equal one of a type.
pub(super) fn fits(kind: EntryKind, value: &Value) -> bool {
    match (kind, value) {
        (_, Value::Null) => false,
        (EntryKind::Json | EntryKind::Any, _) => true,
        (EntryKind::Text | EntryKind::Categorical, value) => matches!(value, Value::Text(_)),
        (EntryKind::Bool | EntryKind::Int | EntryKind::Float, value) => {
            matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_))
        }
        (EntryKind::List, value) => matches!(value, Value::List(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::parse;

    fn values(known: &[&str], any_of: Option<EntryKind>) -> Values {
        let known = known.iter().map(|json| Value::from_json(json).expect("the test's JSON is valid")).collect();
        Values { known, any_of, is_written: true }
    }

    fn check(condition: &str, entry: &Values, expected: &str) {
        let condition = parse(condition).expect("the test's condition parses");
        let found = outcomes(&condition.root, &mut |_| entry.clone());
        let letters = [(found.truth, 't'), (found.falsehood, 'f'), (found.failure, 'e')];
        let found: String = letters.iter().filter(|(is, _)| *is).map(|(_, letter)| letter).collect();
        assert_eq!(found, expected, "{}", condition.text);
    }

    #[test]
    fn conditions_come_to_what_their_values_allow() {
        let unset = values(&["null"], None);
        let text = values(&["null"], Some(EntryKind::Text));
        let truth = values(&["null", "true"], None);
        for (condition, entry, expected) in [
            ("session.a.b == False", &unset, "f"),
            ("not session.a.b", &unset, "t"),
            ("session.a.b != 'x'", &unset, "t"),
            ("session.a.b < 3", &unset, "e"),
            ("session.a.b", &text, "tf"),
            ("session.a.b == 'x'", &text, "tf"),
            ("session.a.b == 3", &text, "f"),
            ("session.a.b < 3", &text, "e"),
            ("session.a.b == False", &truth, "f"),
            ("session.a.b == True and not session.a.b", &truth, "tf"),
            ("session.a.b == 'x' or 'y'", &text, "t"),
            ("'y' or session.a.b < 3", &unset, "t"),
        ] {
            check(condition, entry, expected);
        }
    }
}
