//! Values of memory, arguments and results: JSON, compared and printed as the engine's language does.
//!
//! Integers and floats stay apart (`2` and `2.0` are different values that compare equal), maps keep their order,
//! and a float keeps all its digits. Of a key that stands twice in one map the last value counts.

use std::cmp::Ordering;
use std::fmt;
use std::io;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Value {
    /// `null`, the engine's `None`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of up to 64 bits, with or without sign. Larger ones are read as floats.
    Int(i128),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// Text.
    Text(String),
    /// An array.
    List(Vec<Value>),
    /// An object, in the order of the record, each key once.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Reads JSON text.
    ///
    /// # Errors
    ///
    /// Fails with the reader's words where the text isn't one JSON value, or nests deeper than 128 levels.
    pub fn from_json(text: &str) -> Result<Value, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns the value as compact JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a value has no key that isn't text")
    }

    /// Returns the beginning of [`Value::to_json`], whole characters of at most `most` bytes, and how many bytes all of it
    /// has. No more than the beginning is kept in memory.
    ///
    /// ```
    /// use replay_store::value::Value;
    /// let list = Value::List(vec![Value::Text("é".to_owned()), Value::Int(12)]);
    /// assert_eq!(list.json_head(3), ("[\"".to_owned(), 9));
    /// assert_eq!(list.json_head(9), (list.to_json(), 9));
    /// ```
    pub fn json_head(&self, most: usize) -> (String, usize) {
        let mut head = Head { kept: Vec::new(), most, count: 0 };
        serde_json::to_writer(&mut head, self).expect("a value has no key that isn't text, and memory takes it");
        let whole = match std::str::from_utf8(&head.kept) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        head.kept.truncate(whole);
        (String::from_utf8(head.kept).expect("it was cut behind a whole character"), head.count)
    }

    /// Returns whether the engine takes the value for true (M79, M80).
    ///
    /// ```
    /// use replay_store::value::Value;
    /// assert!(!Value::Text(String::new()).is_truthy());
    /// assert!(Value::Text("false".to_owned()).is_truthy());
    /// ```
    pub fn is_truthy(&self) -> bool {
        match self {
            Value::Null => false,
            Value::Bool(truth) => *truth,
            Value::Int(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(items) => !items.is_empty(),
            Value::Map(pairs) => !pairs.is_empty(),
        }
    }

    /// Returns whether two values are equal as the engine compares them (M83): `1`, `1.0` and `true` are.
    pub fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Text(left), Value::Text(right)) => left == right,
            (Value::List(left), Value::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.equals(right))
            }
            (Value::Map(left), Value::Map(right)) => {
                left.len() == right.len()
                    && left.iter().all(|(key, value)| {
                        right.iter().any(|(other_key, other)| key == other_key && value.equals(other))
                    })
            }
            _ => self.compare_numbers(other) == Some(Ordering::Equal),
        }
    }

    /// Returns how two values are ordered, `None` where the engine can't order them (M84).
    pub fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Text(left), Value::Text(right)) => Some(left.chars().cmp(right.chars())),
            (Value::List(left), Value::List(right)) => {
                match left.iter().zip(right).find(|(left, right)| !left.equals(right)) {
                    Some((left, right)) => left.order(right),
                    None => Some(left.len().cmp(&right.len())),
                }
            }
            _ => self.compare_numbers(other),
        }
    }

    /// Compares numbers exactly; `true` is 1 and `false` is 0. `None` where a side is no number.
    fn compare_numbers(&self, other: &Value) -> Option<Ordering> {
        match (self.number()?, other.number()?) {
            (Number::Int(left), Number::Int(right)) => Some(left.cmp(&right)),
            (Number::Float(left), Number::Float(right)) => left.partial_cmp(&right),
            (Number::Int(left), Number::Float(right)) => compare_int_with_float(left, right),
            (Number::Float(left), Number::Int(right)) => compare_int_with_float(right, left).map(Ordering::reverse),
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Value::Bool(truth) => Some(Number::Int(i128::from(*truth))),
            Value::Int(number) => Some(Number::Int(*number)),
            Value::Float(number) => Some(Number::Float(*number)),
            Value::Null | Value::Text(_) | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the text of the value as the engine puts it into a prompt or a response (M261, M264): Python's
    /// `str()`, which is the text itself for a text, and `True`, `None`, `1.0`, `['a', 1]` for others.
    pub fn to_display(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            other => {
                let mut out = String::new();
                other.write_python(&mut out);
                out
            }
        }
    }

    fn write_python(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("None"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(number) => out.push_str(&number.to_string()),
            Value::Float(number) => out.push_str(&python_float(*number)),
            Value::Text(text) => write_python_text(text, out),
            Value::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    item.write_python(out);
                }
                out.push(']');
            }
            Value::Map(pairs) => {
                out.push('{');
                for (index, (key, value)) in pairs.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    write_python_text(key, out);
                    out.push_str(": ");
                    value.write_python(out);
                }
                out.push('}');
            }
        }
    }

    /// Returns the value of `key` in a map.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

