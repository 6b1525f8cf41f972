//! What comes in besides words: taps, keys, arguments of calls, and the tools that look at what was written.

use replay_store::event::{ToolCall, ToolCaller, ToolOutcome, ToolSource};
use replay_store::profile::Profile;
use replay_store::session::access::WriteBy;
use replay_store::session::decide::{Answer, Command, CommandError, Delegate, ToolReturn};

use super::world::World;

const FILES: &[(&str, &str)] = &[
    (
        "skills/hold/skill.md",
        "---\nname: Hold\ndescription: d\nimport_tools: [quote]\ntool_constraints:\n  - release: {on_failure: \
         utter_failed}\n---\n:::ordered_block id=main\nsteps:\n  - id: ask_day\n    collect: day\n    utterance: \
         utter_ask_day\n  - id: ask_pin\n    collect: pin\n    dtmf: {finish_on_key: '#'}\n  - id: release\n    \
         execute_tool: release\n    parameters: {pin: session.hold.pin}\n  - id: END\n:::\n",
    ),
    (
        "skills/hold/memory.yml",
        "schema:\n  public:\n    day: {type: categorical, enum_values: [thursday, friday]}\n    pin: {type: int}\n",
    ),
    (
        "skills/hold/tools.py",
        "@tool(description='d')\nasync def release(pin: int, context: ToolContext, note: Optional[str] = None):\n    \
         pass\n\nasync def run_after_setting_day(context: ToolContext):\n    pass\n",
    ),
    ("tools.py", "@tool(description='d')\nasync def quote(context, **rest):\n    pass\n"),
    (
        "responses.yml",
        "responses:\n  utter_ask_day:\n    - text: Which day?\n      buttons:\n        - {title: Friday, payload: \
         'set:session.hold.day=friday'}\n        - {title: Sunday, payload: 'set:session.hold.day=sunday'}\n        - \
         {title: Odd, payload: 'set:session.hold'}\n  utter_failed: [{text: Failed.}]\n  \
         utter_set_memory_button_skipped: [{text: That button is old.}]\n",
    ),
];

fn world() -> World {
    let mut world = World::bare(Profile::Mantle321, FILES);
    world.activate("hold");
    world
}

fn tap(world: &mut World, payload: &str, title: Option<&str>) -> String {
    world.wish(Command::TapButton { payload: payload.to_owned(), title: title.map(str::to_owned) })
}

/// The validation tool of `day` comes back.
fn validated(world: &mut World, result: &str) -> String {
    let call = ToolCall {
        tool: "run_after_setting_day".into(),
        arguments: "{}".to_owned(),
        caller: ToolCaller::Validation,
        skill: Some("hold".into()),
        step: None,
        call_id: None,
    };
    let (outcome, source) = (ToolOutcome::Done, ToolSource::Local);
    world.wish(Command::ReturnTool(ToolReturn { call, outcome, result: result.to_owned(), error: None, source }))
}

#[test]
fn a_tap_on_the_latest_message_writes_and_advances_without_the_model() {
    // M175, M209, M233, M270: the tap, then the steps, and the model not at all
    let mut world = world();
    let said = tap(&mut world, "set:session.hold.day=friday", None);
    assert!(said.starts_with("user set:session.hold.day=friday\n"), "{said}");
    assert!(said.ends_with("tool called run_after_setting_day(), validates a write"), "{said}");
    assert_eq!(world.stack(), "hold(reference) hold/main@ask_day", "the step waits for the validation");
    validated(&mut world, "{\"error\": null}");
    assert_eq!(
        (world.value("hold.day").as_str(), world.stack().as_str()),
        ("\"friday\"", "hold(reference) hold/main@ask_pin")
    );
}

#[test]
fn a_tap_on_an_older_message_is_stale() {
    // M234
    let mut world = World::bare(Profile::Mantle321, FILES);
    let said = tap(&mut world, "set:session.hold.day=friday", None);
    assert!(said.contains("M234") && said.contains("That button is old.") && said.ends_with("turn ended"), "{said}");
    world.activate("hold");
    // Another message of the agent makes it stale in the session that had it, too.
    tap(&mut world, "set:session.hold.day=sunday", None);
    let said = tap(&mut world, "set:session.hold.day=friday", None);
    assert!(said.contains("write skipped") && said.ends_with("turn ended"), "{said}");
}

#[test]
fn a_tap_that_fits_no_entry_is_skipped_and_a_malformed_one_is_its_title() {
    // M234, M232: a payload without `set:` is typed text
    let said = tap(&mut world(), "set:session.hold.day=sunday", None);
    assert!(said.contains("That button is old.") && said.ends_with("turn ended"), "{said}");
    let said = tap(&mut world(), "set:session.hold", Some("Odd"));
    assert_eq!(said, "user Odd");
    let said = tap(&mut world(), "set:session.hold", None);
    assert!(said.starts_with("user set:session.hold\n") && said.ends_with("turn ended"), "{said}");
    assert_eq!(tap(&mut world(), "Something else", None), "user Something else");
}

