//! Records that can't be read, gathered: one finding for each reason, with a count and the first place.

use std::collections::BTreeMap;

use crate::event::finding::{Finding, FindingKind};

/// More reasons than this are counted under one.
const MOST_REASONS: usize = 20;

/// What couldn't be read so far, by reason.
#[derive(Default)]
pub(super) struct Damages {
    reasons: BTreeMap<String, Damage>,
}

struct Damage {
    count: u64,
    /// Where the first one stands, and the whole reason.
    place: String,
    why: String,
    raw: Option<(u32, u32)>,
}

impl Damages {
    /// Notes that what stands at `place` can't be read.
    pub(super) fn add(&mut self, raw: Option<u32>, place: String, why: &str) {
        let mut reason = kind_of(why);
        if self.reasons.len() >= MOST_REASONS && !self.reasons.contains_key(reason) {
            reason = "for other reasons";
        }
        let damage = self.reasons.entry(reason.to_owned()).or_insert_with(|| Damage {
            count: 0,
            place,
            why: why.to_owned(),
            raw: raw.map(|raw| (raw, raw)),
        });
        damage.count += 1;
        if let (Some((_, last)), Some(raw)) = (&mut damage.raw, raw) {
            *last = raw;
        }
    }

    /// Returns one finding for each reason, in the order of their first places; `units` are what was counted.
    pub(super) fn findings(&self, units: &str) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.reasons.values().map(|damage| damage.finding(units)).collect();
        findings.sort_by_key(|finding| finding.raw);
        findings
    }
}

impl Damage {
    fn finding(&self, units: &str) -> Finding {
        let Damage { count, place, why, raw } = self;
        let text = match count {
            1 => format!("{place} can't be read: {why}"),
            many => format!("{many} {units} can't be read, the first is {place}: {why}"),
        };
        Finding { kind: FindingKind::Damaged, raw: *raw, text }
    }
}

/// Returns a reason without the place that it names.
fn kind_of(why: &str) -> &str {
    why.rsplit_once(" at line ").map_or(why, |(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_of_one_kind_is_one_finding() {
        let mut damages = Damages::default();
        for raw in 3..103 {
            damages.add(Some(raw), format!("raw {raw}"), &format!("expected value at line 1 column {raw}"));
        }
        damages.add(Some(7), "raw 7".to_owned(), "EOF while parsing at line 1 column 9");
        let findings = damages.findings("records");
        let texts: Vec<&str> = findings.iter().map(|finding| finding.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "100 records can't be read, the first is raw 3: expected value at line 1 column 3",
                "raw 7 can't be read: EOF while parsing at line 1 column 9",
            ]
        );
        assert_eq!(findings[0].raw, Some((3, 102)));
    }
}
