//! Engine generations, and the only list of what differs between them (the profile table, P1 to P30).
//!
//! A difference is a method here; nobody else asks which profile it is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An engine generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Profile {
    /// The generation of the seed documents: skill `requires`, string `complete_when`, `access` lists enforced.
    #[default]
    #[serde(rename = "seed")]
    Seed,
    /// The 3.21 documentation: `precondition`, `hidden`, mapping `complete_when`, `access` ignored.
    #[serde(rename = "mantle-3.21")]
    Mantle321,
}

impl Profile {
    /// Every profile, the default first.
    pub const ALL: [Profile; 2] = [Profile::Seed, Profile::Mantle321];

    /// Returns the name that `--profile` takes.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Seed => "seed",
            Profile::Mantle321 => "mantle-3.21",
        }
    }

    /// Returns the profile of that name.
    pub fn parse(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// P1: whether `access.deny_read` and `access.deny_write` are enforced (M9, M10, M37 to M41).
    pub fn enforces_access_lists(self) -> bool {
        self == Profile::Seed
    }

    /// P2: whether a skill's `requires` gates its offer (M98, M98a).
    pub fn has_skill_requires(self) -> bool {
        self == Profile::Seed
    }

    /// P3: whether `complete_when` of a skill is a mapping (M109, M110).
    pub fn has_complete_when_mapping(self) -> bool {
        self == Profile::Mantle321
    }

    /// P4: whether a frontmatter key that isn't known is an error (M95).
    pub fn refuses_unknown_frontmatter(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether a skill may have `precondition`, `hidden`, `always_include_in_prompt` and `knowledge_answering` (M97).
    pub fn has_newer_frontmatter(self) -> bool {
        self == Profile::Mantle321
    }

    /// P6, P7: whether an entry has a description exactly where the model can set it (M20).
    pub fn ties_description_to_settable(self) -> bool {
        self == Profile::Mantle321
    }

    /// P8: whether a `set_memory` step and a validation tool pass over a project entry that holds a value (M46a).
    pub fn skips_set_project_entries(self) -> bool {
        self == Profile::Mantle321
    }

    /// P9: whether a `set:` button may write project memory (M47).
    pub fn buttons_write_project(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether the metadata of a session start is kept as a whole (M63a).
    pub fn records_metadata(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether the model can't complete a skill before its `complete_when` condition holds (M113).
    pub fn completes_by_condition_only(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether a hook may write memory: the older generation's hooks are validation tools (M47, M208), the lifecycle
    /// hooks of the newer one have no access (M316).
    pub fn hooks_write_memory(self) -> bool {
        self == Profile::Seed
    }

    /// P10: whether `anonymization` means anything (M345).
    pub fn has_anonymization(self) -> bool {
        self == Profile::Mantle321
    }

    /// P11: whether the entry block is the one that no other block reaches, whatever its id (M149).
    pub fn finds_entry_block_by_reach(self) -> bool {
        self == Profile::Mantle321
    }

    /// P12: whether a block may not have a description (M155).
    pub fn refuses_block_description(self) -> bool {
        self == Profile::Mantle321
    }

    /// P13: whether a conditional `next` must have an `else` (M166).
    pub fn requires_else(self) -> bool {
        self == Profile::Mantle321
    }

    /// P14: whether prose may not jump to a hidden skill (M141).
    pub fn refuses_jump_to_hidden(self) -> bool {
        self == Profile::Mantle321
    }

    /// P15: whether `@tool` must name a tool of the skill (M146).
    pub fn refuses_unknown_tool_token(self) -> bool {
        self == Profile::Mantle321
    }

    /// P16: the names of the tools that complete and cancel the active skill (M213).
    pub fn lifecycle_tools(self) -> (&'static str, &'static str) {
        match self {
            Profile::Seed => ("complete_skill", "cancel_skill"),
            Profile::Mantle321 => ("complete", "cancel"),
        }
    }

    /// P17: whether the prompt has a skill glossary, its second section of ten (M241, M253).
    pub fn has_skill_glossary(self) -> bool {
        self == Profile::Seed
    }

    /// Whether the model has a tool that waits in silence (M213).
    pub fn has_listen(self) -> bool {
        self == Profile::Mantle321
    }

    /// P18, P19: whether overrides of the prompt stand under `prompts`, and the model group in integrations (M298, M302).
    pub fn has_overrides_under_prompts(self) -> bool {
        self == Profile::Seed
    }

    /// P20: whether the engine lets the model look for facts in the background (M64).
    pub fn discovers_facts(self) -> bool {
        self == Profile::Seed
    }

    /// P23: whether the bundled session start greets (M287).
    pub fn greets_at_start(self) -> bool {
        self == Profile::Seed
    }

    /// P25: whether the result of a tool may start skills (M351).
    pub fn tools_start_skills(self) -> bool {
        self == Profile::Mantle321
    }

    /// P27: whether `@skill`, `@block` and `@tool` without their one name are errors (M142a).
    pub fn refuses_incomplete_tokens(self) -> bool {
        self == Profile::Mantle321
    }

    /// P30: whether a non-null `initial_value` locks a project entry from the start (M44, M44a, M63).
    pub fn initial_value_locks(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether a section of `integrations.yml` that isn't known is an error (M339).
    pub fn refuses_unknown_integrations(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether an `endpoints.yml` at the root keeps the agent from starting (M330).
    pub fn refuses_endpoints(self) -> bool {
        self == Profile::Mantle321
    }

    /// Whether silence ends a call in a skill of its own (M289).
    pub fn has_hangup_skill(self) -> bool {
        self == Profile::Mantle321
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a profile was chosen, most binding first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileBasis {
    /// Asked for with `--profile`.
    Flag,
    /// Named by the recording.
    Record,
    /// Guessed from what the agent folder uses (M323).
    Guess,
    /// Nothing spoke for or against it.
    Default,
}

/// A profile and how it was chosen; shown wherever the profile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileChoice {
    /// The generation.
    pub profile: Profile,
    /// Why this one.
    pub basis: ProfileBasis,
}

impl fmt::Display for ProfileChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let basis = match self.basis {
            ProfileBasis::Flag => "asked for",
            ProfileBasis::Record => "named by the record",
            ProfileBasis::Guess => "guessed from the agent folder",
            ProfileBasis::Default => "the default",
        };
        write!(f, "{} ({basis})", self.profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The profile table (M322), one row a line: what the question is called, the answer of `seed`, of `mantle-3.21`.
    #[test]
    fn each_difference_is_the_one_of_the_profile_table() {
        type Question = fn(Profile) -> bool;
        let rows: [(&str, Question, bool, bool); 29] = [
            ("P1", Profile::enforces_access_lists, true, false),
            ("P2", Profile::has_skill_requires, true, false),
            ("P3", Profile::has_complete_when_mapping, false, true),
            ("P4", Profile::refuses_unknown_frontmatter, false, true),
            ("P6, P7", Profile::ties_description_to_settable, false, true),
            ("P8", Profile::skips_set_project_entries, false, true),
            ("P9", Profile::buttons_write_project, false, true),
            ("P10", Profile::has_anonymization, false, true),
            ("P11", Profile::finds_entry_block_by_reach, false, true),
            ("P12", Profile::refuses_block_description, false, true),
            ("P13", Profile::requires_else, false, true),
            ("P14", Profile::refuses_jump_to_hidden, false, true),
            ("P15", Profile::refuses_unknown_tool_token, false, true),
            ("P17", Profile::has_skill_glossary, true, false),
            ("P18, P19", Profile::has_overrides_under_prompts, true, false),
            ("P20", Profile::discovers_facts, true, false),
            ("P23", Profile::greets_at_start, true, false),
            ("P25", Profile::tools_start_skills, false, true),
            ("P27", Profile::refuses_incomplete_tokens, false, true),
            ("P30", Profile::initial_value_locks, false, true),
            ("M63a", Profile::records_metadata, false, true),
            ("M97", Profile::has_newer_frontmatter, false, true),
            ("M113", Profile::completes_by_condition_only, false, true),
            ("M213", Profile::has_listen, false, true),
            ("M289", Profile::has_hangup_skill, false, true),
            ("M316", Profile::hooks_write_memory, true, false),
            ("M330", Profile::refuses_endpoints, false, true),
            ("M339", Profile::refuses_unknown_integrations, false, true),
            ("M213, P16", |profile| profile.lifecycle_tools() == ("complete", "cancel"), false, true),
        ];
        for (row, question, seed, newer) in rows {
            assert_eq!(question(Profile::Seed), seed, "{row} in seed");
            assert_eq!(question(Profile::Mantle321), newer, "{row} in mantle-3.21");
        }
        assert_eq!(Profile::Seed.lifecycle_tools(), ("complete_skill", "cancel_skill"), "P16 in seed");
    }

    #[test]
    fn a_choice_says_how_it_was_made() {
        let written = |profile, basis| ProfileChoice { profile, basis }.to_string();
        assert_eq!(written(Profile::Seed, ProfileBasis::Default), "seed (the default)");
        assert_eq!(written(Profile::Mantle321, ProfileBasis::Flag), "mantle-3.21 (asked for)");
        assert_eq!(written(Profile::Seed, ProfileBasis::Record), "seed (named by the record)");
        assert_eq!(written(Profile::Mantle321, ProfileBasis::Guess), "mantle-3.21 (guessed from the agent folder)");
    }
}
