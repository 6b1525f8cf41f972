//! Every diagnostic code, in one table. A code is a promise: people and machines match on it.
//!
//! Where the engine's own code is known it is kept verbatim (M319); ours begin with `replay.`.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)+
        /// Every code, in the order of this table.
        pub const ALL: &[&str] = &[$($code),+];
    };
}

codes! {
    /// A file isn't UTF-8.
    NOT_UTF8 = "replay.file.not_utf8";
    /// A file of the folder can't be read.
    UNREADABLE = "replay.file.unreadable";
    /// A file is larger than anything that people write.
    TOO_LARGE = "replay.file.too_large";
    /// A link leads out of the folder.
    OUTSIDE = "replay.file.outside";

    /// The text is no YAML.
    YAML_SYNTAX = "replay.yaml.syntax";
    /// A key stands twice in one mapping.
    YAML_DUPLICATE_KEY = "replay.yaml.duplicate_key";
    /// The document nests too deep.
    YAML_TOO_DEEP = "replay.yaml.too_deep";
    /// Aliases expand to too much.
    YAML_TOO_MANY_NODES = "replay.yaml.too_many_nodes";
    /// An alias names an anchor that isn't complete before it.
    YAML_ALIAS = "replay.yaml.alias";
    /// A tag that isn't known.
    YAML_TAG = "replay.yaml.tag";
    /// More than one document in a file.
    YAML_DOCUMENTS = "replay.yaml.documents";
    /// A key that isn't a scalar.
    YAML_KEY = "replay.yaml.key";
    /// A bare `yes`, `no`, `on` or `off` where text is meant (M21).
    YAML_BARE_BOOL = "replay.yaml.bare_bool";
    /// A value of another type than the key takes.
    WRONG_TYPE = "replay.value.wrong_type";

    /// `agent:` is missing (M300).
    AGENT_MISSING_SECTION = "config.agent.missing_section";
    /// The persona is missing (M300).
    AGENT_MISSING_PERSONA = "config.agent.missing_persona";
    /// There is no `agent.yml`.
    AGENT_MISSING_FILE = "replay.agent.missing_file";
    /// A setting under `agent:` that belongs beside it (M299).
    AGENT_NESTED_SETTING = "replay.agent.nested_setting";
    /// A setting that the other profile reads.
    AGENT_OTHER_PROFILE = "replay.agent.other_profile";
    /// Hints for both profiles (M323).
    AGENT_MIXED_PROFILES = "replay.agent.mixed_profiles";
    /// `llm` holds an unknown key (M302).
    CONFIG_INVALID_LLM = "mantle.validation.config.invalid_llm";
    /// `llm` is left over (M302).
    CONFIG_UNEXPECTED_LLM = "mantle.validation.config.unexpected_llm";

    /// A skill has no `skill.md`.
    SKILL_MISSING_FILE = "replay.skill.missing_file";
    /// A skill id that conditions can't name, or a reserved one (M5, M6).
    SKILL_ID = "replay.skill.id";
    /// No `---` frame (M92).
    SKILL_FRONTMATTER_DELIMITER = "skill.markdown.invalid_frontmatter_delimiter";
    /// A frontmatter key that isn't known (M95), as the newer profile calls it.
    SKILL_UNKNOWN_KEY = "skill.markdown.unknown_frontmatter_key";
    /// A frontmatter key that isn't known (M95), where the engine ignores it.
    SKILL_IGNORED_KEY = "replay.skill.ignored_key";
    /// No name, or no text (M94).
    SKILL_MISSING_NAME = "replay.skill.missing_name";
    /// No description, or no text (M94).
    SKILL_MISSING_DESCRIPTION = "mantle.validation.skill.missing_description";
    /// Neither prose nor a block (M119).
    SKILL_MISSING_INSTRUCTIONS = "skill.markdown.missing_instructions";
    /// `tool_constraints` of another shape (M183).
    SKILL_TOOL_CONSTRAINTS = "skill.markdown.invalid_tool_constraints";
    /// An option that isn't known (M184, M191).
    SKILL_UNKNOWN_OPTION = "replay.skill.unknown_option";
    /// Two constraints on one tool (M186).
    SKILL_DOUBLE_CONSTRAINT = "replay.skill.double_constraint";
    /// `utter` of another shape (M236).
    SKILL_UTTER = "replay.skill.utter";
    /// An import of another shape (M101).
    SKILL_IMPORT = "replay.skill.import";
    /// A skill key of the other profile (M98a, M110).
    SKILL_OTHER_PROFILE = "replay.skill.other_profile";

    /// `if:` without an expression (M128).
    PROSE_EMPTY_IF = "mantle.validation.prose.empty_if_condition";
    /// `if:` whose expression doesn't parse (M90).
    PROSE_INVALID_IF = "mantle.validation.prose.invalid_if_expression";
    /// `if:` that names what the skill can't read (M90).
    PROSE_UNKNOWN_KEY = "mantle.validation.prose.unknown_memory_key";
    /// `@memory` that names what the skill can't read (M131).
    PROSE_UNKNOWN_REFERENCE = "mantle.validation.prose.unknown_memory_reference";
    /// A lookalike of `@memory` (M136).
    PROSE_INCOMPLETE_MEMORY = "mantle.validation.prose.incomplete_memory_reference";
    /// A lookalike of `@skill`, `@block` or `@tool` (M142a).
    PROSE_INCOMPLETE_AT = "mantle.validation.prose.incomplete_at_reference";
    /// `session.…` in free prose (M29).
    PROSE_SESSION_REFERENCE = "mantle.validation.prose.session_reference_in_instructions";
    /// A marker with nothing beneath it (M128).
    PROSE_EMPTY_SCOPE = "replay.prose.empty_scope";
    /// An `if:` that is plain text (M124).
    PROSE_PLAIN_IF = "replay.prose.plain_if";
    /// `else:` in prose (M123).
    PROSE_ELSE = "replay.prose.else";

    /// A condition that doesn't parse (M71).
    CONDITION_INVALID = "replay.condition.invalid";
    /// A condition that names what its skill can't read (M90).
    CONDITION_UNKNOWN_KEY = "replay.condition.unknown_key";

    /// A block fence of another shape, or one that isn't closed (M153).
    BLOCK_FENCE = "replay.block.fence";
    /// Two blocks of one id (M154).
    BLOCK_DOUBLE_ID = "replay.block.double_id";
    /// A block key that isn't allowed (M155, M157).
    BLOCK_KEY = "replay.block.key";
    /// A block without steps (M157).
    BLOCK_MISSING_STEPS = "replay.block.missing_steps";
    /// A step of another shape.
    STEP_SHAPE = "replay.step.shape";
    /// A step key that isn't known (M158, M159).
    STEP_KEY = "replay.step.key";
    /// A step that says nothing, or two things (M160, M162).
    STEP_KIND = "replay.step.kind";
    /// Two steps of one id.
    STEP_DOUBLE_ID = "replay.step.double_id";
    /// `next` of another shape (M163, M165).
    STEP_NEXT = "replay.step.next";

    /// A memory file of another shape (M9, M11).
    MEMORY_SHAPE = "replay.memory.shape";
    /// A name that is declared twice (M14).
    MEMORY_DOUBLE_NAME = "replay.memory.double_name";
    /// A name that conditions can't name.
    MEMORY_NAME = "replay.memory.name";
    /// An attribute that isn't known (M19).
    MEMORY_ATTRIBUTE = "replay.memory.attribute";
    /// A type that isn't known (M23).
    MEMORY_TYPE = "replay.memory.type";
    /// `llm_settable` on a project entry (M16).
    MEMORY_PROJECT_SETTABLE = "mantle.validation.memory.project_llm_settable";
    /// `seed` on a skill entry (M17).
    MEMORY_SKILL_SEED = "replay.memory.skill_seed";
    /// An access list that this profile doesn't enforce (M41).
    ACCESS_NOT_ENFORCED = "replay.access.not_enforced";
    /// A name on an access list that has no effect (M41a).
    ACCESS_NO_EFFECT = "replay.access.no_effect";

    /// Variants of another shape (M220).
    RESPONSE_SHAPE = "mantle.validation.response.invalid_variant_shape";
    /// A variant key that isn't known (M220).
    RESPONSE_KEY = "mantle.validation.response.invalid_variant_key";
    /// Buttons of another shape (M231).
    RESPONSE_BUTTONS = "replay.response.buttons";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn no_code_stands_twice() {
        let mut codes = ALL.to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
    }
}
