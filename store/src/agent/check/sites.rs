//! Every condition of the folder with the place that it stands at, which says what it withholds while it is false
//! (M88a).

use crate::agent::Agent;
use crate::agent::block::{Next, StepKind};
use crate::agent::gate::Gate;
use crate::agent::response::ResponseSource;
use crate::agent::skill::{Skill, SkillOrigin};
use crate::name::Name;

/// A condition and where it stands.
pub(super) struct Site<'a> {
    pub(super) gate: &'a Gate,
    /// The skill with whose rights it reads (M326); `None` for the files at the root.
    pub(super) skill: Option<&'a Skill>,
    pub(super) kind: SiteKind<'a>,
}

/// What a condition governs.
#[derive(Clone, Copy)]
pub(super) enum SiteKind<'a> {
    /// The offer of its skill.
    Skill,
    /// The end of its skill.
    SkillEnd,
    /// A tool.
    Tool(&'a Name),
    /// A paragraph.
    Paragraph,
    /// A response of `utter`.
    Utter(&'a Name),
    /// The end of a step.
    StepEnd(&'a Name),
    /// A branch to a step.
    Branch(&'a Name),
    /// A wording of a response.
    Variant(&'a Name),
    /// A precondition of `agent.yml`.
    Precondition(&'a Name),
}

impl SiteKind<'_> {
    /// Says what comes of a condition that is never true.
    pub(super) fn withheld_for_good(self) -> String {
        match self {
            SiteKind::Skill => "the skill is never offered".to_owned(),
            SiteKind::SkillEnd => "the skill never completes by itself".to_owned(),
            SiteKind::Tool(tool) => format!("the tool `{tool}` is never offered"),
            SiteKind::Paragraph => "the paragraph never reaches the model".to_owned(),
            SiteKind::Utter(response) => format!("`{response}` is never said"),
            SiteKind::StepEnd(step) => format!("the step '{step}' never ends"),
            SiteKind::Branch(step) => format!("the branch to '{step}' is never taken"),
            SiteKind::Variant(response) => format!("this wording of `{response}` is never chosen"),
            SiteKind::Precondition(name) => format!("no skill with the precondition `{name}` ever starts"),
        }
    }
}

/// Returns every condition of the folder, in the order of skills and files.
pub(super) fn sites(agent: &Agent) -> Vec<Site<'_>> {
    let mut sites = Vec::new();
    for skill in agent.skills.values().filter(|skill| skill.origin == SkillOrigin::Folder) {
        of_skill(skill, &mut sites);
    }
    for (name, precondition) in &agent.settings.preconditions {
        let gate = precondition.satisfied_when.as_ref();
        sites.extend(gate.map(|gate| Site { gate, skill: None, kind: SiteKind::Precondition(name) }));
    }
    for response in agent.responses.values() {
        let skill = match &response.source {
            ResponseSource::Engine => continue,
            ResponseSource::Skill(id) => agent.skills.get(id),
            ResponseSource::Project => None,
        };
        let gates = response.variants.iter().filter_map(|variant| variant.condition.as_ref());
        sites.extend(gates.map(|gate| Site { gate, skill, kind: SiteKind::Variant(&response.name) }));
    }
    sites
}

fn of_skill<'a>(skill: &'a Skill, sites: &mut Vec<Site<'a>>) {
    let mut add = |gate: Option<&'a Gate>, kind: SiteKind<'a>| {
        sites.extend(gate.map(|gate| Site { gate, skill: Some(skill), kind }));
    };
    add(skill.requires.as_ref(), SiteKind::Skill);
    add(skill.complete_when.as_ref().and_then(|complete| complete.condition.as_ref()), SiteKind::SkillEnd);
    for constraint in &skill.tool_constraints {
        add(constraint.requires.as_ref(), SiteKind::Tool(&constraint.tool.value));
    }
    for trigger in &skill.utter {
        add(trigger.when.as_ref(), SiteKind::Utter(&trigger.response.value));
    }
    for paragraph in &skill.paragraphs {
        add(paragraph.gate.as_ref(), SiteKind::Paragraph);
    }
    for step in skill.blocks.iter().flat_map(|block| &block.steps) {
        if let StepKind::Instructions { complete_when, .. } = &step.kind {
            add(complete_when.as_ref(), SiteKind::StepEnd(&step.id));
        }
        if let Next::Branches(branches) = &step.next {
            branches.iter().for_each(|branch| add(branch.when.as_ref(), SiteKind::Branch(&branch.then.value)));
        }
    }
}
