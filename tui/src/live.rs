//! A session that is followed while somebody else records it: what the recorder does, and whether the cursor goes along.

use replay_store::event::Position;
use replay_store::replay::Session;

use crate::sessions::SessionRow;
use crate::theme::Tone;

/// What whoever follows the record has to say.
#[derive(Debug)]
pub enum News {
    /// A session that holds more than before. It is that one from its start on.
    Grown(Box<Session>),
    /// The sessions that there are now.
    Sessions(Vec<SessionRow>),
    /// The recorder does something else.
    Stream(Stream),
}

/// What becomes of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Somebody writes it.
    Open,
    /// It was closed; what is appended later is shown all the same.
    Closed,
    /// Its writer ended without closing it: the words say what to do.
    Left(String),
    /// It can't be read any more: the words say why, and what to do.
    Lost(String),
}

/// How a session is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// What becomes of the record.
    pub stream: Stream,
    /// Whether the cursor stays at the end.
    pub goes_along: bool,
    /// Where the end was when the user saw it last.
    pub seen: Position,
}

impl Live {
    /// Begins to follow. The cursor stays at the end, which is there.
    pub fn new() -> Live {
        Live { stream: Stream::Open, goes_along: true, seen: Position(0) }
    }

    /// Returns what stands on top of the screen: how many events came that the user didn't see, and what the recorder does.
    pub(crate) fn words(&self, end: Position) -> (Tone, String) {
        let new = end.0.saturating_sub(self.seen.0);
        match (&self.stream, self.goes_along) {
            (Stream::Lost(_), _) => (Tone::Bad, "lost: F says why".to_owned()),
            (Stream::Left(_), _) if new == 0 || self.goes_along => {
                (Tone::Bad, "its writer died: F says more".to_owned())
            }
            (Stream::Closed, _) if new == 0 || self.goes_along => (Tone::Waiting, "closed".to_owned()),
            (Stream::Open, true) => (Tone::Strong, "live".to_owned()),
            (Stream::Open, false) if new == 0 => (Tone::Waiting, "held: F goes along".to_owned()),
            (Stream::Open | Stream::Closed | Stream::Left(_), _) => (Tone::Waiting, format!("{new} new: F goes there")),
        }
    }

    /// Returns what there is to say of the record, where it isn't simply written.
    pub(crate) fn complaint(&self) -> Option<(Tone, String)> {
        match &self.stream {
            Stream::Open => None,
            Stream::Closed => Some((
                Tone::Strong,
                "closed by the program that wrote it; what is appended later is shown, too".to_owned(),
            )),
            Stream::Left(words) | Stream::Lost(words) => Some((Tone::Bad, words.clone())),
        }
    }
}

impl Default for Live {
    fn default() -> Live {
        Live::new()
    }
}
