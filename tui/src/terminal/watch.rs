//! Signals, and a terminal that goes away.
//!
//! The loop that reads keys can't be asked to watch them: on a terminal that was hung up, reading a key never comes
//! back. So a thread does, and ends the process from there.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, unregister};

use super::modes::Screen;

/// Watches until it is dropped.
pub(super) struct Watch {
    stopped: Arc<AtomicUsize>,
    ids: Vec<SigId>,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the user's shell did with us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobControl {
    /// We are asked to stop.
    Stop,
    /// We go on.
    Continue,
}

/// How often the thread looks.
const EVERY: Duration = Duration::from_millis(200);
/// How long putting the terminal right may take. A terminal that is held or gone must not keep us.
const PATIENCE: Duration = Duration::from_millis(300);

impl Watch {
    /// Begins to watch.
    pub(super) fn start() -> io::Result<Watch> {
        let stopped = Arc::new(AtomicUsize::new(0));
        let mut ids = Vec::new();
        for signal in [SIGTSTP, SIGCONT] {
            ids.push(signal_hook::flag::register_usize(signal, Arc::clone(&stopped), signal as usize)?);
        }
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
        let (end, ended) = channel();
        let was_there = is_there();
        let thread = thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(EVERY) {
                let signal = signals.pending().next();
                if let Some(signal) = signal.or_else(|| (was_there && !is_there()).then_some(SIGHUP)) {
                    end_by(signal);
                }
            }
        });
        Ok(Watch { stopped, ids, end: Some(end), thread: Some(thread) })
    }

    /// Returns what the shell did since this was asked last.
    pub(super) fn job_control(&self) -> Option<JobControl> {
        match i32::try_from(self.stopped.swap(0, Ordering::SeqCst)) {
            Ok(SIGTSTP) => Some(JobControl::Stop),
            Ok(SIGCONT) => Some(JobControl::Continue),
            Ok(_) | Err(_) => None,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It can only have ended by a panic of its own, which was reported then.
            let _ = thread.join();
        }
        for id in self.ids.drain(..) {
            unregister(id);
        }
    }
}

/// Whether there is a terminal that answers.
fn is_there() -> bool {
    crossterm::terminal::window_size().is_ok()
}

/// Puts the terminal right, if that can be done in time, and ends the process as the signal would have.
fn end_by(signal: i32) {
    let (done, waits) = channel();
    thread::spawn(move || {
        Screen::leave();
        let _ = done.send(());
    });
    let _ = waits.recv_timeout(PATIENCE);
    let _ = emulate_default_handler(signal);
    // Reached only where the signal can't end us.
    std::process::exit(128 + signal);
}
