//! The recorder: what a host brings is decided by the rules, appended, and the same for everybody who reads the log.

use std::path::PathBuf;
use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::event::{EventKind, Position, ReadGave, RequestedCall};
use replay_store::log::{Durability, EventLog, Options};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::recorder::{Begin, Conversation, RecordError};
use replay_store::replay::Session;
use replay_store::replay::archive::{REQUESTS_KEPT, Request, Terms, load};
use replay_store::replay::outline::new_fold;
use replay_store::rule::Rule;
use replay_store::session::decide::{Answer, Command};
use replay_store::session::{State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

use crate::explain::given::DESK;

const NOW: Timestamp = Timestamp(1_000_000);

fn agent(files: &[(&str, &str)], profile: Profile) -> Arc<Agent> {
    let mut definition = Definition::default();
    for (path, text) in files {
        definition.files.insert(Name::from(*path), Arc::from(text.as_bytes()));
    }
    Arc::new(Agent::load(Arc::new(definition), Some(profile)))
}

/// A log in a folder of its own.
struct Place {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("session.log");
        Place { _folder: folder, path }
    }

    fn create(&self) -> EventLog {
        EventLog::create(&self.path, &options()).expect("the place is empty")
    }
}

fn options() -> Options {
    Options { new_fold: Some(new_fold), id: [3; 16] }
}

fn begin(metadata: &[(&str, &str)]) -> Begin {
    let metadata = metadata.iter().map(|(name, json)| (Name::from(*name), value(json))).collect();
    Begin { session: "desk".into(), agent: agent(DESK, Profile::Seed), profile: None, metadata }
}

fn value(json: &str) -> Value {
    Value::from_json(json).expect("the test's JSON is valid")
}

fn hear(text: &str) -> Command {
    Command::HearUser { text: text.to_owned(), channel: None, message_id: None }
}

fn call(tool: &str, arguments: &str) -> RequestedCall {
    RequestedCall { tool: tool.into(), arguments: arguments.to_owned(), call_id: Some(Name::from(format!("c-{tool}"))) }
}

/// The model is called, and asks for this.
fn model(conversation: &mut Conversation<'_>, wanted: &RequestedCall) -> (Option<String>, bool) {
    conversation.begin_call(NOW).expect("nothing runs");
    conversation.reply("", vec![wanted.clone()], Some(5.0), NOW).expect("a call was begun");
    let answer = conversation.call(wanted.clone(), NOW).expect("it makes sense");
    (answer.result, answer.is_refused)
}

