//! What looks wrong in a session: what is found, where, how often, and what is to be done.

use std::path::Path;
use std::sync::Arc;

use replay_store::agent::definition::Definition;
use replay_store::diagnostic::Severity;
use replay_store::event::{
    Activation, Actor, Event, EventKind, MessageSource, Origin, Position, ToolCaller, ToolOutcome, ToolSource,
    WriteRefusal, Writer,
};
use replay_store::explain::decisions::{DecisionKind, Verdict, decisions};
use replay_store::explain::findings::{Found, FoundKind, Scan, findings};
use replay_store::import::{self, Recording};
use replay_store::profile::Profile;
use replay_store::prompt::history::history_at_most;
use replay_store::prompt::size::{Bound, size};
use replay_store::replay::Session;
use replay_store::rule::Rule;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

const SKILL: &str = "\
---
name: Desk
description: Serve people.
tool_constraints:
  - ship:
      requires: session.desk.paid == False
---

You help.

if: session.desk.paid == False
Nothing is paid.

if: session.desk.stage == 'new'
It is new.

Their note is @memory.desk.note.
";

const MEMORY: &str = "\
schema:
  public:
    paid: {type: bool}
    stage: {type: text}
    note: {type: text}
    answer: {type: categorical, enum_values: [yes, no]}
";

fn agent() -> Definition {
    let files = [
        ("agent.yml", "agent:\n  id: desk\n"),
        ("memory.yml", "tier: {type: text}\n"),
        ("responses.yml", "responses:\n  utter_note:\n    - text: \"Your note: {session.desk.note}\"\n"),
        ("skills/desk/skill.md", SKILL),
        ("skills/desk/memory.yml", MEMORY),
    ];
    let bytes = files.map(|(path, text)| (path.into(), Arc::from(text.as_bytes())));
    Definition { files: bytes.into_iter().collect() }
}

fn session(kinds: impl IntoIterator<Item = EventKind>) -> Session {
    let recording = Recording {
        id: "s".into(),
        events: events(kinds),
        definition: Some(agent()),
        profile: Some(Profile::Seed),
        ..Recording::default()
    };
    Session::open(recording, None, None)
}

fn events(kinds: impl IntoIterator<Item = EventKind>) -> Vec<Event> {
    let started = EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() };
    let activated = EventKind::SkillActivated { skill: "desk".into(), by: Activation::Engine };
    let event = |kind| Event { time: Timestamp(0), turn: Some(1), cause: None, origin: Origin::Added, kind };
    [started, activated, user()].into_iter().chain(kinds).map(event).collect()
}

fn user() -> EventKind {
    EventKind::UserMessage { text: "hello".to_owned(), channel: None, message_id: None }
}

/// A message that the model was called for.
fn model() -> EventKind {
    says(MessageSource::Model, Some(1.0), None)
}

fn says(source: MessageSource, model_millis: Option<f64>, response: Option<&str>) -> EventKind {
    let response = response.map(Into::into);
    EventKind::AgentMessage { text: "hi".to_owned(), source, response, model_millis, data: Arc::default() }
}

fn write(key: &str, value: Value) -> EventKind {
    let writer = Writer { skill: Some("desk".into()), tool: Some("load".into()), ..Writer::only(Actor::Tool) };
    EventKind::MemoryWritten { key: key.into(), value: Arc::new(value), writer }
}

fn clear(key: &str) -> EventKind {
    EventKind::MemoryCleared { key: key.into(), writer: Writer::only(Actor::Tool) }
}

fn text(length: usize) -> Value {
    Value::Text("ł".repeat(length))
}

fn tool(outcome: ToolOutcome, error: Option<&str>) -> EventKind {
    EventKind::ToolReturned {
        tool: "find".into(),
        arguments: String::new(),
        result: String::new(),
        outcome,
        error: error.map(str::to_owned),
        caller: ToolCaller::Unknown,
        skill: Some("desk".into()),
        call_id: None,
        batch_id: None,
        source: ToolSource::Local,
    }
}

fn of(session: &Session, kind: FoundKind) -> Vec<Found> {
    findings(session).into_iter().filter(|found| found.kind == kind).collect()
}

/// Returns `count@first: text` of each finding of a kind.
fn lines(session: &Session, kind: FoundKind) -> Vec<String> {
    let line = |found: Found| {
        let first = found.positions.first().map(|at| at.0).unwrap_or_default();
        assert!(!found.advice.is_empty() && !found.advice.ends_with('.'), "{}", found.advice);
        format!("{}@{first}: {}", found.count, found.text)
    };
    of(session, kind).into_iter().map(line).collect()
}

