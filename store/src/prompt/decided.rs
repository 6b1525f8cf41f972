//! What was decided while a prompt was built: each read, each gate, and what was offered.
//!
//! The sections show what came of it; here the decisions themselves are kept, those that led to nothing among them.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::moment::Moment;
use super::targets;
use super::tools;
use super::view::View;
use super::{Situation, Tool};
use crate::agent::Agent;
use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::gate::Gate;
use crate::agent::prose::{Prose, Token, TokenKind};
use crate::agent::skill::Skill;
use crate::diagnostic::Place;
use crate::name::{Name, split_key};
use crate::profile::Profile;
use crate::session::State;
use crate::session::access::{Found, KnownReader, Nothing, Outcome, ReadDecision, Reader, Site, given};
use crate::session::gate::GateDecision;
use crate::session::prose::scope_of;
use crate::value::Value;

/// What was decided while a prompt was built.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "each is handed on once and kept by nobody")]
pub enum PromptDecision<'d, 'a> {
    /// A read, and the token that names the entry; `None` where the prompt lists memory.
    Read(&'d ReadDecision, Option<&'a Place>),
    /// The marker of a paragraph.
    Marker(Marker<'a>),
}

/// The marker of a paragraph, evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker<'a> {
    /// The marker.
    pub gate: &'a Gate,
    /// The skill that states it.
    pub skill: &'a Name,
    /// What it came to.
    pub decision: GateDecision,
}

/// What a call was offered, and what was withheld.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The tools; offered ones first.
    pub tools: Vec<Tool>,
    /// The skills and blocks that `activate` takes.
    pub targets: Vec<Name>,
    /// The skills that it doesn't take, each with the reason.
    pub withheld: Vec<(Name, String)>,
}

/// Returns what the model's tools were at this moment, and which skills it could start.
pub fn offered(agent: &Agent, profile: Profile, state: &State, moment: &Moment) -> Offered {
    let view = View::new(agent, profile, state, moment);
    let targets = targets::targets(&view);
    Offered {
        tools: tools::offer(&view, &targets).tools,
        targets: targets.ids(),
        withheld: targets.withheld.into_iter().map(|(id, why)| (id.clone(), why)).collect(),
    }
}

/// A tool or skill that a call was offered, or that was withheld from it.
pub enum Offer {
    /// A tool.
    Tool(Tool),
    /// A skill or block that `activate` takes.
    Target(Name),
    /// A skill that it doesn't take, with the reason.
    Withheld(Name, String),
}

/// Hands all that [`offered`] has to `found`, what is cheapest to tell first, until that breaks off.
pub fn offers(
    agent: &Agent,
    profile: Profile,
    state: &State,
    moment: &Moment,
    found: &mut dyn FnMut(Offer) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let view = View::new(agent, profile, state, moment);
    tools::offers_without_targets(&view).try_for_each(|tool| found(Offer::Tool(tool)))?;
    let targets = targets::targets(&view);
    targets.ids().into_iter().try_for_each(|target| found(Offer::Target(target)))?;
    let activate = tools::activate(&view, &targets);
    targets.withheld.into_iter().try_for_each(|(id, why)| found(Offer::Withheld(id.clone(), why)))?;
    activate.map_or(ControlFlow::Continue(()), |tool| found(Offer::Tool(tool)))
}

/// Which reads and gates of a prompt are asked for, so that no others have to be decided.
#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// The reads that may be wanted, by the qualified name of what is meant, or by the name itself where it means nothing.
    pub key: &'w dyn Fn(&str) -> bool,
    /// Those of them that are, by what they come to, and the value that they give.
    pub outcome: &'w dyn Fn(&str, Outcome, Option<&Value>) -> bool,
    /// All gates; those that come to a wanted read are among them anyway.
    pub gates: bool,
    /// Set by who was handed enough: from then on nothing is wanted.
    pub enough: &'w Cell<bool>,
}

impl Wanted<'_> {
    /// Returns whether a read of an entry is wanted, by its qualified name.
    fn is_read(&self, reader: &KnownReader<'_>, state: &State, entry: &Entry) -> bool {
        if self.enough.get() || !(self.key)(&entry.key) {
            return false;
        }
        let cell = state.memory.get(&entry.key);
        (self.outcome)(&entry.key, reader.outcome(cell, entry), given(cell, entry).map(|value| &**value))
    }

    /// Returns whether a read of a name that stands in a file is wanted.
    fn is_named(&self, reader: &KnownReader<'_>, state: &State, name: &str) -> bool {
        // A qualified name means the entry of that name, or nothing.
        let is_key = (self.key)(name);
        if self.enough.get() || (!is_key && split_key(name).is_some()) {
            return false;
        }
        match reader.meant(name) {
            Some(entry) => self.is_read(reader, state, entry),
            None => is_key && (self.outcome)(name, Outcome::Denied, None),
        }
    }

    /// Returns whether a gate has to be evaluated for the skill that states it.
    pub fn is_asked(&self, reader: &KnownReader<'_>, state: &State, gate: &Gate) -> bool {
        if self.enough.get() {
            return false;
        }
        let condition = gate.condition.as_ref();
        self.gates || condition.is_some_and(|condition| condition.names(&|name| self.is_named(reader, state, name)))
    }
}

