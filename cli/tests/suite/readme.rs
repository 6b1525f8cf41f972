//! What the README says is so: its commands, its files, its table of codes.

use std::fs;

use crate::program::{LIBRARY, RENEWAL, answer, replay, root, text};

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README is there")
}

#[test]
fn the_first_command_answers_without_a_terminal() {
    let readme = readme();
    let line = readme.lines().find_map(|line| line.strip_prefix("cargo run --release -- ")).expect("it is there");
    let summary = answer(&line.split_whitespace().collect::<Vec<_>>());
    assert!(summary.contains("turn 5") && summary.contains("embedded"), "{summary}");
}

#[test]
fn each_command_is_named_and_exists() {
    let readme = readme();
    let help = text(&replay(&["--help"]).stdout);
    for command in [
        "import",
        "export",
        "list",
        "show",
        "prompt",
        "why",
        "last",
        "reads",
        "diff",
        "findings",
        "query",
        "access",
        "verify",
        "check",
        "explain",
        "config",
        "completions",
        "man",
    ] {
        let named = [" ", "`"].iter().any(|end| readme.contains(&format!("| `replay {command}{end}")));
        assert!(named, "the README names {command}");
        assert!(help.contains(&format!("  {command} ")), "the help names {command}");
        assert!(replay(&[command, "--help"]).status.success());
    }
}

#[test]
fn each_key_of_the_readme_is_bound() {
    let readme = readme();
    let rows = readme.lines().filter(|line| line.starts_with("| `")).skip_while(|line| !line.starts_with("| `j`"));
    let cells = rows.take_while(|line| !line.contains("`cli/")).filter_map(|line| line.split(" | ").next());
    let keys: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let bound: Vec<&str> = replay_tui::key::BINDINGS.iter().flat_map(|binding| binding.keys).copied().collect();
    assert!(keys.len() > 20, "the README has a table of keys");
    let commands: Vec<&str> = replay_tui::command::COMMANDS.iter().map(|command| command.names[0]).collect();
    for key in keys {
        match key.strip_prefix(':').and_then(|command| command.split_whitespace().next()) {
            Some("N" | "@12:30:05" | "@+5m") => {}
            Some(name) => assert!(commands.contains(&name), "the README says that :{name} is a command"),
            None => assert!(bound.contains(&key), "the README says that {key} is a key"),
        }
    }
    for command in commands {
        assert!(readme.contains(&format!("`:{command}")), "the README names the command :{command}");
    }
}

#[test]
fn each_key_has_a_place_in_the_readme() {
    let readme = readme();
    let missing: Vec<&str> = replay_tui::key::BINDINGS
        .iter()
        .flat_map(|binding| binding.keys)
        .filter(|key| !readme.contains(&format!("`{key}`")))
        .copied()
        .collect();
    assert!(missing.is_empty(), "the README names all keys but {missing:?}");
}

#[test]
fn each_sample_has_a_line_and_opens() {
    let lines = fs::read_to_string(root().join("samples/README.md")).expect("it is there");
    let sessions = fs::read_dir(root().join("samples/sessions")).expect("it is there");
    let mut count = 0;
    for session in sessions {
        let path = session.expect("it can be listed").path();
        let name = format!("sessions/{}", path.file_name().and_then(|name| name.to_str()).expect("plain"));
        assert!(lines.contains(&format!("`{name}`")), "samples/README.md has a line for {name}");
        let output = replay(&["show", &format!("samples/{name}"), "--json"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        assert_eq!(said.is_empty(), name != "sessions/library-cut.json", "{name}: {said}");
        count += 1;
    }
    assert!(count >= 4);
}

#[test]
fn the_first_sample_is_what_export_makes_of_the_second() {
    let exported = answer(&["export", RENEWAL, "--agent", LIBRARY]);
    let sample = fs::read_to_string(root().join("samples/sessions/library-renewal.jsonl")).expect("it is there");
    assert_eq!(sample, exported, "samples/README.md says how to write it again");
}

#[test]
fn samples_have_the_findings_that_are_their_point_and_no_others() {
    for (name, agent, expected) in [
        ("library-renewal.jsonl", None, vec![]),
        ("library-renewal.json", Some("harbour-library"), vec![]),
        ("library-fees.jsonl", Some("harbour-library"), vec![]),
        ("library-hostile.jsonl", Some("harbour-library"), vec![]),
        ("library-cut.json", Some("harbour-library"), vec!["cut"]),
        ("bikes-gate.json", Some("kitebird-bikes"), vec![]),
        ("bikes-old-site.json", None, vec![]),
    ] {
        let folder = agent.map(|agent| format!("samples/agents/{agent}"));
        let agent: Vec<&str> = folder.iter().flat_map(|folder| ["--agent", folder.as_str()]).collect();
        let file = format!("samples/sessions/{name}");
        let output = replay(&[vec![file.as_str(), "--json"], agent].concat());
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let findings = summary["findings"].as_array().expect("a list");
        let kinds: Vec<&str> = findings.iter().filter_map(|finding| finding["kind"].as_str()).collect();
        assert_eq!(kinds, expected, "{name}: {findings:?}");
    }
}

#[test]
fn files_that_the_readme_names_are_there() {
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "samples/pictures/debugger.svg", ".ci/run", ".ci/full"] {
        assert!(root().join(file).exists(), "{file}");
    }
}
