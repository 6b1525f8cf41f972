//! The loop between the terminal and the app: keys in, screens out.
//!
//! Whatever ends the loop, the terminal is left as it was found: an error, a panic, a signal, or the user. Where
//! stdin holds the data, keys come from the controlling terminal.

mod background;
mod clipboard;
mod editor;
mod modes;
mod watch;

use std::fs::File;
use std::io::{self, ErrorKind, Stdout, Write, stdout};
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind, poll,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use replay_store::event::Position;
use replay_store::fault::words;
use replay_store::replay::Session;
use signal_hook::consts::SIGTSTP;

use self::background::{Question, Taken};
pub use self::clipboard::Clipboard;
use self::modes::Screen;
use self::watch::{JobControl, Watch};

use crate::action::Action;
use crate::app::{App, FilterShelf, Message, Notebook, Visits, Wish};
use crate::copy::Opened;
use crate::export::Export;
use crate::fold::size_words;
use crate::key::Key;
use crate::keymap::Keymap;
use crate::live::{Live, News};
use crate::rows::Direction;
use crate::sessions::List;
use crate::theme::{Theme, Tone};
use crate::{draw, leave, open, resume, tell, update};

/// What the debugger opens on.
#[derive(Debug)]
pub enum Sessions {
    /// A session.
    One(Box<Session>),
    /// A list to choose from.
    Several(List),
}

/// How the debugger starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether colours are used.
    pub theme: Theme,
    /// Whether the terminal is asked for what is behind its text, to take a theme for that.
    pub background: Background,
    /// Where the cursor stands at first; `None` for where the session was left.
    pub at: Option<Position>,
    /// Where the sessions were left.
    pub visits: Visits,
    /// How the session was named on the command line.
    pub opened: Opened,
    /// Which way a copy takes.
    pub clipboard: Clipboard,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Whether the mouse is left to the terminal.
    pub mouse: Mouse,
    /// The agent folder, where one was named.
    pub folder: Option<PathBuf>,
    /// What is wrong in the configuration, to be said at first.
    pub complaint: Option<String>,
}

/// Where things are kept for the user; `None` where there is no place for them.
#[derive(Debug, Default)]
pub struct Kept {
    /// Notes.
    pub notebook: Option<Notebook>,
    /// Named filters.
    pub filters: Option<FilterShelf>,
}

/// Whether it is known what is behind the terminal's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// The theme is the right one.
    #[default]
    Known,
    /// The terminal is asked. Until it answers, and where it doesn't, the theme stays.
    Asked,
}

/// Whose the mouse is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mouse {
    /// Ours: clicks and the wheel work; Shift and drag selects text.
    #[default]
    Ours,
    /// The terminal's: dragging selects text as everywhere.
    Terminal,
}

