//! Recomputed equals recorded: what was called was offered, what started might start, what was said is the folder's, and
//! where not, a finding says so.

use std::sync::Arc;

use replay_store::agent::definition::Definition;
use replay_store::event::finding::FindingKind;
use replay_store::event::{
    Activation, Actor, Event, EventKind, MessageSource, Origin, ToolCaller, ToolOutcome, ToolSource, Writer,
};
use replay_store::import::Recording;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::replay::agreement::{Agreement, Tally, Walk};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

use crate::corpus_sessions::open_all;

const HOLD: &str = "---\nname: Hold\ndescription: Holds a parcel\nrequires: session.project.verified\n\
                    tool_constraints:\n  - release:\n      requires: session.hold.day\n---\nHelp with @tool.release.\n";
const FILES: [(&str, &str); 7] = [
    ("agent.yml", "agent: {persona: You answer for Parcel Desk.}\n"),
    ("memory.yml", "verified: {type: bool}\n"),
    ("skills/hold/skill.md", HOLD),
    ("skills/hold/memory.yml", "schema: {public: {day: {type: text}}}\n"),
    ("skills/prices/skill.md", "---\nname: Prices\ndescription: Quotes\n---\nQuote.\n"),
    ("skills/gone/skill.md", "---\nname: Gone\ndescription: Is no more\ndisabled: true\n---\nNothing.\n"),
    ("responses.yml", "responses:\n  utter_held:\n    - text: Held until {day}.\n"),
];

fn session(events: impl IntoIterator<Item = EventKind>) -> Session {
    let files = FILES.map(|(path, text)| (Name::from(path), Arc::from(text.as_bytes())));
    let definition = Definition { files: files.into_iter().collect() };
    let start = EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() };
    let event = |kind| Event { time: Timestamp(0), turn: Some(1), cause: None, origin: Origin::Added, kind };
    let events = [start].into_iter().chain(events).map(event).collect();
    Session::open(Recording { events, ..Recording::default() }, Some(Arc::new(definition)), Some(Profile::Seed))
}

fn write(key: &str, value: Value) -> EventKind {
    let writer = Writer { tool: Some("load".into()), ..Writer::only(Actor::Engine) };
    EventKind::MemoryWritten { key: key.into(), value: Arc::new(value), writer }
}

fn verified() -> EventKind {
    write("project.verified", Value::Bool(true))
}

fn start(skill: &str, by: Activation) -> EventKind {
    EventKind::SkillActivated { skill: skill.into(), by }
}

/// The model calls a tool, in a reply of its own.
fn call(tool: &str, arguments: &str, outcome: ToolOutcome, number: u32) -> EventKind {
    EventKind::ToolReturned {
        tool: tool.into(),
        arguments: arguments.to_owned(),
        result: "done".to_owned(),
        outcome,
        error: None,
        caller: ToolCaller::Model,
        skill: Some("hold".into()),
        call_id: Some("c".into()),
        batch_id: Some(format!("{number}-c").into()),
        source: ToolSource::Local,
    }
}

fn say(response: &str, text: &str) -> EventKind {
    EventKind::AgentMessage {
        text: text.to_owned(),
        source: MessageSource::Template,
        response: Some(response.into()),
        model_millis: None,
        data: Arc::default(),
    }
}

/// Prints `calls 1/0/0` and the like: agreeing, contradicting, unknown.
fn print(agreement: &Agreement) -> String {
    let print =
        |name: &str, tally: Tally| format!("{name} {}/{}/{}", tally.agreeing, tally.contradicting, tally.unknown);
    let Agreement { calls, activations, replies, contradictions: _ } = agreement;
    [print("calls", *calls), print("activations", *activations), print("replies", *replies)].join(", ")
}

fn check(events: impl IntoIterator<Item = EventKind>, expected: &str, expected_findings: &[(FindingKind, &str)]) {
    let session = session(events);
    let agreement = session.agreement().expect("there is a folder");
    assert_eq!(print(&agreement), expected);
    let findings: Vec<_> = agreement.contradictions.iter().map(|one| one.finding()).collect();
    let found: Vec<_> = findings.iter().map(|finding| (finding.kind, finding.text.as_str())).collect();
    assert_eq!(found, expected_findings);
    assert_eq!(session.contradictions(), agreement.contradictions);
}

#[test]
fn a_tool_whose_gate_was_closed_was_not_offered() {
    let active = || [verified(), start("hold", Activation::Engine)];
    let called = |number| call("release", "{}", ToolOutcome::Done, number);
    let text = "at position 4, the model called `release`, which by the agent folder was not offered at call 1 of turn 1: \
                requires session.hold.day: never written (2 times, this is the first)";
    check(
        active().into_iter().chain([called(1), called(2)]),
        "calls 0/2/0, activations 1/0/0, replies 0/0/0",
        &[(FindingKind::NotOffered, text)],
    );
    let day = write("hold.day", Value::Text("monday".to_owned()));
    check(active().into_iter().chain([day, called(1)]), "calls 1/0/0, activations 1/0/0, replies 0/0/0", &[]);
}

