//! Drafts of one session become its events: mirrors join their twins, turns are numbered, causes are found.
//!
//! Records are taken in one after the other and worked on together once their turn is over, with the writes that
//! follow it, because a record may be explained by one that stands behind it. What is kept beyond a turn is small, so
//! that a record of any length can be read in little memory.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;

use super::draft::{self, Draft, Fact, Family};
use super::evidence::{Clue, Evidence};
use super::history::History;
use super::names::Names;
use super::oddities::Tally;
use super::stack::StackDocument;
use super::twins::{self, Candidate};
use crate::event::finding::{Finding, FindingKind};
use crate::event::raw::RawRecords;
use crate::event::{Activation, Actor, Event, EventKind, Form, Origin, Position, RecordedFrame, ToolCaller};
use crate::name::{Name, split_key};
use crate::timestamp::Timestamp;
use crate::value::Value;

/// A turn that is longer than this is worked on in parts.
const LONGEST_TURN: usize = 8192;
/// How many user messages an activation can refer back to.
const USERS_KEPT: usize = 64;
/// The model's tools that write memory themselves (M213).
const SETTERS: [&str; 2] = ["set_fields", "correct"];

/// One session while its records come in.
#[derive(Default)]
pub(super) struct Fold {
    /// Events that are done.
    pub(super) events: Vec<Event>,
    /// The raw records, from the first that isn't taken away yet.
    pub(super) raw: RawRecords,
    pub(super) names: Names,
    raw_taken: u32,
    rows: Vec<Row>,
    engine: Engine,
    turn: u32,
    turn_is_open: bool,
    /// The user message whose turn must end before the next one, by raw index.
    turn_user: Option<u32>,
    /// Whether the user spoke since the last turn ended.
    user_spoke: bool,
    position: u64,
    answering: Option<Position>,
    users: VecDeque<(f64, Position)>,
    time: f64,
    history: History,
    stack: StackDocument,
    skills: Vec<Name>,
    /// When each skill started last, by raw index.
    started: HashMap<Name, u32>,
    stack_checked: u32,
    stack_is_doubtful: bool,
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
struct Row {
    /// `None` for the session start that is put in front.
    raw: Option<u32>,
    time: Timestamp,
    seconds: Option<f64>,
    turn: Option<u32>,
    draft: Draft,
    mirror: Option<u32>,
    is_joined: bool,
}

/// How the kinds that are written twice stand in this record.
#[derive(Default)]
struct Pairs {
    memory: Standing,
    flow: Standing,
    tool: Standing,
}

/// One such family: how many pairs, and who stands alone.
#[derive(Default)]
struct Standing {
    joined: u64,
    first: Option<u32>,
    mirrors: Vec<u32>,
    others: Vec<u32>,
}

/// What a dump says about its own end, for comparison with its events.
pub(super) struct End<'a> {
    pub(super) slots: &'a [(Name, Value)],
    /// The stack, where the dump has one.
    pub(super) stack: Option<&'a [RecordedFrame]>,
    pub(super) latest_time: Option<f64>,
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
        self.tally.take(&mut draft, raw, self.time);
        if let Some(claimed) = draft.claimed {
            self.evidence.claim(raw, claimed);
        }
        self.time = draft.time.unwrap_or(self.time);
        let time = Timestamp::from_seconds(self.time);
        self.decide_engine(&mut draft);
        if raw == 0 && !matches!(draft.fact, Fact::Kind(EventKind::SessionStarted { .. })) {
            self.begin_turn();
            self.rows.push(added_start(time));
        }
        if !self.turn_is_open && !is_write(&draft) {
            self.close();
            self.begin_turn();
        }
        self.check_user(&draft, raw);
        let turn = self.turn_is_open.then_some(self.turn);
        if matches!(draft.fact, Fact::Kind(EventKind::TurnEnded)) {
            self.turn_is_open = false;
            self.user_spoke = false;
        }
        self.raw.push(buffer, range);
        self.rows.push(Row { raw: Some(raw), time, seconds: draft.time, turn, draft, mirror: None, is_joined: false });
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
        let mut evidence = std::mem::take(&mut self.evidence);
        self.pairs.lone(count, &mut evidence);
        if let Some(end) = end.filter(|_| cut.is_none()) {
            self.compare_end(&end, count, &mut evidence);
        }
        let mut findings = evidence.findings();
        if let Some(cut) = cut {
            findings.retain(|finding| finding.raw.is_none_or(|(_, last)| last < count));
            findings.push(cut);
        }
        findings.append(&mut self.tally.findings());
        findings.sort_by_key(|finding| (finding.kind, finding.raw));
        findings
    }

    fn begin_turn(&mut self) {
        self.turn += 1;
        self.turn_is_open = true;
        self.turn_user = None;
    }

    /// Tells the engines apart, and a classic `action_listen` that ends a turn from other actions.
    fn decide_engine(&mut self, draft: &mut Draft) {
        if self.engine != Engine::Mantle && is_mantle(draft) {
            self.is_mantle();
        }
        if let Fact::Kind(EventKind::ActionTaken { action, .. }) = &draft.fact
            && self.engine != Engine::Mantle
            && *action == "action_listen"
            && self.user_spoke
        {
            self.engine = Engine::Classic;
            draft.fact = Fact::Kind(EventKind::TurnEnded);
        }
    }

    /// A second user message in a turn says that the end of the first one's turn is missing.
    fn check_user(&mut self, draft: &Draft, raw: u32) {
        match draft.fact {
            Fact::Kind(EventKind::UserMessage { .. }) => {
                if let Some(before) = self.turn_user.filter(|_| self.engine == Engine::Mantle) {
                    let text = format!("the turn of the user message raw {before} has no end");
                    self.evidence.add(Clue { low: before + 1, high: raw, count: 0, kind: FindingKind::Gap, text });
                }
                self.turn_user = Some(raw);
                self.user_spoke = true;
            }
            // The user speaks into the agent's words, or a message was dropped: a turn may then lack its end.
            Fact::Kind(EventKind::Foreign { .. } | EventKind::SessionStarted { .. }) => self.turn_user = None,
            Fact::Kind(_) | Fact::Mirror | Fact::Rewound(_) => {}
        }
    }

    /// Works on the records collected so far: they become events.
    fn close(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let mut rows = std::mem::take(&mut self.rows);
        self.join(&mut rows);
        self.name_writers(&mut rows);
        self.name_activations(&mut rows);
        let positions = self.number(&rows);
        let users: Vec<(usize, Position)> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| is_user(row))
            .map(|(index, _)| (index, positions[index]))
            .collect();
        for (row, position) in rows.iter().zip(&positions).filter(|(row, _)| is_user(row)) {
            if self.users.len() == USERS_KEPT {
                self.users.pop_front();
            }
            self.users.push_back((row.seconds.unwrap_or(f64::NAN), *position));
        }
        for (index, row) in rows.into_iter().enumerate().filter(|(_, row)| !row.is_joined) {
            let position = positions[index];
            let next_user = users.iter().find(|(at, _)| *at > index).map(|(_, position)| *position);
            self.emit(row, position, next_user);
        }
    }

    fn number(&mut self, rows: &[Row]) -> Vec<Position> {
        rows.iter()
            .map(|row| {
                self.position += u64::from(!row.is_joined);
                Position(self.position)
            })
            .collect()
    }

    /// Joins mirrors with their twins; a mirror without one speaks for itself.
    fn join(&mut self, rows: &mut [Row]) {
        let mut candidates = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if let Some(twin) = row.draft.twin {
                candidates.push(Candidate { row: index, twin, is_mirror: matches!(row.draft.fact, Fact::Mirror) });
            }
        }
        let mut told: HashSet<Name> = HashSet::new();
        for (record, mirror) in twins::join(&candidates) {
            rows[record].mirror = rows[mirror].raw;
            rows[mirror].is_joined = true;
            if let Fact::Kind(kind) = &rows[record].draft.fact {
                told.extend(skill_of_block(kind).cloned());
            }
        }
        for candidate in candidates {
            let row = &mut rows[candidate.row];
            let Some(raw) = row.raw else { continue };
            let family = self.pairs.family(candidate.twin.family);
            if !candidate.is_mirror {
                family.first.get_or_insert(raw);
            }
            if row.is_joined {
                continue;
            }
            if row.mirror.is_some() {
                family.joined += 1;
            } else if candidate.is_mirror {
                family.mirrors.push(raw);
                let bytes = self.raw.get(raw - self.raw_taken).unwrap_or_default();
                row.draft.fact = Fact::Kind(draft::read_alone(bytes, &mut self.names));
            } else if !matches!(&row.draft.fact, Fact::Kind(kind) if skill_of(kind).is_some_and(|skill| told.contains(skill)))
            {
                family.others.push(raw);
            }
        }
    }

    /// A write without a tool is the model's where its call is one of the model's own setters, which comes later.
    fn name_writers(&mut self, rows: &mut [Row]) {
        let mut calls: HashMap<Name, bool> = HashMap::new();
        for row in rows.iter() {
            if let Fact::Kind(EventKind::ToolReturned { tool, call_id: Some(call), .. }) = &row.draft.fact {
                calls.insert(call.clone(), SETTERS.contains(&tool.as_str()));
            }
        }
        let last = rows.iter().rev().find_map(|row| row.raw).unwrap_or(0);
        let is_whole = rows.len() < LONGEST_TURN;
        for row in rows.iter_mut() {
            let Fact::Kind(EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. }) =
                &mut row.draft.fact
            else {
                continue;
            };
            if self.engine != Engine::Mantle && writer.actor == Actor::Engine {
                writer.actor = Actor::Unknown;
            }
            let (Some(call), Some(raw)) = (&writer.call_id, row.raw) else { continue };
            match calls.get(call) {
                Some(true) if writer.tool.is_none() => writer.actor = Actor::Model,
                Some(_) => {}
                None if !is_whole => {}
                None => {
                    let text = format!("the call that wrote raw {raw} is nowhere");
                    let clue = Clue { low: raw + 1, high: last + 1, count: 0, kind: FindingKind::Gap, text };
                    self.evidence.add(clue);
                }
            }
        }
    }

    /// An activation is the model's where a later `activate` names its skill, else the engine's own.
    fn name_activations(&mut self, rows: &mut [Row]) {
        let mut wanted: HashMap<String, usize> = HashMap::new();
        let unless_asked = match (self.engine, self.turn_is_open) {
            (Engine::Mantle, false) => Activation::Engine,
            (Engine::Mantle | Engine::Classic | Engine::Unknown, _) => Activation::Unknown,
        };
        for row in rows.iter_mut().rev().filter(|row| !row.is_joined) {
            match &mut row.draft.fact {
                Fact::Kind(EventKind::ToolReturned { tool, arguments, caller, .. })
                    if *tool == "activate" && matches!(caller, ToolCaller::Model | ToolCaller::Unknown) =>
                {
                    if let Some(target) = activate_target(arguments) {
                        *wanted.entry(target).or_default() += 1;
                    }
                }
                Fact::Kind(EventKind::SkillActivated { skill, by }) => {
                    *by = match wanted.get_mut(skill.as_str()).filter(|count| **count > 0) {
                        Some(count) => {
                            *count -= 1;
                            Activation::Model
                        }
                        None => unless_asked,
                    };
                }
                Fact::Kind(_) | Fact::Mirror | Fact::Rewound(_) => {}
            }
        }
    }

    /// Appends the event of a row.
    fn emit(&mut self, row: Row, position: Position, next_user: Option<Position>) {
        let raw = row.raw.unwrap_or(0);
        let mut kind = match row.draft.fact {
            Fact::Kind(kind) => kind,
            Fact::Rewound(by) => self.history.rewind(by, position),
            Fact::Mirror => unreachable!("a mirror is joined or speaks for itself"),
        };
        let cause = match &kind {
            EventKind::SessionStarted { .. } => {
                self.answering = None;
                self.skills.clear();
                self.stack = StackDocument::default();
                self.stack_checked = raw;
                self.stack_is_doubtful = false;
                None
            }
            EventKind::UserMessage { .. } => {
                self.answering = Some(position);
                None
            }
            _ if row.turn.is_none() => None,
            EventKind::SkillActivated { .. } => {
                self.triggering(row.draft.trigger, raw).or(next_user).or(self.answering)
            }
            _ => self.answering.or(next_user),
        };
        match &mut kind {
            EventKind::StackPatched { frames, patch } => {
                *frames = self.stack.apply(patch, &mut self.names);
                let frames = frames.clone();
                self.check_stack(frames.as_deref(), raw);
            }
            EventKind::SkillActivated { skill, .. } if !self.skills.contains(skill) => {
                self.skills.push(skill.clone());
                self.started.insert(skill.clone(), raw);
            }
            EventKind::SkillCompleted { skill } | EventKind::SkillCancelled { skill, .. } => {
                self.skills.retain(|known| known != skill);
            }
            _ => {}
        }
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

    /// Finds the user message that an activation names by its time. The time of a session start is its own (trap 1).
    fn triggering(&mut self, trigger: Option<f64>, raw: u32) -> Option<Position> {
        let trigger = trigger?;
        let found = self.users.iter().rev().find(|(time, _)| *time == trigger).map(|(_, position)| *position);
        if found.is_none() && self.answering.is_some() {
            let text = format!("the user message that started the skill of raw {raw} is nowhere");
            self.evidence.add(Clue { low: 0, high: raw, count: 0, kind: FindingKind::Gap, text });
        }
        found
    }

    /// Compares the frames after a patch with the skills that the named events left active.
    fn check_stack(&mut self, frames: Option<&[RecordedFrame]>, raw: u32) {
        let low = self.stack_checked + 1;
        let seen = match frames {
            None => Some(format!("the stack change raw {raw} doesn't fit what was there")),
            Some(frames) => {
                let agree = frames.iter().all(|frame| self.skills.contains(&frame.skill))
                    && self.skills.iter().all(|skill| frames.iter().any(|frame| frame.skill == *skill));
                if !agree {
                    self.skills = frames.iter().map(|frame| frame.skill.clone()).collect();
                }
                (!agree).then(|| format!("the stack after raw {raw} holds other skills than the events before it"))
            }
        };
        self.stack_checked = raw;
        match seen {
            Some(text) if !self.stack_is_doubtful => {
                self.stack_is_doubtful = true;
                let clue = Clue { low: low.min(raw), high: raw, count: 0, kind: FindingKind::StackConflict, text };
                self.evidence.add(clue);
            }
            Some(_) => {}
            None => self.stack_is_doubtful = false,
        }
    }

    /// Compares what a dump says about its end with what its events give.
    fn compare_end(&mut self, end: &End<'_>, count: u32, evidence: &mut Evidence) {
        let mut add = |low: u32, kind: FindingKind, text: String| {
            evidence.add(Clue { low, high: count, count: 0, kind, text });
        };
        if let Some(latest) = end.latest_time {
            if self.time < latest {
                add(count, FindingKind::Gap, "the dump knows a later event than its last record".to_owned());
            } else if latest < self.time {
                add(0, FindingKind::EndConflict, "the dump's latest event is older than its last record".to_owned());
            }
        }
        let frames = self.stack.frames(&mut self.names);
        if let (Some(recorded), Some(ours)) = (end.stack, frames)
            && self.stack_checked > 0
            && recorded != ours
        {
            add(0, FindingKind::EndConflict, "the dump's stack is another than its events give".to_owned());
        }
        let cells = self.history.cells();
        for (key, value) in end.slots {
            // A skill that starts again resets its entries, which no record tells (M54, M313).
            let space = split_key(key).map_or("", |(space, _)| space);
            let reset = self.started.get(space).copied().unwrap_or(0);
            if let Some(held) = cells.get(key).filter(|held| reset <= held.raw && !held.value.equals(value)) {
                let text = format!("`{key}` is another at the end than raw {} says", held.raw);
                add(held.raw + 1, FindingKind::EndConflict, text);
            }
        }
    }
}

