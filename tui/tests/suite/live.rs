//! A session that is followed: what comes appears at the end, and the user stays where he is.

use std::sync::Arc;

use replay_store::event::Position;
use replay_store::import;
use replay_store::replay::Session;
use replay_tui::live::{Live, News, Stream};
use replay_tui::sessions::{List, SessionRow};
use replay_tui::{Action, App, Theme, open, resume, tell, update};

use crate::frame::text;
use crate::stage::{press, sample, screen};

/// Returns the sample as it was when so many events were recorded.
fn after(count: usize) -> Session {
    let bytes = std::fs::read(sample("sessions/library-renewal.json")).expect("the sample is there");
    let mut recording = import::read(Arc::new(bytes), "renewal").expect("it can be read").remove(0);
    recording.events.truncate(count);
    Session::open(recording, None, None)
}

fn followed(count: usize) -> App {
    let mut app = App::new(Theme::Plain);
    update(&mut app, Action::Resize(120, 24));
    app.live = Some(Live::new());
    resume(&mut app, after(count));
    app
}

fn grow(app: &mut App, count: usize) {
    tell(app, News::Grown(Box::new(after(count))));
    while app.is_busy() {
        update(app, Action::Tick);
    }
}

fn check(app: &App, cursor: u64, end: u64, words: &str) {
    let debugger = app.debugger.as_ref().expect("a session is open");
    let screen = text(&screen(app));
    assert_eq!((debugger.cursor, debugger.session.end()), (Position(cursor), Position(end)), "{screen}");
    let title = screen.lines().next().expect("there is a title");
    assert!(title.starts_with(&format!("{cursor}/{end}  {words}  ")), "{title}");
}

#[test]
fn the_cursor_goes_along_until_the_user_goes_elsewhere_and_again_after_f() {
    let mut app = followed(20);
    check(&app, 20, 20, "live");
    grow(&mut app, 22);
    check(&app, 22, 22, "live");
    press(&mut app, "k k");
    check(&app, 20, 22, "held: F goes along");
    grow(&mut app, 23);
    grow(&mut app, 30);
    check(&app, 20, 30, "8 new: F goes there");
    press(&mut app, "10G");
    check(&app, 10, 30, "8 new: F goes there");
    press(&mut app, "F");
    check(&app, 30, 30, "live");
    grow(&mut app, 31);
    check(&app, 31, 31, "live");
    // F is a jump: there is a way back.
    press(&mut app, "Ctrl-o");
    check(&app, 10, 31, "held: F goes along");
    press(&mut app, "G");
    grow(&mut app, 33);
    check(&app, 31, 33, "2 new: F goes there");
}

#[test]
fn a_session_that_grew_looks_like_one_that_was_whole_and_stepped_through() {
    let mut app = followed(12);
    press(&mut app, "f kind:memory_* Enter");
    for count in 13..=40 {
        grow(&mut app, count);
    }
    let mut fresh = followed(40);
    press(&mut fresh, "12G");
    for _ in 13..=40 {
        press(&mut fresh, "l");
    }
    press(&mut fresh, "F f kind:memory_* Enter");
    for keys in ["&", "&", "3 Enter", "4 Enter", "6 Enter", "!", "D", "1 Enter 12G", "z"] {
        press(&mut app, keys);
        press(&mut fresh, keys);
        app.message = None;
        fresh.message = None;
        assert_eq!(text(&screen(&app)), text(&screen(&fresh)), "after {keys}");
    }
}

#[test]
fn whoever_reads_a_panel_is_not_disturbed() {
    let mut app = followed(30);
    press(&mut app, "20G 6 Enter z j j j");
    let before = text(&screen(&app));
    grow(&mut app, 40);
    let after = text(&screen(&app));
    let below = |screen: &str| screen.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(below(&before), below(&after));
}

#[test]
fn what_became_of_the_record_is_said_and_the_screen_goes_on() {
    let mut app = followed(20);
    tell(&mut app, News::Stream(Stream::Closed));
    check(&app, 20, 20, "closed");
    assert!(text(&screen(&app)).contains("closed by the program that wrote it"));
    // It may be opened again.
    grow(&mut app, 21);
    tell(&mut app, News::Stream(Stream::Open));
    check(&app, 21, 21, "live");
    tell(&mut app, News::Stream(Stream::Left("session.log was not closed".to_owned())));
    check(&app, 21, 21, "its writer died: F says more");
    tell(&mut app, News::Stream(Stream::Lost("session.log was replaced".to_owned())));
    assert!(text(&screen(&app)).contains("session.log was replaced"));
    press(&mut app, "k k");
    check(&app, 19, 21, "lost: F says why");
    assert!(!text(&screen(&app)).contains("session.log was replaced"));
    press(&mut app, "F");
    check(&app, 21, 21, "lost: F says why");
    assert!(text(&screen(&app)).contains("session.log was replaced"));
}

#[test]
fn a_moment_that_was_asked_for_is_kept() {
    let mut app = App::new(Theme::Plain);
    update(&mut app, Action::Resize(120, 24));
    app.live = Some(Live::new());
    open(&mut app, after(20), Position(5));
    grow(&mut app, 25);
    check(&app, 5, 25, "5 new: F goes there");
}

#[test]
fn where_nothing_is_followed_f_says_how() {
    let mut app = App::new(Theme::Plain);
    open(&mut app, after(20), Position(5));
    press(&mut app, "F");
    assert!(text(&screen(&app)).contains("replay LOG --follow"));
}

#[test]
fn sessions_that_begin_come_into_the_list() {
    let row =
        |id: &str, events| SessionRow { id: id.to_owned(), events, turns: None, started_at: None, said_first: None };
    let mut app = App::new(Theme::Plain);
    app.live = Some(Live::new());
    app.list = Some(List { rows: Vec::new(), cursor: 0, open: Box::new(|row| Ok(after(row.events as usize))) });
    press(&mut app, "Enter");
    tell(&mut app, News::Sessions(vec![row("b", 3)]));
    tell(&mut app, News::Sessions(vec![row("a", 1), row("b", 20)]));
    assert_eq!(app.list.as_ref().map(|list| list.cursor), Some(1), "the cursor stays on its session");
    press(&mut app, "Enter");
    check(&app, 20, 20, "live");
    // News of a session that isn't open changes nothing.
    let mut other = after(30);
    other.id = "other".into();
    tell(&mut app, News::Grown(Box::new(other)));
    check(&app, 20, 20, "live");
}
