//! A tracker dump: one object with a list of events, of the Mantle engine or the classic one, whole or cut.
//!
//! The top level is walked by hand, because a dump that breaks off must give all that stands before the break.
//! A long list is read from its front and from its middle at once.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::thread;

use serde_json::Value as Json;

use super::draft::Record;
use super::fold::{End, Fold};
use super::names::Names;
use super::records::{self, Ending, Input};
use super::stack::frames_of;
use super::{ImportError, RecordedEnd, Recording, scan};
use crate::event::finding::{Finding, FindingKind};
use crate::event::{Event, EventKind, Origin};
use crate::name::Name;
use crate::value::Value;

/// A list of fewer bytes than this is read by one thread.
const WORTH_TWO_THREADS: usize = 1 << 20;
/// How many records the reader of the second half hands over at once.
const BLOCK: usize = 1024;
/// More odd keys of the top level than this are counted, not named.
const MOST_KEYS: usize = 100;

/// The keys of a dump's top level that are known (M370); `name` is that of a stored dialogue.
const KEYS: [&str; 20] = [
    "sender_id",
    "conversation_id",
    "slots",
    "latest_message",
    "latest_event_time",
    "followup_action",
    "paused",
    "inactive",
    "terminated",
    "stack",
    "events",
    "latest_input_channel",
    "active_loop",
    "active_form",
    "latest_action",
    "latest_action_name",
    "user_id",
    "conversation_started_timestamp",
    "current_session_id",
    "name",
];

/// Reads the dump at `at`, and those that follow it: an export of a tracker store has one a line.
///
/// # Errors
///
/// Fails where not one record can be read of a dump that isn't whole.
pub(super) fn read(bytes: &Arc<Vec<u8>>, at: usize, file_name: &str) -> Result<Vec<Recording>, ImportError> {
    let input = Input::of(bytes);
    let mut recordings = Vec::new();
    let mut at = at;
    loop {
        let mut fold = Fold::default();
        let mut top = Top::default();
        let (next, lost) = match walk(input, bytes, at, &mut fold, &mut top) {
            Ok(end) => (scan::skip_blank(bytes, end), None),
            Err(lost) => (bytes.len(), Some(lost)),
        };
        if let Some(lost) = &lost
            && fold.next_raw() == 0
            && recordings.is_empty()
        {
            return Err(ImportError::Nothing { file: file_name.to_owned(), at: lost.at });
        }
        let is_over = next >= bytes.len();
        let has_next = bytes.get(next) == Some(&b'{');
        let lost = lost.or((!is_over && !has_next).then_some(Lost { at: next, what: "something after the dump" }));
        let read = recording(bytes, &mut fold, &top, lost, file_name);
        if recordings.is_empty() && !has_next && top.is_bare() && !has_events(&read) {
            return Err(ImportError::no_events(file_name, read.raw.count() as u32));
        }
        recordings.push(read);
        if !has_next {
            return Ok(recordings);
        }
        at = next;
    }
}

/// Whether there are no records, or one of them is an event.
fn has_events(recording: &Recording) -> bool {
    let is_event = |event: &Event| event.origin != Origin::Added && !matches!(event.kind, EventKind::Foreign { .. });
    recording.raw.count() == 0 || recording.events.iter().any(is_event)
}

fn recording(bytes: &[u8], fold: &mut Fold, top: &Top, lost: Option<Lost>, file_name: &str) -> Recording {
    let cut = lost.map(|lost| lost.finding(fold.next_raw(), bytes.len()));
    let slots = top.slots.clone().map(|range| slots(&bytes[range], &mut fold.names));
    let stack = top.json(bytes, &top.stack).and_then(|stack| frames_of(&stack, &mut fold.names));
    let message = top.json(bytes, &top.latest_message);
    let end = End {
        slots: slots.as_deref().unwrap_or_default(),
        stack: stack.as_deref(),
        latest_time: top.number(bytes, &top.latest_time),
        latest_message: message.as_ref().and_then(|message| message.get("message_id")?.as_str()),
    };
    let mut findings = fold.finish(Some(end), cut);
    findings.append(&mut top.findings());
    let (events, raw) = fold.take_done();
    let has_end = slots.is_some() || stack.is_some();
    let recorded = RecordedEnd { slots: slots.unwrap_or_default(), stack: stack.unwrap_or_default() };
    Recording {
        id: top.id(bytes).unwrap_or_else(|| super::id_of_file(file_name)),
        events,
        raw,
        findings,
        profile: None,
        definition: None,
        recorded_end: has_end.then_some(recorded),
    }
}

