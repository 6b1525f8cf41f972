//! Which decisions are asked for. What an event can't have decided, and what nobody asks of a prompt, isn't worked out.

use std::cell::Cell;

use super::made::{Made, verdict_of_read};
use super::{DecisionKind, Verdict};
use crate::event::Tag;
use crate::session::access::Outcome;
use crate::value::Value;

/// A set of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(in crate::explain) struct Verdicts(u16);

impl Verdicts {
    /// How a read may come out.
    const READS: Verdicts = Verdicts::of(&[Verdict::Allowed, Verdict::Empty, Verdict::Denied]);
    const GATES: Verdicts = Verdicts::of(&[Verdict::Open, Verdict::Closed]);
    const OFFERS: Verdicts = Verdicts::of(&[Verdict::Offered, Verdict::Withheld]);

    /// Returns the set of these.
    pub(in crate::explain) const fn of(verdicts: &[Verdict]) -> Verdicts {
        let mut set = 0;
        let mut index = 0;
        while index < verdicts.len() {
            set |= 1 << verdicts[index] as u16;
            index += 1;
        }
        Verdicts(set)
    }

    /// Returns what is in one of the two.
    pub(in crate::explain) const fn and(self, other: Verdicts) -> Verdicts {
        Verdicts(self.0 | other.0)
    }

    /// Takes a verdict out, and returns whether it was there.
    pub(super) fn take(&mut self, verdict: Verdict) -> bool {
        let one = Verdicts::of(&[verdict]);
        let was_there = self.meets(one);
        self.0 &= !one.0;
        was_there
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn meets(self, other: Verdicts) -> bool {
        self.0 & other.0 != 0
    }
}

/// The decisions that are asked for: all with one of some verdicts, reads of some entries, and what was denied of some.
/// Who asks gets all of these, and may get more; of what a model call was offered one decision with each verdict.
#[derive(Clone, Copy)]
pub(in crate::explain) struct Interest<'i> {
    /// All decisions with one of these verdicts.
    pub(in crate::explain) verdicts: Verdicts,
    /// All reads of these entries; `None` for those of none. The name is the qualified one of what is read, or what was
    /// asked for where that means nothing.
    pub(in crate::explain) reads: Option<&'i dyn Fn(&str) -> bool>,
    /// Reads and writes of these entries that were denied or refused; `None` for those of none.
    pub(in crate::explain) denials: Option<&'i dyn Fn(&str) -> bool>,
    /// All reads that give such a value.
    pub(in crate::explain) values: Option<fn(&Value) -> bool>,
}

/// Set by who was handed enough of a prompt's decisions.
pub(in crate::explain) type Enough = Cell<bool>;

impl Interest<'static> {
    /// Everything.
    pub(super) const ALL: Interest<'static> =
        Interest { verdicts: Verdicts::of(&Verdict::ALL), reads: None, denials: None, values: None };
}

