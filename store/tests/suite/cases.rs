//! The Markdown cases: each code with files that are wrong, what the user sees, and files that are right.
//!
//! A case stands under a heading `## <code>`. Its fences are:
//!
//! - with `path=<file>`: a file; the folder begins with those of [`BASE`]. `absent` takes one away, `right` is the
//!   file put right, `link=<target>` makes a link, `latin1` writes another encoding, `repeat=<n>` repeats the text;
//! - `output <profile>`: everything that `replay check` says in that profile; `guess` leaves the choice to the folder.
//!
//! `REPLAY_BLESS=1` writes what is said now into the files.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

use replay_store::agent::{check, source};
use replay_store::diagnostic::catalogue::{self, CASES};
use replay_store::diagnostic::render::{Style, render};
use replay_store::diagnostic::{Diagnostic, Severity};
use replay_store::profile::Profile;

/// The folder that a case begins with, which has no faults.
const BASE: [(&str, &str); 3] = [
    ("agent.yml", "agent:\n  persona: You answer for Parcel Desk.\norchestrator:\n  model_group: main\n"),
    ("integrations.yml", "model_groups:\n  - id: main\n"),
    ("skills/hold/skill.md", "---\nname: Hold\ndescription: Hold a parcel\n---\nHelp with the parcel.\n"),
];

#[test]
fn every_case_says_what_it_shows() {
    check_files(CASES.iter().map(|(name, _)| *name), "said", check_file);
}

/// Checks files of cases, or writes into them what they should hold.
pub(crate) fn check_files<'a>(
    names: impl Iterator<Item = &'a str>,
    deed: &str,
    check_file: fn(&str, &str, &mut Vec<String>) -> String,
) {
    let bless = env::var_os("REPLAY_BLESS").is_some();
    let mut failures = Vec::new();
    for name in names {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
        let text = fs::read_to_string(&path).expect("the file of cases is there");
        let blessed = check_file(name, &text, &mut failures);
        if bless && blessed != text {
            fs::write(&path, blessed).expect("the file of cases can be written");
        }
    }
    assert!(bless || failures.is_empty(), "\n{}\nREPLAY_BLESS=1 writes what is {deed} now\n", failures.join("\n\n"));
}

#[test]
fn every_code_has_a_case_that_shows_it() {
    let missing: Vec<&str> = catalogue::entries()
        .filter(|entry| !entry.example.contains(&format!("[{}]", entry.code)))
        .map(|entry| entry.code)
        .collect();
    assert!(missing.is_empty(), "codes without a case that shows them: {missing:#?}");
}

/// A fence of a case.
pub(crate) struct Fence<'a> {
    /// What stands behind the three marks.
    pub(crate) info: &'a str,
    pub(crate) body: &'a str,
    /// Bytes of the body in the file of cases.
    pub(crate) at: std::ops::Range<usize>,
}

impl<'a> Fence<'a> {
    pub(crate) fn option(&self, name: &str) -> Option<&'a str> {
        self.info.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.info.split_whitespace().any(|found| found == word)
    }
}

/// Runs the cases of a file and returns the file with what is said now.
fn check_file(name: &str, text: &str, failures: &mut Vec<String>) -> String {
    let mut blessed = String::new();
    let mut done = 0;
    let starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        let code = text[*start..].lines().next().and_then(|line| line.split_whitespace().nth(1)).unwrap_or_default();
        let fences = fences(text, *start..end);
        assert!(fences.iter().any(|fence| fence.has("output")), "{name}: {code} says nothing");
        for fence in fences.iter().filter(|fence| fence.has("output")) {
            let word = fence.info.split_whitespace().nth(1).unwrap_or_default();
            let profile = Profile::parse(word);
            assert!(profile.is_some() || word == "guess", "{name}: {code}: no profile {word:?}");
            let (found, said) = run(&fences, false, profile);
            if said != fence.body {
                failures.push(format!("{name}: {code} in {word}:\n{said}"));
            }
            check_severity(&found, failures);
            if fences.iter().any(|fence| fence.has("right")) {
                let (right, said) = run(&fences, true, profile);
                if right.iter().any(|found| found.code == code) {
                    failures.push(format!("{name}: {code} in {word}: what is right is wrong too:\n{said}"));
                }
            }
            blessed.push_str(&text[done..fence.at.start]);
            blessed.push_str(&said);
            done = fence.at.end;
        }
    }
    blessed.push_str(&text[done..]);
    blessed
}