fn gates(session: &Session) -> Vec<String> {
    lines(session, FoundKind::GateNeverOpened)
}

#[test]
fn a_gate_that_asks_for_false_never_opens_while_nothing_is_written() {
    let found = gates(&session([model(), model()]));
    assert!(found[0].starts_with("2@3: `session.desk.paid == False` at skills/desk/skill.md:6 never held, so ship"));
    assert!(found[1].contains("at skills/desk/skill.md:11 never held, so the paragraph under it was left out"));
    assert!(found[2].starts_with("2@3: `session.desk.stage == 'new'` at skills/desk/skill.md:14 never held"));
    let first = of(&session([model()]), FoundKind::GateNeverOpened).remove(0);
    assert!(first.advice.contains("write `not session.desk.paid`"), "{}", first.advice);
    assert_eq!(first.rule.and_then(|rule| rule.line), Some(6));
}

#[test]
fn a_gate_that_opened_once_is_no_finding_whatever_came_before_and_after() {
    let paid = |truth| write("desk.paid", Value::Bool(truth));
    let of_paid =
        |kinds: Vec<EventKind>| gates(&session(kinds)).into_iter().filter(|found| found.contains("desk.paid")).count();
    assert_eq!(of_paid(vec![model()]), 2, "a paragraph and a tool wait for it");
    assert_eq!(of_paid(vec![model(), paid(false), model()]), 0);
    assert_eq!(of_paid(vec![model(), paid(false), model(), paid(true), model()]), 0);
    assert_eq!(of_paid(vec![model(), paid(true), model()]), 0, "it was written: it says no, and not by accident");
    let of_stage = |value: &str| {
        let stage = write("desk.stage", Value::Text(value.to_owned()));
        gates(&session([model(), stage, model()])).into_iter().filter(|found| found.contains("desk.stage")).count()
    };
    assert_eq!((of_stage("new"), of_stage("old")), (0, 0));
}

#[test]
fn a_step_shows_each_gate_open_or_closed_with_what_its_read_gave() {
    let session = session([
        model(),
        write("desk.paid", Value::Bool(false)),
        model(),
        write("desk.paid", Value::Bool(true)),
        model(),
    ]);
    for (at, verdict, value) in [
        (3, Verdict::Closed, "None: never written"),
        (5, Verdict::Open, "false, set at 5"),
        (7, Verdict::Closed, "true"),
    ] {
        let found = decisions(&session, Position(at));
        let gate = found.iter().find(|one| one.kind == DecisionKind::Gate && one.text.contains("paragraph"));
        let gate = gate.expect("the marker was evaluated");
        assert_eq!((gate.verdict, gate.subject.as_str()), (verdict, "session.desk.paid == False"), "at {at}");
        assert!(gate.condition.is_some() && gate.rule.as_ref().is_some_and(|rule| rule.line == Some(11)));
        let read = found.iter().find(|one| one.kind == DecisionKind::Read && one.subject == "desk.paid");
        let read = read.expect("it was read");
        assert!(read.text.contains(value), "at {at}: {}", read.text);
    }
}

#[test]
fn a_gate_that_lost_its_value_is_told_with_the_event_that_took_it() {
    let session = session([write("desk.stage", Value::Text("new".to_owned())), model(), clear("desk.stage"), model()]);
    let found = lines(&session, FoundKind::GateClosed);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("1@6: `session.desk.stage == 'new'` at skills/desk/skill.md:14 did not hold"));
    assert!(found[0].ends_with("`desk.stage` was cleared at 6"), "{}", found[0]);
}

#[test]
fn a_prompt_cuts_after_a_hundred_characters_and_a_response_does_not() {
    for (length, is_cut) in [(99, false), (100, false), (101, true), (201, true)] {
        let session = session([
            write("desk.note", text(length)),
            model(),
            says(MessageSource::Template, None, Some("utter_note")),
        ]);
        let found = lines(&session, FoundKind::CutValue);
        assert_eq!(!found.is_empty(), is_cut, "{length}: {found:?}");
        let prompt = session.prompt(Position(4)).expect("there is a folder").text();
        assert_eq!(prompt.contains("... [truncated]"), is_cut, "{length}");
        if is_cut {
            assert!(
                found[0].contains(&format!("the first 100 of the {length} characters of `desk.note`")),
                "{}",
                found[0]
            );
            assert!(found[0].contains("tools and responses get all (M262)"));
        }
        let spoken = replay_store::session::response::speak(
            session.agent.as_deref().expect("there is a folder"),
            Profile::Seed,
            &session.state(session.end()),
            "utter_note",
        );
        assert_eq!(spoken.text.chars().filter(|c| *c == 'ł').count(), length);
    }
}

