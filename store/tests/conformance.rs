//! Runs the conformance vectors of `tests/conformance`, or of the folder that `REPLAY_CONFORMANCE` names.
//!
//! Each case is a test of its own, named by its id and profile. A case that nothing answers yet is skipped with the
//! reason. The agents of the vectors go through the loader as files, because JSON is YAML.

#![allow(clippy::print_stdout, reason = "a test runner reports on stdout")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::diagnostic::Severity;
use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::session::access::{Reader, Site, read};
use replay_store::session::gate::{GateDecision, gate};
use replay_store::session::prose::{ProsePiece, scope, substitute};
use replay_store::session::{Cell, CellState, State};
use replay_store::value::Value;

/// Cases that we answer otherwise on purpose, each with its reason. Only inferred ones may stand here.
const DISPUTED: [(&str, &str); 0] = [];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = std::env::var_os("REPLAY_CONFORMANCE").map_or_else(own_folder, PathBuf::from);
    let trials = ["conditions", "access", "prose", "lifecycle"].into_iter().flat_map(|file| trials(&folder, file));
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if !arguments.list {
        println!("conformance: {} passed, {} failed", conclusion.num_passed, conclusion.num_failed);
    }
    conclusion.exit_code()
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// A case in one profile.
#[derive(Clone)]
struct Case {
    data: Value,
    agents: Arc<Value>,
    profile: Profile,
}

fn trials(folder: &Path, file: &'static str) -> Vec<Trial> {
    let path = folder.join(file).with_extension("json");
    let vectors = match std::fs::read_to_string(&path).map(|text| Value::from_json(&text)) {
        Ok(Ok(vectors)) => vectors,
        Ok(Err(error)) => return vec![broken(file, format!("{}: {error}", path.display()))],
        Err(error) => return vec![broken(file, format!("{}: {error}", path.display()))],
    };
    let agents = Arc::new(vectors.get("agents").cloned().unwrap_or_default());
    let Some(Value::List(cases)) = vectors.get("cases") else { return vec![broken(file, "no cases".to_owned())] };
    let profiles_of = |case: &Value| match text(case, "profile") {
        "S" => vec![Profile::Seed],
        "N" => vec![Profile::Mantle321],
        _ => Profile::ALL.to_vec(),
    };
    let with_profile = cases.iter().flat_map(|case| profiles_of(case).into_iter().map(move |profile| (case, profile)));
    with_profile
        .map(|(data, profile)| {
            let case = Case { data: data.clone(), agents: Arc::clone(&agents), profile };
            trial(file, case)
        })
        .collect()
}

fn broken(file: &str, message: String) -> Trial {
    Trial::test(file, move || Err(Failed::from(message)))
}

fn trial(file: &'static str, case: Case) -> Trial {
    let id = text(&case.data, "id").to_owned();
    let name = format!("{file} {id} {}", case.profile);
    let disputed = DISPUTED.iter().find(|(disputed, _)| *disputed == id).map(|(_, reason)| *reason);
    let unanswered = match file {
        "access" if text(&case.data, "op") == "write" => Some("writes are not decided yet"),
        "lifecycle" => Some("operations are not decided yet"),
        _ => None,
    };
    match disputed.or(unanswered) {
        Some(reason) => Trial::test(name, || Ok(())).with_kind(format!("skipped: {reason}")).with_ignored_flag(true),
        None => Trial::test(name, move || match file {
            "conditions" => condition(&case),
            "access" => access(&case),
            _ => prose(&case),
        }),
    }
}

fn condition(case: &Case) -> Result<(), Failed> {
    let skill = text(&case.data, "skill");
    let expression = case.data.get("expr").cloned().unwrap_or_default();
    let constraints = map(&[("tool", map(&[("requires", expression)]))]);
    let agent = case.agent(skill, &map(&[("tool_constraints", Value::List(vec![constraints]))]), "Prose.");
    let refused = agent.diagnostics.iter().find(|found| found.code.starts_with("replay.condition."));
    let written = agent.skills.get(skill).and_then(|skill| skill.constraint("tool")?.requires.as_ref());
    let written = written.ok_or("the condition didn't arrive")?;
    let decision = gate(&agent, case.profile, &case.state(), Some(skill), written);
    let impossible = match &decision {
        GateDecision::Evaluated(evaluation) => evaluation.impossible(),
        GateDecision::Unreadable => None,
    };
    let answer = match (refused, impossible) {
        (Some(found), _) => ("load", found.message.clone()),
        (None, Some(why)) => ("eval", why.to_owned()),
        (None, None) => ("", decision.is_open().to_string()),
    };
    let expected = match case.data.get("expect") {
        Some(Value::Bool(truth)) => ("", truth.to_string()),
        _ => (text(&case.data, "stage"), answer.1.clone()),
    };
    same("answer", &answer, &expected)?;
    same("open", &decision.is_open(), &(case.data.get("expect") == Some(&Value::Bool(true))))
}

