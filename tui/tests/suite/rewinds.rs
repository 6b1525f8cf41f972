//! What a restart takes back, and what a second session start empties, is said in words.

use std::sync::Arc;

use replay_store::event::{Activation, Actor, Event, EventKind, Origin, Rewind, Writer};
use replay_store::replay::Session;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

use crate::stage::{made, play};

fn session(kinds: Vec<EventKind>) -> Session {
    let event = |kind| Event { time: Timestamp(0), turn: None, cause: None, origin: Origin::Added, kind };
    made(kinds.into_iter().map(event).collect(), "rewinds")
}

fn started() -> EventKind {
    EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() }
}

fn user(text: &str) -> EventKind {
    EventKind::UserMessage { text: text.into(), channel: None, message_id: None }
}

fn write() -> EventKind {
    let value = Arc::new(Value::Text("blue".to_owned()));
    EventKind::MemoryWritten { key: "project.colour".into(), value, writer: Writer::only(Actor::Model) }
}

fn restart() -> EventKind {
    EventKind::HistoryRewound { by: Rewind::Restart, cells: Vec::new(), to: None }
}

#[test]
fn messages_that_were_taken_back_say_so() {
    let session = || session(vec![started(), user("paint it"), write(), restart(), user("leave it")]);
    let screen = play(session(), "G 2 Enter");
    assert!(screen.contains("taken back at 4 » user: paint it"), "{screen}");
    assert!(screen.contains("  2 taken back at 4 » paint it"), "{screen}");
    assert!(screen.contains("▸ 5 » leave it"), "the later one counts: {screen}");
    let screen = play(session(), "G 3 Enter");
    assert!(screen.contains("nothing holds a value: history was rewound"), "{screen}");
}

#[test]
fn a_second_session_start_says_that_it_empties_memory() {
    let session = || session(vec![started(), user("paint it"), write(), started(), user("hello")]);
    let screen = play(session(), "4G");
    assert!(screen.contains("4 session started again: memory and stack are emptied"), "{screen}");
    let screen = play(session(), "G 3 Enter");
    assert!(screen.contains("empty since the session start at 4"), "{screen}");
    let screen = play(session(), "j 3 Enter");
    assert!(screen.contains("no memory entry yet"), "{screen}");
    assert!(!screen.contains("again"), "{screen}");
}

#[test]
fn a_parked_skill_says_why_in_words() {
    let activated = |skill: &str| EventKind::SkillActivated { skill: skill.into(), by: Activation::Model };
    let interrupted = EventKind::SkillInterrupted { skill: "renew_loan".into(), step: None };
    let session = session(vec![started(), activated("renew_loan"), interrupted, activated("pay_fees")]);
    let screen = play(session, "G 4 Enter");
    assert!(screen.contains("  parked: the user changed the topic"), "{screen}");
}
