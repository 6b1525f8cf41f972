//! Where the agent folder names an entry in a condition, and which question that condition decides.

use crate::agent::Agent;
use crate::agent::block::{Next, StepKind};
use crate::agent::gate::Gate;
use crate::agent::skill::Skill;
use crate::name::Name;
use crate::profile::Profile;

/// A condition of the folder that names an entry.
pub(super) struct Use<'a> {
    /// What it decides.
    pub(super) decides: Decides<'a>,
    /// The condition.
    pub(super) gate: &'a Gate,
    /// With whose rights it is read.
    pub(super) reader: ReadAs<'a>,
}

/// With whose rights a condition is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadAs<'a> {
    /// Those of the skill whose file states it (M326).
    Skill(&'a Name),
    /// Those of no skill: it stands in `agent.yml`.
    Nobody,
    /// Those of whichever skill is active (M225).
    Active,
}

/// What a condition decides, and so when it is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decides<'a> {
    /// Whether a paragraph of the skill's prose is shown, at each model call while it is active.
    Paragraph(&'a Name),
    /// Whether a tool of the skill is offered, at each model call while it is active.
    Tool(&'a Name, &'a Name),
    /// Whether the skill is offered, at each model call while it isn't on the stack.
    Skill(&'a Name),
    /// Whether the skill starts at once, while it isn't on the stack.
    Precondition(&'a Name),
    /// Where a block goes on, or whether a step is done, when the step is left.
    Step(&'a Name, &'a Name, &'a Name),
    /// Whether the skill is complete.
    Completion(&'a Name),
    /// Whether the skill says a response, when a write made the condition true (M238).
    Utterance(&'a Name, &'a Name),
    /// Which wording the response has, when it is said (M222).
    Wording(&'a Name),
}

impl Decides<'_> {
    /// Returns what it decides, in words.
    pub(super) fn words(self) -> String {
        match self {
            Decides::Paragraph(skill) => format!("a paragraph of `{skill}`"),
            Decides::Tool(_, tool) => format!("the tool `{tool}`"),
            Decides::Skill(skill) => format!("the offer of `{skill}`"),
            Decides::Precondition(skill) => format!("the precondition of `{skill}`"),
            Decides::Step(skill, block, step) => format!("the step `{step}` of `{skill}__{block}`"),
            Decides::Completion(skill) => format!("the end of `{skill}`"),
            Decides::Utterance(skill, response) => format!("whether `{skill}` says `{response}`"),
            Decides::Wording(response) => format!("a wording of `{response}`"),
        }
    }
}

/// Returns the conditions that name the entry.
pub(super) fn uses<'a>(agent: &'a Agent, profile: Profile, key: &str) -> Vec<Use<'a>> {
    let mut found: Vec<Use<'a>> = Vec::new();
    for skill in agent.skills.values() {
        found.extend(of_skill(agent, profile, skill));
    }
    for (name, response) in &agent.responses {
        let conditions = response.variants.iter().filter_map(|variant| variant.condition.as_ref());
        let wording = |gate| Use { decides: Decides::Wording(name), gate, reader: ReadAs::Active };
        found.extend(conditions.map(wording));
    }
    found.retain(|one| {
        let condition = one.gate.condition.as_ref();
        condition.is_some_and(|condition| condition.references().iter().any(|(reference, _)| reference.key == *key))
    });
    found
}

fn of_skill<'a>(agent: &'a Agent, profile: Profile, skill: &'a Skill) -> Vec<Use<'a>> {
    let id = &skill.id;
    let own = |decides, gate| Use { decides, gate, reader: ReadAs::Skill(id) };
    let mut found = Vec::new();
    let gates = skill.paragraphs.iter().filter_map(|paragraph| paragraph.gate.as_ref());
    found.extend(gates.map(|gate| own(Decides::Paragraph(id), gate)));
    for constraint in &skill.tool_constraints {
        found.extend(constraint.requires.iter().map(|gate| own(Decides::Tool(id, &constraint.tool.value), gate)));
    }
    if profile.has_skill_requires() {
        found.extend(skill.requires.iter().map(|gate| own(Decides::Skill(id), gate)));
    }
    let ends = skill.complete_when.as_ref().and_then(|complete| complete.condition.as_ref());
    found.extend(ends.map(|gate| own(Decides::Completion(id), gate)));
    let bound = skill.precondition.as_ref().and_then(|name| agent.settings.preconditions.get(&name.value));
    let holds = bound.and_then(|bound| bound.satisfied_when.as_ref());
    found.extend(holds.map(|gate| Use { decides: Decides::Precondition(id), gate, reader: ReadAs::Nobody }));
    for trigger in &skill.utter {
        found.extend(trigger.when.iter().map(|gate| own(Decides::Utterance(id, &trigger.response.value), gate)));
    }
    for (block, step) in skill.blocks.iter().flat_map(|block| block.steps.iter().map(move |step| (block, step))) {
        let decides = Decides::Step(id, &block.id, &step.id);
        if let StepKind::Instructions { complete_when: Some(gate), .. } = &step.kind {
            found.push(own(decides, gate));
        }
        if let Next::Branches(branches) = &step.next {
            found.extend(branches.iter().filter_map(|branch| branch.when.as_ref()).map(|gate| own(decides, gate)));
        }
    }
    found
}
