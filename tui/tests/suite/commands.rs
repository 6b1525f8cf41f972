//! Lines that are typed: commands with completion, history and help, and times.

use replay_tui::{App, Theme};

use crate::frame::text;
use crate::stage::{foot, press, renewal, screen, start};

fn play(keys: &str) -> App {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    app
}

/// After the keys the rows at the bottom say all of `expected`.
fn says(keys: &str, expected: &[&str]) {
    let screen = text(&screen(&play(keys)));
    let foot = foot(&screen);
    for words in expected {
        assert!(foot.contains(words), "keys {keys}: {foot}");
    }
}

/// After the keys the cursor stands at `expected`.
fn goes(keys: &str, expected: u64) {
    assert_eq!(play(keys).debugger.expect("a session is open").cursor.0, expected, "keys {keys}");
}

#[test]
fn a_row_tells_what_a_command_does_while_it_is_typed() {
    says(":", &[":N position", ":@+5m time", ":turn"]);
    says(": turn", &[":turn N  to the end of turn N"]);
    says(": wa", &[":watch"]);
    says(": trun Space 2", &["did you mean :turn?"]);
    says("/ x", &["Enter searches"]);
}

#[test]
fn tab_completes_names_and_what_stands_behind_them() {
    says(": t Tab", &[":turn"]);
    says(": watch Space item Tab", &[":watch renew_loan.item_id"]);
    says(": watch Space project. Tab Tab", &[":watch project.loans"]);
    says(": watch Space project. Tab Shift-Tab", &[":watch project."]);
    says(": step Space Tab Tab", &[":step verdict", "event  verdict  tool"]);
    says(": break Space memory_c Tab", &[":break kind:memory_cleared"]);
    says("12G m a : mark Space Tab", &[":mark a"]);
    says("12G b : delete Space Tab", &[":delete 1"]);
}

#[test]
fn earlier_lines_are_recalled() {
    goes(": 1 2 Enter g : Up Enter", 12);
    goes(": 1 2 Enter : 2 0 Enter g : Up Up Enter", 12);
    says(": 1 2 Enter / tides Enter : Up", &[":12"]);
    says(": 1 2 Enter / tides Enter / Up", &["/tides"]);
    says(": 1 2 Enter : 4 Up Down", &[":4"]);
}

#[test]
fn a_word_and_a_line_are_rubbed_out() {
    says(": turn Space 22 Ctrl-w 3", &[":turn 3"]);
    says(": turn Space 22 Ctrl-u raw", &[":raw"]);
}

#[test]
fn times_of_the_day_and_after_the_start_are_gone_to() {
    // The record begins at 10:00:00.250.
    goes(": @10:00:00 Enter", 1);
    goes(": @10:00:00.25 Enter", 1);
    goes(": @+0s Enter", 1);
    says(": @+10s Enter", &["UTC, the first at that time or later"]);
    says(": @+9h Enter", &["the record ends before that time"]);
    says(": @half Enter", &["half is no time: @12:30:05 is one of the day (UTC)"]);
}

#[test]
fn breakpoints_are_set_and_changed_by_command() {
    goes(": break Space 12 Enter G C", 12);
    goes(": watch Space item_id Enter c", 19);
    goes(": break Space kind:memory_cleared Enter c", 28);
    goes(": break Space 12 Enter : break Space 20 Enter : delete Space 1 Enter c", 20);
    goes(": break Space 12 Enter : break Space 20 Enter : disable Space 1 Enter c", 20);
    goes(": break Space 12 Enter : disable Space all Enter : enable Space 1 Enter c", 12);
    says(": break Space 12 Enter : disable Space all Enter c", &["all breakpoints are switched off"]);
    says(": break Space 99 Enter", &["there is no event at 99: the session has 1 to 57"]);
    says(": break Space a.b==1 Enter", &["nothing is called a.b"]);
    says(": watch Space nothing Enter", &["nothing is called nothing"]);
    says(": delete Space 3 Enter", &["there is no breakpoint 3: there are 0"]);
}

#[test]
fn marks_and_steps_are_set_by_command() {
    goes("12G : mark Space q Enter g ' q", 12);
    says("12G : mark Space q Enter : unmark Space q Enter ' q", &["there is no mark q"]);
    goes(": step Space tool Enter l", 9);
    says(": step Space far Enter", &["far is no step: there are event, verdict"]);
    says(": find Space tides Enter", &["/tides: 1 of"]);
}
