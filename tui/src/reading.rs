//! The reads of an entry, collected from the end of the session to its start in slices, and shown as a sheet.

use replay_store::event::Position;
use replay_store::explain::readers::readers;
use replay_store::explain::reads::{Read, reads};
use replay_store::explain::why::Answer;
use replay_store::name::Name;
use replay_store::replay::Session;

use crate::sheet::{Link, Sheet};
use crate::theme::Tone;

/// A search for the reads of an entry.
#[derive(Clone, Debug)]
pub struct Reading {
    key: Name,
    found: Vec<Read>,
    unknown: Option<String>,
    /// The last position that wasn't looked at yet; `None` where all were.
    next: Option<Position>,
}

/// How many positions a slice has.
const SLICE: u64 = 256;
/// How many reads are listed.
const MOST: usize = 500;

impl Reading {
    /// Begins at the end of the session.
    pub fn new(session: &Session, key: Name) -> Reading {
        Reading { key, found: Vec::new(), unknown: None, next: Some(session.end()) }
    }

    /// Looks at the slice before the ones that were looked at.
    pub fn advance(&mut self, session: &Session) {
        let Some(last) = self.next else { return };
        let first = Position(last.0.saturating_sub(SLICE - 1));
        let slice = reads(session, &self.key, first..=last, |_| true);
        self.found.extend(slice.reads);
        self.unknown = slice.unknown.or(self.unknown.take());
        self.next = match first.0.checked_sub(1) {
            Some(next) if self.found.len() < MOST && session.agent.is_some() => Some(Position(next)),
            Some(_) | None => None,
        };
    }

    /// Returns whether there is nothing more to look at.
    pub fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// Returns how many were found.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// Returns the title of the sheet.
    pub fn title(&self) -> String {
        format!("reads of {}", self.key)
    }

    fn turn_of(&self, at: Position) -> Option<u32> {
        self.found.iter().find(|read| read.position == at)?.turn
    }

    /// Returns what was found so far, by reader and verdict, and below that where each read happened.
    pub(crate) fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new(self.title(), &["reads", "{}", &self.key]);
        let words = match (self.next, self.found.len()) {
            (Some(next), count) => format!("{count} so far, back to {next}; Esc stops"),
            (None, MOST..) => format!("the newest {}; the command lists all of them", self.found.len()),
            (None, 0) => "none that is known".to_owned(),
            (None, 1) => "1 read, recomputed".to_owned(),
            (None, count) => format!("{count} reads by reader, the last one first, recomputed"),
        };
        sheet.line(Tone::Strong, &words, None);
        if let Some(unknown) = &self.unknown {
            sheet.line(Tone::Waiting, unknown, None);
        }
        let groups = readers(&self.found);
        let mut shown = Vec::new();
        for group in &groups {
            let tone = if group.answer == Answer::Allowed { Tone::Plain } else { Tone::Bad };
            let count = format!("{:>4}× ", group.count);
            let answer = format!("{}: ", group.answer.word().replace('_', " "));
            let marks = format!("  ({})", group.marks());
            let parts =
                [(Tone::Strong, count.as_str()), (tone, &answer), (Tone::Plain, &group.reader), (Tone::Quiet, &marks)];
            let newest = group.positions.first().copied().map(Link::Event);
            sheet.parts(&parts, newest.clone());
            let values = group.value_words();
            let got = match values == shown {
                true => "the same".to_owned(),
                false => values.join(", before that "),
            };
            if !values.is_empty() {
                sheet.parts(&[(Tone::Quiet, "      got "), (Tone::Plain, &got)], newest);
            }
            shown = values;
        }
        for (number, group) in groups.iter().enumerate() {
            sheet.heading(&format!("where, {} of {}: {}", number + 1, groups.len(), group.reader));
            for at in &group.positions {
                let turn = self.turn_of(*at).map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
                let place = format!("{:>5} ", at.0);
                sheet.parts(&[(Tone::Strong, place.as_str()), (Tone::Plain, &turn)], Some(Link::Event(*at)));
            }
        }
        sheet
    }
}
