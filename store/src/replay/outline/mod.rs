//! What is known of a session without reading its events: a mark for each of them, the turns and model calls, which events
//! touched which memory field, the names that occur.
//!
//! ```text
//! events -> builder -> parts of 4096 events -> bytes in the log -> parts -> Outline
//! ```
//!
//! It is a cache. Going through the events gives the same, and nothing in it depends on the definition in use.

mod builder;
mod codec;
mod fold;
mod mark;

use crate::event::codec::Names;
use crate::event::{Event, Position, Tag};
use crate::log::{OUTLINE_LEN, OutlineRow};
use crate::name::Name;
use crate::prompt::moment::SeenTools;
use crate::session::State;

use super::turns::Turn;
use builder::{Part, Resume};

pub(super) use builder::{Builder, Named};
pub use fold::new_fold;
pub use mark::{Mark, Touch, What};

/// What is known of a session without reading its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outline {
    /// A mark for each event: the one at position p is the mark p - 1.
    pub(super) marks: Vec<Mark>,
    /// The turns in order.
    pub(super) turns: Vec<Turn>,
    /// What happened to each field, by its number.
    touches: Vec<Vec<Touch>>,
    /// The names that occur.
    pub(super) named: Named,
    /// For each part, one more than the number of the highest raw record that stands before it; 0 where there is none.
    raw_before: Vec<u64>,
}

impl Outline {
    /// Puts the rows of a log together. The outline goes as far as they do; the builder goes on from there. `None` where
    /// they aren't an outline.
    pub(super) fn of_rows(rows: &[OutlineRow]) -> Option<(Outline, Builder)> {
        let mut outline = Outline::default();
        let mut names = Names::default();
        let mut resume = None;
        for row in rows {
            let (part, more) = codec::decode(row, &mut names)?;
            outline.add(part);
            resume = more;
        }
        let Resume { scan, raw_top } = resume?;
        let is_whole = outline.marks.len() as u64 == scan.seen.0;
        is_whole.then(|| {
            let builder = Builder::resume(outline.named.clone(), scan, raw_top);
            (outline, builder)
        })
    }

    /// Takes the next event and the state after it.
    pub(super) fn push(&mut self, builder: &mut Builder, event: &Event, state: &State) {
        builder.push(event, state);
        if state.position.0.is_multiple_of(OUTLINE_LEN) {
            self.add(builder.next_part());
        }
    }

    /// Takes what the builder has, behind the last event.
    pub(super) fn finish(&mut self, builder: Builder) {
        let (part, last) = builder.finish();
        self.add(part);
        self.turns.extend(last);
    }

    /// Adds a part, or what follows in the last one.
    fn add(&mut self, part: Part) {
        if self.raw_before.len() as u64 == self.marks.len() as u64 / OUTLINE_LEN {
            self.raw_before.push(part.raw_before);
        }
        self.marks.extend(part.marks);
        self.turns.extend(part.turns);
        self.named.add(part.new);
        self.touches.resize_with(self.named.fields.len(), Vec::new);
        for (field, touches) in part.touches {
            if let Some(all) = self.touches.get_mut(field as usize) {
                all.extend(touches);
            }
        }
    }

    /// Returns the kind of the event at `at`.
    pub(super) fn tag(&self, at: Position) -> Option<Tag> {
        self.marks.get(usize::try_from(at.0.checked_sub(1)?).ok()?).map(|mark| mark.tag())
    }

    /// Returns the last event of a kind at or before `at`.
    pub(super) fn last(&self, at: Position, tag: Tag) -> Option<Position> {
        let end = (at.0 as usize).min(self.marks.len());
        let index = self.marks[..end].iter().rposition(|mark| mark.tag() == tag)?;
        Some(Position(index as u64 + 1))
    }

    /// Returns what happened to a field, in order.
    pub(super) fn touches(&self, key: &str) -> &[Touch] {
        self.named.number_of(key).map_or(&[], |number| &self.touches[number as usize])
    }

    /// Returns the fields that anything happened to, in the order in which they were met.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&Name, &[Touch])> {
        self.named.fields.iter().zip(self.touches.iter().map(Vec::as_slice))
    }

    /// Returns after which position, and up to which, the first event lies that was made from a raw record behind `index`;
    /// if it isn't there, there is none.
    pub(super) fn after_raw(&self, index: u32) -> (Position, Position) {
        let part = self.raw_before.partition_point(|top| *top <= u64::from(index) + 1);
        let end = (part as u64 * OUTLINE_LEN).min(self.marks.len() as u64);
        (Position((part as u64).saturating_sub(1) * OUTLINE_LEN), Position(end))
    }

    /// Returns the tools that were called, by skill.
    pub(super) fn seen_tools(&self) -> SeenTools {
        SeenTools::of_pairs(self.named.tools.iter().cloned())
    }
}
