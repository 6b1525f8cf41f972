//! Queries: what parses, what matches, and that searching either way visits the same events.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use replay_store::agent::definition::Definition;
use replay_store::event::Position;
use replay_store::explain::decisions::{Decision, DecisionKind, Verdict, decisions};
use replay_store::explain::query::{self, Direction, Needs, Search, Step};
use replay_store::import;
use replay_store::prompt::decided::{Offer, offered, offers};
use replay_store::prompt::{Moment, Tool};
use replay_store::replay::Session;

fn sample(session: &str, agent: &str) -> Session {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let bytes = std::fs::read(samples.join("sessions").join(session)).expect("the sample is there");
    let recording = import::read(Arc::new(bytes), session).expect("it reads").remove(0);
    let folder = replay_store::agent::source::read(&samples.join("agents").join(agent)).expect("it reads").0;
    Session::open(recording, Some(Arc::<Definition>::new(folder)), None)
}

fn fees() -> Session {
    sample("library-fees.jsonl", "harbour-library")
}

fn renewal() -> Session {
    sample("library-renewal.json", "harbour-library")
}

fn found(session: &Session, text: &str) -> Vec<u64> {
    let query = query::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    query::positions(&query, session).into_iter().map(|at| at.0).collect()
}

#[test]
fn an_event_is_found_by_what_it_is() {
    let session = renewal();
    assert_eq!(found(&session, "kind:memory_written key:member_id"), [6]);
    assert_eq!(found(&session, "key:project.member_*"), [6, 7]);
    assert_eq!(found(&session, "key:member_id|member_name"), [6, 7]);
    assert_eq!(found(&session, "at:6..7 and not key:member_name"), [6]);
    assert_eq!(found(&session, "(at:6 or at:9) turn:1"), [6, 9]);
    assert_eq!(found(&session, "at:..2"), [1, 2]);
    assert!(!found(&session, "text:'tides and tables'").is_empty(), "small letters match capitals");
    assert!(found(&session, "text:'TIDES and tables'").is_empty());
}

#[test]
fn an_event_is_found_by_what_holds_after_it() {
    let session = renewal();
    let end = session.end().0;
    assert_eq!(found(&session, "project.member_id == 'HS-20418'"), (6..=end).collect::<Vec<_>>());
    assert_eq!(found(&session, "member_id == 'HS-20418' and at:..7"), [6, 7], "a bare name is found in project memory");
    assert_eq!(found(&session, "not member_id at:4..6"), [4, 5], "an entry alone holds where it has a value");
    assert_eq!(found(&session, "changed(project.member_id)"), [6]);
    assert!(found(&session, "project.member_id < 3").is_empty(), "what can't be ordered doesn't match");
}

#[test]
fn an_event_is_found_by_what_was_decided() {
    let session = fees();
    let denied = found(&session, "denied(pay_fees.balance)");
    assert!(!denied.is_empty(), "an access list withholds it");
    assert_eq!(denied, found(&session, "verdict:denied and read(balance)"));
    for at in denied {
        assert_eq!(session.state(Position(at)).active_skill().map(|skill| skill.as_str()), Some("renew_loan"));
    }
    let calls = session.turns.iter().flat_map(|turn| turn.counted_calls()).map(|call| call.before.0);
    assert_eq!(found(&session, "kind:model_call"), calls.collect::<Vec<_>>());
}

#[test]
fn a_query_costs_no_more_than_it_needs() {
    for (text, needs) in [
        ("kind:turn_ended or tool:x", Needs::Event),
        ("verdict:refused|failed", Needs::Event),
        ("at:3 active:x", Needs::State),
        ("changed(x)", Needs::State),
        ("verdict:denied", Needs::Decisions),
        ("not (x == 1 or read(x))", Needs::Decisions),
    ] {
        assert_eq!(query::parse(text).expect("it parses").needs, needs, "{text}");
    }
}

