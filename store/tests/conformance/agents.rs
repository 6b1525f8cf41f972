//! Agents of the vectors. They go through the loader as files, because JSON is YAML.

use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::agent::skill::SkillOrigin;
use replay_store::event::{Actor, Event, EventKind, Origin, Writer};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::session::{State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

use super::Case;

/// What a case adds to a skill of its agent.
pub(crate) struct Added<'a> {
    /// The skill.
    pub(crate) skill: &'a str,
    /// More frontmatter.
    pub(crate) frontmatter: Vec<(&'static str, Value)>,
    /// The body.
    pub(crate) body: &'a str,
}

/// Loads the agent of a case. The engine's own skills aren't installed in the vectors.
pub(crate) fn agent(case: &Case) -> Agent {
    agent_with(case, None)
}

/// Loads the agent of a case with one of its skills completed.
pub(crate) fn agent_with(case: &Case, added: Option<&Added<'_>>) -> Agent {
    let mut definition = Definition::default();
    let mut put = |path: String, text: String| {
        definition.files.insert(Name::from(path), Arc::from(text.into_bytes()));
    };
    let mut settings = vec![("agent", map(&[("persona", Value::Text("You answer.".to_owned()))]))];
    if let Some(preconditions) = case.agent.get("preconditions") {
        let model_group = ("model_group", Value::Text("main".to_owned()));
        settings.push(("orchestrator", map(&[model_group, ("preconditions", preconditions.clone())])));
    }
    put("agent.yml".to_owned(), map(&settings).to_json());
    put("memory.yml".to_owned(), case.agent.get("project").cloned().unwrap_or_default().to_json());
    for (id, described) in pairs(&case.agent, "skills") {
        put(format!("skills/{id}/memory.yml"), memory(described).to_json());
        let mut head = frontmatter(case.profile, id, described);
        let mut text = body(described);
        if let Some(added) = added.filter(|added| added.skill == id) {
            head.extend(added.frontmatter.iter().cloned());
            text = added.body.to_owned();
        }
        put(format!("skills/{id}/skill.md"), format!("---\n{}\n---\n{text}", map(&head).to_json()));
    }
    let mut agent = Agent::load(Arc::new(definition), Some(case.profile));
    agent.skills.retain(|_, skill| skill.origin == SkillOrigin::Folder);
    agent
}

fn memory(described: &Value) -> Value {
    let part = |key: &str| described.get(key).cloned().unwrap_or_default();
    let schema = map(&[("public", part("public")), ("private", part("private"))]);
    match described.get("access") {
        Some(access) => map(&[("schema", schema), ("access", access.clone())]),
        None => map(&[("schema", schema)]),
    }
}

fn frontmatter(profile: Profile, id: &str, described: &Value) -> Vec<(&'static str, Value)> {
    let label = Value::Text(id.to_owned());
    let mut head = vec![("name", label.clone()), ("description", label)];
    for key in ["requires", "precondition", "hidden", "disabled"] {
        head.extend(described.get(key).map(|value| (key, value.clone())));
    }
    if let Some(condition) = described.get("complete_when").cloned() {
        let complete_when = match profile {
            Profile::Seed => condition,
            Profile::Mantle321 => map(&[("condition", condition)]),
        };
        head.push(("complete_when", complete_when));
    }
    head
}

/// Writes a body of the kind that the vectors name. Their blocks wait for operations, so each has a step that waits.
fn body(described: &Value) -> String {
    let has_prose = described.get("body").and_then(Value::as_text) != Some("blocks");
    let mut text = if has_prose { "Help the customer.\n".to_owned() } else { String::new() };
    for block in items(described, "blocks") {
        let step = "steps:\n  - id: talk\n    instructions: Talk to the customer.\n  - id: END";
        text.push_str(&format!("\n:::ordered_block id={block}\n{step}\n:::\n"));
    }
    let collects: Vec<String> = items(described, "collects")
        .map(|entry| format!("  - id: ask_{entry}\n    collect: {entry}\n    utterance: utter_ask"))
        .collect();
    if !collects.is_empty() {
        text.push_str(&format!("\n:::ordered_block id=ask\nsteps:\n{}\n:::\n", collects.join("\n")));
    }
    text
}

/// Returns a new session of the agent in which the memory of the case holds.
pub(crate) fn state(agent: &Agent, case: &Case) -> State {
    let mut state = State::default();
    let initial = agent.entries().map(|entry| (entry.key.clone(), Arc::clone(&entry.initial)));
    let start = EventKind::SessionStarted { definition: None, profile: Some(case.profile), initial: initial.collect() };
    apply(&mut state, start);
    for (key, value) in pairs(&case.case, "memory") {
        let (value, writer) = (Arc::new(value.clone()), Writer::only(Actor::Unknown));
        apply(&mut state, EventKind::MemoryWritten { key: key.into(), value, writer });
    }
    state
}

/// Applies one event.
pub(crate) fn apply(state: &mut State, kind: EventKind) {
    evolve(state, &Event { time: Timestamp(0), turn: None, cause: None, origin: Origin::Recorded, kind });
}

fn map(pairs: &[(&str, Value)]) -> Value {
    Value::Map(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

/// Returns the pairs of a map under a key.
pub(crate) fn pairs<'a>(from: &'a Value, field: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let pairs = match from.get(field) {
        Some(Value::Map(pairs)) => pairs.as_slice(),
        _ => &[],
    };
    pairs.iter().map(|(key, value)| (key.as_str(), value))
}

/// Returns the texts of a list under a key.
pub(crate) fn items<'a>(from: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    let items = match from.get(field) {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(Value::as_text)
}
