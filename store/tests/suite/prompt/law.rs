//! What holds for every prompt, whatever the agent and the session.

use std::fmt::Write;

use proptest::prelude::*;

use replay_store::agent::entry::EntryScope;
use replay_store::event::{Event, EventKind, Position, Rewind};
use replay_store::profile::Profile;
use replay_store::prompt::{Moment, Prompt, Role};

use super::story::{Story, agent};

const SKILLS: [&str; 3] = ["ferry", "island", "lamp"];
const ENTRIES: [&str; 4] = ["open", "open_pii", "own", "own_pii"];

/// An agent whose every skill names every entry there is, in prose, in a block and in a response, and that may not
/// read what `denied` says: pairs of skill and key by index.
fn nosy_files(denied: &[(usize, usize)]) -> Vec<(String, String)> {
    let keys = keys();
    let mut files = vec![
        ("agent.yml".to_owned(), "agent: {persona: p}\n".to_owned()),
        ("memory.yml".to_owned(), "name: {type: text}\nphone: {type: text, pii: true}\n".to_owned()),
    ];
    for (index, skill) in SKILLS.iter().enumerate() {
        let tokens: String = keys.iter().map(|key| format!("@memory.{key} is it.\n")).collect();
        let block: String = keys.iter().map(|key| format!("      @memory.{key} is it.\n")).collect();
        let body = format!(
            "---\nname: {skill}\ndescription: d\n---\n\n{tokens}\nSee @skill.{}.\n\n:::ordered_block id=b\nsteps:\n  - id: s\n    instructions: |\n{block}:::\n",
            SKILLS[(index + 1) % 3],
        );
        files.push((format!("skills/{skill}/skill.md"), body));
        let mut memory = String::from(
            "schema:\n  public:\n    open: {type: text, llm_settable: true}\n    open_pii: {type: text, pii: true}\n  private:\n    own: {type: text}\n    own_pii: {type: text, pii: true}\n",
        );
        let own: Vec<&str> = denied.iter().filter(|(at, _)| *at == index).map(|(_, key)| keys[*key].as_str()).collect();
        if !own.is_empty() {
            writeln!(memory, "access:\n  deny_read: [{}]", own.join(", ")).expect("a string takes all");
        }
        files.push((format!("skills/{skill}/memory.yml"), memory));
    }
    files
}

fn keys() -> Vec<String> {
    let own = SKILLS.iter().flat_map(|skill| ENTRIES.iter().map(move |entry| format!("{skill}.{entry}")));
    own.chain(["project.name".to_owned(), "project.phone".to_owned()]).collect()
}

fn mark(key: &str) -> String {
    format!("<{key}>")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_skill_sees_what_it_may_read_and_nothing_else(
        denied in prop::collection::vec((0_usize..3, 0_usize..14), 0..6),
        written in prop::collection::vec(0_usize..14, 0..14),
        below in 0_usize..3,
        active in 0_usize..3,
        in_block in any::<bool>(),
        leaves in any::<bool>(),
        is_seed in any::<bool>(),
    ) {
        let profile = if is_seed { Profile::Seed } else { Profile::Mantle321 };
        let files = nosy_files(&denied);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let mut story = Story::of(agent(profile, &files), profile);
        story.start(SKILLS[below]);
        if leaves {
            story.leave(SKILLS[below]);
        }
        story.start(SKILLS[active]);
        if in_block {
            story.enter(SKILLS[active], "b");
        }
        let keys = keys();
        for key in &written {
            story.write(&keys[*key], &format!("\"{}\"", mark(&keys[*key])));
        }
        let prompt = story.prompt();
        let told = told(&prompt);
        for (index, key) in keys.iter().enumerate() {
            let entry = story.agent.entry(key).expect("it is declared");
            let is_own = key.starts_with(SKILLS[active]);
            let is_denied = is_seed && denied.contains(&(active, index));
            let may_read = (is_own || entry.scope != EntryScope::Private) && !is_denied;
            let shows = written.contains(&index) && may_read && !entry.pii;
            prop_assert_eq!(told.contains(&mark(key)), shows, "{} in {}", key, told);
        }
    }

    #[test]
    fn sections_are_the_text(
        values in prop::collection::vec(".{0,120}", 4),
        users in prop::collection::vec(".{0,20}", 0..14),
        block in prop::option::of(prop::sample::select(vec!["ask_email", "ask_seats", "explain", "charge", "nowhere"])),
        is_seed in any::<bool>(),
    ) {
        let profile = if is_seed { Profile::Seed } else { Profile::Mantle321 };
        let mut story = Story::new(profile);
        for user in &users {
            story.user(user).model(user).turn_end();
        }
        story.start("buy_tickets");
        for (key, value) in ["project.customer_id", "buy_tickets.show", "buy_tickets.note", "find_show.day"].iter().zip(&values) {
            let value = serde_json::to_string(value).expect("text is JSON");
            story.write(key, &value);
        }
        if let Some(step) = block {
            story.enter("buy_tickets", "pay").stack(&["buy_tickets", &format!("buy_tickets/pay/{step}")]);
        }
        let prompt = story.prompt();
        let joined: String = prompt.sections.iter().map(|section| section.text()).collect();
        prop_assert_eq!(&joined, &prompt.text());
        prop_assert!(prompt.sections.iter().flat_map(|section| &section.pieces).all(|piece| !piece.text.is_empty()));
        prop_assert!(prompt.sections.iter().skip(1).all(|section| section.text().starts_with('\n')));
        prop_assert!(prompt.sections.iter().all(|section| section.text().ends_with('\n')));
        prop_assert!(prompt.sections.is_sorted_by_key(|section| section.name));
        prop_assert!(prompt.messages.iter().filter(|message| message.role == Role::User).count() <= 10);
    }
}

