//! Why a tool is offered to the model, or withheld.

use super::Evidence;
use super::cause::chain;
use super::condition::Condition;
use super::resolve::near;
use super::story::stories;
use super::why::{Answer, Question, RuleLine, Why};
use super::words::{did_you_mean, either};
use crate::agent::Agent;
use crate::agent::skill::Skill;
use crate::agent::tools::Tools;
use crate::event::{EventKind, Position, Tag};
use crate::name::Name;
use crate::prompt::Tool;
use crate::replay::Session;
use crate::rule::Rule;
use crate::session::State;
use crate::session::gate::gate;

/// How many of the last calls of the tool are told.
const CALLS_MAX: usize = 3;

/// Returns why `tool` is, or is not, offered to a model call at `at`.
pub fn why_tool(session: &Session, tool: &str, at: Position) -> Why {
    let state = session.state(at);
    let prompt = session.prompt(state.position);
    let (Some(agent), Some(prompt)) = (session.agent.as_deref(), prompt) else {
        let text = format!("whether `{tool}` was offered is unknown: there is no agent folder");
        let mut why = of(session, &state, tool, Answer::Unknown, text);
        why.evidence = calls(session, &state, tool);
        return why;
    };
    let mut why = match prompt.tools.iter().find(|known| known.name == *tool) {
        Some(known) => of_the_moment(session, agent, &state, known),
        None => elsewhere(session, agent, &state, tool, &prompt.tools),
    };
    why.evidence.extend(calls(session, &state, tool));
    why
}

fn of(session: &Session, state: &State, tool: &str, answer: Answer, text: String) -> Why {
    let why = Why::new(session, state, Question::Tool, answer, text);
    Why { tool: Some(Name::from(tool)), skill: state.active_skill().cloned(), ..why }
}

/// The answer about a tool of the moment: the engine's own, or one of the active skill.
fn of_the_moment(session: &Session, agent: &Agent, state: &State, tool: &Tool) -> Why {
    let (answer, word) = if tool.offered { (Answer::Offered, "offered") } else { (Answer::Withheld, "withheld") };
    let text = format!("`{}` is {word}: {}", tool.name, tool.why);
    let mut why = of(session, state, &tool.name, answer, text);
    if let Some(lever) = agent.settings.levers.get(&tool.name).and_then(|lever| lever.enabled.as_ref()) {
        why.rule = Some(RuleLine::new(Some(agent), Rule::LeverOff, Some(&lever.at)));
    }
    let skill = state.active_skill().and_then(|skill| agent.skills.get(skill));
    let constraint = skill.and_then(|skill| skill.constraint(&tool.name));
    if let (Some(skill), Some(requires)) = (skill, constraint.and_then(|constraint| constraint.requires.as_ref())) {
        let decision = gate(agent, session.profile.profile, state, Some(&skill.id), requires);
        let tree = Condition::of(agent, state, requires, &decision);
        why.rule = Some(RuleLine::new(Some(agent), Rule::ToolRequires, Some(&requires.text.at)));
        why.evidence = stories(session, state, &tree);
        if !decision.is_open() {
            why = why.opened_by(session, state, Some(&skill.id), requires);
        }
        why.condition = Some(tree);
    }
    if let Some(asks) = constraint.and_then(|one| one.confirmation.as_ref()).filter(|asks| asks.enabled) {
        let place = format!("{}:{}", asks.at.file, asks.at.line);
        why.evidence.push(Evidence::of_definition(format!("a call of it waits for the user's yes (M192), by {place}")));
    }
    why
}

/// The answer about a tool that isn't one of the moment.
fn elsewhere(session: &Session, agent: &Agent, state: &State, tool: &str, here: &[Tool]) -> Why {
    let owners: Vec<Name> =
        agent.skills.values().filter(|skill| has(agent, skill, tool)).map(|skill| skill.id.clone()).collect();
    let active = match state.active_skill() {
        Some(active) => format!("`{active}` is active"),
        None => "no skill is active".to_owned(),
    };
    if owners.is_empty() {
        let is_shared = agent.tools.get(tool).is_some();
        let known = here.iter().map(|tool| tool.name.as_str()).chain(agent.skills.values().flat_map(names));
        return if is_shared {
            let text = format!("`{tool}` is withheld: it is a shared tool that no skill imports");
            of(session, state, tool, Answer::Withheld, text)
        } else if tool.starts_with(VALIDATION_PREFIX) {
            let text = format!("`{tool}` is withheld: tools of that name check a write and are never offered (M208)");
            of(session, state, tool, Answer::Withheld, text)
        } else {
            let near = did_you_mean(&near(tool, known));
            let text = format!("`{tool}` is unknown: the agent folder names no such tool{near}");
            of(session, state, tool, Answer::Unknown, text)
        };
    }
    let text = format!("`{tool}` is withheld: it belongs to {}, and {active}", either(&owners));
    let mut why = of(session, state, tool, Answer::Withheld, text);
    let declared = owners.first().and_then(|owner| agent.skills.get(owner)).and_then(|skill| place(skill, tool));
    why.evidence.extend(declared.map(|at| Evidence::of_definition(format!("`{tool}` is declared at {at}"))));
    why.change = Some(format!("{} would have to be active", either(&owners)));
    why
}

/// Tools with this prefix check a write (M208).
const VALIDATION_PREFIX: &str = "run_after_setting_";

fn has(agent: &Agent, skill: &Skill, tool: &str) -> bool {
    names(skill).any(|name| name == tool)
        && (agent.tools.get(tool).is_none() || skill.tools.get(tool).is_some() || imports(skill, tool))
}

fn imports(skill: &Skill, tool: &str) -> bool {
    skill.import_tools.iter().any(|import| import.value.tool == *tool)
}

/// Returns the tools that the files of a skill name.
fn names(skill: &Skill) -> impl Iterator<Item = &str> {
    let own = match &skill.tools {
        Tools::Known(tools) => tools.as_slice(),
        Tools::Unknown => &[],
    };
    let own = own.iter().map(|tool| &*tool.name.value);
    let imported = skill.import_tools.iter().map(|import| &*import.value.tool);
    own.chain(imported).chain(skill.tool_constraints.iter().map(|constraint| &*constraint.tool.value))
}

fn place(skill: &Skill, tool: &str) -> Option<String> {
    let own = skill.tools.get(tool).map(|tool| &tool.name.at);
    let imported = || skill.import_tools.iter().find(|import| import.value.tool == *tool).map(|import| &import.at);
    let constrained = || skill.constraint(tool).map(|constraint| &constraint.tool.at);
    own.or_else(imported).or_else(constrained).map(|at| format!("{}:{}", at.file, at.line))
}

/// The last calls of the tool, the newest first, each with its causes; or that there was none.
fn calls(session: &Session, state: &State, tool: &str) -> Vec<Evidence> {
    let is_call = |kind: &EventKind| match kind {
        EventKind::ToolReturned { tool: called, .. } => *called == *tool,
        EventKind::ToolRefused { call, .. } => call.tool == *tool,
        _ => false,
    };
    let found: Vec<Evidence> = session
        .marked_back(state.position, |mark| matches!(mark.tag(), Tag::ToolReturned | Tag::ToolRefused))
        .filter(|at| session.event(*at).is_some_and(|event| is_call(&event.kind)))
        .take(CALLS_MAX)
        .flat_map(|at| chain(session, at))
        .collect();
    match found.is_empty() {
        true => vec![Evidence::of_absence(format!("no event up to {} calls `{tool}`", state.position))],
        false => found,
    }
}