/// What can go wrong between us and the terminal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal can't be put into the mode that the debugger needs.
    #[error("the terminal can't show the debugger; try `replay show` or a pipe")]
    Enter(#[source] io::Error),
    /// Painting failed.
    #[error("writing to the terminal failed")]
    Paint(#[source] io::Error),
    /// Reading keys failed.
    #[error("reading keys from the terminal failed")]
    Keys(#[source] io::Error),
    /// Signals can't be watched.
    #[error("signals can't be watched")]
    Signals(#[source] io::Error),
}

/// Runs the debugger until the user ends it. Returns where the user was in each session that was open. Where there may be
/// `news`, the sessions are followed.
///
/// A signal that ends programs, or a terminal that goes away, ends the process as that signal does; the terminal is put
/// right first, as far as that can be done.
///
/// # Errors
///
/// Fails where the terminal does. It is put right before the error is returned.
pub fn run(sessions: Sessions, options: Options, kept: Kept, news: Option<Receiver<News>>) -> Result<Visits, Error> {
    let mut app = App::new(options.theme);
    app.visits = options.visits;
    app.opened = options.opened;
    app.keymap = options.keymap;
    app.notebook = kept.notebook;
    app.filters = kept.filters.as_ref().map(|shelf| (shelf.read)()).unwrap_or_default();
    app.filter_shelf = kept.filters;
    app.live = news.as_ref().map(|_| Live::new());
    match sessions {
        Sessions::One(session) => match options.at {
            Some(at) => open(&mut app, *session, at),
            None => resume(&mut app, *session),
        },
        Sessions::Several(list) => app.list = Some(list),
    }
    if let Some(text) = options.complaint {
        update(&mut app, Action::Say(Message { text, tone: Tone::Bad }));
    }
    let way = Way {
        clipboard: options.clipboard,
        mouse: options.mouse,
        folder: options.folder,
        background: options.background,
        news,
    };
    let watch = Watch::start().map_err(Error::Signals)?;
    let screen = Screen::enter(options.mouse).map_err(Error::Enter)?;
    let ended = event_loop(&mut app, &watch, way);
    drop(screen);
    leave(&mut app);
    ended.map(|()| app.visits)
}

/// What the loop has to know beside the app.
#[derive(Debug)]
struct Way {
    clipboard: Clipboard,
    mouse: Mouse,
    folder: Option<PathBuf>,
    background: Background,
    news: Option<Receiver<News>>,
}

/// Returns how many columns the terminal has; `None` where there is none, or it doesn't tell.
pub fn columns() -> Option<u16> {
    crossterm::terminal::size().ok().map(|(columns, _)| columns).filter(|columns| *columns > 0)
}

/// How long a number may stand alone before it names a panel.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a key that means something alone may begin a sequence.
const SEQUENCE: Duration = Duration::from_millis(1000);
/// How soon the second click of a double one comes.
const DOUBLE: Duration = Duration::from_millis(500);
/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(100);
/// How long job control may wait.
const WAIT: Duration = Duration::from_millis(200);
/// How long news may wait.
const WAIT_FOR_NEWS: Duration = Duration::from_millis(30);

fn event_loop(app: &mut App, watch: &Watch, way: Way) -> Result<(), Error> {
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout())).map_err(Error::Enter)?;
    let size = terminal.size().map_err(Error::Paint)?;
    update(app, Action::Resize(size.width, size.height));
    let mut rested = Duration::ZERO;
    let mut is_stale = true;
    let mut drawn = Instant::now();
    let mut clicks = Clicks::default();
    let mut question = match way.background {
        Background::Known => Question::none(),
        Background::Asked => Question::ask(&mut stdout()).map_err(Error::Paint)?,
    };
    let wait = if way.news.is_some() { WAIT_FOR_NEWS } else { WAIT };
    loop {
        if let Some(one) = way.news.as_ref().and_then(|news| news.try_recv().ok()) {
            tell(app, one);
            is_stale = true;
        }
        if is_stale {
            terminal.draw(|frame| draw(app, frame.area(), frame.buffer_mut())).map_err(Error::Paint)?;
            is_stale = false;
            drawn = Instant::now();
        }
        match watch.job_control() {
            Some(JobControl::Stop) => app.wish = Some(Wish::Suspend),
            Some(JobControl::Continue) => {
                Screen::again(way.mouse).map_err(Error::Enter)?;
                app.wish = Some(Wish::Redraw);
            }
            None => {}
        }
        match app.wish.take() {
            Some(Wish::Quit) => return question.forget().map_err(Error::Keys),
            Some(Wish::Suspend) => {
                question.forget().map_err(Error::Keys)?;
                suspend(way.mouse)?;
                watch.job_control();
                redraw(app, &mut terminal)?;
                is_stale = true;
                continue;
            }
            Some(Wish::Redraw) => {
                redraw(app, &mut terminal)?;
                is_stale = true;
                continue;
            }
            Some(Wish::Edit(edit)) => {
                question.forget().map_err(Error::Keys)?;
                Screen::leave();
                let message = editor::open(&edit, way.folder.as_deref());
                Screen::set_modes(way.mouse).map_err(Error::Enter)?;
                watch.job_control();
                redraw(app, &mut terminal)?;
                update(app, Action::Say(message));
                is_stale = true;
                continue;
            }
            Some(Wish::Export(export)) => {
                update(app, Action::Say(write(&export)));
                is_stale = true;
                continue;
            }
            Some(Wish::Copy(clipping)) => {
                let message = clipboard::copy(&clipping, way.clipboard, &mut stdout());
                update(app, Action::Say(message));
                is_stale = true;
                continue;
            }
            None => {}
        }
        let is_busy = app.is_busy();
        if poll(if is_busy { Duration::ZERO } else { wait }).map_err(Error::Keys)? {
            rested = Duration::ZERO;
            is_stale = true;
            // Everything that waits is taken before the next screen, so that a held key never runs on.
            loop {
                for taken in question.read().map_err(Error::Keys)? {
                    let action = match taken {
                        Taken::Other(event) => action(event),
                        Taken::Part => None,
                        Taken::Answer(theme) => Some(Action::Theme(theme)),
                    };
                    if let Some(action) = action {
                        update(app, clicks.told(action, Instant::now()));
                    }
                }
                if app.wish.is_some() || !poll(Duration::ZERO).map_err(Error::Keys)? {
                    break;
                }
            }
        } else if is_busy {
            update(app, Action::Tick);
            is_stale = !app.is_busy() || drawn.elapsed() > PROGRESS;
        } else if let Some(pause) = pause(app) {
            rested += wait;
            if rested >= pause {
                update(app, Action::Pause);
                is_stale = true;
            }
        }
    }
}

/// Returns how long what was begun waits for another key; `None` where nothing was begun, or it waits for ever.
fn pause(app: &App) -> Option<Duration> {
    match &app.prefix {
        Some(prefix) => prefix.before.is_some().then_some(SEQUENCE),
        None => app.count.map(|_| PAUSE),
    }
}

/// The last click, to tell a double one.
#[derive(Debug, Default)]
struct Clicks {
    last: Option<(Instant, u16, u16)>,
}

impl Clicks {
    /// Returns what an action is at a moment: the second click at the same place is a double one.
    fn told(&mut self, action: Action, now: Instant) -> Action {
        let Action::Click(x, y) = action else {
            self.last = None;
            return action;
        };
        let is_second =
            self.last.is_some_and(|(at, column, row)| (column, row) == (x, y) && now.duration_since(at) < DOUBLE);
        self.last = if is_second { None } else { Some((now, x, y)) };
        if is_second { Action::DoubleClick(x, y) } else { Action::Click(x, y) }
    }
}

fn redraw(app: &mut App, terminal: &mut Terminal<CrosstermBackend<Stdout>>) -> Result<(), Error> {
    // A resize paints everything anew; `clear` would ask where the cursor stands, and not every terminal answers.
    let size = terminal.size().map_err(Error::Paint)?;
    terminal.resize(size.into()).map_err(Error::Paint)?;
    update(app, Action::Resize(size.width, size.height));
    Ok(())
}

/// Writes a file; one that is there only where it was said that it goes.
fn write(export: &Export) -> Message {
    let Export { path, text, replaces } = export;
    let mut options = File::options();
    match replaces {
        true => options.write(true).create(true).truncate(true),
        false => options.write(true).create_new(true),
    };
    let text = match options.open(path).and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => return Message { text: format!("wrote {path}, {}", size_words(text.len())), tone: Tone::Strong },
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            format!("{path} is there already: :export! {path} writes over it")
        }
        Err(error) => format!("{path} can't be written: {}", words(&error)),
    };
    Message { text, tone: Tone::Bad }
}

