//! The README's pictures of the debugger are what the debugger paints.
//!
//! They are written anew by running this test with `REPLAY_UPDATE_PICTURES` set.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use replay_store::replay::Session;
use replay_tui::Theme;

use crate::stage::{press, renewal, sample, screen, session, start};

const CELL: (f32, f32) = (8.4, 18.0);
const BACKGROUND: &str = "#1c1f26";
const FOREGROUND: &str = "#d7dae0";

/// Returns a screen as SVG: a rectangle for each reversed stretch, a text for each stretch of one look.
pub(crate) fn svg(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (width, height) = (f32::from(area.width) * CELL.0 + 16.0, f32::from(area.height) * CELL.1 + 16.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n"
    );
    for y in area.top()..area.bottom() {
        let mut x = area.left();
        while x < area.right() {
            let first = &buffer[(x, y)];
            let end = (x..area.right()).find(|&at| !same_look(&buffer[(at, y)], first)).unwrap_or(area.right());
            let text: String = (x..end).map(|at| buffer[(at, y)].symbol()).collect();
            run(&mut out, first, (x, y, end), &text);
            x = end;
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn same_look(one: &Cell, other: &Cell) -> bool {
    (one.fg, one.modifier) == (other.fg, other.modifier)
}

fn run(out: &mut String, cell: &Cell, (x, y, end): (u16, u16, u16), text: &str) {
    let (left, top) = (f32::from(x) * CELL.0 + 8.0, f32::from(y) * CELL.1 + 8.0);
    let width = f32::from(end - x) * CELL.0;
    let colour = colour(cell.fg);
    let reversed = cell.modifier.contains(Modifier::REVERSED);
    if reversed {
        let height = CELL.1;
        writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        )
        .expect("a string takes all that is written");
    }
    if text.trim().is_empty() {
        return;
    }
    let fill = if reversed { BACKGROUND } else { colour };
    let mut looks = format!("fill=\"{fill}\"");
    for (modifier, look) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::DIM, " opacity=\"0.6\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if cell.modifier.contains(modifier) {
            looks.push_str(look);
        }
    }
    let base = top + 13.5;
    let text = escaped(text);
    writeln!(out, "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{width:.1}\" {looks}>{text}</text>")
        .expect("a string takes all that is written");
}

fn colour(colour: Color) -> &'static str {
    match colour {
        Color::Red => "#ff7b72",
        Color::Green => "#7ee787",
        Color::Yellow => "#e3b341",
        Color::Blue => "#79c0ff",
        Color::Magenta => "#d2a8ff",
        Color::Cyan => "#76e3ea",
        _ => FOREGROUND,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace(' ', "\u{a0}")
}

#[test]
fn text_in_a_picture_is_escaped() {
    let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 10, 1));
    buffer.set_string(0, 0, "<a>&\"", ratatui::style::Style::new());
    assert!(svg(&buffer).contains(">&lt;a&gt;&amp;&quot;"));
}

/// Opens a sample.
type Open = fn() -> Session;

/// The pictures, each with the sample and the keys that lead to it.
const PICTURES: [(&str, Open, &str); 3] = [
    ("debugger.svg", renewal, ": 3 5 Enter"),
    ("why.svg", || session("library-fees.jsonl", Some("harbour-library")), "! Enter K"),
    ("changes.svg", renewal, ":turn Space 4 Enter p P"),
];

#[test]
fn the_pictures_of_the_readme_are_what_the_debugger_paints() {
    let readme = std::fs::read_to_string(sample("../README.md")).expect("the README is there");
    for (name, open, keys) in PICTURES {
        let mut app = start(open(), (132, 36), Theme::Palette);
        press(&mut app, keys);
        let picture = svg(&screen(&app));
        let path = sample("pictures").join(name);
        if std::env::var_os("REPLAY_UPDATE_PICTURES").is_some() {
            std::fs::create_dir_all(sample("pictures")).expect("the folder can be made");
            std::fs::write(&path, &picture).expect("the picture can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == picture,
            "samples/pictures/{name} is old: run this test with REPLAY_UPDATE_PICTURES=1 and look at it"
        );
        assert!(readme.contains(&format!("samples/pictures/{name}")), "the README doesn't show {name}");
    }
}
