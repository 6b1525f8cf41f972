//! What a rule withholds may hold nothing either: then both are said, wherever the read is told.

use replay_store::event::Position;
use replay_store::explain::decisions::{Decision, decisions};
use replay_store::explain::findings::{FoundKind, findings};
use replay_store::explain::read::why_read;
use replay_store::explain::reads::reads;
use replay_store::name::Name;
use replay_store::replay::Session;

use super::given::*;

/// The desk's `track` is denied `pay.amount`, which a paragraph of it asks for at three calls: while nothing wrote it
/// (5), while it holds a value (9), and after that was cleared (13).
fn story() -> Session {
    desk([
        user("7"),
        activate("track"),
        end(),
        user("8"),
        says("There"),
        write("find_parcel", "pay.amount", "4.5"),
        end(),
        user("9"),
        says("There"),
        clear("find_parcel", "pay.amount"),
        end(),
        user("10"),
        says("There"),
    ])
}

const DENIED: &str = "denied by skills/track/memory.yml:10";
const UNLIST: &str = "take `pay.amount` off `access.deny_read`";

#[test]
fn a_finding_says_that_lifting_the_denial_is_not_enough() {
    let found = findings(&story());
    let found: Vec<_> = found.iter().filter(|one| one.kind == FoundKind::DeniedRead).collect();
    // It is one rule and one place, so that it is one finding, whatever stands behind it at each position.
    let lines: Vec<_> = found.iter().map(|one| one.about()).collect();
    let mut once = lines.clone();
    once.dedup();
    assert_eq!(lines, once);
    assert!(found.iter().all(|one| one.text.ends_with(DENIED)), "{found:#?}");
    let advice = format!("if it should see the value, {UNLIST}; at 5 that alone changes nothing: it was never written");
    assert_eq!(found[0].advice, advice);
}

#[test]
fn a_decision_a_condition_and_a_list_of_reads_say_both() {
    let session = story();
    for (at, both, change) in [
        (5, ", and never written", "; at 5 that alone changes nothing: it was never written"),
        (9, "", ""),
        (13, ", and cleared at 11", "; at 13 that alone changes nothing: it was cleared at 11"),
    ] {
        let made = decisions(&session, Position(at));
        let is_it = |one: &&Decision| one.via == "condition" && one.subject == "pay.amount";
        let read = made.iter().find(is_it);
        let read = read.expect("a condition reads it");
        assert!(read.text.starts_with(&format!("None: {DENIED}{both} (condition at")), "at {at}: {}", read.text);
        assert_eq!(read.change, Some(format!("{UNLIST}{change}")), "at {at}");
        let gate = made.iter().find(|one| one.subject == "session.pay.amount").expect("a paragraph is marked with it");
        let lines = gate.condition.as_ref().expect("it was evaluated").lines();
        let expected = format!("session.pay.amount: null (denied by M39 at skills/track/memory.yml:10:7{both})");
        assert_eq!(lines, [(0, expected)], "at {at}");
        let found = reads(&session, &Name::from("pay.amount"), Position(at - 1)..=Position(at + 1), |_| true).reads;
        let end = format!("None (denied by M39, skills/track/memory.yml:10{both})");
        assert!(found.iter().any(|one| one.text.ends_with(&end)), "{end}: {found:#?}");
    }
}

#[test]
fn a_why_says_both() {
    let session = story();
    let why = |at| why_read(&session, "pay.amount", "track", Position(at));
    let rule = "lists it at skills/track/memory.yml:10 (M37)";
    assert!(why(5).text.ends_with(&format!("{rule}, and it was never written")), "{}", why(5).text);
    assert!(why(9).text.ends_with(rule), "{}", why(9).text);
    assert!(why(13).text.ends_with(&format!("{rule}, and it was cleared at 11")), "{}", why(13).text);
}
