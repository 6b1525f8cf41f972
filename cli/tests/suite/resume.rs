//! The debugger in a terminal: it begins where it was left.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::program::{RENEWAL, root};

/// Far more than anything here takes, so that a slow machine fails no test.
const LONG: Duration = Duration::from_secs(60);

const ROWS: NonZero<u16> = NonZero::new(24).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(100).unwrap();

/// Opens the debugger below `home`, waits for `awaited`, presses keys, and quits.
fn visit(home: &Path, options: &[&str], awaited: &str, keys: &str) {
    let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal can be had");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_replay"));
    command.arg(root().join(RENEWAL));
    command.args(options);
    command.env("HOME", home);
    command.env("XDG_STATE_HOME", home.join("state"));
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("the terminal can be read");
    let (sender, output) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(len @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..len].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
    wait(&output, &mut screen, awaited);
    let mut writer = pair.master.take_writer().expect("the terminal can be written");
    writer.write_all(keys.as_bytes()).expect("keys can be pressed");
    writer.write_all(b"q").expect("keys can be pressed");
    while output.recv_timeout(LONG).is_ok() {}
    assert!(child.wait().expect("it ends").success());
}

fn wait(output: &Receiver<Vec<u8>>, screen: &mut vt100::Parser, awaited: &str) {
    while !screen.screen().contents().contains(awaited) {
        match output.recv_timeout(LONG) {
            Ok(bytes) => screen.process(&bytes),
            Err(_) => panic!("{awaited} never came: {}", screen.screen().contents()),
        }
    }
}

#[test]
fn the_debugger_begins_where_it_was_left_unless_a_moment_is_named() {
    let home = tempfile::tempdir().expect("a folder can be made");
    visit(home.path(), &[], "0/57", "12G");
    visit(home.path(), &[], "resumed at 12 of 57; g goes to the start", "");
    visit(home.path(), &["--at", "3"], "3/57", "g");
    visit(home.path(), &[], "0/57", "");
}
