//! What led to a changed line of a prompt.
//!
//! A prompt can be made for every position, so the event after which a line stands as it does is not guessed from the
//! line's words: the prompts between the two are made again, the last one first, until the line is another one. What
//! that event did, a skill that started, a write that opened a gate, a message that pushed another one out, its own
//! headline says. Beside it stand the event that set a shown value, and the line of the agent folder.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::Serialize;

use super::prompts::{PartName, PromptDifference};
use super::rows::{Row, parts};
use super::words::{Change, Line};
use crate::event::Position;
use crate::explain::Evidence;
use crate::name::Name;
use crate::prompt::Source;
use crate::replay::Session;

/// What led to a changed line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// In which way.
    pub how: How,
    /// The event.
    pub position: Option<Position>,
    /// The raw records of the event, counted from 0.
    pub raw: Vec<u32>,
    /// The file of the agent folder.
    pub file: Option<Name>,
    /// The line in it, from 1.
    pub line: Option<u32>,
    /// One sentence. The words are those of the record.
    pub text: String,
}

/// In which way something led to a changed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Since that event the line stands as it does, or is gone.
    Since,
    /// That event set the value that is shown.
    Value,
    /// The line is written there.
    Written,
    /// The two are calls of different kinds, which get different prompts.
    Call,
    /// The order of the lines changed, and no event tells why.
    Unknown,
}

/// So many prompts are made again one by one; what is then still open is searched by halves.
const STEPS_MAX: u64 = 400;

type Key<'a> = (PartName, &'a str);

/// Puts the causes to all changed lines.
pub(super) fn explain(
    session: &Session,
    difference: &mut PromptDifference,
    old: &BTreeMap<PartName, Vec<Row>>,
    new: &BTreeMap<PartName, Vec<Row>>,
    is_rephrase: bool,
) {
    let (from, to) = (difference.from.position, difference.to.position);
    let (first, last) = (from.min(to), from.max(to));
    let (early, late) = if from <= to { (old, new) } else { (new, old) };
    let mut open: HashMap<Key<'_>, usize> = HashMap::new();
    for (change, parts) in [(Change::Removed, old), (Change::Added, new)] {
        for part in &difference.parts {
            let Some(rows) = parts.get(&part.name) else { continue };
            let lines = part.lines.iter().filter(|each| each.line.change == change);
            for row in lines.filter_map(|each| row_of(&each.line, rows)).filter(|row| !row.text.trim().is_empty()) {
                open.insert((part.name, &row.text), 0);
            }
        }
    }
    let (before, after) = (counted(early, &open), counted(late, &open));
    // A line that moved is as often there as before: no event tells it apart.
    open.retain(|key, wanted| {
        *wanted = of(&after, key);
        of(&before, key) != *wanted
    });
    if is_rephrase && let Some(prompt) = session.prompt(last) {
        let there = parts(&prompt);
        let now = counted(&there, &open);
        open.retain(|key, wanted| of(&now, key) == *wanted);
    }
    let since = search(session, open, first, last);
    for part in &mut difference.parts {
        let name = part.name;
        let empty = Vec::new();
        let sides = (old.get(&name).unwrap_or(&empty), new.get(&name).unwrap_or(&empty));
        for each in &mut part.lines {
            let rows = match each.line.change {
                Change::Same => continue,
                Change::Removed => sides.0,
                Change::Added => sides.1,
            };
            let Some(row) = row_of(&each.line, rows) else { continue };
            let since = since.get(&(name, row.text.as_str())).copied();
            each.causes = causes(session, name, row, &each.line, since);
        }
        let blank: Vec<usize> = (0..part.lines.len())
            .filter(|index| part.lines[*index].line.change != Change::Same)
            .filter(|index| !part.lines[*index].causes.iter().any(|cause| cause.how == How::Since))
            .collect();
        for index in blank {
            let nearby = neighbour(part.lines.as_slice(), index);
            let causes = nearby.map(|cause| vec![cause]).unwrap_or_else(|| vec![unexplained(is_rephrase)]);
            let kept = std::mem::take(&mut part.lines[index].causes);
            part.lines[index].causes = causes.into_iter().chain(kept).collect();
        }
    }
}

/// Returns the event that explains the nearest line of the same stretch of changes; a line that follows comes first,
/// since a blank line belongs to what stands below it.
fn neighbour(lines: &[super::prompts::ExplainedLine], index: usize) -> Option<Cause> {
    let changed = |each: &&super::prompts::ExplainedLine| each.line.change != Change::Same;
    let since =
        |each: &super::prompts::ExplainedLine| each.causes.iter().find(|cause| cause.how == How::Since).cloned();
    let behind = lines[index + 1..].iter().take_while(changed).find_map(since);
    behind.or_else(|| lines[..index].iter().rev().take_while(changed).find_map(since))
}

