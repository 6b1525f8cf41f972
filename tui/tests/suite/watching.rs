//! What is watched, what is folded, and the lists of marks and breakpoints.

use replay_tui::{App, Theme};

use crate::frame::text;
use crate::stage::{press, renewal, screen, start};

fn play(keys: &str) -> App {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    app
}

fn seen(keys: &str) -> String {
    text(&screen(&play(keys)))
}

/// After the keys the screen has the first text, and not the second one.
fn check(keys: &str, has: &str, lacks: &str) {
    let screen = seen(keys);
    assert!(screen.contains(has), "keys {keys}: {has} is missing\n{screen}");
    assert!(lacks.is_empty() || !screen.contains(lacks), "keys {keys}: {lacks} is there\n{screen}");
}

fn cursor(keys: &str) -> u64 {
    play(keys).debugger.expect("a session is open").cursor.0
}

#[test]
fn what_is_watched_stands_on_top_of_memory_with_its_value() {
    const WATCH: &str = ": watch Space item_id Enter";
    check(&format!("{WATCH} 3 Enter z g"), "watched", "");
    check(&format!("20G {WATCH} 3 Enter z g"), "renew_loan.item_id (public) = C-1187", "C-0093");
    check(&format!("20G {WATCH} 3 Enter z g 36G g"), "renew_loan.item_id (public) = C-0093", "");
    check("20G 3 Enter z g", "project", "watched");
    // It is taken away by name, by number, and by asking for it again.
    for end in [": unwatch Space item_id Enter", ": delete Space 1 Enter", WATCH] {
        check(&format!("{WATCH} 3 Enter z {end} g"), "project", "watched");
    }
    check(": unwatch Space nothing Enter", "nothing is not watched", "");
    check(&format!("{WATCH} : unwatch Space Tab"), ":unwatch renew_loan.item_id", "");
}

#[test]
fn enter_on_a_heading_folds_its_entries_and_unfolds_them() {
    check("20G 3 Enter z g", "loans", "");
    check("20G 3 Enter z g Enter", "▸ project", "loans");
    check("20G 3 Enter z g Enter", "entries; Enter unfolds", "");
    check("20G 3 Enter z g Enter Enter", "loans", "▸");
    check("20G 3 Enter z g Enter l l", "▸ project", "loans");
    // What is gone to is never hidden.
    check("20G 3 Enter z g Enter Ctrl-p project.loans Enter", "loans", "▸ project");
    // A change below a folded heading is told.
    check("3 Enter z g Enter 6G", "*▸ project", "");
}

#[test]
fn marks_are_listed_gone_to_and_taken_away() {
    const MARKS: &str = "12G m a 20G m b g : marks Enter";
    check(MARKS, "▸ a  12", "");
    check(MARKS, "Enter goes there", "");
    assert_eq!(cursor(&format!("{MARKS} j Enter")), 20);
    assert_eq!(cursor(&format!("{MARKS} j Enter Ctrl-o")), 0);
    check(&format!("{MARKS} x"), "▸ b  20", "a  12");
    check(&format!("{MARKS} x x"), "timeline", "b  20");
    check(&format!("{MARKS} Esc"), "timeline", "");
    check(": marks Enter", "no mark yet: m a marks", "");
}

#[test]
fn breakpoints_are_listed_switched_and_taken_away() {
    const BREAKS: &str = "12G b 20G b g : breaks Enter";
    check(BREAKS, "▸ 1  on       at 12", "");
    check(&format!("{BREAKS} Enter"), "▸ 1  off", "");
    check(&format!("{BREAKS} Enter Enter"), "▸ 1  on", "");
    assert_eq!(cursor(&format!("{BREAKS} Enter Esc c")), 20);
    assert_eq!(cursor(&format!("{BREAKS} j x Esc 12G c")), 12);
    check(&format!("{BREAKS} x x"), "timeline", "at 12");
    check(": breaks Enter", "no breakpoint yet", "");
}
