//! The YAML reader: no bytes of a file of the agent folder make it panic, and each finding points into its file.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use replay_store::agent::definition::Definition;
use replay_store::agent::{Agent, check};
use replay_store::name::Name;

const FILES: [&str; 6] =
    ["agent.yml", "memory.yml", "responses.yml", "integrations.yml", "skills/a/memory.yml", "skills/a/responses.yml"];

fuzz_target!(|bytes: &[u8]| {
    let mut definition = Definition::default();
    for path in FILES {
        definition.files.insert(Name::from(path), Arc::from(bytes));
    }
    let agent = Agent::load(Arc::new(definition), None);
    for found in check::check(&agent) {
        if let Some(text) = agent.text_of(&found.at.file) {
            assert!(text.get(found.at.start as usize..found.at.end as usize).is_some(), "{found:?}");
        }
    }
});
