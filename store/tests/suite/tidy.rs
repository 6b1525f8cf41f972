//! What holds for the sources themselves: floors, module docs, banned calls, names, sizes.
//!
//! Each rule is a function from the text of a file to its offences, so that a case can show that it would find one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of more lines than this are about two things.
const LINES: usize = 500;

/// Files that are longer than they should be, with the length that they must not pass. Shrink it, never grow it.
const TOO_LONG: &[(&str, usize)] = &[];

/// Calls that reach outside of the program. In `store` only two places make them.
const OUTSIDE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread::sleep",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "File::open",
    "SystemTime",
    "Instant::now",
    "println!",
    "eprintln!",
    "print!(",
    "eprint!(",
    "dbg!(",
    "rand::",
    "getrandom",
];

/// Crates that one place alone may name.
const CONFINED: &[(&str, &[&str])] = &[
    ("redb", &["store/src/log/", "store/peers/benches/"]),
    ("saphyr_parser", &["store/src/agent/yaml.rs"]),
    ("bincode", &["store/src/event/codec", "store/src/session/checkpoint.rs"]),
];

/// Words that say nothing about what a file is for.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager", "misc"];

#[test]
fn modules_use_lower_floors_only() {
    let floors = floors(&read(&root().join("store/src/lib.rs")));
    assert!(floors.len() > 5, "lib.rs shows the floors");
    check(sources("store/src"), |path, text| {
        let Some(module) = module_of(path) else { return Vec::new() };
        if !floors.contains_key(module) {
            return vec![format!("`{module}` has no floor in store/src/lib.rs")];
        }
        upward(&floors, module, text)
    });
}

#[test]
fn an_upward_reference_is_an_offence() {
    let floors = floors("//! 1  folds   session  import     events\n//! 0  words   name value\n");
    assert_eq!(upward(&floors, "session", "use crate::name::Name;").len(), 0);
    assert_eq!(upward(&floors, "import", "use crate::session::State;").len(), 0);
    assert_eq!(upward(&floors, "session", "use crate::import::read;").len(), 1);
    assert_eq!(upward(&floors, "name", "let state = crate::session::State::default();").len(), 1);
    assert_eq!(upward(&floors, "name", "use crate::{\n    import::read,\n};").len(), 1);
    assert_eq!(upward(&floors, "name", "/// See [`crate::session`].\n// crate::session").len(), 0);
    assert_eq!(upward(&floors, "value", "use crate::read_it;").len(), 1);
}

#[test]
fn every_file_says_what_it_is_for() {
    check(sources(""), |_, text| match text.starts_with("//! ") {
        true => Vec::new(),
        false => vec!["does not begin with `//!`".to_owned()],
    });
}

#[test]
fn the_store_reaches_outside_in_two_places_only() {
    check(sources("store/src"), |path, text| match path == "store/src/agent/source.rs" || path.starts_with(LOG) {
        true => Vec::new(),
        false => OUTSIDE.iter().flat_map(|call| naming(text, call)).collect(),
    });
}

#[test]
fn a_crate_that_is_confined_is_named_in_its_place_only() {
    check(sources(""), |path, text| {
        let foreign = CONFINED.iter().filter(|(_, places)| !places.iter().any(|place| path.starts_with(place)));
        foreign.flat_map(|(name, _)| naming(text, &format!("{name}::"))).collect()
    });
}

#[test]
fn a_named_call_is_an_offence_unless_a_comment_or_a_test_names_it() {
    assert_eq!(naming("let now = Instant::now();", "Instant::now").len(), 1);
    assert_eq!(naming("// Instant::now() is banned", "Instant::now").len(), 0);
    assert_eq!(naming("fn f() {}\n#[cfg(test)]\nmod tests { Instant::now() }", "Instant::now").len(), 0);
    assert_eq!(naming("let brand::new = 1;", "rand::").len(), 0);
}

#[test]
fn names_of_files_say_what_is_in_them() {
    check(sources(""), |path, _| {
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let folder = Path::new(path).parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let empty = [Some(stem), folder].into_iter().flatten().filter(|name| EMPTY_NAMES.contains(name));
        empty.map(|name| format!("`{name}` says nothing")).collect()
    });
}

#[test]
fn files_are_about_one_thing() {
    check(sources(""), |path, text| {
        let lines = text.lines().count();
        let allowed = TOO_LONG.iter().find(|(long, _)| *long == path).map(|(_, lines)| *lines);
        match allowed {
            None if lines > LINES => vec![format!("{lines} lines: look for the second subject")],
            Some(allowed) if lines > allowed => vec![format!("{lines} lines, {allowed} are allowed")],
            Some(_) if lines <= LINES => vec!["is short again: take it off the list".to_owned()],
            Some(_) | None => Vec::new(),
        }
    });
}

