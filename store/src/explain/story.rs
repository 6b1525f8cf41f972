//! The story of an entry up to a moment: what put it into its state, what it held before, which writes of it were
//! refused, and what follows where it holds nothing.

use super::Evidence;
use super::cause::{chain, deed};
use super::condition::Condition;
use super::resolve::bare;
use super::words::value_words;
use crate::event::finding::FindingKind;
use crate::event::{Event, EventKind, Position, Tag, ToolOutcome};
use crate::name::Name;
use crate::replay::outline::Mark;
use crate::replay::{Emptied, Session};
use crate::session::{Cell, CellState, State};

/// How many refused writes are told.
const REFUSED_MAX: usize = 5;
/// How many pieces of the story of an entry are told beside a condition.
const STORY_MAX: usize = 4;
/// How many losses of the record are told.
const LOST_MAX: usize = 3;

/// Returns the story of an entry, what counts most first.
pub(super) fn story(session: &Session, state: &State, key: &Name) -> Vec<Evidence> {
    let cell = state.memory.get(key);
    let mut story = Vec::new();
    let set_at = cell.and_then(|cell| cell.set_at);
    if let Some(at) = set_at {
        story.extend(chain(session, at));
    } else {
        story.extend(unwritten(session, state, key));
    }
    if let Some(before) = cell.and_then(|cell| cell.previous) {
        story.extend(earlier(session, key, before));
    }
    if let Some(cell) = cell.filter(|cell| cell.locked && cell.state == CellState::Set) {
        story.push(Evidence::of_definition(lock(session, state, key, cell)));
    }
    story.extend(refused(session, state.position, set_at, key));
    let holds_nothing = cell.is_none_or(|cell| cell.value.is_null());
    if let Some(next) = session.next_write(key, state.position).filter(|_| holds_nothing) {
        story.extend(Evidence::of_event(session, next).map(|one| {
            let text = format!("the next write comes only then: {}", one.text);
            one.saying(text)
        }));
    }
    story.extend(lost(session, state.position, set_at, key));
    story
}

/// Returns the stories of the entries that a condition reads, the beginning of each.
pub(super) fn stories(session: &Session, state: &State, condition: &Condition) -> Vec<Evidence> {
    let keys = condition.reads().into_iter().map(|read| read.decision.key.as_ref().unwrap_or(&read.key));
    keys.flat_map(|key| story(session, state, key).into_iter().take(STORY_MAX)).collect()
}

/// Says since when a project entry is locked. A record may hold writes that its rules forbid.
fn lock(session: &Session, state: &State, key: &Name, cell: &Cell) -> String {
    let since = cell.set_at.map(|at| format!(" since {at}")).unwrap_or_default();
    let wrote = |at: &Position| {
        session
            .event(*at)
            .is_some_and(|event| matches!(&event.kind, EventKind::MemoryWritten { value, .. } if !value.is_null()))
    };
    let initial = state.initial.get(key).filter(|value| !value.is_null());
    let by_initial = initial.is_some() && state.profile.unwrap_or_default().initial_value_locks();
    match cell.previous.filter(wrote) {
        _ if by_initial => format!(
            "`{key}` is locked by its initial value from the start (M44): the engine would have refused this write, which the \
             record has all the same"
        ),
        Some(before) => format!(
            "`{key}` was locked already when {before} had written it: a project entry is written once (M43), so the engine would \
             have refused this write, which the record has all the same"
        ),
        None => format!("`{key}` is locked{since}: a project entry is written once (M43)"),
    }
}

/// What took away an entry that holds nothing, and what it held before; or that nothing ever wrote it.
fn unwritten(session: &Session, state: &State, key: &Name) -> Vec<Evidence> {
    let Some((by, before)) = taken_away(session, state, key) else {
        return vec![Evidence::of_absence(format!("no event up to {} writes `{key}`", state.position))];
    };
    let mut evidence: Vec<Evidence> = Evidence::of_event(session, by).into_iter().collect();
    evidence.extend(earlier(session, key, before));
    evidence
}

