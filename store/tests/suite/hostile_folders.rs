//! Folders that nobody means well with: each gives a diagnostic, none a panic, and all end soon. What may not be read is
//! a case of the built program, which can be run as another user.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use replay_store::agent::{Agent, check, source};
use replay_store::diagnostic::render::{Style, render};
use replay_store::diagnostic::{Diagnostic, code};
use replay_store::profile::Profile;

const SKILL: &str = "---\nname: Hold\ndescription: Hold a parcel\n---\nHelp.\n";

/// Makes a folder without faults, spoils it, and returns what is found in it.
fn found(spoil: impl FnOnce(&Path)) -> Vec<Diagnostic> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path().join("agent");
    write(&root, "agent.yml", "agent: {persona: P}\norchestrator: {model_group: main}\n");
    write(&root, "integrations.yml", "model_groups: [{id: main}]\n");
    write(&root, "skills/hold/skill.md", SKILL);
    spoil(&root);
    let (definition, mut found) = source::read(&root).expect("the folder can be read");
    for profile in Profile::ALL {
        let agent = Agent::load(definition.clone().into(), Some(profile));
        found.append(&mut check::check(&agent));
        for one in found.iter().take(500) {
            let said = render(one, agent.text_of(&one.at.file).as_deref(), Style::Plain);
            assert!(said.len() < 5000, "{} bytes: {}", said.len(), one.code);
            assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
        }
    }
    found
}

fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().expect("a file stands in a folder")).expect("a folder can be made");
    fs::write(full, text).expect("a file can be written");
}

/// A folder with one such file gives the code there.
fn check_file(path: &str, text: impl AsRef<[u8]>, code: &str) {
    let found = found(|root| write(root, path, text));
    assert!(found.iter().any(|one| one.code == code && one.at.file == *path), "{path}: {code}: {found:?}");
}

#[test]
fn the_folder_before_it_is_spoiled_has_no_faults() {
    assert_eq!(found(|_| {}), []);
}

#[test]
fn bytes_that_are_no_text_are_named() {
    check_file("memory.yml", b"a: \xff\xfe\n", code::NOT_UTF8);
    check_file("skills/hold/skill.md", b"---\nname: \xc3\n---\n\xf0\x28\x8c\n", code::NOT_UTF8);
    check_file("responses.yml", [0_u8; 300], code::YAML_SYNTAX);
}

#[test]
fn marks_line_ends_and_tabs_are_survived() {
    check_file("skills/hold/skill.md", format!("\u{feff}{SKILL}"), code::SKILL_FRONTMATTER_DELIMITER);
    check_file("memory.yml", "a:\n\ttype: bool\n", code::YAML_SYNTAX);
    assert_eq!(found(|root| write(root, "memory.yml", "\u{feff}a: {type: bool}\r\nb: {}\r\n")), []);
    assert_eq!(found(|root| write(root, "skills/hold/skill.md", SKILL.replace('\n', "\r\n"))), []);
}

#[test]
fn keys_anchors_and_depth_are_bounded() {
    check_file("memory.yml", "a: {}\na: {}\n", code::YAML_DUPLICATE_KEY);
    let mut bomb = "a0: &a0 [1, 1]\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        bomb.push_str(&format!("a{level}: &a{level} [*a{below}, *a{below}]\n"));
    }
    check_file("memory.yml", bomb, code::YAML_TOO_MANY_NODES);
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        check_file("memory.yml", format!("a: {}{}\n", open.repeat(10_000), close.repeat(10_000)), code::YAML_TOO_DEEP);
    }
    let stairs: String = (0..400).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    check_file("memory.yml", stairs, code::YAML_TOO_DEEP);
    for condition in ["(".repeat(10_000), "not ".repeat(10_000), "session.a.b == ".repeat(10_000)] {
        let skill = SKILL.replace("Help.", &format!("if: {condition}\nHelp."));
        check_file("skills/hold/skill.md", skill, "mantle.validation.prose.invalid_if_expression");
    }
}

