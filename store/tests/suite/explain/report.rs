//! Reports for a ticket: nothing of a `pii` entry stands in them unless that was wanted.

use std::sync::Arc;

use replay_store::event::EventKind;
use replay_store::explain::mask::Mask;
use replay_store::explain::read::why_read;
use replay_store::explain::report::{Pii, report};
use replay_store::explain::value::why_value;
use replay_store::profile::Profile;
use replay_store::rule::Rule;

use super::given::*;

const COMMAND: &str = "replay why desk.log project.name --at 5 --format md";

#[test]
fn a_report_hides_pii_everywhere() {
    let session = desk([
        user("I am Ada Lovelace"),
        write("look_up", "project.name", "\"Ada Lovelace\""),
        returned("look_up", "{\"name\":\"ada lovelace\"}"),
        end(),
    ]);
    let why = why_value(&session, "project.name", session.end());
    let masked = report(&session, &why, COMMAND, Pii::Masked);
    assert!(!masked.to_lowercase().contains("lovelace"), "{masked}");
    assert!(masked.contains("user: I am [set]") && masked.contains(COMMAND), "{masked}");
    assert!(masked.contains("hidden") && masked.contains("position 3 (raw 2) [recorded]"), "{masked}");
    let shown = report(&session, &why, COMMAND, Pii::Revealed);
    assert!(shown.contains("Ada Lovelace") && shown.contains("SHOWN"), "{shown}");
    assert!(Mask::of(&session).hides("project.name") && !Mask::of(&session).hides("project.customer"));
}

#[test]
fn every_value_that_a_pii_entry_held_or_was_to_hold_is_hidden() {
    let session = desk([
        write("look_up", "project.name", "\"Ada Lovelace\""),
        refused("look_up", "project.name", "\"Mary Somerville\"", Rule::ProjectWrittenOnce),
        EventKind::MemoryReset { key: "project.name".into(), value: Arc::new(value("\"Grace Hopper\"")) },
        clear("look_up", "project.name"),
        write("look_up", "track.note", "\"Emmy Noether\""),
    ]);
    let mask = Mask::of(&session);
    let text = "Ada Lovelace, Mary Somerville, Grace Hopper, Emmy Noether";
    assert_eq!(mask.text(text), "[set], [set], [set], Emmy Noether");
}

#[test]
fn a_report_says_that_pii_is_unknown_without_a_folder() {
    let session = session(Profile::Seed, &[], [write("t", "project.name", "\"Ada\"")]);
    let report = report(&session, &why_value(&session, "project.name", session.end()), COMMAND, Pii::Masked);
    assert!(report.contains("unknown without an agent folder"), "{report}");
}

#[test]
fn no_text_of_the_record_is_markdown_or_invisible() {
    let session = desk([user("```\n# head\n<b>\u{202e}"), write("a*b", "track.parcel", "\"`x` <i>\\u001b[2J\"")]);
    let report = report(&session, &why_value(&session, "track.parcel", session.end()), COMMAND, Pii::Masked);
    assert!(report.contains("````text"), "the fence is longer than any in the text: {report}");
    assert!(!report.contains('\u{1b}') && !report.contains('\u{202e}'), "{report}");
    let outside: Vec<&str> = report.split("````").step_by(2).collect();
    assert!(outside.iter().all(|text| !text.contains("<i>") || text.contains("\\<i\\>")), "{report}");
}

#[test]
fn a_denied_read_is_reported_with_its_line() {
    let session = desk([activate("track"), write("t", "pay.amount", "4.5")]);
    let why = why_read(&session, "pay.amount", "track", session.end());
    let report = report(&session, &why, "replay why …", Pii::Masked);
    for part in [
        "### May track read pay.amount?",
        "**denied**",
        "skills/track/memory.yml:10:7",
        "    - pay.amount",
        "Smallest change: take",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}
