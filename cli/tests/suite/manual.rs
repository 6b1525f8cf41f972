//! Completions and manual pages name what the command line has.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::program::{answer, replay, text};

/// The commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = text(&replay(&["--help"]).stdout);
    let list = help.split("Commands:").nth(1).expect("the help lists the commands");
    let list = list.split("Arguments:").next().unwrap_or_default();
    list.lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn each_shell_completes_each_command() {
    let commands = commands();
    assert!(commands.len() > 9, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = answer(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell} completes {command}");
        }
    }
}

#[test]
fn bash_can_read_its_completions() {
    let script = answer(&["completions", "bash"]);
    let mut bash = Command::new("bash").args(["-n"]).stdin(Stdio::piped()).spawn().expect("bash is there");
    bash.stdin.take().expect("it has one").write_all(script.as_bytes()).expect("it reads");
    assert!(bash.wait().expect("it ends").success());
}

#[test]
fn each_command_has_a_manual_page() {
    let whole = answer(&["man"]);
    for command in commands() {
        assert!(whole.contains(&format!("replay\\-{command}(1)")), "the page names {command}");
        let page = answer(&["man", &command]);
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&command), "{command}: {page}");
    }
    let output = replay(&["man", "frobnicate"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no command \"frobnicate\""), "{}", text(&output.stderr));
}
