//! What SARIF 2.1.0 requires of the parts that `check` writes: each object has its required members and no others than
//! the standard names, and each value is of its type and range.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where a result says which file it is about.
pub(crate) const URI: &str = "/locations/0/physicalLocation/artifactLocation/uri";

/// Checks a log and gives it back.
pub(crate) fn log(log: &Value) -> &Value {
    object(log, &["version", "runs"], &["$schema"]);
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|uri| uri.starts_with("https://")), "{log}");
    list(&log["runs"]).iter().for_each(run);
    log
}

fn run(run: &Value) {
    object(run, &["tool"], &["results", "columnKind"]);
    object(&run["tool"], &["driver"], &[]);
    let driver = &run["tool"]["driver"];
    object(driver, &["name"], &["version", "rules"]);
    assert!(!string(&driver["name"]).is_empty() && !string(&driver["version"]).is_empty());
    assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&string(&run["columnKind"])));
    let rules = list(&driver["rules"]);
    let ids: BTreeSet<&str> = rules.iter().map(rule).collect();
    assert_eq!(ids.len(), rules.len(), "the rules of a driver are unique");
    list(&run["results"]).iter().for_each(|one| result(one, rules));
}

fn rule(rule: &Value) -> &str {
    object(rule, &["id"], &["shortDescription", "defaultConfiguration"]);
    message(&rule["shortDescription"]);
    object(&rule["defaultConfiguration"], &[], &["level"]);
    level(&rule["defaultConfiguration"]["level"]);
    string(&rule["id"])
}

fn result(result: &Value, rules: &[Value]) {
    object(result, &["message"], &["ruleId", "ruleIndex", "level", "locations"]);
    message(&result["message"]);
    level(&result["level"]);
    let index = result["ruleIndex"].as_u64().expect("an index is a whole number from 0") as usize;
    assert_eq!(rules[index]["id"], result["ruleId"], "the index names the rule");
    for location in list(&result["locations"]) {
        object(location, &[], &["physicalLocation"]);
        let place = &location["physicalLocation"];
        object(place, &["artifactLocation"], &["region"]);
        object(&place["artifactLocation"], &[], &["uri"]);
        uri_reference(string(&place["artifactLocation"]["uri"]));
        object(&place["region"], &[], &["startLine", "startColumn"]);
        for member in ["startLine", "startColumn"] {
            assert!(place["region"][member].as_u64().is_some_and(|number| number >= 1), "{place}");
        }
    }
}

fn message(message: &Value) {
    object(message, &["text"], &[]);
    assert!(!string(&message["text"]).is_empty());
}

fn level(level: &Value) {
    assert!(["none", "note", "warning", "error"].contains(&string(level)));
}

/// RFC 3986: the characters of a path, all else as `%` and two digits; no colon in the first segment.
fn uri_reference(uri: &str) {
    let mut rest = uri.chars();
    while let Some(next) = rest.next() {
        match next {
            '%' => {
                assert!([rest.next(), rest.next()].iter().all(|c| c.is_some_and(|c| c.is_ascii_hexdigit())), "{uri}")
            }
            c => assert!(c.is_ascii_alphanumeric() || "-._~/".contains(c), "{uri}"),
        }
    }
}

fn object(value: &Value, required: &[&str], allowed: &[&str]) {
    let members = value.as_object().unwrap_or_else(|| panic!("{value} is an object"));
    for name in required {
        assert!(members.contains_key(*name), "{name} is required: {value}");
    }
    let unknown = members.keys().find(|name| !required.contains(&name.as_str()) && !allowed.contains(&name.as_str()));
    assert_eq!(unknown, None, "a member that isn't of this object: {value}");
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is a list"))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is a text"))
}
