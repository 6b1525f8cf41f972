//! Given events, when they are applied, then memory and stack are what the rules say.

use std::sync::Arc;

use replay_store::event::{Activation, Actor, Event, EventKind, Origin, Position, RecordedFrame, Rewind, Writer};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::rule::Rule;
use replay_store::session::{CellState, Parked, State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

fn event(kind: EventKind) -> Event {
    Event { time: Timestamp(0), turn: Some(1), cause: None, origin: Origin::Added, kind }
}

fn start(profile: Profile, initial: &[(&str, &str)]) -> EventKind {
    let initial = initial.iter().map(|(key, json)| (Name::from(*key), Arc::new(value(json)))).collect();
    EventKind::SessionStarted { definition: None, profile: Some(profile), initial }
}

fn value(json: &str) -> Value {
    Value::from_json(json).expect("the test's JSON is valid")
}

fn write(key: &str, json: &str) -> EventKind {
    EventKind::MemoryWritten { key: key.into(), value: Arc::new(value(json)), writer: Writer::only(Actor::Tool) }
}

fn clear(key: &str) -> EventKind {
    EventKind::MemoryCleared { key: key.into(), writer: Writer::only(Actor::Tool) }
}

fn activate(skill: &str) -> EventKind {
    EventKind::SkillActivated { skill: skill.into(), by: Activation::Model }
}

fn interrupt(skill: &str) -> EventKind {
    EventKind::SkillInterrupted { skill: skill.into(), step: None }
}

fn resume(skill: &str) -> EventKind {
    EventKind::SkillResumed { skill: skill.into(), step: None }
}

fn complete(skill: &str) -> EventKind {
    EventKind::SkillCompleted { skill: skill.into() }
}

fn cancel(skill: &str) -> EventKind {
    EventKind::SkillCancelled { skill: skill.into(), step: None }
}

fn enter(skill: &str, block: &str) -> EventKind {
    EventKind::BlockEntered { skill: skill.into(), block: block.into() }
}

fn leave(skill: &str, block: &str) -> EventKind {
    EventKind::BlockCompleted { skill: skill.into(), block: block.into(), step: None }
}

fn after(kinds: impl IntoIterator<Item = EventKind>) -> State {
    let mut state = State::default();
    for kind in kinds {
        evolve(&mut state, &event(kind));
    }
    state
}

/// Prints an entry as `value state @set_at <previous [locked]`.
fn entry(state: &State, key: &str) -> String {
    let Some(cell) = state.memory.get(key) else { return "nothing".to_owned() };
    let kind = match cell.state {
        CellState::Set => "set",
        CellState::Initial => "initial",
        CellState::Cleared => "cleared",
        CellState::Reset => "reset",
    };
    let mut text = format!("{} {kind}", cell.value);
    if let Some(at) = cell.set_at {
        text.push_str(&format!(" @{at}"));
    }
    if let Some(at) = cell.previous {
        text.push_str(&format!(" <{at}"));
    }
    if cell.locked {
        text.push_str(" locked");
    }
    text
}

/// Prints the stack bottom first, as the engine's own traces do: `[claims(digression), prices:main]`.
fn stack(state: &State) -> String {
    let frames: Vec<String> = state
        .stack
        .iter()
        .map(|frame| {
            let mut text = frame.skill.to_string();
            if let Some(block) = &frame.block {
                text.push_str(&format!(":{block}"));
            }
            if let Some(parked) = frame.parked {
                text.push_str(&format!("({})", parked.word()));
            }
            text
        })
        .collect();
    format!("[{}]", frames.join(", "))
}

#[test]
fn project_memory_locks_with_its_first_write() {
    // M43
    let state = after([start(Profile::Seed, &[]), write("project.verified", "false")]);
    assert_eq!(entry(&state, "project.verified"), "false set @2 locked");
}

#[test]
fn a_write_of_none_leaves_project_memory_open() {
    // M45
    let state = after([start(Profile::Seed, &[]), write("project.verified", "null")]);
    assert_eq!(entry(&state, "project.verified"), "null cleared @2");
}

#[test]
fn an_initial_value_locks_project_memory_in_the_newer_generation_only() {
    // M44, M44a
    let initial = [("project.blocked", "false"), ("project.open", "null"), ("hold.tries", "0")];
    let old = after([start(Profile::Seed, &initial)]);
    let new = after([start(Profile::Mantle321, &initial)]);
    assert_eq!(entry(&old, "project.blocked"), "false initial");
    assert_eq!(entry(&new, "project.blocked"), "false initial locked");
    assert_eq!(entry(&new, "project.open"), "null initial");
    assert_eq!(entry(&new, "hold.tries"), "0 initial");
}

#[test]
fn an_equal_value_written_again_is_a_write() {
    // M343
    let state = after([start(Profile::Seed, &[]), write("hold.day", "\"fri\""), write("hold.day", "\"fri\"")]);
    assert_eq!(entry(&state, "hold.day"), "\"fri\" set @3 <2");
}

#[test]
fn a_fresh_start_resets_the_skills_own_entries_and_no_others() {
    // M54, M56, M313
    let state = after([
        start(Profile::Seed, &[("hold.tries", "0")]),
        activate("hold"),
        write("hold.day", "\"fri\""),
        write("hold.tries", "2"),
        write("project.verified", "true"),
        write("prices.zone", "\"eu\""),
        complete("hold"),
        activate("hold"),
    ]);
    assert_eq!(entry(&state, "hold.day"), "null reset @8 <3");
    assert_eq!(entry(&state, "hold.tries"), "0 reset @8 <4");
    assert_eq!(entry(&state, "project.verified"), "true set @5 locked");
    assert_eq!(entry(&state, "prices.zone"), "\"eu\" set @6");
}

#[test]
fn a_cleared_entry_is_reset_like_a_written_one() {
    // M342, M54
    let begin = [start(Profile::Seed, &[]), activate("hold"), write("hold.day", "1"), clear("hold.day")];
    assert_eq!(entry(&after(begin.clone()), "hold.day"), "null cleared @4 <3");
    let again = after(begin.into_iter().chain([complete("hold"), activate("hold")]));
    assert_eq!(entry(&again, "hold.day"), "null reset @6 <4");
}

#[test]
fn the_end_of_a_skill_leaves_its_values() {
    // M53
    for end in [complete("hold"), cancel("hold")] {
        let state = after([start(Profile::Seed, &[]), activate("hold"), write("hold.day", "1"), end]);
        assert_eq!(entry(&state, "hold.day"), "1 set @3");
        assert_eq!(stack(&state), "[]");
    }
}

#[test]
fn interruption_and_resumption_leave_memory_alone() {
    // M55, M277
    let state = after([
        start(Profile::Seed, &[]),
        activate("hold"),
        write("hold.day", "1"),
        interrupt("hold"),
        activate("prices"),
        complete("prices"),
        resume("hold"),
    ]);
    assert_eq!(entry(&state, "hold.day"), "1 set @3");
    assert_eq!(stack(&state), "[hold]");
}

#[test]
fn what_put_a_skill_on_top_says_how_the_one_beneath_is_parked() {
    // M275, M276, M278
    let begin = [start(Profile::Seed, &[]), activate("hold")];
    let check = |more: &[EventKind], expected: &str| {
        assert_eq!(stack(&after(begin.iter().chain(more).cloned())), expected);
    };
    check(&[activate("verify")], "[hold(delegation), verify]");
    check(&[activate("verify"), complete("verify")], "[hold]");
    check(&[interrupt("hold"), activate("prices")], "[hold(digression), prices]");
    check(&[interrupt("hold"), activate("prices"), complete("prices")], "[hold(digression)]");
    check(&[interrupt("hold"), activate("prices"), cancel("prices")], "[hold(digression)]");
    check(&[enter("hold", "pick")], "[hold(reference), hold:pick]");
    check(&[enter("hold", "pick"), leave("hold", "pick")], "[hold]");
    check(&[enter("hold", "pick"), activate("verify")], "[hold(reference), hold:pick(delegation), verify]");
    check(&[enter("hold", "pick"), activate("verify"), complete("verify")], "[hold(reference), hold:pick]");
}

#[test]
fn a_parked_skill_that_is_activated_again_comes_up_and_keeps_its_memory() {
    // M280
    let state = after([
        start(Profile::Seed, &[]),
        activate("claims"),
        write("claims.ref", "7"),
        interrupt("claims"),
        activate("prices"),
        interrupt("prices"),
        resume("claims"),
    ]);
    assert_eq!(stack(&state), "[prices(digression), claims]");
    assert_eq!(entry(&state, "claims.ref"), "7 set @3");
}

#[test]
fn a_session_start_empties_memory_and_stack() {
    // M292
    let state = after([
        start(Profile::Seed, &[("project.lang", "\"en\"")]),
        activate("hold"),
        write("hold.day", "1"),
        start(Profile::Seed, &[("project.lang", "\"en\"")]),
    ]);
    assert_eq!(stack(&state), "[]");
    assert_eq!(entry(&state, "hold.day"), "nothing");
    assert_eq!(entry(&state, "project.lang"), "\"en\" initial");
}

#[test]
fn the_recorded_stack_brings_ids_and_steps() {
    // M276
    let patched = EventKind::StackPatched {
        frames: Some(vec![recorded("AAAA", "hold", None), recorded("BBBB", "hold", Some("pick"))]),
        patch: String::new(),
    };
    let state = after([start(Profile::Seed, &[]), activate("hold"), enter("hold", "pick"), patched]);
    assert_eq!(stack(&state), "[hold(reference), hold:pick]");
    assert_eq!(state.top().and_then(|frame| frame.frame.clone()), Some("BBBB".into()));
    assert_eq!(state.top().and_then(|frame| frame.step.clone()), Some("first".into()));
    assert!(state.stack_conflicts.is_empty());
}

#[test]
fn a_recorded_stack_that_disagrees_holds_and_is_noted() {
    let patched =
        EventKind::StackPatched { frames: Some(vec![recorded("AAAA", "prices", None)]), patch: String::new() };
    let state = after([start(Profile::Seed, &[]), activate("hold"), patched]);
    assert_eq!(stack(&state), "[prices]");
    assert_eq!(state.stack_conflicts, [Position(3)]);
}

#[test]
fn rewound_history_restores_what_the_event_carries() {
    let state = after([
        start(Profile::Seed, &[]),
        write("name", "\"Ann\""),
        write("name", "\"Bob\""),
        EventKind::HistoryRewound {
            by: Rewind::Rewind,
            cells: vec![("name".into(), Arc::new(value("\"Ann\"")), Some(Position(2)))],
            to: Some(Position(2)),
        },
    ]);
    assert_eq!(entry(&state, "name"), "\"Ann\" set @2");
}

#[test]
fn unknown_kinds_are_counted_and_change_nothing_else() {
    let foreign = EventKind::Foreign { name: "hologram".into() };
    let state = after([start(Profile::Seed, &[]), foreign.clone(), foreign]);
    assert_eq!(state.unknown_kinds.get("hologram"), Some(&2));
}

#[test]
fn the_word_of_each_way_to_park_is_the_vectors_word() {
    let words = [Parked::Delegation, Parked::Digression, Parked::Reference, Parked::Pending].map(Parked::word);
    assert_eq!(words, ["delegation", "digression", "reference", "pending"]);
}

fn recorded(frame: &str, skill: &str, block: Option<&str>) -> RecordedFrame {
    RecordedFrame {
        frame: frame.into(),
        skill: skill.into(),
        block: block.map(Name::from),
        step: block.map(|_| "first".into()),
        interrupted: false,
    }
}

#[test]
fn a_pending_skill_waits_beneath_its_resolver_and_starts_afresh() {
    // M335
    let pend = EventKind::SkillPending { skill: "claims".into(), resolver: "verify".into() };
    let begin = [start(Profile::Mantle321, &[]), write("claims.ref", "7")];
    let check = |more: &[EventKind], expected: &str| {
        let state = after(begin.iter().chain(more).cloned());
        assert_eq!(stack(&state), expected);
        state
    };
    check(&[pend.clone(), activate("verify")], "[claims(pending), verify]");
    check(&[activate("verify"), pend.clone()], "[claims(pending), verify]");
    let waiting = [pend, activate("verify"), complete("verify")];
    check(&waiting, "[claims(pending)]");
    let refused = EventKind::SkillRefused { skill: "claims".into(), by: Activation::Model, rule: Rule::DenyLists };
    check(&[&waiting[..], &[refused]].concat(), "[]");
    let started = check(&[&waiting[..], &[activate("claims")]].concat(), "[claims]");
    assert_eq!(entry(&started, "claims.ref"), "null reset @6 <2");
}

#[test]
fn a_recorded_reset_stands_for_the_one_that_the_start_implies() {
    // M54
    let reset = EventKind::MemoryReset { key: "hold.day".into(), value: Arc::new(Value::Null) };
    let state = after([start(Profile::Seed, &[]), write("hold.day", "1"), reset, activate("hold")]);
    assert_eq!(entry(&state, "hold.day"), "null reset @3 <2");
}

#[test]
fn an_answered_confirmation_counts_until_the_next_user_message() {
    // M192
    let answer = EventKind::ConfirmationAnswered { tool: "book".into(), confirmed: true };
    let user = EventKind::UserMessage { text: "and now?".to_owned(), channel: None, message_id: None };
    assert!(after([answer.clone()]).resolved.contains("book"));
    assert!(after([answer, user]).resolved.is_empty());
}
