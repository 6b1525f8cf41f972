//! What is different: words of two texts, prompts with the causes of their lines.

mod holes;
mod prompts;
mod sessions;
mod states;
mod words;

use replay_store::event::{Event, EventKind};
use replay_store::import::Recording;
use replay_store::replay::Session;

use crate::prompt::story::Story;

/// Opens a story as a session, with turns as its events tell them.
fn opened(story: &Story) -> Session {
    let mut turn = 1;
    let number = |event: &Event| {
        let mut event = event.clone();
        event.turn = Some(turn);
        turn += u32::from(matches!(event.kind, EventKind::TurnEnded));
        event
    };
    let recording = Recording {
        id: "box-office".into(),
        events: story.events.iter().map(number).collect(),
        raw: Default::default(),
        findings: Vec::new(),
        profile: Some(story.profile),
        definition: Some((*story.agent.definition).clone()),
        recorded_end: Default::default(),
    };
    Session::open(recording, None, None)
}
