//! Files that the user may not read. A superuser may read everything, so the program is then run as somebody else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::text;

/// Programs that run another one as a user without rights, with their arguments.
const AS_NOBODY: [&[&str]; 3] = [
    &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"],
    &["runuser", "-u", "nobody", "--"],
    &["su", "-s", "/bin/sh", "nobody", "-c", "exec \"$0\" \"$@\"", "--"],
];

#[test]
#[expect(clippy::print_stdout, reason = "a skipped case says so")]
fn what_may_not_be_read_is_named_and_the_rest_is_checked() {
    let place = tempfile::tempdir().expect("a folder can be made");
    open_to_all(place.path(), 0o755);
    let folder = place.path().join("agent");
    for (path, text, mode) in [
        ("agent.yml", "agent: {persona: P}\n", 0o644),
        ("integrations.yml", "model_groups: [{id: main}]\n", 0o644),
        ("memory.yml", "verified: {typ: bool}\n", 0o000),
        ("skills/hold/skill.md", "---\nname: Hold\ndescription: D\n---\nHelp.\n", 0o644),
        ("skills/hold/memory.yml", "schema: {public: {day: {typ: text}}}\n", 0o644),
        ("skills/prices/skill.md", "---\nname: Prices\ndescription: D\n---\nHelp.\n", 0o000),
        (
            "skills/asks/skill.md",
            "---\nname: Asks\ndescription: D\n---\nIt is @memory.shut.day, see @skill.shut. And @skill.nowhere.\n",
            0o644,
        ),
        ("skills/asks/memory.yml", "access: {deny_read: [shut.day]}\n", 0o644),
        ("skills/shut/skill.md", "---\nname: Shut\ndescription: D\n---\nHelp.\n", 0o644),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("it can be made");
        fs::write(&path, text).expect("it can be written");
        open_to_all(&path, mode);
    }
    open_to_all(&folder.join("skills/shut"), 0o000);
    let is_superuser = fs::read(folder.join("memory.yml")).is_ok();
    let ways: &[&[&str]] = if is_superuser { &AS_NOBODY } else { &[&[]] };
    // The built program may lie where nobody else can go.
    let program = place.path().join("replay");
    fs::copy(env!("CARGO_BIN_EXE_replay"), &program).expect("the program can be copied");
    open_to_all(&program, 0o755);
    let Some(output) = ways.iter().find_map(|way| run(way, &program, &folder)) else {
        println!("skipped: this user may read every file, and none of setpriv, runuser and su is here");
        return;
    };
    open_to_all(&folder.join("skills/shut"), 0o755);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    for expected in [
        "error[replay.file.unreadable]: the file can't be read: Permission denied",
        "--> memory.yml:1:1",
        "--> skills/prices/skill.md:1:1",
        "error[mantle.validation.skill.failed_to_load]: the skill can't be loaded, so the agent doesn't start",
        "--> skills/shut/skill.md:1:1",
        "did you mean `type`?",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let shut: Vec<&str> = said.lines().filter(|line| line.contains("shut")).collect();
    let count = |words: &str| shut.iter().filter(|line| line.contains(words)).count();
    assert_eq!(count("--> skills/shut"), 2, "one for the folder, one for the skill that can't start: {said}");
    assert_eq!(count("is not declared") + count("there is no skill `shut`") + count("nothing declares"), 0, "{said}");
    assert!(said.contains("there is no skill `nowhere`"), "{said}");
}

fn run(way: &[&str], program: &Path, folder: &Path) -> Option<Output> {
    let (first, rest) = match way {
        [] => (program.as_os_str(), way),
        [name, rest @ ..] => (name.as_ref(), rest),
    };
    let mut command = Command::new(first);
    command.args(rest);
    if !way.is_empty() {
        command.arg(program);
    }
    let output = command.arg("check").arg(folder).current_dir("/").env("PATH", PATH).output().ok()?;
    // A way that can't change the user says so itself; the program would have said something of the folder.
    (!output.stdout.is_empty()).then_some(output)
}

/// Where the programs of [`AS_NOBODY`] lie.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

fn open_to_all(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is our file");
}