fn unexplained(is_rephrase: bool) -> Cause {
    let (how, text) = match is_rephrase {
        true => (How::Call, "a call that rewords a response gets a prompt of its own"),
        false => (How::Unknown, "unknown: no event between the two prompts tells it"),
    };
    Cause { how, position: None, raw: Vec::new(), file: None, line: None, text: text.to_owned() }
}

fn row_of<'a>(line: &Line, rows: &'a [Row]) -> Option<&'a Row> {
    rows.get(match line.change {
        Change::Removed => line.old?,
        Change::Same | Change::Added => line.new?,
    })
}

/// Counts those of the wanted lines that are there.
fn counted<'a>(parts: &'a BTreeMap<PartName, Vec<Row>>, wanted: &HashMap<Key<'_>, usize>) -> HashMap<Key<'a>, usize> {
    let mut counts = HashMap::new();
    for (name, rows) in parts {
        let keys = rows.iter().map(|row| (*name, row.text.as_str()));
        for key in keys.filter(|key| wanted.contains_key(key)) {
            *counts.entry(key).or_insert(0) += 1;
        }
    }
    counts
}

fn of(counts: &HashMap<Key<'_>, usize>, key: &Key<'_>) -> usize {
    counts.get(key).copied().unwrap_or(0)
}

/// Returns for each line the last event in `first + 1 ..= last` that made it as it is at `last`. `open` says how often
/// each is there at `last`.
fn search<'a>(
    session: &Session,
    mut open: HashMap<Key<'a>, usize>,
    first: Position,
    last: Position,
) -> HashMap<Key<'a>, Position> {
    let mut found = HashMap::new();
    let mut at = last.0;
    while first.0 < at && !open.is_empty() && last.0 - at < STEPS_MAX {
        at -= 1;
        settle(session, &mut open, Position(at), &mut found, Position(at + 1));
    }
    halve(session, open, first.0, at, &mut found);
    found
}

/// Moves what is another one at `at` from `open` to `found`: `cause` made it what it is.
fn settle<'a>(
    session: &Session,
    open: &mut HashMap<Key<'a>, usize>,
    at: Position,
    found: &mut HashMap<Key<'a>, Position>,
    cause: Position,
) {
    let Some(prompt) = session.prompt(at) else { return };
    let there = parts(&prompt);
    let counts = counted(&there, open);
    open.retain(|key, wanted| {
        let is_same = of(&counts, key) == *wanted;
        if !is_same {
            found.insert(*key, cause);
        }
        is_same
    });
}

/// Finds for each of `open`, which is another one at `low` and as wanted at `high`, a position between them at which
/// it becomes what is wanted.
fn halve<'a>(
    session: &Session,
    open: HashMap<Key<'a>, usize>,
    low: u64,
    high: u64,
    found: &mut HashMap<Key<'a>, Position>,
) {
    if open.is_empty() || high <= low {
        return;
    }
    if high == low + 1 {
        found.extend(open.into_keys().map(|key| (key, Position(high))));
        return;
    }
    let middle = low + (high - low) / 2;
    let Some(prompt) = session.prompt(Position(middle)) else { return };
    let there = parts(&prompt);
    let counts = counted(&there, &open);
    let (before, after) = open.into_iter().partition(|(key, wanted)| of(&counts, key) == *wanted);
    halve(session, before, low, middle, found);
    halve(session, after, middle, high, found);
}

fn causes(session: &Session, part: PartName, row: &Row, line: &Line, since: Option<Position>) -> Vec<Cause> {
    let mut found: Vec<Cause> = since.and_then(|at| event(session, How::Since, at)).into_iter().collect();
    let changed = changed_bytes(line);
    for (bytes, origin) in &row.origins {
        let is_touched =
            bytes.is_empty() || changed.iter().any(|each| each.start < bytes.end && bytes.start < each.end);
        if !is_touched {
            continue;
        }
        let cause = match origin {
            Source::Event { position, key: Some(_) } if Some(*position) != since => {
                event(session, How::Value, *position)
            }
            Source::File { file, line } if part != PartName::Messages => Some(Cause {
                how: How::Written,
                position: None,
                raw: Vec::new(),
                file: Some(file.clone()),
                line: Some(*line),
                text: format!("{file}:{line}"),
            }),
            Source::Event { .. } | Source::File { .. } | Source::Builtin => None,
        };
        if let Some(cause) = cause.filter(|cause| !found.contains(cause)) {
            found.push(cause);
        }
    }
    found
}

fn event(session: &Session, how: How, at: Position) -> Option<Cause> {
    let Evidence { raw, text, .. } = Evidence::of_event(session, at)?;
    Some(Cause { how, position: Some(at), raw, file: None, line: None, text })
}

/// Returns the bytes of the marked words; all of them where none is marked.
fn changed_bytes(line: &Line) -> Vec<Range<usize>> {
    let mut begin = 0;
    let mut ranges = Vec::new();
    for word in &line.words {
        let end = begin + word.text.len();
        if word.differs || !line.has_marks() {
            ranges.push(begin..end);
        }
        begin = end;
    }
    ranges
}
