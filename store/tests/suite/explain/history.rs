//! Everything that happened to an entry.

use replay_store::event::{EventKind, Rewind};
use replay_store::explain::last::last;
use replay_store::name::Name;
use replay_store::rule::Rule;

use super::given::*;

/// Checks what happened, newest first: position, word, value, and `=` for an equal write, `L` for one that locks.
#[track_caller]
fn check(key: &str, events: impl IntoIterator<Item = EventKind>, expected: &[&str]) {
    let session = desk(events);
    let found = last(&session, &Name::from(key), session.end());
    let lines: Vec<String> = found
        .changes
        .iter()
        .map(|change| {
            let equal = if change.equal { " =" } else { "" };
            let locks = if change.locks { " L" } else { "" };
            format!("{} {} {}{equal}{locks}", change.position, change.what.word(), change.value.to_json())
        })
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn writes_clears_and_resets_come_newest_first() {
    // M57: what a reset took away stays in the history
    check(
        "track.parcel",
        [
            activate("track"),
            write("t", "track.parcel", "1"),
            write("t", "track.note", "9"),
            write("t", "track.parcel", "1"),
            clear("t", "track.parcel"),
            write("t", "track.parcel", "2"),
            complete("track"),
            activate("track"),
            activate("pay"),
        ],
        &["9 reset null", "7 written 2", "6 cleared null", "5 written 1 =", "3 written 1"],
    );
}

#[test]
fn refusals_and_locks_of_project_entries_are_told() {
    check(
        "project.customer",
        [
            write("t", "project.customer", "1"),
            refused("t", "project.customer", "2", Rule::ProjectWrittenOnce),
            failed("t", "ProjectMemoryAlreadySetError: project.customer is already set"),
            failed("t", "ProjectMemoryAlreadySetError: project.customer_id is already set"),
        ],
        &["4 refused null", "3 refused 2", "2 written 1 L"],
    );
    check(
        "project.customer",
        [write("t", "project.customer", "1"), EventKind::ProjectEntryLocked { key: "project.customer".into() }],
        &["3 locked 1 L", "2 written 1"],
    );
}

#[test]
fn session_starts_and_rewinds_are_part_of_the_story() {
    check(
        "project.customer",
        [write("t", "project.customer", "1"), start(), write("t", "project.customer", "1"), start(), start()],
        &["5 emptied null", "4 written 1 L", "3 emptied null", "2 written 1 L"],
    );
    check(
        "track.parcel",
        [
            write("t", "track.parcel", "1"),
            write("t", "track.parcel", "2"),
            rewound(Rewind::Rewind, 2, &[("track.parcel", "1", 2)]),
            rewound(Rewind::Restart, 0, &[]),
        ],
        &["5 restored null", "4 restored 1", "3 written 2", "2 written 1"],
    );
}

#[test]
fn an_earlier_moment_has_an_earlier_story() {
    let session = desk([write("t", "track.parcel", "1"), write("t", "track.parcel", "2")]);
    let count = |at: u64| last(&session, &"track.parcel".into(), replay_store::event::Position(at)).changes.len();
    assert_eq!([0, 1, 2, 3, 99].map(count), [0, 0, 1, 2, 2]);
}
