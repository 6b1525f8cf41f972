//! Laws that hold for any sequence of wishes.

use proptest::prelude::*;
use replay_store::event::{EventKind, ToolCall, ToolCaller, ToolOutcome, ToolSource};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer, Command, Delegate, ToolReturn, Write, decide};
use replay_store::session::{State, evolve};
use replay_store::value::Value;

use super::world::{World, agent, event};

const SKILLS: [&str; 6] = ["hold", "prices", "kiosk", "claims", "default_completed", "ghost"];
const NAMES: [&str; 9] =
    ["day", "hold.day", "verified", "project.count", "prices.zone", "pin", "system.x", "ok", "wants_to_resume"];

/// Writes an agent: which skills have prose, blocks and gates differs.
fn files(choice: u32, steps: &[u8]) -> Vec<(&'static str, String)> {
    let bit = |place: u32| choice & (1 << place) != 0;
    let line = |on: bool, line: &str| if on { format!("{line}\n") } else { String::new() };
    let mut kiosk = String::new();
    for (index, step) in steps.iter().enumerate() {
        let other = usize::from(*step / 12) % steps.len();
        let kind = match step % 12 {
            0 => "noop: true".to_owned(),
            1 => format!("noop: true\n    next: s{other}"),
            2 => "instructions: Talk.".to_owned(),
            3 => "instructions: Talk.\n    complete_when: session.project.verified".to_owned(),
            4 => "collect: ticket\n    utterance: utter_x".to_owned(),
            5 => "action: utter_x".to_owned(),
            6 => "execute_tool: book".to_owned(),
            7 => "set_memory: {ticket: T1, verified: true}".to_owned(),
            8 => "call: hold".to_owned(),
            9 => "call: other".to_owned(),
            10 => "link: prices".to_owned(),
            _ => "action: action_listen".to_owned(),
        };
        kiosk.push_str(&format!("  - id: s{index}\n    {kind}\n"));
    }
    vec![
        (
            "agent.yml",
            "agent: {persona: p}\norchestrator:\n  model_group: main\n  preconditions:\n    known: {satisfied_when: \
             session.project.verified, resolve_with: prices}\n"
                .to_owned(),
        ),
        ("memory.yml", "verified: {type: bool}\ncount: {type: int, seed: true, initial_value: 0}\n".to_owned()),
        ("responses.yml", "responses:\n  utter_x: [{text: X}]\n".to_owned()),
        (
            "skills/hold/skill.md",
            format!(
                "---\nname: H\ndescription: d\n{}{}tool_constraints:\n  - book:\n      requires_confirmation: {{enabled: \
                 {}}}\n---\nHelp. @block.pick\n\n:::ordered_block id=pick\nsteps:\n  - id: ask\n    collect: day\n:::\n",
                line(bit(0), "complete_when: session.hold.day == 'x'"),
                line(bit(1), "utter:\n  - utter_x: {on: activate, when: session.hold.day}"),
                bit(2),
            ),
        ),
        (
            "skills/hold/memory.yml",
            format!(
                "schema:\n  public:\n    day: {{type: any, llm_settable: true, description: d}}\n  private:\n    pin: \
                 {{type: text, initial_value: a}}\n{}",
                line(bit(3), "access: {deny_read: [hold.day], deny_write: [project.verified, hold.pin]}"),
            ),
        ),
        (
            "skills/prices/skill.md",
            format!(
                "---\nname: P\ndescription: d\n{}{}---\nQuote.\n",
                line(bit(4), "requires: not session.project.verified"),
                line(bit(5), "hidden: true"),
            ),
        ),
        ("skills/prices/memory.yml", "schema: {public: {zone: {type: text}, ok: {type: bool}}}\n".to_owned()),
        (
            "skills/kiosk/skill.md",
            format!(
                "---\nname: K\ndescription: d\n---\n:::ordered_block id=main\nsteps:\n{kiosk}:::\n\n:::ordered_block \
                 id=other\nsteps:\n  - id: back\n    call: main\n:::\n"
            ),
        ),
        ("skills/kiosk/memory.yml", "schema: {public: {ticket: {type: text}}}\n".to_owned()),
        (
            "skills/claims/skill.md",
            format!(
                "---\nname: C\ndescription: d\n{}{}---\nHelp.\n",
                line(bit(6), "precondition: known"),
                line(bit(7), "disabled: true"),
            ),
        ),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let skill = proptest::sample::select(&SKILLS[..]).prop_map(Name::from);
    let answer = prop_oneof![Just(Answer::Yes), Just(Answer::No)];
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-2..3i128).prop_map(Value::Int),
        Just(Value::Text("x".to_owned())),
        Just(Value::List(vec![Value::Null])),
    ];
    let by = proptest::sample::select(&WriteBy::ALL[..]);
    let name = proptest::sample::select(&NAMES[..]).prop_map(Name::from);
    let write = (by, name, value.clone(), any::<bool>()).prop_map(|(by, name, value, in_tool)| {
        Command::Write(Write { by, name, value, tool: in_tool.then(|| "book".into()), call_id: None })
    });
    let call = (skill.clone(), any::<bool>()).prop_map(|(skill, is_step)| ToolCall {
        tool: "book".into(),
        arguments: "{}".to_owned(),
        caller: if is_step { ToolCaller::Step } else { ToolCaller::Model },
        skill: Some(skill),
        step: is_step.then(|| "s0".into()),
        call_id: None,
    });
    let returned = (call.clone(), any::<bool>()).prop_map(|(call, done)| {
        let outcome = if done { ToolOutcome::Done } else { ToolOutcome::Failed };
        let (result, source) = (String::new(), ToolSource::Local);
        Command::ReturnTool(ToolReturn { call, outcome, result, error: None, source })
    });
    prop_oneof![
        1 => value.prop_map(|value| Command::StartSession {
            definition: None,
            metadata: vec![("count".into(), value), ("verified".into(), Value::Bool(true))],
        }),
        2 => Just(Command::HearUser { text: "hello".to_owned(), channel: None, message_id: None }),
        1 => Just(Command::EndTurn),
        6 => skill.clone().prop_map(|skill| Command::Activate { skill }),
        3 => skill.clone().prop_map(|skill| Command::Delegate { skill, by: Delegate::Reference }),
        2 => skill.clone().prop_map(|skill| Command::Delegate { skill, by: Delegate::Tool }),
        2 => skill.prop_map(|skill| Command::Call { skill }),
        2 => prop_oneof![Just("pick"), Just("main"), Just("none")]
            .prop_map(|block| Command::EnterBlock { block: block.into() }),
        2 => Just(Command::EndBlock),
        3 => Just(Command::Complete),
        2 => Just(Command::Cancel),
        2 => answer.clone().prop_map(Command::AnswerResume),
        8 => write,
        2 => call.prop_map(Command::CallTool),
        2 => returned,
        2 => answer.prop_map(Command::AnswerConfirmation),
    ]
}

