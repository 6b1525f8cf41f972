//! The sections of the system prompt but the branch, in order (8.1). One whose condition fails is absent with its
//! heading (M242).

use super::draft::{self, Draft};
use super::lifecycle;
use super::moment::Channel;
use super::targets::{Target, TargetKind, Targets};
use super::tools::{CANNOT_HELP, Offer};
use super::view::View;
use super::{Section, SectionName, Situation, Source, branch, wording};
use crate::diagnostic::Spanned;

/// Returns the system prompt.
pub(super) fn sections(view: &View<'_>, targets: &Targets<'_>, offer: &Offer) -> Vec<Section> {
    let sections = [
        persona(view),
        rules(view),
        glossary(view, targets),
        channel(view),
        acknowledgement(view),
        examples(view),
        lifecycle::section(view, targets, offer),
        out_of_scope(view, offer),
        clock(view),
        project_memory(view),
        branch::section(view, targets, offer),
        branch::confirmation(view),
    ];
    let mut sections: Vec<Section> = sections.into_iter().flatten().collect();
    draft::part(&mut sections);
    sections
}

/// The agent's own words about itself.
pub(super) fn persona(view: &View<'_>) -> Option<Section> {
    let mut draft = Draft::default();
    match &view.agent.settings.persona {
        Some(persona) => draft.written(&persona.value, &persona.at),
        None => draft.own(wording::UNKNOWN_PERSONA),
    };
    draft.finish(SectionName::Persona)
}

/// A bullet for each rule (M249).
pub(super) fn rules(view: &View<'_>) -> Option<Section> {
    let mut draft = Draft::default();
    for rule in &view.agent.settings.rules {
        if draft.is_empty() {
            draft.line("## Rules");
        }
        draft.line("- ").written(&rule.value, &rule.at);
    }
    draft.finish(SectionName::Rules)
}

/// Which skills there are (P17, M253). Its heading isn't known; ours is.
fn glossary(view: &View<'_>, targets: &Targets<'_>) -> Option<Section> {
    if !view.profile.has_skill_glossary() {
        return None;
    }
    let own = view.skill().filter(|skill| !skill.engine_managed).map(Target::skill);
    let referenced = targets.referenced.iter().filter(|target| target.kind == TargetKind::Skill);
    let mut skills: Vec<&Target<'_>> = referenced.chain(&targets.others).chain(&own).collect();
    skills.sort_by(|left, right| left.id.cmp(&right.id));
    let mut draft = Draft::default();
    for skill in skills {
        if draft.is_empty() {
            draft.line("## Skills").line(wording::GLOSSARY);
        }
        draft.start_line().pieces(skill.line());
    }
    draft.finish(SectionName::Glossary)
}

/// How to write, or to speak.
pub(super) fn channel(view: &View<'_>) -> Option<Section> {
    let settings = &view.agent.settings;
    let mut draft = Draft::default();
    match view.moment.channel {
        Channel::Text => {
            draft.line("## Text Response Rules");
            write_or(&mut draft, settings.text_rules.as_ref(), wording::TEXT_RULES);
        }
        Channel::Voice => {
            draft.line("## Voice Response Rules");
            match &settings.voice_rules {
                Some(rules) => {
                    draft.start_line().written(&rules.value, &rules.at);
                }
                None => {
                    draft.block().line("### Response Style").line(wording::VOICE_STYLE);
                    draft.block().line("### Numbers and Monetary Amounts").line(wording::VOICE_NUMBERS);
                    draft.block().line("### URLs and Email Addresses").line(wording::VOICE_ADDRESSES);
                    draft.block().line("### IDs and Codes").line(wording::VOICE_CODES);
                }
            }
        }
    }
    draft.finish(SectionName::Channel)
}

fn acknowledges(view: &View<'_>) -> bool {
    view.has_fillers() && view.moment.is_first_call()
}

/// Only at the first call of a turn (M246).
fn acknowledgement(view: &View<'_>) -> Option<Section> {
    if !acknowledges(view) {
        return None;
    }
    let mut draft = Draft::default();
    draft.line("## Tool-Call Acknowledgement");
    write_or(&mut draft, view.agent.settings.fillers.instructions.as_ref(), wording::ACKNOWLEDGEMENT);
    draft.finish(SectionName::Acknowledgement)
}

fn examples(view: &View<'_>) -> Option<Section> {
    let examples = &view.agent.settings.fillers.examples;
    if !acknowledges(view) || examples.is_empty() {
        return None;
    }
    let mut draft = Draft::default();
    draft.line("## Acknowledgement Examples");
    for example in examples {
        draft.line("- user: \"").written(&example.value.user, &example.at);
        draft.own("\" -> ack: \"").written(&example.value.ack, &example.at).own("\"");
    }
    draft.finish(SectionName::Examples)
}

/// Shown where the request can be declined at all (M247).
fn out_of_scope(view: &View<'_>, offer: &Offer) -> Option<Section> {
    if !offer.has(CANNOT_HELP) || view.situation == Situation::ScopeHandler {
        return None;
    }
    let mut draft = Draft::default();
    draft.line("## Out-of-scope handling").line(wording::OUT_OF_SCOPE);
    draft.finish(SectionName::OutOfScope)
}

/// The minute of the last event, in UTC (M248): the engine's own clock isn't recorded.
pub(super) fn clock(view: &View<'_>) -> Option<Section> {
    let mut draft = Draft::default();
    draft.line("Current date and time: ");
    match view.moment.clock {
        Some((time, position)) => draft.push(&time.minute(), Source::event(position)),
        None => draft.own("(unknown)"),
    };
    draft.finish(SectionName::Clock)
}

/// Project entries that are set (M255).
fn project_memory(view: &View<'_>) -> Option<Section> {
    let mut draft = Draft::default();
    for entry in &view.agent.project {
        let Some(value) = view.shown(&entry.key) else { continue };
        if draft.is_empty() {
            draft.line("### Project Memory").line(wording::PROJECT_MEMORY);
        }
        draft.line(&format!("- {}: ", entry.key)).pieces(vec![value]);
    }
    draft.finish(SectionName::ProjectMemory)
}

/// Adds the author's text, or the built-in one where there is none (M244).
fn write_or(draft: &mut Draft, written: Option<&Spanned<String>>, built_in: &str) {
    match written {
        Some(text) => draft.start_line().written(&text.value, &text.at),
        None => draft.line(built_in),
    };
}
