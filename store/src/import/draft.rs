//! One raw record as a draft of an event: its kind, and what joins it to other records of its session.
//!
//! A mirror (M305) becomes no kind of its own here, because its twin says the same; only where it has no twin is it
//! read again, by [`kinds::read_alone`].

use super::fields::Fields;
use super::kinds;
use super::mend::mend;
use super::names::Names;
use crate::event::{EventKind, Form, Rewind};
use crate::name::Name;

/// A raw record, read by itself.
pub(super) struct Draft {
    /// Seconds since the epoch, as recorded.
    pub(super) time: Option<f64>,
    /// The form; classic records look flat until their session is known.
    pub(super) form: Form,
    /// What it says.
    pub(super) fact: Fact,
    /// What joins it to its twin, for kinds that the flat form writes twice.
    pub(super) twin: Option<Twin>,
    /// The index that the record claims for itself (M369).
    pub(super) claimed: Option<u32>,
    /// The time of the user message that started a skill.
    pub(super) trigger: Option<f64>,
    /// The number that the ProtoJSON form counts its records with (M308).
    pub(super) sequence: Option<f64>,
    /// What is odd about the record.
    pub(super) odd: Option<Box<Oddities>>,
}

impl Draft {
    /// Returns a draft of which nothing but its fact is known.
    pub(super) fn of(fact: Fact) -> Draft {
        Draft {
            time: None,
            form: Form::Flat,
            fact,
            twin: None,
            claimed: None,
            trigger: None,
            sequence: None,
            odd: None,
        }
    }
}

/// What a raw record says.
pub(super) enum Fact {
    /// A fact of its own.
    Kind(EventKind),
    /// The same as another record says.
    Mirror,
    /// A classic kind that takes history back; the cells are worked out in order.
    Rewound(Rewind),
}

/// The marks by which a record and its mirror find each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Twin {
    /// Which pair of kinds.
    pub(super) family: Family,
    /// A hash of what both must name: the key, the flow, the tool.
    pub(super) identity: u64,
    /// A hash of what both must say.
    pub(super) content: u64,
}

/// The pairs of kinds that the flat form writes twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// `slot` and `memory_*`.
    Memory,
    /// `flow_*` and `skill_*` or `ordered_block_*`.
    Flow,
    /// `mcp_tool_executed` and `tool_executed`.
    Tool,
}

/// What is odd about a record.
#[derive(Default)]
pub(super) struct Oddities {
    /// Keys that stand twice in it.
    pub(super) doubled: Vec<String>,
    /// Fields that no form knows.
    pub(super) unknown_fields: Vec<String>,
    /// The kind, where no form knows it.
    pub(super) unknown_kind: Option<Name>,
    /// Why it can't be read.
    pub(super) damage: Option<String>,
    /// What was replaced so that it could be read, a sentence each.
    pub(super) mended: Vec<&'static str>,
    /// What of it was anonymised after the run, in words (M344).
    pub(super) anonymised: Option<String>,
}

impl Oddities {
    fn is_nothing(&self) -> bool {
        let Oddities { doubled, unknown_fields, unknown_kind, damage, mended, anonymised } = self;
        doubled.is_empty()
            && unknown_fields.is_empty()
            && unknown_kind.is_none()
            && damage.is_none()
            && mended.is_empty()
            && anonymised.is_none()
    }
}

/// A draft and the session that its record names.
pub(super) struct Record {
    pub(super) draft: Draft,
    pub(super) session: Option<Name>,
}

impl Record {
    /// Whether its bytes, or what they say, can't be read.
    pub(super) fn is_damaged(&self) -> bool {
        self.draft.odd.as_ref().is_some_and(|odd| odd.damage.is_some())
    }

    /// Whether this is an event at all, of whatever kind. An object of some other kind of file looks like an unknown
    /// kind that names no session.
    pub(super) fn is_event(&self) -> bool {
        let Some(odd) = &self.draft.odd else { return true };
        let is_nameless = odd.unknown_kind.as_ref().is_some_and(|kind| kind.is_empty());
        let is_foreign = is_nameless || odd.unknown_kind.is_some() && self.draft.form == Form::ProtoJson;
        odd.damage.is_none() && (self.session.is_some() || !is_foreign)
    }
}

/// Reads a record's fields. Never fails: what can't be read becomes a foreign event.
pub(super) fn read(mut fields: Fields<'_>, names: &mut Names) -> Record {
    let session = fields.sender_id.take().or(fields.conversation_id.take()).map(|id| names.get(&id));
    let mut odd = Oddities {
        doubled: std::mem::take(&mut fields.doubled),
        unknown_fields: std::mem::take(&mut fields.unknown),
        ..Oddities::default()
    };
    let mut draft = Draft::of(Fact::Mirror);
    draft.time = fields.timestamp;
    draft.claimed =
        fields.metadata.provenance.as_ref().and_then(|provenance| provenance.position).and_then(kinds::whole);
    draft.trigger = fields.metadata.trigger;
    draft.sequence = fields.sequence;
    match (fields.event.take(), fields.payload.take()) {
        (Some(kind), _) => kinds::fill(&mut draft, &kind, &mut fields, names, &mut odd),
        (None, Some((kind, payload))) => {
            draft.form = Form::ProtoJson;
            match serde_json::from_str::<Fields<'_>>(payload.get()) {
                Ok(mut inner) => {
                    odd.doubled.append(&mut inner.doubled);
                    odd.unknown_fields.append(&mut inner.unknown);
                    inner.metadata = fields.metadata;
                    kinds::fill(&mut draft, kind, &mut inner, names, &mut odd);
                    draft.twin = None;
                }
                Err(error) => kinds::spoil(&mut draft, names.get(kind), error.to_string(), &mut odd),
            }
        }
        (None, None) => {
            // A kind of the ProtoJSON form that is newer than this version stands among the unknown fields.
            let kind = if odd.unknown_fields.len() == 1 { odd.unknown_fields.pop() } else { None };
            let name = names.get(kind.as_deref().unwrap_or(""));
            if kind.is_some() {
                draft.form = Form::ProtoJson;
            }
            odd.unknown_kind = Some(name.clone());
            draft.fact = Fact::Kind(EventKind::Foreign { name });
        }
    }
    if !odd.is_nothing() {
        draft.odd = Some(Box::new(odd));
    }
    Record { draft, session }
}

/// Reads a record that can't be read as it is once more, with what JSON forbids replaced. `None` where that is of no
/// help.
pub(super) fn read_mended(record: &[u8], names: &mut Names) -> Option<Record> {
    let (bytes, what) = mend(record)?;
    let mut record = read(serde_json::from_slice(&bytes).ok()?, names);
    let mut odd = record.draft.odd.take().unwrap_or_default();
    if odd.damage.is_some() {
        return None;
    }
    odd.mended.extend(what);
    record.draft.odd = Some(odd);
    Some(record)
}

/// Returns the draft of a record whose bytes can't be read.
pub(super) fn damaged(why: String, names: &mut Names) -> Draft {
    let odd = Oddities { damage: Some(why), ..Oddities::default() };
    let mut draft = Draft::of(Fact::Kind(EventKind::Foreign { name: names.get("") }));
    draft.odd = Some(Box::new(odd));
    draft
}