#[test]
fn what_is_no_query_says_where_and_what_to_write() {
    for (text, span, message, help) in [
        ("", 0..0, "the query is empty", "for example: kind:memory_written"),
        ("kinds:x", 0..5, "`kinds:` is no filter", "did you mean `kind:`?"),
        ("at:1 knd:x", 5..8, "`knd:` is no filter", "did you mean `kind:`?"),
        ("kind:memory_writen", 5..18, "no kind is called `memory_writen`", "did you mean `memory_written`?"),
        ("kind:tool", 5..9, "no kind is called `tool`", "did you mean tool_returned or tool_called or tool_refused?"),
        ("kind: x", 0..5, "nothing stands behind `kind:`", "put a name there"),
        ("turn:3-5", 5..8, "`3-5` is no number and no range", "write 3, 3..5, 3.. or ..5"),
        ("verdict:no", 8..10, "no verdict is called `no`", "there are allowed"),
        ("a = 1", 2..3, "`=` has no place in a query", "write `==`"),
        ("a == 1 && b", 7..9, "`&&` has no place in a query", "write `and`"),
        ("a == true", 5..9, "`true` is no value here", "write `True`"),
        ("a == 'x", 5..7, "a string isn't closed", "close it with '"),
        ("(a == 1", 0..1, "a parenthesis isn't closed", "add `)`"),
        ("change(x)", 0..6, "`change` can't be asked of an entry", "did you mean `changed(…)`?"),
        ("pay.* == 1", 0..5, "`pay.*` stands for several entries", "name one entry"),
    ] {
        let error = query::parse(text).expect_err(text);
        assert_eq!((error.span.clone(), error.message.as_str()), (span, message), "{text}");
        let said = error.help.unwrap_or_default();
        assert!(said.starts_with(help), "{text}: {said}");
    }
}

#[test]
fn a_name_that_nothing_bears_is_told() {
    let session = renewal();
    let unknown = query::parse("project.membr_id == 1").expect("it parses").unknown_entries(&session);
    assert_eq!(unknown, [("project.membr_id".into(), Some("project.member_id".into()))]);
    assert!(query::parse("key:member_id changed(project.*)").expect("it parses").unknown_entries(&session).is_empty());
}

#[test]
fn fields_are_told_at_every_turn() {
    let session = renewal();
    let fields = query::fields("project.member_id, renew_loan.item_id == None").expect("they parse");
    let table = query::at_every_turn(&session, &fields);
    assert_eq!(table.fields, ["project.member_id", "renew_loan.item_id == None"]);
    assert_eq!(table.rows.len(), session.turns.len());
    for row in &table.rows {
        let state = session.state(row.position);
        assert_eq!(state.value("project.member_id"), Some(&row.values[0].value).filter(|value| !value.is_null()));
        assert_eq!(row.values[1].value.is_truthy(), state.value("renew_loan.item_id").is_none(), "turn {}", row.turn);
    }
}

fn all(session: &Session, text: &str, from: u64, direction: Direction, budget: u64) -> Vec<u64> {
    let query = query::parse(text).expect("it parses");
    let mut search = Search::new(query, session, Position(from), direction);
    let mut found = Vec::new();
    for _ in 0..100_000 {
        match search.step(session, budget) {
            Step::Found(at) => found.push(at.0),
            Step::Going { done, of } => assert!(done <= of, "{done} of {of}"),
            Step::End => return found,
        }
    }
    panic!("{text} never ends");
}

/// What is worked out for a query only is what is worked out for the whole step.
#[test]
fn a_step_matches_where_the_decisions_of_it_do() {
    for session in [fees(), renewal(), sample("bikes-gate.json", "kitebird-bikes")] {
        let check = |text: &str, wanted: &dyn Fn(&Decision) -> bool| {
            let places = (1..=session.end().0).filter(|at| decisions(&session, Position(*at)).iter().any(wanted));
            assert_eq!(found(&session, text), places.collect::<Vec<_>>(), "{text} of {}", session.id);
        };
        for verdict in Verdict::ALL {
            check(&format!("verdict:{}", verdict.word()), &|one| one.verdict == verdict);
        }
        let agent = session.agent.as_deref().expect("there is a folder");
        for entry in agent.entries() {
            let is_it = |one: &Decision| one.subject == *entry.key;
            check(&format!("read({})", entry.key), &|one| is_it(one) && one.kind == DecisionKind::Read);
            let is_no = |one: &Decision| matches!(one.verdict, Verdict::Denied | Verdict::Refused);
            check(&format!("denied({})", entry.key), &|one| is_it(one) && is_no(one));
        }
    }
}

