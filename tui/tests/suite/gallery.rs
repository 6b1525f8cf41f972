//! Every sample at the sizes and in the looks that people have: one golden a sample and size, with the text once and
//! the styles of each look.

use replay_tui::Theme;

use crate::frame::{print, text};
use crate::stage::{press, screen, session, start};

/// The samples, the agent folder of each, and the keys that lead to what the sample shows.
const SAMPLES: [(&str, Option<&str>, &str); 8] = [
    ("library-renewal.jsonl", None, "]d"),
    ("library-renewal.json", Some("harbour-library"), "]d p"),
    ("library-fees.jsonl", Some("harbour-library"), "]o"),
    ("library-host.jsonl", None, "]d"),
    ("library-hostile.jsonl", Some("harbour-library"), "G"),
    ("library-cut.json", Some("harbour-library"), "G !"),
    ("bikes-gate.json", Some("kitebird-bikes"), "]d K"),
    ("bikes-old-site.json", None, "G 3"),
];

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// The looks, by what people call them.
const LOOKS: [(&str, Theme); 4] =
    [("dark", Theme::Dark), ("light", Theme::Light), ("16 colours", Theme::Palette), ("NO_COLOR", Theme::Plain)];

#[test]
fn every_sample_looks_as_it_did() {
    for (file, agent, keys) in SAMPLES {
        for size in SIZES {
            let mut golden = String::new();
            for (look, theme) in LOOKS {
                let mut app = start(session(file, agent), size, theme);
                press(&mut app, keys);
                let buffer = screen(&app);
                let (text, styles) = (text(&buffer), print(&buffer));
                if golden.is_empty() {
                    golden.push_str(&text);
                }
                assert!(golden.starts_with(&text), "{file} says other words in the look {look}");
                golden.push_str(&format!("=== {look}\n{}", &styles[text.len()..]));
            }
            let name = format!("{}_{}x{}", file.replace(['.', '-'], "_"), size.0, size.1);
            insta::assert_snapshot!(name, golden);
        }
    }
}
