//! What is copied of each row, and that the debugger asks for it.

use replay_tui::app::Wish;
use replay_tui::copy::Opened;
use replay_tui::{App, Theme};

use crate::frame::text;
use crate::stage::{press, renewal, screen, start};

/// Plays keys and returns what is to be copied.
fn copied(keys: &str) -> String {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    app.opened = Opened {
        session: "my log.log".to_owned(),
        chosen: None,
        options: vec!["--agent".to_owned(), "library".to_owned()],
    };
    press(&mut app, keys);
    match &app.wish {
        Some(Wish::Copy(clipping)) => clipping.text.clone(),
        other => panic!("{keys}: {other:?}: {}", said(&app)),
    }
}

fn said(app: &App) -> String {
    text(&screen(app)).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_row_its_value_its_name_its_path_and_its_command_are_copied() {
    for (keys, expected) in [
        (": 2 0 Enter yy", "▸20 = renew_loan.item_title = The Lighthouse Keeper's Almanac"),
        (": 2 0 Enter yv", "The Lighthouse Keeper's Almanac"),
        (": 2 0 Enter yk", "renew_loan.item_title"),
        (": 2 0 Enter yp", "library-renewal/turn 2/20 (raw 28)"),
        (": 2 0 Enter yc", "replay show 'my log.log' --at 20 --what event --agent library"),
        (": 2 0 Enter Tab Tab yk", "renew_loan.item_title"),
        (": 2 0 Enter Tab Tab yv", "The Lighthouse Keeper's Almanac"),
        (": 2 0 Enter Tab Tab yp", "library-renewal/at 20/memory/renew_loan.item_title"),
        (": 2 0 Enter Tab Tab yc", "replay show 'my log.log' --at 20 --what memory --agent library"),
        (": 2 7 Enter Tab yy", "user: No, sorry. I mean Tides and Tables."),
        (": 2 7 Enter Tab yv", "No, sorry. I mean Tides and Tables."),
        (": 2 9 Enter 4 Esc Tab Tab Tab yk", "renew_loan"),
        (": 2 2 Enter 6 Enter / arguments Enter yv", "{\"title\":\"lighthouse book\"}"),
        (": 2 2 Enter 6 Enter / result Enter yp", "library-renewal/turn 2/22 (raw 32)/result"),
        // A line of JSON: where it stands in it, and the part that begins there.
        (
            ": 2 0 Enter 6 Enter / step Enter yp",
            "library-renewal/turn 2/20 (raw 28)/raw[28].metadata.mantle_write_provenance.step",
        ),
        (": 2 0 Enter 6 Enter / step Enter yv", "autonomous"),
        (": 2 0 Enter 6 Enter / arguments Enter n yv", "{\"title\":\"lighthouse book\"}"),
        ("]p ]p p yc", "replay prompt 'my log.log' --turn 2 --call 2 --agent library"),
        (": 3 5 Enter p H yc", "replay prompt 'my log.log' --at 35 --agent library"),
    ] {
        assert_eq!(copied(keys), expected, "keys {keys}");
    }
}

#[test]
fn a_row_without_a_value_says_so_and_copies_nothing() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, ": 3 2 Enter yv");
    assert_eq!(app.wish, None);
    assert!(said(&app).contains("has no value"), "{}", said(&app));
}

#[test]
fn the_row_at_the_bottom_says_where_the_row_under_the_cursor_stands() {
    for (keys, expected) in [
        (": 2 0 Enter 3 Enter", "renew_loan.item_title  j k step"),
        (": 2 0 Enter 6 Enter", "event 20  j k step"),
        (": 2 2 Enter 6 Enter / arguments Enter z", "arguments  j k step"),
        (": 2 0 Enter 6 Enter / step Enter z", "raw[28].metadata.mantle_write_provenance.step  j k step"),
        (": 2 0 Enter 4 Enter", "renew_loan  j k step"),
        (": 2 9 Enter 5 Enter / lighthouse Enter z", "project.loans, set at 8  "),
        (": 2 0 Enter 3 Enter", "  ? help  q quit"),
        (": 2 0 Enter", "j k step  ]t turn"),
    ] {
        let mut app = start(renewal(), (80, 24), Theme::Plain);
        press(&mut app, keys);
        app.message = None;
        let foot = said(&app);
        assert!(foot.starts_with(expected) || foot.ends_with(expected), "keys {keys}: {foot}");
    }
}

#[test]
fn raw_records_are_shown_in_hex_with_the_command_that_writes_them_so() {
    let mut app = start(renewal(), (120, 40), Theme::Plain);
    app.opened.session = "s.log".to_owned();
    press(&mut app, ": 2 0 Enter 6 Enter z J");
    assert!(text(&screen(&app)).contains("J shows the bytes of raw records in hex"));
    press(&mut app, "J");
    let seen = text(&screen(&app));
    assert!(
        seen.contains("000000  7b 22 65 76 65 6e 74 22  3a 20 22 73 6c 6f 74 22  |{\"event\": \"slot\"|"),
        "{seen}"
    );
    press(&mut app, "yc");
    let Some(Wish::Copy(clipping)) = app.wish.take() else { panic!("{:?}", app.message) };
    assert_eq!(clipping.text, "replay show s.log --at 20 --raw --hex");
    press(&mut app, "J");
    assert!(text(&screen(&app)).contains("  \"event\": "), "{}", text(&screen(&app)));
}
