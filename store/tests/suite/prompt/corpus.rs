//! Prompts and responses of real records, read in place.

use std::path::PathBuf;
use std::sync::Arc;

use replay_store::agent::source;
use replay_store::event::{EventKind, MessageSource, Position};
use replay_store::import;
use replay_store::prompt::{Prompt, Role, SectionName, Situation, Source};
use replay_store::replay::Session;
use replay_store::session::response::speak;

const EXAMPLES: &str = "RasaHQ__rasa-community-resources/examples";
const PAYMENT_PLAN: &str = "mantle-text-payment-plan-authority-gpt";
const PAYMENT_PLAN_DUMP: &str =
    "case-build/results/2026-09-30-gpt-5.5-low/trackers/correction-switch-offer-at-question.json";
const LOANS: &str = "mantle-text-banking-loan-servicing-claude";
const LOANS_DUMPS: [&str; 3] = [
    "case-build/results/2026-09-30-claude-sonnet-5.5/trackers/correction-hardship-mid-quote.json",
    "case-build/results/2026-09-30-claude-sonnet-5.5/trackers/normal-balance-then-payoff.json",
    "case-build/results/2026-09-30-claude-sonnet-5.5/trackers/recovery-source-unavailable-callback.json",
];

const HELPDESK: &str = "mantle-text-internal-it-helpdesk-claude";
const HELPDESK_DUMP: &str =
    "case-build/results/2026-09-30-claude-sonnet-5.5-as-shipped/trackers/recovery-status-after-intake.json";

/// Opens a record of the corpus with its agent folder. `None` where there is no corpus to read.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn open(agent: &str, dump: &str) -> Option<Session> {
    let Some(corpus) = std::env::var_os("REPLAY_CORPUS").map(PathBuf::from) else {
        assert!(
            std::env::var_os("REPLAY_CORPUS_REQUIRED").is_none_or(|value| value != "1"),
            "REPLAY_CORPUS is not set"
        );
        println!("skipped: REPLAY_CORPUS is not set");
        return None;
    };
    let folder = corpus.join(EXAMPLES).join(agent);
    let bytes = std::fs::read(folder.join(dump)).expect("the corpus holds the dump");
    let mut recordings = import::read(Arc::new(bytes), dump).expect("the dump can be read");
    let (definition, _) = source::read(&folder).expect("the folder can be read");
    Some(Session::open(recordings.remove(0), Some(Arc::new(definition)), None))
}

fn prompt(session: &Session, turn: u32, call: u32) -> Prompt {
    let call = session.call(turn, call).expect("the turn has the call");
    session.prompt_of(call).expect("there is a definition")
}

#[test]
fn the_payment_plan_routes_at_the_first_call_of_turn_2() {
    let Some(session) = open(PAYMENT_PLAN, PAYMENT_PLAN_DUMP) else { return };
    let prompt = prompt(&session, 2, 1);
    assert_eq!(prompt.situation, Situation::Routing);
    let text = prompt.text();
    assert!(text.contains("\n## Routing\n"), "{text}");
    assert!(text.contains("- payment_plan: Present the payment-plan offers"), "{text}");
    assert!(
        text.contains("- project.account_list: AG-4471 home electricity; AG-4472 home gas; AG-5820 flat electricity\n")
    );
    let offered: Vec<&str> = prompt.tools.iter().filter(|tool| tool.offered).map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["activate", "cannot_help"]);
    assert_eq!(prompt.messages.iter().filter(|message| message.role == Role::User).count(), 1);
}

#[test]
fn the_account_list_stands_in_place_of_its_token_with_the_event_that_set_it() {
    let Some(session) = open(PAYMENT_PLAN, PAYMENT_PLAN_DUMP) else { return };
    let prompt = prompt(&session, 2, 2);
    assert_eq!(prompt.situation, Situation::Prose);
    let section = prompt.section(SectionName::ActiveSkill).expect("a skill is active");
    let accounts = "AG-4471 home electricity; AG-4472 home gas; AG-5820 flat electricity";
    assert!(
        section.text().contains(&format!("The customer's accounts are\n   {accounts}. If more")),
        "{}",
        section.text()
    );
    let piece = section.pieces.iter().find(|piece| piece.text == accounts).expect("it is a piece of its own");
    let position = session.position_of_raw(12).expect("the record is there");
    assert_eq!(piece.origin, Source::Event { position, key: Some("project.account_list".into()) });
    let accept = prompt.tools.iter().find(|tool| tool.name == "accept_plan_offer").expect("the folder constrains it");
    assert!(!accept.offered);
    assert_eq!(accept.why, "requires session.payment_plan.offer_tag: never written");
}

