//! `check` and `explain` answer in each form, and say with their exit code what they found.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{LIBRARY, replay, text};
use crate::sarif;

/// Makes an agent folder with one error, one warning and one note in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    };
    write("agent.yml", "agent: {persona: P}\n");
    write("integrations.yml", "model_groups: [{id: main}]\n");
    write("memory.yml", "verified: {type: bool, llm_settable: true}\nphone: {typ: text}\n");
    write("skills/hold/skill.md", "---\nname: Hold\ndescription: D\nimport_tools: [find]\n---\nHelp.\n");
    folder
}

fn check(folder: &Path, arguments: &[&str], code: i32) -> String {
    let folder = folder.to_str().expect("the path is text");
    let output = replay(&[&["check", folder][..], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn people_read_lines_with_carets_and_a_sum() {
    let said = check(folder().path(), &[], 1);
    assert!(said.contains("error[mantle.validation.memory.project_llm_settable]"), "{said}");
    assert!(said.contains(" --> memory.yml:1:24\n"), "{said}");
    assert!(said.contains("did you mean `type`?"), "{said}");
    assert!(said.contains("1 error, 1 warning, 1 note; 1 skill, profile seed (the default)\n"), "{said}");
    assert!(!said.contains('\u{1b}'));
    assert!(check(folder().path(), &["--color", "always"], 1).contains("\u{1b}["));
}

#[test]
fn the_profile_can_be_named() {
    let said = check(folder().path(), &["--profile", "mantle-3.21"], 1);
    assert!(
        said.contains("replay.agent.missing_model_group") && said.contains("profile mantle-3.21 (asked for)"),
        "{said}"
    );
}

#[test]
fn a_sample_without_errors_is_fine() {
    check(&crate::program::root().join(LIBRARY), &[], 0);
}

#[test]
fn json_has_a_schema_and_every_finding() {
    let folder = folder();
    let said = check(folder.path(), &["--json"], 1);
    assert_eq!(said, check(folder.path(), &["--format", "json"], 1), "both ask for the same");
    let answer: Value = serde_json::from_str(&said).expect("the answer is JSON");
    assert_eq!(answer["schema"], "replay.check/1");
    assert_eq!((&answer["errors"], &answer["warnings"], &answer["notes"]), (&1.into(), &1.into(), &1.into()));
    let finding = &answer["findings"][0];
    assert_eq!(finding["code"], "mantle.validation.memory.project_llm_settable");
    assert_eq!((&finding["file"], &finding["line"], &finding["column"]), (&"memory.yml".into(), &1.into(), &24.into()));
    assert_eq!((&finding["severity"], &finding["rules"][0]), (&"error".into(), &"M16".into()));
}

#[test]
fn github_reads_one_command_a_finding() {
    let folder = folder();
    let said = check(folder.path(), &["--format", "github"], 1);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("::error file=") && lines[0].contains("memory.yml,line=1,col=24,title=mantle.validation")
    );
    assert!(
        lines.iter().any(|line| line.starts_with("::notice "))
            && lines.iter().any(|line| line.starts_with("::warning "))
    );
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("skills/a b:c%")).expect("it can be made");
    fs::write(folder.path().join("skills/a b:c%/skill.md"), "no frame").expect("it can be written");
    let log: Value = serde_json::from_str(&check(folder.path(), &["--format", "sarif"], 1)).expect("SARIF is JSON");
    let run = &sarif::log(&log)["runs"][0];
    let results = run["results"].as_array().expect("results are a list");
    assert!(results.len() > 5, "{results:#?}");
    let uris: Vec<&str> = results.iter().filter_map(|one| one.pointer(sarif::URI)?.as_str()).collect();
    assert!(uris.iter().any(|uri| uri.ends_with("skills/a%20b%3Ac%25/skill.md")), "{uris:?}");
    assert!(results.iter().any(|one| one["level"] == "warning") && results.iter().any(|one| one["level"] == "note"));
}

#[test]
fn sarif_of_a_folder_without_findings_is_valid_too() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in [
        ("agent.yml", "agent: {persona: P}\n"),
        ("integrations.yml", "model_groups: [{id: main}]\n"),
        ("skills/hold/skill.md", "---\nname: Hold\ndescription: D\n---\nHelp.\n"),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    let log: Value = serde_json::from_str(&check(folder.path(), &["--format", "sarif"], 0)).expect("SARIF is JSON");
    assert_eq!(sarif::log(&log)["runs"][0]["results"], Value::Array(Vec::new()));
}

#[test]
fn a_name_of_a_file_reaches_nobody_raw() {
    let folder = folder();
    let skill = folder.path().join("skills/\u{202e}bad\n::error::x");
    fs::create_dir_all(&skill).expect("it can be made");
    fs::write(skill.join("skill.md"), "---\nname: N\n---\n").expect("it can be written");
    for format in ["human", "json", "github", "sarif"] {
        let said = check(folder.path(), &["--format", format], 1);
        assert!(
            !said.contains('\u{202e}') && !said.lines().any(|line| line.starts_with("::error::x")),
            "{format}: {said}"
        );
    }
}

#[test]
fn a_code_is_explained_by_wrong_and_right() {
    let output = replay(&["explain", "replay.memory.locked"]);
    let said = text(&output.stdout);
    assert!(said.starts_with("replay.memory.locked (warning, rules M44)\n"), "{said}");
    for part in ["Wrong, memory.yml:", "What check says in profile mantle-3.21:", "Right, memory.yml:"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let all = text(&replay(&["explain"]).stdout);
    assert!(all.lines().count() > 150 && all.contains("replay.memory.locked  A project entry"), "{all}");
}

#[test]
fn a_rule_is_explained_by_what_it_decides() {
    let said = text(&replay(&["explain", "M43"]).stdout);
    assert!(said.starts_with("M43 (a rule that decides)\n\nA project entry is locked by its first write"), "{said}");
    for part in ["memory.yml:\n", "Asked in profile seed:", "Decided:", "refused: ProjectMemoryAlreadySetError, by M43"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let answer: Value = serde_json::from_str(&text(&replay(&["explain", "M41", "--json"]).stdout)).expect("it is JSON");
    assert_eq!((&answer["schema"], &answer["profile_row"]), (&"replay.explain_rule/1".into(), &"P1".into()));
}

#[test]
fn an_unknown_code_names_its_neighbour() {
    let output = replay(&["explain", "replay.memory.lokced"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean replay.memory.locked"), "{}", text(&output.stderr));
}

#[test]
fn what_is_no_agent_folder_cannot_be_read() {
    for path in ["no/such/folder", "Cargo.toml", "cli"] {
        assert_eq!(replay(&["check", path]).status.code(), Some(3), "{path}");
    }
}
