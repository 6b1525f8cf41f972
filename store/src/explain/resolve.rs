//! Which memory entry a person means who names one.

use std::collections::BTreeSet;

use crate::diagnostic::nearest;
use crate::name::{Name, split_key};
use crate::replay::Session;
use crate::session::State;

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// One entry, by its qualified name.
    One(Name),
    /// A bare name that several skills have: all that it may mean.
    Several(Vec<Name>),
    /// None that the folder declares or the record names: those that look like it, the nearest first.
    Unknown(Vec<Name>),
}

/// How many names are suggested.
const SUGGESTED: usize = 4;

/// Finds the entry that `asked` means: a qualified name, one as conditions and prose write it (`session.…`,
/// `@memory.…`), or a bare name that only one entry has.
pub fn resolve(session: &Session, state: &State, asked: &str) -> Resolved {
    let asked = asked.trim();
    let asked = ["session.", "@memory."].iter().find_map(|prefix| asked.strip_prefix(prefix)).unwrap_or(asked);
    let known = known_keys(session, state);
    if let Some(key) = known.get(asked) {
        return Resolved::One(key.clone());
    }
    let is_bare = split_key(asked).is_none();
    let named: Vec<Name> = known.iter().filter(|key| is_bare && bare(key) == asked).cloned().collect();
    match named.len() {
        1 => Resolved::One(named[0].clone()),
        0 => Resolved::Unknown(like(asked, &known)),
        _ => Resolved::Several(named),
    }
}

/// Returns every entry that the folder declares, or that the record has named up to `state` or its end.
pub fn known_keys(session: &Session, state: &State) -> BTreeSet<Name> {
    let declared = session.agent.iter().flat_map(|agent| agent.entries()).map(|entry| &entry.key);
    let end = session.state(session.end());
    declared.chain(state.memory.keys()).chain(end.memory.keys()).cloned().collect()
}

/// Returns the entry's name without its namespace.
pub fn bare(key: &str) -> &str {
    split_key(key).map_or(key, |(_, name)| name)
}

/// Returns the known names that look like `asked`: the same entry elsewhere, then mistyped ones, then those that have
/// it as a part.
fn like(asked: &str, known: &BTreeSet<Name>) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let mut add = |key: &Name| {
        if found.len() < SUGGESTED && !found.contains(key) {
            found.push(key.clone());
        }
    };
    let name = bare(asked);
    known.iter().filter(|key| bare(key) == name).for_each(&mut add);
    near(asked, known.iter().map(Name::as_str)).iter().for_each(&mut add);
    let near_bare = near(name, known.iter().map(|key| bare(key)));
    known.iter().filter(|key| near_bare.iter().any(|near| near == bare(key))).for_each(&mut add);
    let is_part = |key: &&Name| name.len() >= 3 && (bare(key).contains(name) || name.contains(bare(key)));
    known.iter().filter(is_part).for_each(&mut add);
    found
}

/// Returns the known names that `word` may be a mistyped form of, the nearest first.
pub fn near<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Vec<Name> {
    let mut rest: Vec<&str> = known.collect();
    rest.sort_unstable();
    rest.dedup();
    let mut found = Vec::new();
    while let Some(next) = nearest(word, rest.iter().copied()).filter(|_| found.len() < SUGGESTED) {
        rest.retain(|known| *known != next);
        found.push(Name::from(next));
    }
    found
}
