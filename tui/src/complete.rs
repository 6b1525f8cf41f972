//! What completes the last word of a command.

use std::collections::BTreeSet;

use crate::app::Debugger;
use crate::command::{Argument, COMMANDS, STEPS, spec_of};

/// Returns the words that a command can end in: names of commands, and what fits behind them.
pub(crate) fn completions(debugger: &Debugger, text: &str) -> Vec<String> {
    let begun = text.rsplit(' ').next().unwrap_or_default();
    let words = match (text.contains(' '), spec_of(text)) {
        (false, _) => COMMANDS.iter().map(|spec| spec.names[0].to_owned()).collect(),
        (true, Some(spec)) => arguments(debugger, spec.argument),
        (true, None) => Vec::new(),
    };
    // A name is completed from any of its parts: `order_id` gives `shop.order_id`.
    let starts = words.iter().filter(|word| word.starts_with(begun));
    let inside = words
        .iter()
        .filter(|word| !word.starts_with(begun) && word.rsplit('.').next().is_some_and(|name| name.starts_with(begun)));
    starts.chain(inside).cloned().collect()
}

fn arguments(debugger: &Debugger, argument: Argument) -> Vec<String> {
    let entries = || entries(debugger).into_iter().collect::<Vec<_>>();
    match argument {
        Argument::Free => Vec::new(),
        Argument::Entry => entries(),
        Argument::Condition => kinds(debugger),
        Argument::Breakpoint => {
            let numbers = (1..=debugger.way.breakpoints.len()).map(|number| number.to_string());
            numbers.chain(["all".to_owned()]).collect()
        }
        Argument::Mark => debugger.way.marks.iter().map(|(name, _)| name.to_string()).collect(),
        Argument::Step => STEPS.map(|(word, _)| word.to_owned()).to_vec(),
    }
}

/// Returns the entries that are declared or hold something at the cursor or at the end.
pub(crate) fn entries(debugger: &Debugger) -> BTreeSet<String> {
    let session = &debugger.session;
    let declared = session.agent.iter().flat_map(|agent| agent.entries().map(|entry| entry.key.to_string()));
    let end = session.state(session.end());
    let told = debugger.state.memory.keys().chain(end.memory.keys()).map(ToString::to_string);
    declared.chain(told).collect()
}

/// Returns the kinds of the events around the cursor.
fn kinds(debugger: &Debugger) -> Vec<String> {
    let near = debugger.cursor.0.saturating_sub(NEAR)..=debugger.cursor.0.saturating_add(NEAR);
    let range = replay_store::event::Position(*near.start())..=replay_store::event::Position(*near.end());
    let tags: BTreeSet<&str> = debugger.session.events_in(range).map(|(_, event)| event.kind.tag()).collect();
    tags.into_iter().map(str::to_owned).collect()
}

/// How far from the cursor kinds are collected.
const NEAR: u64 = 2000;