#[test]
fn a_pending_confirmation_quotes_its_question() {
    let Some(session) = open(PAYMENT_PLAN, PAYMENT_PLAN_DUMP) else { return };
    let prompt = prompt(&session, 3, 1);
    let section = prompt.section(SectionName::Confirmation).expect("a call waits").text();
    assert!(section.contains("Do you accept this plan?"), "{section}");
    assert!(prompt.tools.iter().any(|tool| tool.offered && tool.name == "resolve_tool_confirmation"));
}

/// Every response that the engine said word for word equals what the renderer makes of it, byte for byte.
#[test]
fn recorded_responses_are_what_the_renderer_makes() {
    let mut compared = Vec::new();
    let dumps = LOANS_DUMPS.map(|dump| (LOANS, dump));
    for (agent, dump) in [(PAYMENT_PLAN, PAYMENT_PLAN_DUMP)].into_iter().chain(dumps) {
        let Some(session) = open(agent, dump) else { return };
        for (at, event) in session.events_in(..) {
            let EventKind::AgentMessage { text, source: MessageSource::Template, response: Some(response), .. } =
                &event.kind
            else {
                continue;
            };
            let state = session.state(Position(at.0 - 1));
            let agent = session.agent.as_deref().expect("the folder was read");
            assert_eq!(speak(agent, session.profile.profile, &state, response).text, *text, "{dump}: event {at}");
            compared.push(response.to_string());
        }
    }
    compared.sort();
    let confirmations = compared.iter().filter(|name| *name == "utter_confirm_plan_acceptance").count();
    assert_eq!(confirmations, 2);
    assert_eq!(compared.iter().filter(|name| *name == "utter_greet").count(), 4);
}

#[test]
fn a_reworded_response_has_a_prompt_without_tools() {
    let Some(session) = open(LOANS, LOANS_DUMPS[0]) else { return };
    let turn = session.turns.last().expect("there are turns");
    let call = turn.calls.last().expect("the last turn has calls");
    let prompt = session.prompt_of(call).expect("there is a definition");
    assert_eq!(prompt.situation, Situation::Rephrase);
    assert!(prompt.tools.is_empty());
    let names: Vec<&str> = prompt.sections.iter().map(|section| section.name.word()).collect();
    assert_eq!(names, ["persona", "rules", "task", "channel", "clock"]);
}

#[test]
fn a_parked_loan_payoff_is_told_while_hardship_support_runs() {
    let Some(session) = open(LOANS, LOANS_DUMPS[0]) else { return };
    let prompt = prompt(&session, 4, 1);
    let text = prompt.text();
    assert!(text.contains("## Active Skill: Hardship Support\n"), "{text}");
    assert!(text.contains("## Interrupted tasks\n"), "{text}");
    assert!(text.contains("- loan_payoff: Give the signed-in customer"), "{text}");
    assert!(text.contains("- loan_payoff.quote_ref: PQ-4417-20A397\n"), "{text}");
}

#[test]
fn every_position_of_the_real_records_has_a_prompt() {
    let dumps = LOANS_DUMPS.map(|dump| (LOANS, dump));
    for (agent, dump) in [(PAYMENT_PLAN, PAYMENT_PLAN_DUMP), (HELPDESK, HELPDESK_DUMP)].into_iter().chain(dumps) {
        let Some(session) = open(agent, dump) else { return };
        for at in 0..=session.end().0 {
            let prompt = session.prompt(Position(at)).expect("there is a definition");
            let joined: String = prompt.sections.iter().map(|section| section.text()).collect();
            assert_eq!(joined, prompt.text(), "{dump} at {at}");
        }
    }
}

#[test]
fn a_skill_that_the_folder_lacks_is_said_and_survived() {
    let Some(session) = open(HELPDESK, HELPDESK_DUMP) else { return };
    let prompt = prompt(&session, 3, 2);
    let text = prompt.text();
    assert!(text.starts_with("(the agent folder names no persona)\n"), "{text}");
    assert!(text.contains("## Active Skill: ticket_status\n(the agent folder has no such skill)\n"), "{text}");
}
