//! The event codec: no bytes make it panic, and what it reads comes back equal when it is written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use replay_store::event::codec::Names;
use replay_store::event::codec::{claim, decode, encode};

fuzz_target!(|bytes: &[u8]| {
    let _ = claim(bytes);
    let Ok(event) = decode(bytes, &mut Names::default()) else { return };
    let mut payload = Vec::new();
    if encode(&event, &[], &mut payload).is_ok() {
        let again = decode(&payload, &mut Names::default()).expect("what was just written can be read");
        let mut second = Vec::new();
        encode(&again, &[], &mut second).expect("it was written before");
        assert_eq!(payload, second);
    }
});
