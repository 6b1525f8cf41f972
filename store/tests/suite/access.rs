//! A read that gives nothing says which kind of nothing, and prose tells where each piece of it comes from.

use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::session::access::{Found, Nothing, Reader, Site, read};
use replay_store::session::prose::{ProsePiece, scope, substitute};
use replay_store::session::{Cell, CellState, State};
use replay_store::value::Value;

const PRICES: &str =
    "---\nname: Prices\ndescription: Quotes\n---\nQuote for\n@memory.hold.depot and @memory.hold.tries.\n";

fn agent() -> Agent {
    let files = [
        ("memory.yml", "verified: {}\n"),
        (
            "skills/hold/memory.yml",
            "schema:\n  public: {depot: {}, tries: {initial_value: 0}, day: {}}\n  private: {pin: {}}\n",
        ),
        ("skills/prices/memory.yml", "access:\n  deny_read:\n    - hold.day\n"),
        ("skills/prices/skill.md", PRICES),
    ];
    let files = files.map(|(path, text)| (Name::from(path), Arc::from(text.as_bytes())));
    Agent::load(Arc::new(Definition { files: files.into_iter().collect() }), Some(Profile::Seed))
}

fn state(cells: &[(&str, Value, CellState)]) -> State {
    let mut state = State::default();
    for (key, value, kind) in cells {
        let value = Arc::new(value.clone());
        let cell = Cell { value, state: *kind, set_at: Some(Position(7)), previous: None, locked: false };
        state.memory.insert(Name::from(*key), cell);
    }
    state
}

fn nothing(state: &State, name: &str) -> Nothing {
    let reader = Reader { skill: Some("prices"), site: Site::Tool };
    match read(&agent(), Profile::Seed, state, reader, name).found {
        Found::Nothing(nothing) => nothing,
        Found::Value { value, .. } => panic!("{name} gives {value}"),
    }
}

#[test]
fn each_kind_of_nothing_is_told_apart() {
    let at = Some(Position(7));
    let set = state(&[("hold.pin", Value::Int(1), CellState::Set), ("hold.day", Value::Int(1), CellState::Set)]);
    let gone = state(&[("hold.depot", Value::Null, CellState::Cleared), ("verified", Value::Null, CellState::Set)]);
    let reset = state(&[("hold.depot", Value::Null, CellState::Reset)]);
    assert_eq!(nothing(&set, "hold.depot"), Nothing::NeverWritten);
    assert_eq!(nothing(&gone, "hold.depot"), Nothing::Cleared { at });
    assert_eq!(nothing(&reset, "hold.depot"), Nothing::Reset { at });
    assert_eq!(nothing(&set, "hold.nope"), Nothing::Undeclared);
    assert_eq!(nothing(&set, "system.channel"), Nothing::Reserved);
    assert!(
        matches!(nothing(&set, "hold.pin"), Nothing::Private { owner, declared_at, .. } if owner == "hold" && declared_at.line == 3)
    );
    assert!(matches!(nothing(&set, "hold.day"), Nothing::Denied { by } if by.line == 3 && by.column == 7));
}

#[test]
fn only_a_value_that_was_taken_away_is_nothing_since_an_event() {
    let at = Some(Position(7));
    for (kind, expected) in [(CellState::Cleared, at), (CellState::Reset, at), (CellState::Initial, None)] {
        let state = state(&[("hold.depot", Value::Null, kind)]);
        assert_eq!(nothing(&state, "hold.depot").since(), expected, "{kind:?}");
    }
}

#[test]
fn a_reset_entry_has_the_initial_value_of_its_declaration() {
    let agent = agent();
    let reader = Reader { skill: Some("prices"), site: Site::Prompt };
    let reset = state(&[("hold.tries", Value::Null, CellState::Reset)]);
    for (state, set_at) in [(State::default(), None), (reset, Some(Position(7)))] {
        let decision = read(&agent, Profile::Seed, &state, reader, "hold.tries");
        let Found::Value { value, set_at: found, declared_at, .. } = decision.found else { panic!("it has a value") };
        assert_eq!((&*value, found), (&Value::Int(0), set_at));
        assert_eq!(declared_at.map(|at| at.line), Some(2));
    }
}

#[test]
fn each_piece_of_prose_has_its_line_or_its_read() {
    let agent = agent();
    let state = State::default();
    let skill = &agent.skills["prices"];
    let scoped = scope(&agent, Profile::Seed, &state, skill);
    let pieces = substitute(&agent, Profile::Seed, &state, Some("prices"), &scoped[0].paragraph.prose);
    let told: Vec<String> = pieces
        .iter()
        .map(|piece| match piece {
            ProsePiece::Written { text, line } => format!("{line}:{text}"),
            ProsePiece::Value { text, token, .. } => format!("{}={text}", token.at.line),
            ProsePiece::Left { text, token, .. } => format!("{}!{text}", token.at.line),
        })
        .collect();
    assert_eq!(told, ["5:Quote for\n", "6!@memory.hold.depot", "6: and ", "6=0", "6:."]);
}
