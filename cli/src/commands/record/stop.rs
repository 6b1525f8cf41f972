//! The wish to stop: a signal, or the end of whoever takes the answers. All who wait for input wait for it, too.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// The wish to stop.
pub(super) struct Stop {
    is_set: Arc<AtomicBool>,
    /// Nobody reads from it, so that it stays readable for all.
    seen: UnixStream,
    told: UnixStream,
}

/// What came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// There is something to read, or nothing will ever be.
    Input,
    /// The wish to stop.
    Stop,
}

impl Stop {
    /// Begins to watch for signals. A second one ends the program at once.
    pub(super) fn begin() -> io::Result<Stop> {
        let (seen, told) = UnixStream::pair()?;
        let is_set = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register_conditional_default(signal, Arc::clone(&is_set))?;
            flag::register(signal, Arc::clone(&is_set))?;
            pipe::register(signal, told.try_clone()?)?;
        }
        Ok(Stop { is_set, seen, told })
    }

    /// Wishes it.
    pub(super) fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        // Where it is full, it is readable already.
        let _ = (&self.told).write(&[0]);
    }

    /// Returns whether it is wished.
    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
    }

    /// Waits for input, or for the wish.
    pub(super) fn or_input(&self, input: impl AsFd) -> io::Result<Came> {
        loop {
            let mut watched =
                [PollFd::new(&self.seen, PollFlags::IN), PollFd::from_borrowed_fd(input.as_fd(), PollFlags::IN)];
            match poll(&mut watched, None) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) if self.is_set() || !watched[0].revents().is_empty() => return Ok(Came::Stop),
                Ok(_) => return Ok(Came::Input),
            }
        }
    }
}