#[test]
fn a_prompt_over_its_budget_is_told_with_the_estimate() {
    let result = |length: usize| match tool(ToolOutcome::Done, None) {
        EventKind::ToolReturned {
            tool, arguments, outcome, error, caller, skill, call_id, batch_id, source, ..
        } => {
            let result = "r".repeat(length);
            EventKind::ToolReturned {
                tool,
                arguments,
                result,
                outcome,
                error,
                caller,
                skill,
                call_id,
                batch_id,
                source,
            }
        }
        other => other,
    };
    let large = session([result(40_000), model(), user(), model()]);
    let tokens = |at: u64| {
        let prompt = large.prompt(Position(at)).expect("there is a folder");
        size(large.agent.as_deref().expect("there is a folder"), &prompt).estimated_tokens
    };
    let expected = format!(
        "2@4: a prompt has about {} tokens, an estimate at 4 characters each, more than its budget of 8000 (the engine's own): \
         what the engine cuts first is not documented (M269)",
        tokens(4)
    );
    assert_eq!(lines(&large, FoundKind::OverBudget), [expected]);
    assert!(tokens(4) > 10_000);
    assert_eq!(lines(&session([result(10_000), model()]), FoundKind::OverBudget), Vec::<String>::new());
    let mut files = agent();
    let budget = "agent:\n  id: desk\norchestrator: {max_prompt_tokens: 50}\n";
    files.files.insert("agent.yml".into(), Arc::from(budget.as_bytes()));
    let recording = Recording { events: events([model()]), ..Recording::default() };
    let small = Session::open(recording, Some(Arc::new(files)), None);
    assert!(lines(&small, FoundKind::OverBudget)[0].contains("more than its budget of 50 (agent.yml:3)"));
}

/// Where the bound is within the budget, no prompt is made.
#[test]
fn no_prompt_is_larger_than_what_bounds_it() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    for (name, folder) in [
        ("library-fees.jsonl", "harbour-library"),
        ("library-renewal.json", "harbour-library"),
        ("bikes-gate.json", "kitebird-bikes"),
    ] {
        let bytes = std::fs::read(samples.join("sessions").join(name)).expect("the sample is there");
        let recording = import::read(Arc::new(bytes), name).expect("it reads").remove(0);
        let folder = replay_store::agent::source::read(&samples.join("agents").join(folder)).expect("it reads").0;
        let session = Session::open(recording, Some(Arc::new(folder)), None);
        let agent = session.agent.as_deref().expect("there is a folder");
        for at in (0..=session.end().0).map(Position) {
            let prompt = session.prompt(at).expect("there is a folder");
            let state = session.state(at);
            let bound = Bound::of(agent, state.stack.iter().map(|frame| &frame.skill));
            let most = bound.in_state(&state) + history_at_most(session.events_in(..=at));
            let size = size(agent, &prompt).characters;
            assert!(size <= most && most < size + 25_000, "{name} at {at}: {size} of at most {most}");
        }
    }
}

#[test]
fn what_comes_about_again_and_again_is_one_finding() {
    let round = |length: usize| {
        let stage = || write("desk.stage", Value::Text("new".to_owned()));
        [write("desk.note", text(length)), stage(), model(), clear("desk.note"), clear("desk.stage"), model()]
    };
    let session = session([round(101), round(102), round(103)].concat());
    for (kind, first) in [
        (FoundKind::CutValue, "3@5: the model gets the first 100 of the 101 characters"),
        (FoundKind::GateClosed, "3@8: `session.desk.stage == 'new'`"),
        (FoundKind::EmptyRead, "3@8: `desk.note` gave None"),
    ] {
        let found = lines(&session, kind);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(first), "{found:?}");
    }
}

#[test]
fn a_token_and_a_placeholder_that_give_nothing_are_told_apart() {
    let session = session([model(), says(MessageSource::Template, None, Some("utter_note"))]);
    let found = lines(&session, FoundKind::EmptyRead);
    assert!(found.iter().any(|line| line.contains("the model gets the token as it is written: never written")));
    assert!(found.iter().any(|line| line.contains("the user gets the placeholder as it is written")), "{found:?}");
}