impl Pairs {
    fn family(&mut self, family: Family) -> &mut Standing {
        match family {
            Family::Memory => &mut self.memory,
            Family::Flow => &mut self.flow,
            Family::Tool => &mut self.tool,
        }
    }

    /// Tells of records whose twin is missing, where the record writes twins at all.
    fn lone(&self, count: u32, evidence: &mut Evidence) {
        for (family, before, behind) in [(&self.memory, 0, 1), (&self.flow, 2, 3), (&self.tool, 0, 1)] {
            // Older records have mirrors alone, newer ones have none: neither is a loss.
            let mirrors = family.mirrors.iter().filter(|raw| family.first.is_some_and(|first| first < **raw));
            let lone: Vec<u32> = mirrors.chain(&family.others).copied().collect();
            if family.joined == 0 || lone.len() as u64 > family.joined.max(3) {
                continue;
            }
            for raw in lone {
                let (low, high) = (raw.saturating_sub(before), (raw + behind).min(count));
                let text = format!("raw {raw} is written once where the record writes twice");
                evidence.add(Clue { low, high, count: 0, kind: FindingKind::Gap, text });
            }
        }
    }
}

fn added_start(time: Timestamp) -> Row {
    let kind = EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() };
    Row {
        raw: None,
        time,
        seconds: None,
        turn: Some(1),
        draft: Draft {
            time: None,
            form: Form::Flat,
            fact: Fact::Kind(kind),
            twin: None,
            claimed: None,
            trigger: None,
            sequence: None,
            odd: None,
        },
        mirror: None,
        is_joined: false,
    }
}

