//! Sessions recorded by others, opened with the agent folders that made them.

use std::path::Path;
use std::sync::Arc;

use replay_store::agent::source;
use replay_store::event::finding::FindingKind;
use replay_store::event::{EventKind, Position, ToolOutcome};
use replay_store::import;
use replay_store::replay::Session;
use replay_store::replay::turns::CallKind;

use crate::corpus::corpus;

const EXAMPLES: &str = "RasaHQ__rasa-community-resources/examples";
const PAYMENT: &str = "mantle-text-payment-plan-authority-gpt/case-build/results/2026-09-30-gpt-5.5-low/trackers/correction-switch-offer-at-question.json";
const HELPDESK: &str = "mantle-text-internal-it-helpdesk-claude/case-build/results/2026-09-30-claude-sonnet-5.5-as-shipped/trackers/recovery-status-after-intake.json";
const CORRECTION: &str = "mantle-text-banking-loan-servicing-claude/case-build/results/2026-09-30-claude-sonnet-5.5/trackers/correction-hardship-mid-quote.json";
const NORMAL: &str = "mantle-text-banking-loan-servicing-claude/case-build/results/2026-09-30-claude-sonnet-5.5/trackers/normal-balance-then-payoff.json";
const RECOVERY: &str = "mantle-text-banking-loan-servicing-claude/case-build/results/2026-09-30-claude-sonnet-5.5/trackers/recovery-source-unavailable-callback.json";

/// Opens a dump with the agent folder that it lies in.
fn open(dump: &str) -> Option<Session> {
    let folder = corpus()?.join(EXAMPLES);
    let bytes = std::fs::read(folder.join(dump)).expect("the dump is in the corpus");
    let agent = Path::new(dump).components().next().expect("the path begins with the agent");
    let definition = source::read(&folder.join(agent)).expect("the folder can be read").0;
    let recording = import::read(Arc::new(bytes), dump).expect("the dump can be read").remove(0);
    Some(Session::open(recording, Some(Arc::new(definition)), None))
}

#[test]
fn model_calls_are_counted_by_their_traces() {
    let cases: [(&str, &[usize], usize); 5] = [
        (PAYMENT, &[0, 4, 3, 1, 2], 0),
        (HELPDESK, &[0, 1, 2], 0),
        (CORRECTION, &[0, 5, 2, 2], 1),
        (NORMAL, &[0, 3, 5], 1),
        (RECOVERY, &[0, 4, 2], 1),
    ];
    for (dump, expected, rephrased) in cases {
        let Some(session) = open(dump) else { return };
        let counts: Vec<usize> = session.turns.iter().map(|turn| turn.counted_calls().count()).collect();
        assert_eq!(counts, expected, "{dump}");
        let rephrases =
            session.turns.iter().flat_map(|turn| &turn.calls).filter(|call| call.kind == CallKind::Rephrase);
        assert_eq!(rephrases.count(), rephrased, "{dump}");
    }
}

#[test]
fn the_stack_of_the_named_events_is_the_recorded_one() {
    for dump in [PAYMENT, HELPDESK, CORRECTION, NORMAL, RECOVERY] {
        let Some(session) = open(dump) else { return };
        assert_eq!(session.state(session.end()).stack_conflicts, [], "{dump}");
    }
}

#[test]
fn the_interrupted_skill_stays_as_a_parked_digression() {
    let Some(session) = open(CORRECTION) else { return };
    let at = session.position_of_raw(62).expect("the dump has that record");
    assert_eq!(stack(&session, at), ["loan_payoff digression", "hardship_support running"]);
    assert_eq!(
        stack(&session, session.end()),
        [
            "loan_payoff digression",
            "default_continue_interrupted reference",
            "default_continue_interrupted:main running"
        ]
    );
}

fn stack(session: &Session, at: Position) -> Vec<String> {
    let state = session.state(at);
    let frames = state.stack.iter().map(|frame| {
        let block = frame.block.as_ref().map(|block| format!(":{block}")).unwrap_or_default();
        format!("{}{block} {}", frame.skill, frame.parked.map_or("running", |parked| parked.word()))
    });
    frames.collect()
}

#[test]
fn a_value_names_its_writer_and_the_write_before() {
    let Some(session) = open(PAYMENT) else { return };
    assert_eq!(session.position_of_raw(21), Some(Position(16)));
    assert_eq!(session.position_of_raw(57), Some(Position(36)));
    let rows = session.memory_rows(&session.state(Position(16)));
    let accounts = rows.iter().find(|row| row.key == "project.account_list").expect("the entry is declared");
    let by = accounts.set_by.as_ref().expect("it was written");
    assert_eq!(
        (by.actor, by.tool.as_deref(), by.step.as_deref()),
        ("tool", Some("load_customer_profile"), Some("load_profile"))
    );
    assert!(accounts.locked);

    let rows = session.memory_rows(&session.state(Position(36)));
    let offer = rows.iter().find(|row| row.key == "payment_plan.offer_tag").expect("the entry is declared");
    assert_eq!(offer.value.as_text(), Some("AG-OFR-4471-B r2"));
    let before = session.event(offer.previous.expect("it was written before")).expect("the position is one");
    let EventKind::MemoryWritten { value, writer, .. } = &before.kind else { panic!("a write came before") };
    assert_eq!(value.as_text(), Some("AG-OFR-4471-A r2"));
    assert_eq!(writer.tool.as_deref(), Some("select_plan_offer"));
    assert_eq!(stack(&session, Position(36)), ["payment_plan running"]);
}

#[test]
fn a_declined_tool_never_ran() {
    let Some(session) = open(PAYMENT) else { return };
    let outcomes: Vec<ToolOutcome> = session
        .events_in(..)
        .filter_map(|(_, event)| match &event.kind {
            EventKind::ToolReturned { tool, outcome, .. } if *tool == "accept_plan_offer" => Some(*outcome),
            _ => None,
        })
        .collect();
    let [asked, declined, asked_again, done] = outcomes[..] else { panic!("{outcomes:?}") };
    assert_eq!(
        (asked, declined, asked_again, done),
        (
            ToolOutcome::AwaitingConfirmation,
            ToolOutcome::Declined,
            ToolOutcome::AwaitingConfirmation,
            ToolOutcome::Done
        )
    );
}

#[test]
fn what_the_folder_lacks_is_said_and_survived() {
    let Some(session) = open(HELPDESK) else { return };
    let missing: Vec<&str> = session
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::Missing)
        .map(|finding| finding.text.as_str())
        .collect();
    assert_eq!(
        missing,
        [
            "a skill that the record names and the agent folder lacks: ticket_status",
            "3 memory entries that the record names and the agent folder lacks: project.employee_first_name, \
             project.employee_id, project.employee_team",
        ]
    );
}

/// Opens every dump; its name comes with it. Empty where there is no corpus.
pub(crate) fn open_all() -> Vec<(&'static str, Session)> {
    let dumps = [PAYMENT, HELPDESK, CORRECTION, NORMAL, RECOVERY];
    dumps.into_iter().filter_map(|dump| Some((dump, open(dump)?))).collect()
}
