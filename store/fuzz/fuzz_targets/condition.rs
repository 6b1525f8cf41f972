//! The condition parser: no text makes it panic, an error points into the text, and what parses can be evaluated.

#![no_main]

use libfuzzer_sys::fuzz_target;
use replay_store::condition::{Reading, evaluate, parse};
use replay_store::value::Value;

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(condition) => {
            for value in [Value::Null, Value::Int(1), Value::Text("x".to_owned())] {
                let evaluation = evaluate(&condition, |_| Reading { value: value.clone(), why: () });
                assert!(!(evaluation.holds() && evaluation.impossible().is_some()));
            }
            for (_, span) in condition.references() {
                assert!(text.get(span).is_some());
            }
        }
        Err(error) => assert!(text.get(error.span).is_some()),
    }
});
