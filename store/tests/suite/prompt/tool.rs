//! Which tools are offered, which are withheld, and why.

use replay_store::profile::Profile;
use replay_store::prompt::Prompt;

use super::story::Story;

fn offered(prompt: &Prompt) -> Vec<&str> {
    prompt.tools.iter().filter(|tool| tool.offered).map(|tool| tool.name.as_str()).collect()
}

fn why<'a>(prompt: &'a Prompt, name: &str) -> &'a str {
    let tool = prompt.tools.iter().find(|tool| tool.name == name);
    &tool.unwrap_or_else(|| panic!("there is no {name}")).why
}

#[test]
fn the_table_holds_in_both_profiles() {
    // M213 to M216
    let mut story = Story::new(Profile::Seed);
    assert_eq!(offered(&story.prompt()), ["activate", "cannot_help"]);
    story.user("tickets").start("buy_tickets");
    let prose = [
        "activate",
        "complete_skill",
        "cancel_skill",
        "set_fields",
        "cannot_help",
        "check_stock",
        "print_receipt",
        "charge_card",
    ];
    assert_eq!(offered(&story.prompt()), prose);
    story.enter("buy_tickets", "pay");
    let block =
        ["activate", "cancel_skill", "set_fields", "cannot_help", "check_stock", "print_receipt", "charge_card"];
    assert_eq!(offered(&story.prompt()), block);

    let mut story = Story::new(Profile::Mantle321);
    assert_eq!(offered(&story.prompt()), ["activate", "cannot_help", "listen"]);
    story.user("tickets").start("find_show").write("find_show.day", "\"today\"");
    assert_eq!(
        offered(&story.prompt()),
        ["activate", "complete", "cancel", "set_fields", "correct", "cannot_help", "listen"]
    );
    story.call(0, "search_knowledge", "{}", "hits");
    assert_eq!(offered(&story.prompt()), ["activate", "search_knowledge", "cannot_help"]);
}

#[test]
fn a_closed_gate_says_what_it_read() {
    // M187, M272: the offer follows memory
    let mut story = Story::new(Profile::Seed);
    story.user("tickets").start("buy_tickets");
    let text = "requires session.buy_tickets.show and session.buy_tickets.seats";
    let is_closed = |story: &Story, given: &str| {
        assert_eq!(why(&story.prompt(), "hold_seats"), format!("{text}: {given}"));
    };
    is_closed(&story, "buy_tickets.show never written");
    story.write("buy_tickets.show", "\"Hamlet\"");
    is_closed(&story, "buy_tickets.show is Hamlet, buy_tickets.seats never written");
    story.write("buy_tickets.seats", "2").clear("buy_tickets.show");
    is_closed(&story, "buy_tickets.show cleared at 6");
    story.write("buy_tickets.show", "\"Hamlet\"");
    assert!(offered(&story.prompt()).contains(&"hold_seats"));
}

#[test]
fn a_gate_on_one_entry_reads_as_one_sentence() {
    let skill =
        "---\nname: n\ndescription: d\ntool_constraints:\n  - go: {requires: session.find_show.day}\n---\n\nGo.\n";
    let mut story = Story::with(Profile::Seed, &[("skills/find_show/skill.md", skill)]);
    story.user("go").start("find_show");
    assert_eq!(why(&story.prompt(), "go"), "requires session.find_show.day: never written");
}

#[test]
fn a_skill_that_may_not_start_is_no_target_and_the_reason_is_told() {
    let skill = "---\nname: Refund\ndescription: d\nrequires: session.project.customer_id\n---\n\nGo.\n";
    let mut story = Story::with(Profile::Seed, &[("skills/refund/skill.md", skill)]);
    story.user("refund");
    let prompt = story.prompt();
    assert_eq!(
        why(&prompt, "activate"),
        "2 targets; not backstage: disabled; not refund: requires session.project.customer_id: never written"
    );
    assert!(!prompt.text().contains("- refund"));
    story.write("project.customer_id", "\"C-7\"");
    assert!(story.prompt().text().contains("- refund: d"));
}

#[test]
fn set_fields_has_a_property_for_each_settable_entry() {
    // M20a
    let mut story = Story::new(Profile::Seed);
    story.user("tickets").start("buy_tickets");
    let prompt = story.prompt();
    let tool = prompt.tools.iter().find(|tool| tool.name == "set_fields").expect("it is offered");
    let properties = tool.schema.get("properties").expect("an object").to_json();
    assert_eq!(
        properties,
        "{\"seats\":{\"type\":\"integer\",\"description\":\"How many seats.\"},\
         \"row\":{\"type\":\"string\",\"description\":\"Where they sit.\",\"enum\":[\"stalls\",\"circle\"]},\
         \"email\":{\"type\":\"string\",\"description\":\"Where the tickets go.\"}}"
    );
}

#[test]
fn inside_a_block_the_prose_and_other_skills_are_targets_but_not_the_block_itself() {
    // M150, M252, M281
    let mut story = Story::new(Profile::Mantle321);
    story.user("tickets").start("buy_tickets");
    let ids = |story: &Story| {
        let prompt = story.prompt();
        let tool = prompt.tools.iter().find(|tool| tool.name == "activate").expect("it is offered");
        tool.schema.get("properties").and_then(|p| p.get("target_id")?.get("enum").cloned()).expect("an enum").to_json()
    };
    assert_eq!(ids(&story), "[\"find_show\",\"buy_tickets__pay\",\"refund\"]");
    story.enter("buy_tickets", "pay");
    assert_eq!(ids(&story), "[\"find_show\",\"refund\",\"buy_tickets\"]");
}

#[test]
fn a_skill_that_the_folder_lacks_still_shows_the_tools_of_the_record() {
    let mut story = Story::new(Profile::Seed);
    story.user("x").start("lost").call(0, "dig", "{}", "bone");
    let prompt = story.prompt();
    assert_eq!(why(&prompt, "dig"), "called in the record; the folder lacks its skill; parameters unknown");
    assert!(prompt.text().contains("## Active Skill: lost"));
}

#[test]
fn what_agent_yml_switches_off_is_withheld() {
    // M336
    let settings = "\
agent: {persona: p}
orchestrator:
  model_group: main
  tool_constraints:
    cancel: {enabled: false}
";
    let mut story = Story::with(Profile::Mantle321, &[("agent.yml", settings)]);
    story.user("x").start("refund");
    assert_eq!(why(&story.prompt(), "cancel"), "switched off at agent.yml:5");
}
