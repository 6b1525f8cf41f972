//! The rules by which decisions are made, by the numbers that the reference gives them.
//!
//! A decision names the rule that made it and those that were tried before; the texts here are what people read
//! about it. Rules of access come first, then those about skills, blocks and tools.

use std::fmt;
use std::ops::Deref;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! rules {
    ($($name:ident $number:literal $text:literal;)+) => {
        /// A rule that decides.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $number] $name,)+
        }

        impl Rule {
            /// Every rule, in the order of this table.
            pub const ALL: &[Rule] = &[$(Rule::$name),+];

            /// Returns its number in the reference.
            pub fn number(self) -> &'static str {
                match self {
                    $(Rule::$name => $number,)+
                }
            }

            /// Returns what it says, in one sentence.
            pub fn text(self) -> &'static str {
                match self {
                    $(Rule::$name => $text,)+
                }
            }
        }
    };
}

rules! {
    InitialValueUntilWritten "M22a"
        "An entry reads as its initial_value until something is written; a stored None hides it.";
    EnumBindsModel "M25" "`enum_values` bind the model and buttons, not tools.";
    QualifiedName "M27" "A qualified name is the skill or `project`, a dot, and the entry.";
    BareNameBySchema "M30" "A bare name is the active skill's entry if it declares one, else the project's.";
    QualifiedNameStays "M30a" "A qualified name means that entry and never falls through to another one.";
    DeniedNameStays "M30b" "A bare name stays with the skill's own entry even if that one is denied.";
    SystemReserved "M31" "`system` belongs to the engine: nobody else reads or writes it by name.";
    OwnAndProject "M32"
        "A skill reads and writes its own entries and project memory; of other skills it reads the public entries \
         and writes none.";
    NothingReadsAsNone "M33" "What is unset, undeclared or not permitted reads as None; a read never fails.";
    UndeclaredWrite "M34" "A write of a name that nothing declares is refused with `MemoryWriteError`.";
    PublicReadable "M35" "A public entry can be read by every skill at any time.";
    SharedToolNamespace "M36"
        "A shared tool runs in the namespace of the active skill, which must declare what the tool writes by bare name.";
    NoSkillActive "M36a"
        "While no skill is active, only project entries have a bare name; public entries need the qualified one.";
    DenyLists "M37" "A skill can't read what its `access.deny_read` lists, nor write what its `access.deny_write` lists.";
    DenyOwnAndProject "M38" "Access lists may name the skill's own entries and project entries too.";
    DenyReadEverywhere "M39" "A denied read is None in conditions, prose, listings, responses and tools.";
    DenyListsByProfile "M41" "Access lists are enforced in the seed profile and ignored in mantle-3.21.";
    DenyListNamesNothing "M41a" "A name on an access list that is undeclared or has no dot has no effect.";
    ProjectWrittenOnce "M43" "A project entry is locked by its first write until the session ends.";
    AnyValueLocks "M44"
        "Any value but None locks a project entry, `False`, 0 and empty text included; in mantle-3.21 an initial_value \
         does too.";
    InitialValueStaysOpen "M44a" "In the seed profile the first write over a project entry's initial_value goes through.";
    NoneLeavesOpen "M45"
        "A write of None leaves a project entry open, and writing the value that it holds already is refused like any.";
    SetProjectIsSkipped "M46a"
        "In mantle-3.21 a `set_memory` step and a validation tool pass over a project entry that holds a value.";
    ProjectWriters "M47"
        "Project memory is written by tools, validation tools and seeding, in mantle-3.21 by `set:` buttons too, and \
         never by the model.";
    ModelSettable "M49"
        "The model may set the active skill's `llm_settable` entries and those that its `collect` steps own.";
    CorrectNeedsValue "M51" "`correct` takes settable entries that have a value.";
    Seeded "M59" "A project entry with `seed: true` is copied from the metadata of the session start.";
    OnlyMarkedSeeded "M60" "Metadata of an entry that isn't marked `seed: true` is never copied.";
    SeedOfOtherType "M61" "Metadata of another type than the entry's leaves it unset.";
    SeedIsStrict "M62" "Metadata is taken as it is: a text is no number and no bool, and must be one of `enum_values`.";
    InitialValueBarsSeed "M63" "In mantle-3.21 an entry with an initial_value can't be seeded.";
    SetMemoryStep "M179" "A `set_memory` step writes by the rules of a tool.";
    NoSessionPrefix "M202" "Tools name entries without `session.` in front.";
    ValidationToolWrites "M211" "A validation tool may write other memory, project memory included.";
    FieldsAreBare "M218" "The fields of `set_fields` are bare names of entries.";
    ButtonWrites "M233" "A `set:` button writes the active skill's entries, without `llm_settable`.";
    StaleButton "M234"
        "A tap writes only while a skill is active that may write the entry, with a value of the entry's type, and \
         never over a set project entry.";
    PiiHidesFromPromptOnly "M259" "`pii` hides a value from prompts; conditions, tools and responses read it.";
    HooksHaveNoMemory "M316" "Lifecycle hooks of mantle-3.21 have no access to memory.";
    Clearing "M342" "A skill clears its own entries by writing None.";
    KeyedAnswer "M348" "Keys answer the collect that waits for them with a value of its type; others are the user's words.";
    ModelCallsFitTheSchema "M350" "A call of the model that doesn't fit the tool's schema is refused before anything runs.";
    EarlierStepIsCorrected "M352" "A value that an earlier step of the block obtained is changed by `correct`, not `set_fields`.";
    EngineFillsItsOwn "M366" "The engine fills the entries of its own skills.";

    SkillRequires "M98" "In the seed profile a skill starts only while its `requires` holds.";
    Disabled "M100" "A disabled skill never starts.";
    ConditionCompletes "M113"
        "A skill whose `complete_when` is a condition completes by itself, and in mantle-3.21 not before it holds.";
    BlockEndsByItself "M117" "While a block is active its skill can't be completed by the model.";
    ConfirmationFirst "M117a" "A skill can't be completed while one of its tool calls waits for the user's yes.";
    MarkerScopes "M122" "A paragraph under an `if:` marker is in the prompt while its condition holds.";
    BlocksOfTheSkill "M139" "A block is entered from the prose of its own skill.";
    ReferenceNeedsRequires "M141" "A skill that prose references must be one that may start.";
    BranchesInOrder "M165" "Of the branches of a step the first one that holds is taken.";
    ToolRequires "M187" "A tool is hidden and blocked until its `requires` holds.";
    CriteriaJudged "M112"
        "In mantle-3.21 a skill with `criteria` completes only when a model has judged that each of them is met.";
    ToolOfTheSkill "M185" "A skill calls its own tools, those that it imports, and no others.";
    ConfirmationState "M192" "A tool with `requires_confirmation` waits for the user's yes: a second call meanwhile, and one in the turn of the \
         answer, is refused.";
    ConfirmationChecksAgain "M195" "A confirmed call is checked against `requires` again before it runs.";
    VariantByCondition "M222" "A response has its first wording whose condition holds, else the one without a condition.";
    ParkedIsResumed "M280" "A skill that is on the stack is resumed, not started again.";
    TopIsNoTarget "M281" "The skill on top of the stack can't be activated.";
    EngineManaged "M286" "The engine's own skills aren't on the model's menu.";
    Hidden "M334" "A hidden skill is started by steps, tools and preconditions only.";
    Precondition "M335" "A skill whose precondition doesn't hold waits while its resolver runs, once.";
    LeverOff "M336" "A built-in tool that `orchestrator.tool_constraints` switches off doesn't run.";
    Startable "M338" "A skill starts only if it exists and has prose or a block to start with.";
    ValidationRejects "M210"
        "A validation tool that comes back with an error takes the write back, and the model reads why.";
    HandOver "M351"
        "A skill that is on the stack isn't started again by a reference, a step or a tool; nothing changes. Tools start \
         ten skills in a turn at most, and none while a tool called beside them waits for a yes.";
}

