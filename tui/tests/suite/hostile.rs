//! Hostile text in every field of every event: what the terminal gets, read back through a terminal emulator.

use std::num::NonZero;
use std::sync::Arc;

use ratatui::backend::CrosstermBackend;
use ratatui::{Terminal, TerminalOptions, Viewport};
use replay_store::digest::Digest;
use replay_store::event::{
    Activation, Actor, Event, EventKind, Form, MessageSource, Origin, Position, RecordedFrame, Rewind, ToolCall,
    ToolCaller, ToolOutcome, ToolSource, UtterCause, WriteRefusal, Writer,
};
use replay_store::name::Name;
use replay_store::rule::Rule;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;
use replay_store::visible;
use replay_tui::{App, Theme, draw};

use crate::frame::text;
use crate::stage::{made, press, screen, session, start};

const HOSTILE: &str = "a\u{1b}[2J\u{1b}]52;c;cm0gLXJm\u{7}\u{1b}]8;;http://x\u{1b}\\b\u{9b}31m\u{202e}c\u{200b}\u{e0041}\t\r\0\u{7f}\
                       e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}👨\u{200d}👩 你好\u{fe0f}\u{ad}\nz";

/// Paints the app as the debugger does and returns the bytes that the terminal gets.
fn bytes(app: &App) -> Vec<u8> {
    let mut bytes = Vec::new();
    {
        let options = TerminalOptions { viewport: Viewport::Fixed(app.area) };
        let backend = CrosstermBackend::new(&mut bytes);
        let mut terminal = Terminal::with_options(backend, options).expect("a fixed viewport asks for nothing");
        terminal.draw(|frame| draw(app, frame.area(), frame.buffer_mut())).expect("bytes can be written");
    }
    bytes
}

/// Nothing but our own control sequences reaches the terminal, and it shows what was painted.
fn check(app: &App, at: &str) {
    let bytes = bytes(app);
    let output = String::from_utf8(bytes.clone()).expect("screens are UTF-8");
    let mut rest = output.as_str();
    while let Some(start) = rest.find('\u{1b}') {
        let sequence =
            rest[start + 1..].strip_prefix('[').unwrap_or_else(|| panic!("{at}: not a CSI: {:?}", &rest[start..]));
        let end = sequence.find(|last: char| ('@'..='~').contains(&last)).expect("a CSI ends");
        let is_ours = matches!(&sequence[end..=end], "m" | "H" | "h" | "l");
        assert!(is_ours, "{at}: {:?}", &sequence[..=end]);
        assert_shown(&rest[..start], at);
        rest = &sequence[end + 1..];
    }
    assert_shown(rest, at);
    let size = |number| NonZero::new(number).expect("screens aren't empty");
    let mut terminal = vt100::Parser::new(size(app.area.height), size(app.area.width), 0);
    terminal.process(&bytes);
    let seen: Vec<String> = terminal.screen().rows(0, app.area.width).map(|row| row.trim_end().to_owned()).collect();
    let painted = text(&screen(app));
    assert_eq!(seen, painted.lines().collect::<Vec<_>>(), "{at}");
}

fn assert_shown(text: &str, at: &str) {
    for part in text.split(['␛', '␀', '␉', '␍', '␊', '␇', '␡', '⟨', '⍽']) {
        assert_eq!(visible::visible(part), part, "{at}");
    }
}

#[test]
fn nothing_raw_reaches_the_terminal_from_any_field() {
    let events = hostile_events();
    let count = events.len();
    for keys in ["p", "6 Enter z", "3 Enter Enter", "/ 你 Enter"] {
        let mut app = start(made(events.clone(), HOSTILE), (120, 40), Theme::Palette);
        press(&mut app, keys);
        for step in 0..=count {
            check(&app, &format!("keys {keys}, step {step}"));
            press(&mut app, "l");
        }
    }
}

#[test]
fn nothing_raw_reaches_the_terminal_from_any_panel() {
    let panels =
        ["K", "D z", "A", "P z", "! z", "f a Enter", "Ctrl-p", "gr", ": b", ": marks Enter", "v ] d =", "m a ? a"];
    let sessions = [|| made(hostile_events(), HOSTILE), || session("library-hostile.jsonl", Some("harbour-library"))];
    for open in sessions {
        for panel in panels {
            let mut app = start(open(), (120, 40), Theme::Palette);
            for step in 0..12 {
                press(&mut app, "Esc Esc 4 j j l");
                for keys in panel.split(' ') {
                    press(&mut app, keys);
                    check(&app, &format!("{panel}, step {step}"));
                }
            }
        }
    }
}

#[test]
fn the_hostile_sample_is_shown_as_it_is() {
    for size in [(80, 24), (200, 60)] {
        let mut app = start(session("library-hostile.jsonl", Some("harbour-library")), size, Theme::Palette);
        press(&mut app, "p");
        for step in 0..40 {
            check(&app, &format!("step {step}"));
            press(&mut app, "l");
        }
    }
}

#[test]
fn what_is_typed_is_shown_with_glyphs() {
    let mut app = start(made(Vec::new(), "empty"), (80, 24), Theme::Palette);
    press(&mut app, "/ a\u{202e}b");
    check(&app, "typing");
    assert!(text(&screen(&app)).contains("/a⟨U+202E⟩b"));
    press(&mut app, "Enter");
    check(&app, "searched");
}

