//! The filter, the search and breakpoints with conditions.

use replay_tui::Theme;
use replay_tui::app::{FilterShelf, Filters};

use crate::frame::text;
use crate::stage::{press, renewal, screen, start};

fn screen_after(keys: &str) -> String {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    text(&screen(&app))
}

fn goes(keys: &str, expected: u64) {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    assert_eq!(app.debugger.expect("a session is open").cursor.0, expected, "keys {keys}");
}

fn says(keys: &str, expected: &str) {
    let screen = screen_after(keys);
    let foot = screen.lines().last().unwrap_or_default();
    assert!(foot.contains(expected), "keys {keys}: {foot}");
}

/// The positions that the timeline shows after the keys.
fn shown(keys: &str) -> Vec<u64> {
    let screen = screen_after(keys);
    let number = |line: &str| {
        line.chars()
            .skip(1)
            .take_while(|letter| " 0123456789".contains(*letter))
            .collect::<String>()
            .trim()
            .parse()
            .ok()
    };
    screen.lines().skip(2).take(19).filter_map(number).collect()
}

#[test]
fn a_filter_shows_what_it_wants_and_says_how_many_it_hides() {
    assert_eq!(shown("f kind:user_message Enter"), [0, 5, 27, 34, 43]);
    assert!(screen_after("f kind:user_message Enter").contains("53 hidden by kind:user_"));
    says("f kind:user_message Enter", "4 events, 53 hidden; & switches the filter off");
}

#[test]
fn steps_and_pages_go_over_what_the_filter_shows_and_l_and_h_over_all() {
    goes("f kind:user_message Enter j j", 27);
    goes("f kind:user_message Enter j j k k k", 0);
    goes("f kind:user_message Enter G k", 43);
    goes("f kind:user_message Enter j l", 6);
    goes("f kind:user_message Enter j l j", 27);
}

#[test]
fn a_filter_is_switched_off_without_losing_it() {
    assert_eq!(shown("f kind:user_message Enter & g")[..3], [0, 1, 2]);
    assert_eq!(shown("f kind:user_message Enter & &"), [0, 5, 27, 34, 43]);
    assert!(screen_after("f kind:user_message Enter &").contains("filter off"));
    assert_eq!(shown("f kind:user_message Enter f Enter")[..3], [0, 1, 2], "nothing typed takes it away");
    says("f Up", "filter");
    says("f kind:user_message Enter f Up", "filter kind:user_message");
    says("&", "there is no filter yet: f begins one");
}

#[test]
fn events_around_the_wanted_ones_stay_available() {
    assert_eq!(shown("f kind:user_message Enter +"), [0, 4, 5, 6, 26, 27, 28, 33, 34, 35, 42, 43, 44]);
    assert_eq!(shown("f kind:user_message Enter + -"), [0, 5, 27, 34, 43]);
    assert_eq!(shown("f kind:user_message Enter : context Space 1 Enter")[..3], [0, 4, 5]);
}

#[test]
fn the_event_at_the_cursor_is_always_shown() {
    assert_eq!(shown("20G f kind:user_message Enter"), [0, 5, 20, 27, 34, 43]);
}

#[test]
fn a_filter_can_be_a_text_and_a_mistake_is_explained() {
    assert!(shown("f tides Enter").len() > 1);
    says("f knd:user_message Enter", "knd");
    says("f renew_loan.itm_id Space == Space 1 Enter", "did you mean renew_loan.item_id?");
}

#[test]
fn a_search_goes_over_what_the_filter_shows() {
    says("/ tides Enter f kind:user_message Enter n", "more hidden by the filter");
}

#[test]
fn each_panel_is_searched_for_what_it_shows() {
    says("35G 3 Enter / 0093 Enter", "/0093 in the memory: 1 of");
    says("35G 6 Enter / raw Enter", "/raw in the event: 1 of");
    says("35G 3 Enter / xyzzy Enter", "not found; 1 and n search the events");
}

