//! Why a line of the agent folder is in the prompt, or not; and what the prompt behind an answer read.

use replay_store::event::EventKind;
use replay_store::explain::from_call::from_call;
use replay_store::explain::line::{tokens_on, why_line};
use replay_store::explain::why::{Answer, Why};
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::rule::Rule;

use super::given::*;

const TRACK: &str = "skills/track/skill.md";

/// A skill with prose and a block.
const ROOMS: &[(&str, &str)] = &[
    ("agent.yml", "agent:\n  persona: You let rooms.\n"),
    ("skills/rooms/memory.yml", "schema:\n  public:\n    room: {type: text}\n"),
    (
        "skills/rooms/skill.md",
        "\
---
name: Rooms
description: Let a room.
---

Begin with @block.choose.

:::ordered_block id=choose
steps:
  - id: ask
    instructions: Ask for the room @memory.rooms.room.
    complete_when: session.rooms.room
    next: tell
  - id: tell
    instructions: Tell the price.
:::
",
    ),
];

fn line(session: &Session, file: &str, line: u32) -> Why {
    why_line(session, file, line, session.end())
}

#[test]
fn a_paragraph_is_there_while_its_skill_is_in_charge() {
    let active = desk([user("x"), activate("track"), write("find", "track.parcel", "\"P-1\"")]);
    let why = line(&active, TRACK, 13);
    check(&why, Answer::Shown, &["skills/track/skill.md:13", "`track` is active", "no `if:` marker"]);
    let told: Vec<&str> = why.evidence.iter().map(|one| one.text.as_str()).collect();
    assert!(
        told.iter().any(|text| text.contains("@memory.track.parcel") && text.contains("shows \"P-1\"")),
        "{told:#?}"
    );
    let left = "@memory.project.name at skills/track/skill.md:13:40 stays as it is written: never written (M33)";
    assert!(told.contains(&left), "{told:#?}");
    assert_eq!((why.skill.as_deref(), why.change), (Some("track"), None));
    let idle = desk([user("x")]);
    let why = line(&idle, TRACK, 13);
    check(&why, Answer::Withheld, &["prose of `track`", "no skill is active"]);
    assert_eq!(why.change.as_deref(), Some("`track` would have to be active"));
    let other = desk([user("x"), activate("track"), interrupt("track"), activate("lookup")]);
    check(&line(&other, TRACK, 13), Answer::Withheld, &["`lookup` is active"]);
    check(&line(&desk([]), "./skills/track/skill.md", 13), Answer::Withheld, &["skills/track/skill.md:13 is not"]);
}

#[test]
fn a_marker_that_does_not_hold_is_told_as_a_tree_with_what_would_open_it() {
    let denied = desk([activate("track"), write("take", "pay.amount", "9.5")]);
    for number in [15, 16] {
        let why = line(&denied, TRACK, number);
        check(&why, Answer::Withheld, &["its marker `session.pay.amount` doesn't hold"]);
        let rule = why.rule.as_ref().expect("a rule decided");
        assert_eq!((rule.id, rule.place().as_deref()), (Rule::MarkerScopes, Some("skills/track/skill.md:15:5")));
        assert_eq!(why.condition.as_ref().and_then(|tree| tree.holds), Some(false));
        assert_eq!(why.change.as_deref(), Some("take `pay.amount` off `access.deny_read`"));
    }
    let ignored = session(Profile::Mantle321, DESK, [activate("track"), write("take", "pay.amount", "9.5")]);
    let why = line(&ignored, TRACK, 16);
    check(&why, Answer::Shown, &["`session.pay.amount` holds"]);
    assert_eq!(why.condition.as_ref().and_then(|tree| tree.holds), Some(true));
}

#[test]
fn while_a_block_stands_there_its_step_is_in_the_prompt_and_no_paragraph() {
    let file = "skills/rooms/skill.md";
    let enter = EventKind::BlockEntered { skill: "rooms".into(), block: "choose".into() };
    let step = |step: &str| EventKind::StepEntered { skill: "rooms".into(), block: "choose".into(), step: step.into() };
    let asking = session(Profile::Seed, ROOMS, [activate("rooms"), enter.clone(), step("ask")]);
    let lines = |session: &Session| [6, 11, 15].map(|number| line(session, file, number));
    let [paragraph, ask, tell] = lines(&asking);
    check(&ask, Answer::Shown, &["step `ask` of block `choose` of `rooms` is where the conversation stands"]);
    check(&tell, Answer::Withheld, &["step `tell`", "`rooms` is at step `ask` of block `choose`"]);
    assert_eq!(tell.change.as_deref(), Some("`rooms` would have to be at step `tell`"));
    let prose = asking.prompt(asking.end()).expect("there is a folder");
    let has = |words: &str| prose.sections.iter().any(|section| section.text().contains(words));
    assert_eq!(paragraph.answer == Answer::Shown, has("Begin with"), "{paragraph:#?}");
    assert!(has("Ask for the room") && !has("Tell the price"));
    let prose = session(Profile::Seed, ROOMS, [activate("rooms")]);
    assert_eq!(lines(&prose).map(|why| why.answer), [Answer::Shown, Answer::Withheld, Answer::Withheld]);
}