fn is_user(row: &Row) -> bool {
    matches!(row.draft.fact, Fact::Kind(EventKind::UserMessage { .. }))
}

fn is_write(draft: &Draft) -> bool {
    match &draft.fact {
        Fact::Mirror => draft.twin.is_some_and(|twin| twin.family == Family::Memory),
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

fn skill_of(kind: &EventKind) -> Option<&Name> {
    match kind {
        EventKind::SkillActivated { skill, .. }
        | EventKind::SkillCompleted { skill }
        | EventKind::SkillCancelled { skill, .. }
        | EventKind::SkillInterrupted { skill, .. }
        | EventKind::SkillResumed { skill, .. } => Some(skill),
        _ => None,
    }
}

fn skill_of_block(kind: &EventKind) -> Option<&Name> {
    match kind {
        EventKind::BlockEntered { skill, .. }
        | EventKind::BlockCompleted { skill, .. }
        | EventKind::BlockCancelled { skill, .. }
        | EventKind::BlockInterrupted { skill, .. }
        | EventKind::BlockResumed { skill, .. } => Some(skill),
        _ => None,
    }
}

fn activate_target(arguments: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Activate {
        target_id: String,
    }
    serde_json::from_str::<Activate>(arguments).ok().map(|activate| activate.target_id)
}
