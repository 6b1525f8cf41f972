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

/// What something took: until its last byte was read, and on the processors meanwhile, by the kernel's count of
/// nanoseconds (0 where it doesn't count). Where other programs run beside it the second is what it costs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    pub(crate) busy: Duration,
}

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

    /// Returns what it takes from the start to the last byte of the first frame that shows anything.
    pub(crate) fn first_frame(&mut self) -> Cost {
        self.read_until(self.started, Duration::ZERO, |screen| !screen.trim().is_empty())
    }

    /// Types keys and returns what it takes to the last byte of the frame that answers them.
    pub(crate) fn answer(&mut self, keys: &[u8]) -> Cost {
        let (typed, busy) = self.type_keys(keys);
        let mut is_first = true;
        self.read_until(typed, busy, |_| !std::mem::replace(&mut is_first, false))
    }

    /// Types keys and returns what it takes to the last byte of the frame in which the screen has `words`, which come at
    /// the end of what may take several frames.
    pub(crate) fn answer_with(&mut self, keys: &[u8], words: &str) -> Cost {
        self.answer_until(keys, |screen| screen.contains(words))
    }

    /// The same, where the screen tells it in another way.
    pub(crate) fn answer_until(&mut self, keys: &[u8], is_there: impl FnMut(&str) -> bool) -> Cost {
        let (typed, busy) = self.type_keys(keys);
        self.read_until(typed, busy, is_there)
    }

    /// Types a key and returns what it takes to the first bytes that answer it, where frames go on coming.
    pub(crate) fn answer_at_once(&mut self, key: &[u8]) -> Cost {
        let (typed, busy) = self.type_keys(key);
        let at = self.read(PATIENCE).expect("the program answers each key with a frame");
        Cost { time: at - typed, busy: self.busy_time().saturating_sub(busy) }
    }

    /// Returns whether the screen has these words.
    pub(crate) fn shows(&self, words: &str) -> bool {
        self.screen.screen().contents().contains(words)
    }

    fn type_keys(&mut self, keys: &[u8]) -> (Instant, Duration) {
        let before = (Instant::now(), self.busy_time());
        self.keys.write_all(keys).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
        before
    }

    /// Reads frames until the screen is as it should be and nothing more comes.
    fn read_until(&mut self, since: Instant, busy: Duration, mut is_there: impl FnMut(&str) -> bool) -> Cost {
        let mut last = since;
        while !is_there(&self.screen.screen().contents()) {
            last = self.read(PATIENCE).expect("the program draws");
        }
        while let Some(at) = self.read(QUIET) {
            last = at;
        }
        Cost { time: last - since, busy: self.busy_time().saturating_sub(busy) }
    }

    /// Returns the most memory that the program has held so far, in KiB; 0 where the kernel doesn't say.
    pub(crate) fn peak_memory_kib(&self) -> u64 {
        let Some(id) = self.child.process_id() else { return 0 };
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Returns the time that the processors have worked for the threads that run.
    fn busy_time(&self) -> Duration {
        let Some(id) = self.child.process_id() else { return Duration::ZERO };
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
        let of = |thread: std::fs::DirEntry| {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
        };
        Duration::from_nanos(threads.map(of).sum())
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
