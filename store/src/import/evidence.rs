//! From clues to findings: what a record's own marks say about records that are missing or were added.
//!
//! One lost record leaves many marks: indexes that no longer fit, a mirror without its twin, a stack that doesn't
//! come out. Each mark is a [`Clue`] with the places at which the loss can lie; clues whose places overlap are one
//! finding, with the places that all of them allow.

use std::fmt::Write as _;

use crate::event::finding::{Finding, FindingKind};

/// More clues than this say nothing new.
const MOST_CLUES: usize = 2000;

/// One mark of a loss.
#[derive(Clone, Debug)]
pub(super) struct Clue {
    /// The places where records can be missing: before the record at an index from `low` to `high`, which is one
    /// past the last record for the end.
    pub(super) low: u32,
    /// See `low`.
    pub(super) high: u32,
    /// How many records are missing (more than 0) or too many (less), where the mark tells; else 0.
    pub(super) count: i64,
    /// What it is where it stands alone.
    pub(super) kind: FindingKind,
    /// What was seen.
    pub(super) text: String,
}

/// The clues of one session, and what is needed to tell the next.
#[derive(Default)]
pub(super) struct Evidence {
    clues: Vec<Clue>,
    claims: Claims,
}

/// How the indexes that records claim for themselves run beside their real ones (M369).
#[derive(Default)]
struct Claims {
    /// The next index after the last record that claimed one.
    next: u32,
    /// By how much claims are ahead of real indexes.
    ahead: i64,
    /// The same before the last change, and how many records claimed since.
    before: i64,
    since: u32,
}

impl Evidence {
    pub(super) fn add(&mut self, clue: Clue) {
        if self.clues.len() < MOST_CLUES {
            self.clues.push(clue);
        }
    }

    /// Takes in the index that the record at `index` claims for itself.
    pub(super) fn claim(&mut self, index: u32, claimed: u32) {
        let ahead = i64::from(claimed) - i64::from(index);
        let claims = &mut self.claims;
        if ahead != claims.ahead {
            let returns = ahead == claims.before && claims.since <= 2 && self.clues.iter().any(|clue| clue.count != 0);
            if returns {
                // One write that names a wrong place, with its mirror: nothing is missing around it.
                if let Some(clue) = self.clues.iter_mut().rev().find(|clue| clue.count != 0) {
                    clue.count = 0;
                    clue.low = clue.high;
                    clue.high = index.saturating_sub(1);
                    clue.text = format!("raw {} claims another place than its own", clue.low);
                }
            } else {
                let clue = Clue {
                    low: claims.next,
                    high: index,
                    count: ahead - claims.ahead,
                    kind: FindingKind::Gap,
                    text: format!("raw {index} says that it is record {claimed}"),
                };
                if self.clues.len() < MOST_CLUES {
                    self.clues.push(clue);
                }
            }
            claims.before = claims.ahead;
            claims.ahead = ahead;
            claims.since = 0;
        }
        claims.next = index + 1;
        claims.since += 1;
    }

    /// Returns one finding for each loss that the clues tell of.
    pub(super) fn findings(self) -> Vec<Finding> {
        let (counted, mut open): (Vec<_>, Vec<_>) = self.clues.into_iter().partition(|clue| clue.count != 0);
        let mut losses: Vec<Loss> = counted.into_iter().map(Loss::of).collect();
        open.sort_by_key(|clue| (clue.kind == FindingKind::EndConflict, clue.high, clue.low));
        for clue in open {
            match losses.iter_mut().find(|loss| loss.fits(&clue)) {
                Some(loss) => loss.take(clue),
                None => losses.push(Loss::of(clue)),
            }
        }
        losses.iter().map(Loss::finding).collect()
    }
}

/// One loss, as far as the clues narrow it down.
struct Loss {
    low: u32,
    high: u32,
    count: i64,
    kind: FindingKind,
    texts: Vec<String>,
}

impl Loss {
    fn of(clue: Clue) -> Loss {
        Loss { low: clue.low, high: clue.high, count: clue.count, kind: clue.kind, texts: vec![clue.text] }
    }

    fn fits(&self, clue: &Clue) -> bool {
        let overlaps = self.low.max(clue.low) <= self.high.min(clue.high);
        overlaps && (self.count >= 0 || clue.kind == FindingKind::EndConflict)
    }

    fn take(&mut self, clue: Clue) {
        self.low = self.low.max(clue.low);
        self.high = self.high.min(clue.high);
        self.kind = self.kind.min(clue.kind);
        self.texts.push(clue.text);
    }

    fn finding(&self) -> Finding {
        let mut text = match self.kind {
            FindingKind::Gap => self.gap(),
            _ => String::new(),
        };
        for (index, seen) in self.texts.iter().take(4).enumerate() {
            let join = match (index, text.is_empty()) {
                (_, true) => "",
                (0, false) => ": ",
                (_, false) => "; ",
            };
            let _ = write!(text, "{join}{seen}");
        }
        if self.texts.len() > 4 {
            let _ = write!(text, "; and {} more marks", self.texts.len() - 4);
        }
        Finding { kind: self.kind, raw: Some((self.low, self.high)), text }
    }

    fn gap(&self) -> String {
        let what = match self.count {
            0 => "records are missing or were changed".to_owned(),
            1 => "1 record is missing".to_owned(),
            -1 => "1 record was added".to_owned(),
            count if count > 0 => format!("{count} records are missing"),
            count => format!("{} records were added", -count),
        };
        let place = match self.low.checked_sub(1) {
            Some(before) => format!("after raw {before} and before raw {}", self.high),
            None => format!("before raw {}", self.high),
        };
        format!("{what} {place}")
    }
}
