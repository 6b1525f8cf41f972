//! The picker: letters in, and what Enter then does.

use replay_tui::panel::Panel;
use replay_tui::sessions::{List, SessionRow};
use replay_tui::{Action, App, Theme, update};

use crate::frame::text;
use crate::stage::{press, renewal, screen, start};

fn play(keys: &str) -> App {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, keys);
    app
}

/// After the keys the row under the picker's cursor and the row at the bottom say all of `expected`.
fn picks(keys: &str, expected: &[&str]) {
    let seen = text(&screen(&play(keys)));
    let rows: Vec<&str> = seen.lines().filter(|row| row.starts_with('▸')).chain(seen.lines().last()).collect();
    for words in expected {
        assert!(rows.iter().any(|row| row.contains(words)), "keys {keys}: {words}\n{seen}");
    }
}

#[test]
fn a_few_letters_find_it_and_the_row_says_what_enter_does() {
    picks("Ctrl-p itid", &["entry", "renew_loan.item_id", "never written", "Enter shows it in memory"]);
    picks("Ctrl-p skill Space renew", &["renew_loan", "Enter explains why it is active"]);
    picks("Ctrl-p turn3", &["turn 3", "Enter goes to its end"]);
    picks("Ctrl-p :wat", &[":watch ENTRY", "Enter begins it"]);
    picks("Ctrl-p matrix", &["the access matrix", "Enter does it"]);
    picks("Ctrl-p zzzz", &["nothing has these letters"]);
    picks("Ctrl-p zzzz Ctrl-u itid", &["renew_loan.item_id"]);
    picks("Ctrl-p turn Down Ctrl-n Up Ctrl-p Down", &["turn 2"]);
}

#[test]
fn enter_does_what_the_row_says() {
    let app = play("35G Ctrl-p itid Enter");
    let debugger = app.debugger.as_ref().expect("a session is open");
    assert_eq!(debugger.focus, Panel::Memory);
    assert_eq!(debugger.selected_entry().map(|row| row.key.to_string()).as_deref(), Some("renew_loan.item_id"));

    let app = play("Ctrl-p skill Space renew Enter");
    assert!(text(&screen(&app)).contains("skill renew_loan"), "{}", text(&screen(&app)));

    let at = |keys: &str| play(keys).debugger.expect("a session is open").cursor;
    assert_eq!(at("Ctrl-p turn3 Enter"), at(": turn Space 3 Enter"));
    assert_eq!(at("Ctrl-p turn3 Enter Ctrl-o").0, 0, "it is a jump");
    assert_eq!(at("Ctrl-p to-end-forw Enter"), at("]t"));
    assert_eq!(at("Ctrl-p :turn Enter 2 Enter"), at(": turn Space 2 Enter"));
    assert!(play("Ctrl-p :help Enter").help.is_some());
}

#[test]
fn esc_and_backspace_close_it() {
    for keys in ["Ctrl-p abc Esc", "Ctrl-p a Backspace Backspace"] {
        let app = play(keys);
        assert!(app.picker.is_none() && app.debugger.is_some_and(|debugger| debugger.cursor.0 == 0), "{keys}");
    }
}

#[test]
fn a_session_of_the_list_is_opened() {
    let row = |id: &str| SessionRow { id: id.to_owned(), events: 57, turns: None, started_at: None, said_first: None };
    let mut app = App::new(Theme::Plain);
    update(&mut app, Action::Resize(80, 24));
    app.list = Some(List { rows: vec![row("first"), row("second")], cursor: 0, open: Box::new(|_| Ok(renewal())) });
    press(&mut app, "Ctrl-p sec Enter");
    assert!(app.debugger.is_some());
    assert_eq!(app.opened.chosen.as_deref(), Some("second"));
    press(&mut app, "Ctrl-p session Space first Enter");
    assert_eq!(app.opened.chosen.as_deref(), Some("first"));
}
