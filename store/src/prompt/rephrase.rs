//! The calls of their own that reword a response (8.4): a shorter system prompt, the history, and the text at the end.

use super::draft::{self, Draft};
use super::messages::system;
use super::moment::Moment;
use super::view::View;
use super::{Prompt, Section, SectionName, Situation, Source, sections, wording};
use crate::agent::Agent;
use crate::agent::block::Collect;
use crate::name::Name;
use crate::profile::Profile;
use crate::session::State;
use crate::session::response::speak;

/// Returns what the model gets when the engine has it reword the response of that name.
///
/// Where the response asks for a value that a collect confirms (M174), it gets the value instead of the text.
pub fn rephrase(agent: &Agent, profile: Profile, state: &State, moment: &Moment, response: &str) -> Prompt {
    let view = View::new(agent, profile, state, moment);
    let confirmed =
        view.collect().filter(|collect| asks(collect, response)).and_then(|collect| confirmation(&view, collect));
    let (situation, line, message) = match confirmed {
        Some((text, origin)) => (
            Situation::ConfirmRephrase,
            wording::CONFIRM,
            system(&format!("{}{text}", wording::CONFIRM_MESSAGE), origin),
        ),
        None => {
            let spoken = speak(agent, profile, state, response);
            let origin = spoken.variant.map_or(Source::Builtin, |variant| Source::file(&variant.text.at));
            let text = format!("{}{}", wording::REPHRASE_MESSAGE, spoken.text.trim_end());
            (Situation::Rephrase, wording::REPHRASE, system(&text, origin))
        }
    };
    let mut messages = view.moment.history.clone();
    messages.push(message);
    Prompt { situation, sections: shell(&view, line), messages, tools: Vec::new() }
}

fn shell(view: &View<'_>, line: &str) -> Vec<Section> {
    let mut task = Draft::default();
    task.line("## Current Task").line(line);
    let sections = [
        sections::persona(view),
        sections::rules(view),
        task.finish(SectionName::Task),
        sections::channel(view),
        sections::clock(view),
    ];
    let mut sections: Vec<Section> = sections.into_iter().flatten().collect();
    draft::part(&mut sections);
    sections
}

fn asks(collect: &Collect, response: &str) -> bool {
    collect.ask_before_filling && collect.utterance.as_ref().is_some_and(|utterance| utterance.value == response)
}

/// Returns `<entry> = <value>` of a collect whose entry has a value.
fn confirmation(view: &View<'_>, collect: &Collect) -> Option<(String, Source)> {
    let skill: &Name = view.active?.id;
    let value = view.shown(&format!("{skill}.{}", collect.entry.value))?;
    Some((format!("{} = {}", collect.entry.value, value.text), value.origin))
}
