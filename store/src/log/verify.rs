//! Recomputes everything that a log promises, from the bytes that are stored.
//!
//! Damage doesn't stop it: it goes on behind it and lists all of it. What it vouches for is what hangs together from
//! the start of a session on.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use redb::TableHandle;

use super::chain::{BLOCK_LEN, Chain, RawDigest};
use super::error::{Damage, Doing, LogError, Place};
use super::guard::call;
use super::read::{Log, head_of};
use super::segment::{Item, Kind, Segment};
use super::session::Session;
use super::view::{View, place_of, table_of};
use super::{BLOB, NewFold, blob, caches};
use crate::digest::Digest;

/// Knows what payloads and metadata say about raw records.
pub trait Witness {
    /// Returns what a payload says.
    ///
    /// # Errors
    ///
    /// Fails where the bytes aren't a payload, in a few words.
    fn of_payload(&self, payload: &[u8]) -> Result<Option<Claim>, String>;

    /// Returns what a session's metadata says about raw records that no payload was made from.
    ///
    /// # Errors
    ///
    /// Fails where the bytes aren't metadata, in a few words.
    fn of_metadata(&self, metadata: &[u8]) -> Result<Vec<Claim>, String>;
}

/// The word of a payload for raw records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The records, by number, ascending.
    pub records: Vec<u32>,
    /// Their digest, as [`digest_of_records`](super::digest_of_records) gives it.
    pub digest: Digest,
}

/// What a log holds up to, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The sessions whose rows could be read, in the order of their ids.
    pub sessions: Vec<SessionReport>,
    /// blake3 over id, count and digest of all sessions; `None` where there is damage.
    pub head: Option<Digest>,
    /// How many blobs were checked.
    pub blob_count: u64,
    /// All that is wrong.
    pub damage: Vec<Damage>,
}

/// What a session holds up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionReport {
    /// What is noted about it.
    pub session: Session,
    /// The first events of which the digest was recomputed and fits.
    pub vouched: Range<u64>,
    /// How many of its raw records have the digest that an event or the session notes for them.
    pub raw_vouched: u64,
}

impl Log {
    /// Recomputes every digest and checksum, and with a fold the checkpoints and outlines that it gave.
    ///
    /// # Errors
    ///
    /// Fails where the file can't be read; what is wrong inside is in the report.
    pub fn verify(&self, witness: &dyn Witness, new_fold: Option<NewFold>) -> Result<Report, LogError> {
        let report = self.report(witness, new_fold)?;
        let is_taken_over = !report.damage.is_empty() && self.is_taken_over();
        if is_taken_over { Err(LogError::TakenOver(self.path().to_owned())) } else { Ok(report) }
    }

    fn report(&self, witness: &dyn Witness, new_fold: Option<NewFold>) -> Result<Report, LogError> {
        let (sessions, mut damage) = self.list()?;
        damage.extend(self.tail_damage().cloned());
        let mut reports = Vec::new();
        let view = match self.view(&Place::File) {
            Ok(view) => view,
            Err(LogError::Damaged { damage: one, .. }) => {
                damage.push(one);
                return Ok(Report { sessions: reports, head: None, blob_count: 0, damage });
            }
            Err(other) => return Err(other),
        };
        for session in &sessions {
            let sealed = self.sealed(&view, (Kind::Events, session)).and_then(|events| {
                Ok(Sealed { events, raw_records: self.sealed(&view, (Kind::RawRecords, session))? })
            });
            let sealed = sealed.unwrap_or_else(|error| {
                note(&mut damage, Err(error));
                Sealed { events: session.event_count, raw_records: session.raw_count }
            });
            let stored = Session { event_count: sealed.events, ..session.clone() };
            let mut check = Check { log: self, view: &view, session, sealed, witness, damage: &mut damage };
            let mut claims = Claims::default();
            let vouched = 0..check.events(&mut claims);
            check.metadata(&mut claims);
            let raw_vouched = check.raw_records(&claims);
            let is_whole = vouched.end == session.event_count;
            if let Some(new_fold) = new_fold.filter(|_| is_whole) {
                match caches::check(&view, &stored, new_fold) {
                    Ok(found) => damage.extend(found),
                    Err(error) => drop(note(&mut damage, Err(error))),
                }
            }
            reports.push(SessionReport { session: session.clone(), vouched, raw_vouched });
        }
        let blob_count = self.verify_blobs(&view, &mut damage);
        let head = damage.is_empty().then(|| head_of(&sessions));
        Ok(Report { sessions: reports, head, blob_count, damage })
    }