fn suspend(mouse: Mouse) -> Result<(), Error> {
    Screen::leave();
    signal_hook::low_level::emulate_default_handler(SIGTSTP).map_err(Error::Signals)?;
    Screen::set_modes(mouse).map_err(Error::Enter)
}

/// Returns what an event of the terminal wishes.
fn action(event: Event) -> Option<Action> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => name(key).map(Key).map(Action::Press),
        Event::Mouse(MouseEvent { kind, column, row, .. }) => match kind {
            MouseEventKind::Down(MouseButton::Left) => Some(Action::Click(column, row)),
            MouseEventKind::ScrollDown => Some(Action::Wheel(column, row, Direction::Forward)),
            MouseEventKind::ScrollUp => Some(Action::Wheel(column, row, Direction::Back)),
            _ => None,
        },
        Event::Resize(width, height) => Some(Action::Resize(width, height)),
        _ => None,
    }
}

/// Returns the name of a key, as the table of keys has it.
fn name(key: KeyEvent) -> Option<String> {
    let plain = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(character) => character.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        KeyCode::BackTab => return Some("Shift-Tab".to_owned()),
        KeyCode::Tab => "Tab".to_owned(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::Backspace => "Backspace".to_owned(),
        KeyCode::Left => "Left".to_owned(),
        KeyCode::Right => "Right".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        KeyCode::PageUp => "PageUp".to_owned(),
        KeyCode::PageDown => "PageDown".to_owned(),
        _ => return None,
    };
    Some(if key.modifiers.contains(KeyModifiers::CONTROL) {
        format!("Ctrl-{}", plain.to_lowercase())
    } else if key.modifiers.contains(KeyModifiers::ALT) {
        format!("Alt-{plain}")
    } else {
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_click_at_a_place_is_a_double_one_if_it_comes_soon() {
        let mut clicks = Clicks::default();
        let begun = Instant::now();
        let mut click = |x, millis| clicks.told(Action::Click(x, 5), begun + Duration::from_millis(millis));
        assert_eq!(click(3, 0), Action::Click(3, 5));
        assert_eq!(click(3, 200), Action::DoubleClick(3, 5));
        assert_eq!(click(3, 300), Action::Click(3, 5), "the third one begins anew");
        assert_eq!(click(4, 400), Action::Click(4, 5), "it is at another place");
        assert_eq!(click(4, 1000), Action::Click(4, 5), "it comes too late");
        assert_eq!(clicks.told(Action::Pause, begun), Action::Pause);
        assert_eq!(clicks.told(Action::Click(4, 5), begun + Duration::from_millis(1001)), Action::Click(4, 5));
    }

    #[test]
    fn a_file_that_is_there_is_written_over_only_where_that_was_said() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("a.md").display().to_string();
        let export = |text: &str, replaces| Export { path: path.clone(), text: text.to_owned(), replaces };
        assert_eq!(write(&export("one", false)).text, format!("wrote {path}, 3 B"));
        let refused = write(&export("two", false));
        assert_eq!(refused.text, format!("{path} is there already: :export! {path} writes over it"));
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "one");
        assert_eq!(write(&export("3", true)).text, format!("wrote {path}, 1 B"));
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "3");
        let nowhere = write(&Export { path: format!("{path}/b.md"), ..export("", false) });
        assert!(nowhere.text.ends_with("b.md can't be written: Not a directory"), "{}", nowhere.text);
    }

    #[test]
    fn keys_have_the_names_of_the_table() {
        let cases = [
            (KeyEvent::new(KeyCode::Char('j'), KeyModifiers::NONE), "j"),
            (KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT), "G"),
            (KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL), "Ctrl-d"),
            (KeyEvent::new(KeyCode::Char(' '), KeyModifiers::NONE), "Space"),
            (KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT), "Shift-Tab"),
            (KeyEvent::new(KeyCode::Char('i'), KeyModifiers::CONTROL), "Ctrl-i"),
            (KeyEvent::new(KeyCode::F(1), KeyModifiers::NONE), "F1"),
        ];
        for (key, expected) in cases {
            assert_eq!(name(key).as_deref(), Some(expected));
        }
    }
}
