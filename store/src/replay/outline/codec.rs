//! Parts of an outline as bytes. Numbers are LEB128: 7 bits a byte, the lowest first; a text has its length in front.
//!
//! ```text
//! count of marks   a byte each
//! raw_before
//! new names        of fields, skills, responses; then pairs of skill and tool. Each list with its length
//! touches          for each field: its number, how many; kind and position as one number, less the one before
//! turns            that are over
//! resume           0, or 1 and what is needed to go on
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{Builder, NewNames, Part, Resume};
use super::mark::{Mark, Touch};
use crate::event::Position;
use crate::event::codec::Names;
use crate::log::{self, OutlineRow};
use crate::name::Name;
use crate::replay::turns::{Call, CallKind, Turn, TurnScan};

/// Returns the bytes of the builder's part.
pub(super) fn encode(builder: &Builder, kind: log::Part) -> Vec<u8> {
    let Part { raw_before, marks, turns, touches, new } = &builder.part;
    let mut out = Vec::with_capacity(marks.len() * 3);
    put(&mut out, marks.len() as u64);
    out.extend(marks.iter().map(|mark| mark.byte()));
    put(&mut out, *raw_before);
    for names in [&new.fields, &new.skills, &new.responses] {
        put(&mut out, names.len() as u64);
        names.iter().for_each(|name| put_text(&mut out, name));
    }
    put(&mut out, new.tools.len() as u64);
    for (skill, tool) in &new.tools {
        put_text(&mut out, skill);
        put_text(&mut out, tool);
    }
    put(&mut out, touches.len() as u64);
    for (field, touches) in touches {
        put(&mut out, u64::from(*field));
        put(&mut out, touches.len() as u64);
        let mut before = 0;
        for touch in touches {
            put(&mut out, touch.number() - before);
            before = touch.number();
        }
    }
    put(&mut out, turns.len() as u64);
    turns.iter().for_each(|turn| put_turn(&mut out, turn));
    match kind {
        log::Part::Full => out.push(0),
        log::Part::Open => {
            out.push(1);
            put_scan(&mut out, &builder.scan);
            put(&mut out, builder.raw_top);
        }
    }
    out
}

/// Reads the part of a row, and what is needed to go on behind it where it is open. `None` where the bytes aren't that.
pub(super) fn decode(row: &OutlineRow, names: &mut Names) -> Option<(Part, Option<Resume>)> {
    let mut from = Reader { bytes: &row.bytes, names };
    let count = from.number()?;
    if count != u64::from(row.count) {
        return None;
    }
    let marks = from.take(count)?.iter().map(|byte| Mark::of_byte(*byte)).collect::<Option<_>>()?;
    let raw_before = from.number()?;
    let new = NewNames {
        fields: from.list(Reader::name)?,
        skills: from.list(Reader::name)?,
        responses: from.list(Reader::name)?,
        tools: from.list(|from| Some((from.name()?, from.name()?)))?,
    };
    let touches: BTreeMap<u32, Vec<Touch>> = from.list(Reader::touches)?.into_iter().collect();
    let turns = from.list(Reader::turn)?;
    let resume = match from.take(1)? {
        [0] => None,
        [1] => Some(Resume { scan: from.scan()?, raw_top: from.number()? }),
        _ => return None,
    };
    let is_all = from.bytes.is_empty();
    is_all.then_some((Part { raw_before, marks, turns, touches, new }, resume))
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// A number that may be missing is one more; 0 is none.
fn put_option(out: &mut Vec<u8>, number: Option<u64>) {
    put(out, number.map_or(0, |number| number + 1));
}

/// Positions are written as distances from the first event of the turn.
fn put_turn(out: &mut Vec<u8>, turn: &Turn) {
    let first = turn.first.0;
    put(out, u64::from(turn.number));
    put(out, first);
    put(out, turn.last.0 - first);
    put_option(out, turn.user.map(|user| user.0 - first));
    put(out, turn.calls.len() as u64);
    for call in &turn.calls {
        out.push(match call.kind {
            CallKind::Answer => 0,
            CallKind::Failed => 1,
            CallKind::Rephrase => 2,
        });
        put(out, u64::from(call.number));
        put(out, call.evidence.0 - first);
        put(out, call.evidence.0 - call.before.0);
    }
}

fn put_scan(out: &mut Vec<u8>, scan: &TurnScan) {
    let TurnScan { seen, open, settled, batch, effect, by_engine } = scan;
    put(out, seen.0);
    out.push(u8::from(open.is_some()));
    if let Some(turn) = open {
        put_turn(out, turn);
    }
    put(out, *settled as u64);
    out.push(u8::from(batch.is_some()));
    if let Some(batch) = batch {
        put_text(out, batch);
    }
    put_option(out, effect.map(|at| at.0));
    put(out, by_engine.len() as u64);
    by_engine.iter().for_each(|skill| put_text(out, skill));
}

/// Reads from the front of some bytes. Every method returns `None` where they make no sense.
struct Reader<'a> {
    bytes: &'a [u8],
    names: &'a mut Names,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (head, rest) = self.bytes.split_at_checked(usize::try_from(count).ok()?)?;
        self.bytes = rest;
        Some(head)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn option(&mut self) -> Option<Option<u64>> {
        Some(self.number()?.checked_sub(1))
    }

    fn is_there(&mut self) -> Option<bool> {
        match self.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    fn name(&mut self) -> Option<Name> {
        let len = self.number()?;
        let text = std::str::from_utf8(self.take(len)?).ok()?;
        Some(self.names.get(text))
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Reader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // No item takes less than a byte, so that a wrong count can't ask for all memory.
        let room = count.min(self.bytes.len() as u64) as usize;
        let mut items = Vec::with_capacity(room);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items)
    }

    fn touches(&mut self) -> Option<(u32, Vec<Touch>)> {
        let field = self.small()?;
        let mut before = 0u64;
        let touches = self.list(|from| {
            before = before.checked_add(from.number()?)?;
            Touch::of_number(before)
        })?;
        Some((field, touches))
    }

    fn turn(&mut self) -> Option<Turn> {
        let number = self.small()?;
        let first = self.number()?;
        let last = first.checked_add(self.number()?)?;
        let user = self.option()?.map(|user| first.checked_add(user).map(Position));
        let user = match user {
            Some(user) => Some(user?),
            None => None,
        };
        let calls = self.list(|from| from.call(first))?;
        Some(Turn { number, first: Position(first), last: Position(last), user, calls })
    }

    fn call(&mut self, first: u64) -> Option<Call> {
        let kind = match self.take(1)? {
            [0] => CallKind::Answer,
            [1] => CallKind::Failed,
            [2] => CallKind::Rephrase,
            _ => return None,
        };
        let number = self.small()?;
        let evidence = first.checked_add(self.number()?)?;
        let before = evidence.checked_sub(self.number()?)?;
        Some(Call { number, kind, before: Position(before), evidence: Position(evidence) })
    }

    fn scan(&mut self) -> Option<TurnScan> {
        let seen = Position(self.number()?);
        let open = if self.is_there()? { Some(self.turn()?) } else { None };
        let settled = usize::try_from(self.number()?).ok()?;
        let batch = if self.is_there()? { Some(self.name()?) } else { None };
        let effect = self.option()?.map(Position);
        let by_engine: BTreeSet<Name> = self.list(Reader::name)?.into_iter().collect();
        Some(TurnScan { seen, open, settled, batch, effect, by_engine })
    }
}
