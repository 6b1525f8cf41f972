//! The program in a terminal of its own, seen from outside.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const ROWS: NonZero<u16> = NonZero::new(50).expect("50 is not 0");
const COLUMNS: NonZero<u16> = NonZero::new(160).expect("160 is not 0");
const SIZE: PtySize = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };

/// Nothing more within this time: the frame is complete.
const QUIET: Duration = Duration::from_millis(30);

/// No frame within this time: the program hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program in a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    chunks: Receiver<(Instant, Vec<u8>)>,
    screen: vt100::Parser,
    started: Instant,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts the program on a session, with an agent folder or none.
    pub(crate) fn start(program: &str, session: &Path, agent: Option<&Path>) -> Terminal {
        let pair = native_pty_system().openpty(SIZE).expect("the system gives terminals");
        let mut command = CommandBuilder::new(program);
        command.arg(session);
        if let Some(agent) = agent {
            command.arg("--agent");
            command.arg(agent);
        }
        command.env("TERM", "xterm-256color");
        // Nothing is remembered there, so that each run begins at the start.
        command.env("XDG_STATE_HOME", "/dev/null");
        let mut reader = pair.master.try_clone_reader().expect("the terminal can be read");
        let keys = pair.master.take_writer().expect("the terminal can be written");
        let (sender, chunks) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(len @ 1..) = reader.read(&mut buffer) {
                if sender.send((Instant::now(), buffer[..len].to_vec())).is_err() {
                    return;
                }
            }
        });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        Terminal { child, keys, chunks, screen: vt100::Parser::new(ROWS, COLUMNS, 0), started, _master: pair.master }
    }

    /// Returns the time from the start to the last byte of the first frame that shows anything.
    pub(crate) fn first_frame(&mut self) -> Duration {
        let mut last = self.started;
        while self.screen.screen().contents().trim().is_empty() {
            last = self.read(PATIENCE).expect("the program draws");
        }
        while let Some(at) = self.read(QUIET) {
            last = at;
        }
        last - self.started
    }

    /// Types a key and returns the time to the last byte of the frame that answers it.
    pub(crate) fn answer(&mut self, key: &[u8]) -> Duration {
        let typed = Instant::now();
        self.keys.write_all(key).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
        let mut last = self.read(PATIENCE).expect("the program answers each key with a frame");
        while let Some(at) = self.read(QUIET) {
            last = at;
        }
        last - typed
    }

    /// Types keys and returns the time to the last byte of the frame in which the screen has `words`, which come at the end
    /// of what may take several frames.
    pub(crate) fn answer_with(&mut self, keys: &[u8], words: &str) -> Duration {
        let typed = Instant::now();
        self.keys.write_all(keys).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
        let mut last = typed;
        while !self.screen.screen().contents().contains(words) {
            last = self.read(PATIENCE).expect("the program goes on");
        }
        while let Some(at) = self.read(QUIET) {
            last = at;
        }
        last - typed
    }

    /// Returns the most memory that the program has held so far, in KiB; 0 where the kernel doesn't say.
    pub(crate) fn peak_memory_kib(&self) -> u64 {
        let Some(id) = self.child.process_id() else { return 0 };
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Returns the time that the processors have worked for the program so far; nothing where the kernel doesn't say.
    pub(crate) fn cpu_time(&self) -> Duration {
        // The unit of the kernel's figures is fixed for programs, whatever its own clock does.
        const TICK: Duration = Duration::from_millis(10);
        let Some(id) = self.child.process_id() else { return Duration::ZERO };
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name in parentheses may hold blanks; user and system time are the 12th and 13th field behind it.
        let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u32 = fields.skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
        TICK * ticks
    }

    /// Leaves the program.
    pub(crate) fn quit(mut self) {
        let _ = self.keys.write_all(b"q");
        let _ = self.keys.flush();
        let until = Instant::now() + Duration::from_secs(2);
        while Instant::now() < until {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn read(&mut self, patience: Duration) -> Option<Instant> {
        let (at, bytes) = self.chunks.recv_timeout(patience).ok()?;
        self.screen.process(&bytes);
        Some(at)
    }
}
