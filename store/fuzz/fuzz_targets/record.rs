//! The readers of foreign records and of our own lines: no bytes make them panic, and what they read can be opened,
//! sought and written again.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use replay_store::event::Position;
use replay_store::import;
use replay_store::replay::Session;

fuzz_target!(|bytes: &[u8]| {
    let Ok(recordings) = import::read(Arc::new(bytes.to_vec()), "record") else { return };
    for recording in recordings {
        let session = Session::open(recording, None, None);
        let end = session.end();
        for at in [0, end.0 / 2, end.0] {
            let state = session.state(Position(at));
            session.memory_rows(&state);
            session.headline(Position(at));
        }
    }
});
