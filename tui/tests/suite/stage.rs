//! Sessions to play with, and a player: keys in, screen out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use replay_store::agent::source;
use replay_store::event::{EventKind, Position};
use replay_store::import::{self, Recording};
use replay_store::replay::Session;
use replay_tui::key::Key;
use replay_tui::{Action, App, Theme, draw, open, update};

/// Returns a path below `samples/`.
pub(crate) fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(path)
}

/// Opens a sample session, with the folder of an agent if one is named.
pub(crate) fn session(file: &str, agent: Option<&str>) -> Session {
    let path = sample("sessions").join(file);
    let bytes = std::fs::read(&path).expect("the sample is there");
    let mut recordings = import::read(Arc::new(bytes), file).expect("the sample can be read");
    let folder = agent.map(|agent| {
        let (definition, _) = source::read(&sample("agents").join(agent)).expect("the sample agent is there");
        Arc::new(definition)
    });
    Session::open(recordings.remove(0), folder, None)
}

/// The session that most tests play: a declined tool, a lock, a digression, a write between turns.
pub(crate) fn renewal() -> Session {
    session("library-renewal.json", Some("harbour-library"))
}

/// The same with other events.
pub(crate) fn renewal_with(change: impl Fn(&mut EventKind)) -> Session {
    let bytes = std::fs::read(sample("sessions/library-renewal.json")).expect("the sample is there");
    let mut recording = import::read(Arc::new(bytes), "renewal").expect("the sample can be read").remove(0);
    recording.events.iter_mut().for_each(|event| change(&mut event.kind));
    let (definition, _) = source::read(&sample("agents/harbour-library")).expect("the sample agent is there");
    Session::open(recording, Some(Arc::new(definition)), None)
}

/// Opens events that a test made.
pub(crate) fn made(events: Vec<replay_store::event::Event>, id: &str) -> Session {
    Session::open(Recording { id: id.into(), events, ..Recording::default() }, None, None)
}

/// Starts the debugger on a session.
pub(crate) fn start(session: Session, (width, height): (u16, u16), theme: Theme) -> App {
    let mut app = App::new(theme);
    update(&mut app, Action::Resize(width, height));
    open(&mut app, session, Position(0));
    app
}

/// Presses keys: names parted by blanks; what is no name of a key is typed letter by letter.
pub(crate) fn press(app: &mut App, keys: &str) {
    for word in keys.split_whitespace() {
        let is_named = word.len() > 2 && word.starts_with(|first: char| first.is_ascii_uppercase());
        match is_named || word == "Up" || word == "F1" {
            true => update(app, Action::Press(Key(word.to_owned()))),
            false => word.chars().for_each(|letter| update(app, Action::Press(Key(letter.to_string())))),
        }
        while app.is_busy() {
            update(app, Action::Tick);
        }
    }
}

/// Paints the screen.
pub(crate) fn screen(app: &App) -> Buffer {
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, ..app.area });
    draw(app, app.area, &mut buffer);
    buffer
}

/// Plays keys on a session at 80x24 and returns the screen's text.
pub(crate) fn play(session: Session, keys: &str) -> String {
    let mut app = start(session, (80, 24), Theme::Plain);
    press(&mut app, keys);
    crate::frame::text(&screen(&app))
}

/// Returns the rows at the bottom of a screen's text as one, so that a message that was wrapped is whole again.
pub(crate) fn foot(screen: &str) -> String {
    let rows: Vec<&str> = screen.lines().rev().take(4).map(str::trim_end).collect();
    rows.into_iter().rev().collect::<Vec<_>>().join(" ")
}
