//! Golden screens, with styles, at the sizes that people have.

use ratatui::layout::Rect;
use replay_tui::{Action, Theme, update};

use crate::frame::print;
use crate::stage::{made, press, renewal, screen, session, start};

fn golden(name: &str, size: (u16, u16), theme: Theme, keys: &str) {
    let mut app = start(renewal(), size, theme);
    press(&mut app, keys);
    insta::assert_snapshot!(name, print(&screen(&app)));
}

#[test]
fn the_declined_tool_at_80x24() {
    golden("declined_80x24", (80, 24), Theme::Palette, "29G");
}

#[test]
fn the_declined_tool_at_120x40() {
    golden("declined_120x40", (120, 40), Theme::Palette, "29G");
}

#[test]
fn the_declined_tool_at_200x60() {
    golden("declined_200x60", (200, 60), Theme::Palette, "29G");
}

#[test]
fn the_declined_tool_without_colour() {
    golden("declined_80x24_plain", (80, 24), Theme::Plain, "29G");
}

#[test]
fn a_changed_value_at_80x24() {
    golden("changed_80x24", (80, 24), Theme::Palette, ": 3 5 Enter");
}

#[test]
fn the_prompt_at_80x24() {
    golden("prompt_80x24", (80, 24), Theme::Palette, ": 3 5 Enter p z j j j");
}

#[test]
fn the_story_of_an_entry_at_80x24() {
    golden("story_80x24", (80, 24), Theme::Palette, ": 3 5 Enter Tab Tab Enter");
}

#[test]
fn help_at_80x24() {
    golden("help_80x24", (80, 24), Theme::Palette, "? turn");
}

#[test]
fn a_failed_model_call_at_80x24() {
    let mut app = start(session("bikes-gate.json", Some("kitebird-bikes")), (80, 24), Theme::Palette);
    press(&mut app, "]d");
    insta::assert_snapshot!("failed_call_80x24", print(&screen(&app)));
}

#[test]
fn no_screen_without_colour_names_a_colour() {
    for keys in ["", "]d", "p", "?", "3 Enter", "7", "6 z", "/ member Enter"] {
        let mut app = start(renewal(), (120, 40), Theme::Plain);
        press(&mut app, keys);
        let buffer = screen(&app);
        let coloured = buffer
            .content
            .iter()
            .any(|cell| cell.fg != ratatui::style::Color::Reset || cell.bg != ratatui::style::Color::Reset);
        assert!(!coloured, "keys {keys}");
    }
}

#[test]
fn every_size_is_painted_and_a_tiny_one_says_what_is_needed() {
    let mut app = start(renewal(), (80, 24), Theme::Palette);
    press(&mut app, "]d");
    for (width, height) in
        (1..=60).step_by(7).flat_map(|width| (1..=40).step_by(3).map(move |height| (width * 4, height)))
    {
        update(&mut app, Action::Resize(width, height));
        for keys in ["Tab", "z", "p", "z", "?", "Esc", "3", "Esc"] {
            press(&mut app, keys);
            let buffer = screen(&app);
            assert_eq!(buffer.area, Rect::new(0, 0, width, height));
        }
        if width < 40 || height < 10 {
            let text = crate::frame::text(&screen(&app));
            assert!(
                "replay needs 40x10".starts_with(text.lines().next().unwrap_or("").trim_end_matches('…')),
                "{text}"
            );
        }
    }
}

#[test]
fn a_session_without_events_is_shown() {
    let app = start(made(Vec::new(), "empty"), (80, 24), Theme::Palette);
    assert!(crate::frame::text(&screen(&app)).contains("the start: nothing is applied"));
}