#[test]
fn no_file_names_a_machine_or_a_registry() {
    let hosts = ["pypi", "npmjs", "crates", "debian"].map(|name| match name {
        "crates" => format!("{name}.io"),
        "npmjs" => format!("registry.{name}"),
        _ => format!("{name}.org"),
    });
    let folders = ["work", "root", "home"].map(|name| format!("/{name}/"));
    let files = files(&root()).into_iter().filter(|(path, _)| !path.ends_with("Cargo.lock"));
    check(files.collect(), |_, text| {
        let named = hosts.iter().chain(&folders).filter(|word| text.contains(word.as_str()));
        named.map(|word| format!("names `{word}`")).collect()
    });
}

const LOG: &str = "store/src/log/";

/// Fails with every offence of every file.
fn check(files: Vec<(String, String)>, offences: impl Fn(&str, &str) -> Vec<String>) {
    assert!(!files.is_empty(), "there are files to check");
    let found: Vec<String> = files
        .iter()
        .flat_map(|(path, text)| offences(path, text).into_iter().map(move |offence| format!("{path}: {offence}")))
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// Reads the table of lib.rs: each module's floor, and its place on it from the left.
fn floors(lib: &str) -> BTreeMap<String, (usize, usize)> {
    let mut floors = BTreeMap::new();
    for line in lib.lines() {
        let Some((floor, rest)) = line.strip_prefix("//! ").and_then(|line| line.split_once("  ")) else { continue };
        let Ok(floor) = floor.parse() else { continue };
        let Some((_, modules)) = rest.split_once("  ") else { continue };
        let modules = modules.trim_start().split("   ").next().unwrap_or_default();
        for (place, module) in modules.split_whitespace().enumerate() {
            floors.insert(module.trim_end_matches('/').to_owned(), (floor, place));
        }
    }
    floors
}

/// Returns the references of `module` to what doesn't stand below it, or left of it on the same floor.
fn upward(floors: &BTreeMap<String, (usize, usize)>, module: &str, text: &str) -> Vec<String> {
    let (floor, place) = floors[module];
    let mut offences = Vec::new();
    for used in used_modules(&code(text)) {
        match floors.get(&used) {
            _ if used == module => {}
            Some(&(below, _)) if below < floor => {}
            Some(&(same, left)) if same == floor && left < place => {}
            Some(_) => offences.push(format!("uses `crate::{used}`, which stands higher")),
            None => offences.push(format!("uses `crate::{used}`, which has no floor")),
        }
    }
    offences
}

/// Returns the first segment behind each `crate::`, also of a list in braces.
fn used_modules(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            Some(list) => used.extend(first_segments(list)),
            None => used.push(identifier(rest)),
        }
    }
    used
}

/// Returns the first segment of each item of a list, up to the brace that closes it.
fn first_segments(list: &str) -> Vec<String> {
    let (mut depth, mut start) = (0, true);
    let mut segments = Vec::new();
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if character.is_whitespace() => {}
            _ => {
                if start && depth == 0 {
                    segments.push(identifier(&list[at..]));
                }
                start = false;
            }
        }
    }
    segments
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

/// Returns one offence a line that names `call` outside of comments and unit tests.
fn naming(text: &str, call: &str) -> Vec<String> {
    let names = |line: &str| {
        line.match_indices(call).any(|(at, _)| {
            !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '"')
        })
    };
    let outside_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    code(outside_tests)
        .lines()
        .filter(|line| names(line))
        .map(|line| format!("`{call}` in `{}`", line.trim()))
        .collect()
}

/// Returns the text without its comment lines.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Returns the module of `store` that a file belongs to, `None` for the crate's root.
fn module_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("store/src/")?;
    let first = inside.split('/').next()?.trim_end_matches(".rs");
    (first != "lib").then_some(first)
}

/// Returns the Rust files below a folder of the workspace.
fn sources(folder: &str) -> Vec<(String, String)> {
    files(&root().join(folder)).into_iter().filter(|(path, _)| path.ends_with(".rs")).collect()
}

/// Returns path and text of all text files below a folder, but for what builds and version control leave there.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources can be listed") {
            let path = entry.expect("the sources can be listed").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !matches!(name, "target" | ".git" | "proptest-regressions" | "corpus" | "artifacts") {
                    folders.push(path);
                }
            } else if let Ok(text) = fs::read_to_string(&path)
                && name != ".git"
            {
                found.push((relative(&path), text));
            }
        }
    }
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).expect("every file lies in the workspace");
    path.to_str().expect("names are plain").replace('\\', "/")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file is there")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("store lies in the workspace").to_owned()
}
