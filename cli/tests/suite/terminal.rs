//! The program in a terminal of its own: keys in, a screen out.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Far more than anything here takes, so that a slow machine fails no test.
const LONG: Duration = Duration::from_secs(60);

const ROWS: NonZero<u16> = NonZero::new(24).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(100).unwrap();

/// The debugger in a terminal.
pub(crate) struct Terminal {
    /// Is there as long as the terminal.
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Terminal {
    /// Starts the program; what it remembers is kept below `home`.
    pub(crate) fn start(home: &Path, arguments: &[&str]) -> Terminal {
        let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal can be had");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_replay"));
        command.args(arguments);
        command.env("HOME", home);
        command.env("XDG_STATE_HOME", home.join("state"));
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).expect("the program starts");
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
        let keys = pair.master.take_writer().expect("the terminal can be written");
        Terminal { _master: pair.master, keys, child, output, screen: vt100::Parser::new(ROWS, COLUMNS, 0) }
    }

    /// Waits until the screen shows a text.
    pub(crate) fn wait(&mut self, awaited: &str) {
        while !self.screen.screen().contents().contains(awaited) {
            match self.output.recv_timeout(LONG) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(_) => panic!("{awaited} never came: {}", self.screen.screen().contents()),
            }
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys can be pressed");
    }

    /// Quits.
    pub(crate) fn quit(mut self) {
        self.press("q");
        while self.output.recv_timeout(LONG).is_ok() {}
        assert!(self.child.wait().expect("it ends").success());
    }
}
