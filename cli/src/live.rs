//! Follows a log for the debugger, in a thread of its own: a session is opened anew when events came.
//!
//! A session costs the more to open the longer it is, so that the thread rests for a multiple of that time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use replay_store::log::{Follower, Log, LogError, Writing};
use replay_store::name::Name;
use replay_store::replay::{Named, archive};
use replay_tui::live::{News, Stream};

use crate::debug::row_of_log;
use crate::failure::Failure;

/// The session that is open in the debugger.
pub(crate) type Watched = Arc<Mutex<Option<Name>>>;

/// How long nothing is looked at once something came, and how long it is waited for.
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(100);
/// How often it is asked whether the writer is still there.
const ASK: Duration = Duration::from_millis(500);
/// Opening takes at most one part in so many of the time.
const REST: u32 = 4;

/// Notes which session is open.
pub(crate) fn watch(watched: &Watched, id: &str) {
    *watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Name::from(id));
}

/// Follows a log that was just read, from how much each of its sessions holds.
pub(crate) fn follow(log: &Log, named: Named, watched: Watched) -> Result<Receiver<News>, Failure> {
    let counts = log.sessions()?.into_iter().map(|session| (session.id, session.event_count)).collect();
    let (sender, receiver) = sync_channel(1);
    let path = log.path().to_owned();
    let follower = Follower::new(&path, counts);
    thread::spawn(move || {
        // The debugger has ended where it doesn't listen any more.
        let _ = Following { path, follower, named, watched, sender, stream: Stream::Open }.run();
    });
    Ok(receiver)
}

struct Following {
    path: PathBuf,
    follower: Follower,
    named: Named,
    watched: Watched,
    sender: SyncSender<News>,
    /// What was told last.
    stream: Stream,
}

/// The debugger doesn't listen any more.
struct Gone;

impl Following {
    fn run(mut self) -> Result<(), Gone> {
        let mut asked: Option<Instant> = None;
        loop {
            let looked = self.look();
            let pause = match looked {
                Err(error @ LogError::Replaced(_)) => return self.tell(lost(&error)),
                Err(error) => {
                    self.tell(lost(&error))?;
                    ASK
                }
                Ok(grown) => {
                    let begun = Instant::now();
                    let mut news: Vec<News> =
                        grown.iter().flat_map(|grown| self.opened(|id| grown.contains_key(id))).collect();
                    let mut now = None;
                    if asked.is_none_or(|asked| asked.elapsed() >= ASK) {
                        asked = Some(Instant::now());
                        let writing = self.follower.writing();
                        now = Some(writing.map_or_else(|error| lost(&error), |now| stream(&self.path, now)));
                    }
                    // What was read of a dead writer's log holds only until another one takes it over.
                    if matches!(self.stream, Stream::Left(_)) && now.as_ref().is_some_and(|now| *now != self.stream) {
                        news = self.opened(|_| true);
                    }
                    for news in news {
                        self.sender.send(news).map_err(|_| Gone)?;
                    }
                    if let Some(now) = now {
                        self.tell(now)?;
                    }
                    if grown.is_none() {
                        continue;
                    }
                    SHORT.max(begun.elapsed() * REST)
                }
            };
            thread::sleep(pause);
        }
    }

    /// Returns by how many events each session has grown, if any has.
    fn look(&mut self) -> Result<Option<BTreeMap<Name, u64>>, LogError> {
        let mut grown: BTreeMap<Name, u64> = BTreeMap::new();
        self.follower.wait(LONG, |followed| {
            *grown.entry(followed.session.clone()).or_default() += 1;
            Ok::<(), LogError>(())
        })?;
        Ok(Some(grown).filter(|grown| !grown.is_empty()))
    }

    /// Returns the list as it is now, and the session that is open if it has changed.
    fn opened(&self, has_changed: impl Fn(&Name) -> bool) -> Vec<News> {
        let read = || -> Result<Vec<News>, String> {
            let log = Arc::new(Log::open(&self.path).map_err(|error| error.to_string())?);
            let sessions = log.sessions().map_err(|error| error.to_string())?;
            let mut news = vec![News::Sessions(sessions.iter().map(row_of_log).collect())];
            let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(id) = watched.filter(has_changed) {
                let session = archive::open_lazily(&log, &id, self.named.clone()).map_err(|error| error.to_string())?;
                news.push(News::Grown(Box::new(session)));
            }
            Ok(news)
        };
        read().unwrap_or_else(|words| vec![News::Stream(Stream::Lost(words))])
    }

    fn tell(&mut self, stream: Stream) -> Result<(), Gone> {
        if self.stream == stream {
            return Ok(());
        }
        self.stream = stream.clone();
        self.sender.send(News::Stream(stream)).map_err(|_| Gone)
    }
}

fn lost(error: &LogError) -> Stream {
    Stream::Lost(format!("no more comes: {error}"))
}

fn stream(path: &Path, writing: Writing) -> Stream {
    match writing {
        Writing::AtWork => Stream::Open,
        Writing::Nobody => Stream::Closed,
        Writing::Died => Stream::Left(format!(
            "the program that wrote {} ended without closing it; all that it acknowledged is here, and it goes on where it is started again",
            path.display()
        )),
    }
}
