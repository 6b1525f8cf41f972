//! `visible`: nothing that a terminal would obey gets out, rows fit, and JSON stays the same document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use replay_store::visible::{clip, json, visible, width, wrap};

fuzz_target!(|text: &str| {
    let shown = visible(text);
    assert!(!shown.chars().any(|c| c.is_control()), "{shown:?}");
    for columns in [2, 7, 80] {
        let rows = wrap(text, columns);
        assert!(rows.iter().all(|row| width(row) <= columns), "{rows:?}");
        assert_eq!(rows.concat(), *shown);
        assert!(width(&clip(&shown, columns)) <= columns);
    }
    let value = replay_store::value::Value::Text(text.to_owned());
    let document = value.to_json();
    let escaped = json(&document);
    assert_eq!(replay_store::value::Value::from_json(&escaped).expect("it is JSON"), value);
});
