//! Keys in, screen out.

use proptest::prelude::*;
use replay_store::event::Position;
use replay_tui::app::Wish;
use replay_tui::key::{BINDINGS, Key};
use replay_tui::sessions::{List, SessionRow};
use replay_tui::{Action, App, Theme, update};

use crate::frame::text;
use crate::stage::{foot, play, press, renewal, screen, session, start};

fn app() -> App {
    start(renewal(), (80, 24), Theme::Plain)
}

fn cursor(app: &App) -> u64 {
    app.debugger.as_ref().expect("a session is open").cursor.0
}

/// After the keys the cursor stands at `expected`.
fn check(keys: &str, expected: u64) {
    let mut app = app();
    press(&mut app, keys);
    assert_eq!(cursor(&app), expected, "keys {keys}");
}

#[test]
fn events_are_stepped_one_by_one_with_counts_and_never_past_an_end() {
    check("j j j k", 2);
    check("Down Down Up", 1);
    check("l l h", 1);
    check("k", 0);
    check("12j", 12);
    check("12j5k", 7);
    check("G j", 57);
    check("G g", 0);
    check("G g g", 0);
    check("29G", 29);
    check("29g", 29);
}

#[test]
fn a_key_that_begins_a_sequence_shows_what_may_follow() {
    for (keys, expected) in [
        ("y", &["y … y row", "v value", "c command", "r report for a ticket"][..]),
        ("]", &["] … c tool call", "t turn", "w write", "v verdict", "] section of the prompt"]),
        ("[", &["[ … c tool call", "v verdict", "[ section of the prompt"]),
        ("g", &["g … d what set the value", "r its reads"]),
        ("m", &["m … a-z 0-9 marks the event by that name"]),
        ("'", &["' … a-z 0-9 goes to that mark; none is set yet", "' back from the last jump"]),
        ("12G m a '", &["' … a at 12", "' back from the last jump"]),
    ] {
        let screen = play(renewal(), keys);
        for words in expected {
            assert!(screen.contains(words), "keys {keys}: {words} is missing\n{screen}");
        }
    }
    let mut app = app();
    press(&mut app, "]");
    update(&mut app, Action::Pause);
    press(&mut app, "t");
    assert_eq!(cursor(&app), 15, "what means nothing alone waits for the key behind it");
}

#[test]
fn a_key_that_means_nothing_says_so_with_what_is_near() {
    for (keys, expected) in [
        ("w", "w means nothing alone, but [w ]w do; ? shows all keys"),
        ("X", "X means nothing here; ? shows all keys"),
        ("Z", "Z means nothing here, but z does; ? shows all keys"),
        ("]x", "]x means nothing: behind ] comes one of c t u w s p d l o v ]"),
        ("yq", "yq means nothing: behind y comes one of y v k p c r"),
    ] {
        let screen = play(renewal(), keys);
        assert!(screen.contains(expected), "keys {keys}: {expected} is missing\n{screen}");
    }
    check("3j ]q", 3);
    assert!(!play(renewal(), "] Esc").contains("means nothing"));
}

#[test]
fn a_message_longer_than_its_row_goes_on_in_rows_above_it() {
    let said = play(session("library-renewal.json", None), "H");
    let words = "a prompt is recomputed from the agent folder, and there is none: name it with";
    assert!(said.contains(words) && said.trim_end().ends_with("--agent DIR"), "{said}");
    let mut app = start(session("library-renewal.json", None), (50, 12), Theme::Plain);
    press(&mut app, "j");
    assert!(text(&screen(&app)).trim_end().ends_with("? help  q quit"), "help and the way out are never cut");
    press(&mut app, "gr");
    assert!(text(&screen(&app)).contains("row of the prompt or an answer"), "{}", text(&screen(&app)));
}

#[test]
fn a_line_that_is_typed_shows_its_end() {
    let long = "x".repeat(100);
    let screen = play(renewal(), &format!("/ {long}end"));
    assert!(screen.trim_end().ends_with("xxend") && screen.contains("/…xx"), "{screen}");
}