/// What is handed on one by one is what a prompt lists.
#[test]
fn offers_one_by_one_are_all_that_there_are() {
    let text = |tool: &Tool| format!("{} {} {} {}", tool.name, tool.offered, tool.why, tool.schema.to_json());
    for session in [fees(), renewal(), sample("bikes-gate.json", "kitebird-bikes")] {
        let agent = session.agent.as_deref().expect("there is a folder");
        for at in (0..=session.end().0).map(Position) {
            let state = session.state(at);
            let moment = Moment::of_decisions(session.events_in(..=at), &Arc::default());
            let whole = offered(agent, session.profile.profile, &state, &moment);
            let (mut tools, mut targets, mut withheld) = (Vec::new(), Vec::new(), Vec::new());
            let _ = offers(agent, session.profile.profile, &state, &moment, &mut |offer| {
                match offer {
                    Offer::Tool(tool) => tools.push(text(&tool)),
                    Offer::Target(target) => targets.push(target),
                    Offer::Withheld(id, why) => withheld.push((id, why)),
                }
                ControlFlow::Continue(())
            });
            let mut expected: Vec<String> = whole.tools.iter().map(text).collect();
            expected.sort();
            tools.sort();
            assert_eq!((tools, targets, withheld), (expected, whole.targets, whole.withheld), "{} at {at}", session.id);
        }
    }
}

const QUERIES: [&str; 13] = [
    "kind:model_call or key:project.*",
    "not key:* and not tool:find_*",
    "verdict:failed|declined|waiting",
    "verdict:refused|allowed or tool:*",
    "verdict:denied and not (at:..20 or turn:4)",
    "kind:memory_*",
    "turn:2..3 or text:loan",
    "member_id",
    "changed(*)",
    "not changed(project.*) and active:renew_loan",
    "verdict:denied|empty",
    "read(item_id) or denied(balance)",
    "verdict:allowed kind:model_call",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_search_visits_the_same_events_in_slices_of_any_size_and_backwards(
        query in prop::sample::select(QUERIES.to_vec()),
        from in 0_u64..80,
        budget in 1_u64..90,
    ) {
        let session = fees();
        let expected = found(&session, query);
        let (before, after): (Vec<u64>, Vec<u64>) =
            expected.iter().filter(|at| **at != from).partition(|at| **at < from);
        prop_assert_eq!(all(&session, query, from, Direction::Forward, budget), after);
        let mut back = all(&session, query, from, Direction::Back, budget);
        back.reverse();
        prop_assert_eq!(back, before);
        let parsed = query::parse(query).expect("it parses");
        for at in 0..=session.end().0 + 1 {
            prop_assert_eq!(query::matches(&parsed, &session, Position(at)), expected.contains(&at), "{}", at);
        }
    }

    #[test]
    fn no_text_panics_and_what_parses_is_written_so_that_it_parses_to_the_same(text in any_query()) {
        if let Ok(query) = query::parse(&text) {
            let written = query.to_string();
            let again = query::parse(&written);
            prop_assert_eq!(again.as_ref(), Ok(&query), "{} written as {}", text, written);
        }
        if let Err(error) = query::parse(&text) {
            prop_assert!(error.span.start <= error.span.end && error.span.end <= text.len());
            prop_assert!(text.is_char_boundary(error.span.start) && text.is_char_boundary(error.span.end), "{:?}", error);
        }
        let _ = query::fields(&text);
    }
}

/// Words that queries are made of, in any order, and any other text.
fn any_query() -> impl Strategy<Value = String> {
    let words = vec![
        "and",
        "or",
        "not",
        "(",
        ")",
        ",",
        "kind:memory_*",
        "key:",
        "|",
        "turn:3..5",
        "at:..2",
        "verdict:denied",
        "text:",
        "'a b'",
        "\"q\\\"\\n\"",
        "project.tier",
        "==",
        "<=",
        "-1",
        "1.5e3",
        "1e999",
        "None",
        "True",
        "changed(",
        "read(x)",
        "session.session.a.b",
        "ł*",
        "a-b",
        "a.",
        "*",
        "'\\u00e9'",
        "=",
        "'",
        "\\",
        "9ab",
    ];
    let word = prop_oneof![4 => prop::sample::select(words).prop_map(str::to_owned), 1 => "\\PC{0,4}"];
    let blank = prop::sample::select(vec!["", " ", " ", " ", "\n"]);
    prop::collection::vec((word, blank), 0..12)
        .prop_map(|parts| parts.into_iter().map(|(word, blank)| format!("{word}{blank}")).collect())
}
