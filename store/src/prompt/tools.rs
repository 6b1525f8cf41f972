//! Which tools were offered, which were withheld, and why (6.5). Text and tools keep step: the sections ask here.

use super::moment::{Channel, SEARCH_KNOWLEDGE};
use super::targets::{Targets, targets};
use super::view::View;
use super::{Situation, Tool, schema};
use crate::agent::block::StepKind;
use crate::agent::entry::Entry;
use crate::agent::prose::TokenKind;
use crate::agent::skill::Skill;
use crate::agent::tools::Tools;
use crate::diagnostic::Place;
use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

/// Starts a skill, switches to one, or enters a block.
pub const ACTIVATE: &str = "activate";
/// Writes entries that the model may set.
pub const SET_FIELDS: &str = "set_fields";
pub use super::moment::CORRECT;
/// Declines a request.
pub const CANNOT_HELP: &str = "cannot_help";
/// Ends the turn in silence.
pub const LISTEN: &str = "listen";
/// Passes on the user's yes or no.
pub const RESOLVE_CONFIRMATION: &str = "resolve_tool_confirmation";
/// Tools with this prefix check a write and are never offered (M208).
const VALIDATION_PREFIX: &str = "run_after_setting_";
/// Framework tools that are never offered (M213), or were the engine's background call (M64).
const NEVER_OFFERED: [&str; 2] = ["hangup", "record_discovered_facts"];

/// The tools of a request.
pub(super) struct Offer {
    pub(super) tools: Vec<Tool>,
}

impl Offer {
    /// Returns whether the model may call the tool.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.offered && tool.name == name)
    }
}

/// Returns the tools of the moment: framework tools, then the skill's own; offered ones first.
pub(super) fn offer(view: &View<'_>, targets: &Targets<'_>) -> Offer {
    let mut tools = framework(view, targets);
    if let Some(skill) = view.skill().filter(|_| view.situation != Situation::ScopeHandler) {
        tools.extend(own(view, skill));
    } else if let Some(active) = view.active {
        tools.extend(seen(view, active.id));
    }
    tools.sort_by_key(|tool| !tool.offered);
    Offer { tools }
}

/// Returns the tools of [`offer`] but the one that takes targets, one by one: each costs only where it is asked for.
pub(super) fn offers_without_targets<'v>(view: &'v View<'_>) -> impl Iterator<Item = Tool> + 'v {
    let framework = framework_names(view).into_iter().filter(|name| *name != ACTIVATE);
    let framework = framework.filter_map(|name| framework_tool(view, &Targets::default(), name));
    let skill = view.skill().filter(|_| view.situation != Situation::ScopeHandler);
    let own = skill.into_iter().flat_map(move |skill| {
        own_names(view, skill).into_iter().map(move |(name, why)| gated(view, skill, &name, why))
    });
    let active = view.active.filter(|_| skill.is_none());
    framework.chain(own).chain(active.into_iter().flat_map(move |active| seen(view, active.id)))
}

/// Returns the tool that takes these targets.
pub(super) fn activate(view: &View<'_>, targets: &Targets<'_>) -> Option<Tool> {
    framework_tool(view, targets, ACTIVATE)
}

/// Returns the tool of that name as it would be among [`offer`]'s, without the others; `None` where the moment has none.
pub(super) fn offer_of(view: &View<'_>, name: &str) -> Option<Tool> {
    // Only one of them names its targets.
    let targets = if name == ACTIVATE { targets(view) } else { Targets::default() };
    let framework = framework_names(view).contains(&name).then(|| framework_tool(view, &targets, name));
    framework.flatten().or_else(|| {
        if let Some(skill) = view.skill().filter(|_| view.situation != Situation::ScopeHandler) {
            let (name, why) = own_names(view, skill).into_iter().find(|(own, _)| *own == *name)?;
            return Some(gated(view, skill, &name, why));
        }
        seen(view, view.active?.id).into_iter().find(|tool| *tool.name == *name)
    })
}