/// What the table says of a code is the worst that it is.
fn check_severity(found: &[Diagnostic], failures: &mut Vec<String>) {
    for one in found {
        let entry = catalogue::explain(one.code).expect("every code is in the table");
        if one.severity < entry.severity {
            failures.push(format!("{} is {:?}, and the table says {:?}", one.code, one.severity, entry.severity));
        }
    }
}

pub(crate) fn fences(text: &str, range: std::ops::Range<usize>) -> Vec<Fence<'_>> {
    let mut fences = Vec::new();
    let mut at = range.start;
    while let Some(open) = text[at..range.end].find("\n```") {
        let info_start = at + open + 4;
        let body_start = info_start + text[info_start..].find('\n').expect("a fence has a line") + 1;
        let close = text[body_start - 1..].find("\n```").expect("a fence is closed") + body_start;
        fences.push(Fence {
            info: &text[info_start..body_start - 1],
            body: &text[body_start..close],
            at: body_start..close,
        });
        at = close + 3;
    }
    fences
}

/// Writes the folder of a case, checks it, and returns what is found and said.
fn run(fences: &[Fence<'_>], right: bool, profile: Option<Profile>) -> (Vec<Diagnostic>, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let root = folder.path().join("agent");
    let mut files: BTreeMap<&str, Option<&Fence<'_>>> = BASE.iter().map(|(path, _)| (*path, None)).collect();
    for fence in fences.iter().filter(|fence| right || !fence.has("right")) {
        if let Some(path) = fence.option("path") {
            files.insert(path, Some(fence));
        }
    }
    for (path, fence) in files.into_iter().filter(|(_, fence)| fence.is_none_or(|fence| !fence.has("absent"))) {
        let full = root.join(path);
        fs::create_dir_all(full.parent().expect("a file stands in a folder")).expect("a folder can be made");
        let base = BASE.iter().find(|(base, _)| *base == path).map(|(_, text)| *text).unwrap_or_default();
        let bytes = match fence {
            None => base.as_bytes().to_vec(),
            Some(fence) if fence.has("latin1") => {
                fence.body.chars().map(|c| u8::try_from(c).expect("it is latin-1")).collect()
            }
            Some(fence) => {
                fence.body.repeat(fence.option("repeat").map_or(1, |n| n.parse().expect("a number"))).into_bytes()
            }
        };
        match fence.and_then(|fence| fence.option("link")) {
            Some(target) => std::os::unix::fs::symlink(target, &full).expect("a link can be made"),
            None => fs::write(&full, bytes).expect("a file can be written"),
        }
    }
    let (agent, found) = check::folder(&root, profile).expect("the folder can be read");
    let mut code = source::ToolCode::of(&root);
    let said: String = found
        .iter()
        .map(|one| match code.at(&one.at) {
            Some((text, at)) => render(&Diagnostic { at, ..one.clone() }, Some(text), Style::Plain) + "\n",
            None => render(one, agent.text_of(&one.at.file).as_deref(), Style::Plain) + "\n",
        })
        .collect::<Vec<_>>()
        .join("\n");
    let trimmed: String = said.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    (found, trimmed)
}

#[test]
fn the_folder_that_cases_begin_with_has_no_faults() {
    for profile in Profile::ALL {
        let (found, said) = run(&[], false, Some(profile));
        assert!(found.iter().all(|one| one.severity > Severity::Note), "{said}");
    }
}
