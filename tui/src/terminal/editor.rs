//! Opens a file of the agent folder in the user's editor, at its line.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use replay_store::fault;

use crate::app::{Edit, Message};
use crate::theme::Tone;

/// Opens a file and returns what there is to say afterwards. A file that is inside the log is opened as a copy that
/// can't be written, and the copy is taken away again.
pub(super) fn open(edit: &Edit, folder: Option<&Path>) -> Message {
    let said = |text: String| Message { text, tone: Tone::Strong };
    let failed = |text: String| Message { text, tone: Tone::Bad };
    match folder {
        Some(folder) => match run(&folder.join(&*edit.file), edit.line) {
            Ok(()) => said(format!("{}:{}; what you changed counts after a new start", edit.file, edit.line)),
            Err(words) => failed(words),
        },
        None => {
            let copy = match copy(edit) {
                Ok(copy) => copy,
                Err(error) => return failed(format!("no copy of {} can be made: {}", edit.file, fault::words(&error))),
            };
            let ended = run(&copy, edit.line);
            // A copy that stays behind is in the folder for such things.
            let _ = copy.parent().map(fs::remove_dir_all);
            match ended {
                Ok(()) => said(format!("{} is inside the log; you saw a copy that can't be written", edit.file)),
                Err(words) => failed(words),
            }
        }
    }
}

/// Writes a copy in a folder of its own. Names of files that come out of a log may lead anywhere, so that only their
/// plain characters are taken.
fn copy(edit: &Edit) -> io::Result<PathBuf> {
    let folder = env::temp_dir().join(format!("replay-{}-{}", std::process::id(), edit.line));
    fs::create_dir(&folder)?;
    let name: String = edit.file.rsplit('/').next().unwrap_or_default().chars().filter(is_plain).collect();
    let path = folder.join(format!("read-only-{}", name.trim_start_matches('.')));
    fs::write(&path, &edit.bytes)?;
    let mut permissions = fs::metadata(&path)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions)?;
    Ok(path)
}

fn is_plain(character: &char) -> bool {
    character.is_ascii_alphanumeric() || ".-_".contains(*character)
}

fn run(path: &Path, line: u32) -> Result<(), String> {
    let set = |name| env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let arguments = at_line(program, &path.to_string_lossy(), line);
    let ended = Command::new(program).args(words).args(arguments).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => {
            Err(format!("{program} can't be started ({}); set EDITOR to the editor that you use", fault::words(&error)))
        }
    }
}

/// Returns how an editor is told the line.
fn at_line(program: &str, path: &str, line: u32) -> Vec<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    match name {
        "code" | "codium" | "cursor" => vec!["--wait".into(), "--goto".into(), format!("{path}:{line}")],
        "hx" | "helix" | "subl" | "zed" => vec![format!("{path}:{line}")],
        _ => vec![format!("+{line}"), path.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_line_as_it_wants_it() {
        assert_eq!(at_line("/usr/bin/vim", "a.md", 3), ["+3", "a.md"]);
        assert_eq!(at_line("hx", "a.md", 3), ["a.md:3"]);
        assert_eq!(at_line("code", "a.md", 3), ["--wait", "--goto", "a.md:3"]);
    }

    #[test]
    fn a_copy_stays_in_its_folder_and_cannot_be_written() {
        let edit = Edit { file: "../../etc/pass wd\u{1b}".into(), line: 4_000_001, bytes: b"text".to_vec().into() };
        let path = copy(&edit).expect("there is a folder for such things");
        assert_eq!(path.file_name().and_then(|name| name.to_str()), Some("read-only-passwd"));
        assert!(
            path.starts_with(env::temp_dir()) && fs::metadata(&path).expect("it is there").permissions().readonly()
        );
        fs::remove_dir_all(path.parent().expect("it has a folder")).expect("it can be taken away");
    }
}
