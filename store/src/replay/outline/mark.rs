//! What is known of one event, in a byte, and what it did to a field.

use crate::event::{Event, Position, Tag};
use crate::replay::headline::{Weight, weight};

/// What is known of an event without reading it: its kind, and whether something was refused or failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u8);

const REFUSED: u8 = 0x80;

impl Mark {
    /// Returns the mark of an event.
    pub fn of(event: &Event) -> Mark {
        let refused = if weight(&event.kind) == Weight::Refused { REFUSED } else { 0 };
        Mark(Tag::of(&event.kind) as u8 | refused)
    }

    /// Returns the kind of the event.
    pub fn tag(self) -> Tag {
        Tag::ALL[usize::from(self.0 & !REFUSED)]
    }

    /// Returns whether its line is that of a refusal or failure: [`Weight::Refused`].
    pub fn is_refused(self) -> bool {
        self.0 & REFUSED != 0
    }

    /// Returns the byte that is stored.
    pub(super) fn byte(self) -> u8 {
        self.0
    }

    /// Returns the mark of a stored byte, `None` where it is none.
    pub(super) fn of_byte(byte: u8) -> Option<Mark> {
        (usize::from(byte & !REFUSED) < Tag::ALL.len()).then_some(Mark(byte))
    }
}

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.tag().word(), if self.is_refused() { "!" } else { "" })
    }
}

/// What an event did to a memory field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// It wrote a value.
    Written,
    /// It wrote `null`, which clears.
    Nulled,
    /// It cleared it.
    Cleared,
    /// It returned it to its initial value: because it says so, or because the field's skill started again.
    Reset,
    /// It says that it was reset, which it had been already: nothing changed.
    ResetAgain,
    /// A write of it was refused or passed over.
    Refused,
    /// It can't be written again.
    Locked,
}

impl What {
    /// In the order of their numbers. More are added at the end.
    const ALL: [What; 7] =
        [What::Written, What::Nulled, What::Cleared, What::Reset, What::ResetAgain, What::Refused, What::Locked];

    /// Returns whether the field's value and story changed.
    pub fn is_change(self) -> bool {
        match self {
            What::Written | What::Nulled | What::Cleared | What::Reset => true,
            What::ResetAgain | What::Refused | What::Locked => false,
        }
    }
}

/// An event that is about a memory field, and what it did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch(u64);

impl Touch {
    /// Returns what the event at `at` did.
    pub fn new(at: Position, what: What) -> Touch {
        Touch(at.0 << 3 | what as u64)
    }

    /// Returns the event's position.
    pub fn at(self) -> Position {
        Position(self.0 >> 3)
    }

    /// Returns what it did.
    pub fn what(self) -> What {
        What::ALL[(self.0 & 7) as usize]
    }

    /// Returns the number that is stored.
    pub(super) fn number(self) -> u64 {
        self.0
    }

    /// Returns the touch of a stored number, `None` where it is none.
    pub(super) fn of_number(number: u64) -> Option<Touch> {
        (((number & 7) as usize) < What::ALL.len()).then_some(Touch(number))
    }
}

impl std::fmt::Debug for Touch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{}", self.what(), self.at())
    }
}
