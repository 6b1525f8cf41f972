//! The payloads of buttons that write memory.

use crate::name::split_key;

/// What the payload of a button that writes begins with (M233).
pub const WRITES: &str = "set:";

/// Returns the entry and the text that a payload `set:session.<skill>.<entry>=<text>` gives it; `None` for one that is
/// malformed (M234).
pub fn target(payload: &str) -> Option<(&str, &str)> {
    let named = payload.strip_prefix(WRITES)?.strip_prefix("session.")?.split_once('=')?;
    Some(named).filter(|(key, _)| split_key(key).is_some_and(|(_, entry)| !entry.contains('.')))
}
