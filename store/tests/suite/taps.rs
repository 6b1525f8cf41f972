//! What came of tapped buttons, and what must be known of a recomputed prompt.

use std::sync::Arc;

use replay_store::agent::definition::Definition;
use replay_store::event::finding::FindingKind;
use replay_store::event::{
    Activation, Actor, Event, EventKind, MessageSource, Origin, Position, ToolCaller, ToolOutcome, ToolSource, Writer,
};
use replay_store::import::Recording;
use replay_store::name::{DISCOVERED, Name};
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

const FILES: [(&str, &str); 4] = [
    ("agent.yml", "agent: {persona: You answer for Parcel Desk.}\norchestrator: {model_group: main}\n"),
    ("memory.yml", "verified: {type: bool}\n"),
    ("skills/hold/skill.md", "---\nname: Hold\ndescription: Holds a parcel\n---\nHelp.\n"),
    (
        "skills/hold/memory.yml",
        "schema: {public: {day: {type: categorical, enum_values: [friday], llm_settable: true, description: d}}}\n",
    ),
];
const FRIDAY: &str = "set:session.hold.day=friday";

fn open(files: &[(&str, &str)], profile: Profile, kinds: Vec<EventKind>) -> Session {
    let files: Vec<_> = files.iter().map(|(path, text)| (Name::from(*path), Arc::from(text.as_bytes()))).collect();
    let definition = (!files.is_empty()).then(|| Arc::new(Definition { files: files.into_iter().collect() }));
    let start = EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() };
    let event = |kind| Event { time: Timestamp(0), turn: Some(1), cause: None, origin: Origin::Added, kind };
    let events = [start].into_iter().chain(kinds).map(event).collect();
    Session::open(Recording { events, ..Recording::default() }, definition, Some(profile))
}

fn active() -> EventKind {
    EventKind::SkillActivated { skill: "hold".into(), by: Activation::Engine }
}

/// The agent says something with buttons.
fn ask(payloads: &[&str]) -> EventKind {
    let button = |payload: &&str| format!("{{\"title\":\"b\",\"payload\":\"{payload}\"}}");
    let buttons = payloads.iter().map(button).collect::<Vec<_>>().join(",");
    let data = Value::from_json(&format!("{{\"buttons\":[{buttons}]}}")).expect("it is JSON");
    EventKind::AgentMessage {
        text: "Which day?".to_owned(),
        source: MessageSource::Unknown,
        response: None,
        model_millis: None,
        data: Arc::new(data),
    }
}

fn user(text: &str) -> EventKind {
    EventKind::UserMessage { text: text.to_owned(), channel: None, message_id: None }
}

fn write(key: &str, json: &str) -> EventKind {
    let value = Arc::new(Value::from_json(json).expect("it is JSON"));
    EventKind::MemoryWritten { key: key.into(), value, writer: Writer::only(Actor::Unknown) }
}

fn call(tool: &str, number: u32) -> EventKind {
    EventKind::ToolReturned {
        tool: tool.into(),
        arguments: "{}".to_owned(),
        result: "done".to_owned(),
        outcome: ToolOutcome::Done,
        error: None,
        caller: ToolCaller::Model,
        skill: Some("hold".into()),
        call_id: Some("c".into()),
        batch_id: Some(format!("{number}-c").into()),
        source: ToolSource::Local,
    }
}

/// Compares what came of the last tap, with the folder and without it, and whether it is a finding.
fn check(kinds: Vec<EventKind>, with_folder: &str, without: &str) {
    let place = 1 + kinds.iter().rposition(|kind| matches!(kind, EventKind::UserMessage { .. })).expect("a tap");
    let at = Position(place as u64 + 1);
    let of = |files: &[(&str, &str)]| open(files, Profile::Mantle321, kinds.clone());
    let said = |session: &Session| session.tap(at).expect("it is a tap").words();
    assert_eq!(said(&of(&FILES)), with_folder);
    assert_eq!(said(&of(&[])), without);
    let found = of(&FILES).contradictions();
    let taps = found.iter().filter(|one| one.kind == FindingKind::SkippedTap).count();
    assert_eq!(taps, usize::from(with_folder.ends_with("(M234)")), "{found:?}");
}

#[test]
fn a_tap_that_wrote_nothing_says_why() {
    // M233, M234
    let unknown = "wrote nothing; the record does not say why";
    let stored = "wrote its entry at position 5";
    let written = write("hold.day", "\"friday\"");
    check(vec![active(), ask(&[FRIDAY]), user(FRIDAY), written.clone()], stored, stored);
    check(vec![active(), ask(&[FRIDAY]), user(FRIDAY), EventKind::TurnEnded, written], unknown, unknown);
    let other = "wrote nothing: it is not on the latest agent message, whose buttons send `set:session.hold.day=monday` \
                 (M234)";
    check(vec![active(), ask(&[FRIDAY]), ask(&["set:session.hold.day=monday"]), user(FRIDAY)], other, other);
    let gone = "wrote nothing: the latest agent message has no such button in the record (M234)";
    check(vec![active(), ask(&[FRIDAY]), ask(&[]), user(FRIDAY)], gone, gone);
    let malformed = "wrote nothing: its payload is not of the form `set:session.<skill>.<entry>=<value>` (M234)";
    check(vec![active(), ask(&["set:day"]), user("set:day")], malformed, malformed);
    let idle = "wrote nothing: no skill was active (M234)";
    check(vec![ask(&[FRIDAY]), user(FRIDAY)], idle, idle);
    assert_eq!(open(&FILES, Profile::Mantle321, vec![user("friday")]).tap(Position(2)), None);
    assert_eq!(open(&FILES, Profile::Mantle321, vec![user(FRIDAY)]).tap(Position(0)), None);
}

