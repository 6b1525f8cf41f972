//! The findings of `check` as SARIF 2.1.0, the least that is valid and useful.

use std::path::Path;

use replay_store::diagnostic::{Diagnostic, Severity, catalogue};
use serde_json::{Value, json};

/// Returns the log: one run, a rule for each code that was found, a result for each finding.
pub(super) fn log(folder: &Path, found: &[Diagnostic]) -> Value {
    let mut codes: Vec<&str> = found.iter().map(|one| one.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> =
        codes.iter().filter_map(|code| catalogue::explain(code)).map(|entry| rule(&entry)).collect();
    let results: Vec<Value> = found.iter().map(|one| result(folder, one, &codes)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "replay", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(entry: &catalogue::Entry) -> Value {
    json!({
        "id": entry.code,
        "shortDescription": {"text": entry.meaning},
        "defaultConfiguration": {"level": level(entry.severity)},
    })
}

fn result(folder: &Path, one: &Diagnostic, codes: &[&str]) -> Value {
    let help = one.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    json!({
        "ruleId": one.code,
        "ruleIndex": codes.binary_search(&one.code).unwrap_or_default(),
        "level": level(one.severity),
        "message": {"text": format!("{}{help}", one.message)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&folder.join(&*one.at.file))},
            "region": {"startLine": one.at.line, "startColumn": one.at.column},
        }}],
    })
}

fn level(severity: Severity) -> &'static str {
    super::check::word(severity)
}

/// Writes a path as a reference in the sense of RFC 3986.
fn uri(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
