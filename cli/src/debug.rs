//! `replay SESSION` on a terminal: the debugger.

use std::ffi::OsStr;
use std::sync::Arc;

use replay_store::event::EventKind;
use replay_store::fault;
use replay_store::import::Recording;
use replay_store::log::Log;
use replay_store::replay::{Named, archive};
use replay_tui::app::Notebook;
use replay_tui::copy::Opened;
use replay_tui::sessions::{List, SessionRow};
use replay_tui::{Background, Kept, Options, Sessions, Theme};

use crate::arguments::{Global, Place};
use crate::config::{self, ThemeChoice};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::filters;
use crate::live::{self, Watched};
use crate::notes::Shelf;
use crate::open::{self, Source};
use crate::output::Output;
use crate::place;
use crate::positions::Positions;
use crate::run::{Outcome, notice};
use crate::target::Target;

/// How the debugger starts.
pub(crate) struct Start<'a> {
    /// Where.
    pub(crate) moment: &'a Place,
    /// In which colours, where that was said.
    pub(crate) theme: Option<ThemeChoice>,
    /// Whether what another program appends is shown as it comes.
    pub(crate) follow: bool,
}

/// Runs the debugger on a session, or on the list of those that there are.
pub(crate) fn debug(text: &OsStr, start: &Start<'_>, global: &Global, out: &Output<'_>) -> Result<Outcome, Failure> {
    let moment = start.moment;
    let config = config::load();
    let theme = start.theme.map_or(config.theme, |choice| choice.0);
    let theme = if out.color { theme.or_else(told) } else { Some(Theme::Plain) };
    let background = if theme.is_none() && can_answer() { Background::Asked } else { Background::Known };
    let theme = theme.unwrap_or_default();
    let target = Target::parse(text);
    let positions = Positions::of(&target.place);
    let options = |at| Options {
        theme,
        background,
        at,
        visits: positions.as_ref().map(Positions::read).unwrap_or_default(),
        opened: opened(text, global),
        clipboard: config.clipboard,
        keymap: config.keymap.clone(),
        mouse: config.mouse,
        folder: global.agent.clone(),
        complaint: config.complaints.first().map(|first| format!("{first}; `replay config` says more")),
    };
    let kept = Kept { notebook: Shelf::of(&target.place).map(notebook), filters: filters::shelf() };
    let keep = |visits| positions.iter().for_each(|positions| positions.keep(&visits));
    let named = open::named(global)?;
    let source = open::source(&target.place)?;
    let watched = Watched::default();
    let news = match &source {
        _ if !start.follow => None,
        Source::Log(log) => Some(live::follow(log, named.clone(), Arc::clone(&watched))?),
        Source::Recordings(_) => return Err(Failure::FollowsNoLog { path: target.place.to_string() }),
    };
    let ids = source.ids()?;
    if target.id.is_none() && ids.len() != 1 && (start.follow || ids.len() > 1) {
        let list = list(source, named, watched)?;
        let visits = replay_tui::run(Sessions::Several(list), options(None), kept, news)?;
        keep(visits);
        return Ok(Exit::Fine.into());
    }
    let session = source.open(&target, named)?;
    live::watch(&watched, &session.id);
    let is_placed = moment.at.is_some() || moment.turn.is_some();
    let at = if is_placed { Some(place::position(&session, moment)?) } else { None };
    let notices = notice(&session).into_iter().collect();
    keep(replay_tui::run(Sessions::One(Box::new(session)), options(at), kept, news)?);
    Ok(Outcome { exit: Exit::Fine, notices })
}

/// Returns where the debugger keeps notes.
fn notebook(shelf: Shelf) -> Notebook {
    let reader = shelf.clone();
    Notebook {
        read: Box::new(move |session| reader.read(session)),
        keep: Box::new(move |note| match shelf.keep(note) {
            Ok(path) => Ok(format!("note on {} kept in {}", note.position, path.display())),
            Err(error) => Err(format!("the note can't be kept: {}", fault::words(&error))),
        }),
    }
}

/// Returns the theme for a terminal that says in its variables what is behind its text.
fn told() -> Option<Theme> {
    let colours = std::env::var("COLORFGBG").unwrap_or_default();
    match colours.rsplit(';').next().and_then(|last| last.parse::<u8>().ok()) {
        Some(7 | 15) => Some(Theme::Light),
        Some(0..=6 | 8) => Some(Theme::Dark),
        Some(_) | None => None,
    }
}

/// Returns whether a terminal may be asked what is behind its text. These take a question for something else, or show it.
fn can_answer() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    !term.is_empty() && !["linux", "dumb", "vt", "screen.linux"].iter().any(|known| term.starts_with(known))
}

/// Returns how to repeat the command line.
fn opened(text: &OsStr, global: &Global) -> Opened {
    let agent = global.agent.iter().flat_map(|folder| ["--agent".to_owned(), folder.display().to_string()]);
    let profile = global.profile.iter().flat_map(|profile| ["--profile".to_owned(), profile.name().to_owned()]);
    let session = text.to_string_lossy().into_owned();
    Opened { session, chosen: None, options: agent.chain(profile).collect() }
}

fn list(source: Source, named: Named, watched: Watched) -> Result<List, Failure> {
    let rows = match &source {
        Source::Log(log) => log.sessions()?.iter().map(row_of_log).collect(),
        Source::Recordings(recordings) => recordings.iter().map(row_of_recording).collect(),
    };
    let open = move |row: &SessionRow| match &source {
        Source::Log(log) => {
            live::watch(&watched, &row.id);
            // It may have grown since the list was made.
            let log = Arc::new(Log::open(log.path()).map_err(|error| error.to_string())?);
            archive::open_lazily(&log, &row.id, named.clone()).map_err(|error| error.to_string())
        }
        Source::Recordings(recordings) => {
            let recording = recordings.iter().find(|recording| *recording.id == *row.id);
            Ok(open::opened(recording.expect("the list is made of them").clone(), named.clone()))
        }
    };
    Ok(List { rows, cursor: 0, open: Box::new(open) })
}

/// Returns the row of a session in the list.
pub(crate) fn row_of_log(session: &replay_store::log::Session) -> SessionRow {
    SessionRow {
        id: session.id.to_string(),
        events: session.event_count,
        turns: None,
        started_at: session.details.first_time,
        said_first: None,
    }
}

fn row_of_recording(recording: &Recording) -> SessionRow {
    SessionRow {
        id: recording.id.to_string(),
        events: recording.events.len() as u64,
        turns: recording.events.iter().filter_map(|event| event.turn).max().map(u64::from),
        started_at: recording.events.first().map(|event| event.time),
        said_first: recording.events.iter().find_map(|event| match &event.kind {
            EventKind::UserMessage { text, .. } => Some(text.to_string()),
            _ => None,
        }),
    }
}
