//! What was decided while a prompt was built: each read, each gate, and what was offered.
//!
//! The sections show what came of it; here the decisions themselves are kept, those that led to nothing among them.

use std::cell::Cell;

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
use crate::session::access::{Found, KnownReader, Nothing, ReadDecision, Reader, Site};
use crate::session::gate::GateDecision;
use crate::session::prose::scope_of;

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

/// Which reads and gates of a prompt are asked for, so that no others have to be decided.
#[derive(Clone, Copy)]
pub struct Wanted<'w> {
    /// The reads of which entries, by the qualified name of what is meant, or by the name itself where it means nothing.
    pub key: &'w dyn Fn(&str) -> bool,
    /// All gates; those that read a wanted entry are among them anyway.
    pub gates: bool,
    /// Set by who was handed enough: from then on nothing is wanted.
    pub enough: &'w Cell<bool>,
}

impl Wanted<'_> {
    fn is_key(&self, key: &str) -> bool {
        !self.enough.get() && (self.key)(key)
    }

    /// Returns whether a name that stands in a file of the skill means a wanted entry.
    fn names(&self, reader: &KnownReader<'_>, name: &str) -> bool {
        let is_meant = || reader.meant(name).is_some_and(|entry| self.is_key(&entry.key));
        self.is_key(name) || (split_key(name).is_none() && is_meant())
    }

    /// Returns whether a gate has to be evaluated for the skill that states it.
    pub fn is_asked(&self, reader: &KnownReader<'_>, gate: &Gate) -> bool {
        if self.enough.get() {
            return false;
        }
        let condition = gate.condition.as_ref();
        self.gates || condition.is_some_and(|condition| condition.names(&|name| self.names(reader, name)))
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
        if !self.wanted.is_key(&entry.key) {
            return;
        }
        let cell = self.state.memory.get(&entry.key);
        // Most entries of a large agent hold nothing, and nobody is told so.
        if cell.is_none() && entry.initial.is_null() {
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
            let is_asked = |gate| self.wanted.is_asked(&owner, gate);
            if !paragraph.prose.tokens.iter().any(|token| self.names(token).is_some()) && !gate.is_some_and(is_asked) {
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

    /// Returns the entry that a token names, if it is wanted.
    fn names<'t>(&self, token: &'t Token) -> Option<&'t Name> {
        match &token.kind {
            TokenKind::Memory(name) => Some(name).filter(|name| self.wanted.names(&self.reader, name)),
            TokenKind::Skill(_) | TokenKind::Block(_) | TokenKind::Tool(_) => None,
        }
    }

    /// Each token is read as [`crate::session::prose::substitute`] does.
    fn prose(&mut self, prose: &'a Prose) {
        for token in &prose.tokens {
            let Some(name) = self.names(token) else { continue };
            let decision = self.reader.read(self.state, name);
            (self.found)(PromptDecision::Read(&decision, Some(&token.at)));
        }
    }
}
