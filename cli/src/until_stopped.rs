//! Standard input up to its end, or until the user or the system asks the program to stop: then it ends with a line.
//!
//! Whoever reads from it closes what it has open as at any other end. A second signal ends the program at once.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Lines of standard input.
pub(crate) struct UntilStopped {
    /// The next line; an empty one is the end.
    lines: Receiver<io::Result<Vec<u8>>>,
    line: Vec<u8>,
    /// How much of the line was taken.
    taken: usize,
    is_over: bool,
}

impl UntilStopped {
    /// Begins to read, and to watch for signals.
    pub(crate) fn begin() -> io::Result<UntilStopped> {
        let (sender, lines) = sync_channel(1);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let stop = sender.clone();
        thread::spawn(move || {
            let mut signals = signals.forever();
            if signals.next().is_some() {
                // Nobody listens where the end was read already.
                let _ = stop.send(Ok(Vec::new()));
            }
            if let Some(second) = signals.next() {
                let _ = emulate_default_handler(second);
            }
        });
        thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let mut line = Vec::new();
                let read = input.read_until(b'\n', &mut line).map(|_| line);
                let is_last = read.as_ref().map_or(true, Vec::is_empty);
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(UntilStopped { lines, line: Vec::new(), taken: 0, is_over: false })
    }
}

impl BufRead for UntilStopped {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.line.len() && !self.is_over {
            (self.line, self.taken) = (Vec::new(), 0);
            self.line = self.lines.recv().unwrap_or_else(|_| Ok(Vec::new()))?;
            self.is_over = self.line.is_empty();
        }
        Ok(&self.line[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
    }
}

impl Read for UntilStopped {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}