#[test]
fn stops_are_walked_both_ways() {
    check("]t", 15);
    check("]t ]t", 26);
    check("G [t", 42);
    check("2 ]t", 26);
    check("29G ]u", 34);
    check("29G [u", 27);
    check("]c", 9);
    check("29G ]w", 33);
    check("29G [w", 28);
    check("G [p", cursor_of_last_call());
}

fn cursor_of_last_call() -> u64 {
    let session = renewal();
    session.turns.iter().flat_map(|turn| &turn.calls).last().expect("the sample has calls").before.0
}

#[test]
fn a_step_that_finds_nothing_says_so_and_stays() {
    let screen = play(renewal(), "G ]w");
    assert!(screen.contains("no later write"), "{screen}");
    check("G ]w", 57);
}

#[test]
fn commands_go_where_they_say() {
    check(": 3 0 Enter", 30);
    check(": turn Space 2 Enter", 26);
    assert!(play(renewal(), ": 9 9 Enter").contains("there is no position 99: the session has 0 to 57"));
    assert!(play(renewal(), ": foo Enter").contains("unknown command foo"));
    let session = renewal();
    let expected = session.position_of_raw(40).expect("there are that many").0;
    check(": raw Space 40 Enter", expected);
}

/// After the keys, on a session with a folder or without it, the cursor stands there and the row at the bottom says so.
fn check_trouble(agent: Option<&str>, keys: &str, expected: u64, words: &str) {
    let mut app = start(session("library-renewal.json", agent), (120, 40), Theme::Plain);
    press(&mut app, keys);
    let screen = text(&screen(&app));
    let foot = foot(&screen);
    assert_eq!(cursor(&app), expected, "keys {keys}: {foot}");
    assert!(foot.contains(words), "keys {keys}: {foot}");
}

#[test]
fn what_was_refused_and_what_a_rule_denied_are_stops_and_said_to_be_recorded_or_recomputed() {
    check_trouble(None, "]d", 29, "recorded: tool declined, not run renew_it");
    check_trouble(None, "]d ]d ]d", 48, "no later refusal, denial or failure");
    let library = Some("harbour-library");
    check_trouble(library, "]d", 18, "recomputed: pay_fees.balance: None: denied by skills/renew_loan/memory.yml:18");
    check_trouble(library, "27G ]d", 29, "recorded: tool declined");
    check_trouble(library, "29G [d", 27, "recomputed: ");
}

#[test]
fn a_declined_tool_reads_as_one_that_never_ran() {
    let screen = play(renewal(), "29G");
    assert!(screen.contains("× declined, never ran: renew_it"), "{screen}");
}

#[test]
fn a_failed_model_call_is_called_so() {
    let screen = play(session("bikes-gate.json", Some("kitebird-bikes")), "]d 1 Enter");
    assert!(screen.contains("model call failed"), "{screen}");
}

#[test]
fn without_a_folder_the_prompt_names_the_flag_in_one_sentence() {
    let mut app = start(session("library-renewal.json", None), (120, 40), Theme::Plain);
    press(&mut app, "G p z");
    let screen = text(&screen(&app));
    assert!(screen.contains("there is none: name it with --agent DIR."), "{screen}");
    assert!(screen.contains("agent none"), "{screen}");
}

#[test]
fn the_prompt_says_which_call_it_is_and_can_be_hypothetical() {
    let mut app = start(renewal(), (200, 60), Theme::Plain);
    press(&mut app, "29G p");
    let recorded = text(&screen(&app));
    assert!(recorded.contains("5 prompt call 1 of turn 3"), "{recorded}");
    press(&mut app, "H");
    let hypothetical = text(&screen(&app));
    assert!(hypothetical.contains("5 prompt hypothetical, at 29"), "{hypothetical}");
    press(&mut app, "H");
    assert_eq!(text(&screen(&app)), recorded);
}