fn kinds(conversation: &Conversation<'_>, behind: u64) -> Vec<&'static str> {
    conversation.events_after(Position(behind)).iter().map(|event| event.kind.tag()).collect()
}

#[test]
fn what_is_recorded_is_what_everybody_reads() {
    let place = Place::new();
    let log = place.create();
    let mut conversation = Conversation::start(&log, begin(&[]), NOW).expect("the log is empty");
    conversation.apply(hear("Where is it?"), NOW).expect("nothing runs");
    assert_eq!(
        model(&mut conversation, &call("activate", r#"{"target_id":"track"}"#)),
        (Some("activate: done".into()), false)
    );
    assert_eq!(model(&mut conversation, &call("find_parcel", "{}")), (None, false), "the host runs it");
    let (tool, id) = (Name::from("find_parcel"), Name::from("c-find_parcel"));
    let read = conversation.get(&tool, Some(&id), "pay.card", NOW).expect("it runs");
    assert_eq!((read.value(), read.rule), (None, Rule::OwnAndProject));
    assert_eq!(conversation.set(&tool, Some(&id), ("parcel", value("\"P\"")), NOW).expect("it runs"), None);
    let refused = conversation.set(&tool, Some(&id), ("pay.amount", value("1")), NOW).expect("it runs");
    assert!(refused.is_some_and(|why| why.starts_with("MemoryWriteError: pay.amount")), "another skill's");
    conversation.return_tool(&tool, Some(&id), Ok("{}".into()), NOW).expect("it runs");
    conversation.apply(Command::EndTurn, NOW).expect("nothing runs");
    let (state, end) = (conversation.state().clone(), conversation.state().position);
    assert_eq!(state.value("track.parcel"), Some(&value("\"P\"")));
    drop(conversation);
    log.close().expect("there is room");

    let log = EventLog::open(&place.path, &options()).expect("it was closed");
    let recording = load(&log.log().expect("it can be read"), "desk").expect("it is there");
    let mut folded = State::default();
    recording.events.iter().for_each(|event| evolve(&mut folded, event));
    assert_eq!(folded, state, "the fold of the log is the state that was answered from");
    let session = Session::open(recording, None, None);
    assert_eq!(session.end(), end);
    assert_eq!(session.turn(1).map(|turn| turn.calls.len()), Some(2), "each prompt is a call");
    let gave = session.events_in(..=end).find_map(|(_, event)| match &event.kind {
        EventKind::ReadDecided { gave, .. } => Some(*gave),
        _ => None,
    });
    assert_eq!(gave, Some(ReadGave::Private));
}

#[test]
fn a_prompt_that_is_rendered_again_has_the_digest_that_was_recorded() {
    let place = Place::new();
    let log = place.create();
    let mut conversation = Conversation::start(&log, begin(&[]), NOW).expect("the log is empty");
    conversation.apply(hear("x"), NOW).expect("nothing runs");
    model(&mut conversation, &call("activate", r#"{"target_id":"track"}"#));
    model(&mut conversation, &call("set_fields", r#"{"kind":"new"}"#));
    let session = Session::open(load(&log.log().expect("it can be read"), "desk").expect("it is there"), None, None);
    let mut compared = 0;
    for (at, event) in session.events_in(..=session.end()) {
        let EventKind::PromptRendered { digest, tools } = &event.kind else { continue };
        let prompt = session.prompt(Position(at.0 - 1)).expect("the folder is in the log");
        assert_eq!((prompt.digest(), prompt.offered()), (*digest, tools.clone()), "at {at}");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn seeding_takes_what_is_marked_and_a_refusal_is_an_event() {
    let seeded: Vec<(&str, &str)> = DESK
        .iter()
        .map(|(path, text)| {
            (
                *path,
                if *path == "memory.yml" { "customer: {type: text, seed: true}\nnote: {type: text}\n" } else { text },
            )
        })
        .collect();
    let place = Place::new();
    let log = place.create();
    let begin = Begin {
        metadata: vec![
            ("customer".into(), value("\"C\"")),
            ("note".into(), value("\"n\"")),
            ("other".into(), value("1")),
        ],
        agent: agent(&seeded, Profile::Seed),
        ..begin(&[])
    };
    let conversation = Conversation::start(&log, begin, NOW).expect("the log is empty");
    assert_eq!(conversation.state().value("project.customer"), Some(&value("\"C\"")));
    assert_eq!(conversation.state().value("project.note"), None);
    let refused = conversation.events_after(Position(0)).iter().filter_map(|event| match &event.kind {
        EventKind::MemoryWriteRefused { asked, rule, .. } => Some((asked.as_str(), rule.number())),
        _ => None,
    });
    assert_eq!(refused.collect::<Vec<_>>(), [("note", "M60")], "`other` is the channel's own");
}

#[test]
fn a_command_that_makes_no_sense_changes_nothing() {
    let place = Place::new();
    let log = place.create();
    let mut conversation = Conversation::start(&log, begin(&[]), NOW).expect("the log is empty");
    conversation.apply(hear("x"), NOW).expect("nothing runs");
    let at = conversation.state().position;
    let tool = Name::from("find_parcel");
    let refusals: [(&str, Result<(), RecordError>); 5] = [
        ("no model call was begun", conversation.reply("Hello.", Vec::new(), None, NOW).map(drop)),
        ("no call of \"find_parcel\" runs", conversation.get(&tool, None, "x", NOW).map(drop)),
        ("no call of \"find_parcel\" runs", conversation.return_tool(&tool, None, Ok(String::new()), NOW).map(drop)),
        ("no tool call waits", conversation.apply(Command::AnswerConfirmation(Answer::Yes), NOW).map(drop)),
        ("is in the log already", Conversation::start(&log, begin(&[]), NOW).map(drop)),
    ];
    for (words, result) in refusals {
        let error = result.expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(conversation.state().position, at);
    conversation.begin_call(NOW).expect("nothing runs");
    assert!(matches!(conversation.begin_call(NOW), Err(RecordError::CallOpen)));
    conversation.reply("", Vec::new(), None, NOW).expect("a call was begun");
    model(&mut conversation, &call("activate", r#"{"target_id":"track"}"#));
    model(&mut conversation, &call("find_parcel", "{}"));
    for command in [hear("y"), Command::EndTurn, Command::EndSession] {
        assert!(matches!(conversation.apply(command, NOW), Err(RecordError::ToolRuns { .. })));
    }
    assert!(matches!(conversation.begin_call(NOW), Err(RecordError::ToolRuns { .. })));
    conversation.apply(Command::CancelTurn, NOW).expect("that is always possible");
    assert!(conversation.running().is_empty(), "what ran leaves nothing (M365)");
    conversation.apply(Command::EndSession, NOW).expect("nothing runs");
    assert!(matches!(conversation.apply(hear("z"), NOW), Err(RecordError::Command(_))));
}

#[test]
fn a_framework_tool_that_is_withheld_or_misused_fails_and_says_why() {
    let place = Place::new();
    let log = place.create();
    let mut conversation = Conversation::start(&log, begin(&[]), NOW).expect("the log is empty");
    conversation.apply(hear("x"), NOW).expect("nothing runs");
    for (tool, arguments, words) in [
        ("complete_skill", "{}", "complete_skill is not offered: no skill is active"),
        ("activate", r#"{"target_id":"pay"}"#, "pay can't be started"),
        ("activate", "{}", "activate needs `target_id`"),
        ("activate", "[", "activate needs `target_id`"),
    ] {
        let (result, refused) = model(&mut conversation, &call(tool, arguments));
        assert!(refused && result.as_deref().is_some_and(|result| result.contains(words)), "{tool}: {result:?}");
        assert_eq!(kinds(&conversation, conversation.state().position.0 - 1), ["tool_returned"]);
    }
    model(&mut conversation, &call("activate", r#"{"target_id":"track"}"#));
    let (result, refused) = model(&mut conversation, &call("set_fields", "{}"));
    assert_eq!((result.as_deref(), refused), (Some("No fields provided to set_fields."), true));
    let (result, refused) = model(&mut conversation, &call("set_fields", r#"{"kind":"new","parcel":"P"}"#));
    let result = result.expect("the model gets it");
    assert!(refused && result.contains("kind: set to new") && result.contains("parcel: tool_error"), "{result}");
    assert_eq!(conversation.state().value("track.kind"), Some(&value("\"new\"")), "the one that may be set is");
}

#[test]
fn a_session_is_gone_on_with_where_the_log_ends() {
    let place = Place::new();
    let log = place.create();
    let mut conversation = Conversation::start(&log, begin(&[]), NOW).expect("the log is empty");
    conversation.apply(hear("x"), NOW).expect("nothing runs");
    model(&mut conversation, &call("activate", r#"{"target_id":"track"}"#));
    model(&mut conversation, &call("find_parcel", "{}"));
    let state = conversation.state().clone();
    drop(conversation);
    log.close().expect("there is room");

    let log = EventLog::open(&place.path, &options()).expect("it was closed");
    let other = agent(&DESK[1..], Profile::Seed);
    let error = Conversation::resume(&log, "desk".into(), other).err().expect("it ran with other files");
    assert!(error.to_string().contains("it ran with other files of the agent"), "{error}");
    let desk = agent(DESK, Profile::Seed);
    let mut conversation = Conversation::resume(&log, "desk".into(), desk).expect("it is there");
    assert_eq!(*conversation.state(), state);
    assert_eq!(conversation.running().len(), 1, "the tool still runs");
    let tool = Name::from("find_parcel");
    conversation.return_tool(&tool, None, Err("it is gone".into()), NOW).expect("it runs");
    conversation.apply(Command::EndTurn, NOW).expect("nothing runs");
    let session = log.log().expect("it can be read").session("desk").expect("it is there");
    assert_eq!(session.event_count, conversation.state().position.0);
    assert!(Conversation::resume(&log, "other".into(), agent(DESK, Profile::Seed)).is_err());
}

/// Terms under which a request is noted, durable only with what comes next.
fn terms(id: &str) -> Terms {
    let request = Request { id: id.into(), content: 7 };
    Terms { durability: Durability::Batched, request: Some(request) }
}

#[test]
fn a_request_is_noted_with_its_events_and_not_where_it_failed() {
    let place = Place::new();
    let log = place.create();
    let mut open = Conversation::start_under(terms("start"), &log, begin(&[]), NOW).expect("the log has none");
    let start = open.state().position;
    let failed = open.under(terms("reply"), |open| open.reply("Hello.", Vec::new(), None, NOW).map(drop));
    assert!(matches!(failed, Err(RecordError::NoCall)));
    open.under(terms("nothing"), |_| Ok(())).expect("it makes sense");
    for number in 0..REQUESTS_KEPT - 2 {
        let hear = Command::HearUser { text: "Well?".into(), channel: None, message_id: None };
        open.under(terms(&number.to_string()), |open| open.apply(hear, NOW).map(drop)).expect("it makes sense");
    }
    let end = open.state().position;
    drop(open);
    // It holds for whoever goes on while nothing but this was made durable.
    let mut open = Conversation::resume(&log, "desk".into(), begin(&[]).agent).expect("it is there");
    assert_eq!(open.state().position, end);
    let between = |open: &Conversation<'_>, id: &str| open.carried(id).map(|carried| (carried.before, carried.after));
    assert_eq!(between(&open, "start"), Some((Position(0), start)));
    assert_eq!(between(&open, "nothing"), Some((start, start)));
    assert_eq!(between(&open, "reply"), None);
    open.under(terms("last"), |_| Ok(())).expect("it makes sense");
    assert_eq!((between(&open, "start"), between(&open, "last")), (None, Some((end, end))));
    assert_eq!(between(&open, "nothing"), Some((start, start)), "the last sixteen are known");
}

#[test]
fn a_call_is_decided_after_a_resume_as_before() {
    let place = Place::new();
    let log = place.create();
    let mut open = Conversation::start(&log, begin(&[]), NOW).expect("the log has none");
    let hear = Command::HearUser { text: "Well?".into(), channel: None, message_id: None };
    open.apply(hear, NOW).expect("it makes sense");
    let prompt = open.begin_call(NOW).expect("nothing runs");
    let withheld = prompt.tools.iter().find(|tool| !tool.offered && *tool.name == *"complete_skill");
    let call = RequestedCall {
        tool: withheld.expect("no skill runs that could be completed").name.clone(),
        arguments: "{}".into(),
        call_id: None,
    };
    open.reply("", vec![call.clone()], None, NOW).expect("a call waits");
    drop(open);
    let mut open = Conversation::resume(&log, "desk".into(), begin(&[]).agent).expect("it is there");
    let answer = open.call(call, NOW).expect("it makes sense");
    assert!(answer.result.expect("it is refused").starts_with("complete_skill is not offered: "));
}
