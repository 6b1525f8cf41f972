//! What completes the last word of a command.

use std::collections::BTreeSet;

use replay_store::event::Tag;
use replay_store::explain::decisions::Verdict;

use crate::app::{Debugger, Filters};
use crate::command::{Argument, COMMANDS, STEPS, spec_of};

/// Returns the words that a command can end in: names of commands, and what fits behind them.
pub(crate) fn completions(debugger: &Debugger, filters: &Filters, text: &str) -> Vec<String> {
    let begun = text.rsplit(' ').next().unwrap_or_default();
    let words = match (text.contains(' '), spec_of(text)) {
        (false, _) => COMMANDS.iter().map(|spec| spec.names[0].to_owned()).collect(),
        (true, Some(spec)) if spec.argument == Argument::Condition => return query_words(debugger, text),
        (true, Some(spec)) if spec.argument == Argument::Filter => {
            // What is completed is a word, so that the rest of a name of several is what fits behind the ones that were typed.
            let typed = text.trim_start().split_once(' ').map_or("", |(_, rest)| rest);
            let before = &typed[..typed.len() - begun.len()];
            let names =
                filters.keys().filter(|name| name.starts_with(typed)).map(|name| name[before.len()..].to_owned());
            return names.chain(query_words(debugger, text)).collect();
        }
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
        Argument::Free | Argument::Condition | Argument::Filter => Vec::new(),
        Argument::Entry => entries(),
        Argument::Watched => debugger.way.watched().map(ToString::to_string).collect(),
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

/// Returns the words that a query can go on with.
pub(crate) fn query_words(debugger: &Debugger, text: &str) -> Vec<String> {
    let begun = text.rsplit(' ').next().unwrap_or_default();
    let after = |word: &str, names: Vec<String>| -> Vec<String> {
        names.into_iter().map(|name| format!("{word}{name}")).collect()
    };
    let names = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
    let verdicts = Verdict::ALL.map(Verdict::word);
    let entries = || entries(debugger).into_iter().collect::<Vec<_>>();
    let mut words = after("kind:", names(&Tag::ALL.map(Tag::word)));
    words.extend(after("key:", entries()));
    words.extend(after("verdict:", names(&verdicts)));
    words.extend(names(&["skill:", "active:", "tool:", "actor:", "turn:", "at:", "text:"]));
    for call in ["changed(", "read(", "denied("] {
        words.extend(entries().into_iter().map(|key| format!("{call}{key})")));
    }
    words.extend(entries());
    let starts = |word: &&String| word.starts_with(begun);
    let inside = |word: &&String| !begun.is_empty() && word.contains(begun) && !word.starts_with(begun);
    words.iter().filter(starts).chain(words.iter().filter(inside)).cloned().collect()
}
