//! Records that nobody means well with: small ones that would grow without end, and lines that would be read again for
//! each line. Each is read in a second or two; where a reader isn't linear it takes minutes, or all memory.

use std::fmt::Write as _;
use std::sync::Arc;

use replay_store::event::EventKind;
use replay_store::import::{self, Recording};
use replay_store::replay::Session;

const USER: &str = "{\"event\":\"user\",\"text\":\"hi\"}\n";

/// Reads a file that holds one session, opens it and goes to its end.
fn open(text: String) -> (Recording, Session) {
    let mut recordings = import::read(Arc::new(text.into_bytes()), "file").expect("it can be read");
    assert_eq!(recordings.len(), 1, "one session");
    let recording = recordings.remove(0);
    let session = Session::open(recording.clone(), None, None);
    session.state(session.end());
    (recording, session)
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|index| line(index) + "\n").collect()
}

#[test]
fn a_line_that_is_not_closed_reaches_no_other_line() {
    let (recording, _) = open(USER.to_owned() + &lines(20_000, |_| "{\"event\":\"user\",\"x\":[1,".to_owned()));
    assert_eq!(recording.raw.count(), 20_001);
}

#[test]
fn a_line_of_broken_records_is_given_up_after_some() {
    let (recording, _) = open(USER.to_owned() + &"{\"event\"x{\"event\":\"u\"}".repeat(8000) + "\n" + USER);
    let last = &recording.events.last().expect("it has events").kind;
    assert!(matches!(last, EventKind::UserMessage { .. }), "the next line is read: {last:?}");
    assert!(recording.raw.count() < 1000, "{}", recording.raw.count());
}

#[test]
fn ever_new_keys_of_a_dump_are_counted() {
    let mut dump = "{\"sender_id\":\"s\",\"slots\":{},\"events\":[]".to_owned();
    for index in 0..50_000 {
        write!(dump, ",\"k{index}\":1,\"slots\":{{}}").expect("a string takes all that is written");
    }
    let (recording, _) = open(dump + "}");
    let texts: Vec<&str> = recording.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(texts.len(), 202);
    assert_eq!(texts[0], "the key `slots` of the dump stands twice");
    assert_eq!(texts[100], "49900 more keys of the dump stand twice");
    assert_eq!(texts[101], "the dump's key `k0` is unknown (once)");
    assert_eq!(texts[201], "49900 more keys of the dump are unknown");
}