fn access(case: &Case) -> Result<(), Failed> {
    let active = case.data.get("active").and_then(Value::as_text);
    let agent = case.agent("", &Value::Null, "");
    let site = match text(&case.data, "by") {
        "tool" => Site::Tool,
        "condition" => Site::Condition,
        "prose" => Site::Prompt,
        "placeholder" => Site::Response,
        other => return Err(format!("no reader is called `{other}`").into()),
    };
    let reader = Reader { skill: active, site };
    let decision = read(&agent, case.profile, &case.state(), reader, text(&case.data, "name"));
    let expected = text(&case.data, "expect");
    same("allowed", &if decision.is_allowed() { "allowed" } else { "none" }, &expected)?;
    let gives = decision.value().map_or(Value::Null, |value| Value::clone(value));
    same("gives", &gives, &case.data.get("gives").cloned().unwrap_or_default())?;
    let rules: Vec<&str> = decision.tried.iter().chain([&decision.rule]).map(|rule| rule.number()).collect();
    let rule = text(&case.data, "rule");
    if rules.contains(&rule) { Ok(()) } else { Err(format!("{rule} is not among {rules:?}").into()) }
}

fn prose(case: &Case) -> Result<(), Failed> {
    let id = text(&case.data, "skill");
    let agent = case.agent(id, &Value::Null, text(&case.data, "body"));
    if text(&case.data, "check") == "load" {
        let file = format!("skills/{id}/skill.md");
        let mut codes: Vec<&str> = agent
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error && found.at.file == file.as_str())
            .map(|found| found.code)
            .filter(|code| code.starts_with("mantle.validation.prose."))
            .collect();
        let mut expected = texts(&case.data, "codes");
        codes.sort_unstable();
        expected.sort_unstable();
        return same("codes", &codes, &expected);
    }
    let skill = agent.skills.get(id).ok_or("the skill didn't load")?;
    let state = case.state();
    let (mut visible, mut left) = (Vec::new(), Vec::new());
    for scoped in scope(&agent, case.profile, &state, skill).iter().filter(|scoped| scoped.is_visible) {
        let pieces = substitute(&agent, case.profile, &state, Some(id), &scoped.paragraph.prose);
        visible.push(pieces.iter().map(ProsePiece::text).collect::<String>());
        left.extend(
            pieces.iter().filter(|piece| matches!(piece, ProsePiece::Left { .. })).map(|piece| piece.text().to_owned()),
        );
    }
    same("visible", &visible, &texts(&case.data, "visible").into_iter().map(str::to_owned).collect())?;
    same("left", &left, &texts(&case.data, "left").into_iter().map(str::to_owned).collect())
}

impl Case {
    /// Loads the agent of the case; the skill `id` gets more frontmatter and a body.
    fn agent(&self, id: &str, frontmatter: &Value, body: &str) -> Agent {
        let described = self.agents.get(text(&self.data, "agent")).cloned().unwrap_or_default();
        let mut definition = Definition::default();
        let mut put = |path: String, text: String| {
            definition.files.insert(Name::from(path), Arc::from(text.into_bytes()));
        };
        put("agent.yml".to_owned(), "agent: {persona: You answer.}".to_owned());
        put("memory.yml".to_owned(), described.get("project").cloned().unwrap_or_default().to_json());
        let Some(Value::Map(skills)) = described.get("skills") else { panic!("the agent has skills") };
        for (skill, described) in skills {
            let part = |key: &str| described.get(key).cloned().unwrap_or(Value::Null);
            let schema = map(&[("public", part("public")), ("private", part("private"))]);
            let memory = match described.get("access") {
                Some(access) => map(&[("schema", schema), ("access", access.clone())]),
                None => map(&[("schema", schema)]),
            };
            put(format!("skills/{skill}/memory.yml"), memory.to_json());
            let mut head = vec![("name", Value::Text(skill.clone())), ("description", Value::Text(skill.clone()))];
            let is_asked = skill == id;
            if let Value::Map(pairs) = frontmatter
                && is_asked
            {
                head.extend(pairs.iter().map(|(key, value)| (key.as_str(), value.clone())));
            }
            let body = if is_asked { body } else { "Prose." };
            put(format!("skills/{skill}/skill.md"), format!("---\n{}\n---\n{body}", map(&head).to_json()));
        }
        Agent::load(Arc::new(definition), Some(self.profile))
    }

    fn state(&self) -> State {
        let mut state = State::default();
        let Some(Value::Map(memory)) = self.data.get("memory") else { return state };
        for (key, value) in memory {
            let cell = Cell {
                value: Arc::new(value.clone()),
                state: if value.is_null() { CellState::Cleared } else { CellState::Set },
                set_at: Some(Position(1)),
                previous: None,
                locked: false,
            };
            state.memory.insert(Name::from(key.as_str()), cell);
        }
        state
    }
}

fn map(pairs: &[(&str, Value)]) -> Value {
    Value::Map(pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_text).unwrap_or("")
}

fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    match value.get(key) {
        Some(Value::List(items)) => items.iter().filter_map(Value::as_text).collect(),
        _ => Vec::new(),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Result<(), Failed> {
    if got == expected { Ok(()) } else { Err(format!("{what}: got {got:?}, expected {expected:?}").into()) }
}
