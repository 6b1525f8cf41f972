//! The reader of `skill.md`: no text makes it panic, in either generation, with or without front matter.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use replay_store::agent::definition::Definition;
use replay_store::agent::{Agent, check};
use replay_store::name::Name;
use replay_store::profile::Profile;

const MEMORY: &str = "schema: {public: {day: {type: text}}, private: {pin: {type: text}}}\n";

fuzz_target!(|bytes: &[u8]| {
    let body = [b"---\nname: A\ndescription: d\n---\n", bytes].concat();
    for (skill, profile) in [(bytes, Profile::Seed), (&body, Profile::Seed), (&body, Profile::Mantle321)] {
        let mut definition = Definition::default();
        definition.files.insert(Name::from("skills/a/skill.md"), Arc::from(skill));
        definition.files.insert(Name::from("skills/a/memory.yml"), Arc::from(MEMORY.as_bytes()));
        check::check(&Agent::load(Arc::new(definition), Some(profile)));
    }
});
