//! Records that nobody means well with: small ones that would grow without end, and lines that would be read again for
//! each line. Each is read in a second or two; where a reader isn't linear it takes minutes, or all memory.

use std::fmt::Write as _;
use std::sync::Arc;

use replay_store::event::EventKind;
use replay_store::event::finding::FindingKind;
use replay_store::import::{self, Recording};
use replay_store::replay::Session;
use replay_store::session::FRAMES_MAX;

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

/// Writes a record that changes the stack by a JSON Patch.
fn patched(operations: &str) -> String {
    format!("{{\"event\":\"stack\",\"update\":{}}}\n", serde_json::Value::from(operations))
}

/// Returns how many frames each stack change gave.
fn frames(recording: &Recording) -> Vec<Option<usize>> {
    let kinds = recording.events.iter().map(|event| &event.kind);
    kinds
        .filter_map(|kind| match kind {
            EventKind::StackPatched { frames, .. } => Some(frames.as_ref().map(Vec::len)),
            _ => None,
        })
        .collect()
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

#[test]
fn a_patch_that_doubles_the_stack_does_not_fit() {
    let copies = "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"},".repeat(60);
    let long = format!("{{\"op\":\"add\",\"path\":\"/0\",\"value\":\"{}\"}}", "x".repeat(10_000));
    let copies_of_text = ",{\"op\":\"copy\",\"from\":\"/0\",\"path\":\"/-\"}".repeat(7000);
    let frame = "{\"op\":\"add\",\"path\":\"/-\",\"value\":{\"frame_id\":\"f\",\"skill_id\":\"a\"}}";
    let first = patched(&format!("[{frame}]"));
    let more = [patched(&format!("[{copies}{frame}]")), patched(&format!("[{long}{copies_of_text}]"))];
    let (recording, _) = open(USER.to_owned() + &first + &more.concat());
    assert_eq!(frames(&recording), [Some(1), None, None]);
    assert_eq!(recording.findings[0].kind, FindingKind::StackConflict);
}

#[test]
fn a_patch_that_nests_the_stack_does_not_fit() {
    let deeper = "{\"op\":\"add\",\"path\":\"/0\",\"value\":[]},{\"op\":\"move\",\"from\":\"/1\",\"path\":\"/0/-\"}";
    let deeper = vec![deeper; 40_000].join(",");
    let (recording, _) = open(USER.to_owned() + &patched(&format!("[{deeper}]")));
    assert_eq!(frames(&recording), [None]);
}

#[test]
fn patches_give_no_more_frames_than_can_be_kept() {
    let stack = |height: usize| {
        let frame = |index| format!("{{\"frame_id\":\"f{index}\",\"skill_id\":\"s{index}\"}}");
        let frames: Vec<String> = (0..height).map(frame).collect();
        patched(&format!("[{{\"op\":\"replace\",\"path\":\"\",\"value\":[{}]}}]", frames.join(",")))
    };
    let (recording, _) = open(USER.to_owned() + &stack(FRAMES_MAX + 1) + &stack(FRAMES_MAX) + &stack(3));
    assert_eq!(frames(&recording), [None, Some(FRAMES_MAX), Some(3)]);
    let again = "{\"event\":\"stack\",\"update\":\"[]\"}\n".repeat(2500);
    let started = "{\"event\":\"session_started\"}\n".to_owned() + &stack(FRAMES_MAX) + &again;
    let (recording, _) = open(stack(FRAMES_MAX) + &again + &started);
    let given: usize = frames(&recording).into_iter().flatten().sum();
    assert!(given < 1_200_000, "{given}");
}

#[test]
fn skills_and_blocks_that_never_end_leave_those_on_top() {
    let skills = lines(30_000, |index| format!("{{\"event\":\"skill_activated\",\"skill_id\":\"s{index}\"}}"));
    let block = |index| format!("{{\"event\":\"ordered_block_entered\",\"skill_id\":\"a\",\"block_id\":\"b{index}\"}}");
    for (text, top) in [(skills, "s29999"), (lines(30_000, block), "a")] {
        let (_, session) = open(text);
        let state = session.state(session.end());
        assert_eq!((state.stack.len(), state.active_skill().map(|name| name.as_str())), (FRAMES_MAX, Some(top)));
        assert!(session.findings.iter().any(|finding| finding.kind == FindingKind::StackConflict));
    }
}

#[test]
fn a_record_that_takes_back_all_the_time_is_bounded() {
    let slots = lines(3000, |index| format!("{{\"event\":\"slot\",\"name\":\"n{index}\",\"value\":{index}}}"));
    let undone = "{\"event\":\"action\",\"name\":\"a\"}\n{\"event\":\"undo\"}\n".repeat(3000);
    let (recording, session) = open(USER.to_owned() + &slots + &undone);
    let told = recording.findings.iter().find(|finding| finding.kind == FindingKind::Damaged).expect("it is told");
    assert_eq!(told.text, "a record takes back more than can be kept (2649 times)");
    assert_eq!(session.state(session.end()).memory.len(), 3000);
}

#[test]
fn a_skill_that_starts_again_and_again_looks_at_its_own_entries() {
    let written = |index| format!("{{\"event\":\"memory_set\",\"key\":\"other.n{index}\",\"value\":1}}");
    let started =
        "{\"event\":\"skill_activated\",\"skill_id\":\"a\"}\n{\"event\":\"skill_completed\",\"skill_id\":\"a\"}\n";
    let again = "{\"event\":\"memory_set\",\"key\":\"a.n\",\"value\":1}\n".to_owned() + started;
    let (_, session) = open(lines(10_000, written) + &again.repeat(5000));
    assert_eq!(session.state(session.end()).memory.len(), 10_001);
}

#[test]
fn findings_of_an_exported_session_are_not_looked_through_for_each_line() {
    let finding = "{\"kind\":\"gap\",\"raw\":null,\"text\":\"x\"}";
    let header = format!(
        "{{\"schema\":\"replay.session/1\",\"id\":\"a\",\"profile\":null,\"definition\":null,\"end\":null,\"findings\":[{}]}}\n",
        vec![finding; 20_000].join(",")
    );
    let line = "{\"position\":7,\"time\":0,\"turn\":1,\"cause\":null,\"origin\":{\"from\":\"added\"},\"event\":{\"kind\":\"turn_ended\"},\"raw\":[]}";
    let (recording, _) = open(header + &lines(20_000, |_| line.to_owned()));
    assert_eq!((recording.events.len(), recording.findings.len()), (20_000, 20_001));
}