#[test]
fn breakpoints_take_queries_both_ways() {
    goes(": break Space verdict:declined Enter c", 29);
    goes(": break Space verdict:declined Enter G C", 29);
    goes(": break Space kind:user_message Enter 2 c", 27);
    // A call is one place to stop at, where it begins; who wants another phase of it names the kind of event.
    goes(": break Space tool:find_loan Enter c", 19);
    goes(": break Space tool:find_loan Enter c c", 35);
    goes(": break Space tool:find_loan Enter G C C", 19);
    goes(": break Space tool:find_loan Space kind:tool_returned Enter c", 22);
    goes(": break Space tool:find_loan Enter 20G c", 35);
    says(": break Space knd:x Enter", "knd");
}

#[test]
fn a_condition_on_memory_stops_where_it_begins_to_hold() {
    let condition = "renew_loan.item_id Space == Space 'C-1187'";
    goes(&format!(": break Space {condition} Enter c"), 19);
    goes(&format!(": break Space {condition} Enter G C"), 19);
    says(&format!(": break Space {condition} Enter c c"), "no later event with a breakpoint");
    says(&format!(": break Space {condition} Enter c"), "begins to hold");
}

#[test]
fn reads_that_gave_nothing_are_stops() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, "]o");
    let first = app.debugger.as_ref().expect("a session is open").cursor.0;
    assert!(first > 0, "the sample has such reads");
    press(&mut app, "]o [o");
    assert_eq!(app.debugger.expect("a session is open").cursor.0, first);
}

#[test]
fn a_filter_is_kept_under_a_name_listed_used_and_taken_away() {
    let seen = |keys: &str| screen_after(keys);
    const SAVE: &str = "f verdict:refused Enter : filter Space save Space bad Enter";
    assert!(seen(SAVE).contains("verdict:refused is kept as bad until you quit"), "{}", seen(SAVE));
    assert!(seen(": filter Space save Space bad Enter").contains("there is no filter yet"));
    let list = seen(&format!("{SAVE} : filters Enter"));
    assert!(list.contains("▸ bad") && list.contains("verdict:refused") && list.contains("Enter filters"), "{list}");
    let used = seen(&format!("{SAVE} : filter Enter : filters Enter Enter"));
    assert!(used.contains("hidden by verdict:re"), "{used}");
    let named = seen(&format!("{SAVE} : filter Enter : filter Space ba Tab Enter"));
    assert!(named.contains("hidden by verdict:re"), "{named}");
    const LONG: &str = "f verdict:refused Enter : filter Space save Space very Space bad Enter : filter Enter";
    let named = seen(&format!("{LONG} : filter Space very Space b Tab Enter"));
    assert!(named.contains("hidden by verdict:re"), "{named}");
    let picked = seen(&format!("{SAVE} : filter Enter Ctrl-p filter Space bad Enter"));
    assert!(picked.contains("hidden by verdict:re"), "{picked}");
    let gone = seen(&format!("{SAVE} : filters Enter x : filters Enter"));
    assert!(gone.contains("no filter has a name yet"), "{gone}");
}

#[test]
fn filters_are_kept_where_there_is_a_place_and_what_goes_wrong_is_said() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    app.filter_shelf = Some(FilterShelf {
        read: Box::new(Filters::new),
        keep: Box::new(|name, filter| match filter {
            Some(filter) => Ok(Filters::from([(name.to_owned(), filter.to_owned())])),
            None => Err("the disk is full".to_owned()),
        }),
    });
    press(&mut app, "f tides Enter : filter Space save Space book Enter");
    assert_eq!(app.filters, Filters::from([("book".to_owned(), "tides".to_owned())]));
    assert!(text(&screen(&app)).contains("tides is kept as book; :filters"));
    press(&mut app, ": filters Enter x");
    assert!(app.filters.contains_key("book"));
    assert_eq!(app.message.as_ref().map(|message| message.text.as_str()), Some("the disk is full"));
}
