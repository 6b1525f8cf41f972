//! Drafts of one session become its events: mirrors join their twins, turns are numbered, causes are found.
//!
//! Records are taken in one after the other and worked on together once their turn is over, with the writes that
//! follow it, because a record may be explained by one that stands behind it. What is kept beyond a turn is small, so
//! that a record of any length can be read in little memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::actors::{self, OpenCalls};
use super::draft::{Draft, Fact, Family};
use super::evidence::{Clue, Evidence};
use super::history::History;
use super::names::Names;
use super::oddities::Tally;
use super::pairs::Pairs;
use super::turn::Turn;
use super::watch::StackWatch;
use crate::event::finding::{Finding, FindingKind};
use crate::event::raw::RawRecords;
use crate::event::{Activation, Event, EventKind, Form, Origin, Position, RecordedFrame};
use crate::name::{Name, split_key};
use crate::timestamp::Timestamp;
use crate::value::Value;

/// A turn that is longer than this is worked on in parts.
const LONGEST_TURN: usize = 8192;
/// The kind of words that were not taken for any.
const SUPPRESSED: &str = "user_input_suppressed";
/// How many user messages an activation can refer back to.
const USERS_KEPT: usize = 64;

/// One session while its records come in.
#[derive(Default)]
pub(super) struct Fold {
    /// Events that are done.
    pub(super) events: Vec<Event>,
    pub(super) names: Names,
    /// The raw records, from the first that isn't taken away yet.
    raw: RawRecords,
    raw_taken: u32,
    rows: Vec<Row>,
    engine: Engine,
    turn: Turn,
    position: u64,
    /// The user message that the agent answers.
    answering: Option<Position>,
    /// The last user message's own id, and its raw index.
    message: Option<(Option<Name>, u32)>,
    /// The last user messages, with their times in seconds.
    users: VecDeque<(f64, Position)>,
    seconds: f64,
    history: History,
    stack: StackWatch,
    calls: OpenCalls,
    pairs: Pairs,
    tally: Tally,
    evidence: Evidence,
}

/// The engine that wrote the record.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Engine {
    #[default]
    Unknown,
    Mantle,
    Classic,
}

/// A record of the turn that is being collected.
pub(super) struct Row {
    /// `None` for the session start that is put in front.
    pub(super) raw: Option<u32>,
    pub(super) turn: Option<u32>,
    pub(super) draft: Draft,
    /// The raw index of the mirror.
    pub(super) mirror: Option<u32>,
    /// Whether it is a mirror that has its twin.
    pub(super) is_joined: bool,
    time: Timestamp,
}

/// What a dump says about its own end, for comparison with its events.
pub(super) struct End<'a> {
    pub(super) slots: &'a [(Name, Value)],
    /// The stack, where the dump has one.
    pub(super) stack: Option<&'a [RecordedFrame]>,
    pub(super) latest_time: Option<f64>,
    /// The id of the last user message, where the dump has one.
    pub(super) latest_message: Option<&'a str>,
}

impl Fold {
    /// Returns the index of the next raw record.
    pub(super) fn next_raw(&self) -> u32 {
        self.raw_taken + self.raw.count() as u32
    }

    /// Says that the record is one of the Mantle engine.
    pub(super) fn is_mantle(&mut self) {
        self.engine = Engine::Mantle;
        self.history.fix();
    }

    /// Takes in the next record, which stands at `range` of `buffer`.
    pub(super) fn push(&mut self, mut draft: Draft, buffer: &Arc<Vec<u8>>, range: Range<usize>) {
        let raw = self.next_raw();
        self.tally.take(&mut draft, raw, self.seconds);
        if let Some(claimed) = draft.claimed {
            self.evidence.claim(raw, claimed);
        }
        self.seconds = draft.time.unwrap_or(self.seconds);
        self.decide_engine(&mut draft);
        if raw == 0 && !matches!(draft.fact, Fact::Kind(EventKind::SessionStarted { .. })) {
            self.add_start();
        }
        if !self.turn.is_open && !is_between_turns(&draft) {
            self.close();
            self.turn.begin(raw);
        }
        let turn = self.turn.is_open.then_some(self.turn.number);
        if turn.is_some() {
            self.turn.take(kind_of(&draft), raw, &mut self.evidence);
        }
        let time = Timestamp::from_seconds(self.seconds);
        self.raw.push(buffer, range);
        self.rows.push(Row { raw: Some(raw), turn, draft, mirror: None, is_joined: false, time });
        if self.rows.len() >= LONGEST_TURN {
            self.close();
        }
    }