    fn verify_blobs(&self, view: &View<'_>, damage: &mut Vec<Damage>) -> u64 {
        let mut count = 0;
        let mut check_all = || -> Result<(), LogError> {
            let place = &Place::File;
            let table = view.table(BLOB, place)?;
            let read = |what: &str| place.damaged(self.path(), format!("the table {} {what}", BLOB.name()));
            let mut rows = call(self.path(), Doing::Read, place, || Ok(table.range::<&[u8]>(..)?))?;
            while let Some((key, value)) = call(self.path(), Doing::Read, place, || Ok(rows.next().transpose()?))? {
                let (key, row) = call(self.path(), Doing::Read, place, || Ok((key.value(), value.value())))?;
                let digest = Digest(key.try_into().map_err(|_| read("has a key that is no digest"))?);
                let bytes = blob::open(&digest, row).filter(|bytes| Digest::of(bytes) == digest);
                if bytes.is_none() {
                    damage.push(Damage { place: Place::Blob(digest), what: "it isn't what was written".to_owned() });
                }
                count += 1;
            }
            Ok(())
        };
        let result = check_all();
        note(damage, result);
        count
    }
}

/// The claims of a session.
#[derive(Default)]
struct Claims(Vec<Claim>);

impl Claims {
    /// Returns all pairs of a record and a claim on it, by record.
    fn by_record(&self) -> Vec<(u32, usize)> {
        let pairs =
            |(number, claim): (usize, &Claim)| claim.records.iter().map(move |record| (*record, number)).collect();
        let mut pairs: Vec<(u32, usize)> = self.0.iter().enumerate().flat_map(|it| -> Vec<_> { pairs(it) }).collect();
        pairs.sort_unstable();
        pairs
    }
}

/// How much of a session stands in segments; the rest is in the tail.
struct Sealed {
    events: u64,
    raw_records: u64,
}

/// A session that is being checked.
struct Check<'a> {
    log: &'a Log,
    view: &'a View<'a>,
    session: &'a Session,
    sealed: Sealed,
    witness: &'a dyn Witness,
    damage: &'a mut Vec<Damage>,
}

/// A part of a session: a segment that is what was written, or where none is.
enum Piece<'a> {
    Segment(&'a Segment<'a>),
    Gap(Range<u64>, &'static str),
}