impl Rule {
    /// Returns the rule of that number.
    pub fn parse(number: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|rule| rule.number() == number)
    }

    /// Returns the row of the profile table that says where the generations differ about it, if they do.
    pub fn profile_row(self) -> Option<&'static str> {
        match self {
            Rule::DenyLists | Rule::DenyOwnAndProject | Rule::DenyReadEverywhere | Rule::DenyListsByProfile => {
                Some("P1")
            }
            Rule::SkillRequires => Some("P2"),
            Rule::SetProjectIsSkipped => Some("P8"),
            Rule::ProjectWriters => Some("P9"),
            Rule::ConditionCompletes => Some("P3"),
            Rule::ReferenceNeedsRequires => Some("P14"),
            Rule::AnyValueLocks | Rule::InitialValueStaysOpen | Rule::InitialValueBarsSeed => Some("P30"),
            _ => None,
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

/// How many rules a decision tries at most.
const TRAIL_LEN: usize = 24;

/// The rules that were tried before one decided, in order. It lives where the decision does, because decisions are made
/// for every read of a long session.
#[derive(Clone, Copy)]
pub struct Trail {
    rules: [Rule; TRAIL_LEN],
    len: u8,
}

impl Trail {
    /// Adds a rule.
    ///
    /// # Panics
    ///
    /// Panics where there are more than any decision tries.
    pub fn push(&mut self, rule: Rule) {
        self.rules[usize::from(self.len)] = rule;
        self.len += 1;
    }

    /// Takes the last rule away.
    pub fn pop(&mut self) -> Option<Rule> {
        let last = self.last().copied()?;
        self.len -= 1;
        Some(last)
    }

    /// Returns what was tried before `rule` decided: all but the rule itself, which may have been applied on the way.
    pub fn before(self, rule: Rule) -> Trail {
        let mut tried = Trail::default();
        tried.extend(self.iter().copied().filter(|other| *other != rule));
        tried
    }
}

impl Extend<Rule> for Trail {
    fn extend<I: IntoIterator<Item = Rule>>(&mut self, rules: I) {
        rules.into_iter().for_each(|rule| self.push(rule));
    }
}

impl Default for Trail {
    fn default() -> Trail {
        Trail { rules: [Rule::ALL[0]; TRAIL_LEN], len: 0 }
    }
}

impl Deref for Trail {
    type Target = [Rule];

    fn deref(&self) -> &[Rule] {
        &self.rules[..usize::from(self.len)]
    }
}

impl PartialEq for Trail {
    fn eq(&self, other: &Trail) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_the_rules_that_were_put_on_it() {
        let mut trail = Trail::default();
        assert_eq!(trail.pop(), None);
        let [first, second, third] = [0, 1, 2].map(|index| Rule::ALL[index]);
        trail.extend([first, second, third]);
        assert_eq!((trail.pop(), &*trail), (Some(third), &[first, second][..]));
        let mut other = Trail::default();
        other.extend([first, second]);
        assert_eq!(trail, other);
        assert_eq!(*trail.before(first), [second]);
        assert_eq!(trail.before(third), trail);
    }

    #[test]
    fn a_number_names_one_rule() {
        for rule in Rule::ALL {
            assert_eq!(Rule::parse(rule.number()), Some(*rule), "{rule}");
            assert!(rule.text().ends_with('.'), "{rule} says a sentence");
        }
    }
}