/// Where and why reading stopped before the end.
pub(super) struct Lost {
    /// The first byte that isn't read.
    pub(super) at: usize,
    /// What was being read there.
    pub(super) what: &'static str,
}

impl Lost {
    /// Returns the finding of a session whose next record would be `next_raw`, in a file of `length` bytes.
    pub(super) fn finding(&self, next_raw: u32, length: usize) -> Finding {
        let place = match next_raw.checked_sub(1) {
            Some(last) => format!("behind raw {last}"),
            None => "before its first record".to_owned(),
        };
        let text = match length.checked_sub(self.at) {
            None | Some(0) => format!("the file ends {place}, at byte {length}, before {} is over", self.what),
            Some(lost) => {
                format!("the file breaks off {place}, in {} at byte {}: {lost} bytes can't be read", self.what, self.at)
            }
        };
        Finding { kind: FindingKind::Cut, raw: Some((next_raw, next_raw)), text }
    }
}

/// Walks the top level and reads the events on the way. Returns the index behind the dump.
fn walk(input: Input<'_>, buffer: &Arc<Vec<u8>>, at: usize, fold: &mut Fold, top: &mut Top) -> Result<usize, Lost> {
    let bytes = input.bytes;
    let mut at = scan::skip_blank(bytes, at) + 1;
    loop {
        at = scan::skip_blank(bytes, at);
        let lost = Lost { at, what: "the dump's top level" };
        match bytes.get(at) {
            Some(b'}') => return Ok(at + 1),
            Some(b',') => at += 1,
            Some(b'"') => {
                let Some(key_end) = scan::text_end(bytes, at) else { return Err(lost) };
                let key: String = serde_json::from_slice(&bytes[at..key_end]).unwrap_or_default();
                let colon = scan::skip_blank(bytes, key_end);
                if bytes.get(colon) != Some(&b':') {
                    return Err(lost);
                }
                at = scan::skip_blank(bytes, colon + 1);
                if key == "events" && bytes.get(at) == Some(&b'[') {
                    match read_events(input, buffer, at + 1, fold) {
                        Ending::Whole(end) => at = end,
                        Ending::Cut(at) | Ending::Reached(at) => return Err(Lost { at, what: "the list of events" }),
                    }
                    top.note(&key, at..at);
                } else {
                    let Some(end) = scan::value_end(bytes, at) else { return Err(lost) };
                    top.note(&key, at..end);
                    if key == "stack" {
                        fold.is_mantle();
                    }
                    at = end;
                }
            }
            Some(_) | None => return Err(lost),
        }
    }
}

/// Reads the list of events that begins at `at`, and a long one from its middle as well.
fn read_events(input: Input<'_>, buffer: &Arc<Vec<u8>>, at: usize, fold: &mut Fold) -> Ending {
    let is_long = input.bytes.len() - at >= WORTH_TWO_THREADS;
    let middle = if is_long { records::middle(input.bytes, at) } else { None };
    let mut names = Names::default();
    let Some(middle) = middle else {
        return records::read_list(input, at, None, &mut names, &mut |range, record| {
            fold.push(record.draft, buffer, range);
        });
    };
    thread::scope(|scope| {
        let second = scope.spawn(move || read_blocks(input, middle));
        let ending = records::read_list(input, at, Some(middle), &mut names, &mut |range, record| {
            fold.push(record.draft, buffer, range);
        });
        if !matches!(ending, Ending::Reached(_)) {
            return ending;
        }
        let (blocks, ending) = second.join().expect("reading records doesn't panic");
        for (range, record) in blocks.into_iter().flatten() {
            fold.push(record.draft, buffer, range);
        }
        ending
    })
}

