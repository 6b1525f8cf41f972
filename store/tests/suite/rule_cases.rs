//! The Markdown cases of rules: each rule with files, what is asked of a session with them, and the decision with its
//! explanation.
//!
//! A case stands under a heading `## <number>`. Its fences are:
//!
//! - with `path=<file>`: a file of the folder;
//! - `ask <profile>`: what is asked, a line each (see [`ask`]), in a session without the engine's own skills; with
//!   `full`, with them;
//! - `decision`: each line again, and below it what was decided. It follows its `ask`.
//!
//! `REPLAY_BLESS=1` writes what is decided now into the files.

use std::collections::BTreeSet;

use replay_store::agent::Agent;
use replay_store::diagnostic::Place;
use replay_store::diagnostic::catalogue::{RULE_CASES, explain_rule};
use replay_store::event::{ToolCall, ToolCaller, ToolOutcome, ToolSource};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::rule::Rule;
use replay_store::session::access::{
    Change, Found, Nothing, Reader, Site, WriteBy, WriteDecision, WriteRequest, read, write,
};
use replay_store::session::decide::{Answer, Command, Delegate, ToolReturn, Write};
use replay_store::session::prose::{ScopedParagraph, scope};
use replay_store::session::response::speak;
use replay_store::session::start::{Route, Start, may_start};
use replay_store::value::Value;

use crate::cases::{Fence, check_files, fences};
use crate::rules::world::World;

#[test]
fn every_case_decides_what_it_shows() {
    check_files(RULE_CASES.iter().map(|(name, _)| *name), "decided", check_file);
}

#[test]
fn every_rule_has_a_case_that_shows_it() {
    let missing: Vec<&str> = Rule::ALL
        .iter()
        .filter(|rule| {
            let shown = explain_rule(rule.number()).map(|entry| entry.example).unwrap_or_default();
            let words: BTreeSet<&str> = shown.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            !words.contains(rule.number())
        })
        .map(|rule| rule.number())
        .collect();
    assert!(missing.is_empty(), "rules without a case that shows them: {missing:?}");
}

fn check_file(name: &str, text: &str, failures: &mut Vec<String>) -> String {
    let mut blessed = String::new();
    let mut done = 0;
    let starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        let number = text[*start + 3..].split_whitespace().next().unwrap_or_default();
        assert!(Rule::parse(number).is_some(), "{name}: {number} is no rule");
        let fences = fences(text, *start..end);
        let files: Vec<(&str, &str)> =
            fences.iter().filter_map(|fence| Some((fence.option("path")?, fence.body))).collect();
        let mut asked = fences.iter().filter(|fence| fence.has("ask"));
        for decision in fences.iter().filter(|fence| fence.has("decision")) {
            let ask = asked.next().expect("what was asked stands before what was decided");
            let said = decide_all(&files, ask);
            if said != decision.body {
                failures.push(format!("{name}: {number}:\n{said}"));
            }
            blessed.push_str(&text[done..decision.at.start]);
            blessed.push_str(&said);
            done = decision.at.end;
        }
        assert!(asked.next().is_none(), "{name}: {number}: something asked is not decided");
    }
    blessed.push_str(&text[done..]);
    blessed
}

fn decide_all(files: &[(&str, &str)], asked: &Fence<'_>) -> String {
    let word = asked.info.split_whitespace().nth(1).unwrap_or_default();
    let profile = Profile::parse(word).unwrap_or_else(|| panic!("{word} is no profile"));
    let start = if asked.has("full") { World::new } else { World::bare };
    let mut world = start(profile, files);
    let mut said = String::new();
    for line in asked.body.lines() {
        said.push_str(&format!("> {line}\n"));
        for told in ask(&mut world, line).lines() {
            said.push_str(&format!("  {told}\n"));
        }
    }
    said
}

/// Decides one line:
///
/// ```text
/// <writer> writes <name> = <JSON>          what a write would come to; nothing is stored
/// <writer> has written <name> = <JSON>     the write is done
/// may <route> start <skill>                what a start would come to; nothing starts
/// <site> reads <name> [as <skill>]         as the active skill, unless another one or `nobody` is named
/// activate|reference|tool starts|call skill <skill>, enter <block>, end block
/// complete, judged yes|no …, cancel, say <words>, tap <payload>, press <keys>, yes, no, end turn
/// model calls <tool> <JSON>, back <tool> <JSON>, validation says <tool> <JSON>
/// metadata <JSON>                          another session starts with it
/// paragraphs of <skill>                    which of them the model gets
/// say response <name>                      the words it has, and the line of the wording that was chosen
/// ```
fn ask(world: &mut World, line: &str) -> String {
    if let Some((by, rest)) = line.split_once(" writes ") {
        let (name, value) = assignment(rest);
        return write_words(world, writer(by), name, &value);
    }
    if let Some((by, rest)) = line.split_once(" has written ") {
        let (name, value) = assignment(rest);
        return world.wish(Command::Write(Write {
            by: writer(by),
            name: name.into(),
            value,
            tool: None,
            call_id: None,
        }));
    }
    if let Some((site, rest)) = line.split_once(" reads ") {
        return read_words(world, site, rest);
    }
    if let Some((route, skill)) = line.strip_prefix("may ").and_then(|rest| rest.split_once(" start ")) {
        return start_words(world, route, skill);
    }
    if let Some(skill) = line.strip_prefix("paragraphs of ") {
        return paragraph_words(world, skill);
    }
    if let Some(name) = line.strip_prefix("say response ") {
        return response_words(world, name);
    }
    world.try_wish(command(world, line)).map_or_else(
        |error| format!("not possible: {error}"),
        |events| match events.is_empty() {
            true => "nothing changes".to_owned(),
            false => events.iter().map(crate::rules::world::line).collect::<Vec<_>>().join("\n"),
        },
    )
}

