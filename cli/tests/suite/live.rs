//! `replay LOG --follow`: the debugger on a log that another process writes.

use std::fs;

use crate::following::{Running, lines, plain, record_into};
use crate::program::{RENEWAL, replay, text};
use crate::terminal::Terminal;

#[test]
fn the_debugger_shows_what_another_process_records() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines = lines(folder.path());
    let log = folder.path().join("live.log");
    let mut recorder = record_into(plain(&log));
    let record = |recorder: &mut Running, range: std::ops::Range<usize>| {
        for line in &lines[range] {
            recorder.say(line);
            if line.contains("\"event\"") {
                recorder.json();
            }
        }
    };
    record(&mut recorder, 0..6);
    let mut terminal = Terminal::start(folder.path(), &[plain(&log), "--follow"]);
    terminal.wait("5/5  live");
    record(&mut recorder, 6..9);
    terminal.wait("8/8  live");
    terminal.press("k");
    terminal.wait("7/8  held: F goes along");
    record(&mut recorder, 9..11);
    terminal.wait("7/10  2 new: F goes there");
    terminal.press("F");
    terminal.wait("10/10  live");
    recorder.kill();
    terminal.wait("its writer died: F says more");
    terminal.wait("ended without closing it");
    // Another writer takes over, and closes it.
    let mut recorder = record_into(plain(&log));
    record(&mut recorder, 0..13);
    terminal.wait("12/12  live");
    recorder.finish();
    terminal.wait("12/12  closed");
    terminal.press("g");
    terminal.wait("0/12  closed");
    fs::remove_file(&log).expect("it is there");
    terminal.wait("lost: F says why");
    terminal.wait("no more comes: there is no file");
    // What was read is still there.
    terminal.press("jj");
    terminal.wait("2/12  lost: F says why");
    terminal.quit();
}

#[test]
fn without_a_terminal_it_is_a_line_for_each_event() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines = lines(folder.path());
    let log = folder.path().join("whole.log");
    let mut viewer = Running::start(&[plain(&log), "--follow", "--json", "--at", "3"]);
    for position in 4..lines.len() {
        assert_eq!(viewer.json()["event"]["position"], position);
    }
    viewer.kill();
}

#[test]
fn what_is_no_log_is_refused_with_the_way_to_one() {
    for (arguments, way) in [
        ([RENEWAL, "--follow"], format!("tail -n +1 -f {RENEWAL} | replay import --follow - -o LOG")),
        (["-", "--follow"], "`replay import --follow - -o LOG`".to_owned()),
    ] {
        let refused = replay(&arguments);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("only a log is followed") && said.contains(&way), "{said}");
    }
    assert_eq!(replay(&["show", RENEWAL, "--follow", "extra"]).status.code(), Some(2));
}