#[test]
fn a_validation_tool_that_says_error_takes_the_write_back() {
    // M210, and M352: what was there before is there again
    let mut world = world();
    let said = world.set(WriteBy::SetFields, "day", "\"friday\"");
    assert!(said.ends_with("tool called run_after_setting_day(), validates a write"), "{said}");
    let said = validated(&mut world, "{\"error\": \"closed on Fridays\"}");
    assert!(said.contains("M210"), "{said}");
    assert_eq!(
        (world.value("hold.day").as_str(), world.stack().as_str()),
        ("null", "hold(reference) hold/main@ask_day")
    );
    world.set(WriteBy::SetFields, "day", "\"thursday\"");
    validated(&mut world, "{}");
    world.set(WriteBy::Correct, "day", "\"friday\"");
    validated(&mut world, "{\"error\": \"closed on Fridays\"}");
    assert_eq!(world.value("hold.day"), "\"thursday\"");
}

#[test]
fn a_tool_that_writes_runs_no_validation() {
    // M52
    let said = world().set(WriteBy::Tool, "day", "\"friday\"");
    assert!(!said.contains("run_after_setting_day"), "{said}");
}

#[test]
fn keys_answer_the_collect_that_waits_for_them() {
    // M348
    let mut world = world();
    world.set(WriteBy::Tool, "day", "\"friday\"");
    world.hear("friday");
    assert_eq!(world.stack(), "hold(reference) hold/main@ask_pin");
    let keys = |world: &mut World, keys: &str| world.wish(Command::PressKeys { keys: keys.to_owned() });
    assert_eq!(keys(&mut world, "12"), "user 12", "no end key: ordinary words");
    let said = keys(&mut world, "1*2#");
    assert!(said.contains("write skipped") && said.contains("M348"), "{said}");
    assert_eq!(world.value("hold.pin"), "null");
    keys(&mut world, "1234#");
    assert_eq!(world.value("hold.pin"), "1234");
    assert_eq!(world.stack(), "hold(reference) hold/main@release");
}

#[test]
fn a_call_fits_the_declaration_of_its_tool() {
    // M350, M185, M198
    let mut world = world();
    let mut call = |tool: &str, arguments: &str| {
        let call = ToolCall {
            tool: tool.into(),
            arguments: arguments.to_owned(),
            caller: ToolCaller::Model,
            skill: Some("hold".into()),
            step: None,
            call_id: None,
        };
        let said = world.wish(Command::CallTool(call));
        said.split_once('(').map_or(said.clone(), |(start, _)| start.to_owned())
            + if said.contains("M350") {
                " M350"
            } else if said.contains("M185") {
                " M185"
            } else {
                ""
            }
    };
    assert_eq!(call("release", "{\"pin\": 1234}"), "tool called release");
    assert_eq!(call("release", "{\"pin\": 1234, \"note\": \"urgent\"}"), "tool called release");
    for misfit in
        ["{}", "{\"pin\": \"1234\"}", "{\"pin\": null}", "{\"pin\": 1, \"note\": 2}", "{\"pin\": 1, \"day\": 2}", "[1]"]
    {
        assert_eq!(call("release", misfit), "tool refused release M350", "{misfit}");
    }
    assert_eq!(call("quote", "{\"anything\": [1]}"), "tool called quote");
    assert_eq!(call("refund", "{}"), "tool refused refund M185");
    assert_eq!(call("run_after_setting_day", "{}"), "tool refused run_after_setting_day M185");
}

#[test]
fn arguments_of_a_step_that_do_not_fit_end_the_turn_and_the_step_stays() {
    // M178: `on_failure` isn't said, and the next turn tries again
    let mut world = world();
    world.set(WriteBy::Tool, "day", "\"friday\"");
    world.set(WriteBy::Tool, "pin", "\"no number\"");
    let said = world.hear("go on");
    assert!(said.contains("tool refused release") && said.contains("M350") && said.ends_with("turn ended"), "{said}");
    assert!(!said.contains("Failed."), "{said}");
    assert_eq!(world.stack(), "hold(reference) hold/main@release");
    world.set(WriteBy::Tool, "pin", "1234");
    assert!(world.hear("and now").contains("tool called release"), "the next turn tries again");
}

#[test]
fn a_cancelled_turn_leaves_the_step_and_what_was_written() {
    // M365, M207
    let mut world = world();
    world.set(WriteBy::Tool, "day", "\"friday\"");
    world.set(WriteBy::Tool, "pin", "1234");
    assert!(world.hear("go on").contains("tool called release"));
    assert_eq!(world.wish(Command::CancelTurn), "turn ended");
    assert_eq!(
        (world.value("hold.pin").as_str(), world.stack().as_str()),
        ("1234", "hold(reference) hold/main@release")
    );
    assert!(world.hear("hello?").contains("tool called release"), "it may run again");
}

