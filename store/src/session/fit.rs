//! Whether a value fits a declared entry: what the model may send, what is seeded, and what a button's text becomes.

use crate::agent::entry::{Entry, EntryKind};
use crate::value::Value;

/// How a value doesn't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It is of another type.
    Type,
    /// It is none of `enum_values`.
    Enum,
}

/// Says whether the model's value fits the schema of `set_fields` (section 2.3, M26, M350).
pub(super) fn fits_schema(entry: &Entry, value: &Value) -> Result<(), Misfit> {
    if entry.kind == EntryKind::Categorical && !entry.enum_values.is_empty() {
        return if entry.enum_values.contains(value) { Ok(()) } else { Err(Misfit::Enum) };
    }
    let fits = match entry.kind.json_type() {
        "string" => matches!(value, Value::Text(_)),
        "boolean" => matches!(value, Value::Bool(_)),
        "integer" => matches!(value, Value::Int(_)),
        "number" => matches!(value, Value::Int(_) | Value::Float(_)),
        "array" => matches!(value, Value::List(_)),
        other => unreachable!("no kind of entry is offered as {other}"),
    };
    if fits { Ok(()) } else { Err(Misfit::Type) }
}

/// Says whether metadata may be copied into the entry: strictly, but that a whole number is a float (M61, M62).
pub(super) fn fits_seed(entry: &Entry, value: &Value) -> Result<(), Misfit> {
    if entry.kind == EntryKind::Categorical && !entry.enum_values.is_empty() {
        return if entry.enum_values.contains(value) { Ok(()) } else { Err(Misfit::Enum) };
    }
    let fits = match entry.kind {
        EntryKind::Text | EntryKind::Categorical => matches!(value, Value::Text(_)),
        EntryKind::Bool => matches!(value, Value::Bool(_)),
        EntryKind::Int => matches!(value, Value::Int(_)),
        EntryKind::Float => matches!(value, Value::Int(_) | Value::Float(_)),
        EntryKind::List => matches!(value, Value::List(_)),
        EntryKind::Json | EntryKind::Any => !value.is_null(),
    };
    if fits { Ok(()) } else { Err(Misfit::Type) }
}

/// Makes a value of a button's text (section 2.3). Anything but a text is taken as it is, if it fits.
pub(super) fn coerce(entry: &Entry, value: &Value) -> Result<Value, Misfit> {
    let Value::Text(text) = value else { return fits_seed(entry, value).map(|()| value.clone()) };
    let json = || Value::from_json(text).ok();
    let made = match entry.kind {
        EntryKind::Text | EntryKind::Any => Some(value.clone()),
        EntryKind::Bool => match text.to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        EntryKind::Int => text.parse::<i64>().ok().map(|number| Value::Int(number.into())),
        EntryKind::Float => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::Float),
        EntryKind::List => json().filter(|value| matches!(value, Value::List(_))),
        EntryKind::Json => json(),
        EntryKind::Categorical if entry.enum_values.is_empty() => Some(value.clone()),
        EntryKind::Categorical => {
            let chosen = entry.enum_values.iter().find(|item| *item == value || item.to_json() == *text);
            return chosen.cloned().ok_or(Misfit::Enum);
        }
    };
    made.ok_or(Misfit::Type)
}
