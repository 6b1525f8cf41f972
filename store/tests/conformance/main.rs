//! Runs the conformance vectors: cases with a known right answer, each a test of its own.
//!
//! `REPLAY_CONFORMANCE=DIR` takes the vectors of another folder of the same format. A case without a profile must hold
//! in both, and is run in each.

#![allow(clippy::print_stdout, reason = "a test runner reports on stdout")]

mod access;
mod agents;
mod conditions;
mod disputed;
mod lifecycle;
mod prose;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use replay_store::profile::Profile;
use replay_store::value::Value;

/// What a case is run with.
pub(crate) struct Case {
    /// The case as the file has it.
    pub(crate) case: Value,
    /// The agent that it names, as the file has it.
    pub(crate) agent: Value,
    /// The profile in which it must hold.
    pub(crate) profile: Profile,
}

impl Case {
    /// Returns a field of the case; `null` where it has none.
    pub(crate) fn field(&self, name: &str) -> &Value {
        self.case.get(name).unwrap_or(&Value::Null)
    }

    /// Returns a text field of the case.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.field(name).as_text()
    }
}

/// What a case says about us: the difference, where there is one.
pub(crate) type Answer = Result<(), String>;

/// A file of vectors, and what runs a case of it.
type File = (&'static str, fn(&Case) -> Answer);

const FILES: [File; 4] = [
    ("conditions.json", conditions::check),
    ("access.json", access::check),
    ("prose.json", prose::check),
    ("lifecycle.json", lifecycle::check),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = std::env::var_os("REPLAY_CONFORMANCE")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance"), PathBuf::from);
    let mut trials = Vec::new();
    let mut disputed = Vec::new();
    for (file, check) in FILES {
        for case in cases(&folder, file) {
            let id = case.case.get("id").and_then(Value::as_text).unwrap_or("?").to_owned();
            let name = format!("{}::{id}", file.trim_end_matches(".json"));
            match disputed::reason(&id) {
                Some(reason) => disputed.push((name, reason, run(&case, check))),
                None => trials.push(Trial::test(name, move || run(&case, check).map_err(Failed::from))),
            }
        }
    }
    let is_listing = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !is_listing {
        for (name, reason, answer) in disputed {
            let answer = answer.err().unwrap_or_else(|| "we agree after all".to_owned());
            println!("disputed: {name}: {reason} [{answer}]");
        }
        println!("conformance: {} passed, {} failed", conclusion.num_passed, conclusion.num_failed);
    }
    conclusion.exit_code()
}

/// A case that the file has, before its profile is chosen.
struct Written {
    case: Value,
    agent: Value,
}

/// Runs a case in every profile in which it must hold.
fn run(written: &Written, check: fn(&Case) -> Answer) -> Answer {
    let only = written.case.get("profile").and_then(Value::as_text);
    for (letter, profile) in [("S", Profile::Seed), ("N", Profile::Mantle321)] {
        if only.is_none_or(|only| only == letter) {
            let case = Case { case: written.case.clone(), agent: written.agent.clone(), profile };
            check(&case).map_err(|difference| format!("{profile}: {difference}"))?;
        }
    }
    Ok(())
}

/// Reads the cases of a file.
fn cases(folder: &Path, file: &str) -> Vec<Written> {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let read = Value::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let agents = read.get("agents").cloned().unwrap_or_default();
    let Some(Value::List(cases)) = read.get("cases") else { panic!("{}: no cases", path.display()) };
    let written = |case: &Value| {
        let agent = case.get("agent").and_then(Value::as_text).and_then(|agent| agents.get(agent));
        Written { case: case.clone(), agent: agent.cloned().unwrap_or_default() }
    };
    cases.iter().map(written).collect()
}

/// Fails unless both are equal.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Answer {
    match ours == theirs {
        true => Ok(()),
        false => Err(format!("{what}: ours {ours:?}, expected {theirs:?}")),
    }
}
