//! No bytes make a reader panic or take long: what can't be read gives a diagnostic, and the rest still loads.

use std::sync::Arc;

use proptest::prelude::*;
use replay_store::agent::definition::Definition;
use replay_store::agent::{Agent, check};
use replay_store::diagnostic::render::{Style, render};
use replay_store::name::Name;
use replay_store::profile::Profile;

fn definition(files: &[(&str, &[u8])]) -> Arc<Definition> {
    let files = files.iter().map(|(path, bytes)| (Name::from(*path), Arc::from(*bytes))).collect();
    Arc::new(Definition { files })
}

fn load(files: &[(&str, &str)]) -> Agent {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    Agent::load(definition(&files), None)
}

/// Loads one file beside a good one, and expects a code at a line; the good file must still have loaded.
fn check_found(path: &str, bytes: &[u8], code: &str, line: u32) {
    let agent =
        Agent::load(definition(&[(path, bytes), ("skills/good/memory.yml", b"schema: {public: {x: {}}}")]), None);
    let is_found = agent.diagnostics.iter().any(|found| found.code == code && found.at.line == line);
    assert!(is_found, "{path}: {code} in line {line}: {:#?}", agent.diagnostics);
    assert!(agent.entry("good.x").is_some(), "{path}");
}

#[test]
fn hostile_yaml_gives_a_diagnostic() {
    let deep_flow = format!("a: {}", "[".repeat(10_000));
    let deep_block: String = (0..10_000).map(|depth| format!("{}a:\n", " ".repeat(depth % 500))).collect();
    let deep_map = format!("a: {}", "{a: ".repeat(10_000));
    let bomb = {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let row = vec![format!("*a{}", level - 1); 9].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{row}]\n"));
        }
        text
    };
    for (text, code, at) in [
        (b"x:\n\ttype: text\n".to_vec(), "replay.yaml.syntax", 2),
        (b"x: {type: text\n".to_vec(), "replay.yaml.syntax", 2),
        (b"x: {}\nx: {type: int}\n".to_vec(), "replay.yaml.duplicate_key", 2),
        (b"x: {}\r\nx: {}\r\n".to_vec(), "replay.yaml.duplicate_key", 2),
        (b"\xef\xbb\xbfx: 3\n".to_vec(), "replay.memory.shape", 1),
        (b"ok: {}\nx: {description: \xff\xfe}\n".to_vec(), "replay.file.not_utf8", 2),
        (deep_flow.into_bytes(), "replay.yaml.too_deep", 1),
        (deep_map.into_bytes(), "replay.yaml.too_deep", 1),
        (bomb.into_bytes(), "replay.yaml.too_many_nodes", 6),
        (b"x: &x [*x]\n".to_vec(), "replay.yaml.alias", 1),
        (b"x: !!python/object:os.system {}\ny: !cmd rm\n".to_vec(), "replay.yaml.tag", 2),
        (b"x: {}\n---\ny: {}\n".to_vec(), "replay.yaml.documents", 2),
        (b"? [a, b]\n: {}\n".to_vec(), "replay.yaml.key", 1),
        (b"- a\n- b\n".to_vec(), "replay.memory.shape", 1),
        (b"x: {type: string}\n".to_vec(), "replay.memory.type", 1),
        (b"x: {type: categorical, enum_values: [yes, no]}\n".to_vec(), "replay.yaml.bare_bool", 1),
        (b"x: {llm_settable: true}\n".to_vec(), "mantle.validation.memory.project_llm_settable", 1),
        (b"schema: {public: {x: {}}}\n".to_vec(), "replay.memory.shape", 1),
        (vec![b'#'; (1 << 20) + 1], "replay.file.too_large", 1),
    ] {
        check_found("memory.yml", &text, code, at);
    }
    load(&[("memory.yml", &deep_block)]);
}

/// These take a second or two where the readers are linear, and minutes where one isn't.
#[test]
fn the_largest_files_take_no_longer_than_they_must() {
    let fill = |unit: &str| unit.repeat(250_000 / unit.len());
    let entries: String = (0..30_000).map(|index| format!("e{index}:\n")).collect();
    let fences = |index| format!(":::ordered_block id=b{index}\nsteps: [{{id: END}}]\n:::\n");
    let fences: String = (0..4_000).map(fences).collect();
    let list = format!("a: [{}]", fill("x, "));
    for text in [list, entries, fill("- "), fill("a: "), fill("{"), fill("*a "), fill("? "), fill("\"\n")] {
        load(&[("memory.yml", &text)]);
    }
    let bodies = [fences, fill("@memory.a.b "), fill("session.a.b "), fill("if: x\n\n"), fill("("), fill("@")];
    for body in bodies {
        load(&[("skills/a/skill.md", &format!("---\nname: a\ndescription: b\n---\n{body}"))]);
    }
}