/// Hands what is read for the prompt of this moment, and the markers of its paragraphs, to `found`, in the order of the
/// prompt. An entry that a listing may show and that was never written is left out: nothing is shown of it and nothing
/// withheld.
pub fn reads<'a>(
    agent: &'a Agent,
    profile: Profile,
    state: &'a State,
    moment: &'a Moment,
    wanted: Wanted<'_>,
    found: &mut dyn FnMut(PromptDecision<'_, 'a>),
) {
    let view = View::new(agent, profile, state, moment);
    let active = view.active;
    let reader = Reader { skill: active.map(|active| active.id.as_str()), site: Site::Prompt };
    let reader = KnownReader::of(agent, profile, reader);
    let mut reading = Reading { agent, profile, state, reader, wanted, found };
    agent.project.iter().for_each(|entry| reading.list(entry));
    let Some(active) = active.filter(|_| view.situation != Situation::Knowledge) else { return };
    if let Some(parent) = view.parent().and_then(|below| agent.skills.get(&below.skill)) {
        reading.paragraphs(parent);
    }
    match (active.block_id, active.skill) {
        (None, Some(skill)) => reading.paragraphs(skill),
        (None, None) => {}
        (Some(_), _) => {
            if let Some(StepKind::Instructions { prose, .. }) = active.step.map(|step| &step.kind) {
                reading.prose(prose);
            }
        }
    }
    if let Some(skill) = active.skill {
        skill.entries.iter().for_each(|entry| reading.list(entry));
        let others = agent.skills.values().filter(|other| other.id != skill.id);
        let public = others.flat_map(|other| &other.entries).filter(|entry| entry.scope == EntryScope::Public);
        public.for_each(|entry| reading.list(entry));
    }
}

struct Reading<'a, 'w> {
    agent: &'a Agent,
    profile: Profile,
    state: &'a State,
    reader: KnownReader<'a>,
    wanted: Wanted<'w>,
    found: &'w mut dyn FnMut(PromptDecision<'_, 'a>),
}

impl<'a> Reading<'a, '_> {
    fn list(&mut self, entry: &'a Entry) {
        let cell = self.state.memory.get(&entry.key);
        // Most entries of a large agent hold nothing, and nobody is told so.
        let is_empty = cell.is_none() && entry.initial.is_null();
        if is_empty || !self.wanted.is_read(&self.reader, self.state, entry) {
            return;
        }
        let decision = self.reader.read_entry(cell, entry);
        if decision.found != Found::Nothing(Nothing::NeverWritten) {
            (self.found)(PromptDecision::Read(&decision, None));
        }
    }

    fn paragraphs(&mut self, skill: &'a Skill) {
        let owner = Reader { skill: Some(&skill.id), site: Site::Condition };
        let owner = KnownReader::of(self.agent, self.profile, owner);
        for paragraph in &skill.paragraphs {
            let gate = paragraph.gate.as_ref();
            let is_asked = |gate| self.wanted.is_asked(&owner, self.state, gate);
            let reads = paragraph.prose.tokens.iter().any(|token| self.named(token).is_some());
            if !reads && !gate.is_some_and(is_asked) {
                continue;
            }
            let scoped = scope_of(self.agent, self.profile, self.state, skill, paragraph);
            if scoped.is_visible {
                self.prose(&paragraph.prose);
            }
            if let (Some(decision), Some(gate)) = (scoped.gate, gate) {
                (self.found)(PromptDecision::Marker(Marker { gate, skill: &skill.id, decision }));
            }
        }
    }

    /// Returns the entry that a token names, if its read is wanted.
    fn named<'t>(&self, token: &'t Token) -> Option<&'t Name> {
        match &token.kind {
            TokenKind::Memory(name) => Some(name).filter(|name| self.wanted.is_named(&self.reader, self.state, name)),
            TokenKind::Skill(_) | TokenKind::Block(_) | TokenKind::Tool(_) => None,
        }
    }

    /// Each token is read as [`crate::session::prose::substitute`] does.
    fn prose(&mut self, prose: &'a Prose) {
        for token in &prose.tokens {
            let Some(name) = self.named(token) else { continue };
            let decision = self.reader.read(self.state, name);
            (self.found)(PromptDecision::Read(&decision, Some(&token.at)));
        }
    }
}
