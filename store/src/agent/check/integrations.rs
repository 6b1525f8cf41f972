//! What the values of `integrations.yml` say wrongly (M339, M340).
//!
//! A definition keeps the key names alone, because values may be secrets. So this looks at the file as it is on disk,
//! and names places without showing their lines.

use crate::agent::text::FileText;
use crate::agent::yaml::{self, Kind, Node, Pair};
use crate::diagnostic::{Diagnostic, Place, code};
use crate::name::Name;
use crate::value::Value;

/// Sections of one shape: a mapping, whose `type` is a text. With the code for another one.
const SECTIONS: [(&str, &str); 9] = [
    ("tracing", code::CONFIG_TRACING),
    ("metrics", code::CONFIG_METRICS),
    ("event_broker", code::CONFIG_EVENT_BROKER),
    ("timer_store", code::CONFIG_TIMER_STORE),
    ("tracker_store", code::CONFIG_TRACKER_STORE),
    ("lock_store", code::CONFIG_LOCK_STORE),
    ("secrets_manager", code::CONFIG_SECRETS_MANAGER),
    ("rasa_model_server", code::CONFIG_MODEL_SERVER),
    ("recordings", code::CONFIG_RECORDINGS),
];
/// Sections that sign in somewhere.
const STORES: [&str; 5] = ["event_broker", "timer_store", "tracker_store", "lock_store", "secrets_manager"];
/// Keys whose value is a secret.
const SECRETS: [&str; 9] = [
    "password",
    "token",
    "secret",
    "api_key",
    "access_key",
    "secret_key",
    "client_secret",
    "sasl_password",
    "aws_secret_access_key",
];
/// The ways in which an MCP server is signed in to; one at most.
const MCP_SIGN_INS: [&str; 4] = ["token", "api_key", "oauth", "module"];

/// Checks the file, given as its bytes.
pub(super) fn check(bytes: &[u8], found: &mut Vec<Diagnostic>) {
    let file = FileText::new(Name::from("integrations.yml"), bytes, &mut Vec::new());
    let root = yaml::read(&file, file.content(), &mut Vec::new());
    let first = found.len();
    for (section, code) in SECTIONS {
        if let Some(pair) = root.pair(section).filter(|pair| !pair.value.is_null()) {
            check_section(pair, code, found);
        }
    }
    for section in STORES {
        root.get(section).into_iter().for_each(|node| check_secrets(section, node, found));
    }
    for group in root.get("model_groups").map_or(&[][..], Node::items) {
        check_group(group, found);
    }
    for server in root.get("mcp_servers").map_or(&[][..], Node::items) {
        check_server(server, found);
    }
    // Bytes that count in this text and not in the kept one: the place is named, and no line is shown.
    found[first..].iter_mut().for_each(|one| one.at = Place { start: u32::MAX, end: u32::MAX, ..one.at.clone() });
}

fn check_section(pair: &Pair, code: &'static str, found: &mut Vec<Diagnostic>) {
    if !matches!(pair.value.kind, Kind::Map(_)) {
        let message = format!("`{}` is a mapping, and this is {}", pair.key, pair.value.kind_word());
        found.push(Diagnostic::error(code, pair.key_at.clone(), message));
        return;
    }
    let Some(kind) = pair.value.pair("type") else { return };
    if kind.value.as_text().is_none_or(|text| text.trim().is_empty()) {
        let message = format!("the `type` of `{}` is a text, and this is {}", pair.key, blank_or(&kind.value));
        found.push(Diagnostic::error(code, kind.key_at.clone(), message));
    }
}

fn blank_or(node: &Node) -> &'static str {
    if node.as_text().is_some() { "blank" } else { node.kind_word() }
}

/// Reports secrets that stand in a section itself, however deep.
fn check_secrets(section: &str, node: &Node, found: &mut Vec<Diagnostic>) {
    for pair in node.pairs() {
        if SECRETS.contains(&pair.key.as_str()) && is_literal(&pair.value) {
            let message = format!("the `{}` of `{section}` stands in the file itself", pair.key);
            let diagnostic = Diagnostic::warning(code::CONFIG_LITERAL_SECRET, pair.key_at.clone(), message);
            found.push(diagnostic.help("write `${VARIABLE}` and set the variable where the agent runs"));
        }
        check_secrets(section, &pair.value, found);
    }
    node.items().iter().for_each(|item| check_secrets(section, item, found));
}

/// Returns whether a value is written out, and not one whole `${VARIABLE}`.
fn is_literal(node: &Node) -> bool {
    let Kind::Scalar(value, written) = &node.kind else { return false };
    let inside = written.trim().strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    !value.is_null() && !written.trim().is_empty() && inside.is_none_or(|name| name.contains(['{', '}']))
}

fn check_group(group: &Node, found: &mut Vec<Diagnostic>) {
    let Some(models) = group.pair("models") else { return };
    let count = models.value.items().len();
    if count > 1 && group.get("router").is_none() {
        let name = group.get("id").and_then(Node::as_text).unwrap_or_default();
        let message = format!("the model group `{name}` has {count} models and no `router`, so only the first is used");
        let diagnostic = Diagnostic::warning(code::CONFIG_UNUSED_MODELS, models.key_at.clone(), message);
        found.push(diagnostic.help("add a `router`, or remove the other models"));
    }
}

fn check_server(server: &Node, found: &mut Vec<Diagnostic>) {
    let name = server.get("name").and_then(Node::as_text).unwrap_or_default();
    let mut report = |at: &Place, message: String, help: &str| {
        found.push(Diagnostic::error(code::CONFIG_MCP_SERVER, at.clone(), message).help(help));
    };
    if !matches!(server.kind, Kind::Map(_)) {
        let message = format!("an MCP server is a mapping, and this is {}", server.kind_word());
        return report(&server.at, message, "give it a `name` and a `url`");
    }
    if server.get("name").is_none() {
        report(&server.at, "an MCP server has no `name`".to_owned(), "skills import its tools as `mcp/<name>:<tool>`");
    }
    if server.get("url").and_then(Node::as_text).is_none_or(|url| url.trim().is_empty()) {
        report(&server.at, format!("the MCP server `{name}` has no `url`"), "add the address that it answers at");
    }
    let sign_ins: Vec<&Pair> = server.pairs().iter().filter(|pair| MCP_SIGN_INS.contains(&pair.key.as_str())).collect();
    if let [first, second, ..] = sign_ins[..] {
        let message = format!("the MCP server `{name}` has `{}` and `{}`", first.key, second.key);
        report(&second.key_at, message, "keep one way to sign in");
    }
    for pair in sign_ins.iter().filter(|pair| ["token", "api_key"].contains(&pair.key.as_str())) {
        if is_literal(&pair.value) {
            let message = format!("the `{}` of the MCP server `{name}` stands in the file itself", pair.key);
            report(&pair.key_at, message, "write `${VARIABLE}` and set the variable where the agent runs");
        }
    }
    let timeout = server.pair("tool_timeout").filter(|pair| !pair.value.is_null());
    if let Some(timeout) = timeout.filter(|pair| !is_positive(&pair.value.to_value())) {
        let message = format!("the `tool_timeout` of the MCP server `{name}` isn't a number of seconds above 0");
        report(&timeout.key_at, message, "without it the agent's own `tool_timeout` counts");
    }
}

/// Returns whether a value is a number above 0.
pub(super) fn is_positive(value: &Value) -> bool {
    match value {
        Value::Int(number) => *number > 0,
        Value::Float(number) => *number > 0.0,
        _ => false,
    }
}
