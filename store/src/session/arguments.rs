//! Whether the arguments of a call fit the tool that is declared in the folder (M197, M350, M178).

use std::fmt;

use crate::agent::tools::Tool;
use crate::name::Name;
use crate::value::Value;

/// Why arguments don't fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// They are no JSON object.
    NoObject,
    /// One is missing.
    Missing(Name),
    /// One is unknown.
    Unknown(Name),
    /// One is of another type.
    Type {
        /// The argument.
        name: Name,
        /// The type that the schema names.
        expected: &'static str,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::NoObject => f.write_str("the arguments are no JSON object"),
            Misfit::Missing(name) => write!(f, "the argument `{name}` is missing"),
            Misfit::Unknown(name) => write!(f, "it takes no argument `{name}`"),
            Misfit::Type { name, expected } => write!(f, "the argument `{name}` is no {expected}"),
        }
    }
}

/// Says how arguments, as JSON text, don't fit a tool. What its declaration doesn't tell fits.
pub fn misfit(tool: &Tool, arguments: &str) -> Option<Misfit> {
    let Ok(Value::Map(arguments)) = Value::from_json(arguments) else { return Some(Misfit::NoObject) };
    let given = |name: &str| arguments.iter().find(|(given, _)| given == name).map(|(_, value)| value);
    for parameter in &tool.parameters {
        match (given(&parameter.name), parameter.json_type) {
            (None, _) if parameter.is_required => return Some(Misfit::Missing(parameter.name.clone())),
            (Some(value), Some(expected)) if !is_of_type(value, expected) => {
                return Some(Misfit::Type { name: parameter.name.clone(), expected });
            }
            (None, _) | (Some(_), _) => {}
        }
    }
    let is_known = |name: &str| tool.parameters.iter().any(|parameter| parameter.name == *name);
    let unknown = arguments.iter().find(|(name, _)| !tool.takes_any && !is_known(name));
    unknown.map(|(name, _)| Misfit::Unknown(Name::from(name.as_str())))
}

fn is_of_type(value: &Value, json_type: &str) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) => json_type == "boolean",
        Value::Int(_) => ["integer", "number"].contains(&json_type),
        Value::Float(_) => json_type == "number",
        Value::Text(_) => json_type == "string",
        Value::List(_) => json_type == "array",
        Value::Map(_) => false,
    }
}
