//! Moving through a session: stops, breakpoints in both directions, marks, jumps.

use replay_store::event::{Actor, Event, EventKind, Origin, Position, Writer};
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;
use replay_tui::key::Key;
use replay_tui::{Action, App, Theme, update};

use crate::frame::text;
use crate::stage::{foot, made, play, press, renewal, screen, start};

fn cursor(app: &App) -> u64 {
    app.debugger.as_ref().expect("a session is open").cursor.0
}

/// After the keys the cursor stands at `expected`.
fn check(keys: &str, expected: u64) {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    assert_eq!(cursor(&app), expected, "keys {keys}");
}

/// After the keys the row at the bottom says `expected`.
fn says(keys: &str, expected: &str) {
    let screen = play(renewal(), keys);
    let foot = foot(&screen);
    assert!(foot.contains(expected), "keys {keys}: {foot}");
}

/// A session with a write of `a.count` at each position.
fn counting(events: u64) -> replay_store::replay::Session {
    let write = |index: u64| Event {
        time: Timestamp(index as i64 * 1_000_000),
        turn: Some(1),
        cause: None,
        origin: Origin::Added,
        kind: EventKind::MemoryWritten {
            key: "a.count".into(),
            value: Value::Int(index.into()).into(),
            writer: Writer::only(Actor::Model),
        },
    };
    made((1..=events).map(write).collect(), "counting")
}

#[test]
fn locks_and_verdicts_are_stops() {
    check("]l", 6);
    check("]l ]l ]l", 8);
    check("]l ]l [l", 6);
    says("G ]l", "no later lock");
    check("2]v", 6);
}

#[test]
fn a_step_can_be_larger_than_an_event() {
    check("s l l", 6);
    check("s s l", 9);
    check("s s s s l l h", 15);
    check("s s s s s s l", 1);
    says("s", "l and h step by verdict");
    assert!(play(renewal(), "s s").contains("steps by tool call"), "the row on top tells, too");
}

#[test]
fn continuing_stops_at_breakpoints_both_ways() {
    check("12G b g c", 12);
    check("12G b G C", 12);
    check("12G b 20G b g 2c", 20);
    check("29G B G C", 55);
    check("29G B g c", 9);
    says("12G b g c", "stopped at 12: at 12");
    says("c", "no breakpoint yet");
    says("12G b G c", "no later event with a breakpoint");
    says("12G b b", "breakpoint taken away: at 12");
    says("b", "nothing is applied here");
}

#[test]
fn a_watchpoint_stops_where_its_entry_changes_both_ways() {
    // The entry is written at 19 and 35; the write of 45 is another entry's.
    check(": 3 5 Enter 3 Enter b Esc g c", 19);
    check(": 3 5 Enter 3 Enter b Esc G C C", 19);
    says(": 3 5 Enter 3 Enter b Esc G C", "stopped at 35: renew_loan.item_id changes");
}

#[test]
fn a_long_scan_goes_in_slices_and_esc_leaves_the_cursor_where_it_was() {
    let mut app = start(counting(60_000), (80, 24), Theme::Plain);
    press(&mut app, "B");
    update(&mut app, Action::Press(Key("l".to_owned())));
    press(&mut app, "5000G");
    press(&mut app, "]");
    update(&mut app, Action::Press(Key("u".to_owned())));
    assert!(app.is_busy(), "no user message is in the first slices");
    let foot = text(&screen(&app)).lines().last().unwrap_or_default().to_owned();
    assert!(foot.contains("looking at 21384, 29 % done; Esc stops"), "{foot}");
    update(&mut app, Action::Press(Key("Esc".to_owned())));
    assert!(!app.is_busy());
    assert_eq!(cursor(&app), 5000);
    press(&mut app, "]u");
    assert_eq!(cursor(&app), 5000);
    assert!(text(&screen(&app)).contains("no later user message"));
}

#[test]
fn a_scan_that_went_on_between_keys_is_a_jump() {
    let mut app = start(counting(60_000), (80, 24), Theme::Plain);
    press(&mut app, "50000G b 7G c");
    assert_eq!(cursor(&app), 50_000);
    press(&mut app, "Ctrl-o");
    assert_eq!(cursor(&app), 7);
}

#[test]
fn marks_are_set_and_gone_to() {
    check("12G m a G ' a", 12);
    check("12G m a G ' a Ctrl-o", 57);
    check("12G m a 20G m a g ' a", 20);
    check("12G 20G ' '", 12);
    says("12G m a", "mark a is at 12");
    says("' x", "there is no mark x");
    says("m ;", "a mark is named by a letter or a digit");
    let screen = play(renewal(), "12G m a j");
    assert!(screen.lines().any(|line| line.starts_with("a12")), "the timeline shows it: {screen}");
}

#[test]
fn pages_have_keys_of_their_own_now_that_b_is_a_breakpoint() {
    check("G PageUp", 39);
    check("G Ctrl-b", 39);
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, "12G b");
    assert_eq!(cursor(&app), 12);
    let position = app.debugger.as_ref().map(|debugger| debugger.cursor);
    assert_eq!(position, Some(Position(12)));
}

#[test]
fn the_writes_of_a_value_are_walked_from_wherever_it_stands() {
    // From its write on the timeline, to the one before and the one after.
    check("35G gd", 19);
    check("19G gD", 35);
    says("35G gD", "no later change of renew_loan.item_id");
    says("19G gd", "renew_loan.item_id has no earlier write");
    // From the row of the prompt that shows it, and on from memory.
    // The first row with it is what a tool returned, the second one the entry.
    check("41G p z / 0093 Enter gd", 36);
    check("41G p z / 0093 Enter n gd", 35);
    check("41G p z / 0093 Enter n gd gd", 19);
    // From the answer that explains it.
    check("41G 3 Enter / item_id Enter K gd", 35);
    says("1G gd", "gd goes to the event that set a value");
}

#[test]
fn a_pinned_position_is_compared_with_the_cursor() {
    let mut app = start(renewal(), (200, 60), Theme::Plain);
    press(&mut app, "19G v 35G =");
    let seen = text(&screen(&app));
    assert!(seen.contains("difference from 19 to 35"), "{seen}");
    assert!(seen.contains("renew_loan.item_id: C-1187 → C-0093  at 35"), "{seen}");
    says("=", "nothing is pinned: v pins the position");
    says("19G v =", "the cursor is at the pinned position 19");
    says("19G v v", "nothing is pinned any more");
}

#[test]
fn the_reads_of_a_value_are_listed() {
    let mut app = start(renewal(), (200, 60), Theme::Plain);
    press(&mut app, "35G gr");
    let seen = text(&screen(&app));
    assert!(
        seen.contains("reads of renew_loan.item_id") && seen.contains("reads by reader, the last one first"),
        "{seen}"
    );
    // What reads a value at every call is told once, and the value with it, short and with its size.
    let mut app = start(renewal(), (120, 40), Theme::Plain);
    press(&mut app, "8G gr z");
    let seen = text(&screen(&app));
    assert!(seen.contains("8× allowed: the section project_memory of the prompt shows it"), "{seen}");
    assert_eq!(seen.matches("got \"Tides and Tables").count(), 1, "{seen}");
    assert!(seen.contains("characters)") && seen.contains("got the same"), "{seen}");
    press(&mut app, "/turn Space 3 Enter Enter");
    assert!(text(&screen(&app)).contains("27/57"), "a read leads to its place: {}", text(&screen(&app)));
    says("1G gr", "gr lists the reads of a value");
}
