//! Records written by others open with the events, turns and writers that they tell of.

use std::sync::Arc;

use replay_store::event::finding::FindingKind;
use replay_store::event::{Event, EventKind, Origin};
use replay_store::import::{self, Recording};

use crate::corpus::corpus;

/// A dump of the corpus and what is known of it.
struct Dump {
    path: &'static str,
    raw: usize,
    events: usize,
    users: usize,
    turns: u32,
    claims: usize,
}

const EXAMPLES: &str = "RasaHQ__rasa-community-resources/examples";
const LOANS: &str =
    "mantle-text-banking-loan-servicing-claude/case-build/results/2026-09-30-claude-sonnet-5.5/trackers";
const PAYMENT: Dump = Dump {
    path: "mantle-text-payment-plan-authority-gpt/case-build/results/2026-09-30-gpt-5.5-low/trackers/correction-switch-offer-at-question.json",
    raw: 79,
    events: 51,
    users: 4,
    turns: 5,
    claims: 28,
};
const HELPDESK: Dump = Dump {
    path: "mantle-text-internal-it-helpdesk-claude/case-build/results/2026-09-30-claude-sonnet-5.5-as-shipped/trackers/recovery-status-after-intake.json",
    raw: 32,
    events: 24,
    users: 2,
    turns: 3,
    claims: 6,
};
const CORRECTION: Dump =
    Dump { path: "correction-hardship-mid-quote.json", raw: 83, events: 53, users: 3, turns: 4, claims: 30 };
const NORMAL: Dump =
    Dump { path: "normal-balance-then-payoff.json", raw: 85, events: 53, users: 2, turns: 3, claims: 30 };
const RECOVERY: Dump =
    Dump { path: "recovery-source-unavailable-callback.json", raw: 64, events: 41, users: 2, turns: 3, claims: 22 };
const DUMPS: [Dump; 5] = [PAYMENT, HELPDESK, CORRECTION, NORMAL, RECOVERY];

fn bytes(dump: &Dump) -> Option<Vec<u8>> {
    let folder = corpus()?.join(EXAMPLES);
    let path = if dump.path.contains('/') { folder.join(dump.path) } else { folder.join(LOANS).join(dump.path) };
    Some(std::fs::read(path).expect("the dump is in the corpus"))
}

fn read(bytes: Vec<u8>) -> Recording {
    let mut recordings = import::read(Arc::new(bytes), "record.json").expect("the record can be read");
    assert_eq!(recordings.len(), 1);
    recordings.remove(0)
}

fn count(events: &[Event], is_counted: impl Fn(&EventKind) -> bool) -> usize {
    events.iter().filter(|event| is_counted(&event.kind)).count()
}

#[test]
fn real_dumps_have_their_events_and_no_findings() {
    for dump in DUMPS {
        let Some(bytes) = bytes(&dump) else { return };
        let recording = read(bytes);
        assert_eq!(recording.findings, [], "{}", dump.path);
        assert_eq!(recording.raw.count(), dump.raw, "{}", dump.path);
        assert_eq!(recording.events.len(), dump.events, "{}", dump.path);
        assert_eq!(count(&recording.events, |kind| matches!(kind, EventKind::UserMessage { .. })), dump.users);
        assert_eq!(recording.events.iter().filter_map(|event| event.turn).max(), Some(dump.turns));
        let mut named: Vec<u32> = recording.events.iter().flat_map(|event| event.origin.raw_indexes()).collect();
        named.sort_unstable();
        assert!(named.into_iter().eq(0..dump.raw as u32), "each raw record belongs to one event");
    }
}

/// The position after the last event whose record stands at `raw` or before.
fn position_after(recording: &Recording, raw: u32) -> usize {
    let is_before = |event: &&Event| matches!(event.origin, Origin::Imported { raw: own, .. } if own <= raw);
    recording.events.iter().filter(is_before).count()
}

#[test]
fn positions_count_events_not_raw_records() {
    let Some(bytes) = bytes(&PAYMENT) else { return };
    let recording = read(bytes);
    assert_eq!(position_after(&recording, 21), 16);
    assert_eq!(position_after(&recording, 57), 36);
}

/// Removing one raw record is seen, but for these: a message that nothing else speaks of, and the end of a greeting.
const UNSEEN: [(&Dump, &[usize]); 5] =
    [(&PAYMENT, &[72, 77]), (&HELPDESK, &[16, 21, 30]), (&CORRECTION, &[81]), (&NORMAL, &[83]), (&RECOVERY, &[62])];

#[test]
fn a_lost_record_is_one_finding_that_names_its_place() {
    for (dump, unseen) in UNSEEN {
        let Some(bytes) = bytes(dump) else { return };
        let text = String::from_utf8(bytes.clone()).expect("a dump is text");
        let whole = read(bytes);
        let record = |index| std::str::from_utf8(whole.raw.get(index).expect("it is there")).expect("it is text");
        let records: Vec<&str> = (0..dump.raw as u32).map(record).collect();
        let before = &text[..text.find(records[0]).expect("it is there")];
        let last = records[dump.raw - 1];
        let behind = &text[text.rfind(last).expect("it is there") + last.len()..];
        for lost in 0..dump.raw {
            let rest = [&records[..lost], &records[lost + 1..]].concat().join(",");
            let findings = read(format!("{before}{rest}{behind}").into_bytes()).findings;
            if unseen.contains(&lost) {
                assert_eq!(findings, [], "{} without raw {lost}", dump.path);
                continue;
            }
            assert_eq!(findings.len(), 1, "{} without raw {lost}: {findings:?}", dump.path);
            let (low, high) = findings[0].raw.expect("a loss has a place");
            assert!(low as usize <= lost && lost <= high as usize, "{} without raw {lost}: {findings:?}", dump.path);
        }
    }
}

#[test]
fn writers_and_their_claims_are_read() {
    for dump in DUMPS {
        let Some(bytes) = bytes(&dump) else { return };
        let recording = read(bytes);
        let claim = |event: &Event| match (&event.kind, &event.origin) {
            (
                EventKind::MemoryWritten { writer, .. } | EventKind::MemoryCleared { writer, .. },
                Origin::Imported { raw, .. },
            ) => writer.recorded_index.map(|claimed| (claimed, *raw)),
            _ => None,
        };
        let claims: Vec<(u32, u32)> = recording.events.iter().filter_map(claim).collect();
        assert_eq!(2 * claims.len(), dump.claims, "the mirror of each write claims a place, too");
        assert!(claims.iter().all(|(claimed, raw)| claimed == raw));
    }
}

#[test]
fn the_classic_dump_opens_with_its_oddities_told() {
    let Some(folder) = corpus() else { return };
    let path = folder.join("RasaHQ__rasa/data/test_trackers/tracker_moodbot.json");
    let recording = read(std::fs::read(path).expect("the dump is in the corpus"));
    assert_eq!((recording.raw.count(), recording.events.len()), (7, 8));
    assert_eq!(recording.events.iter().filter_map(|event| event.turn).max(), Some(2));
    let kinds: Vec<FindingKind> = recording.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::DuplicateKey, FindingKind::TimeBackwards]);
}
