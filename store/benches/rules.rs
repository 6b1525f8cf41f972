//! How long a decision takes: one read, one write, a condition of ten operands, a wish.
//!
//! Prints one line a figure: the median of many rounds, and what it has to stay under.

#![allow(clippy::print_stdout, reason = "a bench reports on stdout")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::event::{Event, Origin};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::session::access::{Reader, Site, WriteBy, WriteRequest, read, write};
use replay_store::session::decide::{Command, Write, decide};
use replay_store::session::gate::gate;
use replay_store::session::{State, evolve};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A skill among a hundred, with ten operands in its gate.
const HOLD: &str = "---\nname: Hold\ndescription: d\ntool_constraints:\n  - release:\n      requires: >\n        \
                    session.hold.a == 'x' and session.hold.b != None and session.project.verified and 0 <= \
                    session.hold.n < 9 and not session.prices.zone == 'us' and session.hold.a\n---\nHelp.\n";
const HOLD_MEMORY: &str = "schema:\n  public:\n    a: {type: text, llm_settable: true, description: d}\n    b: {type: text}\n    \
                           n: {type: int}\n  private:\n    pin: {type: text}\naccess:\n  deny_read: [prices.quote]\n  \
                           deny_write: [project.verified]\n";

fn main() {
    let agent = agent();
    let profile = Profile::Seed;
    let state = state(&agent);
    let value = Value::Text("x".to_owned());
    let reader = Reader { skill: Some("hold"), site: Site::Tool };
    let reads = [("own", "a"), ("project", "project.verified"), ("foreign", "prices.zone"), ("denied", "prices.quote")];
    for (label, name) in reads {
        measure(&format!("read, {label}"), 1_000, || {
            black_box(read(&agent, profile, &state, reader, black_box(name)));
        });
    }
    let writes = [
        ("stored", WriteBy::Tool, "b"),
        ("by the model", WriteBy::SetFields, "a"),
        ("foreign", WriteBy::Tool, "prices.zone"),
        ("denied", WriteBy::Tool, "verified"),
        ("undeclared", WriteBy::Tool, "nothing"),
    ];
    for (label, by, name) in writes {
        let request = WriteRequest { skill: Some("hold"), by, name, value: &value };
        measure(&format!("write, {label}"), 1_000, || {
            black_box(write(&agent, profile, &state, black_box(request)));
        });
    }
    let constraint = agent.skills["hold"].constraint("release").and_then(|constraint| constraint.requires.as_ref());
    let requires = constraint.expect("the bench's skill has a gate");
    let decision = gate(&agent, profile, &state, Some("hold"), requires);
    assert!(decision.is_open(), "every operand is read");
    measure("condition of ten operands", 2_000, || {
        black_box(gate(&agent, profile, &state, Some("hold"), black_box(requires)));
    });
    let wish = Command::Write(Write { by: WriteBy::Tool, name: "b".into(), value, tool: None, call_id: None });
    measure("wish to write, with its events", 100_000, || {
        black_box(decide(&agent, profile, &state, black_box(wish.clone()))).expect("the wish makes sense");
    });
}

/// Prints the median time of a call over rounds of a thousand calls.
fn measure(label: &str, most_nanos: u128, mut call: impl FnMut()) {
    const CALLS: u128 = 1_000;
    let mut rounds: Vec<u128> = (0..101)
        .map(|_| {
            let start = Instant::now();
            (0..CALLS).for_each(|_| call());
            start.elapsed().as_nanos() / CALLS
        })
        .collect();
    rounds.sort_unstable();
    let median = rounds[rounds.len() / 2];
    let verdict = if median < most_nanos { "ok" } else { "TOO SLOW" };
    println!("{label:<32} {median:>7} ns  (under {most_nanos} ns: {verdict})");
}

fn agent() -> Agent {
    let mut definition = Definition::default();
    let mut put = |path: String, text: &str| definition.files.insert(Name::from(path), Arc::from(text.as_bytes()));
    put("agent.yml".to_owned(), "agent: {persona: p}\n");
    put("memory.yml".to_owned(), "verified: {type: bool}\nphone: {type: text}\n");
    put("skills/hold/skill.md".to_owned(), HOLD);
    put("skills/hold/memory.yml".to_owned(), HOLD_MEMORY);
    put("skills/prices/skill.md".to_owned(), "---\nname: P\ndescription: d\n---\nQuote.\n");
    put("skills/prices/memory.yml".to_owned(), "schema: {public: {zone: {type: text}, quote: {type: float}}}\n");
    for number in 0..98 {
        put(format!("skills/other_{number}/skill.md"), "---\nname: O\ndescription: d\n---\nHelp.\n");
        put(format!("skills/other_{number}/memory.yml"), "schema: {public: {a: {type: text}, b: {type: text}}}\n");
    }
    Agent::load(Arc::new(definition), Some(Profile::Seed))
}

/// Returns a session in which the skill is active and its entries are set.
fn state(agent: &Agent) -> State {
    let mut state = State::default();
    let write = |name: &str, value: Value| {
        Command::Write(Write { by: WriteBy::Engine, name: name.into(), value, tool: None, call_id: None })
    };
    let text = |text: &str| Value::Text(text.to_owned());
    let wishes = [
        Command::StartSession { definition: None, metadata: Vec::new() },
        Command::Activate { skill: "hold".into() },
        write("hold.a", text("x")),
        write("hold.b", text("y")),
        write("hold.n", Value::Int(3)),
        write("prices.zone", text("eu")),
        write("project.verified", Value::Bool(true)),
    ];
    for wish in wishes {
        let events = decide(agent, Profile::Seed, &state, wish).expect("the wish makes sense");
        for kind in events {
            let origin = Origin::Recorded;
            evolve(&mut state, &Event { time: Timestamp(0), turn: None, cause: None, origin, kind });
        }
    }
    state
}