#[test]
fn a_large_file_is_not_read() {
    check_file("responses.yml", vec![b'#'; 10 << 20], code::TOO_LARGE);
    check_file("skills/hold/tools.py", vec![b'\n'; 10 << 20], code::TOO_LARGE);
}

#[test]
fn a_folder_in_place_of_a_file_is_named() {
    let spoiled = found(|root| fs::create_dir_all(root.join("skills/prices/skill.md")).expect("it can be made"));
    assert!(spoiled.iter().any(|one| one.code == code::UNREADABLE && one.at.file == *"skills/prices/skill.md"));
}

#[test]
fn links_stay_inside_and_end() {
    let outside = found(|root| symlink("/etc", root.join("references")).expect("a link can be made"));
    assert!(outside.iter().any(|one| one.code == code::OUTSIDE), "{outside:?}");
    let skill = found(|root| {
        write(root, "../memory.yml", "a: {}\n");
        symlink("../..", root.join("skills/up")).expect("a link can be made");
    });
    assert!(skill.iter().any(|one| one.code == code::OUTSIDE), "{skill:?}");
    let itself = found(|root| symlink("memory.yml", root.join("memory.yml")).expect("a link can be made"));
    assert!(itself.iter().any(|one| one.code == code::UNREADABLE), "{itself:?}");
    // A skill that is the folder of skills: it has no skill.md, and nobody goes round in it.
    let circle = found(|root| symlink("../skills", root.join("skills/again")).expect("a link can be made"));
    assert!(circle.len() < 10, "{circle:?}");
}

#[test]
fn names_that_hide_something_are_shown() {
    for name in ["a\nb", "\u{202e}a", "a\u{1b}[2J", "a\u{200b}b", "a:b,c%d", ".."] {
        if name != ".." {
            check_file(&format!("skills/{name}/skill.md"), SKILL, code::SKILL_ID);
        }
    }
    let spoiled = found(|root| {
        let name = std::ffi::OsStr::from_bytes(b"\xff\xfe");
        fs::create_dir_all(root.join("skills").join(name)).expect("it can be made");
    });
    assert!(spoiled.iter().any(|one| one.code == code::UNREADABLE), "{spoiled:?}");
}

#[test]
fn many_findings_are_all_said() {
    let memory: String = (0..5000).map(|index| format!("a{index}: {{type: bol}}\n")).collect();
    assert_eq!(found(|root| write(root, "memory.yml", memory)).len(), 10_000);
}

/// Aliases that repeat a long text, and anchors in each other, ask for gigabytes of a small file.
#[test]
fn aliases_and_anchors_repeat_only_so_much() {
    let text = format!("a: &x \"{}\"\nb: [{}]\n", "y".repeat(100_000), "*x, ".repeat(30_000));
    check_file("memory.yml", text, code::YAML_TOO_MANY_NODES);
    let anchors: String = (0..60).map(|level| format!("&a{level} [")).collect();
    let nested = format!("a: {anchors}{}{}\n", "x, ".repeat(60_000), "]".repeat(60));
    check_file("memory.yml", nested, code::YAML_TOO_MANY_NODES);
}

/// Each of these takes seconds where every name is looked up once, and hours where each is compared with each.
#[test]
fn many_names_are_not_compared_with_each_other() {
    let entries: String = (0..8000).map(|index| format!("e{index}: {{type: text}}\n")).collect();
    let gates: String = (0..800).map(|index| format!("if: session.project.q{index}\nx\n\n")).collect();
    let tokens: String = (0..800).map(|index| format!("@memory.project.q{index} ")).collect();
    let texts = format!("responses:\n  utter_a:\n    - text: \"{}\"\n", "{zz} ".repeat(1000));
    let found = found(|root| {
        write(root, "memory.yml", &entries);
        write(root, "responses.yml", &texts);
        write(root, "skills/hold/skill.md", SKILL.replace("Help.", &format!("{tokens}\n\n{gates}")));
    });
    assert!(found.iter().any(|one| one.help.as_deref() == Some("did you mean `project.e0`?")));
}