#[test]
fn the_value_before_and_its_writer_are_one_key_away() {
    let mut app = app();
    press(&mut app, ": 3 5 Enter 3 Enter");
    let memory = text(&screen(&app));
    assert!(memory.contains("before: C-1187 at 19"), "{memory}");
    press(&mut app, "Enter");
    let story = text(&screen(&app));
    assert!(story.contains("story of renew_loan.item_id"), "{story}");
    assert!(story.contains("C-0093") && story.contains("C-1187"), "{story}");
    press(&mut app, "Esc gd");
    assert_eq!(cursor(&app), 19, "the cursor stood at the write already, so gd goes to the one before");
}

#[test]
fn a_search_counts_its_hits_and_goes_round() {
    let screen = play(renewal(), "/ tides Enter");
    assert!(screen.contains("/tides: 1 of "), "{screen}");
    let screen = play(renewal(), "/ tides Enter N");
    let last = screen.lines().last().unwrap_or_default().trim().to_owned();
    let (number, total) = last.strip_prefix("/tides: ").and_then(|rest| rest.split_once(" of ")).expect("it counts");
    assert_eq!(number, total, "back from the first hit is the last one");
    assert!(play(renewal(), "/ xyzzy Enter").contains("/xyzzy: not found"));
    assert!(play(renewal(), "n").contains("nothing was searched for yet"));
}

#[test]
fn jumps_are_gone_back_from_and_forward_again() {
    check("]t ]t 40G Ctrl-o", 26);
    check("]t ]t 40G Ctrl-o Backspace", 15);
    check("]t ]t 40G Ctrl-o Ctrl-o )", 26);
    check("j j : 3 0 Enter Ctrl-o", 2);
    check("j j / tides Enter Ctrl-o", 2);
    assert!(play(renewal(), "j Ctrl-o").contains("no jump to go back from"), "a step is no jump");
}

#[test]
fn the_way_from_a_row_of_the_prompt_to_its_event_leads_back() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, "35G p z / 1187 Enter");
    let prompt = text(&screen(&app));
    assert!(prompt.contains("in the prompt: 1 of"), "{prompt}");
    press(&mut app, "Enter");
    let event = text(&screen(&app));
    assert!(event.contains("▶6 event") && event.contains("Ctrl-o goes back to the prompt"), "{event}");
    press(&mut app, "Ctrl-o");
    assert_eq!(cursor(&app), 35);
    let rows = |screen: &str| screen.lines().take(20).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&text(&screen(&app))), rows(&prompt));
}

#[test]
fn every_row_of_the_prompt_says_where_it_comes_from() {
    for size in [(80, 24), (40, 10), (200, 60)] {
        let mut app = start(renewal(), size, Theme::Plain);
        press(&mut app, "35G p z");
        for _ in 0..200 {
            let screen = text(&screen(&app));
            let from = screen.lines().find_map(|line| line.split_once("── from: ")).expect("the line is there").1;
            assert!(!from.trim().is_empty(), "{screen}");
            press(&mut app, "j");
        }
    }
}

#[test]
fn a_rephrase_is_no_numbered_call() {
    let mut app = start(renewal(), (120, 60), Theme::Plain);
    press(&mut app, ": turn Space 5 Enter p");
    let screen = text(&screen(&app));
    assert!(screen.contains("turn 5 ─ 3 model calls, 1 rephrase"), "{screen}");
    let session = renewal();
    let turn = session.turn(5).expect("the sample has five turns");
    let names: Vec<String> = turn.calls.iter().map(|call| turn.call_name(call)).collect();
    assert_eq!(names, ["call 1 of turn 5", "call 2 of turn 5", "call 3 of turn 5", "rephrase of turn 5"]);
}

#[test]
fn the_findings_count_what_is_wrong_in_the_folder() {
    let screen = play(renewal(), "!");
    assert!(screen.contains("folder 0 errors"), "{screen}");
    assert!(!play(session("library-renewal.json", None), "!").contains("folder "));
}

