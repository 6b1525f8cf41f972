//! An agent folder is read as far as it goes, never beyond it, and without its secrets.

use std::fs;
use std::path::Path;

use replay_store::agent::source::{SourceError, read};

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it has a parent")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn paths(folder: &Path) -> (Vec<String>, Vec<&'static str>) {
    let (definition, diagnostics) = read(folder).expect("the folder can be read");
    let paths = definition.files.keys().map(|path| path.to_string()).collect();
    (paths, diagnostics.iter().map(|found| found.code).collect())
}

#[test]
fn only_what_matters_is_read() {
    let folder = folder(&[
        ("agent.yml", "agent: {persona: x}"),
        (".env", "KEY=secret"),
        ("notes.md", "x"),
        ("integrations.yml", "llm: {model_group: main}\nchannels: {rest: {token: secret}}\n"),
        ("tools/bank.py", "KEY = 'secret'\n@tool(description='x')\nasync def pay(context):\n    return 'secret'\n"),
        ("references/a/b.md", "secret knowledge"),
        ("references/blank.md", " \n"),
        ("skills/hold/skill.md", "x"),
        ("skills/hold/deep/skill.md", "x"),
        ("skills/.git/skill.md", "x"),
    ]);
    let expected = ["agent.yml", "integrations.yml", "references/a/b.md", "skills/hold/skill.md", "tools/bank.py"];
    // M3: a skill stands one level deep, and one that is lost farther down is told.
    let nested = vec!["replay.skill.nested"];
    assert_eq!(paths(folder.path()), (expected.map(str::to_owned).to_vec(), nested));
    let (definition, _) = read(folder.path()).expect("the folder can be read");
    for (path, bytes) in &definition.files {
        assert!(!String::from_utf8_lossy(bytes).contains("secret"), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_folder_only() {
    let outside = folder(&[("memory.yml", "x: {}"), ("skills/far/skill.md", "x")]);
    let inside = folder(&[("shared.yml", "x: {}"), ("skills/near/skill.md", "x")]);
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, inside.path().join(name)).expect("a link can be made");
    };
    link(&inside.path().join("shared.yml"), "memory.yml");
    link(&outside.path().join("memory.yml"), "responses.yml");
    link(&outside.path().join("skills/far"), "skills/far");
    let (found, codes) = paths(inside.path());
    assert_eq!(found, ["memory.yml", "skills/near/skill.md"]);
    assert!(!codes.is_empty() && codes.iter().all(|code| *code == "replay.file.outside"), "{codes:?}");
}

#[test]
fn what_is_no_file_is_reported_and_the_rest_is_read() {
    let folder = folder(&[("agent.yml", "agent: {persona: x}"), ("memory.yml/x", "")]);
    assert_eq!(paths(folder.path()), (vec!["agent.yml".to_owned()], vec!["replay.file.unreadable"]));
}

#[test]
fn a_folder_of_nothing_is_an_error() {
    assert!(matches!(read(folder(&[("x.txt", "")]).path()), Err(SourceError::Empty { .. })));
    assert!(matches!(read(Path::new("no/such/folder")), Err(SourceError::Folder { .. })));
}