impl Check<'_> {
    /// Checks all events. Returns how many of them hang together from the start on.
    fn events(&mut self, claims: &mut Claims) -> u64 {
        let (log, view, session, witness) = (self.log, self.view, self.session, self.witness);
        let mut damage = Vec::new();
        let mut chain = Some(Chain::start(&session.id));
        let mut vouched = 0;
        let mut is_whole = true;
        let mut buffer = Vec::new();
        let scanned = scan(log, view, (Kind::Events, session), self.sealed.events, |piece| {
            let before = damage.len();
            match piece {
                Piece::Gap(range, what) => {
                    chain = None;
                    push(&mut damage, Place::Events(session.id.clone(), range), what);
                }
                Piece::Segment(segment) => {
                    if chain.is_none() && segment.first.is_multiple_of(BLOCK_LEN) {
                        chain = Some(Chain::resume(segment.first, segment.start));
                    }
                    let mut segment_check = SegmentCheck { view, session, witness, damage: &mut damage, claims };
                    chain = segment_check.run(segment, &mut buffer, chain.take());
                }
            }
            is_whole &= damage.len() == before;
            if let (true, Some(chain)) = (is_whole, &chain) {
                vouched = chain.count();
            }
        });
        let in_tail = self.sealed.events..session.event_count;
        let read = log.read_pending((Kind::Events, session), in_tail, &mut |at, payload| {
            match witness.of_payload(payload) {
                Ok(claim) => claims.0.extend(claim),
                Err(what) => {
                    push(&mut damage, Place::Events(session.id.clone(), at..at + 1), what);
                    is_whole = false;
                }
            }
            if let Some(chain) = &mut chain {
                chain.push(payload);
                vouched = if is_whole { chain.count() } else { vouched };
            }
            Ok(())
        });
        self.damage.append(&mut damage);
        let complete = note(self.damage, scanned.and(read)) && is_whole && vouched == session.event_count;
        if complete && chain.is_some_and(|chain| chain.digest() != session.digest) {
            let place = Place::Events(session.id.clone(), 0..session.event_count);
            push(self.damage, place, "the digest isn't that of the session");
            vouched = 0;
        }
        vouched
    }

    fn metadata(&mut self, claims: &mut Claims) {
        match self.witness.of_metadata(&self.session.details.metadata) {
            Ok(more) => claims.0.extend(more),
            Err(what) => push(self.damage, Place::Session(self.session.id.clone()), what),
        }
    }

    /// Checks all raw records against the claims. Returns how many have the digest that was claimed.
    fn raw_records(&mut self, claims: &Claims) -> u64 {
        let session = self.session;
        let place = |range| Place::RawRecords(session.id.clone(), range);
        let mut damage = Vec::new();
        let pairs = claims.by_record();
        let mut next = 0;
        let mut hashing: BTreeMap<usize, RawDigest> = BTreeMap::new();
        let mut vouched: BTreeSet<u32> = BTreeSet::new();
        let mut buffer = Vec::new();
        let mut check = |at: u64, bytes: &[u8], damage: &mut Vec<Damage>| {
            let here = at..at + 1;
            next += pairs[next..].partition_point(|(record, _)| u64::from(*record) < at);
            let on_this = pairs[next..].iter().take_while(|(record, _)| u64::from(*record) == at);
            let mut is_claimed = false;
            for (record, number) in on_this {
                is_claimed = true;
                let claim = &claims.0[*number];
                hashing.entry(*number).or_default().push(bytes);
                if claim.records.last() != Some(record) {
                    continue;
                }
                if hashing.remove(number).is_some_and(|digest| digest.finish() == claim.digest) {
                    vouched.extend(&claim.records);
                } else {
                    push(damage, place(here.clone()), "it isn't what its event was made from");
                }
            }
            if !is_claimed {
                push(damage, place(here), "no event vouches for it");
            }
        };
        let kind = (Kind::RawRecords, session);
        let scanned = scan(self.log, self.view, kind, self.sealed.raw_records, |piece| {
            let segment = match piece {
                Piece::Gap(range, what) => return push(&mut damage, place(range), what),
                Piece::Segment(segment) => segment,
            };
            let mut at = segment.first;
            for item in segment.items(&mut buffer).into_iter().flatten() {
                let Item::Inline(bytes) = item else { break };
                check(at, bytes, &mut damage);
                at += 1;
            }
            if at != segment.end() {
                push(&mut damage, place(at..segment.end()), "it can't be unpacked");
            }
        });
        let in_tail = self.sealed.raw_records..session.raw_count;
        let read = self.log.read_pending(kind, in_tail, &mut |at, bytes| {
            check(at, bytes, &mut damage);
            Ok(())
        });
        self.damage.append(&mut damage);
        note(self.damage, scanned.and(read));
        if let Some((record, _)) = pairs.last().filter(|(record, _)| u64::from(*record) >= session.raw_count) {
            let number = u64::from(*record);
            push(self.damage, place(number..number + 1), "an event was made from it, and it isn't there");
        }
        vouched.len() as u64
    }
}

