//! The debugger in a terminal of its own: whatever ends it, it ends, and the terminal is as it was.
//!
//! The program in the terminal is this test binary, asked for [`child`] alone.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use replay_tui::sessions::{List, SessionRow};
use replay_tui::{Background, Kept, Options, Sessions, run};

use crate::stage::renewal;

/// Far more than anything here takes, so that a slow machine fails no test.
const LONG: Duration = Duration::from_secs(60);
const ENTER_SCREEN: &str = "\u{1b}[?1049h";
const LEAVE_SCREEN: &str = "\u{1b}[?1049l";

/// Runs the debugger if it is asked to; in the ordinary run of all tests there is nothing to do.
#[test]
fn child() {
    let Ok(what) = std::env::var("REPLAY_TUI_CHILD") else { return };
    let sessions = match what.as_str() {
        "panic" => Sessions::Several(List {
            rows: vec![SessionRow { id: "one".to_owned(), events: 1, turns: None, started_at: None, said_first: None }],
            cursor: 0,
            open: Box::new(|_| panic!("asked for")),
        }),
        _ => Sessions::One(Box::new(renewal())),
    };
    let background = if what == "asks" { Background::Asked } else { Background::Known };
    let ended = run(sessions, Options { background, ..Options::default() }, Kept::default(), None);
    std::process::exit(i32::from(ended.is_err()));
}

struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    /// Starts `$REPLAY_TUI_EXE` with a shell line, so that its stdin can be something else than the terminal.
    fn start(what: &str, line: &str) -> Terminal {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal can be had");
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", line]);
        command.env("REPLAY_TUI_CHILD", what);
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        command.env("REPLAY_TUI_EXE", std::env::current_exe().expect("this binary has a path"));
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("the terminal can be read");
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().expect("the terminal can be written");
        Terminal { master: pair.master, keys, child, output, seen: String::new() }
    }

    fn wait_for(&mut self, text: &str) {
        while !self.seen.contains(text) {
            match self.output.recv_timeout(LONG) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("{text:?} never came; the terminal got {:?}", self.seen),
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys can be sent");
        self.keys.flush().expect("keys can be sent");
    }

    fn end(mut self) -> (ExitStatus, String) {
        let (sender, ended) = channel();
        let mut killer = self.child.clone_killer();
        let mut child = self.child;
        thread::spawn(move || sender.send(child.wait()));
        let Ok(status) = ended.recv_timeout(LONG) else {
            killer.kill().expect("the child can be ended");
            panic!("the program went on; the terminal got {:?}", self.seen);
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(1)) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        (status.expect("a child can be waited for"), self.seen)
    }
}

const KEEP_KEYS_APART: &str = "\u{1b}[>1u";
const KEYS_AS_BEFORE: &str = "\u{1b}[<1u";

const PLAIN: &str = "exec \"$REPLAY_TUI_EXE\" --exact terminal::child --nocapture";

/// Whether the screen was left last, and its own keyboard flags before it.
fn is_restored(output: &str) -> bool {
    let [enter, leave, set, reset] =
        [ENTER_SCREEN, LEAVE_SCREEN, KEEP_KEYS_APART, KEYS_AS_BEFORE].map(|sequence| output.rfind(sequence));
    enter < set && set < reset && reset < leave && enter.is_some()
}

