//! What differs between the generations, where one decision shows it.

use replay_store::profile::Profile;
use replay_store::session::decide::Command;
use replay_store::value::Value;

use super::world::World;

const FILES: [(&str, &str); 2] = [
    ("memory.yml", "tier: {type: text, seed: true}\n"),
    ("skills/hold/skill.md", "---\nname: Hold\ndescription: d\n---\nHelp.\n"),
];

#[test]
fn the_newer_generation_keeps_the_metadata_of_a_session_start_as_a_whole() {
    // M63a
    let kept = |profile: Profile| {
        let mut world = World::bare(profile, &FILES);
        let metadata = vec![("tier".into(), Value::Text("gold".to_owned())), ("campaign".into(), Value::Int(7))];
        world.wish(Command::StartSession { definition: None, metadata });
        (world.value("session_started_metadata"), world.value("project.tier"))
    };
    assert_eq!(kept(Profile::Seed), ("null".to_owned(), "\"gold\"".to_owned()));
    assert_eq!(kept(Profile::Mantle321), ("{\"tier\":\"gold\",\"campaign\":7}".to_owned(), "\"gold\"".to_owned()));
    let mut world = World::bare(Profile::Mantle321, &FILES);
    world.wish(Command::StartSession { definition: None, metadata: Vec::new() });
    assert_eq!(world.value("session_started_metadata"), "null");
}