/// Returns the session start or rewind that took away what an entry held, and the event that had set it.
pub(super) fn taken_away(session: &Session, state: &State, key: &Name) -> Option<(Position, Position)> {
    let (Emptied::Started(by) | Emptied::Rewound(by)) = session.emptied(state.position)?;
    let before = session.state(Position(by.0.checked_sub(1)?));
    let cell = before.memory.get(key).filter(|cell| !cell.value.is_null())?;
    Some((by, cell.set_at?))
}

/// The write before the one that counts, with its own causes.
fn earlier(session: &Session, key: &Name, at: Position) -> Vec<Evidence> {
    let mut chain = chain(session, at);
    if let Some(first) = chain.first_mut() {
        first.text = format!("before that, `{key}` was {}: {}", deed(session, key, at), first.text);
    }
    chain
}

/// Returns the writes that were refused since `since`, the newest first, as far as the record tells.
fn refused(session: &Session, at: Position, since: Option<Position>, key: &Name) -> Vec<Evidence> {
    let marked = session.marked_back(at, may_refuse).take_while(|at| since.is_none_or(|since| *at > since));
    let told = marked.filter_map(|at| {
        let words = refusal(&*session.event(at)?, key)?;
        Some(Evidence::of_event(session, at)?.saying(words))
    });
    told.take(REFUSED_MAX).collect()
}

/// Returns what of the record is lost since `since`: something may have written the entry there, and nobody can know.
fn lost(session: &Session, at: Position, since: Option<Position>, key: &Name) -> Vec<Evidence> {
    let told = session.findings.iter().filter_map(|finding| {
        let (first, last) = finding.raw.filter(|_| matches!(finding.kind, FindingKind::Damaged | FindingKind::Gap))?;
        let [begins, ends] = [first, last].map(|raw| session.position_of_raw(raw).unwrap_or_else(|| session.end()));
        let is_since = begins <= at && since.is_none_or(|since| since < ends);
        let text = format!("whether something wrote `{key}` there is unknown: {}", finding.text);
        is_since.then(|| Evidence { raw: (first..=last).collect(), ..Evidence::of_absence(text) })
    });
    told.take(LOST_MAX).collect()
}

/// Returns whether an event of that mark can have refused a write.
pub(super) fn may_refuse(mark: Mark) -> bool {
    mark.tag() == Tag::MemoryWriteRefused || mark.tag() == Tag::ToolReturned && mark.is_refused()
}

/// Says how an event refused a write of `key`, if it did: a refusal of its own, or a failed tool whose error names it.
pub(super) fn refusal(event: &Event, key: &Name) -> Option<String> {
    match &event.kind {
        EventKind::MemoryWriteRefused { asked, key: meant, value, writer, refusal, rule } => {
            let is_it = meant.as_ref().unwrap_or(asked) == key;
            is_it.then(|| {
                let who = crate::replay::headline::who(writer);
                let value = value_words(value);
                format!("a write of {value} by {who} was refused: {} ({rule})", refusal.word())
            })
        }
        EventKind::ToolReturned { tool, arguments, error, outcome: ToolOutcome::Failed, .. } => {
            let error = error.as_deref().unwrap_or_default();
            let names = |text: &str| has_word(text, key) || has_word(text, bare(key));
            let by_model = (*tool == "set_fields" || *tool == "correct") && names(arguments);
            let by_code = error.contains("Memory") && names(error);
            (by_model || by_code).then(|| format!("a write by {tool}({arguments}) was refused: {error}"))
        }
        _ => None,
    }
}

/// Returns whether the name stands in the text and is no part of a longer one.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(name).any(|(start, found)| {
        let before = text[..start].chars().next_back().is_some_and(|c| is_part(c) || c == '.');
        let after = text[start + found.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}