#[test]
fn the_shell_has_the_terminal_as_it_was_while_the_debugger_is_stopped() {
    let mut terminal = Terminal::start("session", PLAIN);
    terminal.wait_for("timeline");
    terminal.press("\u{1a}");
    terminal.wait_for(LEAVE_SCREEN);
    assert!(is_restored(&terminal.seen), "{:?}", terminal.seen);
    let pid = terminal.child.process_id().expect("it runs").to_string();
    let screens = |seen: &str| seen.matches(ENTER_SCREEN).count();
    while screens(&terminal.seen) < 2 {
        // It may not have stopped yet, so that it is told to go on until it does.
        let sent = std::process::Command::new("kill").args(["-s", "CONT", &pid]).status();
        assert!(sent.expect("kill can be run").success());
        if let Ok(bytes) = terminal.output.recv_timeout(Duration::from_millis(100)) {
            terminal.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    terminal.press("q");
    let (status, output) = terminal.end();
    assert!(status.success() && is_restored(&output), "{status:?} {output:?}");
    assert_eq!(output.matches(KEEP_KEYS_APART).count(), output.matches(KEYS_AS_BEFORE).count(), "{output:?}");
}

#[test]
fn the_answer_about_the_background_chooses_a_theme_and_is_never_taken_for_keys() {
    for (answer, row) in
        [("\u{1b}]11;rgb:ffff/ffff/ffff\u{7}", "48;5;254"), ("\u{1b}]11;rgb:1e1e/1e1e/1e1e\u{1b}\\", "48;5;236")]
    {
        let mut terminal = Terminal::start("asks", PLAIN);
        terminal.wait_for("\u{1b}]11;?\u{7}");
        terminal.wait_for("timeline");
        assert!(!terminal.seen.contains(row), "until it answers, the theme is that of any terminal");
        terminal.press(answer);
        terminal.wait_for(row);
        terminal.press("q");
        let (status, output) = terminal.end();
        assert!(status.success() && is_restored(&output), "{status:?} {output:?}");
        assert!(!output.contains("no later"), "none of it was a key: {output:?}");
    }
}

#[test]
fn a_terminal_that_never_answers_is_not_waited_for() {
    let mut terminal = Terminal::start("asks", PLAIN);
    terminal.wait_for("timeline");
    terminal.press("29G");
    terminal.wait_for("declined, not run");
    terminal.press("q");
    let (status, output) = terminal.end();
    assert!(status.success() && is_restored(&output), "{status:?} {output:?}");
}

#[test]
fn quitting_puts_the_terminal_back() {
    let mut terminal = Terminal::start("session", PLAIN);
    terminal.wait_for("timeline");
    terminal.press("q");
    let (status, output) = terminal.end();
    assert!(status.success() && is_restored(&output), "{status:?} {output:?}");
}

#[test]
fn ctrl_c_puts_the_terminal_back() {
    let mut terminal = Terminal::start("session", PLAIN);
    terminal.wait_for("timeline");
    terminal.press("\u{3}");
    let (status, output) = terminal.end();
    assert!(status.success() && is_restored(&output), "{status:?} {output:?}");
}

#[test]
fn a_panic_puts_the_terminal_back_before_it_speaks() {
    let mut terminal = Terminal::start("panic", PLAIN);
    terminal.wait_for("sessions");
    terminal.press("\r");
    let (status, output) = terminal.end();
    assert!(!status.success() && is_restored(&output), "{status:?} {output:?}");
    assert!(output.find("asked for") > output.find(LEAVE_SCREEN), "{output:?}");
}

#[test]
fn signals_that_end_programs_put_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let mut terminal = Terminal::start("session", PLAIN);
        terminal.wait_for("timeline");
        let pid = terminal.child.process_id().expect("it runs").to_string();
        let sent = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(sent.expect("kill can be run").success());
        let (status, output) = terminal.end();
        assert!(!status.success() && is_restored(&output), "{signal}: {status:?} {output:?}");
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_program() {
    let mut terminal = Terminal::start("session", PLAIN);
    terminal.wait_for("timeline");
    let Terminal { master, keys, mut child, output, .. } = terminal;
    drop((master, keys));
    // Reading goes on in a thread with a copy of the terminal's own end, so that must end, too.
    drop(output);
    let (sender, ended) = channel();
    let mut killer = child.clone_killer();
    thread::spawn(move || sender.send(child.wait().is_ok()));
    if ended.recv_timeout(LONG).is_err() {
        killer.kill().expect("the child can be ended");
        panic!("the program outlived its terminal");
    }
}

#[test]
fn keys_come_from_the_terminal_where_stdin_is_the_data() {
    let mut terminal =
        Terminal::start("session", "echo data | \"$REPLAY_TUI_EXE\" --exact terminal::child --nocapture");
    terminal.wait_for("timeline");
    terminal.press("29G");
    terminal.wait_for("declined, not run");
    terminal.press("q");
    let (status, output) = terminal.end();
    assert!(status.success() && is_restored(&output), "{status:?} {output:?}");
}