#[test]
fn any_other_line_is_looked_for_in_what_the_prompt_was_made_of() {
    let session = desk([write("t", "project.note", "\"n\"")]);
    check(&line(&session, "agent.yml", 1), Answer::Shown, &["a piece of it stands in the section persona"]);
    check(
        &line(&session, "skills/track/skill.md", 3),
        Answer::Shown,
        &["in the sections glossary, lifecycle, routing"],
    );
    check(&line(&session, "skills/track/tools.py", 1), Answer::Withheld, &["nothing of this prompt is made of it"]);
    let declared = line(&session, "memory.yml", 6);
    check(&declared, Answer::Withheld, &["it declares `project.note`"]);
    assert_eq!(declared.key.as_deref(), Some("project.note"));
    rests_on(&declared, "2 memory_written");
    check(&line(&session, "agent.yml", 9), Answer::Unknown, &["agent.yml has 1 lines, so there is no line 9"]);
    check(&line(&session, "agent.yml", 0), Answer::Unknown, &["no line 0"]);
    check(&line(&session, "agnet.yml", 1), Answer::Unknown, &["did you mean `agent.yml`"]);
    let bare = self::session(Profile::Seed, &[], []);
    check(&line(&bare, "agent.yml", 1), Answer::Unknown, &["there is no agent folder"]);
}

#[test]
fn a_line_is_shown_exactly_where_the_prompt_has_text_of_it() {
    let kinds =
        [user("x"), activate("track"), write("find", "track.parcel", "\"P-1\""), interrupt("track"), activate("pay")];
    let session = desk(kinds);
    for at in 0..=session.end().0 {
        let at = replay_store::event::Position(at);
        let prompt = session.prompt(at).expect("there is a folder");
        let text: String = prompt.sections.iter().map(|section| section.text()).collect();
        for (file, number, words) in
            [(TRACK, 13, "The parcel is"), (TRACK, 16, "It costs"), ("skills/pay/skill.md", 7, "Take the money")]
        {
            let why = why_line(&session, file, number, at);
            assert_eq!(why.answer == Answer::Shown, text.contains(words), "{file}:{number} at {at}: {why:#?}\n{text}");
        }
    }
}

#[test]
fn tokens_of_a_line_are_named() {
    let session = desk([]);
    let agent = session.agent.as_deref().expect("there is a folder");
    let on = |number| tokens_on(agent, TRACK, number).map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(on(13), ["track.parcel", "project.name"]);
    assert_eq!(on(16), ["pay.amount"]);
    assert!(on(15).is_empty() && on(99).is_empty());
}

#[test]
fn an_answer_knows_the_call_that_it_comes_from_and_what_its_prompt_read() {
    let kinds = [
        user("x"),
        activate("track"),
        write("find", "track.parcel", "\"P-1\""),
        returned("find", "{}"),
        says("Here."),
        end(),
    ];
    let session = desk(kinds);
    let at = |wanted: fn(&EventKind) -> bool| {
        session
            .events_in(..=session.end())
            .find(|(_, event)| wanted(&event.kind))
            .map(|(at, _)| at)
            .expect("it is there")
    };
    let said = at(|kind| matches!(kind, EventKind::AgentMessage { .. }));
    let from = from_call(&session, said).expect("the model said it");
    assert!(from.call.before < said, "{from:#?}");
    let reads: Vec<String> =
        from.reads.iter().map(|read| format!("{} {}", read.subject, read.verdict.word())).collect();
    assert!(reads.contains(&"track.parcel allowed".to_owned()), "{reads:#?}");
    assert!(reads.contains(&"pay.amount denied".to_owned()), "{reads:#?}");
    let mut once = reads.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), reads.len(), "each once: {reads:#?}");
    assert_eq!(from_call(&session, at(|kind| matches!(kind, EventKind::UserMessage { .. }))), None);
}