impl Interest<'_> {
    /// Returns whether a decision is asked for.
    pub(in crate::explain) fn is_made(&self, made: &Made<'_>) -> bool {
        let (kind, verdict) = (made.kind(), made.verdict());
        let of = |keys: Option<&dyn Fn(&str) -> bool>| keys.zip(made.key()).is_some_and(|(keys, key)| keys(key));
        self.verdicts.meets(Verdicts::of(&[verdict]))
            || (kind == DecisionKind::Read && of(self.reads))
            || (matches!(verdict, Verdict::Denied | Verdict::Refused) && of(self.denials))
    }

    /// Returns whether a read of an entry may be asked for.
    pub(super) fn may_be_read(&self, key: &str) -> bool {
        self.verdicts.meets(Verdicts::READS)
            || self.values.is_some()
            || self.reads.is_some_and(|reads| reads(key))
            || self.denials.is_some_and(|denials| denials(key))
    }

    /// Returns whether a read of an entry is asked for that comes to this, and gives this value.
    pub(super) fn is_read(&self, key: &str, outcome: Outcome, value: Option<&Value>) -> bool {
        let verdict = verdict_of_read(outcome);
        self.verdicts.meets(Verdicts::of(&[verdict]))
            || self.values.zip(value).is_some_and(|(is_such, value)| verdict == Verdict::Allowed && is_such(value))
            || self.reads.is_some_and(|reads| reads(key))
            || (verdict == Verdict::Denied && self.denials.is_some_and(|denials| denials(key)))
    }

    /// Returns whether all gates are asked for.
    pub(super) fn has_gates(&self) -> bool {
        self.verdicts.meets(Verdicts::GATES)
    }

    /// Returns whether what a model call was offered is asked for.
    pub(super) fn has_offers(&self) -> bool {
        self.verdicts.meets(Verdicts::OFFERS)
    }

    /// Returns the verdicts on offers that are asked for.
    pub(super) fn offers(&self) -> Verdicts {
        Verdicts(self.verdicts.0 & Verdicts::OFFERS.0)
    }

    /// Returns whether anything that the prompt of a model call decides is asked for.
    pub(in crate::explain) fn is_in_call(&self) -> bool {
        self.has_reads() || self.has_gates() || self.has_offers()
    }

    /// Returns whether an event of a kind may carry what is asked for.
    pub(in crate::explain) fn may_be_in(&self, tag: Tag) -> bool {
        let carried = carried(tag);
        let writes = self.denials.is_some() && tag == Tag::MemoryWriteRefused;
        self.verdicts.meets(carried.verdicts) || writes || (carried.reads && self.has_reads())
    }

    fn has_reads(&self) -> bool {
        self.verdicts.meets(Verdicts::READS) || self.reads.is_some() || self.denials.is_some() || self.values.is_some()
    }
}

/// What an event of a kind may carry.
struct Carried {
    /// How decisions of it may come out, without its reads.
    verdicts: Verdicts,
    /// Whether it shows that entries were read.
    reads: bool,
}

fn carried(tag: Tag) -> Carried {
    let only = |verdicts: &[Verdict]| Carried { verdicts: Verdicts::of(verdicts), reads: false };
    let with_gates =
        |verdicts: &[Verdict]| Carried { verdicts: Verdicts::of(verdicts).and(Verdicts::GATES), reads: true };
    match tag {
        Tag::MemoryWritten | Tag::MemoryCleared => only(&[Verdict::Allowed, Verdict::Locked]),
        Tag::MemoryWriteRefused => only(&[Verdict::Refused]),
        Tag::ProjectEntryLocked => only(&[Verdict::Locked]),
        Tag::SkillActivated => with_gates(&[Verdict::Allowed]),
        Tag::SkillRefused => with_gates(&[Verdict::Refused]),
        Tag::SkillPending | Tag::SkillDeferred => with_gates(&[Verdict::Waiting]),
        Tag::ToolReturned => {
            let ends = [Verdict::Allowed, Verdict::Failed, Verdict::Waiting, Verdict::Declined];
            Carried { verdicts: Verdicts::of(&ends), reads: true }
        }
        Tag::ToolCalled => with_gates(&[Verdict::Allowed]),
        Tag::ToolRefused => with_gates(&[Verdict::Refused]),
        Tag::ConfirmationAsked => with_gates(&[Verdict::Waiting]),
        Tag::ConfirmationAnswered => only(&[Verdict::Allowed, Verdict::Declined]),
        Tag::ReadDecided => Carried { verdicts: Verdicts::default(), reads: true },
        Tag::SkillCompleted | Tag::AgentMessage | Tag::StepEntered | Tag::StackPatched => with_gates(&[]),
        Tag::SessionStarted
        | Tag::SessionEnded
        | Tag::UserMessage
        | Tag::TurnEnded
        | Tag::SkillCancelled
        | Tag::SkillInterrupted
        | Tag::SkillResumed
        | Tag::BlockEntered
        | Tag::BlockCompleted
        | Tag::BlockCancelled
        | Tag::BlockInterrupted
        | Tag::BlockResumed
        | Tag::ActionTaken
        | Tag::HistoryRewound
        | Tag::Foreign
        | Tag::MemoryReset
        | Tag::ResponseUttered
        | Tag::PromptRendered
        | Tag::ModelReplied => only(&[]),
    }
}