type Block = Vec<(Range<usize>, Record)>;

/// Reads the records from `at` on, in blocks that are freed one after the other.
fn read_blocks(input: Input<'_>, at: usize) -> (Vec<Block>, Ending) {
    let mut blocks: Vec<Block> = Vec::new();
    let ending = records::read_list(input, at, None, &mut Names::default(), &mut |range, record| match blocks
        .last_mut()
        .filter(|block| block.len() < BLOCK)
    {
        Some(block) => block.push((range, record)),
        None => {
            let mut block = Vec::with_capacity(BLOCK);
            block.push((range, record));
            blocks.push(block);
        }
    });
    (blocks, ending)
}

/// The parts of the top level that say something.
#[derive(Default)]
struct Top {
    seen: HashSet<String>,
    doubled: Odd,
    unknown: Odd,
    sender_id: Option<Range<usize>>,
    conversation_id: Option<Range<usize>>,
    slots: Option<Range<usize>>,
    stack: Option<Range<usize>>,
    latest_message: Option<Range<usize>>,
    latest_time: Option<Range<usize>>,
}

/// Keys of one oddity, in the order of the file.
#[derive(Default)]
struct Odd {
    named: Vec<String>,
    more: usize,
}

impl Odd {
    fn add(&mut self, key: &str) {
        if self.named.len() < MOST_KEYS {
            self.named.push(key.to_owned());
        } else {
            self.more += 1;
        }
    }

    /// Returns a finding for each key, and one for those that are counted alone.
    fn findings(&self, kind: FindingKind, say: fn(&str) -> String, rest: &str) -> Vec<Finding> {
        let named = self.named.iter().map(|key| say(key));
        let more = (self.more > 0).then(|| format!("{} more keys of the dump {rest}", self.more));
        named.chain(more).map(|text| Finding { kind, raw: None, text }).collect()
    }
}

impl Top {
    fn note(&mut self, key: &str, range: Range<usize>) {
        match key {
            "sender_id" => self.sender_id = Some(range),
            "conversation_id" => self.conversation_id = Some(range),
            "slots" => self.slots = Some(range),
            "stack" => self.stack = Some(range),
            "latest_message" => self.latest_message = Some(range),
            "latest_event_time" => self.latest_time = Some(range),
            _ => {}
        }
        if !self.seen.insert(key.to_owned()) {
            self.doubled.add(key);
        } else if !KEYS.contains(&key) {
            self.unknown.add(key);
        }
    }

    /// Whether nothing beside the list of events says that this is a dump.
    fn is_bare(&self) -> bool {
        [&self.sender_id, &self.conversation_id, &self.slots, &self.stack].iter().all(|range| range.is_none())
    }

    fn json(&self, bytes: &[u8], range: &Option<Range<usize>>) -> Option<Json> {
        serde_json::from_slice(&bytes[range.clone()?]).ok()
    }

    fn number(&self, bytes: &[u8], range: &Option<Range<usize>>) -> Option<f64> {
        self.json(bytes, range)?.as_f64()
    }

    fn id(&self, bytes: &[u8]) -> Option<Name> {
        let id = self.json(bytes, &self.sender_id).filter(|id| !id.is_null());
        match id.or_else(|| self.json(bytes, &self.conversation_id))? {
            Json::String(id) => Some(Name::from(id)),
            Json::Number(id) => Some(Name::from(id.to_string())),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    fn findings(&self) -> Vec<Finding> {
        let doubled = |key: &str| format!("the key `{key}` of the dump stands twice");
        let unknown = |key: &str| format!("the dump's key `{key}` is unknown (once)");
        let mut findings = self.doubled.findings(FindingKind::DuplicateKey, doubled, "stand twice");
        findings.append(&mut self.unknown.findings(FindingKind::Unknown, unknown, "are unknown"));
        findings
    }
}

fn slots(json: &[u8], names: &mut Names) -> Vec<(Name, Value)> {
    match serde_json::from_slice(json) {
        Ok(Value::Map(pairs)) => pairs.into_iter().map(|(key, value)| (names.get(&key), value)).collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}