    /// Takes away the events that are done, with their raw records.
    pub(super) fn take_done(&mut self) -> (Vec<Event>, RawRecords) {
        let open = self.rows.iter().find_map(|row| row.raw).unwrap_or_else(|| self.next_raw());
        let rest = self.raw.split_off(open - self.raw_taken);
        self.raw_taken = open;
        (std::mem::take(&mut self.events), std::mem::replace(&mut self.raw, rest))
    }

    /// Works on what is still open at the end of the record, and returns what looks wrong in all of it.
    ///
    /// Of a record that is cut, nothing that its end lacks is held against it.
    pub(super) fn finish(&mut self, end: Option<End<'_>>, cut: Option<Finding>) -> Vec<Finding> {
        self.close();
        let count = self.next_raw();
        self.calls.finish(count, &mut self.evidence);
        self.pairs.lone(count, &mut self.evidence);
        if let Some(end) = end.filter(|_| cut.is_none()) {
            self.compare_end(&end, count);
        }
        let mut findings = std::mem::take(&mut self.evidence).findings();
        if let Some(cut) = cut {
            findings.retain(|finding| finding.raw.is_none_or(|(_, last)| last < count));
            findings.push(cut);
        }
        findings.append(&mut self.tally.findings());
        findings.sort_by_key(|finding| (finding.kind, finding.raw));
        findings
    }

    /// Puts a session start in front of a record that lacks one.
    fn add_start(&mut self) {
        self.turn.begin(0);
        let kind = EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() };
        self.turn.take(Some(&kind), 0, &mut self.evidence);
        let time = Timestamp::from_seconds(self.seconds);
        let draft = Draft::of(Fact::Kind(kind));
        self.rows.push(Row { raw: None, turn: Some(1), draft, mirror: None, is_joined: false, time });
    }

    /// Tells the engines apart, and a classic `action_listen` that ends a turn from other actions.
    fn decide_engine(&mut self, draft: &mut Draft) {
        if self.engine != Engine::Mantle && is_mantle(draft) {
            self.is_mantle();
        }
        if let Fact::Kind(EventKind::ActionTaken { action, .. }) = &draft.fact
            && self.engine != Engine::Mantle
            && *action == "action_listen"
            && self.turn.user_spoke
        {
            self.engine = Engine::Classic;
            draft.fact = Fact::Kind(EventKind::TurnEnded);
        }
    }

    /// Works on the records collected so far: they become events.
    fn close(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let mut rows = std::mem::take(&mut self.rows);
        let (raw, taken) = (&self.raw, self.raw_taken);
        self.pairs.join(&mut rows, |index| raw.get(index - taken).unwrap_or_default(), &mut self.names);
        match self.engine {
            Engine::Mantle => self.calls.name_writers(&mut rows, &mut self.evidence),
            Engine::Classic | Engine::Unknown => actors::forget_writers(&mut rows),
        }
        let is_mantle = self.engine == Engine::Mantle && !self.turn.is_open;
        actors::name_activations(&mut rows, if is_mantle { Activation::Engine } else { Activation::Unknown });
        let mut next_users = self.find_users(&rows);
        for row in rows.into_iter().filter(|row| !row.is_joined) {
            self.position += 1;
            if next_users.front() == Some(&Position(self.position)) {
                next_users.pop_front();
            }
            self.emit(row, next_users.front().copied());
        }
    }

    /// Returns where the user messages among `rows` will stand.
    fn find_users(&mut self, rows: &[Row]) -> VecDeque<Position> {
        let mut found = VecDeque::new();
        for (place, row) in rows.iter().filter(|row| !row.is_joined).enumerate() {
            if matches!(row.draft.fact, Fact::Kind(EventKind::UserMessage { .. })) {
                let position = Position(self.position + place as u64 + 1);
                found.push_back(position);
                if self.users.len() == USERS_KEPT {
                    self.users.pop_front();
                }
                self.users.push_back((row.draft.time.unwrap_or(f64::NAN), position));
            }
        }
        found
    }

    /// Appends the event of a row at the current position. `next_user` is the next user message of the same turn.
    fn emit(&mut self, row: Row, next_user: Option<Position>) {
        let position = Position(self.position);
        let raw = row.raw.unwrap_or(0);
        let mut kind = match row.draft.fact {
            Fact::Kind(kind) => kind,
            Fact::Rewound(by) => self.history.rewind(by, position).unwrap_or_else(|| {
                let text = "a record takes back more than can be kept".to_owned();
                self.tally.count(FindingKind::Damaged, text, raw);
                EventKind::Foreign { name: self.names.get("") }
            }),
            Fact::Mirror => unreachable!("a mirror is joined or speaks for itself"),
        };
        let mut cause = if row.turn.is_some() { self.answering.or(next_user) } else { None };
        if let EventKind::SkillActivated { .. } = kind {
            cause = self.triggering(row.draft.trigger, raw).or(next_user).or(self.answering);
        } else if let EventKind::SessionStarted { .. } = kind {
            (cause, self.answering) = (None, None);
        } else if let EventKind::UserMessage { message_id, .. } = &kind {
            (cause, self.answering) = (None, Some(position));
            self.message = Some((message_id.clone(), raw));
        }
        self.stack.take(&mut kind, raw, &mut self.names, &mut self.evidence);
        self.history.apply(&kind, position, raw);
        let form = match (row.draft.form, self.engine) {
            (Form::Flat, Engine::Classic | Engine::Unknown) => Form::Classic,
            (form, _) => form,
        };
        let origin = match row.raw {
            Some(raw) => Origin::Imported { raw, mirror: row.mirror, form },
            None => Origin::Added,
        };
        self.events.push(Event { time: row.time, turn: row.turn, cause, origin, kind });
    }

    /// Finds the user message that an activation names by its time. The time of a session start is nobody's.
    fn triggering(&mut self, trigger: Option<f64>, raw: u32) -> Option<Position> {
        let trigger = trigger?;
        let found = self.users.iter().rev().find(|(time, _)| *time == trigger).map(|(_, position)| *position);
        if found.is_none() && self.answering.is_some() {
            let text = format!("the user message that started the skill of raw {raw} is nowhere");
            self.evidence.add(Clue { low: 0, high: raw, count: 0, kind: FindingKind::Gap, text });
        }
        found
    }

    /// Compares what a dump says about its end with what its events give.
    fn compare_end(&mut self, end: &End<'_>, count: u32) {
        let mut add = |low: u32, kind: FindingKind, text: String| {
            self.evidence.add(Clue { low, high: count, count: 0, kind, text });
        };
        if let Some(latest) = end.latest_time {
            if self.seconds < latest {
                add(count, FindingKind::Gap, "the dump knows a later event than its last record".to_owned());
            } else if latest < self.seconds {
                add(0, FindingKind::EndConflict, "the dump's latest event is older than its last record".to_owned());
            }
        }
        if let Some(latest) = end.latest_message.filter(|_| self.engine == Engine::Mantle) {
            let (ours, raw) = self.message.as_ref().map_or((None, None), |(id, raw)| (id.as_ref(), Some(*raw)));
            if ours.is_none_or(|ours| *ours != latest) {
                let text = "the dump's latest message is none of its last records".to_owned();
                add(raw.map_or(0, |raw| raw + 1), FindingKind::Gap, text);
            }
        }
        if let (Some(recorded), Some(ours)) = (end.stack, self.stack.frames(&mut self.names))
            && recorded != ours
        {
            add(0, FindingKind::EndConflict, "the dump's stack is another than its events give".to_owned());
        }
        let cells = self.history.cells();
        for (key, value) in end.slots {
            // A skill that starts again resets its entries, which no record tells (M54, M313).
            let reset = split_key(key).map_or(0, |(skill, _)| self.stack.start_of(skill));
            if let Some(held) = cells.get(key).filter(|held| reset <= held.raw && !held.value.equals(value)) {
                let text = format!("the dump's `{key}` is another than raw {} says", held.raw);
                add(held.raw + 1, FindingKind::EndConflict, text);
            }
        }
    }
}

