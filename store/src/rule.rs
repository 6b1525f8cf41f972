//! The access rules, by the numbers that the reference gives them.
//!
//! A decision names the rule that made it; the texts here are what people read about it.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A rule about who reads what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// M22a
    InitialValueUntilWritten,
    /// M27
    QualifiedName,
    /// M30
    BareNameBySchema,
    /// M30a
    QualifiedNameStays,
    /// M30b
    DeniedNameStays,
    /// M31
    SystemReserved,
    /// M32
    OwnAndProjectReadable,
    /// M33
    NothingReadsAsNone,
    /// M35
    PublicReadable,
    /// M36a
    NoSkillActive,
    /// M37
    DenyRead,
    /// M38
    DenyReadOwnAndProject,
    /// M39
    DenyReadEverywhere,
    /// M41
    DenyListsByProfile,
    /// M41a
    DenyListNamesNothing,
    /// M202
    NoSessionPrefix,
    /// M259
    PiiHidesFromPromptOnly,
}

impl Rule {
    /// Every rule, in the order of the numbers.
    pub const ALL: [Rule; 17] = [
        Rule::InitialValueUntilWritten,
        Rule::QualifiedName,
        Rule::BareNameBySchema,
        Rule::QualifiedNameStays,
        Rule::DeniedNameStays,
        Rule::SystemReserved,
        Rule::OwnAndProjectReadable,
        Rule::NothingReadsAsNone,
        Rule::PublicReadable,
        Rule::NoSkillActive,
        Rule::DenyRead,
        Rule::DenyReadOwnAndProject,
        Rule::DenyReadEverywhere,
        Rule::DenyListsByProfile,
        Rule::DenyListNamesNothing,
        Rule::NoSessionPrefix,
        Rule::PiiHidesFromPromptOnly,
    ];

    /// Returns the rule of that number.
    pub fn parse(number: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.number() == number)
    }

    /// Returns its number in the reference.
    pub fn number(self) -> &'static str {
        match self {
            Rule::InitialValueUntilWritten => "M22a",
            Rule::QualifiedName => "M27",
            Rule::BareNameBySchema => "M30",
            Rule::QualifiedNameStays => "M30a",
            Rule::DeniedNameStays => "M30b",
            Rule::SystemReserved => "M31",
            Rule::OwnAndProjectReadable => "M32",
            Rule::NothingReadsAsNone => "M33",
            Rule::PublicReadable => "M35",
            Rule::NoSkillActive => "M36a",
            Rule::DenyRead => "M37",
            Rule::DenyReadOwnAndProject => "M38",
            Rule::DenyReadEverywhere => "M39",
            Rule::DenyListsByProfile => "M41",
            Rule::DenyListNamesNothing => "M41a",
            Rule::NoSessionPrefix => "M202",
            Rule::PiiHidesFromPromptOnly => "M259",
        }
    }

    /// Returns what it says, in one sentence.
    pub fn text(self) -> &'static str {
        match self {
            Rule::InitialValueUntilWritten => {
                "An entry reads as its initial_value until something is written; a stored None hides it."
            }
            Rule::QualifiedName => "A qualified name is the skill or `project`, a dot, and the entry.",
            Rule::BareNameBySchema => "A bare name is the active skill's entry if it declares one, else the project's.",
            Rule::QualifiedNameStays => "A qualified name means that entry and never falls through to another one.",
            Rule::DeniedNameStays => "A bare name stays with the skill's own entry even if that one is denied.",
            Rule::SystemReserved => "`system` belongs to the engine and can't be read by name.",
            Rule::OwnAndProjectReadable => {
                "A skill reads its own entries and project memory; private entries of another skill it doesn't."
            }
            Rule::NothingReadsAsNone => "What is unset, undeclared or not permitted reads as None; a read never fails.",
            Rule::PublicReadable => "A public entry can be read by every skill at any time.",
            Rule::NoSkillActive => {
                "While no skill is active, only project entries have a bare name; public entries need the qualified one."
            }
            Rule::DenyRead => "A skill can't read what its `access.deny_read` lists.",
            Rule::DenyReadOwnAndProject => "`deny_read` may list the skill's own entries and project entries too.",
            Rule::DenyReadEverywhere => "A denied read is None in conditions, prose, listings, responses and tools.",
            Rule::DenyListsByProfile => "Access lists are enforced in the seed profile and ignored in mantle-3.21.",
            Rule::DenyListNamesNothing => "A name on an access list that is undeclared or has no dot has no effect.",
            Rule::NoSessionPrefix => "Tools name entries without `session.` in front.",
            Rule::PiiHidesFromPromptOnly => {
                "`pii` hides a value from prompts; conditions, tools and responses read it."
            }
        }
    }
}

/// The number.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.number())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.number())
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rule, D::Error> {
        let number = String::deserialize(deserializer)?;
        Rule::parse(&number).ok_or_else(|| D::Error::custom(format!("no rule is numbered `{number}`")))
    }
}
