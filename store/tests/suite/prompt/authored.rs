//! What authors wrote, as it stands in the prompt: words as they are, skills by their ids, words about knowledge.

use replay_store::profile::Profile;

use super::story::Story;

#[test]
fn what_an_author_wrote_is_no_template() {
    // M250
    let settings = "agent: {persona: 'You know {{ session.project.phone }} and {% if x %}.'}\norchestrator: {model_group: \
                    main}\nrules: ['Say {{ name }}.']\n";
    for profile in Profile::ALL {
        let mut story = Story::with(profile, &[("agent.yml", settings)]);
        story.user("hello").write("project.phone", "\"555\"");
        let text = story.prompt().text();
        assert!(text.starts_with("You know {{ session.project.phone }} and {% if x %}.\n"), "{text}");
        assert!(text.contains("\n- Say {{ name }}.\n"), "{text}");
    }
}

#[test]
fn a_skill_of_blocks_alone_is_routed_to_by_its_own_id() {
    // M149a
    let skill = "---\nname: Find a show\ndescription: Say what is on.\n---\n:::ordered_block id=main\nname: Shows\nsteps:\n  \
                 - id: talk\n    instructions: Talk.\n:::\n";
    for profile in Profile::ALL {
        let mut story = Story::with(profile, &[("skills/find_show/skill.md", skill)]);
        story.user("what is on?");
        let text = story.prompt().text();
        assert!(text.contains("- find_show: Say what is on."), "{text}");
        assert!(!text.contains("find_show__main"), "{text}");
    }
}

#[test]
fn the_words_of_a_skill_about_knowledge_replace_those_of_the_agent() {
    // M333, M244
    let settings = "agent: {persona: p}\norchestrator: {model_group: main}\nknowledge_answering: {instructions: Quote the \
                    page.}\n";
    let skill = "---\nname: Refund\ndescription: d\nknowledge_answering: {instructions: Quote the law.}\n---\n\nGo.\n";
    let files =
        [("agent.yml", settings), ("skills/refund/skill.md", skill), ("references/law.md", "# Law\nMoney back.\n")];
    let given = |profile: Profile, skill: &str| {
        let mut story = Story::with(profile, &files);
        story.user("hello").start(skill);
        let text = story.prompt().text();
        [text.contains("Quote the page."), text.contains("Quote the law.")]
    };
    assert_eq!(given(Profile::Mantle321, "find_show"), [true, false]);
    assert_eq!(given(Profile::Mantle321, "refund"), [false, true]);
    assert_eq!(given(Profile::Seed, "refund"), [false, false], "the older generation has neither (M97, P18)");
}

#[test]
fn with_retrieval_the_offer_says_what_is_unknown() {
    // M337
    let why = |setting: &str| {
        let settings = format!("agent: {{persona: p}}\norchestrator: {{model_group: main}}\n{setting}");
        let mut story = Story::with(Profile::Mantle321, &[("agent.yml", &settings)]);
        story.user("hello");
        let prompt = story.prompt();
        prompt.tools.into_iter().find(|tool| tool.name == "activate").expect("it is a tool").why
    };
    let unknown = "at most 2 skills are retrieved, the record doesn't say which";
    assert!(why("skill_retrieval: {active: true, num_skills: 2}\n").ends_with(unknown));
    assert!(!why("skill_retrieval: {active: true, num_skills: 3}\n").contains("retrieved"), "all of the three fit");
    assert!(!why("skill_retrieval: {active: true}\n").contains("retrieved"), "20 where nothing is said");
    assert!(!why("skill_retrieval: {active: false, num_skills: 2}\n").contains("retrieved"));
}
