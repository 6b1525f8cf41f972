//! What is odd about single records, gathered: one finding for each name, with a count.

use std::collections::BTreeMap;

use super::damage::Damages;
use super::draft::{Draft, Oddities};
use crate::event::finding::{Finding, FindingKind};

/// More names than this are counted under one.
const MOST_NAMES: usize = 100;

/// What was odd so far.
#[derive(Default)]
pub(super) struct Tally {
    odd: BTreeMap<(FindingKind, String), Count>,
    backwards: Option<Count>,
    sequence: Option<f64>,
    disordered: Option<Count>,
    damaged: Damages,
}

#[derive(Clone, Copy)]
struct Count {
    count: u64,
    first: u32,
    last: u32,
}

impl Tally {
    /// Takes in what is odd about the record at `raw`; `time` is the time of the one before it, in seconds.
    pub(super) fn take(&mut self, draft: &mut Draft, raw: u32, time: f64) {
        if draft.time.is_some_and(|now| now < time) {
            again(&mut self.backwards, raw);
        }
        if let Some(sequence) = draft.sequence {
            if self.sequence.is_some_and(|before| sequence <= before) {
                again(&mut self.disordered, raw);
            }
            self.sequence = Some(sequence);
        }
        let Some(odd) = draft.odd.take() else { return };
        let Oddities { doubled, unknown_fields, unknown_kind, damage, mended, anonymised } = *odd;
        for key in doubled {
            self.count(FindingKind::DuplicateKey, format!("the key `{key}` stands twice in one record"), raw);
        }
        for field in unknown_fields {
            self.count(FindingKind::Unknown, format!("the field `{field}` is unknown"), raw);
        }
        if let Some(kind) = unknown_kind {
            self.count(FindingKind::Unknown, format!("the kind `{kind}` is unknown"), raw);
        }
        for sentence in mended {
            self.count(FindingKind::Damaged, sentence.to_owned(), raw);
        }
        if let Some(what) = anonymised {
            let text = format!("{what} was anonymised after the run: what stands there is not what the agent saw");
            self.count(FindingKind::Anonymised, text, raw);
        }
        if let Some(why) = damage {
            self.damaged.add(Some(raw), format!("raw {raw}"), &why);
        }
    }

    /// Counts one more of something odd, which `text` names.
    pub(super) fn count(&mut self, kind: FindingKind, text: String, raw: u32) {
        if self.odd.len() < MOST_NAMES || self.odd.contains_key(&(kind, text.clone())) {
            let count = self.odd.entry((kind, text)).or_insert(Count { count: 0, first: raw, last: raw });
            count.count += 1;
            count.last = raw;
        }
    }

    /// Returns one finding for each odd thing.
    pub(super) fn findings(&mut self) -> Vec<Finding> {
        let mut findings = self.damaged.findings("records");
        let mut add = |kind, text: &str, Count { count, first, last }: Count| {
            let text = format!("{text} ({})", times(count));
            findings.push(Finding { kind, raw: Some((first, last)), text });
        };
        for ((kind, text), count) in &self.odd {
            add(*kind, text, *count);
        }
        if let Some(count) = self.backwards {
            add(FindingKind::TimeBackwards, "a record's time is earlier than the one before it", count);
        }
        if let Some(count) = self.disordered {
            add(FindingKind::TimeBackwards, "a record's sequence number is not above the one before it", count);
        }
        findings
    }
}

fn again(count: &mut Option<Count>, raw: u32) {
    let count = count.get_or_insert(Count { count: 0, first: raw, last: raw });
    count.count += 1;
    count.last = raw;
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
