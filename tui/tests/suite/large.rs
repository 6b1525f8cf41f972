//! Large values: folded away with their size, unfolded by a key, and never cut without a word.

use replay_store::event::{
    Actor, Event, EventKind, MessageSource, Origin, ToolCaller, ToolOutcome, ToolSource, Writer,
};
use replay_store::replay::Session;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;
use replay_tui::Theme;
use replay_tui::app::Wish;

use crate::stage::{made, play, press, renewal, renewal_with, screen, start};

const LINES: usize = 2000;

/// A write of a text of 24 kB, a tool that returns JSON of 30 kB, and a message of a megabyte without a break.
fn large() -> Session {
    let event = |kind| Event { time: Timestamp(0), turn: Some(1), cause: None, origin: Origin::Added, kind };
    let text: String = (0..LINES).map(|line| format!("row {line:05}\n")).collect();
    let json = format!("{{\"items\":[{}]}}", vec!["{\"id\": 7}"; 3000].join(","));
    let kinds = vec![
        EventKind::MemoryWritten {
            key: "a.text".into(),
            value: Value::Text(text).into(),
            writer: Writer::only(Actor::Model),
        },
        EventKind::ToolReturned {
            tool: "find".into(),
            arguments: "{}".into(),
            result: json,
            outcome: ToolOutcome::Done,
            error: None,
            caller: ToolCaller::Model,
            skill: None,
            call_id: None,
            batch_id: None,
            source: ToolSource::Unknown,
        },
        EventKind::AgentMessage {
            text: "word ".repeat(200_000),
            source: MessageSource::Model,
            response: None,
            model_millis: None,
            data: Value::Null.into(),
        },
    ];
    made(kinds.into_iter().map(event).collect(), "large")
}

/// After the keys the screen has all of the first texts and none of the others.
fn check(keys: &str, has: &[&str], lacks: &[&str]) {
    let screen = play(large(), keys);
    for words in has {
        assert!(screen.contains(words), "keys {keys}: {words} is missing\n{screen}");
    }
    for words in lacks {
        assert!(!screen.contains(words), "keys {keys}: {words} is there\n{screen}");
    }
}

#[test]
fn memory_tells_kind_size_and_beginning_of_a_large_value() {
    check("l 3 Enter", &["text = never written", "▸ text, 20.0 kB: row 00000"], &[]);
    check("2l 3 Enter z", &["text = ▸ text, 20.0 kB: row 00000 row 00001 "], &[]);
}

#[test]
fn the_story_of_an_entry_has_the_whole_value_one_key_away() {
    check("2l 3 Enter z j Enter", &["story of a.text", "▸ text, 20.0 kB: row 00000 row 00001"], &["\nrow 00001"]);
    check("2l 3 Enter z j Enter j Enter", &["▾ text, 20.0 kB", "\nrow 00001"], &[]);
    check("2l 3 Enter z j Enter j Enter G", &["row 01999", "1 memory written"], &[]);
    check("2l 3 Enter z j Enter j Enter 9j Enter", &["▸ text, 20.0 kB"], &["\nrow 00001"]);
}

#[test]
fn the_event_has_large_parts_folded_and_json_in_two_forms() {
    check("2l 6 Enter z", &["result     ▸ JSON, 30.0 kB: {\"items\":["], &["\"id\": 7\n"]);
    let open = "2l 6 Enter z / result Enter Enter";
    check(open, &["result     ▾ JSON, 30.0 kB", "  \"items\": [\n", "      \"id\": 7\n"], &[]);
    check(&format!("{open} J"), &["JSON is shown as it is", "{\"items\":[{\"id\": 7},{"], &["  \"items\": ["]);
    check(&format!("{open} J l h"), &["▸ JSON"], &[]);
    check(&format!("{open} J J J"), &["  \"items\": [\n"], &[]);
    check(&format!("{open} Enter"), &["▸ JSON, 30.0 kB"], &["\"items\": ["]);
}

#[test]
fn a_message_of_a_megabyte_is_begun_and_said_to_go_on() {
    check("G 2 Enter", &["▸ the beginning of 1.0 MB; Enter goes"], &[]);
    check("G 6 Enter z", &["text       ▸ text, 1.0 MB: word word"], &[]);
    check("G 6 Enter z / spoken Enter k k Enter G u u", &["↪ word word"], &[]);
}

#[test]
fn a_search_unfolds_what_it_finds() {
    check("l 6 Enter z / 01234 Enter", &["row 01234", "1 of 1"], &[]);
    check("2l 3 Enter z j Enter / 01234 Enter", &["row 01234", "▶3 memory: story"], &[]);
    let screen = play(renewal(), "20G 3 Enter z g Enter / tides Enter");
    assert!(screen.contains("loans") && !screen.contains("▸ project"), "{screen}");
    let screen = play(renewal(), "20G 3 Enter z g Enter / nowhere Enter");
    assert!(screen.contains("▸ project"), "what has no match stays folded\n{screen}");
}

#[test]
fn raw_records_are_folded_away_with_enter_and_shown_as_they_are_with_j() {
    let screen = play(renewal(), "]c 6 Enter z G");
    assert!(screen.contains("▾ raw record") && screen.contains("  \"event\": "), "{screen}");
    let raw = play(renewal(), "]c 6 Enter z J G");
    assert!(!raw.contains("  \"event\": "), "{raw}");
    let folded = play(renewal(), "]c 6 Enter z G Enter");
    assert!(folded.contains("▸ raw record"), "{folded}");
}

/// The result of a tool in the messages of a prompt is folded like any other; what stands below it keeps its place.
#[test]
fn large_messages_of_a_prompt_are_folded_with_their_size() {
    let json = format!("{{\"items\":[{}]}}", vec!["{\"id\": 7}"; 3000].join(","));
    let session = || {
        renewal_with(|kind| match kind {
            EventKind::ToolReturned { tool, result, .. } if *tool == *"find_loan" => result.clone_from(&json),
            _ => {}
        })
    };
    let seen = |keys: &str| play(session(), keys);
    let folded = seen("22G p z /result Space of Space find_loan Enter");
    assert!(folded.contains("result of find_loan: ▸ JSON, 30.0 kB: {\"items\":["), "{folded}");
    let unfolded = seen("22G p z /result Space of Space find_loan Enter Enter jjjj");
    assert!(unfolded.contains("▾ JSON, 30.0 kB") && unfolded.contains("\"id\": 7\n"), "{unfolded}");
    let raw = seen("22G p z /result Space of Space find_loan Enter Enter J");
    assert!(raw.contains("{\"items\":[{\"id\": 7},{\"id\": 7}"), "{raw}");
    let tools = seen("22G p z /result Space of Space find_loan Enter Enter ]]");
    assert!(tools.contains("── tools, ") && tools.contains("offered activate"), "{tools}");
    let why = seen("22G p z /result Space of Space find_loan Enter Enter ]] j K");
    assert!(why.contains("why tool "), "{why}");
    let mut app = start(session(), (80, 24), Theme::Plain);
    press(&mut app, "22G p z /result Space of Space find_loan Enter Enter jjjjjjj yv");
    let Some(Wish::Copy(clipping)) = app.wish.take() else { panic!("{:?}", app.message) };
    assert_eq!((clipping.text.as_str(), clipping.what.as_str()), ("7", "the value of messages[7].items[0].id"));
    assert!(crate::frame::text(&screen(&app)).contains("messages["));
}