struct SegmentCheck<'a> {
    view: &'a View<'a>,
    session: &'a Session,
    witness: &'a dyn Witness,
    damage: &'a mut Vec<Damage>,
    claims: &'a mut Claims,
}

impl SegmentCheck<'_> {
    /// Checks the events of a segment and returns the chain behind it, `None` where it is broken.
    fn run(&mut self, segment: &Segment<'_>, buffer: &mut Vec<u8>, mut chain: Option<Chain>) -> Option<Chain> {
        let place = |range| Place::Events(self.session.id.clone(), range);
        let mut blocks = segment.blocks();
        let mut at = segment.first;
        for item in segment.items(buffer).into_iter().flatten() {
            let here = at..at + 1;
            at += 1;
            let fetched;
            let payload = match item {
                Item::Inline(bytes) => bytes,
                Item::Blob(digest, _) => match self.view.blob(&digest) {
                    Ok(bytes) => {
                        fetched = bytes;
                        &fetched[..]
                    }
                    Err(_) => {
                        push(self.damage, place(here), "the blob that holds it is damaged");
                        chain = None;
                        continue;
                    }
                },
            };
            match self.witness.of_payload(payload) {
                Ok(claim) => self.claims.0.extend(claim),
                Err(what) => push(self.damage, place(here), what),
            }
            let filled = chain.as_mut().and_then(|chain| chain.push(payload));
            if at.is_multiple_of(BLOCK_LEN) {
                let noted = blocks.next();
                if filled.is_some() && filled != noted {
                    push(self.damage, place(at - BLOCK_LEN..at), "the digest isn't that of the segment");
                    chain = None;
                }
            }
        }
        if at == segment.end() {
            return chain;
        }
        push(self.damage, place(at..segment.end()), "it can't be unpacked");
        None
    }
}

/// Hands all segments of a session to `take`, and a gap for each stretch that has none or a damaged one.
fn scan(
    log: &Log,
    view: &View<'_>,
    (kind, session): (Kind, &Session),
    count: u64,
    mut take: impl FnMut(Piece<'_>),
) -> Result<(), LogError> {
    let mut next = 0;
    let mut missing = "a segment isn't there";
    let place = |from: u64| place_of(kind, session, from..count);
    let table = view.table(table_of(kind), &place(0))?;
    let keys = (session.ordinal, 0)..=(session.ordinal, u64::MAX);
    let mut rows = call(log.path(), Doing::Read, &place(0), || Ok(table.range(keys)?))?;
    while next < count {
        let Some((key, value)) = call(log.path(), Doing::Read, &place(next), || Ok(rows.next().transpose()?))? else {
            break;
        };
        let (key, bytes) = call(log.path(), Doing::Read, &place(next), || Ok((key.value(), value.value())))?;
        let found = Segment::open(kind, key, bytes);
        let Some(segment) = found.filter(|it| next <= it.first && next < it.end() && it.end() <= count) else {
            missing = "a segment isn't what was written";
            continue;
        };
        if next < segment.first {
            take(Piece::Gap(next..segment.first, missing));
        }
        take(Piece::Segment(&segment));
        next = segment.end();
        missing = "a segment isn't there";
    }
    if next < count {
        take(Piece::Gap(next..count, missing));
    }
    Ok(())
}

/// Notes damage. What goes on from the last place of the same damage is one with it.
fn push(damage: &mut Vec<Damage>, place: Place, what: impl Into<String>) {
    let what = what.into();
    if let Some(last) = damage.last_mut().filter(|last| last.what == what)
        && let Some(joined) = last.place.joined(&place)
    {
        last.place = joined;
        return;
    }
    damage.push(Damage { place, what });
}

/// Notes why something could not be checked to its end. Returns whether it could.
fn note(damage: &mut Vec<Damage>, result: Result<(), LogError>) -> bool {
    match result {
        Ok(()) => return true,
        Err(LogError::Damaged { damage: one, .. }) => damage.push(one),
        Err(other) => push(damage, Place::File, other.to_string()),
    }
    false
}
