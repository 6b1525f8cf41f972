//! Logs of earlier versions: what they left is carried on.

use super::*;
use crate::log::verify::{Claim, Witness};
use crate::log::{Fold, Part};

/// A state that is larger than a segment, and an outline that says how many payloads there were.
#[derive(Default)]
struct Counted(u64);

impl Fold for Counted {
    fn restore(&mut self, checkpoint: &[u8]) -> Result<(), String> {
        let bytes = checkpoint[..8].try_into().map_err(|_| "it is too short".to_owned())?;
        self.0 = u64::from_le_bytes(bytes);
        Ok(())
    }

    fn apply(&mut self, _: &[u8]) -> Result<(), String> {
        self.0 += 1;
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        [&self.0.to_le_bytes()[..], &[b'.'; 20_000]].concat()
    }

    fn outline(&self, _: Part) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }
}

fn new_fold() -> Box<dyn Fold + Send> {
    Box::new(Counted::default())
}

struct Silent;

impl Witness for Silent {
    fn of_payload(&self, _: &[u8]) -> Result<Option<Claim>, String> {
        Ok(None)
    }

    fn of_metadata(&self, _: &[u8]) -> Result<Vec<Claim>, String> {
        Ok(Vec::new())
    }
}

/// Payloads that don't get smaller, 128 of which just fill a segment.
fn payload(index: u64) -> Vec<u8> {
    let text = format!("{}{}", Digest::of(&index.to_le_bytes()), Digest::of(&(!index).to_le_bytes()));
    text[..118].to_owned().into_bytes()
}

fn append(writer: &mut Writer, to: u64, is_early: bool) -> Session {
    let from = writer.session("a").map_or(0, |session| session.event_count);
    let mut append = writer.append("a", from).expect("the position fits");
    for index in from..to {
        append.push(&payload(index)).expect("there is room");
        if is_early {
            let (adding, transaction) = append.parts();
            adding.cut_full(transaction).expect("there is room");
        }
    }
    append.commit(Details::default()).expect("there is room")
}

/// Versions before this one cut a segment off once it was full, and noted a checkpoint for the one to come, which may never
/// have come.
#[test]
fn a_session_that_ended_with_a_full_segment_is_carried_on() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let mut noted = 0;
    for count in (64..=1536).step_by(64) {
        let path = folder.path().join(format!("{count}.log"));
        let mut writer = Writer::create(&path, Some(new_fold)).expect("the place is empty");
        let ended = append(&mut writer, count, true);
        noted += u64::from(ended.checkpoints.last == count);
        writer.close().expect("there is room");
        for to in [count + 40, count + 500, count + 1500] {
            let mut writer = Writer::open(&path, Some(new_fold)).expect("nobody else has it");
            append(&mut writer, to, false);
            writer.close().expect("there is room");
            let log = Log::open(&path).expect("it was closed");
            assert_eq!(log.verify(&Silent, Some(new_fold)).expect("it can be read").damage, [], "{count}, {to}");
        }
    }
    assert!(noted > 1, "{noted} sessions end so");
}