/// An event of each kind, with hostile text wherever a text can stand.
fn hostile_events() -> Vec<Event> {
    let name = || Name::from(HOSTILE);
    let text = || HOSTILE.to_owned();
    let value = || {
        let text = || Value::Text(HOSTILE.to_owned());
        Arc::new(Value::Map(vec![(HOSTILE.to_owned(), Value::List(vec![text(), Value::Null, text()]))]))
    };
    let plain = || Arc::new(Value::Text(HOSTILE.to_owned()));
    let writer = || Writer {
        tool: Some(name()),
        skill: Some(name()),
        step: Some(name()),
        frame: Some(name()),
        call_id: Some(name()),
        arguments: text(),
        ..Writer::only(Actor::Tool)
    };
    let call = || ToolCall {
        tool: name(),
        arguments: text(),
        caller: ToolCaller::Model,
        skill: Some(name()),
        step: Some(name()),
        call_id: Some(name()),
    };
    let returned = |outcome| EventKind::ToolReturned {
        tool: name(),
        arguments: text(),
        result: text(),
        outcome,
        error: Some(text()),
        caller: ToolCaller::Model,
        skill: Some(name()),
        call_id: Some(name()),
        batch_id: Some(name()),
        source: ToolSource::Local,
    };
    let rule = Rule::parse("M33").expect("the rule exists");
    let buttons = Value::Map(vec![(
        "buttons".to_owned(),
        Value::List(vec![Value::Map(vec![("title".to_owned(), Value::Text(text()))])]),
    )]);
    let (skill, block, step) = (name(), name(), Some(name()));
    let kinds = vec![
        EventKind::SessionStarted {
            definition: Some(Digest([7; 32])),
            profile: None,
            initial: vec![(name(), value())],
        },
        EventKind::UserMessage { text: text(), channel: Some(name()), message_id: Some(name()) },
        EventKind::AgentMessage {
            text: text(),
            source: MessageSource::Template,
            response: Some(name()),
            model_millis: Some(1.5),
            data: Arc::new(buttons),
        },
        EventKind::SkillActivated { skill: skill.clone(), by: Activation::Model },
        EventKind::BlockEntered { skill: skill.clone(), block: block.clone() },
        EventKind::StackPatched {
            frames: Some(vec![RecordedFrame {
                frame: name(),
                skill: name(),
                block: Some(name()),
                step: step.clone(),
                interrupted: true,
            }]),
            patch: text(),
        },
        EventKind::MemoryWritten { key: name(), value: value(), writer: writer() },
        EventKind::MemoryWritten { key: Name::from(format!("project.{HOSTILE}")), value: plain(), writer: writer() },
        EventKind::MemoryWritten { key: Name::from(format!("project.{HOSTILE}")), value: value(), writer: writer() },
        EventKind::MemoryCleared { key: name(), writer: writer() },
        returned(ToolOutcome::Done),
        returned(ToolOutcome::Failed),
        returned(ToolOutcome::AwaitingConfirmation),
        returned(ToolOutcome::Declined),
        EventKind::BlockInterrupted { skill: skill.clone(), block: block.clone(), step: step.clone() },
        EventKind::BlockResumed { skill: skill.clone(), block: block.clone(), step: step.clone() },
        EventKind::BlockCompleted { skill: skill.clone(), block: block.clone(), step: step.clone() },
        EventKind::BlockCancelled { skill: skill.clone(), block: block.clone(), step: step.clone() },
        EventKind::SkillInterrupted { skill: skill.clone(), step: step.clone() },
        EventKind::SkillResumed { skill: skill.clone(), step: step.clone() },
        EventKind::SkillCompleted { skill: skill.clone() },
        EventKind::SkillCancelled { skill: skill.clone(), step: step.clone() },
        EventKind::StackPatched { frames: None, patch: text() },
        EventKind::ActionTaken { action: name(), policy: Some(name()), confidence: Some(0.5) },
        EventKind::Foreign { name: name() },
        EventKind::Foreign { name: Name::from("") },
        EventKind::SkillRefused { skill: skill.clone(), by: Activation::Model, rule },
        EventKind::SkillPending { skill: skill.clone(), resolver: name() },
        EventKind::SkillDeferred { skill: skill.clone() },
        EventKind::MemoryWriteRefused {
            asked: name(),
            key: Some(name()),
            value: value(),
            writer: writer(),
            refusal: WriteRefusal::MemoryWriteError,
            rule,
        },
        EventKind::MemoryReset { key: name(), value: value() },
        EventKind::ProjectEntryLocked { key: name() },
        EventKind::StepEntered { skill: skill.clone(), block: block.clone(), step: name() },
        EventKind::ToolCalled { call: call() },
        EventKind::ToolRefused { call: call(), rule },
        EventKind::ConfirmationAsked { call: call() },
        EventKind::ConfirmationAnswered { tool: name(), confirmed: false },
        EventKind::ResponseUttered { response: name(), why: UtterCause::Collect, skill: Some(name()) },
        EventKind::HistoryRewound { by: Rewind::Restart, cells: vec![(name(), value(), Some(Position(7)))], to: None },
        EventKind::TurnEnded,
        EventKind::SessionEnded,
    ];
    let origin = Origin::Imported { raw: 0, mirror: Some(1), form: Form::Flat };
    kinds
        .into_iter()
        .enumerate()
        .map(|(index, kind)| Event {
            time: Timestamp(index as i64),
            turn: (index > 1).then_some(1),
            cause: Some(Position(2)),
            origin: origin.clone(),
            kind,
        })
        .collect()
}