#[test]
fn an_entry_that_is_written_later_says_when() {
    let mut app = app();
    press(&mut app, "29G 3 Enter g");
    let selected = |app: &App| {
        let debugger = app.debugger.as_ref().expect("a session is open");
        debugger.selected_entry().is_some_and(|row| row.key == "renew_loan.new_due")
    };
    for _ in 0..40 {
        if !selected(&app) {
            press(&mut app, "j");
        }
    }
    press(&mut app, "Enter");
    let story = text(&screen(&app));
    assert!(story.contains("written later, at 45"), "{story}");
}

#[test]
fn digits_count_and_a_digit_alone_names_a_panel() {
    let mut app = app();
    press(&mut app, "5");
    update(&mut app, Action::Pause);
    assert!(text(&screen(&app)).contains("▶5 prompt"));
    press(&mut app, "1 Enter");
    assert!(text(&screen(&app)).contains("▶1 timeline"));
    press(&mut app, "3j");
    assert_eq!(cursor(&app), 3);
    assert!(text(&screen(&app)).contains("▶1 timeline"));
}

#[test]
fn panels_take_turns_and_esc_comes_back() {
    let mut app = app();
    for title in [
        "2 conversation",
        "3 memory",
        "4 stack",
        "5 prompt",
        "6 event",
        "7 findings",
        "8 answer",
        "9 decisions",
        "1 timeline",
    ] {
        press(&mut app, "Tab");
        assert!(text(&screen(&app)).contains(&format!("▶{title}")), "{title}");
    }
    press(&mut app, "Shift-Tab");
    assert!(text(&screen(&app)).contains("▶9 decisions"));
    press(&mut app, "Esc");
    assert!(text(&screen(&app)).contains("▶1 timeline"));
}

#[test]
fn help_is_filtered_by_typing_and_scrolls() {
    let mut app = app();
    press(&mut app, "?");
    assert!(text(&screen(&app)).contains("more rows below"));
    press(&mut app, "write");
    let filtered = text(&screen(&app));
    assert!(filtered.contains("]w") && !filtered.contains("]c"), "{filtered}");
    press(&mut app, "Esc");
    assert!(text(&screen(&app)).contains("]c"), "the first Esc takes the filter away");
    press(&mut app, "End");
    assert!(!text(&screen(&app)).contains("more rows below"));
    press(&mut app, "Esc");
    assert!(text(&screen(&app)).contains("1 timeline"));
}

#[test]
fn quitting_and_suspending_are_wishes() {
    for (keys, wish) in
        [("q", Wish::Quit), ("Ctrl-c", Wish::Quit), (": q Enter", Wish::Quit), ("Ctrl-z", Wish::Suspend)]
    {
        let mut app = app();
        press(&mut app, keys);
        assert_eq!(app.wish, Some(wish), "{keys}");
    }
    let mut app = app();
    press(&mut app, "? Ctrl-c");
    assert_eq!(app.wish, Some(Wish::Quit), "Ctrl-C ends from everywhere");
}

#[test]
fn several_sessions_open_on_a_list() {
    let row = |id: &str| SessionRow {
        id: id.to_owned(),
        events: 3,
        turns: None,
        started_at: None,
        said_first: Some("good day".to_owned()),
    };
    let mut app = App::new(Theme::Plain);
    app.list = Some(List {
        rows: vec![row("first"), row("second")],
        cursor: 0,
        open: Box::new(|row| if row.id == "second" { Ok(renewal()) } else { Err("it is damaged".to_owned()) }),
    });
    let list = text(&screen(&app));
    assert!(list.contains("2 sessions") && list.contains("second"), "{list}");
    press(&mut app, "Enter");
    assert!(text(&screen(&app)).contains("it is damaged"));
    press(&mut app, "j Enter");
    assert!(text(&screen(&app)).contains("1 timeline"));
    press(&mut app, "S");
    assert!(text(&screen(&app)).contains("2 sessions"));
}