/// What memory holds, without the positions of the events.
fn values(state: &State) -> Vec<(Name, Value)> {
    let held = state.memory.iter().filter(|(_, cell)| !cell.value.is_null());
    held.map(|(key, cell)| (key.clone(), Value::clone(&cell.value))).collect()
}

fn is_refusal(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::MemoryWriteRefused { .. } | EventKind::SkillRefused { .. } | EventKind::ToolRefused { .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Nothing panics, refusals change no memory, a locked entry keeps its value, and only the frame on top may run.
    #[test]
    fn any_wishes_keep_the_rules(
        choice in any::<u32>(),
        steps in prop::collection::vec(any::<u8>(), 1..6),
        commands in prop::collection::vec(command(), 1..40),
        is_new in any::<bool>(),
    ) {
        let profile = if is_new { Profile::Mantle321 } else { Profile::Seed };
        let files = files(choice, &steps);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let mut world = World { agent: agent(profile, &files), profile, state: State::default() };
        world.wish(Command::StartSession { definition: None, metadata: Vec::new() });
        let mut all: Vec<EventKind> = Vec::new();
        let begun = world.state.clone();
        for command in commands {
            let before = world.state.clone();
            let is_start = matches!(command, Command::StartSession { .. });
            let Ok(events) = world.try_wish(command.clone()) else {
                prop_assert_eq!(&world.state, &before, "an error changes nothing");
                continue;
            };
            if !events.is_empty() && events.iter().all(is_refusal) {
                prop_assert_eq!(values(&world.state), values(&before), "{:?}", command);
            }
            for (key, cell) in before.memory.iter().filter(|(_, cell)| cell.locked && !is_start) {
                prop_assert_eq!(&world.state.memory[key].value, &cell.value, "{} is locked, {:?}", key, command);
            }
            let parked = world.state.stack.iter().rev().skip(1);
            for frame in parked {
                prop_assert!(frame.parked.is_some(), "{} after {:?}", world.stack(), command);
            }
            all.extend(events);
        }
        let mut folded = begun;
        for kind in all {
            evolve(&mut folded, &event(kind));
        }
        prop_assert_eq!(folded, world.state);
    }

    /// The same wish in the same state leads to the same events.
    #[test]
    fn deciding_is_a_function(command in command()) {
        let files = files(0, &[4]);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let world = World::new(Profile::Seed, &files);
        let once = || decide(&world.agent, world.profile, &world.state, command.clone());
        prop_assert_eq!(once(), once());
    }
}
