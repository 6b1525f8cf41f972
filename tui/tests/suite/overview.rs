//! The whole session in two rows on top.

use replay_tui::{Action, App, Theme, update};

use crate::frame::text;
use crate::stage::{made, press, renewal, screen, session, start};

fn app(size: (u16, u16)) -> App {
    start(session("library-fees.jsonl", Some("harbour-library")), size, Theme::Plain)
}

/// Returns the two rows below the title.
fn rows(app: &App) -> Vec<String> {
    text(&screen(app)).lines().skip(1).take(2).map(String::from).collect()
}

#[test]
fn writes_turns_failures_and_skills_stand_where_they_happened() {
    let mut app = app((144, 40));
    press(&mut app, "j");
    let rows = rows(&app);
    // Two columns an event: 6 to 8 and 19 to 21 write, 16 and 25 begin turns, and so on.
    let marks = "▼─────────▇▇▇▇▇▇──────────────┬─────▇▇▇▇▇▇──────┬─────────▇▇▇▇──────┬─▇▇────────────▇▇──────\
                 ┬─▇▇──────────▇▇──────┬─▇▇▇▇──────────────────────┬─";
    assert_eq!(rows[0], marks);
    assert!(rows[1].contains("├renew_loan") && rows[1].contains("├pay_fees"), "{}", rows[1]);
    let columns = |text: &str| text.chars().count();
    let begin = |word: &str| rows[1].find(word).map(|byte| columns(&rows[1][..byte]));
    assert_eq!(begin("├renew_loan"), Some(30), "it is activated by event 16");
    assert_eq!(begin("├pay_fees"), Some(52), "it is activated by event 27");
}

#[test]
fn a_failure_is_seen_however_many_events_a_column_has() {
    let mut app = start(session("bikes-gate.json", Some("kitebird-bikes")), (100, 24), Theme::Plain);
    press(&mut app, "j");
    assert!(rows(&app)[0].contains('×'), "{:?}", rows(&app));
}

#[test]
fn it_is_there_where_there_is_room() {
    for (size, count) in [((80, 24), 0), ((99, 29), 0), ((100, 24), 1), ((80, 30), 2), ((200, 60), 2)] {
        let mut app = start(renewal(), size, Theme::Plain);
        press(&mut app, "j");
        let debugger = app.debugger.as_ref().expect("a session is open");
        assert_eq!(debugger.layout(app.area).overview.height, count, "{size:?}");
        assert_eq!(rows(&app)[0].contains('▇'), count > 0, "{size:?}");
    }
}

#[test]
fn a_click_goes_to_that_part_and_ctrl_o_comes_back() {
    let mut app = app((144, 40));
    press(&mut app, "j");
    let cursor = |app: &App| app.debugger.as_ref().expect("a session is open").cursor.0;
    update(&mut app, Action::Click(60, 1));
    assert_eq!(cursor(&app), 31);
    update(&mut app, Action::Click(143, 2));
    assert_eq!(cursor(&app), 72);
    press(&mut app, "Ctrl-o Ctrl-o");
    assert_eq!(cursor(&app), 1);
}

#[test]
fn a_session_without_events_has_none() {
    let app = start(made(Vec::new(), "empty"), (120, 40), Theme::Plain);
    assert_eq!(rows(&app), ["", ""]);
}
