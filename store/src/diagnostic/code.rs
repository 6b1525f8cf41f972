//! Every diagnostic code, in one table. A code is a promise: people and machines match on it.
//!
//! Where the engine's own code is known it is kept verbatim (M319); ours begin with `replay.`.

use super::Severity;
use super::catalogue::Row;

macro_rules! codes {
    ($(#[doc = $doc:literal] $name:ident = $code:literal, $severity:ident;)+) => {
        $(#[doc = $doc] pub const $name: &str = $code;)+
        /// Every code, in the order of this table.
        pub(super) const ROWS: &[Row] = &[$(Row { code: $code, severity: Severity::$severity, doc: $doc }),+];
    };
}

codes! {
    /// A file isn't UTF-8.
    NOT_UTF8 = "replay.file.not_utf8", Error;
    /// A file of the folder can't be read.
    UNREADABLE = "replay.file.unreadable", Error;
    /// A file is larger than anything that people write.
    TOO_LARGE = "replay.file.too_large", Error;
    /// A link leads out of the folder.
    OUTSIDE = "replay.file.outside", Error;

    /// The text is no YAML.
    YAML_SYNTAX = "replay.yaml.syntax", Error;
    /// A key stands twice in one mapping.
    YAML_DUPLICATE_KEY = "replay.yaml.duplicate_key", Error;
    /// The document nests too deep.
    YAML_TOO_DEEP = "replay.yaml.too_deep", Error;
    /// Aliases expand to too much.
    YAML_TOO_MANY_NODES = "replay.yaml.too_many_nodes", Error;
    /// An alias names an anchor that isn't complete before it.
    YAML_ALIAS = "replay.yaml.alias", Error;
    /// A tag that isn't known.
    YAML_TAG = "replay.yaml.tag", Warning;
    /// More than one document in a file.
    YAML_DOCUMENTS = "replay.yaml.documents", Warning;
    /// A key that isn't a scalar.
    YAML_KEY = "replay.yaml.key", Error;
    /// A bare `yes`, `no`, `on` or `off` where text is meant (M21).
    YAML_BARE_BOOL = "replay.yaml.bare_bool", Warning;
    /// A value of another type than the key takes.
    WRONG_TYPE = "replay.value.wrong_type", Error;

    /// `agent:` is missing (M300).
    AGENT_MISSING_SECTION = "config.agent.missing_section", Error;
    /// The persona is missing (M300).
    AGENT_MISSING_PERSONA = "config.agent.missing_persona", Error;
    /// There is no `agent.yml`.
    AGENT_MISSING_FILE = "replay.agent.missing_file", Error;
    /// A setting under `agent:` that belongs beside it (M299).
    AGENT_NESTED_SETTING = "replay.agent.nested_setting", Warning;
    /// A setting that the other profile reads.
    AGENT_OTHER_PROFILE = "replay.agent.other_profile", Warning;
    /// Hints for both profiles (M323).
    AGENT_MIXED_PROFILES = "replay.agent.mixed_profiles", Warning;
    /// A top-level key of `agent.yml` that nothing reads (M298).
    AGENT_UNKNOWN_KEY = "replay.agent.unknown_key", Warning;
    /// A key that keeps the newer engine from loading the agent (M331).
    AGENT_STRICT_KEY = "replay.agent.strict_key", Error;
    /// A skill id that no folder has (M367).
    AGENT_UNKNOWN_SKILL = "replay.agent.unknown_skill", Warning;
    /// No skill at all (M3).
    AGENT_NO_SKILL = "replay.agent.no_skill", Error;
    /// No model group for the orchestrator (M300).
    AGENT_MISSING_MODEL_GROUP = "replay.agent.missing_model_group", Error;
    /// A built-in tool restrained in a way that doesn't exist (M336).
    AGENT_LEVER = "replay.agent.lever", Error;
    /// A precondition that its resolver can't meet (M335).
    AGENT_RESOLVER = "replay.agent.resolver", Error;
    /// There is no `integrations.yml` (M3, M339).
    CONFIG_MISSING_INTEGRATIONS = "mantle.validation.config.missing_integrations", Error;
    /// No model groups are declared (M339).
    CONFIG_MISSING_MODEL_GROUPS = "replay.config.missing_model_groups", Error;
    /// A model group that isn't declared (M300, M302).
    CONFIG_UNKNOWN_MODEL_GROUP = "mantle.validation.config.unknown_model_group", Error;
    /// A number outside of what its setting takes (M297, M298).
    AGENT_LIMIT = "replay.agent.limit", Error;
    /// A section of `integrations.yml` that isn't known (M339).
    CONFIG_UNKNOWN_INTEGRATION = "mantle.validation.config.unknown_integration_key", Error;
    /// A section of `integrations.yml` that only the classic engine reads (M339).
    CONFIG_UNSUPPORTED_INTEGRATION = "mantle.validation.config.unsupported_integration_key", Error;
    /// Several models in a group, and no router that would use the others (M339).
    CONFIG_UNUSED_MODELS = "mantle.validation.config.unused_model_group_models", Warning;
    /// A secret that stands in the file itself (M339, M340).
    CONFIG_LITERAL_SECRET = "mantle.validation.config.literal_secret", Warning;
    /// `tracing` of another shape (M339).
    CONFIG_TRACING = "mantle.validation.config.invalid_tracing", Error;
    /// `metrics` of another shape (M339).
    CONFIG_METRICS = "mantle.validation.config.invalid_metrics", Error;
    /// `event_broker` of another shape (M339).
    CONFIG_EVENT_BROKER = "mantle.validation.config.invalid_event_broker", Error;
    /// `timer_store` of another shape (M339).
    CONFIG_TIMER_STORE = "mantle.validation.config.invalid_timer_store", Error;
    /// `tracker_store` of another shape (M339).
    CONFIG_TRACKER_STORE = "mantle.validation.config.invalid_tracker_store", Error;
    /// `lock_store` of another shape (M339).
    CONFIG_LOCK_STORE = "mantle.validation.config.invalid_lock_store", Error;
    /// `secrets_manager` of another shape (M339).
    CONFIG_SECRETS_MANAGER = "mantle.validation.config.invalid_secrets_manager", Error;
    /// `rasa_model_server` of another shape (M339).
    CONFIG_MODEL_SERVER = "mantle.validation.config.invalid_model_server", Error;
    /// `recordings` of another shape (M339).
    CONFIG_RECORDINGS = "mantle.validation.config.invalid_recordings", Error;
    /// An MCP server whose name, address or way to sign in isn't allowed (M340).
    CONFIG_MCP_SERVER = "mantle.validation.config.invalid_mcp_server", Error;
    /// Two MCP servers of one name (M340).
    CONFIG_DOUBLE_MCP_SERVER = "mantle.validation.config.duplicate_mcp_server_name", Error;
    /// An `endpoints.yml` at the root (M330).
    CONFIG_ENDPOINTS = "replay.config.endpoints", Error;
    /// `llm` holds an unknown key (M302).
    CONFIG_INVALID_LLM = "mantle.validation.config.invalid_llm", Error;
    /// `llm` is left over (M302).
    CONFIG_UNEXPECTED_LLM = "mantle.validation.config.unexpected_llm", Error;

    /// A skill has no `skill.md`.
    SKILL_MISSING_FILE = "replay.skill.missing_file", Warning;
    /// A skill that can't be loaded, so that the agent doesn't start (M96).
    SKILL_FAILED_TO_LOAD = "mantle.validation.skill.failed_to_load", Error;
    /// A `skill.md` where no skill is looked for (M3).
    SKILL_NESTED = "replay.skill.nested", Warning;
    /// A skill id that conditions can't name, or a reserved one (M5, M6).
    SKILL_ID = "replay.skill.id", Error;
    /// No `---` frame (M92).
    SKILL_FRONTMATTER_DELIMITER = "skill.markdown.invalid_frontmatter_delimiter", Error;
    /// A frontmatter key that isn't known (M95), as the newer profile calls it.
    SKILL_UNKNOWN_KEY = "skill.markdown.unknown_frontmatter_key", Error;
    /// A frontmatter key that isn't known (M95), where the engine ignores it.
    SKILL_IGNORED_KEY = "replay.skill.ignored_key", Warning;
    /// No name, or no text (M94).
    SKILL_MISSING_NAME = "replay.skill.missing_name", Error;
    /// No description, or no text (M94).
    SKILL_MISSING_DESCRIPTION = "mantle.validation.skill.missing_description", Error;
    /// Neither prose nor a block (M119).
    SKILL_MISSING_INSTRUCTIONS = "skill.markdown.missing_instructions", Error;
    /// `tool_constraints` of another shape (M183).
    SKILL_TOOL_CONSTRAINTS = "skill.markdown.invalid_tool_constraints", Error;
    /// An option that isn't known (M184, M191).
    SKILL_UNKNOWN_OPTION = "replay.skill.unknown_option", Error;
    /// Two constraints on one tool (M186).
    SKILL_DOUBLE_CONSTRAINT = "replay.skill.double_constraint", Error;
    /// `utter` of another shape (M236).
    SKILL_UTTER = "replay.skill.utter", Error;
    /// An import of another shape (M101).
    SKILL_IMPORT = "replay.skill.import", Error;
    /// A skill key of the other profile (M98a, M110).
    SKILL_OTHER_PROFILE = "replay.skill.other_profile", Error;
    /// Two skill ids that differ in capitals alone (M6a).
    SKILL_DOUBLE_ID = "replay.skill.double_id", Warning;
    /// A skill that nothing ever starts (M334, M338).
    SKILL_UNREACHED = "replay.skill.unreached", Warning;
    /// A jump or call to a skill that is disabled (M100).
    SKILL_DISABLED_TARGET = "replay.skill.disabled_target", Warning;
    /// `complete_when` on a skill of blocks alone (M114).
    SKILL_COMPLETE_WHEN_BLOCKS = "replay.skill.complete_when_blocks", Error;
    /// `complete_when` without `condition` and `criteria` (M110).
    SKILL_COMPLETE_WHEN_EMPTY = "replay.skill.complete_when_empty", Error;
    /// A criterion that stands twice (M110).
    SKILL_DOUBLE_CRITERION = "replay.skill.double_criterion", Error;
    /// A precondition that `agent.yml` doesn't bind (M335).
    SKILL_UNBOUND_PRECONDITION = "replay.skill.unbound_precondition", Error;
    /// A replaced scope handler on the menu (M289).
    SKILL_ENGINE_MANAGED = "replay.skill.engine_managed", Error;
    /// A replaced silence skill that hangs up (M289).
    SKILL_SILENCE_HANGUP = "replay.skill.silence_hangup", Error;

    /// `if:` without an expression (M128).
    PROSE_EMPTY_IF = "mantle.validation.prose.empty_if_condition", Error;
    /// `if:` whose expression doesn't parse (M90).
    PROSE_INVALID_IF = "mantle.validation.prose.invalid_if_expression", Error;
    /// `if:` that names what the skill can't read (M90).
    PROSE_UNKNOWN_KEY = "mantle.validation.prose.unknown_memory_key", Error;
    /// `@memory` that names what the skill can't read (M131).
    PROSE_UNKNOWN_REFERENCE = "mantle.validation.prose.unknown_memory_reference", Error;
    /// A lookalike of `@memory` (M136).
    PROSE_INCOMPLETE_MEMORY = "mantle.validation.prose.incomplete_memory_reference", Error;
    /// A lookalike of `@skill`, `@block` or `@tool` (M142a).
    PROSE_INCOMPLETE_AT = "mantle.validation.prose.incomplete_at_reference", Error;
    /// `session.…` in free prose (M29).
    PROSE_SESSION_REFERENCE = "mantle.validation.prose.session_reference_in_instructions", Error;
    /// A marker with nothing beneath it (M128).
    PROSE_EMPTY_SCOPE = "replay.prose.empty_scope", Warning;
    /// An `if:` that is plain text (M124).
    PROSE_PLAIN_IF = "replay.prose.plain_if", Warning;
    /// `else:` in prose (M123).
    PROSE_ELSE = "replay.prose.else", Error;
    /// `@block` without such a block (M142).
    PROSE_UNKNOWN_BLOCK = "replay.prose.unknown_block", Error;
    /// `@skill` without such a skill (M142).
    PROSE_UNKNOWN_SKILL = "replay.prose.unknown_skill", Error;
    /// `@skill` of a hidden skill (M141, M334).
    PROSE_HIDDEN_SKILL = "replay.prose.hidden_skill", Error;
    /// `@skill` of the skill itself (M281).
    PROSE_OWN_SKILL = "replay.prose.own_skill", Warning;
    /// `@tool` without such a tool (M146).
    PROSE_UNKNOWN_TOOL = "replay.prose.unknown_tool", Error;
    /// A jump in the instructions of a step (M143).
    PROSE_JUMP_IN_STEP = "replay.prose.jump_in_step", Warning;
    /// A skill that is named without `@skill` (M144).
    PROSE_PLAIN_SKILL = "replay.prose.plain_skill", Warning;

    /// A condition that doesn't parse (M71).
    CONDITION_INVALID = "replay.condition.invalid", Error;
    /// A condition that names what its skill can't read (M90).
    CONDITION_UNKNOWN_KEY = "replay.condition.unknown_key", Error;
    /// A condition that no value of its entries makes true (M78, M83, M85).
    CONDITION_NEVER_TRUE = "replay.condition.never_true", Warning;
    /// A condition that every value of its entries makes true (M78, M83).
    CONDITION_ALWAYS_TRUE = "replay.condition.always_true", Warning;
    /// A comparison with a value that the entry never has (M83).
    CONDITION_IMPOSSIBLE_VALUE = "replay.condition.impossible_value", Warning;
    /// A number alone, which is false while it is 0 (M80, M82).
    CONDITION_ZERO = "replay.condition.zero_is_false", Warning;
    /// A literal where a comparison is meant (M80).
    CONDITION_BARE_LITERAL = "replay.condition.bare_literal", Warning;

    /// A block fence of another shape, or one that isn't closed (M153).
    BLOCK_FENCE = "replay.block.fence", Error;
    /// Two blocks of one id (M154).
    BLOCK_DOUBLE_ID = "replay.block.double_id", Error;
    /// A block key that isn't allowed (M155, M157).
    BLOCK_KEY = "replay.block.key", Error;
    /// A block without steps (M157).
    BLOCK_MISSING_STEPS = "replay.block.missing_steps", Error;
    /// A `description` on a block (M155).
    BLOCK_DESCRIPTION = "replay.block.description", Error;
    /// No block, or several, that could be the entry (M149).
    BLOCK_ENTRY = "replay.block.entry", Error;
    /// A block that nothing enters (M139, M149).
    BLOCK_UNREACHED = "replay.block.unreached", Warning;
    /// A step of another shape.
    STEP_SHAPE = "replay.step.shape", Error;
    /// A step key that isn't known (M158, M159).
    STEP_KEY = "replay.step.key", Error;
    /// A step that says nothing, or two things (M160, M162).
    STEP_KIND = "replay.step.kind", Error;
    /// Two steps of one id.
    STEP_DOUBLE_ID = "replay.step.double_id", Error;
    /// `next` of another shape (M163, M165).
    STEP_NEXT = "replay.step.next", Error;
    /// `next` to a step that isn't there (M163).
    STEP_UNKNOWN_TARGET = "replay.step.unknown_target", Error;
    /// A conditional `next` without `else` (M166).
    STEP_MISSING_ELSE = "replay.step.missing_else", Error;
    /// Branches behind `else` (M165).
    STEP_ELSE_ORDER = "replay.step.else_order", Error;
    /// A step that no step leads to (M164, M170).
    STEP_UNREACHED = "replay.step.unreached", Warning;
    /// A step from which the block never ends (M170).
    STEP_NO_WAY_OUT = "replay.step.no_way_out", Warning;
    /// `instructions` without `complete_when` (M171).
    STEP_NO_EXIT_CONDITION = "replay.step.no_exit_condition", Warning;
    /// Keypad input that doesn't say, or says twice, where it ends (M161).
    STEP_DTMF = "replay.step.dtmf", Error;
    /// `call` or `link` to what isn't there (M180).
    STEP_UNKNOWN_CALL = "replay.step.unknown_call", Error;
    /// A parameter that names what the skill can't read (M90, M176).
    STEP_UNKNOWN_REFERENCE = "replay.step.unknown_reference", Error;
    /// Arguments that the tool doesn't take, or lacks (M178, M197).
    STEP_TOOL_ARGUMENT = "replay.step.tool_argument", Warning;
    /// `set_memory` with a value of another type (M179).
    STEP_VALUE_TYPE = "replay.step.value_type", Warning;
    /// `set_memory` of a project entry that counts as set (M46a).
    STEP_SKIPPED_WRITE = "replay.step.skipped_write", Warning;
    /// `collect` of project memory (M48).
    COLLECT_PROJECT_ENTRY = "replay.step.collect_project_entry", Error;
    /// A write to what nothing declares (M15).
    UNDECLARED_WRITE = "undeclared_memory_write", Error;
    /// A write to memory of another skill or of the engine (M34, M42).
    FOREIGN_WRITE = "replay.memory.foreign_write", Warning;

    /// A memory file of another shape (M9, M11).
    MEMORY_SHAPE = "replay.memory.shape", Error;
    /// A name that is declared twice (M14).
    MEMORY_DOUBLE_NAME = "replay.memory.double_name", Error;
    /// A name that conditions can't name.
    MEMORY_NAME = "replay.memory.name", Warning;
    /// An attribute that isn't known (M19).
    MEMORY_ATTRIBUTE = "replay.memory.attribute", Warning;
    /// A type that isn't known (M23).
    MEMORY_TYPE = "replay.memory.type", Warning;
    /// `llm_settable` on a project entry (M16).
    MEMORY_PROJECT_SETTABLE = "mantle.validation.memory.project_llm_settable", Error;
    /// `seed` on a skill entry (M17).
    MEMORY_SKILL_SEED = "replay.memory.skill_seed", Error;
    /// A description where the model can't set the entry (M20).
    MEMORY_DESCRIPTION_NOT_EXPOSED = "mantle.validation.memory.description_not_exposed", Error;
    /// An entry that the model sets without a description (M20).
    MEMORY_MISSING_DESCRIPTION = "replay.memory.missing_description", Error;
    /// An entry that its collect step describes too (M20a).
    MEMORY_DOUBLE_DESCRIPTION = "replay.memory.double_description", Warning;
    /// A project entry that its initial value locks for good (M44).
    MEMORY_LOCKED = "replay.memory.locked", Warning;
    /// `mutable`, which a skill entry can't have and a project entry has for nothing (M18).
    MEMORY_MUTABLE = "replay.memory.mutable", Error;
    /// `seed` that can never seed (M63).
    MEMORY_NEVER_SEEDED = "replay.memory.never_seeded", Warning;
    /// An initial value of another type (M22a, M25).
    MEMORY_INITIAL_TYPE = "replay.memory.initial_type", Warning;
    /// A value that the prompt cuts (M262).
    MEMORY_VALUE_CUT = "replay.memory.value_cut", Warning;
    /// `anonymization` without `pii`, or of another shape (M345).
    MEMORY_ANONYMIZATION = "replay.memory.anonymization", Error;
    /// An entry that nothing writes (M78).
    MEMORY_NEVER_WRITTEN = "replay.memory.never_written", Note;
    /// An entry that nothing names (M256).
    MEMORY_NEVER_READ = "replay.memory.never_read", Note;
    /// An access list that this profile doesn't enforce (M41).
    ACCESS_NOT_ENFORCED = "replay.access.not_enforced", Warning;
    /// A name on an access list that has no effect (M41a).
    ACCESS_NO_EFFECT = "replay.access.no_effect", Warning;
    /// A condition that `deny_read` makes true whatever the entry holds (M40).
    ACCESS_FAILS_OPEN = "replay.access.fails_open", Warning;
    /// A condition on an entry that `deny_read` withholds (M39, M40).
    ACCESS_DENIED_GATE = "replay.access.denied_gate", Warning;
    /// A token or placeholder that `deny_read` withholds (M39).
    ACCESS_DENIED_TOKEN = "replay.access.denied_token", Warning;
    /// Tool code that reads what `deny_read` withholds (M39).
    ACCESS_DENIED_READ = "replay.access.denied_read", Warning;
    /// A write that `deny_write` refuses (M37).
    ACCESS_DENIED_WRITE = "replay.access.denied_write", Warning;

    /// Tools that aren't in view, so that nothing is said about them (M185).
    TOOLS_UNKNOWN = "replay.tools.unknown", Note;
    /// A tool that the skill doesn't have (M185).
    TOOLS_UNRESOLVED = "mantle.validation.tools.unresolved_tool", Error;
    /// An import of the skill's own tool (M103).
    TOOLS_LOCAL_IMPORT = "replay.tools.local_import", Error;
    /// Two tools of one name in a skill (M104).
    TOOLS_NAME_CLASH = "replay.tools.name_clash", Error;
    /// A tool of the same name in `tools/` hides this one (M108).
    TOOLS_HIDDEN = "replay.tools.hidden", Warning;
    /// An import from an MCP server that isn't declared (M106).
    TOOLS_UNKNOWN_SERVER = "replay.tools.unknown_server", Error;
    /// An MCP tool whose name the model can't use (M106).
    TOOLS_MCP_NAME = "replay.tools.mcp_name", Error;
    /// A tool with the name of one of the engine's (M199).
    TOOLS_RESERVED_NAME = "replay.tools.reserved_name", Error;
    /// A tool whose name begins with `set_` (M199).
    TOOLS_RESERVED_PREFIX = "replay.tools.reserved_prefix", Warning;
    /// A tool without a description (M196).
    TOOLS_MISSING_DESCRIPTION = "replay.tools.missing_description", Error;
    /// A tool that isn't `async` (M196).
    TOOLS_NOT_ASYNC = "replay.tools.not_async", Warning;
    /// A validation tool for an entry that the model never sets (M212).
    TOOLS_INVALID_HOOK = "mantle.validation.tools.invalid_post_write_hook", Error;
    /// An entry that the model sets without a validation tool (M212).
    SETTABLE_NO_HOOK = "mantle.validation.settable_field.no_post_write_hook", Note;
    /// Tool code that reads what it can't (M30, M33, M202).
    TOOLS_UNKNOWN_READ = "replay.tools.unknown_read", Warning;

    /// Variants of another shape (M220).
    RESPONSE_SHAPE = "mantle.validation.response.invalid_variant_shape", Error;
    /// A variant key that isn't known (M220).
    RESPONSE_KEY = "mantle.validation.response.invalid_variant_key", Error;
    /// Buttons of another shape (M231).
    RESPONSE_BUTTONS = "replay.response.buttons", Error;
    /// A response that isn't there (M235).
    RESPONSE_UNKNOWN = "replay.response.unknown", Error;
    /// A response that nothing says (M235).
    RESPONSE_UNUSED = "replay.response.unused", Note;
    /// Conditioned wordings without exactly one that isn't (M223).
    RESPONSE_DEFAULT = "replay.response.default", Error;
    /// A wording without text (M220).
    RESPONSE_EMPTY_TEXT = "replay.response.empty_text", Error;
    /// A placeholder for memory that can't be read (M226).
    RESPONSE_UNDECLARED = "replay.response.undeclared_memory", Error;
    /// A word in braces that is no entry (M226, M227).
    RESPONSE_PLACEHOLDER = "replay.response.unknown_placeholder", Warning;
    /// A button whose `set:` doesn't parse or fit (M233).
    RESPONSE_PAYLOAD = "mantle.validation.response.invalid_button_payload", Error;
    /// A button that writes what it can't (M233, M234).
    RESPONSE_NOT_WRITABLE = "mantle.validation.response.not_writable_memory_key", Error;
    /// A tool that can't make buttons (M355).
    RESPONSE_BUTTON_SOURCE = "replay.response.button_source", Error;
    /// A response with a button tool that no skill says (M355).
    RESPONSE_UNBOUND_SOURCE = "mantle.validation.response.unbound_button_source", Error;
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn no_code_stands_twice() {
        let mut codes: Vec<_> = ROWS.iter().map(|row| row.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ROWS.len());
    }
}