#[test]
fn tools_start_ten_skills_in_a_turn_at_most() {
    // M351
    let skills: Vec<(String, String)> = (0..12)
        .map(|index| (format!("skills/s{index}/skill.md"), "---\nname: S\ndescription: d\n---\nHelp.\n".to_owned()))
        .collect();
    let files: Vec<(&str, &str)> = skills.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut world = World::bare(Profile::Mantle321, &files);
    world.activate("s0");
    let mut start =
        |index: u32| world.wish(Command::Delegate { skill: format!("s{index}").as_str().into(), by: Delegate::Tool });
    assert!((1..=10).all(|index| start(index).contains("activated")));
    assert!(start(11).contains("M351"));
    world.hear("go on");
    assert!(world.wish(Command::Delegate { skill: "s11".into(), by: Delegate::Tool }).contains("activated"));
}

/// A skill whose tool waits for a yes while another tool hands over to two skills.
fn paused_batch() -> World {
    let hold = "---\nname: Hold\ndescription: d\ntool_constraints:\n  - release:\n      \
                requires_confirmation: {enabled: true, utter_for_confirmation: utter_sure, utter_on_user_denial: \
                utter_kept}\n---\nHelp.\n";
    let other = "---\nname: O\ndescription: d\n---\nHelp.\n";
    let responses = "responses:\n  utter_sure: [{text: Sure?}]\n  utter_kept: [{text: It stays.}]\n";
    let mut world = World::bare(
        Profile::Mantle321,
        &[
            ("skills/hold/skill.md", hold),
            ("skills/prices/skill.md", other),
            ("skills/depots/skill.md", other),
            ("responses.yml", responses),
        ],
    );
    world.activate("hold");
    world.hear("release it, and what does it cost?");
    let asked = world.call("release");
    assert!(asked.contains("confirmation asked"), "{asked}");
    for skill in ["prices", "depots"] {
        let starts = Command::Delegate { skill: skill.into(), by: Delegate::Tool };
        assert_eq!(world.wish(starts), format!("skill deferred {skill} until the user has answered"));
    }
    assert_eq!(world.stack(), "hold");
    world
}

#[test]
fn what_a_tool_starts_waits_for_the_answer_about_a_tool_called_beside_it() {
    // M351
    let mut world = paused_batch();
    world.hear("yes");
    let yes = world.wish(Command::AnswerConfirmation(Answer::Yes));
    assert!(yes.contains("tool called release") && !yes.contains("activated"), "{yes}");
    let call = ToolCall {
        tool: "release".into(),
        arguments: "{}".to_owned(),
        caller: ToolCaller::Confirmation,
        skill: Some("hold".into()),
        step: None,
        call_id: None,
    };
    let (outcome, result, source) = (ToolOutcome::Done, "{}".to_owned(), ToolSource::Local);
    let back = world.wish(Command::ReturnTool(ToolReturn { call, outcome, result, error: None, source }));
    assert!(back.contains("skill activated prices") && back.contains("skill activated depots"), "{back}");
    let mut world = paused_batch();
    world.hear("no");
    let no = world.wish(Command::AnswerConfirmation(Answer::No));
    assert!(no.contains("It stays.") && no.contains("skill activated depots") && no.ends_with("turn ended"), "{no}");
    // Another turn's tools were not called beside the one that waits.
    let mut world = paused_batch();
    world.hear("wait, where are you?");
    let starts = Command::Delegate { skill: "prices".into(), by: Delegate::Tool };
    assert!(world.wish(starts).contains("skill activated prices"));
}

#[test]
fn criteria_are_for_a_model_to_judge_and_fail_closed() {
    // M112, M113
    let skill = "---\nname: Hold\ndescription: d\ncomplete_when:\n  condition: session.hold.day\n  criteria: [The customer \
                 has thanked., The day was repeated.]\n---\nHelp.\n";
    let files =
        [("skills/hold/skill.md", skill), ("skills/hold/memory.yml", "schema: {public: {day: {type: text}}}\n")];
    let mut world = World::bare(Profile::Mantle321, &files);
    world.activate("hold");
    assert_eq!(world.wish(Command::Complete), "tool refused complete() (M113)");
    world.set(WriteBy::Tool, "day", "\"friday\"");
    assert_eq!(world.try_wish(Command::Complete), Err(CommandError::NotJudged));
    for met in [vec![true, false], vec![true], Vec::new()] {
        assert_eq!(world.wish(Command::CompleteJudged { met }), "tool refused complete() (M112)");
    }
    assert!(world.wish(Command::CompleteJudged { met: vec![true, true] }).contains("completed"));
}
