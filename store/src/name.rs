//! Names that authors and the engine give to things: skills, blocks, steps, tools, responses, memory entries.
//!
//! A name is kept exactly as it was written. Cloning one is cheap, because a session repeats few names often.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The namespace of project memory (M27).
pub const PROJECT: &str = "project";
/// The namespace of memory that belongs to the engine and can't be declared (M31).
pub const SYSTEM: &str = "system";
/// Where the older generation keeps the facts that the model finds in the background (M64).
pub const DISCOVERED: &str = "system.__discovered__";
/// The step that a record names for prose (M304).
pub const AUTONOMOUS: &str = "autonomous";
/// The response to words of the user that a hook rejected (section 10.6).
pub const MESSAGE_REJECTED: &str = "utter_incoming_message_rejected";

/// A name: any text, compared byte for byte.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Name(Arc<str>);

impl Name {
    /// Returns the text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name(Arc::from(text))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name(Arc::from(text))
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        String::deserialize(deserializer).map(Name::from)
    }
}

/// Splits a qualified memory name `<namespace>.<entry>` at its first dot (M27, M42).
///
/// A bare name has no namespace:
///
/// ```
/// use replay_store::name::split_key;
/// assert_eq!(split_key("project.phone"), Some(("project", "phone")));
/// assert_eq!(split_key("consecutive_silence_timeouts"), None);
/// ```
pub fn split_key(key: &str) -> Option<(&str, &str)> {
    key.split_once('.')
}
