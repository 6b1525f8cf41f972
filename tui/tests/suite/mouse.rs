//! The mouse: a click chooses, a double click goes, the wheel scrolls.

use replay_tui::panel::Panel;
use replay_tui::rows::Direction;
use replay_tui::sessions::{List, SessionRow};
use replay_tui::{Action, App, Theme, update};

use crate::frame::text;
use crate::stage::{press, renewal, screen, start};

fn play(keys: &str) -> App {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    app
}

fn rows(app: &App) -> Vec<String> {
    text(&screen(app)).lines().map(String::from).collect()
}

/// Clicks once or twice on the row of the screen that has a text.
fn click(app: &mut App, words: &str, times: usize) {
    let seen = rows(app);
    let y = seen.iter().position(|row| row.contains(words)).unwrap_or_else(|| panic!("{words}: {seen:#?}")) as u16;
    update(app, Action::Click(5, y));
    for _ in 1..times {
        update(app, Action::DoubleClick(5, y));
    }
}

fn cursor(app: &App) -> u64 {
    app.debugger.as_ref().expect("a session is open").cursor.0
}

#[test]
fn the_picker_is_clicked() {
    let mut app = play("Ctrl-p turn");
    click(&mut app, "turn 4", 1);
    assert!(rows(&app).iter().any(|row| row.starts_with("▸ turn      turn 4")), "{:#?}", rows(&app));
    assert_eq!(cursor(&app), 0);
    click(&mut app, "turn 3", 2);
    assert!(app.picker.is_none());
    assert_eq!(cursor(&app), 32);

    let mut app = play("Ctrl-p");
    update(&mut app, Action::Wheel(5, 5, Direction::Forward));
    assert_eq!(app.picker.as_ref().map(|picker| picker.cursor), Some(3));
    // Rows that are far down are where they are seen.
    press(&mut app, "PageDown PageDown");
    click(&mut app, "  turn      turn 5", 2);
    assert_eq!(cursor(&app), 57);
}

#[test]
fn lists_of_marks_and_breakpoints_are_clicked() {
    let mut app = play("12G m a 20G m b g : marks Enter");
    click(&mut app, "b  20", 1);
    assert!(rows(&app).iter().any(|row| row.starts_with("▸ b")), "{:#?}", rows(&app));
    click(&mut app, "a  12", 2);
    assert_eq!(cursor(&app), 12);
    let mut app = play("12G b 20G b g : breaks Enter");
    click(&mut app, "at 20", 2);
    assert!(rows(&app).iter().any(|row| row.contains("2  off      at 20")), "{:#?}", rows(&app));
    update(&mut app, Action::Click(5, 20));
    update(&mut app, Action::DoubleClick(5, 20));
    assert!(rows(&app).iter().any(|row| row.contains("2  off")), "where no row is, nothing happens");
}

#[test]
fn a_double_click_in_a_panel_does_what_enter_does() {
    let mut app = play("20G");
    click(&mut app, "18 ƒ activate", 2);
    let debugger = app.debugger.as_ref().expect("a session is open");
    assert_eq!((debugger.cursor.0, debugger.focus, debugger.zoomed), (18, Panel::Event, true));

    let mut app = play("20G");
    let y = rows(&app).iter().position(|row| row.contains("item_id (public)")).expect("it is there") as u16;
    update(&mut app, Action::Click(60, y));
    update(&mut app, Action::DoubleClick(60, y));
    assert!(text(&screen(&app)).contains("story of renew_loan.item_id"), "{}", text(&screen(&app)));
    // On a title and on the row at the bottom nothing is opened.
    let mut app = play("20G");
    for y in [0, 1, 23] {
        update(&mut app, Action::DoubleClick(60, y));
        assert!(app.debugger.as_ref().is_some_and(|debugger| debugger.story.is_none() && !debugger.zoomed), "{y}");
    }
}

#[test]
fn a_session_of_the_list_is_opened() {
    let row = |id: &str| SessionRow { id: id.to_owned(), events: 57, turns: None, started_at: None, said_first: None };
    let mut app = App::new(Theme::Plain);
    update(&mut app, Action::Resize(80, 24));
    app.list = Some(List { rows: vec![row("first"), row("second")], cursor: 0, open: Box::new(|_| Ok(renewal())) });
    click(&mut app, "second", 1);
    assert!(app.debugger.is_none() && app.list.as_ref().is_some_and(|list| list.cursor == 1));
    click(&mut app, "second", 2);
    assert_eq!(app.opened.chosen.as_deref(), Some("second"));
}

#[test]
fn a_click_gives_up_the_sequence_that_was_begun() {
    for keys in ["12G ]", "12G m", "12G 3"] {
        let mut app = play(keys);
        click(&mut app, "14 ≡", 1);
        assert!(rows(&app).last().is_some_and(|row| row.contains("? help")), "{keys}: {:#?}", rows(&app));
        press(&mut app, "j");
        assert_eq!(cursor(&app), 15, "{keys}");
    }
}
