//! Where a line of JSON stands in it: `items[3].name`.

use std::fmt;

use replay_store::value::Value;

/// The way from a value to a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl JsonPath {
    /// Returns the path of the last one of some lines of JSON, from its first one on, as [`crate::fold::broken`] breaks it.
    pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a str>) -> JsonPath {
        // One step for each bracket that is open; the last one may be closed by the last line itself.
        let mut steps: Vec<Step> = Vec::new();
        let mut open = 0;
        for line in lines.map(str::trim_start) {
            steps.truncate(open);
            if line.starts_with(['}', ']']) {
                open = open.saturating_sub(1);
                steps.truncate(open);
                continue;
            }
            let (key, rest) = match key(line) {
                Some((key, rest)) => (Some(key), rest),
                None => (None, line),
            };
            match (steps.get_mut(open.wrapping_sub(1)), key) {
                (Some(step), Some(key)) => *step = Step::Key(key),
                (Some(Step::Index(index)), None) => *index = index.wrapping_add(1),
                (Some(Step::Key(_)) | None, _) => {}
            }
            if rest.ends_with(['{', '[']) {
                open += 1;
                // The first line in it makes it 0.
                steps.push(Step::Index(usize::MAX));
            }
        }
        if matches!(steps.last(), Some(Step::Index(usize::MAX))) {
            steps.pop();
        }
        JsonPath { steps }
    }

    /// Returns the part of a value.
    pub(crate) fn of_value<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.steps.iter().try_fold(value, |value, step| match (step, value) {
            (Step::Key(key), value) => value.get(key),
            (Step::Index(index), Value::List(items)) => items.get(*index),
            (Step::Index(_), _) => None,
        })
    }
}

/// Reads the key that a line begins with, and returns what stands behind it.
fn key(line: &str) -> Option<(String, &str)> {
    let end = line.strip_prefix('"').map(|text| 1 + crate::fold::text_end(text))?;
    let rest = line[end..].strip_prefix(':')?;
    match Value::from_json(&line[..end]) {
        Ok(Value::Text(key)) => Some((key, rest)),
        Ok(_) | Err(_) => None,
    }
}

/// As `.key` and `[3]`, a key that is no word as `["a key"]`.
impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_word =
            |key: &str| !key.is_empty() && key.chars().all(|one| one.is_alphanumeric() || one == '_' || one == '-');
        self.steps.iter().try_for_each(|step| match step {
            Step::Key(key) if is_word(key) => write!(f, ".{key}"),
            Step::Key(key) => write!(f, "[{}]", Value::Text(key.clone()).to_json()),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::broken;

    #[test]
    fn each_line_has_its_path_and_each_path_its_value() {
        let json = r#"{"a":{"b c":[1,[2,{}],"x \" {"]},"d":[],"e":{"f":true}}"#;
        let lines = broken(json);
        let lines: Vec<&str> = lines.lines().collect();
        let value = Value::from_json(json).expect("it is JSON");
        let path = |count: usize| JsonPath::of_lines(lines[..count].iter().copied());
        let seen: Vec<String> = (1..=lines.len())
            .map(|count| {
                let path = path(count);
                let value = path.of_value(&value).map(Value::to_json).unwrap_or_default();
                format!("{:<14} {path} {}", lines[count - 1], &value[..value.len().min(12)])
            })
            .collect();
        let expected = [
            r#"{               {"a":{"b c":"#,
            r#"  "a": {       .a {"b c":[1,[2"#,
            r#"    "b c": [   .a["b c"] [1,[2,{}],"x"#,
            r#"      1,       .a["b c"][0] 1"#,
            r#"      [        .a["b c"][1] [2,{}]"#,
            r#"        2,     .a["b c"][1][0] 2"#,
            r#"        {}     .a["b c"][1][1] {}"#,
            r#"      ],       .a["b c"][1] [2,{}]"#,
            r#"      "x \" {" .a["b c"][2] "x \" {""#,
            r#"    ]          .a["b c"] [1,[2,{}],"x"#,
            r#"  },           .a {"b c":[1,[2"#,
            r#"  "d": [],     .d []"#,
            r#"  "e": {       .e {"f":true}"#,
            r#"    "f": true  .e.f true"#,
            r#"  }            .e {"f":true}"#,
            r#"}               {"a":{"b c":"#,
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_is_no_json_has_a_path_all_the_same() {
        for text in ["}}]oops", "[[[[", "\"", "", "{\"a\"", "a\n]\n\"b\":"] {
            assert!(JsonPath::of_lines(text.lines()).to_string().len() < 20, "{text}");
        }
    }
}