enum Number {
    Int(i128),
    Float(f64),
}

/// Keeps the beginning of what is written to it, and counts all.
struct Head {
    kept: Vec<u8>,
    most: usize,
    count: usize,
}

impl io::Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.count += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compares without rounding: an integer of 64 bits need not fit into a float.
fn compare_int_with_float(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.abs() >= 1e30 {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = float.trunc();
    Some(int.cmp(&(whole as i128)).then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)))
}

/// Prints a float as Python's `repr` does: shortest digits that read back, `1.0`, `1e+16`, `1e-05`.
fn python_float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf".to_owned() } else { "-inf".to_owned() };
    }
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').expect("the format writes an exponent");
        let exponent: i32 = exponent.parse().expect("the format writes a number");
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let text = number.to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// Prints text as Python's `repr` does: single quotes unless it holds one and no double quote.
fn write_python_text(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push(quote);
}

/// Compact JSON, for people.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_json())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::Int(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_u64(number),
                (Err(_), Err(_)) => serializer.serialize_f64(*number as f64),
            },
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Value::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Int(i128::from(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Int(i128::from(number)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut pairs: Vec<(String, Value)> = Vec::new();
        while let Some((key, value)) = access.next_entry::<String, Value>()? {
            pairs.push((key, value));
        }
        keep_last_of_each_key(&mut pairs);
        Ok(Value::Map(pairs))
    }
}

/// Of keys that stand twice, the last value counts, at the place of the first.
fn keep_last_of_each_key(pairs: &mut Vec<(String, Value)>) {
    let mut places = std::collections::HashMap::with_capacity(pairs.len());
    let mut kept = 0;
    for index in 0..pairs.len() {
        match places.get(&pairs[index].0) {
            Some(&place) => pairs.swap(place, index),
            None => {
                places.insert(pairs[index].0.clone(), kept);
                pairs.swap(kept, index);
                kept += 1;
            }
        }
    }
    pairs.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        Value::from_json(json).expect("the test's JSON is valid")
    }

    #[test]
    fn json_reads_back_as_it_was() {
        for json in ["null", "2", "2.0", "18446744073709551615", "0.1", "1790788643.9802601", "[1,{\"b\":1,\"a\":[]}]"]
        {
            assert_eq!(value(json).to_json(), json);
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        assert_eq!(value(r#"{"a":1,"b":2,"a":3,"c":4,"b":5}"#).to_json(), r#"{"a":3,"b":5,"c":4}"#);
    }

    #[test]
    fn values_print_as_python_does() {
        let cases = [
            ("1.0", "1.0"),
            ("1e16", "1e+16"),
            ("0.00001", "1e-05"),
            ("true", "True"),
            (r#"["a", 1, null]"#, "['a', 1, None]"),
            (r#"{"k": "it's"}"#, "{'k': \"it's\"}"),
            (r#""plain""#, "plain"),
        ];
        for (json, expected) in cases {
            assert_eq!(value(json).to_display(), expected);
        }
    }

    #[test]
    fn integers_compare_exactly_with_floats() {
        assert_eq!(value("9007199254740993").order(&value("9007199254740992.0")), Some(Ordering::Greater));
        assert!(value("1").equals(&value("true")));
        assert_eq!(value("-1").order(&value("-1.5")), Some(Ordering::Greater));
        assert_eq!(value("null").order(&value("5")), None);
    }
}