/// A reason to offer, or one to withhold.
type Verdict = Result<String, String>;

fn tool(name: &str, schema: Value, verdict: Verdict) -> Tool {
    let offered = verdict.is_ok();
    let (Ok(why) | Err(why)) = verdict;
    Tool { name: Name::from(name), schema, offered, why }
}

fn framework(view: &View<'_>, targets: &Targets<'_>) -> Vec<Tool> {
    framework_names(view).into_iter().filter_map(|name| framework_tool(view, targets, name)).collect()
}

/// The framework's tools that there are, offered or not, in their order.
fn framework_names(view: &View<'_>) -> Vec<&'static str> {
    let (complete, cancel) = view.profile.lifecycle_tools();
    let mut names = vec![ACTIVATE, complete, cancel, SET_FIELDS, CORRECT, SEARCH_KNOWLEDGE, CANNOT_HELP];
    if view.profile.has_listen() || view.moment.seen.has(LISTEN) {
        names.push(LISTEN);
    }
    names.push(RESOLVE_CONFIRMATION);
    names
}

/// Returns a tool of the framework; `None` for any other name.
fn framework_tool(view: &View<'_>, targets: &Targets<'_>, name: &str) -> Option<Tool> {
    let (complete, cancel) = view.profile.lifecycle_tools();
    Some(match name {
        ACTIVATE => tool(ACTIVATE, schema::activate(&targets.ids()), activates(view, targets)),
        SET_FIELDS => tool(SET_FIELDS, view.skill().map_or_else(schema::none, schema::set_fields), sets_fields(view)),
        CORRECT => {
            let correctable: Vec<&Entry> = view.skill().map(|skill| correctable(view, skill)).unwrap_or_default();
            tool(CORRECT, schema::correct(&correctable), corrects(view, &correctable))
        }
        SEARCH_KNOWLEDGE => tool(name, schema::one("query", "string"), switched(view, name, searches(view))),
        CANNOT_HELP => tool(name, schema::one("in_domain", "boolean"), switched(view, name, declines(view))),
        LISTEN => tool(LISTEN, schema::none(), listens(view)),
        RESOLVE_CONFIRMATION => {
            let resolves = match view.state.pending_confirmation() {
                Some(_) => Ok("a tool call waits for the user's answer".to_owned()),
                None => Err("no tool call waits for the user's answer".to_owned()),
            };
            tool(name, schema::one("confirmed", "boolean"), resolves)
        }
        _ if name == complete => tool(name, schema::none(), switched(view, name, completes(view))),
        _ if name == cancel => tool(name, schema::none(), switched(view, name, cancels(view))),
        _ => return None,
    })
}

/// Withholds what `agent.yml` switches off (M336).
fn switched(view: &View<'_>, name: &str, verdict: Verdict) -> Verdict {
    let enabled = view.agent.settings.levers.get(name).and_then(|lever| lever.enabled.as_ref());
    match enabled {
        Some(enabled) if !enabled.value => Err(format!("switched off at {}", place(&enabled.at))),
        Some(_) | None => verdict,
    }
}

fn activates(view: &View<'_>, targets: &Targets<'_>) -> Verdict {
    let count = targets.ids().len();
    let mut why = match count {
        0 => "nothing may be started".to_owned(),
        1 => "1 target".to_owned(),
        count => format!("{count} targets"),
    };
    for (id, reason) in &targets.withheld {
        why.push_str(&format!("; not {id}: {reason}"));
    }
    match &view.agent.settings.retrieved_skills {
        Some(most) if targets.others.len() as u64 > most.value => {
            why.push_str(&format!("; at most {} skills are retrieved, the record doesn't say which", most.value));
        }
        Some(_) | None => {}
    }
    if count == 0 { Err(why) } else { Ok(why) }
}

fn completes(view: &View<'_>) -> Verdict {
    match view.situation {
        Situation::Prose => Ok("prose is in charge".to_owned()),
        Situation::Routing => Err("no skill is active".to_owned()),
        Situation::Block | Situation::ScopeHandler => Err("a block ends by itself".to_owned()),
        Situation::Knowledge => Err(AFTER_SEARCH.to_owned()),
        Situation::Rephrase | Situation::ConfirmRephrase => Err(WITHOUT_TOOLS.to_owned()),
    }
}

const AFTER_SEARCH: &str = "a search ran in this turn";
const WITHOUT_TOOLS: &str = "a call that rewords has no tools";

fn cancels(view: &View<'_>) -> Verdict {
    in_skill(view).map(|()| "a skill is active".to_owned())
}

fn in_skill(view: &View<'_>) -> Result<(), String> {
    match view.situation {
        Situation::Prose | Situation::Block | Situation::ScopeHandler => Ok(()),
        Situation::Routing => Err("no skill is active".to_owned()),
        Situation::Knowledge => Err(AFTER_SEARCH.to_owned()),
        Situation::Rephrase | Situation::ConfirmRephrase => Err(WITHOUT_TOOLS.to_owned()),
    }
}

fn sets_fields(view: &View<'_>) -> Verdict {
    in_skill(view)?;
    let Some(skill) = view.skill() else { return Err("the skill's memory is unknown".to_owned()) };
    match skill.settable_entries().count() {
        0 => Err("the skill has no entry that the model may set".to_owned()),
        1 => Ok("1 entry may be set".to_owned()),
        count => Ok(format!("{count} entries may be set")),
    }
}

/// Returns the settable entries that have a value (M51).
fn correctable<'a>(view: &View<'a>, skill: &'a Skill) -> Vec<&'a Entry> {
    skill.settable_entries().filter(|entry| view.state.value(&entry.key).is_some()).collect()
}

fn corrects(view: &View<'_>, correctable: &[&Entry]) -> Verdict {
    in_skill(view)?;
    match correctable.len() {
        0 => Err("no entry that the model may set has a value".to_owned()),
        1 => Ok("1 entry has a value".to_owned()),
        count => Ok(format!("{count} entries have a value")),
    }
}

fn searches(view: &View<'_>) -> Verdict {
    match (view.agent.has_knowledge, view.situation) {
        (_, Situation::Knowledge) => Ok(AFTER_SEARCH.to_owned()),
        (true, _) => Ok("there is knowledge to search".to_owned()),
        (false, _) => Err("there is no knowledge to search".to_owned()),
    }
}

/// With an index, `cannot_help` waits until a search ran (M353).
fn declines(view: &View<'_>) -> Verdict {
    let may_search = switched(view, SEARCH_KNOWLEDGE, searches(view)).is_ok();
    match (may_search, view.situation) {
        (_, Situation::Knowledge) => Ok(AFTER_SEARCH.to_owned()),
        (false, _) => Ok("there is nothing to search first".to_owned()),
        (true, _) => Err("no search ran in this turn".to_owned()),
    }
}

/// In a collect, `listen` belongs to the voice channel, after the question (M354).
fn listens(view: &View<'_>) -> Verdict {
    let seen = || match view.profile.has_listen() {
        true => "no collect waits for an answer".to_owned(),
        false => format!("the record calls it, though {} has no such tool", view.profile),
    };
    let pending = view.state.pending_confirmation().is_some();
    match view.situation {
        Situation::Knowledge => Err(AFTER_SEARCH.to_owned()),
        _ if pending => Err("a tool call waits for the user's answer".to_owned()),
        Situation::Block if view.collect().is_some() => match (view.moment.channel, view.moment.asked) {
            (Channel::Voice, true) => Ok("the collect has asked".to_owned()),
            (Channel::Voice, false) => Err("the collect has not asked yet".to_owned()),
            (Channel::Text, _) => Err("a collect waits for its answer".to_owned()),
        },
        Situation::Routing | Situation::Prose | Situation::Block | Situation::ScopeHandler => Ok(seen()),
        Situation::Rephrase | Situation::ConfirmRephrase => Err(WITHOUT_TOOLS.to_owned()),
    }
}

/// The tools of a skill (M215): declared beside it, imported, constrained, named in prose or by a step, or called in
/// the record.
fn own(view: &View<'_>, skill: &Skill) -> Vec<Tool> {
    own_names(view, skill).into_iter().map(|(name, why)| gated(view, skill, &name, why)).collect()
}

/// The names of these, each with where it is known from.
fn own_names(view: &View<'_>, skill: &Skill) -> Vec<(Name, String)> {
    let mut found: Vec<(Name, String)> = Vec::new();
    let mut add = |name: &Name, why: String| {
        if !is_framework(name) && found.iter().all(|(known, _)| known != name) {
            found.push((name.clone(), why));
        }
    };
    if let Tools::Known(tools) = &skill.tools {
        for tool in tools.iter().filter(|tool| !tool.name.value.starts_with(VALIDATION_PREFIX)) {
            add(&tool.name.value, format!("declared at {}", place(&tool.name.at)));
        }
    }
    for import in &skill.import_tools {
        add(&import.value.tool, format!("imported at {}", place(&import.at)));
    }
    for constraint in &skill.tool_constraints {
        add(&constraint.tool.value, format!("constrained at {}", place(&constraint.tool.at)));
    }
    // What is declared is known then; a name that is not among it is no tool of the skill.
    if skill.tools == Tools::Unknown {
        for token in skill.paragraphs.iter().flat_map(|paragraph| &paragraph.prose.tokens) {
            if let TokenKind::Tool(name) = &token.kind {
                add(name, format!("named at {}", place(&token.at)));
            }
        }
        for step in skill.blocks.iter().flat_map(|block| &block.steps) {
            if let StepKind::ExecuteTool { tool, .. } = &step.kind {
                add(&tool.value, format!("named at {}", place(&tool.at)));
            }
        }
    }
    for name in view.moment.seen.in_skill(&skill.id) {
        add(name, "called in the record, not found in the folder".to_owned());
    }
    found
}

fn gated(view: &View<'_>, skill: &Skill, name: &Name, why: String) -> Tool {
    let requires = skill.constraint(name).and_then(|constraint| constraint.requires.as_ref());
    let verdict = match (in_skill(view), requires) {
        (Err(withheld), _) => Err(withheld),
        (Ok(()), None) => Ok(why),
        (Ok(()), Some(gate)) => match view.refusal(gate, skill) {
            Some(refusal) => Err(refusal),
            None => Ok(format!("{why}; requires {}: holds", gate.text.value)),
        },
    };
    tool(name, Value::Null, verdict.map(|why| format!("{why}; parameters unknown")))
}

/// The tools that the record names in a skill that the folder lacks.
fn seen(view: &View<'_>, skill: &Name) -> Vec<Tool> {
    let names = view.moment.seen.in_skill(skill).filter(|name| !is_framework(name));
    let why = || "called in the record; the folder lacks its skill; parameters unknown".to_owned();
    names.map(|name| tool(name, Value::Null, in_skill(view).map(|()| why()))).collect()
}

/// Names of either profile: no tool of an author may bear them (M199).
fn is_framework(name: &str) -> bool {
    let own = [ACTIVATE, SET_FIELDS, CORRECT, SEARCH_KNOWLEDGE, CANNOT_HELP, LISTEN, RESOLVE_CONFIRMATION];
    let lifecycle = Profile::ALL.map(|profile| profile.lifecycle_tools());
    own.contains(&name)
        || NEVER_OFFERED.contains(&name)
        || lifecycle.iter().any(|(complete, cancel)| name == *complete || name == *cancel)
}

fn place(at: &Place) -> String {
    format!("{}:{}", at.file, at.line)
}