#[test]
fn hostile_skills_give_a_diagnostic() {
    let in_skill = |rest: &str| format!("---\nname: a\ndescription: b\n{rest}");
    for (text, code, line) in [
        (String::new(), "skill.markdown.invalid_frontmatter_delimiter", 1),
        ("name: a\n---\nBody".to_owned(), "skill.markdown.invalid_frontmatter_delimiter", 1),
        ("\u{feff}---\nname: a\n---\nBody".to_owned(), "skill.markdown.invalid_frontmatter_delimiter", 1),
        ("---\nname: a\n".to_owned(), "skill.markdown.invalid_frontmatter_delimiter", 1),
        (in_skill("---\n\n"), "skill.markdown.missing_instructions", 1),
        (in_skill("descripton: x\n---\nBody"), "replay.skill.ignored_key", 4),
        (in_skill("requires: {a: b}\n---\nBody"), "replay.value.wrong_type", 4),
        (in_skill("requires: session.a.b is None\n---\nBody"), "replay.condition.invalid", 4),
        (in_skill("requires: session.bad.x\n---\nBody"), "replay.condition.unknown_key", 4),
        (in_skill("tool_constraints: [{a: {}, b: {}}]\n---\nBody"), "skill.markdown.invalid_tool_constraints", 4),
        (in_skill("tool_constraints: [{a: {when: x}}]\n---\nBody"), "replay.skill.unknown_option", 4),
        (in_skill("utter: [utter_x]\n---\nBody"), "replay.skill.utter", 4),
        (in_skill("import_tools: [mcp/x]\n---\nBody"), "replay.skill.import", 4),
        (in_skill("---\nif: session.bad.x\n"), "replay.prose.empty_scope", 5),
        (in_skill("---\nSay:\n  if: x\n"), "replay.prose.plain_if", 6),
        (in_skill("---\nelse:\nSay.\n"), "replay.prose.else", 5),
        (in_skill("---\n:::ordered_block\nsteps: [{id: END}]\n:::\n"), "replay.block.fence", 5),
        (in_skill("---\n:::ordered_block id=a\nsteps: [{id: END}]\n"), "replay.block.fence", 5),
        (in_skill("---\n:::ordered_block id=a\nroutable: true\n:::\n"), "replay.block.key", 6),
        (in_skill("---\n:::ordered_block id=a\nsteps: []\n:::\n"), "replay.block.missing_steps", 5),
        (in_skill("---\n:::ordered_block id=a\nsteps:\n  - id: x\n    colect: y\n:::\n"), "replay.step.key", 8),
        (
            in_skill("---\n:::ordered_block id=a\nsteps:\n  - id: x\n    collect: y\n    utter: z\n:::\n"),
            "replay.step.kind",
            9,
        ),
        (
            in_skill("---\n:::ordered_block id=a\nsteps:\n  - id: x\n    noop: true\n    next: [{if: 'True'}]\n:::\n"),
            "replay.step.next",
            9,
        ),
        (in_skill("---\n:::ordered_block id=a\nsteps:\n\t- id: x\n:::\n"), "replay.yaml.syntax", 7),
    ] {
        check_found("skills/bad/skill.md", text.as_bytes(), code, line);
    }
}

const FILES: [&str; 8] = [
    "agent.yml",
    "integrations.yml",
    "memory.yml",
    "responses.yml",
    "skills/a/skill.md",
    "skills/a/memory.yml",
    "skills/a/responses.yml",
    "skills/a/tools.py",
];

/// Text made of the words that the readers look for.
fn hostile_text() -> impl Strategy<Value = String> {
    let words = [
        "---\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "name: ",
        "description: ",
        "schema:",
        "public:",
        "access: ",
        "deny_read: ",
        "- ",
        ": ",
        "if: ",
        "else:",
        "session.a.b",
        "session.",
        "@memory.a.b",
        "@memory",
        "@skill.",
        "@block.x.y",
        "&x ",
        "*x",
        "<<: ",
        "!!int ",
        "| \n",
        ">\n",
        "'",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ":::ordered_block id=a\n",
        ":::\n",
        "steps:\n",
        "next: ",
        "then: ",
        "collect: ",
        "instructions: ",
        "responses:\n",
        "text: ",
        "yes",
        "0x",
        "1:30",
        "é",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "%",
        "? ",
        "#",
        "agent:\n",
        "rules:\n",
        "@tool\n",
        "async def f(",
        "\0",
        "and ",
        "not ",
        "(",
        "== ",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..60).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let files: Vec<(&str, &[u8])> = FILES.iter().map(|path| (*path, &bytes[..])).collect();
        check::check(&Agent::load(definition(&files), None));
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in hostile_text(), newer in any::<bool>()) {
        let files: Vec<(&str, &[u8])> = FILES.iter().map(|path| (*path, text.as_bytes())).collect();
        let profile = if newer { Profile::Mantle321 } else { Profile::Seed };
        let agent = Agent::load(definition(&files), Some(profile));
        for found in &check::check(&agent) {
            let source = agent.text_of(&found.at.file);
            render(found, source.as_deref(), Style::Plain);
            if let Some(source) = source {
                prop_assert!(source.get(found.at.start as usize..found.at.end as usize).is_some(), "{found:?}");
            }
        }
    }

    #[test]
    fn no_text_makes_a_skill_panic(text in hostile_text()) {
        let text = format!("---\nname: a\ndescription: b\n---\n{text}");
        load(&[("skills/a/skill.md", &text)]);
    }

    #[test]
    fn no_text_makes_a_condition_panic(text in "[a-z0-9_ .()'\"=<>!&|\\\\\n@é-]{0,60}|(session\\.a\\.b|and|or|not|==|<|1|'x'|\\(|\\)| ){0,20}") {
        if let Err(error) = replay_store::condition::parse(&text) {
            prop_assert!(text.get(error.span).is_some());
        }
    }
}
