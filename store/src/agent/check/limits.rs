//! Numbers in `agent.yml` and what they may be (M201, M291, M297, M298).

use super::facts::{Facts, meant};
use super::integrations::is_positive;
use crate::agent::yaml::{Node, Pair};
use crate::diagnostic::{Diagnostic, code};
use crate::value::Value;

/// Characters of a piece of knowledge, unless `chunk_size` says otherwise (M297).
const CHUNK_SIZE: f64 = 1000.0;
/// Characters that two pieces share, unless `chunk_overlap` says otherwise (M297).
const CHUNK_OVERLAP: f64 = 20.0;

/// Checks the numbers of `agent.yml`.
pub(super) fn check(facts: &Facts<'_>, root: &Node, found: &mut Vec<Diagnostic>) {
    if let Some(timeout) = pair(root, "tool_timeout").filter(|pair| !is_positive(&pair.value.to_value())) {
        let message = "`tool_timeout` isn't a number of seconds above 0";
        found.push(limit(timeout, message).help("without it a tool has 10 seconds"));
    }
    let session = root.get("session_config");
    if let Some(session) = session
        && let Some(expiration) = pair(session, "session_expiration_time")
        && number(&expiration.value).is_none_or(|minutes| minutes < 0.0)
    {
        let message = "`session_expiration_time` isn't a number of minutes, 0 or above";
        found.push(limit(expiration, message).help("0 means that a session never expires"));
    }
    let is_older = facts.profile.has_overrides_under_prompts();
    let section = if is_older { "references" } else { "knowledge_answering" };
    let Some(knowledge) = root.get(section) else { return };
    if !is_older && let Some(hits) = pair(knowledge, "top_k").filter(|pair| !is_positive(&pair.value.to_value())) {
        found.push(limit(hits, "`top_k` isn't a number above 0").help("without it a search gives 4 hits"));
    }
    knowledge.get("chunking").into_iter().for_each(|chunking| check_chunking(facts, chunking, found));
}

fn check_chunking(facts: &Facts<'_>, chunking: &Node, found: &mut Vec<Diagnostic>) {
    let keys = ["chunk_size", "chunk_overlap"];
    if !facts.profile.has_overrides_under_prompts() {
        for pair in chunking.pairs().iter().filter(|pair| !keys.contains(&pair.key.as_str())) {
            let message = format!("`chunking` has no key `{}`, and the agent doesn't load", pair.key);
            let diagnostic = Diagnostic::error(code::AGENT_STRICT_KEY, pair.key_at.clone(), message);
            found.push(diagnostic.help_if(meant(&pair.key, keys)));
        }
    }
    let size = pair(chunking, "chunk_size");
    if let Some(size) = size.filter(|pair| !is_positive(&pair.value.to_value())) {
        found.push(limit(size, "`chunk_size` isn't a number of characters above 0").help("without it, it is 1000"));
        return;
    }
    let size = size.and_then(|pair| number(&pair.value)).unwrap_or(CHUNK_SIZE);
    let overlap = pair(chunking, "chunk_overlap");
    let length = overlap.map_or(Some(CHUNK_OVERLAP), |pair| number(&pair.value));
    if length.is_some_and(|length| (0.0..size).contains(&length)) {
        return;
    }
    let message = format!("`chunk_overlap` isn't a number from 0 to below the `chunk_size` of {size}");
    let at = overlap.or_else(|| pair(chunking, "chunk_size"));
    found.extend(at.map(|pair| limit(pair, message).help("without it, it is 20")));
}

fn pair<'n>(node: &'n Node, key: &str) -> Option<&'n Pair> {
    node.pair(key).filter(|pair| !pair.value.is_null())
}

fn number(node: &Node) -> Option<f64> {
    match node.to_value() {
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

fn limit(pair: &Pair, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code::AGENT_LIMIT, pair.key_at.clone(), message)
}