fn kind_of(draft: &Draft) -> Option<&EventKind> {
    match &draft.fact {
        Fact::Kind(kind) => Some(kind),
        Fact::Mirror | Fact::Rewound(_) => None,
    }
}

/// Whether a record that comes after a turn's end starts no other: a write, or words that were not taken for any (M363).
fn is_between_turns(draft: &Draft) -> bool {
    match &draft.fact {
        Fact::Mirror => draft.twin.is_some_and(|twin| twin.family == Family::Memory),
        Fact::Kind(EventKind::Foreign { name }) => *name == SUPPRESSED,
        Fact::Kind(kind) => matches!(kind, EventKind::MemoryWritten { .. } | EventKind::MemoryCleared { .. }),
        Fact::Rewound(_) => false,
    }
}

/// Whether only the Mantle engine writes such a record.
fn is_mantle(draft: &Draft) -> bool {
    let is_slot = matches!(draft.fact, Fact::Mirror) && draft.twin.is_some_and(|twin| twin.family == Family::Memory);
    let is_kind = matches!(
        draft.fact,
        Fact::Kind(EventKind::TurnEnded | EventKind::StackPatched { .. } | EventKind::SessionEnded)
    );
    draft.form == Form::ProtoJson || draft.claimed.is_some() || is_kind || (draft.twin.is_some() && !is_slot)
}