#[test]
fn a_tap_that_the_rules_refuse_names_the_rule_where_a_folder_tells() {
    // M234
    let sunday = "set:session.hold.day=sunday";
    let session = |files| open(files, Profile::Mantle321, vec![active(), ask(&[sunday]), user(sunday)]);
    let said = |files| session(files).tap(Position(4)).expect("it is a tap").words();
    let with_folder = said(&FILES);
    assert!(
        with_folder.starts_with("wrote nothing: ") && with_folder.contains("skills/hold/memory.yml:1"),
        "{with_folder}"
    );
    assert_eq!(said(&[]), "wrote nothing; the record does not say why");
    assert_eq!(session(&FILES).contradictions()[0].kind, FindingKind::SkippedTap);
}

/// Returns the rules of the notes on the prompt of the last call.
fn notes(session: &Session) -> Vec<&'static str> {
    let call = session.turns.last().and_then(|turn| turn.calls.last()).expect("the model was called");
    let prompt = session.prompt_of(call).expect("there is a folder");
    session.notes(call.before, Some(call), &prompt).into_iter().map(|note| note.rule).collect()
}

#[test]
fn a_prompt_near_its_budget_says_that_it_may_have_been_cut() {
    // M269
    let of = |budget: Option<u64>| {
        let settings = budget.map_or(String::new(), |tokens| format!(", max_prompt_tokens: {tokens}"));
        let settings = format!("agent: {{persona: p}}\norchestrator: {{model_group: main{settings}}}\n");
        let mut files = FILES;
        files[0].1 = &settings;
        let session = open(&files, Profile::Mantle321, vec![user("hello"), call("activate", 1)]);
        let prompt = session.prompt(Position(2)).expect("there is a folder");
        let agent = session.agent.as_deref().expect("there is a folder");
        let size = replay_store::prompt::size::size(agent, &prompt);
        (size.estimated_tokens, size.fit.word(), notes(&session))
    };
    let (tokens, fit, said) = of(None);
    assert!(tokens > 100 && tokens < 2000, "{tokens}");
    assert_eq!((fit, said), ("within", vec![]));
    assert_eq!(of(Some(tokens - 1)), (tokens, "over", vec!["M269"]));
    assert_eq!(of(Some(tokens)), (tokens, "near", vec!["M269"]));
    assert_eq!(of(Some(tokens * 2)), (tokens, "within", vec![]));
}

#[test]
fn a_call_of_set_fields_right_after_an_activation_may_be_the_engines_own() {
    // M65
    let session = |kinds| open(&FILES, Profile::Mantle321, kinds);
    let filled = [user("hold it until friday"), call("activate", 1), active(), call("set_fields", 2)];
    assert_eq!(notes(&session(filled.to_vec())), ["M65"]);
    assert_eq!(notes(&session(filled[..3].to_vec())), [] as [&str; 0]);
    let later = [filled.as_slice(), &[call("set_fields", 3)]].concat();
    assert_eq!(notes(&session(later)), [] as [&str; 0]);
}

#[test]
fn facts_found_in_the_background_are_told_with_what_is_unknown() {
    // M64 and row P20 of the profile table
    let kinds = vec![user("hello"), write(DISCOVERED, "[]"), call("activate", 1)];
    for (profile, told) in [(Profile::Seed, "not recorded"), (Profile::Mantle321, "--profile seed")] {
        let session = open(&FILES, profile, kinds.clone());
        let call = &session.turns[0].calls[0];
        let at = session.end();
        let prompt = session.prompt(at).expect("there is a folder");
        let notes = session.notes(at, Some(call), &prompt);
        assert!(notes.iter().any(|note| note.rule == "M64" && note.text.contains(told)), "{profile}: {notes:?}");
        let line = session.headline(Position(3)).expect("an event");
        assert!(line.text.ends_with("found by a call in the background"), "{}", line.text);
    }
}

#[test]
fn what_no_record_holds_is_made_again_from_the_folder() {
    // M312
    let kinds = || vec![active(), user("hold it")];
    let given = open(&FILES, Profile::Seed, kinds());
    let prompt = given.prompt(given.end()).expect("the folder is at hand");
    assert!(prompt.text().contains("## Active Skill: Hold"), "{}", prompt.text());
    let without = open(&[], Profile::Seed, kinds());
    assert_eq!(without.prompt(without.end()), None, "the record alone doesn't tell");
}