fn command(world: &World, line: &str) -> Command {
    let after = |start: &str| line.strip_prefix(start).map(str::trim);
    let call = |rest: &str, caller: ToolCaller| {
        let (tool, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
        let top = world.state.top();
        let call = ToolCall {
            tool: tool.into(),
            arguments: arguments.to_owned(),
            caller,
            skill: top.map(|top| top.skill.clone()),
            step: top.and_then(|top| top.step.clone()).filter(|_| caller == ToolCaller::Step),
            call_id: None,
        };
        (call, arguments.to_owned())
    };
    let back = |(call, result): (ToolCall, String)| {
        let (outcome, source) = (ToolOutcome::Done, ToolSource::Local);
        Command::ReturnTool(ToolReturn {
            call: ToolCall { arguments: "{}".to_owned(), ..call },
            outcome,
            result,
            error: None,
            source,
        })
    };
    match line {
        "end block" => Command::EndBlock,
        "complete" => Command::Complete,
        "cancel" => Command::Cancel,
        "yes" => Command::AnswerConfirmation(Answer::Yes),
        "no" => Command::AnswerConfirmation(Answer::No),
        "end turn" => Command::EndTurn,
        _ => None
            .or_else(|| after("activate ").map(|skill| Command::Activate { skill: skill.into() }))
            .or_else(|| {
                after("reference ").map(|skill| Command::Delegate { skill: skill.into(), by: Delegate::Reference })
            })
            .or_else(|| {
                after("tool starts ").map(|skill| Command::Delegate { skill: skill.into(), by: Delegate::Tool })
            })
            .or_else(|| after("call skill ").map(|skill| Command::Call { skill: skill.into() }))
            .or_else(|| after("enter ").map(|block| Command::EnterBlock { block: block.into() }))
            .or_else(|| {
                after("judged ").map(|met| Command::CompleteJudged {
                    met: met.split_whitespace().map(|word| word == "yes").collect(),
                })
            })
            .or_else(|| {
                after("say ").map(|text| Command::HearUser { text: text.to_owned(), channel: None, message_id: None })
            })
            .or_else(|| after("tap ").map(|payload| Command::TapButton { payload: payload.to_owned(), title: None }))
            .or_else(|| after("press ").map(|keys| Command::PressKeys { keys: keys.to_owned() }))
            .or_else(|| after("model calls ").map(|rest| Command::CallTool(call(rest, ToolCaller::Model).0)))
            .or_else(|| after("back ").map(|rest| back(call(rest, ToolCaller::Model))))
            .or_else(|| after("validation says ").map(|rest| back(call(rest, ToolCaller::Validation))))
            .or_else(|| {
                after("metadata ").map(|json| {
                    let Ok(Value::Map(pairs)) = Value::from_json(json) else { panic!("{json} is no object") };
                    let metadata = pairs.into_iter().map(|(name, value)| (Name::from(name), value)).collect();
                    Command::StartSession { definition: None, metadata }
                })
            })
            .unwrap_or_else(|| panic!("nobody knows how to {line:?}")),
    }
}

fn assignment(text: &str) -> (&str, Value) {
    let (name, json) = text.split_once(" = ").expect("a name, ` = ` and a value");
    (name, Value::from_json(json).expect("the value is JSON"))
}

fn writer(word: &str) -> WriteBy {
    match word {
        "tool" => WriteBy::Tool,
        "model" => WriteBy::SetFields,
        "correction" => WriteBy::Correct,
        "step" => WriteBy::SetMemory,
        "validation tool" => WriteBy::ValidationTool,
        "hook" => WriteBy::Hook,
        "button" => WriteBy::Button,
        "seed" => WriteBy::Seed,
        "engine" => WriteBy::Engine,
        other => panic!("{other} doesn't write"),
    }
}

fn write_words(world: &World, by: WriteBy, name: &str, value: &Value) -> String {
    let skill = world.state.active_skill();
    let request = WriteRequest { skill: skill.map(Name::as_str), by, name, value };
    let decision: WriteDecision = write(&world.agent, world.profile, &world.state, request);
    let outcome = match (decision.stored(), decision.refusal()) {
        (Some(stored), _) => format!("stored {} as {}", stored.to_json(), decision.key.as_deref().unwrap_or(name)),
        (None, refusal) => format!("refused: {}", refusal.map_or("", |refusal| refusal.word())),
    };
    let change = decision.change(&world.agent, value);
    explained(outcome, decision.rule, decision.because(&world.agent), &decision.tried, change)
}

fn read_words(world: &World, site: &str, rest: &str) -> String {
    let (name, skill) = match rest.split_once(" as ") {
        Some((name, "nobody")) => (name, None),
        Some((name, skill)) => (name, Some(skill)),
        None => (rest, world.state.active_skill().map(Name::as_str)),
    };
    let site = match site {
        "tool" => Site::Tool,
        "condition" => Site::Condition,
        "prompt" => Site::Prompt,
        "response" => Site::Response,
        other => panic!("{other} doesn't read"),
    };
    let agent: &Agent = &world.agent;
    let decision = read(agent, world.profile, &world.state, Reader { skill, site }, name);
    let outcome = match &decision.found {
        Found::Value { value, .. } => format!("reads {}", value.to_json()),
        Found::Nothing(nothing) => format!("reads None: {}", nothing_words(nothing)),
    };
    let change = decision.change(agent);
    explained(outcome, decision.rule, decision.because(), &decision.tried, change)
}

fn start_words(world: &World, route: &str, skill: &str) -> String {
    let route = match route {
        "model" => Route::Model,
        "reference" => Route::Reference,
        "tool" => Route::Tool,
        "step" => Route::Step,
        other => panic!("{other} starts nothing"),
    };
    let decision = may_start(&world.agent, world.profile, &world.state, skill, route);
    let outcome = match &decision.outcome {
        Start::Fresh => "starts afresh".to_owned(),
        Start::Resumed => "goes on where it was left".to_owned(),
        Start::Pending { resolver } => format!("waits for `{resolver}`"),
        Start::Refused => "refused".to_owned(),
        Start::Ignored => "nothing changes".to_owned(),
    };
    explained(outcome, decision.rule, decision.because.as_ref(), &decision.tried, None)
}

fn paragraph_words(world: &World, skill: &str) -> String {
    let skill = world.agent.skills.get(skill).expect("the skill is in the folder");
    let scoped = scope(&world.agent, world.profile, &world.state, skill);
    let line = |scoped: &ScopedParagraph<'_>| {
        let shown = if scoped.is_visible { "shown" } else { "withheld" };
        let by = match &scoped.paragraph.gate {
            Some(gate) => format!("{} ({}:{})", Rule::MarkerScopes, gate.text.at.file, gate.text.at.line),
            None => "no marker".to_owned(),
        };
        format!("{shown}, by {by}: {}", scoped.paragraph.prose.text.replace('\n', " / "))
    };
    scoped.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn response_words(world: &World, name: &str) -> String {
    let spoken = speak(&world.agent, world.profile, &world.state, name);
    let at = spoken.variant.map(|variant| format!("({}:{})", variant.text.at.file, variant.text.at.line));
    format!("{}, by {} {}", spoken.text, Rule::VariantByCondition, at.as_deref().unwrap_or("(no wording is left)"))
}

fn nothing_words(nothing: &Nothing) -> String {
    match nothing {
        Nothing::NeverWritten => "never written".to_owned(),
        Nothing::Cleared { .. } => "cleared".to_owned(),
        Nothing::Reset { .. } => "reset".to_owned(),
        Nothing::Undeclared => "nothing declares it".to_owned(),
        Nothing::Private { owner, .. } => format!("private to `{owner}`"),
        Nothing::Denied { .. } => "denied".to_owned(),
        Nothing::Reserved => "the engine's own".to_owned(),
    }
}

fn explained(outcome: String, rule: Rule, at: Option<&Place>, tried: &[Rule], change: Option<Change>) -> String {
    let place = |at: &Place| format!(" ({}:{})", at.file, at.line);
    let mut said = format!("{outcome}, by {rule}{}\n  {}", at.map(place).unwrap_or_default(), rule.text());
    assert!(!tried.contains(&rule), "{rule} decides, so it was not tried before: {said}");
    if !tried.is_empty() {
        let tried: Vec<&str> = tried.iter().map(|rule| rule.number()).collect();
        said.push_str(&format!("\n  before it: {}", tried.join(", ")));
    }
    if let Some(change) = change {
        let at = change.at().map(place).unwrap_or_default();
        said.push_str(&format!("\n  change: {change}{at}"));
    }
    said
}
