//! What was decided while a prompt was built: each read, each gate, and what was offered.
//!
//! The sections show what came of it; here the decisions themselves are kept, those that led to nothing among them.

use super::moment::Moment;
use super::targets;
use super::tools;
use super::view::View;
use super::{Situation, Tool};
use crate::agent::Agent;
use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::gate::Gate;
use crate::agent::prose::Prose;
use crate::agent::skill::Skill;
use crate::diagnostic::Place;
use crate::name::Name;
use crate::profile::Profile;
use crate::session::State;
use crate::session::access::{self, Found, Nothing, ReadDecision, Reader, Site};
use crate::session::gate::GateDecision;
use crate::session::prose::{ProsePiece, scope, substitute};

/// What was read for a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptReads<'a> {
    /// Which of the engine's situations it is.
    pub situation: Situation,
    /// The reads of listings and tokens, in the order of the prompt.
    pub reads: Vec<PromptRead<'a>>,
    /// The markers of paragraphs, in the order of the prompt.
    pub markers: Vec<Marker<'a>>,
}

/// A read for a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRead<'a> {
    /// What it came to.
    pub decision: ReadDecision,
    /// The token that names the entry; `None` where the prompt lists memory.
    pub token: Option<&'a Place>,
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

/// Returns what is read for the prompt of this moment. An entry that a listing may show and that was never written is
/// left out: nothing is shown of it and nothing withheld.
pub fn reads<'a>(agent: &'a Agent, profile: Profile, state: &'a State, moment: &'a Moment) -> PromptReads<'a> {
    let view = View::new(agent, profile, state, moment);
    let mut found = Reading { view: &view, reads: Vec::new(), markers: Vec::new() };
    agent.project.iter().for_each(|entry| found.list(entry));
    if let Some(active) = view.active.filter(|_| view.situation != Situation::Knowledge) {
        if let Some(parent) = view.parent().and_then(|below| agent.skills.get(&below.skill)) {
            found.paragraphs(parent);
        }
        match (active.block_id, active.skill) {
            (None, Some(skill)) => found.paragraphs(skill),
            (None, None) => {}
            (Some(_), _) => {
                if let Some(StepKind::Instructions { prose, .. }) = active.step.map(|step| &step.kind) {
                    found.prose(prose);
                }
            }
        }
        if let Some(skill) = active.skill {
            skill.entries.iter().for_each(|entry| found.list(entry));
            let others = agent.skills.values().filter(|other| other.id != skill.id);
            let public = others.flat_map(|other| &other.entries).filter(|entry| entry.scope == EntryScope::Public);
            public.for_each(|entry| found.list(entry));
        }
    }
    let Reading { reads, markers, .. } = found;
    PromptReads { situation: view.situation, reads, markers }
}

struct Reading<'v, 'a> {
    view: &'v View<'a>,
    reads: Vec<PromptRead<'a>>,
    markers: Vec<Marker<'a>>,
}

impl<'a> Reading<'_, 'a> {
    fn reader(&self) -> Option<&'a str> {
        self.view.active.map(|active| active.id.as_str())
    }

    fn list(&mut self, entry: &'a Entry) {
        let (agent, profile, state) = (self.view.agent, self.view.profile, self.view.state);
        // Most entries of a large agent hold nothing, and nobody is told so.
        if !state.memory.contains_key(&entry.key) && entry.initial.is_null() {
            return;
        }
        let reader = Reader { skill: self.reader(), site: Site::Prompt };
        let decision = access::read(agent, profile, state, reader, &entry.key);
        if decision.found != Found::Nothing(Nothing::NeverWritten) {
            self.reads.push(PromptRead { decision, token: None });
        }
    }

    fn paragraphs(&mut self, skill: &'a Skill) {
        let (agent, profile, state) = (self.view.agent, self.view.profile, self.view.state);
        for scoped in scope(agent, profile, state, skill) {
            if scoped.is_visible {
                self.prose(&scoped.paragraph.prose);
            }
            if let (Some(decision), Some(gate)) = (scoped.gate, &scoped.paragraph.gate) {
                self.markers.push(Marker { gate, skill: &skill.id, decision });
            }
        }
    }

    fn prose(&mut self, prose: &'a Prose) {
        let (agent, profile, state) = (self.view.agent, self.view.profile, self.view.state);
        for piece in substitute(agent, profile, state, self.reader(), prose) {
            match piece {
                ProsePiece::Written { .. } => {}
                ProsePiece::Value { token, decision, .. } | ProsePiece::Left { token, decision, .. } => {
                    self.reads.push(PromptRead { decision, token: Some(&token.at) });
                }
            }
        }
    }
}
