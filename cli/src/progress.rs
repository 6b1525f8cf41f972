//! How far a long import or walk is: a bar on stderr, and only where stderr is a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// An import that is shorter needs no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// How far an import is.
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    /// Begins to read a file of that many bytes, `None` where nobody knows.
    pub(crate) fn new(length: Option<u64>) -> Progress {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        let template = if length.is_some() { "{bar:40} {bytes} of {total_bytes}, {eta}" } else { "{bytes}" };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is one"));
        Progress { bar, begun: Instant::now() }
    }

    /// Begins to look at so many events.
    pub(crate) fn events(count: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
        let template = "{bar:40} {pos} of {len} events, {eta}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is one"));
        Progress { bar, begun: Instant::now() }
    }

    /// So many bytes were read, or events looked at.
    pub(crate) fn at(&self, done: u64) {
        if self.bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            // Hides itself where stderr is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done);
    }

    /// The file was read, or can't be read any further.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}
