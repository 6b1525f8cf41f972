//! Declared memory entries (M9 to M26).

use std::sync::Arc;

use crate::diagnostic::{Place, Spanned};
use crate::name::Name;
use crate::value::Value;

/// A declared memory entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its bare name.
    pub name: Name,
    /// Its qualified name, `<skill>.<entry>` or `project.<entry>` (M27).
    pub key: Name,
    /// Where it is declared.
    pub scope: EntryScope,
    /// What it holds.
    pub kind: EntryKind,
    /// The words that the model reads about it.
    pub description: Option<Spanned<String>>,
    /// The values that the model may choose from; empty for any.
    pub enum_values: Vec<Value>,
    /// Whether the model may write it whenever its skill is active (M49).
    pub llm_settable: bool,
    /// Whether it is copied from the metadata of the session start (M59).
    pub seed: bool,
    /// Whether prompts show that it is set and not its value (M344).
    pub pii: bool,
    /// The value before the first write; `null` for none.
    pub initial: Arc<Value>,
    /// Where `initial_value` stands, if it does.
    pub initial_at: Option<Place>,
    /// The declaration: its name in the file.
    pub at: Place,
}

/// Where an entry is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryScope {
    /// The `memory.yml` at the root: readable by every skill, written once.
    Project,
    /// `schema.public` of a skill: readable by every skill.
    Public,
    /// `schema.private` of a skill: readable by that skill.
    Private,
}

/// What an entry holds (section 2.3). A type name that isn't known reads as `any` (M23).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum EntryKind {
    Text,
    Bool,
    Int,
    Float,
    List,
    Categorical,
    Json,
    #[default]
    Any,
}

impl EntryKind {
    /// Every kind, by the name that authors write.
    pub const ALL: [(&'static str, EntryKind); 8] = [
        ("text", EntryKind::Text),
        ("bool", EntryKind::Bool),
        ("int", EntryKind::Int),
        ("float", EntryKind::Float),
        ("list", EntryKind::List),
        ("categorical", EntryKind::Categorical),
        ("json", EntryKind::Json),
        ("any", EntryKind::Any),
    ];

    /// Returns the kind of that name, spelled exactly (M23).
    pub fn parse(name: &str) -> Option<EntryKind> {
        EntryKind::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }

    /// Returns the JSON type that `set_fields` offers for it.
    pub fn json_type(self) -> &'static str {
        match self {
            EntryKind::Text | EntryKind::Categorical | EntryKind::Json | EntryKind::Any => "string",
            EntryKind::Bool => "boolean",
            EntryKind::Int => "integer",
            EntryKind::Float => "number",
            EntryKind::List => "array",
        }
    }
}