#[test]
fn many_values_are_said_in_short() {
    let values: Vec<String> = (0..15_000).map(|index| format!("v{index}")).collect();
    let memory = format!(
        "schema: {{public: {{a: {{type: categorical, llm_settable: true, enum_values: [{}]}}}}}}\n",
        values.join(", ")
    );
    let gates = "if: session.hold.a == 'zz' and session.hold.a != session.hold.a\nx\n\n".repeat(3000);
    let found = found(|root| {
        write(root, "skills/hold/memory.yml", &memory);
        write(root, "skills/hold/skill.md", SKILL.replace("Help.", &gates));
    });
    assert!(found.iter().all(|one| one.message.len() < 1000 && one.help.as_ref().is_none_or(|help| help.len() < 1000)));
}

#[test]
fn a_denied_entry_in_a_long_condition_is_looked_at_once() {
    let keys: Vec<String> = (0..4000).map(|index| format!("project.x{index}")).collect();
    let entries: String = (0..4000).map(|index| format!("x{index}: {{}}\n")).collect();
    let condition: Vec<String> = keys.iter().rev().map(|key| format!("session.{key}")).collect();
    let (one, each) = (format!("not ({})", condition.join(" or ")), condition.join(" or "));
    let found = found(|root| {
        write(root, "memory.yml", &entries);
        write(root, "skills/hold/memory.yml", format!("access: {{deny_read: [{}]}}\n", keys.join(", ")));
        write(root, "skills/hold/skill.md", SKILL.replace("Help.", &format!("if: {each}\nx\n\nif: {one}\ny\n")));
    });
    assert_eq!(found.iter().filter(|one| one.code == code::ACCESS_DENIED_GATE).count(), 4000);
    assert_eq!(found.iter().filter(|one| one.code == code::ACCESS_FAILS_OPEN).count(), 4000);
}

#[test]
fn a_folder_of_many_skills_is_checked_in_one_go() {
    let found = found(|root| {
        for index in 0..800 {
            let jump = format!("Go to @skill.s{} or some_word.", index + 1);
            write(root, &format!("skills/s{index}/skill.md"), SKILL.replace("Help.", &jump));
        }
    });
    assert!(found.iter().any(|one| one.message == "there is no skill `s800`"));
}

#[test]
fn a_folder_is_kept_up_to_a_size() {
    let found = found(|root| {
        for index in 0..30 {
            write(root, &format!("skills/s{index:02}/responses.yml"), vec![b'#'; 200 << 10]);
        }
    });
    let last = found.iter().rfind(|one| one.code == code::TOO_LARGE).expect("it is told");
    assert_eq!(last.message, "the folder holds more than 4194304 bytes; this file is not read");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_tool_code_makes_a_check_panic(
        text in "(@tool|async def |def |context\\.memory\\.(get|set)\\(|ActivateSkill\\(|['\"#\\\\(){},:\n é]|\"\"\"|a|_|=|\\*){0,60}",
    ) {
        found(|root| {
            write(root, "skills/hold/tools.py", &text);
            write(root, "tools.py", &text);
        });
    }

    #[test]
    fn no_block_makes_a_check_panic(
        steps in "((  - id: |    next: |    collect: |    noop: true|    call: |    link: |      - if: session\\.hold\\.a|        then: |      - else: |    set_memory: \\{a: 1\\}|    instructions: x)(a|b|END|hold|main)?\n){0,12}",
    ) {
        let skill = SKILL.replace("Help.", &format!(":::ordered_block id=main\nsteps:\n{steps}:::"));
        found(|root| {
            write(root, "skills/hold/skill.md", &skill);
            write(root, "skills/hold/memory.yml", "schema: {public: {a: {type: int}}}\n");
        });
    }
}
