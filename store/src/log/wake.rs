//! Waiting for a writer: the system tells of writes to a file where it can; elsewhere it is looked at again soon.

use std::path::Path;
use std::thread;
use std::time::Duration;

/// How long nothing is looked at where the system doesn't tell, or nobody seems to write.
const SHORT: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_millis(20);

/// Wakes where a file is written to.
#[derive(Debug)]
pub(super) struct Wake(Option<told::Told>);

impl Wake {
    /// Begins to watch a file. What is written from now on ends the next wait.
    pub(super) fn on(path: &Path) -> Wake {
        Wake(told::Told::on(path))
    }

    /// Waits until the file is written to, or so long at most. It may return earlier, and without a cause.
    pub(super) fn wait(&self, timeout: Duration) {
        match &self.0 {
            // The file may have been left behind, which is found out by looking.
            Some(told) => told.wait(timeout.min(LONG)),
            None => thread::sleep(timeout.min(SHORT)),
        }
    }
}

/// Waits where there is no file to watch.
pub(super) fn pause(timeout: Duration) {
    thread::sleep(timeout.min(LONG));
}

#[cfg(target_os = "linux")]
mod told {
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::thread;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    use rustix::io::read;

    /// A queue in which the system puts a note for each write.
    #[derive(Debug)]
    pub(super) struct Told(OwnedFd);

    impl Told {
        pub(super) fn on(path: &Path) -> Option<Told> {
            let queue = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            add_watch(&queue, path, WatchFlags::MODIFY).ok()?;
            Some(Told(queue))
        }

        pub(super) fn wait(&self, timeout: Duration) {
            let Ok(wanted) = Timespec::try_from(timeout) else { return };
            let mut queues = [PollFd::new(&self.0, PollFlags::IN)];
            if poll(&mut queues, Some(&wanted)).is_err() {
                // Where the queue can't be waited for, nothing runs in a circle.
                thread::sleep(timeout);
            }
            // What the notes say is known; equal ones are one, so that there are few.
            let mut notes = [0_u8; 1024];
            while read(&self.0, &mut notes).is_ok_and(|len| len > 0) {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod told {
    use std::path::Path;
    use std::time::Duration;

    /// There is none.
    #[derive(Debug)]
    pub(super) enum Told {}

    impl Told {
        pub(super) fn on(_: &Path) -> Option<Told> {
            None
        }

        pub(super) fn wait(&self, _: Duration) {
            match *self {}
        }
    }
}