proptest! {
    #[test]
    fn what_decides_about_reads_and_offers_is_the_same_without_the_rest(steps in prop::collection::vec(0_u8..9, 0..40)) {
        let mut story = Story::new(Profile::Mantle321);
        for step in steps {
            match step {
                0 => story.user("hello"),
                1 => story.user_on("twilio_voice", "hello"),
                2 => story.model("hello"),
                3 => story.template("utter_hello", "hello"),
                4 => story.call(0, "search_knowledge", "{}", ""),
                5 => story.call(0, "other", "{}", ""),
                6 => story.turn_end(),
                7 => story.write("buy_tickets.show", "1"),
                _ => story.add(EventKind::HistoryRewound { by: Rewind::Restart, cells: Vec::new(), to: None }),
            };
            let whole = story.moment();
            let events: Vec<(Position, &Event)> = (1..).map(Position).zip(&story.events).collect();
            let lean = Moment::of_decisions(events.into_iter(), &whole.seen);
            prop_assert_eq!(
                (lean.searched, lean.channel, lean.asked, &lean.seen),
                (whole.searched, whole.channel, whole.asked, &whole.seen)
            );
        }
    }
}

/// Everything that the model reads.
fn told(prompt: &Prompt) -> String {
    let messages = prompt.messages.iter().map(|message| message.text.as_str());
    let schemas = prompt.tools.iter().filter(|tool| tool.offered).map(|tool| tool.schema.to_json());
    let mut text = prompt.text();
    text.extend(messages);
    text.extend(schemas);
    text
}

#[test]
fn a_value_of_100_characters_is_whole_and_one_of_101_is_cut_in_both_places() {
    // M261 to M263, M265
    for (count, ends) in [(100, ""), (101, "... [truncated]")] {
        let mut story = Story::new(Profile::Seed);
        story.start("buy_tickets").write("buy_tickets.show", &format!("\"{}\"", "é".repeat(count)));
        let shown = format!("{}{ends}", "é".repeat(100));
        let text = story.prompt().text();
        assert!(text.contains(&format!("They want to see {shown}.\n")), "{text}");
        assert!(text.contains(&format!("- show: {shown}\n")), "{text}");
    }
}

#[test]
fn every_position_of_a_session_has_a_prompt() {
    let mut story = Story::new(Profile::Seed);
    story.user("x").start("buy_tickets").enter("buy_tickets", "pay").stack(&["buy_tickets", "buy_tickets/pay/explain"]);
    story.leave("buy_tickets").start("find_show").call(0, "search_knowledge", "{}", "").turn_end();
    let events = std::mem::take(&mut story.events);
    for end in 0..=events.len() {
        story.events = events[..end].to_vec();
        let prompt = story.prompt();
        assert!(prompt.text().starts_with("You sell tickets"), "at {end}");
        assert!(!prompt.tools.is_empty(), "at {end}");
    }
}