#[test]
fn clicks_go_to_events_and_panels_and_the_wheel_scrolls() {
    let mut app = app();
    update(&mut app, Action::Click(3, 5));
    assert_eq!(cursor(&app), 2, "row 5 of the screen is the fourth of the timeline");
    update(&mut app, Action::Wheel(3, 5, replay_tui::rows::Direction::Forward));
    assert_eq!(cursor(&app), 5);
    update(&mut app, Action::Click(60, 8));
    assert!(text(&screen(&app)).contains("▶3 memory"));
    assert_eq!(cursor(&app), 5);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// What is shown at a position doesn't depend on the way there.
    #[test]
    fn any_way_to_a_position_shows_the_same(steps in proptest::collection::vec(0usize..12, 0..12)) {
        let ways = ["j", "k", "]t", "[t", "]w", "[w", "]c", "[c", "5j", "]s", "]p", "[d"];
        let mut walked = start(renewal(), (200, 60), Theme::Palette);
        for step in steps {
            press(&mut walked, ways[step]);
        }
        let mut jumped = start(renewal(), (200, 60), Theme::Palette);
        let digits: String = cursor(&walked).to_string();
        press(&mut jumped, &format!(": {digits} Enter"));
        // What was selected in memory stays so, if it can; that is the one thing that the way may change.
        press(&mut walked, "3 Enter g Esc");
        press(&mut jumped, "3 Enter g Esc");
        prop_assert_eq!(text(&screen(&walked)), text(&screen(&jumped)));
    }

    /// No keys make it panic, whatever is open, and however the terminal changes meanwhile.
    #[test]
    fn any_keys_are_survived(
        presses in proptest::collection::vec((0usize..BINDINGS.len() + TYPED.len(), proptest::option::weighted(0.1, size())), 0..40),
        first in size(),
    ) {
        let mut app = start(renewal(), first, Theme::Palette);
        for (index, size) in presses {
            if let Some((width, height)) = size {
                update(&mut app, Action::Resize(width, height));
            }
            match BINDINGS.get(index).map(|binding| binding.keys[0]) {
                Some(keys) if keys.len() == 2 && keys.starts_with([']', '[', 'g']) => press(&mut app, keys),
                Some(keys) => update(&mut app, Action::Press(Key(keys.to_owned()))),
                None => press(&mut app, TYPED[index - BINDINGS.len()]),
            }
            screen(&app);
        }
        prop_assert!(app.debugger.is_none_or(|debugger| debugger.cursor <= Position(57)));
    }
}

/// What is typed in between, where something takes it.
const TYPED: [&str; 8] = ["x", "a b", "Enter", "Esc", "Tab", "99", ": why Space project.loans Enter", "/ the Enter"];

/// A size of a terminal, most of them ordinary.
fn size() -> impl Strategy<Value = (u16, u16)> {
    let ordinary = proptest::sample::select(vec![(80, 24), (40, 10), (200, 60), (60, 16)]);
    prop_oneof![3 => ordinary, 1 => (1u16..=45, 1u16..=12), 1 => (1u16..=300, 1u16..=3)]
}

/// What the rows about the event say at 80 columns: what went wrong in full, and of a change both values and who made it.
#[test]
fn the_rows_about_the_event_are_not_cut_before_what_matters() {
    for (at, expected) in [
        ("48G", &["48 tool failed refresh_loans(): ProjectMemoryAlreadySetError", "cannot be overwritten"][..]),
        ("36G", &["36 memory written renew_loan.item_title: The L… → Tides and T… by tool find_loan"]),
        ("44G", &["44 memory cleared system.pending_tool_confirmation: {", "→ cleared by the engine"]),
        ("8G", &["stack: default_session_start block main at load_member\n"]),
        ("8G", &["(guessed)  library-renewal"]),
    ] {
        let screen = play(renewal(), at);
        let screen: String = screen.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        for words in expected {
            assert!(screen.contains(words), "{at}: {words} is missing\n{screen}");
        }
    }
}

#[test]
fn the_help_is_painted_however_narrow_the_terminal_gets() {
    let mut app = app();
    press(&mut app, "? x");
    for (width, height) in (1..=6).flat_map(|width| (1..=6).map(move |height| (width, height))) {
        update(&mut app, Action::Resize(width, height));
        press(&mut app, "Down x Up");
        screen(&app);
    }
}