#[test]
fn slices_of_any_size_come_to_the_same() {
    let events = || {
        let called = |number| call("release", "{}", ToolOutcome::Done, number);
        [
            verified(),
            start("hold", Activation::Model),
            called(1),
            start("gone", Activation::Model),
            called(2),
            called(2),
        ]
    };
    let session = session(events());
    let whole = session.agreement().expect("there is a folder");
    assert!(whole.contradictions.len() > 1, "{whole:?}");
    for budget in 1..5 {
        let mut walk = Walk::new(&session);
        let mut done = 0;
        while !walk.step(&session, budget).is_done() {
            assert_eq!(walk.progress().done, done + budget);
            done += budget;
        }
        assert_eq!(walk.into_agreement(), whole);
    }
}

#[test]
fn a_call_that_was_refused_or_of_what_the_folder_lacks_contradicts_nothing() {
    let refused = call("release", "{}", ToolOutcome::Failed, 1);
    let unheard_of = call("weigh", "{}", ToolOutcome::Done, 2);
    let elsewhere = call("activate", "{\"skill_id\": \"tickets\"}", ToolOutcome::Done, 3);
    check(
        [verified(), start("hold", Activation::Engine), refused, unheard_of, elsewhere],
        "calls 1/0/2, activations 1/0/0, replies 0/0/0",
        &[],
    );
}

#[test]
fn all_calls_of_one_reply_were_offered_before_the_first_of_them() {
    let events = |first: u32, second: u32| {
        let day = write("hold.day", Value::Text("monday".to_owned()));
        let set = call("set_fields", "{}", ToolOutcome::Failed, first);
        [verified(), start("hold", Activation::Engine), set, day, call("release", "{}", ToolOutcome::Done, second)]
    };
    assert_eq!(session(events(1, 2)).contradictions(), []);
    let found = session(events(1, 1)).contradictions();
    assert_eq!(found.iter().map(|one| (one.kind, one.first.0)).collect::<Vec<_>>(), [(FindingKind::NotOffered, 6)]);
}

#[test]
fn a_skill_whose_condition_was_false_might_not_start() {
    let text = "at position 2, `hold` started, which by the agent folder it might not: ";
    for by in [Activation::Model, Activation::Reference, Activation::Step, Activation::Unknown] {
        let found = session([start("hold", by)]).contradictions();
        let [found] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((found.kind, &*found.name, found.count), (FindingKind::NotStartable, "hold", 1));
        assert!(found.finding().text.starts_with(text), "{}", found.finding().text);
        assert!(found.finding().text.ends_with(", see skills/hold/skill.md:4"), "{}", found.finding().text);
        check([verified(), start("hold", by)], "calls 0/0/0, activations 1/0/0, replies 0/0/0", &[]);
    }
    check([start("hold", Activation::Engine)], "calls 0/0/0, activations 1/0/0, replies 0/0/0", &[]);
    check([start("nowhere", Activation::Model)], "calls 0/0/0, activations 0/0/1, replies 0/0/0", &[]);
    assert_eq!(session([start("gone", Activation::Unknown)]).contradictions().len(), 1);
}

#[test]
fn a_reply_in_other_words_than_the_folders_is_quoted_where_it_differs() {
    let active =
        || [verified(), start("hold", Activation::Engine), write("hold.day", Value::Text("monday".to_owned()))];
    let said = |text| active().into_iter().chain([say("utter_held", text)]);
    check(said("Held until monday."), "calls 0/0/0, activations 1/0/0, replies 1/0/0", &[]);
    let text = "at position 5, `utter_held` was said in other words than the agent folder gives: “Held until sunday.” \
                instead of “Held until monday.”";
    check(
        said("Held until sunday."),
        "calls 0/0/0, activations 1/0/0, replies 0/1/0",
        &[(FindingKind::OtherWords, text)],
    );
    let foreign = [say("utter_unknown", "?"), say("utter_model_call_error", "Sorry.")];
    check(foreign, "calls 0/0/0, activations 0/0/0, replies 0/0/2", &[]);
}

#[test]
fn without_a_folder_nothing_is_claimed() {
    let session = Session::open(Recording::default(), None, None);
    assert_eq!((session.agreement(), session.contradictions()), (None, Vec::new()));
}

/// The helpdesk's folder is here in part: its one other skill and its responses are missing.
#[test]
fn recomputed_equals_recorded_on_the_real_dumps() {
    let expected = [
        "calls 8/0/0, activations 2/0/0, replies 3/0/0",
        "calls 0/0/1, activations 1/0/1, replies 0/0/2",
        "calls 7/0/0, activations 4/0/0, replies 1/0/0",
        "calls 8/0/0, activations 4/0/0, replies 1/0/0",
        "calls 5/0/1, activations 3/0/0, replies 1/0/0",
    ];
    for ((dump, session), expected) in open_all().into_iter().zip(expected) {
        let agreement = session.agreement().expect("the folder was read");
        assert_eq!(agreement.contradictions, [], "{dump}");
        assert_eq!(print(&agreement), expected, "{dump}");
    }
}
