//! What the debugger hands out: reports, files, notes, and lines to an editor.

use std::cell::RefCell;
use std::rc::Rc;

use replay_store::event::note::Notes;
use replay_tui::app::{Notebook, Wish};
use replay_tui::{Theme, open};

use crate::frame::text;
use crate::stage::{press, renewal, screen, session, start};

#[test]
fn a_report_is_copied_with_the_command_that_gives_it_again() {
    for keys in [": 3 5 Enter Tab Tab K yr", ": 3 5 Enter Tab Tab yr", ": 3 5 Enter yr"] {
        let mut app = start(renewal(), (80, 24), Theme::Plain);
        app.opened.session = "a.log".to_owned();
        press(&mut app, keys);
        let Some(Wish::Copy(clipping)) = &app.wish else { panic!("{keys}: {:?}", app.wish) };
        assert!(clipping.text.starts_with("### Why does renew\\_loan.item\\_id hold"), "{}", clipping.text);
        let again = "replay why a.log renew_loan.item_id --at 35 --format md";
        assert!(clipping.text.contains(again), "{}", clipping.text);
    }
}

#[test]
fn pii_values_stay_out_of_reports_and_files() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, "G 3 Esc Tab Tab :export Space m.md Enter");
    let Some(Wish::Export(export)) = &app.wish else { panic!("{:?}", app.wish) };
    assert!(export.text.contains("member_name (locked, pii) = [set]"), "{}", export.text);
    assert!(!export.text.contains("Noor"), "{}", export.text);
    assert!(export.text.starts_with("# memory at 57"), "{}", export.text);
}

#[test]
fn a_panel_becomes_one_html_file_without_scripts() {
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, ": 3 5 Enter P :export Space changes.html Enter");
    let Some(Wish::Export(export)) = &app.wish else { panic!("{:?}", app.wish) };
    assert!(export.text.starts_with("<!doctype html>") && !export.text.contains("<script"), "{}", export.text);
    assert!(export.text.contains("- ## Pending tool confirmation\n"), "one side, however wide: {}", export.text);
    press(&mut app, ":export Space changes.txt Enter");
    assert!(text(&screen(&app)).contains("ends in neither .md nor .html"));
}

#[test]
fn hostile_text_is_no_markup_in_a_file() {
    let mut app = start(session("library-hostile.jsonl", Some("harbour-library")), (80, 24), Theme::Plain);
    for (name, opening) in [("t.md", "```"), ("t.html", "<pre>")] {
        app.wish = None;
        press(&mut app, &format!(":export Space {name} Enter"));
        let Some(Wish::Export(export)) = &app.wish else { panic!("{:?}", app.wish) };
        assert!(export.text.contains(opening));
        assert!(!export.text.contains(|one: char| one.is_control() && one != '\n'), "{name}");
        assert!(!export.text.contains('\u{202e}') && !export.text.contains('\u{200b}'), "{name}");
    }
}

#[test]
fn e_opens_the_line_behind_the_row() {
    for (keys, file) in [
        (": 3 5 Enter e", "skills/renew_loan/memory.yml"),
        (": 3 5 Enter Tab Tab e", "skills/renew_loan/memory.yml"),
        (": 2 9 Enter 4 Esc Tab Tab Tab e", "skills/renew_loan/skill.md"),
        (": 3 5 Enter p ]] j e", "agent.yml"),
    ] {
        let mut app = start(renewal(), (80, 24), Theme::Plain);
        press(&mut app, keys);
        let Some(Wish::Edit(edit)) = &app.wish else { panic!("{keys}: {:?}", app.wish) };
        assert!(edit.file == *file && edit.line > 0 && !edit.bytes.is_empty(), "{keys}: {}:{}", edit.file, edit.line);
    }
    let mut app = start(session("library-renewal.json", None), (80, 24), Theme::Plain);
    press(&mut app, ": 3 5 Enter e");
    assert!(text(&screen(&app)).contains("--agent DIR"));
}

#[test]
fn a_note_is_kept_shown_changed_and_taken_away() {
    let kept = Rc::new(RefCell::new(String::new()));
    let (reader, writer) = (Rc::clone(&kept), Rc::clone(&kept));
    let mut app = start(renewal(), (80, 24), Theme::Plain);
    press(&mut app, ":note Space lost Enter");
    assert!(text(&screen(&app)).contains("no place for notes"));
    app.notebook = Some(Notebook {
        read: Box::new(move |session| {
            let mut notes = Notes::default();
            reader.borrow().lines().for_each(|line| notes.take(line.as_bytes(), session));
            notes
        }),
        keep: Box::new(move |note| {
            writer.borrow_mut().push_str(&note.line());
            Ok("kept".to_owned())
        }),
    });
    press(&mut app, ": 2 9 Enter a look Enter");
    assert!(text(&screen(&app)).contains("29 ✎ × declined, never ran: renew_…"), "{}", text(&screen(&app)));
    assert!(text(&screen(&app)).contains("kept"), "{}", text(&screen(&app)));
    press(&mut app, "a Space here Enter");
    open(&mut app, renewal(), replay_store::event::Position(29));
    press(&mut app, "6 Enter");
    assert!(text(&screen(&app)).contains("note       look here"), "it is read again: {}", text(&screen(&app)));
    press(&mut app, ":note Space other Enter");
    assert!(text(&screen(&app)).contains("kept, in place of: look here"), "{}", text(&screen(&app)));
    press(&mut app, ":note Enter");
    assert!(!text(&screen(&app)).contains('✎'));
    assert_eq!(kept.borrow().lines().count(), 4, "nothing is written over");
}