#[test]
fn bare_yes_and_no_in_enum_values_are_bools_that_no_text_equals() {
    let yes = || write("desk.answer", Value::Text("yes".to_owned()));
    let found = of(&session([yes(), model(), yes()]), FoundKind::OutsideEnum).remove(0);
    assert_eq!(found.count, 2);
    assert_eq!(found.text, "`desk.answer` holds \"yes\", none of its enum_values: true, false");
    assert!(found.advice.contains("in quotes"), "{}", found.advice);
    assert!(of(&session([write("desk.answer", Value::Bool(true))]), FoundKind::OutsideEnum).is_empty());
}

#[test]
fn what_failed_or_was_refused_is_counted_and_ranked() {
    let refused = EventKind::MemoryWriteRefused {
        asked: "tier".into(),
        key: Some("project.tier".into()),
        value: Arc::new(text(1)),
        writer: Writer { skill: Some("desk".into()), ..Writer::only(Actor::Tool) },
        refusal: WriteRefusal::ProjectMemoryAlreadySetError,
        rule: Rule::ProjectWrittenOnce,
    };
    let tier = |length| write("project.tier", text(length));
    let session = session([
        tool(ToolOutcome::Failed, Some("no such person")),
        tool(ToolOutcome::Failed, Some("no such person")),
        tool(ToolOutcome::Failed, Some("ProjectMemoryAlreadySetError: project.tier is already set")),
        tool(ToolOutcome::Failed, Some("Tool 'find' is not available right now.")),
        tool(ToolOutcome::Declined, None),
        tier(2),
        refused,
        says(MessageSource::Template, None, Some("utter_model_call_error")),
        EventKind::MemoryWritten {
            key: "desk.note".into(),
            value: Arc::new(text(1)),
            writer: Writer::only(Actor::Unknown),
        },
    ]);
    assert_eq!(lines(&session, FoundKind::FailedTool), ["2@4: find failed: no such person"]);
    let refused = lines(&session, FoundKind::RefusedWrite);
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(
        refused.iter().any(|line| line.starts_with("1@10: a write of `project.tier` by a tool in desk was refused"))
    );
    assert_eq!(lines(&session, FoundKind::RefusedTool).len(), 1);
    assert_eq!(lines(&session, FoundKind::DeclinedTool).len(), 1);
    assert_eq!(lines(&session, FoundKind::FailedCall).len(), 1);
    assert_eq!(lines(&session, FoundKind::UnknownWriter).len(), 1);
    let severities: Vec<Severity> = findings(&session).iter().map(|found| found.severity).collect();
    assert!(severities.is_sorted(), "{severities:?}");
    assert_eq!(findings(&session)[0].kind, FoundKind::FailedCall);
}

#[test]
fn a_scan_in_slices_of_any_size_finds_the_same() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let folder = replay_store::agent::source::read(&samples.join("agents/harbour-library")).expect("it reads").0;
    let folder = Arc::new(folder);
    for sample in ["library-fees.jsonl", "library-renewal.json", "library-cut.json"] {
        let bytes = std::fs::read(samples.join("sessions").join(sample)).expect("the sample is there");
        let recording = import::read(Arc::new(bytes), sample).expect("it reads").remove(0);
        let session = Session::open(recording, Some(Arc::clone(&folder)), None);
        let whole = findings(&session);
        for budget in [1, 7, 30] {
            let mut scan = Scan::new(&session);
            let mut before = scan.progress();
            while !before.is_done() {
                let progress = scan.step(&session, budget);
                assert!(before.done < progress.done && progress.done <= progress.of);
                before = progress;
            }
            assert_eq!(scan.found(&session), whole, "{sample} in slices of {budget}");
        }
    }
}

#[test]
fn a_step_without_a_folder_tells_what_the_record_tells() {
    let recording = Recording {
        id: "s".into(),
        events: vec![
            Event {
                time: Timestamp(0),
                turn: Some(1),
                cause: None,
                origin: Origin::Added,
                kind: write("project.tier", text(1)),
            };
            1
        ],
        ..Recording::default()
    };
    let session = Session::open(recording, None, None);
    let found = decisions(&session, session.end());
    let verdicts: Vec<Verdict> = found.iter().map(|one| one.verdict).collect();
    assert_eq!(verdicts, [Verdict::Allowed, Verdict::Locked]);
    assert_eq!(decisions(&session, Position(0)), []);
}
