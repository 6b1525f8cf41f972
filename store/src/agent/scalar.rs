//! What a plain scalar means in YAML 1.1, which is what the engine reads (M21).
//!
//! Dates stay texts: memory holds JSON.

use crate::value::Value;

/// Returns what a plain scalar resolves to.
///
/// `yes`, `no`, `on` and `off` are bools, `017` is 15, `1:30` is 90, and `1e3` is a text, because a float needs a
/// dot.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Value::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => return Value::Bool(false),
        _ => {}
    }
    let is_numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    let number = is_numeric.then(|| int(text).or_else(|| float(text))).flatten();
    number.unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn int(text: &str) -> Option<Value> {
    let (negative, digits) = signed(text);
    let magnitude = if let Some(binary) = digits.strip_prefix("0b") {
        radix(binary, 2)?
    } else if let Some(hex) = digits.strip_prefix("0x") {
        radix(hex, 16)?
    } else if digits.len() > 1 && digits.starts_with('0') {
        radix(&digits[1..], 8)?
    } else if digits.contains(':') {
        digits.starts_with(|c: char| ('1'..='9').contains(&c)).then(|| sexagesimal(digits))?? as i128
    } else {
        digits.starts_with(|c: char| c.is_ascii_digit()).then(|| radix(digits, 10))??
    };
    let number = if negative { -magnitude } else { magnitude };
    let fits = i128::from(i64::MIN) <= number && number <= i128::from(u64::MAX);
    Some(if fits { Value::Int(number) } else { Value::Float(number as f64) })
}

fn float(text: &str) -> Option<Value> {
    let (negative, digits) = signed(text);
    let magnitude = match digits {
        ".inf" | ".Inf" | ".INF" => f64::INFINITY,
        ".nan" | ".NaN" | ".NAN" if text.starts_with('.') => f64::NAN,
        _ => {
            let (whole, fraction) = digits.split_once('.')?;
            if whole.contains(':') {
                let fraction = plain_digits(fraction)?;
                sexagesimal(whole)? + format!("0.{fraction}0").parse::<f64>().ok()?
            } else {
                decimal(whole, fraction)?
            }
        }
    };
    Some(Value::Float(if negative { -magnitude } else { magnitude }))
}

/// Reads `12.5e+3`; the exponent needs a sign, and a leading dot needs a digit after it.
fn decimal(whole: &str, fraction: &str) -> Option<f64> {
    let (fraction, exponent) = match fraction.split_once(['e', 'E']) {
        Some((fraction, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-'])?;
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then_some((fraction, exponent))?
        }
        None => (fraction, "+0"),
    };
    let (whole, fraction) = (plain_digits(whole)?, plain_digits(fraction)?);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    format!("{whole}.{fraction}e{exponent}").parse().ok()
}

fn signed(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

fn plain_digits(text: &str) -> Option<String> {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_').then(|| text.replace('_', ""))
}

fn radix(digits: &str, radix: u32) -> Option<i128> {
    let plain = digits.replace('_', "");
    let is_number = !plain.is_empty() && plain.chars().all(|c| c.is_digit(radix));
    // A number beyond 128 bits is no memory value anybody wrote; it reads as the largest.
    is_number.then(|| i128::from_str_radix(&plain, radix).unwrap_or(i128::MAX))
}

/// Reads `1:30:00`: base 60, the engine's way to write times.
fn sexagesimal(digits: &str) -> Option<f64> {
    let mut parts = digits.split(':');
    let mut total: f64 = plain_digits(parts.next()?)?.parse().ok()?;
    for part in parts {
        let value: u32 = plain_digits(part).filter(|part| part.len() <= 2)?.parse().ok()?;
        if value >= 60 {
            return None;
        }
        total = total * 60.0 + f64::from(value);
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(resolve(text).to_json(), expected, "{text}");
    }

    #[test]
    fn plain_scalars_resolve_as_in_yaml_1_1() {
        for (text, expected) in [
            ("yes", "true"),
            ("Off", "false"),
            ("y", "\"y\""),
            ("yEs", "\"yEs\""),
            ("~", "null"),
            ("12", "12"),
            ("1_000", "1000"),
            ("017", "15"),
            ("08", "\"08\""),
            ("0x1F", "31"),
            ("0b101", "5"),
            ("-3", "-3"),
            ("1:30", "90"),
            ("1:99", "\"1:99\""),
            ("1.0", "1.0"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("1e3", "\"1e3\""),
            ("1.5e+3", "1500.0"),
            ("1.5e3", "\"1.5e3\""),
            ("1:30.5", "90.5"),
            ("2026-11-30", "\"2026-11-30\""),
            ("-", "\"-\""),
            (".", "\".\""),
            ("1.2.3", "\"1.2.3\""),
            ("12:ab", "\"12:ab\""),
            ("99999999999999999999", "1e+20"),
        ] {
            check(text, expected);
        }
    }
}
